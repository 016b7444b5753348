//! What can go wrong on a bot's side of the pipe.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::player::board::Player;
use crate::workshop::text::is_unseen;

/// The ways of a bot to fail. Each loses the game 0 to 150, but not after the last move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultClass {
    /// No first answer within the start-up limit, or a built-in player that could not be made.
    Startup,
    /// The answer, or a part of it, came after the clock had run out.
    Time,
    /// Not one byte came until the clock had run out.
    Silence,
    /// A move that the rules forbid: no such cell or stone, an occupied cell, a stone already used.
    Illegal,
    /// Output that is no move, an endless line, or output nobody asked for.
    Garbage,
    /// The process died: a signal, an exit code other than 0, a panic of a built-in player.
    Crash,
    /// The process closed its output or ended with code 0 while a move was due.
    HangUp,
    /// The process ran on after `Quit` and had to be killed.
    NoQuit,
}

impl fmt::Display for FaultClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The name in journals.
        self.serialize(f)
    }
}

/// The players by the names that journals use.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Player", rename_all = "lowercase")]
enum PlayerName {
    Red,
    Blue,
}

/// A fault of one bot in one game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    #[serde(rename = "by", with = "PlayerName")]
    pub player: Player,
    pub class: FaultClass,
    /// What was seen, in words.
    pub detail: String,
}

impl Fault {
    /// Return what faults of one kind have in common: their class, and of the detail all but numbers,
    /// cells, what the bot wrote, and so on.
    pub fn kind(&self) -> String {
        let detail = self.detail.split("; its stderr").next().unwrap_or_default();
        // Every other part stands in quotes.
        let words = detail.split('"').step_by(2).flat_map(str::split_whitespace);
        let words = words.filter(|word| !word.contains(|c: char| c.is_ascii_digit()));
        format!("{} {}", self.class, words.collect::<Vec<_>>().join(" "))
    }
}

/// Return the last line that a bot wrote on stderr, to be added to how it ended, where that tells why.
pub(super) fn last_words(class: FaultClass, notes: &str) -> String {
    let ended = matches!(class, FaultClass::Crash | FaultClass::HangUp);
    let line = notes.lines().map(str::trim).rfind(|line| !line.is_empty()).filter(|_| ended);
    let plain = line.map(|line| line.replace(is_unseen, "\u{fffd}"));
    plain.map_or(String::new(), |line| format!("; its stderr ends with: {line:.200}"))
}

/// Why no move came.
#[derive(Debug)]
pub enum SeatError {
    Fault(FaultClass, String),
    Stopped,
    /// The runner was held up: nobody knows how long the bot took.
    HeldUp,
    /// The runner cannot start the bot.
    Runner(String),
}

impl SeatError {
    /// Blame the runner.
    pub(super) fn runner(why: impl fmt::Display) -> SeatError {
        SeatError::Runner(why.to_string())
    }
}

impl fmt::Display for SeatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SeatError::Fault(class, detail) => write!(f, "{class}: {detail}"),
            SeatError::Stopped => f.write_str("interrupted"),
            SeatError::HeldUp => f.write_str("the runner was held up"),
            SeatError::Runner(error) => f.write_str(error),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.class, self.detail)
    }
}
