//! Selection at a node (§3.0.2): which of its moves an iteration follows.

use super::expansion::{best_unvisited, open_moves};
use super::selection::{Best, Formula, LANES, sqrt_ln};
use super::tree::{Amaf, NONE, NodeId, unpack};
use super::{Replies, Search};
use crate::player::alpha::{Reasonable, Status, Target};
use crate::player::board::{Move, Player};
use crate::player::position::Position;
use crate::player::simd::Simd;

/// What selection decided at a node.
pub(super) enum Step {
    /// Follow an edge.
    Edge(usize),
    /// Try a move for the first time.
    New(Move),
}

impl Search {
    /// Choose among the opened moves of a node, opening more as its visits grow, or when all open ones are
    /// proven lost. `None` when that would take memory there is not.
    #[inline(always)]
    pub(super) fn select_opened<S: Simd>(
        &mut self,
        node: NodeId,
        position: &Position,
        status: &Status,
        target: Target,
        table: u32,
    ) -> Option<Step> {
        let mover = position.to_move();
        let believes = self.believes(mover);
        let here = self.tree.node(node);
        let formula = self.formula(mover, here.visits);
        // A full arena has no room for another child: only those there are can be chosen.
        let full = self.tree.is_full();
        let mut open =
            (self.settings.open_base + self.settings.open_rate * (here.visits as f32).sqrt()) as usize;
        loop {
            let (have, all) = (self.tree.edges(node).moves.len(), usize::from(self.tree.node(node).moves));
            if have < open && (all == 0 || have < all) && !full {
                open_moves::<S>(&mut self.tree, node, position, status, target, open.max(2 * have));
            }
            let edges = self.tree.edges(node);
            let amaf: &[Amaf] = if table == NONE { &[] } else { self.tree.table(table) };
            let end = open.min(edges.moves.len());
            let mut best = Best::NOTHING;
            let mut first = 0;
            while first < end {
                let count = LANES.min(end - first);
                let (mut visits, mut wins, mut priors) = ([1.0; LANES], [0.0; LANES], [0.0; LANES]);
                let mut entries = [0; LANES];
                for n in 0..count {
                    visits[n] = edges.visits[first + n];
                    wins[n] = edges.red_wins[first + n];
                    if believes {
                        wins[n] = self.tree.believed(node, first + n);
                    }
                    priors[n] = edges.priors[first + n];
                    if !amaf.is_empty() {
                        entries[n] = amaf[self.tree.slots().slot(mover, unpack(edges.moves[first + n]))];
                    }
                }
                let mut scores = [f32::NEG_INFINITY; LANES];
                for lane in 0..LANES {
                    let score = formula.opened(visits[lane], wins[lane], entries[lane], priors[lane]);
                    let choosable = lane < count && (visits[lane] > 0.0 || !full);
                    scores[lane] = if choosable { score } else { f32::NEG_INFINITY };
                }
                best.see(scores, first as u32);
                first += LANES;
            }
            match best.best() {
                Some((edge, _)) => return Some(Step::Edge(edge as usize)),
                None if full => return None,
                // Every open move is proven lost, and not every move is open, or the node were proven.
                None => open = 2 * open.max(1),
            }
        }
    }

    /// Select one of the root moves to tell apart, by value and what is added to it; those that are lost last.
    #[inline(always)]
    pub(super) fn select_told_apart(&self, root: NodeId, mover: Player) -> Step {
        let edges = self.tree.edges(root);
        let formula = self.formula(mover, self.tree.node(root).visits);
        let score = |&(edge, bonus): &(usize, f32)| {
            formula.opened(edges.visits[edge], edges.red_wins[edge], 0, 0.5) + bonus
        };
        // Of equals the first.
        let best = self.root_edges.iter().rev().max_by(|a, b| score(a).total_cmp(&score(b)));
        Step::Edge(best.map_or(0, |&(edge, _)| edge))
    }

    /// Tell whether a player chooses by what it believes.
    #[inline(always)]
    fn believes(&self, mover: Player) -> bool {
        self.replies == Replies::Believed && mover != self.root.to_move()
    }

    #[inline(always)]
    fn formula(&self, mover: Player, visits: u32) -> Formula {
        let first_play = self.settings.first_play;
        Formula {
            exploration: self.settings.exploration * sqrt_ln(visits),
            equivalence: self.settings.equivalence,
            first_play: if mover == Player::Red { first_play } else { 1.0 - first_play },
            prior_visits: self.settings.prior_visits,
            red: mover == Player::Red,
        }
    }

    /// Choose among the visited edges and the reasonable moves not visited yet.
    #[inline(always)]
    pub(super) fn select(&mut self, node: NodeId, position: &Position, status: &Status, table: u32) -> Step {
        let mover = position.to_move();
        let hand = position.hand(mover);
        let believes = self.believes(mover);
        let here = self.tree.node(node);
        let formula = self.formula(mover, here.visits);
        let edges = self.tree.edges(node);
        let slots = self.tree.slots();
        let amaf: &[Amaf] = if table == NONE { &[] } else { self.tree.table(table) };
        let (moves, total) = (edges.moves.len(), usize::from(here.moves));

        let mut best = Best::NOTHING;
        let mut first = 0;
        while first < moves {
            let mut scores = [f32::NEG_INFINITY; LANES];
            let end = (first + LANES).min(moves);
            let (mut visits, mut wins, mut entries) = ([1.0; LANES], [0.0; LANES], [0; LANES]);
            for n in first..end {
                visits[n - first] = edges.visits[n];
                wins[n - first] = edges.red_wins[n];
                if believes {
                    wins[n - first] = self.tree.believed(node, n);
                }
                let mv = unpack(edges.moves[n]);
                entries[n - first] = amaf.get(slots.slot(mover, mv)).copied().unwrap_or(0);
            }
            for lane in 0..LANES {
                let score = formula.visited(visits[lane], wins[lane], entries[lane]);
                scores[lane] = if first + lane < end { score } else { f32::NEG_INFINITY };
            }
            best.see(scores, first as u32);
            first += LANES;
        }
        let visited = best.best();

        // All reasonable moves have edges: nothing else to look at.
        if total > 0 && moves == total {
            return Step::Edge(visited.map_or(0, |(edge, _)| edge as usize));
        }
        let reasonable = Reasonable::of(position, status);
        let unvisited = best_unvisited(&formula, &reasonable, hand, mover, edges.moves, slots, amaf);
        if total == 0 {
            self.tree.node_mut(node).moves = reasonable.len(hand.len()) as u16;
        }
        match (visited, unvisited) {
            (Some((edge, _)), _) if self.tree.is_full() => Step::Edge(edge as usize),
            (Some((edge, score)), Some((_, fresh))) if score >= fresh => Step::Edge(edge as usize),
            (_, Some((mv, _))) => Step::New(mv),
            (Some((edge, _)), None) => Step::Edge(edge as usize),
            (None, None) => unreachable!("an undecided position has a reasonable move"),
        }
    }
}
