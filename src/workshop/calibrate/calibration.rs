//! From answers to probabilities, and what the probabilities are worth.

/// What an estimator says about one question: a constant 1, its log-odds, and for an estimator of two parts
/// the log-odds of the second, else 0.
pub type Features = [f64; 3];

/// The weights that leave an estimator's own probability as it is.
const OWN: Features = [0.0, 1.0, 0.0];

/// How firmly the weights are held at [`OWN`]: as for a normal prior with a standard deviation of 2, since slopes
/// of 1 to 3 are usual. It decides only where the data says little: a few games in which the answers have no
/// error at all would give a slope without bound.
const RIDGE: f64 = 0.25;

/// Weights of a logistic model: `P(reached) = 1 / (1 + e^-(w · x))`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Calibration {
    /// One for each feature: the offset, then the slopes.
    pub weights: Features,
}

/// Return `ln(1 + e^x)` without overflow.
fn soft_plus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

fn dot(a: &Features, b: &Features) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Solve `a x = b` for a symmetric positive definite matrix, by elimination without exchanges.
fn solve(mut a: [Features; 3], mut b: Features) -> Features {
    for i in 0..3 {
        for row in i + 1..3 {
            let factor = a[row][i] / a[i][i];
            let upper = a[i];
            a[row].iter_mut().zip(upper).for_each(|(entry, above)| *entry -= factor * above);
            b[row] -= factor * b[i];
        }
    }
    let mut x = [0.0; 3];
    for i in (0..3).rev() {
        let known: f64 = (i + 1..3).map(|column| a[i][column] * x[column]).sum();
        x[i] = (b[i] - known) / a[i][i];
    }
    x
}

impl Calibration {
    /// Return the probability for an answer, 0..=1.
    pub fn probability(&self, features: &Features) -> f64 {
        1.0 / (1.0 + (-dot(&self.weights, features)).exp())
    }

    /// Return the estimator's own probability at which the calibrated one is ½, 0..=1: for playouts the
    /// frequency of an even position. `None` for estimators of two parts, or when the answers are useless.
    pub fn even_point(&self) -> Option<f64> {
        let [offset, slope, second] = self.weights;
        (second == 0.0 && slope > 0.0).then(|| 1.0 / (1.0 + (offset / slope).exp()))
    }

    /// Fit the weights that make the outcomes most likely, held near the estimator's own odds where the
    /// observations are few, by Newton's method; a step that does not help is halved.
    pub fn fit(observations: &[(Features, bool)]) -> Calibration {
        let loss = |weights: &Features| {
            let data = observations.iter().map(|(x, reached)| {
                let odds = dot(weights, x);
                soft_plus(if *reached { -odds } else { odds })
            });
            let pull: Features = std::array::from_fn(|i| weights[i] - OWN[i]);
            data.sum::<f64>() + 0.5 * RIDGE * dot(&pull, &pull)
        };
        let mut weights = OWN;
        let mut now = loss(&weights);
        for _ in 0..100 {
            let mut gradient = std::array::from_fn(|i| RIDGE * (weights[i] - OWN[i]));
            let mut curvature = [[0.0; 3]; 3];
            (0..3).for_each(|i| curvature[i][i] = RIDGE);
            for (x, reached) in observations {
                let p = Calibration { weights }.probability(x);
                let error = p - f64::from(u8::from(*reached));
                for i in 0..3 {
                    gradient[i] += error * x[i];
                    (0..3).for_each(|j| curvature[i][j] += p * (1.0 - p) * x[i] * x[j]);
                }
            }
            let step = solve(curvature, gradient);
            let mut scale = 1.0;
            let (next, after) = loop {
                let next = std::array::from_fn(|i| weights[i] - scale * step[i]);
                let after = loss(&next);
                if after <= now || scale < 1e-9 {
                    break (next, after);
                }
                scale /= 2.0;
            };
            let gain = now - after;
            if gain > 0.0 {
                (weights, now) = (next, after);
            }
            if gain <= 1e-10 * now.abs() {
                break;
            }
        }
        Calibration { weights }
    }
}

/// A mean over questions and its standard error.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// The standard error; `None` for one game.
    pub error: Option<f64>,
}

