//! Properties of the player as its users see them: one binary, a module for each part.

mod alpha;
mod clock;
mod dialogue;
mod engine;
mod opponent;
mod rules;
mod search;
mod signature;
mod solver;

/// The common imports.
mod prelude {
    pub use blackhole_player::agent::{Agent, Choice, Reason};
    pub use blackhole_player::alpha::{Status, Target};
    pub use blackhole_player::board::{Cell, CellSet, Hand, Move, Player, Stone};
    pub use blackhole_player::engine::{Engine, Options};
    pub use blackhole_player::expectation::greedy_move;
    pub use blackhole_player::limits::Limits;
    pub use blackhole_player::opponent::{Kind, Opponent, ReplyModel};
    pub use blackhole_player::params::Params;
    pub use blackhole_player::position::{Position, Score};
    pub use blackhole_player::search::{Replies, Search};
    pub use blackhole_player::simd::Portable;
    pub use blackhole_player::solver::{Bounds, Solver};
    pub use blackhole_player::testing::*;
    pub use rand::RngExt;
    pub use std::time::{Duration, Instant};
}
