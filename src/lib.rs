//! A player of Black Hole (CodeCup 2018), an exact solver of its endings, and the tools of a bot's
//! author. Each room uses only those below it:
//!
//! - [`cli`]: options and words of each command.
//! - [`terminal`]: games by hand.
//! - [`board`]: the board in the browser: server, tabs, questions and answers.
//! - [`page`]: the pages of review, board and tournament.
//! - [`review`]: a game judged move by move, and its story.
//! - [`choice`]: the bot's own choice of a move, with its reasons.
//! - [`judge`]: the worth of a position: proofs, lines of play, estimates.
//! - [`arena`]: bot against bot, with statistics.
//! - [`sparring`]: the built-in players, each after its paper, and the levels.
//! - [`games`]: records, notations, files of games, a board as text.
//! - [`system`]: processes, signals, files that are never lost.
//! - [`text`]: text for people, such as tables, and numbers from them.
//! - [`submission`]: the player as one file.
//! - [`player`]: the tournament's player, a package of its own.
//!
//! The package `src/trainer` uses this library to make the weights of the player's network.
//!
//! # Names and sentences
//!
//! 1. Use the field's word (playout, visits, bound); the same thing has the same name everywhere.
//! 2. Two things of one name get a word in front: `SprtVerdict`. A constant names its thing: `MAX_GAMES`.
//! 3. **Score** is red minus blue, **points** are 0 to 150, a **chance** is 0 to 1: never mix them.
//! 4. A function that acts is a verb, one that returns a value may be its noun; types are nouns, flags are
//!    statements (`is_over`).
//! 5. Document in one sentence: the imperative for functions; then unit, range, sign, errors, `None`.
//! 6. Write a noun, no question ("the bot's time", not "how long the bot may think").
//! 7. Name the number: "this many moves" or `n`, not "so many moves"; "if", not "where", for a condition.
//! 8. "It" refers to the subject of the same sentence; otherwise repeat the noun.
//! 9. State what is, not what is not; an error names the place, the found and the expected.
//! 10. A sentence that must be read twice is wrong. A help text fits 80 columns, a comment says why.

pub mod arena;
pub mod board;
pub mod choice;
pub mod cli;
pub mod games;
pub mod judge;
pub mod page;
pub mod review;
pub mod sparring;
pub mod submission;
pub mod system;
pub mod terminal;
pub mod text;

pub use blackhole_player as player;
