//! Games on disk: one JSON object a line, appended in one write each.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::fault::{Fault, FaultClass};
use super::game::{Outcome, Spent};
use super::schedule::Opening;
use crate::player::board::{Cell, Move, Player};
use crate::player::position::{MAX_SCORE, Score};

/// A game as the journal keeps it.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// What the game was played under: a hash of both bots' commands and times and of the match's seed
    /// and openings. Games of different settings never form a pair.
    pub settings: u64,
    /// The number of the opening in the match.
    pub round: u64,
    /// The names of Red and Blue.
    pub names: [String; 2],
    /// The blocked cells.
    pub blocked: Opening,
    /// The moves.
    pub moves: Vec<Move>,
    /// The final score, red minus blue; `None` after a forfeit.
    pub score: Option<Score>,
    /// Points of Red and Blue, 150 together.
    pub points: [u8; 2],
    /// Time spent by Red and Blue, in whole microseconds.
    pub spent: [Spent; 2],
    /// The faults.
    pub faults: Vec<Fault>,
    /// The seeds of Red and Blue.
    pub seeds: [u64; 2],
}

/// Why a line is no record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadEntry {
    /// The line, 1-based.
    pub line: usize,
    /// What was expected.
    pub expected: String,
}

impl std::fmt::Display for BadEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: expected {}", self.line, self.expected)
    }
}

impl std::error::Error for BadEntry {}

