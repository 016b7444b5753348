//! The workshop: what the player's author needs beside it.
//!
//! - [`players`]: sparring partners after other papers, and our engine, by name.
//! - [`arena`]: bot against bot, with statistics.
//! - [`calibrate`]: estimators of a position against exact values.

pub mod arena;
pub mod calibrate;
pub mod players;
