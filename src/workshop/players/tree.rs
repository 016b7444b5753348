//! The search of `uct` and `filtered`: UCT over a graph of positions with solved nodes.

use std::collections::HashMap;

use super::options::PlayerOptions;
use super::plain::random_move;
use super::zobrist::Zobrist;
use crate::player::agent::{Choice, Reason};
use crate::player::alpha::{Status, Target};
use crate::player::board::{CellSet, Move, Player};
use crate::player::limits::Limits;
use crate::player::position::Position;
use crate::player::rng::{Random, scaled};
use crate::player::simd::Simd;

/// How the search goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeSettings {
    /// The exploration constant C.
    pub exploration: f32,
    /// Added to the term of unvisited children.
    pub bonus: f32,
    /// What an outcome is worth a ply earlier, 0..=1.
    pub discount: f32,
    /// Visits after which a node's cells are analysed.
    pub knowledge: u32,
}

impl TreeSettings {
    /// Take what a player's options say of C and knowledge.
    pub fn of(options: &mut PlayerOptions) -> Result<TreeSettings, String> {
        let exploration = options.number("c", 0.0..=10.0)?.unwrap_or(0.3);
        let knowledge = options.number("knowledge", 0..=1_000_000)?.unwrap_or(8);
        Ok(TreeSettings { exploration, bonus: 0.0, discount: 1.0, knowledge })
    }
}

/// The most edges kept, 8 bytes each; a full tree grows no more.
const MAX_EDGES: usize = 6 << 20;

#[derive(Clone, Copy, Default)]
struct UctNode {
    visits: u32,
    /// The mean outcome from Red's side: 1 won, 0 drawn, -1 lost.
    value: f32,
    /// The outcome under best play of both from Red's side, once it is known.
    solved: Option<i8>,
    analysed: bool,
    first: u32,
    count: u16,
    /// How many of the edges, the first ones, have been followed.
    tried: u16,
}

#[derive(Clone, Copy)]
struct Edge {
    mv: Move,
    /// The node it leads to; 0 when it was never followed.
    child: u32,
}

/// A move of the root and what the search thinks of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct RootMove {
    pub mv: Move,
    pub visits: u32,
    /// The mean outcome for the mover, -1..=1; the exact one when it is solved.
    pub value: f32,
    pub solved: bool,
}

impl RootMove {
    /// Add what another search thinks of the move, weighted by visits.
    pub fn add(&mut self, other: &RootMove) {
        let visits = self.visits + other.visits;
        if other.solved {
            self.value = other.value;
        } else if !self.solved && visits > 0 {
            let sum = self.value * self.visits as f32 + other.value * other.visits as f32;
            self.value = sum / visits as f32;
        }
        (self.visits, self.solved) = (visits, self.solved || other.solved);
    }
}

/// Choose the move of the highest merit, the last of equals.
pub(super) fn best_by(moves: &[RootMove], merit: impl Fn(&RootMove) -> f32) -> Choice {
    let best = moves.iter().max_by(|a, b| merit(a).total_cmp(&merit(b)));
    let best = best.expect("a position with a move to play");
    let reason = if best.solved { Reason::Solved } else { Reason::Searched };
    Choice { reason, chance: 0.5 + best.value / 2.0, ..Choice::unsearched(best.mv) }
}

/// A search and its memory, used for move after move.
pub(super) struct UctTree {
    settings: TreeSettings,
    zobrist: Zobrist,
    rng: Random,
    nodes: Vec<UctNode>,
    edges: Vec<Edge>,
    /// Nodes by the key of their position.
    table: HashMap<u64, u32>,
}

impl UctTree {
    pub fn new(settings: TreeSettings, rng: Random) -> UctTree {
        let (nodes, edges, table) = (Vec::new(), Vec::new(), HashMap::new());
        UctTree { settings, zobrist: Zobrist::new(), rng, nodes, edges, table }
    }

