//! Whole games judged move by move.
//!
//! - [`judged`]: a judged game as data. [`game`]: a game move by move, several on all cores.
//! - [`story`]: a game in three sentences. [`summary`]: the losses of each bot. [`text`]: all this for a terminal.

pub mod game;
pub mod judged;
pub mod story;
pub mod summary;
pub mod text;
