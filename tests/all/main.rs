//! The integration tests: one binary, a module for each part of the program.

mod alpha;
mod arena_blame;
mod arena_builtin;
mod arena_faults;
mod arena_figures;
mod arena_files;
mod arena_load;
mod arena_match;
mod arena_stats;
mod arena_stop;
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
