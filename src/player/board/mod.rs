//! The words of the game as types: cells and sets of cells, players, stones, hands and moves.

mod cell;
mod hand;
mod moves;
mod set;

pub use cell::{Cell, CELL_COUNT, NEIGHBOURS};
pub use hand::{Hand, Stone, MAX_STONE};
pub use moves::{Move, PackedMove, ParseMoveError, Player, MOST_MOVES};
pub(crate) use set::nth_set_bit;
pub use set::CellSet;
