//! Wins and losses of a node's mover: what is noted and kept of them (see [`search`](super)).

use super::refute::{largest_stood, refute};
use super::*;

/// Note a win of the mover by a move, with the child's certificate in `result`. Returns true: the mover wins.
#[inline(always)]
pub(super) fn win<L: Path>(
    search: &mut Search,
    node: &Node,
    result: &mut Certificate,
    lane: u32,
    stone: u8,
) -> bool {
    result.before_winner(&search.frame, lane, stone);
    let mv = (lane as u8, stone);
    if node.ply == search.root {
        search.best = Some(mv);
    }
    // To the front; the others move back by one, the last falls out.
    let hints = &mut search.plies[node.ply].hints;
    let place = hints.iter().position(|&hint| hint == mv).unwrap_or(HINTS - 1);
    hints[..=place].rotate_right(1);
    hints[0] = mv;
    keep::<L>(search, node, MOVER, mv, result);
    true
}

/// Put the certificate of a node into the tables, with the mover's winning move.
#[inline(always)]
fn keep<L: Path>(search: &mut Search, node: &Node, winner: usize, mv: (u8, u8), certificate: &Certificate) {
    if node.key.pairs > 0 {
        // The tables hold certificates for states without pairs.
        return;
    }
    let work = search.nodes - node.entered_with;
    if let Some(stored) = node.key.strip(certificate, node.state, &node.sums, winner) {
        search.table.store::<L>(&node.key, winner, mv, &stored, work);
    }
}

/// Note that every move of the mover is refuted: complete the certificate with the moves lost at sight and
/// those left out.
#[inline(always)]
pub(super) fn lose<L: Path>(search: &mut Search, node: &Node, moves: &mut Moves, result: &mut Certificate) {
    let state = node.state;
    let hand = state.hands[MOVER];
    for stone in hand.iter() {
        let v = stone.value();
        let after = search.plies[node.ply].sums[v as usize & 15];
        for lane in lanes(moves.cells.played) {
            if moves.lost[lane as usize] & !moves.refuted[lane as usize] & 1 << v != 0 {
                let child = state.after(&search.frame, lane, stone);
                let proof = certify(&search.frame, &child, &after, MOVER, None);
                refute(search, node, &proof, lane, v, moves);
            }
        }
        for out in &search.plies[node.ply].left_out[..moves.left_out] {
            if out.stone == v {
                out.complete(&mut moves.joined, state, &after);
            }
        }
    }
    let mut joined = moves.joined;
    moves.cells.complete(&mut joined, state, &node.sums, moves.relied);
    bound_loser(search, node, moves, &mut joined);
    *result = joined;
    debug_assert!(result.holds::<L>(&state.scores, OTHER, node.counts[OTHER], node.counts[MOVER]));
    if !moves.symmetric {
        keep::<L>(search, node, OTHER, NO_HINT, result);
    }
}

/// Bound the hands of the mover for which a certificate that names it as loser holds, given what it requires
/// otherwise (see [`Certificate`]).
#[inline(always)]
fn bound_loser(search: &Search, node: &Node, moves: &Moves, joined: &mut Certificate) {
    let &Node { state, ply, .. } = node;
    let mut loser = joined.loser;
    for refutation in &search.plies[ply].refutations[..moves.refutations] {
        let [first, last] = refutation.ranks.map(u32::from);
        let near = frame_near(&search.frame, u32::from(refutation.lane)) & state.empty;
        let most = largest_stood(near, &refutation.proof, |near| i32::from(joined.least.0[near as usize]));
        loser = smaller(loser, with_rank(refutation.proof.loser, last));
        loser = smaller(loser, at_most_above(most, first - 1));
    }
    joined.loser = loser;
    for out in search.plies[ply].left_out[..moves.left_out].iter().filter(|out| out.lost != 0) {
        out.bound(joined, state);
    }
}
