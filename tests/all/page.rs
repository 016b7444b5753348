//! The page of reviewed games: what stands in the file, and how a real browser shows it.

use rand::RngExt;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::common::{random_move, random_opening, rng};
use crate::scratch::Scratch;
use blackhole::player::board::Cell;
use blackhole::player::record::Record;
use blackhole::workshop::games::hands;
use blackhole::workshop::notation::Notation;
use blackhole::workshop::review::game::{JudgedMove, Review};
use blackhole::workshop::review::page::page;
use blackhole::workshop::review::summary::{BotSummary, Costly, Losses, Summary};

/// Review a game of so many random moves. From the 13th ply on it has invented exact values: the
/// 15th gives 3 points away, the known moves have one of four values.
fn game(seed: u64, plies: usize, [title, red, blue]: [&str; 3]) -> Review {
    let mut rng = rng(seed);
    let mut record = Record::standard(&random_opening(&mut rng)).expect("five cells");
    let mut moves = Vec::new();
    for ply in 1..=plies {
        let before = *record.position();
        let mv = random_move(&mut rng, &before);
        let limits: [u8; 64] = std::array::from_fn(|_| rng.random_range(2..14));
        let mut judged = JudgedMove {
            ply,
            player: before.to_move().to_string(),
            r#move: mv.to_string(),
            empty: before.empty().len(),
            bounds: if ply > 9 { [-5, 9] } else { [-75, 75] },
            estimate: Some(0.5 * ply as f64 - 4.0),
            best: Some(mv.to_string()),
            ..JudgedMove::default()
        };
        if ply > 12 {
            let value = if ply > 15 { -2 } else { 1 };
            let lost = if ply == 15 { 3 } else { 0 };
            for other in before.legal_moves() {
                let cost = other.stone.value().saturating_sub(limits[other.cell.index()]).min(3) as i8;
                let cost = before.to_move().sign() * if other == mv { lost } else { cost };
                judged.options.insert(other.to_string(), value - cost);
            }
            let optimal = judged.options.iter().filter(|&(_, &known)| known == value);
            judged.optimal = optimal.map(|(mv, _)| mv.clone()).collect();
            judged.best = judged.optimal.first().cloned().or(judged.best);
            (judged.value, judged.exact, judged.bounds) = (Some(value), true, [value; 2]);
            (judged.estimate, judged.lost) = (None, Some(lost));
            judged.mark = if lost > 0 { "?" } else { "" };
        }
        moves.push(judged);
        record.push(mv).expect("legal");
    }
    let mut review = Review {
        title: title.to_owned(),
        red: red.to_owned(),
        blue: blue.to_owned(),
        moves,
        decided: (plies == 30).then_some(16),
        ..frame(&record)
    };
    review.summary.red.lost = if plies > 14 { 3 } else { 0 };
    review
}

/// What a review says of a record, without its moves.
fn frame(record: &Record) -> Review {
    Review {
        hands: hands(record),
        first: record.start().to_move().to_string(),
        final_score: record.final_score(),
        record: record.to_string(),
        base36: record.to_base36(),
        ..Review::default()
    }
}

const EVIL: &str = "</script><script>alert(1)</script><!--/*script*/ & <b>";

