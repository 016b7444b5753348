//! What a proof search works with: the tables, the numbering of cells, the lists of every ply, and
//! the counters.

use crate::alpha::Target;
use crate::board::Hand;
use crate::limits::Limits;
use crate::position::Position;
use crate::simd::Simd;

use super::certificate::{counts, Certificate, Counts};
use super::dominance::{LeftOut, PlayedCells};
use super::judgement::dead;
use super::key::Key;
use super::ordering::Lessons;
use super::refutations::RefutationCache;
use super::state::{indices, Frame, HandSums, State, MOVER, OTHER};
use super::table::Table;

/// The most moves a position has: 31 cells, 15 stones.
const MAX_MOVES: usize = 31 * 15;

/// The most moves of a line. Plies are counted from 31 empty cells, so that what a ply has taught
/// serves all questions about a game. Cells that cancel do not count as filled.
const MAX_PLIES: usize = 31;

pub const NOWHERE: usize = usize::MAX;

/// Nodes between two looks at the clock.
const CLOCK_EVERY: u32 = 8;

/// The moves that won last at a ply, tried first: half the nodes of 19 empty cells.
pub const HINTS: usize = 4;

/// An empty place among them: there is no stone 0.
pub const NO_HINT: (u8, u8) = (0, 0);

/// A move on the list of a node.
#[derive(Clone, Copy)]
pub struct Listed {
    pub rating: i32,
    pub index: u8,
    pub stone: u8,
    /// Whether focus on more cells than were tested may win the child.
    pub deeper: bool,
    pub hash: u64,
}

/// A refutation of stones on a cell: of those of the mover's hand from one rank down to another.
#[derive(Clone, Copy)]
pub struct Refutation {
    pub index: u8,
    /// The ranks of the largest and of the smallest stone, 1 for the largest of the hand.
    pub ranks: [u8; 2],
    pub proof: Certificate,
}

/// The lists of one ply: kept here, as a node must not allocate.
pub struct Ply {
    pub open: [Listed; MAX_MOVES],
    /// The moves that won here last, the latest first: cell and stone.
    pub hints: [(u8, u8); HINTS],
    pub lessons: Lessons,
    pub refutations: [Refutation; MAX_MOVES],
    /// Stones left out by stone dominance.
    pub left_out: [LeftOut; MAX_MOVES],
    pub sums: [HandSums; 16],
    /// The cells dead for the mover after each stone on each cell.
    pub dead: [[u32; 32]; 16],
}

/// A state being searched, with what every step of its search needs.
pub struct ProofNode<'a> {
    pub state: &'a State,
    pub key: Key,
    pub sums: HandSums,
    pub counts: [Counts; 2],
    pub undecided: u32,
    pub ply: usize,
    /// The count of nodes when it was entered.
    pub entered_with: u64,
}

