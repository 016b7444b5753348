//! From answers to probabilities, and what the probabilities are worth.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::workshop::arena::stats::Sample;

/// How firmly the weights are held at those that leave an estimator's own probability as it is: as
/// by a normal prior with a standard deviation of 2, since slopes of 1 to 3 are usual. It decides
/// only where the data says little: a few games in which the answers have no error at all would
/// give a slope without bound.
const RIDGE: f64 = 0.25;

/// A logistic model of an estimator's log-odds x: `P(reached) = 1 / (1 + e^-(offset + slope x))`.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Calibration {
    /// Added to the log-odds; above 0 for an estimator that thinks too little of the player to
    /// move.
    pub offset: f64,
    /// Factor of the log-odds; below 1 for an estimator that is too sure.
    pub slope: f64,
}

impl Calibration {
    /// The weights that leave an estimator's own probability as it is.
    const OWN: Calibration = Calibration { offset: 0.0, slope: 1.0 };

    fn log_odds(&self, x: f64) -> f64 {
        self.offset + self.slope * x
    }

    /// Return the probability for an answer, given as log-odds, 0..=1.
    pub fn probability(&self, x: f64) -> f64 {
        1.0 / (1.0 + (-self.log_odds(x)).exp())
    }

    /// Return what [`Calibration::fit`] makes small: the negative logarithm of the likelihood and
    /// the prior.
    fn loss(&self, observations: &[(f64, bool)]) -> f64 {
        let misfit = observations.iter().map(|&(x, reached)| {
            let against = if reached { -self.log_odds(x) } else { self.log_odds(x) };
            // ln(1 + e^x) without overflow.
            against.max(0.0) + (-against.abs()).exp().ln_1p()
        });
        let Calibration { offset, slope } = Calibration::OWN;
        let pull = (self.offset - offset).powi(2) + (self.slope - slope).powi(2);
        misfit.sum::<f64>() + 0.5 * RIDGE * pull
    }

    /// Fit the weights that make the outcomes most likely, held near the estimator's own odds where
    /// the observations are few, by Newton's method; a step that does not help is halved.
    pub fn fit(observations: &[(f64, bool)]) -> Calibration {
        let mut best = Calibration::OWN;
        let mut loss = best.loss(observations);
        for _ in 0..100 {
            let pull = |weight: f64, own: f64| RIDGE * (weight - own);
            let mut gradient =
                [pull(best.offset, Calibration::OWN.offset), pull(best.slope, Calibration::OWN.slope)];
            // The second derivatives: by offset twice, by both, by slope twice.
            let mut curvature = [RIDGE, 0.0, RIDGE];
            for &(x, reached) in observations {
                let p = best.probability(x);
                let error = p - f64::from(u8::from(reached));
                gradient = [gradient[0] + error, gradient[1] + error * x];
                let [a, b, c] = curvature;
                let weight = p * (1.0 - p);
                curvature = [a + weight, b + weight * x, c + weight * x * x];
            }
            let [a, b, c] = curvature;
            let step = [c * gradient[0] - b * gradient[1], a * gradient[1] - b * gradient[0]]
                .map(|numerator| numerator / (a * c - b * b));
            let after = |scale: f64| {
                let next = Calibration {
                    offset: best.offset - scale * step[0],
                    slope: best.slope - scale * step[1],
                };
                (next, next.loss(observations))
            };
            let scales = std::iter::successors(Some(1.0), |scale| Some(scale / 2.0)).take(30);
            let Some((next, less)) = scales.map(after).find(|&(_, next)| next < loss) else { break };
            let gain = loss - less;
            (best, loss) = (next, less);
            if gain <= 1e-10 * loss {
                break;
            }
        }
        best
    }
}

/// A mean over questions and its standard error.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// The standard error; `None` for one game.
    pub error: Option<f64>,
}

impl Mean {
    /// Average numbers that come in groups (games): the groups are independent, the numbers in one
    /// are not. `None` when there are none.
    ///
    /// With S_g the sum and n_g the count of group g, the mean is `m = Σ S_g / Σ n_g` and its
    /// standard error `√(G / (G - 1) Σ (S_g - n_g m)²) / Σ n_g` over G groups.
    pub fn over_groups(numbers: impl Iterator<Item = (usize, f64)>) -> Option<Mean> {
        let mut groups: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
        for (group, number) in numbers {
            let (sum, count) = groups.entry(group).or_default();
            (*sum, *count) = (*sum + number, *count + 1.0);
        }
        if groups.is_empty() {
            return None;
        }
        let total: f64 = groups.values().map(|(_, count)| count).sum();
        let mean = groups.values().map(|(sum, _)| sum).sum::<f64>() / total;
        let off: Sample = groups.values().map(|(sum, count)| sum - count * mean).collect();
        let error = off.standard_error().map(|error| error * groups.len() as f64 / total);
        Some(Mean { mean, error })
    }
}

