//! The board as a real browser shows it, through the page alone.

use crate::board::Board;
use crate::browser::{Browser, NAMELESS, outside};
use crate::common::*;

pub const PLIES: &str = "gameHere().line.length";
pub const NOW: &str = "positionHere()";
pub const PROVEN: &str = "positionHere().analysis.complete === true";
pub const SEARCHED: &str = "document.querySelectorAll('#lines tr').length > 4";
pub const FOUR: &str = "B1 B2 B3 B4 B5 B6 B7 C1 C2 C3 C4 C5 C6 D1 D2 D3 D4 D5 E1 E2 E3 E4 F1 F2 F3 G1 G2 H1";

/// Needs Debian's chromium: `cargo test --test all board_page:: -- --ignored`.
#[test]
#[ignore = "needs chromium"]
fn a_browser_plays_analyses_and_reviews() {
    let scratch = Scratch::new("board");
    let board = Board::start(BLACKHOLE, "--time 5");
    let mut tab = Browser::start(&scratch.path("profile"));
    let tab = &mut tab;
    tab.visit(&board.address, "");
    assert_eq!(tab.value(NAMELESS), json!([]));
    tab.click("#new");
    tab.wait("!state.setup");
    the_first_screen_holds_a_game(tab);
    a_game_is_played(tab);
    a_position_is_analysed(tab);
    a_record_is_reviewed(tab);
    cells_are_edited(tab);
    stones_are_edited(tab);
    drop(board);
    tab.click("#mode-analyse");
    says(tab, "The program does not answer: it has ended");
    tab.problems.retain(|problem| {
        !["REFUSED", "RESET"].iter().any(|it| problem.contains(&format!("ERR_CONNECTION_{it}")))
    });
    assert_eq!(tab.problems, Vec::<String>::new());
}

/// Wait until the page says so.
#[track_caller]
pub fn says(tab: &mut Browser, text: &str) {
    tab.wait(&format!("$('said').textContent.includes({})", json!(text)));
}

/// Return a text of the page.
#[track_caller]
pub fn text(tab: &mut Browser, expression: &str) -> String {
    tab.value(expression).as_str().expect("text").to_owned()
}

/// Choose a radio button of the form for a new game.
pub fn choose(tab: &mut Browser, name: &str, value: &str) {
    tab.value(&format!("document.querySelector('[name={name}][value={value}]').click()"));
}

pub fn load(tab: &mut Browser, text: &str) {
    tab.click("#loading-open");
    tab.value(&format!("$('load').value = {}", json!(text)));
    tab.click("#read");
}

/// Press the button to save, and return what is saved.
pub fn saved(tab: &mut Browser) -> String {
    tab.value("URL.createObjectURL = (blob) => (window.saved = blob.text(), 'data:,')");
    tab.value("$('copies').open = true");
    tab.click("#save");
    text(tab, "saved")
}

/// Play the first cell and the largest stone by clicks.
pub fn play_first(tab: &mut Browser) {
    for place in ["[it.mover, Math.max(...it.left[it.mover])].join('-')", "`cell-${it.empty[0]}`"] {
        let place = text(tab, &format!("(it => '#' + {place})({NOW})"));
        tab.click(&place);
    }
}

