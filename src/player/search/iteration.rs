//! One iteration: selection, expansion, playout, backpropagation (§3.0.2).

use super::amaf::count_amaf;
use super::moves::Visit;
use super::playout::Policy;
use super::selection::logistic;
use super::tree::{NodeId, NONE};
use super::{AmafSource, Assumed, Search, MAX_PLIES};
use crate::alpha::{Status, Target};
use crate::board::{Move, Player};
use crate::network::Network;
use crate::params::Params;
use crate::simd::Simd;

/// What one iteration met on its way, reused from one to the next.
#[derive(Clone)]
pub(super) struct Trail {
    /// Nodes selected from, with the edge taken.
    steps: [(NodeId, u32); MAX_PLIES],
    /// AMAF slots of all moves of the iteration, playout included.
    slots: [u16; MAX_PLIES],
    moves: usize,
}

impl Trail {
    pub const EMPTY: Trail = Trail { steps: [(NONE, 0); MAX_PLIES], slots: [0; MAX_PLIES], moves: 0 };
}

/// What an iteration found.
#[derive(Clone, Copy)]
struct IterationResult {
    /// Red's value, 0..=1.
    red: f32,
    /// Who won the playout, or the proven game.
    winner: Player,
    /// Red's value as the opponent believes it to be, in a tree for believed replies.
    believed: f32,
}

/// Return Red's value of a won game: 1 or 0.
#[inline(always)]
fn value_of_win(winner: Player) -> f32 {
    f32::from(u8::from(winner == Player::Red))
}

impl Search {
    /// Run one iteration of the tree with this root.
    #[inline(always)]
    pub(super) fn iterate<S: Simd>(&mut self, target: Target, root: NodeId) {
        let position = self.root;
        let status = Status::of::<S>(&position, target);
        let mut visit = Visit { node: root, position, status, depth: 0, table: NONE, inherited: NONE };
        self.trail.moves = 0;
        let outcome = loop {
            if let Some(winner) = self.decided::<S>(&mut visit, target) {
                let red = value_of_win(winner);
                break IterationResult { red, winner, believed: red };
            }
            if self.tree.node(visit.node).visits < self.params.expand_visits {
                break self.play_out::<S>(&visit, target);
            }
            self.choose_table(&mut visit);
            let Some((edge, mv, child)) = self.step::<S>(&visit, target) else {
                break self.play_out::<S>(&visit, target);
            };
            self.trail.steps[visit.depth] = (visit.node, edge as u32);
            self.note(visit.position.to_move(), mv);
            visit.position.play::<S>(mv);
            visit.node = child;
            visit.depth += 1;
        };
        self.back_up(&visit, outcome);
    }

    /// Return who is known to win at a node: by a proof, or by the win test (§2.3.2) at the first
    /// visit.
    #[inline(always)]
    fn decided<S: Simd>(&mut self, visit: &mut Visit, target: Target) -> Option<Player> {
        let node = self.tree.node_mut(visit.node);
        if node.proof.is_none() {
            visit.status = Status::of::<S>(&visit.position, target);
            if node.visits == 0 {
                node.proof = visit.status.winner(&visit.position);
            }
        }
        node.proof
    }

    /// Choose the AMAF statistics that selection uses at a node (§3.0.4, §3.1). In a tree for believed
    /// replies there are none: they would tell the opponent what it does not believe.
    #[inline(always)]
    fn choose_table(&mut self, visit: &mut Visit) {
        let source = self.amaf_source;
        if source == AmafSource::Nobody || self.assumed == Assumed::Believed {
            return;
        }
        let visits = self.tree.node(visit.node).visits;
        if self.tree.node(visit.node).table == NONE && (source == AmafSource::Own || visits >= AMAF_FROM) {
            self.tree.add_table(visit.node);
        }
        let own = self.tree.node(visit.node).table;
        visit.table = match source {
            AmafSource::Own => own,
            _ if own != NONE && visits >= REF_THRESHOLD => own,
            _ if visit.inherited != NONE => visit.inherited,
            _ => own,
        };
        // With priming a child sees its parent's; a parent too fresh for any hands on what it uses.
        visit.inherited = if source == AmafSource::Priming && own != NONE { own } else { visit.table };
    }

