//! `blackhole play`: one game through the referee dialogue on standard input and output, or games by
//! hand in a terminal.

use std::env::var_os;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::exit;
use std::time::Instant;

use clap::Args;

use super::options::EngineOptions;
use super::source::{only, read_games};
use super::{BAD_INPUT, CommandResult, INTERRUPTED, SUCCESS, at, print, unfit};
use crate::games::drawing::Ink;
use crate::player::bot::{self, DialogueEnd, DialogueSettings};
use crate::player::engine::Options;
use crate::sparring::levels::{ENGINE, partner};
use crate::system::{on_request_to_end, terminal_restorer};
use crate::terminal::game::{TerminalGame, saved_opponent};
use crate::terminal::session::{STOP, Session, interrupt};

/// Play through the referee's dialogue, or with a person in a terminal
///
/// With standard input and output in a terminal a person plays, with a board, hints and undo (type help
/// for the commands). Otherwise it reads the referee's lines and writes moves.
#[derive(Args)]
pub(super) struct PlayCommand {
    /// In a terminal: go on with a saved game, against its opponent unless --player names another
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
        return by_hand(options, file);
    }
    if let Some(file) = file {
        return Err(at(file, "expected a terminal, in which the saved game goes on"));
    }
    let settings = DialogueSettings { time: engine.time, started, quiet: *quiet };
    let player = player.as_deref().unwrap_or(ENGINE);
    let mut agent = partner(player, &engine.options()).map_err(unfit)?;
    let end = bot::play(io::stdin().lock(), io::stdout().lock(), io::stderr(), &mut *agent, &settings)?;
    Ok(if end == DialogueEnd::BadInput { BAD_INPUT } else { SUCCESS })
}

fn by_hand(options: &PlayOptions, file: Option<&Path>) -> CommandResult {
    let PlayOptions { engine: EngineOptions { time, .. }, player, .. } = options;
    let engine = Options { stop: Some(&STOP), ..options.engine.options() };
    let saved = file.map(|file| only(file, read_games(file)?, "")).transpose()?;
    let named = saved.as_ref().and_then(saved_opponent).filter(|name| partner(name, &engine).is_ok());
    let name = player.clone().or(named).unwrap_or(ENGINE.to_owned());
    let mut agent = partner(&name, &engine).map_err(unfit)?;
    let is_dumb = var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    let restore = terminal_restorer();
    on_request_to_end(move |pressed| {
        if !pressed {
            restore();
            // Turn off bracketed paste, which the editor turned on.
            let _ = print(if is_dumb { "\n" } else { "\x1b[?2004l\n" });
        }
        // The terminal may be gone.
        let words = interrupt(pressed).unwrap_or_else(|farewell| {
            let _ = print(&farewell);
            exit(INTERRUPTED.into());
        });
        let _ = print(words);
    })?;
    let is_plain = is_dumb || var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let ink = if is_plain { Ink::Plain } else { Ink::Colour };
    let mut game = TerminalGame::new(&name, *time, ink);
    if let Some(saved) = saved {
        game.continue_game(saved);
    }
    Session::new(game, !is_dumb, print)?.play(&mut *agent).map(|()| SUCCESS)
}
