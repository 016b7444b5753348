//! The kinds of opponents, and with which chances one of each kind plays its moves.

use std::fmt;

use super::expectation::{self, by_goodness};
use crate::alpha::Target;
use crate::board::{Hand, Move, Player};
use crate::evaluation;
use crate::params::Params;
use crate::position::Position;
use crate::rng::{scaled, Random};
use crate::search::playout::{count_playouts, Policy};
use crate::simd::Portable;

/// A kind of opponent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// Plays what is best for its target, as far as the static formula knows.
    Best,
    /// Plays what looks best for its target in playouts of the paper's policy (§4.2), or by the
    /// static formula: either as often.
    Believes,
    /// Follows the expected score: for each point more a move is likelier by so much, as a natural
    /// logarithm.
    Follows(f32),
    /// Always plays its largest stone, and follows the expected score as to where.
    Largest(f32),
    /// Plays any move.
    Random,
}

/// The kinds that are told apart.
pub const KINDS: [Kind; 12] = [
    Kind::Best,
    Kind::Believes,
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

/// A number for each of [`KINDS`].
pub type ByKind = [f32; KINDS.len()];

/// Sharpness below which players of all strengths follow the expected score.
const SHARP: f32 = 4.0;

impl Kind {
    /// Return how likely an opponent is of this kind before any reply, 0..=1.
    pub fn prior(self, params: &Params) -> f32 {
        let Params { prior_believes, prior_follower, prior_largest, prior_random, .. } = *params;
        let group = |kind: Kind| match kind {
            Kind::Random => 0,
            Kind::Largest(_) => 1,
            Kind::Follows(_) if kind.is_foretold() => 2,
            Kind::Believes => 3,
            Kind::Best | Kind::Follows(_) => 4,
        };
        let rest = 1.0 - prior_believes - prior_follower - prior_largest - prior_random;
        let priors = [prior_random, prior_largest, prior_follower, prior_believes, rest.max(0.0)];
        let alike = KINDS.into_iter().filter(|&kind| group(kind) == group(self)).count();
        priors[group(self)] / alike as f32
    }

    /// Tell whether its replies can be foretold well enough to play for them.
    pub fn is_foretold(self) -> bool {
        match self {
            Kind::Best | Kind::Believes => false,
            Kind::Follows(sharpness) => sharpness >= SHARP,
            Kind::Largest(_) | Kind::Random => true,
        }
    }

    /// Tell whether it looks no further than its own move, so that it goes on as it began.
    pub fn is_naive(self) -> bool {
        self == Kind::Random || self.repeats()
    }

    /// Return the stones it plays.
    fn stones(self, position: &Position) -> Hand {
        let hand = position.hand(position.to_move());
        match (self, hand.largest()) {
            (Kind::Largest(_), Some(largest)) => Hand::EMPTY.with(largest),
            _ => hand,
        }
    }

    /// List its moves, each with the chance, 0..=1, that it plays that one; in no order. Others it
    /// never plays. `target` is what it plays for, if it plays for a target.
    pub fn chances(self, position: &Position, target: Target) -> Vec<(Move, f32)> {
        match self {
            Kind::Best => plausible_moves(position, target),
            Kind::Believes => believed_moves(position, target),
            Kind::Random => expectation::chances(position, self.stones(position), 0.0),
            Kind::Follows(sharpness) | Kind::Largest(sharpness) => {
                expectation::chances(position, self.stones(position), sharpness)
            }
        }
    }

    /// Draw one of the moves of a kind that follows the expected score or plays any. One that
    /// [repeats itself](Kind::repeats) plays the best.
    #[inline(always)]
    pub fn draw(self, position: &Position, random: &mut Random) -> Move {
        match self {
            Kind::Best | Kind::Believes | Kind::Random => any_move(position, random),
            _ if self.repeats() => expectation::best_with(position, self.stones(position)),
            Kind::Follows(sharpness) | Kind::Largest(sharpness) => {
                expectation::likely_move(position, self.stones(position), sharpness, random)
            }
        }
    }

    /// Tell whether it gives the same reply again.
    pub fn repeats(self) -> bool {
        matches!(self, Kind::Follows(sharpness) if sharpness >= 32.0)
    }

    /// Draw a move as [`draw`](Kind::draw) does, roughly and in less time: the best expected score
    /// stands for all but those that follow it loosely, as which no move is drawn.
    #[inline(always)]
    pub fn sketch(self, position: &Position, random: &mut Random) -> Option<Move> {
        let sharpness = match self {
            Kind::Follows(sharpness) | Kind::Largest(sharpness) => sharpness,
            Kind::Best | Kind::Believes | Kind::Random => return Some(any_move(position, random)),
        };
        let bits = random.bits();
        let close = (bits >> 32) as f32 * SKETCHED < sharpness * 4_294_967_296.0;
        close.then(|| expectation::best_with(position, self.stones(position)))
    }
}

/// Sharpness from which the best expected score stands for all moves.
const SKETCHED: f32 = 8.0;

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Best => f.write_str("plays what is best"),
            Kind::Believes => f.write_str("believes in playouts of the paper's policy"),
            Kind::Follows(sharpness) if *sharpness < SHARP => {
                f.write_str("follows the expected score loosely")
            }
            Kind::Follows(sharpness) => write!(f, "follows the expected score, sharpness {sharpness}"),
            Kind::Largest(_) => f.write_str("always plays the largest stone"),
            Kind::Random => f.write_str("moves at random"),
        }
    }
}