/// The board takes the room there is, and all that a move needs is within the first screen; beside it, where
/// there is room, the moves. A tablet's stones to choose from were smaller than a phone's.
fn the_first_screen_holds_a_game(tab: &mut Browser) {
    let needed = "['#board', '#side-red .hand', '#side-blue .hand', '.turn', '#undo', '#hint', '#first', '#last', '#setup-open', \
        '#loading-open', '#mode-review']";
    load(tab, "E4 A1 C4 G2 D2 B2=15 G1=1");
    says(tab, "Loaded.");
    // The width of a cell at least, and how far down the board begins at most.
    for (width, height, cell, top) in [
        (1200, 800, 62, 60),
        (1920, 1080, 80, 60),
        (1440, 900, 78, 60),
        (820, 1180, 55, 350),
        (390, 844, 42, 60),
    ] {
        tab.resize(width, height);
        for mode in ["play", "analyse", "review"] {
            tab.click(&format!("#mode-{mode}"));
            // A message moves nothing, nor does a button that comes.
            let links = "['also', 'setup-open'].map($).map(it => it.getBoundingClientRect()).map(box => [box.left, box.top])";
            let silent = tab.value(&format!("say(''), $('undo').hidden = true, {links}"));
            tab.value("$('undo').hidden = state.mode !== 'play', say('Blue plays B2=15: best ahead: of moves about as good for the target: the largest chance + 2 ahead.')");
            assert_eq!(tab.value(links), silent, "{width} {mode}");
            tab.value("scrollTo(0, 0)");
            if mode == "play" {
                assert_eq!(outside(tab, needed), json!([]), "{width}");
            }
            if width >= 1100 {
                assert_eq!(outside(tab, "['#board', '#steps', '#row-1']"), json!([]), "{width} {mode}");
            }
            // Nothing lies on a cell, on either foot.
            let covered = "CELLS.filter(cell => (box => !document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2) \
                .closest(`#cell-${cell}`))($(`cell-${cell}`).getBoundingClientRect()))";
            // Red stands on the left.
            let sides = "$('side-red').querySelector('.label').getBoundingClientRect().left < $('side-blue').querySelector('.label').getBoundingClientRect().left";
            for _ in 0..2 {
                tab.value("$('board').scrollIntoView({ block: 'center' })");
                let seen = json!([tab.value(covered), tab.value(sides)]);
                assert_eq!(seen, json!([[], true]), "{width} {mode}");
                tab.value("update({ flipped: !state.flipped })");
            }
            tab.value("scrollTo(0, 0)");
            if width == 390 && mode == "analyse" {
                assert_eq!(outside(tab, "['#board', '#side-red .hand']"), json!([]));
                tab.value("$('best').open = false");
                assert_eq!(tab.value("$('board').getBoundingClientRect().top < 150"), true, "no blank");
            }
            let top = if mode == "play" || width >= 1100 { top } else { height };
            let fits = format!(
                "(innerWidth > 1000 || state.mode === 'review' || $('red-1').offsetWidth >= 40) && \
                $('cell-C3').querySelector('.hex').getBoundingClientRect().width >= {cell} && \
                (box => (window.board = state.mode === 'play' ? box : window.board) === box)((box => [box.left, box.width].join())($('board').getBoundingClientRect())) && \
                $('board').getBoundingClientRect().top <= {top} + (state.mode === 'review' ? 90 : 0)"
            );
            assert_eq!(tab.value(&fits), true, "{width} {mode}");
        }
    }
    let widths = [320, 380, 500, 700, 900, 1000, 1200, 2000];
    for (width, mode) in widths.into_iter().zip(["play", "analyse", "review"].iter().cycle()) {
        tab.resize(width, 800);
        tab.click(&format!("#mode-{mode}"));
        let hidden = "(page => Math.max(0, page.scrollWidth - page.clientWidth))(document.documentElement)";
        assert_eq!(tab.value(hidden), 0, "{width} {mode}");
    }
    tab.click("#mode-play");
    tab.resize(1200, 900);
}

/// Begin a game by the form.
pub fn new_game(tab: &mut Browser, choices: &[(&str, &str)]) {
    tab.click("#mode-play");
    tab.click("#setup-open");
    choices.iter().for_each(|(name, value)| choose(tab, name, value));
    tab.click("#new");
    tab.wait("!state.setup");
}

