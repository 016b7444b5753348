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
    /// bot would have if the other ratings were exact, as they move the mean, too; of two bots the half. `None` at a
    /// bound, and of two bots with too few pairs or without a spread.
    pub error: Option<f64>,
    /// 1 of a bot that won all: at least so much; -1 of one that lost all: at most so much; 0 for an estimate.
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

/// The probability that a bot at its bound wins, or loses, all its pairs.
const BOUND: f64 = 0.05;
/// The pairs added to each pairing of a league: a drawn game. Without it a bot that takes every point of some others, and
/// loses every one to the rest, has no likeliest rating.
const ADDED: f64 = 0.5;

/// Pairs of a bot against another, those that it won, and the variance of these if they differ.
#[derive(Clone, Copy, Default)]
struct Results {
    pairs: f64,
    won: f64,
    variance: Option<f64>,
}

/// Rate bots by the results of their pairings: the likeliest ratings of the logistic model (Bradley and Terry, 1952), of
/// three bots and more with a drawn game added to each pairing. Of two bots, one that won all stands at its bound.
///
/// `None` for a bot that no pairs connect with most others.
pub fn ratings(count: usize, pairings: &[([usize; 2], PairKinds)]) -> Vec<Option<Rating>> {
    let mut results = vec![vec![Results::default(); count]; count];
    for &([first, second], kinds) in pairings {
        let scores = kinds.scores();
        let (pairs, mean) = (scores.count(), scores.mean().unwrap_or_default());
        let variance = scores.standard_error().map(|error| (pairs * error).powi(2)).filter(|&it| it > 0.0);
        results[first][second] = Results { pairs, won: pairs * mean, variance };
        results[second][first] = Results { pairs, won: pairs * (1.0 - mean), variance };
    }
    let met = |i: usize| results[i].iter().filter(|it| it.pairs > 0.0);
    let group = |i: usize| {
        let mut group = vec![i];
        for n in 0..count {
            let Some(&own) = group.get(n) else { break };
            let is_new = |j: &usize| results[own][*j].pairs > 0.0 && !group.contains(j);
            group.extend((0..count).filter(is_new).collect::<Vec<_>>());
        }
        group
    };
    let core = (0..count).rev().map(group).max_by_key(Vec::len).filter(|it| it.len() > 1).unwrap_or_default();
    // The pairs of two bots, and those won.
    let scored = |i: usize, j: usize| {
        let Results { pairs, won, .. } = results[i][j];
        let share = || BOUND.powf(1.0 / pairs);
        match (pairs > 0.0, count) {
            (false, _) => (0.0, 0.0),
            (true, 2) if won == pairs => (pairs, pairs * share()),
            (true, 2) if won == 0.0 => (pairs, pairs * (1.0 - share())),
            (true, 2) => (pairs, won),
            _ => (pairs + ADDED, won + ADDED / 2.0),
        }
    };
    let mut odds = vec![0.0; count];
    let slope = |odds: &[f64], i: usize| -> f64 {
        let of = |&j: &usize| scored(i, j).0 * expected(odds[i] - odds[j]) * expected(odds[j] - odds[i]);
        core.iter().map(of).sum()
    };
    // Newton's method, a bot after another: only differences count.
    for &i in (0..500).flat_map(|_| &core) {
        let missing = |&j: &usize| scored(i, j).1 - scored(i, j).0 * expected(odds[i] - odds[j]);
        let missing: f64 = core.iter().map(missing).sum();
        odds[i] += (missing / slope(&odds, i).max(1e-9)).clamp(-1.0, 1.0);
    }
    let mean = core.iter().map(|&i| odds[i]).sum::<f64>() / core.len() as f64;
    let rate = |i: usize| {
        let bound = i8::from(met(i).all(|it| it.won == it.pairs)) - i8::from(met(i).all(|it| it.won == 0.0));
        // Of pairs that do not differ, or are too few, the model tells the variance: two games each.
        let variance = |&j: &usize| {
            let chance = expected(odds[i] - odds[j]);
            let told = if count > 2 { results[i][j].pairs * chance * (1.0 - chance) / 2.0 } else { f64::NAN };
            results[i][j].variance.unwrap_or(told)
        };
        let rivals = core.iter().filter(|&&j| results[i][j].pairs > 0.0);
        let error = ELO_SCALE * rivals.map(variance).sum::<f64>().sqrt() / slope(&odds, i);
        let error = Some(error * (core.len() as f64 - 1.0) / core.len() as f64);
        let error = error.filter(|&error| bound == 0 && error > 0.0);
        core.contains(&i).then_some(Rating { elo: ELO_SCALE * (odds[i] - mean), error, bound })
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
