//! The worth of a position. The judge knows no opponent.
//!
//! - [`verdict`]: the judge, the best moves of a position and their scores. [`worth`]: bounds, score, estimate.
//! - [`minimax`]: a search over estimates. [`estimate`]: the expected score of one position.
//! - [`solving`]: a position solved step by step. [`exact`]: rough bounds, lines of play, values of moves.
//! - [`likely`]: the likely score and target.
//! - [`answer`]: an answer about a position, as JSON.

pub mod answer;
pub mod estimate;
pub mod exact;
pub mod likely;
pub mod minimax;
pub mod solving;
pub mod verdict;
pub mod worth;