/// Draw any legal move.
#[inline(always)]
fn any_move(position: &Position, random: &mut Random) -> Move {
    let bits = random.bits();
    let (cells, hand) = (position.empty(), position.hand(position.to_move()));
    let cell = cells.nth(scaled((bits >> 32) as u32, cells.len()));
    Move { cell, stone: hand.nth(scaled(bits as u32, hand.len())) }
}

/// How much likelier, as a natural logarithm, a reply is for each unit of log-odds by which it looks
/// better by the static formula.
const PLAUSIBILITY: f32 = 2.0;
/// How much likelier, as a natural logarithm, a win rate of 1 makes a reply than one of 0.
const BELIEF: f32 = 20.0;
/// Moves that look so bad, or so good, look all the same, in log-odds.
const PLAIN: f32 = 12.0;

/// List the reasonable moves, each with its chance: the likelier, in proportion, the better it looks
/// for `target` by the static formula.
fn plausible_moves(position: &Position, target: Target) -> Vec<(Move, f32)> {
    let merits = evaluation::merits::<Portable>(position, target);
    let mut moves: Vec<(Move, f32)> = merits.map(|(mv, merit)| (mv, merit.clamp(-PLAIN, PLAIN))).collect();
    by_goodness(&mut moves, PLAUSIBILITY);
    moves
}

/// So many moves are tried by so many playouts each, the most plausible ones.
const BELIEVED: (usize, u64) = (32, 64);

/// List the moves of a player who believes in playouts of the paper's policy, each with its chance.
fn believed_moves(position: &Position, target: Target) -> Vec<(Move, f32)> {
    let (tried, playouts) = BELIEVED;
    let mut moves = plausible_moves(position, target);
    moves.sort_by(|a, b| b.1.total_cmp(&a.1));
    let red = position.to_move() == Player::Red;
    let mut believed: Vec<(Move, f32)> = Vec::new();
    for &(mv, _) in moves.iter().take(tried) {
        let next = position.after::<Portable>(mv);
        let [red_wins, _] = count_playouts(Policy::Lottery, &next, target, 1, playouts);
        let wins = if red { red_wins } else { playouts - red_wins };
        believed.push((mv, wins as f32 / playouts as f32));
    }
    by_goodness(&mut believed, BELIEF);
    for (n, (_, chance)) in moves.iter_mut().enumerate() {
        *chance = (*chance + believed.get(n).map_or(0.0, |&(_, chance)| chance)) / 2.0;
    }
    moves
}
