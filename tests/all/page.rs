//! The page of reviewed games: what stands in the file, and how a real browser shows it.

use std::fs;

use rand::RngExt;
use serde_json::{Map, Value, json};

use crate::browser::Browser;
use crate::scratch::Scratch;
use blackhole::player::board::{Cell, Hand, Player};
use blackhole::player::record::Record;
use blackhole::player::testing::{random_move, random_opening, rng};
use blackhole::workshop::notation::Notation;
use blackhole::workshop::review::page::page;

/// Return a game of so many random moves as `review --json` prints it. From the 13th ply on it has
/// invented exact values: the 15th gives 3 points away, the known moves have one of four values.
fn game(seed: u64, plies: usize, names: [&str; 3]) -> Value {
    let mut rng = rng(seed);
    let mut record = Record::standard(&random_opening(&mut rng)).expect("five cells");
    let mut moves = Vec::new();
    for ply in 1..=plies {
        let before = *record.position();
        let player = before.to_move();
        let mv = random_move(&mut rng, &before);
        let value = (ply > 12).then_some(if ply > 15 { -2 } else { 1 });
        let sign = i64::from(player.sign());
        let mut limits = [0u8; 64];
        limits.iter_mut().for_each(|limit| *limit = rng.random_range(2..14));
        let known = before.legal_moves().filter(|_| value.is_some()).map(|mv| {
            let cost = i64::from(mv.stone.value().saturating_sub(limits[mv.cell.index()]).min(3));
            (mv.to_string(), value.unwrap_or(0) - sign * cost)
        });
        let mut options: Map<String, Value> = known.map(|(mv, value)| (mv, json!(value))).collect();
        let lost = value.map(|_| if ply == 15 { 3 } else { 0 });
        if let (Some(value), Some(lost)) = (value, lost) {
            options.insert(mv.to_string(), json!(value - sign * lost));
        }
        let optimal: Vec<&String> =
            options.iter().filter(|(_, known)| known.as_i64() == value).map(|(mv, _)| mv).collect();
        let best = optimal.first().map_or(mv.to_string(), |best| (*best).clone());
        let bounds = value.map_or(if ply > 9 { [-5, 9] } else { [-75, 75] }, |value| [value, value]);
        let estimate = value.is_none().then_some(0.75 * ply as f64 - 4.0);
        moves.push(json!({
            "ply": ply, "player": player.to_string(), "move": mv.to_string(), "empty": before.empty().len(),
            "value": value, "exact": value.is_some(), "bounds": bounds, "estimate": estimate, "lost": lost,
            "best": best, "mark": if ply == 15 { "?" } else { "" }, "optimal": optimal, "options": options,
        }));
        record.push(mv).expect("legal");
    }
    let hands = Player::BOTH.map(|_| Hand::FULL.iter().map(|stone| stone.value()).collect::<Vec<u8>>());
    let [title, red, blue] = names;
    json!({
        "title": title, "red": red, "blue": blue, "first": "red", "hands": {"red": hands[0], "blue": hands[1]},
        "blocked": record.blocked().iter().map(|cell| cell.to_string()).collect::<Vec<_>>(), "moves": moves,
        "final_score": record.final_score(), "decided": (plies == 30).then_some(16),
        "summary": {"red": {"judged": 9, "lost": if plies > 14 { 3 } else { 0 }}, "blue": {"judged": 9, "lost": 0}},
        "record": record.to_string(), "base36": record.to_base36(),
    })
}

fn lines(games: &[Value]) -> String {
    games.iter().map(|game| format!("{game}\n")).collect()
}

const EVIL: &str = "</script><script>alert(1)</script><!--/*script*/ & <b>";

#[test]
fn no_text_of_a_game_can_leave_the_data() {
    let games = lines(&[game(1, 30, [EVIL; 3])]);
    let summary = json!({"bots": [{"name": EVIL, "rows": [], "costliest": []}]}).to_string();
    let [html, empty] = [page(&games, Some(&summary)), page("", None)];
    assert_eq!(html.matches("<script").count(), 2);
    for element in ["<", "</script", "<!--", "const $ ="] {
        assert_eq!(html.matches(element).count(), empty.matches(element).count(), "{element}");
    }
    let (_, data) = html.split_once("id=\"data\">").expect("the data");
    let data: Value = serde_json::from_str(data.split("</script>").next().expect("its end")).expect("JSON");
    assert_eq!(data["games"][0]["red"], EVIL);
    assert_eq!(data["summary"]["bots"][0]["name"], EVIL);
}

