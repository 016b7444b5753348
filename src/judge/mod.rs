//! What a position is worth.
//!
//! - [`solving`]: a position solved step by step. [`exact`]: rough bounds, lines of play, values of moves.
//! - [`estimate`]: the expected score of a position that is not solved.
//! - [`likely`]: the likely score, target and opponent.
//! - [`answer`]: an answer about a position, as JSON.

pub mod answer;
pub mod estimate;
pub mod exact;
pub mod likely;
pub mod solving;
pub mod verdict;
pub mod worth;
