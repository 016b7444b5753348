//! Games by hand: the course of a game without a terminal, and the real program in one.

use std::collections::HashSet;
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::common::{EMPTY_4, EXAMPLE, record, rng};
use crate::scratch::{BLACKHOLE, Scratch};
use blackhole::player::board::Move;
use blackhole::player::engine::{Engine, Options};
use blackhole::player::position::Position;
use blackhole::player::record::Record;
use blackhole::player::rng::Random;
use blackhole::workshop::arena::bots::Builtin;
use blackhole::workshop::drawing::Ink;
use blackhole::workshop::hand::game::{HandGame, Response};
use blackhole::workshop::hand::{levels, words};
use blackhole::workshop::notation::Notation;
use blackhole::workshop::players;
use rand::RngExt;

const TIME: Duration = Duration::from_secs(5);
const FIVE: &str = "E4 F2 A5 A7 C1";

fn begin(lines: &[&str]) -> HandGame {
    let mut game = HandGame::new("greedy", TIME, Random::new(1), Ink::Plain);
    lines.iter().for_each(|line| assert!(game.accept(line).is_ok(), "{line}"));
    game
}

fn show(game: &mut HandGame, line: &str) -> String {
    match game.accept(line) {
        Ok(Response::Show(text)) => text,
        other => panic!("{line}: {other:?}"),
    }
}

/// Let the partner play its first legal move.
fn reply(game: &mut HandGame, spent: Duration) -> (Move, String) {
    let (position, _) = game.asked().expect("its turn");
    let mv = position.legal_moves().next().expect("a move");
    (mv, game.answer(mv, spent).expect("legal"))
}