#[test]
fn the_page_asks_the_network_for_nothing() {
    let html = page("", None);
    assert!(html.contains("default-src 'none'"));
    let addresses = html.matches("http").count() - html.matches("http-equiv").count();
    assert_eq!(addresses, html.matches("`http://www.w3.org/${").count(), "names of the two languages");
    assert!(!html.contains("src=") && !html.contains("url(") && !html.contains("@import"));
}

#[test]
fn a_hundred_games_take_less_than_300_kb() {
    let names = ["round 100", "eventhorizon-25s", "wormhole-1.0"];
    // Of more games it keeps less of each: here the values of moves that nobody would play.
    let games: Vec<Value> = (0..120).map(|seed| game(seed, 30, names)).collect();
    for count in [100, 120] {
        let size = page(&lines(&games[..count]), None).len();
        assert!(size < 300_000, "{count} games: {size} bytes");
    }
    // Of still more it keeps those in which most was lost, under their numbers.
    let mut many: Vec<Value> = games.iter().cycle().take(300).cloned().collect();
    many.iter_mut().for_each(|game| game["summary"]["red"]["lost"] = json!(0));
    many[217]["summary"]["red"]["lost"] = json!(9);
    many[217]["title"] = json!("the costliest ".repeat(1_000));
    let text = page(&lines(&many), None);
    assert!(text.len() < 300_000 && text.contains("null,\n"), "{} bytes", text.len());
    let kept: Vec<&str> = text.split("\"games\":[").nth(1).expect("data").lines().take(300).collect();
    assert!(kept[217].contains("the costliest the") && kept[217].len() < 3_500, "{}", kept[217].len());
}