impl<'a> ProofNode<'a> {
    #[inline(always)]
    pub fn of<S: Simd>(search: &ProofSearch, state: &'a State, ply: usize) -> ProofNode<'a> {
        let sums = HandSums::of(state.hands);
        let key = Key::of(&search.frame, state, dead::<S>(state, &sums));
        let counts = [counts(state.hands[MOVER]), counts(state.hands[OTHER])];
        let undecided = state.empty & !key.dead[MOVER] & !key.dead[OTHER];
        ProofNode { state, key, sums, counts, undecided, ply, entered_with: search.nodes }
    }
}

/// The moves of a node after the tests that need no search. Bit `v` of a cell's word stands for
/// stone `v`.
pub struct Moves {
    pub cells: PlayedCells,
    /// Moves that may be worth a search: all at first.
    pub worth: [u16; 32],
    pub lost: [u16; 32],
    pub refuted: [u16; 32],
    /// What their refutations require, but for X's hand.
    pub joined: Certificate,
    pub refutations: usize,
    /// How many of the ply's lists are used: stones left out by stone dominance, refutations.
    pub left_out: usize,
    /// Cells dead for the other side that leaving stones out relies on.
    pub relied: u32,
    pub open: usize,
}

impl Moves {
    /// Every stone of a hand on every cell to play on, before any is looked at.
    #[inline(always)]
    pub fn of(cells: PlayedCells, hand: Hand) -> Moves {
        let mut worth = [0; 32];
        for index in indices(cells.played) {
            worth[index as usize] = hand.bits();
        }
        Moves {
            cells,
            worth,
            lost: [0; 32],
            refuted: [0; 32],
            joined: Certificate::NONE,
            refutations: 0,
            left_out: 0,
            relied: 0,
            open: 0,
        }
    }
}

pub struct ProofSearch {
    pub frame: Frame,
    pub table: Table,
    pub refutations: RefutationCache,
    pub plies: Vec<Ply>,
    /// Children judged since creation.
    pub nodes: u64,
    /// Those of the question, its nodes counted as `nodes` is.
    pub limits: Limits,
    until_clock: u32,
    /// The winning move found at the root.
    pub best: Option<(u8, u8)>,
    /// The ply at which a winning move is wanted, or [`NOWHERE`].
    pub root: usize,
}

impl ProofSearch {
    /// Make a search with a table and a refutation cache of at most `bytes` together.
    pub fn new(bytes: usize) -> ProofSearch {
        // Twice as much for refutations saves 2 % of the nodes.
        let for_refutations = (bytes / 8).min(16 << 20);
        let ply = || Ply {
            open: [Listed { rating: 0, index: 0, stone: 0, deeper: false, hash: 0 }; MAX_MOVES],
            hints: [NO_HINT; HINTS],
            lessons: Lessons::NONE,
            refutations: [Refutation { index: 0, ranks: [0; 2], proof: Certificate::NONE }; MAX_MOVES],
            left_out: [LeftOut { stone: 0, lost: 0 }; MAX_MOVES],
            sums: [HandSums::of([Hand::EMPTY; 2]); 16],
            dead: [[0; 32]; 16],
        };
        ProofSearch {
            // First what cannot be done without.
            plies: (0..MAX_PLIES).map(|_| ply()).collect(),
            frame: Frame::new(),
            table: Table::new(bytes - for_refutations),
            refutations: RefutationCache::new(for_refutations),
            nodes: 0,
            limits: Limits::NONE,
            until_clock: 0,
            best: None,
            root: NOWHERE,
        }
    }

    pub fn clear(&mut self) {
        self.forget();
        self.frame = Frame::new();
    }

    /// Forget what is known by numbers of cells.
    fn forget(&mut self) {
        self.table.clear();
        self.refutations.clear();
        for ply in &mut self.plies {
            ply.hints = [NO_HINT; HINTS];
            ply.lessons = Lessons::NONE;
        }
    }

    /// Prepare for a question: returns the state to search, and its ply.
    pub fn enter(&mut self, position: &Position, target: Target, limits: &Limits) -> (State, usize) {
        if !self.frame.admit(position.empty()) {
            self.forget();
        }
        self.limits = Limits { nodes: self.nodes.saturating_add(limits.nodes), ..*limits };
        self.until_clock = 0;
        self.best = None;
        self.root = NOWHERE;
        (self.frame.state(position, target), MAX_PLIES - position.empty().len() as usize)
    }

    /// Return the first side that may be named as the winner of a node without its winning move.
    #[inline(always)]
    pub fn first_side(&self, node: &ProofNode) -> usize {
        if node.ply == self.root {
            OTHER
        } else {
            MOVER
        }
    }

    #[inline(always)]
    pub fn stopped(&mut self) -> bool {
        if self.until_clock == 0 {
            self.until_clock = CLOCK_EVERY;
            return self.limits.reached(self.nodes);
        }
        self.until_clock -= 1;
        self.nodes >= self.limits.nodes
    }
}
