//! The conclusions about a node's moves: a move refuted, a win by a move, the loss of all.
//!
//! *Sibling pruning.* When W has refuted a stone of X on a cell with a certificate, a larger stone
//! on the same cell is refuted if its scores satisfy the same certificate: the other requirements
//! are met, as X's hand is then smaller. A smaller stone is refuted if the certificate allows the
//! hand it leaves X, which has the larger one instead: W's scores are then no worse.

use crate::alpha::state::{flip, indices, View, MOVER, OTHER};
use crate::board::Stone;
use crate::simd::Simd;

use super::certificate::{at_most_above, counts, covers, smaller, with_rank, Certificate, ANY};
use super::judgement::certify;
use super::workspace::{MoveMasks, Ply, ProofNode, Refutation, Solver, KILLERS, NO_MOVE};

/// Return the largest stone of X next to the cells `near`, 0 for none, after which W's `scores` still
/// satisfy `proof`, a certificate of the position after such a stone.
#[inline(always)]
fn largest_allowed(near: u32, proof: &Certificate, scores: impl Fn(u32) -> i32) -> u32 {
    let mut largest = 15;
    for near in indices(near) {
        let least = proof.required.0[(near & 31) as usize];
        if least != ANY {
            largest = largest.min(scores(near) - i32::from(least));
        }
    }
    largest as u32
}

/// Note that `proof`, of the position after a stone on a cell, refutes this stone on the cell, the larger
/// ones up to the scores' limit, and the smaller ones whose hand the proof allows.
#[inline(always)]
pub fn refute(
    ply: &mut Ply,
    node: &ProofNode,
    moves: &mut MoveMasks,
    (index, stone): (u32, u8),
    proof: &Certificate,
) {
    let hand = node.state.hands[MOVER];
    let i = (index & 31) as usize;
    let others = (moves.candidates[i] | moves.lost[i]) & !moves.refuted[i];
    let largest = largest_allowed(node.view().near(index), proof, |near| node.state.score(OTHER, near));
    debug_assert!(largest >= u32::from(stone));
    let below_it = (1u16 << stone) - 1;
    let mut covered = others & ((2u32 << largest) - 1) as u16 & !below_it | 1 << stone;
    let most = 15 - covered.leading_zeros();
    moves.joined.join_after(proof, node.frame, index, most as u8);
    // Each smaller stone leaves a better hand.
    let mut below = others & below_it;
    while let Some(next) = below.checked_ilog2() {
        let rest = hand.without(Stone::new(next as u8).expect("a stone of the hand"));
        if !covers(proof.loser, counts(rest)) {
            break;
        }
        below &= !(1 << next);
        covered |= 1 << next;
    }
    moves.refuted[i] |= covered;
    let ranks = [most, covered.trailing_zeros()].map(|value| (hand.bits() >> value).count_ones() as u8);
    ply.refutations.push(Refutation { index, ranks, proof: *proof });
}

/// Refute candidates by the refutations that are stored for a node's empty cells, the latest first.
#[inline(always)]
pub fn refute_again<S: Simd>(solver: &mut Solver, node: &ProofNode, moves: &mut MoveMasks) {
    let state = node.state;
    let Solver { refutations, plies, .. } = solver;
    for (index, proof) in refutations.latest(state) {
        let open = moves.candidates[index as usize] & !moves.refuted[index as usize];
        if open == 0
            || !covers(node.counts[OTHER], proof.winner)
            || !S::row_covers(&state.scores, flip(OTHER), &proof.required)
        {
            continue;
        }
        // The largest stone leaves the worst hand.
        let largest = largest_allowed(node.view().near(index), &proof, |near| state.score(OTHER, near));
        let fit = u32::from(open) & ((2 << largest) - 1);
        let Some(stone) = fit.checked_ilog2().and_then(|value| Stone::new(value as u8)) else { continue };
        if covers(proof.loser, counts(state.hands[MOVER].without(stone))) {
            refute(&mut plies[node.ply], node, moves, (index, stone.value()), &proof);
        }
    }
}

/// Note that a move wins, by the certificate of its child; return the node's certificate.
#[inline(always)]
pub fn win(
    solver: &mut Solver,
    node: &ProofNode,
    (index, stone): (u32, u8),
    mut proof: Certificate,
) -> Certificate {
    proof.before_winner(node.frame, index, stone);
    let mv = (index as u8, stone);
    if node.ply == solver.root {
        solver.best = Some(mv);
    }
    // The move goes to the front, the others back by one, the last out.
    let killers = &mut solver.plies[node.ply].killers;
    let place = killers.iter().position(|&killer| killer == mv).unwrap_or(KILLERS - 1);
    killers[..=place].rotate_right(1);
    killers[0] = mv;
    keep(solver, node, MOVER, mv, &proof);
    proof
}

/// Note that every move of the mover is refuted; return the certificate, which joins those of all moves, also
/// of moves lost without a search, and the reasons for leaving out cells.
#[inline(always)]
pub fn lose<S: Simd>(solver: &mut Solver, node: &ProofNode, moves: &mut MoveMasks) -> Certificate {
    let ply = &mut solver.plies[node.ply];
    for stone in node.state.hands[MOVER].iter() {
        let v = stone.value();
        let sums = ply.sums[v as usize & 15];
        for index in indices(moves.cells.played) {
            if moves.lost[index as usize] & !moves.refuted[index as usize] & 1 << v != 0 {
                let child = node.after(index, v);
                let lost = certify(View { frame: node.frame, state: &child, sums: &sums }, MOVER, None);
                refute(ply, node, moves, (index, v), &lost);
            }
        }
    }
    moves.cells.complete(&mut moves.joined, node.view());
    bound_loser(ply, node, &mut moves.joined);
    let proof = moves.joined;
    debug_assert!(proof.holds::<S>(&node.state.scores, OTHER, node.counts[OTHER], node.counts[MOVER]));
    keep(solver, node, OTHER, NO_MOVE, &proof);
    proof
}

/// Bound the hands for which the certificate of the mover's loss holds, given its other requirements: each
/// refutation must answer the stones of its ranks.
#[inline(always)]
fn bound_loser(ply: &Ply, node: &ProofNode, joined: &mut Certificate) {
    for refutation in &ply.refutations {
        let [first, last] = refutation.ranks.map(u32::from);
        let stood = |near: u32| i32::from(joined.required.0[(near & 31) as usize]);
        let most = largest_allowed(node.view().near(refutation.index), &refutation.proof, stood);
        joined.loser = smaller(joined.loser, with_rank(refutation.proof.loser, last));
        joined.loser = smaller(joined.loser, at_most_above(most, first - 1));
    }
}

/// Put the certificate of a node into the table, with the mover's winning move.
#[inline(always)]
fn keep(solver: &mut Solver, node: &ProofNode, winner: usize, mv: (u8, u8), proof: &Certificate) {
    if node.key.pairs > 0 {
        // The table holds certificates for states without pairs.
        return;
    }
    let work = solver.nodes - node.entered_with;
    if let Some(stored) = node.key.strip(proof, node.view(), winner) {
        solver.shared.table.store(&node.key, winner, mv, &stored, work);
    }
}
