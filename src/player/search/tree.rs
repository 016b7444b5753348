//! Storage of the search trees: nodes, their edges, AMAF tables. No formula lives here.
//!
//! One arena holds the trees of all targets. A node stores only the edges that have been visited or
//! opened, in blocks that double as they fill. Fresh memory costs more than the search itself, so a
//! node takes 32 bytes and an edge 14.

use std::mem::size_of;

use super::amaf::{Amaf, Slots};
use crate::alpha::Target;
use crate::board::{Move, PackedMove, Player};
use crate::position::Position;

/// A node of the arena.
pub type NodeId = u32;

/// No node, no table.
pub const NONE: u32 = u32::MAX;

/// A node: a position reached by a path of moves, with the outcomes of the iterations through it.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Iterations through the node (the paper's N(s)), fewer than 2³².
    pub visits: u32,
    /// Red's winnings: the sum of their outcomes, 0..=1 each, less what is spilled.
    wins: f32,
    /// Where its edges start.
    first_edge: u32,
    /// Its AMAF table, or [`NONE`].
    pub table: u32,
    edges: u16,
    /// How often [`SPILL`] was taken out of the wins.
    spilled: u16,
    class: u8,
    /// Whether every reasonable move has an edge.
    pub complete: bool,
    /// The player who is proven to win with perfect play.
    pub proof: Option<Player>,
    /// In a tree for [believed](super::Replies) replies: Red's winnings as the opponent believes
    /// them to be, a sum like the wins. Such trees are small: it is not spilled.
    pub believed: f32,
    /// The network's judgement of the position, as Red's log-odds; not a number before it is asked.
    pub judged: f32,
}

const _: () = assert!(size_of::<Node>() == 32);

const FRESH: Node = Node {
    visits: 0,
    wins: 0.0,
    first_edge: 0,
    table: NONE,
    edges: 0,
    spilled: 0,
    class: NO_BLOCK,
    complete: false,
    proof: None,
    believed: 0.0,
    judged: f32::NAN,
};

/// Wins are moved to a count of their own when they reach this. A sum in an `f32` alone gets
/// coarser as it grows, and from 2²⁴ on stays where it is; so it never grows beyond 2¹⁶, where
/// adding an outcome is exact to 1/512.
const SPILL: f32 = 65_536.0;

impl Node {
    /// Count one iteration with the outcome `red`, 0..=1.
    #[inline(always)]
    pub fn count(&mut self, red: f32) {
        self.visits += 1;
        self.wins += red;
        if self.wins >= SPILL {
            self.wins -= SPILL;
            self.spilled += 1;
        }
    }

    /// Return Red's winnings, rounded to the nearest `f32`.
    #[inline(always)]
    pub fn red_wins(&self) -> f32 {
        f32::from(self.spilled) * SPILL + self.wins
    }
}

/// Class of a node without a block of edges; a block of class c has room for 2^(c+1) edges.
const NO_BLOCK: u8 = u8::MAX;
/// 2^10 edges are more than the 540 moves of any node.
const CLASSES: usize = 10;

/// The visited (and opened) edges of a node, as parallel slices.
#[derive(Clone, Copy)]
pub struct Edges<'a> {
    /// Their moves.
    pub moves: &'a [PackedMove],
    /// Iterations through each (the paper's N(s, a)): those of its child, as an `f32`.
    pub visits: &'a [f32],
    /// What each is worth to Red, as the formulas read it: visited, the child's winnings; before,
    /// [judged](Tree::judge_edge) log-odds or 0; proven lost, [so bad](Tree::lose_edge) or so good
    /// that it is never chosen.
    pub worths: &'a [f32],
    /// The nodes they lead to, [`NONE`] before the first visit.
    pub children: &'a [NodeId],
}

/// The arena.
pub struct Tree {
    nodes: Vec<Node>,
    moves: Vec<PackedMove>,
    visits: Vec<f32>,
    worths: Vec<f32>,
    children: Vec<NodeId>,
    /// Heads of the lists of free blocks; a free block's first child is the next one.
    free: [u32; CLASSES],
    tables: Vec<Amaf>,
    slots: Slots,
}

