//! The page of reviewed games: what stands in the file, and how a real browser shows it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::common::{play_on, random_opening, record, rng};
use crate::scratch::Scratch;
use blackhole::player::board::Cell;
use blackhole::player::record::Record;
use blackhole::workshop::games::RecordedGame;
use blackhole::workshop::review::game::{Review, ReviewSettings, Reviewer};
use blackhole::workshop::review::page::page;
use blackhole::workshop::review::summary::{Summary, summary};

/// Play so many random moves.
fn game(seed: u64, plies: usize, names: [&str; 3]) -> RecordedGame {
    let mut rng = rng(seed);
    let start = Record::standard(&random_opening(&mut rng)).expect("five cells");
    let record = play_on(&mut rng, start, plies);
    let [title, red, blue] = names.map(str::to_owned);
    RecordedGame { title, names: [red, blue], record, points: None }
}

/// Judge the moves of games from the 17th on, and sum up.
fn reviewed(games: &[RecordedGame]) -> (Vec<Review>, Summary) {
    let limit = Duration::from_secs(1);
    let settings = ReviewSettings { limit, iterations: 0, options: true, from: 17, stop: None };
    let mut reviewer = Reviewer::new(settings);
    let reviews: Vec<Review> = games.iter().map(|game| reviewer.review(game, &mut || {})).collect();
    let summary = summary(&(1..).zip(&reviews).collect::<Vec<_>>(), None, 17);
    (reviews, summary)
}

const EVIL: &str = "</script><script>alert(1)</script><!--/*script*/ & <b>";

#[test]
fn no_text_of_a_game_can_leave_the_data() {
    let (reviews, summary) = reviewed(&[game(1, 30, [EVIL; 3])]);
    let [html, empty] = [page(&reviews, Some(&summary)), page(&[], None)];
    assert_eq!(html.matches("<script").count(), 2);
    for element in ["<", "</script", "<!--", "const $ ="] {
        assert_eq!(html.matches(element).count(), empty.matches(element).count(), "{element}");
    }
    let (_, data) = html.split_once("id=\"data\">").expect("the data");
    let data: Value = serde_json::from_str(data.split("</script>").next().expect("its end")).expect("JSON");
    assert_eq!(data["games"][0]["red"], EVIL);
    assert_eq!(data["summary"]["bots"][0]["name"], EVIL);
    // It asks the network for nothing.
    assert!(empty.contains("default-src 'none'"));
    let addresses = empty.matches("http").count() - empty.matches("http-equiv").count();
    assert_eq!(addresses, empty.matches("`http://www.w3.org/${").count(), "names of the two languages");
    assert!(!empty.contains("src=") && !empty.contains("url(") && !empty.contains("@import"));
}

#[test]
fn a_page_takes_less_than_300_kb() {
    let names = ["round 100", "eventhorizon-25s", "wormhole-1.0"];
    let (games, _) = reviewed(&[1, 2, 3, 4, 5].map(|seed| game(seed, 30, names)));
    let mut many: Vec<Review> = games.iter().cycle().take(300).cloned().collect();
    many.iter_mut().for_each(|game| game.summary.red.lost = 0);
    many[217].summary.red.lost = 900;
    many[217].title = "the costliest ".repeat(1_000);
    // Of more than a hundred games it keeps less of each, without the values of moves that nobody
    // would play; of still more those in which most was lost, under their numbers.
    for (count, whole) in [(100, true), (130, true), (300, false)] {
        let text = page(&many[..count], None);
        assert!(text.len() < 300_000, "{count} games: {} bytes", text.len());
        assert_eq!(!text.contains("null,\n"), whole, "{count} games");
        let kept: Vec<&str> = text.split("\"games\":[").nth(1).expect("data").lines().collect();
        assert!(whole || kept[217].contains("the costliest the") && kept[217].len() < 3_500, "{}", kept[217]);
    }
}

