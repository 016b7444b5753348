//! The solver against brute force: every target near the value, both players to move, the table kept.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::prelude::*;

/// Compare every question about one position with the brute-force value.
fn check(solver: &mut Solver, position: &Position, guess: Score) {
    let none = Limits::NONE;
    let value = brute_value(position);
    for alpha in value - 6..=value + 6 {
        let target = Target::new(i32::from(alpha));
        let reaches = solver.reaches(position, target, &none);
        assert_eq!(reaches, Some(value >= target.alpha()), "α = {alpha}, value {value}, {position:?}");
    }
    assert_eq!(solver.value(position, guess, &none).exact(), Some(value), "{position:?}");
}

/// Check optimal moves and securing moves.
fn check_moves(solver: &mut Solver, position: &Position, guess: Score) {
    let none = Limits::NONE;
    let value = brute_value(position);
    let mover = position.to_move();
    let truth = brute_values(position);
    let worth = |mv| truth.iter().find(|&&(other, _)| other == mv).expect("a legal move").1;
    let solution = solver.solve(position, guess, &none);
    assert_eq!(solution.bounds.exact(), Some(value), "{position:?}");
    assert!(solution.complete);
    assert_eq!(solution.optimal.first().copied(), solution.best);
    for &mv in &solution.optimal {
        assert_eq!(worth(mv), value, "{mv} is listed as optimal in {position:?}");
    }
    // Known bounds change no result, and every bound reported on the way is true.
    for (below, above) in [(0, 0), (0, 3), (2, 0), (5, 1)] {
        let known = Bounds { lower: (value - below).max(-75), upper: (value + above).min(75) };
        let mut last = known;
        let report = &mut |bounds: Bounds| {
            assert!(last.lower <= bounds.lower && bounds.lower <= value, "{bounds:?} {position:?}");
            assert!(value <= bounds.upper && bounds.upper <= last.upper, "{bounds:?} {position:?}");
            last = bounds;
        };
        let found = solver.solve_from(position, (known, None), guess, &none, report);
        assert_eq!((found.bounds.exact(), found.complete), (Some(value), true), "{position:?}");
        let is_best = |&mv: &Move| worth(mv) == value;
        assert!(!found.optimal.is_empty() && found.optimal.iter().all(is_best), "{position:?}");
    }
    for alpha in value - 2..=value + 2 {
        let target = Target::new(i32::from(alpha));
        let secured = |score: Score| target.winner(score) == mover;
        let found = solver.securing_move(position, target, &none).expect("no limit");
        assert_eq!(found.is_some(), secured(value), "α = {alpha}, {position:?}");
        assert!(found.map_or(true, |mv| secured(worth(mv))), "α = {alpha}, {position:?}");
    }
}

/// Compare `rounds` positions of a seed, of sizes that repeat, the table kept; the moves of one in `moves`.
fn compare(seed: u64, rounds: usize, empty: fn(usize) -> usize, moves: usize) {
    let (mut rng, mut solver) = (rng(seed), Solver::new(1 << 20));
    for round in 0..rounds {
        let position = random_position(&mut rng, empty(round));
        check(&mut solver, &position, rng.random_range(-20..=20));
        if round % moves == 0 {
            check_moves(&mut solver, &position, rng.random_range(-20..=20));
        }
    }
}

#[test]
fn small_positions_agree_with_brute_force() {
    compare(11, 800, |round| 4 + round % 4, 1);
}

/// Compare the scores after all moves, each found by several workers at once with one table, with those that
/// a solver finds alone; then the optimal moves.
fn compare_workers(workers: &mut [Solver], alone: &mut Solver, position: &Position) {
    let none = Limits::NONE;
    let children: Vec<Position> = position.legal_moves().map(|mv| after(position, mv)).collect();
    let values: Vec<Bounds> = children.iter().map(|child| alone.value(child, 0, &none)).collect();
    Solver::share(workers, position);
    std::thread::scope(|scope| {
        for (n, worker) in workers.iter_mut().enumerate() {
            let (children, values) = (&children, &values);
            scope.spawn(move || {
                // Each begins with another move.
                for i in (0..children.len()).map(|i| (i + 5 * n) % children.len()) {
                    assert_eq!(worker.value(&children[i], 0, &none), values[i], "{:?}", children[i]);
                }
            });
        }
    });
    // One question with the help of the others.
    let (is_done, (first, others)) = (AtomicBool::new(false), workers.split_first_mut().expect("workers"));
    let solution = std::thread::scope(|scope| {
        for other in others.iter_mut() {
            scope.spawn(|| other.help(&none, || is_done.load(Ordering::Relaxed)));
        }
        let solution = first.solve(position, 0, &none);
        is_done.store(true, Ordering::Relaxed);
        solution
    });
    let worths = values.iter().map(|bounds| position.to_move().sign() * bounds.lower);
    let best = worths.max().map(|worth| position.to_move().sign() * worth);
    assert_eq!((solution.bounds.exact(), solution.complete), (best, true), "{position:?}");
    for (mv, bounds) in position.legal_moves().zip(&values) {
        assert!(!solution.optimal.contains(&mv) || bounds.exact() == best, "{mv} {position:?}");
    }
}

