//! Floor 5: simultaneous perturbation stochastic approximation (SPSA, Spall 1992) over rows of the parameter
//! table: find the tunables that win games, from games alone.
//!
//! The parameters θ are scaled to their ranges, 0 to 1 each. An iteration k = 0, 1, … draws a random sign
//! Δ_i for every parameter, lets θ⁺ = θ + c_k Δ play θ⁻ = θ - c_k Δ, and takes y, the mean signed score a
//! game of θ⁺. If strengths add up, y estimates f(θ⁺) - f(θ⁻), and so does, for all parameters at once and
//! however many they are,
//!
//! ```text
//! g_i = y / (2 c_k Δ_i)            the slope of f along parameter i, in points a range
//! θ_i ← θ_i + a_k g_i              a step uphill
//! a_k = a / (A + k + 1)^0.602      c_k = c / (k + 1)^0.101      A = a tenth of all iterations
//! ```
//!
//! The other parameters' signs are noise in g_i that averages out, as the luck of the games does. `c` is the
//! reach; `a` follows from the length that a first step made of nothing but luck shall have, see
//! [`Gains::new`]. Two departures for what is tuned here: a pair that would leave the range is moved inside
//! as a whole, and a step is never longer than c_k, so that it stays where games were played.
//!
//! The answer is the mean of the last half of the iterates (Polyak and Ruppert): steps that shrink this
//! slowly leave the last iterate dancing around the optimum, and the mean lies nearer to it.
//!
//! The algorithm is here and knows no games; [`games`] makes the matches, [`journal`] keeps the iterations.
//! All randomness derives from the seed and the iteration's number.

pub mod games;
pub mod journal;

use std::fmt;

use crate::params::{Params, SetError};
use crate::rng::Random;
use crate::runner::schedule::mix;

/// Standard deviation of a game's score between strong bots, in points.
pub const GAME_NOISE: f64 = 1.6;

/// Widen a number by its digits: 0.3 stays 0.3 and does not become 0.30000001192.
fn decimal(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(f64::from(value))
}

/// A parameter to tune.
#[derive(Clone, PartialEq, Debug)]
pub struct Axis {
    /// The name of its row in the table.
    pub name: &'static str,
    /// The least and the largest value to try.
    pub range: (f32, f32),
    /// Whether only whole numbers make sense.
    pub whole: bool,
    /// The value to start from.
    pub start: f32,
}

/// Why a parameter cannot be tuned so.
#[derive(Clone, PartialEq, Debug)]
pub enum BadAxis {
    /// No row has this name.
    Unknown(String),
    /// The range is not within the row's: name, range found, range of the row, whether numbers are whole.
    Range(&'static str, (f32, f32), (f32, f32), bool),
    /// The start lies outside the range: name, start, range.
    Start(&'static str, f32, (f32, f32)),
}

impl fmt::Display for BadAxis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadAxis::Unknown(name) => SetError::Unknown(name.clone()).fmt(f),
            BadAxis::Range(name, (low, high), (least, most), whole) => {
                let kind = if *whole { "whole numbers " } else { "" };
                write!(
                    f,
                    "found the range {low}..{high} for parameter '{name}', expected {kind}LOW..HIGH with \
                     {least} <= LOW < HIGH <= {most}"
                )
            }
            BadAxis::Start(name, start, (low, high)) => {
                write!(
                    f,
                    "found {start} as the start of parameter '{name}', expected it within {low}..{high}"
                )
            }
        }
    }
}

impl std::error::Error for BadAxis {}

