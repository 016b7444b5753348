//! Elo ratings of all bots of a match on one scale.

use std::fmt;

use serde::Serialize;

use super::stats::PairKinds;

/// Elo for a natural logarithm of odds.
const ELO_SCALE: f64 = 400.0 / std::f64::consts::LN_10;

/// A rating in Elo; the mean of the bots that compare with one another is 0.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Rating {
    pub elo: f64,
    /// The standard error from the spread between pairs: in a round robin of k bots (k - 1) / k of that which the
    /// bot would have if the other ratings were exact, as they move the mean, too; of two bots the half. `None` outside
    /// the core, with too few pairs, or without a spread.
    pub error: Option<f64>,
    /// 1 for the lower bound of a bot that won all, -1 for the upper one of a bot that lost all, 0 for an estimate.
    pub bound: i8,
}

/// Writes "+40.7 ± 15.5", without the error whole numbers, and a bound as "> +220".
impl fmt::Display for Rating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rating { elo, error, bound } = self;
        match error {
            Some(error) => write!(f, "{elo:+.1} ± {error:.1}"),
            None => write!(f, "{}{elo:+.0}", ["< ", "", "> "][(bound + 1) as usize]),
        }
    }
}

/// The probability that a bot at its bound wins, or loses, all its one-sided pairs.
const BOUND: f64 = 0.05;

/// Rate bots by the results of their pairings: the likeliest ratings of the logistic model (Bradley and Terry, 1952).
///
/// Two bots compare if each took points from the other, or from one that did. Results between the groups of bots that
/// compare are one-sided and tell nothing of the differences within: each group is rated on its own pairs. Then the
/// largest one, the core, stays, and each of the others is moved as a whole to its bound. `None` for a bot that nothing
/// connects with the core.
pub fn ratings(count: usize, pairings: &[([usize; 2], PairKinds)]) -> Vec<Option<Rating>> {
    let square = || vec![vec![0.0; count]; count];
    let (mut pairs, mut won, mut spread) = (square(), square(), square());
    for &([first, second], kinds) in pairings {
        let scores = kinds.scores();
        let (number, mean) = (scores.count(), scores.mean().unwrap_or_default());
        for (own, other, mean) in [(first, second, mean), (second, first, 1.0 - mean)] {
            pairs[own][other] = number;
            won[own][other] = number * mean;
            spread[own][other] = scores.standard_error().map_or(f64::NAN, |error| (number * error).powi(2));
        }
    }
    let each_two = || (0..count).flat_map(|i| (0..count).map(move |j| (i, j)));
    // Whether a bot took points from another, or from one that did.
    let mut reaches: Vec<Vec<bool>> =
        won.iter().map(|row| row.iter().map(|&it| it > 0.0).collect()).collect();
    for (k, (i, j)) in (0..count).flat_map(|k| each_two().map(move |two| (k, two))) {
        reaches[i][j] |= reaches[i][k] && reaches[k][j];
    }
    let compare = |i: usize, j: usize| i == j || reaches[i][j] && reaches[j][i];
    let one_sided = |i: usize| (0..count).filter(|&j| !compare(i, j)).map(|j| pairs[i][j]).sum::<f64>();
    for (i, j) in each_two().filter(|&(i, j)| !compare(i, j)) {
        let share = BOUND.powf(1.0 / one_sided(i).max(one_sided(j)));
        won[i][j] = pairs[i][j] * if reaches[i][j] { share } else { 1.0 - share };
    }
    let mut odds = vec![0.0; count];
    // Newton's method, a party of bots after another, by their results within their group or with other groups.
    let mut settle = |parties: &[Vec<usize>], within: bool| {
        for party in (0..500).flat_map(|_| parties) {
            let (mut missing, mut slope) = (0.0, 1e-9);
            let results = party.iter().flat_map(|&i| (0..count).map(move |j| (i, j)));
            for (i, j) in results.filter(|&(i, j)| compare(i, j) == within) {
                let score = expected(odds[i] - odds[j]);
                missing += won[i][j] - pairs[i][j] * score;
                slope += pairs[i][j] * score * (1.0 - score);
            }
            party.iter().for_each(|&i| odds[i] += (missing / slope).clamp(-1.0, 1.0));
        }
    };
    settle(&(0..count).map(|i| vec![i]).collect::<Vec<_>>(), true);
    let group = |i: usize| (0..count).filter(|&j| compare(i, j)).collect();
    let mut groups: Vec<Vec<usize>> = (0..count).map(group).collect();
    groups.sort_unstable();
    groups.dedup();
    let core = groups.iter().rev().max_by_key(|group| group.len()).filter(|group| group.len() > 1).cloned();
    groups.retain(|group| Some(group) != core.as_ref());
    settle(&groups, false);
    let core = core.unwrap_or((0..count).collect());
    let mean = core.iter().map(|&i| odds[i]).sum::<f64>() / core.len() as f64;
    let rate = |i: usize| {
        let others = || (0..count).filter(|&j| j != i);
        let [took, gave] = [others().any(|j| reaches[i][j]), others().any(|j| reaches[j][i])];
        let is_met = core.iter().any(|&j| j != i && (reaches[i][j] || reaches[j][i]));
        let rivals = || core.iter().filter(|&&j| compare(i, j));
        let slope = |&j: &usize| pairs[i][j] * expected(odds[i] - odds[j]) * expected(odds[j] - odds[i]);
        let error = rivals().map(|&j| spread[i][j]).sum::<f64>().sqrt() / rivals().map(slope).sum::<f64>();
        let error = ELO_SCALE * error * (core.len() - 1) as f64 / core.len() as f64;
        let (elo, bound) = (ELO_SCALE * (odds[i] - mean), i8::from(!gave) - i8::from(!took));
        is_met.then_some(Rating { elo, error: Some(error).filter(|&error| error > 0.0), bound })
    };
    (0..count).map(rate).collect()
}

/// Rate a bot above its opponent by the results of their pairs; `None` without a pair.
pub fn difference(kinds: PairKinds) -> Option<Rating> {
    let twice = |own: Rating| Rating { elo: 2.0 * own.elo, error: own.error.map(|error| 2.0 * error), ..own };
    ratings(2, &[([0, 1], kinds)])[0].map(twice)
}

/// Return the expected score at a difference of the logarithms of odds.
fn expected(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}
