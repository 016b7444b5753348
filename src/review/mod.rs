//! Whole games judged move by move against exact values.
//!
//! - [`judged`]: a judged game as data. [`game`]: a game move by move. [`summary`]: many games, for each bot.
//! - [`story`]: a game in three sentences.

pub mod game;
pub mod judged;
mod story;
pub mod summary;
