//! The parts of the solver against exhaustive play, on the search's own states.
//!
//! Certificates are checked at their weakest state: the lowest scores and hands for which they
//! claim a win.

use std::sync::atomic::{AtomicBool, Ordering};

use super::certificate::{counts, Certificate, Counts, ANY, UNBOUNDED};
use super::judgement::{certify, Judgement};
use super::key::Key;
use super::table::Table;
use super::workspace::CLOCK_EVERY;
use super::Solver;
use crate::alpha::state::{indices, Frame, HandSums, State, View, MOVER, OTHER};
use crate::alpha::Target;
use crate::board::Stone;
use crate::limits::Limits;
use crate::simd::Portable;
use crate::testing::{random_position, rng};

/// Exhaustive play with hands as lists, in which a stone may occur twice; scores from the mover's
/// side.
fn mover_wins(near: &[u32; 32], scores: &[i32; 32], empty: u32, hands: [&[u8]; 2]) -> bool {
    if empty.count_ones() == 1 {
        return scores[empty.trailing_zeros() as usize] >= 0;
    }
    let [own, other] = hands;
    for (i, &stone) in own.iter().enumerate() {
        let mut rest = own.to_vec();
        rest.remove(i);
        for index in indices(empty) {
            let mut next = scores.map(|score| -1 - score);
            for beside in indices(near[index as usize] & empty) {
                next[beside as usize] -= i32::from(stone);
            }
            if !mover_wins(near, &next, empty & !(1 << index), [other, &rest]) {
                return true;
            }
        }
    }
    false
}

/// Tell whether the mover of a state wins by exhaustive play.
fn wins(frame: &Frame, state: &State) -> bool {
    let scores = std::array::from_fn(|index| state.score(MOVER, index as u32));
    let hands = state.hands.map(|hand| hand.iter().map(Stone::value).collect::<Vec<u8>>());
    mover_wins(&frame.near, &scores, state.empty, [&hands[MOVER], &hands[OTHER]])
}

/// Return the largest stone of each rank that counts allow, 1 at least: the weakest hand of `size`
/// stones with at least these counts, or the strongest with at most these.
fn hand_of(counts: Counts, size: u32) -> Vec<u8> {
    let count = |k: u32| (counts >> (4 * k) & 15) as u32;
    (1..=size).map(|rank| (1..=15).rev().find(|&k| count(k) >= rank).unwrap_or(1) as u8).collect()
}

/// Check that a certificate covers its state, and is true at its weakest.
fn check(frame: &Frame, state: &State, side: usize, certificate: &Certificate, what: &str) {
    let [mover, other] = [counts(state.hands[MOVER]), counts(state.hands[OTHER])];
    let (own, enemy) = if side == MOVER { (mover, other) } else { (other, mover) };
    assert!(certificate.holds::<Portable>(&state.scores, side, own, enemy), "{what}: does not cover");
    let mut scores = [0; 32];
    for index in indices(state.empty) {
        let least = certificate.required.0[index as usize];
        // Beyond -76 nothing changes.
        let least = if least == ANY { -76 } else { i32::from(least) };
        scores[index as usize] = if side == MOVER { least } else { -1 - least };
    }
    let winner = hand_of(certificate.winner, state.hands[side].len());
    let loser = hand_of(certificate.loser, state.hands[1 - side].len());
    let hands: [&[u8]; 2] = if side == MOVER { [&winner, &loser] } else { [&loser, &winner] };
    let won = mover_wins(&frame.near, &scores, state.empty, hands) == (side == MOVER);
    assert!(won, "{what}: false at its weakest state: {certificate:?} of side {side}");
}

/// X's taking a cell next to several held ones makes demands on W's plan on fuller boards only.
#[test]
fn static_wins_and_their_certificates_are_true() {
    let mut rng = rng(21);
    let mut found = [0; 8];
    for round in 0..50_000 {
        let position = random_position(&mut rng, 4 + round % 5);
        let (frame, state) = Frame::around(&position, Target::new(0));
        let view = View { frame: &frame, state: &state, sums: &HandSums::of(state.hands) };
        for side in [MOVER, OTHER] {
            let mut judgement = Judgement::count::<Portable>(view);
            let by_count = judgement.winner.is_some();
            // Focus on few cells is tried on small boards, where exhaustive play is quick.
            judgement.focus::<Portable>(view, side, if round % 5 < 3 { 1 } else { 3 }..=7);
            if judgement.winner == Some(side) && (!by_count || round % 5 < 3) {
                let proof = judgement.proof.filter(|_| round % 2 == 0);
                let certificate = certify(view, side, proof.as_ref());
                check(&frame, &state, side, &certificate, &format!("{position:?}"));
                found[judgement.need[side].clamp(0, 7) as usize] += 1;
            }
        }
    }
    // Wins by counting, and by focus on one cell and more.
    assert!(found[0] > 1_000 && found[1] > 500 && found[3] > 500 && found[4] > 20, "{found:?}");
}

#[test]
fn certificates_of_searches_are_true() {
    let mut rng = rng(22);
    let mut solver = Solver::new(1 << 20);
    for round in 0..100_000 {
        // Seven cells now and then: exhaustive play takes its time.
        let empty = if round % 40 == 0 { 7 } else { 4 + round % 3 };
        let position = random_position(&mut rng, empty);
        let (state, side, certificate) =
            solver.ask(&position, Target::new(0), &Limits::NONE, false).expect("no limit");
        check(&solver.shared.frame, &state, side, &certificate, &format!("{position:?}"));
    }
}

