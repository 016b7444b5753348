//! Games by hand.
//!
//! - [`session`]: lines with editing and history, Ctrl-C stops thinking.
//! - [`game`]: from a typed line to the text for the person, independent of a terminal: the set-up, the game and its clock, taking back.
//! - [`words`]: help and results in words.
//! - [`levels`]: opponents of rising strength by name.

pub mod game;
pub mod levels;
pub mod session;
pub mod words;
