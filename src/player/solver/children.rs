//! Tests of the moves of a node that need no search: each may end the node with a win, of which it
//! returns the certificate, or leave moves out.

use crate::board::Stone;
use crate::simd::Simd;

use super::certificate::{counts, Certificate};
use super::dominance::LeftOut;
use super::judgement::{certify, count, dead, deep_focus, focuses, CHILD_FOCUS};
use super::key::Key;
use super::ordering::{rate, Scales};
use super::outcome::win;
use super::state::{indices, HandSums, State, MOVER, OTHER};
use super::workspace::{Listed, Moves, ProofNode, ProofSearch, HINTS};

/// The need up to which the children of hints, and the most promising ones, are tested for focus: at
/// 6 or 7, few looks find a win.
const HINT_FOCUS: i32 = 5;
const CHILD_DEEP_FOCUS: i32 = 5;

/// Try the moves that won last at this ply, before any other is looked at.
#[inline(always)]
pub fn try_hints<S: Simd>(search: &mut ProofSearch, node: &ProofNode) -> Option<Certificate> {
    for slot in 0..HINTS {
        let (index, v) = search.plies[node.ply].hints[slot];
        let stone = Stone::new(v).filter(|&stone| node.state.hands[MOVER].contains(stone));
        let Some(stone) = stone.filter(|_| node.state.empty >> index & 1 != 0) else { continue };
        let child = node.state.after(&search.frame, u32::from(index), stone);
        let after = HandSums::of(child.hands);
        search.nodes += 1;
        let judgement = count::<S>(&search.frame, &child, &after);
        if judgement.winner == Some(MOVER) {
            continue;
        }
        let key = Key::of(&search.frame, &child, judgement.dead);
        let needs = 1..=deep_focus(&judgement, OTHER, HINT_FOCUS);
        let focused = focuses::<S>(&search.frame, &child, &after, &judgement, OTHER, needs);
        let proof = if judgement.winner == Some(OTHER) || focused.is_some() {
            certify(&search.frame, &child, &after, OTHER, focused.as_ref())
        } else if let Some(known) = known::<S>(search, &child, &after, &key) {
            known
        } else {
            continue;
        };
        return Some(win(search, node, proof, u32::from(index), v));
    }
    None
}

/// First test of all children: dead cells, wins by counting, stone dominance.
#[inline(always)]
pub fn count_children<S: Simd>(
    search: &mut ProofSearch,
    node: &ProofNode,
    moves: &mut Moves,
) -> Option<Certificate> {
    let &ProofNode { state, ply, .. } = node;
    let hand = state.hands[MOVER];
    let mut smaller = 0usize;
    for stone in hand.iter() {
        let v = stone.value();
        let after = HandSums::of([state.hands[OTHER], hand.without(stone)]);
        search.plies[ply].sums[v as usize & 15] = after;
        for index in indices(moves.cells.played) {
            let i = (index & 31) as usize;
            if moves.refuted[i] >> v & 1 != 0 {
                moves.worth[i] &= !(1 << v);
                continue;
            }
            let child = state.after(&search.frame, index, stone);
            // The mover of the child is the other side.
            let [dead_other, dead_mover] = dead::<S>(&child, &after);
            search.nodes += 1;
            if dead_mover.count_ones() as i32 > after.count[MOVER] {
                let proof = certify(&search.frame, &child, &after, OTHER, None);
                return Some(win(search, node, proof, index, v));
            }
            search.plies[ply].dead[v as usize & 15][i] = dead_mover;
            let near = search.frame.near[i];
            // One that is refuted already has not been judged.
            if smaller > 0 && moves.refuted[i] >> smaller & 1 == 0 {
                let open = near & node.undecided & !search.plies[ply].dead[smaller & 15][i];
                if open & !dead_other == 0 {
                    search.plies[ply].left_out[moves.left_out] = LeftOut { stone: v, lost: open };
                    moves.left_out += 1;
                    moves.relied |= near & node.key.dead[OTHER];
                    moves.worth[i] &= !(1 << v);
                    continue;
                }
            }
            if dead_other.count_ones() as i32 > after.count[OTHER] {
                moves.lost[i] |= 1 << v;
                moves.worth[i] &= !(1 << v);
            }
        }
        smaller = v as usize;
    }
    None
}

