//! Statistics of game pairs.
//!
//! The two games of a pair share an opening, which favours one colour: their results are
//! correlated. So the pair is the unit: pairs are independent of each other, and everything below
//! is the mean of one number a pair, with the spread observed between pairs.

use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Fewer pairs than this say nothing about their own spread that is worth a number.
pub const FEWEST_PAIRS: u64 = 5;

/// Points that make a draw.
pub const EVEN: u8 = 75;

/// Running count, mean and spread of independent numbers.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Sample {
    count: u64,
    /// Exact for points and half points, so that all tables round alike.
    sum: f64,
    mean: f64,
    /// Sum of squared deviations from the mean.
    squares: f64,
}

impl Sample {
    /// Add a number (Welford's update, which does not lose digits as sums of squares do).
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum += value;
        let delta = value - self.mean;
        self.mean += delta / self.count as f64;
        self.squares += delta * (value - self.mean);
    }

    /// Return how many numbers there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Return the mean, if there is a number.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }

    /// Return the mean square deviation from the mean, `σ̂² = Σ (x - x̄)² / n`, which makes the
    /// sample most likely; 0 for an empty sample.
    pub fn variance(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.squares / self.count as f64 }
    }

    /// Return the standard error of the mean, `√(Σ (x - x̄)² / (n - 1) / n)`; `None` for fewer than
    /// [`FEWEST_PAIRS`] numbers.
    pub fn standard_error(&self) -> Option<f64> {
        let known = self.count >= FEWEST_PAIRS;
        known.then(|| (self.squares / (self.count - 1) as f64 / self.count as f64).sqrt())
    }

    /// Return how likely the true mean exceeds `value`: Student's distribution with n - 1 degrees
    /// of freedom at `(x̄ - value) / e`, with the standard error `e`; `None` when there is no
    /// spread to judge by.
    pub fn likelihood_above(&self, value: f64) -> Option<f64> {
        let error = self.standard_error().filter(|&error| error > 0.0)?;
        Some(student_below((self.mean()? - value) / error, self.count - 1))
    }
}

/// Return the standard error of a mean over several samples of different truth, such as a bot's
/// pairs against each opponent; `None` when one of them has too few numbers.
///
/// How the samples differ is no chance: the spread is taken within each. With n_k of the n numbers
/// in sample k and e_k its standard error, `e² = Σ (n_k / n)² e_k²`.
pub fn stratified_error<'a>(samples: impl Iterator<Item = &'a Sample>) -> Option<f64> {
    let samples: Vec<&Sample> = samples.filter(|sample| sample.count > 0).collect();
    let total: u64 = samples.iter().map(|sample| sample.count).sum();
    let share = |sample: &&Sample| Some(sample.standard_error()? * sample.count as f64 / total as f64);
    let errors: Vec<f64> = samples.iter().map(share).collect::<Option<_>>()?;
    (total > 0).then(|| errors.iter().map(|error| error * error).sum::<f64>().sqrt())
}

/// Return the mean of numbers in groups (games), and its standard error: the groups are independent,
/// the numbers in one are not.
///
/// With S_g the sum and n_g the count of group g, the mean is `m = Σ S_g / Σ n_g` and the error
/// `√(G / (G - 1) Σ (S_g - n_g m)²) / Σ n_g` over G groups.
pub fn grouped_mean(numbers: impl Iterator<Item = (usize, f64)>) -> Option<(f64, Option<f64>)> {
    let mut groups: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for (group, number) in numbers {
        let (sum, count) = groups.entry(group).or_default();
        (*sum, *count) = (*sum + number, *count + 1.0);
    }
    let total: f64 = groups.values().map(|(_, count)| count).sum();
    let mean = groups.values().map(|(sum, _)| sum).sum::<f64>() / total;
    let off: Sample = groups.values().map(|(sum, count)| sum - count * mean).collect();
    let error = off.standard_error().map(|error| error * groups.len() as f64 / total);
    (total > 0.0).then_some((mean, error))
}

impl FromIterator<f64> for Sample {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Sample {
        let mut sample = Sample::default();
        values.into_iter().for_each(|value| sample.add(value));
        sample
    }
}

