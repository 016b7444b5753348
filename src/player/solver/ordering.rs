//! The order of moves: the static formula on the child of each, corrected by a history heuristic of each ply.
//!
//! The formula makes the same errors in similar positions. So a move that wins after others failed gains rating
//! at its ply, with the other stones on its cell, and the moves that failed lose some. Only searches count:
//! wins without a search are found in any order.

use crate::alpha::state::View;
use crate::evaluation::{rating, Scales, WORK};
use crate::simd::Simd;

use super::judgement::Judgement;

pub struct History {
    moves: [[i16; 16]; 32],
    cells: [i16; 32],
}

impl History {
    pub const NONE: History = History { moves: [[0; 16]; 32], cells: [0; 32] };

    pub fn of(&self, index: u8, stone: u8) -> i32 {
        let index = usize::from(index & 31);
        i32::from(self.moves[index][usize::from(stone & 15)]) + i32::from(self.cells[index])
    }

    /// Learn that a move won after those in `passed` had failed (cell and stone each). Each correction fades
    /// by an eighth, which bounds it upwards; downwards saturation does.
    #[inline(never)]
    pub fn learn(&mut self, winner: (u8, u8), passed: impl Iterator<Item = (u8, u8)>) {
        let fade = |value: &mut i16| *value -= *value >> 3;
        self.moves.iter_mut().flatten().for_each(fade);
        self.cells.iter_mut().for_each(fade);
        let mut add = |(index, stone): (u8, u8), to_move: i16, to_cell: i16| {
            let index = usize::from(index & 31);
            let mv = &mut self.moves[index][usize::from(stone & 15)];
            *mv = mv.saturating_add(to_move);
            self.cells[index] = self.cells[index].saturating_add(to_cell);
        };
        passed.for_each(|mv| add(mv, -330, -55));
        add(winner, 1500, 390);
    }
}

/// Rate a child, with the stale cells given, of a move with this stone on a cell with `influence`
/// undecided neighbours: higher is better for the side that has just moved.
#[inline(always)]
pub fn rate_move<S: Simd>(
    view: View,
    judgement: &Judgement,
    scales: &Scales,
    stale: u32,
    stone: i32,
    influence: i32,
) -> i32 {
    let [theirs, own] = judgement.dead;
    rating::<S>(view, judgement.dead, judgement.need, scales, &WORK)
        + 312 * (stale & own).count_ones() as i32
        + 134 * (stale & theirs).count_ones() as i32
        + 19 * stone
        + 190 * influence
        + 5 * stone * influence
}
