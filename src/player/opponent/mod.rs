//! The model of the opponent: which of a few [kinds](Kind) it is, told by the likelihood of its
//! replies, and how likely it makes each reply.
//!
//! The tournament counts points, not wins: against an opponent who does not see what it gives away,
//! perfect play for a target leaves most of the points on the board.

mod kind;

use crate::alpha::Target;
use crate::board::{Move, Player};
use crate::evaluation;
use crate::expectation;
use crate::params::Params;
use crate::position::Position;
use crate::rng::{share, Random};
use crate::simd::Portable;
pub use kind::{ByKind, Kind, KINDS};

/// How much less each reply counts with every later one, as a factor.
const FADING: f32 = 0.9;
/// Share of the replies of any opponent that are odd: as likely as any others.
const ODD: f32 = 0.1;
/// How much less likely, as a natural logarithm, a player who looks ahead is than one who moves at
/// random to give away fewer than one, one, two or more points by a reply: measured on games.
const BY_RISE: [f32; 4] = [-0.8, 0.5, 2.3, 3.0];
/// A kind that is less likely does not count.
const SLIGHT: f32 = 0.01;
/// Share of the replies that must be foretold to stake more than equally good moves differ.
const STAKE_FROM: f32 = 0.95;
/// How likely a foretold opponent must be naive to be answered as one who is.
const NAIVE_FROM: f32 = 0.6;

/// What is known of the opponent.
#[derive(Clone, Copy, Default, Debug)]
pub struct Opponent {
    /// The position of our last move.
    before: Option<Position>,
    /// Whether that move staked something, and may have given away points itself.
    staked: bool,
    /// Whether there was a reply.
    seen: bool,
    /// For each kind the logarithm of how much likelier it makes the replies than a player who plays
    /// any move; older replies count less.
    evidence: ByKind,
}

impl Opponent {
    /// Make an opponent who is of a kind beyond doubt.
    #[cfg(test)]
    pub(crate) fn of(kind: Kind) -> Opponent {
        let evidence = KINDS.map(|other| if other == kind { 100.0 } else { 0.0 });
        Opponent { seen: true, evidence, ..Opponent::default() }
    }

    /// Judge a player by all its moves of a game, as far as they are legal, as if it had played for
    /// what is [likely](likely_target).
    pub fn of_game(start: &Position, moves: &[Move], player: Player) -> Opponent {
        let (mut opponent, mut position) = (Opponent::default(), *start);
        for &mv in moves {
            if position.to_move() == player && position.empty().len() > 2 {
                opponent.see_reply(&position, mv, likely_target(&position));
            }
            if position.try_play(mv).is_err() {
                break;
            }
        }
        opponent
    }

    /// Note our move in a position: by how many points our aim rose over the last reply, if there was
    /// one, and whether the move stakes something.
    ///
    /// A reply over which it rises gave something away, which a player who looks ahead seldom does.
    pub fn note_turn(&mut self, position: &Position, rise: Option<i32>, staked: bool) {
        if let Some(rise) = rise {
            let less = BY_RISE[rise.clamp(0, 3) as usize];
            let less = if self.staked { less.max(0.0) } else { less };
            let looks_ahead = self.evidence.iter_mut().zip(KINDS).filter(|(_, kind)| !kind.is_foretold());
            looks_ahead.for_each(|(evidence, _)| *evidence -= less);
        }
        (self.before, self.staked) = (Some(*position), staked);
    }

    /// Take in the reply that led to a position, and tell whether there was one; `aim` is what our
    /// move aimed at.
    pub fn see(&mut self, position: &Position, aim: Target) -> bool {
        let reply = self.before.and_then(|before| reply_between(&before, position));
        if let Some((before, reply)) = reply {
            self.see_reply(&before, reply, aim);
        }
        reply.is_some()
    }

    /// Take in a reply of an opponent who may play for `target`. Return how much likelier each kind
    /// makes it than a player who plays any move, as factors.
    pub fn see_reply(&mut self, position: &Position, reply: Move, target: Target) -> ByKind {
        self.seen = true;
        let likelihoods = KINDS.map(|kind| likelihood(&kind.chances(position, target), position, reply));
        for (evidence, likelihood) in self.evidence.iter_mut().zip(likelihoods) {
            *evidence = FADING * *evidence + likelihood.ln();
        }
        likelihoods
    }

    /// Return how likely the opponent is of each kind: sums to 1.
    pub fn weights(&self, params: &Params) -> ByKind {
        let most = self.evidence.iter().copied().fold(f32::MIN, f32::max);
        let mut weights = self.evidence.map(|evidence| (evidence - most).exp());
        weights.iter_mut().zip(KINDS).for_each(|(weight, kind)| *weight *= kind.prior(params));
        normalised(weights)
    }

