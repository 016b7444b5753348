//! The memory of the proof search: a solver's lists, history and counters.

use std::sync::atomic::AtomicU64;
use std::sync::Arc;

use crate::alpha::state::{indices, Frame, HandSums, State, View, MOVER, OTHER};
use crate::alpha::Target;
use crate::board::{CellSet, Hand, Stone};
use crate::limits::Limits;
use crate::position::Position;
use crate::simd::Simd;

use super::certificate::{counts, Certificate, Counts};
use super::dominance::PlayedCells;
use super::key::Key;
use super::ordering::History;
use super::refutations::RefutationCache;
use super::shared::{Shared, SharedQuestion};

/// The most moves a position has: 31 cells, 15 stones.
const MAX_SOLVER_MOVES: usize = 31 * 15;

/// The most moves of a line. Plies are counted from 31 empty cells, so that the history of a ply serves all
/// questions about a game. Cells that cancel do not count as filled.
const MAX_SOLVER_PLIES: usize = 31;

pub const NOWHERE: usize = usize::MAX;

/// The judged children between two looks at the clock, and up to 465 of one more state: some tenths
/// of a millisecond.
pub(super) const CLOCK_EVERY: u64 = 128;

/// Killer moves of a ply, tried first: a fourth fewer nodes at 19 empty cells.
pub const KILLERS: usize = 4;

/// No move: there is no stone 0.
pub const NO_MOVE: (u8, u8) = (0, 0);

/// A move on the list of a node.
#[derive(Clone, Copy)]
pub struct OpenMove {
    pub rating: i32,
    pub index: u8,
    pub stone: u8,
    /// Whether focus on more cells than were tested may win the child.
    pub deeper: bool,
    pub hash: u64,
}

/// A refutation of some stones on a cell: those of the mover's hand from one rank down to another.
#[derive(Clone, Copy)]
pub struct Refutation {
    pub index: u32,
    /// The ranks of the largest and of the smallest stone, 1 for the largest of the hand.
    pub ranks: [u8; 2],
    pub proof: Certificate,
}

/// The lists of one ply, kept here with room for all moves, as a node must not allocate.
pub struct Ply {
    pub open: Vec<OpenMove>,
    /// The moves that won here last, the latest first: cell and stone.
    pub killers: [(u8, u8); KILLERS],
    pub history: History,
    pub refutations: Vec<Refutation>,
    pub sums: [HandSums; 16],
}

/// A state being searched, with the data of every step of its search.
pub struct ProofNode<'a> {
    pub frame: &'a Frame,
    pub state: &'a State,
    pub key: Key,
    pub sums: HandSums,
    pub counts: [Counts; 2],
    pub undecided: u32,
    pub ply: usize,
    /// The first side that may be named as the winner without its winning move.
    pub first_side: usize,
    /// The count of nodes when the state was entered.
    pub entered_with: u64,
}

impl<'a> ProofNode<'a> {
    #[inline(always)]
    pub fn of<S: Simd>(solver: &Solver, frame: &'a Frame, state: &'a State, ply: usize) -> ProofNode<'a> {
        let sums = HandSums::of(state.hands);
        let view = View { frame, state, sums: &sums };
        let key = Key::of(view, view.dead::<S>());
        let counts = [counts(state.hands[MOVER]), counts(state.hands[OTHER])];
        let undecided = view.undecided(key.dead);
        let first_side = if ply == solver.root { OTHER } else { MOVER };
        ProofNode { frame, state, key, sums, counts, undecided, ply, first_side, entered_with: solver.nodes }
    }

    pub fn view(&self) -> View<'_> {
        View { frame: self.frame, state: self.state, sums: &self.sums }
    }

    #[inline(always)]
    pub fn after(&self, index: u32, stone: u8) -> State {
        self.state.after(self.frame, index, Stone::new(stone).expect("a stone of the hand"))
    }
}

/// The moves of a node after the tests that need no search. Bit `v` of a cell's word stands for
/// stone `v`.
pub struct MoveMasks {
    pub cells: PlayedCells,
    /// Moves that may need a search: all at first.
    pub candidates: [u16; 32],
    pub lost: [u16; 32],
    pub refuted: [u16; 32],
    /// The requirements of their refutations, except on X's hand.
    pub joined: Certificate,
}

impl MoveMasks {
    #[inline(always)]
    pub fn of(cells: PlayedCells, hand: Hand) -> MoveMasks {
        let mut candidates = [0; 32];
        for index in indices(cells.played) {
            candidates[index as usize] = hand.bits();
        }
        MoveMasks { cells, candidates, lost: [0; 32], refuted: [0; 32], joined: Certificate::NONE }
    }
}

