//! The α-reasonable moves (§2.3): those that remain when stale cells and isolated pairs are thinned
//! out.

use super::Status;
use crate::board::{CellSet, Hand, Move};
use crate::position::Position;

/// The α-reasonable moves of the player to move: any stone on a cell of `any_stone`, the least
/// stone on `least_only`.
///
/// For every other legal move there is one among these that is at least as good in α-Blackhole:
///
/// - A *stale* cell (§2.3.3; an isolated cell is one, §2.3.1) influences no undecided cell, so it
///   takes the least stone only. A stale cell of the opponent goes first, since the mover would
///   rather keep its own for the hole. Stale cells of one owner are all alike: only one of them is
///   kept.
/// - An *isolated pair* is two empty cells with no other empty neighbour (§2.3.1). Only the one
///   with the worse score for the mover is kept: a stone on either leaves the other one isolated,
///   with its score changed by the same amount.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reasonable {
    /// Cells that may take any stone of the mover.
    pub any_stone: CellSet,
    /// The stale cell that may take the least stone; empty or one cell.
    pub least_only: CellSet,
}

impl Reasonable {
    /// Find the reasonable moves of an undecided position.
    #[inline(always)]
    pub fn of(position: &Position, status: &Status) -> Reasonable {
        let mover = position.to_move();
        let empty = position.empty();
        let [own, other] = [status.stale(mover), status.stale(mover.opponent())];
        let stale = own | other;
        let choice = if other.is_empty() { own } else { other };
        let least_only = CellSet::from_bits(choice.bits() & choice.bits().wrapping_neg());
        let mut any_stone = empty - stale;

        // The cells with exactly one empty neighbour, counted to "two or more" in two bit planes.
        let (mut some, mut several) = (CellSet::EMPTY, CellSet::EMPTY);
        for shifted in empty.neighbour_shifts() {
            several |= some & shifted;
            some |= shifted;
        }
        let single = any_stone & (some - several);
        let mut pairs = single & single.neighbours();
        // Two of them next to each other are a pair, and no cell is in two pairs.
        while let Some(first) = pairs.first() {
            let second = (pairs & first.neighbours()).first();
            pairs -= CellSet::of(first);
            let Some(second) = second else { continue };
            pairs -= CellSet::of(second);
            let sign = i32::from(mover.sign());
            let worth = |cell| sign * i32::from(position.score(cell));
            let (a, b) = (worth(first), worth(second));
            any_stone -= CellSet::of(if a <= b { second } else { first });
        }
        Reasonable { any_stone, least_only }
    }

    /// Count the reasonable moves of a mover with `stones` stones left.
    pub fn len(&self, stones: u32) -> u32 {
        if stones == 0 {
            0
        } else {
            self.any_stone.len() * stones + self.least_only.len()
        }
    }

    /// List the reasonable moves with the stones of the mover's hand, the smallest stone first.
    pub fn moves(self, hand: Hand) -> impl Iterator<Item = Move> {
        hand.iter().flat_map(move |stone| {
            let least = if Some(stone) == hand.smallest() { self.least_only } else { CellSet::EMPTY };
            (self.any_stone | least).into_iter().map(move |cell| Move { cell, stone })
        })
    }
}