/// Make an empty vector with room for `count` items, if there is memory for it.
fn with_room<T>(count: usize) -> Option<Vec<T>> {
    let mut items = Vec::new();
    items.try_reserve_exact(count).ok()?;
    Some(items)
}

impl Tree {
    /// Make an empty arena for trees rooted at `root` that will use at most `bytes`, or less where
    /// so much cannot be had. Memory is reserved but not touched: a page costs time once it is
    /// used.
    pub fn new(root: &Position, bytes: usize) -> Tree {
        Tree::reserve(root, bytes).unwrap_or_else(|| Tree::new(root, bytes / 2))
    }

    fn reserve(root: &Position, bytes: usize) -> Option<Tree> {
        // One share for the nodes, four for the edges, three for the tables.
        let share = bytes / 8;
        let edges = share * 4 / (size_of::<PackedMove>() + 2 * size_of::<f32>() + size_of::<NodeId>());
        Some(Tree {
            nodes: with_room(share / size_of::<Node>())?,
            moves: with_room(edges)?,
            visits: with_room(edges)?,
            worths: with_room(edges)?,
            children: with_room(edges)?,
            free: [NONE; CLASSES],
            tables: with_room(share * 3 / size_of::<Amaf>())?,
            slots: Slots::new(root),
        })
    }

    /// Drop everything and lay out tables for a new root. Touched memory is kept for reuse.
    pub fn reset(&mut self, root: &Position) {
        self.nodes.clear();
        self.moves.clear();
        self.visits.clear();
        self.worths.clear();
        self.children.clear();
        self.free = [NONE; CLASSES];
        self.tables.clear();
        self.slots = Slots::new(root);
    }

