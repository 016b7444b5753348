//! What does best against a player who moves at random, and against one who follows the expected
//! score.
//!
//! The tournament counts points, not wins: against an opponent who does not see what it gives away,
//! perfect play for a target leaves most of the points on the board.

use crate::player::board::{Move, Player};
use crate::player::limits::Limits;
use crate::player::opponent::expectation::{Expectation, greedy_move};
use crate::player::position::{Position, Score};
use crate::player::rng::{Random, scaled};
use crate::player::simd::Simd;

/// Moves that are tried by playouts, of those with the best expected score.
const TRIED: usize = 32;

/// List those of some moves of a position that do best against an opponent who moves at random, the
/// best first, with their mean final score for the player to move in playouts in which that player
/// always takes the move with the best expected score and the other any move.
///
/// All get `samples` playouts, then the better half twice as many more, and so on down to two, as
/// far as the limits allow. Nothing when they are reached in the first round; they are looked at
/// between moves, a node being a playout.
pub fn moves_against_random(
    position: &Position,
    moves: impl Iterator<Item = Move>,
    samples: u32,
    random: &mut Random,
    limits: &Limits,
) -> Vec<(Move, f32)> {
    let expectation = Expectation::of(position);
    let mut ranked: Vec<Tried> =
        moves.map(|mv| Tried { mv, score: expectation.after(position, mv), playouts: 0 }).collect();
    let sort = |moves: &mut [Tried]| moves.sort_by(|a, b| b.score.total_cmp(&a.score));
    sort(&mut ranked);
    ranked.truncate(TRIED);
    let sign = f32::from(position.to_move().sign());
    let (mut still, mut more, mut done) = (ranked.len(), samples, 0);
    loop {
        for tried in &mut ranked[..still] {
            if limits.reached(done) {
                if tried.playouts == 0 {
                    return Vec::new();
                }
                more = 0;
                break;
            }
            let next = position.after::<crate::player::simd::Portable>(tried.mv);
            tried.add(more, sign * sampled_score(&next, position.to_move(), more, random));
            done += u64::from(more);
        }
        sort(&mut ranked[..still]);
        still /= 2;
        if still < 2 || more == 0 {
            return ranked.into_iter().map(|tried| (tried.mv, tried.score)).collect();
        }
        more *= 2;
    }
}

/// A move, and its mean score in so many playouts; its expected score before any.
struct Tried {
    mv: Move,
    score: f32,
    playouts: u32,
}

impl Tried {
    fn add(&mut self, playouts: u32, mean: f32) {
        let all = (self.playouts + playouts) as f32;
        self.score = (self.score * self.playouts as f32 + mean * playouts as f32) / all;
        self.playouts += playouts;
    }
}

crate::player::dispatch! {
    /// Return the mean final score of playouts between `greedy` and a player who moves at random.
    fn sampled_score<'a>(position: &'a Position, greedy: Player, samples: u32, random: &'a mut Random) -> f32 = sample
}

#[inline(always)]
fn sample<S: Simd>(position: &Position, greedy: Player, samples: u32, random: &mut Random) -> f32 {
    let mut sum = 0i32;
    for _ in 0..samples {
        sum += i32::from(one_playout::<S>(*position, greedy, random));
    }
    sum as f32 / samples.max(1) as f32
}

#[inline(always)]
fn one_playout<S: Simd>(mut position: Position, greedy: Player, random: &mut Random) -> Score {
    loop {
        if let Some(score) = position.final_score() {
            return score;
        }
        let mv = if position.to_move() == greedy {
            greedy_move(&position)
        } else {
            let bits = random.bits();
            let hand = position.hand(position.to_move());
            let cell = position.empty().nth(scaled((bits >> 32) as u32, position.empty().len()));
            Move { cell, stone: hand.nth(scaled(bits as u32, hand.len())) }
        };
        position.play::<S>(mv);
    }
}
