//! One iteration: selection, expansion, playout, backpropagation (§3.0.2).

use super::amaf::count_amaf;
use super::moves::Visit;
use super::playout::Policy;
use super::selection::logistic;
use super::tree::{NodeId, NONE};
use super::{Replies, Search, MAX_GAME_PLIES};
use crate::alpha::{Status, Target};
use crate::board::{Move, Player};
use crate::network::Network;
use crate::simd::Simd;

/// RAVE horizon h in plies (§3.0.4): an action counts for a node at most this many plies above it.
pub(super) const HORIZON: usize = 8;
/// Ref threshold of AMAF priming (§3.1): visits from which a node's own AMAF statistics are used.
const REF_THRESHOLD: u32 = 50;
/// Visits from which a node collects AMAF statistics for priming; memory is saved below.
const AMAF_FROM: u32 = 10;

/// The path of one iteration, its memory reused by the next.
pub(super) struct Trail {
    /// Each node left on the path, with the edge taken.
    steps: [(NodeId, usize); MAX_GAME_PLIES],
    /// AMAF slots of all moves of the iteration, playout included.
    slots: [u16; MAX_GAME_PLIES],
    moves: usize,
}

impl Trail {
    pub const EMPTY: Trail =
        Trail { steps: [(NONE, 0); MAX_GAME_PLIES], slots: [0; MAX_GAME_PLIES], moves: 0 };

    fn push(&mut self, slot: usize) {
        self.slots[self.moves] = slot as u16;
        self.moves += 1;
    }
}

/// The value of an iteration's leaf.
#[derive(Clone, Copy)]
struct LeafValue {
    /// Red's value, 0..=1.
    red: f32,
    /// Red's value by the opponent's belief, in a tree for believed replies.
    believed: f32,
    /// The winner of the playout, or of the proven game.
    winner: Player,
}

impl LeafValue {
    fn won_by(winner: Player) -> LeafValue {
        let red = f32::from(winner == Player::Red);
        LeafValue { red, believed: red, winner }
    }
}

impl Search {
    #[inline(always)]
    pub(super) fn iterate<S: Simd>(&mut self, target: Target, root: NodeId) {
        let position = self.root;
        let status = Status::of::<S>(&position, target);
        let mut visit = Visit { node: root, position, status, depth: 0, table: NONE, inherited: NONE };
        self.trail.moves = 0;
        let value = loop {
            if let Some(winner) = self.decided::<S>(&mut visit, target) {
                break LeafValue::won_by(winner);
            }
            if self.tree.node(visit.node).visits < self.params.expand_visits() {
                break self.evaluate::<S>(&visit, target);
            }
            self.choose_table(&mut visit);
            let edge = self.select::<S>(&visit, target);
            let Some((edge, child)) = edge.and_then(|edge| Some((edge, self.expand(visit.node, edge)?)))
            else {
                break self.evaluate::<S>(&visit, target);
            };
            let mv = Move::unpacked(self.tree.edges(visit.node)[edge].mv);
            self.trail.steps[visit.depth] = (visit.node, edge);
            self.trail.push(self.tree.layout.slot(visit.position.to_move(), mv));
            visit.position.play::<S>(mv);
            visit.node = child;
            visit.depth += 1;
        };
        self.backpropagate(&visit, value);
    }

    /// Return the winner at a node, if known, by a proof or by the win test (§2.3.2) at the first visit.
    #[inline(always)]
    fn decided<S: Simd>(&mut self, visit: &mut Visit, target: Target) -> Option<Player> {
        let node = self.tree.node_mut(visit.node);
        if node.proven_winner.is_none() {
            visit.status = Status::of::<S>(&visit.position, target);
            if node.visits == 0 {
                node.proven_winner = visit.status.winner(&visit.position);
            }
        }
        node.proven_winner
    }

