//! Players and moves.

use std::fmt;

use super::{Cell, Stone};

/// A player. Red moves first; a positive score is Red's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Player {
    Red,
    Blue,
}

impl Player {
    /// Both players, Red first: the order of every two-element table.
    pub const BOTH: [Player; 2] = [Player::Red, Player::Blue];

    pub const fn opponent(self) -> Player {
        match self {
            Player::Red => Player::Blue,
            Player::Blue => Player::Red,
        }
    }

    /// Return 0 for Red and 1 for Blue.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Return +1 for Red and -1 for Blue: the sign of the player's stones in a cell's score.
    pub const fn sign(self) -> i8 {
        1 - 2 * (self as i8)
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Player::Red => "red",
            Player::Blue => "blue",
        })
    }
}

/// A stone put on a cell; the position says which player's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    pub cell: Cell,
    pub stone: Stone,
}

/// A move in 10 bits: the cell's index, the stone.
pub type PackedMove = u16;

/// The most moves of a position: 36 cells, 15 stones.
pub const MAX_LEGAL_MOVES: usize = 540;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParseMoveError {
    NoEquals,
    Cell,
    NotANumber,
    StoneRange,
}

impl fmt::Display for ParseMoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ParseMoveError::NoEquals => "a move CELL=STONE such as B2=15",
            ParseMoveError::Cell => "a cell of the board such as B2 before the '='",
            ParseMoveError::NotANumber => "a whole number after the '='",
            ParseMoveError::StoneRange => "a stone from 1 to 15",
        })
    }
}

impl Move {
    /// The number of packed values: each [`PackedMove`] is below it.
    pub const PACKED_COUNT: usize = 1 << 10;

    pub const fn packed(self) -> PackedMove {
        (self.cell.index() << 4) as u16 | self.stone.value() as u16
    }

    pub const fn unpacked(packed: PackedMove) -> Move {
        Move { cell: Cell::from_index((packed >> 4) as u8), stone: Stone::from_bit((packed & 15) as u32) }
    }

    /// Read a move such as `B2=15` (either case); the error names the invalid part.
    pub fn parse(text: &str) -> Result<Move, ParseMoveError> {
        let (cell, stone) = text.split_once('=').ok_or(ParseMoveError::NoEquals)?;
        let cell = Cell::parse(cell.trim()).ok_or(ParseMoveError::Cell)?;
        let digits = stone.trim();
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(ParseMoveError::NotANumber);
        }
        let value = digits.parse::<u8>().map_err(|_| ParseMoveError::StoneRange)?;
        let stone = Stone::new(value).ok_or(ParseMoveError::StoneRange)?;
        Ok(Move { cell, stone })
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.cell, self.stone)
    }
}
