//! α-Blackhole (§2.3.2, §2.3.3): the game with only two outcomes, "Red reaches the target α" and
//! "Blue keeps the score below α"; which cells are dead, stale or undecided for it, when it is decided,
//! and which moves are reasonable.
//!
//! All of it is recomputed from the position with a few vector and bit operations: a stone changes a hand, and
//! with it every threshold, so that there is little to keep from one position to the next.

pub mod dominance;

use std::fmt;

use crate::player::board::{Cell, CellSet, Hand, Move, Player, Stone};
use crate::player::position::{MAX_SCORE, Position, Score};
use crate::player::simd::{Simd, cells_at_least};

/// A target α, -75..=75: Red wins α-Blackhole when the final score is at least α, Blue otherwise.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target(Score);

impl Target {
    /// The lowest target: Red always reaches it.
    pub const MIN: Target = Target(-MAX_SCORE);
    /// The highest target.
    pub const MAX: Target = Target(MAX_SCORE);
    /// How many targets there are: 151.
    pub const COUNT: usize = 2 * MAX_SCORE as usize + 1;

    /// Make the target α, clamped to -75..=75.
    #[inline(always)]
    pub fn new(alpha: i32) -> Target {
        Target(alpha.clamp(i32::from(-MAX_SCORE), i32::from(MAX_SCORE)) as Score)
    }

    /// Return α.
    #[inline(always)]
    pub const fn alpha(self) -> Score {
        self.0
    }

    /// Return the target `steps` more ambitious for `player` (higher for Red, lower for Blue), clamped.
    pub fn harder(self, player: Player, steps: i32) -> Target {
        Target::new(i32::from(self.0) + i32::from(player.sign()) * steps)
    }

    /// Return the target's place in a table of [`COUNT`](Target::COUNT).
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0 as i16 + MAX_SCORE as i16) as usize
    }

    /// Tell who has won α-Blackhole with the final score `score`.
    #[inline(always)]
    pub fn winner(self, score: Score) -> Player {
        if score >= self.0 { Player::Red } else { Player::Blue }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// A position seen for a target: the dead, undecided and stale cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Status {
    thresholds: Thresholds,
    dead: [CellSet; 2],
    undecided: CellSet,
    /// Cells with an undecided neighbour.
    influential: CellSet,
}

/// For each number k of empty neighbours (byte k), the least score with which such a cell is α-dead for
/// Red, and the least with which it is not α-dead for Blue. They depend on the hands alone.
///
/// §2.3.2: a cell is α-dead for Red if it stays at least α when its empty neighbours receive the least
/// favourable remaining stones, and for Blue if it stays below α. Saturation to a byte is harmless:
/// scores lie within ±75, a saturated threshold beyond all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thresholds([u64; 2]);

impl Thresholds {
    /// Find the thresholds for a target and both hands.
    #[inline(always)]
    pub fn new(target: Target, red: Hand, blue: Hand) -> Thresholds {
        let fall = blue.best_fill(red).to_le_bytes();
        let rise = red.best_fill(blue).to_le_bytes();
        let mut for_red = [0; 8];
        let mut for_blue = [0; 8];
        for k in 0..8 {
            for_red[k] = target.0.saturating_add(fall[k] as i8) as u8;
            for_blue[k] = target.0.saturating_sub(rise[k] as i8) as u8;
        }
        Thresholds([u64::from_le_bytes(for_red), u64::from_le_bytes(for_blue)])
    }
}

impl Status {
    /// Judge every empty cell of a position for a target (§2.3.2).
    #[inline(always)]
    pub fn of<S: Simd>(position: &Position, target: Target) -> Status {
        let [red, blue] = Player::BOTH.map(|player| position.hand(player));
        Status::with::<S>(position, Thresholds::new(target, red, blue))
    }

    /// Judge every empty cell with the thresholds of the target and the position's hands: for judging many
    /// positions with the same hands.
    #[inline(always)]
    pub fn with<S: Simd>(position: &Position, thresholds: Thresholds) -> Status {
        let empty = position.empty();
        let Thresholds([for_red, for_blue]) = thresholds;
        let red = cells_at_least::<S>(position.scores(), position.free(), for_red) & empty;
        let blue = empty - cells_at_least::<S>(position.scores(), position.free(), for_blue);
        let undecided = empty - red - blue;
        Status { thresholds, dead: [red, blue], undecided, influential: undecided.neighbours() }
    }

    /// Return the cells α-dead in favour of `player` (the paper's D).
    #[inline(always)]
    pub const fn dead(&self, player: Player) -> CellSet {
        self.dead[player.index()]
    }

    /// Return the empty cells that are dead for neither player.
    #[inline(always)]
    pub const fn undecided(&self) -> CellSet {
        self.undecided
    }

    /// Return the cells α-stale in favour of `player` (§2.3.3): dead for the player, and so is (for
    /// either player) every empty cell next to them.
    #[inline(always)]
    pub fn stale(&self, player: Player) -> CellSet {
        self.dead[player.index()] - self.influential
    }

