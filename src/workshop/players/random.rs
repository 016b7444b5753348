//! `random`: any legal move, all equally likely.

use std::time::Duration;

use crate::player::agent::{Agent, Choice};
use crate::player::board::{Cell, Move, Stone};
use crate::player::position::Position;
use crate::player::rng::{Random, scaled};
use crate::player::simd::{Portable, Simd};

/// Plays legal moves at random: the benchmark every paper starts from.
pub(super) struct RandomPlayer {
    pub rng: Random,
}

/// Draw a legal move, all equally likely.
#[inline(always)]
pub(super) fn random_move<S: Simd>(position: &Position, rng: &mut Random) -> Move {
    let (empty, hand) = (position.empty(), position.hand(position.to_move()));
    let bits = rng.bits();
    let cell = S::nth_set_bit(empty.bits(), scaled(bits as u32, empty.len()));
    let stone = S::nth_set_bit(u64::from(hand.bits()), scaled((bits >> 32) as u32, hand.len()));
    Move::new(Cell::from_index(cell as u8), Stone::from_bit(stone))
}

impl Agent for RandomPlayer {
    fn choose(&mut self, position: &Position, _remaining: Duration) -> Choice {
        Choice::unsearched(random_move::<Portable>(position, &mut self.rng))
    }
}
