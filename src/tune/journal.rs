//! Iterations on disk: one JSON object a line. A journal holds enough to check every number in it, and a
//! tuning is resumed by taking its steps again from the points of its games.

use std::fmt;

use serde_json::{Map, Value, json};

use super::games::score;
use super::{Spsa, Trial, decimal};
use crate::runner::journal::BadEntry;

/// What a tuning was started with: names and values, in a fixed order. Journals of other settings are refused.
pub type Settings = Vec<(&'static str, String)>;

/// An iteration as the journal keeps it.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// What the tuning was started with.
    pub settings: Vec<(String, String)>,
    /// Its number, from 0 (in the file from 1).
    pub number: u64,
    /// The seed of its openings and players.
    pub seed: u64,
    /// θ before the step, by name.
    pub theta: Vec<(String, f64)>,
    /// Δ, by name.
    pub signs: Vec<(String, i64)>,
    /// Points of θ⁺ in each game, pair after pair, in each pair first as Red.
    pub points: Vec<u8>,
}

/// Why a journal is not one of this tuning.
#[derive(Clone, PartialEq, Debug)]
pub struct OtherTuning {
    /// The iteration, from 0.
    pub number: usize,
    /// What differs.
    pub what: String,
    /// What the journal has.
    pub found: String,
    /// What this tuning has.
    pub expected: String,
}

impl fmt::Display for OtherTuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OtherTuning { number, what, found, expected } = self;
        let number = number + 1;
        write!(
            f,
            "expected iterations of this tuning, found in iteration {number}: {what} {found} instead of \
             {expected}"
        )
    }
}

impl std::error::Error for OtherTuning {}

/// Make an object of names and values.
fn object<T: Copy + Into<Value>>(names: impl Iterator<Item = (&'static str, T)>) -> Value {
    names.map(|(name, value)| (name.to_owned(), value.into())).collect::<Map<String, Value>>().into()
}

/// Return the line of an iteration just played, without its end. `spsa` is as it was before the step, and
/// `points` are those of θ⁺ in each game.
pub fn line(spsa: &Spsa, trial: &Trial, settings: &Settings, points: &[u8]) -> String {
    let names = || spsa.axes().iter().map(|axis| axis.name);
    let settings: Map<String, Value> =
        settings.iter().map(|(name, value)| ((*name).to_owned(), value.as_str().into())).collect();
    json!({
        "settings": settings,
        "iteration": trial.number + 1,
        "seed": trial.seed,
        "parameters": object(names().zip(spsa.values())),
        "perturbation": object(names().zip(trial.signs.iter().copied())),
        "plus": object(names().zip(trial.plus.iter().copied().map(decimal))),
        "minus": object(names().zip(trial.minus.iter().copied().map(decimal))),
        "points": points,
        "score": score(points),
    })
    .to_string()
}

impl Step {
    /// Read an iteration from its line.
    ///
    /// # Errors
    /// Says what was expected.
    pub fn parse(line: &str) -> Result<Step, String> {
        let value: Value = serde_json::from_str(line).map_err(|error| format!("a JSON object ({error})"))?;
        let number = |key: &str| value[key].as_u64().ok_or_else(|| format!("a whole number for \"{key}\""));
        let points = value["points"].as_array().filter(|points| !points.is_empty()).and_then(|points| {
            let point = |value: &Value| value.as_u64().filter(|&points| points <= 150);
            points.iter().map(|value| point(value).map(|points| points as u8)).collect()
        });
        Ok(Step {
            settings: named(&value, "settings", |value| value.as_str().map(str::to_owned))?,
            number: number("iteration")?.checked_sub(1).ok_or("an \"iteration\" from 1")?,
            seed: number("seed")?,
            theta: named(&value, "parameters", Value::as_f64)?,
            signs: named(&value, "perturbation", Value::as_i64)?,
            points: points.ok_or("a list of points from 0 to 150 for \"points\"")?,
        })
    }

    /// Check that the iteration is the next one of a tuning and return what it played.
    fn check(&self, spsa: &Spsa, settings: &Settings, games: usize) -> Result<Trial, [String; 3]> {
        let differs = |what: &str, found: String, expected: String| Err([what.to_owned(), found, expected]);
        for (name, expected) in settings {
            let found = self.settings.iter().find(|(other, _)| other == name).map(|(_, value)| value);
            if found != Some(expected) {
                let found = found.map_or("nothing", String::as_str);
                return differs(name, format!("'{found}'"), format!("'{expected}'"));
            }
        }
        let Some(trial) = spsa.trial().filter(|trial| trial.number == self.number) else {
            let expected = match spsa.trial() {
                Some(trial) => (trial.number + 1).to_string(),
                None => "the end".to_owned(),
            };
            return differs("number", (self.number + 1).to_string(), expected);
        };
        if self.seed != trial.seed {
            return differs("seed of its games", self.seed.to_string(), trial.seed.to_string());
        }
        if self.points.len() != games {
            return differs("number of games", self.points.len().to_string(), games.to_string());
        }
        for ((axis, value), sign) in spsa.axes().iter().zip(spsa.values()).zip(&trial.signs) {
            let find = |(name, found): &(String, f64)| (name == axis.name).then_some(*found);
            let found = self.theta.iter().find_map(find);
            // Digits may be lost on the way through a text.
            if found.is_none_or(|found| (found - value).abs() > 1e-9 * axis.span()) {
                let found = found.map_or("nothing".to_owned(), |found| found.to_string());
                return differs(axis.name, found, value.to_string());
            }
            let found = self.signs.iter().find(|(name, _)| name == axis.name).map(|&(_, found)| found);
            if found != Some(i64::from(*sign)) {
                let found = found.map_or("nothing".to_owned(), |found| found.to_string());
                return differs(&format!("perturbation of {}", axis.name), found, sign.to_string());
            }
        }
        Ok(trial)
    }
}

/// Read the object under `key`, or say what was expected.
fn named<T>(
    value: &Value,
    key: &str,
    read: impl Fn(&Value) -> Option<T>,
) -> Result<Vec<(String, T)>, String> {
    let read = |(name, value): (&String, &Value)| read(value).map(|value| (name.clone(), value));
    let fields = value[key].as_object().and_then(|fields| fields.iter().map(read).collect());
    fields.ok_or_else(|| format!("an object for \"{key}\""))
}

/// Read the iterations of a journal and the length in bytes of its whole lines; see
/// [`parse_lines`](crate::runner::journal::parse_lines).
///
/// # Errors
/// Names the first whole line that is no iteration.
pub fn parse_steps(text: &[u8]) -> Result<(Vec<Step>, usize), BadEntry> {
    crate::runner::journal::parse_lines(text, Step::parse)
}

/// Take the steps of a journal again; each iteration has `games` games. On an error `spsa` has taken those
/// before it.
///
/// # Errors
/// Names the first iteration that is not of this tuning, and what differs.
pub fn replay(spsa: &mut Spsa, settings: &Settings, steps: &[Step], games: usize) -> Result<(), OtherTuning> {
    for (number, step) in steps.iter().enumerate() {
        let trial = step.check(spsa, settings, games).map_err(|[what, found, expected]| OtherTuning {
            number,
            what,
            found,
            expected,
        })?;
        spsa.learn(&trial, score(&step.points));
    }
    Ok(())
}
