//! A game that a person plays by hand: what is typed, what it does, and what is said, without any
//! terminal.
//!
//! - [`command`]: the commands beside moves, and forgiving moves.
//! - [`game`]: the set-up, the game and its clock, taking back.
//! - [`words`]: help, hints and results in words.
//! - [`levels`]: partners of rising strength by name.

pub mod command;
pub mod game;
pub mod levels;
pub mod words;
