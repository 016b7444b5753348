//! A file of games that grows, told to the page.

use std::fs::{self, Metadata};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::arena::journal::{Entry, JournalLine, split_lines};
use crate::arena::report::Report;
use crate::games::files::{self, RecordedGame};
use crate::system::lines::parse;

/// The most games shown of one file.
pub const MAX_GAMES: usize = 1000;

/// A younger file may change again without another time: some systems count in steps of 2 s.
const TIME_STEP: Duration = Duration::from_secs(3);

/// A file with what was read of it so far.
#[derive(Default)]
pub struct Followed {
    path: PathBuf,
    /// The size and the time of the last change, when it was read last, unless it must be read again.
    seen: Option<(u64, Option<SystemTime>)>,
    /// The text that was read: of JSON the whole lines.
    bytes: Vec<u8>,
    /// A number of what was read, new with each change.
    version: u64,
    /// The first games, and the number of all.
    games: Vec<RecordedGame>,
    count: usize,
    /// The games of a match, if it is a journal.
    entries: Option<Vec<Entry>>,
}

impl Followed {
    pub fn new(path: PathBuf) -> Followed {
        Followed { path, ..Followed::default() }
    }

    /// Return the first games, and the number of all.
    pub fn games(&self) -> (&[RecordedGame], usize) {
        (&self.games, self.count)
    }

    /// Return the report of the match as JSON, if the file is a journal.
    pub fn report(&self) -> Option<Value> {
        self.entries.as_ref().map(|entries| json!(Report::of(entries)))
    }

    pub fn seconds_since_change(&self) -> Option<f64> {
        Some(self.path.metadata().ok()?.modified().ok()?.elapsed().ok()?.as_secs_f64())
    }

    /// Read what is new, and return a number that changes with it. What cannot be read is read later.
    pub fn read_on(&mut self) -> u64 {
        let now = self.path.metadata().ok().filter(Metadata::is_file);
        let now = now.map(|file| (file.len(), file.modified().ok()));
        if now.is_some() && now != self.seen {
            let bytes = fs::read(&self.path).ok();
            let is_settled =
                |time: SystemTime| bytes.is_some() && time.elapsed().is_ok_and(|age| age > TIME_STEP);
            self.seen = now.filter(|(_, time)| time.is_none_or(is_settled));
            let read = bytes.and_then(|bytes| self.take(bytes));
            self.version += u64::from(read.is_some());
        }
        self.version
    }

    /// Take the file's text: only new lines of JSON are parsed; else the file was replaced or cut, or has
    /// records, of which the last may go on. `None` if it is the same or cannot be parsed.
    fn take(&mut self, mut bytes: Vec<u8>) -> Option<()> {
        let is_json = bytes.trim_ascii_start().starts_with(b"{");
        if is_json {
            bytes.truncate(bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1));
        }
        if bytes == self.bytes {
            return None;
        }
        let grows = is_json && !self.bytes.is_empty() && bytes.starts_with(&self.bytes);
        let new = &bytes[if grows { self.bytes.len() } else { 0 }..];
        let entries = parse::<JournalLine>(new).ok().map(|lines| split_lines(lines.records).1);
        let games = match &entries {
            Some(entries) => entries.iter().map(|entry| entry.recorded().ok()).collect::<Option<_>>()?,
            None => files::read(new).ok()?,
        };
        if !grows {
            self.games.clear();
            (self.count, self.entries) = (0, Some(Vec::new()));
        }
        self.entries = self.entries.take().zip(entries).map(|(mut known, new)| {
            known.extend(new);
            known
        });
        self.count += games.len();
        self.games.extend(games.into_iter().take(MAX_GAMES - self.games.len()));
        self.bytes = bytes;
        Some(())
    }
}
