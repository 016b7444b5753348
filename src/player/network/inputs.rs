//! The network's view of a position and a target, from the side of the player to move.

use crate::alpha::{Status, Target};
use crate::board::{Cell, CellSet, Hand};
use crate::position::Position;

/// An input, or a unit, of this value stands for 1.
pub const ONE: i16 = 64;
pub const CELL_INPUTS: usize = 24;
pub const POSITION_INPUTS: usize = 42;

/// The inputs of all empty cells and of the position, in 1/[`ONE`].
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    /// The position's: 1; the dead cells that the mover and the opponent still need, in fours, and
    /// their difference, in threes; stones left, in tens, and their sums, in 60s; undecided cells, in
    /// tens; dead cells of both, in fives; for each stone whether the mover has it, and the opponent.
    pub position: [i16; POSITION_INPUTS],
    of: &'a Position,
    undecided: CellSet,
    /// Dead cells of the mover and the opponent.
    dead: [CellSet; 2],
    /// For each number k of empty neighbours the sums of both hands' k largest stones.
    largest_sums: [[u8; 8]; 2],
    /// 256 times the control that half a point of lead gives, by the number of empty neighbours.
    half_point: [i32; 8],
    /// Added to twice the score of a cell, before the sign.
    offset: i32,
    sign: i32,
}

/// Return a whole number of parts of [`ONE`].
const fn parts(number: i32, of: i32) -> i16 {
    (number * ONE as i32 / of) as i16
}

impl<'a> Inputs<'a> {
    /// Compute the inputs of a position for the target of this status.
    #[inline(always)]
    pub fn of(position: &'a Position, status: &Status, target: Target) -> Inputs<'a> {
        let mover = position.to_move();
        let sides = [mover, mover.opponent()];
        let hands = sides.map(|player| position.hand(player));
        let dead = sides.map(|player| status.dead(player));
        let [need, other_need] = sides.map(|player| status.need(position, player));
        let sum = |hand: Hand| (hand.all_largest_sums() >> 120) as i32;
        let mut inputs = [0; POSITION_INPUTS];
        inputs[..12].copy_from_slice(&[
            ONE,
            parts(need, 4),
            parts(other_need, 4),
            parts(other_need - need, 3),
            parts(hands[0].len() as i32, 10),
            parts(hands[1].len() as i32, 10),
            parts(sum(hands[0]), 60),
            parts(sum(hands[1]), 60),
            parts(status.undecided().len() as i32, 10),
            parts(dead[0].len() as i32, 5),
            parts(dead[1].len() as i32, 5),
            0,
        ]);
        for stone in 1..16 {
            inputs[11 + stone] = ONE * (hands[0].bits() >> stone & 1) as i16;
            inputs[26 + stone] = ONE * (hands[1].bits() >> stone & 1) as i16;
        }
        let largest_sums = hands.map(|hand| hand.largest_sums().to_le_bytes());
        let mut half_point = [0; 8];
        for k in 0..8 {
            // Control, clip(2 (2y + P_M - P_O) / (P_M + P_O + 1), ±1.5), for half a point.
            half_point[k] = 256 * 2 * i32::from(ONE)
                / (i32::from(largest_sums[0][k]) + i32::from(largest_sums[1][k]) + 1);
        }
        Inputs {
            position: inputs,
            of: position,
            undecided: status.undecided(),
            dead,
            largest_sums,
            half_point,
            offset: 1 - 2 * i32::from(target.alpha()),
            sign: i32::from(mover.sign()),
        }
    }

    /// Return the inputs of an empty cell: undecided, dead for the mover, for the opponent; control of
    /// an undecided one; the score y, in units of 10⅔, as it is, after the worst and after the best stones;
    /// numbers of undecided and of empty neighbours, one of 0..=6 each; y of a cell with one empty
    /// neighbour, in 16ths; a dead cell without undecided neighbours, of either.
    #[inline(always)]
    pub fn cell(&self, cell: Cell) -> [i16; CELL_INPUTS] {
        let free = self.of.free_neighbours(cell) as usize;
        let open = (cell.neighbours() & self.undecided).len() as usize;
        // Twice y, an odd number.
        let twice = self.sign * (2 * i32::from(self.of.score(cell)) + self.offset);
        let (ours, theirs) = (i32::from(self.largest_sums[0][free]), i32::from(self.largest_sums[1][free]));
        let bit = |set: CellSet| ONE * i16::from(set.contains(cell));
        let undecided = self.undecided.contains(cell);
        let control = ((twice + ours - theirs) * self.half_point[free]) >> 8;
        let tens = |twice: i32| (twice.clamp(-60, 60) * 3) as i16;
        let mut inputs = [0; CELL_INPUTS];
        inputs[0] = bit(self.undecided);
        inputs[1] = bit(self.dead[0]);
        inputs[2] = bit(self.dead[1]);
        inputs[3] = if undecided { control.clamp(-96, 96) as i16 } else { 0 };
        inputs[4] = tens(twice);
        inputs[5] = tens(twice - 2 * theirs);
        inputs[6] = tens(twice + 2 * ours);
        inputs[7 + open] = ONE;
        inputs[14 + free] = ONE;
        inputs[21] = if free == 1 { (twice.clamp(-30, 30) * 2) as i16 } else { 0 };
        inputs[22] = if open == 0 { inputs[1] } else { 0 };
        inputs[23] = if open == 0 { inputs[2] } else { 0 };
        inputs
    }
}
