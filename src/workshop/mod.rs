//! The workshop: the tools of the player's author.
//!
//! - [`players`]: sparring partners after other papers, and our engine, by name.
//! - [`arena`]: bot against bot, with statistics.
//! - [`review`]: whole games judged move by move.
//! - [`tournament`]: a tournament as a page.
//! - [`page`]: the page of reviewed games and of the board.
//! - [`solving`]: a position solved step by step. [`exact`]: rough bounds, lines of play, values of moves.
//! - [`estimate`]: the expected score of a position that is not solved.
//! - [`submission`]: the player as one source file.
//! - [`answer`]: an answer about a position, as JSON.
//! - [`record`], [`notation`], [`games`]: a game move by move, as text, and files of games in every
//!   form.
//! - [`board`]: the way from a page in the browser to the engine.
//! - [`hand`], [`drawing`]: games of a person by hand, and boards as text.
//! - [`likely`]: the likely score, target and opponent. [`playouts`]: many of them, for timing.
//! - [`lines`], [`fnv`]: files of one record a line, and a hash that stays the same.
//! - [`text`]: text for people, such as tables.
//! - [`system`]: the differences between Linux, macOS and Windows.

pub mod answer;
pub mod arena;
pub mod board;
pub mod drawing;
pub mod estimate;
pub mod exact;
pub mod fnv;
pub mod games;
pub mod hand;
pub mod likely;
pub mod lines;
pub mod notation;
pub mod page;
pub mod players;
pub mod playouts;
pub mod record;
pub mod review;
pub mod solving;
pub mod submission;
pub mod system;
pub mod text;
pub mod tournament;
