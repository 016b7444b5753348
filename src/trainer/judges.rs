//! Judges of positions: their answers to questions, and the quality of the answers.

use blackhole_player::alpha::Status;
use blackhole_player::evaluation;
use blackhole_player::network::Network;
use blackhole_player::rng::Random;
use blackhole_player::search::playout::Policy;
use blackhole_player::simd::Portable;

use crate::data::TargetQuestion;

/// A way to answer a [`TargetQuestion`] without search.
#[derive(Clone, Copy)]
pub enum Judge<'a> {
    /// The static formula.
    Static,
    /// The share of playouts won among this many, with half a playout added to either side.
    Playouts(u32),
    /// A network.
    Network(&'a Network),
}

impl Judge<'_> {
    /// Return the log-odds that the player to move reaches its goal.
    pub fn log_odds(self, question: &TargetQuestion, random: &mut Random) -> f64 {
        let &TargetQuestion { ref position, target, .. } = question;
        let status = Status::of::<Portable>(position, target);
        match self {
            Judge::Static => f64::from(evaluation::mover_log_odds::<Portable>(position, target)),
            Judge::Playouts(count) => {
                let seen = (*position, status);
                let mut winner = || Policy::Kill.playout::<Portable>(&seen, target, random, None, |_, _| {});
                let wins = (0..count).filter(|_| winner() == position.to_move()).count() as f64;
                ((wins + 0.5) / (f64::from(count) - wins + 0.5)).ln()
            }
            Judge::Network(network) => {
                f64::from(network.mover_log_odds::<Portable>(position, &status, target))
            }
        }
    }
}

/// The weight of a judge's own odds in [`Calibration::fit`]: a normal prior with a standard deviation of 2,
/// which matters only with few answers, or if all are right.
const RIDGE: f64 = 0.25;

/// A logistic model of a judge's log-odds x: `P(reached) = 1 / (1 + e^-(offset + slope x))`.
#[derive(Clone, Copy, Debug)]
pub struct Calibration {
    /// Added to the log-odds; above 0 for a judge that underrates the player to move.
    pub offset: f64,
    /// Factor of the log-odds; below 1 for an overconfident judge.
    pub slope: f64,
}

impl Calibration {
    /// Return the sum of `-ln P(outcome)` over answers: log-odds, and whether the goal was reached.
    pub fn log_loss(&self, answers: &[(f64, bool)]) -> f64 {
        let misfits = answers.iter().map(|&(x, reached)| {
            let odds = self.offset + self.slope * x;
            let against = if reached { -odds } else { odds };
            // ln(1 + e^x) without overflow.
            against.max(0.0) + (-against.abs()).exp().ln_1p()
        });
        misfits.sum()
    }

    /// Find the weights of the highest likelihood by Newton's method; halve a step that does not help.
    pub fn fit(answers: &[(f64, bool)]) -> Calibration {
        let objective = |it: &Calibration| {
            it.log_loss(answers) + 0.5 * RIDGE * (it.offset.powi(2) + (it.slope - 1.0).powi(2))
        };
        let mut best = Calibration { offset: 0.0, slope: 1.0 };
        loop {
            let mut gradient = [RIDGE * best.offset, RIDGE * (best.slope - 1.0)];
            // The second derivatives: by offset twice, by both, by slope twice.
            let [mut a, mut b, mut c] = [RIDGE, 0.0, RIDGE];
            for &(x, reached) in answers {
                let p = 1.0 / (1.0 + (-best.offset - best.slope * x).exp());
                let (error, weight) = (p - f64::from(u8::from(reached)), p * (1.0 - p));
                gradient = [gradient[0] + error, gradient[1] + error * x];
                [a, b, c] = [a + weight, b + weight * x, c + weight * x * x];
            }
            let determinant = a * c - b * b;
            let offset = (c * gradient[0] - b * gradient[1]) / determinant;
            let slope = (a * gradient[1] - b * gradient[0]) / determinant;
            let next = |halvings| {
                let scale = 0.5f64.powi(halvings);
                Calibration { offset: best.offset - scale * offset, slope: best.slope - scale * slope }
            };
            let least = objective(&best) * (1.0 - 1e-10);
            let Some(better) = (0..30).map(next).find(|next| objective(next) < least) else { return best };
            best = better;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Example;
    use blackhole::games::record::Record;
    use blackhole_player::rng::unit;

    #[test]
    fn an_easier_goal_is_judged_likelier() {
        let text = "E2 B7 D5 H1 A8 C3=15 D2=15 B5=14 F1=14 E4=13 B2=13 A6=12 D4=12 G1=11 C5=11";
        let position = *Record::parse(text).expect("a record").position();
        let asked: Vec<TargetQuestion> = Example { position, value: 0, game: 0 }.questions().collect();
        assert!(asked.len() > 5, "{asked:?}");
        for judge in [Judge::Static, Judge::Playouts(200), Judge::Network(Network::own())] {
            // Red is to move: the lowest target is the easiest.
            let [low, high] = [asked[0], asked[asked.len() - 1]]
                .map(|question| judge.log_odds(&question, &mut Random::new(5)));
            assert!(low > high, "{low} and {high}");
        }
    }

    #[test]
    fn known_weights_are_recovered_and_separable_answers_bounded() {
        let mut random = Random::new(11);
        let mut uniform = || f64::from(unit(random.bits()));
        for (offset, slope) in [(0.4, 1.7), (-1.0, 0.5), (0.0, -0.8)] {
            let draws = (0..40_000).map(|_| (6.0 * uniform() - 3.0, uniform()));
            let draws = draws.map(|(x, lot)| (x, lot < 1.0 / (1.0 + (-offset - slope * x).exp())));
            let found = Calibration::fit(&draws.collect::<Vec<_>>());
            assert!((found.offset - offset).abs() < 0.06 && (found.slope - slope).abs() < 0.06, "{found:?}");
        }
        let separable: Vec<(f64, bool)> = (-50..50).map(|n| (f64::from(n) + 0.5, n >= 0)).collect();
        let found = Calibration::fit(&separable);
        // Without the prior the slope would have no bound.
        assert!((1.5..8.0).contains(&found.slope) && found.offset.abs() < 0.01, "{found:?}");
    }
}
