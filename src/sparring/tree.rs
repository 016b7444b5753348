//! The search of `uct` and `filtered`: UCT over a graph of positions with solved nodes.

use std::collections::HashMap;

use crate::player::alpha::{Status, Target};
use crate::player::board::{CellSet, Move, Player};
use crate::player::limits::Limits;
use crate::player::opponent::random_move;
use crate::player::position::Position;
use crate::player::rng::{Random, scaled};
use crate::player::simd::Simd;

/// The most edges, 8 bytes each; a full tree, or one without more memory from the system, stops growing.
const MAX_EDGES: usize = 6 << 20;
const EXPLORATION: f32 = 0.3;
/// The visits before the analysis of a node's cells.
const KNOWLEDGE: u32 = 8;

#[derive(Clone, Copy, Default)]
pub(super) struct UctNode {
    pub visits: u32,
    /// The mean outcome (1 won, 0 drawn, -1 lost), or once solved the outcome of best play: from Red's view;
    /// in the results for the root's moves, from the mover's.
    pub value: f32,
    pub solved: bool,
    analysed: bool,
    first: u32,
    count: u16,
    /// The number of edges followed so far: they are the first ones.
    tried: u16,
}

#[derive(Clone, Copy)]
struct UctEdge {
    mv: Move,
    /// The node at its end; 0 if never followed.
    child: u32,
}

/// A search and its memory, used for move after move.
pub(super) struct UctTree {
    rng: Random,
    nodes: Vec<UctNode>,
    edges: Vec<UctEdge>,
    /// Nodes by the key of their position.
    table: HashMap<u64, u32>,
}

impl UctTree {
    pub fn new(rng: Random) -> UctTree {
        UctTree { rng, nodes: Vec::new(), edges: Vec::new(), table: HashMap::new() }
    }

    /// Search a position in a new tree, with `moves` at the root, until a limit or the solution; return the moves and
    /// the number of simulations.
    pub fn search(
        &mut self,
        position: &Position,
        moves: &[Move],
        limits: &Limits,
    ) -> (Vec<(Move, UctNode)>, u64) {
        self.nodes.clear();
        self.edges.clear();
        self.table.clear();
        let root = UctNode { count: moves.len() as u16, analysed: true, ..UctNode::default() };
        // Node 0 stands for "none".
        self.nodes.extend([UctNode::default(), root]);
        self.edges.extend(moves.iter().map(|&mv| UctEdge { mv, child: 0 }));
        let mut done = 0;
        while !limits.reached(done) && !self.nodes[1].solved {
            (0..32).for_each(|_| simulate(self, position));
            done += 32;
        }
        let sign = f32::from(position.to_move().sign());
        let found = |edge: &UctEdge| {
            let node = self.nodes[edge.child as usize];
            (edge.mv, UctNode { value: sign * node.value, ..node })
        };
        (self.edges[..moves.len()].iter().map(found).collect(), done)
    }

    /// Go down to a new or solved node, play a random game from there, and back up.
    #[inline(always)]
    fn simulate<S: Simd>(&mut self, root: &Position) {
        let mut position = *root;
        let mut path = [1u32; 32];
        let mut length = 1;
        let outcome = loop {
            let id = path[length - 1];
            let node = self.nodes[id as usize];
            if node.solved {
                break node.value;
            }
            if node.count == 0 && (node.visits == 0 || !self.expand(id, &position)) {
                break random_outcome::<S>(position, &mut self.rng);
            }
            let due = !node.analysed && node.visits >= KNOWLEDGE;
            if due && self.analyse::<S>(id, &position) {
                break self.nodes[id as usize].value;
            }
            let edge = self.select(id, position.to_move());
            let is_new = self.edges[edge].child == 0;
            if is_new && (self.nodes.try_reserve(1).is_err() || self.table.try_reserve(1).is_err()) {
                break random_outcome::<S>(position, &mut self.rng);
            }
            position.play::<S>(self.edges[edge].mv);
            path[length] = self.child(edge, &position);
            length += 1;
        };
        let mut mover = position.to_move();
        for step in (0..length).rev() {
            let id = path[step] as usize;
            if step + 1 < length && self.nodes[path[step + 1] as usize].solved {
                self.solve(id, mover);
            }
            let node = &mut self.nodes[id];
            node.visits += 1;
            if !node.solved {
                node.value += (outcome - node.value) / node.visits as f32;
            }
            mover = mover.opponent();
        }
    }

    /// Return the node at the end of an edge: a new one, or one reached before by another order of moves.
    fn child(&mut self, edge: usize, position: &Position) -> u32 {
        let edge = &mut self.edges[edge];
        if edge.child == 0 {
            let next = self.nodes.len() as u32;
            edge.child = *self.table.entry(key(position)).or_insert(next);
            if edge.child == next {
                let score = position.final_score();
                let value = score.map_or(0.0, |score| f32::from(score.signum()));
                self.nodes.push(UctNode { value, solved: score.is_some(), ..UctNode::default() });
            }
        }
        edge.child
    }

    /// Add the moves of a node; `false` without room.
    fn expand(&mut self, id: u32, position: &Position) -> bool {
        let first = self.edges.len();
        if first + 512 > MAX_EDGES || self.edges.try_reserve(512).is_err() {
            return false;
        }
        self.edges.extend(position.legal_moves().map(|mv| UctEdge { mv, child: 0 }));
        let node = &mut self.nodes[id as usize];
        (node.first, node.count) = (first as u32, (self.edges.len() - first) as u16);
        true
    }

