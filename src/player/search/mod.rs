//! UCT-RAVE (§3) on α-Blackhole, one tree for each target, in one arena.
//!
//! - `iteration`: select, expand, play out, back up, on one page.
//! - [`tree`], [`amaf`]: storage. [`selection`]: the formulas. `moves`: a node's moves.
//! - [`playout`]: default policies (§4.2). `replies`: what the opponent is expected to reply; the
//!   search knows a trait, not who implements it.
//! - `summary`: what a tree has found.

pub mod amaf;
mod iteration;
mod moves;
pub mod playout;
mod replies;
pub mod selection;
mod summary;
pub mod tree;

use crate::alpha::Target;
use crate::board::{Move, Player};
use crate::limits::Limits;
use crate::params::Params;
use crate::position::Position;
use crate::rng::Random;
use crate::simd::Simd;
use iteration::Trail;
use playout::Policy;
pub use replies::{Assumed, Replies};
pub use summary::{Candidate, Line};
use tree::{Node, NodeId, Tree, NONE};

/// Most plies of a game.
const MAX_PLIES: usize = 36;

/// Whose AMAF statistics a node's selection uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AmafSource {
    /// Nobody's: plain UCT.
    Nobody,
    /// Its own: RAVE.
    Own,
    /// Its own from the ref threshold on, its parent's below (§3.1).
    Priming,
    /// Those of the deepest ancestor at or above the ref threshold.
    Grave,
}

impl AmafSource {
    fn of(params: &Params) -> AmafSource {
        match params.amaf_source {
            0 => AmafSource::Nobody,
            1 => AmafSource::Own,
            2 => AmafSource::Priming,
            _ => AmafSource::Grave,
        }
    }
}

/// The trees of all targets, rooted at one position.
pub struct Search {
    root: Position,
    /// For the best replies, and for believed ones.
    roots: [[NodeId; Target::COUNT]; 2],
    tree: Tree,
    params: Params,
    amaf_source: AmafSource,
    policy: Policy,
    random: Random,
    assumed: Assumed,
    model: Option<Box<dyn Replies>>,
    /// The moves that roots for believed replies are restricted to, with what is added to their
    /// values.
    among: Vec<(Move, f32)>,
    /// The edges of these moves in the current run.
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
            amaf_source: AmafSource::of(params),
            policy: Policy::of(params),
            random: Random::new(seed),
            assumed: Assumed::Best,
            model: None,
            among: Vec::new(),
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
        self.among.clear();
    }

    /// Return the position at the root.
    pub fn root(&self) -> &Position {
        &self.root
    }

    /// Return the iterations of this search since it was made.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Return the nodes stored in all trees.
    pub fn stored(&self) -> usize {
        self.tree.stored()
    }

    /// Restrict the root of trees for believed replies to some legal moves, each with so much added
    /// to its value for the player to move: what is searched is which of them is best by the sum.
    /// Without any moves they try all.
    ///
    /// Such trees that there are already are dropped. A new one may prove that the player to move
    /// wins, but not the other; its runs end when all these moves are proven lost.
    pub fn restrict_root(&mut self, among: Vec<(Move, f32)>) {
        self.among = among;
        // A root that not all moves were tried at must not be searched whole, nor the other way
        // round.
        self.roots[Assumed::Believed as usize] = [NONE; Target::COUNT];
    }

    /// Return the root node of the tree for a target, or [`NONE`].
    fn root_of(&self, target: Target, assumed: Assumed) -> NodeId {
        self.roots[assumed as usize][target.index()]
    }

    /// Return the root of the tree for a target, if there is one.
    fn root_node(&self, target: Target, assumed: Assumed) -> Option<&Node> {
        let root = self.root_of(target, assumed);
        (root != NONE).then(|| self.tree.node(root))
    }

    /// Return N(s) of the root of a target's tree.
    pub fn visits(&self, target: Target) -> u32 {
        self.root_node(target, Assumed::Best).map_or(0, |root| root.visits)
    }

    /// Return Q(s) of the root of a target's tree: the share of its iterations that Red won, 0..=1,
    /// or the proven result. `None` without any iteration.
    pub fn red_value(&self, target: Target) -> Option<f32> {
        let root = self.root_node(target, Assumed::Best)?;
        match root.proof {
            Some(winner) => Some(f32::from(u8::from(winner == Player::Red))),
            None if root.visits == 0 => None,
            None => Some(root.red_wins() / root.visits as f32),
        }
    }

    /// Return the player who is proven to win a target's game at the root.
    pub fn proof(&self, target: Target) -> Option<Player> {
        self.proof_for(target, Assumed::Best)
    }

    /// Return whom the tree for a target and for some replies proves to win. A proof says who wins
    /// with the best replies in any case.
    pub fn proof_for(&self, target: Target, assumed: Assumed) -> Option<Player> {
        self.root_node(target, assumed)?.proof
    }

    /// Run iterations of the tree for a target and the best replies (the paper's SIMULATE) until
    /// the limits are reached or the root is proven; the clock is read every 32 iterations. Return
    /// the iterations done.
    pub fn run(&mut self, target: Target, limits: &Limits) -> u64 {
        self.run_for(target, Assumed::Best, limits)
    }

    /// Run iterations of the tree for a target and for some replies; see [`run`](Search::run).
    pub fn run_for(&mut self, target: Target, assumed: Assumed, limits: &Limits) -> u64 {
        if self.root_of(target, assumed) == NONE {
            self.roots[assumed as usize][target.index()] = self.tree.add_node();
        }
        let root = self.root_of(target, assumed);
        self.assumed = assumed;
        self.find_restricted(root);
        let mut done = 0;
        while self.tree.node(root).proof.is_none() && !self.is_hopeless(root) && !limits.reached(done) {
            let ran = iterate(self, target, root, 32.min(limits.nodes - done));
            done += ran;
            self.iterations += ran;
        }
        done
    }

    /// Tell whether all moves that the root is restricted to are proven lost.
    fn is_hopeless(&self, root: NodeId) -> bool {
        let mut edges = self.restricted.iter();
        !self.restricted.is_empty() && edges.all(|&(edge, _)| self.tree.is_edge_lost(root, edge))
    }

    /// Find or make the edges of the moves that the root is restricted to in this run.
    fn find_restricted(&mut self, root: NodeId) {
        self.restricted.clear();
        if self.assumed == Assumed::Best || self.tree.is_full() {
            return;
        }
        for &(mv, bonus) in &self.among {
            let known = self.tree.edge_of(root, mv);
            let edge = known.unwrap_or_else(|| self.tree.add_edge(root, mv.packed(), NONE));
            self.restricted.push((edge, bonus));
        }
    }
}

crate::dispatch! {
    /// Run a batch of iterations, fewer when the root gets proven.
    fn iterate<'a>(search: &'a mut Search, target: Target, root: NodeId, count: u64) -> u64 = iterate_body
}

#[inline(always)]
fn iterate_body<S: Simd>(search: &mut Search, target: Target, root: NodeId, count: u64) -> u64 {
    for done in 0..count {
        if search.tree.node(root).proof.is_some() {
            return done;
        }
        search.iterate::<S>(target, root);
    }
    count
}