/// A summary of a bot with a bad name.
fn evil_summary() -> Summary {
    let row = Losses {
        moves: 9,
        judged: 8,
        lost: Some(0.1),
        error: Some(0.02),
        losing: Some(0.1),
        ..Losses::default()
    };
    let costly =
        Costly { game: 4, ply: 15, r#move: "E4=3".to_owned(), best: Some("A1=2".to_owned()), lost: 7 };
    let bot = BotSummary {
        name: EVIL.to_owned(),
        games: 4,
        rows: (2..23).map(|empty| Losses { empty: Some(empty), ..row.clone() }).collect(),
        all: row.clone(),
        costliest: vec![costly],
    };
    Summary { games: 4, bots: vec![bot] }
}

#[test]
fn no_text_of_a_game_can_leave_the_data() {
    let [html, empty] = [page(&[game(1, 30, [EVIL; 3])], Some(&evil_summary())), page(&[], None)];
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
fn a_hundred_games_take_less_than_300_kb() {
    let names = ["round 100", "eventhorizon-25s", "wormhole-1.0"];
    let games: Vec<Review> = (0..20).map(|seed| game(seed, 30, names)).collect();
    let mut many: Vec<Review> = games.iter().cycle().take(300).cloned().collect();
    // Of more games it keeps less of each: here the values of moves that nobody would play.
    for count in [100, 120] {
        let size = page(&many[..count], None).len();
        assert!(size < 300_000, "{count} games: {size} bytes");
    }
    // Of still more it keeps those in which most was lost, under their numbers.
    many.iter_mut().for_each(|game| game.summary.red.lost = 0);
    many[217].summary.red.lost = 9;
    many[217].title = "the costliest ".repeat(1_000);
    let text = page(&many, None);
    assert!(text.len() < 300_000 && text.contains("null,\n"), "{} bytes", text.len());
    let kept: Vec<&str> = text.split("\"games\":[").nth(1).expect("data").lines().take(300).collect();
    assert!(kept[217].contains("the costliest the") && kept[217].len() < 3_500, "{}", kept[217].len());
}

/// Needs Debian's chromium: `cargo test --test all page:: -- --ignored`.
#[test]
#[ignore = "needs chromium"]
fn a_browser_shows_the_page() {
    let scratch = Scratch::new("page");
    let games = games();
    scratch.write("page.html", page(&games, Some(&evil_summary())));
    let mut tab = Browser::start(&scratch.path("profile"));
    let path = scratch.path("page.html");
    let mut open = |tab: &mut Browser, fragment: &str| tab.open(&path, fragment);
    games_are_listed_and_read(&mut tab, &mut open, &games);
    a_game_is_stepped_through(&mut tab, &games[0]);
    a_turn_hides_and_tells(&mut tab, &mut open, &games[0]);
    sides_and_links_are_followed(&mut tab, &mut open);
    records_are_copied(&mut tab, &games[3]);
    themes_widths_and_names(&mut tab, &mut open);
    odd_pages_are_shown(&mut tab, &scratch, &games);
    assert_eq!(tab.problems, Vec::<String>::new());
}

/// Opens the page with a fragment of its address.
type Open<'a> = &'a mut dyn FnMut(&mut Browser, &str);

/// A whole game, a position of its own with one move and without names, a forfeit, and a game with
/// bad names.
fn games() -> [Review; 4] {
    let cells: Vec<String> = Cell::all().map(|cell| cell.to_string()).collect();
    let blocked = cells.join(" ").replace("A1 A2 A3 ", "").replace("B1 ", "");
    let record = Record::parse(&format!("{blocked} red:2 blue:1,3 to-move:blue A1=3")).expect("a game");
    let only = JudgedMove {
        ply: 1,
        player: "blue".to_owned(),
        r#move: "A1=3".to_owned(),
        value: Some(1),
        best: Some("A2=1".to_owned()),
        options: [("A2=1".to_owned(), 1)].into(),
        ..JudgedMove::default()
    };
    let own = Review { moves: vec![only], ..frame(&record) };
    let forfeit = Review { points: Some([0, 150]), ..game(2, 9, ["forfeit", "a", "b"]) };
    [game(3, 30, ["quiet", EVIL, "old"]), own, forfeit, game(4, 30, [EVIL; 3])]
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
    open(tab, "");
    assert_eq!(tab.fragment(), "#game=1&ply=0");
    assert_eq!(
        tab.value("[...document.querySelectorAll('#games a')].map(a => a.hash)"),
        json!(["#game=1&ply=0", "#game=4&ply=0", "#game=2&ply=0", "#game=3&ply=0"])
    );
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

fn a_game_is_stepped_through(tab: &mut Browser, game: &Review) {
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
    assert_eq!(tab.count("#board .stone"), 2, "a stone and the best move");
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
    for (ply, expected) in [(14, "loses 3 points: the value becomes −2"), (4, "is not known")] {
        open(tab, &format!("game=1&ply={ply}"));
        assert_eq!(tab.count(".ghost"), 1);
        tab.click("#turn");
        assert_eq!(tab.count(".ghost, #now table"), 0);
        assert_eq!(tab.count("#graph :is(.exact, .estimate-dot)"), ply + 1);
        assert_eq!(tab.count("#moves tr:not([hidden])"), ply);
        let mv = &game.moves[ply].r#move;
        let (cell, stone) = mv.split_once('=').expect("a move");
        tab.value(&format!("document.querySelector('#cell-{cell}').focus()"));
        tab.key("Enter");
        assert_eq!(tab.value("document.activeElement.id"), format!("cell-{cell}"), "the focus stays");
        tab.click(&format!("#red-{stone}"));
        let answer = tab.text("#answer");
        assert!(answer.contains(mv) && answer.contains(expected), "{answer}");
        tab.click("#show");
        assert_eq!(tab.count(".ghost"), 1);
    }
}

fn sides_and_links_are_followed(tab: &mut Browser, open: Open) {
    open(tab, "game=1&ply=15");
    let low = "document.querySelector('#cell-A1').getBoundingClientRect().top > \
        document.querySelector('#cell-H1').getBoundingClientRect().top";
    for (flipped, value) in [(false, "Value −2"), (true, "Value +2")] {
        assert_eq!((tab.value(low), &*tab.text("#now .value")), (json!(flipped), value));
        tab.click("#flip");
    }
    tab.click("#flip");
    tab.value("location.hash = '#game=3&ply=99'");
    press(tab, "#graph-title", "#game=3&ply=9");
    assert!(tab.text("#now").contains("not played to its end: a forfeit, Red 0 points, Blue 150"));
    assert!(tab.text("#games").contains("0:150"));
    press(tab, "#games tr:nth-child(3) a", "#game=2&ply=0");
    assert_eq!(tab.text("#game-title"), "Game 2");
    assert_eq!(tab.value("document.querySelector('#base36-row').hidden"), true);
    // Blue, whose view it still is, moves first there.
    for (selector, text) in [("#far b", "● Red"), ("#near b", "■ Blue to move"), ("#near .hand", "1\n3")]
    {
        assert_eq!(tab.text(selector), text);
    }
    assert!(tab.text("#now").contains("4 empty cells") && tab.text("#now").contains("Value −1 exact"));
    press(tab, "End", "#game=2&ply=1");
    press(tab, "#costliest a", "#game=4&ply=15");
}

fn records_are_copied(tab: &mut Browser, game: &Review) {
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

fn odd_pages_are_shown(tab: &mut Browser, scratch: &Scratch, games: &[Review]) {
    let hundred: Vec<Review> = (0..100).map(|seed| game(seed, 30, ["g", "a", "b"])).collect();
    let broken = page(&games[..1], None).replace("\"games\":[", "\"games\":[3,");
    // One game alone has no number.
    for (html, selector, text) in [
        (broken, "#trouble", "Nothing to step through: "),
        (page(&[], None), "#trouble", "Nothing to step through: there is no game in it."),
        (page(&hundred, Some(&evil_summary())), "#game-title", "Game 100 g: a (Red) – b (Blue)"),
        (page(&games[1..2], None), "#game-title", "Game"),
        (page(&games[2..3], None), "#game-title", "forfeit: a (Red) – b (Blue)"),
    ] {
        scratch.write("odd.html", html);
        tab.open(&scratch.path("odd.html"), "game=100&ply=30");
        let found = tab.text(selector);
        assert!(found == text || text.ends_with(' ') && found.starts_with(text), "{found}");
    }
}