/// Needs Debian's chromium: `cargo test --test all page:: -- --ignored`.
#[test]
#[ignore = "needs chromium"]
fn a_browser_shows_the_page() {
    let scratch = Scratch::new("page");
    let (reviews, summary) = reviewed(&games());
    scratch.write("page.html", page(&reviews, Some(&summary)));
    let mut tab = Browser::start(&scratch.path("profile"));
    let path = scratch.path("page.html");
    let open = &mut |tab: &mut Browser, fragment: &str| tab.open(&path, fragment);
    games_are_listed_and_read(&mut tab, open, &reviews);
    a_game_is_stepped_through(&mut tab, open, &reviews[0]);
    a_turn_hides_and_tells(&mut tab, open, &reviews[0]);
    sides_and_links_are_followed(&mut tab, open, &reviews, &summary);
    records_are_copied(&mut tab, open, &reviews[3]);
    themes_widths_and_names(&mut tab, open);
    odd_pages_are_shown(&mut tab, &scratch, &reviews, &summary);
    assert_eq!(tab.problems, Vec::<String>::new());
}

/// Opens the page with a fragment of its address.
type Open<'a> = &'a mut dyn FnMut(&mut Browser, &str);

/// A whole game, a position of its own with one move and without names, a forfeit, and a game with
/// bad names.
fn games() -> [RecordedGame; 4] {
    let cells: Vec<String> = Cell::all().map(|cell| cell.to_string()).collect();
    let blocked = cells.join(" ").replace("A1 A2 A3 ", "").replace("B1 ", "");
    let record = record(&format!("{blocked} red:2 blue:1,3 to-move:blue A1=3"));
    let own = RecordedGame { record, ..game(1, 0, [""; 3]) };
    let forfeit = RecordedGame { points: Some([0, 150]), ..game(2, 9, ["forfeit", "a", "b"]) };
    [game(3, 30, ["quiet", EVIL, "old"]), own, forfeit, game(4, 30, [EVIL; 3])]
}

/// A value as the page writes it.
fn seen(value: i8) -> String {
    let text = if value == 0 { "0".to_owned() } else { format!("{value:+}") };
    text.replace('-', "−")
}

/// Press a key or click an element, and check where that leads.
#[track_caller]
fn press(tab: &mut Browser, what: &str, fragment: &str) {
    if what.starts_with('#') {
        tab.click(what)
    } else {
        tab.key(what)
    }
    assert_eq!(tab.fragment(), fragment, "{what}");
}

fn games_are_listed_and_read(tab: &mut Browser, open: Open, games: &[Review]) {
    // The costliest games come first; names are text.
    let lost = |number: &usize| {
        let tallies = games[number - 1].summary.clone();
        -i64::from(tallies.red.lost + tallies.blue.lost)
    };
    let mut order = [1, 2, 3, 4];
    order.sort_by_key(lost);
    let links = order.map(|number| format!("#game={number}&ply=0"));
    open(tab, "");
    assert_eq!(tab.fragment(), links[0]);
    assert_eq!(tab.value("[...document.querySelectorAll('#games a')].map(a => a.hash)"), json!(links));
    open(tab, "game=1&ply=0");
    assert_eq!(tab.text("#game-title"), format!("Game 1 quiet: {EVIL} (Red) – old (Blue)"));
    assert!(tab.text("#chart-legend").contains(EVIL));
    assert_eq!(tab.value("document.scripts.length"), 2);
    // The known moves arrive as they were sent.
    for (n, game) in games.iter().enumerate() {
        for (ply, judged) in game.moves.iter().enumerate() {
            let read = format!("games.find(({{number}}) => number === {}).moves[{ply}]", n + 1);
            assert_eq!(tab.value(&format!("Object.fromEntries({read}.options)")), json!(judged.options));
            for name in ["move", "player", "value", "lost", "best", "mark"] {
                let (found, sent) = (tab.value(&format!("{read}.{name}")), &json!(judged)[name]);
                assert_eq!(found, *sent, "{name} of ply {}", ply + 1);
            }
        }
    }
}

