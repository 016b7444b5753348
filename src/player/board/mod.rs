//! The words of the game as types: cells and sets of cells, players, stones, hands and moves.

mod cell;
mod hand;
mod moves;
mod set;

pub use cell::{CELL_COUNT, Cell, NEIGHBOURS};
pub use hand::{Hand, MAX_STONE, Stone};
pub use moves::{Move, ParseMoveError, Player};
pub use set::CellSet;
pub(crate) use set::nth_set_bit;
