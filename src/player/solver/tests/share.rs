//! Solvers that share what they know: threads that answer a question together, and files.

use std::io::ErrorKind;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use super::*;

/// Return a solver of three threads that begin at once and share even small nodes.
fn crowd() -> Solver {
    let mut solver = Solver::with_shapes(1 << 22, 1 << 22).threads(3);
    (solver.alone, solver.shared_from) = (0, 3);
    solver
}

#[test]
fn threads_find_what_one_finds() {
    let mut rng = rng(32);
    let mut crowd = crowd();
    let mut alone = Solver::new(1 << 22);
    for round in 0..150 {
        let position = random_position(&mut rng, 11 + round % 4);
        let what = format!("{position:?}");
        let expected = alone.solve(&position, 0, &Limits::NONE);
        let found = crowd.solve(&position, rng.random_range(-9..=9), &Limits::NONE);
        assert_eq!(found.bounds, expected.bounds, "{what}");
        assert!(found.complete && found.best.is_some_and(|best| expected.optimal.contains(&best)), "{what}");
        assert!(found.optimal.iter().all(|mv| expected.optimal.contains(mv)), "{what}");
        assert_eq!(found.optimal.len(), expected.optimal.len(), "{what}");
    }
    assert!(crowd.partners.iter().all(|partner| partner.nodes() > 10_000), "all have worked");
}

#[test]
fn threads_share_the_classic_board() {
    let mut crowd = crowd();
    let mut alone = Solver::new(1 << 22);
    let mut rng = rng(33);
    for _ in 0..40 {
        let mut position = Position::classic();
        crowd.search.winner(&position, Target::new(60), &Limits::NONE);
        for _ in 0..6 {
            let moves: Vec<Move> = position.legal_moves().collect();
            position = position.after::<Portable>(moves[rng.random_range(0..moves.len())]);
        }
        let value = alone.value(&position, 0, &Limits::NONE);
        assert_eq!(crowd.value(&position, 0, &Limits::NONE), value, "{position:?}");
    }
}

#[test]
fn threads_keep_to_limits() {
    let mut rng = rng(34);
    for round in 0..200 {
        let position = random_position(&mut rng, 12);
        let value = Solver::new(1 << 20).value(&position, 0, &Limits::NONE).exact().expect("no limit");
        let nodes = [0, 10, 1_000, 3_000][round % 4];
        let mut crowd = crowd();
        let bounds = crowd.value(&position, 0, &Limits::nodes(nodes));
        assert!(bounds.lower <= value && value <= bounds.upper, "{bounds:?}, {value}");
        // Every thread may finish the node that it is at.
        assert!(crowd.nodes() <= nodes + 3 * 400, "{} nodes, at most {nodes}", crowd.nodes());
    }
}

/// While a thread replaces a win of one side by one of the other, again and again, another never takes one for
/// the other, nor parts of both for a whole.
#[test]
fn a_win_is_never_taken_for_the_other_sides() {
    let mut rng = rng(36);
    let mut frame = Frame::new();
    frame.admit(Position::classic().empty());
    let seen = |position: &Position| {
        let state = frame.state(position, Target::new(0));
        (state, Key::of(&frame, &state, dead::<Portable>(&state, &Sums::of(state.hands))))
    };
    let (state, key) = seen(&Position::classic());
    // One bucket, full of more work than what is replaced.
    let table = Table::new(0);
    for _ in 0..WAYS - 1 {
        let moves: Vec<Move> = Position::classic().legal_moves().collect();
        let position = Position::classic().after::<Portable>(moves[rng.random_range(0..moves.len())]);
        let (state, key) = seen(&position);
        table.store::<Portable>(
            &key,
            OTHER,
            (0, 0),
            &Certificate { loser: counts(state.hands[MOVER]), ..Certificate::NONE },
            1_000,
        );
    }
    let own = [counts(state.hands[MOVER]), counts(state.hands[OTHER])];
    let mut wins =
        [0, 1].map(|side: usize| Certificate { loser: counts(state.hands[1 - side]), ..Certificate::NONE });
    // The sides' wins differ in every cell.
    for (win, least) in wins.iter_mut().zip([-9, -8]) {
        lanes(state.empty).for_each(|lane| win.require(lane, least));
    }
    let enough = AtomicBool::new(false);
    let found = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !enough.load(Relaxed) {
                for (side, win) in wins.iter().enumerate() {
                    table.store::<Portable>(&key, side, (1, 1), win, 1);
                }
            }
        });
        // On a crowded machine one of them may be there for long.
        let mut found = [0; 2];
        for look in 0..100_000_000 {
            if look > 300_000 && found.iter().all(|&count| count > 100) {
                break;
            }
            let wanted = look % 2;
            if let Some(win) = table.probe::<Portable>(&state, &key, own, wanted) {
                // A panic here would leave the writer writing.
                if lanes(state.empty).any(|lane| win.least.0[lane as usize] != [-9, -8][wanted]) {
                    found = [0; 2];
                    break;
                }
                found[wanted] += 1;
            }
        }
        enough.store(true, Relaxed);
        found
    });
    assert!(found.iter().all(|&count| count > 100), "one taken for another, or not found: {found:?}");
}

