//! What the opponent is expected to reply: the best move, the move it believes to be best, or the
//! one that a model of it draws.

use super::playout::Step;
use super::Search;
use crate::alpha::{Status, Target};
use crate::board::{Move, Player};
use crate::opponent::ReplyModel;
use crate::position::Position;
use crate::simd::Simd;

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

impl Search {
    /// From now on draw those of the opponent's replies, in the trees, that a model foretells;
    /// `None` ends that.
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

    /// Draw whether a reply is one of those that the model draws.
    #[inline(always)]
    fn is_drawn(&mut self, model: &ReplyModel) -> bool {
        let share = model.share.min(self.params.model_share);
        self.random.bits() >> 32 < (f64::from(share) * 4_294_967_296.0) as u64
    }

    /// Draw whether the model replies to a position, and with which move.
    #[inline(always)]
    pub(super) fn modelled_reply(&mut self, position: &Position) -> Option<Move> {
        let model = self.model.filter(|_| position.to_move() != self.root.to_move())?;
        if !self.is_drawn(&model) {
            return None;
        }
        Some(model.draw(&mut self.random).draw(position, &mut self.random))
    }

    /// Play a position out with replies drawn by the model, roughly; return the winner.
    #[inline(always)]
    pub(super) fn modelled_playout<S: Simd>(
        &mut self,
        model: &ReplyModel,
        mut seen: (Position, Status),
        target: Target,
    ) -> Player {
        loop {
            let (position, status) = &seen;
            if let Some(winner) = status.winner(position) {
                return winner;
            }
            let mover = position.to_move();
            let foretold = mover != self.root.to_move() && self.is_drawn(model);
            let kind = foretold.then(|| model.draw(&mut self.random));
            let sketched = kind.and_then(|kind| kind.sketch(position, &mut self.random));
            let mv;
            (mv, seen) = match sketched {
                Some(mv) => {
                    let next = position.after::<S>(mv);
                    (mv, (next, Status::of::<S>(&next, target)))
                }
                None => S::run(Step { policy: self.policy, seen: &seen, target, random: &mut self.random }),
            };
            self.note(mover, mv);
        }
    }
}
