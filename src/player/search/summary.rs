//! The findings of a tree, for the choice and the explanation of a move.

use std::cmp::Reverse;

use smallvec::SmallVec;

use super::tree::NONE;
use super::{Replies, Search};
use crate::alpha::Target;
use crate::board::{Move, Player};

/// A line of play, rarely longer than a dozen moves.
pub type Line = SmallVec<[Move; 16]>;

/// The statistics of one move at the root of a tree.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    pub mv: Move,
    pub visits: u32,
    /// The player to move's share of the wins, 0..=1, or the proven result.
    pub value: f32,
    /// The player who is proven to win after the move.
    pub proven_winner: Option<Player>,
}

impl Search {
    /// List the visited root moves of a tree, the most visited first (a proven win before all, proven
    /// losses last).
    pub fn candidates(&self, target: Target, replies: Replies) -> Vec<Candidate> {
        let Some(root) = self.root_of(target, replies) else { return Vec::new() };
        let mover = self.root.to_move();
        let of_mover = |red: f32| if mover == Player::Red { red } else { 1.0 - red };
        let visited = self.tree.edges(root).iter().filter(|edge| edge.visits > 0.0);
        let mut list: Vec<Candidate> = visited
            .map(|edge| {
                let (mv, child) = (Move::unpacked(edge.mv), self.tree.node(edge.child));
                let value = match child.proven_winner {
                    Some(winner) => f32::from(winner == mover),
                    None => of_mover(child.red_wins() / child.visits.max(1) as f32),
                };
                Candidate { mv, visits: child.visits, value, proven_winner: child.proven_winner }
            })
            .collect();
        list.sort_by_key(|candidate| {
            let proven = candidate.proven_winner.map_or(1, |winner| if winner == mover { 0 } else { 2 });
            (proven, Reverse(candidate.visits))
        });
        list
    }

    /// Return the line of root move `first` and then the most visited moves of a target's tree; a move that
    /// the tree does not know stays alone.
    pub fn variation_after(&self, target: Target, first: Move) -> Line {
        let child_of = |root| Some(self.tree.edges(root)[self.tree.edge_of(root, first.packed())?].child);
        let mut node = self.root_of(target, Replies::Strong).and_then(child_of).unwrap_or(NONE);
        let mut mover = self.root.to_move().opponent();
        let mut line = Line::from_iter([first]);
        while node != NONE {
            let edges = self.tree.edges(node);
            let best = (0..edges.len()).filter(|&n| edges[n].child != NONE).max_by_key(|&n| {
                let proven_winner = self.tree.node(edges[n].child).proven_winner;
                (proven_winner == Some(mover), proven_winner.is_none(), edges[n].visits as u32, Reverse(n))
            });
            let Some(best) = best else { break };
            line.push(Move::unpacked(edges[best].mv));
            node = edges[best].child;
            mover = mover.opponent();
        }
        line
    }
}
