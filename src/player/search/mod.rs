//! UCT-RAVE (§3) on α-Blackhole, one tree for each target, in one arena.
//!
//! [`tree`] stores, [`selection`] scores moves and `choose` the best one, [`playout`] plays games out; this file joins them: one
//! iteration is selection, expansion, playout and backpropagation (§3.0.2).

mod candidates;
mod choose;
mod expansion;
mod foretold;
pub mod playout;
pub mod selection;
mod settings;
mod share;
pub mod tree;

use std::time::Instant;

use crate::player::alpha::{Status, Target};
use crate::player::board::{Move, Player};
use crate::player::evaluation::Evaluation;
use crate::player::limits::Limits;
use crate::player::params::Params;
use crate::player::position::Position;
use crate::player::rng::Random;
use crate::player::simd::Simd;
pub use candidates::{Candidate, Line, rank};
use choose::Step;
pub use foretold::ReplyModel;
use foretold::SideNodes;
use playout::Policy;
use selection::logistic;
use settings::{AmafSource, Settings};
use tree::{Amaf, NONE, NodeId, Proof, Tree, pack, unpack};

/// The most nodes that survive a move.
pub const MOST_KEPT: usize = 100_000;

/// Who can prove the outcome of a position, for [`Search::prove_nodes`].
pub trait Prover: Send {
    /// Return who wins α-Blackhole under best play of both; `None` when the limits, counted from now in
    /// nodes of the prover, are reached first.
    fn prove(&mut self, position: &Position, target: Target, limits: &Limits) -> Option<Player>;
}

/// Return about how many nodes it takes to prove who wins a position with so many empty cells: four times as
/// many for each cell from 15 on.
const fn proving_cost(empty: u32) -> u64 {
    16 << (2 * empty.saturating_sub(15))
}

/// Whose replies a tree expects of the opponent of the player at its root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Replies {
    /// The best there are.
    Best,
    /// Those that look best to an opponent who judges by playouts of the paper's policy (§4.2) and searches as
    /// much as the tree does: opponent-model search. Every node then keeps two sums of outcomes, ours and what
    /// the opponent believes, and is selected from by that of the player to move.
    Believed,
}

/// Most plies of a game.
const MAX_PLIES: usize = 36;

/// What one iteration met on its way, reused from one to the next.
#[derive(Clone)]
struct Trail {
    /// Nodes selected from, with the edge taken or [`SIDE`].
    steps: [(NodeId, u32); MAX_PLIES],
    /// AMAF slots of all moves of the iteration, playout included.
    slots: [u16; MAX_PLIES],
    moves: usize,
}

/// In place of an edge: a foretold reply that has none.
const SIDE: u32 = u32::MAX;

/// The trees of all targets, rooted at one position.
pub struct Search {
    root: Position,
    /// For the best replies, and for believed ones.
    roots: [[NodeId; Target::COUNT]; 2],
    /// Whose replies the current run expects.
    replies: Replies,
    /// The root moves that trees for believed replies are to tell apart, with what is added to their values;
    /// none, if they try all moves.
    among: Vec<(Move, f32)>,
    /// The edges of these moves, in the current run.
    root_edges: Vec<(usize, f32)>,
    tree: Tree,
    /// The arena to copy into when the root moves on.
    spare: Option<Tree>,
    bytes: usize,
    settings: Settings,
    random: Random,
    /// Proves nodes, if there is one.
    prover: Option<Box<dyn Prover>>,
    /// When the current run ends.
    deadline: Option<Instant>,
    trail: Trail,
    /// Where the last playout was decided, if there was one, and if outcomes are shared.
    playout_end: Option<Position>,
    iterations: u64,
    playouts: u64,
    /// How often the opponent is taken to play any move at all, of 2³².
    blunder_bound: u64,
    /// What the opponent is taken to reply, if that can be foretold.
    model: Option<ReplyModel>,
    /// The nodes after foretold replies that have no edge.
    side: SideNodes,
}

