//! The parts of the solver against exhaustive play, on the search's own states.
//!
//! Certificates are checked at their weakest state: the lowest scores and hands for which they
//! claim a win.

use std::sync::atomic::{AtomicBool, Ordering};

use rand::seq::SliceRandom;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::certificate::{
    capped, counts, covers, excess, larger, of_largest, smaller, up_to, Certificate, Counts, ANY, UNBOUNDED,
};
use super::conclusions::refute_again;
use super::dominance::PlayedCells;
use super::judgement::{certify, Judgement};
use super::key::Key;
use super::table::Table;
use super::workspace::{MoveMasks, ProofNode, CLOCK_EVERY};
use super::Solver;
use crate::alpha::state::{indices, Frame, HandSums, State, View, MOVER, OTHER};
use crate::alpha::Target;
use crate::board::{Hand, Player, Stone};
use crate::limits::Limits;
use crate::position::Position;
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

/// With other scores and hands on the same cells, moves that are refuted again lose by exhaustive play.
#[test]
fn moves_refuted_again_are_lost() {
    let mut rng = rng(61);
    let mut solver = Solver::new(1 << 20);
    let (mut again, mut lost) = (0, 0);
    for round in 0..6_000 {
        // Few sets of cells, so that they occur again.
        let mut same = crate::testing::rng(round / 40);
        let first = random_position(&mut same, 5 + round as usize / 40 % 2);
        let hands = [Player::Red, Player::Blue].map(|player| {
            let mut stones: Vec<Stone> = (1..=10).filter_map(Stone::new).collect();
            stones.shuffle(&mut rng);
            stones[..first.hand(player).len() as usize].iter().copied().collect::<Hand>()
        });
        let spread = rng.random_range(2..=12i8);
        let scores: [i8; 64] = std::array::from_fn(|_| rng.random_range(-spread..=spread));
        let position = Position::setup(first.empty(), hands, first.to_move()).expect("the same numbers");
        let position = position.with_scores(|cell| scores[cell.index()]);
        let (state, ply) = solver.enter(&position, Target::new(0), &Limits::NONE);
        let frame = solver.shared.frame.clone();
        let node = ProofNode::of::<Portable>(&solver, &frame, &state, ply);
        let played = PlayedCells::choose(node.view(), node.key.dead);
        let mut moves = MoveMasks::of(played, state.hands[MOVER]);
        refute_again::<Portable>(&mut solver, &node, &mut moves);
        for index in indices(state.empty) {
            for stone in state.hands[MOVER].iter() {
                let fails = wins(&solver.shared.frame, &state.after(&solver.shared.frame, index, stone));
                let refuted = moves.refuted[index as usize] >> stone.value() & 1 != 0;
                assert!(fails || !refuted, "{position:?}: {stone:?} on cell {index}");
                again += usize::from(refuted);
                lost += usize::from(fails);
            }
        }
        solver.reaches(&position, Target::new(0), &Limits::NONE);
    }
    // Not all by far: many positions are decided before a move is looked at, and leave nothing.
    assert!(again > 500 && lost > 2 * again, "{again} of {lost}");
}

#[test]
fn counts_compare_as_sorted_hands_do() {
    let mut rng = rng(24);
    let draw = |rng: &mut Xoshiro256PlusPlus, size: usize| {
        let mut values: Vec<u8> = (1..=15).collect();
        values.shuffle(rng);
        values.truncate(size);
        values.sort_unstable();
        values
    };
    let of = |values: &[u8]| counts(values.iter().filter_map(|&value| Stone::new(value)).collect::<Hand>());
    let nibble = |counts: Counts, k: u8| counts >> (4 * k) & 15;
    for _ in 0..20_000 {
        let size = rng.random_range(1..=15);
        let (a, b) = (draw(&mut rng, size), draw(&mut rng, size));
        let (a_counts, b_counts) = (of(&a), of(&b));
        assert_eq!(covers(a_counts, b_counts), a.iter().zip(&b).all(|(x, y)| x >= y));
        let (most, least) = (larger(a_counts, b_counts), smaller(a_counts, b_counts));
        let pairs = (1..=15).map(|k| (k, nibble(a_counts, k), nibble(b_counts, k)));
        assert!(pairs.clone().all(|(k, x, y)| nibble(most, k) == x.max(y) && nibble(least, k) == x.min(y)));
        let above = pairs.map(|(_, x, y)| x.saturating_sub(y)).sum::<u64>();
        assert_eq!(u64::from(excess(a_counts, b_counts)), above);
        // Bounds that allow as many stones, on the largest of a hand, are bounds on the hand.
        let most = rng.random_range(0..=size);
        let (top, tops) = (&a[size - most..], of(&b[size - most..]));
        let bound = of_largest(tops, most as u32, (size - most) as u32);
        assert_eq!(
            covers(bound, a_counts),
            covers(tops, capped(a_counts, most as u32)),
            "{a:?}, {b:?}, {most}"
        );
        assert_eq!(capped(a_counts, most as u32), top.iter().map(|&v| up_to(u32::from(v))).sum::<u64>());
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
