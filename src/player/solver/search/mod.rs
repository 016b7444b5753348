//! Deciding one question: who wins α-Blackhole from a position.
//!
//! A depth-first search for the winner with a certificate (see [`certificate`](super::certificate)) as its
//! result. At a node every child of every move worth looking at is judged without search; a win ends the
//! node at once, and the others are searched in the order of a static formula. Before that come the moves that
//! won last at the same ply, and the winning move of a certificate in the table that hands and scores miss narrowly.
//!
//! *Sibling pruning.* When W has refuted a stone of X on a cell with a certificate, a larger stone on the
//! same cell is refuted if its scores satisfy the same certificate: the other requirements are met, as X's
//! hand is then smaller. A smaller stone is refuted if the certificate allows the hand it leaves X, which has the larger
//! one instead: W's scores are then no worse.
//!
//! *Refuting stones together.* Let a < b be stones of X. If W wins after X has played b on a cell and spent
//! a, with certificate C, then every stone of X from a to b on the cell is refuted by C: W's scores are no
//! worse after a smaller stone than b, and X's hand is no better after spending a larger one than a. This
//! asks for more than is needed, but hardly ever too much while b - a is small, nor while both are among the
//! stones that will fill stale cells of W: X must fill these to win, if W does not, and there the size of a stone
//! does not matter. This much is proved of the paper's rule to keep the smallest stones for them; and more by
//! searching a state without its pairs of stale cells, one of each side (see [`Key`]).
//!
//! *Refuting again.* What the certificate of a refutation is true of, the position after a stone on a cell, is told by
//! the empty cells, the numbers of stones and the side to move. So at any later node with the same empty cells and
//! numbers of stones it refutes the stones on that cell after which its scores and hands are satisfied, before any is
//! judged. The table would tell as much of each child, but one by one; what a node needs for the rest of
//! its moves is left. A third of the nodes and a fifth of the time of 20 empty cells.

mod decide;
mod kept;
mod looks;
mod outcome;
mod refute;

use crate::player::alpha::Target;
use crate::player::board::{Hand, Move, Player, Stone};
use crate::player::limits::Limits;
use crate::player::position::Position;
use crate::player::simd::{Portable, Simd};

use super::certificate::{ANY, Certificate, Counts, at_most_above, counts, covers, smaller, with_rank};
use super::focus;
use super::moves::{Cells, LeftOut, dead_after};
use super::ordering::{Lessons, Scales, rate};
use super::state::{Frame, MOVER, OTHER, State, Sums, lanes};
use super::table::{Key, NearMiss, Table};
use super::tuning::{
    FOCUS_GLANCE_SETS, FOCUS_UP_TO, FOCUSED, GLANCE_FOCUS_UP_TO, HINT_FOCUS_UP_TO, HINTS, NEAR_FROM,
    NEAR_WORK, NODE_FOCUS_UP_TO, OWN_ENTRY_FOCUS_UP_TO, OWN_FOCUS_UP_TO, REGROUP_AFTER,
    TOGETHER, TOGETHER_LEAST_WORK, TOGETHER_SPARE, TOGETHER_WORK, entry_focus_up_to,
};
use super::verdict::{Verdict, certify, count, dead, focuses};

use decide::{Moves, Node, deep_focus, frame_near, decide, within};
use kept::Kept;
use refute::Refutation;

/// The most moves a position has: 31 cells, 15 stones.
const MAX_MOVES: usize = 31 * 15;

/// The most moves of a line. Plies are counted from the fullest board, 31 empty cells, so that what a ply has
/// taught serves all questions about a game: the same side is to move. Cells that cancel do not count as filled.
pub const MAX_PLIES: usize = 31;

/// No ply.
const NOWHERE: usize = usize::MAX;

/// Nodes between two looks at the clock.
const CLOCK_EVERY: u32 = 8;

/// An empty place of the moves that won last: there is no stone 0.
const NO_HINT: (u8, u8) = (0, 0);