/// A thread that fails leaves the question to the others, and works on the next.
#[test]
fn a_thread_that_panics_does_no_harm() {
    let position = random_position(&mut rng(35), 9);
    let mut crowd = crowd();
    let target = Target::new(0);
    let expected = Solver::new(1 << 20).reaches(&position, target, &Limits::NONE);
    let main = std::thread::current().id();
    for failing in 0..2 {
        let partners = AtomicUsize::new(0);
        let first_look = AtomicBool::new(true);
        let winner = crowd.ask(&Limits::NONE, |search, limits| {
            // The first look, by one thread, is given up.
            if first_look.swap(false, Relaxed) {
                return None;
            }
            let partner = std::thread::current().id() != main;
            assert!(!partner || partners.fetch_add(1, Relaxed) != failing, "as the test wants");
            search.winner(&position, target, limits)
        });
        assert_eq!(winner.map(|winner| winner == Player::Red), expected);
        assert_eq!(crowd.reaches(&position, target, &Limits::NONE), expected);
    }
}

/// Return what a solver of one thread knows, written.
fn written(solver: &Solver) -> Vec<u8> {
    let mut bytes = Vec::new();
    solver.save(&mut bytes).expect("a vector takes all");
    bytes
}

#[test]
fn what_was_saved_is_known_again() {
    let mut rng = rng(37);
    let make = || Solver::with_shapes(1 << 20, 1 << 20);
    for round in 0..20 {
        // On the classic board, the second table has entries as well.
        let mut position = if round % 2 == 0 { random_position(&mut rng, 13) } else { Position::classic() };
        while position.empty().len() > 13 {
            let moves: Vec<Move> = position.legal_moves().collect();
            position = position.after::<Portable>(moves[rng.random_range(0..moves.len())]);
        }
        let mut first = make();
        let target = Target::new(0);
        // Forgotten, and not saved.
        first.value(&random_position(&mut rng, 9), 0, &Limits::NONE);
        first.clear();
        first.reaches(&Position::classic(), Target::new(60), &Limits::NONE);
        let expected = first.reaches(&position, target, &Limits::NONE);
        let bytes = written(&first);
        let mut second = make().threads(2);
        second.value(&random_position(&mut rng, 10), 0, &Limits::NONE);
        second.load(&mut bytes.as_slice()).expect("written by one like it");
        assert!(written(&second) == bytes, "nothing more, nothing less");
        let before = second.nodes();
        assert_eq!(second.reaches(&position, target, &Limits::NONE), expected, "{position:?}");
        assert!(second.nodes() - before <= 1, "it was known: {} nodes", second.nodes() - before);
    }
}

#[test]
fn what_no_such_solver_has_saved_is_refused() {
    let mut solver = Solver::with_shapes(1 << 16, 1 << 16);
    let position = random_position(&mut rng(38), 10);
    let value = solver.value(&position, 0, &Limits::NONE);
    let bytes = written(&solver);
    let refused = |solver: &mut Solver, bytes: &[u8], expected: &str| {
        let error = solver.load(&mut &bytes[..]).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}, expected {expected}");
        // Nothing is known.
        assert!(written(solver) == written(&Solver::with_shapes(1 << 16, 1 << 16)));
    };
    let with = |word: usize, value: u64| {
        let mut bytes = bytes.clone();
        bytes[8 * word..][..8].copy_from_slice(&value.to_le_bytes());
        bytes
    };
    for length in (0..bytes.len()).step_by(bytes.len() / 100) {
        refused(&mut solver, &bytes[..length], "fill whole buffer");
    }
    refused(&mut solver, &with(0, 1), "not written by a solver");
    refused(&mut solver, &with(1, 1), "unproven rule");
    refused(&mut solver, &with(3, 64), "cell 64");
    refused(
        &mut solver,
        &with(4, u64::from_le_bytes(bytes[24..32].try_into().expect("8"))),
        "numbered before",
    );
    // Another cell that there is, and that is not numbered.
    let other = Cell::all()
        .find(|cell| !solver.search.frame().cells().contains(cell))
        .expect("36 cells, 10 numbered");
    for place in 3..13 {
        refused(&mut solver, &with(place, other.index() as u64), "cells are not as they were written");
    }
    refused(&mut solver, &with(14, 99), "99 entries a bucket");
    refused(&mut solver, &with(15, 99), "99 words an entry");
    refused(&mut solver, &with(16, 99), "99 buckets");
    refused(&mut solver, &with(17, u64::MAX - 1), "an entry at place");
    let mut other = Solver::with_shapes(1 << 17, 1 << 16);
    assert_eq!(other.load(&mut bytes.as_slice()).expect_err("another size").kind(), ErrorKind::InvalidData);
    solver.load(&mut bytes.as_slice()).expect("as it was written");
    assert_eq!(solver.value(&position, 0, &Limits::NONE), value);
}

#[test]
fn entries_that_were_changed_on_file_prove_nothing() {
    let mut rng = rng(39);
    for _ in 0..100 {
        let position = random_position(&mut rng, 10);
        let mut solver = Solver::with_shapes(1 << 16, 0);
        let value = solver.value(&position, 0, &Limits::NONE);
        let mut bytes = written(&solver);
        // Every entry claims the win for the other side, as does its tag. The entries begin after 17 words, and end
        // before the end of the first table and the second one.
        let entries = 8 * 17..bytes.len() - 8 * 5;
        for entry in bytes[entries].chunks_exact_mut(8 * 10) {
            entry[8 + 1] ^= 1 << 7;
            entry[8 * 9 - 1] ^= 1 << 7;
        }
        solver.load(&mut bytes.as_slice()).expect("in form");
        assert_eq!(solver.value(&position, 0, &Limits::NONE), value, "{position:?}");
    }
}