/// Games won, drawn and lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Results {
    /// More than 75 points.
    pub wins: u64,
    /// 75 points.
    pub draws: u64,
    /// Fewer.
    pub losses: u64,
}

impl Results {
    /// Count a game of so many points.
    pub fn add(&mut self, points: u8) {
        match points.cmp(&EVEN) {
            Ordering::Greater => self.wins += 1,
            Ordering::Equal => self.draws += 1,
            Ordering::Less => self.losses += 1,
        }
    }
}

/// Pairs by the results of their two games, in any order of the games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pairs {
    /// Counts for LL, LD, WL, DD, WD, WW.
    pub counts: [u64; 6],
}

/// The names of the six kinds of pairs.
pub const PAIR_NAMES: [&str; 6] = ["LL", "LD", "WL", "DD", "WD", "WW"];

/// The mean game score of each kind: five values, since WL and DD are worth the same.
const PAIR_SCORES: [f64; 6] = [0.0, 0.25, 0.5, 0.5, 0.75, 1.0];

impl Pairs {
    /// Count a pair by the points of its two games.
    pub fn add(&mut self, points: [u8; 2]) {
        let [low, high] = if points[0] <= points[1] { points } else { [points[1], points[0]] };
        let kind = match (low.cmp(&EVEN), high.cmp(&EVEN)) {
            (Ordering::Less, Ordering::Less) => 0,
            (Ordering::Less, Ordering::Equal) => 1,
            (Ordering::Less, Ordering::Greater) => 2,
            (_, Ordering::Equal) => 3,
            (Ordering::Equal, _) => 4,
            _ => 5,
        };
        self.counts[kind] += 1;
    }

    /// Return how many pairs there are.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Return the pairs as a sample of mean game scores 0, ¼, ½, ¾, 1 (the pentanomial model).
    pub fn sample(&self) -> Sample {
        let kinds = PAIR_SCORES.iter().zip(self.counts);
        kinds.flat_map(|(&score, count)| (0..count).map(move |_| score)).collect()
    }
}

/// A rating difference in Elo, from the mean score a game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Elo {
    /// Fewer than [`FEWEST_PAIRS`] observations: nothing to say.
    TooFew,
    /// Every observation has the same score, neither 0 nor 1: the spread cannot be judged.
    NoSpread,
    /// Every game won (`Greater`) or lost (`Less`): the difference has no bound.
    OneSided(Ordering),
    /// An estimate.
    Known {
        /// The difference.
        difference: f64,
        /// The lower end of the 95 % interval; `None` when it has no bound.
        low: Option<f64>,
        /// The upper end; `None` when it has no bound.
        high: Option<f64>,
        /// The likelihood of superiority, 0..=1.
        superiority: f64,
    },
}

