//! Games of both players' moves.
//!
//! - [`record`]: a game move by move. [`notation`]: its notations.
//! - [`opening`]: blocked cells drawn or read.
//! - [`files`]: files of games in every form.
//! - [`drawing`]: a board as text.

pub mod drawing;
pub mod files;
pub mod notation;
pub mod opening;
pub mod record;