impl Axis {
    /// Make the axis of row `name` with `range`, or the whole range of the row; it starts where `params` is.
    ///
    /// # Errors
    /// When there is no such row, the range is empty or beyond the row's, or the start is outside.
    pub fn new(name: &str, range: Option<(f32, f32)>, params: &Params) -> Result<Axis, BadAxis> {
        let row = Params::ROWS.iter().find(|row| row.name == name);
        let (row, start) = row.zip(params.get(name)).ok_or_else(|| BadAxis::Unknown(name.to_owned()))?;
        let (low, high) = range.unwrap_or(row.range);
        let (least, most) = row.range;
        let kind = !row.whole || low.fract() == 0.0 && high.fract() == 0.0;
        if !(least <= low && low < high && high <= most && kind) {
            return Err(BadAxis::Range(row.name, (low, high), row.range, row.whole));
        }
        if !(low..=high).contains(&start) {
            return Err(BadAxis::Start(row.name, start, (low, high)));
        }
        Ok(Axis { name: row.name, range: (low, high), whole: row.whole, start })
    }

    fn span(&self) -> f64 {
        decimal(self.range.1) - decimal(self.range.0)
    }

    /// Return the value at a place of the range, 0..=1.
    pub fn value(&self, place: f64) -> f64 {
        decimal(self.range.0) + place * self.span()
    }

    /// Return the place of a value in the range, 0..=1.
    fn place(&self, value: f32) -> f64 {
        (decimal(value) - decimal(self.range.0)) / self.span()
    }

    /// Return the value to play at `place`. A whole number is rounded up with the chance of its fraction, as
    /// `lot` says, a number drawn from 0..1: on average it is what it stands for.
    fn played(&self, place: f64, lot: f64) -> f32 {
        let value = self.value(place);
        // A touch more, so that a whole number that lost its last bit is not rounded down.
        let value = if self.whole { (value + lot + 1e-9).floor() } else { value };
        (value as f32).clamp(self.range.0, self.range.1)
    }

    /// Return the value at `place` as an answer: a whole number the nearest, any other to a thousandth of the
    /// range.
    fn answer(&self, place: f64) -> f32 {
        let value = self.value(place);
        let digits =
            if self.whole { 0 } else { (1000.0 / self.span()).log10().ceil().clamp(0.0, 12.0) as i32 };
        let unit = 10f64.powi(digits);
        (((value * unit).round() / unit) as f32).clamp(self.range.0, self.range.1)
    }
}

/// The gains of SPSA: how long the steps are and how far apart the players.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Gains {
    /// a of a_k, in (range)² a point.
    a: f64,
    /// A of a_k, in iterations.
    stability: f64,
    /// c of c_k, in ranges.
    reach: f64,
}

impl Gains {
    /// Make the gains for a number of iterations of `pairs` game pairs.
    ///
    /// `reach` is c, the first distance of θ⁺ and of θ⁻ from θ, above 0 and at most 0.5 ranges. `step` is
    /// the standard deviation, in ranges, of a first step that luck alone makes: y of n games between equals
    /// deviates by σ = 1.6 / √n points, so `a_0 σ / (2c) = step`, which gives
    /// `a = step · 2c (A + 1)^0.602 / σ`.
    pub fn new(iterations: u64, pairs: u64, step: f64, reach: f64) -> Gains {
        let stability = 0.1 * iterations as f64;
        let noise = GAME_NOISE / (2.0 * pairs as f64).sqrt();
        let a = step * 2.0 * reach * (stability + 1.0).powf(0.602) / noise;
        Gains { a, stability, reach }
    }

    /// Return a_k.
    pub fn step(&self, k: u64) -> f64 {
        self.a / (self.stability + k as f64 + 1.0).powf(0.602)
    }

    /// Return c_k.
    pub fn reach(&self, k: u64) -> f64 {
        self.reach / (k as f64 + 1.0).powf(0.101)
    }
}

/// What one iteration plays.
#[derive(Clone, PartialEq, Debug)]
pub struct Trial {
    /// Its number, from 0.
    pub number: u64,
    /// Δ: 1 or -1 for each parameter.
    pub signs: Vec<i8>,
    /// The values that θ⁺ plays with.
    pub plus: Vec<f32>,
    /// The values that θ⁻ plays with.
    pub minus: Vec<f32>,
    /// The seed of its openings and players.
    pub seed: u64,
}