/// Return the rating difference at which a player is expected to score `score` a game (0 < score <
/// 1).
///
/// The logistic model says `score = 1 / (1 + 10^(-d / 400))`; solved for d.
fn elo_of(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

impl Elo {
    /// Estimate the difference from a sample of scores, each in 0..=1: games, or means of pairs.
    ///
    /// With the standard error `e` of the mean score `s` the 95 % interval is `s ± t e`, with the
    /// 97.5 % point `t` of Student's distribution; both ends and the middle are turned into Elo by
    /// [`elo_of`]. The superiority is the probability that the true mean exceeds ½.
    pub fn estimate(scores: &Sample) -> Elo {
        let (Some(mean), Some(error)) = (scores.mean(), scores.standard_error()) else { return Elo::TooFew };
        if mean <= 0.0 || mean >= 1.0 {
            return Elo::OneSided(mean.total_cmp(&0.5));
        }
        let Some(superiority) = scores.likelihood_above(0.5) else { return Elo::NoSpread };
        let bound = |score: f64| (score > 0.0 && score < 1.0).then(|| elo_of(score));
        let half = student_95(scores.count() - 1) * error;
        Elo::Known {
            difference: elo_of(mean),
            low: bound(mean - half),
            high: bound(mean + half),
            superiority,
        }
    }
}

/// Return the probability that a number of Student's distribution with `freedom` degrees of
/// freedom, 1 or more, is below `t`; within 1e-6.
///
/// Up to 200 degrees the finite series of Abramowitz and Stegun, 26.7.3 and 26.7.4; beyond them
/// their approximation 26.7.8 by the normal distribution.
pub fn student_below(t: f64, freedom: u64) -> f64 {
    let n = freedom as f64;
    if freedom > 200 {
        return normal_below(t * (1.0 - 1.0 / (4.0 * n)) / (1.0 + t * t / (2.0 * n)).sqrt());
    }
    let angle = (t / n.sqrt()).atan();
    let (sin, cos) = angle.sin_cos();
    // The terms of odd degrees begin with cos θ, those of even degrees with 1; each is the one
    // before times cos² θ (k - 1) / k, with k in steps of two.
    let odd = freedom % 2 == 1;
    let (mut term, mut sum) = (if odd { cos } else { 1.0 }, 0.0);
    for k in (if odd { 3 } else { 2 }..=freedom).step_by(2) {
        sum += term;
        term *= cos * cos * (k - 1) as f64 / k as f64;
    }
    let between = if odd { (angle + sin * sum) * std::f64::consts::FRAC_2_PI } else { sin * sum };
    0.5 + between / 2.0
}

/// Return the 97.5 % point of Student's distribution: the half width of a 95 % interval in standard
/// errors.
pub fn student_95(freedom: u64) -> f64 {
    let (mut low, mut high) = (1.9, 12.8);
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        *if student_below(middle, freedom) < 0.975 { &mut low } else { &mut high } = middle;
    }
    (low + high) / 2.0
}