impl Search {
    /// Make trees without any iteration, using at most about `bytes` of memory.
    pub fn new(root: &Position, params: &Params, seed: u64, bytes: usize) -> Search {
        // Two arenas take turns; one holds the trees, the other receives what survives a move.
        let bytes = bytes / 2;
        Search {
            root: *root,
            roots: [[NONE; Target::COUNT]; 2],
            replies: Replies::Best,
            among: Vec::new(),
            root_edges: Vec::new(),
            tree: Tree::new(root, bytes),
            spare: None,
            bytes,
            settings: Settings::new(params),
            random: Random::new(seed),
            prover: None,
            deadline: None,
            trail: Trail { steps: [(NONE, 0); MAX_PLIES], slots: [0; MAX_PLIES], moves: 0 },
            playout_end: None,
            iterations: 0,
            playouts: 0,
            blunder_bound: 0,
            model: None,
            side: SideNodes::new(),
        }
    }

    /// From now on take the opponent, in the tree, to play any move at all in a share of cases, 0..=1: what
    /// the trees then estimate is what can be reached against a weak player.
    pub fn expect_blunders(&mut self, share: f32) {
        self.blunder_bound = (f64::from(share.clamp(0.0, 1.0)) * 4_294_967_296.0) as u64;
    }

    /// From now on have nodes below the root proven, where that costs no more than `prove_effort` nodes of the
    /// prover for each visit: late in the game at the first visit, earlier in lines that are played often.
    pub fn prove_nodes(&mut self, prover: Box<dyn Prover>) {
        self.prover = Some(prover);
    }

    /// Return the position at the root.
    pub fn root(&self) -> &Position {
        &self.root
    }

    /// Return the iterations of this search since it was made.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Return the playouts among them; the others ended at a proven node.
    pub fn playouts(&self) -> u64 {
        self.playouts
    }

    /// Return the nodes stored in all trees.
    pub fn stored(&self) -> usize {
        self.tree.len()
    }

    /// Move the root on to `position`, keeping of every tree for the best replies the part below it: the position
    /// must be two moves (ours, the opponent's) after the root. Otherwise all trees are dropped.
    ///
    /// The tree for `aim` is kept first, then those of the targets around it, up to [`MOST_KEPT`] nodes in
    /// all: copying more would take longer than searching it again.
    pub fn advance(&mut self, position: &Position, aim: Target) {
        if *position == self.root {
            return;
        }
        // What is foretold may be another reply by now.
        let moves = moves_between(&self.root, position).filter(|_| self.model.is_none());
        self.root = *position;
        self.among.clear();
        let mut fresh = match self.spare.take() {
            Some(mut tree) => {
                tree.reset(position);
                tree
            }
            None => Tree::new(position, self.bytes),
        };
        let mut targets: Vec<Target> =
            (i32::from(Target::MIN.alpha())..=i32::from(Target::MAX.alpha())).map(Target::new).collect();
        targets.sort_by_key(|target| target.alpha().abs_diff(aim.alpha()));
        let [roots, believed] = &mut self.roots;
        *believed = [NONE; Target::COUNT];
        for (place, target) in targets.into_iter().enumerate() {
            let root = &mut roots[target.index()];
            let kept = match moves {
                Some(moves) if *root != NONE && place < self.settings.targets_kept => {
                    moves.iter().try_fold(*root, |node, &mv| self.tree.child(node, mv))
                }
                _ => None,
            };
            *root = match kept {
                Some(node) if !fresh.is_full() && fresh.len() < MOST_KEPT => {
                    fresh.copy_subtree(&self.tree, node, position, MOST_KEPT)
                }
                _ => NONE,
            };
        }
        self.spare = Some(std::mem::replace(&mut self.tree, fresh));
    }

    /// Until the root moves on, have trees for believed replies try only some legal moves at the root, each with
    /// so much added to its value for the player to move: what is searched is which of them is best by the sum.
    /// Without any moves they try all. Such trees that there are already are dropped. A new one may prove that the
    /// player to move wins, but not the other; its runs end when all these moves are proven lost.
    pub fn tell_apart(&mut self, among: Vec<(Move, f32)>) {
        self.among = among;
        // A root that not all moves were tried at must not be searched whole, nor the other way round.
        self.roots[Replies::Believed as usize] = [NONE; Target::COUNT];
    }

