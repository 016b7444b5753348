//! The board's page keeps its games and files over a reload and a broken connection.

use blackhole::sparring::{PLAYERS, levels::LEVELS};

use crate::board::Board;
use crate::board_page::{FOUR, NOW, PLIES, SEARCHED, load, new_game, play_first, saved, says, text};
use crate::browser::{Browser, outside};
use crate::common::*;

/// Start a board with a page of it; `test` may use both. Nothing unexpected is in the console then.
fn with_page(name: &str, options: &str, test: impl FnOnce(&mut Browser, Board, &Scratch)) {
    let (scratch, board) = (Scratch::new(name), Board::start(BLACKHOLE, options));
    let mut tab = Browser::start(&scratch.path("profile"));
    tab.visit(&board.address, "");
    test(&mut tab, board, &scratch);
    let expected = ["ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "status of 403"];
    tab.problems.retain(|problem| !expected.iter().any(|it| problem.contains(it)));
    assert_eq!(tab.problems, Vec::<String>::new());
}

/// Games of a match as a journal, the same names with each.
fn journal(games: usize, first: usize, name: &str) -> String {
    let cells = ["E2", "A1", "C4", "G2", "D2"];
    let line = |round: usize| {
        let (red, blue) = (format!("{name}{round}"), name);
        let game = json!({"round": round, "red": red, "blue": blue, "blocked": cells, "moves": ["B1=15"]});
        format!("{game}\n")
    };
    (first..first + games).map(line).collect()
}

#[test]
#[ignore = "needs chromium"]
fn a_megabyte_of_games_survives_a_reload() {
    with_page("kept", "--time 1", |tab, board, _| {
        let long = "long name ".repeat(9);
        for first in [0, 1_000, 2_000] {
            let journal = journal(1_000, first, &long);
            tab.value(&format!("load([{{ text: {} }}])", json!(journal)));
        }
        tab.wait("games.length === 3000");
        tab.click("#games tr:nth-child(2321) a");
        tab.wait("state.game === 2320");
        let address = text(tab, "location.hash");
        let kept = |tab: &mut Browser| {
            tab.wait("document.querySelector('#board .cell') !== null");
            assert_eq!(tab.value("[games.length, state.game]"), json!([3_000, 2_320]));
        };
        tab.reload();
        kept(tab);
        assert_eq!(text(tab, "location.hash"), address);
        // So does the address that the program printed, opened in the same tab.
        tab.visit(&board.address, "");
        kept(tab);
        // The page is usable: it takes other games without a reload.
        tab.value("window.isOld = true");
        load(tab, EXAMPLE);
        says(tab, "Loaded.");
        assert_eq!(tab.value("[isOld, games.length]"), json!([true, 3_001]));
        // Too many games give a message, and none is lost.
        tab.value("sessionStorage.setItem('other', 'x'.repeat(5242860 - Object.entries(sessionStorage).flat().join('').length))");
        load(tab, FIVE);
        tab.wait("$('trouble').innerText.includes('no room for more games than the 3001')");
        tab.value("sessionStorage.removeItem('other')");
        load(tab, FIVE);
        says(tab, "Loaded.");
    });
}

#[test]
#[ignore = "needs chromium"]
fn files_are_read_again_and_all_of_them() {
    with_page("files", "--time 1", |tab, _board, scratch| {
        let choose_files = |tab: &mut Browser, names: &[&str]| {
            let files: Vec<_> = names.iter().map(|name| scratch.path(name)).collect();
            let input = tab.call("Runtime.evaluate", json!({"expression": "$('file')"}));
            let files = json!({"files": files, "objectId": input["result"]["objectId"]});
            tab.call("DOM.setFileInputFiles", files);
        };
        let names = "games.map(({ red }) => red).filter(red => red !== 'you').join(' ')";
        // From a journal that grew, only new games are taken.
        let other = "Loaded 3 games, the first is shown; 2 of them were here already.";
        for (games, said) in [(2, "Loaded 2 games"), (3, other)] {
            scratch.write("m.jsonl", journal(games, 0, "a"));
            choose_files(tab, &["m.jsonl"]);
            says(tab, said);
        }
        assert_eq!(tab.value(names), "a0 a1 a2");
        // A file that was refused and mended.
        let told = "$('trouble').innerText.startsWith('x.txt: line 1: ') && $('trouble').getBoundingClientRect().top > -1";
        for (text, done) in [("E2 E2", told), (EXAMPLE, "!$('trouble').textContent")] {
            // A message is seen from everywhere on the page.
            tab.value("document.body.style.minHeight = '3000px'; scrollTo(0, 2000)");
            scratch.write("x.txt", text);
            choose_files(tab, &["x.txt"]);
            tab.wait(done);
        }
        tab.wait("games.length === 4");
        tab.value("document.body.style.minHeight = ''; scrollTo(0, 0)");
        // An unreadable file does not stop the others.
        scratch.write("x.txt", "E2 E2");
        scratch.write("b.jsonl", journal(2, 5, "b"));
        scratch.write("c.jsonl", journal(1, 7, "c"));
        choose_files(tab, &["b.jsonl", "x.txt", "c.jsonl"]);
        says(tab, "Loaded 3 games");
        assert_eq!(tab.value(names), "a0 a1 a2  b5 b6 c7");
        assert!(tab.text("#trouble").starts_with("x.txt: line 1: "));
        // They are dropped, too, one of them a folder.
        fs::create_dir(scratch.path("folder")).expect("a folder");
        scratch.write("d.jsonl", journal(2, 8, "d"));
        let files = ["folder", "d.jsonl"].map(|name| scratch.path(name));
        let data = json!({"items": [], "files": files, "dragOperationsMask": 1});
        for kind in ["dragEnter", "dragOver", "drop"] {
            tab.call("Input.dispatchDragEvent", json!({"type": kind, "x": 300, "y": 300, "data": data}));
        }
        says(tab, "Loaded 2 games");
        assert_eq!(tab.value(names), "a0 a1 a2  b5 b6 c7 d8 d9");
        assert!(tab.text("#trouble").starts_with("folder: line 1: "));
        // Another mode clears the error.
        tab.click("#mode-review");
        assert_eq!(tab.value("!$('trouble').textContent"), true);
        // A forfeit is saved as it was read.
        let forfeit = "# red a, blue b, round 7\nE2 A1 C4 G2 D2 B2=15\n# points 0 to 150\n# fault of red: crash: it \"ended\"\n";
        load(tab, forfeit);
        says(tab, "Loaded.");
        assert_eq!(saved(tab).replace(", round 10", ", round 7"), forfeit);
        new_game(tab, &[("person", "red"), ("cells", "small")]);
        // Its rules were those of the full board.
        let rules = "/1 to 10,[^]*The 15 cells/.test($('rules').innerText)";
        tab.wait(&format!("{NOW}.empty.length === 21 && {rules}"));
    });
}

#[test]
#[ignore = "needs chromium"]
fn an_analysis_goes_on_and_another_program_is_told() {
    with_page("broken", "--time 1", |tab, board, _| {
        tab.click("#mode-analyse");
        tab.value("window.real = fetch");
        // After the last turn nothing more is asked: the same effort finds the same. Without work there is no Stop.
        tab.value("window.asked = 0; window.fetch = async () => { asked += 1; return new Response('{\"turns\":6}\\n{\"ended\":\"done\"}\\n') }; analyses.clear()");
        tab.click("#mode-analyse");
        tab.wait("asked === 1 && $('run').hidden");
        tab.value("window.fetch = real; analyses.clear()");
        load(tab, &format!("{FOUR} A5 A6 A7 A8 red:3,5 blue:2"));
        tab.wait("$('run').hidden");
        // A program that is started again at the same port is another one.
        let port = board.address.split(['/', ':']).nth(4).expect("a port").to_owned();
        drop(board);
        let _other = Board::start(BLACKHOLE, &format!("--port {port}"));
        tab.value("analyses.clear()");
        tab.click("#mode-analyse");
        says(tab, "Another program answers at this address");
    });
}

#[test]
#[ignore = "needs chromium"]
fn no_press_or_game_is_lost() {
    with_page("presses", "--time 1", |tab, _board, _| {
        tab.click("#new");
        tab.wait("!state.setup");
        for _ in 0..2 {
            play_first(tab);
            tab.wait(&format!("{PLIES} % 2 === 0 && {PLIES} > 0"));
        }
        // A game that is left can be gone back to.
        tab.wait(&format!("{PLIES} === 4"));
        new_game(tab, &[]);
        tab.wait(&format!("{PLIES} === 0"));
        tab.click("#games a");
        tab.wait(&format!("{PLIES} === 4"));
        // A pressed or focused element stays through a drawing: no click is lost.
        tab.click("#mode-analyse");
        load(tab, FIVE);
        says(tab, "Loaded.");
        tab.wait(SEARCHED);
        // All bars have one scale: no list has longer ones, and 77 : 73 is seen.
        let bars = "listOf(positionHere().analysis).every(({ known }, n) => !valueOf(known) || Number($('lines').children[n]\
            .querySelector('rect').getAttribute('width')) === Math.abs(lengthOf(valueOf(known))))";
        assert_eq!(tab.value(&format!("render(), {bars}")), true);
        let place = "(box => [box.x + 5, box.y + 5])($('counts').getBoundingClientRect())";
        let place = tab.value(&format!("$('counts').scrollIntoView({{ block: 'center' }}), {place}"));
        for kind in ["mousePressed", "mouseReleased"] {
            tab.mouse(kind, &place);
            tab.wait(SEARCHED);
            tab.value("render()");
        }
        assert_eq!(tab.value("[state.counts, document.activeElement.id]"), json!([true, "counts"]));
        tab.click("#counts");
        // Pressed, chosen and played items are visible without colours.
        let seen = "['#mode-analyse', '#mode-play', '#red-15', '#red-14', '#red-13'].map(it => getComputedStyle($(it.slice(1)))).map(it => \
            [it.outlineStyle, it.backgroundColor, it.borderTopStyle, it.color].join())";
        tab.click("#mode-analyse");
        tab.value("update(tryMoves(gameHere(), ['A2=15'])); document.activeElement.blur()");
        let media = json!({"features": [{"name": "forced-colors", "value": "active"}]});
        tab.call("Emulation.setEmulatedMedia", media);
        let styles = tab.value(seen);
        assert!(styles[0] != styles[1] && styles[2] != styles[3], "pressed and played: {styles}");
        assert_eq!(styles[3], styles[4]);
    });
}

/// The newest game is shown, unless one looks at another; that the match runs and its standings, too.
#[test]
#[ignore = "needs chromium"]
fn a_journal_that_grows_is_followed() {
    let scratch = Scratch::new("followed");
    let play = |option: &str, pairs: usize| {
        let bots = "match --bot a=builtin:random --bot b\u{e9}=builtin:greedy";
        scratch.run(&format!("{bots} {option} m.jsonl --pairs {pairs}")).expect(0, "");
    };
    play("--journal", 1);
    let board = Board::start(BLACKHOLE, &format!("'{}'", scratch.path("m.jsonl").display()));
    let mut tab = Browser::start(&scratch.path("profile"));
    let tab = &mut tab;
    tab.visit(&board.address, "");
    let followed = |tab: &mut Browser, count: usize, shown: usize| {
        let told = format!("'This match runs: {count} games, the last one '");
        tab.wait(&format!("$('followed').innerText.startsWith({told})"));
        let listed = tab.value("[games.length, state.game + 1, $('games').children.length]");
        assert_eq!(listed, json!([count, shown, count]));
        let seen =
            "$('followed').getBoundingClientRect().bottom < innerHeight && state.question.is === 'stopped'";
        assert_eq!(tab.value(seen), true, "the cores are the match's");
        assert_eq!(tab.value("['a', 'b\u{e9}'].every(bot => $('match').innerText.includes(bot))"), true);
    };
    followed(tab, 2, 2);
    let older = "(state.lastAt -= 200, drawFollowed(), $('followed').innerText)";
    assert!(
        tab.value(older).as_str().is_some_and(|it| it.starts_with("A match: 2 games, the last one 3 min"))
    );
    play("--resume", 2);
    followed(tab, 4, 4);
    tab.click("#games tr:first-child a");
    play("--resume", 3);
    followed(tab, 6, 1);
    tab.wait("$('run').scrollWidth <= $('run').clientWidth"); // Its words ran out of it.
    tab.click("#run");
    tab.wait("Boolean(gameHere().toldOf)");
    assert_eq!(tab.problems, Vec::<String>::new());
}

/// The rules with an example, a mild partner, nothing greyed; the board does not act before Start, and says so.
#[test]
#[ignore = "needs chromium"]
fn a_first_visit_needs_no_explanation() {
    with_page("first", "--time 1", |tab, _board, _| {
        for (width, height) in [(390, 844), (1200, 800), (1440, 900)] {
            tab.resize(width, height);
            tab.value("scrollTo(0, 0)");
            assert_eq!(outside(tab, "['#rules ol', '#rules svg', '#partner', '#new']"), json!([]), "{width}");
        }
        assert_eq!((tab.count("#rules li"), tab.count("#setup fieldset"), tab.count(":disabled")), (3, 3, 0));
        let chosen = tab.value("['partner', 'person', 'cells'].map(it => choices()[it].value)");
        assert_eq!(chosen, json!(["casual", "red", "full"]));
        // Each partner has a line that says how it plays.
        let told = "[...document.querySelectorAll('[name=partner]')].map(it => [it.value, it.parentNode.querySelector('small').innerText.length > 5])";
        let known = LEVELS.iter().map(|it| it.0).chain(PLAYERS.iter().map(|it| it.0));
        tab.value("document.querySelector('#partner details').open = true");
        assert_eq!(tab.value(told), json!(known.map(|name| (name, true)).collect::<Vec<_>>()));
        assert_eq!(tab.count("#board [role=button], .hand button"), 0);
        tab.click("#board .free");
        says(tab, "“Start” begins the game.");
        // The names beside the board are those of the form, which a look at another tab ended.
        for (partner, person, names) in [("expert", "blue", "expert you"), ("casual", "red", "you casual")] {
            tab.click(&format!("[value={partner}]"));
            tab.click(&format!("[value={person}]"));
            tab.click("#mode-review");
            tab.click("#mode-play");
            assert_eq!(text(tab, "all('.label .faint').map(it => it.innerText).join(' ')"), names);
        }
        // The shown board is played: none jumps.
        let blocked = text(tab, "gameHere().blocked.join(' ')");
        tab.click("#new");
        let same = format!("gameHere().blocked.join(' ') === '{blocked}'");
        tab.wait(&format!("!state.setup && {same} && $('moves').innerText.trim() === 'No move yet'"));
        let taken = format!("#cell-{}", &blocked[..2]);
        tab.click(&taken);
        says(tab, "is blocked: no stone goes there.");
        tab.click("#blue-7");
        says(tab, "That is Blue's stone: Red is to move.");
        // From an earlier position there was no way to play on.
        tab.click("#board .free");
        tab.click("#red-1");
        tab.wait(&format!("{PLIES} === 2"));
        tab.click("#first");
        tab.click("#play-on");
        tab.wait(&format!("{PLIES} === 0 && isPlaying()"));
    });
}
