//! Options of built-in players as key and value.

use std::cell::Cell;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Why a built-in player cannot be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BadOption {
    /// No player has this name.
    Player(String),
    /// The player has no such option.
    Unknown(String),
    /// A value is not what the option takes: key, value, expectation.
    Value(String, String, String),
}

impl fmt::Display for BadOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadOption::Player(name) => {
                let names: Vec<&str> = super::PLAYERS.iter().map(|player| player.0).collect();
                write!(f, "found no built-in player {name}, expected one of {}", names.join(", "))
            }
            BadOption::Unknown(key) => write!(f, "the player has no option {key}"),
            BadOption::Value(key, value, expected) => {
                write!(f, "the option {key} is {value}, expected {expected}")
            }
        }
    }
}

impl std::error::Error for BadOption {}

/// The options given to a player; each is taken once, and none may be left.
pub(super) struct Options<'a> {
    pairs: Vec<(&'a str, &'a str, Cell<bool>)>,
}

impl<'a> Options<'a> {
    pub fn new(pairs: &'a [(String, String)]) -> Options<'a> {
        let pairs = pairs.iter().map(|(key, value)| (key.as_str(), value.as_str(), Cell::new(false)));
        Options { pairs: pairs.collect() }
    }

    fn text(&self, key: &str) -> Option<&'a str> {
        let mut found = None;
        for (other, value, taken) in &self.pairs {
            if *other == key {
                taken.set(true);
                found = Some(*value);
            }
        }
        found
    }

    /// Return the number of option `key`, or `default`.
    pub fn number<T>(&self, key: &str, range: RangeInclusive<T>, default: T) -> Result<T, BadOption>
    where
        T: FromStr + PartialOrd + fmt::Display,
    {
        let Some(text) = self.text(key) else { return Ok(default) };
        let value = text.parse().ok().filter(|value| range.contains(value));
        value.ok_or_else(|| {
            let expected = format!("a number from {} to {}", range.start(), range.end());
            BadOption::Value(key.to_string(), text.to_string(), expected)
        })
    }

    /// Return whether option `key` is on, or `default`.
    pub fn switch(&self, key: &str, default: bool) -> Result<bool, BadOption> {
        match self.text(key) {
            None => Ok(default),
            Some("on") => Ok(true),
            Some("off") => Ok(false),
            Some(value) => Err(BadOption::Value(key.to_owned(), value.to_owned(), "on or off".to_owned())),
        }
    }

    /// Complain about options nobody asked for.
    pub fn all_taken(&self) -> Result<(), BadOption> {
        match self.pairs.iter().find(|(_, _, taken)| !taken.get()) {
            Some((key, _, _)) => Err(BadOption::Unknown(key.to_string())),
            None => Ok(()),
        }
    }
}
