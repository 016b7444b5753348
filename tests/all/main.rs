//! The integration tests: one binary, a module for each part of the program.

mod alpha;
mod arena_builtin;
mod arena_faults;
mod arena_load;
mod arena_match;
mod arena_stats;
mod calibrate;
mod cli;
mod common;
mod dialogue;
mod players;
mod record;
mod rules;
mod scratch;
mod search;
mod solver;
#[path = "../../src/player/testing.rs"]
mod testing;

// The helpers above say `crate::player`, as the player's own tests do.
use blackhole::player;
