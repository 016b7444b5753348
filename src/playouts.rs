//! Playouts without a tree, to time and to compare them.

use crate::player::alpha::{Status, Target};
use crate::player::board::Player;
use crate::player::position::Position;
use crate::player::rng::Random;
use crate::player::search::playout::Policy;
use crate::player::simd::Simd;

crate::player::dispatch! {
    /// Play a position out `count` times; return how often Red won, and the number of moves played.
    pub fn count_playouts<'a>(policy: Policy, position: &'a Position, target: Target, count: u64) -> [u64; 2] =
        playouts
}

#[inline(always)]
fn playouts<S: Simd>(policy: Policy, position: &Position, target: Target, count: u64) -> [u64; 2] {
    let mut random = Random::new(1);
    let seen = (*position, Status::of::<S>(position, target));
    let (mut red, mut moves) = (0, 0);
    for _ in 0..count {
        let winner = policy.playout::<S>(&seen, target, &mut random, None, |_, _| moves += 1);
        red += u64::from(winner == Player::Red);
    }
    [red, moves]
}
