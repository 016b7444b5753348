//! Stones and the hands that hold them.

use std::fmt;

pub const MAX_STONE: u8 = 15;

/// A stone's number, 1..=15. The owner is not part of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stone(u8);

impl Stone {
    pub const fn new(value: u8) -> Option<Stone> {
        if value >= 1 && value <= MAX_STONE {
            Some(Stone(value))
        } else {
            None
        }
    }

    /// Make the stone of a bit of a [`Hand`], 1..=15.
    pub const fn from_bit(bit: u32) -> Stone {
        debug_assert!(bit >= 1 && bit <= MAX_STONE as u32);
        Stone(bit as u8)
    }

    pub const fn value(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Stone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// The stones a player has left; bit `v` is the stone of the number `v`, bit 0 is never set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Hand(u16);

/// For each low and each high byte of a hand: the sums of its `k` largest stones in byte `k`, 0..=15.
static LARGEST: [[u128; 256]; 2] = [sums(0, true), sums(8, true)];
/// Likewise for its `k` smallest stones.
static SMALLEST: [[u128; 256]; 2] = [sums(0, false), sums(8, false)];

const fn sums(base: u32, largest: bool) -> [u128; 256] {
    let mut table = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut rest, mut sum, mut k) = (bits as u32, 0, 1);
        while k < 16 {
            // Past the last stone the sum stays.
            if rest != 0 {
                let bit = if largest { rest.ilog2() } else { rest.trailing_zeros() };
                sum += (base + bit) as u128;
                rest &= !(1 << bit);
            }
            table[bits] |= sum << (8 * k);
            k += 1;
        }
        bits += 1;
    }
    table
}

/// Move a row of eight byte sums up by `count` bytes, with zeros from below.
fn shift_row(row: u64, count: u32) -> u64 {
    row.checked_shl(8 * count).unwrap_or(0)
}

impl Hand {
    pub const EMPTY: Hand = Hand(0);

    pub const fn bits(self) -> u16 {
        self.0
    }

    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub const fn contains(self, stone: Stone) -> bool {
        self.0 >> stone.0 & 1 != 0
    }

    pub const fn without(self, stone: Stone) -> Hand {
        Hand(self.0 & !(1 << stone.0))
    }

    /// Return the hand without its `count` smallest stones; the hand must have that many.
    #[inline(always)]
    pub fn without_smallest(self, count: u32) -> Hand {
        Hand((0..count).fold(self.0, |bits, _| bits & bits.wrapping_sub(1)))
    }

    pub const fn with(self, stone: Stone) -> Hand {
        Hand(self.0 | 1 << stone.0)
    }

    pub fn smallest(self) -> Option<Stone> {
        (self.0 != 0).then(|| Stone::from_bit(self.0.trailing_zeros()))
    }

    pub fn largest(self) -> Option<Stone> {
        (self.0 != 0).then(|| Stone::from_bit(15 - self.0.leading_zeros()))
    }

    /// Return the `n`-th smallest stone, counted from 0; there must be one.
    #[inline(always)]
    pub fn nth(self, n: u32) -> Stone {
        debug_assert!(n < self.len());
        Stone::from_bit(super::set::nth_set_bit(u64::from(self.0), n))
    }

    /// Return the sum of the `k` largest stones, or of all if there are fewer, in byte `k` (0..=7); at most 84.
    #[inline(always)]
    pub fn largest_sums(self) -> u64 {
        self.all_largest_sums() as u64
    }

    /// Return the sums of the `k` largest stones for `k` 0..=15; at most 120.
    #[inline(always)]
    pub fn all_largest_sums(self) -> u128 {
        let [low, high] = self.0.to_le_bytes();
        LARGEST[1][high as usize] + (LARGEST[0][low as usize] << (8 * high.count_ones()))
    }

    /// Return the sum of the `k` smallest stones in byte `k` (0..=7), of all if there are fewer.
    #[inline(always)]
    pub fn smallest_sums(self) -> u64 {
        let [low, high] = self.0.to_le_bytes();
        SMALLEST[0][low as usize] as u64 + shift_row(SMALLEST[1][high as usize] as u64, low.count_ones())
    }

    /// Return in byte `k` (0..=7), signed, the most by which filling `k` cells can raise a score for
    /// the owner: by the `k` largest stones and, when they run out, the smallest of `other`.
    #[inline(always)]
    pub fn best_fill(self, other: Hand) -> u64 {
        let own = self.largest_sums();
        let forced = shift_row(other.smallest_sums(), self.len());
        // The bytes' differences without borrows between them: all bytes are 0..=84.
        const HIGH: u64 = 0x8080_8080_8080_8080;
        ((own | HIGH) - (forced & !HIGH)) ^ HIGH
    }

    /// List the stones, the smallest first.
    pub fn iter(self) -> impl Iterator<Item = Stone> {
        (1..=MAX_STONE).map(Stone).filter(move |&stone| self.contains(stone))
    }
}

impl FromIterator<Stone> for Hand {
    fn from_iter<I: IntoIterator<Item = Stone>>(stones: I) -> Hand {
        stones.into_iter().fold(Hand::EMPTY, Hand::with)
    }
}

impl fmt::Debug for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
