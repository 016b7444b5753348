//! AMAF statistics (§3.0.4) of the actions below a node: iterations with the action, and Red's wins.

use crate::board::{Cell, Move, Player, Stone};
use crate::position::Position;

/// The slot of each move in a table of AMAF statistics: a row for each stone of both hands at the root, a
/// column for each of the root's empty cells.
#[derive(Clone)]
pub struct AmafLayout {
    /// First slots, by player and stone.
    rows: [[u16; 16]; 2],
    columns: [u8; 64],
    /// The slots of a row: its columns, rounded up to whole vectors of eight.
    pub stride: usize,
    pub size: usize,
}

impl AmafLayout {
    /// Lay out tables for the moves of `root` and everything after it.
    pub fn new(root: &Position) -> AmafLayout {
        let mut columns = [0; 64];
        for (n, cell) in root.empty().into_iter().enumerate() {
            columns[cell.index()] = n as u8;
        }
        let stride = (root.empty().len() as usize).next_multiple_of(8);
        let (mut rows, mut next) = ([[0; 16]; 2], 0);
        for player in Player::BOTH {
            for stone in root.hand(player).iter() {
                rows[player.index()][usize::from(stone.value())] = next as u16;
                next += stride;
            }
        }
        AmafLayout { rows, columns, stride, size: next }
    }

    pub fn slot(&self, player: Player, mv: Move) -> usize {
        self.row(player, mv.stone) + self.column(mv.cell)
    }

    /// Return the first slot of the row of a stone.
    pub fn row(&self, player: Player, stone: Stone) -> usize {
        usize::from(self.rows[player.index()][usize::from(stone.value() & 15)])
    }

    pub fn column(&self, cell: Cell) -> usize {
        usize::from(self.columns[cell.index()])
    }
}

/// AMAF statistics of one action: iterations in the low half, Red's wins in the high half.
pub type Amaf = u32;

pub fn amaf_counts(entry: Amaf) -> (f32, f32) {
    ((entry & 0xFFFF) as f32, (entry >> 16) as f32)
}

/// Count an iteration that Red won or lost in the statistics of an action.
#[inline(always)]
pub fn count_amaf(entry: &mut Amaf, red_won: bool) {
    if *entry & 0xFFFF == 0xFFFF {
        // Both halves are halved: the mean stays, the count is bounded.
        *entry = (*entry >> 1) & 0x7FFF_7FFF;
    }
    *entry += 1 | u32::from(red_won) << 16;
}
