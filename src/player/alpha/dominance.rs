//! Superfluous moves of α-Blackhole: those for which another move is at least as good (dominance).
//! The solver proves the same rules on its own states, with certificates.
//!
//! M is the player to move, W the opponent, U the cells that are dead for neither, out(c) the
//! neighbours of a cell c in U. Who wins depends only on which cells are dead for whom, on the
//! scores and neighbours of the cells of U, and on the hands: a dead cell stays dead, whatever
//! falls next to it.
//!
//! *Cells.* Let p and q be empty cells, with out(p) without q equal to out(q) without p. Where M
//! plays a stone on q and keeps p, M may play it on p and keep q instead: all other cells of U see
//! the same stones. So if q is at least as good for M to keep, no move on q is needed. That is so
//! when q is dead for M, or p is dead for W, or both are in U with the same empty neighbours
//! (except each other) and q's score is at least as good for M. The rules of stale cells and
//! isolated pairs (§2.3.1, §2.3.3) are special cases.
//!
//! *Stones.* Let a < b be stones of M, and c a cell. If every cell of out(c) becomes dead for M by
//! a on c, or is dead for W even after b on c, then b on c is no better than a on c: it is better
//! for M on no cell, and leaves M the smaller stone. It is enough to compare each stone with the
//! next smaller one, since what is dead for M after one stone is dead for M after every larger one.

use super::Status;
use crate::board::{Cell, CellSet, Player};
use crate::position::Position;

/// Return the empty cells that are left for the player to move by the dominance of cells.
#[inline(always)]
pub fn cells(position: &Position, status: &Status) -> CellSet {
    let mover = position.to_move();
    let (empty, undecided) = (position.empty(), status.undecided());
    // How good a cell is to keep: 1 dead for the mover, 0 undecided, -1 dead for the opponent.
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
                // Alike for both sides: one of them is enough.
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

/// The dominance of stones, for a caller who goes through the mover's stones from the smallest to
/// the largest.
pub struct Stones {
    mover: Player,
    undecided: CellSet,
    /// By cell: what is dead for the mover after the next smaller stone on that cell.
    dead_before: [CellSet; 64],
    /// The cells on which a smaller stone was tried.
    seen: CellSet,
}

impl Stones {
    /// Begin before the smallest stone.
    #[inline(always)]
    pub fn of(position: &Position, status: &Status) -> Stones {
        Stones {
            mover: position.to_move(),
            undecided: status.undecided(),
            dead_before: [CellSet::EMPTY; 64],
            seen: CellSet::EMPTY,
        }
    }

    /// Tell whether the next stone is worth playing on a cell, which leads to the status `after`.
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
