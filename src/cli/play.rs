//! `blackhole play`: one game through the referee dialogue on standard input and output.

use std::io::{self, IsTerminal};
use std::time::Instant;

use clap::Args;

use super::{BAD_INPUT, Outcome, SUCCESS, engine};
use crate::bot::{self, End, Settings};

/// Play one game: referee lines on standard input, moves on standard output
#[derive(Args)]
pub(super) struct PlayOptions {
    #[command(flatten)]
    engine: engine::EngineOptions,
    /// Write nothing to standard error but errors
    #[arg(long)]
    quiet: bool,
}

/// Play the game; exit code 2 after a line that does not fit.
pub(super) fn run(options: &PlayOptions, started: Instant) -> Outcome {
    let input = io::stdin().lock();
    let settings = Settings {
        time: options.engine.time,
        started,
        quiet: options.quiet,
        interactive: input.is_terminal(),
    };
    let mut agent = engine::engine(&options.engine);
    let end = bot::play(input, io::stdout().lock(), io::stderr(), &mut *agent, &settings)?;
    Ok(if end == End::BadInput { BAD_INPUT } else { SUCCESS })
}