    /// Select a move and find or make the node it leads to (selection and expansion); `None` when
    /// there is no memory for that node.
    #[inline(always)]
    fn step<S: Simd>(&mut self, visit: &Visit, target: Target) -> Option<(usize, Move, NodeId)> {
        let edge = match self.modelled_reply(&visit.position) {
            Some(mv) => match self.tree.edge_of(visit.node, mv) {
                Some(edge) => edge,
                None if self.tree.is_full() => return None,
                None => self.tree.add_edge(visit.node, mv.packed(), NONE),
            },
            None => self.select::<S>(visit, target)?,
        };
        let edges = self.tree.edges(visit.node);
        let (mv, mut child) = (Move::unpacked(edges.moves[edge]), edges.children[edge]);
        if child == NONE {
            if self.tree.is_full() {
                return None;
            }
            child = self.tree.add_node();
            self.tree.set_child(visit.node, edge, child);
        }
        Some((edge, mv, child))
    }

    /// Note a move of the iteration for the AMAF statistics.
    #[inline(always)]
    pub(super) fn note(&mut self, mover: Player, mv: Move) {
        self.trail.slots[self.trail.moves] = self.tree.slots().slot(mover, mv) as u16;
        self.trail.moves += 1;
    }

    /// Value a leaf: a playout, and with it the network.
    #[inline(always)]
    fn play_out<S: Simd>(&mut self, visit: &Visit, target: Target) -> IterationResult {
        let seen = (visit.position, visit.status);
        let believed = match self.assumed {
            Assumed::Believed => {
                let mut seen = seen;
                Some(value_of_win(Policy::Lottery.playout::<S>(
                    &mut seen,
                    target,
                    &mut self.random,
                    |_, _| {},
                )))
            }
            Assumed::Best => None,
        };
        let winner = if self.model.is_some() {
            self.modelled_playout::<S>(seen, target)
        } else {
            let (tree, trail) = (&self.tree, &mut self.trail);
            self.policy.playout::<S>(&mut seen.clone(), target, &mut self.random, |mover, mv| {
                trail.slots[trail.moves] = tree.slots().slot(mover, mv) as u16;
                trail.moves += 1;
            })
        };
        let red = self.leaf_value::<S>(visit, target, winner);
        IterationResult { red, winner, believed: believed.unwrap_or(red) }
    }

    /// Return Red's value of a leaf whose playout was won by `winner`, 0..=1.
    #[inline(always)]
    fn leaf_value<S: Simd>(&mut self, visit: &Visit, target: Target, winner: Player) -> f32 {
        let Params { leaf_network, leaf_playout, .. } = self.params;
        if leaf_network == 0.0 && leaf_playout == 0.0 {
            return value_of_win(winner);
        }
        let node = self.tree.node_mut(visit.node);
        if node.judged.is_nan() {
            let (position, status) = (&visit.position, &visit.status);
            let advantage = Network::own().advantage::<S>(position, status, target);
            node.judged = advantage * f32::from(position.to_move().sign());
        }
        logistic(leaf_network * node.judged + leaf_playout * f32::from(winner.sign()))
    }

    /// Count the outcome in every node, edge and AMAF table of the trail, and let proofs travel up.
    #[inline(always)]
    fn back_up(&mut self, leaf: &Visit, outcome: IterationResult) {
        self.count(leaf.node, leaf.depth, outcome);
        let us = self.root.to_move();
        let mut mover = leaf.position.to_move();
        let mut proof = self.tree.node(leaf.node).proof;
        for ply in (0..leaf.depth).rev() {
            mover = mover.opponent();
            let (node, edge) = self.trail.steps[ply];
            self.count(node, ply, outcome);
            self.tree.update_edge(node, edge as usize);
            match proof {
                None => continue,
                // One of the moves loses: the node is lost with the last of them.
                Some(winner) if winner != mover => {
                    self.tree.lose_edge(node, edge as usize, mover);
                    if !self.tree.is_lost(node) {
                        proof = None;
                    }
                }
                // An opponent who follows a model need not find the reply that wins.
                Some(_) if self.model.is_some() && mover != us => proof = None,
                Some(_) => {}
            }
            if proof.is_some() {
                self.tree.node_mut(node).proof = proof;
            }
        }
    }

