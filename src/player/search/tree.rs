//! Storage of the search trees: nodes, their edges, AMAF tables. No formula lives here. One arena holds the
//! trees of all targets. A node stores only the edges that have been visited or opened, in blocks that double
//! as they fill. Fresh memory costs more than the search itself: a node is small.

use std::mem::size_of;
use std::ops::Range;

use super::amaf::{Amaf, AmafLayout};
use crate::alpha::Target;
use crate::board::{PackedMove, Player};
use crate::host;
use crate::position::Position;

pub type NodeId = u32;

/// No node, no table.
pub const NONE: u32 = u32::MAX;

/// A node: a position reached by a path of moves, with the outcomes of the iterations through it.
#[derive(Clone, Copy, Default, Debug)]
pub struct Node {
    /// Iterations through the node (the paper's N(s)).
    pub visits: u32,
    /// The sum of their outcomes for Red, 0..=1 each.
    wins: f64,
    first_edge: u32,
    pub table: u32,
    edges: u16,
    /// Whether every move to try has an edge.
    pub complete: bool,
    /// The player who is proven to win with perfect play.
    pub proven_winner: Option<Player>,
    /// In a tree for [believed](super::Replies::Believed) replies: Red's wins by the opponent's belief.
    pub believed: f32,
    /// Red's log-odds by the network; not a number before the network is asked.
    pub red_log_odds: f32,
}

/// An edge that has been visited or opened.
#[derive(Clone, Copy, Default)]
#[repr(C, packed(2))]
pub struct Edge {
    /// Iterations through the edge (the paper's N(s, a)): those of its child.
    pub visits: f32,
    /// Red's value in the formulas: the child's wins; before the first visit the [prior](Edge::set_prior),
    /// or 0 without one; ± 2 [`LOST`] if proven lost, so that the edge is never chosen.
    pub red_value: f32,
    /// The child, [`NONE`] before the first visit.
    pub child: NodeId,
    pub mv: PackedMove,
}

const _: () = assert!(size_of::<Node>() == 32 && size_of::<Edge>() == 14);

/// Values beyond this, either way, mark an edge that is proven lost.
const LOST: f32 = 1e30;

impl Node {
    /// Count one iteration with the outcome `red`, 0..=1.
    pub fn count(&mut self, red: f32) {
        self.visits += 1;
        self.wins += f64::from(red);
    }

    /// Return Red's wins, rounded to the nearest `f32`.
    pub fn red_wins(&self) -> f32 {
        self.wins as f32
    }

    fn range(&self) -> Range<usize> {
        self.first_edge as usize..self.first_edge as usize + usize::from(self.edges)
    }
}

impl Edge {
    /// Set the prior of an edge without visits: Red's log-odds by the network. 0 would mean no prior.
    pub fn set_prior(&mut self, log_odds: f32) {
        self.red_value = if log_odds == 0.0 { f32::MIN_POSITIVE } else { log_odds };
    }

    /// Mark the edge proven lost for `mover`, so that no formula chooses it again.
    pub fn lose(&mut self, mover: Player) {
        self.red_value = -f32::from(mover.sign()) * 2.0 * LOST;
    }

    pub fn is_lost(&self) -> bool {
        self.red_value.abs() >= LOST
    }
}

/// A part of at most this many bytes is allocated without a look at the memory left.
const SMALL_PART: usize = 1 << 18;

/// One part in this many of the room is kept for a tree of believed replies, about its share of the time.
const KEPT_DIVISOR: usize = 2;

/// A block of class c has room for 2^c edges; 2^10 are more than the 540 moves of any node.
const CLASSES: usize = 11;

pub struct Tree {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// The numbers of nodes and edges at which the arena is full.
    full: [usize; 2],
    /// Heads of the lists of free blocks; a free block's first child is the next one.
    free: [u32; CLASSES],
    tables: Vec<Amaf>,
    pub layout: AmafLayout,
}

/// Make an empty vector with room for `bytes`, if there is memory for it.
fn with_bytes<T>(bytes: usize) -> Option<Vec<T>> {
    let count = bytes / size_of::<T>();
    host::with_room(count).or_else(|| (bytes <= SMALL_PART).then(|| Vec::with_capacity(count)))
}

impl Tree {
    /// Make an empty arena for trees rooted at `root` that will use at most `bytes`, or less if the system
    /// has less. Memory is touched only as it is used.
    pub fn new(root: &Position, bytes: usize) -> Tree {
        Tree::reserve(root, bytes).unwrap_or_else(|| Tree::new(root, bytes / 2))
    }

    fn reserve(root: &Position, bytes: usize) -> Option<Tree> {
        // One share for the nodes, four for the edges, three for the tables.
        let share = bytes / 8;
        let mut tree = Tree {
            nodes: with_bytes(share)?,
            edges: with_bytes(share * 4)?,
            full: [0; 2],
            free: [NONE; CLASSES],
            tables: with_bytes(share * 3)?,
            layout: AmafLayout::new(root),
        };
        tree.open_room(false);
        Some(tree)
    }