    /// Search a position anew, among `moves` at the root, until a limit or until it is solved.
    /// Returns the moves and the number of simulations.
    pub fn search(&mut self, position: &Position, moves: &[Move], limits: &Limits) -> (Vec<RootMove>, u64) {
        self.nodes.clear();
        self.edges.clear();
        self.table.clear();
        let root = UctNode { count: moves.len() as u16, analysed: true, ..UctNode::default() };
        // Node 0 stands for "none".
        self.nodes.extend([UctNode::default(), root]);
        self.edges.extend(moves.iter().map(|&mv| Edge { mv, child: 0 }));
        let mut done = 0;
        while !limits.reached(done) && self.nodes[1].solved.is_none() {
            let batch = (limits.nodes - done).min(32) as u32;
            simulate(self, position, batch);
            done += u64::from(batch);
        }
        let sign = f32::from(position.to_move().sign());
        let result = self.edges[..moves.len()].iter().map(|edge| {
            let child = self.nodes[edge.child as usize];
            let value = sign * child.solved.map_or(child.value, f32::from);
            RootMove { mv: edge.mv, visits: child.visits, value, solved: child.solved.is_some() }
        });
        (result.collect(), done)
    }

    #[inline(always)]
    fn simulate<S: Simd>(&mut self, root: &Position, count: u32) {
        for _ in 0..count {
            self.simulate_once::<S>(root);
        }
    }

    /// Go down to a new or solved node, play a random game from there, and back up.
    #[inline(always)]
    fn simulate_once<S: Simd>(&mut self, root: &Position) {
        let mut position = *root;
        let mut key = 0;
        let mut path = [1u32; 32];
        let mut length = 1;
        let mut outcome = loop {
            let id = path[length - 1];
            let node = self.nodes[id as usize];
            if let Some(solved) = node.solved {
                break f32::from(solved);
            }
            if node.count == 0 && (node.visits == 0 || !self.expand(id, &position)) {
                break f32::from(random_outcome::<S>(position, &mut self.rng));
            }
            if !node.analysed && node.visits >= self.settings.knowledge {
                self.analyse::<S>(id, &position);
                if let Some(solved) = self.nodes[id as usize].solved {
                    break f32::from(solved);
                }
            }
            let mover = position.to_move();
            let edge = self.select(id, mover);
            let mv = self.edges[edge].mv;
            position.play::<S>(mv);
            key ^= self.zobrist.stone(mover, mv);
            let child = self.child(edge, key, &position);
            path[length] = child;
            length += 1;
        };
        let mut mover = position.to_move();
        for step in (0..length).rev() {
            let id = path[step] as usize;
            if step + 1 < length && self.nodes[path[step + 1] as usize].solved.is_some() {
                self.solve(id, mover);
            }
            let node = &mut self.nodes[id];
            node.visits += 1;
            node.value += (outcome - node.value) / node.visits as f32;
            outcome *= self.settings.discount;
            mover = mover.opponent();
        }
    }

    /// Return the node an edge leads to: a new one, or the one that another order of moves has
    /// made.
    fn child(&mut self, edge: usize, key: u64, position: &Position) -> u32 {
        if self.edges[edge].child == 0 {
            let next = self.nodes.len() as u32;
            let id = *self.table.entry(key).or_insert(next);
            if id == next {
                let solved = position.final_score().map(|score| score.signum());
                self.nodes.push(UctNode { solved, ..UctNode::default() });
            }
            self.edges[edge].child = id;
        }
        self.edges[edge].child
    }

    /// Add the moves of a node; `false` when there is no room.
    fn expand(&mut self, id: u32, position: &Position) -> bool {
        if self.edges.len() + 512 > MAX_EDGES {
            return false;
        }
        let first = self.edges.len();
        self.edges.extend(position.legal_moves().map(|mv| Edge { mv, child: 0 }));
        let count = self.edges.len() - first;
        let node = &mut self.nodes[id as usize];
        (node.first, node.count) = (first as u32, count as u16);
        true
    }

