//! Games on disk: one JSON object a line.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::fault::Fault;
use super::sprt::{SOUND, SprtPlan};
use crate::games::files::RecordedGame;
use crate::games::opening::Opening;
use crate::games::record::Record;
use crate::player::board::{Cell, Move};
use crate::player::input::quote;
use crate::player::position::Score;
use crate::system::lines::{JsonLine, JsonResult, ReadSoFar, from_json, parse, read, read_on, torn_remark};
use crate::text::is_unseen;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayedBy {
    pub command: String,
    pub seconds: f64,
    /// For a built-in player our version and a hash of our program, else a hash of the program's file.
    pub version: String,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Terms {
    pub seed: u64,
    /// A hash of the given openings; `None` for random ones.
    pub openings: Option<u64>,
    pub suspend: bool,
}

const OLDER: &str =
    "a game with sides and terms, found an older journal: blackhole before 26 November 2026 reads it";

/// The name of the aspect that differs after a change of a program.
pub(super) const VERSION: &str = "version of the program";

/// A game in the journal. The fields are the keys of the JSON object.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// A hash of the settings. Games of different settings never form a pair.
    pub settings: String,
    /// The number of the opening in the match, from 0; people read [`Entry::round_number`].
    pub round: u64,
    pub red: String,
    pub blue: String,
    #[serde(serialize_with = "to_texts", deserialize_with = "opening")]
    pub blocked: Opening,
    #[serde(serialize_with = "to_texts", deserialize_with = "moves")]
    pub moves: Vec<Move>,
    /// The final score, red minus blue; `None` after a fault.
    pub score: Option<Score>,
    /// Of Red and Blue, as all arrays below; 150 together.
    pub points: [u8; 2],
    /// Thinking time of the game, and of the longest move, microseconds.
    pub micros: [u64; 2],
    pub worst_micros: [u64; 2],
    pub faults: Vec<Fault>,
    pub seeds: [u64; 2],
    /// The players and the terms, in every line of a journal.
    pub sides: Option<[PlayedBy; 2]>,
    pub terms: Option<Terms>,
    /// The bots' places on the command line, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub places: Option<[u64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtPlan>,
}

impl Entry {
    pub fn names(&self) -> [&str; 2] {
        [&self.red, &self.blue]
    }

    /// Return the round as people count it, from 1.
    pub fn round_number(&self) -> u64 {
        self.round.saturating_add(1)
    }

    /// Return the game for a review; an error names the first illegal move.
    pub fn recorded(&self) -> Result<RecordedGame, String> {
        let mut record = Record::standard(&self.blocked)?;
        self.moves.iter().try_for_each(|&mv| record.push(mv))?;
        let fault = self.faults.first().map(|fault| format!("{}: {fault}", fault.player));
        let (title, names) = (format!("round {}", self.round_number()), self.names().map(str::to_owned));
        Ok(RecordedGame { title, names, record, points: Some(self.points), fault })
    }

    /// List what may differ between games of one table, such as "a's time", each with its value.
    pub fn aspects(&self) -> Vec<(String, String)> {
        let mut aspects = Vec::new();
        for (name, side) in self.names().into_iter().zip(self.sides.iter().flatten()) {
            aspects.push((format!("{name}'s command"), side.command.clone()));
            aspects.push((format!("{name}'s time"), format!("{} s", side.seconds)));
            aspects.push((format!("{name}'s {VERSION}"), side.version.clone()));
        }
        if let Some(Terms { seed, openings, suspend }) = &self.terms {
            let openings = openings.map_or("random".to_owned(), |hash| format!("file {hash:x}"));
            aspects.push(("seed".to_owned(), seed.to_string()));
            aspects.push(("openings".to_owned(), openings));
            aspects.push(("--suspend".to_owned(), if *suspend { "on" } else { "off" }.to_owned()));
        }
        aspects
    }

