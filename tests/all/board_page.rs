//! The board as a real browser shows it, through the page alone.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::board::Board;
use crate::browser::Browser;
use crate::common::{EXAMPLE, FIVE, begun_at, play_on, rng, strong_positions};
use crate::scratch::{Scratch, blackhole};

const EVIL: &str = "</script><script>alert(1)</script>";

/// Needs Debian's chromium: `cargo test --test all board_page:: -- --ignored`.
#[test]
#[ignore = "needs chromium"]
fn a_browser_plays_analyses_and_reviews() {
    let scratch = Scratch::new("board");
    let board = Board::start("--time 1");
    let mut tab = Browser::start(&scratch.path("profile"));
    let tab = &mut tab;
    tab.visit(&board.address, "");
    controls_are_named_and_fit(tab);
    a_game_is_played(tab);
    the_engine_answers_in_time(tab);
    a_position_is_analysed(tab);
    a_record_is_reviewed(tab);
    cells_are_edited(tab);
    a_second_page_takes_over(tab, &board);
    names_are_text(tab, &scratch);
    tab.visit(&board.address, "");
    drop(board);
    tab.click("#mode-analyse");
    tab.wait("$('said').textContent.startsWith('The program does not answer any more')");
    let expected = |problem: &String| !problem.contains("ERR_CONNECTION_REFUSED");
    let problems: Vec<_> = tab.problems.iter().filter(|it| expected(it)).collect();
    assert_eq!(problems, Vec::<&String>::new());
}

fn choose(tab: &mut Browser, select: &str, value: &str) {
    tab.value(&format!("$({}).value = {}", json!(select), json!(value)));
}

fn enter(tab: &mut Browser, text: &str) {
    tab.value(&format!("$('load').value = {}", json!(text)));
    tab.click("#read");
}

/// Play the first cell and the largest stone by clicks.
fn play_first(tab: &mut Browser) {
    let now = "position(games[state.game], state.ply, ownMoves())";
    let cell = tab.value(&format!("{now}.empty[0]"));
    let stone = tab.value(&format!("[{now}.mover, Math.max(...{now}.left[{now}.mover])].join('-')"));
    tab.click(&format!("#{}", stone.as_str().expect("a stone")));
    tab.click(&format!("#cell-{}", cell.as_str().expect("a cell")));
}

fn a_game_is_played(tab: &mut Browser) {
    let plies = "games[state.game].moves.length";
    let turn =
        "(({over, mover}) => over || mover === live.person)(position(games[state.game], state.ply, []))";
    // The game that the page begins with, then another.
    play_first(tab);
    tab.wait(&format!("{plies} === 2"));
    choose(tab, "partner", "casual");
    choose(tab, "person", "blue");
    tab.click("#new");
    tab.wait(&format!("{plies} === 1 && {turn}"));
    play_first(tab);
    tab.wait(&format!("{plies} === 3"));
    tab.click("#undo");
    assert_eq!(tab.value(plies), 1);
    assert_eq!(tab.count("#tried li"), 1, "what is taken back is not lost");
    for _ in 0..15 {
        tab.wait(turn);
        play_first(tab);
    }
    tab.wait(&format!("{plies} === 30"));
    assert!(tab.text("#now").contains(" points; the hole is "), "{}", tab.text("#now"));
    assert!(tab.text("#clock").contains(" points, Blue "));
    let text = tab.value("$('record').value");
    let shown = blackhole("convert --to base36", text.as_str().expect("a record")).fine();
    assert_eq!(tab.value("$('base36').value"), shown.trim());
    // Saved as play reads it, and the same when it is dropped on the page.
    tab.value("URL.createObjectURL = (blob) => ((window.saved = blob), 'data:,')");
    tab.click("#save");
    let saved = tab.value("saved.text()");
    assert_eq!(
        saved,
        format!(
            "# red casual, blue you, round {}\n{}\n",
            tab.value("games[state.game].number"),
            text.as_str().expect("a record")
        )
    );
    tab.value("(data => { data.items.add(new File([saved], 'x')); document.dispatchEvent(new DragEvent('drop', { dataTransfer: data })); })(new DataTransfer())");
    tab.wait("$('said').textContent === 'Loaded.'");
    assert_eq!(tab.value("[games[state.game].red, $('record').value]"), json!(["casual", text]));
    // The address keeps it.
    let fragment = tab.fragment();
    let address = tab.value("location.href.split('#')[0]");
    tab.visit(address.as_str().expect("an address"), &fragment[1..]);
    tab.wait(&format!("$('record').value === {text} && $('partner').value === 'casual'"));
}