    /// Return the likeliest kind and how likely it is, 0..=1, once there is a reply.
    pub fn taken_for(&self, params: &Params) -> Option<(Kind, f32)> {
        let weights = KINDS.into_iter().zip(self.weights(params));
        weights.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|_| self.seen)
    }

    /// Return how the replies can be foretold, unless hardly any can be.
    pub fn model(&self, params: &Params) -> Option<ReplyModel> {
        let mut weights = self.weights(params);
        weights.iter_mut().zip(KINDS).filter(|(_, kind)| !kind.is_foretold()).for_each(|(w, _)| *w = 0.0);
        let share = weights.iter().sum::<f32>().min(1.0);
        let (drawn, weights) = (share.min(params.model_share), normalised(weights));
        (share >= params.model_from).then_some(ReplyModel { share, drawn, weights })
    }

    /// List the replies of the player to move with their chances, the likeliest first; `target` is
    /// what it may play for.
    pub fn replies(&self, position: &Position, target: Target, params: &Params) -> Vec<(Move, f32)> {
        let mut chances = [0.0; 1 << 10];
        let weights = KINDS.into_iter().zip(self.weights(params));
        for (kind, weight) in weights.filter(|&(_, weight)| weight >= SLIGHT) {
            for (mv, chance) in kind.chances(position, target) {
                chances[usize::from(mv.packed())] += weight * chance;
            }
        }
        let moves = expectation::moves_with(position, position.hand(position.to_move()));
        let mut replies: Vec<(Move, f32)> = moves.map(|mv| (mv, chances[usize::from(mv.packed())])).collect();
        replies.sort_by(|a, b| b.1.total_cmp(&a.1));
        replies
    }
}

/// Return the hardest target that the player to move is likely to reach by the static formula.
pub fn likely_target(position: &Position) -> Target {
    let blue = position.to_move() == Player::Blue;
    Target::new(i32::from(evaluation::likely_score(position)) + i32::from(blue))
}

/// How those replies are drawn that can be foretold.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ReplyModel {
    /// The share of the replies that can be, 0..=1.
    pub share: f32,
    /// The share that the trees draw, at most that.
    pub drawn: f32,
    /// How likely each kind is for these: sums to 1.
    pub weights: ByKind,
}

impl ReplyModel {
    /// Make a model of an opponent of whose replies a share, 0..=1, is that of a kind, and the others
    /// are the best.
    pub fn of(kind: Kind, share: f32) -> ReplyModel {
        ReplyModel { share, drawn: share, weights: KINDS.map(|other| f32::from(other == kind)) }
    }

    /// Tell whether so many replies are foretold that something may be staked on them.
    pub fn may_stake(&self) -> bool {
        self.share >= STAKE_FROM
    }

    /// Tell whether that is so and the opponent is taken to look no further than its own move.
    pub fn is_naive(&self) -> bool {
        self.may_stake() && self.weight_of(Kind::is_naive) >= NAIVE_FROM
    }

    /// Return how likely the opponent is of some kinds, if it is foretold.
    pub fn weight_of(&self, some: fn(Kind) -> bool) -> f32 {
        KINDS.into_iter().zip(self.weights).filter(|&(kind, _)| some(kind)).map(|(_, weight)| weight).sum()
    }

    /// Draw a reply, or `None` where it is not foretold; in a playout a rough one that takes less time.
    #[inline(always)]
    pub fn reply(&self, position: &Position, random: &mut Random, rough: bool) -> Option<Move> {
        if random.bits() >> 32 >= (f64::from(self.drawn) * 4_294_967_296.0) as u64 {
            return None;
        }
        let kind = self.draw(random);
        if rough {
            kind.sketch(position, random)
        } else {
            Some(kind.draw(position, random))
        }
    }

    /// Draw a kind.
    #[inline(always)]
    pub fn draw(&self, random: &mut Random) -> Kind {
        let mut lot = share(random.bits());
        let drawn = self.weights.iter().position(|weight| {
            lot -= weight;
            lot < 0.0
        });
        // Rounding may leave a little of the lot.
        KINDS[drawn.unwrap_or(KINDS.len() - 1)]
    }
}

/// Return weights scaled to a sum of 1, if any is above 0.
fn normalised(weights: ByKind) -> ByKind {
    let sum = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
    weights.map(|weight| weight / sum)
}

/// Return how much likelier a player who moves with these chances makes a reply than one who plays
/// any move: a factor. Whoever it is, some replies are odd.
fn likelihood(chances: &[(Move, f32)], position: &Position, reply: Move) -> f32 {
    let own = chances.iter().find(|&&(mv, _)| mv == reply).map_or(0.0, |&(_, chance)| chance);
    let hand = position.hand(position.to_move());
    (1.0 - ODD) * own * (hand.len() * position.empty().len()) as f32 + ODD
}

/// Return the second of the two moves that lead from one position to another, with the position in
/// which it was made, if two do.
fn reply_between(from: &Position, to: &Position) -> Option<(Position, Move)> {
    let played = |position: &Position| {
        let left = to.hand(position.to_move());
        position.legal_moves().filter(move |mv| !to.empty().contains(mv.cell) && !left.contains(mv.stone))
    };
    played(from).find_map(|ours| {
        let next = from.after::<Portable>(ours);
        let reply = played(&next).find(|&reply| next.after::<Portable>(reply) == *to)?;
        Some((next, reply))
    })
}
