//! What the opponent is expected to reply: the best move, the move it believes to be best, or the
//! one that a model of it draws.

use super::playout::Step;
use super::Search;
use crate::alpha::{Status, Target};
use crate::board::{Move, Player};
use crate::position::Position;
use crate::rng::Random;
use crate::simd::Simd;

/// An opponent some of whose replies can be foretold.
pub trait Replies: Send {
    /// Draw a reply, or `None` where the best move is to be expected.
    fn reply(&self, position: &Position, random: &mut Random) -> Option<Move>;

    /// Draw a reply roughly and in less time, for a playout; `None` where the playout's policy moves.
    fn sketch(&self, position: &Position, random: &mut Random) -> Option<Move>;
}

/// Whose replies a tree expects of the opponent of the player at its root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Assumed {
    /// The best there are, but for those that a [model](Search::model_replies) draws.
    Best,
    /// Those that look best to an opponent who judges by playouts of the paper's policy (§4.2) and
    /// searches as much as the tree does: opponent-model search. Every node then keeps two sums of
    /// outcomes, ours and what the opponent believes, and the player to move selects by its own.
    Believed,
}

impl Search {
    /// From now on draw the opponent's replies by a model where it foretells them; `None` ends that.
    ///
    /// What the trees then estimate is what can be reached against such an opponent, until the win
    /// test decides. They may still prove that the player to move wins against any replies; that it
    /// loses only where the win test says so. Drops all trees, unless there was no model and is
    /// none.
    pub fn model_replies(&mut self, model: Option<Box<dyn Replies>>) {
        if self.model.is_some() || model.is_some() {
            self.model = model;
            let root = self.root;
            self.restart(&root);
        }
    }

    /// Draw the reply of the opponent at the root, where it is its turn and the model knows one.
    #[inline(always)]
    pub(super) fn modelled_reply(&mut self, position: &Position) -> Option<Move> {
        let model = self.model.as_ref().filter(|_| position.to_move() != self.root.to_move())?;
        model.reply(position, &mut self.random)
    }

    /// Play a position out with replies drawn by the model, roughly; return the winner.
    #[inline(always)]
    pub(super) fn modelled_playout<S: Simd>(
        &mut self,
        mut seen: (Position, Status),
        target: Target,
    ) -> Player {
        loop {
            let (position, status) = &seen;
            if let Some(winner) = status.winner(position) {
                return winner;
            }
            let mover = position.to_move();
            let model = self.model.as_ref().filter(|_| mover != self.root.to_move());
            let sketched = model.and_then(|model| model.sketch(position, &mut self.random));
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