    /// Return the player who has won by the counting argument of §2.3.2, if one has: a player with more
    /// dead cells than the opponent has stones left wins by keeping off them.
    ///
    /// When one cell is left this is the final result. At most one player fulfils it, because the dead
    /// cells of both are at most all stones and one.
    #[inline(always)]
    pub fn winner(&self, position: &Position) -> Option<Player> {
        if self.dead[0].len() > position.hand(Player::Blue).len() {
            Some(Player::Red)
        } else if self.dead[1].len() > position.hand(Player::Red).len() {
            Some(Player::Blue)
        } else {
            None
        }
    }

    /// Return the least number on a stone of `player` that makes the empty cell `cell` dead for `player` when
    /// it falls next to it, both hands unchanged otherwise. May be beyond any stone, or below 1 when any
    /// stone will do. The cell must have an empty neighbour.
    ///
    /// The hands do change, by the stone itself; that matters only where the opponent has fewer stones left
    /// than the cell has free neighbours. A policy may use it, a proof must not.
    #[inline(always)]
    pub fn killing_stone(&self, position: &Position, cell: Cell, player: Player) -> i32 {
        let free = position.free_neighbours(cell);
        let threshold = (self.thresholds.0[player.index()] >> (8 * (free - 1))) as i8;
        let score = i32::from(position.score(cell));
        match player {
            Player::Red => i32::from(threshold) - score,
            Player::Blue => score - i32::from(threshold) + 1,
        }
    }

    /// Return how many more cells must become dead for `player` before the counting argument holds; 0 or
    /// less means won.
    #[inline(always)]
    pub fn need(&self, position: &Position, player: Player) -> i32 {
        position.hand(player.opponent()).len() as i32 + 1 - self.dead[player.index()].len() as i32
    }
}

/// Return the empty cells that α-control gives to `player`: those whose score as it stands suits them
/// (§2.3.2).
#[inline(always)]
pub fn controlled<S: Simd>(position: &Position, target: Target, player: Player) -> CellSet {
    let threshold = u64::from(target.0 as u8) * 0x0101_0101_0101_0101;
    let red = cells_at_least::<S>(position.scores(), position.free(), threshold) & position.empty();
    match player {
        Player::Red => red,
        Player::Blue => position.empty() - red,
    }
}

/// The moves of a position that are α-reasonable for the player to move (§2.3): any stone on a cell of
/// `any_stone`, and the least stone on `least_only`.
///
/// Every other legal move is matched by one of these that is never worse for α-Blackhole:
///
/// - A *stale* cell (§2.3.3; an isolated cell is one, §2.3.1) changes nobody's control of any cell, so it
///   takes the least stone only. Of several stale cells, one the opponent is sure of goes before one the
///   mover is sure of, since the mover would rather keep the latter for the hole; two stale cells of the same
///   owner are the same to both sides in α-Blackhole, so only one of them is kept.
/// - Of an *isolated pair* (two empty cells with no other empty neighbour, §2.3.1) only the cell with the
///   score worse for the mover: either stone leaves the other cell isolated with its score changed by the
///   same amount.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reasonable {
    /// Cells that may take any stone of the mover.
    pub any_stone: CellSet,
    /// The stale cell to consider, with the least stone only; empty or one cell.
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

        // Isolated pairs: exactly one empty neighbour each. Count neighbours 0, 1, 2+ by two bit planes.
        let (mut some, mut several) = (CellSet::EMPTY, CellSet::EMPTY);
        for shifted in empty.neighbour_shifts() {
            several |= some & shifted;
            some |= shifted;
        }
        let single = any_stone & (some - several);
        let mut pairs = single & single.neighbours();
        // Cells of one empty neighbour that are next to each other form pairs: no cell is in two.
        while let Some(first) = pairs.first() {
            let second = (pairs & first.neighbours()).first();
            pairs -= CellSet::of(first);
            let Some(second) = second else { continue };
            pairs -= CellSet::of(second);
            let sign = i32::from(mover.sign());
            let [a, b] = [first, second].map(|cell| sign * i32::from(position.score(cell)));
            any_stone -= CellSet::of(if a <= b { second } else { first });
        }
        Reasonable { any_stone, least_only }
    }

    /// Return the cells on which the mover may put `stone`.
    #[inline(always)]
    pub fn cells(&self, stone: Stone, least: Stone) -> CellSet {
        if stone == least { self.any_stone | self.least_only } else { self.any_stone }
    }

    /// Count the reasonable moves of a mover with `stones` stones left.
    pub fn len(&self, stones: u32) -> u32 {
        if stones == 0 { 0 } else { self.any_stone.len() * stones + self.least_only.len() }
    }

    /// Tell whether there is no reasonable move (only when the game is over).
    pub fn is_empty(&self) -> bool {
        self.any_stone.is_empty() && self.least_only.is_empty()
    }

    /// List the reasonable moves for the mover's hand.
    pub fn moves(self, hand: Hand) -> impl Iterator<Item = Move> {
        let least = hand.smallest();
        hand.iter().flat_map(move |stone| {
            let cells = self.cells(stone, least.unwrap_or(stone));
            cells.into_iter().map(move |cell| Move { cell, stone })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_its_place() {
        let all = (-80..=80).map(Target::new);
        assert_eq!(all.clone().map(Target::index).max(), Some(Target::COUNT - 1));
        assert_eq!(all.map(Target::index).min(), Some(0));
        assert_eq!(Target::MIN.harder(Player::Red, 1).index(), 1);
        assert_eq!(Target::MAX.harder(Player::Red, 1), Target::MAX);
    }
}
