//! `random` and `greedy`: players without search.

use std::time::Duration;

use crate::player::agent::{Agent, Choice};
use crate::player::board::{Cell, Move, Stone};
use crate::player::expectation::Expectation;
use crate::player::position::Position;
use crate::player::rng::{Random, scaled};
use crate::player::simd::{Portable, Simd};

/// Plays legal moves at random: every paper's first benchmark.
pub(super) struct RandomPlayer(pub Random);

impl Agent for RandomPlayer {
    fn choose(&mut self, position: &Position, _remaining: Duration) -> Choice {
        Choice::unsearched(random_move::<Portable>(position, &mut self.0))
    }
}

/// Draw a legal move, all equally likely.
#[inline(always)]
pub(super) fn random_move<S: Simd>(position: &Position, random: &mut Random) -> Move {
    let (empty, hand) = (position.empty(), position.hand(position.to_move()));
    let bits = random.bits();
    let cell = S::nth_set_bit(empty.bits(), scaled(bits as u32, empty.len()));
    let stone = S::nth_set_bit(u64::from(hand.bits()), scaled((bits >> 32) as u32, hand.len()));
    Move { cell: Cell::from_index(cell as u8), stone: Stone::from_bit(stone) }
}

/// Takes the move to the position with the best heuristic value, like the first agents of Brown and Doig's
/// Cachex report (§3). Their heuristics belong to Cachex; here the value is the expected final score if all
/// remaining stones fell at random.
pub(super) struct Greedy(pub Random);

impl Agent for Greedy {
    fn choose(&mut self, position: &Position, _remaining: Duration) -> Choice {
        Choice::unsearched(best_by_lot(position, &mut self.0))
    }
}

/// Return the move of the best expected score, equals by lot.
pub(super) fn best_by_lot(position: &Position, random: &mut Random) -> Move {
    let expectation = Expectation::of(position);
    let scored = position.legal_moves().map(|mv| (expectation.after(position, mv), random.bits(), mv));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    best.expect("a position that goes on").2
}
