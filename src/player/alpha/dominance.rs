//! Superfluous moves of α-Blackhole: another move is at least as good (dominance).
//!
//! X is the player to move, W the opponent, U the cells that are dead for neither, out(c) the
//! neighbours of a cell c in U. Who wins depends only on which cells are dead for whom, on the
//! scores and neighbours of the cells of U, and on the hands: a dead cell stays dead, whatever
//! falls next to it.
//!
//! *Cells.* Let p and q be empty cells, with out(p) without q equal to out(q) without p. Where X
//! plays a stone on q and keeps p, X may play it on p and keep q instead: all other cells of U see
//! the same stones. So if q is at least as good for X to keep, no move on q is needed. That is so
//! when q is dead for X, or p is dead for W, or both are in U with the same empty neighbours
//! (except each other) and q's score is at least as good for X.
//!
//! *Stones.* Let a < b be stones of X, and c a cell. If every cell of out(c) becomes dead for X by
//! a on c, or is dead for W even after b on c, then b on c is no better than a on c: it is better
//! for X on no cell, and leaves X the smaller stone. It is enough to compare each stone with the next
//! smaller one, since a cell that is dead for X after one stone is dead for X after every larger one.

use super::Status;
use crate::board::{CellSet, Hand, Move, Player, NEIGHBOURS};
use crate::position::Position;

/// Return the cells of a set that no other cell of it dominates: cells are numbers, sets of them bits.
/// `dead` are those of X and of W, `near` gives a cell's empty neighbours, `score` its score from X's side;
/// `left_out` is called for each cell q left out for a cell p: with q, p, and the cells next to exactly one of them.
#[inline(always)]
pub fn undominated(
    set: u64,
    dead: [u64; 2],
    near: impl Fn(u32) -> u64,
    score: impl Fn(u32) -> i32,
    mut left_out: impl FnMut(u32, u32, u64),
) -> u64 {
    let [own, other] = dead;
    // The worth of keeping a cell: 1 dead for X, 0 undecided, -1 dead for W.
    let class = |cell: u32| (own >> cell & 1) as i32 - (other >> cell & 1) as i32;
    let (mut played, mut rest) = (set, set);
    while rest != 0 {
        let q = rest.trailing_zeros();
        rest &= rest - 1;
        let near_q = near(q);
        let mut others = played & !(1 << q);
        while others != 0 {
            let p = others.trailing_zeros();
            others &= others - 1;
            let differ = (near(p) ^ near_q) & !(1 << p | 1 << q);
            if differ & !(own | other) != 0 {
                continue;
            }
            let (class_p, class_q) = (class(p), class(q));
            let keeps_q = if class_p != class_q {
                class_q > class_p
            } else if class_q != 0 {
                // Alike for both sides: one of them is enough.
                p < q
            } else {
                differ == 0 && (score(q), q) > (score(p), p)
            };
            if keeps_q {
                played &= !(1 << q);
                left_out(q, p, differ);
                break;
            }
        }
    }
    played
}

/// Return the cells of a set of empty cells that are [undominated] for the player to move.
#[inline(always)]
pub fn cells(position: &Position, status: &Status, set: CellSet) -> CellSet {
    let (mover, empty) = (position.to_move(), position.empty().bits());
    let dead = [status.dead(mover).bits(), status.dead(mover.opponent()).bits()];
    let near = |cell: u32| NEIGHBOURS[(cell & 63) as usize].bits() & empty;
    let score = |cell: u32| i32::from(mover.sign()) * i32::from(position.scores().0[(cell & 63) as usize]);
    CellSet::from_bits(undominated(set.bits(), dead, near, score, |_, _, _| {}))
}

/// The α-reasonable moves of the player to move (§2.3): any stone on a cell of `any_stone`, the
/// least stone on `least_only`. For every other legal move one of these is at least as good.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reasonable {
    pub any_stone: CellSet,
    /// The stale cell that may take the least stone; empty or one cell.
    pub least_only: CellSet,
}

impl Reasonable {
    /// Find the reasonable moves of an undecided position: undominated among the stale cells (§2.3.3), which take the
    /// least stone only, and among the isolated pairs, two empty cells with no other empty neighbour (§2.3.1).
    #[inline(always)]
    pub fn of(position: &Position, status: &Status) -> Reasonable {
        let empty = position.empty();
        let stale = status.stale(Player::Red) | status.stale(Player::Blue);
        // The cells with exactly one empty neighbour, counted to "two or more" in two bit planes.
        let (mut some, mut several) = (CellSet::EMPTY, CellSet::EMPTY);
        for shifted in empty.neighbour_shifts() {
            several = several | some & shifted;
            some = some | shifted;
        }
        let single = (some - several) & (empty - stale);
        let pairs = single & single.neighbours();
        let any_stone = (empty - stale - pairs) | cells(position, status, pairs);
        Reasonable { any_stone, least_only: cells(position, status, stale) }
    }

    /// List the reasonable moves with the stones of the mover's hand, the smallest stone first.
    pub fn moves(self, hand: Hand) -> impl Iterator<Item = Move> {
        hand.iter().flat_map(move |stone| {
            let least = if Some(stone) == hand.smallest() { self.least_only } else { CellSet::EMPTY };
            (self.any_stone | least).into_iter().map(move |cell| Move { cell, stone })
        })
    }
}
