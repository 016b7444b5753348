//! `blackhole play`: one game through the referee dialogue on standard input and output, or games by
//! hand in a terminal.

use std::io::{self, IsTerminal};
use std::time::Instant;

use clap::Args;

use super::options::{EngineOptions, engine};
use super::{BAD_INPUT, CommandResult, Failure, SUCCESS, hand, print};
use crate::player::agent::Agent;
use crate::player::bot::{self, DialogueEnd, DialogueSettings};
use crate::workshop::arena::bots::Builtin;
use crate::workshop::hand::levels::{self, LEVELS};
use crate::workshop::players;

/// Play: referee lines on standard input, moves on standard output; or by hand in a terminal
///
/// Where standard input and standard output are both a terminal, a person plays, with a board, hints
/// and moves taken back (`help` there lists the commands). Anything else is the referee's dialogue.
#[derive(Args)]
pub(super) struct PlayOptions {
    #[command(flatten)]
    engine: EngineOptions,
    /// Write nothing to standard error but errors; in a terminal: the referee's bare dialogue
    #[arg(long)]
    quiet: bool,
    /// Let a built-in player or a level play instead of the engine: PLAYER[,key=value…], or
    /// beginner, casual, advanced, expert
    #[arg(long, value_name = "PLAYER")]
    player: Option<String>,
}

/// Play; exit code 2 after a referee's line that does not fit.
pub(super) fn run(options: &PlayOptions, started: Instant) -> CommandResult {
    print("")?;
    if !options.quiet && io::stdin().is_terminal() && io::stdout().is_terminal() {
        let name = options.player.as_deref().and_then(|player| player.split(',').next());
        return hand::play(name.unwrap_or("blackhole"), &options.engine, || agent(options));
    }
    let mut agent = agent(options)?;
    let settings = DialogueSettings { time: options.engine.time, started, quiet: options.quiet };
    let end = bot::play(io::stdin().lock(), io::stdout().lock(), io::stderr(), &mut *agent, &settings)?;
    Ok(if end == DialogueEnd::BadInput { BAD_INPUT } else { SUCCESS })
}

/// Make who plays: the engine, a level, or the built-in player of a description such as
/// `uct,threads=2`.
fn agent(options: &PlayOptions) -> Result<Box<dyn Agent>, Failure> {
    let Some(player) = &options.player else { return Ok(Box::new(engine(&options.engine))) };
    let Builtin { name, options: settings } =
        Builtin::parse(levels::player(player)).map_err(Failure::input)?;
    let known = players::PLAYERS.iter().any(|player| player.0 == name);
    let more = if known { String::new() } else { format!(", {}", LEVELS.map(|level| level.0).join(", ")) };
    let made = players::builtin(&name, &settings, options.engine.seed);
    made.map_err(|error| Failure::input(format!("{error}{more}")))
}