/// A move on the list of a node.
#[derive(Clone, Copy)]
struct Listed {
    rating: i32,
    lane: u8,
    stone: u8,
    /// Whether the child may be won by focus on more cells than it was tested for.
    deeper: bool,
    looked: Looked,
    /// The hash of the child's key.
    hash: u64,
}

/// The lists of one ply: kept here, as a node must not allocate.
struct Ply {
    /// Moves to search.
    open: [Listed; MAX_MOVES],
    /// The moves that won here last, the latest first: lane and stone.
    hints: [(u8, u8); HINTS],
    /// What the searches of moves have taught.
    lessons: Lessons,
    /// How moves were refuted.
    refutations: [Refutation; MAX_MOVES],
    /// Stones left out by stone dominance.
    left_out: [LeftOut; MAX_MOVES],
    /// The sums after each stone.
    sums: [Sums; 16],
    /// The cells that each stone on each lane makes dead, for the mover and for the other side.
    dead: [[[u32; 2]; 32]; 16],
}

/// The table, the numbering of cells, the lists of every ply, and the counters.
pub struct Search {
    frame: Frame,
    table: Table,
    plies: Vec<Ply>,
    nodes: u64,
    limits: Limits,
    until_clock: u32,
    best: Option<(u8, u8)>,
    /// The ply at which a winning move is wanted, or [`NOWHERE`].
    root: usize,
    /// For each lane, the lower lanes that a symmetry of the root position maps it to.
    twins: [u32; 32],
    /// Refutations to try again.
    kept: Kept,
}

/// What the parent of a state has found out before searching it: what then need not be looked at again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Looked {
    /// Nothing.
    Nowhere,
    /// That it is not decided by counting, nor by focus on few cells: up to [`FOCUS_UP_TO`] of the side to
    /// move, [`OWN_FOCUS_UP_TO`] of the side that has just moved.
    Judged,
    /// Nor, as far as it is likely, by focus of the side that has just moved on more.
    Deeper,
}

/// An instruction-set path that can call the search compiled for it.
pub trait Path: Simd {
    /// Search a state; see [`decide`].
    fn search(
        search: &mut Search,
        state: &State,
        looked: Looked,
        ply: usize,
        result: &mut Certificate,
    ) -> Option<usize>;
}

impl Path for Portable {
    fn search(
        search: &mut Search,
        state: &State,
        looked: Looked,
        ply: usize,
        result: &mut Certificate,
    ) -> Option<usize> {
        decide::<Portable>(search, state, looked, ply, result)
    }
}

#[cfg(target_arch = "x86_64")]
impl Path for crate::player::simd::Avx2 {
    #[inline(always)]
    fn search(
        search: &mut Search,
        state: &State,
        looked: Looked,
        ply: usize,
        result: &mut Certificate,
    ) -> Option<usize> {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn fast(
            search: &mut Search,
            state: &State,
            looked: Looked,
            ply: usize,
            result: &mut Certificate,
        ) -> Option<usize> {
            decide::<crate::player::simd::Avx2>(search, state, looked, ply, result)
        }
        // SAFETY: this path is only entered through `dispatch!`, after its instructions were detected.
        // Measured: see the bench, `BLACKHOLE_PORTABLE=1` against the default.
        unsafe { fast(search, state, looked, ply, result) }
    }
}

/// Return the ply of a position.
fn ply_of(position: &Position) -> usize {
    MAX_PLIES - position.empty().len() as usize
}

impl Search {
    /// Make a search with a table of at most `table_bytes`.
    pub fn new(table_bytes: usize) -> Search {
        let blank = Listed { rating: 0, lane: 0, stone: 0, deeper: false, looked: Looked::Judged, hash: 0 };
        let none = LeftOut { stone: 0, lost: 0 };
        let ply = || Ply {
            open: [blank; MAX_MOVES],
            hints: [NO_HINT; HINTS],
            lessons: Lessons::NONE,
            refutations: [Refutation::NONE; MAX_MOVES],
            left_out: [none; MAX_MOVES],
            sums: [Sums::of([Hand::EMPTY; 2]); 16],
            dead: [[[0; 2]; 32]; 16],
        };
        Search {
            frame: Frame::new(),
            table: Table::new(table_bytes - kept::part_of(table_bytes)),
            plies: (0..MAX_PLIES).map(|_| ply()).collect(),
            nodes: 0,
            limits: Limits::NONE,
            until_clock: 0,
            best: None,
            root: NOWHERE,
            twins: [0; 32],
            kept: Kept::new(kept::part_of(table_bytes)),
        }
    }

