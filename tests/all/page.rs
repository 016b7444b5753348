//! The page of reviewed games: its file, and its look in a real browser.

use std::cmp::Reverse;

use serde_json::{Value, json};

use crate::browser::{Browser, NAMELESS};
use crate::common::{play_on, random_opening, record, rng};
use crate::refusing_browser;
use crate::scratch::Scratch;
use blackhole::games::files::RecordedGame;
use blackhole::games::record::Record;
use blackhole::page::{Page, page};
use blackhole::player::board::{Cell, Move};
use blackhole::review::game::{ReviewSettings, review};
use blackhole::review::judged::{JudgedMove, Review};
use blackhole::review::summary::{Summary, summary};

/// Play `plies` random moves.
fn game(seed: u64, plies: usize, names: [&str; 3]) -> RecordedGame {
    let mut rng = rng(seed);
    let start = Record::standard(&random_opening(&mut rng)).expect("five cells");
    let record = play_on(&mut rng, start, plies);
    let [title, red, blue] = names.map(str::to_owned);
    RecordedGame { title, names: [red, blue], record, points: None, fault: None }
}

/// Judge the moves of games from the 17th on, and sum up.
fn reviewed(games: &[RecordedGame]) -> (Vec<Numbered>, Summary) {
    let settings = ReviewSettings { from: 17, ..ReviewSettings::default() };
    let judged = games.iter().map(|game| review(game, settings, &mut |_| {}));
    let reviews: Vec<Numbered> = (1..).zip(judged).collect();
    let summary = summary(&reviews, 17);
    (reviews, summary)
}

/// A reviewed game with its number.
pub type Numbered = (usize, Review);

/// The secret of a page by which its script and style may run.
pub fn nonce(html: &str) -> &str {
    let (_, rest) = html.split_once("<script nonce=\"").expect("a script");
    rest.split_once('"').expect("its end").0
}

/// The games in a page, with all that belongs to them.
pub fn data_of(html: &str) -> Value {
    json_of(html, "data")
}

/// The JSON in an element of a page.
pub fn json_of(html: &str, id: &str) -> Value {
    let (_, data) = html.split_once(&format!("id=\"{id}\">")).expect("the data");
    serde_json::from_str(data.split("</script>").next().expect("its end")).expect("JSON")
}

const EVIL: &str = "</script><script>alert(1)</script><!--/*script*/ & <b>";

#[test]
fn no_text_of_a_game_can_leave_the_data() {
    let (reviews, summary) = reviewed(&[game(1, 30, [EVIL; 3])]);
    let [html, empty] =
        [page("m.jsonl", &reviews, Some(&summary)), page("m.jsonl", &[], None)].map(|page| page.html);
    assert_eq!(html.matches("<script").count(), 2);
    for element in ["<", "</script", "<!--", "const $ ="] {
        assert_eq!(html.matches(element).count(), empty.matches(element).count(), "{element}");
    }
    let data = data_of(&html);
    assert_eq!(data["games"][0]["red"], EVIL);
    assert_eq!(data["bots"][0]["name"], EVIL);
    // A secret of each page, unknown to a script that got into it.
    assert!(nonce(&html) != nonce(&empty) && nonce(&html).len() == 32);
    assert_eq!(html.matches(nonce(&html)).count(), 4, "in the policy, the style and the script");
    assert!(html.contains("<title>&lt;/script&gt;"));
    assert!(empty.contains("default-src 'none'"), "no network");
    let addresses = empty.matches("http").count() - empty.matches("http-equiv").count();
    assert_eq!(addresses, empty.matches("`http://www.w3.org/${").count(), "names of the two languages");
    assert!(!empty.contains("src=") && !empty.contains("url(") && !empty.contains("@import"));
}