fn whole_micros(time: Duration) -> Duration {
    Duration::from_micros(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
}

impl Entry {
    /// Make the record of a game just played.
    pub fn new(
        settings: u64,
        round: u64,
        names: [String; 2],
        blocked: Opening,
        seeds: [u64; 2],
        outcome: &Outcome,
    ) -> Entry {
        let spent = outcome
            .spent
            .map(|spent| Spent { total: whole_micros(spent.total), worst: whole_micros(spent.worst) });
        Entry {
            settings,
            round,
            names,
            blocked,
            seeds,
            moves: outcome.moves.clone(),
            score: outcome.score,
            points: outcome.points,
            spent,
            faults: outcome.faults.clone(),
        }
    }

    /// Return the line that stands for the record, without its end.
    pub fn to_line(&self) -> String {
        let micros = |time: Duration| time.as_micros() as u64;
        let names = |items: &[Move]| items.iter().map(Move::to_string).collect::<Vec<_>>();
        json!({
            "settings": format!("{:016x}", self.settings),
            "round": self.round,
            "red": self.names[0],
            "blue": self.names[1],
            "blocked": self.blocked.map(|cell| cell.to_string()),
            "moves": names(&self.moves),
            "score": self.score,
            "points": self.points,
            "micros": self.spent.map(|spent| micros(spent.total)),
            "worst_micros": self.spent.map(|spent| micros(spent.worst)),
            "faults": self.faults.iter().map(|fault| json!({
                "by": fault.player.to_string(),
                "class": fault.class.name(),
                "detail": fault.detail,
            })).collect::<Vec<_>>(),
            "seeds": self.seeds,
        })
        .to_string()
    }

    /// Read a record from its line.
    ///
    /// # Errors
    /// Says what was expected.
    pub fn parse(line: &str) -> Result<Entry, String> {
        let value: Value = serde_json::from_str(line).map_err(|error| format!("a JSON object ({error})"))?;
        let text = |key: &str| value[key].as_str().ok_or_else(|| format!("a text for \"{key}\""));
        let settings = u64::from_str_radix(text("settings")?, 16)
            .map_err(|_| "a hexadecimal number for \"settings\"".to_string())?;
        let blocked: Vec<Cell> =
            list(&value, "blocked", "cells", |item| item.as_str().and_then(Cell::parse))?;
        let moves =
            list(&value, "moves", "moves", |item| item.as_str().and_then(|text| Move::parse(text).ok()))?;
        let numbers = |key: &str| -> Result<[u64; 2], String> {
            let items = list(&value, key, "two numbers", Value::as_u64)?;
            items.try_into().map_err(|_| format!("two numbers for \"{key}\""))
        };
        let points = numbers("points")?;
        if points[0] > 150 || points[0] + points[1] != 150 {
            return Err("two numbers of sum 150 for \"points\"".to_string());
        }
        let score = match &value["score"] {
            Value::Null => None,
            score => Some(
                score
                    .as_i64()
                    .and_then(|score| Score::try_from(score).ok())
                    .filter(|score| score.unsigned_abs() <= MAX_SCORE.unsigned_abs())
                    .ok_or("a number from -75 to 75 or null for \"score\"")?,
            ),
        };
        let faults = list(&value, "faults", "faults", |item| {
            let by = item["by"].as_str()?;
            let player = Player::BOTH.into_iter().find(|player| player.to_string() == by)?;
            let class = FaultClass::parse(item["class"].as_str()?)?;
            Some(Fault { player, class, detail: item["detail"].as_str()?.to_string() })
        })?;
        let (total, worst) = (numbers("micros")?, numbers("worst_micros")?);
        let spent = [0, 1].map(|i| Spent {
            total: Duration::from_micros(total[i]),
            worst: Duration::from_micros(worst[i]),
        });
        Ok(Entry {
            settings,
            round: value["round"].as_u64().ok_or("a number for \"round\"")?,
            names: [text("red")?.to_string(), text("blue")?.to_string()],
            blocked: blocked.try_into().map_err(|_| "five cells for \"blocked\"")?,
            moves,
            score,
            points: points.map(|points| points as u8),
            spent,
            faults,
            seeds: numbers("seeds")?,
        })
    }
}

/// Read the array under `key`, or say that `what` was expected.
fn list<T>(
    value: &Value,
    key: &str,
    what: &str,
    read: impl Fn(&Value) -> Option<T>,
) -> Result<Vec<T>, String> {
    let items = value[key].as_array().and_then(|items| items.iter().map(read).collect());
    items.ok_or_else(|| format!("{what} for \"{key}\""))
}

/// Read the records of a journal. The second result is the length in bytes of its whole lines: what lies
/// beyond is the torn end of an interrupted write.
///
/// # Errors
/// Names the first whole line that is no record.
pub fn parse_entries(text: &[u8]) -> Result<(Vec<Entry>, usize), BadEntry> {
    parse_lines(text, Entry::parse)
}

/// Read a record from every line but empty ones. The second result is the length in bytes of the whole
/// lines: what lies beyond is the torn end of an interrupted write.
///
/// # Errors
/// Names the first whole line that `parse` does not take, with what it expected, or a torn end that is not
/// that of a record.
pub fn parse_lines<T>(
    text: &[u8],
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<(Vec<T>, usize), BadEntry> {
    let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let mut records = Vec::new();
    for (number, line) in text[..whole].split(|&byte| byte == b'\n').enumerate() {
        let bad = |expected: String| BadEntry { line: number + 1, expected };
        let line = str::from_utf8(line).map_err(|_| bad("text in UTF-8".to_string()))?;
        if !line.trim().is_empty() {
            records.push(parse(line).map_err(bad)?);
        }
    }
    // What is torn begins like a record; anything else is some other file, which must not be cut.
    if text.get(whole).is_some_and(|&byte| byte != b'{') {
        let line = text[..whole].split(|&byte| byte == b'\n').count();
        return Err(BadEntry { line, expected: "a JSON object".to_string() });
    }
    Ok((records, whole))
}

/// A journal open for appending.
#[derive(Debug)]
pub struct Journal {
    file: File,
}

impl Journal {
    /// Open or create a journal and read the records it holds; the torn end of an interrupted write is
    /// cut off.
    ///
    /// # Errors
    /// When the file cannot be opened or read, or holds something else (kind `InvalidData`).
    pub fn open(path: &Path) -> io::Result<(Journal, Vec<Entry>)> {
        Journal::open_with(path, parse_entries)
    }

    /// Open or create a journal of records that `parse` reads, see [`parse_lines`]; the torn end of an
    /// interrupted write is cut off.
    ///
    /// # Errors
    /// When the file cannot be opened or read, or `parse` fails (kind `InvalidData`); it is not changed then.
    pub fn open_with<T>(
        path: &Path,
        parse: impl FnOnce(&[u8]) -> Result<(Vec<T>, usize), BadEntry>,
    ) -> io::Result<(Journal, Vec<T>)> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let mut text = Vec::new();
        file.seek(SeekFrom::Start(0))?;
        file.read_to_end(&mut text)?;
        let (records, whole) =
            parse(&text).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        if whole < text.len() {
            file.set_len(whole as u64)?;
        }
        Ok((Journal { file }, records))
    }

    /// Append the record of a game, see [`Journal::append_line`].
    ///
    /// # Errors
    /// When the system cannot write.
    pub fn append(&mut self, record: &Entry) -> io::Result<()> {
        self.append_line(record.to_line())
    }

    /// Append a line, given without its end, in one write; when that fails half-way, take the half back.
    ///
    /// # Errors
    /// When the system cannot write.
    pub fn append_line(&mut self, mut line: String) -> io::Result<()> {
        line.push('\n');
        let written = self.file.write(line.as_bytes());
        match written {
            Ok(count) if count == line.len() => Ok(()),
            Ok(count) => {
                let length = self.file.metadata()?.len();
                self.file.set_len(length.saturating_sub(count as u64))?;
                Err(io::Error::new(io::ErrorKind::WriteZero, "the journal's disk is full"))
            }
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn record(round: u64, names: [&str; 2], points: u8) -> Entry {
        Entry {
            settings: 0x12ab,
            round,
            names: names.map(String::from),
            blocked: std::array::from_fn(|i| Cell::from_ordinal(i + round as usize % 30).expect("a cell")),
            moves: vec![Move::parse("H1=15").expect("a move")],
            score: Some((i16::from(points) - 75) as Score),
            points: [points, 150 - points],
            spent: [Spent { total: Duration::from_micros(12), worst: Duration::from_micros(7) }; 2],
            faults: Vec::new(),
            seeds: [u64::MAX, 3],
        }
    }

    #[test]
    fn records_survive_the_round_trip() {
        let mut original = record(3, ["a b", "\"q\""], 80);
        assert_eq!(Entry::parse(&original.to_line()), Ok(original.clone()));
        original.score = None;
        original.points = [0, 150];
        let detail = "'x\n'".to_string();
        original.faults = vec![Fault { player: Player::Red, class: FaultClass::Garbage, detail }];
        assert_eq!(Entry::parse(&original.to_line()), Ok(original.clone()));
        assert!(!original.to_line().contains('\n'));
    }

    #[test]
    fn a_torn_end_is_left_out_and_a_bad_line_is_named() {
        let line = record(1, ["a", "b"], 75).to_line();
        let torn = format!("{line}\n{line}\n{}", &line[..30]);
        let (records, whole) = parse_entries(torn.as_bytes()).expect("two records");
        assert_eq!((records.len(), whole), (2, 2 * line.len() + 2));
        let bad = format!("{line}\n{{\"round\":1}}\n");
        let error = parse_entries(bad.as_bytes()).expect_err("a bad line");
        assert_eq!(error.to_string(), "line 2: expected a text for \"settings\"");
        for (text, number) in [("E4".to_string(), 1), (format!("{line}\nE4"), 2)] {
            let error = parse_entries(text.as_bytes()).expect_err("another file");
            assert_eq!(error.to_string(), format!("line {number}: expected a JSON object"));
        }
    }
}
