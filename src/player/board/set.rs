//! Sets of cells in one `u64`.

use std::fmt;
use std::ops::{BitAnd, BitOr, Sub};

use super::Cell;

/// A set of cells; bit `i` is the cell of index `i` (see the drawing of [`Cell`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct CellSet(u64);

impl CellSet {
    pub const EMPTY: CellSet = CellSet(0);

    /// All 36 cells: the low 8, 7, …, 1 bits of eight groups of nine.
    pub const BOARD: CellSet = {
        let (mut bits, mut u) = (0u64, 0);
        while u < 8 {
            bits |= ((1 << (8 - u)) - 1) << (9 * u);
            u += 1;
        }
        CellSet(bits)
    };

    /// Make a set from its bits; bits off the board are dropped.
    pub const fn from_bits(bits: u64) -> CellSet {
        CellSet(bits & CellSet::BOARD.0)
    }

    pub const fn bits(self) -> u64 {
        self.0
    }

    pub const fn of(cell: Cell) -> CellSet {
        CellSet(1 << cell.index())
    }

    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub const fn contains(self, cell: Cell) -> bool {
        self.0 >> cell.index() & 1 != 0
    }

    pub const fn neighbours(self) -> CellSet {
        let x = self.0;
        CellSet::from_bits(x << 1 | x >> 1 | x << 8 | x >> 8 | x << 9 | x >> 9)
    }

    /// Return the set shifted by each of the six steps: a cell is in as many of them as it has neighbours here.
    #[inline(always)]
    pub fn neighbour_shifts(self) -> [CellSet; 6] {
        let x = self.0;
        // Not `map`: compilers leave it a call, here and in all hot code.
        let [a, b, c] = [CellSet::from_bits(x << 1), CellSet::from_bits(x << 8), CellSet::from_bits(x << 9)];
        let [d, e, f] = [CellSet::from_bits(x >> 1), CellSet::from_bits(x >> 8), CellSet::from_bits(x >> 9)];
        [a, d, b, e, c, f]
    }

    /// Return the member of the lowest index.
    pub fn first(self) -> Option<Cell> {
        (self.0 != 0).then(|| Cell::from_index(self.0.trailing_zeros() as u8))
    }

    /// Return the `n`-th member by index, counted from 0; there must be one.
    #[inline(always)]
    pub fn nth(self, n: u32) -> Cell {
        debug_assert!(n < self.len());
        Cell::from_index(nth_set_bit(self.0, n) as u8)
    }
}

/// Return the position of the `n`-th set bit of `bits`, counted from 0.
#[inline(always)]
pub(crate) fn nth_set_bit(bits: u64, n: u32) -> u32 {
    let mut rest = bits;
    for _ in 0..n {
        rest &= rest.wrapping_sub(1);
    }
    rest.trailing_zeros()
}

impl FromIterator<Cell> for CellSet {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> CellSet {
        cells.into_iter().fold(CellSet::EMPTY, |set, cell| set | CellSet::of(cell))
    }
}

#[derive(Clone)]
pub struct Members(u64);

impl Iterator for Members {
    type Item = Cell;

    #[inline(always)]
    fn next(&mut self) -> Option<Cell> {
        let cell = CellSet(self.0).first();
        self.0 &= self.0.wrapping_sub(1);
        cell
    }
}

impl IntoIterator for CellSet {
    type Item = Cell;
    type IntoIter = Members;

    #[inline(always)]
    fn into_iter(self) -> Members {
        Members(self.0)
    }
}

macro_rules! operation {
    ($trait:ident $method:ident, $a:ident $b:ident: $bits:expr) => {
        impl $trait for CellSet {
            type Output = CellSet;

            #[inline(always)]
            fn $method(self, other: CellSet) -> CellSet {
                let ($a, $b) = (self.0, other.0);
                CellSet($bits)
            }
        }
    };
}

operation!(BitAnd bitand, a b: a & b);
operation!(BitOr bitor, a b: a | b);
operation!(Sub sub, a b: a & !b);

impl fmt::Debug for CellSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}
