//! The player's options, and the player they make.

use std::time::Duration;

use clap::{Args, value_parser};

use crate::agent::{Agent, Choice, Reason};
use crate::position::Position;

/// Options of every command that chooses moves.
#[derive(Args, Clone, Debug)]
pub(super) struct EngineOptions {
    /// Thinking time for the whole game, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = super::seconds)]
    pub time: Duration,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Iterations a move instead of time; same seed and nodes, same game
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,
    /// Memory for the search, in megabytes
    #[arg(long, value_name = "MB", default_value_t = 128, value_parser = value_parser!(u32).range(1..=65536))]
    pub memory: u32,
    /// Search threads; so far only one
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u8).range(1..=1))]
    pub threads: u8,
}

/// Make the player of these options.
pub(super) fn engine(_options: &EngineOptions) -> Box<dyn Agent> {
    Box::new(StandIn)
}

/// Holds the engine's place: its largest stone on the empty cell with most empty neighbours.
struct StandIn;

impl Agent for StandIn {
    fn choose(&mut self, position: &Position, _remaining: Duration) -> Choice {
        let best = position.legal_moves().max_by_key(|mv| (position.free_neighbours(mv.cell), mv.stone));
        Choice {
            mv: best.expect("at least two empty cells"),
            reason: Reason::Unsearched,
            target: None,
            value: 0.5,
            nodes: 0,
            elapsed: Duration::ZERO,
        }
    }
}
