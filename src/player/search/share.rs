//! One playout for several trees: what an iteration found is counted in the trees of neighbouring targets.

use super::tree::{NONE, NodeId, Proof};
use super::{MAX_PLIES, Outcome, Replies, Search};
use crate::player::alpha::{Status, Target};
use crate::player::board::Player;
use crate::player::position::Position;
use crate::player::simd::Simd;

/// The nodes of another tree along the moves of an iteration: as far as it has them, at least its root.
struct Shared {
    /// Nodes with an edge that was followed, and the edge.
    steps: [(NodeId, u32); MAX_PLIES],
    depth: usize,
    /// The last node.
    end: NodeId,
}

impl Search {
    /// Count an iteration of the tree for `target` that ended at `leaf`, `depth` moves below the root, in the
    /// trees of the targets at most [`share`](crate::player::params::Params::share) away: one more visit of their
    /// root, and of each node that they have along the same moves.
    ///
    /// Whoever won for α has won for every easier target of theirs. For the harder ones the playout goes on
    /// from where it was decided, target by target, until it is lost; the leaf's static judgement is made
    /// anew for each target.
    ///
    /// What is shared is a sample of the neighbour's game, but a biased one, and more so with the distance:
    /// moves above the leaf were chosen to win or prevent α, and so were those of the playout until α was
    /// decided. A neighbour's mean then lies between what it would find itself and what its own target is
    /// worth under play for α. Against that stands a mean of many more samples. So that the bias does not
    /// grow where a tree knows better, a tree counts nothing when its root or a node on the way is proven;
    /// it grows by its own iterations only, no node is made here; AMAF statistics, which say more of
    /// how a playout was played than of its result, are not shared. A tree that does not exist yet is left
    /// so.
    #[inline(always)]
    pub(super) fn share_outcome<S: Simd>(
        &mut self,
        target: Target,
        leaf: &Position,
        depth: usize,
        winner: Player,
    ) {
        let ended = self.playout_end.take();
        let loser = winner.opponent();
        for n in 1..=self.settings.share {
            if let Some((easier, shared)) = self.neighbour(target, loser, n, depth) {
                // Without a playout the leaf is won for certain, and so it is for an easier target.
                let outcome = match ended {
                    Some(_) => self.outcome_for::<S>(leaf, easier, winner),
                    None => Outcome::certain(winner),
                };
                self.count_shared(&shared, outcome);
            }
        }
        let mut end = ended.unwrap_or(*leaf);
        let mut last = winner;
        for n in 1..=self.settings.share {
            let Some((harder, shared)) = self.neighbour(target, winner, n, depth) else { continue };
            if last == winner {
                let mut seen = (end, Status::of::<S>(&end, harder));
                last = self.settings.policy.playout::<S>(&mut seen, harder, &mut self.random, |_, _| {});
                end = seen.0;
            }
            let outcome = self.outcome_for::<S>(leaf, harder, last);
            self.count_shared(&shared, outcome);
        }
    }

    /// Find the tree of the target `n` steps harder for `player`, and its nodes along the first `depth` moves
    /// of this iteration. `None` when there is no such target or tree, or the tree has proven what it is
    /// worth somewhere on the way.
    #[inline(always)]
    fn neighbour(&self, target: Target, player: Player, n: i32, depth: usize) -> Option<(Target, Shared)> {
        let neighbour = target.harder(player, n);
        // At the ends of the range there are fewer neighbours.
        if neighbour.alpha().abs_diff(target.alpha()) != n.unsigned_abs() as u8 {
            return None;
        }
        let root = self.root_of(neighbour, Replies::Best);
        if root == NONE || self.tree.node(root).visits == 0 || self.tree.node(root).proof != Proof::Unknown {
            return None;
        }
        let mut shared = Shared { steps: [(NONE, 0); MAX_PLIES], depth: 0, end: root };
        for &(own, edge) in &self.trail.steps[..depth] {
            let mv = self.tree.edges(own).moves[edge as usize];
            let edges = self.tree.edges(shared.end);
            let Some(edge) = edges.moves.iter().position(|&other| other == mv) else { break };
            let child = edges.children[edge];
            if child == NONE {
                break;
            }
            if self.tree.node(child).proof != Proof::Unknown {
                return None;
            }
            shared.steps[shared.depth] = (shared.end, edge as u32);
            shared.depth += 1;
            shared.end = child;
        }
        Some((neighbour, shared))
    }

    /// Return the value of a leaf for a target, where a playout was won by `winner`.
    #[inline(always)]
    fn outcome_for<S: Simd>(&self, leaf: &Position, target: Target, winner: Player) -> Outcome {
        let status = Status::of::<S>(leaf, target);
        match status.winner(leaf) {
            Some(winner) => Outcome::certain(winner),
            None => self.leaf_outcome::<S>(&(*leaf, status), target, winner),
        }
    }

    /// Count an outcome in the nodes of another tree and the edges between them.
    #[inline(always)]
    fn count_shared(&mut self, shared: &Shared, outcome: Outcome) {
        self.tree.node_mut(shared.end).count(outcome.red);
        for &(node, edge) in shared.steps[..shared.depth].iter().rev() {
            self.tree.node_mut(node).count(outcome.red);
            self.tree.update_edge(node, edge as usize);
        }
    }
}
