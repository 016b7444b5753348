//! The order of moves: a static formula on the child of each, corrected by what the search has met
//! at the same ply before.
//!
//! The weights were fitted to the work: an evolution strategy made the mean logarithm of the nodes
//! small that exact values take at 15 and 16 empty cells. Of two moves that win it is better to try
//! the one that is sooner proven.
//!
//! The formula errs alike in positions that are alike. So a move that wins after others failed
//! gains rating at its ply, with the other stones on its cell, and those that failed before it lose
//! some. Only searches teach: wins at sight are found without an order.

use crate::simd::Simd;

use super::judgement::Judgement;
use super::state::{flip, indices, sum, HandSums, View, MOVER, OTHER};

/// Corrections of the ratings of one ply.
pub struct Lessons {
    moves: [[i16; 16]; 32],
    cells: [i16; 32],
}

impl Lessons {
    /// Nothing learned.
    pub const NONE: Lessons = Lessons { moves: [[0; 16]; 32], cells: [0; 32] };

    /// Return the correction for a stone on a cell.
    #[inline(always)]
    pub fn of(&self, index: u8, stone: u8) -> i32 {
        let index = usize::from(index & 31);
        i32::from(self.moves[index][usize::from(stone & 15)]) + i32::from(self.cells[index])
    }

    /// Learn that a move won after those passed over had failed (cell and stone each).
    ///
    /// Each correction fades by an eighth, which bounds it upwards; downwards saturation does.
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

/// For each number k of empty neighbours: what both hands' largest stones add to a cell's doubled
/// score from the side that has just moved, and the factor that brings the sum to its balance.
#[derive(Clone, Copy)]
pub struct Scales {
    /// Signed bytes.
    offset: [u8; 16],
    /// Low and high bytes.
    factor: [[u8; 16]; 2],
}

impl Scales {
    /// Prepare the scales for the hands of the children.
    #[inline(always)]
    pub fn of(sums: &HandSums) -> Scales {
        let mut scales = Scales { offset: [0; 16], factor: [[0; 16]; 2] };
        // A cell without empty neighbours is decided.
        for k in 1..8 {
            let (other, own) = (sum(&sums.top[MOVER], k as u32), sum(&sums.top[OTHER], k as u32));
            scales.offset[k] = (own - other + 1) as u8;
            // How steeply the balance rises, in 1/1024.
            let factor = (1321 << 6) / (own + other + 1);
            [scales.factor[0][k], scales.factor[1][k]] = (factor.min(0xFFFF) as u16).to_le_bytes();
        }
        scales
    }
}

/// Rate a child, with the stale cells given, of a move with this stone on a cell with `influence`
/// undecided neighbours: higher is better for the side that has just moved.
#[inline(always)]
pub fn rate<S: Simd>(
    View { frame, state: child, .. }: View,
    judgement: &Judgement,
    scales: &Scales,
    stale: u32,
    stone: i32,
    influence: i32,
) -> i32 {
    let [theirs, own] = judgement.dead;
    let undecided = child.empty & !theirs & !own;
    let free = S::load(&child.free);
    let offset = S::store(S::entries(free, &scales.offset)).0;
    // Not a closure, which would not be compiled for the path.
    let factor_low = S::store(S::entries(free, &scales.factor[0])).0;
    let factor_high = S::store(S::entries(free, &scales.factor[1])).0;
    // Balances of the undecided cells, each within ±1024; their squares, with the sign; those with
    // one empty neighbour.
    let (mut balance, mut square, mut single) = (0, 0, 0);
    for i in 0..32 {
        let doubled = 2 * i32::from(child.scores.0[i] ^ flip(OTHER)) + i32::from(offset[i]);
        let factor = i32::from(factor_high[i] as u8) << 8 | i32::from(factor_low[i] as u8);
        let of_cell = (doubled * factor).clamp(-65536, 65536) >> 6 & -((undecided >> i & 1) as i32);
        balance += of_cell;
        square += of_cell * of_cell.abs();
        single += of_cell & -i32::from(child.free.0[i] == 1);
    }
    // Pairs of an undecided neighbour and one of these; each pair of undecided cells is counted
    // from both.
    let (mut edges, mut own_edges, mut other_edges) = (0, 0, 0);
    for index in indices(undecided) {
        let near = frame.near[(index & 31) as usize];
        edges += i32::from(child.free.0[(index & 31) as usize]);
        own_edges += (near & own).count_ones() as i32;
        other_edges += (near & theirs).count_ones() as i32;
    }
    let edges = (edges - own_edges - other_edges) / 2;
    2200 * (judgement.need[MOVER] - judgement.need[OTHER]) - 220 * undecided.count_ones() as i32
        + 312 * (stale & own).count_ones() as i32
        + 134 * (stale & theirs).count_ones() as i32
        + ((1126 * balance - 155 * (square >> 10) - 357 * single) >> 10)
        - 279 * edges
        - 1289 * own_edges
        + 693 * other_edges
        + 19 * stone
        + 190 * influence
        + 5 * stone * influence
}
