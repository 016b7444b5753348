//! Games by hand.
//!
//! - [`session`]: lines with editing and history, Ctrl-C stops thinking.
//! - [`game`]: from a typed line to the text for the person, without a terminal.
//! - [`words`]: help and results in words.

pub mod game;
pub mod session;
pub mod words;