    /// Return the root node of the tree for a target, or [`NONE`].
    fn root_of(&self, target: Target, replies: Replies) -> NodeId {
        self.roots[replies as usize][target.index()]
    }

    /// Return N(s) of the root of a target's tree.
    pub fn visits(&self, target: Target) -> u32 {
        match self.root_of(target, Replies::Best) {
            NONE => 0,
            root => self.tree.node(root).visits,
        }
    }

    /// Return Q(s) of the root of a target's tree: the share of its iterations that Red won, 0..=1, or the
    /// proven result. `None` without any iteration.
    pub fn red_value(&self, target: Target) -> Option<f32> {
        let root = self.root_of(target, Replies::Best);
        if root == NONE {
            return None;
        }
        let node = self.tree.node(root);
        match node.proof {
            Proof::Red => Some(1.0),
            Proof::Blue => Some(0.0),
            Proof::Unknown if node.visits == 0 => None,
            Proof::Unknown => Some(node.red_wins() / node.visits as f32),
        }
    }

    /// Return what is proven of the root for a target.
    pub fn proof(&self, target: Target) -> Proof {
        self.proof_for(target, Replies::Best)
    }

    /// Return what the tree for a target and for some replies proves of the root. A proof says who wins with the
    /// best replies in any case.
    pub fn proof_for(&self, target: Target, replies: Replies) -> Proof {
        match self.root_of(target, replies) {
            NONE => Proof::Unknown,
            root => self.tree.node(root).proof,
        }
    }

    /// Run up to `count` iterations of the tree for a target and the best replies (the paper's SIMULATE); stops
    /// early when the root is proven or the limits are reached (the clock is read every 32 iterations). Returns
    /// the iterations done.
    pub fn run(&mut self, target: Target, count: u64, limits: &Limits) -> u64 {
        self.run_for(target, Replies::Best, count, limits)
    }

    /// Run iterations of the tree for a target and for some replies; see [`run`](Search::run).
    pub fn run_for(&mut self, target: Target, replies: Replies, count: u64, limits: &Limits) -> u64 {
        if self.root_of(target, replies) == NONE {
            self.roots[replies as usize][target.index()] = self.tree.add_node();
        }
        let root = self.root_of(target, replies);
        self.replies = replies;
        self.deadline = limits.deadline;
        self.find_root_edges(root);
        let mut done = 0;
        while done < count && self.tree.node(root).proof == Proof::Unknown && !self.is_hopeless(root) {
            if limits.reached(self.iterations) {
                break;
            }
            let batch = (count - done).min(32).min(limits.nodes - self.iterations);
            let ran = iterate(self, target, root, batch);
            done += ran;
            self.iterations += ran;
        }
        done
    }

    /// Tell whether all moves to tell apart are proven lost.
    fn is_hopeless(&self, root: NodeId) -> bool {
        let mut edges = self.root_edges.iter();
        !self.root_edges.is_empty() && edges.all(|&(edge, _)| self.tree.is_edge_lost(root, edge))
    }

    /// Find or make the edges of the moves to tell apart in this run.
    fn find_root_edges(&mut self, root: NodeId) {
        self.root_edges.clear();
        if self.replies == Replies::Best || self.tree.is_full() {
            return;
        }
        for &(mv, bonus) in &self.among {
            let mv = pack(mv);
            let known = self.tree.edges(root).moves.iter().position(|&other| other == mv);
            let edge = known.unwrap_or_else(|| self.tree.add_edge(root, mv, NONE, 0.5));
            self.root_edges.push((edge, bonus));
        }
    }
}

crate::player::dispatch! {
    /// Run a batch of iterations, fewer when the root gets proven.
    fn iterate<'a>(search: &'a mut Search, target: Target, root: NodeId, count: u64) -> u64 = iterate_body
}