/// Second test, of what is left, large stones first: refined count, focus, rating. Lists the moves
/// to search in the ply.
#[inline(always)]
pub fn judge_children<S: Simd>(
    search: &mut ProofSearch,
    node: &ProofNode,
    moves: &mut Moves,
) -> Option<Certificate> {
    let &ProofNode { state, ply, undecided, .. } = node;
    let mut rest = state.hands[MOVER];
    while let Some(stone) = rest.largest() {
        rest = rest.without(stone);
        let v = stone.value();
        let after = search.plies[ply].sums[v as usize & 15];
        let scales = Scales::of(&after);
        for index in indices(moves.cells.played) {
            let i = (index & 31) as usize;
            if moves.worth[i] >> v & 1 == 0 {
                continue;
            }
            let child = state.after(&search.frame, index, stone);
            let judgement = count::<S>(&search.frame, &child, &after);
            let mut winner = judgement.winner;
            let mut focused = None;
            for side in [MOVER, OTHER] {
                if winner.is_none() {
                    focused = focuses::<S>(&search.frame, &child, &after, &judgement, side, 1..=CHILD_FOCUS);
                    winner = focused.is_some().then_some(side);
                }
            }
            match winner {
                Some(OTHER) => {
                    let proof = certify(&search.frame, &child, &after, OTHER, focused.as_ref());
                    return Some(win(search, node, proof, index, v));
                }
                Some(_) => moves.lost[i] |= 1 << v,
                None => {
                    let influence = (search.frame.near[i] & undecided).count_ones() as i32;
                    let key = Key::of(&search.frame, &child, judgement.dead);
                    let (stale, value) = (key.stale_cells, i32::from(v));
                    let rating =
                        rate::<S>(&search.frame, &child, &judgement, &scales, stale, value, influence);
                    // Few are won so that lack more than the other side.
                    let [theirs, own] = judgement.need;
                    let deeper = own > CHILD_FOCUS && own <= CHILD_DEEP_FOCUS.min(theirs + 1);
                    search.plies[ply].open[moves.open] =
                        Listed { rating, index: index as u8, stone: v, deeper, hash: key.hash };
                    moves.open += 1;
                }
            }
        }
    }
    None
}

/// Third test, of what is to be searched, the most promising first: the table, and for the first
/// ten focus on more cells.
#[inline(always)]
pub fn look_up_children<S: Simd>(
    search: &mut ProofSearch,
    node: &ProofNode,
    open: usize,
) -> Option<Certificate> {
    for i in 0..open {
        let Listed { index, stone: v, deeper, hash, .. } = search.plies[node.ply].open[i];
        let deeper = deeper && i < 10;
        if !deeper && !search.table.knows(hash, OTHER) {
            continue;
        }
        let child = node.state.after(&search.frame, u32::from(index), Stone::new(v).expect("a listed stone"));
        let after = search.plies[node.ply].sums[v as usize & 15];
        let judgement = count::<S>(&search.frame, &child, &after);
        let key = Key::of(&search.frame, &child, judgement.dead);
        let proof = if let Some(known) = known::<S>(search, &child, &after, &key) {
            known
        } else {
            let needs = 1..=if deeper { CHILD_DEEP_FOCUS } else { 0 };
            let focused = focuses::<S>(&search.frame, &child, &after, &judgement, OTHER, needs);
            if focused.is_none() {
                continue;
            }
            certify(&search.frame, &child, &after, OTHER, focused.as_ref())
        };
        return Some(win(search, node, proof, u32::from(index), v));
    }
    None
}

/// Return the certificate of a child that the table knows as won by the side that has just moved.
#[inline(always)]
fn known<S: Simd>(search: &ProofSearch, child: &State, after: &HandSums, key: &Key) -> Option<Certificate> {
    let child_counts = [counts(child.hands[MOVER]), counts(child.hands[OTHER])];
    let mut found = search.table.probe::<S>(child, key, child_counts, OTHER)?;
    key.restore(&mut found, child, after, OTHER);
    Some(found)
}
