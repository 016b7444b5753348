//! The page of a tournament in a real browser.

use serde_json::json;

use crate::browser::Browser;
use crate::scratch::Scratch;

/// The part of a page that the window shows, and the address.
const PLACE: &str = "[scrollY > 0, location.hash]";

/// Needs Debian's chromium: `cargo test --test all page:: -- --ignored`.
#[test]
#[ignore = "needs chromium"]
fn a_browser_shows_a_tournament() {
    let scratch = Scratch::new("tournament-browser");
    let illegal = "i=0; while read x; do i=$((i + 1)); [ $i -le 5 ] || [ $x = Quit ] || echo A1=1; done";
    scratch.write("bad.sh", illegal);
    let bots =
        "--bot r=builtin:random --bot g=builtin:greedy --bot a-rather-long-name-of-a-bot=builtin:random";
    let bots = format!("match {bots} --bot 'bad=sh bad.sh' --pairs 2 --journal games");
    scratch.run(&bots).expect(0, "fault of bad");
    scratch.run("report games --html page.html --judge .02").expect(0, "");
    let mut tab = Browser::start(&scratch.path("profile"));
    let path = scratch.path("page.html");
    // At the tables, with a plain address, unless a link leads to a game.
    tab.open(&path, "");
    assert_eq!(tab.value(PLACE), json!([false, ""]));
    tab.click("#games a");
    assert!(tab.fragment().starts_with("#game=1&ply="));
    tab.open(&path, "game=2&ply=3");
    assert_eq!(tab.value(PLACE), json!([true, "#game=2&ply=3"]));
    // The room of a lazy picture is there before it: in WebKit a link to a game led 520 px above its board.
    let pictures = "[...document.querySelectorAll('img')].every(it => it.getAttribute('height') > 0)";
    let at_top = "Math.abs($('main').getBoundingClientRect().top) < 2";
    assert_eq!(tab.value(&format!("{pictures} && {at_top}")), true);
    // WebKit puts a turned cell beside the wrong column: what is turned is within.
    let turned = "['', ' span'].map(it => getComputedStyle(document.querySelector(`#cross th:last-child${it}`)).writingMode)";
    assert_eq!(tab.value(turned), json!(["horizontal-tb", "vertical-rl"]));
    assert_eq!(tab.value("document.title"), "24 games of 4 bots, games – Black Hole");
    // Pictures are legible, and tables are as wide as the page or can be scrolled.
    let narrow = json!({"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true});
    tab.call("Emulation.setDeviceMetricsOverride", narrow);
    assert_eq!(tab.value("document.documentElement.scrollWidth"), 390);
    assert_eq!(tab.value("document.querySelector('#tournament svg').getBoundingClientRect().width"), 720);
    tab.call("Emulation.clearDeviceMetricsOverride", json!({}));
    it_is_printed(&mut tab);
    assert_eq!(tab.problems, Vec::<String>::new());
}

/// The tables, the list of games with their faults, then the moves; no board.
fn it_is_printed(tab: &mut Browser) {
    tab.value("dispatchEvent(new Event('beforeprint'))");
    tab.call("Emulation.setEmulatedMedia", json!({"media": "print"}));
    let shown = "['#cross', '#list', '#paper', '#table', '#position', '#filter', '#tournament details:last-of-type'] \
        .map(it => document.querySelector(it).checkVisibility())";
    assert_eq!(tab.value(shown), json!([true, true, true, false, false, false, false]));
    for (part, text) in
        [("#tournament", "r against bad: "), ("#list", "illegal: Red"), ("#paper", "blue: illegal: ")]
    {
        let found = tab.text(part);
        assert!(found.contains(text), "{part}: {found}");
    }
}