    /// Choose the AMAF statistics that selection uses at a node (§3.0.4): its own, or with priming
    /// (§3.1) its parent's at first. Believed replies use none: the statistics hold our knowledge, not the
    /// opponent's belief.
    #[inline(always)]
    fn choose_table(&mut self, visit: &mut Visit) {
        if self.replies == Replies::Believed {
            return;
        }
        let priming = self.params.priming;
        let visits = self.tree.node(visit.node).visits;
        if self.tree.node(visit.node).table == NONE && (!priming || visits >= AMAF_FROM) {
            self.tree.add_table(visit.node);
        }
        let own = self.tree.node(visit.node).table;
        let primed = priming && visit.inherited != NONE && (own == NONE || visits < REF_THRESHOLD);
        visit.table = if primed { visit.inherited } else { own };
        // A node without its own statistics hands on the inherited ones.
        visit.inherited = if own == NONE { visit.table } else { own };
    }

    /// Find or make the node of an edge; `None` without memory for a new one.
    #[inline(always)]
    fn expand(&mut self, node: NodeId, edge: usize) -> Option<NodeId> {
        let mut child = self.tree.edges(node)[edge].child;
        if child == NONE {
            if self.tree.is_full() {
                return None;
            }
            child = self.tree.add_node();
            self.tree.set_child(node, edge, child);
        }
        Some(child)
    }

    /// Evaluate a leaf by the network's log-odds, ±1 by a playout's outcome; in the paper's program by the outcome.
    #[inline(always)]
    fn evaluate<S: Simd>(&mut self, visit: &Visit, target: Target) -> LeafValue {
        let seen = (visit.position, visit.status);
        let believed = (self.replies == Replies::Believed)
            .then(|| Policy::Lottery.playout::<S>(&seen, target, &mut self.random, None, |_, _| {}));
        let opponent = self.root.to_move().opponent();
        let model = self.model.as_ref().map(|model| (opponent, model));
        let (tree, trail) = (&self.tree, &mut self.trail);
        let on_move = |mover, mv| trail.push(tree.layout.slot(mover, mv));
        let winner = self.policy.playout::<S>(&seen, target, &mut self.random, model, on_move);
        let mut value = LeafValue::won_by(winner);
        if !self.params.paper {
            let node = self.tree.node_mut(visit.node);
            if node.red_log_odds.is_nan() {
                let log_odds = Network::own().mover_log_odds::<S>(&visit.position, &visit.status, target);
                node.red_log_odds = log_odds * f32::from(visit.position.to_move().sign());
            }
            value.red = logistic(node.red_log_odds + f32::from(winner.sign()));
        }
        value.believed = believed.map_or(value.red, |winner| LeafValue::won_by(winner).red);
        value
    }

    /// Count the value in every node, edge and AMAF table of the trail, and let proofs travel up.
    #[inline(always)]
    fn backpropagate(&mut self, leaf: &Visit, value: LeafValue) {
        self.count(leaf.node, leaf.depth, value);
        let us = self.root.to_move();
        let mut mover = leaf.position.to_move();
        let mut proven_winner = self.tree.node(leaf.node).proven_winner;
        for ply in (0..leaf.depth).rev() {
            mover = mover.opponent();
            let (node, edge) = self.trail.steps[ply];
            self.count(node, ply, value);
            self.tree.update_edge(node, edge);
            let Some(winner) = proven_winner else { continue };
            let proven = if winner == mover {
                // An opponent by a model need not find the winning reply.
                self.model.is_none() || mover == us
            } else {
                // A node is lost with the last of its moves.
                self.tree.edge_mut(node, edge).lose(mover);
                self.tree.is_lost(node)
            };
            proven_winner = proven_winner.filter(|_| proven);
            if proven {
                self.tree.node_mut(node).proven_winner = proven_winner;
            }
        }
    }

    /// Count the value in a node `ply` plies below the root, and in its AMAF table, if there is one, for
    /// the moves from `ply` to the horizon.
    #[inline(always)]
    fn count(&mut self, node: NodeId, ply: usize, value: LeafValue) {
        let here = self.tree.node_mut(node);
        here.count(value.red);
        if self.replies == Replies::Believed {
            here.believed += value.believed;
        }
        let table = here.table;
        if table == NONE {
            return;
        }
        let end = self.trail.moves.min(ply + HORIZON);
        let table = self.tree.table_mut(table);
        for &slot in &self.trail.slots[ply.min(end)..end] {
            count_amaf(&mut table[usize::from(slot)], value.winner == Player::Red);
        }
    }
}
