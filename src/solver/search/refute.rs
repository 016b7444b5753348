//! Refuting moves of the mover: several stones on a cell by one search or one certificate (see
//! [`search`](super)).

use crate::lanes::Row;

use super::*;

/// A refutation of stones on a cell: of those of the mover's hand from one rank down to another.
#[derive(Clone, Copy)]
pub(super) struct Refutation {
    pub(super) lane: u8,
    /// The ranks of the largest and of the smallest stone, 1 for the largest of the hand.
    pub(super) ranks: [u8; 2],
    /// What its certificate, of the position after the stone, requires and allows.
    pub(super) least: Row,
    pub(super) loser: Counts,
}

impl Refutation {
    pub(super) const NONE: Refutation =
        Refutation { lane: 0, ranks: [0; 2], least: Row::splat(ANY), loser: 0 };
}

/// Return the largest stone that may be refuted together with stone `v`: one not much larger; or not much larger
/// than all the stones that will be needed to fill the other side's stale cells, where the size of a stone
/// does not matter.
#[inline(always)]
pub(super) fn reach_together(node: &Node, v: u8) -> u8 {
    let hand = node.state.hands[MOVER];
    let stale = node.key.stale_count(OTHER);
    let spare = if stale > 0 && stale < hand.len() { hand.nth(stale).value() + TOGETHER_SPARE } else { 0 };
    spare.max(v + TOGETHER)
}

/// Return the largest of the stones listed next on a cell, up to `most` and not refuted, to be refuted together
/// with stone `v`; `v` if there is none.
#[inline(always)]
pub(super) fn next_on_cell(later: &[Listed], lane: u8, v: u8, most: u8, refuted: u16) -> u8 {
    let near = later.iter().take_while(|mv| mv.lane == lane && mv.stone > v && mv.stone <= most);
    near.filter(|mv| refuted >> mv.stone & 1 == 0).last().map_or(v, |mv| mv.stone)
}

/// Try to refute all stones on a cell from `smaller` to `larger` with one search, of the position in which
/// the mover has played the larger and spent the smaller; leaves the certificate in `result` (see
/// [`search`](self)). False when that fails, or takes too long for the work that the `hardest` move so far
/// was: then nothing is known.
#[inline(always)]
pub(super) fn refute_together<L: Path>(
    search: &mut Search,
    node: &Node,
    lane: u8,
    [smaller, larger]: [u8; 2],
    hardest: u64,
    result: &mut Certificate,
) -> bool {
    let stone = |value| Stone::new(value).expect("a listed stone");
    let mut child = node.state.after(&search.frame, u32::from(lane), stone(larger));
    child.hands[OTHER] = node.state.hands[MOVER].without(stone(smaller));
    let limit = search.limits.nodes;
    let budget = (TOGETHER_WORK * hardest).max(TOGETHER_LEAST_WORK);
    search.limits.nodes = limit.min(search.nodes.saturating_add(budget));
    let winner = L::search(search, &child, Looked::Nowhere, node.ply + 1, result);
    search.limits.nodes = limit;
    // The child's mover is the side that has not moved here.
    winner == Some(MOVER)
}

/// Note the refutation of a stone on a cell by `proof`, with the other stones on it that the same certificate refutes:
/// larger ones as far as its scores reach, smaller ones as far as it allows the hand that keeps the larger.
#[allow(clippy::too_many_arguments)] // a step of `visit`, with its locals
#[inline(always)]
pub(super) fn refute(
    search: &mut Search,
    node: &Node,
    proof: &Certificate,
    joined: &mut Certificate,
    refuted: &mut [u16; 32],
    lane: u32,
    stone: u8,
    moves: &mut Moves,
) {
    let &Node { state, ply, .. } = node;
    let frame = &search.frame;
    let mut largest = 15;
    for near in lanes(frame_near(frame, lane) & state.empty) {
        let least = proof.least.0[near as usize];
        if least != ANY {
            largest = largest.min(state.score(OTHER, near) - i32::from(least));
        }
    }
    debug_assert!(largest >= i32::from(stone));
    let up_to = ((1u32 << (largest + 1)) - (1 << stone)) as u16;
    let judged = moves.worth[lane as usize] | moves.lost[lane as usize];
    let mut covered = judged & up_to;
    let most = 15 - covered.leading_zeros();
    // Each smaller stone leaves a better hand.
    let mut below = judged & !refuted[lane as usize] & ((1 << stone) - 1);
    let mut least = u32::from(stone);
    while let Some(next) = below.checked_ilog2() {
        let rest = state.hands[MOVER].without(Stone::new(next as u8).expect("a stone of the hand"));
        if !covers(proof.loser, counts(rest)) {
            break;
        }
        below &= !(1 << next);
        covered |= 1 << next;
        least = next;
    }
    refuted[lane as usize] |= covered;
    joined.join_after(proof, frame, lane, most as u8);
    let rank = |value: u32| (state.hands[MOVER].bits() >> value).count_ones() as u8;
    search.plies[ply].refutations[moves.refutations] = Refutation {
        lane: lane as u8,
        ranks: [rank(most), rank(least)],
        least: proof.least,
        loser: proof.loser,
    };
    moves.refutations += 1;
}