fn the_engine_answers_in_time(tab: &mut Browser) {
    choose(tab, "partner", "expert");
    choose(tab, "person", "blue");
    let begin = Instant::now();
    tab.click("#new");
    tab.wait("$('said').textContent.includes('Red plays ')");
    let took = begin.elapsed().as_millis();
    let thought = tab.value("games[state.game].moves[0].seconds").as_f64().expect("a number");
    println!("the first move: {took} ms, of which {:.0} were thought", 1e3 * thought);
    assert!(tab.text("#said").contains("it aims at "), "{}", tab.text("#said"));
    tab.click("#hint");
    tab.wait("$('said').textContent.includes('points for you')");
}

fn a_position_is_analysed(tab: &mut Browser) {
    let text = &EXAMPLE[..38];
    tab.click("#mode-analyse");
    let begin = Instant::now();
    enter(tab, text);
    tab.wait("heard.get(textOf(games[state.game], state.ply, []))?.complete === true");
    println!("all moves of 17 cells: {} ms", begin.elapsed().as_millis());
    let solved = blackhole("solve --json --all-moves", text).json();
    tab.wait("$('now').textContent.includes(' exact')");
    let score = solved["score"].as_i64().expect("a score");
    let seen =
        |score: i64| if score == 0 { "0".to_owned() } else { format!("{score:+}").replace('-', "−") };
    let sign = if tab.value("side()") == "blue" { -1 } else { 1 };
    assert_eq!(tab.text("#now .value"), format!("Score {}", seen(sign * score)));
    let options = "Object.fromEntries(heard.get(textOf(games[state.game], state.ply, [])).options)";
    let scores: serde_json::Map<String, Value> = solved["moves"]
        .as_array()
        .expect("moves")
        .iter()
        .map(|row| (row["move"].as_str().expect("a move").to_owned(), row["score"].clone()))
        .collect();
    assert_eq!(tab.value(options), Value::Object(scores.clone()));
    // For the stone in hand they stand on the cells.
    let (first, _) = scores.iter().next().expect("a move");
    let (_, stone) = first.split_once('=').expect("a move");
    let mover = solved["to_move"].as_str().expect("a player").to_owned();
    tab.click(&format!("#{mover}-{stone}"));
    let of_stone: Vec<_> = scores.iter().filter(|(mv, _)| mv.ends_with(&format!("={stone}"))).collect();
    assert_eq!(tab.count("#board .worth"), of_stone.len());
    for (mv, score) in of_stone {
        let seen = seen(sign * score.as_i64().expect("a score"));
        assert_eq!(
            tab.value(&format!("document.querySelector('#cell-{} .worth').textContent", &mv[..2])),
            seen
        );
    }
    // A variation, and back: nothing is lost.
    play_first(tab);
    tab.wait("heard.get(textOf(games[state.game], state.ply, ownMoves()))?.complete === true");
    tab.click("#back");
    tab.wait("$('now').textContent.includes(' exact')");
    assert_eq!((tab.count("#tried li"), tab.value(options)), (1, Value::Object(scores)));
    // Stopped and gone on with, at a position that takes long.
    enter(tab, FIVE);
    tab.wait("$('thoughts').textContent.includes('Chance of Red')");
    tab.click("#run");
    assert_eq!(
        (tab.text("#run"), tab.value("live.abort === null || live.abort.signal.aborted")),
        ("Go on".to_owned(), json!(true))
    );
    tab.click("#run");
    tab.wait("live.abort?.signal.aborted === false");
}

