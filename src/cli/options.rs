//! The player's options, and the player they make.

use std::time::Duration;

use clap::{Args, value_parser};

use crate::engine::{DEFAULT_MEMORY, Engine, Options};
use crate::params::Params;

/// Options of every command that chooses moves.
#[derive(Args, Clone, Debug)]
pub(super) struct EngineOptions {
    /// Thinking time for the whole game, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = super::seconds)]
    pub time: Duration,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = Options::default().seed)]
    pub seed: u64,
    /// Iterations a move instead of time; same seed and nodes, same game
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Memory for the search, in megabytes
    #[arg(long, value_name = "MB", default_value_t = (DEFAULT_MEMORY >> 20) as u32,
          value_parser = value_parser!(u32).range(1..=65536))]
    memory: u32,
    /// Search threads; so far only one
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u8).range(1..=1))]
    threads: u8,
}

/// Make the player of these options.
pub(super) fn engine(options: &EngineOptions) -> Engine {
    let &EngineOptions { time: _, seed, nodes, memory, threads: _ } = options;
    Engine::new(Options { params: Params::default(), seed, nodes, memory: (memory as usize) << 20 })
}