/// An exact solver and its tables, kept from one question and one move of a game to the next: one of the
/// workers that share proofs, or alone.
pub struct Solver {
    pub(super) shared: Arc<Shared>,
    pub(super) refutations: RefutationCache,
    pub(super) plies: Vec<Ply>,
    /// Children judged since creation.
    pub(super) nodes: u64,
    /// The limits of the question, their nodes counted as `nodes` is.
    pub(super) limits: Limits,
    /// The count of nodes at the next look at the clock.
    next_look: u64,
    /// Whether a look found the time over; the limit of nodes may be that of a part of the question.
    is_over: bool,
    pub(super) best: Option<(u8, u8)>,
    /// The question that others may search as well.
    pub(super) question: Option<Arc<SharedQuestion>>,
    /// The ply at which a winning move is wanted, or [`NOWHERE`].
    pub(super) root: usize,
}

impl Solver {
    /// Make a solver with tables of at most `bytes`, or less if the system has less memory; they are touched
    /// only as they are used.
    pub fn new(bytes: usize) -> Solver {
        Solver::team(1, bytes).pop().expect("one")
    }

    /// Make solvers that share one table.
    pub fn team(count: usize, bytes: usize) -> Vec<Solver> {
        // Twice as much for refutations saves 2 % of the nodes.
        let for_refutations = (bytes / 8 / count).min(16 << 20);
        let ply = || Ply {
            open: Vec::with_capacity(MAX_SOLVER_MOVES),
            killers: [NO_MOVE; KILLERS],
            history: History::NONE,
            refutations: Vec::with_capacity(MAX_SOLVER_MOVES),
            sums: [HandSums::of([Hand::EMPTY; 2]); 16],
        };
        // The indispensable first.
        let plies: Vec<Vec<Ply>> =
            (0..count).map(|_| (0..MAX_SOLVER_PLIES).map(|_| ply()).collect()).collect();
        let shared = Shared::new(bytes - count * for_refutations);
        let worker = |plies| Solver {
            plies,
            shared: Arc::clone(&shared),
            refutations: RefutationCache::new(for_refutations),
            nodes: 0,
            limits: Limits::NONE,
            next_look: 0,
            is_over: false,
            best: None,
            question: None,
            root: NOWHERE,
        };
        plies.into_iter().map(worker).collect()
    }

    /// Forget this worker's own data, which depend on the numbering of cells.
    fn forget(&mut self) {
        self.refutations.clear();
        for ply in &mut self.plies {
            ply.killers = [NO_MOVE; KILLERS];
            ply.history = History::NONE;
        }
    }

    /// Return the number of children judged since creation, the same on every machine if the solver works alone.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Return the words of the table, for advice to the system about their memory.
    pub fn table(&self) -> &[AtomicU64] {
        self.shared.table.words()
    }

    /// Have the cells of `empty` numbered; if other workers would need new numbers, work alone from now on.
    pub(super) fn admit(&mut self, empty: CellSet) {
        if self.shared.frame.has(empty) {
            return;
        }
        if Arc::get_mut(&mut self.shared).is_none() {
            self.shared = Shared::new(self.shared.bytes);
            self.forget();
        }
        let shared = Arc::get_mut(&mut self.shared).expect("no other has it");
        if !shared.frame.admit(empty) {
            shared.table.clear();
            self.forget();
        }
    }

    /// Have the workers share the first one's proofs, and number a position's cells, before they begin: from
    /// then on positions without further empty cells can be asked about.
    pub fn share(workers: &mut [Solver], position: &Position) {
        let Some((first, others)) = workers.split_first_mut() else { return };
        if !first.shared.frame.has(position.empty()) {
            others.iter_mut().for_each(|other| other.shared = Shared::new(0));
            first.admit(position.empty());
        }
        for other in others.iter_mut().filter(|other| !Arc::ptr_eq(&other.shared, &first.shared)) {
            other.shared = Arc::clone(&first.shared);
            other.forget();
        }
    }

    /// Prepare for a question: returns the state to search, and its ply.
    pub(super) fn enter(&mut self, position: &Position, target: Target, limits: &Limits) -> (State, usize) {
        self.admit(position.empty());
        self.limits = Limits { nodes: self.nodes.saturating_add(limits.nodes), ..*limits };
        self.next_look = self.nodes;
        self.is_over = false;
        self.best = None;
        self.root = NOWHERE;
        (self.shared.frame.state(position, target), MAX_SOLVER_PLIES - position.empty().len() as usize)
    }

    #[inline(always)]
    pub(super) fn poll_limits(&mut self) -> bool {
        if self.nodes >= self.next_look {
            self.next_look = self.nodes + CLOCK_EVERY;
            self.is_over |= Limits { nodes: u64::MAX, ..self.limits }.reached(0);
            if let Some(question) = &self.question {
                self.is_over |= question.answer.get().is_some();
            }
        }
        self.is_over || self.nodes >= self.limits.nodes
    }
}