/// Scores of probabilities; the smaller the better.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Quality {
    /// The mean of `-ln P(what happened)`, 0..; 0.693 for ½ every time.
    pub log_loss: Mean,
    /// The mean of `(P - outcome)²`, 0..=1; 0.25 for ½ every time.
    pub brier: Mean,
}

/// The least probability of what happened that the log-loss counts: no estimate is surer than that.
const LEAST: f64 = 1e-6;

impl Quality {
    /// Score predictions: the game, the probability that the goal is reached, and whether it is.
    /// Standard errors are over games. `None` when there are no predictions.
    pub fn of(predictions: impl Iterator<Item = (usize, f64, bool)> + Clone) -> Option<Quality> {
        let logs = predictions.clone().map(|(game, p, reached)| {
            let happened = if reached { p } else { 1.0 - p };
            (game, -happened.max(LEAST).ln())
        });
        let squares =
            predictions.map(|(game, p, reached)| (game, (p - f64::from(u8::from(reached))).powi(2)));
        Some(Quality { log_loss: Mean::over_groups(logs)?, brier: Mean::over_groups(squares)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::rng::Random;

    fn uniform(random: &mut Random) -> f64 {
        (random.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    #[test]
    fn scores_are_those_worked_out_by_hand() {
        let answers = [
            (0, 0.8, true),
            (0, 0.4, false),
            (2, 0.5, true),
            (3, 0.5, true),
            (4, 0.5, false),
            (6, 0.5, true),
        ];
        let quality = Quality::of(answers.into_iter()).expect("six");
        let log_loss = -(0.8f64.ln() + 0.6f64.ln() + 4.0 * 0.5f64.ln()) / 6.0;
        assert!((quality.log_loss.mean - log_loss).abs() < 1e-12);
        assert!((quality.log_loss.mean - 0.5844263).abs() < 1e-6);
        // 0.04, 0.16 and four times 0.25.
        assert!((quality.brier.mean - 0.2).abs() < 1e-12);
        // Five games: 0.2 less than two means of 0.2, and four times 0.05 more than one, so a
        // standard error of √(0.05 / 4 / 5) a game.
        assert!((quality.brier.error.expect("five games") - 0.05 * 5.0 / 6.0).abs() < 1e-12);
        let sure = Quality::of([(5, 0.0, true)].into_iter()).expect("one");
        assert!((sure.log_loss.mean - 1e6f64.ln()).abs() < 1e-9 && sure.brier.error.is_none());
        assert_eq!(Quality::of(std::iter::empty()), None);
    }

    #[test]
    fn errors_cover_the_spread_between_games() {
        // Games of 10 questions that share one luck: the error must be that of 400 games, not of
        // 4,000 questions.
        let mut random = Random::new(3);
        let (mut means, mut errors) = (Vec::new(), Vec::new());
        for _ in 0..200 {
            let lucks: Vec<f64> = (0..400).map(|_| uniform(&mut random)).collect();
            let numbers = (0..4_000).map(|n| (n / 10, lucks[n / 10]));
            let mean = Mean::over_groups(numbers).expect("numbers");
            means.push(mean.mean);
            errors.push(mean.error.expect("games"));
        }
        let centre = means.iter().sum::<f64>() / 200.0;
        let spread = (means.iter().map(|mean| (mean - centre).powi(2)).sum::<f64>() / 199.0).sqrt();
        let claimed = errors.iter().sum::<f64>() / 200.0;
        assert!((0.8..1.25).contains(&(spread / claimed)), "{spread} against {claimed}");
    }

    #[test]
    fn known_weights_are_recovered() {
        let mut random = Random::new(11);
        for (offset, slope) in [(0.4, 1.7), (-1.0, 0.5), (0.0, -0.8)] {
            let truth = Calibration { offset, slope };
            let observations: Vec<(f64, bool)> = (0..40_000)
                .map(|_| {
                    let x = 6.0 * uniform(&mut random) - 3.0;
                    (x, uniform(&mut random) < truth.probability(x))
                })
                .collect();
            let found = Calibration::fit(&observations);
            assert!((found.offset - offset).abs() < 0.06 && (found.slope - slope).abs() < 0.06, "{found:?}");
        }
    }

    #[test]
    fn separable_data_gives_a_slope_that_is_bounded() {
        let observations: Vec<(f64, bool)> = (-50..50).map(|n| (f64::from(n) + 0.5, n >= 0)).collect();
        let found = Calibration::fit(&observations);
        // Without the pull the slope would have no bound.
        assert!((1.5..8.0).contains(&found.slope) && found.offset.abs() < 0.01, "{found:?}");
    }
}