    /// Count the outcome in a node `ply` plies below the root and in its AMAF table, if it has one:
    /// there the moves from `ply` to the horizon.
    #[inline(always)]
    fn count(&mut self, node: NodeId, ply: usize, outcome: IterationResult) {
        let here = self.tree.node_mut(node);
        here.count(outcome.red);
        if self.assumed == Assumed::Believed {
            here.believed += outcome.believed;
        }
        let table = here.table;
        if table == NONE {
            return;
        }
        let end = self.trail.moves.min(ply + HORIZON);
        let table = self.tree.table_mut(table);
        for &slot in &self.trail.slots[ply.min(end)..end] {
            count_amaf(&mut table[usize::from(slot)], outcome.winner == Player::Red);
        }
    }
}

/// RAVE horizon h in plies (§3.0.4): an action counts for a node at most this many plies above it.
const HORIZON: usize = 8;
/// Ref threshold of priming and GRAVE (§3.1): visits from which a node's own AMAF statistics are used.
const REF_THRESHOLD: u32 = 50;
/// Visits from which a node collects AMAF statistics of its own for priming and GRAVE; memory is
/// saved below.
const AMAF_FROM: u32 = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::simd::Portable;
    use crate::testing;

    /// An action counts for a node at most a horizon above it (§3.0.4): half of those for each side.
    #[test]
    fn the_roots_amaf_statistics_are_of_the_plies_within_the_horizon() {
        let position = testing::random_game(&mut testing::rng(9))[0];
        let params = Params { paper: true, amaf_source: 1, ..Params::default() };
        let (target, count) = (Target::new(0), 2_000);
        let mut search = Search::new(&position, &params, 9, 32 << 20);
        search.run(target, &Limits::nodes(count));
        let root = search.tree.node(search.root_of(target, Assumed::Best));
        let (table, slots) = (search.tree.table(root.table), search.tree.slots());
        let counted = |mover| {
            let hand = position.hand(mover).iter();
            let rows = hand.map(|stone| &table[slots.row(mover, stone)..][..slots.stride]);
            rows.flatten().map(|&entry| u64::from(entry & 0xFFFF)).sum::<u64>()
        };
        // The first visits of a node, before its moves are searched, have no table.
        let with_table = count - u64::from(params.expand_visits) + 1;
        let of_each = with_table * HORIZON as u64 / 2;
        let missing = Player::BOTH.map(|mover| of_each - counted(mover));
        assert!(missing[0] == missing[1] && missing[0] <= HORIZON as u64 / 2, "{missing:?}");
    }

    /// The first iteration values the root alone: by the network, by a playout, or by both.
    #[test]
    fn a_leaf_is_worth_the_networks_judgement_and_a_playouts_outcome() {
        let mut rng = testing::rng(71);
        let (mut judged, mut won) = (0, 0);
        for game in 0..60 {
            let position = testing::random_play(&mut rng, 12 + game % 15);
            let target = Target::new(i32::from(game as u8 % 7) - 3);
            let status = Status::of::<Portable>(&position, target);
            if status.winner(&position).is_some() {
                continue;
            }
            let value = |leaf_network: f32, leaf_playout: f32| {
                let params = Params { leaf_network, leaf_playout, ..Params::default() };
                let mut search = Search::new(&position, &params, 5, 1 << 20);
                search.run(target, &Limits::nodes(1));
                search.red_value(target).expect("an iteration")
            };
            let red = f32::from(position.to_move().sign());
            let advantage = red * Network::own().advantage::<Portable>(&position, &status, target);
            let outcome = value(0.0, 0.0);
            assert!(outcome == 0.0 || outcome == 1.0);
            let sign = 2.0 * outcome - 1.0;
            for (network, playout) in [(1.0, 0.0), (1.0, 1.5), (0.5, 1.0)] {
                let expected = logistic(network * advantage + playout * sign);
                assert!((value(network, playout) - expected).abs() < 1e-6, "{position:?} for {target}");
            }
            judged += 1;
            won += usize::from(outcome == 1.0);
        }
        assert!(judged > 40 && (5..judged - 5).contains(&won), "{won} of {judged}");
    }
}