/// A whole game against a level, and its uses afterwards.
fn a_game_is_played(tab: &mut Browser) {
    new_game(tab, &[("partner", "expert"), ("person", "blue"), ("cells", "full")]);
    tab.wait("/^Red played .* Your turn: choose /.test($('now').innerText)");
    // Playing Blue turns nothing.
    assert_eq!(tab.value("state.flipped"), false);
    tab.click("#hint");
    says(tab, ": Blue gets ");
    // A click on its cell plays it; the other's turn has none.
    let hint = text(tab, "state.hint.move");
    tab.click(&format!("#cell-{}", &hint[..2]));
    assert_eq!(tab.value("[gameHere().line[1], $('hint').matches('.unseen')]"), json!([hint, true]));
    // The list has the moves, and before them a word: it was empty, then 30 empty rows.
    tab.wait(&format!("{PLIES} === 3 && $('moves').children.length === 3"));
    // The game's partner goes on from a position: the one chosen last for another game did.
    tab.value("state.partner = 'casual', $('mode-analyse').click()");
    // The list stayed hidden once it had been empty.
    tab.wait("$('lines-table').checkVisibility() && $('lines').children.length > 3");
    tab.click("#play-on");
    tab.wait("state.mode === 'play' && gameHere().red === 'expert' && gameHere().blue === 'you' && Boolean(gameHere().red = 'casual')");
    play_first(tab);
    tab.wait(&format!("{PLIES} === 5"));
    tab.click("#undo");
    assert_eq!(tab.value(PLIES), 3);
    for plies in (5..31).step_by(2).chain([30]) {
        play_first(tab);
        tab.wait(&format!("{PLIES} === {plies}"));
    }
    // The hole is told with what counts for it.
    let sum = "[...document.querySelectorAll('#board .near')].reduce((sum, cell) => sum + cell.querySelector('.stone + text').textContent \
        * (cell.classList.contains('red') ? 1 : -1), 0)";
    let sum = text(tab, &format!("plain({sum})"));
    let told = text(tab, "$('now').innerText");
    assert!(told.starts_with("The hole is ") && told.contains(&format!(" = {sum}, so 75 ")), "{told}");
    assert_eq!(text(tab, "document.querySelector('#board .hole text').textContent"), sum);
    // The result and the way on are seen, and empty hands take no room.
    assert_eq!(tab.value("$('end').innerText.includes(pointsOf(positionHere().known))"), true);
    assert_eq!((tab.count(".hand"), tab.count("#to-review")), (0, 1));
    // One looks back at what is over: nobody is to move.
    tab.click("#back");
    let moves = tab.count(".turn, .hand, #undo:not([hidden]), #hint:not([hidden])");
    assert_eq!((tab.count("#to-review"), moves, text(tab, "$('answer').innerText")), (1, 0, String::new()));
    // The form for a new game shows an empty board, and leads back to the end.
    tab.click("#setup-open");
    assert_eq!(tab.count("#board .stone, #board .ghost"), 0);
    tab.click("#setup-close");
    assert_eq!(tab.value(&format!("state.ply === {PLIES}")), true);
    let record = text(tab, "$('record').value");
    // Saved as play reads it, and the same when it is loaded.
    let saved = saved(tab);
    let number = tab.value("gameHere().number").as_u64().expect("a number");
    assert_eq!(text(tab, "$('save').textContent"), format!("Save game {number} as black-hole-{number}.txt"));
    let end = format!(", blue you, round {number}\n{record}\n");
    assert!(saved.starts_with("# red ") && saved.ends_with(&end), "{saved}");
    load(tab, &saved);
    says(tab, "Loaded.");
    assert_eq!(text(tab, "$('record').value"), record);
    // A page that is loaded again goes on with it.
    tab.reload();
    tab.wait(&format!("$('record').value === '{record}' && choices().partner.value === 'casual'"));
}

fn a_position_is_analysed(tab: &mut Browser) {
    tab.click("#mode-analyse");
    load(tab, &EXAMPLE[..38]);
    tab.wait(PROVEN);
    let solved = blackhole("solve --json --all-moves", &EXAMPLE[..38]).json();
    let rows = solved["moves"].as_array().expect("moves").iter();
    let scores: Value =
        rows.map(|row| (row["move"].as_str().expect("a move").to_owned(), row["score"].clone())).collect();
    let listed = "Object.fromEntries(listOf(positionHere().analysis).map(it => [it.move, it.known.score]))";
    assert_eq!(tab.value(listed), scores);
    let exact = format!("$('value').innerText === brief({solved}) + ' exact score\\n' + inWords({solved})");
    tab.wait(&exact);
    lines_are_shown_and_tried(tab, &format!("plain({})", solved["score"]));
    // A move is tried, and taken back.
    play_first(tab);
    tab.wait(PROVEN);
    tab.click("#back");
    tab.wait(&exact);
    // Stopped and gone on with, at a position that takes long.
    load(tab, FIVE);
    tab.wait(SEARCHED);
    // One measure: points beside a lead of half their difference were read as two.
    tab.wait("/^≈\\S+ score ± [\\d.]+(About level|\\w+ is ahead)$/.test($('value').textContent)");
    tab.click("#run");
    assert_eq!(tab.value("[$('run').textContent, state.question.is]"), json!(["Go on", "stopped"]));
    tab.click("#run");
    tab.wait("state.question.is === 'asking'");
    // A text too long changes no game.
    load(tab, &"x".repeat(2 << 20));
    tab.wait("$('loading').open && $('unread').innerText.includes('larger than 1 MB')");
    tab.click("#loading-close");
    tab.wait("state.question.is === 'asking'");
}

