//! The command `label`: games with exact values, the same whoever makes them, and gone on with.

use std::fs;

use crate::cli::{blackhole, text};
use crate::scratch::Scratch;
use blackhole::player::limits::Limits;
use blackhole::player::position::Position;
use blackhole::player::record::Record;
use blackhole::player::solver::Solver;
use blackhole::workshop::learning::data::LabelledGame;
use blackhole::workshop::lines::parse;

/// Run the command on a file; return its lines by the number of their game.
fn label(scratch: &Scratch, file: &str, more: &[&str]) -> Vec<LabelledGame> {
    let path = scratch.path(file);
    let path = path.to_str().expect("a path");
    let output = blackhole(&[&["label", path, "--games", "2", "--seed", "7"], more].concat(), b"");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let mut games = parse::<LabelledGame>(&fs::read(path).expect("a file")).expect("games").records;
    games.sort_by_key(|line| line.game);
    games
}

#[test]
fn games_are_labelled_right_and_the_same_each_time() {
    let scratch = Scratch::new("label");
    let games = label(&scratch, "one", &[]);
    assert_eq!(games.iter().map(|line| line.game).collect::<Vec<_>>(), [0, 1]);
    let mut solver = Solver::default();
    let mut value = |position: &Position| solver.value(position, 0, &Limits::NONE).exact();
    let (mut values, mut aside) = (0, 0);
    for line in &games {
        let record = Record::parse(&line.record).expect("a record");
        for &(plies, exact) in &line.values {
            assert_eq!(value(record.until(plies).position()), Some(exact), "{line:?}");
            values += 1;
        }
        for (plies, moves, exact) in &line.aside {
            let strayed = Record::parse(&format!("{} {moves}", record.until(*plies))).expect("legal moves");
            assert!((15..=19).contains(&strayed.position().empty().len()), "{line:?}");
            assert_eq!(value(strayed.position()), Some(*exact), "{line:?}");
            aside += 1;
        }
    }
    assert!(values >= 4 && aside >= 6, "{values} and {aside}");

    assert_eq!(label(&scratch, "two", &["--concurrency", "2"]), games);
    // A run that was cut off in the middle of a line.
    let whole = fs::read(scratch.path("one")).expect("a file");
    let first = whole.iter().position(|&byte| byte == b'\n').expect("a line");
    fs::write(scratch.path("cut"), &whole[..first + 40]).expect("a file");
    assert_eq!(label(&scratch, "cut", &[]), games);

    let path = scratch.path("one");
    let output = blackhole(&["label", path.to_str().expect("a path"), "--games", "2", "--seed", "8"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("found games of the seed 7, expected 8"));
    assert_eq!(fs::read(&path).expect("a file"), whole);
}