impl Mean {
    /// Average numbers that come in groups (games): the groups are independent, the numbers in one are not.
    /// `None` when there are none.
    ///
    /// With S_g the sum and n_g the count of group g, the mean is `m = Σ S_g / Σ n_g` and its standard error
    /// `√(G / (G - 1) Σ (S_g - n_g m)²) / Σ n_g` over G groups.
    pub(super) fn over_groups(numbers: impl Iterator<Item = (usize, f64)>) -> Option<Mean> {
        let mut groups: Vec<(f64, f64)> = Vec::new();
        for (group, number) in numbers {
            if groups.len() <= group {
                groups.resize(group + 1, (0.0, 0.0));
            }
            groups[group].0 += number;
            groups[group].1 += 1.0;
        }
        groups.retain(|(_, count)| *count > 0.0);
        let total: f64 = groups.iter().map(|(_, count)| count).sum();
        if groups.is_empty() {
            return None;
        }
        let mean = groups.iter().map(|(sum, _)| sum).sum::<f64>() / total;
        let squares: f64 = groups.iter().map(|(sum, count)| (sum - count * mean).powi(2)).sum();
        let games = groups.len() as f64;
        let error = (groups.len() > 1).then(|| (games / (games - 1.0) * squares).sqrt() / total);
        Some(Mean { mean, error })
    }
}

/// Scores of probabilities; the smaller the better.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Quality {
    /// The mean of `-ln P(what happened)`, 0..; 0.693 for ½ every time.
    pub log_loss: Mean,
    /// The mean of `(P - outcome)²`, 0..=1; 0.25 for ½ every time.
    pub brier: Mean,
}

/// The least probability of what happened that the log-loss counts: no estimate is surer than that.
const LEAST: f64 = 1e-6;

impl Quality {
    /// Score predictions: the game, the probability that the goal is reached, and whether it is. Standard
    /// errors are over games. `None` when there are no predictions.
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
        let quality =
            Quality::of([(0, 0.8, true), (0, 0.4, false), (2, 0.5, true)].into_iter()).expect("three");
        let log_loss = -(0.8f64.ln() + 0.6f64.ln() + 0.5f64.ln()) / 3.0;
        assert!((quality.log_loss.mean - log_loss).abs() < 1e-12);
        assert!((quality.log_loss.mean - 0.475_705_7).abs() < 1e-6);
        // 0.04, 0.16 and 0.25.
        assert!((quality.brier.mean - 0.15).abs() < 1e-12);
        // Two games: sums 0.20 of two and 0.25 of one, so ±0.1 from 0.15 each; √(2 · 2 · 0.01) / 3.
        assert!((quality.brier.error.expect("two games") - 0.2 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn extremes_have_values_too() {
        let one = Quality::of([(5, 0.0, true)].into_iter()).expect("one");
        assert!((one.log_loss.mean - 1e6f64.ln()).abs() < 1e-9);
        assert_eq!((one.brier.mean, one.brier.error), (1.0, None));
        assert_eq!(Quality::of(std::iter::empty()), None);
    }

    #[test]
    fn errors_cover_the_spread_between_games() {
        // Games of 10 questions that share one luck: the error must be that of 400 games, not of 4,000 questions.
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
        for weights in [[0.4, 1.7, 0.0], [-1.0, 0.5, 2.0], [0.0, -0.8, 0.3]] {
            let truth = Calibration { weights };
            let observations: Vec<(Features, bool)> = (0..40_000)
                .map(|_| {
                    let second = if weights[2] == 0.0 { 0.0 } else { 4.0 * uniform(&mut random) - 2.0 };
                    let x = [1.0, 6.0 * uniform(&mut random) - 3.0, second];
                    (x, uniform(&mut random) < truth.probability(&x))
                })
                .collect();
            let found = Calibration::fit(&observations).weights;
            for (found, weight) in found.iter().zip(weights) {
                assert!((found - weight).abs() < 0.06, "{found} for {weight}");
            }
            if weights[2] == 0.0 {
                assert_eq!(found[2], 0.0);
            }
        }
    }

    #[test]
    fn separable_data_gives_a_slope_that_is_bounded() {
        let observations: Vec<(Features, bool)> =
            (-50..50).map(|n| ([1.0, f64::from(n) + 0.5, 0.0], n >= 0)).collect();
        let found = Calibration::fit(&observations);
        // Without the pull the slope would have no bound.
        assert!((1.5..8.0).contains(&found.weights[1]), "{found:?}");
        assert!(found.probability(&[1.0, 0.5, 0.0]) > 0.7 && found.probability(&[1.0, -0.5, 0.0]) < 0.3);
        assert!((found.even_point().expect("a slope") - 0.5).abs() < 0.01);
    }

    #[test]
    fn the_even_point_is_where_the_odds_are_even() {
        // Even at log-odds -ln 2, a frequency of one third.
        let calibration = Calibration { weights: [2.0 * 2f64.ln(), 2.0, 0.0] };
        assert!((calibration.even_point().expect("a slope") - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(Calibration { weights: [0.0, -1.0, 0.0] }.even_point(), None);
        assert_eq!(Calibration { weights: [0.0, 1.0, 1.0] }.even_point(), None);
    }
}