    pub fn clear(&mut self) {
        self.forget();
        self.frame = Frame::new();
    }

    /// Forget what is known by lanes.
    fn forget(&mut self) {
        self.table.clear();
        self.forget_plies();
    }

    /// Forget what is no certificate in the tables.
    fn forget_plies(&mut self) {
        self.kept.clear();
        for ply in &mut self.plies {
            ply.hints = [NO_HINT; HINTS];
            ply.lessons = Lessons::NONE;
        }
    }

    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Decide who wins; `None` at a limit.
    pub fn winner(&mut self, position: &Position, target: Target, limits: &Limits) -> Option<Player> {
        let state = self.enter(position, target, limits);
        let mover = position.to_move();
        let mut result = Certificate::NONE;
        let winner = search_from(self, &state, ply_of(position), &mut result)?;
        Some(if winner == MOVER { mover } else { mover.opponent() })
    }

    /// Find a winning move of the player to move: `None` at a limit, `Some(None)` when there is none.
    pub fn winning_move(
        &mut self,
        position: &Position,
        target: Target,
        limits: &Limits,
    ) -> Option<Option<Move>> {
        if position.empty().len() == 1 {
            return Some(None);
        }
        let state = self.enter(position, target, limits);
        self.twins = self.frame.twins(&state);
        self.root = ply_of(position);
        let mut result = Certificate::NONE;
        let winner = search_from(self, &state, self.root, &mut result)?;
        let best = self.best.filter(|_| winner == MOVER);
        Some(
            best.and_then(|(lane, stone)| {
                Some(Move::new(self.frame.cell(u32::from(lane)), Stone::new(stone)?))
            }),
        )
    }

    #[cfg(test)]
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Decide who wins, and return the certificate with the state it is about.
    #[cfg(test)]
    pub fn certified(&mut self, position: &Position, target: Target) -> (State, usize, Certificate) {
        let state = self.enter(position, target, &Limits::NONE);
        let mut result = Certificate::NONE;
        let winner = search_from(self, &state, ply_of(position), &mut result).expect("no limit");
        (state, winner, result)
    }

    /// Decide who wins on a given path.
    #[cfg(test)]
    pub fn winner_by(
        &mut self,
        position: &Position,
        target: Target,
        path: fn(&mut Search, &State, Looked, usize, &mut Certificate) -> Option<usize>,
    ) -> Option<Player> {
        let state = self.enter(position, target, &Limits::NONE);
        let mut result = Certificate::NONE;
        let mover = position.to_move();
        let winner = path(self, &state, Looked::Nowhere, ply_of(position), &mut result)?;
        Some(if winner == MOVER { mover } else { mover.opponent() })
    }

    fn enter(&mut self, position: &Position, target: Target, limits: &Limits) -> State {
        if !self.frame.admit(position.empty()) {
            self.forget();
        }
        self.limits = *limits;
        self.until_clock = 0;
        self.best = None;
        self.root = NOWHERE;
        self.frame.state(position, target)
    }

    #[inline(always)]
    fn stopped(&mut self) -> bool {
        if self.until_clock == 0 {
            self.until_clock = CLOCK_EVERY;
            return self.limits.reached(self.nodes);
        }
        self.until_clock -= 1;
        self.nodes >= self.limits.nodes
    }
}

crate::player::dispatch! {
    /// Search a state at a ply.
    fn search_from(search: &mut Search, state: &State, ply: usize, result: &mut Certificate) -> Option<usize> = search_from_body
}

#[inline(always)]
fn search_from_body<S: Path>(
    search: &mut Search,
    state: &State,
    ply: usize,
    result: &mut Certificate,
) -> Option<usize> {
    S::search(search, state, Looked::Nowhere, ply, result)
}
