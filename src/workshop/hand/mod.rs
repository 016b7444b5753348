//! A game that a person plays by hand: what is typed, what it does, and what is said, without any
//! terminal.
//!
//! - [`game`]: what is typed, the set-up, the game and its clock, taking back.
//! - [`words`]: help, hints and results in words.
//! - [`levels`]: partners of rising strength by name.

pub mod game;
pub mod levels;
pub mod words;
