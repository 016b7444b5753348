//! Dead, undecided and stale cells, and the win test of α-Blackhole.

use super::Target;
use crate::board::{Cell, CellSet, Hand, Player};
use crate::position::Position;
use crate::simd::Simd;

/// For each number k of empty neighbours (byte k), the least score with which such a cell is α-dead
/// for Red, and the least score with which it is not α-dead for Blue.
///
/// §2.3.2: a cell is α-dead for Red if its score stays at least α when its empty neighbours receive
/// the remaining stones that are worst for Red, and likewise for Blue.
#[inline(always)]
fn thresholds(target: Target, red: Hand, blue: Hand) -> [u64; 2] {
    let fall = blue.best_fill(red).to_le_bytes();
    let rise = red.best_fill(blue).to_le_bytes();
    let mut for_red = [0; 8];
    let mut for_blue = [0; 8];
    for k in 0..8 {
        for_red[k] = target.alpha().saturating_add(fall[k] as i8) as u8;
        for_blue[k] = target.alpha().saturating_sub(rise[k] as i8) as u8;
    }
    [u64::from_le_bytes(for_red), u64::from_le_bytes(for_blue)]
}

/// The dead, undecided and stale cells of a position for a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Status {
    thresholds: [u64; 2],
    dead: [CellSet; 2],
    undecided: CellSet,
    /// Cells with an undecided neighbour.
    influential: CellSet,
}

impl Status {
    #[inline(always)]
    pub fn of<S: Simd>(position: &Position, target: Target) -> Status {
        let thresholds = thresholds(target, position.hand(Player::Red), position.hand(Player::Blue));
        let empty = position.empty();
        let [for_red, for_blue] = thresholds;
        let red = CellSet::from_bits(S::at_least(position.scores(), position.free(), for_red)) & empty;
        let blue = empty - CellSet::from_bits(S::at_least(position.scores(), position.free(), for_blue));
        let undecided = empty - red - blue;
        Status { thresholds, dead: [red, blue], undecided, influential: undecided.neighbours() }
    }

    /// Return the cells that are α-dead in favour of `player` (the paper's D).
    pub const fn dead(&self, player: Player) -> CellSet {
        self.dead[player.index()]
    }

    pub const fn undecided(&self) -> CellSet {
        self.undecided
    }

    /// Return the cells that are α-stale in favour of `player` (§2.3.3): dead, without an undecided neighbour.
    pub fn stale(&self, player: Player) -> CellSet {
        self.dead[player.index()] - self.influential
    }

    /// Return the player who has won by counting (§2.3.2): by avoiding more dead cells than the opponent has stones.
    #[inline(always)]
    pub fn winner(&self, position: &Position) -> Option<Player> {
        if self.need(position, Player::Red) <= 0 {
            Some(Player::Red)
        } else if self.need(position, Player::Blue) <= 0 {
            Some(Player::Blue)
        } else {
            None
        }
    }

    /// Return the number of cells that must still become dead for `player` to be the [winner](Status::winner).
    pub fn need(&self, position: &Position, player: Player) -> i32 {
        position.hand(player.opponent()).len() as i32 + 1 - self.dead[player.index()].len() as i32
    }

    /// Return the least stone of `player` that makes `cell` dead for `player` when it falls next to the cell
    /// (above 15: no stone does; below 1: any stone), for policies only: the stone still counts in the hand.
    /// The cell must have an empty neighbour.
    #[inline(always)]
    pub fn killing_stone(&self, position: &Position, cell: Cell, player: Player) -> i32 {
        let free = position.free_neighbours(cell);
        let threshold = (self.thresholds[player.index()] >> (8 * (free - 1))) as i8;
        let score = i32::from(position.score(cell));
        match player {
            Player::Red => i32::from(threshold) - score,
            Player::Blue => score - i32::from(threshold) + 1,
        }
    }
}
