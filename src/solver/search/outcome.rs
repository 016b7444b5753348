//! Wins and losses of a node's mover: what is noted and kept of them (see [`search`](super)).

use super::*;

/// Note a win of the mover by a move, with the child's certificate in `result`. Returns true: the mover wins.
#[inline(always)]
pub(super) fn win(search: &mut Search, node: &Node, result: &mut Certificate, lane: u32, stone: u8) -> bool {
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
    keep(search, node, MOVER, mv, result);
    true
}

/// Put the certificate of a node into the tables, with the mover's winning move.
#[inline(always)]
fn keep(search: &mut Search, node: &Node, winner: usize, mv: (u8, u8), certificate: &Certificate) {
    let work = search.nodes - node.entered_with;
    if let Some(shape) = &node.shape {
        search.shapes.store(shape, winner, certificate, work);
    }
    if let Some(stored) = node.key.strip(certificate, node.state, &node.sums, winner) {
        search.table.store(&node.key, winner, mv, &stored, work);
    }
}

/// Note that every move of the mover is refuted: complete the certificate with the moves lost at sight and
/// those left out.
#[inline(always)]
pub(super) fn lose<L: Path>(
    search: &mut Search,
    node: &Node,
    moves: &Moves,
    refuted: &mut [u16; 32],
    mut joined: Certificate,
    result: &mut Certificate,
) {
    let state = node.state;
    let hand = state.hands[MOVER];
    for stone in hand.iter() {
        let v = stone.value();
        let after = Sums::of([state.hands[OTHER], hand.without(stone)]);
        for lane in lanes(moves.cells.played) {
            if moves.lost[lane as usize] & !refuted[lane as usize] & 1 << v != 0 {
                let child = state.after(&search.frame, lane, stone);
                *result = certify(&search.frame, &child, &after, MOVER);
                refute(&search.frame, state, result, &mut joined, refuted, lane, v, moves);
            }
        }
        for out in &search.plies[node.ply].left_out[..moves.left_out] {
            if out.stone == v {
                out.complete(&mut joined, state, &after);
            }
        }
    }
    moves.cells.complete(&mut joined, state, &node.sums, moves.relied);
    *result = joined;
    debug_assert!(result.holds::<L>(&state.scores, OTHER, node.counts[OTHER], node.counts[MOVER]));
    if moves.reserved > 0 {
        node.key.complete(result, state, &node.sums, OTHER);
    }
    if !moves.symmetric {
        keep(search, node, OTHER, NO_HINT, result);
    }
}
