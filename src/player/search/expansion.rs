//! Which move gets an edge next (§3.0.2, expansion): by AMAF statistics among all, or in the order of the
//! static formula.

use super::selection::{Best, Formula, LANES, logistic};
use super::tree::{Amaf, NONE, NodeId, Packed, Slots, Tree, pack, unpack};
use crate::player::alpha::{Reasonable, Status, Target};
use crate::player::board::{CellSet, Hand, Move, Player, Stone};
use crate::player::evaluation::undominated_merits;
use crate::player::position::Position;
use crate::player::simd::Simd;

/// Find the best reasonable move that has no edge yet: rows of AMAF statistics, one for each stone of the
/// hand (the largest first), scanned eight cells at a time.
#[inline(always)]
pub(super) fn best_unvisited(
    formula: &Formula,
    reasonable: &Reasonable,
    hand: Hand,
    mover: Player,
    visited: &[Packed],
    slots: &Slots,
    amaf: &[Amaf],
) -> Option<(Move, f32)> {
    let columns_of = |cells: CellSet| cells.into_iter().fold(0u64, |set, cell| set | 1 << slots.column(cell));
    let any_stone = columns_of(reasonable.any_stone);
    let mut open = [any_stone; 16];
    let least = hand.smallest()?;
    open[usize::from(least.value())] |= columns_of(reasonable.least_only);
    for &packed in visited {
        let mv = unpack(packed);
        open[usize::from(mv.stone.value())] &= !(1 << slots.column(mv.cell));
    }
    let stride = slots.stride();
    let mut best = Best::NOTHING;
    let mut stones = hand.bits();
    while stones != 0 {
        let value = 15 - stones.leading_zeros();
        stones &= !(1 << value);
        let set = open[value as usize];
        if set == 0 {
            continue;
        }
        if amaf.is_empty() {
            let mut scores = [f32::NEG_INFINITY; LANES];
            scores[0] = formula.unvisited(0);
            best.see(scores, (15 - value) << 6 | set.trailing_zeros());
            continue;
        }
        let row = slots.row(mover, Stone::from_bit(value));
        for (block, entries) in amaf[row..row + stride].chunks_exact(LANES).enumerate() {
            let here = (set >> (block * LANES)) as u32;
            let mut scores = [0.0; LANES];
            for lane in 0..LANES {
                let score = formula.unvisited(entries[lane]);
                scores[lane] = if here >> lane & 1 != 0 { score } else { f32::NEG_INFINITY };
            }
            best.see(scores, (15 - value) << 6 | (block * LANES) as u32);
        }
    }
    let (place, score) = best.best()?;
    let stone = Stone::from_bit(15 - (place >> 6));
    let column = (place & 63) as usize;
    let cells = reasonable.any_stone | reasonable.least_only;
    let cell = cells.into_iter().find(|&cell| slots.column(cell) == column)?;
    Some((Move { cell, stone }, score))
}

/// Open moves of a node: judge every move that no other one dominates by the static formula and add edges for
/// the best ones that have none, until there are `wanted`.
#[inline(always)]
pub(super) fn open_moves<S: Simd>(
    tree: &mut Tree,
    node: NodeId,
    position: &Position,
    status: &Status,
    target: Target,
    wanted: usize,
) {
    let mover = position.to_move();
    let mut merits = [(0.0f32, 0 as Packed); MAX_MOVES];
    let mut count = 0;
    undominated_merits::<S>(position, status, target, |mv, merit| {
        merits[count] = (merit, pack(mv));
        count += 1;
    });
    let merits = &mut merits[..count];
    let have = tree.edges(node).moves.len();
    // The best first; of equals the one judged first, so that the order is the same everywhere.
    let before = |a: &(f32, Packed), b: &(f32, Packed)| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1));
    let wanted = wanted.min(count);
    if wanted < count {
        merits.select_nth_unstable_by(wanted, before);
    }
    let chosen = &mut merits[..wanted];
    chosen.sort_unstable_by(before);
    // The edges there are already were the best of the same list.
    for &(merit, mv) in &chosen[have.min(wanted)..] {
        let prior = logistic(merit * f32::from(mover.sign()));
        tree.add_edge(node, mv, NONE, prior);
    }
    tree.node_mut(node).moves = count as u16;
}

/// Most moves of a position: 36 cells, 15 stones.
const MAX_MOVES: usize = 540;
