//! Tests of a node's moves without search. Each may prove a win and return its certificate, or rule moves
//! out.

use crate::alpha::state::{indices, HandSums, View, MOVER, OTHER};
use crate::board::Stone;
use crate::evaluation::{Scales, WORK};
use crate::simd::Simd;

use super::certificate::{counts, Certificate};
use super::conclusions::win;
use super::judgement::{certify, Judgement, CHILD_FOCUS};
use super::key::Key;
use super::ordering::rate_move;
use super::workspace::{MoveMasks, OpenMove, ProofNode, Solver, KILLERS};

/// The need up to which the children of killer moves, and the most promising ones, are tested for focus: at
/// 6 or 7 a test seldom finds a win.
const KILLER_FOCUS: i32 = 5;
const CHILD_DEEP_FOCUS: i32 = 5;

/// Try the killer moves of this ply.
#[inline(always)]
pub fn try_killers<S: Simd>(solver: &mut Solver, node: &ProofNode) -> Option<Certificate> {
    for slot in 0..KILLERS {
        let (index, v) = solver.plies[node.ply].killers[slot];
        let stone = Stone::new(v).filter(|&stone| node.state.hands[MOVER].contains(stone));
        if stone.is_none() || node.state.empty >> index & 1 == 0 {
            continue;
        }
        let mv = (u32::from(index), v);
        let child = node.after(mv.0, v);
        let view = View { frame: node.frame, state: &child, sums: &HandSums::of(child.hands) };
        solver.nodes += 1;
        let mut judgement = Judgement::count::<S>(view);
        judgement.focus::<S>(view, OTHER, 1..=judgement.deep_focus(OTHER, KILLER_FOCUS));
        let proof = match judgement.winner {
            Some(OTHER) => Some(certify(view, OTHER, judgement.proof.as_ref())),
            Some(_) => None,
            None => known::<S>(solver, view, &Key::of(view, judgement.dead)),
        };
        if let Some(proof) = proof {
            return Some(win(solver, node, mv, proof));
        }
    }
    None
}

/// First test of all children: wins and losses by counting.
#[inline(always)]
pub fn count_children<S: Simd>(
    solver: &mut Solver,
    node: &ProofNode,
    moves: &mut MoveMasks,
) -> Option<Certificate> {
    let &ProofNode { frame, state, ply, .. } = node;
    let hand = state.hands[MOVER];
    for stone in hand.iter() {
        let v = stone.value();
        let sums = HandSums::of([state.hands[OTHER], hand.without(stone)]);
        solver.plies[ply].sums[v as usize & 15] = sums;
        for index in indices(moves.cells.played) {
            let i = (index & 31) as usize;
            if moves.refuted[i] >> v & 1 != 0 {
                moves.candidates[i] &= !(1 << v);
                continue;
            }
            let child = state.after(frame, index, stone);
            let view = View { frame, state: &child, sums: &sums };
            // The mover of the child is the other side.
            let [dead_other, dead_mover] = view.dead::<S>();
            solver.nodes += 1;
            if dead_mover.count_ones() as i32 > sums.count[MOVER] {
                return Some(win(solver, node, (index, v), certify(view, OTHER, None)));
            }
            if dead_other.count_ones() as i32 > sums.count[OTHER] {
                moves.lost[i] |= 1 << v;
                moves.candidates[i] &= !(1 << v);
            }
        }
    }
    None
}

/// Second test, of the moves left, large stones first: refined count, focus, rating. Lists the moves
/// to search in the ply.
#[inline(always)]
pub fn rate_children<S: Simd>(
    solver: &mut Solver,
    node: &ProofNode,
    moves: &mut MoveMasks,
) -> Option<Certificate> {
    let &ProofNode { frame, state, ply, undecided, .. } = node;
    let mut rest = state.hands[MOVER];
    while let Some(stone) = rest.largest() {
        rest = rest.without(stone);
        let v = stone.value();
        let sums = solver.plies[ply].sums[v as usize & 15];
        let scales = Scales::of(&sums, &WORK);
        for index in indices(moves.cells.played) {
            let i = (index & 31) as usize;
            if moves.candidates[i] >> v & 1 == 0 {
                continue;
            }
            let child = state.after(frame, index, stone);
            let view = View { frame, state: &child, sums: &sums };
            let mut judgement = Judgement::count::<S>(view);
            judgement.focus::<S>(view, MOVER, 1..=CHILD_FOCUS);
            judgement.focus::<S>(view, OTHER, 1..=CHILD_FOCUS);
            match judgement.winner {
                Some(OTHER) => {
                    let proof = certify(view, OTHER, judgement.proof.as_ref());
                    return Some(win(solver, node, (index, v), proof));
                }
                Some(_) => moves.lost[i] |= 1 << v,
                None => {
                    let influence = (frame.near[i] & undecided).count_ones() as i32;
                    let Key { stale_cells, hash, .. } = Key::of(view, judgement.dead);
                    let rating =
                        rate_move::<S>(view, &judgement, &scales, stale_cells, i32::from(v), influence);
                    // A side that lacks more than the other seldom wins by focus.
                    let [theirs, own] = judgement.need;
                    let deeper = own > CHILD_FOCUS && own <= CHILD_DEEP_FOCUS.min(theirs + 1);
                    let listed = OpenMove { rating, index: index as u8, stone: v, deeper, hash };
                    solver.plies[ply].open.push(listed);
                }
            }
        }
    }
    None
}

/// Third test, of the moves listed, the most promising first: the table, and for the first ten focus
/// on more cells.
#[inline(always)]
pub fn look_up_children<S: Simd>(solver: &mut Solver, node: &ProofNode) -> Option<Certificate> {
    for i in 0..solver.plies[node.ply].open.len() {
        let OpenMove { index, stone: v, deeper, hash, .. } = solver.plies[node.ply].open[i];
        let deeper = deeper && i < 10;
        if !deeper && !solver.shared.table.knows(hash, OTHER) {
            continue;
        }
        let mv = (u32::from(index), v);
        let child = node.after(mv.0, v);
        let sums = solver.plies[node.ply].sums[v as usize & 15];
        let view = View { frame: node.frame, state: &child, sums: &sums };
        let mut judgement = Judgement::count::<S>(view);
        let mut proof = known::<S>(solver, view, &Key::of(view, judgement.dead));
        if proof.is_none() && deeper {
            judgement.focus::<S>(view, OTHER, 1..=CHILD_DEEP_FOCUS);
            proof = judgement.proof.map(|focus| certify(view, OTHER, Some(&focus)));
        }
        if let Some(proof) = proof {
            return Some(win(solver, node, mv, proof));
        }
    }
    None
}

/// Return the certificate, if the table has one, of a child that the side that has just moved wins.
#[inline(always)]
fn known<S: Simd>(solver: &Solver, view: View, key: &Key) -> Option<Certificate> {
    let hands = view.state.hands;
    let counts = [counts(hands[MOVER]), counts(hands[OTHER])];
    let mut found = solver.shared.table.probe::<S>(view.state, key, counts, OTHER)?;
    key.restore(&mut found, view, OTHER);
    Some(found)
}
