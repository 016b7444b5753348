//! The faults of bots.

use std::collections::BTreeMap;
use std::fmt;
use std::iter;

use serde::{Deserialize, Serialize};
use unicode_width::UnicodeWidthStr;

use crate::player::board::Player;
use crate::text::{hanging, is_unseen, table};

/// The classes of faults, as `match --help` explains them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultClass {
    Time,
    Silence,
    Illegal,
    Garbage,
    Crash,
    HangUp,
    NoQuit,
}

impl fmt::Display for FaultClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Its name in journals.
        self.serialize(f)
    }
}

/// The players by their names in journals.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Player", rename_all = "lowercase")]
enum PlayerName {
    Red,
    Blue,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    #[serde(rename = "by", with = "PlayerName")]
    pub player: Player,
    pub class: FaultClass,
    pub detail: String,
}

/// Faults of one cause: the first one counted, their number, the fewest and the most moves before them.
pub struct FaultCount {
    first: Fault,
    pub count: u64,
    moves: [u64; 2],
}

#[derive(Default)]
pub struct FaultCounts(pub BTreeMap<(String, FaultClass), FaultCount>);

impl FaultCounts {
    /// List the bots, each with the number of faults of a cause, the moves before them ("0 to 30"), and an example.
    pub fn rows(&self) -> Vec<[String; 4]> {
        let row = |((bot, _), same): (&(String, FaultClass), &FaultCount)| {
            let [least, most] = same.moves;
            let moves = if least < most { format!("{least} to {most}") } else { most.to_string() };
            [bot.clone(), same.count.to_string(), moves, same.first.to_string()]
        };
        self.0.iter().map(row).collect()
    }

    /// Count a bot's fault after this many moves; return the number of those of its cause.
    pub fn add(&mut self, bot: &str, fault: &Fault, moves: u64) -> u64 {
        let begin = || FaultCount { first: fault.clone(), count: 0, moves: [moves; 2] };
        // A slow bot's answers come late or not at all: one cause.
        let cause = if fault.class == FaultClass::Silence { FaultClass::Time } else { fault.class };
        let known = self.0.entry((bot.to_owned(), cause)).or_insert_with(begin);
        known.count += 1;
        known.moves = [known.moves[0].min(moves), known.moves[1].max(moves)];
        known.count
    }
}

/// Lay out rows of [`FaultCounts::rows`]; an example that is longer than the room for text goes on below its beginning.
pub(super) fn fault_table(faults: &[[String; 4]], room: usize) -> String {
    let head = ["bot", "faults", "after moves", "example"].map(str::to_owned);
    let rows: Vec<_> = iter::once(&head).chain(faults).map(|row| row.to_vec()).collect();
    let line = |(left, row): (&str, &Vec<String>)| {
        let indent = left.width() + 2;
        hanging(&format!("{left}  "), &row[3], indent, room.max(indent + 30)) + "\n"
    };
    if faults.is_empty() { String::new() } else { table("<>>", &rows).lines().zip(&rows).map(line).collect() }
}

/// What stands in a detail before the last line of a bot's stderr.
const STDERR: &str = "; its stderr ends with: ";

impl Fault {
    pub fn forget_stderr(&mut self) {
        self.detail.truncate(self.detail.find(STDERR).unwrap_or(self.detail.len()));
    }
}

/// Return the last line of a bot's stderr, as an addition to the detail of a fault that ended the process.
pub(super) fn last_words(class: FaultClass, notes: &str) -> String {
    let ended = matches!(class, FaultClass::Crash | FaultClass::HangUp);
    let line = notes.lines().map(str::trim).rfind(|line| !line.is_empty()).filter(|_| ended);
    let plain = line.map(|line| line.replace(is_unseen, "\u{fffd}"));
    plain.map_or(String::new(), |line| format!("{STDERR}{line:.200}"))
}

#[derive(Debug)]
pub enum SeatError {
    Fault(FaultClass, String),
    Stopped,
    Runner(String),
}

/// What a seat or a game comes to.
pub type SeatResult<T> = Result<T, SeatError>;

impl SeatError {
    pub(super) fn runner(why: impl fmt::Display) -> SeatError {
        SeatError::Runner(why.to_string())
    }
}

impl fmt::Display for SeatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SeatError::Fault(class, detail) => write!(f, "{class}: {detail}"),
            SeatError::Stopped => f.write_str("interrupted"),
            SeatError::Runner(error) => f.write_str(error),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.class, self.detail)
    }
}