    /// Tell whether another node may not fit, with all its moves opened. A root for every target
    /// still does.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.nodes.len() + Target::COUNT >= self.nodes.capacity()
            || self.moves.capacity() - self.moves.len() < 4 << CLASSES
    }

    /// Return the number of nodes in all trees.
    pub fn stored(&self) -> usize {
        self.nodes.len()
    }

    /// Return the layout of the AMAF tables.
    #[inline(always)]
    pub fn slots(&self) -> &Slots {
        &self.slots
    }

    /// Add a node without visits.
    ///
    /// # Panics
    /// Not while [`is_full`](Tree::is_full) is false: the arena never grows.
    #[inline(always)]
    pub fn add_node(&mut self) -> NodeId {
        let id = self.nodes.len() as NodeId;
        self.nodes.push(FRESH);
        id
    }

    /// Return a node.
    #[inline(always)]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// Return a node to change it.
    #[inline(always)]
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    /// Return the visited edges of a node.
    #[inline(always)]
    pub fn edges(&self, id: NodeId) -> Edges<'_> {
        let node = self.node(id);
        let range = node.first_edge as usize..node.first_edge as usize + usize::from(node.edges);
        Edges {
            moves: &self.moves[range.clone()],
            visits: &self.visits[range.clone()],
            worths: &self.worths[range.clone()],
            children: &self.children[range],
        }
    }

    /// Find the edge of a move among the edges of a node.
    #[inline(always)]
    pub fn edge_of(&self, id: NodeId, mv: Move) -> Option<usize> {
        let packed = mv.packed();
        self.edges(id).moves.iter().position(|&other| other == packed)
    }

    /// Add an edge without visits to a node and return its place among the node's edges.
    pub fn add_edge(&mut self, id: NodeId, mv: PackedMove, child: NodeId) -> usize {
        let node = self.nodes[id as usize];
        let count = usize::from(node.edges);
        let mut first = node.first_edge as usize;
        if node.class == NO_BLOCK || count == 2 << node.class {
            let class = node.class.wrapping_add(1);
            let block = self.take_block(class);
            self.moves.copy_within(first..first + count, block);
            self.visits.copy_within(first..first + count, block);
            self.worths.copy_within(first..first + count, block);
            self.children.copy_within(first..first + count, block);
            if node.class != NO_BLOCK {
                self.children[first] = self.free[usize::from(node.class)];
                self.free[usize::from(node.class)] = first as u32;
            }
            first = block;
            let node = &mut self.nodes[id as usize];
            node.first_edge = block as u32;
            node.class = class;
        }
        self.moves[first + count] = mv;
        self.visits[first + count] = 0.0;
        self.worths[first + count] = 0.0;
        self.children[first + count] = child;
        self.nodes[id as usize].edges += 1;
        count
    }

    fn take_block(&mut self, class: u8) -> usize {
        let head = self.free[usize::from(class)];
        if head != NONE {
            self.free[usize::from(class)] = self.children[head as usize];
            return head as usize;
        }
        let first = self.moves.len();
        let end = first + (2 << class);
        self.moves.resize(end, 0);
        self.visits.resize(end, 0.0);
        self.worths.resize(end, 0.0);
        self.children.resize(end, NONE);
        first
    }

    /// Note what the network says that an edge without visits is worth, as Red's log-odds; 0 stands
    /// for no judgement.
    pub fn judge_edge(&mut self, id: NodeId, edge: usize, judged: f32) {
        let at = self.nodes[id as usize].first_edge as usize + edge;
        self.worths[at] = if judged == 0.0 { f32::MIN_POSITIVE } else { judged };
    }

    /// Give an opened edge its child, which takes over its judgement.
    #[inline(always)]
    pub fn set_child(&mut self, id: NodeId, edge: usize, child: NodeId) {
        let at = self.nodes[id as usize].first_edge as usize + edge;
        if self.worths[at] != 0.0 {
            self.nodes[child as usize].judged = self.worths[at];
        }
        self.children[at] = child;
    }

    /// Copy the statistics of its child to an edge, unless it is marked lost; `edge` is its place
    /// among the edges of node `id`. The formulas look at many edges at once.
    #[inline(always)]
    pub fn update_edge(&mut self, id: NodeId, edge: usize) {
        let at = self.nodes[id as usize].first_edge as usize + edge;
        let child = &self.nodes[self.children[at] as usize];
        self.visits[at] = child.visits as f32;
        if self.worths[at].abs() < LOST {
            self.worths[at] = child.red_wins();
        }
    }

    /// Mark an edge proven lost for `mover`, the player to move at node `id`: it is worth so little
    /// that no formula chooses it again.
    pub fn lose_edge(&mut self, id: NodeId, edge: usize, mover: Player) {
        let at = self.nodes[id as usize].first_edge as usize + edge;
        self.worths[at] = -f32::from(mover.sign()) * 2.0 * LOST;
    }

    /// Tell whether every reasonable move of a node has an edge that is marked lost.
    pub fn is_lost(&self, id: NodeId) -> bool {
        let lost = |&worth: &f32| worth.abs() >= LOST;
        self.node(id).complete && self.edges(id).worths.iter().all(lost)
    }

    /// Tell whether an edge is marked lost.
    pub fn is_edge_lost(&self, id: NodeId, edge: usize) -> bool {
        self.edges(id).worths[edge].abs() >= LOST
    }

    /// Return Red's winnings of an edge as the opponent believes them to be; those of an edge that
    /// is marked lost are as bad as they are.
    #[inline(always)]
    pub fn believed(&self, id: NodeId, edge: usize) -> f32 {
        let at = self.nodes[id as usize].first_edge as usize + edge;
        match self.children[at] {
            child if child != NONE && self.worths[at].abs() < LOST => self.node(child).believed,
            _ => self.worths[at],
        }
    }

    /// Return the AMAF table of a node that has one.
    #[inline(always)]
    pub fn table(&self, table: u32) -> &[Amaf] {
        let first = table as usize * self.slots.size;
        &self.tables[first..first + self.slots.size]
    }

    /// Return the AMAF table of a node that has one, to count in it.
    #[inline(always)]
    pub fn table_mut(&mut self, table: u32) -> &mut [Amaf] {
        let first = table as usize * self.slots.size;
        &mut self.tables[first..first + self.slots.size]
    }

    /// Give a node an empty AMAF table, if memory allows.
    pub fn add_table(&mut self, id: NodeId) {
        let size = self.slots.size;
        if self.tables.capacity() - self.tables.len() >= size {
            self.nodes[id as usize].table = (self.tables.len() / size) as u32;
            self.tables.resize(self.tables.len() + size, 0);
        }
    }
}

/// Worths beyond this, either way, mark an edge that is proven lost.
const LOST: f32 = 1e30;
