//! The program from outside: one binary, a module for each part. The player's properties are in its package.

#[cfg(unix)]
mod arena_blame;
#[cfg(unix)]
mod arena_faults;
mod arena_figures;
mod arena_files;
mod arena_match;
mod arena_stats;
mod arena_stop;
mod arena_tournament;
#[cfg(target_os = "linux")]
mod board;
#[cfg(target_os = "linux")]
mod board_page;
#[cfg(target_os = "linux")]
mod board_tabs;
mod browser;
mod cli;
mod common;
mod hand;
mod hand_terminal;
mod judge;
mod judging;
mod keys;
mod layers;
mod page;
mod page_state;
mod players;
mod record;
mod refusing_browser;
mod review;
#[cfg(target_os = "linux")]
mod robust_page;
mod scratch;
mod solve;
mod submission;
#[cfg(unix)]
mod tournament_page;
