//! The source of a command's games.

use std::fmt;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::Args;

use super::options::within;
use super::{say, unfit};
use crate::games::files::{self, RecordedGame};
use crate::games::record::Record;
use crate::system::lines::{self, input_name, is_standard, torn_remark};

/// A game with its number in the input, from 1.
pub(super) type NumberedGame = (usize, RecordedGame);

/// A file of games, and a choice among them.
#[derive(Args)]
pub(super) struct GameSource {
    /// A game in any form: record, dialogue, base-36 string, log or journal of a match, JSON line; `-`: standard input
    #[arg(value_name = "FILE", default_value = "-")]
    file: PathBuf,
    /// The number of the game in a file of several, from 1
    #[arg(long, value_name = "N", value_parser = within(0..=usize::MAX))]
    game: Option<usize>,
}

impl GameSource {
    pub fn games(&self) -> io::Result<Vec<NumberedGame>> {
        choose(read_games(&self.file)?, self.game)
    }
}

/// A position of a game: its end, or after some of its moves.
#[derive(Args)]
pub(super) struct PositionSource {
    #[command(flatten)]
    source: GameSource,
    /// The number of moves before the position [default: all]
    #[arg(long, value_name = "N", value_parser = within::<usize>(0..=30))]
    ply: Option<usize>,
}

impl PositionSource {
    /// Return the game up to the position, and the number of all its moves.
    pub fn at_ply(&self) -> io::Result<(Record, usize)> {
        let games = self.source.games()?;
        let other = format!(", or --game N from 1 to {}", games.len());
        let (_, game) = only(&self.source.file, games, &other)?;
        let count = game.record.moves().len();
        let ply = self.ply.unwrap_or(count);
        if ply > count {
            return Err(unfit(format!("found --ply {ply}, expected a number from 0 to {count}")));
        }
        Ok((game.record.until(ply), count))
    }
}

/// Name the files without their directories, which may be private.
pub(super) fn input_names(paths: &[PathBuf]) -> String {
    let name = |path: &PathBuf| input_name(Path::new(path.file_name().unwrap_or(path.as_os_str())));
    paths.iter().map(name).collect::<Vec<_>>().join(", ")
}

pub(super) fn in_input(path: &Path, why: impl fmt::Display) -> io::Error {
    unfit(format_args!("{}: {why}", input_name(path)))
}

/// Return the only game of an input; the error of another number ends with `other`, a way to choose one.
pub(super) fn only<T>(path: &Path, mut games: Vec<T>, other: &str) -> io::Result<T> {
    let why = format!("found {} games, expected one{other}", games.len());
    games.pop().filter(|_| games.is_empty()).ok_or_else(|| in_input(path, why))
}

/// Number the games; return all, or only game `number`.
pub(super) fn choose(games: Vec<RecordedGame>, number: Option<usize>) -> io::Result<Vec<NumberedGame>> {
    let count = games.len();
    let mut numbered: Vec<NumberedGame> = (1..).zip(games).collect();
    if let Some(number) = number {
        numbered.retain(|&(other, _)| other == number);
        if numbered.is_empty() {
            return Err(unfit(format!("found --game {number}, expected a number from 1 to {count}")));
        }
    }
    Ok(numbered)
}

/// Read all games of a file; `-` is standard input, with a prompt for a person.
pub(super) fn read_games(path: &Path) -> io::Result<Vec<RecordedGame>> {
    if is_standard(path) && io::stdin().is_terminal() {
        let end = if cfg!(windows) { "Ctrl-Z and Enter" } else { "Ctrl-D" };
        say(&format!("waiting for a game: the blocked cells, then the moves; {end} on a new line ends it"));
    }
    let bytes = lines::read(path).map_err(|error| in_input(path, error))?;
    let games = files::read(&bytes).map_err(|error| in_input(path, error))?;
    if files::is_torn(&bytes) {
        say(&torn_remark(path));
    }
    Ok(games)
}
