//! The command `label`: games with exact values, the same whoever makes them, and gone on with.

use crate::common::record;
use crate::scratch::{BLACKHOLE, Scratch};
use blackhole::player::limits::Limits;
use blackhole::player::position::Position;
use blackhole::player::solver::Solver;
use blackhole::workshop::learning::data::LabelledGame;
use blackhole::workshop::lines::parse;

/// Run the command on a file; return its lines by the number of their game.
fn label(scratch: &Scratch, file: &str, more: &str) -> Vec<LabelledGame> {
    scratch.run(&format!("label {file} --games 2 --seed 8 {more}")).expect(0, "");
    let mut games = parse::<LabelledGame>(scratch.read(file).as_bytes()).expect("games").records;
    games.sort_by_key(|line| line.game);
    games
}

#[test]
fn games_are_labelled_right_and_the_same_each_time() {
    let scratch = Scratch::new("label");
    let games = label(&scratch, "one", "");
    assert_eq!(games.iter().map(|line| line.game).collect::<Vec<_>>(), [0, 1]);
    let mut solver = Solver::default();
    let mut value = |position: &Position| solver.value(position, 0, &Limits::NONE).exact();
    let (mut values, mut aside) = (0, 0);
    for line in &games {
        let game = record(&line.record);
        for &(plies, exact) in &line.values {
            assert_eq!(value(game.until(plies).position()), Some(exact), "{line:?}");
            values += 1;
        }
        for (plies, moves, exact) in &line.aside {
            let strayed = record(&format!("{} {moves}", game.until(*plies)));
            assert!((15..=19).contains(&strayed.position().empty().len()), "{line:?}");
            assert_eq!(value(strayed.position()), Some(*exact), "{line:?}");
            aside += 1;
        }
    }
    // The second of them without positions aside.
    assert!(values >= 4 && aside == 4 && games[1].aside.is_empty(), "{values} and {aside}");

    assert_eq!(label(&scratch, "two", "--concurrency 2"), games);
    // A run that was cut off in the middle of a line.
    let whole = scratch.read("one");
    scratch.write("cut", &whole[..whole.find('\n').expect("a line") + 40]);
    assert_eq!(label(&scratch, "cut", ""), games);

    let other = scratch.run("label one --games 2 --seed 7");
    other.refused("found games of the seed 8, expected 7");
    assert_eq!(scratch.read("one"), whole);
    let onto_itself = scratch.shell(&format!("{BLACKHOLE} label new --games 1 >new"));
    onto_itself.refused("another file than standard output");
}
