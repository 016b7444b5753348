//! What a tree has found, for those who choose and explain moves.

use std::cmp::Reverse;

use smallvec::SmallVec;

use super::amaf::amaf_counts;
use super::tree::NONE;
use super::{Assumed, Search};
use crate::alpha::Target;
use crate::board::{Move, Player};

/// A line of play: rarely longer than a dozen moves.
pub type Line = SmallVec<[Move; 16]>;

/// What a tree says of one move at its root.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The move.
    pub mv: Move,
    /// Iterations through it.
    pub visits: u32,
    /// Share of them won by the player to move, 0..=1; 0 when proven lost.
    pub value: f32,
    /// AMAF value for the player to move, 0..=1, if there is one.
    pub amaf: Option<f32>,
    /// The player who is proven to win after it.
    pub proof: Option<Player>,
}

impl Search {
    /// List the visited root moves of a target's tree, the most visited first (a proven win before
    /// all, proven losses last).
    pub fn candidates(&self, target: Target) -> Vec<Candidate> {
        self.candidates_for(target, Assumed::Best)
    }

    /// List the visited root moves of the tree for a target and assumed replies, in the same order.
    pub fn candidates_for(&self, target: Target, assumed: Assumed) -> Vec<Candidate> {
        let root = self.root_of(target, assumed);
        if root == NONE {
            return Vec::new();
        }
        let mover = self.root.to_move();
        let node = self.tree.node(root);
        let edges = self.tree.edges(root);
        let of_mover = |red: f32| if mover == Player::Red { red } else { 1.0 - red };
        let mut list: Vec<Candidate> = (0..edges.moves.len())
            .filter(|&n| edges.visits[n] > 0.0)
            .map(|n| {
                let mv = Move::unpacked(edges.moves[n]);
                let child = self.tree.node(edges.children[n]);
                let amaf = (node.table != NONE)
                    .then(|| self.tree.table(node.table)[self.tree.slots().slot(mover, mv)])
                    .filter(|&entry| entry != 0)
                    .map(|entry| {
                        let (visits, wins) = amaf_counts(entry);
                        of_mover(wins / visits)
                    });
                let value = match child.proof {
                    Some(winner) => f32::from(u8::from(winner == mover)),
                    None => of_mover(child.red_wins() / child.visits.max(1) as f32),
                };
                Candidate { mv, visits: child.visits, value, amaf, proof: child.proof }
            })
            .collect();
        list.sort_by_key(|candidate| {
            let proven = candidate.proof.map_or(1, |winner| if winner == mover { 0 } else { 2 });
            (proven, Reverse(candidate.visits))
        });
        list
    }

    /// Return the line that begins with root move `first` and goes on with the most visited moves
    /// of a target's tree. It is only that move if the tree does not know it.
    pub fn variation_after(&self, target: Target, first: Move) -> Line {
        let root = self.root_of(target, Assumed::Best);
        let edge = if root == NONE { None } else { self.tree.edge_of(root, first) };
        let mut node = edge.map_or(NONE, |edge| self.tree.edges(root).children[edge]);
        let mut mover = self.root.to_move().opponent();
        let mut line = std::iter::once(first).collect::<Line>();
        while node != NONE {
            let edges = self.tree.edges(node);
            let best = (0..edges.moves.len()).filter(|&n| edges.children[n] != NONE).max_by_key(|&n| {
                let proof = self.tree.node(edges.children[n]).proof;
                (proof == Some(mover), proof.is_none(), edges.visits[n] as u32, Reverse(n))
            });
            let Some(best) = best else { break };
            line.push(Move::unpacked(edges.moves[best]));
            node = edges.children[best];
            mover = mover.opponent();
        }
        line
    }
}