#[test]
fn a_page_stays_below_3_mb_and_says_what_it_leaves_out() {
    let names = ["round 100", "eventhorizon-25s", "wormhole-1.0"];
    let (games, _) = reviewed(&[1, 2, 3, 4, 5].map(|seed| game(seed, 30, names)));
    let cycled = games.iter().cycle().take(900).zip(1..).map(|((_, game), number)| (number, game.clone()));
    let mut many: Vec<Numbered> = cycled.collect();
    many[817].1.summary.red.lost = 900;
    many[817].1.title = "the costliest ".repeat(1_000);
    let (games, _) = reviewed(&[game(6, 30, [EVIL, &"long".repeat(75_000), &"ผู้".repeat(75_000)])]);
    let bot = summary(&games, 1).bots.swap_remove(0);
    let bots_of = |count| Summary { games: 1, bots: vec![bot.clone(); count] };
    for (games, bots, left_out) in [
        (&many[..100], 2, ""),
        (&many[..], 2, " games with fewer points lost"),
        (&many[..], 400, " games with fewer points lost"),
        (&games[..], 400, ""),
    ] {
        let Page { html, left_out: said } = page("m.jsonl", games, Some(&bots_of(bots)));
        assert!(html.len() < 3_000_000, "{}: {} bytes", games.len(), html.len());
        assert!(said.ends_with(left_out) && said.is_empty() == left_out.is_empty(), "{said}");
        let fewer = said.split(" games").next().and_then(|text| text.split(' ').next_back()?.parse().ok());
        assert_eq!(html.matches("\"number\":").count() + fewer.unwrap_or(0), games.len(), "{said}");
        assert!(games.len() < 900 || html.contains("the costliest the"), "the costliest stays");
    }
}

/// Needs Debian's chromium: `cargo test --test all page:: -- --ignored`.
#[test]
#[ignore = "needs chromium"]
fn a_browser_shows_the_page() {
    let scratch = Scratch::new("page");
    let (reviews, summary) = reviewed(&games());
    scratch.write("page.html", page("m.jsonl", &reviews, Some(&summary)).html);
    let mut tab = Browser::start(&scratch.path("profile"));
    let path = scratch.path("page.html");
    let open = &mut |tab: &mut Browser, fragment: &str| tab.open(&path, fragment);
    games_are_listed_and_read(&mut tab, open, &reviews);
    assert_eq!([tab.text("h1"), tab.text("title")], ["Black Hole: m.jsonl", "m.jsonl – Black Hole"]);
    let live = "[...document.querySelectorAll('[data-not]')].filter(it => it.dataset.not.includes('record') && it.checkVisibility()).length";
    assert_eq!(tab.value(live), 0);
    a_game_is_stepped_through(&mut tab, open, &reviews[0].1);
    a_turn_hides_and_tells(&mut tab, open, &reviews[0].1);
    own_moves_are_tried(&mut tab, open, &reviews[0].1);
    sides_and_links_are_followed(&mut tab, open, &reviews, &summary);
    records_are_copied(&mut tab, open, &reviews[3].1);
    all_is_printed(&mut tab, open, &reviews);
    themes_widths_and_names(&mut tab, open);
    odd_pages_are_shown(&mut tab, &scratch, &reviews, &summary);
    refusing_browser::nothing_optional_stops_the_page(&mut tab, &scratch, &reviews);
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
    let fault = Some("red: crash: <b>".to_owned());
    let forfeit = RecordedGame { points: Some([0, 150]), fault, ..game(2, 9, ["forfeit", "a", "b"]) };
    [game(3, 30, ["quiet", EVIL, "old"]), own, forfeit, game(4, 30, [EVIL; 3])]
}

/// A score as the page writes it.
fn seen(score: i8) -> String {
    let text = if score == 0 { "0".to_owned() } else { format!("{score:+}") };
    text.replace('-', "−")
}

/// Press a key or click an element, and check the ply it leads to.
#[track_caller]
fn press(tab: &mut Browser, what: &str, fragment: &str) {
    if what.starts_with('#') {
        tab.click(what)
    } else {
        tab.key(what)
    }
    assert_eq!(tab.fragment(), fragment, "{what}");
}

