//! `greedy`: the best next position by the expected score, no search.

use std::time::Duration;

use crate::player::agent::{Agent, Choice};
use crate::player::opponent::expectation::best_with;
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
        Choice::unsearched(best_with(position, hand, || self.rng.bits()))
    }
}
