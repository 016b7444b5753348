//! Options of built-in players as key and value.

use std::cell::Cell;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::player::params::{SetError, Setting};

/// Read a number in a range.
///
/// # Errors
/// Says what was found, and which kind of number and which range was expected.
pub fn number<T: FromStr + PartialOrd + Display>(text: &str, range: &RangeInclusive<T>) -> Result<T, String> {
    text.parse().ok().filter(|value| range.contains(value)).ok_or_else(|| {
        // A type that cannot hold a half is one of whole numbers.
        let kind = if "0.5".parse::<T>().is_ok() { "a number" } else { "a whole number" };
        format!("found {text}, expected {kind} from {} to {}", range.start(), range.end())
    })
}

/// The options given to a player; each is taken once, and none may be left.
pub(super) struct PlayerOptions<'a> {
    pairs: Vec<(&'a str, &'a str, Cell<bool>)>,
}

impl<'a> PlayerOptions<'a> {
    pub fn new(pairs: &'a [(String, String)]) -> PlayerOptions<'a> {
        let pairs = pairs.iter().map(|(key, value)| (key.as_str(), value.as_str(), Cell::new(false)));
        PlayerOptions { pairs: pairs.collect() }
    }

    /// Read the option `key`; of several the last counts.
    fn read<T>(&self, key: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, String> {
        let mut found = None;
        for (_, text, taken) in self.pairs.iter().filter(|pair| pair.0 == key) {
            taken.set(true);
            found = Some(parse(text).map_err(|error| format!("option {key}: {error}"))?);
        }
        Ok(found)
    }

    /// Return the number of option `key`, if it is given.
    pub fn number<T>(&self, key: &str, range: RangeInclusive<T>) -> Result<Option<T>, String>
    where
        T: FromStr + PartialOrd + Display,
    {
        self.read(key, |text| number(text, &range))
    }

    /// Return whether option `key` is on, or `default`.
    pub fn switch(&self, key: &str, default: bool) -> Result<bool, String> {
        let parse = |text: &str| match text {
            "on" => Ok(true),
            "off" => Ok(false),
            _ => Err(format!("found {text}, expected on or off")),
        };
        Ok(self.read(key, parse)?.unwrap_or(default))
    }

    /// Return the settings of tunables among the options, in their order.
    pub fn settings(&self) -> Result<Vec<Setting>, String> {
        let mut settings = Vec::new();
        for (key, text, taken) in &self.pairs {
            match Setting::parse(key, text) {
                Err(SetError::Unknown(_)) => continue,
                Err(error) => return Err(format!("option {key}: {error}")),
                Ok(setting) => settings.push(setting),
            }
            taken.set(true);
        }
        Ok(settings)
    }

    /// Complain about options nobody asked for; `expected` lists those that there are.
    pub fn all_taken(&self, expected: &str) -> Result<(), String> {
        match self.pairs.iter().find(|(_, _, taken)| !taken.get()) {
            Some((key, _, _)) => Err(format!("found option {key}, expected {expected}")),
            None => Ok(()),
        }
    }
}
