//! Options of built-in players as key and value.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::player::input::quote;
use crate::player::params::Params;
use crate::text::number;

fn unfit(key: &str, text: &str, error: &str) -> String {
    format!("option {key}: found {}, {error}", quote(text.as_bytes()))
}

/// The options not yet taken by their player, and the first error.
pub(super) struct PlayerOptions<'a> {
    pub left: Vec<&'a (String, String)>,
    pub error: Option<String>,
}

impl PlayerOptions<'_> {
    /// Take an option; among several of one key the last counts.
    fn take<T>(&mut self, key: &str, parse: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        let mut taken = None;
        for (_, text) in self.left.extract_if(.., |pair| pair.0 == key) {
            match parse(text) {
                Ok(value) => taken = Some(value),
                Err(error) => _ = self.error.get_or_insert(unfit(key, text, &error)),
            }
        }
        taken
    }

    pub fn number<T>(&mut self, key: &str, range: RangeInclusive<T>) -> Option<T>
    where
        T: FromStr + PartialOrd + Display,
    {
        self.take(key, |text| number(text, &range))
    }

    pub fn switch(&mut self, key: &str) -> Option<bool> {
        self.take(key, |text| match text {
            "on" => Ok(true),
            "off" => Ok(false),
            _ => Err("expected on or off".to_owned()),
        })
    }

    /// Take the settings of the engine, in their order.
    pub fn set(&mut self, params: &mut Params) {
        self.left.retain(|(key, text)| {
            let named = Params::ROWS.iter().any(|row| row.name == key);
            if named && let Err(error) = params.set(key, text) {
                self.error.get_or_insert(unfit(key, text, &error));
            }
            !named
        });
    }

    /// Fail for an unfit or unknown option; `expected` lists the known ones.
    pub fn finish(self, expected: &str) -> Result<(), String> {
        let unknown = |(key, _): &&(String, String)| {
            format!("found option {}, expected {expected}", quote(key.as_bytes()))
        };
        self.error.or(self.left.first().map(unknown)).map_or(Ok(()), Err)
    }
}