fn a_game_is_stepped_through(tab: &mut Browser, open: Open, game: &Review) {
    open(tab, "game=1&ply=17");
    assert_eq!(tab.count("#board .stone"), 18, "stones and the best move");
    let steps = [
        ("End", 30),
        ("ArrowRight", 30),
        ("ArrowLeft", 29),
        ("Home", 0),
        ("ArrowLeft", 0),
        ("ArrowRight", 1),
    ];
    let buttons = [("#last", 30), ("#back", 29), ("#first", 0), ("#forward", 1)];
    for (what, ply) in steps.into_iter().chain(buttons) {
        press(tab, what, &format!("#game=1&ply={ply}"));
    }
    assert_eq!(tab.count("#board .blocked"), 5);
    press(tab, "#moves tr:nth-child(20) button", "#game=1&ply=20");
    assert_eq!(tab.text("#moves [aria-current=step] td"), "20");
    for (part, ply) in [(0.5, 14), (0.01, 0), (0.99, 30)] {
        tab.click_at("#graph", part, 0.5);
        assert_eq!(tab.fragment(), format!("#game=1&ply={ply}"));
        assert_eq!(tab.value("document.querySelector('#graph').ariaValueNow"), ply.to_string());
    }
    let score = i32::from(game.final_score.expect("a score"));
    let points = format!("Red {} points, Blue {} points", 75 + score, 75 - score);
    assert!(tab.text("#now").contains(&points));
    assert_eq!(tab.count("#board .hole"), 1);
}

