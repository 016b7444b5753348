//! The page of reviewed games in a browser that refuses all that is optional.

use serde_json::json;

use crate::browser::Browser;
use crate::page::Numbered;
use crate::scratch::Scratch;
use blackhole::page::page;

/// Without address, clipboard and storage, and in a frame that has none of them, the page goes on.
pub fn nothing_optional_stops_the_page(tab: &mut Browser, scratch: &Scratch, games: &[Numbered]) {
    let html = page(games, None).html;
    let steps = "for (let n = 0; n < 120; n++) $(n % 2 ? 'forward' : 'back').click(); $('last').click(); \
        document.querySelector('#games tr:nth-child(2) a').click(); $('first').click(); $('forward').click(); \
        $('copy-record').click(); $('theme').click();";
    let said = "[games[state.game].number === games[1].number, state.ply, $('position-title').textContent.slice(0, 13), \
        $('copied').textContent.slice(0, 9), $('trouble').hidden]";
    let expected = json!([true, 1, "After move 1 ", "Selected:", true]);
    let shown =
        format!("<script nonce=\"page\">{steps} setTimeout(() => parent.postMessage({said}, '*'));</script>");
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
        history.replaceState = history.pushState = document.execCommand = window.matchMedia = refuse;
        for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get: refuse });
        Object.defineProperty(Navigator.prototype, 'clipboard', { get: refuse });";
    tab.call("Page.addScriptToEvaluateOnNewDocument", json!({"source": throwing}));
    scratch.write("page.html", html);
    tab.open(&scratch.path("page.html"), "");
    tab.value(steps);
    assert_eq!(tab.value(said), expected, "where all is refused");
}