    /// Analyse the cells of a node: return whether the game is decided, and remove superfluous moves.
    ///
    /// The counterpart of dead and captured cells in Hex: a cell stale for both targets, "Red wins" and "Red
    /// does not lose", has no influence any more, so only the least stone is tried on it.
    fn analyse<S: Simd>(&mut self, id: u32, position: &Position) -> bool {
        let statuses = [1, 0].map(|alpha| Status::of::<S>(position, Target::new(alpha)));
        let node = &mut self.nodes[id as usize];
        node.analysed = true;
        if let Some(outcome) = outcome(statuses.each_ref().map(|status| status.winner(position))) {
            (node.value, node.solved) = (f32::from(outcome), true);
        }
        let [wins, holds] = statuses.map(|status| status.stale(Player::Red) | status.stale(Player::Blue));
        let idle: CellSet = wins & holds;
        let least = position.hand(position.to_move()).smallest();
        let kept = |edge: &UctEdge| !idle.contains(edge.mv.cell) || Some(edge.mv.stone) == least;
        let edges = &mut self.edges[node.first as usize..][..usize::from(node.count)];
        node.tried = edges[..usize::from(node.tried)].iter().filter(|edge| kept(edge)).count() as u16;
        // Kept moves go to the front, the followed ones first.
        edges.sort_by_key(|edge| !kept(edge));
        node.count = edges.partition_point(kept) as u16;
        node.solved
    }

    /// Choose the edge of the highest `val(N') + C √(ln vis(N) / vis(N'))`, for the mover.
    #[inline(always)]
    fn select(&mut self, id: u32, mover: Player) -> usize {
        let node = &mut self.nodes[id as usize];
        let (first, tried) = (node.first as usize, usize::from(node.tried));
        let (count, log) = (u32::from(node.count), (node.visits.max(1) as f32).ln());
        let sign = f32::from(mover.sign());
        let mut best = (f32::NEG_INFINITY, first);
        for (index, edge) in self.edges[first..first + tried].iter().enumerate() {
            let child = self.nodes[edge.child as usize];
            // A solved child has nothing to explore.
            let exploration = if child.solved { 0.0 } else { EXPLORATION };
            let term = sign * child.value + exploration * (log / child.visits.max(1) as f32).sqrt();
            if term > best.0 {
                best = (term, first + index);
            }
        }
        // All children never visited have the value 0 and count one visit.
        let unvisited = EXPLORATION * log.sqrt();
        let (untried, left) = (first + tried, count - tried as u32);
        if left == 0 || best.0 >= unvisited {
            return best.1;
        }
        self.edges.swap(untried, untried + scaled(self.rng.bits() as u32, left) as usize);
        self.nodes[id as usize].tried += 1;
        untried
    }

    /// Solve a node after its child was solved: won if a child is won for the mover, else solved once all
    /// children are.
    fn solve(&mut self, id: usize, mover: Player) {
        let UctNode { first, count, .. } = self.nodes[id];
        let children = self.edges[first as usize..][..usize::from(count)].iter();
        let mut children = children.map(|edge| self.nodes[edge.child as usize]);
        let sign = f32::from(mover.sign());
        let solved = children.clone().filter(|child| child.solved).map(|child| sign * child.value);
        let best = solved.fold(-1.0, f32::max);
        if best == 1.0 || children.all(|child| child.solved) {
            (self.nodes[id].value, self.nodes[id].solved) = (sign * best, true);
        }
    }
}

/// Return the outcome of a position for Red, 1, 0 or -1; `None` unless counting dead cells decides it.
pub(super) fn decided<S: Simd>(position: &Position) -> Option<i8> {
    outcome([1, 0].map(|alpha| Status::of::<S>(position, Target::new(alpha)).winner(position)))
}

/// Return the outcome for Red from the winners at the targets "Red wins" and "Red does not lose".
fn outcome(winners: [Option<Player>; 2]) -> Option<i8> {
    match winners {
        [Some(Player::Red), _] => Some(1),
        [_, Some(Player::Blue)] => Some(-1),
        [Some(Player::Blue), Some(Player::Red)] => Some(0),
        _ => None,
    }
}

/// Return a hash of the empty cells, their scores, the hands and the mover: they decide the rest of the game.
pub(super) fn key(position: &Position) -> u64 {
    let mix =
        |state: u64, part: u64| (state ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ part;
    let [red, blue] = Player::BOTH.map(|player| u64::from(position.hand(player).bits()));
    let start = mix(mix(position.empty().bits(), red << 16 | blue), position.to_move() as u64);
    position.empty().into_iter().fold(start, |state, cell| mix(state, position.score(cell) as u64))
}

crate::player::dispatch! {
    fn simulate<'a>(tree: &'a mut UctTree, root: &'a Position) -> () = UctTree::simulate
}

/// Play at random to the end; return the outcome for Red.
#[inline(always)]
fn random_outcome<S: Simd>(mut position: Position, rng: &mut Random) -> f32 {
    loop {
        if let Some(score) = position.final_score() {
            return f32::from(score.signum());
        }
        let mv = random_move::<S>(&position, rng);
        position.play::<S>(mv);
    }
}
