//! `blackhole play`: one game through the referee dialogue on standard input and output.

use std::io::{self, IsTerminal};
use std::time::Instant;

use clap::Args;

use super::options::{EngineOptions, engine};
use super::{BAD_INPUT, Failure, SUCCESS, print};
use crate::player::agent::Agent;
use crate::player::bot::{self, DialogueSettings, End};
use crate::workshop::arena::bots::Builtin;
use crate::workshop::players;

/// Play one game: referee lines on standard input, moves on standard output
#[derive(Args)]
pub(super) struct PlayOptions {
    #[command(flatten)]
    engine: EngineOptions,
    /// Write nothing to standard error but errors
    #[arg(long)]
    quiet: bool,
    /// Let a built-in player play instead of the engine: PLAYER[,key=value…]
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
}

/// Play the game; exit code 2 after a line that does not fit.
pub(super) fn run(options: &PlayOptions, started: Instant) -> Result<u8, Failure> {
    print("")?;
    let input = io::stdin().lock();
    let settings = DialogueSettings {
        time: options.engine.time,
        started,
        quiet: options.quiet,
        interactive: input.is_terminal(),
    };
    let mut agent = match &options.player {
        Some(player) => builtin(player, options.engine.seed)?,
        None => Box::new(engine(&options.engine)),
    };
    let end = bot::play(input, io::stdout().lock(), io::stderr(), &mut *agent, &settings)?;
    Ok(if end == End::BadInput { BAD_INPUT } else { SUCCESS })
}

/// Make the built-in player of a description such as `uct,threads=2`.
fn builtin(player: &str, seed: u64) -> Result<Box<dyn Agent>, Failure> {
    let Builtin { name, options } = Builtin::parse(player).map_err(Failure::input)?;
    players::builtin(&name, &options, seed).map_err(Failure::input)
}
