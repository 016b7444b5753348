//! The integration tests: one binary, a module for each part of the program.

mod alpha;
#[cfg(unix)]
mod arena_blame;
#[cfg(unix)]
mod arena_faults;
mod arena_figures;
mod arena_files;
mod arena_load;
mod arena_match;
mod arena_stats;
mod arena_stop;
#[cfg(target_os = "linux")]
mod board;
#[cfg(target_os = "linux")]
mod board_page;
mod browser;
mod cli;
mod clock;
mod common;
mod dialogue;
mod engine;
mod hand;
mod hand_terminal;
mod keys;
mod opponent;
mod page;
mod players;
mod record;
mod review;
#[cfg(target_os = "linux")]
mod robust_page;
mod rules;
mod scratch;
mod search;
mod solve;
mod solver;
mod submission;
