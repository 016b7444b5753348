//! Where a command's games come from.

use std::fmt;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use clap::Args;

use super::{Failure, at, say};
use crate::player::record::Record;
use crate::workshop::games::{self, Game};

/// Far more than the journal of a long match; a file beyond it is none.
const MAX_BYTES: u64 = 1 << 28;

/// A file of games, and which of them.
#[derive(Args)]
pub(super) struct GameSource {
    /// A game in any form: record, dialogue, base-36 string, log or journal of a match, JSON line;
    /// `-` is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    file: PathBuf,
    /// Which game of a file with several, counted from 1
    #[arg(long, value_name = "N")]
    game: Option<usize>,
}

impl GameSource {
    /// Take one game of a file, or all.
    pub fn new(file: &Path, game: Option<usize>) -> GameSource {
        GameSource { file: file.to_owned(), game }
    }

    /// Read the games that were asked for, each with its number in the file, from 1.
    pub fn games(&self) -> Result<Vec<(usize, Game)>, Failure> {
        let games = read_games(&self.file)?;
        let count = games.len();
        let numbered = (1..).zip(games);
        let wanted: Vec<(usize, Game)> =
            numbered.filter(|&(number, _)| self.game.is_none_or(|wanted| wanted == number)).collect();
        match self.game {
            Some(number) if wanted.is_empty() => {
                Err(at(&self.file, format!("found --game {number}, expected a number from 1 to {count}")))
            }
            _ => Ok(wanted),
        }
    }

    /// Read the one game that was asked for.
    pub fn record(&self) -> Result<Record, Failure> {
        let mut games = self.games()?;
        match games.pop() {
            Some((_, game)) if games.is_empty() => Ok(game.record),
            _ => {
                let count = games.len() + 1;
                Err(at(
                    &self.file,
                    format!("found {count} games, expected one, or --game N from 1 to {count}"),
                ))
            }
        }
    }
}

/// Read all games of a file; `-` is standard input, at which a person is told what is awaited.
pub(super) fn read_games(path: &Path) -> Result<Vec<Game>, Failure> {
    let fail = |error: &dyn fmt::Display| at(path, error);
    let mut bytes = Vec::new();
    let mut collect = |input: &mut dyn Read| input.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    if path == Path::new("-") {
        let mut input = io::stdin().lock();
        if input.is_terminal() {
            say("waiting for a game: the blocked cells, then the moves; Ctrl-D on a new line ends it");
        }
        collect(&mut input)
    } else {
        File::open(path).and_then(|mut file| collect(&mut file))
    }
    .map_err(|error| fail(&error))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(fail(&"more than 256 megabytes, expected games"));
    }
    games::read(&bytes).map_err(|error| fail(&error))
}
