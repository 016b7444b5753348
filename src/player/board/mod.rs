//! The words of the game as types: cells and sets of cells, players, stones, hands and moves.

/// Show values in debugging as they are displayed.
macro_rules! debug_as_displayed {
    ($($type:ty),+) => {
        $(impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        })+
    };
}
pub(crate) use debug_as_displayed;

debug_as_displayed!(Cell, Move, Stone);

mod cell;
mod hand;
mod moves;
mod set;

pub use cell::{Cell, CELL_COUNT, NEIGHBOURS};
pub use hand::{Hand, Stone, MAX_STONE};
pub use moves::{Move, PackedMove, ParseMoveError, Player, MAX_LEGAL_MOVES};
pub(crate) use set::nth_set_bit;
pub use set::CellSet;
