//! Options of built-in players as key and value.

use std::fmt::Display;
use std::mem::take;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::player::params::{Setting, Tunable};

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

/// The options of a player that it has not taken yet.
pub(super) struct PlayerOptions<'a>(Vec<(&'a str, &'a str)>);

impl<'a> PlayerOptions<'a> {
    pub fn new(pairs: &'a [(String, String)]) -> PlayerOptions<'a> {
        PlayerOptions(pairs.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect())
    }

    /// Take an option; of several the last counts.
    fn take<T>(&mut self, key: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, String> {
        let texts: Vec<&str> = self.0.extract_if(.., |pair| pair.0 == key).map(|pair| pair.1).collect();
        let values: Result<Vec<T>, String> = texts.into_iter().map(parse).collect();
        Ok(values.map_err(|error| format!("option {key}: {error}"))?.pop())
    }

    /// Take a number.
    pub fn number<T>(&mut self, key: &str, range: RangeInclusive<T>) -> Result<Option<T>, String>
    where
        T: FromStr + PartialOrd + Display,
    {
        self.take(key, |text| number(text, &range))
    }

    /// Take a switch that is on or off.
    pub fn switch(&mut self, key: &str, default: bool) -> Result<bool, String> {
        let switch = self.take(key, |text| match text {
            "on" => Ok(true),
            "off" => Ok(false),
            _ => Err(format!("found {text}, expected on or off")),
        });
        Ok(switch?.unwrap_or(default))
    }

    /// Take the settings of tunables, in their order.
    pub fn settings(&mut self) -> Result<Vec<Setting>, String> {
        let mut settings = Vec::new();
        for (key, text) in take(&mut self.0) {
            match Tunable::named(key) {
                Some(row) => {
                    settings.push(row.setting(text).map_err(|error| format!("option {key}: {error}"))?)
                }
                None => self.0.push((key, text)),
            }
        }
        Ok(settings)
    }

    /// Complain about an option that was not taken; `expected` lists those that there are.
    pub fn all_taken(&self, expected: &str) -> Result<(), String> {
        match self.0.first() {
            Some((key, _)) => Err(format!("found option {key}, expected {expected}")),
            None => Ok(()),
        }
    }
}