    /// Drop everything and lay out tables for a new root. Touched memory is kept for reuse.
    pub fn reset(&mut self, root: &Position) {
        self.nodes.clear();
        self.edges.clear();
        self.free = [NONE; CLASSES];
        self.tables.clear();
        self.layout = AmafLayout::new(root);
        self.open_room(false);
    }

    /// Give trees that grow from now on the whole room, or all but the part kept for believed replies.
    pub fn open_room(&mut self, whole: bool) {
        let part = |capacity: usize| if whole { capacity } else { capacity - capacity / KEPT_DIVISOR };
        // Room for a root for every target, and for another node with all its moves opened.
        let [nodes, edges] = [part(self.nodes.capacity()), part(self.edges.capacity())];
        self.full = [nodes.saturating_sub(Target::COUNT), edges.saturating_sub((2 << CLASSES) - 1)];
    }

    /// Tell whether the room may be too small for another node with all its moves opened. There is always
    /// room for a root for every target.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.nodes.len() >= self.full[0] || self.edges.len() >= self.full[1]
    }

    /// Add a node without visits; the arena must not be [full](Tree::is_full).
    #[inline(always)]
    pub fn add_node(&mut self) -> NodeId {
        debug_assert!(self.nodes.len() < self.nodes.capacity());
        self.nodes.push(Node { table: NONE, red_log_odds: f32::NAN, ..Node::default() });
        self.nodes.len() as NodeId - 1
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    #[inline(always)]
    pub fn edges(&self, id: NodeId) -> &[Edge] {
        &self.edges[self.node(id).range()]
    }

    #[inline(always)]
    pub fn edge_mut(&mut self, id: NodeId, edge: usize) -> &mut Edge {
        &mut self.edges[self.nodes[id as usize].first_edge as usize + edge]
    }

    #[inline(always)]
    pub fn edge_of(&self, id: NodeId, mv: PackedMove) -> Option<usize> {
        self.edges(id).iter().position(|edge| edge.mv == mv)
    }

    /// Add an edge without visits to a node and return its place among the node's edges.
    pub fn add_edge(&mut self, id: NodeId, mv: PackedMove) -> usize {
        let Range { start, end } = self.node(id).range();
        let count = end - start;
        if count == 0 || count > 1 && count.is_power_of_two() {
            let block = self.take_block(count.max(1).ilog2() as usize + 1);
            self.edges.copy_within(start..end, block);
            if count > 0 {
                let head = &mut self.free[count.ilog2() as usize];
                self.edges[start].child = *head;
                *head = start as u32;
            }
            self.node_mut(id).first_edge = block as u32;
        }
        let node = self.node_mut(id);
        node.edges += 1;
        let at = node.range().end - 1;
        self.edges[at] = Edge { child: NONE, mv, ..Edge::default() };
        count
    }

    fn take_block(&mut self, class: usize) -> usize {
        let head = self.free[class];
        if head != NONE {
            self.free[class] = self.edges[head as usize].child;
            return head as usize;
        }
        let first = self.edges.len();
        debug_assert!(first + (1 << class) <= self.edges.capacity());
        self.edges.resize(first + (1 << class), Edge::default());
        first
    }

    /// Give an opened edge its child, which takes over its prior.
    #[inline(always)]
    pub fn set_child(&mut self, id: NodeId, edge: usize, child: NodeId) {
        let edge = self.edge_mut(id, edge);
        edge.child = child;
        let prior = edge.red_value;
        if prior != 0.0 {
            self.node_mut(child).red_log_odds = prior;
        }
    }

    /// Copy the statistics of its child to an edge of a node; a lost edge stays marked lost.
    #[inline(always)]
    pub fn update_edge(&mut self, id: NodeId, edge: usize) {
        let at = self.node(id).first_edge as usize + edge;
        let edge = &mut self.edges[at];
        let child = &self.nodes[edge.child as usize];
        edge.visits = child.visits as f32;
        if !edge.is_lost() {
            edge.red_value = child.red_wins();
        }
    }

    /// Tell whether every move to try of a node has an edge that is marked lost.
    pub fn is_lost(&self, id: NodeId) -> bool {
        self.node(id).complete && self.edges(id).iter().all(Edge::is_lost)
    }

    /// Return Red's value of an edge by the opponent's belief.
    #[inline(always)]
    pub fn believed(&self, edge: &Edge) -> f32 {
        if edge.child == NONE || edge.is_lost() {
            edge.red_value
        } else {
            self.node(edge.child).believed
        }
    }

    /// Return an AMAF table; [`NONE`] is an empty one.
    #[inline(always)]
    pub fn table(&self, table: u32) -> &[Amaf] {
        if table == NONE {
            return &[];
        }
        &self.tables[table as usize * self.layout.size..][..self.layout.size]
    }

    #[inline(always)]
    pub fn table_mut(&mut self, table: u32) -> &mut [Amaf] {
        &mut self.tables[table as usize * self.layout.size..][..self.layout.size]
    }

    /// Give a node an empty AMAF table, if there is memory.
    pub fn add_table(&mut self, id: NodeId) {
        let size = self.layout.size;
        if self.tables.capacity() - self.tables.len() >= size {
            self.nodes[id as usize].table = (self.tables.len() / size) as u32;
            self.tables.resize(self.tables.len() + size, 0);
        }
    }
}
