//! The page of reviewed games: its file, and its look in a real browser.

use std::cmp::Reverse;

use blackhole::page::{Page, page};
use blackhole::review::summary::summary;

use crate::browser::{Browser, NAMELESS};
use crate::common::*;
use crate::refusing_browser;

/// Play `plies` random moves.
fn game(seed: u64, plies: usize, names: [&str; 3]) -> RecordedGame {
    let mut rng = rng(seed);
    let start = Record::standard(&random_opening(&mut rng)).expect("five cells");
    let record = play_on(&mut rng, start, plies);
    let [title, red, blue] = names.map(str::to_owned);
    RecordedGame { title, names: [red, blue], record, points: None, fault: None }
}

/// Judge the moves of games from the 17th on.
fn reviewed(games: &[RecordedGame]) -> Vec<Numbered> {
    let settings = ReviewSettings { from: 17, ..ReviewSettings::default() };
    let judged = games.iter().map(|game| review(game, settings, &mut |_| {}));
    (1..).zip(judged).collect()
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
    let reviews = reviewed(&[1, 2].map(|seed| game(seed, 30, [EVIL; 3])));
    let [html, empty] = [page(EVIL, &reviews), page("m.jsonl", &[])].map(|page| page.html);
    assert_eq!(html.matches("<script").count(), 2);
    for element in ["<", "</script", "<!--", "const $ ="] {
        assert_eq!(html.matches(element).count(), empty.matches(element).count(), "{element}");
    }
    let data = data_of(&html);
    assert_eq!([&data["games"][0]["red"], &data["bots"][0]["name"], &data["source"]], [EVIL; 3]);
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
    let games = reviewed(&[1, 2, 3, 4, 5].map(|seed| game(seed, 30, names)));
    let cycled = games.iter().cycle().take(900).zip(1..).map(|((_, game), number)| (number, game.clone()));
    let mut many: Vec<Numbered> = cycled.collect();
    many[817].1.moves[0].lost = Some(200);
    many[817].1.title = "the costliest ".repeat(1_000);
    // Bots with long names, each with its costliest moves.
    for (number, game) in &mut many {
        game.red = format!("{} {EVIL}", *number % 400).repeat(10);
    }
    let games = reviewed(&[game(6, 30, [EVIL, &"long".repeat(75_000), &"ผู้".repeat(75_000)])]);
    let pages = [(&many[..100], ""), (&many[..], " games with fewer points lost"), (&games[..], "")];
    for (games, left_out) in pages {
        let Page { html, left_out: said } = page("m.jsonl", games);
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
    let reviews = reviewed(&games());
    scratch.write("page.html", page("m.jsonl", &reviews).html);
    let mut tab = Browser::start(&scratch.path("profile"));
    let path = scratch.path("page.html");
    let open = &mut |tab: &mut Browser, fragment: &str| tab.open(&path, fragment);
    games_are_listed_and_read(&mut tab, open, &reviews);
    // The title names the players, with the points, and the file.
    assert!(tab.text("title").ends_with(" – m.jsonl") && tab.text("title").contains(&tab.text("h1")));
    let live = "[...document.querySelectorAll('[data-not]')].filter(it => it.dataset.not.includes('record') && it.checkVisibility()).length";
    assert_eq!(tab.value(live), 0);
    a_game_is_stepped_through(&mut tab, open, &reviews[0].1);
    a_turn_hides_and_tells(&mut tab, open, &reviews[0].1);
    refusing_browser::arrows_go_over_the_board(&mut tab, open);
    own_moves_are_tried(&mut tab, open, &reviews[0].1);
    sides_and_links_are_followed(&mut tab, open, &reviews);
    all_is_printed(&mut tab, open, &reviews);
    themes_widths_and_names(&mut tab, open);
    odd_pages_are_shown(&mut tab, &scratch, &reviews);
    refusing_browser::nothing_optional_stops_the_page(&mut tab, &scratch, &reviews);
    assert_eq!(tab.problems, Vec::<String>::new());
}

/// Opens the page with a fragment of its address.
pub type Open<'a> = &'a mut dyn FnMut(&mut Browser, &str);

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
pub fn press(tab: &mut Browser, what: &str, fragment: &str) {
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

fn games_are_listed_and_read(tab: &mut Browser, open: Open, games: &[Numbered]) {
    // The costliest games come first, each at the move that decided it, else at its end; names are text.
    let mut order: Vec<&Numbered> = games.iter().collect();
    let lost = |game: &Review| (10.0 * game.moves.iter().map(JudgedMove::cost).sum::<f64>()).round() as u32;
    order.sort_by_key(|(_, game)| Reverse(lost(game)));
    let link = |(number, game): &&Numbered| {
        let turn = game.decided.filter(|&ply| ply > 0);
        let focus = turn.unwrap_or(game.moves.len());
        format!("#game={number}&ply={focus}")
    };
    let links: Vec<String> = order.iter().map(link).collect();
    open(tab, "");
    // The address follows once one has moved.
    let shown = tab.value("`#game=${gameHere().number}&ply=${state.ply}`");
    assert_eq!((tab.fragment(), shown), (String::new(), json!(links[0])));
    assert_eq!(tab.value("[...document.querySelectorAll('#games a')].map(a => a.hash)"), json!(links));
    open(tab, "game=1&ply=0");
    let score = i32::from(games[0].1.final_score.expect("it is over"));
    assert_eq!(tab.text("h1"), format!("{EVIL} {} : {} old", 75 + score, 75 - score));
    assert_eq!(tab.text("h1 b").contains(EVIL), score > 0, "the winner is bold");
    says(tab, "#about", "game 1 · quiet · 30 moves");
    says(tab, "#costliest", EVIL);
    let red = || games[0].1.moves.iter().filter(|judged| judged.player == "red");
    let count = |mark: &str| red().filter(|judged| judged.mark.trim_start_matches('~') == mark).count();
    let [slight, clear, heavy] = ["?!", "?", "??"].map(count);
    says(tab, "#totals-rows", &format!("\t{slight}\t{clear}\t{heavy}\n"));
    // No sums where nothing was judged.
    let bare = "(drawTotals(gameHere(), movesOf(gameHere()).map(it => ({ ...it, loss: null }))), $('totals').hidden)";
    assert_eq!([bare, "(update({}), $('totals').hidden)"].map(|it| tab.value(it)), [true, false]);
    // Who has chosen a cell finds the stones large.
    let large =
        "[null, 'A1'].map(cell => (update({ ply: 0, cell }), Boolean(document.querySelector('.below'))))";
    assert_eq!(tab.value(large), json!([false, true]));
    tab.value("update({ cell: null })");
    let worst = "[...document.querySelectorAll('#costs a')].map(link => Number(link.textContent))";
    let turn = games[0].1.decided.filter(|ply| !games[0].1.worst.contains(ply));
    assert_eq!(tab.value(worst), json!([&games[0].1.worst, turn.as_slice()].concat()), "as in the text");
    the_first_screen_tells_what_happened(tab, open);
}

/// On a phone the winner, the story and the costliest moves come before the board, which is whole after a press: buttons
/// hid the dashed stone, and a clicked move's board was far above. A wide window has the moves beside it; nothing scrolls.
fn the_first_screen_tells_what_happened(tab: &mut Browser, open: Open) {
    for (width, height) in [(390, 844), (820, 1180), (1200, 800), (1440, 900)] {
        tab.resize(width, height);
        open(tab, "");
        let tops = "['title', 'story', 'costs', 'board', 'moves', 'steps', 'totals'].map(id => $(id).getBoundingClientRect()).map(box => [box.top, box.bottom])";
        let tops: Vec<[f64; 2]> = serde_json::from_value(tab.value(tops)).expect("numbers");
        let [title, story, costs, board, moves, steps, totals] = tops[..] else { panic!("{tops:?}") };
        let (end, is_wide, is_phone) = (f64::from(height), width > 1100, width < 800);
        let is_told = title[0] < story[0] && story[0] < costs[0] && costs[1] < end;
        assert!(is_told && steps[1] <= end && (board[0] + board[1]) / 2.0 < end, "{width}: {tops:?}");
        assert!(if is_wide { moves[1] < end } else { costs[1] <= board[0] }, "{width}: {tops:?}");
        assert!(is_phone || (moves[0] - board[0]).abs() < 60.0 && totals[0] < moves[1], "{width}: {tops:?}");
        let hidden = "['#costs tr:last-child a', '#mistake', '#first', '#last'].filter(it => (before => (scrollTo(0, 0), \
            document.querySelector(it).click(), before === location.hash || (innerWidth > 800 && scrollY) || \
            $('board').getBoundingClientRect().bottom > $('steps').getBoundingClientRect().top))(location.hash))";
        let unseen = "all('#moves tr').filter(it => (it.scrollIntoView({ block: 'end' }), it.querySelector('button').click(), \
            (box => box.top < 0 || box.bottom > innerHeight)($('board').getBoundingClientRect()))).length";
        // At 820 pixels the board went up as the story made room.
        let moved = "(box => (before => ($('try').click(), innerWidth > 800 && box().top !== before))(box().top))(() => $('board').getBoundingClientRect())";
        let found = [hidden, unseen, moved].map(|what| tab.value(what));
        assert_eq!(json!(found), json!([[], 0, false]), "{width}");
    }
    tab.call("Emulation.clearDeviceMetricsOverride", json!({}));
}

fn a_game_is_stepped_through(tab: &mut Browser, open: Open, game: &Review) {
    open(tab, "game=1&ply=17");
    assert_eq!(tab.count("#board .stone:not(.ghost *)"), 17);
    let keys = [("End", 30), ("ArrowRight", 30), ("ArrowLeft", 29), ("Home", 0), ("ArrowLeft", 0)];
    let buttons = [("#last", 30), ("#back", 29), ("#first", 0), ("#forward", 1), ("#first", 0)];
    // From mistake to mistake, and again; the key with Caps Lock and in a Cyrillic layout, too.
    let mistakes = || game.moves.iter().filter(|judged| !judged.mark.is_empty()).map(|judged| judged.ply);
    let next = ["n", "#mistake", "N", "т"].into_iter().cycle().zip(mistakes().chain(mistakes().take(1)));
    for (what, ply) in keys.into_iter().chain(buttons).chain(next) {
        press(tab, what, &format!("#game=1&ply={ply}"));
    }
    assert_eq!(tab.count("#board .blocked"), 5);
    press(tab, "#moves tr:nth-child(20) button", "#game=1&ply=20");
    let score = game.moves[19].after.score.expect("proven");
    assert_eq!(tab.text("#moves [aria-current=step] td"), "20");
    says(tab, "#moves [aria-current=step]", &format!("\t{}\t", seen(score)));
    is_at(tab, score);
    // The moves are a graph on its side: a bar of the side that is ahead, hollow if it is estimated.
    let bars = "[...document.querySelectorAll('#moves .bar')].map(it => it.querySelector('rect')?.getAttribute('class') ?? '')";
    let side = |judged: &JudgedMove| match judged.after.score {
        Some(0) | None => "",
        Some(score) => ["blue", "red"][usize::from(score > 0)],
    };
    assert_eq!(tab.value(bars), json!(game.moves.iter().map(side).collect::<Vec<_>>()));
    press(tab, "End", "#game=1&ply=30");
    let score = i32::from(game.final_score.expect("a score"));
    says(tab, "#now", &format!(", so 75 : 75 becomes {} : {}.", 75 + score, 75 - score));
    assert_eq!((tab.count("#board .hole"), tab.count(".hand")), (1, 0));
}

/// Check the score of the shown position, as points of both.
#[track_caller]
fn is_at(tab: &mut Browser, score: i8) {
    let score = i32::from(score);
    assert_eq!(tab.text("#bar").trim(), format!("{}\n{}", 75 + score, 75 - score));
}

/// Choose a move on the board.
fn choose(tab: &mut Browser, player: &str, mv: &str) {
    let (cell, stone) = mv.split_once('=').expect("a move");
    tab.click(&format!("#{player}-{stone}"));
    tab.click(&format!("#cell-{cell}"));
}

/// Where a better move is looked for, nothing of it is seen; known costs are told, unknown ones too, and nothing is left.
fn a_turn_hides_and_tells(tab: &mut Browser, open: Open, game: &Review) {
    let costly = game.moves.iter().find(|judged| judged.lost > Some(1)).expect("a loss");
    let told = format!("{} points worse than the best.", costly.lost.expect("a loss"));
    for (ply, told) in [(costly.ply, &*told), (5, "This move is not among those judged.")] {
        open(tab, &format!("game=1&ply={ply}"));
        // A dashed stone is a better one.
        assert_eq!(tab.count(".ghost"), usize::from(ply > 5));
        tab.click("#try");
        let ply = ply - 1;
        assert_eq!((tab.fragment(), tab.count(".ghost")), (format!("#game=1&ply={ply}"), 0));
        let shown = "['#bar', '#best', '#story-part', '#totals', '#steps'].filter(it => document.querySelector(it).checkVisibility({ visibilityProperty: true }))";
        assert_eq!(tab.value(shown), json!([]));
        assert_eq!(tab.count("#moves tr:not([hidden])"), ply);
        let (player, mv) = (&game.moves[ply].player, &game.moves[ply].r#move);
        let (cell, stone) = mv.split_once('=').expect("a move");
        tab.value(&format!("document.querySelector('#cell-{cell}').focus()"));
        tab.key("Enter");
        assert_eq!(tab.value("document.activeElement.id"), format!("cell-{cell}"), "the focus stays");
        tab.click(&format!("#{player}-{stone}"));
        says(tab, "#verdict", told);
        assert_eq!(tab.count(".ghost, .below"), 0, "no best move, no stones of the other");
        press(tab, "#trial-back", &format!("#game=1&ply={}", ply + 1));
        assert_eq!(tab.value("state.steps"), 0);
    }
}

/// You go along your own moves and back to the game; the page judges those it knows.
fn own_moves_are_tried(tab: &mut Browser, open: Open, game: &Review) {
    let ply = game.moves.iter().rposition(|judged| judged.before.moves.len() > 20).expect("many moves");
    let judged = &game.moves[ply];
    let best = judged.before.answer.score.expect("proven");
    let mut others = judged.before.moves.iter().filter(|it| it.r#move != judged.r#move);
    let other = others.find(|it| it.worth.score != Some(best)).expect("a mistake");
    let (mv, score) = (&other.r#move, other.worth.score.expect("proven"));
    let tried = record(&format!("{} {mv}", record(&game.record).until(ply)));
    let reply = tried.position().legal_moves().next().expect("a reply").to_string();
    open(tab, &format!("game=1&ply={ply}"));
    let [player, other] = if judged.player == "red" { ["red", "blue"] } else { ["blue", "red"] };
    choose(tab, player, mv);
    is_at(tab, score);
    let (lost, points) = (u64::from((score - best).unsigned_abs()), 75 + i32::from(best));
    let best = format!("{}, which leaves {points} : {}.", judged.before.moves[0].r#move, 150 - points);
    says(tab, "#now", &format!(" {} worse than {best}", blackhole::text::plural(lost, "point")));
    choose(tab, other, &reply);
    assert_eq!(tab.count("#bar:not(.unseen), #moves [aria-current]"), 0, "not judged, no move of the game");
    let steps = [("#back", "1 of your moves"), ("ArrowRight", "2 of your moves"), ("#return", "of 30")];
    for (step, title) in steps {
        press(tab, step, &format!("#game=1&ply={ply}"));
        says(tab, "#position-title", title);
    }
    choose(tab, player, &judged.r#move);
    assert_eq!(tab.fragment(), format!("#game=1&ply={}", ply + 1));
    // The last stone needs no choice; at the end the score is known, however you came there.
    let last = record(&game.record).until(29);
    let mut moves = last.position().legal_moves().map(|mv| mv.to_string());
    let other = moves.find(|mv| *mv != game.moves[29].r#move).expect("two cells");
    open(tab, "game=1&ply=29");
    tab.click(&format!("#cell-{}", &other[..2]));
    let score = record(&format!("{last} {other}")).final_score().expect("over");
    says(tab, "#now", &format!(" = {}", seen(score)));
}

fn sides_and_links_are_followed(tab: &mut Browser, open: Open, games: &[Numbered]) {
    open(tab, "game=1&ply=18");
    let low = "document.querySelector('#cell-A1').getBoundingClientRect().top > \
        document.querySelector('#cell-H1').getBoundingClientRect().top";
    let score = games[0].1.moves[17].after.score.expect("proven");
    // The triangle is turned if wanted; the numbers stay Red's.
    for (flipped, turn) in [(false, "#flipped"), (true, "f")] {
        assert_eq!(tab.value(low), json!(flipped));
        is_at(tab, score);
        press(tab, turn, "#game=1&ply=18");
    }
    tab.value("location.hash = '#game=3&ply=99'");
    press(tab, "#title", "#game=3&ply=9");
    says(tab, "#now", "not played to its end: a forfeit, 0 : 150.");
    press(tab, "Home", "#game=3&ply=0");
    says(tab, "#about", "Blue wins; a: crashed (<b>). m.jsonl · game 3 · forfeit · 9 moves");
    says(tab, "#games", "0 : 150\na: crashed");
    assert_eq!(tab.value("$('filter').checkVisibility()"), false);
    for (text, rows) in [("A: CRASH", 1), ("old", 1), ("", 4)] {
        tab.value(&format!("$('filter').value = '{text}', $('filter').dispatchEvent(new Event('input'))"));
        assert_eq!(tab.count("#games tr:not([hidden])"), rows, "{text}");
    }
    // A click anywhere in a row opens its game. Nobody judged it: there is no mistake to go to. Blue moves first.
    press(tab, "#game-2 .number", "#game=2&ply=1");
    press(tab, "n", "#game=2&ply=1");
    press(tab, "Home", "#game=2&ply=0");
    let texts = [("#side-red b", "Red"), ("#side-blue b", "Blue to move"), ("#side-blue .hand", "1\n3")];
    for (selector, text) in texts {
        assert_eq!(tab.text(selector), text);
    }
    // The bots' costliest moves are links, as in the text.
    let bots = summary(games, 17).bots;
    let costly = bots.iter().flat_map(|bot| &bot.costliest);
    let costly: Vec<String> = costly.map(|it| format!("#game={}&ply={}", it.game, it.ply)).collect();
    let links = "[...document.querySelectorAll('#costliest a')].map(link => link.hash)";
    assert_eq!(tab.value(links), json!(costly));
    // The browser's Back left the page, and another game began below its head.
    press(tab, "#costliest a", &costly[0]);
    assert_eq!(tab.value("history.back(), scrollY"), 0);
    tab.wait("location.hash === '#game=2&ply=0'");
    open(tab, "game=4&ply=0");
    assert_eq!(tab.value("$('rules-part').checkVisibility() && $('rules').parentNode.id"), "rules-part");
    tab.click("#copies summary");
    tab.click("#record");
    assert_eq!(tab.value("String(getSelection())"), json!(games[3].1.record));
}

/// All moves of all games are on paper, which is light on a dark screen.
fn all_is_printed(tab: &mut Browser, open: Open, games: &[Numbered]) {
    let back = "getComputedStyle(document.body).backgroundColor";
    let dark = json!([{"name": "prefers-color-scheme", "value": "dark"}]);
    open(tab, "");
    tab.call("Emulation.setEmulatedMedia", json!({"media": "print", "features": dark}));
    assert_eq!(tab.value(back), "rgb(255, 255, 255)");
    // Firefox prints nothing that is sized by a container: boards had no numbers, no names and no hands.
    assert_eq!(tab.value("getComputedStyle($('stage')).containerType"), "normal");
    let paper = tab.text("body");
    assert!(paper.contains("0 : 150\na: crashed") && paper.contains("Key moves"), "{paper}");
    assert!(paper.contains("# round 2\n"), "a game without names or a title: {paper}");
    for (_, game) in games {
        let mut texts = game.moves.iter().map(|judged| &judged.r#move).chain([&game.red]);
        assert!(texts.all(|text| paper.contains(text)) && paper.contains(&game.record[..14]), "{paper}");
    }
    let shown = "['#moves', '#board', '#totals-rows', '#costs button', '#steps', '#also', '#said'].map(it => document.querySelector(it).checkVisibility())";
    assert_eq!(tab.value(shown), json!([true, true, true, true, false, false, false]));
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
    tab.resize(380, 800);
    let wide = "[document.documentElement, document.querySelector('#list .scroll')].filter(it => it.scrollWidth > it.clientWidth)";
    assert_eq!(tab.value(&format!("{wide}.length")), 0);
    tab.click("#try");
    assert_eq!(tab.value(NAMELESS), json!([]));
}

fn odd_pages_are_shown(tab: &mut Browser, scratch: &Scratch, games: &[Numbered]) {
    let hundred = games[2..].iter().cycle().zip(1..=100).map(|((_, game), number)| (number, game.clone()));
    let hundred: Vec<Numbered> = hundred.collect();
    let only = |games: &[Numbered]| page("m.jsonl", games).html;
    let broken = only(&games[..1]).replace("\"games\":[", "\"games\":[3,");
    let forfeit = Review { points: Some([0, 150]), ..games[0].1.clone() };
    // One game alone has no number.
    for (html, selector, text) in [
        (broken, "#trouble", "Nothing to step through: "),
        (only(&[]), "#trouble", "Nothing to step through: there is no game in it."),
        (only(&hundred), "h1", "a 0 : 150 b"),
        (only(&hundred), "#about", "Blue wins; a: crashed (<b>). m.jsonl · game 99 · "),
        (only(&[(1, forfeit)]), "#about", "Blue wins by forfeit. m.jsonl · quiet · "),
        (only(&games[1..2]), "#about", "Not finished. m.jsonl · 1 move"),
    ] {
        scratch.write("odd.html", html);
        tab.open(&scratch.path("odd.html"), "game=99&ply=30");
        let found = tab.text(selector);
        assert!(found == text || text.ends_with(' ') && found.starts_with(text), "{found}");
    }
}
