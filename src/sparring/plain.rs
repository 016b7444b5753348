//! `random` and `greedy`: players without search.

use std::time::Duration;

use crate::player::agent::{Agent, Choice};
use crate::player::board::Move;
use crate::player::expectation::Expectation;
use crate::player::opponent::random_move;
use crate::player::position::Position;
use crate::player::rng::Random;
use crate::player::simd::Portable;

/// Plays legal moves at random: every paper's first benchmark.
pub(super) struct RandomPlayer(pub Random);

impl Agent for RandomPlayer {
    fn choose(&mut self, position: &Position, _remaining: Duration) -> Choice {
        Choice::unsearched(random_move::<Portable>(position, &mut self.0))
    }
}

/// Takes the move to the position with the best heuristic value, like the first agents of Brown and Doig's
/// Cachex report (§3). Their heuristics belong to Cachex; here the value is the mean of
/// all random continuations.
pub(super) struct Greedy(pub Random);

impl Agent for Greedy {
    fn choose(&mut self, position: &Position, _remaining: Duration) -> Choice {
        Choice::unsearched(best_by_lot(position, &mut self.0))
    }
}

/// Return the move of the best expected score; equals are drawn.
pub(super) fn best_by_lot(position: &Position, random: &mut Random) -> Move {
    let expectation = Expectation::of(position);
    let scored = position.legal_moves().map(|mv| (expectation.after(position, mv), random.bits(), mv));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    best.expect("a position that goes on").2
}
