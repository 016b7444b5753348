//! The kinds of opponents, with the chance of each move for each kind.

use std::fmt;

use crate::alpha::Target;
use crate::board::{Cell, Hand, Move, Stone};
use crate::evaluation;
use crate::expectation::{self, into_chances};
use crate::params::Params;
use crate::position::Position;
use crate::rng::{happens, scaled, Random};
use crate::simd::{Portable, Simd};

/// A kind of opponent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// Plays the best move for its target by the static formula.
    Best,
    /// Follows the expected score with this sharpness: a move that expects one point more is e^sharpness
    /// times as likely.
    Follows(f32),
    /// Always plays its largest stone, on a cell by the expected score with this sharpness.
    Largest(f32),
    /// Plays any stone on any cell, all equally likely.
    Random,
}

/// The kinds that are told apart.
pub const KINDS: [Kind; 11] = [
    Kind::Best,
    Kind::Follows(2.0),
    Kind::Follows(4.0),
    Kind::Follows(8.0),
    Kind::Follows(16.0),
    Kind::Follows(32.0),
    Kind::Follows(128.0),
    Kind::Largest(1.0),
    Kind::Largest(4.0),
    Kind::Largest(16.0),
    Kind::Random,
];

pub type ByKind = [f32; KINDS.len()];

/// Sharpness from which only weak players follow the expected score; strong ones follow it loosely, too.
const SHARP: f32 = 4.0;
/// Sharpness from which a kind always plays its best move.
const REPEATING: f32 = 32.0;
/// Sharpness from which a rough draw always takes the best move; below it, with the chance sharpness / this.
const ROUGHLY_REPEATING: f32 = 8.0;
/// A reply whose static evaluation is better by one unit of log-odds is e^PLAUSIBILITY times as likely.
const PLAUSIBILITY: f32 = 2.0;
/// Log-odds beyond ± this count as this.
const MAX_LOG_ODDS: f32 = 12.0;

impl Kind {
    /// Return the chance, 0..=1, that an opponent is of this kind before any reply.
    pub fn prior(self, params: &Params) -> f32 {
        let Params { prior_follower, prior_largest, prior_random, .. } = *params;
        let rest = 1.0 - prior_follower - prior_largest - prior_random;
        let prior_and_group = |kind: Kind| match kind {
            Kind::Random => (prior_random, 0),
            Kind::Largest(_) => (prior_largest, 1),
            Kind::Follows(_) if kind.is_predictable() => (prior_follower, 2),
            Kind::Best | Kind::Follows(_) => (rest, 3),
        };
        let (prior, group) = prior_and_group(self);
        let alike = KINDS.into_iter().filter(|&kind| prior_and_group(kind).1 == group).count();
        prior / alike as f32
    }

    /// Tell whether the kind's replies are predictable enough to play for them; the others are the strong
    /// kinds.
    pub fn is_predictable(self) -> bool {
        match self {
            Kind::Best => false,
            Kind::Follows(sharpness) => sharpness >= SHARP,
            Kind::Largest(_) | Kind::Random => true,
        }
    }

    /// Tell whether a search finds more against the kind than best play: it moves at random, or always plays
    /// the move of the best expected score.
    pub fn is_exploitable(self) -> bool {
        self == Kind::Random || self.repeats()
    }

    fn stones(self, position: &Position) -> Hand {
        let hand = position.hand(position.to_move());
        match (self, hand.largest()) {
            (Kind::Largest(_), Some(largest)) => Hand::EMPTY.with(largest),
            _ => hand,
        }
    }

    /// Return the [sharpness](Kind::Follows), 0 for a kind without one.
    fn sharpness(self) -> f32 {
        match self {
            Kind::Follows(sharpness) | Kind::Largest(sharpness) => sharpness,
            Kind::Best | Kind::Random => 0.0,
        }
    }

    /// List the moves that the kind may play for `target`, in no order, each with its chance, 0..=1.
    pub fn chances(self, position: &Position, target: Target) -> Vec<(Move, f32)> {
        match self {
            Kind::Best => plausible_moves(position, target),
            _ => expectation::chances(position, self.stones(position), self.sharpness()),
        }
    }

    /// Draw a move by its chance, or the best if the kind repeats itself; the kind must be predictable.
    #[inline(always)]
    pub fn draw(self, position: &Position, random: &mut Random) -> Move {
        if self.sharpness() == 0.0 {
            random_move::<Portable>(position, random)
        } else if self.repeats() {
            expectation::first_best(position, self.stones(position))
        } else {
            expectation::likely_move(position, self.stones(position), self.sharpness(), random)
        }
    }

    /// Tell whether the kind gives the same reply whenever a position comes again.
    pub fn repeats(self) -> bool {
        matches!(self, Kind::Follows(sharpness) if sharpness >= REPEATING)
    }

    /// Draw a move roughly and in less time: the best by the expected score, with a chance that grows with
    /// the sharpness; otherwise `None`.
    #[inline(always)]
    pub fn draw_roughly(self, position: &Position, random: &mut Random) -> Option<Move> {
        let sharpness = self.sharpness();
        if sharpness == 0.0 {
            return Some(random_move::<Portable>(position, random));
        }
        happens(random.bits(), sharpness / ROUGHLY_REPEATING)
            .then(|| expectation::first_best(position, self.stones(position)))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Best => f.write_str("plays what is best"),
            Kind::Follows(_) if !self.is_predictable() => f.write_str("follows the expected score loosely"),
            Kind::Follows(sharpness) => write!(f, "follows the expected score, sharpness {sharpness}"),
            Kind::Largest(_) => f.write_str("always plays the largest stone"),
            Kind::Random => f.write_str("moves at random"),
        }
    }
}

/// Draw a legal move, all equally likely.
#[inline(always)]
pub fn random_move<S: Simd>(position: &Position, random: &mut Random) -> Move {
    let bits = random.bits();
    let (cells, hand) = (position.empty(), position.hand(position.to_move()));
    let cell = S::nth_set_bit(cells.bits(), scaled((bits >> 32) as u32, cells.len()));
    let stone = S::nth_set_bit(u64::from(hand.bits()), scaled(bits as u32, hand.len()));
    Move { cell: Cell::from_index(cell as u8), stone: Stone::from_bit(stone) }
}

/// List the reasonable moves, each with its chance for a player by the static formula.
fn plausible_moves(position: &Position, target: Target) -> Vec<(Move, f32)> {
    let rated = evaluation::reasonable_log_odds::<Portable>(position, target);
    let mut moves: Vec<(Move, f32)> =
        rated.map(|(mv, log_odds)| (mv, log_odds.clamp(-MAX_LOG_ODDS, MAX_LOG_ODDS))).collect();
    into_chances(&mut moves, PLAUSIBILITY);
    moves
}
