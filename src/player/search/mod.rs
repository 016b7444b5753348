//! UCT-RAVE (§3) on α-Blackhole, one tree for each target, in one arena.
//!
//! - `iteration`: selection, expansion, playout, backpropagation, on one page.
//! - [`tree`], `amaf`: storage. [`selection`]: the formulas. `moves`: a node's moves.
//! - [`playout`]: default policies (§4.2). `responses`: a search against predictable opponents.
//! - `summary`: the findings of a tree.

mod amaf;
mod iteration;
mod moves;
pub mod playout;
mod responses;
pub mod selection;
mod summary;
#[cfg(test)]
mod tests;
pub mod tree;

use crate::alpha::Target;
use crate::board::{Move, Player};
use crate::limits::Limits;
use crate::opponent::ReplyModel;
use crate::params::Params;
use crate::position::Position;
use crate::rng::Random;
use crate::simd::Simd;
use iteration::Trail;
use playout::Policy;
pub use responses::{best_responses, Responses, RESPONSE_BYTES};
pub use summary::{Candidate, Line};
use tree::{Node, NodeId, Tree, NONE};

/// The most plies of a game.
const MAX_GAME_PLIES: usize = 36;

/// The replies that a tree expects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Replies {
    /// The best, except those that a [model](Search::model_replies) draws.
    Strong,
    /// The best to an opponent who judges by playouts of the paper's policy (§4.2): every node keeps two sums
    /// of outcomes, ours and those that the opponent believes in, and the player to move selects by its own.
    Believed,
}

/// The trees of all targets, rooted at one position.
pub struct Search {
    root: Position,
    /// By expected replies and target.
    roots: [[NodeId; Target::COUNT]; 2],
    tree: Tree,
    params: Params,
    policy: Policy,
    random: Random,
    replies: Replies,
    model: Option<ReplyModel>,
    /// The edges that the root for believed replies is restricted to, with the bonus of each.
    restricted: Vec<(usize, f32)>,
    trail: Trail,
    iterations: u64,
}

impl Search {
    /// Make trees without any iteration, using at most about `bytes` of memory.
    pub fn new(root: &Position, params: &Params, seed: u64, bytes: usize) -> Search {
        Search {
            root: *root,
            roots: [[NONE; Target::COUNT]; 2],
            tree: Tree::new(root, bytes),
            params: params.clone(),
            policy: Policy::of(params),
            random: Random::new(seed),
            replies: Replies::Strong,
            model: None,
            restricted: Vec::new(),
            trail: Trail::EMPTY,
            iterations: 0,
        }
    }

    /// Drop all trees and begin again at another position, in the same memory.
    pub fn restart(&mut self, root: &Position) {
        self.root = *root;
        self.roots = [[NONE; Target::COUNT]; 2];
        self.tree.reset(root);
    }

    /// Drop all trees, and from now on draw the replies that a model predicts; `None` ends that. A proof that
    /// the player to move wins holds against any replies. A proof that it loses comes only from the win test.
    pub fn model_replies(&mut self, model: Option<ReplyModel>) {
        if self.model.is_some() || model.is_some() {
            self.model = model;
            let root = self.root;
            self.restart(&root);
        }
    }

    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Tell whether the memory has no room for more nodes: iterations go on within the existing ones.
    pub fn is_full(&self) -> bool {
        self.tree.is_full()
    }

    /// Begin a tree for believed replies and restrict its root to some legal moves, each with a bonus to its
    /// value for the player to move. Tell whether the memory has room for it. Its runs end once
    /// all these moves are proven lost: that proves no win of the other player.
    pub fn restrict_root(&mut self, target: Target, among: &[(Move, f32)]) -> bool {
        self.tree.open_room(true);
        if self.tree.is_full() {
            return false;
        }
        let root = self.add_root(target, Replies::Believed);
        let edges = among.iter().map(|&(mv, bonus)| (self.tree.add_edge(root, mv.packed()), bonus));
        self.restricted.extend(edges);
        true
    }

    /// Begin a tree; for believed replies there is one at a time.
    fn add_root(&mut self, target: Target, replies: Replies) -> NodeId {
        let root = self.tree.add_node();
        if replies == Replies::Believed {
            self.roots[replies as usize] = [NONE; Target::COUNT];
            self.restricted.clear();
        }
        self.roots[replies as usize][target.index()] = root;
        root
    }

    fn root_of(&self, target: Target, replies: Replies) -> Option<NodeId> {
        Some(self.roots[replies as usize][target.index()]).filter(|&root| root != NONE)
    }

    fn root_node(&self, target: Target, replies: Replies) -> Option<&Node> {
        Some(self.tree.node(self.root_of(target, replies)?))
    }

    /// Return N(s) of the root of a target's tree for the best replies.
    pub fn visits(&self, target: Target) -> u32 {
        self.root_node(target, Replies::Strong).map_or(0, |root| root.visits)
    }

    /// Return Q(s) of the root of a target's tree for the best replies: Red's share of the wins,
    /// 0..=1, or the proven result. `None` without any iteration.
    pub fn red_value(&self, target: Target) -> Option<f32> {
        let root = self.root_node(target, Replies::Strong)?;
        match root.proven_winner {
            Some(winner) => Some(f32::from(winner == Player::Red)),
            None if root.visits == 0 => None,
            None => Some(root.red_wins() / root.visits as f32),
        }
    }

    pub fn proven_winner(&self, target: Target, replies: Replies) -> Option<Player> {
        self.root_node(target, replies)?.proven_winner
    }

    /// Run iterations of a tree (the paper's SIMULATE) until the limits are reached or the root is proven,
    /// and return their number; the clock is read every 32 iterations.
    pub fn run(&mut self, target: Target, replies: Replies, limits: &Limits) -> u64 {
        let root = self.root_of(target, replies).unwrap_or_else(|| self.add_root(target, replies));
        self.replies = replies;
        self.tree.open_room(replies == Replies::Believed || self.params.ahead == 0.0);
        let mut done = 0;
        let is_open = |it: &Search| it.tree.node(root).proven_winner.is_none() && !it.is_hopeless(root);
        while is_open(self) && !limits.reached(done) {
            let ran = iterate(self, target, root, 32.min(limits.nodes - done));
            done += ran;
            self.iterations += ran;
        }
        done
    }

    fn is_restricted(&self) -> bool {
        self.replies == Replies::Believed && !self.restricted.is_empty()
    }

    /// Tell whether all moves that the root is restricted to are proven lost.
    fn is_hopeless(&self, root: NodeId) -> bool {
        let edges = self.tree.edges(root);
        self.is_restricted() && self.restricted.iter().all(|&(edge, _)| edges[edge].is_lost())
    }
}

crate::dispatch! {
    /// Run a batch of iterations, fewer when the root gets proven.
    fn iterate<'a>(search: &'a mut Search, target: Target, root: NodeId, count: u64) -> u64 = iterate_body
}

#[inline(always)]
fn iterate_body<S: Simd>(search: &mut Search, target: Target, root: NodeId, count: u64) -> u64 {
    for done in 0..count {
        if search.tree.node(root).proven_winner.is_some() {
            return done;
        }
        search.iterate::<S>(target, root);
    }
    count
}
