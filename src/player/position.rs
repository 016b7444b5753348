//! A Black Hole position: both hands, the empty cells and their scores.

use std::fmt;

use crate::board::{Cell, CellSet, Hand, Move, Player, Stone, CELL_COUNT, MAX_STONE};
use crate::simd::{Bytes, Portable, Simd};

/// The score of a cell or of a whole game, -75..=75: the red minus the blue stones next to the cell,
/// or to the hole (`s_i`, §2.2). Above 0 Red wins, 0 is a draw.
pub type Score = i8;

/// A position (§2.2): empty cells, hands and the player to move, with the score and the number of
/// empty neighbours of every cell. Moves are not undone: to copy the 160 bytes is cheaper.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Position {
    scores: Bytes,
    free: Bytes,
    empty: CellSet,
    hands: [Hand; 2],
    to_move: Player,
}

const _: () = assert!(std::mem::size_of::<Position>() == 160);

impl Position {
    /// Make a position with no stone on the board; an error names the numbers of stones that leave one cell.
    pub fn setup(empty: CellSet, hands: [Hand; 2], to_move: Player) -> Result<Position, String> {
        let [mover, other] = [to_move, to_move.opponent()].map(|player| hands[player.index()].len());
        if mover != other && mover != other + 1 {
            let each = "as many stones for the player to move as for the other, or one more";
            return Err(format!("{each}, not {mover} and {other}"));
        }
        let (found, expected) = (empty.len(), mover + other + 1);
        if found != expected {
            let cells = if expected == 1 { "cell" } else { "cells" };
            return Err(format!("{expected} empty {cells}, one more than there are stones, not {found}"));
        }
        let mut free = Bytes::ZERO;
        for cell in Cell::all() {
            free.0[cell.index()] = (cell.neighbours() & empty).len() as i8;
        }
        Ok(Position { scores: Bytes::ZERO, free, empty, hands, to_move })
    }

    /// Start the game of the blocked cells, which must all differ, with its standard hands: with `e`
    /// cells empty, `1..=(e - 1) / 2` each. Five blocked cells make the CodeCup game, the 15 of
    /// `u + v >= 6` the 21-cell game. The error names the expected number of cells.
    pub fn standard(blocked: &[Cell]) -> Result<Position, String> {
        let found = blocked.len();
        match found {
            4 => Err("5 blocked cells, not 4: one is missing".to_owned()),
            0..=3 => Err(format!("5 blocked cells, not {found}: {} are missing", 5 - found)),
            _ if found % 2 == 0 => {
                Err(format!("5 blocked cells (7, 9, ... 35 in a smaller game), not {found}"))
            }
            _ => {
                let hand = (1..=(CELL_COUNT - found) as u32 / 2).map(Stone::from_bit).collect();
                let blocked: CellSet = blocked.iter().copied().collect();
                Position::setup(CellSet::BOARD - blocked, [hand; 2], Player::Red)
            }
        }
    }

    /// Replace the cells' scores, which must stay within ±75 for the rest of the game.
    #[cfg(any(test, feature = "testing"))]
    pub fn with_scores(mut self, scores: impl Fn(Cell) -> Score) -> Position {
        for cell in Cell::all() {
            self.scores.0[cell.index()] = scores(cell);
        }
        self
    }

    pub const fn empty(&self) -> CellSet {
        self.empty
    }

    pub const fn hand(&self, player: Player) -> Hand {
        self.hands[player.index()]
    }

    pub const fn to_move(&self) -> Player {
        self.to_move
    }

    pub const fn score(&self, cell: Cell) -> Score {
        self.scores.0[cell.index()]
    }

    pub const fn free_neighbours(&self, cell: Cell) -> u32 {
        self.free.0[cell.index()] as u32
    }

    pub(crate) const fn scores(&self) -> &Bytes {
        &self.scores
    }

    pub(crate) const fn free(&self) -> &Bytes {
        &self.free
    }

    /// Return the final score: the score of the hole, once only one cell is empty.
    #[inline]
    pub fn final_score(&self) -> Option<Score> {
        self.empty.first().filter(|_| self.empty.len() == 1).map(|hole| self.score(hole))
    }

    /// Check that a move is legal; the error names the expected move.
    pub fn check(&self, mv: Move) -> Result<(), String> {
        let Move { cell, stone } = mv;
        if self.empty.len() <= 1 {
            Err("no further move (the game is over)".to_owned())
        } else if !self.empty.contains(cell) {
            Err(format!("an empty cell ({cell} is occupied)"))
        } else if !self.hand(self.to_move).contains(stone) {
            Err(format!("a stone {} has left ({stone} is used)", self.to_move))
        } else {
            Ok(())
        }
    }

    /// Play a move if it [is legal](Position::check); if not, the position stays as it was.
    pub fn try_play(&mut self, mv: Move) -> Result<(), String> {
        self.check(mv)?;
        self.play::<Portable>(mv);
        Ok(())
    }

    /// Play a legal move (checked in debug builds).
    #[inline(always)]
    pub fn play<S: Simd>(&mut self, mv: Move) {
        debug_assert_eq!(self.check(mv), Ok(()));
        let mover = self.to_move;
        let value = mv.stone.value() as i8 * mover.sign();
        S::place(&mut self.scores, &mut self.free, mv.cell.index(), value);
        self.empty = self.empty - CellSet::of(mv.cell);
        self.hands[mover.index()] = self.hands[mover.index()].without(mv.stone);
        self.to_move = mover.opponent();
    }

    #[inline(always)]
    #[must_use]
    pub fn after<S: Simd>(&self, mv: Move) -> Position {
        let mut next = *self;
        next.play::<S>(mv);
        next
    }

    /// Return the same position with the colours exchanged: its value is the negative.
    #[must_use]
    pub fn with_colours_exchanged(&self) -> Position {
        let [red, blue] = self.hands;
        let mut next = Position { hands: [blue, red], to_move: self.to_move.opponent(), ..*self };
        next.scores.0.iter_mut().for_each(|score| *score = -*score);
        next
    }

    /// List the legal moves: every stone of the mover on every empty cell.
    pub fn legal_moves(&self) -> impl Iterator<Item = Move> {
        let empty = if self.empty.len() > 1 { self.empty } else { CellSet::EMPTY };
        let hand = self.hand(self.to_move);
        empty.into_iter().flat_map(move |cell| hand.iter().map(move |stone| Move { cell, stone }))
    }
}

/// The largest final score: one player's six largest stones, 15 to 10, around the hole.
pub const MAX_SCORE: Score = 6 * MAX_STONE as Score - 15;

const _: () = assert!(MAX_SCORE == 75);

/// The points of both players together; the winner of a forfeit gets all.
pub const MAX_POINTS: u8 = 2 * MAX_SCORE as u8;

/// Return the points of Red and Blue by the final score.
pub fn points(score: Score) -> [u8; 2] {
    let red = (i16::from(MAX_SCORE) + i16::from(score)) as u8;
    [red, MAX_POINTS - red]
}

/// Shows hands, player to move, and the empty cells with their scores.
impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "red {:?} blue {:?}, {} to move;", self.hands[0], self.hands[1], self.to_move)?;
        self.empty.into_iter().try_for_each(|cell| write!(f, " {cell}:{}", self.score(cell)))
    }
}
