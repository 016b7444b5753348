//! What the opponent is expected to reply: the best move, the move it believes to be best, or the
//! one that a model of it draws.

use super::Search;
use crate::board::Move;
use crate::position::Position;
use crate::rng::Random;

/// An opponent some of whose replies can be foretold.
pub trait Replies: Send {
    /// Draw a reply, or `None` where it is not foretold. In a playout a rough one that takes less
    /// time will do.
    fn reply(&self, position: &Position, random: &mut Random, rough: bool) -> Option<Move>;
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
    /// From now on draw the opponent's replies by a model where it foretells them, and drop all
    /// trees; `None` ends that.
    ///
    /// The trees then estimate what can be reached against such an opponent. They still prove that
    /// the player to move wins against any replies; that it loses only where the win test says so.
    pub fn model_replies(&mut self, model: Option<Box<dyn Replies>>) {
        if self.model.is_some() || model.is_some() {
            self.model = model;
            let root = self.root;
            self.restart(&root);
        }
    }
}
