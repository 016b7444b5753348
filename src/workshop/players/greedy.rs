//! `greedy`: the best next position by the expected score, no search.

use std::time::Duration;

use crate::player::agent::{Agent, Choice};
use crate::player::board::{Hand, Move};
use crate::player::opponent::expectation::Expectation;
use crate::player::position::Position;
use crate::player::rng::Random;

/// Takes the move whose next position has the best heuristic value, as the first agents of Brown
/// and Doig's Cachex report (§3). Their heuristics belong to Cachex; here the value is the expected
/// final score if all remaining stones fell at random. Ties are broken at random.
pub(super) struct Greedy {
    pub rng: Random,
}

impl Agent for Greedy {
    fn choose(&mut self, position: &Position, _remaining: Duration) -> Choice {
        let hand = position.hand(position.to_move());
        Choice::unsearched(best_with(position, hand, &mut self.rng))
    }
}

/// Return the move with one of the `stones` that has the best expected score; of equals the one
/// that draws the highest lot.
pub(super) fn best_with(position: &Position, stones: Hand, random: &mut Random) -> Move {
    let expectation = Expectation::of(position);
    let moves = position.legal_moves().filter(|mv| stones.contains(mv.stone));
    let scored = moves.map(|mv| (expectation.after(position, mv), random.bits(), mv));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    best.expect("a position that goes on").2
}