/// A proof for the state without pairs of stale cells, one of each side, is one for the state once it is restored.
#[test]
fn pairs_of_stale_cells_cancel() {
    let (mut rng, mut cancelled) = (rng(35), 0);
    for round in 0..30_000 {
        let position = random_position(&mut rng, 5 + round % 3);
        let (frame, state) = Frame::around(&position, Target::new(0));
        let view = View { frame: &frame, state: &state, sums: &HandSums::of(state.hands) };
        let key = Key::of(view, view.dead::<Portable>());
        let Some(rest) = key.cancel::<Portable>(view) else { continue };
        let side = if wins(&frame, &rest) { MOVER } else { OTHER };
        let [winner, loser] = [side, 1 - side].map(|of| counts(rest.hands[of]));
        let mut proof = Certificate { winner, loser, ..Certificate::NONE };
        indices(rest.empty).for_each(|index| proof.require(index, rest.score(side, index)));
        key.restore(&mut proof, view, side);
        check(&frame, &state, side, &proof, &format!("{position:?}"));
        cancelled += 1;
    }
    assert!(cancelled > 500, "{cancelled}");
}

/// An entry is found, by its winner only; one that the hands miss narrowly is a near miss, if its move is
/// legal; nothing is found after clearing.
#[test]
fn the_table_finds_what_it_keeps() {
    let mut rng = rng(25);
    let mut solver = Solver::new(1 << 20);
    let mut table = Table::new(1 << 16);
    for round in 0..2_000 {
        let position = random_position(&mut rng, 4 + round % 3);
        let (state, side, certificate) =
            solver.ask(&position, Target::new(0), &Limits::NONE, false).expect("no limit");
        let view = View { frame: &solver.shared.frame, state: &state, sums: &HandSums::of(state.hands) };
        let key = Key::of(view, view.dead::<Portable>());
        // The table holds certificates for states without pairs.
        let stored = if key.pairs > 0 { None } else { key.strip(&certificate, view, side) };
        let Some(mut stored) = stored else { continue };
        let own = state.hands.map(counts);
        let found = |table: &Table, winner| table.probe::<Portable>(&state, &key, own, winner).is_some();
        table.clear();
        assert!(!found(&table, MOVER) && !found(&table, OTHER), "forgotten");
        let stone = state.hands[MOVER].smallest().expect("a stone to play").value();
        let index = state.empty.trailing_zeros();
        table.store(&key, side, (index as u8, stone), &stored, 1);
        assert!(found(&table, side) && !found(&table, 1 - side), "{position:?}");
        if side != MOVER {
            continue;
        }
        for (more, v) in [(1, stone), (8, stone), (9, stone), (1, stone % 15 + 1)] {
            // More stones than the mover has.
            stored.winner = own[MOVER] + (more << 4);
            table.clear();
            table.store(&key, MOVER, (index as u8, v), &stored, 1);
            let legal = Stone::new(v).is_some_and(|stone| state.hands[MOVER].contains(stone));
            let near = table.near_miss::<Portable>(&state, &key, own);
            assert_eq!(near.is_some(), more <= 8 && legal, "{position:?}, {more} more");
        }
    }
}

/// An entry is no proof if another worker has begun to change it, or changes it while it is read.
#[test]
fn an_entry_that_changes_proves_nothing() {
    let (frame, state) = Frame::around(&random_position(&mut rng(38), 8), Target::new(0));
    let view = View { frame: &frame, state: &state, sums: &HandSums::of(state.hands) };
    let (table, key) = (Table::new(0), Key::of(view, view.dead::<Portable>()));
    let found = |meanwhile: &dyn Fn()| {
        let suits = |_: &Certificate| {
            meanwhile();
            true
        };
        table.find(&key, MOVER, [UNBOUNDED, 0], suits).is_some()
    };
    let store = || table.store(&key, MOVER, (0, 1), &Certificate::NONE, 0);
    store();
    assert!(found(&|| ()) && !found(&store), "the second changes with the first");
    // Costs and versions of the first four.
    let version = &table.bucket(key.hash)[8];
    version.fetch_add(1 << 8, Ordering::Relaxed);
    store();
    assert!(!found(&|| ()), "no one else may begin");
    version.fetch_add(1 << 8, Ordering::Relaxed);
    assert!(found(&|| ()));
}

#[test]
fn a_look_at_the_clock_once_in_128_children_counts_for_all_that_follows() {
    static STOP: AtomicBool = AtomicBool::new(false);
    let limits = Limits { stop: Some(&STOP), ..Limits::NONE };
    let mut solver = Solver::new(1 << 20);
    solver.enter(&random_position(&mut rng(37), 8), Target::new(0), &limits);
    assert!(!solver.poll_limits());
    STOP.store(true, Ordering::Relaxed);
    for (children, stopped) in [(0, false), (CLOCK_EVERY - 1, false), (1, true)] {
        solver.nodes += children;
        assert_eq!(solver.poll_limits(), stopped, "{children}");
    }
    // A look within a try of few nodes counts for all that follows.
    assert!(solver.poll_limits());
}
