//! Games by hand: the course of a game without a terminal.

use std::collections::HashSet;

use blackhole::games::drawing::Ink;
use blackhole::judge::verdict::hint;
use blackhole::review::text::quick_review;
use blackhole::sparring::{self, levels};
use blackhole::terminal::game::{LineEffect, TerminalGame};
use blackhole::terminal::words;

use crate::common::*;

const TIME: Duration = Duration::from_secs(5);
const OPENING: &str = "E4 F2 A5 A7 C1";

fn begin(lines: &[&str]) -> TerminalGame {
    let mut game = TerminalGame::new("greedy", TIME, Ink::Plain);
    lines.iter().for_each(|line| assert!(game.accept(line).is_ok(), "{line}"));
    game
}

fn show(game: &mut TerminalGame, line: &str) -> String {
    match game.accept(line) {
        Ok(LineEffect::Show(text)) => text,
        other => panic!("{line}: {other:?}"),
    }
}

/// Let the opponent play its first legal move.
fn reply(game: &mut TerminalGame, spent: Duration) -> (Move, String) {
    let (position, _) = game.asked().expect("its turn");
    let mv = position.legal_moves().next().expect("a move");
    (mv, game.answer(mv, spent).expect("legal"))
}

/// The saved record of the game so far.
fn saved(game: &mut TerminalGame) -> String {
    match game.accept("save game.txt") {
        Ok(LineEffect::Save(file, text)) if file == "game.txt" => {
            Record::parse(&text).expect("a record").to_string()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_game_begins_as_either_colour_or_by_hand() {
    let short = "t0v04060f0nf8o";
    let of_short = Record::parse(short).expect("a game").to_string();
    let whole = record(EXAMPLE).to_string();
    let ways: [(&[&str], &str, bool); 13] = [
        (&[OPENING, "red"], OPENING, false),
        (&["e4 f2 A5 a7 c1", ""], OPENING, false),
        (&[OPENING, "start"], OPENING, true),
        (&[OPENING, "d3-15"], "E4 F2 A5 A7 C1 D3=15", true),
        (&["E4 F2 A5 A7 C1 D1 D2", ""], "E4 F2 A5 A7 C1 D1 D2", false),
        (&["E4 F2 A5 A7 C1 D3=15", ""], "E4 F2 A5 A7 C1 D3=15", false),
        (&["E4 F2 A5 A7 C1 D3=15", "d2 3"], "E4 F2 A5 A7 C1 D3=15 D2=3", true),
        (&[short, "red"], &of_short, false),
        (&["new", OPENING, "red", "new", OPENING, "red"], OPENING, false),
        (&["A1 A2 A3 A4 A5", "undo", "E4 F2 A5 A7 C1", "red"], OPENING, false),
        // On several lines, in the forms of a dialogue and of a saved file.
        (&["E4 F2 A5 A7\nC1 D3=15", "red"], "E4 F2 A5 A7 C1 D3=15", true),
        (&[readme_block("\nE4"), "red"], &whole, false),
        (&["# red greedy, blue you, round 7\nE4 F2 A5 A7 C1"], OPENING, true),
    ];
    for (lines, record, asked) in ways {
        let mut game = begin(lines);
        assert_eq!(saved(&mut game), record, "{lines:?}");
        assert_eq!(game.asked().is_some(), asked, "{lines:?}");
    }
    let boards = (0..50).map(|n| saved(&mut begin(&[["random", ""][n % 2]])));
    assert!(boards.collect::<HashSet<_>>().len() > 40);
    let small = record(&saved(&mut begin(&["SMALL", "red"])));
    assert_eq!((small.position().empty().len(), small.has_own_hands()), (21, false));
    for mv in "b2 15|B2=15|b2-15| B2  15 |b2\t15|b215|B2 = 15|b2:15|b2 -15|b2=015".split('|') {
        assert_eq!(saved(&mut begin(&[OPENING, mv])), format!("{OPENING} B2=15"), "{mv}");
    }
}

#[test]
fn unfit_lines_are_told_and_change_nothing() {
    let (setup, sides, game): (&[&str], &[&str], &[&str]) = (&[], &[OPENING], &[OPENING, "red"]);
    // The lines of a kind stand between bars.
    for (lines, expected, unfit) in [
        (setup, "a blocked cell such as E4 or a move", "hello|E4 I9"),
        (setup, "a cell that is not blocked yet (E4 is)", "E4 F2 e4"),
        (setup, "5 blocked cells", "E4|E4 F2 A5 A7 C1 D1"),
        (setup, "the blocked cells and a side first", "hint|save game.txt"),
        (sides, "red, blue, start", "hint|green"),
        (game, "a file after save", "save|save -"),
        (game, "an empty cell", "E4 3"),
        (game, "a move such as B2 15, or a command", "undo 3|start|b|i1 5|a9=5|15|ä1 5|€"),
        (setup, "Show(\"There is no cell or move of yours to take back.\\n\")", "undo"),
        (game, "Show(\"There is no cell or move of yours to take back.\\n\")", "UNDO "),
        (game, "Show(\"The game is not over: its review comes after the end.\\n\")", "review"),
        (game, "a stone from", "b2|b2 =|b2 16|b2 0|b2 99999999999999999999|b2 five|b2 1 5|b2é"),
        (&[EXAMPLE, "red"], "undo, review, save FILE, new or quit: the game is over", "A8 1|hint"),
    ] {
        for line in unfit.split('|') {
            let mut game = begin(lines);
            let before = (game.prompt(), game.view());
            // A command without effect is answered by a sentence.
            let said = game.accept(line).map_or_else(|error| error, |effect| format!("{effect:?}"));
            assert!(said.starts_with(expected), "{line}: {said}");
            assert_eq!((game.prompt(), game.view()), before, "{line}");
        }
    }
}

#[test]
fn undo_takes_back_both_moves_and_their_time() {
    let mut game = begin(&[OPENING, "red"]);
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
    // The opponent's first move, given up: there is only the choice of the side to take back.
    let mut game = begin(&[OPENING, "blue"]);
    assert!(game.interrupt().contains("red or blue?"), "{}", game.prompt());
    assert!(game.accept("red").is_ok() && game.asked().is_none());
}

/// Play a game to its end, the person with the last legal move of each position.
fn play_out(game: &mut TerminalGame, seen: &mut impl FnMut(&str)) {
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
    for (setup, side) in [(OPENING, "red"), (OPENING, "blue"), ("small", "blue"), ("small", "red")] {
        let mut game = begin(&[setup, side]);
        play_out(&mut game, &mut |shown| {
            // The terminal breaks a record, so that it can be copied.
            let fits = |line: &str| line.chars().count() < 80 || line.contains('=');
            assert!(shown.lines().all(fits) && shown.lines().count() <= 14, "{shown}");
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
            format!("\n{record}\n"),
        ] {
            assert!(view.contains(&part), "{part}: {view}");
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
fn a_hint_is_the_best_move_with_its_points_and_the_reply() {
    for (game, expected, replies) in [
        ("E2 A1 C4 G2 D2", "Red gets about 7", true),
        (EMPTY_4, "with best play Red gets 80 points, Blue 70; ", true),
        // Blue's points stand first.
        (&format!("{EMPTY_4} A2=5"), "with best play Blue gets 70 points, Red 80", true),
        (&format!("{EMPTY_4} A2=5 A3=2"), "with best play Red gets 80 points, Blue 70", false),
    ] {
        let game = record(game);
        let (mv, text) = hint(game.position(), &STOP).expect("a move");
        assert_eq!(game.position().check(mv), Ok(()));
        assert!(text.starts_with(expected) && text.contains(" points, "), "{game}: {text}");
        assert_eq!(text.ends_with(" is the expected reply"), replies, "{game}: {text}");
    }
    assert_eq!(hint(record(EXAMPLE).position(), &STOP), None);
}

/// It judged all moves, whatever was pressed.
#[test]
fn the_review_after_a_game_ends_when_it_is_stopped() {
    static STOPPED: AtomicBool = AtomicBool::new(true);
    let told = quick_review(&unnamed(record(EXAMPLE)), &STOPPED);
    assert_eq!(told.matches("gave away 0 points in 0 judged moves\n").count(), 2, "{told}");
}

#[test]
fn every_level_is_a_player_and_help_names_it() {
    for (name, player) in levels::LEVELS {
        assert_eq!(levels::player(&name.to_uppercase()), player);
        assert!(levels::partner(player, &Options::default()).is_ok(), "{player}");
        assert!(words::HELP.contains(name));
        assert!(sparring::PLAYERS.iter().all(|player| player.0 != name), "a name of its own");
    }
    assert_eq!(levels::player("uct,c=0.5"), "uct,c=0.5");
    let help = blackhole("match --help", "").fine();
    assert!(sparring::PLAYERS.iter().all(|player| help.contains(player.0)), "{help}");
    assert!(words::HELP.lines().count() <= 22 && words::HELP.lines().all(|line| line.chars().count() <= 60));
}
