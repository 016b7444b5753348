//! The estimators that are judged, and what their answers cost.

use std::fmt;
use std::time::Instant;

use super::Question;
use super::calibration::Features;
use crate::player::alpha::Status;
use crate::player::evaluation::Evaluation;
use crate::player::params::Params;
use crate::player::rng::Random;
use crate::player::search::playout::Policy;
use crate::player::simd::Simd;

/// A way to answer a [`Question`] without search. Answers are log-odds of the player to move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Estimator {
    /// The share of playouts won, as log-odds with half a playout added to either side.
    Playouts {
        /// The default policy.
        policy: Policy,
        /// How many playouts.
        count: u32,
    },
    /// The static formula.
    Static,
    /// The mean value of so many visits of a leaf, each of a playout and the static formula, weighted as in the
    /// parameter table (`leaf_static`, `leaf_playout`).
    Leaf {
        /// The default policy.
        policy: Policy,
        /// How many playouts.
        count: u32,
        /// The weight of the static formula, as log-odds.
        leaf_static: f32,
        /// The log-odds that a playout's outcome is worth.
        leaf_playout: f32,
    },
    /// Playouts and the static formula, whose weights the calibration fits: what a leaf could reach at best.
    Both {
        /// The default policy.
        policy: Policy,
        /// How many playouts.
        count: u32,
    },
}

impl Estimator {
    /// List the estimators to judge: every default policy of the parameter table with each number of playouts,
    /// the static formula, and with the policy of `params` both together, as the tree weights them and at best.
    pub fn all(params: &Params, counts: &[u32]) -> Vec<Estimator> {
        let row = Params::ROWS.iter().find(|row| row.name == "policy");
        let most = row.map_or(0, |row| row.range.1 as u32);
        let policies = (0..=most).map(|policy| Policy::of(&Params { policy, ..params.clone() }));
        let mut all: Vec<Estimator> = policies
            .flat_map(|policy| counts.iter().map(move |&count| Estimator::Playouts { policy, count }))
            .collect();
        all.push(Estimator::Static);
        let policy = Policy::of(params);
        let &Params { leaf_static, leaf_playout, .. } = params;
        all.extend(counts.iter().map(|&count| Estimator::Leaf { policy, count, leaf_static, leaf_playout }));
        all.extend(counts.iter().map(|&count| Estimator::Both { policy, count }));
        all
    }

    /// Return the number of playouts for an answer.
    pub fn count(&self) -> u32 {
        match *self {
            Estimator::Static => 0,
            Estimator::Playouts { count, .. }
            | Estimator::Leaf { count, .. }
            | Estimator::Both { count, .. } => count,
        }
    }

    /// Answer all questions into `answers`, which are as many. Deterministic for a seed.
    ///
    /// # Panics
    /// When there are fewer answers than questions.
    pub fn answer(&self, questions: &[Question], seed: u64, answers: &mut [Features]) {
        self.time(questions, seed, answers, 1);
    }

    /// Answer all questions so many times (once at least), and return the seconds that one answer took. Of each few questions
    /// the fastest time counts, so that other programs on the machine count less.
    ///
    /// # Panics
    /// When there are fewer answers than questions.
    pub fn time(&self, questions: &[Question], seed: u64, answers: &mut [Features], rounds: u32) -> f64 {
        let answers = &mut answers[..questions.len()];
        // Enough work for the clock, little enough to be left alone most of the time.
        let size = (64 / self.count().max(1)).clamp(1, 16) as usize;
        let chunks = questions.chunks(size).zip(answers.chunks_mut(size)).enumerate();
        let times = chunks.map(|(chunk, (questions, answers))| {
            let seed = seed.wrapping_add((chunk as u64) << 32);
            let run = || {
                let start = Instant::now();
                answer_all(*self, questions, seed, answers);
                start.elapsed().as_secs_f64()
            };
            std::iter::repeat_with(run).take(rounds.max(1) as usize).fold(f64::INFINITY, f64::min)
        });
        times.sum::<f64>() / questions.len().max(1) as f64
    }
}

/// Writes a name such as `BestOfTwo x10`.
impl fmt::Display for Estimator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Estimator::Playouts { policy, count } => write!(f, "{policy:?} x{count}"),
            Estimator::Static => f.write_str("static formula"),
            Estimator::Leaf { policy, count, .. } => write!(f, "leaf: static and {policy:?} x{count}"),
            Estimator::Both { policy, count } => write!(f, "fitted: {policy:?} x{count}, static"),
        }
    }
}

crate::player::dispatch! {
    /// Answer all questions.
    fn answer_all<'a>(estimator: Estimator, questions: &'a [Question], seed: u64, answers: &'a mut [Features]) =
        answer_all_body
}

#[inline(always)]
fn answer_all_body<S: Simd>(
    estimator: Estimator,
    questions: &[Question],
    seed: u64,
    answers: &mut [Features],
) {
    let answers = &mut answers[..questions.len()];
    let mut random = Random::new(seed);
    let pairs = questions.iter().zip(answers);
    match estimator {
        Estimator::Playouts { policy, count } => pairs.for_each(|(question, answer)| {
            let wins = wins::<S>(question, policy, count, &mut random);
            *answer = [1.0, log_odds(wins, count), 0.0];
        }),
        Estimator::Static => {
            pairs.for_each(|(question, answer)| *answer = [1.0, advantage::<S>(question), 0.0])
        }
        Estimator::Leaf { policy, count, leaf_static, leaf_playout } => {
            pairs.for_each(|(question, answer)| {
                let wins = wins::<S>(question, policy, count, &mut random);
                let fixed = f64::from(leaf_static) * advantage::<S>(question);
                *answer = [1.0, leaf_log_odds(fixed, f64::from(leaf_playout), wins, count), 0.0];
            })
        }
        Estimator::Both { policy, count } => pairs.for_each(|(question, answer)| {
            let wins = wins::<S>(question, policy, count, &mut random);
            *answer = [1.0, log_odds(wins, count), advantage::<S>(question)];
        }),
    }
}

