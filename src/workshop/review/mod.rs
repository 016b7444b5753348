//! Whole games judged move by move against exact values.
//!
//! - [`exact`]: what the solver tells beyond a value: bounds, values of moves, a line.
//! - [`judged`]: a judged game as data. [`game`]: a game move by move. [`summary`]: many games, for each bot.
//! - [`story`]: a game in three sentences.

pub mod exact;
pub mod game;
pub mod judged;
mod story;
pub mod summary;
