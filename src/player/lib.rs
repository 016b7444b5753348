//! The player: the referee's lines in, moves out. Each module uses only modules above it in this list.
//!
//! - [`board`]: cells, stones, hands, moves. [`simd`]: vector operations on all cells at once.
//!   [`host`]: the system's memory and output. [`input`]: bounded lines of text and their faults.
//!   [`rng`], [`limits`], [`params`].
//! - [`position`]: play, scores, legality.
//! - [`alpha`]: α-Blackhole (§2.3): dead, stale, decided, reasonable. [`evaluation`]: static
//!   evaluation. [`expectation`]: the mean of random continuations. [`network`]: learned evaluation.
//! - [`opponent`]: the opponent's kind, by its replies. [`agent`]: the trait of all players.
//! - [`search`]: UCT-RAVE (§3). [`solver`]: exact play (§4.1).
//! - [`engine`]: Algorithm 1 (§4.1) and the time plan.
//! - [`protocol`]: the referee's lines. [`bot`]: a player's end of them. [`standalone`]: the player as a program.

pub mod agent;
pub mod alpha;
pub mod board;
pub mod bot;
pub mod engine;
pub mod evaluation;
pub mod expectation;
pub mod host;
pub mod input;
pub mod limits;
pub mod network;
pub mod opponent;
pub mod params;
pub mod position;
pub mod protocol;
pub mod rng;
pub mod search;
pub mod simd;
pub mod solver;
pub mod standalone;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