/// One list of the best moves in the order of their numbers, each to be clicked; what follows the best is told under
/// it and drawn on the board, and what the cells count.
fn lines_are_shown_and_tried(tab: &mut Browser, score: &str) {
    tab.wait("['line-0', 'line-1', 'line-6'].every($)");
    assert_eq!(tab.value(&format!("document.querySelector('#lines b').textContent === {score}")), true);
    let ghosts = "[...document.querySelectorAll('.ghost')].map(it => it.parentNode.id.slice(5) + '=' + it.textContent).sort()";
    let why = "[...document.querySelectorAll('#expected button')].map(it => it.textContent).slice(0, 1)";
    tab.click("#run");
    tab.value("$('line').open = true");
    assert_eq!(tab.value(ghosts), tab.value(why));
    // All of them, some within the room there is.
    let all = "(rows => rows.length === listOf(positionHere().analysis).length && rows.length > 11 && \
        rows[0].closest('.scroll').clientHeight < 390)(document.querySelectorAll('#lines tr'))";
    assert_eq!(tab.value(all), true);
    tab.click("#counts");
    let counts = "Object.fromEntries([...document.querySelectorAll('.figure')].map(it => [it.parentNode.dataset.cell, it.textContent]))";
    let expected = "Object.fromEntries(all('#board .free').map(({ dataset: { cell } }) => [cell, plain(countOf(positionHere().cells, cell))]))";
    assert_eq!(tab.value(counts), tab.value(expected));
    assert_eq!(tab.value(ghosts), tab.value(why), "in place of its cell's count");
    tab.click("#counts");
    let second = text(tab, "$('expected-1').textContent");
    // Nothing scrolls away under the pointer.
    tab.value("scrollTo(0, 40)");
    let scrolled = tab.value("scrollY");
    tab.value("$('expected-1').click()");
    assert_eq!(tab.value("[state.steps, positionHere().last.move, scrollY]"), json!([2, second, scrolled]));
    tab.click("#return");
    tab.click("#run");
}

