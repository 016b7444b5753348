//! What the static formula says is likely: the final score, the target that a player plays for, and the
//! kind of opponent that it is.

use std::mem::discriminant;

use crate::player::alpha::Target;
use crate::player::board::{Move, Player};
use crate::player::evaluation::advantage;
use crate::player::expectation::Expectation;
use crate::player::opponent::{KINDS, Kind, Opponent};
use crate::player::params::Params;
use crate::player::position::{MAX_SCORE, Position, Score};
use crate::player::simd::Portable;

/// The log-odds from which [`likely_score`] counts a target as reached: between equals the formula is
/// too hopeful for the player to move, and with 0 the solver takes up to 7 % more nodes from there.
const LIKELY_FROM: f32 = 0.75;

/// Guess the final score under best play: the hardest target that the player to move is likely to
/// reach, by the static formula.
pub fn likely_score(position: &Position) -> Score {
    let red_reaches = |alpha: i32| {
        let advantage = advantage::<Portable>(position, Target::new(alpha));
        f32::from(position.to_move().sign()) * (advantage - LIKELY_FROM) >= 0.0
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

/// Judge a player by its moves of a game, up to the first illegal one, each as if played for the
/// [likely target](likely_target).
pub fn likely_opponent(start: &Position, moves: &[Move], player: Player) -> Opponent {
    let (mut opponent, mut position) = (Opponent::default(), *start);
    for &mv in moves {
        if position.to_move() == player && position.empty().len() > 2 {
            opponent.learn_reply(&position, mv, likely_target(&position));
        }
        if position.try_play(mv).is_err() {
            break;
        }
    }
    opponent
}

/// Fewer moves tell no kind.
const LEAST_MOVES: u32 = 8;
/// The chance from which a player is said to move at random. See benches/README.md.
const RANDOM_FROM: f32 = 0.99;

/// Say what a player of a kind does, in words for people.
pub fn habit(kind: Kind) -> &'static str {
    match kind {
        Kind::Best => "plays the best move",
        Kind::Follows(_) => "plays for the best expected score, as the built-in greedy does",
        Kind::Largest(_) => "always plays the largest stone",
        Kind::Random => "moves at random",
    }
}

/// Name the kind of a player, with its chance, 0..=1; `None` if the moves do not tell it, as those of a strong
/// player. At least 9 of 10 names are right.
///
/// The largest stone, or the best expected score, was taken in every move but the last of the game, which is no
/// choice; moves at random are told by their likelihood.
pub fn told_kind(start: &Position, moves: &[Move], player: Player) -> Option<(Kind, f32)> {
    let params = Params::default();
    let opponent = likely_opponent(start, moves, player);
    let (kind, _) = opponent.taken_for(&params).filter(|(kind, _)| kind.is_predictable())?;
    let same = |other: Kind| discriminant(&kind) == discriminant(&other) && other.is_predictable();
    let weights = KINDS.into_iter().zip(opponent.weights(&params));
    let chance = weights.filter(|&(other, _)| same(other)).map(|(_, weight)| weight).sum::<f32>().min(1.0);
    let (mut position, mut count, mut largest, mut best) = (*start, 0, 0, 0);
    for &mv in moves {
        if position.to_move() == player && position.empty().len() > 2 {
            let expectation = Expectation::of(&position);
            let worth = |mv| expectation.after(&position, mv);
            count += 1;
            largest += u32::from(position.hand(player).largest() == Some(mv.stone));
            // Sums in another order differ a little.
            best += u32::from(position.legal_moves().all(|other| worth(other) <= worth(mv) + 1e-4));
        }
        if position.try_play(mv).is_err() {
            break;
        }
    }
    let is_told = match kind {
        Kind::Best => false,
        Kind::Follows(_) => best == count,
        Kind::Largest(_) => largest == count,
        Kind::Random => chance >= RANDOM_FROM,
    };
    (is_told && count >= LEAST_MOVES).then_some((kind, chance))
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