/// Needs Debian's chromium: `cargo test --test all page:: -- --ignored`.
#[test]
#[ignore = "needs chromium"]
fn a_browser_shows_the_page() {
    let scratch = Scratch::new("page");
    // A position of its own with one move, without names.
    let cells: Vec<String> = Cell::all().map(|cell| cell.to_string()).collect();
    let blocked = cells.join(" ").replace("A1 A2 A3 ", "").replace("B1 ", "");
    let own = json!({"title": "", "red": "", "blue": "", "first": "blue", "hands": {"red": [2], "blue": [1, 3]},
        "blocked": blocked.split(' ').collect::<Vec<_>>(), "final_score": null, "decided": null,
        "moves": [{"ply": 1, "player": "blue", "move": "A1=3", "empty": 4, "value": 1, "exact": true, "bounds": [1, 1],
            "estimate": null, "lost": null, "best": "A2=1", "mark": "", "optimal": ["A2=1"], "options": {"A2=1": 1}}],
        "summary": {"red": {"judged": 0, "lost": 0}, "blue": {"judged": 0, "lost": 0}},
        "record": format!("{blocked} red:2 blue:1,3 to-move:blue A1=3"), "base36": null});
    let mut games =
        [game(3, 30, ["quiet", EVIL, "old"]), own, game(2, 9, ["forfeit", "a", "b"]), game(4, 30, [EVIL; 3])];
    games[2]["points"] = json!([0, 150]);
    let rows: Vec<Value> = (2..23)
        .map(|empty| json!({"empty": empty, "moves": 9, "judged": 8, "lost": 0.1, "error": 0.02, "losing": 0.1}))
        .collect();
    let costliest = json!([{"game": 4, "ply": 15, "move": "E4=3", "lost": 7, "best": "A1=2"}]);
    let summary = json!({"bots": [{"name": EVIL, "rows": rows, "costliest": costliest}]}).to_string();
    let hundred: Vec<Value> = (0..100).map(|seed| game(seed, 30, ["g", "a", "b"])).collect();
    let files = [
        ("page.html", lines(&games)),
        ("empty.html", String::new()),
        ("broken.html", "{\"title\": 3}\nnonsense\n".to_owned()),
        ("hundred.html", lines(&hundred)),
        ("one.html", lines(&games[1..2])),
        ("titled.html", lines(&games[2..3])),
    ];
    for (name, games) in files {
        fs::write(scratch.path(name), page(&games, Some(&summary))).expect("a place for files");
    }
    let mut browser = Browser::start(&scratch.path("profile"));
    let tab = &mut browser;
    let here = |tab: &mut Browser| tab.value("location.hash").as_str().unwrap_or_default().to_owned();

    // Loading; the costliest games come first; names are text.
    tab.open(&scratch.path("page.html"), "");
    assert_eq!(here(tab), "#game=1&ply=0");
    assert_eq!(
        tab.value("[...document.querySelectorAll('#games a')].map(a => a.hash)"),
        json!(["#game=1&ply=0", "#game=4&ply=0", "#game=2&ply=0", "#game=3&ply=0"])
    );
    assert_eq!(tab.text("#game-title"), format!("Game 1 quiet: {EVIL} (Red) – old (Blue)"));
    assert!(tab.text("#chart-legend").contains(EVIL));
    assert_eq!(tab.value("document.scripts.length"), 2);

    // The known moves arrive as they were sent.
    for (n, game) in games.iter().enumerate() {
        for (ply, mv) in game["moves"].as_array().expect("moves").iter().enumerate() {
            let read = format!("games.find(({{number}}) => number === {}).moves[{ply}]", n + 1);
            assert_eq!(tab.value(&format!("Object.fromEntries({read}.options)")), mv["options"]);
            for name in ["move", "player", "value", "lost", "best", "mark"] {
                assert_eq!(tab.value(&format!("{read}.{name}")), mv[name], "{name} of ply {}", ply + 1);
            }
        }
    }

    // Keys, buttons, the list of moves and the graph.
    let keys = ["End", "ArrowRight", "ArrowLeft", "Home", "ArrowLeft", "ArrowRight"];
    for (key, ply) in keys.into_iter().zip([30, 30, 29, 0, 0, 1]) {
        tab.key(key);
        assert_eq!(here(tab), format!("#game=1&ply={ply}"), "{key}");
    }
    for (button, ply) in [("#last", 30), ("#back", 29), ("#first", 0), ("#forward", 1)] {
        tab.click(button);
        assert_eq!(here(tab), format!("#game=1&ply={ply}"), "{button}");
    }
    assert_eq!(tab.count("#board .stone"), 2, "a stone and the best move");
    assert_eq!(tab.count("#board .blocked"), 5);
    tab.click("#moves tr:nth-child(20) button");
    assert!(here(tab).ends_with("ply=20"));
    assert_eq!(tab.text("#moves [aria-current=step] td"), "20");
    for (part, ply) in [(0.5 * 400.0, 14), (0.0, 0), (400.0, 30)] {
        tab.click_at("#graph", f64::clamp(part / 400.0, 0.01, 0.99), 0.5);
        assert_eq!(here(tab), format!("#game=1&ply={ply}"));
        assert_eq!(tab.value("document.querySelector('#graph').ariaValueNow"), ply.to_string());
    }
    let score = games[0]["final_score"].as_i64().expect("a score");
    let points = format!("Red {} points, Blue {} points", 75 + score, 75 - score);
    assert!(tab.text("#now").contains(&points));
    assert_eq!(tab.count("#board .hole"), 1);

    // Your turn: nothing of the best move is seen, known costs are told, unknown ones too.
    for (ply, known) in [(14, true), (4, false)] {
        tab.open(&scratch.path("page.html"), &format!("game=1&ply={ply}"));
        assert_eq!(tab.count(".ghost"), 1);
        tab.click("#turn");
        assert_eq!(tab.count(".ghost, #now table"), 0);
        assert_eq!(tab.count("#graph :is(.exact, .estimate-dot)"), ply + 1);
        assert_eq!(tab.count("#moves tr:not([hidden])"), ply);
        let mv = games[0]["moves"][ply]["move"].as_str().expect("a move");
        let (cell, stone) = mv.split_once('=').expect("a move");
        tab.value(&format!("document.querySelector('#cell-{cell}').focus()"));
        tab.key("Enter");
        assert_eq!(tab.value("document.activeElement.id"), format!("cell-{cell}"), "the focus stays");
        tab.click(&format!("#red-{stone}"));
        let expected = if known { "loses 3 points: the value becomes −2" } else { "is not known" };
        assert!(tab.text("#answer").contains(mv), "{}", tab.text("#answer"));
        assert!(tab.text("#answer").contains(expected), "{}", tab.text("#answer"));
        tab.click("#show");
        assert_eq!(tab.count(".ghost"), 1);
    }

    // The other side's view.
    tab.open(&scratch.path("page.html"), "game=1&ply=15");
    let low = "document.querySelector('#cell-A1').getBoundingClientRect().top > \
        document.querySelector('#cell-H1').getBoundingClientRect().top";
    assert_eq!((tab.value(low), tab.text("#now .value")), (json!(false), "Value −2".to_owned()));
    tab.click("#flip");
    assert_eq!((tab.value(low), tab.text("#now .value")), (json!(true), "Value +2".to_owned()));

    // The address, the links to other games and to the costliest moves.
    tab.value("location.hash = '#game=3&ply=99'");
    tab.click("#graph-title");
    assert_eq!(here(tab), "#game=3&ply=9");
    assert!(tab.text("#now").contains("not played to its end: a forfeit, Red 0 points, Blue 150"));
    assert!(tab.text("#games").contains("0:150"));
    tab.click("#games tr:nth-child(3) a");
    assert_eq!((here(tab), tab.text("#game-title")), ("#game=2&ply=0".to_owned(), "Game 2".to_owned()));
    assert_eq!(tab.value("document.querySelector('#base36-row').hidden"), true);
    // Blue, whose view it still is, moves first there.
    assert_eq!(tab.text("#far b"), "● Red");
    assert_eq!(
        (tab.text("#near b"), tab.text("#near .hand")),
        ("■ Blue to move".to_owned(), "1\n3".to_owned())
    );
    assert!(tab.text("#now").contains("4 empty cells") && tab.text("#now").contains("Value −1 exact"));
    tab.key("End");
    assert_eq!(here(tab), "#game=2&ply=1");
    tab.click("#costliest a");
    assert_eq!(here(tab), "#game=4&ply=15");

    // Copies.
    tab.call("Browser.grantPermissions", json!({"permissions": ["clipboardReadWrite"]}));
    for field in ["record", "base36"] {
        tab.click(&format!("#copy-{field}"));
        assert_eq!(tab.value("navigator.clipboard.readText()"), games[3][field], "{field}");
        assert_eq!(tab.text("#copied"), "Copied.");
    }

    // Both themes, a narrow screen, names for everything that can be focused.
    let back = "getComputedStyle(document.body).backgroundColor";
    let dark = json!({"features": [{"name": "prefers-color-scheme", "value": "dark"}]});
    let light = tab.value(back);
    tab.call("Emulation.setEmulatedMedia", dark);
    assert_ne!(tab.value(back), light);
    tab.open(&scratch.path("page.html"), "");
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

    // Lines that are no games, no game, a hundred games.
    tab.open(&scratch.path("broken.html"), "");
    assert!(tab.text("#trouble").starts_with("Nothing to step through"));
    tab.open(&scratch.path("empty.html"), "game=7");
    assert!(tab.text("#trouble").contains("no game"));
    tab.open(&scratch.path("hundred.html"), "game=100&ply=30");
    assert_eq!((here(tab), tab.value("games.length")), ("#game=100&ply=30".to_owned(), json!(100)));
    // One game alone has no number.
    for (name, title) in [("one.html", "Game"), ("titled.html", "forfeit: a (Red) – b (Blue)")] {
        tab.open(&scratch.path(name), "");
        assert_eq!(tab.text("#game-title"), title);
    }
    assert_eq!(tab.problems, Vec::<String>::new());
}
