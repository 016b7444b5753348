//! Cells of the triangle: indices, names and neighbours, all known at compile time.

use std::fmt;

use super::CellSet;

pub const CELL_COUNT: usize = 36;

/// Columns A..H and rows 1..8.
const SIDE: u8 = 8;

/// The cell index grows by this much from column to column.
const STRIDE: u8 = 9;

/// A cell of the board.
///
/// The cell of column `u` (0 for A) and row `v` (0 for the digit 1), `u + v < 8`, has the index `9 u + v`:
///
/// ```text
///              0                       A1
///            9   1                   B1  A2
///         18  10   2               C1  B2  A3             -1   -9     what to add to an index
///       27  19  11   3           D1  C2  B3  A4         +8   •   -8   for each neighbour
///     36  28  20  12   4       E1  D2  C3  B4  A5         +9   +1
///   45  37  29  21  13   5    ..................
/// ..........................  ......................
/// 63 55 47 39 31 23 15 7   H1  G2  F3  E4  D5  C6  B7  A8
/// ```
///
/// Index 8 of every nine lies off the board. So a set of cells that is shifted by a neighbour's step never
/// wraps from one column into the next.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(u8);

/// The neighbours of every cell, by cell index. Empty off the board.
pub const NEIGHBOURS: [CellSet; 64] = {
    let mut table = [CellSet::EMPTY; 64];
    let mut i = 0;
    while i < 64 {
        table[i] = CellSet::from_bits(1 << i).neighbours();
        i += 1;
    }
    table
};

const _: () = assert!(CellSet::BOARD.len() == CELL_COUNT as u32);
const _: () = assert!(NEIGHBOURS[0].len() == 2 && NEIGHBOURS[63].len() == 2 && NEIGHBOURS[10].len() == 6);

impl Cell {
    /// Make the cell of column `u` (0 = A) and row `v` (0 = the digit 1), if the board has it.
    pub fn at(u: u8, v: u8) -> Option<Cell> {
        (u < SIDE && v < SIDE && u + v < SIDE).then(|| Cell(u * STRIDE + v))
    }

    /// Make a cell from its index on the board (see the drawing of [`Cell`]).
    pub const fn from_index(index: u8) -> Cell {
        debug_assert!(CellSet::BOARD.bits() >> index & 1 != 0);
        Cell(index)
    }

    /// Return the cell's index, 0..=63: its bit in a [`CellSet`] and its lane in the score vectors.
    pub const fn index(self) -> usize {
        // The mask is free and lets the compiler drop bounds checks on 64-entry tables.
        (self.0 & 63) as usize
    }

    /// Return the cell's ordinal, 0..36, in the order A1..A8, B1..B7, …, H1.
    pub const fn ordinal(self) -> usize {
        (CellSet::BOARD.bits() & ((1 << self.index()) - 1)).count_ones() as usize
    }

    /// Return the cell's column, 0 for A, and row, 0 for the digit 1.
    pub const fn place(self) -> [i32; 2] {
        [(self.0 / STRIDE) as i32, (self.0 % STRIDE) as i32]
    }

    pub const fn neighbours(self) -> CellSet {
        NEIGHBOURS[self.index()]
    }

    /// Read a cell name such as `E4` or `e4`. `None` if the text is another.
    pub fn parse(text: &str) -> Option<Cell> {
        let &[column, row] = text.as_bytes() else { return None };
        let u = column.to_ascii_uppercase().wrapping_sub(b'A');
        Cell::at(u, row.wrapping_sub(b'1'))
    }

    /// List every cell, by ordinal.
    pub fn all() -> impl Iterator<Item = Cell> {
        CellSet::BOARD.into_iter()
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [u, v] = self.place();
        write!(f, "{}{}", char::from(b'A' + u as u8), v + 1)
    }
}
