//! The estimators that are judged.

use std::fmt;

use super::Question;
use crate::player::alpha::Status;
use crate::player::evaluation::Evaluation;
use crate::player::network::Network;
use crate::player::params::Params;
use crate::player::rng::Random;
use crate::player::search::playout::Policy;
use crate::player::simd::Simd;

/// A way to answer a [`Question`] without search. Answers are log-odds of the player to move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Estimator {
    /// The share of `count` playouts of a default policy that are won, as log-odds with half a
    /// playout added to either side.
    Playouts { policy: Policy, count: u32 },
    /// The static formula.
    Static,
    /// The player's network.
    Network,
}

impl Estimator {
    /// List the estimators to judge: every default policy of the parameter table with each number
    /// of playouts, the static formula, and the network.
    pub fn all(counts: &[u32]) -> Vec<Estimator> {
        let row = Params::ROWS.iter().find(|row| row.name == "policy").expect("a row of the table");
        let policies =
            (0..=row.range.1 as u32).map(|policy| Policy::of(&Params { policy, ..Params::default() }));
        let playouts = policies
            .flat_map(|policy| counts.iter().map(move |&count| Estimator::Playouts { policy, count }));
        playouts.chain([Estimator::Static, Estimator::Network]).collect()
    }
}

/// Writes a name such as `Kill x10`.
impl fmt::Display for Estimator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Estimator::Playouts { policy, count } => write!(f, "{policy:?} x{count}"),
            Estimator::Static => f.write_str("static formula"),
            Estimator::Network => f.write_str("network"),
        }
    }
}

crate::player::dispatch! {
    /// Answer all questions. The same seed gives the same answers.
    pub fn answers<'a>(estimator: Estimator, questions: &'a [Question], seed: u64) -> Vec<f64> = answers_body
}

#[inline(always)]
fn answers_body<S: Simd>(estimator: Estimator, questions: &[Question], seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    let mut answers = Vec::with_capacity(questions.len());
    // A loop, not a closure: that would be compiled without the path's instructions.
    for question in questions {
        answers.push(match estimator {
            Estimator::Playouts { policy, count } => {
                let wins = f64::from(wins::<S>(question, policy, count, &mut random));
                ((wins + 0.5) / (f64::from(count) - wins + 0.5)).ln()
            }
            Estimator::Static => advantage::<S>(question),
            Estimator::Network => {
                let Question { position, target, .. } = question;
                let status = Status::of::<S>(position, *target);
                f64::from(Network::own().advantage::<S>(position, &status, *target))
            }
        });
    }
    answers
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::record::Record;
    use crate::workshop::calibrate::questions;
    use crate::workshop::notation::Notation;

    #[test]
    fn every_row_of_the_policy_table_is_judged() {
        let all = Estimator::all(&[1, 10]);
        let mut names: Vec<String> = all.iter().map(Estimator::to_string).collect();
        names.sort();
        names.dedup();
        assert_eq!((names.len(), all.len()), (8, 8), "names tell them apart: {names:?}");
    }

    #[test]
    fn answers_repeat_with_the_seed_and_grow_with_the_chance() {
        let text = "E2 B7 D5 H1 A8 C3=15 D2=15 B5=14 F1=14 E4=13 B2=13 A6=12 D4=12 G1=11 C5=11";
        let record = Record::parse(text).expect("a record");
        let questions: Vec<Question> = questions(record.position(), 0, 0).collect();
        assert!(questions.len() > 5, "{questions:?}");
        for estimator in Estimator::all(&[1, 200]) {
            let found = answers(estimator, &questions, 5);
            assert_eq!(answers(estimator, &questions, 5), found, "{estimator}");
            let random = matches!(estimator, Estimator::Playouts { .. });
            assert_eq!(answers(estimator, &questions, 6) != found, random, "{estimator}");
            // The lowest target is easier for Red than the highest.
            let sign = f64::from(questions[0].position.to_move().sign());
            if !estimator.to_string().ends_with(" x1") {
                assert!(sign * (found[0] - found[questions.len() - 1]) > 0.0, "{estimator}: {found:?}");
            }
        }
    }
}