#[inline(always)]
fn iterate_body<S: Simd>(search: &mut Search, target: Target, root: NodeId, count: u64) -> u64 {
    for done in 0..count {
        if search.tree.node(root).proof != Proof::Unknown {
            return done;
        }
        search.iterate_once::<S>(target, root);
    }
    count
}

/// What an iteration found: Red's value 0..=1, who won its playout (or the proven game), and the value as the
/// opponent believes it to be: the same unless the tree is one for believed replies.
#[derive(Clone, Copy)]
struct Outcome {
    red: f32,
    winner: Player,
    believed: f32,
}

impl Outcome {
    #[inline(always)]
    fn certain(winner: Player) -> Outcome {
        let red = f32::from(u8::from(winner == Player::Red));
        Outcome { red, winner, believed: red }
    }
}

impl Search {
    /// One iteration: selection, expansion, playout, backpropagation (§3.0.2).
    #[inline(always)]
    fn iterate_once<S: Simd>(&mut self, target: Target, root: NodeId) {
        let mut position = self.root;
        let mut node = root;
        let mut depth = 0;
        self.trail.moves = 0;
        // The table that a node without statistics of its own looks at: its parent's, or the deepest
        // ancestor's above the ref threshold.
        let mut inherited = NONE;
        let outcome = loop {
            let here = *self.tree.node(node);
            if let Some(winner) = here.proof.winner() {
                break Outcome::certain(winner);
            }
            let status = Status::of::<S>(&position, target);
            if here.visits == 0
                && let Some(winner) = status.winner(&position)
            {
                self.tree.node_mut(node).proof = Proof::of(winner);
                break Outcome::certain(winner);
            }
            // Each time the visits have doubled. A proof of the root would name no move.
            if depth > 0
                && here.visits & here.visits.wrapping_sub(1) == 0
                && let Some(winner) = self.prove(&position, target, here.visits)
                && (self.model.is_none() || winner == self.root.to_move())
            {
                self.tree.node_mut(node).proof = Proof::of(winner);
                break Outcome::certain(winner);
            }
            if here.visits < self.settings.expand_visits {
                break self.judge_leaf::<S>((position, status), target);
            }
            if here.table == NONE
                && here.visits >= self.settings.amaf_from
                && self.settings.source != AmafSource::Nobody
            {
                self.tree.add_table(node);
            }
            let own = self.tree.node(node).table;
            let table = match self.settings.source {
                AmafSource::Nobody => NONE,
                AmafSource::Own => own,
                _ if own != NONE && here.visits >= self.settings.amaf_ref => own,
                _ if inherited != NONE => inherited,
                _ => own,
            };
            inherited = match self.settings.source {
                // A parent too fresh to have statistics hands on those it uses itself.
                AmafSource::Priming if own != NONE => own,
                AmafSource::Priming | AmafSource::Grave => table,
                _ => NONE,
            };
            if position.to_move() != self.root.to_move() && self.blunders() {
                // Any move at all, and on from there without a node: it says nothing about good replies.
                let mv = Policy::Uniform.step::<S>(&(position, status), target, &mut self.random).0;
                self.note(position.to_move(), mv);
                position.play::<S>(mv);
                let status = Status::of::<S>(&position, target);
                break match status.winner(&position) {
                    Some(winner) => Outcome::certain(winner),
                    None => self.judge_leaf::<S>((position, status), target),
                };
            }
            if let Some(mv) = self.foretold(&position) {
                let Some((edge, child)) = self.after_foretold(node, mv) else {
                    break self.judge_leaf::<S>((position, status), target);
                };
                self.trail.steps[depth] = (node, edge);
                self.note(position.to_move(), mv);
                depth += 1;
                position.play::<S>(mv);
                node = child;
                continue;
            }
            let step = if depth == 0 && !self.root_edges.is_empty() {
                Some(self.select_told_apart(node, position.to_move()))
            } else if self.settings.ordered {
                self.select_opened::<S>(node, &position, &status, target, table)
            } else {
                Some(self.select(node, &position, &status, table))
            };
            // A full arena grows no more: what has no node yet is judged from the last one there is.
            let full = self.tree.is_full();
            let (edge, mv, child) = match step {
                None => break self.judge_leaf::<S>((position, status), target),
                Some(Step::New(_)) if full => break self.judge_leaf::<S>((position, status), target),
                Some(Step::Edge(edge)) => {
                    let edges = self.tree.edges(node);
                    let (mv, mut child) = (unpack(edges.moves[edge]), edges.children[edge]);
                    if child == NONE {
                        if full {
                            break self.judge_leaf::<S>((position, status), target);
                        }
                        child = self.tree.add_node();
                        self.tree.set_child(node, edge, child);
                    }
                    (edge, mv, child)
                }
                Some(Step::New(mv)) => {
                    let child = self.tree.add_node();
                    (self.tree.add_edge(node, pack(mv), child, 0.5), mv, child)
                }
            };
            self.trail.steps[depth] = (node, edge as u32);
            self.note(position.to_move(), mv);
            depth += 1;
            position.play::<S>(mv);
            node = child;
        };
        if self.replies == Replies::Believed {
            self.count_believed(node, depth, outcome.believed);
        }
        self.back_up(node, depth, outcome);
        if self.settings.share > 0 && self.replies == Replies::Best && self.model.is_none() {
            self.share_outcome::<S>(target, &position, depth, outcome.winner);
        }
    }