/// Compare values of random and real positions.
fn workers_agree(sizes: std::ops::Range<usize>, rounds: usize) {
    let (mut rng, mut alone) = (rng(64), Solver::new(1 << 20));
    let mut teams = [2, 4, 8].map(|count| (0..count).map(|_| Solver::new(1 << 20)).collect::<Vec<_>>());
    for round in 0..rounds {
        let empty = rng.random_range(sizes.clone());
        let real = &strong_positions(empty, 7)[round / 2 % 9];
        let position = if round % 2 == 0 { random_position(&mut rng, empty) } else { *real };
        compare_workers(&mut teams[round % 3], &mut alone, &position);
    }
}

#[test]
fn workers_with_one_table_agree_with_one_alone() {
    workers_agree(7..12, 60);
}

#[test]
#[ignore = "long: cargo test --release -p blackhole-player --test all solver -- --ignored"]
fn a_hundred_thousand_positions_agree_with_brute_force_and_200_000_among_workers() {
    compare(14, 100_000, |round| [9, 8, 8, 8, 8].get(round % 50).copied().unwrap_or(4 + round % 4), 7);
    workers_agree(8..14, 200_000);
}

/// Return the final score under best play by trying every legal move, without any skipping.
fn minimax(position: &Position) -> Score {
    let values = position.legal_moves().map(|mv| minimax(&after(position, mv)));
    let best = if position.to_move() == Player::Red { values.max() } else { values.min() };
    position.final_score().or(best).expect("a move or the end")
}

/// The reference for larger positions against the plainest one.
#[test]
fn alpha_beta_agrees_with_minimax() {
    let mut rng = rng(15);
    for round in 0..300 {
        let position = random_position(&mut rng, 2 + round % 5);
        assert_eq!(brute_value(&position), minimax(&position), "{position:?}");
    }
}

#[test]
fn limits_leave_usable_bounds() {
    let mut rng = rng(12);
    for _ in 0..100 {
        let position = random_position(&mut rng, 9);
        let value = Solver::new(1 << 20).value(&position, 0, &Limits::NONE).exact().expect("no limit");
        for nodes in [0, 1, 10, 100, 1_000] {
            let bounds = Solver::new(1 << 20).value(&position, 0, &Limits::nodes(nodes));
            assert!(bounds.lower <= value && value <= bounds.upper);
        }
        let mut solver = Solver::new(1 << 20);
        let stopped = solver.securing_move(&position, Target::new(i32::from(value)), &Limits::nodes(0));
        assert_eq!(stopped, None);
    }
}

/// No target is beyond ±75: Blue cannot be asked to keep the score below 76.
#[test]
fn every_move_keeps_the_worst_score_of_all() {
    let cells: CellSet = ["A1", "C1", "E1", "A5"].into_iter().filter_map(Cell::parse).collect();
    for (mover, score) in [(Player::Red, -75), (Player::Blue, 75)] {
        let count = |player| if player == mover { 2 } else { 1 };
        let hands = Player::BOTH.map(|player| (1..=count(player)).map(Stone::from_bit).collect());
        let position = Position::setup(cells, hands, mover).expect("the numbers fit").with_scores(|_| score);
        let solution = Solver::new(1 << 16).solve(&position, 0, &Limits::NONE);
        assert_eq!((solution.bounds.exact(), solution.complete), (Some(score), true));
        assert_eq!(solution.optimal.len(), position.legal_moves().count());
        assert!(position.legal_moves().all(|mv| solution.optimal.contains(&mv)));
    }
}