    /// Analyse the cells of a node: is the game decided, and which moves need not be considered?
    ///
    /// The counterpart of dead and captured cells in Hex: a cell that is stale both for the target
    /// "Red wins" and for "Red does not lose" influences nothing any more, so it takes the least
    /// stone only.
    fn analyse<S: Simd>(&mut self, id: u32, position: &Position) {
        let wins = Status::of::<S>(position, Target::new(1));
        let holds = Status::of::<S>(position, Target::new(0));
        let node = &mut self.nodes[id as usize];
        node.analysed = true;
        node.solved = outcome([&wins, &holds].map(|status| status.winner(position)));
        let stale = |status: &Status| status.stale(Player::Red) | status.stale(Player::Blue);
        let idle: CellSet = stale(&wins) & stale(&holds);
        let Some(least) = position.hand(position.to_move()).smallest() else { return };
        let kept = |edge: &Edge| !idle.contains(edge.mv.cell) || edge.mv.stone == least;
        let edges = &mut self.edges[node.first as usize..][..usize::from(node.count)];
        node.tried = edges[..usize::from(node.tried)].iter().filter(|edge| kept(edge)).count() as u16;
        // Kept moves go to the front, those followed before the others.
        edges.sort_by_key(|edge| !kept(edge));
        node.count = edges.partition_point(kept) as u16;
    }

    /// Choose the edge of the highest `val(N') + C √(ln vis(N) / vis(N'))`, for the mover.
    #[inline(always)]
    fn select(&mut self, id: u32, mover: Player) -> usize {
        let node = self.nodes[id as usize];
        let sign = f32::from(mover.sign());
        let log = (node.visits.max(1) as f32).ln();
        let first = node.first as usize;
        let tried = usize::from(node.tried);
        let mut best = (f32::NEG_INFINITY, first);
        for (index, edge) in self.edges[first..first + tried].iter().enumerate() {
            let child = self.nodes[edge.child as usize];
            let term = match child.solved {
                // A solved child has nothing to explore.
                Some(solved) => sign * f32::from(solved),
                None => {
                    let visits = child.visits.max(1) as f32;
                    sign * child.value + self.settings.exploration * (log / visits).sqrt()
                }
            };
            if term > best.0 {
                best = (term, first + index);
            }
        }
        // Children never visited are all alike: value 0, one visit, and the bonus.
        let unvisited = self.settings.exploration * log.sqrt() + self.settings.bonus;
        let left = u32::from(node.count - node.tried);
        if left == 0 || best.0 >= unvisited {
            return best.1;
        }
        let chosen = first + tried + scaled(self.rng.bits() as u32, left) as usize;
        self.edges.swap(first + tried, chosen);
        self.nodes[id as usize].tried += 1;
        first + tried
    }

    /// Solve a node whose child has just been solved: won when a child is won for the mover, else
    /// when all children are solved.
    fn solve(&mut self, id: usize, mover: Player) {
        let node = self.nodes[id];
        if node.solved.is_some() || node.count == 0 {
            return;
        }
        let mut best = -1;
        let mut all = true;
        for edge in &self.edges[node.first as usize..][..usize::from(node.count)] {
            match self.nodes[edge.child as usize].solved {
                Some(solved) => best = best.max(mover.sign() * solved),
                None => all = false,
            }
        }
        if best == 1 || all {
            self.nodes[id].solved = Some(mover.sign() * best);
        }
    }
}

/// Return the outcome of a position for Red, 1, 0 or -1, if the counting argument decides it: by what
/// it says of "Red wins" and of "Red does not lose".
pub(super) fn decided<S: Simd>(position: &Position) -> Option<i8> {
    let winner = |alpha| Status::of::<S>(position, Target::new(alpha)).winner(position);
    outcome([1, 0].map(winner))
}

pub(super) fn outcome(winners: [Option<Player>; 2]) -> Option<i8> {
    match winners {
        [Some(Player::Red), _] => Some(1),
        [_, Some(Player::Blue)] => Some(-1),
        [Some(Player::Blue), Some(Player::Red)] => Some(0),
        _ => None,
    }
}

crate::player::dispatch! {
    fn simulate<'a>(tree: &'a mut UctTree, root: &'a Position, count: u32) -> () = UctTree::simulate, ONE_PATH = true
}

/// Play at random to the end; return who won.
#[inline(always)]
fn random_outcome<S: Simd>(mut position: Position, rng: &mut Random) -> i8 {
    while position.empty().len() > 1 {
        let mv = random_move::<S>(&position, rng);
        position.play::<S>(mv);
    }
    position.final_score().map_or(0, i8::signum)
}