    fn check(&self) -> Result<(), String> {
        if let Some(name) = self.names().into_iter().find(|name| name.contains(is_unseen)) {
            return Err(format!("a name of visible characters, found {}", quote(name.as_bytes())));
        }
        if self.sprt.as_ref().is_some_and(|test| !test.means.is_sound()) {
            return Err(SOUND.to_owned());
        }
        if self.sides.is_none() || self.terms.is_none() {
            return Err(OLDER.to_owned());
        }
        if self.red == self.blue {
            return Err(format!("two different names, found {} twice", quote(self.red.as_bytes())));
        }
        let [red, blue] = self.points.map(i16::from);
        if red + blue != 150 {
            return Err(format!("{} (two numbers of sum 150 are \"points\")", JournalLine::WHAT));
        }
        match self.score.map(|score| i16::from(score) + 75) {
            Some(due) if due != red => Err(format!("{due} points for Red by the score, found {red}")),
            _ => Ok(()),
        }
    }
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MatchLine {
    /// The options of the command line by their names.
    pub r#match: Map<String, Value>,
    /// When the match began, in seconds since 1970, and on which machine; `None` in older journals.
    pub began: Option<u64>,
    pub machine: Option<String>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum JournalLine {
    Match(MatchLine),
    Game(Box<Entry>),
}

pub fn split_lines(lines: impl IntoIterator<Item = JournalLine>) -> (Vec<MatchLine>, Vec<Entry>) {
    let (mut matches, mut games) = (Vec::new(), Vec::new());
    for line in lines {
        match line {
            JournalLine::Match(line) => matches.push(line),
            JournalLine::Game(game) => games.push(*game),
        }
    }
    (matches, games)
}

/// Read a journal, or the `*.jsonl` of a directory; also return a sentence for each torn or left out.
pub fn read_path(path: &Path) -> io::Result<(Vec<JournalLine>, Vec<String>)> {
    if !path.is_dir() {
        let lines = parse(&read(path)?).map_err(io::Error::other)?;
        let torn = (lines.torn > 0).then(|| torn_remark(path));
        return Ok((lines.records, torn.into_iter().collect()));
    }
    let mut dir = JournalDir::new(path, None);
    let (journals, mut remarks) = dir.read_on();
    let is_torn = dir.read_so_far.iter().filter(|(_, so_far)| so_far.is_torn);
    remarks.extend(is_torn.map(|(file, _)| torn_remark(file)));
    Ok((journals.into_iter().flat_map(|(_, lines)| lines).collect(), remarks))
}

/// The journals `*.jsonl` of a directory, read on as they grow; what is no journal is left out.
pub struct JournalDir {
    path: PathBuf,
    own: Option<PathBuf>,
    read_so_far: BTreeMap<PathBuf, ReadSoFar>,
    left_out: BTreeSet<PathBuf>,
}

impl JournalDir {
    pub fn new(path: &Path, own: Option<PathBuf>) -> JournalDir {
        JournalDir { path: path.to_owned(), own, read_so_far: BTreeMap::new(), left_out: BTreeSet::new() }
    }

    /// Read the new lines of each journal; also return a sentence for each file left out for the first time.
    pub fn read_on(&mut self) -> (Vec<(PathBuf, Vec<JournalLine>)>, Vec<String>) {
        let (mut journals, mut left_out) = (Vec::new(), Vec::new());
        let listed = self.path.read_dir().map(|files| files.flatten().map(|file| file.path()).collect());
        let mut files: Vec<PathBuf> = listed.unwrap_or_else(|error| {
            left_out.extend(self.leave_out(&self.path.clone(), &error.to_string()));
            Vec::new()
        });
        files.sort_unstable();
        for file in files {
            if file.extension() != Some("jsonl".as_ref()) || Some(&file) == self.own.as_ref() {
                continue;
            }
            match read_on(&file, self.read_so_far.entry(file.clone()).or_default()) {
                Ok(lines) => journals.push((file, lines)),
                // It was removed or renamed after the listing.
                Err(error) if error.kind() == ErrorKind::NotFound && !file.is_symlink() => {}
                Err(error) => left_out.extend(self.leave_out(&file, &error.to_string())),
            }
        }
        (journals, left_out)
    }

    pub fn leave_out(&mut self, file: &Path, why: &str) -> Option<String> {
        self.left_out.insert(file.to_owned()).then(|| format!("{}: {why}: left out", file.display()))
    }
}

impl JsonLine for JournalLine {
    const WHAT: &'static str = "a game of a match";
    const FIRST: &'static [&'static str] = &["settings", "match"];

    fn read(line: &[u8]) -> JsonResult<JournalLine> {
        match line.starts_with(b"{\"match\"") {
            true => from_json(line).map(JournalLine::Match),
            false => from_json(line).map(|game| JournalLine::Game(Box::new(game))),
        }
    }

    fn check(&self) -> Result<(), String> {
        if let JournalLine::Game(game) = self { game.check() } else { Ok(()) }
    }
}

fn to_texts<T: fmt::Display, S: Serializer>(items: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(items.iter().map(T::to_string))
}

fn moves<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Move>, D::Error> {
    let read =
        |text: &String| Move::parse(text).map_err(|_| D::Error::custom(format!("{text:?} is no move")));
    Vec::deserialize(deserializer)?.iter().map(read).collect()
}

fn opening<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Opening, D::Error> {
    let read = |text: &String| Cell::parse(text).ok_or(D::Error::custom(format!("{text:?} is no cell")));
    let cells: Vec<Cell> = Vec::deserialize(deserializer)?.iter().map(read).collect::<Result<_, _>>()?;
    cells.try_into().map_err(|_| D::Error::custom("not five cells"))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::arena::fault::FaultClass;
    use crate::system::lines::{Lines, parse};

    const LINE: &str = r#"{"settings":"00000000000012ab","round":1,"red":"a","blue":"b","blocked":["A1","A2","A3","A4","A5"],"moves":["H1=15"],"score":null,"points":[150,0],"micros":[12,13],"worst_micros":[7,8],"faults":[{"by":"blue","class":"hang-up","detail":"d"}],"seeds":[18446744073709551615,3],"sides":[{"command":"x","seconds":1.0,"version":""},{"command":"x","seconds":1.0,"version":""}],"terms":{"seed":1,"openings":null,"suspend":false}}"#;

    pub(crate) fn entry(round: u64, [red, blue]: [&str; 2], points: u8) -> Entry {
        Entry {
            round,
            red: red.to_string(),
            blue: blue.to_string(),
            blocked: std::array::from_fn(|i| Cell::all().nth(i + round as usize % 30).expect("a cell")),
            score: Some((i16::from(points) - 75) as Score),
            points: [points, 150 - points],
            faults: Vec::new(),
            ..serde_json::from_str(LINE).expect("a game")
        }
    }

    #[test]
    fn what_is_no_game_is_refused() {
        let lines: Lines<JournalLine> = parse(LINE.as_bytes()).expect("a game");
        let Entry { points, faults, .. } = &split_lines(lines.records).1[0];
        assert_eq!((*points, faults[0].class), ([150, 0], FaultClass::HangUp));
        for (from, to, expected) in [
            ("[150,0]", "[150,1]", "a game of a match (two numbers of sum 150"),
            ("null", "76", "151 points for Red by the score, found 150"),
            ("\"a\"", "\"a\\u001b\"", "a name of visible characters, found \"a\\x1b\""),
            ("A1", "A9", "a game of a match (\"A9\" is no cell)"),
            ("\"A1\",", "", "a game of a match (not five cells)"),
            ("hang-up", "hung-up", "a game of a match (unknown variant `hung-up`"),
            ("\"round\":1,", "", "a game of a match (missing field `round`)"),
            (r#","terms":{"seed":1,"openings":null,"suspend":false}"#, "", OLDER),
        ] {
            let error = parse::<JournalLine>(LINE.replacen(from, to, 1).as_bytes()).expect_err(to);
            assert!(error.to_string().starts_with(&format!("line 1: expected {expected}")), "{error}");
        }
    }
}
