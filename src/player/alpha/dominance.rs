//! Moves of α-Blackhole that need no thought because another one is at least as good (dominance).
//!
//! M is the player to move, W the opponent, U the cells dead for neither, out(c) the neighbours of a cell c
//! in U. Who wins depends on nothing but which cells are dead for whom, the scores and neighbours of the
//! cells of U, and the hands: a dead cell stays dead whatever falls next to it.
//!
//! *Cells.* Let p and q be empty cells with out(p) but for q equal to out(q) but for p. Whatever M plays on
//! q, keeping p, it may play on p, keeping q: all other cells of U see the same stones. If q is at least as
//! good for M to keep, nothing need be played on q: q dead for M, or p dead for W, or both in U with the same
//! empty neighbours (each other excepted) and q's score at least as good for M. The rules of stale cells and
//! of isolated pairs (§2.3.1, §2.3.3) are special cases.
//!
//! *Stones.* Let a < b be stones of M and c a cell. If every cell of out(c) becomes dead for M by a on c, or
//! is dead for W even after b on c, then b on c is no better than a on c: no cell is better for M, and M is
//! left with the smaller stone. It is enough to compare each stone with the next smaller one: what is dead for
//! M after a stone is so after every larger one.

use crate::player::alpha::Status;
use crate::player::board::{Cell, CellSet, Player};
use crate::player::position::Position;

/// Return the empty cells that the player to move need play on, by the dominance of cells.
#[inline(always)]
pub fn cells(position: &Position, status: &Status) -> CellSet {
    let mover = position.to_move();
    let (empty, undecided) = (position.empty(), status.undecided());
    // How good a cell is to keep: dead for the mover, undecided, dead for the opponent.
    let class = |cell: Cell| {
        let dead = |player| i32::from(status.dead(player).contains(cell));
        dead(mover) - dead(mover.opponent())
    };
    let score = |cell: Cell| i32::from(mover.sign()) * i32::from(position.score(cell));
    let mut played = empty;
    for q in empty {
        let near_q = q.neighbours() & empty;
        for p in played - CellSet::of(q) {
            let near_p = p.neighbours() & empty;
            let differ = ((near_p - near_q) | (near_q - near_p)) - CellSet::of(p) - CellSet::of(q);
            if !(differ & undecided).is_empty() {
                continue;
            }
            let (class_p, class_q) = (class(p), class(q));
            let keeps_q = if class_p != class_q {
                class_q > class_p
            } else if class_q != 0 {
                // The same to both sides: one of them is enough.
                p.index() < q.index()
            } else {
                differ.is_empty() && (score(q), q.index()) > (score(p), p.index())
            };
            if keeps_q {
                played -= CellSet::of(q);
                break;
            }
        }
    }
    played
}

/// The stones worth playing on each cell, found by going through the stones of the player to move from the
/// smallest to the largest.
pub struct Stones {
    mover: Player,
    undecided: CellSet,
    /// By cell: what is dead for the mover after the next smaller stone on it.
    dead_before: [CellSet; 64],
    /// By cell: whether a smaller stone has been seen on it.
    seen: CellSet,
}

impl Stones {
    /// Begin with the smallest stone.
    #[inline(always)]
    pub fn of(position: &Position, status: &Status) -> Stones {
        Stones {
            mover: position.to_move(),
            undecided: status.undecided(),
            dead_before: [CellSet::EMPTY; 64],
            seen: CellSet::EMPTY,
        }
    }

    /// Tell whether the next stone is worth playing on a cell; `after` is the status after it.
    #[inline(always)]
    pub fn worth(&mut self, cell: Cell, after: &Status) -> bool {
        let dead_before = &mut self.dead_before[cell.index()];
        let open = (cell.neighbours() & self.undecided) - *dead_before - after.dead(self.mover.opponent());
        *dead_before = after.dead(self.mover);
        let first = !self.seen.contains(cell);
        self.seen |= CellSet::of(cell);
        first || !open.is_empty()
    }
}
