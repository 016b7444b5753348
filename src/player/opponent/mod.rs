//! The model of the opponent. The tournament counts points, not wins: against an opponent who gives points
//! away blindly, perfect play for a target leaves most of them on the board.
//!
//! - Kinds: [`KINDS`] lists eleven ways to choose a move. Each gives every reply a chance
//!   ([`Kind::chances`]).
//! - Posterior: every reply multiplies the weight of a kind by the chance that the kind gave it, relative
//!   to that of a random mover ([`Opponent::learn_reply`]). Older replies fade. The strong kinds, all that are
//!   not [predictable](Kind::is_predictable), lose weight if our aim rises over a reply, and gain some if not
//!   ([`Opponent::note_turn`]).
//! - Use: a [`ReplyModel`] for the predictable share of the replies. The trees draw replies by it; the search
//!   finds a response (`best_responses`) to an opponent who moves at random or repeats itself; among moves
//!   of one exact value the engine takes the one with the best mean over [`Opponent::replies`].

mod kind;

use crate::alpha::Target;
use crate::board::Move;
use crate::expectation;
use crate::params::Params;
use crate::position::Position;
use crate::rng::{happens, unit, Random};
use crate::simd::Portable;
pub use kind::{random_move, ByKind, Kind, KINDS};

/// Ratio of a reply's weight to the next reply's.
const FADING: f32 = 0.9;
/// Share of any opponent's replies that follow no rule: all moves are equally likely.
const ODD_SHARE: f32 = 0.1;
/// By our aim's rise over a reply (0 or less, 1, 2, 3 or more points): the log of a random mover's chance
/// of such a reply over that of a strong player. Measured on games.
const BY_RISE: [f32; 4] = [-0.8, 0.5, 2.3, 3.0];
/// Largest share of the replies that the trees draw; the others are the best.
const MAX_DRAWN_SHARE: f32 = 0.9;
/// Kinds with a smaller weight are ignored.
const SLIGHT: f32 = 0.01;
/// Chance of predictable kinds from which points are staked on the reply.
const STAKE_FROM: f32 = 0.95;
/// Weight of the [exploitable](Kind::is_exploitable) among the predictable kinds from which a response is sought.
const RESPOND_FROM: f32 = 0.6;

/// The evidence about the opponent.
#[derive(Clone, Copy, Default, Debug)]
pub struct Opponent {
    /// The position of our last move.
    before: Option<Position>,
    /// Whether that move staked points, and may have given some away itself.
    has_staked: bool,
    /// Whether there was a reply.
    has_replied: bool,
    /// By kind, the log-likelihood of the replies over a random mover's; older replies count less.
    evidence: ByKind,
}

impl Opponent {
    /// Make an opponent who is certainly of a kind.
    #[cfg(test)]
    pub(crate) fn of(kind: Kind) -> Opponent {
        let evidence = KINDS.map(|other| if other == kind { 100.0 } else { 0.0 });
        Opponent { has_replied: true, evidence, ..Opponent::default() }
    }

    /// Note our move in a position, and whether it stakes points. Weigh the strong kinds by the points that the
    /// last reply gave away: the rise of our aim, if it was measured. A strong player seldom gives any away.
    pub fn note_turn(&mut self, position: &Position, rise: Option<i32>, stakes: bool) {
        if let Some(rise) = rise {
            let measured = BY_RISE[rise.clamp(0, 3) as usize];
            let against_strong = if self.has_staked { measured.max(0.0) } else { measured };
            let strong = self.evidence.iter_mut().zip(KINDS).filter(|(_, kind)| !kind.is_predictable());
            strong.for_each(|(evidence, _)| *evidence -= against_strong);
        }
        (self.before, self.has_staked) = (Some(*position), stakes);
    }

    /// Learn from the reply to our last move, which had this aim, and return the reply; `None` if the
    /// position does not follow from our last one by two moves.
    pub fn learn(&mut self, position: &Position, aim: Target) -> Option<Move> {
        let (before, reply) = reply_between(&self.before?, position)?;
        self.learn_reply(&before, reply, aim);
        Some(reply)
    }

    /// Learn from a reply of a player who may play for `target`.
    pub fn learn_reply(&mut self, position: &Position, reply: Move, target: Target) {
        self.has_replied = true;
        for (evidence, kind) in self.evidence.iter_mut().zip(KINDS) {
            let likelihood = likelihood(&kind.chances(position, target), position, reply);
            *evidence = FADING * *evidence + likelihood.ln();
        }
    }