/// At "your turn" nothing of the best move is seen; known costs are told, unknown ones too.
fn a_turn_hides_and_tells(tab: &mut Browser, open: Open, game: &Review) {
    let costly = game.moves.iter().find(|judged| judged.lost > Some(1)).expect("a loss");
    let (value, lost) = (game.moves[costly.ply].value.expect("exact"), costly.lost.expect("a loss"));
    let told = format!("loses {lost} points: the value becomes {}", seen(value));
    for (ply, ghosts, told) in [(costly.ply - 1, 1, &*told), (4, 0, "is not known")] {
        open(tab, &format!("game=1&ply={ply}"));
        assert_eq!(tab.count(".ghost"), ghosts);
        tab.click("#turn");
        assert_eq!(tab.count(".ghost, #now table"), 0);
        let known = game.moves[..=ply].iter().filter(|judged| judged.exact).count();
        assert_eq!(tab.count("#graph :is(.exact, .estimate-dot)"), known);
        assert_eq!(tab.count("#moves tr:not([hidden])"), ply);
        let (player, mv) = (&game.moves[ply].player, &game.moves[ply].r#move);
        let (cell, stone) = mv.split_once('=').expect("a move");
        tab.value(&format!("document.querySelector('#cell-{cell}').focus()"));
        tab.key("Enter");
        assert_eq!(tab.value("document.activeElement.id"), format!("cell-{cell}"), "the focus stays");
        tab.click(&format!("#{player}-{stone}"));
        let answer = tab.text("#answer");
        assert!(answer.contains(mv) && answer.contains(told), "{answer}");
        tab.click("#show");
        assert_eq!(tab.count(".ghost"), ghosts);
    }
}

fn sides_and_links_are_followed(tab: &mut Browser, open: Open, games: &[Review], summary: &Summary) {
    open(tab, "game=1&ply=18");
    let low = "document.querySelector('#cell-A1').getBoundingClientRect().top > \
        document.querySelector('#cell-H1').getBoundingClientRect().top";
    let value = games[0].moves[18].value.expect("exact");
    for (flipped, value) in [(false, value), (true, -value)] {
        assert_eq!(
            (tab.value(low), tab.text("#now .value")),
            (json!(flipped), format!("Value {}", seen(value)))
        );
        tab.click("#flip");
    }
    tab.click("#flip");
    tab.value("location.hash = '#game=3&ply=99'");
    press(tab, "#graph-title", "#game=3&ply=9");
    assert!(tab.text("#now").contains("not played to its end: a forfeit, Red 0 points, Blue 150"));
    assert!(tab.text("#games").contains("0:150"));
    press(tab, "#games a[href^='#game=2&']", "#game=2&ply=0");
    assert_eq!(tab.text("#game-title"), "Game 2");
    assert_eq!(tab.value("document.querySelector('#base36-row').hidden"), true);
    // Blue, whose view it still is, moves first there.
    for (selector, text) in [("#far b", "● Red"), ("#near b", "■ Blue to move"), ("#near .hand", "1\n3")]
    {
        assert_eq!(tab.text(selector), text);
    }
    assert!(tab.text("#now").contains("4 empty cells"));
    press(tab, "End", "#game=2&ply=1");
    let costly = &summary.bots.iter().find_map(|bot| bot.costliest.first()).expect("a loss");
    press(tab, "#costliest a", &format!("#game={}&ply={}", costly.game, costly.ply));
}

fn records_are_copied(tab: &mut Browser, open: Open, game: &Review) {
    open(tab, "game=4&ply=0");
    tab.call("Browser.grantPermissions", json!({"permissions": ["clipboardReadWrite"]}));
    for (field, text) in [("record", Some(&game.record)), ("base36", game.base36.as_ref())] {
        tab.click(&format!("#copy-{field}"));
        assert_eq!(tab.value("navigator.clipboard.readText()"), json!(text), "{field}");
        assert_eq!(tab.text("#copied"), "Copied.");
    }
}

/// Both themes, a narrow screen, names for everything that can be focused.
fn themes_widths_and_names(tab: &mut Browser, open: Open) {
    let back = "getComputedStyle(document.body).backgroundColor";
    let dark = json!({"features": [{"name": "prefers-color-scheme", "value": "dark"}]});
    let light = tab.value(back);
    tab.call("Emulation.setEmulatedMedia", dark);
    assert_ne!(tab.value(back), light);
    open(tab, "");
    tab.click("#theme");
    assert_eq!(tab.value(back), light);
    let narrow = json!({"width": 380, "height": 800, "deviceScaleFactor": 1, "mobile": true});
    tab.call("Emulation.setDeviceMetricsOverride", narrow);
    assert_eq!(tab.value("document.documentElement.scrollWidth"), 380);
    let hidden = "(list => list.scrollWidth - list.clientWidth)(document.querySelector('#list .scroll'))";
    assert_eq!(tab.value(hidden), 0);
    tab.click("#turn");
    let nameless = "[...document.querySelectorAll('button, input, a, [tabindex]')].filter(e => !e.innerText?.trim() \
        && !e.ariaLabel && !e.labels?.length && !e.hasAttribute('aria-labelledby')).map(e => e.outerHTML)";
    assert_eq!(tab.value(nameless), json!([]));
}

fn odd_pages_are_shown(tab: &mut Browser, scratch: &Scratch, games: &[Review], summary: &Summary) {
    let hundred: Vec<Review> = games[2..].iter().cycle().take(100).cloned().collect();
    let broken = page(&games[..1], None).replace("\"games\":[", "\"games\":[3,");
    // One game alone has no number.
    for (html, selector, text) in [
        (broken, "#trouble", "Nothing to step through: "),
        (page(&[], None), "#trouble", "Nothing to step through: there is no game in it."),
        (page(&hundred, Some(summary)), "#game-title", "Game 99 forfeit: a (Red) – b (Blue)"),
        (page(&games[1..2], None), "#game-title", "Game"),
        (page(&games[2..3], None), "#game-title", "forfeit: a (Red) – b (Blue)"),
    ] {
        scratch.write("odd.html", html);
        tab.open(&scratch.path("odd.html"), "game=99&ply=30");
        let found = tab.text(selector);
        assert!(found == text || text.ends_with(' ') && found.starts_with(text), "{found}");
    }
}
