//! The words of the game as types. Cells and sets of cells, players, stones, hands, moves,
//! and the `const` facts of the board (names, neighbours, symmetries).

mod cell;
mod hand;
mod moves;
mod set;

pub use cell::{CELL_COUNT, Cell, NEIGHBOURS, SYMMETRIES, SYMMETRY_COUNT};
pub use hand::{Hand, MAX_STONE, Stone};
pub use moves::{Move, ParseMoveError, Player};
pub use set::CellSet;
pub(crate) use set::nth_set_bit;