/// Check that an element says something.
#[track_caller]
fn says(tab: &mut Browser, selector: &str, text: &str) {
    let found = tab.text(selector);
    assert!(found.contains(text), "{found}, not {text}");
}

/// Play a move in a record.
fn played(record: &Record, mv: &str) -> Record {
    let mut record = record.clone();
    record.push(Move::parse(mv).expect("a move")).expect("legal");
    record
}

fn games_are_listed_and_read(tab: &mut Browser, open: Open, games: &[Numbered]) {
    // The costliest games come first, each at the mistake that decided it, else its worst move; names are text.
    let mut order: Vec<&Numbered> = games.iter().collect();
    order.sort_by_key(|(_, game)| Reverse(game.summary.red.lost + game.summary.blue.lost));
    let link = |(number, game): &&Numbered| {
        let marked = game.moves.iter().filter(|judged| !judged.mark.is_empty()).rev();
        let cost = |judged: &&JudgedMove| (game.decided == Some(judged.ply), (10.0 * judged.cost()) as i32);
        let focus = marked.max_by_key(cost).map_or(0, |judged| judged.ply);
        format!("#game={number}&ply={focus}")
    };
    let links: Vec<String> = order.iter().map(link).collect();
    open(tab, "");
    // The address follows once one has moved.
    let shown = tab.value("`#game=${gameHere().number}&ply=${state.ply}`");
    assert_eq!((tab.fragment(), shown), (String::new(), json!(links[0])));
    assert_eq!(tab.value("[...document.querySelectorAll('#games a')].map(a => a.hash)"), json!(links));
    open(tab, "game=1&ply=0");
    assert_eq!(tab.text("#game-title"), format!("Game 1 quiet: {EVIL} (Red) – old (Blue)"));
    says(tab, "#costliest", EVIL);
    let red = || games[0].1.moves.iter().filter(|judged| judged.player == "red");
    let count = |mark: &str| red().filter(|judged| judged.mark == mark).count();
    let [slight, clear, heavy] = ["?!", "?", "??"].map(count);
    says(tab, "#totals", &format!("({slight}\u{a0}?!, {clear}\u{a0}?, {heavy}\u{a0}??); Blue gave away"));
}

fn a_game_is_stepped_through(tab: &mut Browser, open: Open, game: &Review) {
    open(tab, "game=1&ply=17");
    assert!(tab.count("#board .stone") > 17, "stones and the best line");
    let keys = [("End", 30), ("ArrowRight", 30), ("ArrowLeft", 29), ("Home", 0), ("ArrowLeft", 0)];
    let buttons = [("#last", 30), ("#back", 29), ("#first", 0), ("#forward", 1), ("#first", 0)];
    // From mistake to mistake, and no further.
    let mistakes = || game.moves.iter().filter(|judged| !judged.mark.is_empty()).map(|judged| judged.ply);
    let [first, last] = [mistakes().next(), mistakes().next_back()].map(|ply| ply.expect("a mistake"));
    // The keys with Caps Lock and in a Cyrillic layout, too.
    let next = ["n", "#mistake-forward", "N", "т"].into_iter().cycle().zip(mistakes().chain([last]));
    let back =
        ["#mistake-back", "p", "з", "P"].into_iter().cycle().zip(mistakes().rev().skip(1).chain([first]));
    for (what, ply) in keys.into_iter().chain(buttons).chain(next).chain(back) {
        press(tab, what, &format!("#game=1&ply={ply}"));
    }
    assert_eq!(tab.count("#board .blocked"), 5);
    press(tab, "#moves tr:nth-child(20) button", "#game=1&ply=20");
    let score = game.moves[19].after.score.expect("proven");
    assert_eq!(tab.text("#moves [aria-current=step] td"), "20");
    says(tab, "#moves [aria-current=step]", &format!("\t{}\t", seen(score)));
    assert_eq!(tab.text("#value"), format!("{} exact", seen(score)));
    for (part, ply) in [(0.5, 14), (0.01, 0), (0.99, 30)] {
        tab.click_at("#graph", part, 0.5);
        assert_eq!(tab.fragment(), format!("#game=1&ply={ply}"));
        assert_eq!(tab.value("document.querySelector('#graph').ariaValueNow"), ply.to_string());
    }
    let score = i32::from(game.final_score.expect("a score"));
    says(tab, "#now", &format!("Red {} points, Blue {} points", 75 + score, 75 - score));
    assert_eq!(tab.count("#board .hole"), 1);
}

