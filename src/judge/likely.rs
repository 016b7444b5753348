//! Likely outcomes by the static formula: the final score, and the target that a player plays for.

use crate::player::alpha::Target;
use crate::player::evaluation::mover_log_odds;
use crate::player::position::{MAX_SCORE, Position, Score};
use crate::player::simd::Portable;

/// The log-odds from which [`likely_score`] counts a target as reached: between equals the formula is
/// too hopeful for the player to move, and with 0 the solver takes up to 7 % more nodes from there.
const LIKELY_FROM: f32 = 0.75;

/// Guess the final score under best play: the hardest target that the player to move is likely to
/// reach, by the static formula.
pub fn likely_score(position: &Position) -> Score {
    let red_reaches = |alpha: i32| {
        let log_odds = mover_log_odds::<Portable>(position, Target::new(alpha));
        f32::from(position.to_move().sign()) * (log_odds - LIKELY_FROM) >= 0.0
    };
    let (mut reached, mut missed) = (-i32::from(MAX_SCORE), i32::from(MAX_SCORE) + 1);
    while missed - reached > 1 {
        let alpha = (reached + missed).div_euclid(2);
        *if red_reaches(alpha) { &mut reached } else { &mut missed } = alpha;
    }
    reached as Score
}

/// Return the hardest target that the player to move is likely to reach.
pub fn likely_target(position: &Position) -> Target {
    Target::reached(position.to_move(), likely_score(position))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::limits::Limits;
    use crate::player::solver::Solver;
    use crate::player::testing::{random_play, rng};

    #[test]
    fn the_likely_score_is_near_the_exact_one() {
        let mut rng = rng(21);
        let (mut off, mut off_from_nothing) = (0, 0);
        for game in 0..60 {
            let position = random_play(&mut rng, 7 + game % 4);
            let exact = Solver::default().value(&position, 0, &Limits::NONE).exact();
            let exact = i32::from(exact.expect("no limit"));
            off += (i32::from(likely_score(&position)) - exact).abs();
            off_from_nothing += exact.abs();
        }
        assert!(off < 60 * 2 && 3 * off < off_from_nothing, "{off}, {off_from_nothing}");
    }
}
