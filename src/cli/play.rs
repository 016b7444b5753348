//! `blackhole play`: one game through the referee dialogue on standard input and output, or games by
//! hand in a terminal.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;

use super::options::{EngineOptions, engine};
use super::source::{in_input, read_games};
use super::{BAD_INPUT, CommandResult, Failure, SUCCESS, at, hand, print};
use crate::arena::bots::Builtin;
use crate::games::files::RecordedGame;
use crate::player::agent::Agent;
use crate::player::bot::{self, DialogueEnd, DialogueSettings};
use crate::sparring;
use crate::terminal::game::partner;
use crate::terminal::levels::{self, LEVELS};

/// The name of the engine with the options of the command line.
const ENGINE: &str = "blackhole";

/// Play through the referee's dialogue, or with a person in a terminal
///
/// With standard input and output in a terminal a person plays, with a board, hints and undo (type help
/// for the commands). Otherwise it reads the referee's lines and writes moves.
#[derive(Args)]
pub(super) struct PlayCommand {
    /// In a terminal: go on with a saved game, against its partner unless --player names another
    #[arg(value_name = "FILE", conflicts_with = "quiet")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub options: PlayOptions,
}

#[derive(Args)]
pub(super) struct PlayOptions {
    #[command(flatten)]
    engine: EngineOptions,
    /// Write only moves and errors, in a terminal, too
    #[arg(long)]
    quiet: bool,
    /// Let a built-in player, PLAYER[,key=value…], or a level play instead of the engine; in a terminal, your
    /// opponent. Levels: beginner, casual, advanced, expert
    #[arg(long, value_name = "PLAYER", conflicts_with_all = ["nodes", "memory", "set"])]
    player: Option<String>,
}

/// Play; exit code 2 after an unfit line of the referee.
pub(super) fn run(options: &PlayOptions, file: Option<&Path>, started: Instant) -> CommandResult {
    print("")?;
    let PlayOptions { engine, quiet, player } = options;
    if !quiet && io::stdin().is_terminal() && io::stdout().is_terminal() {
        let saved = file.map(only_game).transpose()?;
        let named = saved.as_ref().and_then(partner).filter(|name| agent(Some(name), engine).is_ok());
        let player = player.clone().or(named);
        let engine = &engine.stop_when_raised(&hand::STOP);
        let agent = agent(player.as_deref(), engine)?;
        return hand::play(player.as_deref().unwrap_or(ENGINE), saved, engine, agent);
    }
    if let Some(file) = file {
        return Err(at(file, "expected a terminal, in which the saved game goes on"));
    }
    let settings = DialogueSettings { time: engine.time, started, quiet: *quiet };
    let mut agent = agent(player.as_deref(), engine)?;
    let end = bot::play(io::stdin().lock(), io::stdout().lock(), io::stderr(), &mut *agent, &settings)?;
    Ok(if end == DialogueEnd::BadInput { BAD_INPUT } else { SUCCESS })
}

/// Read the one game of a file.
fn only_game(file: &Path) -> Result<RecordedGame, Failure> {
    let games = <[RecordedGame; 1]>::try_from(read_games(file)?);
    games
        .map(|[game]| game)
        .map_err(|games| in_input(file, format!("found {} games, expected one", games.len())))
}

/// Make the player: the engine, a level, or a built-in player such as `uct,c=0.5`.
pub(super) fn agent(player: Option<&str>, options: &EngineOptions) -> Result<Box<dyn Agent>, Failure> {
    let Some(player) = player.filter(|&player| player != ENGINE) else {
        return Ok(Box::new(engine(options)));
    };
    let Builtin { name, options: settings } =
        Builtin::parse(levels::player(player)).map_err(Failure::input)?;
    let known = sparring::PLAYERS.iter().any(|player| player.0 == name);
    let more = if known { String::new() } else { format!(", {}", LEVELS.map(|level| level.0).join(", ")) };
    let made = sparring::builtin(&name, &settings, options.seed);
    let mut agent = made.map_err(|error| Failure::input(format!("{error}{more}")))?;
    if let Some(stop) = options.stop {
        agent.stop_when_raised(stop);
    }
    Ok(agent)
}
