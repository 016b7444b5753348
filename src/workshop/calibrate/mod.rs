//! Estimators of "who reaches the target?" judged against exact values, before games judge them.
//!
//! Recorded [`games`] give positions, the solver gives their values ([`labels`]), and a position of
//! value v gives ten [questions](questions): is α reached, for α = v - 4 ..= v + 5? Five of them
//! are, five are not, so that an estimator that knows nothing is right half of the time. Each
//! [`estimator`] answers all of them; what its answers are worth as probabilities is
//! [`calibration`]'s, fitted on one half of the games and scored on the other.
//!
//! What a search makes of such judgements shows in its [`moves`]: how much each loses against
//! perfect play.
//!
//! Questions that the win test answers (§2.3.2) are not asked: every search asks that test first.

pub mod calibration;
pub mod estimator;
pub mod games;
pub mod labels;
pub mod moves;

use crate::player::alpha::{Status, Target};
use crate::player::position::{Position, Score};
use crate::player::simd::Portable;
use calibration::{Calibration, Quality};

/// The targets asked about, relative to a position's value.
pub const AROUND: std::ops::RangeInclusive<i32> = -4..=5;

/// "Does the player to move reach the goal of α-Blackhole under best play of both?", with the
/// answer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Question {
    /// The position; its player to move is the one asked about.
    pub position: Position,
    /// The target α.
    pub target: Target,
    /// The answer.
    pub reached: bool,
    /// The game the position is from, to keep positions of one game together.
    pub game: usize,
}

/// List the questions about a position of value `value` that the win test leaves open.
pub fn questions(position: &Position, value: Score, game: usize) -> impl Iterator<Item = Question> {
    let (position, mover) = (*position, position.to_move());
    AROUND.map(move |distance| Target::new(i32::from(value) + distance)).filter_map(move |target| {
        let open = Status::of::<Portable>(&position, target).winner(&position).is_none();
        let reached = target.winner(value) == mover;
        open.then_some(Question { position, target, reached, game })
    })
}

/// Calibrate an estimator's answers, given as log-odds, on the training games and score them on the
/// others: `answers[i]` belongs to `questions[i]`, `held_out[g]` tells whether game g is for
/// scoring. `None` when a half has no question.
///
/// # Panics
/// When the answers are not as many as the questions, or a question's game is beyond `held_out`.
pub fn judge(questions: &[Question], answers: &[f64], held_out: &[bool]) -> Option<(Calibration, Quality)> {
    assert_eq!(questions.len(), answers.len(), "an answer for each question");
    let half = |wanted: bool| {
        let pairs = questions.iter().zip(answers);
        pairs.filter(move |(question, _)| held_out[question.game] == wanted)
    };
    let training: Vec<(f64, bool)> = half(false).map(|(q, &x)| (x, q.reached)).collect();
    if training.is_empty() {
        return None;
    }
    let calibration = Calibration::fit(&training);
    let tested = half(true).map(|(q, &x)| (q.game, calibration.probability(x), q.reached));
    Some((calibration, Quality::of(tested)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::board::Player;
    use crate::player::record::Record;
    use crate::workshop::notation::Notation;

    #[test]
    fn questions_are_about_the_mover_and_half_of_them_are_reached() {
        let start = "E2 A1 C4 G2 D2";
        for (moves, mover) in [("", Player::Red), (" B1=7", Player::Blue)] {
            let record = Record::parse(&format!("{start}{moves}")).expect("a record");
            // Whatever the value is: with nothing on the board nothing is decided.
            let asked: Vec<Question> = questions(record.position(), 3, 8).collect();
            assert_eq!(
                asked.iter().map(|q| q.target.alpha()).collect::<Vec<_>>(),
                (-1..=8).collect::<Vec<_>>()
            );
            assert!(asked.iter().all(|q| q.reached == ((q.target.alpha() <= 3) == (mover == Player::Red))));
            assert_eq!(asked.iter().filter(|q| q.reached).count(), 5);
            assert!(asked.iter().all(|q| q.game == 8 && q.position == *record.position()));
        }
    }

    #[test]
    fn what_the_win_test_knows_is_not_asked() {
        // The end of a game with the value 9: everything is decided.
        let game = "t0v04060f0nf8ojebuadotqc9l1bsicarje92px8grh7lh31isw6dnp5yqz3mk04um52kg";
        let record = Record::parse(game).expect("a record");
        assert_eq!(questions(record.position(), 9, 0).count(), 0);
    }
}