/// Count the playouts that the player to move wins.
#[inline(always)]
fn wins<S: Simd>(question: &Question, policy: Policy, count: u32, random: &mut Random) -> u32 {
    let Question { position, target, .. } = question;
    let seen = (*position, Status::of::<S>(position, *target));
    let mover = position.to_move();
    let won = |_| u32::from(policy.playout::<S>(&mut seen.clone(), *target, random, |_, _| {}) == mover);
    (0..count).map(won).sum()
}

/// Judge a question by the static formula, from the view of the player to move.
#[inline(always)]
fn advantage<S: Simd>(question: &Question) -> f64 {
    let Question { position, target, .. } = question;
    let evaluation = Evaluation::of(position, *target);
    f64::from(evaluation.advantage::<S>(position, &evaluation.status::<S>(position)))
}

/// Return the log-odds of `wins` of `count` playouts, half a playout added to either side.
fn log_odds(wins: u32, count: u32) -> f64 {
    ((f64::from(wins) + 0.5) / (f64::from(count - wins) + 0.5)).ln()
}

/// Return the log-odds of the mean of `count` leaf values, those of won playouts `fixed + swing` and those of
/// lost ones `fixed - swing` as log-odds; ±27 at most. Without a swing, or any playout, it is `fixed`.
fn leaf_log_odds(fixed: f64, swing: f64, wins: u32, count: u32) -> f64 {
    let value = |odds: f64| 1.0 / (1.0 + (-odds).exp());
    let (won, lost) = (f64::from(wins), f64::from(count - wins));
    let mix = |sign: f64| {
        let up = value(sign * (fixed + swing));
        let down = value(sign * (fixed - swing));
        if count == 0 { value(sign * fixed) } else { (won * up + lost * down) / (won + lost) }
    };
    // Both means are found by themselves: 1 - p loses the digits of a small one.
    (mix(1.0).max(1e-12) / mix(-1.0).max(1e-12)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::record::Record;
    use crate::workshop::calibrate::questions;

    fn asked() -> Vec<Question> {
        let text = "E2 B7 D5 H1 A8 C3=15 D2=15 B5=14 F1=14 E4=13 B2=13 A6=12 D4=12 G1=11 C5=11";
        let record = Record::parse(text).expect("a record");
        questions(record.position(), 0, 0).collect()
    }

    #[test]
    fn leaf_values_average_to_what_the_tree_sees() {
        // One visit: the log-odds themselves.
        assert!((leaf_log_odds(0.7, 1.76, 1, 1) - 2.46).abs() < 1e-9);
        assert!((leaf_log_odds(0.7, 1.76, 0, 1) + 1.06).abs() < 1e-9);
        // Half of the playouts won from an even position: even.
        assert!(leaf_log_odds(0.0, 1.76, 5, 10).abs() < 1e-12);
        assert!((leaf_log_odds(-30.0, 0.0, 3, 7) + 27.6).abs() < 0.1);
        let mean = (3.0 / (1.0 + (-1.0f64).exp()) + 1.0 / (1.0 + 1f64.exp())) / 4.0;
        assert!((leaf_log_odds(0.0, 1.0, 3, 4) - (mean / (1.0 - mean)).ln()).abs() < 1e-9);
    }

    #[test]
    fn every_row_of_the_policy_table_is_judged() {
        let all = Estimator::all(&Params::default(), &[1, 10]);
        let row = Params::ROWS.iter().find(|row| row.name == "policy").expect("the row");
        let playouts = all.iter().filter(|one| matches!(one, Estimator::Playouts { .. })).count();
        assert_eq!(playouts, 2 * (row.range.1 as usize + 1));
        let mut names: Vec<String> = all.iter().map(Estimator::to_string).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all.len(), "names tell them apart");
    }

    #[test]
    fn answers_repeat_with_the_seed_and_grow_with_the_chance() {
        let questions = asked();
        assert!(questions.len() > 5, "{questions:?}");
        let (mut first, mut second) = (vec![[0.0; 3]; 10], vec![[0.0; 3]; 10]);
        for estimator in Estimator::all(&Params::default(), &[1, 200]) {
            estimator.answer(&questions, 5, &mut first);
            let seconds = estimator.time(&questions, 5, &mut second, 3);
            assert!(seconds > 0.0 && seconds < 0.1);
            assert_eq!(first, second, "{estimator}");
            estimator.answer(&questions, 6, &mut second);
            let random = estimator != Estimator::Static;
            assert_eq!(first[..questions.len()] != second[..questions.len()], random, "{estimator}");
            // The lowest target is easier for Red than the highest.
            let sign = f64::from(questions[0].position.to_move().sign());
            let (low, high) = (first[0][1], first[questions.len() - 1][1]);
            if !estimator.to_string().contains(" x1") {
                assert!(sign * (low - high) > 0.0, "{estimator}: {low} {high}");
            }
        }
    }
}