/// Choose a move on the board.
fn choose(tab: &mut Browser, player: &str, mv: &str) {
    let (cell, stone) = mv.split_once('=').expect("a move");
    tab.click(&format!("#cell-{cell}"));
    tab.click(&format!("#{player}-{stone}"));
}

/// At "your turn" nothing of the best move is seen; known costs are told, unknown ones too.
fn a_turn_hides_and_tells(tab: &mut Browser, open: Open, game: &Review) {
    let costly = game.moves.iter().find(|judged| judged.lost > Some(1)).expect("a loss");
    let (score, lost) = (costly.after.score.expect("proven"), costly.lost.expect("a loss"));
    let told = format!("lost {lost} points {}; best was", costly.mark);
    for (ply, ghosts, told) in [(costly.ply - 1, 1, &*told), (4, 0, "is not judged")] {
        open(tab, &format!("game=1&ply={ply}"));
        assert_eq!(tab.count(".ghost:not(.later)"), ghosts);
        tab.click("#answersHidden");
        assert_eq!(tab.count(".ghost, #thoughts *"), 0);
        let known = game.moves[..=ply].iter().filter(|judged| !judged.before.moves.is_empty()).count();
        assert_eq!(tab.count("#graph :is(.exact, .estimate-dot)"), known);
        assert_eq!(tab.count("#moves tr:not([hidden])"), ply);
        let (player, mv) = (&game.moves[ply].player, &game.moves[ply].r#move);
        let (cell, stone) = mv.split_once('=').expect("a move");
        tab.value(&format!("document.querySelector('#cell-{cell}').focus()"));
        tab.key("Enter");
        assert_eq!(tab.value("document.activeElement.id"), format!("cell-{cell}"), "the focus stays");
        tab.click(&format!("#{player}-{stone}"));
        let score = if ghosts > 0 { format!("{} exact", seen(score)) } else { "not judged".to_owned() };
        for (place, text) in [("#now", &**mv), ("#now", told), ("#value", &score)] {
            says(tab, place, text);
        }
        tab.click("#answersHidden");
        press(tab, "ArrowLeft", &format!("#game=1&ply={ply}"));
        assert_eq!(tab.count(".ghost:not(.later)"), ghosts);
    }
}

/// One's own moves can be gone back from and found again; the page judges those it knows.
fn own_moves_are_tried(tab: &mut Browser, open: Open, game: &Review) {
    let ply = game.moves.iter().rposition(|judged| judged.before.moves.len() > 20).expect("many moves");
    let judged = &game.moves[ply];
    let best = judged.before.answer.score.expect("proven");
    let mut others = judged.before.moves.iter().filter(|it| it.r#move != judged.r#move);
    let other = others.find(|it| it.worth.score != Some(best)).expect("a mistake");
    let (mv, score) = (&other.r#move, other.worth.score.expect("proven"));
    let tried = played(&record(&game.record).until(ply), mv);
    let reply = tried.position().legal_moves().next().expect("a reply").to_string();
    open(tab, &format!("game=1&ply={ply}"));
    let [player, other] = if judged.player == "red" { ["red", "blue"] } else { ["blue", "red"] };
    choose(tab, player, mv);
    says(tab, "#value", &format!("{} exact", seen(score)));
    let points = 75 + i32::from(if player == "red" { best } else { -best });
    let keeps = format!("keeps {points} to {}.", 150 - points);
    says(
        tab,
        "#now",
        &format!(" {mv} gives away {}: {}", (score - best).abs(), judged.before.moves[0].r#move),
    );
    says(tab, "#now", &keeps);
    choose(tab, other, &reply);
    says(tab, "#value", "not judged");
    for (step, title) in [
        ("#back", "1 of your moves"),
        ("ArrowRight", "2 of your moves"),
        ("#own-0-0", "1 of your moves"),
        ("#return", "of 30"),
    ] {
        press(tab, step, &format!("#game=1&ply={ply}"));
        says(tab, "#position-title", title);
    }
    choose(tab, player, &judged.r#move);
    assert_eq!((tab.fragment(), tab.count("#tried button")), (format!("#game=1&ply={}", ply + 1), 2));
    // At the end its score is known, however one came there.
    let last = record(&game.record).until(29);
    let mut moves = last.position().legal_moves().map(|mv| mv.to_string());
    let other = moves.find(|mv| *mv != game.moves[29].r#move).expect("two cells");
    open(tab, "game=1&ply=29");
    choose(tab, &game.moves[29].player, &other);
    says(tab, "#now", &format!(" = {}", seen(played(&last, &other).final_score().expect("over"))));
}

fn sides_and_links_are_followed(tab: &mut Browser, open: Open, games: &[Numbered], summary: &Summary) {
    open(tab, "game=1&ply=18");
    let low = "document.querySelector('#cell-A1').getBoundingClientRect().top > \
        document.querySelector('#cell-H1').getBoundingClientRect().top";
    let score = games[0].1.moves[17].after.score.expect("proven");
    for (flipped, score, whose) in [(false, score, ""), (true, -score, ", seen from Blue")] {
        let told = format!("{} exact{whose}", seen(score));
        assert_eq!((tab.value(low), tab.text("#value")), (json!(flipped), told));
        tab.click("#flipped");
    }
    tab.click("#flipped");
    tab.value("location.hash = '#game=3&ply=99'");
    press(tab, "#graph-title", "#game=3&ply=9");
    says(tab, "#now", "not played to its end: a forfeit, Red 0 points, Blue 150");
    press(tab, "Home", "#game=3&ply=0");
    says(tab, "#fault", "Lost by a fault: red: crash: <b>");
    says(tab, "#games", "0:150\ncrash: Red");
    for (text, rows) in [("CRASH: r", 1), ("old", 1), ("", 4)] {
        tab.value(&format!("$('filter').value = '{text}', $('filter').dispatchEvent(new Event('input'))"));
        assert_eq!(tab.count("#games tr:not([hidden])"), rows, "{text}");
    }
    press(tab, "#games a[href^='#game=2&']", "#game=2&ply=0");
    assert_eq!(tab.text("#game-title"), "Game 2");
    // Blue, whose view it still is, moves first there.
    for (selector, text) in [("#far b", "● Red"), ("#near b", "■ Blue to move"), ("#near .hand", "1\n3")]
    {
        assert_eq!(tab.text(selector), text);
    }
    press(tab, "End", "#game=2&ply=1");
    let costly = &summary.bots.iter().find_map(|bot| bot.costliest.first()).expect("a loss");
    press(tab, "#costliest a", &format!("#game={}&ply={}", costly.game, costly.ply));
}

fn records_are_copied(tab: &mut Browser, open: Open, game: &Review) {
    open(tab, "game=4&ply=0");
    tab.click("#copies summary");
    tab.call("Browser.grantPermissions", json!({"permissions": ["clipboardReadWrite"]}));
    tab.click("#copy-record");
    assert_eq!(tab.value("navigator.clipboard.readText()"), json!(game.record));
    assert_eq!(tab.text("#copied"), "Copied.");
}

/// All moves of all games are on paper, which is light on a dark screen.
fn all_is_printed(tab: &mut Browser, open: Open, games: &[Numbered]) {
    let back = "getComputedStyle(document.body).backgroundColor";
    let dark = json!([{"name": "prefers-color-scheme", "value": "dark"}]);
    open(tab, "");
    tab.call("Emulation.setEmulatedMedia", json!({"media": "print", "features": dark}));
    assert_eq!(tab.value(back), "rgb(255, 255, 255)");
    // Firefox prints nothing that is sized by a container: boards had no numbers, no names and no hands.
    assert_eq!(tab.value("getComputedStyle($('table')).containerType"), "normal");
    let paper = tab.text("#paper");
    assert!(
        paper.contains("\nA forfeit: Red 0 points, Blue 150. Lost by a fault: red: crash: <b>\n"),
        "{paper}"
    );
    assert!(!paper.contains(" in 0 judged moves"), "{paper}");
    for (_, game) in games {
        let mut texts = game.moves.iter().map(|judged| &judged.r#move).chain([&game.red]);
        assert!(texts.all(|text| paper.contains(text)) && paper.contains(&game.record[..14]), "{paper}");
    }
    // Moves that nobody has judged need no table.
    let judged = games.iter().map(|(_, game)| game.moves.len()).filter(|&moves| moves > 9);
    assert_eq!(tab.count("#paper tbody tr"), judged.sum::<usize>());
    tab.call("Emulation.setEmulatedMedia", json!({"media": "", "features": []}));
}

/// Both themes, a narrow screen, names for everything that can be focused.
fn themes_widths_and_names(tab: &mut Browser, open: Open) {
    let back = "getComputedStyle(document.body).backgroundColor";
    let dark = json!({"features": [{"name": "prefers-color-scheme", "value": "dark"}]});
    open(tab, "");
    let light = tab.value(back);
    tab.call("Emulation.setEmulatedMedia", dark);
    open(tab, "");
    assert_ne!(tab.value(back), light);
    let narrow = json!({"width": 380, "height": 800, "deviceScaleFactor": 1, "mobile": true});
    tab.call("Emulation.setDeviceMetricsOverride", narrow);
    let wide = "[document.documentElement, document.querySelector('#list .scroll')].filter(it => it.scrollWidth > it.clientWidth)";
    assert_eq!(tab.value(&format!("{wide}.length")), 0);
    tab.click("#answersHidden");
    assert_eq!(tab.value(NAMELESS), json!([]));
}

fn odd_pages_are_shown(tab: &mut Browser, scratch: &Scratch, games: &[Numbered], summary: &Summary) {
    let hundred = games[2..].iter().cycle().zip(1..=100).map(|((_, game), number)| (number, game.clone()));
    let hundred: Vec<Numbered> = hundred.collect();
    let only = |games: &[Numbered], summary| page("m.jsonl", games, summary).html;
    let broken = only(&games[..1], None).replace("\"games\":[", "\"games\":[3,");
    let forfeit = Review { points: Some([0, 150]), ..games[0].1.clone() };
    // One game alone has no number.
    for (html, selector, text) in [
        (broken, "#trouble", "Nothing to step through: "),
        (only(&[], None), "#trouble", "Nothing to step through: there is no game in it."),
        (only(&hundred, Some(summary)), "#game-title", "Game 99 forfeit: a (Red) – b (Blue)"),
        (only(&[(1, forfeit)], None), "#now .result + p", "Red 0 points, Blue 150 points; "),
        (only(&games[1..2], None), "#game-title", "Game"),
    ] {
        scratch.write("odd.html", html);
        tab.open(&scratch.path("odd.html"), "game=99&ply=30");
        let found = tab.text(selector);
        assert!(found == text || text.ends_with(' ') && found.starts_with(text), "{found}");
    }
}
