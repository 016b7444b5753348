//! Statistics of game pairs. Both games of a pair have one opening, which favours one colour: everything
//! below is the mean of one number a pair, with the spread between pairs.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::json;

use crate::player::position::MAX_POINTS;

/// The fewest pairs with a meaningful spread.
pub const FEWEST_PAIRS: f64 = 5.0;

/// The points of a draw.
pub const EVEN: u8 = MAX_POINTS / 2;

/// Independent numbers, each with how often it came: exact for points and half points.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sample(Vec<(f64, f64)>);

impl Sample {
    pub fn add(&mut self, value: f64) {
        self.add_many(value, 1.0);
    }

    pub fn add_many(&mut self, value: f64, times: f64) {
        match self.0.iter_mut().find(|(known, _)| *known == value) {
            Some((_, count)) => *count += times,
            None => self.0.push((value, times)),
        }
    }

    pub fn count(&self) -> f64 {
        self.sum(|_| 1.0)
    }

    fn sum(&self, of: impl Fn(f64) -> f64) -> f64 {
        self.0.iter().map(|&(value, count)| of(value) * count).sum()
    }

    pub fn mean(&self) -> Option<f64> {
        let count = self.count();
        (count > 0.0).then(|| self.sum(|value| value) / count)
    }

    /// Return the standard error of the mean; `None` for fewer than [`FEWEST_PAIRS`] numbers.
    pub fn standard_error(&self) -> Option<f64> {
        let (count, sum) = (self.count(), self.sum(|value| value));
        let squares = (self.sum(|value| value * value) - sum * sum / count).max(0.0);
        (count >= FEWEST_PAIRS).then(|| (squares / count / (count - 1.0)).sqrt())
    }

    /// Count the numbers that differ from the commonest one.
    pub fn differing(&self) -> f64 {
        self.count() - self.0.iter().map(|&(_, count)| count).fold(0.0, f64::max)
    }

    /// Return the distance of the farthest number from `value`; 0 without a number.
    pub fn reach(&self, value: f64) -> f64 {
        self.0.iter().map(|(known, _)| (known - value).abs()).fold(0.0, f64::max)
    }

    /// Return the log-likelihood of a mean between the least and the greatest number; 0 for the sample's own.
    ///
    /// The likeliest distribution of that mean gives a number x the weight `count / (1 + t (x - mean))`; t is
    /// where the weighted `x - mean` add up to 0 (Owen, Empirical likelihood, 1988).
    pub fn log_likelihood(&self, mean: f64) -> f64 {
        let gaps = || self.0.iter().map(|&(value, count)| (value - mean, count));
        let [least, most] = gaps().fold([0.0; 2], |[least, most], (gap, _)| [gap.min(least), gap.max(most)]);
        let (mut low, mut high, mut t) = (-1.0 / most, -1.0 / least, 0.0);
        // The sum below is greatest at t, so that a small error of t does not matter.
        for _ in 0..24 {
            t = (low + high) / 2.0;
            let sum: f64 = gaps().map(|(gap, count)| count * gap / (1.0 + t * gap)).sum();
            *if sum > 0.0 { &mut low } else { &mut high } = t;
        }
        -gaps().map(|(gap, count)| count * (1.0 + t * gap).ln()).sum::<f64>()
    }
}

impl Serialize for Sample {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        json!({ "count": self.count() as u64, "mean": self.mean(), "error": self.standard_error() })
            .serialize(serializer)
    }
}

impl FromIterator<f64> for Sample {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Sample {
        let mut sample = Sample::default();
        values.into_iter().for_each(|value| sample.add(value));
        sample
    }
}

/// Return the standard error of a mean over samples of n_k numbers, such as pairs with each opponent:
/// `e² = Σ (n_k / n)² e_k²`; `None` if a sample has too few numbers.
pub fn stratified_error<'a>(samples: impl Iterator<Item = &'a Sample>) -> Option<f64> {
    let samples: Vec<&Sample> = samples.filter(|sample| sample.count() > 0.0).collect();
    let total: f64 = samples.iter().map(|sample| sample.count()).sum();
    let share = |sample: &&Sample| Some((sample.standard_error()? * sample.count() / total).powi(2));
    let squares: f64 = samples.iter().map(share).sum::<Option<_>>()?;
    (total > 0.0).then(|| squares.sqrt())
}

/// Return the result of a game with these points: 0 lost, 1 drawn, 2 won.
pub fn result(points: u8) -> usize {
    (points.cmp(&EVEN) as i8 + 1) as usize
}

/// Write points with some decimals, halves away from a draw, also those that a binary fraction misses, as the page
/// does: those of two bots add up to all.
pub fn rounded(points: f64, digits: usize) -> String {
    let far = (points - f64::from(EVEN)).abs() + 1e-9;
    let far: f64 = format!("{far:.digits$}").parse().unwrap_or_default();
    format!("{:.digits$}", f64::from(EVEN) + far.copysign(points - f64::from(EVEN)))
}

/// Pairs by the results of their two games: counts of LL, LD, WL, DD, WD, WW.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct PairKinds(pub [u64; 6]);

impl PairKinds {
    pub fn add(&mut self, points: [u8; 2]) {
        const KINDS: [[usize; 3]; 3] = [[0, 1, 2], [1, 3, 4], [2, 4, 5]];
        self.0[KINDS[result(points[0])][result(points[1])]] += 1;
    }

    /// Return the mean game scores of the pairs, 0, ¼, ½, ¾ or 1 each (the pentanomial model).
    pub fn scores(&self) -> Sample {
        let mut sample = Sample::default();
        let scores = [0.0, 0.25, 0.5, 0.5, 0.75, 1.0].into_iter().zip(self.0);
        scores.for_each(|(score, count)| sample.add_many(score, count as f64));
        sample
    }
}

impl fmt::Display for PairKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [ll, ld, wl, dd, wd, ww] = self.0;
        write!(f, "LL {ll} LD {ld} WL {wl} DD {dd} WD {wd} WW {ww}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likeliest_distribution_of_two_numbers_is_the_only_one() {
        let mut sample = Sample::from_iter([75.0; 34]);
        sample.add_many(77.0, 6.0);
        let known = (sample.count(), sample.mean(), sample.differing(), sample.reach(74.5));
        assert_eq!(known, (40.0, Some(75.3), 6.0, 2.5));
        for mean in [75.01, 75.3, 76.0, 76.99] {
            let chance = (mean - 75.0) / 2.0;
            let expected = 34.0 * ((1.0 - chance) / 0.85_f64).ln() + 6.0 * (chance / 0.15_f64).ln();
            let found = sample.log_likelihood(mean);
            assert!((found - expected).abs() < 1e-6, "{found}, expected {expected} at {mean}");
        }
    }
}