/// The record of the game so far, as it is saved.
fn saved(game: &mut HandGame) -> String {
    match game.accept("save game.txt") {
        Ok(Response::Save(file, text)) if file == "game.txt" => {
            Record::parse(&text).expect("a record").to_string()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_way_into_a_game() {
    let short = "t0v04060f0nf8o";
    let of_short = Record::parse(short).expect("a game").to_string();
    let ways: [(&[&str], &str, bool); 13] = [
        (&[FIVE, "red"], FIVE, false),
        (&["e4 f2, A5", "", "a7", "c1", ""], FIVE, false),
        (&["E4", "F2", "A5", "A7", "C1", "Blue"], FIVE, true),
        (&[FIVE, "start"], FIVE, true),
        (&[FIVE, "d3-15"], "E4 F2 A5 A7 C1 D3=15", true),
        (&["E4 F2 A5 A7 C1 D1 D2", ""], "E4 F2 A5 A7 C1 D1 D2", false),
        (&["E4 F2 A5 A7 C1 D3=15", "red"], "E4 F2 A5 A7 C1 D3=15", true),
        (&["E4 F2 A5 A7 C1 D3=15", ""], "E4 F2 A5 A7 C1 D3=15", false),
        (&["E4 F2 A5 A7 C1 D3=15", "d2 3"], "E4 F2 A5 A7 C1 D3=15 D2=3", true),
        (&[short, "red"], &of_short, false),
        (&["new", FIVE, "red", "new", FIVE, "red"], FIVE, false),
        (&["E4 F2 A5 A8", "undo", "A7 C1", "red"], FIVE, false),
        (&["A1 A2 A3 A4 A5", "undo", "record: E4 F2 A5 A7 C1", "red"], FIVE, false),
    ];
    for (lines, record, asked) in ways {
        let mut game = begin(lines);
        assert_eq!(saved(&mut game), record, "{lines:?}");
        assert_eq!(game.asked().is_some(), asked, "{lines:?}");
    }
    let mut boards = HashSet::new();
    for seed in 0..50 {
        let mut game = HandGame::new("greedy", TIME, Random::new(seed), Ink::Plain);
        let lines: &[&str] = [&["random"][..], &[""], &["E4 F2", "random"]][seed as usize % 3];
        lines.iter().for_each(|line| assert!(game.accept(line).is_ok()));
        let record = record(&saved(&mut game));
        let cells: HashSet<_> = record.blocked().iter().collect();
        assert_eq!(cells.len(), 5, "{record}");
        assert!(lines.len() == 1 || record.to_string().starts_with("E4 F2 "), "{record}");
        boards.insert(record.to_string());
    }
    assert!(boards.len() > 40, "{boards:?}");
    let small = record(&saved(&mut begin(&["SMALL", "red"])));
    assert_eq!(*small.position(), Position::small());
}

#[test]
fn what_does_not_fit_is_told_and_changes_nothing() {
    let cases: [(&[&str], &str, &str); 21] = [
        (&[], "hello", "cells A1..H1, random, small or a whole record"),
        (&[], "E4 I9", "cells A1..H1"),
        (&["E4"], "F2 e4", "a cell that is not blocked yet (E4 is)"),
        (&["E4"], "F2 A5 A7 C1 D1", "5 blocked cells (7, 9, ... 35 in a smaller game), not 6"),
        (&["E4"], "F2 A5 A7 C1 D3=15", "cells A1..H1"),
        (&[], "E4 F2 A5 A7 C1 D3=16", "a stone from 1 to 15"),
        (&[], "hint", "the blocked cells and a side first"),
        (&[], "save game.txt", "the blocked cells and a side first"),
        (&[], "cells", "the blocked cells and a side first"),
        (&[FIVE], "hands", "the blocked cells and a side first"),
        (&[FIVE], "green", "red, blue, start"),
        (&[FIVE], "E4 3", "an empty cell (E4 is occupied)"),
        (&[], "undo", "a cell or a move of yours to take back (there is none)"),
        (&[FIVE, "red"], "undo", "a cell or a move of yours to take back (there is none)"),
        (&[FIVE, "red"], "save", "a file after save"),
        (&[FIVE, "red"], "E4 3", "an empty cell (E4 is occupied)"),
        (&[FIVE, "red"], "b2 16", "a stone from 1 to 15"),
        (&[FIVE, "red"], "start", "a move such as B2 15, or a command"),
        (&["E4 F2 A5 A7 C1 D3=15 D2=3", "red"], "D4 15", "a stone red has left (15 is used)"),
        (&[EXAMPLE, "red"], "A8 1", "undo, save FILE, new or quit: the game is over"),
        (&[EXAMPLE, "red"], "hint", "undo, save FILE, new or quit: the game is over"),
    ];
    for (lines, line, expected) in cases {
        let mut game = begin(lines);
        let before = (game.prompt(), game.view());
        let error = game.accept(line).expect_err(line);
        assert!(error.starts_with(expected), "{line}: {error}");
        assert_eq!((game.prompt(), game.view()), before, "{line}");
    }
}

#[test]
fn undo_takes_back_both_moves_and_their_time() {
    let mut game = begin(&[FIVE, "red"]);
    let start = saved(&mut game);
    assert_eq!(show(&mut game, "d3 15"), "", "the board comes with the answer");
    let (first, shown) = reply(&mut game, Duration::from_secs(2));
    assert!(shown.contains(&format!("greedy plays {first}")), "{shown}");
    let one = saved(&mut game);
    assert_eq!(one, format!("{start} D3=15 {first}"));
    show(&mut game, "d2 14");
    assert_eq!(game.asked().expect("its turn").1, Duration::from_secs(3));
    reply(&mut game, Duration::from_secs(9));
    show(&mut game, "d1 13");
    assert_eq!(game.asked().expect("its turn").1, Duration::ZERO, "never below");
    game.interrupt();
    assert!(game.asked().is_none() && saved(&mut game).split(' ').count() == 5 + 4);
    show(&mut game, "undo");
    assert_eq!(saved(&mut game), one);
    show(&mut game, "d2 3");
    assert_eq!(game.asked().expect("its turn").1, Duration::from_secs(3), "the time came back");
    game.interrupt();
    show(&mut game, "undo");
    assert_eq!(saved(&mut game), start);
    // The partner's first move, given up: there is only the choice of the side to take back.
    let mut game = begin(&[FIVE, "blue"]);
    assert!(game.interrupt().contains("red or blue?"), "{}", game.prompt());
    assert!(game.accept("red").is_ok() && game.asked().is_none());
}

/// Play a game to its end, the person with the last legal move of each position.
fn play_out(game: &mut HandGame, seen: &mut impl FnMut(&str)) {
    while !game.prompt().starts_with("game over") {
        if game.asked().is_some() {
            seen(&reply(game, Duration::ZERO).1);
        } else {
            let record = record(&saved(game));
            let mv = record.position().legal_moves().last().expect("a move");
            seen(&show(game, &mv.to_string()));
        }
    }
}

#[test]
fn a_whole_game_fits_the_screen_and_ends_in_words() {
    for (setup, side) in [(FIVE, "red"), (FIVE, "blue"), ("small", "blue"), ("small", "red")] {
        let mut game = begin(&[setup, side]);
        play_out(&mut game, &mut |shown| {
            assert!(shown.lines().all(|line| line.chars().count() < 80), "{shown}");
            assert!(shown.lines().count() <= 16, "{shown}");
        });
        let record = record(&saved(&mut game));
        let score = record.final_score().expect("it is over");
        let hole = record.position().empty().first().expect("the hole");
        let view = game.view();
        for part in [
            format!("({hole})"),
            format!("The hole is {hole}; next to it "),
            format!("together {score:+}"),
            format!("Red has {} points, Blue {}: ", 75 + score, 75 - score),
            format!("record: {record} or: "),
            format!("or: {}\n", record.to_base36().expect("standard hands")),
        ] {
            assert!(view.contains(&part) || view.replace('\n', " ").contains(&part), "{part}: {view}");
        }
        let person = if side == "red" { score } else { -score };
        let word = ["you lose.", "a draw, nobody wins.", "well played!"][(person.signum() + 1) as usize];
        assert!(view.contains(word), "{view}");
        // The last move may be either's: undo asks the person again.
        show(&mut game, "undo");
        assert!(game.asked().is_none() && game.prompt().starts_with("your move"));
        play_out(&mut game, &mut |_| {});
    }
}

#[test]
fn no_typing_breaks_a_game() {
    let mut rng = rng(38);
    let words = "random|small|red|blue|start|undo|hint|board|hands|save x|new|help||B2 15|b2|a1 1|A8=3|c3-7|\
                 E4|\u{1b}[A|ü|B2=99999999999|E4 F2 A5 A7 C1";
    let words: Vec<&str> = words.split('|').collect();
    for seed in 0..300 {
        let mut game = HandGame::new("greedy", TIME, Random::new(seed), Ink::Colour);
        for _ in 0..rng.random_range(1..60) {
            if game.asked().is_some() && rng.random_bool(0.8) {
                reply(&mut game, Duration::ZERO);
            } else if game.asked().is_some() {
                game.interrupt();
            } else {
                let _ = game.accept(words[rng.random_range(0..words.len())]);
            }
            if game.prompt().starts_with("your move") {
                saved(&mut game);
            }
        }
    }
}

#[test]
fn hints_give_reasons() {
    let hint = |text: &str| {
        let position = *record(text).position();
        let options = Options { nodes: Some(200), memory: 16 << 20, ..Options::default() };
        let thoughts = Engine::new(options).think(&position, TIME);
        (thoughts.choice.mv.to_string(), words::hint(&position, &thoughts))
    };
    for (position, expected) in [
        ("E2 A1 C4 G2 D2".to_owned(), "points for you or more, and sees a chance of "),
        ("E2 A1 C4 G2 D2 B1=15".to_owned(), "points for you or more, and sees a chance of "),
        (EMPTY_4.to_owned(), "solved, the best play of both gives "),
        (format!("{EMPTY_4} A1=3 A2=2"), "the only sensible move"),
    ] {
        let (mv, text) = hint(&position);
        assert!(text.starts_with(&format!("{mv}: ")) && text.contains(expected), "{text}");
        assert!(text.lines().count() <= 2 && text.lines().all(|line| line.len() < 80), "{text}");
    }
}

#[test]
fn every_level_is_a_player_and_help_names_it() {
    for (name, player) in levels::LEVELS {
        assert_eq!(levels::player(&name.to_uppercase()), player);
        let builtin = Builtin::parse(player).expect("a player");
        assert!(players::builtin(&builtin.name, &builtin.options, 1).is_ok(), "{player}");
        assert!(words::HELP.contains(name));
        assert!(players::PLAYERS.iter().all(|player| player.0 != name), "a name of its own");
    }
    assert_eq!(levels::player("uct,threads=2"), "uct,threads=2");
    assert!(words::SETUP.lines().all(|line| line.len() <= 80));
    assert!(words::HELP.lines().count() <= 22 && words::HELP.lines().all(|line| line.chars().count() <= 80));
}

/// The program in a terminal of its own, made by `script`.
struct Terminal {
    child: Child,
    keys: ChildStdin,
    shown: Receiver<Vec<u8>>,
    /// All that was shown, and how much of it was expected so far.
    screen: String,
    seen: usize,
}

impl Terminal {
    fn start(scratch: &Scratch, environment: &str, options: &str) -> Terminal {
        let line = format!("stty cols 80 rows 24; exec env {environment} {BLACKHOLE} {options}");
        let mut command = Command::new("script");
        command.current_dir(scratch.path("")).args(["-qec", &line, "/dev/null"]).env_remove("NO_COLOR");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().expect("script runs");
        let (keys, mut output) = (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
        let (send, shown) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                let _ = send.send(buffer[..count].to_vec());
            }
        });
        Terminal { child, keys, shown, screen: String::new(), seen: 0 }
    }

    /// Wait until `text` is shown after what was expected before; return what came up to its end.
    fn expect(&mut self, text: &str) -> String {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            if let Some(at) = self.screen[self.seen..].find(text) {
                let end = self.seen + at + text.len();
                let part = self.screen[self.seen..end].to_owned();
                self.seen = end;
                return part;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(bytes) = self.shown.recv_timeout(left) else {
                panic!("no {text:?} in {:?}", &self.screen[self.seen..]);
            };
            self.screen += &String::from_utf8_lossy(&bytes);
        }
    }

    /// Press keys when `prompt` is shown.
    fn answer(&mut self, prompt: &str, keys: &str) -> String {
        let shown = self.expect(prompt);
        self.keys.write_all(keys.as_bytes()).and_then(|()| self.keys.flush()).expect("a terminal");
        shown
    }

    /// Wait for the end; return the exit code.
    fn end(mut self) -> Option<i32> {
        while let Ok(bytes) = self.shown.recv_timeout(Duration::from_secs(60)) {
            self.screen += &String::from_utf8_lossy(&bytes);
        }
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Terminal {
    /// A test that fails leaves no game behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

#[test]
fn a_person_plays_in_a_terminal() {
    let scratch = Scratch::new("hand");
    scratch.write("old.txt", "old");
    let mut terminal = Terminal::start(&scratch, "TERM=xterm", "play --player greedy");
    // The second line is typed before it is asked for.
    terminal.answer("blocked cells (0 of 5)> ", "E4 F2 A5 A7\rc1\r");
    terminal.expect("blocked cells (4 of 5)> ");
    let board = terminal.answer("red or blue> ", "red\r");
    assert!(board.contains("G1    \x1b[2m##\x1b[0m    E3") && board.contains("red or blue?"), "{board:?}");
    terminal.answer("your move, Red> ", "b3 99\r");
    assert!(
        terminal.answer("your move, Red> ", "b3 14\r").contains("found \"b3 99\", expected a stone from 1")
    );
    let shown = terminal.answer("your move, Red> ", "");
    terminal.keys.write_all(b"\xff").and_then(|()| terminal.keys.flush()).expect("a terminal");
    terminal.expect("found a byte that is not UTF-8");
    terminal.answer("your move, Red> ", "save old.txt\r");
    for part in ["greedy is thinking", "greedy plays ", "\x1b[1;37;41m +14 \x1b[0m", "\x1b[1;37;44m[-"] {
        assert!(shown.contains(part), "{part}: {shown:?}");
    }
    assert!(terminal.answer("your move, Red> ", "save new.txt\r").contains("never overwritten"));
    assert!(terminal.answer("your move, Red> ", "undo\r").contains("saved to new.txt"));
    // The line before the last of the history, changed at its end.
    terminal.answer("your move, Red> ", "\x1b[A\x1b[A\x1b[A\x1b[A\x7f3\r");
    terminal.expect("greedy plays ");
    terminal.answer("your move, Red> ", "hint\r");
    terminal.answer("your move, Red> ", "half a line\x03");
    terminal.answer("Ctrl-C once more", "");
    terminal.answer("your move, Red> ", "\x03");
    let short = Record::parse("E4 F2 A5 A7 C1 B3=13").expect("a record").to_base36().expect("standard hands");
    terminal.expect(&format!("paste in the set-up\r\n{short}"));
    assert_eq!(terminal.end(), Some(130));
    let saved = scratch.read("new.txt");
    let record = record(&saved);
    assert!(record.to_string().starts_with("E4 F2 A5 A7 C1 B3=14 ") && record.moves().len() == 2, "{saved}");
    assert_eq!(scratch.read("old.txt"), "old");
}

#[test]
fn a_plain_terminal_gets_plain_text() {
    let scratch = Scratch::new("hand-plain");
    for (environment, options) in [("TERM=dumb", "--nodes 5"), ("TERM=xterm NO_COLOR=1", "play --nodes 5")] {
        let mut terminal = Terminal::start(&scratch, environment, options);
        terminal.answer("blocked cells (0 of 5)> ", "E4 F2 A5 A7 C1\n");
        terminal.answer("red or blue> ", "blue\n");
        let shown = terminal.answer("your move, Blue> ", "");
        assert!(shown.contains("- Blue, you") && shown.contains("[+"), "{shown:?}");
        let colour = shown.contains("\x1b[1;3") || shown.contains("\x1b[2m");
        assert!(!colour && (environment != "TERM=dumb" || !terminal.screen.contains('\x1b')), "{shown:?}");
        terminal.answer("", "\x03");
        terminal.answer("Ctrl-C once more", "\x03");
        terminal.expect("To go on with this game");
        assert_eq!(terminal.end(), Some(130));
    }
}

#[test]
fn a_game_that_cannot_be_saved_leaves_no_file() {
    let scratch = Scratch::new("hand-full");
    let full = r#"TERM=xterm sh -c 'ulimit -f 0; exec "$0" "$@"'"#;
    let mut terminal = Terminal::start(&scratch, full, "play --player random");
    terminal.answer("blocked cells (0 of 5)> ", "E4 F2 A5 A7 C1\r");
    terminal.answer("red or blue> ", "red\r");
    terminal.answer("your move, Red> ", "save x.txt\r");
    terminal.expect("x.txt: File too large");
    terminal.answer("your move, Red> ", "quit\r");
    assert_eq!((terminal.end(), scratch.path("x.txt").exists()), (Some(0), false));
}

#[test]
fn thinking_can_be_stopped() {
    let scratch = Scratch::new("hand-stop");
    let mut terminal = Terminal::start(&scratch, "TERM=xterm", "play --time 100000");
    terminal.answer("blocked cells (0 of 5)> ", "E4 F2 A5 A7 C1\r");
    // What was typed ahead is not played where the move before it is taken back.
    terminal.answer("red or blue> ", "b2 15\rb3 14\r");
    terminal.answer("blackhole is thinking", "\x03");
    terminal.expect("taken back");
    assert!(terminal.answer("your move, Red> ", "quit\r").contains("B2    A3"), "the cell is empty again");
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn a_bare_dialogue_can_be_had_in_a_terminal() {
    let scratch = Scratch::new("hand-quiet");
    let mut terminal = Terminal::start(&scratch, "TERM=xterm", "play --quiet --player random");
    terminal.answer("", "E4\nF2\nA5\nA7\nC1\nB2=15\nquit\n");
    assert_eq!(terminal.end(), Some(0));
}
