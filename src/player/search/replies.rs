//! What the opponent is expected to reply: the best move, the move it believes to be best, or the
//! one that a model of it draws.

use super::Search;
use super::playout::{Policy, Step};
use crate::player::alpha::{Status, Target};
use crate::player::board::{Move, Player};
use crate::player::opponent::expectation;
use crate::player::position::Position;
use crate::player::simd::Simd;

/// Whose replies a tree expects of the opponent of the player at its root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Replies {
    /// The best there are.
    Best,
    /// Those that look best to an opponent who judges by playouts of the paper's policy (§4.2) and
    /// searches as much as the tree does: opponent-model search. Every node then keeps two sums of
    /// outcomes, ours and what the opponent believes, and the player to move selects by its own.
    Believed,
}

/// An opponent who follows the expected score, more or less sharply.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ReplyModel {
    /// The share of its replies that the model draws, 0..=1; the others are the best there are.
    pub share: f32,
    /// How much likelier a reply is for each point of expected score, as a natural logarithm; 0 is
    /// any move at all.
    pub sharpness: f32,
}

/// Sharpness from which playouts draw as many replies as the tree. They take the best expected
/// score, which is a fair guess only then; below, they draw fewer in proportion.
const SHARP: f32 = 8.0;

/// Return a share as a bound for 32 random bits.
#[inline(always)]
fn bound(share: f32) -> u64 {
    (f64::from(share.clamp(0.0, 1.0)) * 4_294_967_296.0) as u64
}

impl Search {
    /// From now on take the opponent's replies, in the trees, to be drawn by a model; `None` ends
    /// that.
    ///
    /// What the trees then estimate is what can be reached against such an opponent, until the win
    /// test decides. They may still prove that the player to move wins against any replies; that it
    /// loses only where the win test says so. Drops all trees, unless there was no model and is
    /// none.
    pub fn model_replies(&mut self, model: Option<ReplyModel>) {
        if self.model.is_some() || model.is_some() {
            self.model = model;
            let root = self.root;
            self.restart(&root);
        }
    }

    /// Draw whether the model replies to a position, and with which move.
    #[inline(always)]
    pub(super) fn modelled_reply(&mut self, position: &Position) -> Option<Move> {
        let model = self.model.filter(|_| position.to_move() != self.root.to_move())?;
        let drawn = self.random.bits() >> 32 < bound(model.share);
        drawn.then(|| expectation::likely_reply(position, model.sharpness, &mut self.random))
    }

    /// Play a position out as the opponent of a tree for believed replies does; return the winner.
    #[inline(always)]
    pub(super) fn believed_playout<S: Simd>(
        &mut self,
        mut seen: (Position, Status),
        target: Target,
    ) -> Player {
        Policy::Lottery.playout::<S>(&mut seen, target, &mut self.random, |_, _| {})
    }

    /// Play a position out with the opponent's replies drawn by the model as often as it is sharp
    /// enough for; return the winner. AMAF statistics see nothing of it.
    #[inline(always)]
    pub(super) fn modelled_playout<S: Simd>(
        &mut self,
        mut seen: (Position, Status),
        target: Target,
    ) -> Player {
        let share = self.model.map_or(0.0, |model| model.share * (model.sharpness / SHARP).min(1.0));
        let bound = bound(share);
        loop {
            let (position, status) = &seen;
            if let Some(winner) = status.winner(position) {
                return winner;
            }
            let replies = position.to_move() != self.root.to_move();
            seen = if replies && self.random.bits() >> 32 < bound {
                let next = position.after::<S>(expectation::greedy_move(position));
                (next, Status::of::<S>(&next, target))
            } else {
                S::run(Step { policy: self.policy, seen: &seen, target, random: &mut self.random }).1
            };
        }
    }
}