/// Return `Φ(x)`, the probability that a standard normal number is below `x`; within 1e-7.
///
/// `Φ(x) = 1 - φ(x) (b₁t + … + b₅t⁵)` with `t = 1 / (1 + 0.2316419 x)` for `x ≥ 0` (Abramowitz and
/// Stegun, 26.2.17).
pub fn normal_below(x: f64) -> f64 {
    const B: [f64; 5] = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let tail = density * B.iter().rev().fold(0.0, |sum, b| (sum + b) * t);
    if x < 0.0 { tail } else { 1.0 - tail }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::rng::{Random, share};

    fn known(elo: Elo) -> (f64, f64, f64) {
        let Elo::Known { difference, low: Some(low), high: Some(high), superiority } = elo else {
            panic!("expected bounds: {elo:?}")
        };
        (difference, (high - low) / 2.0, superiority)
    }

    #[test]
    fn known_values_of_games() {
        // A well-known example, often quoted as "136/96/111": wins, losses, draws, in this order.
        let games = |wins, losses, draws| -> Sample {
            let scores = [(1.0, wins), (0.0, losses), (0.5, draws)];
            scores.into_iter().flat_map(|(score, count)| std::iter::repeat_n(score, count)).collect()
        };
        let (difference, half, superiority) = known(Elo::estimate(&games(136, 96, 111)));
        // Half a percent more than the ± 30.4 of programs that take the normal distribution.
        assert_eq!(format!("{difference:+.1} ± {half:.1}"), "+40.7 ± 30.6");
        assert_eq!(format!("{:.1}", 100.0 * superiority), "99.6");
        // Losses and draws exchanged is another match: a score of 184 from 343, 400 log10(184 /
        // 159).
        assert_eq!(format!("{:+.1}", known(Elo::estimate(&games(136, 111, 96))).0), "+25.4");
    }

    #[test]
    fn known_values_of_pairs() {
        let pairs = Pairs { counts: [34, 54, 31, 32, 64, 75] };
        let (difference, half, _) = known(Elo::estimate(&pairs.sample()));
        assert_eq!(format!("{difference:+.1} ± {half:.1}"), "+55.6 ± 27.8");
    }

    #[test]
    fn small_and_one_sided_samples_have_names() {
        let pairs = |counts| Elo::estimate(&Pairs { counts }.sample());
        assert_eq!(pairs([0; 6]), Elo::TooFew);
        assert_eq!(pairs([0, 0, 0, 0, 1, 3]), Elo::TooFew);
        assert_eq!(pairs([0, 0, 0, 0, 0, 9]), Elo::OneSided(Ordering::Greater));
        assert_eq!(pairs([9, 0, 0, 0, 0, 0]), Elo::OneSided(Ordering::Less));
        assert_eq!(pairs([0, 0, 3, 6, 0, 0]), Elo::NoSpread);
        assert!(matches!(pairs([0, 0, 0, 0, 1, 4]), Elo::Known { high: None, low: Some(_), .. }));
    }

    #[test]
    fn pairs_are_sorted_by_their_results() {
        let mut pairs = Pairs::default();
        for points in [[0, 74], [75, 0], [150, 0], [75, 75], [75, 76], [80, 90]] {
            pairs.add(points);
            pairs.add([points[1], points[0]]);
        }
        assert_eq!(pairs.counts, [2; 6]);
    }

    #[test]
    fn sample_agrees_with_the_definitions() {
        let values = [1.0, 4.0, 4.5, 7.25, -2.0];
        let sample: Sample = values.into_iter().collect();
        let mean = values.iter().sum::<f64>() / 5.0;
        let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
        assert!((sample.mean().expect("numbers") - mean).abs() < 1e-12);
        assert!((sample.variance() - squares / 5.0).abs() < 1e-12);
        let error = (squares / 20.0).sqrt();
        assert!((sample.standard_error().expect("numbers") - error).abs() < 1e-12);
        let likelihood = sample.likelihood_above(mean - error).expect("spread");
        // Student's distribution with 4 degrees of freedom, below 1.
        assert!((likelihood - 0.813_049_516).abs() < 1e-7, "{likelihood}");
        assert_eq!([3.0; 9].into_iter().collect::<Sample>().likelihood_above(2.0), None);
        assert_eq!([3.0, 4.0].into_iter().collect::<Sample>().likelihood_above(2.0), None);
    }

    #[test]
    fn the_error_of_a_grouped_mean_is_the_spread_between_groups() {
        // Groups of 10 numbers that share one luck: the error must be that of 400 groups.
        let mut random = Random::new(3);
        let (mut means, mut errors) = (Vec::new(), Vec::new());
        for _ in 0..200 {
            let lucks: Vec<f64> = (0..400).map(|_| f64::from(share(random.bits()))).collect();
            let (mean, error) = grouped_mean((0..4_000).map(|n| (n / 10, lucks[n / 10]))).expect("numbers");
            means.push(mean);
            errors.push(error.expect("groups"));
        }
        let centre = means.iter().sum::<f64>() / 200.0;
        let spread = (means.iter().map(|mean| (mean - centre).powi(2)).sum::<f64>() / 199.0).sqrt();
        let claimed = errors.iter().sum::<f64>() / 200.0;
        assert!((0.8..1.25).contains(&(spread / claimed)), "{spread} against {claimed}");
        assert_eq!(grouped_mean([(5, 2.0), (5, 3.0)].into_iter()), Some((2.5, None)));
        assert_eq!(grouped_mean(std::iter::empty()), None);
    }

    #[test]
    fn published_points_of_the_student_distribution() {
        for (freedom, point) in
            [(1, 12.706), (2, 4.303), (4, 2.776), (5, 2.571), (10, 2.228), (30, 2.042), (120, 1.980)]
        {
            assert!((student_95(freedom) - point).abs() < 6e-4, "{freedom}: {}", student_95(freedom));
        }
        for t in [-3.0, -0.5, 0.0, 1.0, 2.5] {
            let [below, above] = [200, 201].map(|freedom| student_below(t, freedom));
            assert!(
                (below - above).abs() < 3e-5 && (student_below(t, 1_000_000) - normal_below(t)).abs() < 1e-6
            );
        }
    }

    #[test]
    fn normal_probabilities() {
        for (x, p) in [(0.0, 0.5), (1.0, 0.841_344_746), (-1.959_963_985, 0.025), (3.0, 0.998_650_102)] {
            assert!((normal_below(x) - p).abs() < 1e-7, "{x}");
        }
    }
}
