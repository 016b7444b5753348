//! A game by hand, from a typed line to the text for the person, independent of a terminal.
//!
//! - [`game`]: typed lines, the set-up, the game and its clock, taking back.
//! - [`words`]: help, hints and results in words.
//! - [`levels`]: partners of rising strength by name.

pub mod game;
pub mod levels;
pub mod words;
