//! The page of reviewed games in a browser that refuses all that is optional, and by keys alone.

use blackhole::page::page;

use crate::browser::Browser;
use crate::common::*;
use crate::page::{Numbered, Open, nonce, press};

/// Without address, clipboard and storage, and in a frame that has none of them, the page goes on.
pub fn nothing_optional_stops_the_page(tab: &mut Browser, scratch: &Scratch, games: &[Numbered]) {
    let html = page("m.jsonl", games).html;
    let steps = "for (let n = 0; n < 120; n++) $(n % 2 ? 'forward' : 'back').click(); $('last').click(); \
        document.querySelector('#games tr:nth-child(2) a').click(); $('first').click(); $('forward').click();";
    let said = "[games[state.game].number === games[1].number, state.ply, $('position-title').textContent.slice(0, 13), \
        !$('trouble').textContent]";
    let expected = json!([true, 1, "After move 1 ", true]);
    let script = format!("{steps} setTimeout(() => parent.postMessage({said}, '*'));");
    let shown = format!("<script nonce=\"{}\">{script}</script>", nonce(&html));
    let framed =
        html.replace("</body>", &format!("{shown}</body>")).replace('&', "&amp;").replace('"', "&quot;");
    let frame = "<!DOCTYPE html><script>addEventListener('message', (event) => (window.said = event.data))</script>\
        <iframe sandbox=\"allow-scripts\" width=900 height=900 srcdoc=\"";
    scratch.write("frame.html", format!("{frame}{framed}\"></iframe>"));
    tab.open(&scratch.path("frame.html"), "");
    let wait = "new Promise(done => { const look = () => window.said ? done(window.said) : setTimeout(look, 20); look(); })";
    assert_eq!(tab.value(wait), expected, "in a frame");
    // Where each of them throws.
    let throwing = "const refuse = () => { throw new Error('refused'); };
        history.replaceState = history.pushState = refuse;
        for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get: refuse });
";
    tab.call("Page.addScriptToEvaluateOnNewDocument", json!({"source": throwing}));
    scratch.write("page.html", &html);
    tab.open(&scratch.path("page.html"), "");
    tab.value(steps);
    assert_eq!(tab.value(said), expected, "where all is refused");
    old_and_strict_browsers_show_something(tab, scratch, &html, &games[0].1.record);
}

/// Both had been a page of one colour, and an empty one.
fn old_and_strict_browsers_show_something(tab: &mut Browser, scratch: &Scratch, html: &str, record: &str) {
    scratch.write("page.html", html.replace("prefers-color-scheme", "prefers-no-scheme"));
    tab.open(&scratch.path("page.html"), "");
    let colours = "[['body', 'backgroundColor'], ['.hex', 'fill'], ['.hand .red', 'backgroundColor'], ['.hand .blue', 'backgroundColor']] \
        .map(([it, what]) => getComputedStyle(document.querySelector(it))[what])";
    let plain = ["rgb(250, 250, 247)", "rgb(239, 233, 220)", "rgb(196, 38, 46)", "rgb(29, 95, 191)"];
    assert_eq!(tab.value(colours), json!(plain), "where no theme is known");
    assert_eq!(tab.value("$('plain').checkVisibility()"), false);
    // Saved as it stands and opened again, it is the same page.
    let [saved, list] =
        ["document.documentElement.outerHTML", "$('games').innerText"].map(|it| tab.value(it));
    scratch.write("saved.html", format!("<!DOCTYPE html>{}", saved.as_str().expect("a page")));
    tab.open(&scratch.path("saved.html"), "");
    assert_eq!(tab.value("[$('games').innerText, !$('trouble').textContent]"), json!([list, true]));
    tab.click("#forward");
    let policy = "<head><meta http-equiv=\"Content-Security-Policy\" content=\"script-src 'self'\">";
    scratch.write("page.html", html.replace("<head>", policy));
    tab.open(&scratch.path("page.html"), "");
    let told = tab.text("body");
    assert!(told.contains("policy “script-src” forbids the script") && told.contains(record), "{told}");
    tab.problems.retain(|problem| !problem.contains("script-src 'self'"));
}

/// Arrows go from a cell to the next free one on that side, on either foot, and from stone to stone; they make no step.
pub fn arrows_go_over_the_board(tab: &mut Browser, open: Open) {
    open(tab, "game=1&ply=17");
    let wrong = "(() => {
        const free = all('#board [tabindex]');
        const middle = (cell) => (box => [box.x + box.width / 2, box.y + box.height / 2].map(Math.round))(cell.getBoundingClientRect());
        const isRight = (cell, key) => {
            cell.focus();
            cell.dispatchEvent(new KeyboardEvent('keydown', { key, code: key, bubbles: true }));
            const [[x, y], [toX, toY]] = [cell, document.activeElement].map(middle);
            if (key === 'ArrowUp' || key === 'ArrowDown') return (key === 'ArrowUp') === toY < y || document.activeElement === cell;
            const beside = free.map(middle).filter(([u, v]) => v === y && (key === 'ArrowLeft' ? u < x : u > x)).map(([u]) => u);
            return toY === y && toX === (beside.length ? Math[key === 'ArrowLeft' ? 'max' : 'min'](...beside) : x);
        };
        return free.flatMap(cell => Object.keys(STEPS).filter(key => !isRight(cell, key)).map(key => cell.id + key)); })()";
    for _ in 0..2 {
        assert_eq!((tab.value(wrong), tab.count("#board [tabindex]") > 5), (json!([]), true));
        tab.click("#flipped");
    }
    let stone = "all('.hand button').indexOf(document.activeElement)";
    tab.value("document.querySelector('.hand button').focus()");
    for (key, place) in [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1)] {
        press(tab, key, "#game=1&ply=17");
        assert_eq!(tab.value(stone), place, "{key}");
    }
}
