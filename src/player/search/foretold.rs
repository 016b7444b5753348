//! Replies that a model of the opponent foretells, with a chance each, and the nodes they lead to.

use super::tree::{NONE, NodeId, Packed, pack};
use super::{SIDE, Search};
use crate::player::alpha::{Status, Target};
use crate::player::board::{Move, Player};
use crate::player::opponent::expectation;
use crate::player::position::Position;
use crate::player::simd::Simd;

/// An opponent who follows the expected score, more or less closely.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ReplyModel {
    /// The share of its replies that the model foretells, 0..=1; the others are taken to be the best there are.
    pub share: f32,
    /// How much likelier a foretold reply is for each point of expected score, as a natural logarithm.
    pub sharpness: f32,
}

/// Sharpness from which playouts foretell as many replies as the tree: the best expected score, which is what they
/// take, is then a fair guess. Below it they foretell fewer, in proportion.
const SHARP: f32 = 8.0;

impl ReplyModel {
    /// Return how often a reply is foretold in the tree, of 2³².
    #[inline(always)]
    pub(super) fn bound(&self) -> u64 {
        bound(self.share)
    }

    /// Return how often a reply is foretold in a playout, of 2³².
    #[inline(always)]
    pub(super) fn playout_bound(&self) -> u64 {
        bound(self.share * (self.sharpness / SHARP).min(1.0))
    }
}

#[inline(always)]
fn bound(share: f32) -> u64 {
    (f64::from(share.clamp(0.0, 1.0)) * 4_294_967_296.0) as u64
}

/// The nodes after foretold replies that have no edge: a hash table of a fixed size.
///
/// Such a reply may be one that is never opened, as it looks bad or is superfluous for the target.
pub(super) struct SideNodes {
    slots: Vec<Slot>,
    used: usize,
}

#[derive(Clone, Copy)]
struct Slot {
    node: NodeId,
    child: NodeId,
    mv: Packed,
}

const EMPTY: Slot = Slot { node: NONE, child: NONE, mv: 0 };

/// Slots of the table, 12 bytes each; a power of two.
const SLOTS: usize = 1 << 18;

impl SideNodes {
    /// Make a table without room: it is made when it is first cleared.
    pub fn new() -> SideNodes {
        SideNodes { slots: Vec::new(), used: 0 }
    }

    /// Forget all nodes.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.slots.resize(SLOTS, EMPTY);
        self.used = 0;
    }

    /// Return the node after a move of a node, or [`NONE`].
    #[inline(always)]
    pub fn find(&self, node: NodeId, mv: Packed) -> NodeId {
        if self.slots.is_empty() { NONE } else { self.slots[self.place(node, mv)].child }
    }

    /// Tell whether there is room for another node.
    #[inline(always)]
    pub fn has_room(&self) -> bool {
        self.used < self.slots.len() / 4 * 3
    }

    /// Add a node that is not there yet; there must be room.
    #[inline(always)]
    pub fn add(&mut self, node: NodeId, mv: Packed, child: NodeId) {
        debug_assert!(self.has_room());
        let place = self.place(node, mv);
        self.slots[place] = Slot { node, child, mv };
        self.used += 1;
    }

    /// Return where a move of a node is, or would be added.
    #[inline(always)]
    fn place(&self, node: NodeId, mv: Packed) -> usize {
        let key = u64::from(node) << 16 | u64::from(mv);
        let mut place = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize % SLOTS;
        loop {
            let slot = &self.slots[place];
            if slot.child == NONE || slot.node == node && slot.mv == mv {
                return place;
            }
            place = (place + 1) % SLOTS;
        }
    }
}

impl Search {
    /// From now on take the replies of the opponent, in the trees, to be foretold by a model, as often as it says;
    /// `None` ends that. What the trees then estimate is what can be reached against such an opponent, until the
    /// win test decides. They may still prove that the player to move wins against any replies; that it loses
    /// only where the win test says so. Drops all trees, unless there was no model and is none.
    pub fn foretell(&mut self, model: Option<ReplyModel>) {
        if self.model.is_none() && model.is_none() {
            return;
        }
        self.model = model;
        self.roots = [[NONE; Target::COUNT]; 2];
        self.tree.reset(&self.root);
        self.side.clear();
    }

    /// Draw whether the reply to a position is foretold now, and which one it is.
    #[inline(always)]
    pub(super) fn foretold(&mut self, position: &Position) -> Option<Move> {
        let model = self.model.filter(|_| position.to_move() != self.root.to_move())?;
        let now = self.random.bits() >> 32 < model.bound();
        now.then(|| expectation::likely_reply(position, model.sharpness, &mut self.random))
    }

