//! Whole games judged move by move against exact values.
//!
//! - [`exact`]: what the solver tells beyond a value: bounds, values of moves, a line.
//! - [`game`]: a game move by move. [`summary`]: many games, for each bot.

pub mod exact;
pub mod game;
pub mod summary;