fn a_record_is_reviewed(tab: &mut Browser) {
    let mut rng = rng(5);
    let start = begun_at(&mut rng, &strong_positions(13, 30)[0]);
    let record = play_on(&mut rng, start, 12).to_string();
    tab.click("#mode-review");
    load(tab, &record);
    says(tab, "The game is judged.");
    // Where the game turned.
    let opened =
        "state.ply === focusOf(gameHere()) && document.title === `${$('title').textContent} – Black Hole`";
    assert_eq!(tab.value(opened), true);
    let review = blackhole("review --json", &record).json();
    let lost = "[...document.querySelectorAll('#totals-rows b')].map(it => Number(it.textContent))";
    let sums = ["red", "blue"].map(|player| review["summary"][player]["lost"].clone());
    tab.wait(&format!("String({lost}) === '{},{}'", sums[0], sums[1]));
    let marks = review["moves"].as_array().expect("moves").iter();
    let marks = marks.map(|row| row["mark"].as_str().expect("a mark").replace('~', ""));
    let shown = "[...document.querySelectorAll('#moves td:last-child')].map(cell => cell.closest('.mistake') ? cell.textContent : '')";
    assert_eq!(tab.value(shown), json!(marks.collect::<Vec<_>>()));
    let worst = "[...document.querySelectorAll('#costs a')].map(link => Number(link.textContent))";
    assert_eq!(tab.value(worst), review["worst"]);
    // A click tries the better move, as “Try again” does: it stood elsewhere, and nothing compared it with the game's move.
    tab.click("#costs button");
    tab.wait("/^This is the best[^:]*: \\S+ leaves [^]*in the game left /.test($('verdict').innerText) && hasTried()");
    // There was no way on from a better move: its side plays on.
    let side = text(tab, "positionHere().last.player");
    tab.click("#trial-play");
    tab.wait(&format!("state.mode === 'play' && gameHere()['{side}'] === 'you'"));
    tab.value("update({ mode: 'review', game: games.length - 2 })");
    tab.click("#last");
    tab.click("#mistake");
    says(tab, "First mistake: move ");
    a_mistake_is_tried_again(tab);
    // One plays on from before the end: it is another game.
    for place in ["#last", "#mode-analyse", "#back", "#back", "#play-on"] {
        tab.click(place);
    }
    tab.wait(&format!("[state.mode, {PLIES}].join() === 'play,10'"));
    // A try beside the game is undone by itself.
    tab.click("#first");
    play_first(tab);
    tab.wait("state.steps === 1 && $('answer').innerText.includes('To try a move')");
    tab.click("#undo");
    assert_eq!(tab.value(&format!("[state.steps, state.ply, {PLIES}]")), json!([0, 0, 10]));
    tab.click("#return");
    play_first(tab);
    tab.wait(&format!("{PLIES} === 12 && $('moves').querySelectorAll('button').length === 12"));
}

/// A try is praised or corrected; nothing tells the answer before it, and nothing is left of it.
fn a_mistake_is_tried_again(tab: &mut Browser) {
    let worst = tab.value("focusOf(gameHere())").as_u64().expect("a mistake");
    tab.click(&format!("#ply-{worst}"));
    let before = tab.value("[games.length, gameHere().record]");
    let best = text(tab, "lastMove(gameHere(), lineHere()).best");
    tab.click("#try");
    let seen = text(tab, "$('cols').innerText");
    assert!(seen.contains("What is better?") && !seen.contains(&best), "{seen}");
    let shown = "['#bar', '#best', '#story-part', '#totals', '.ghost', `#row-${state.ply + 1}`].filter(it => \
        document.querySelector(it)?.checkVisibility({ visibilityProperty: true }))";
    assert_eq!(tab.value(shown), json!([]));
    // A wrong one, then the best.
    play_first(tab);
    let (own, praise) = ("lineHere().at(-1)", "$('verdict').innerText");
    tab.wait(&format!("/ worse|not among| is as good as | is the best/.test({praise})"));
    assert_eq!(tab.value(&format!("{own} === '{best}' || !{praise}.startsWith('Right')")), true);
    assert!(!text(tab, praise).contains(&best) || tab.value(&format!("{own} === '{best}'")) == true);
    // A page that is loaded again goes on with the try.
    tab.reload();
    tab.wait(&format!("hasTried() && !/judging/.test({praise})"));
    tab.click("#trial-again");
    tab.click("#trial-show");
    tab.wait(&format!("{praise}.startsWith('This is the best') && {praise}.includes(': {best} leaves ') && {praise}.includes('After {best}: ')"));
    tab.click("#board .free");
    says(tab, "“Another try” takes this one back.");
    tab.click("#trial-back");
    assert_eq!(tab.value("[games.length, gameHere().record]"), before);
    assert_eq!(tab.value("[state.ply, state.trial, state.own]"), json!([worst, null, []]));
}