/// A tuning in progress. The same axes, gains, seed and scores give the same numbers, however often it is
/// begun again.
#[derive(Clone, Debug)]
pub struct Spsa {
    axes: Vec<Axis>,
    gains: Gains,
    seed: u64,
    iterations: u64,
    /// θ, a place of its range for each axis.
    theta: Vec<f64>,
    /// θ after each iteration.
    iterates: Vec<Vec<f64>>,
}

impl Spsa {
    /// Start a tuning.
    pub fn new(axes: Vec<Axis>, gains: Gains, iterations: u64, seed: u64) -> Spsa {
        let theta = axes.iter().map(|axis| axis.place(axis.start)).collect();
        Spsa { axes, gains, seed, iterations, theta, iterates: Vec::new() }
    }

    /// Return what is tuned.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Return how many iterations there are to be.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Return how many iterations are done.
    pub fn done(&self) -> u64 {
        self.iterates.len() as u64
    }

    /// Return θ in the parameters' own units, before any rounding.
    pub fn values(&self) -> Vec<f64> {
        self.axes.iter().zip(&self.theta).map(|(axis, &place)| axis.value(place)).collect()
    }

    /// Return c_k for an axis: for a whole number at least half a unit, so that θ⁺ and θ⁻ differ by one or
    /// more.
    fn reach(&self, axis: &Axis, k: u64) -> f64 {
        let reach = self.gains.reach(k);
        if axis.whole { reach.max(0.5 / axis.span()) } else { reach }
    }

    /// Draw what the next iteration plays; `None` when all are done. Asked again, it says the same.
    pub fn trial(&self) -> Option<Trial> {
        let number = self.done();
        if number >= self.iterations {
            return None;
        }
        let mut random = Random::new(mix(&[self.seed, number, 1]));
        let mut trial = Trial {
            number,
            signs: Vec::new(),
            plus: Vec::new(),
            minus: Vec::new(),
            seed: mix(&[self.seed, number, 0]),
        };
        for (axis, &place) in self.axes.iter().zip(&self.theta) {
            let sign = if random.bits() >> 63 == 0 { 1 } else { -1 };
            // Both sides are rounded by the same lot: the luck of rounding does not come between them.
            let lot = (random.bits() >> 11) as f64 / (1u64 << 53) as f64;
            let reach = self.reach(axis, number);
            let centre = place.clamp(reach, 1.0 - reach);
            let side = |sign: i8| axis.played(centre + reach * f64::from(sign), lot);
            trial.signs.push(sign);
            trial.plus.push(side(sign));
            trial.minus.push(side(-sign));
        }
        Some(trial)
    }

    /// Take the step that the trial's `score` asks for: the mean signed score a game of θ⁺ against θ⁻, in
    /// points.
    pub fn learn(&mut self, trial: &Trial, score: f64) {
        let k = trial.number;
        for i in 0..self.axes.len() {
            let reach = self.reach(&self.axes[i], k);
            let slope = score / (2.0 * reach * f64::from(trial.signs[i]));
            let step = (self.gains.step(k) * slope).clamp(-reach, reach);
            self.theta[i] = (self.theta[i] + step).clamp(0.0, 1.0);
        }
        self.iterates.push(self.theta.clone());
    }

    /// Return the last iterate, rounded as an answer.
    pub fn last(&self) -> Vec<f32> {
        self.axes.iter().zip(&self.theta).map(|(axis, &place)| axis.answer(place)).collect()
    }

    /// Return the tuned values: the mean of the last half of the iterates so far, rounded as an answer; the
    /// start when there are none.
    pub fn tuned(&self) -> Vec<f32> {
        let half = &self.iterates[self.iterates.len() / 2..];
        if half.is_empty() {
            return self.axes.iter().map(|axis| axis.start).collect();
        }
        let mean = |i: usize| half.iter().map(|theta| theta[i]).sum::<f64>() / half.len() as f64;
        self.axes.iter().enumerate().map(|(i, axis)| axis.answer(mean(i))).collect()
    }
}
