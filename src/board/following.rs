//! A file of games that grows, for a page that shows its games as they come.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::arena::journal::{Entry, JournalLine, split_lines};
use crate::arena::report::Report;
use crate::games::files::{self, RecordedGame};
use crate::system::lines::parse;

/// A file with what was read of it so far.
#[derive(Default)]
pub struct GameFile {
    path: PathBuf,
    /// The text read last; if it is JSON, its whole lines.
    bytes: Vec<u8>,
    pub games: Vec<RecordedGame>,
    /// The games of a match, if the file is a journal.
    entries: Option<Vec<Entry>>,
}

impl GameFile {
    pub fn new(path: PathBuf) -> GameFile {
        GameFile { path, ..GameFile::default() }
    }

    /// Return the report of the match as JSON, if the file is a journal.
    pub fn report(&self) -> Option<Value> {
        self.entries.as_ref().map(|entries| json!(Report::of(entries)))
    }

    pub fn seconds_since_change(&self) -> Option<f64> {
        Some(self.path.metadata().ok()?.modified().ok()?.elapsed().ok()?.as_secs_f64())
    }

    /// Read the file again; return the index of the first new or changed game, `None` without one or a readable text.
    pub fn read_on(&mut self) -> Option<usize> {
        let mut bytes = fs::read(&self.path).ok()?;
        if bytes.trim_ascii_start().starts_with(b"{") {
            bytes.truncate(bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1));
        }
        if bytes == self.bytes {
            return None;
        }
        let entries = parse::<JournalLine>(&bytes).ok().map(|lines| split_lines(lines.records).1);
        let games: Vec<RecordedGame> = match &entries {
            Some(entries) => entries.iter().map(|entry| entry.recorded().ok()).collect::<Option<_>>()?,
            None => files::read(&bytes[..]).ok()?,
        };
        let from = self.games.iter().zip(&games).take_while(|(one, other)| one == other).count();
        (self.games, self.entries, self.bytes) = (games, entries, bytes);
        Some(from)
    }
}