/// Cells are blocked and freed, stones leave the hands.
fn cells_are_edited(tab: &mut Browser) {
    tab.click("#mode-analyse");
    load(tab, &format!("{FOUR} A5 A6 A7 A8 red:3,5 blue:2"));
    tab.wait(PROVEN);
    let person = tab.value("update({ person: 'red' }), state.person");
    for place in ["#edit", "#cell-A8", "#cell-A7", "#red-5", "#red-5", "#edit"] {
        tab.click(place);
    }
    // An unfinished position is left only by its own buttons.
    says(tab, "Block 3 cells, or change the hands: each stone in hand needs an empty cell");
    let told = "'6 empty cells for 1 red, 1 blue stone and the hole: 3 too many. Choose '";
    tab.wait(&format!("$('answer').innerText.startsWith({told})"));
    for key in ["ArrowLeft", "Home"] {
        tab.key(key);
        says(tab, "“Done” keeps your changes");
    }
    for place in ["#mode-play", "#mode-analyse"] {
        tab.click(place);
        assert_eq!(tab.value("state.edited.now.cells.has('A8')"), false, "{place}");
    }
    for place in ["#blue-9", "#blue-8", "#red-6", "#edit"] {
        tab.click(place);
    }
    tab.wait(&format!("games[state.game].record === '{FOUR} A5 A6 red:3,6 blue:2,8,9 to-move:blue' && {NOW}.empty.length === 6"));
    assert_eq!(tab.value("$('most').textContent"), "", "no stones from 1 on");
    // The form for a new game offers the side that was chosen last, and what is chosen stays on its page.
    assert_eq!(tab.value("[personHere(), state.person]"), json!(["blue", person]));
    tab.click("#cell-A7");
    tab.click("#mode-play");
    assert_eq!(tab.value("[state.cell, choices().person.value]"), json!([null, person]));
    tab.click("#mode-analyse");
}

/// Stones are put on cells and taken off, and each step can be undone.
fn stones_are_edited(tab: &mut Browser) {
    load(tab, "E4 A1 C4 G2 D2 B2=15 G1=1");
    says(tab, "Loaded.");
    tab.click("#edit");
    // A text's error stands beside it; an unchanged position is left at once.
    tab.click("#loading-open");
    tab.value("$('load').value = 'E4 A1 A1=1'");
    tab.click("#read");
    tab.wait("$('unread').innerText.startsWith('line 1: ')");
    tab.click("#loading-close");
    assert_eq!(tab.value("[state.edited, $('edit').textContent]"), json!([null, "Edit"]));
    tab.click("#edit");
    // Loading ends the editing at once, before the text is read: no click comes between.
    tab.value("(async () => { const loaded = load([{ text: 'E4 A1 C4 G2 D2 B2=15 G1=1' }]); $('red-3').click(); await loaded; })()");
    tab.click("#edit");
    // All is blocked, the other is to move, and all of it is dropped.
    let mover = text(tab, "state.edited.now.mover");
    tab.click("#swap");
    assert_ne!(text(tab, "state.edited.now.mover"), mover);
    tab.click("#clear");
    assert_eq!(tab.value("[state.edited.now.empty.length, state.edited.past.length]"), json!([0, 2]));
    // A stone that left its hand comes back chosen: the cell is next.
    ["#red-5", "#cell-E3"].iter().for_each(|place| tab.click(place));
    assert_eq!(tab.value("state.edited.now.cells.get('E3').stone"), 5);
    tab.click("#discard");
    assert_eq!(tab.value(&format!("[state.edited, {NOW}.cells.get('B2').stone]")), json!([null, 15]));
    tab.click("#edit");
    let record = "games[state.game].record";
    // A stone leaves its cell for its hand, and goes from there to another cell.
    for place in ["#cell-B2", "#red-15", "#cell-H1"] {
        tab.click(place);
    }
    let cells =
        "[state.edited.now.cells.get('H1'), state.edited.now.left.red.has(15), state.edited.past.length]";
    assert_eq!(tab.value(cells), json!([{"player": "red", "stone": 15}, false, 2]));
    // The browser asks before what is edited is lost.
    assert_eq!(tab.value("dispatchEvent(new Event('beforeunload', { cancelable: true }))"), false);
    for _ in 0..2 {
        tab.click("#undo");
    }
    assert_eq!(tab.value("state.edited.now.cells.get('B2').stone"), 15);
    for place in ["#red-3", "#cell-A2", "#red-4", "#cell-A3", "#edit"] {
        tab.click(place);
    }
    says(tab, "One side may have at most one stone more on the cells.");
    for place in ["#blue-5", "#cell-A4", "#edit"] {
        tab.click(place);
    }
    tab.wait(&format!("{record} === 'E4 A1 C4 G2 D2 B2=15 G1=1 A2=3 A4=5 A3=4'"));
}
