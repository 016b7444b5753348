//! A file of games that grows, told to the page.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::time::SystemTime;

use crate::arena::journal::{Entry, JournalLine};
use crate::arena::report::Report;
use crate::games::files::{self, RecordedGame};
use crate::system::lines::parse;

/// The most games shown of one file.
pub const MAX_GAMES: usize = 1000;
/// The bytes before the place reached by which the file is known again.
const MARK: usize = 256;

/// A file with what was read of it so far.
pub struct Followed {
    path: PathBuf,
    /// The size and the time of the last change, when it was read last.
    seen: Option<(u64, Option<SystemTime>)>,
    /// The bytes read, and the last ones of them.
    offset: u64,
    mark: Vec<u8>,
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
        let (seen, games, mark) = (None, Vec::new(), Vec::new());
        Followed { path, seen, offset: 0, mark, version: 0, games, count: 0, entries: Some(Vec::new()) }
    }

    /// Return the first games, and the number of all.
    pub fn games(&self) -> (&[RecordedGame], usize) {
        (&self.games, self.count)
    }

    /// Return the table of the match, if the file is a journal.
    pub fn table(&self) -> Option<String> {
        self.entries.as_ref().map(|entries| Report::of(entries, false).to_string())
    }

    /// Read what is new, and return a number that changes with it. What cannot be read is read later.
    pub fn read_on(&mut self) -> u64 {
        let now = self.path.metadata().map(|file| (file.len(), file.modified().ok())).ok();
        let is_same = now.is_none() || now == self.seen;
        self.seen = now.or(self.seen);
        // A file that was replaced or cut is read anew, and so is one of records, whose last game may go on.
        let is_read = !is_same && (self.add_new_lines() || self.read_all().is_some());
        self.version += u64::from(is_read);
        self.version
    }

    /// Add the new whole lines of a file of JSON, if it is still the same.
    fn add_new_lines(&mut self) -> bool {
        let mut read = || {
            let mut file = File::open(&self.path).ok().filter(|_| !self.mark.is_empty())?;
            let (mut mark, mut bytes) = (vec![0; self.mark.len()], Vec::new());
            file.seek(SeekFrom::Start(self.offset - mark.len() as u64)).ok()?;
            file.read_exact(&mut mark).ok().filter(|()| mark == self.mark)?;
            file.read_to_end(&mut bytes).ok()?;
            self.add(whole_lines(&bytes))
        };
        read().is_some()
    }

    fn read_all(&mut self) -> Option<()> {
        let bytes = fs::read(&self.path).ok()?;
        let is_json = bytes.trim_ascii_start().starts_with(b"{");
        let mut fresh =
            Followed { seen: self.seen, version: self.version, ..Followed::new(self.path.clone()) };
        fresh.add(if is_json { whole_lines(&bytes) } else { &bytes })?;
        if !is_json {
            fresh.mark.clear();
        }
        *self = fresh;
        Some(())
    }

    /// Add the games of whole lines. `None` if they cannot be read.
    fn add(&mut self, bytes: &[u8]) -> Option<()> {
        if bytes.is_empty() {
            return Some(());
        }
        let lines = parse::<JournalLine>(bytes).ok().map(|lines| lines.records);
        let is_match_alone = lines.as_ref().is_some_and(|lines| matches!(lines[..], [JournalLine::Match(_)]));
        let games = if is_match_alone { Vec::new() } else { files::read(bytes).ok()? };
        let of_game = |line| match line {
            JournalLine::Game(game) => Some(*game),
            JournalLine::Match(_) => None,
        };
        self.entries = self.entries.take().zip(lines).map(|(mut entries, lines)| {
            entries.extend(lines.into_iter().filter_map(of_game));
            entries
        });
        self.count += games.len();
        self.games.extend(games.into_iter().take(MAX_GAMES - self.games.len()));
        self.offset += bytes.len() as u64;
        self.mark.extend_from_slice(bytes);
        self.mark.drain(..self.mark.len().saturating_sub(MARK));
        Some(())
    }
}

/// Return bytes up to their last line feed.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1)]
}