    /// Return the chance that the opponent is of each kind: sums to 1.
    pub fn weights(&self, params: &Params) -> ByKind {
        let most = self.evidence.iter().copied().fold(f32::MIN, f32::max);
        let mut weights = self.evidence.map(|evidence| (evidence - most).exp());
        weights.iter_mut().zip(KINDS).for_each(|(weight, kind)| *weight *= kind.prior(params));
        normalised(weights)
    }

    /// Return the likeliest kind and its chance, 0..=1; `None` before the first reply.
    pub fn likeliest(&self, params: &Params) -> Option<(Kind, f32)> {
        let weights = KINDS.into_iter().zip(self.weights(params));
        weights.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|_| self.has_replied)
    }

    /// Return the model of the replies that are predictable; `None` if there are too few.
    pub fn model(&self, params: &Params) -> Option<ReplyModel> {
        let mut weights = self.weights(params);
        weights.iter_mut().zip(KINDS).filter(|(_, kind)| !kind.is_predictable()).for_each(|(w, _)| *w = 0.0);
        let predictable = weights.iter().sum::<f32>().min(1.0);
        let (drawn, weights) = (predictable.min(MAX_DRAWN_SHARE), normalised(weights));
        (predictable >= params.model_from).then_some(ReplyModel { predictable, drawn, weights })
    }

    /// List the replies of the player to move, who may play for `target`, with their chances, the likeliest first.
    pub fn replies(&self, position: &Position, target: Target, params: &Params) -> Vec<(Move, f32)> {
        let mut chances = [0.0; Move::PACKED_COUNT];
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

/// A model of the replies that are predictable.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ReplyModel {
    /// The chance that the opponent is of a predictable kind, 0..=1.
    pub predictable: f32,
    /// The share of all replies that the trees draw, at most `predictable`.
    pub drawn: f32,
    /// The weight of each kind among the predictable ones: sums to 1.
    pub weights: ByKind,
}

impl ReplyModel {
    /// Make a model of an opponent who is of one kind with the chance `predictable`, 0..=1, otherwise strong.
    pub fn of(kind: Kind, predictable: f32) -> ReplyModel {
        ReplyModel { predictable, drawn: predictable, weights: KINDS.map(|other| f32::from(other == kind)) }
    }

    pub fn may_stake(&self) -> bool {
        self.predictable >= STAKE_FROM
    }

    /// Tell whether to search for a response: points may be staked, and the likely kinds are exploitable.
    pub fn has_response(&self) -> bool {
        self.may_stake() && self.weight_of(Kind::is_exploitable) >= RESPOND_FROM
    }

    /// Return the weight of some kinds among the predictable ones, 0..=1.
    pub fn weight_of(&self, some: fn(Kind) -> bool) -> f32 {
        KINDS.into_iter().zip(self.weights).filter(|&(kind, _)| some(kind)).map(|(_, weight)| weight).sum()
    }

    /// Draw a reply, or `None` for the share that is not drawn; a rough one takes less time, for playouts.
    #[inline(always)]
    pub fn reply(&self, position: &Position, random: &mut Random, rough: bool) -> Option<Move> {
        if !happens(random.bits(), self.drawn) {
            return None;
        }
        let kind = self.draw(random);
        if rough {
            kind.draw_roughly(position, random)
        } else {
            Some(kind.draw(position, random))
        }
    }

    #[inline(always)]
    pub fn draw(&self, random: &mut Random) -> Kind {
        let mut left = unit(random.bits());
        let drawn = self.weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        // Rounding may leave a little of the drawn number.
        KINDS[drawn.unwrap_or(KINDS.len() - 1)]
    }
}

/// Return weights scaled to a sum of 1, if any is above 0.
fn normalised(weights: ByKind) -> ByKind {
    let sum = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
    weights.map(|weight| weight / sum)
}

/// Return the likelihood of a reply for a player who moves with these chances, relative to a random mover.
fn likelihood(chances: &[(Move, f32)], position: &Position, reply: Move) -> f32 {
    let own = chances.iter().find(|&&(mv, _)| mv == reply).map_or(0.0, |&(_, chance)| chance);
    let hand = position.hand(position.to_move());
    (1.0 - ODD_SHARE) * own * (hand.len() * position.empty().len()) as f32 + ODD_SHARE
}

/// Return the second of two moves between two positions, with the position before it; `None` if there are none.
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