    /// Find or make the node after a foretold reply; with the edge to it, or [`SIDE`] if the reply has none.
    /// `None` without memory for it.
    #[inline(always)]
    pub(super) fn after_foretold(&mut self, node: NodeId, mv: Move) -> Option<(u32, NodeId)> {
        let mv = pack(mv);
        let edges = self.tree.edges(node);
        let edge = edges.moves.iter().position(|&other| other == mv);
        let known = edge.map_or_else(|| self.side.find(node, mv), |edge| edges.children[edge]);
        let place = edge.map_or(SIDE, |edge| edge as u32);
        if known != NONE {
            return Some((place, known));
        }
        if self.tree.is_full() || edge.is_none() && !self.side.has_room() {
            return None;
        }
        let child = self.tree.add_node();
        match edge {
            Some(edge) => self.tree.set_child(node, edge, child),
            None => self.side.add(node, mv, child),
        }
        Some((place, child))
    }

    /// Play a position out with so many of the opponent's replies, of 2³², foretold; return the winner. AMAF
    /// statistics see nothing of it.
    #[inline(always)]
    pub(super) fn foretold_playout<S: Simd>(
        &mut self,
        mut seen: (Position, Status),
        target: Target,
        bound: u64,
    ) -> Player {
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
                self.settings.policy.step::<S>(&seen, target, &mut self.random).1
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::board::Cell;
    use crate::player::limits::Limits;
    use crate::player::params::Params;
    use crate::player::rng::{Random, scaled};
    use crate::player::simd::Portable;

    #[test]
    fn side_nodes_are_found_until_they_are_cleared() {
        let mut side = SideNodes::new();
        assert_eq!(side.find(3, 7), NONE);
        assert!(!side.has_room());
        side.clear();
        let entries = || (0..SLOTS as u32).map(|n| (n / 300, (n % 300) as Packed, n + 1));
        let mut added = 0;
        for (node, mv, child) in entries() {
            if side.has_room() {
                assert_eq!(side.find(node, mv), NONE);
                side.add(node, mv, child);
                added += 1;
            }
        }
        assert_eq!(added, SLOTS / 4 * 3);
        assert!(entries().take(added).all(|(node, mv, child)| side.find(node, mv) == child));
        side.clear();
        assert!(entries().all(|(node, mv, _)| side.find(node, mv) == NONE) && side.has_room());
    }

    /// Return Red's chance when the opponent of `us` follows a model, and both else know the best moves, until the
    /// win test decides.
    fn chance(position: &Position, target: Target, us: Player, model: &ReplyModel) -> f32 {
        if let Some(winner) = Status::of::<Portable>(position, target).winner(position) {
            return f32::from(u8::from(winner == Player::Red));
        }
        let mover = position.to_move();
        let mut chances: Vec<(Move, f32)> = expectation::chances(position, model.sharpness);
        let mut foretold = 0.0;
        for (mv, weight) in &mut chances {
            let red = chance(&position.after::<Portable>(*mv), target, us, model);
            foretold += *weight * red;
            *weight = red;
        }
        let all = chances.iter().map(|&(_, red)| red);
        let best = if mover == Player::Red { all.fold(0.0, f32::max) } else { all.fold(1.0, f32::min) };
        if mover == us { best } else { model.share * foretold + (1.0 - model.share) * best }
    }

    #[test]
    fn trees_estimate_the_chance_against_the_model() {
        let mut random = Random::new(3);
        let (mut apart, mut off) = (0, 0.0);
        for round in 0..30 {
            let blocked = (0..5).map(|n| Cell::from_ordinal(7 * n + round % 7).unwrap()).collect();
            let mut position = Position::codecup(blocked).unwrap();
            while position.empty().len() > 5 {
                let moves: Vec<Move> = position.legal_moves().collect();
                position.play::<Portable>(moves[scaled(random.bits() as u32, moves.len() as u32) as usize]);
            }
            let us = position.to_move();
            let model = ReplyModel { share: 0.7, sharpness: [1.0, 8.0][round % 2] };
            for alpha in -12..=12 {
                let target = Target::new(alpha);
                let exact = chance(&position, target, us, &model);
                if exact == 0.0 || exact == 1.0 {
                    continue;
                }
                let mut search = Search::new(&position, &Params::default(), 5, 16 << 20);
                search.foretell(Some(model));
                search.run(target, 20_000, &Limits::NONE);
                let found = search.candidates(target)[0].value;
                let found = if us == Player::Red { found } else { 1.0 - found };
                off += (found - exact).abs();
                apart += 1;
                assert!((found - exact).abs() < 0.1, "{found} is not {exact}: {position:?} for {target}");
            }
        }
        assert!(apart > 20 && off < 0.03 * apart as f32, "{off} in {apart}");
    }

    #[test]
    fn playouts_foretell_the_more_the_sharper() {
        let model = |sharpness| ReplyModel { share: 0.5, sharpness };
        assert_eq!(model(4.0).bound(), 1 << 31);
        let in_playouts = [0.0, 2.0, 8.0, 32.0].map(|sharpness| model(sharpness).playout_bound());
        assert_eq!(in_playouts, [0, 1 << 29, 1 << 31, 1 << 31]);
    }
}