    /// Let the prover find who wins below a node, once its visits pay for the nodes that should take.
    #[inline(always)]
    fn prove(&mut self, position: &Position, target: Target, visits: u32) -> Option<Player> {
        let prover = self.prover.as_mut()?;
        let effort = (self.settings.prove_effort * (visits + 1) as f32) as u64;
        if effort < proving_cost(position.empty().len()) {
            return None;
        }
        prover.prove(position, target, &Limits { deadline: self.deadline, nodes: effort })
    }

    /// Draw whether the opponent blunders now.
    #[inline(always)]
    fn blunders(&mut self) -> bool {
        self.blunder_bound > 0 && self.random.bits() >> 32 < self.blunder_bound
    }

    #[inline(always)]
    fn note(&mut self, mover: Player, mv: Move) {
        self.trail.slots[self.trail.moves] = self.tree.slots().slot(mover, mv) as u16;
        self.trail.moves += 1;
    }

    /// Value a leaf: a playout, and with it the static formula.
    #[inline(always)]
    fn judge_leaf<S: Simd>(&mut self, seen: (Position, Status), target: Target) -> Outcome {
        self.playouts += 1;
        let believed = (self.replies == Replies::Believed).then(|| {
            let winner = Policy::Lottery.playout::<S>(&mut seen.clone(), target, &mut self.random, |_, _| {});
            Outcome::certain(winner).red
        });
        if let Some(model) = self.model {
            let winner = self.foretold_playout::<S>(seen, target, model.playout_bound());
            let outcome = self.leaf_outcome::<S>(&seen, target, winner);
            return Outcome { believed: believed.unwrap_or(outcome.red), ..outcome };
        }
        let (tree, trail) = (&self.tree, &mut self.trail);
        let mut end = seen;
        let winner = self.settings.policy.playout::<S>(&mut end, target, &mut self.random, |mover, mv| {
            trail.slots[trail.moves] = tree.slots().slot(mover, mv) as u16;
            trail.moves += 1;
        });
        if self.settings.share > 0 {
            self.playout_end = Some(end.0);
        }
        let outcome = self.leaf_outcome::<S>(&seen, target, winner);
        Outcome { believed: believed.unwrap_or(outcome.red), ..outcome }
    }

    /// Return the value of a leaf whose playout was won by `winner`.
    #[inline(always)]
    fn leaf_outcome<S: Simd>(&self, seen: &(Position, Status), target: Target, winner: Player) -> Outcome {
        if self.settings.leaf_playout == 0.0 {
            return Outcome::certain(winner);
        }
        let (position, status) = seen;
        let evaluation = Evaluation::of(position, target);
        let advantage = evaluation.advantage::<S>(position, status) * f32::from(position.to_move().sign());
        let outcome = self.settings.leaf_playout * f32::from(winner.sign());
        let red = logistic(self.settings.leaf_static * advantage + outcome);
        Outcome { red, winner, believed: red }
    }