fn a_record_is_reviewed(tab: &mut Browser) {
    let mut rng = rng(5);
    let start = begun_at(&mut rng, &strong_positions(13, 30)[0]);
    let text = play_on(&mut rng, start, 12).to_string();
    tab.click("#mode-review");
    enter(tab, &text);
    tab.wait("$('said').textContent === 'The game is judged.'");
    let review = blackhole("review --json", &text).json();
    let lost = |player: &str| review["summary"][player]["lost"].as_u64().expect("points");
    let totals = tab.text("#totals");
    for (name, player) in [("Red", "red"), ("Blue", "blue")] {
        assert!(totals.contains(&format!("{name} lost {} point", lost(player))), "{totals}");
    }
    let marks = "[...document.querySelectorAll('#moves td:last-child')].map(cell => cell.textContent)";
    let expected: Vec<&Value> =
        review["moves"].as_array().expect("moves").iter().map(|row| &row["mark"]).collect();
    assert_eq!(tab.value(marks), json!(expected));
}

fn cells_are_edited(tab: &mut Browser) {
    tab.click("#mode-analyse");
    enter(
        tab,
        "B1 B2 B3 B4 B5 B6 B7 C1 C2 C3 C4 C5 C6 D1 D2 D3 D4 D5 E1 E2 E3 E4 F1 F2 F3 G1 G2 H1 A5 A6 A7 A8 red:3,5 blue:2",
    );
    tab.wait("heard.get(textOf(games[state.game], state.ply, []))?.complete === true");
    tab.click("#edit");
    ["#cell-A8", "#cell-A7", "#red-5", "#blue-9", "#blue-8", "#red-6"]
        .iter()
        .for_each(|place| tab.click(place));
    tab.click("#edit");
    tab.wait("games[state.game].record.includes('red:3,6 blue:2,8,9') && position(games[state.game], 0, []).empty.length === 6");
}

fn a_second_page_takes_over(tab: &mut Browser, board: &Board) {
    enter(tab, FIVE);
    tab.wait("live.abort?.signal.aborted === false && $('thoughts').textContent !== ''");
    let other: Vec<Value> = board.ask(&json!({"ask": "read", "text": FIVE})).collect();
    assert_eq!(other.last(), Some(&json!({"ended": "done"})));
    tab.wait("$('said').textContent.startsWith('Another page has taken over the engine.')");
    tab.click("#run");
    tab.wait("live.abort?.signal.aborted === false");
}

fn names_are_text(tab: &mut Browser, scratch: &Scratch) {
    scratch.write("evil.txt", format!("# red {EVIL}, blue b, round 1\n{EXAMPLE}\n"));
    let board = Board::start(&format!("{} --port 0", scratch.path("evil.txt").display()));
    tab.visit(&board.address, "");
    tab.wait("$('game-title').textContent.includes('</script>')");
    assert_eq!(tab.value("document.scripts.length"), 2);
}

fn controls_are_named_and_fit(tab: &mut Browser) {
    let nameless = "[...document.querySelectorAll('button, input, select, a, [tabindex]')].filter(e => !e.innerText?.trim() \
        && !e.ariaLabel && !e.labels?.length && !e.hasAttribute('aria-labelledby')).map(e => e.outerHTML)";
    assert_eq!(tab.value(nameless), json!([]));
    let narrow = json!({"width": 380, "height": 800, "deviceScaleFactor": 1, "mobile": true});
    tab.call("Emulation.setDeviceMetricsOverride", narrow);
    assert_eq!(tab.value("document.documentElement.scrollWidth"), 380);
    tab.call("Emulation.clearDeviceMetricsOverride", json!({}));
    std::thread::sleep(Duration::from_millis(50));
}
