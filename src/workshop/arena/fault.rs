//! What can go wrong on a bot's side of the pipe: one class for every way to lose a game without playing it.

use std::fmt;

use crate::player::board::Player;

/// The ways of a bot to fail. All but [`NoQuit`](FaultClass::NoQuit) lose the game 0 to 150.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FaultClass {
    /// The program could not be started, or gave no first answer within the start-up time-out.
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
    /// The process ran on after `Quit` and had to be killed. The game counts as played.
    NoQuit,
}

impl FaultClass {
    /// Every class, in the order of reports.
    pub const ALL: [FaultClass; 8] = [
        FaultClass::Startup,
        FaultClass::Time,
        FaultClass::Silence,
        FaultClass::Illegal,
        FaultClass::Garbage,
        FaultClass::Crash,
        FaultClass::HangUp,
        FaultClass::NoQuit,
    ];

    /// Return the name used in tables and journals.
    pub const fn name(self) -> &'static str {
        match self {
            FaultClass::Startup => "startup",
            FaultClass::Time => "time",
            FaultClass::Silence => "silence",
            FaultClass::Illegal => "illegal",
            FaultClass::Garbage => "garbage",
            FaultClass::Crash => "crash",
            FaultClass::HangUp => "hang-up",
            FaultClass::NoQuit => "no-quit",
        }
    }

    /// Find the class of a name.
    pub fn parse(name: &str) -> Option<FaultClass> {
        FaultClass::ALL.into_iter().find(|class| class.name() == name)
    }

    /// Tell whether the fault loses the game.
    pub const fn forfeits(self) -> bool {
        !matches!(self, FaultClass::NoQuit)
    }
}

impl fmt::Display for FaultClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A fault of one bot in one game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Whose.
    pub player: Player,
    /// Of which class.
    pub class: FaultClass,
    /// What was seen, in words.
    pub detail: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.class, self.detail)
    }
}