    /// Count what the opponent believes of an iteration in every node of the trail.
    #[inline(always)]
    fn count_believed(&mut self, leaf: NodeId, depth: usize, red: f32) {
        self.tree.node_mut(leaf).believed += red;
        for &(node, _) in &self.trail.steps[..depth] {
            self.tree.node_mut(node).believed += red;
        }
    }

    /// Count the outcome in every node, edge and AMAF table of the trail, and let proofs travel up.
    #[inline(always)]
    fn back_up(&mut self, leaf: NodeId, depth: usize, outcome: Outcome) {
        let red_won = outcome.winner == Player::Red;
        self.tree.node_mut(leaf).count(outcome.red);
        let mut mover =
            if depth.is_multiple_of(2) { self.root.to_move() } else { self.root.to_move().opponent() };
        self.count_amaf(leaf, depth, red_won);
        let mut proof = self.tree.node(leaf).proof;
        for ply in (0..depth).rev() {
            mover = mover.opponent();
            let (node, edge) = self.trail.steps[ply];
            self.tree.node_mut(node).count(outcome.red);
            self.count_amaf(node, ply, red_won);
            if edge == SIDE {
                // It says nothing about the other replies.
                proof = Proof::Unknown;
                continue;
            }
            let edge = edge as usize;
            self.tree.update_edge(node, edge);
            if let Some(winner) = proof.winner() {
                if winner != mover {
                    self.tree.lose_edge(node, edge, mover);
                    if !self.tree.is_lost(node) {
                        proof = Proof::Unknown;
                    }
                }
                // Who is foretold need not find the reply that wins.
                if self.model.is_some() && winner == mover && mover != self.root.to_move() {
                    proof = Proof::Unknown;
                }
                if proof != Proof::Unknown {
                    self.tree.node_mut(node).proof = proof;
                }
            }
        }
    }

    /// Count the moves from `ply` to the horizon in the table of a node, if it has one.
    #[inline(always)]
    fn count_amaf(&mut self, node: NodeId, ply: usize, red_won: bool) {
        let table = self.tree.node(node).table;
        if table == NONE {
            return;
        }
        let end = self.trail.moves.min(ply + self.settings.horizon);
        let table = self.tree.table_mut(table);
        let step: Amaf = 1 | u32::from(red_won) << 16;
        for &slot in &self.trail.slots[ply.min(end)..end] {
            let entry = &mut table[usize::from(slot)];
            if *entry & 0xFFFF == 0xFFFF {
                // Both halves halved: the mean stays, the count is bounded.
                *entry = (*entry >> 1) & 0x7FFF_7FFF;
            }
            *entry += step;
        }
    }
}

/// Return the two moves that lead from one position to another, in order, if two do.
pub fn moves_between(from: &Position, to: &Position) -> Option<[Move; 2]> {
    let cells = from.empty() - to.empty();
    if cells.len() != 2 || !(to.empty() - from.empty()).is_empty() || from.to_move() != to.to_move() {
        return None;
    }
    let played = |player: Player| {
        let bits = from.hand(player).bits() & !to.hand(player).bits();
        let hand = crate::player::board::Hand::from_bits(bits);
        if hand.len() == 1 { hand.smallest() } else { None }
    };
    let mover = from.to_move();
    let stones = [played(mover)?, played(mover.opponent())?];
    let (a, b) = (cells.nth(0), cells.nth(1));
    [(a, b), (b, a)].into_iter().find_map(|(first, second)| {
        let moves = [Move::new(first, stones[0]), Move::new(second, stones[1])];
        let mut position = *from;
        let legal = moves.iter().all(|&mv| position.try_play(mv).is_ok());
        (legal && position == *to).then_some(moves)
    })
}
