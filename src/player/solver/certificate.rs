//! Certificates: the weakest position for which a proof still holds.

use crate::alpha::state::{flip, indices, Frame, View};
use crate::board::Hand;
use crate::simd::{Lanes, Simd};

/// No requirement on a cell: scores are at least this.
pub const ANY: i8 = i8::MIN;

/// In nibble `k` (1..=15), a number of stones of at least `k`.
///
/// Hand A is at least as good as hand B of the same size when for every rank A's stone is at least
/// B's: when it has, for every `k`, at least as many stones of at least `k`.
pub type Counts = u64;

/// Counts of the stones of one byte of a hand, by byte.
const COUNTS: [[Counts; 256]; 2] = [counts_of(0), counts_of(8)];

const fn counts_of(base: u32) -> [Counts; 256] {
    let mut table = [0; 256];
    let mut bits = 1;
    while bits < 256usize {
        let value = base + bits.ilog2();
        table[bits] = table[bits - (1 << bits.ilog2())] + up_to(value);
        bits += 1;
    }
    table
}

/// Return one stone of `value`: a 1 in the nibbles 1..=value.
pub const fn up_to(value: u32) -> Counts {
    EACH & (!0 >> (60 - 4 * value))
}

pub const fn counts(hand: Hand) -> Counts {
    let [low, high] = hand.bits().to_le_bytes();
    COUNTS[0][low as usize] + COUNTS[1][high as usize]
}

/// One stone of every size: a 1 in the nibbles 1..=15.
const EACH: Counts = 0x1111_1111_1111_1110;
const EVEN: u64 = 0x0F0F_0F0F_0F0F_0F0F;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Return a 1 in each nibble where the count of `a` is at least that of `b`.
const fn at_least(a: Counts, b: Counts) -> Counts {
    let even = ((a & EVEN) | HIGH) - (b & EVEN);
    let odd = ((a >> 4 & EVEN) | HIGH) - (b >> 4 & EVEN);
    (even & HIGH) >> 7 | (odd & HIGH) >> 3
}

pub const fn covers(a: Counts, b: Counts) -> bool {
    at_least(a, b) == EACH | 1
}

/// Tell whether hands satisfy a certificate: its required stones of the winner, its allowed stones of the loser.
pub const fn hands_suit([winner, loser]: [Counts; 2], own: Counts, enemy: Counts) -> bool {
    covers(own, winner) && covers(loser, enemy)
}

/// Return the sum of the counts by which `a` exceeds `b`; at most 225.
pub const fn excess(a: Counts, b: Counts) -> u32 {
    let above = larger(a, b) - b;
    // Each byte is at most 30, and so is each sum of two; their sum ends up in the top byte.
    let bytes = (above & EVEN) + (above >> 4 & EVEN);
    (bytes.wrapping_mul(0x0101_0101_0101_0101) >> 56) as u32
}

pub const fn larger(a: Counts, b: Counts) -> Counts {
    let mask = at_least(a, b) * 15;
    a & mask | b & !mask
}

pub const fn smaller(a: Counts, b: Counts) -> Counts {
    // a + b - max(a, b), nibble by nibble, without a borrow across nibbles.
    a - (larger(a, b) - b)
}

pub const UNBOUNDED: Counts = 0xFFFF_FFFF_FFFF_FFF0;

/// Return bounds: at most `most` stones above `value`, any number of others.
pub const fn at_most_above(value: u32, most: u32) -> Counts {
    let below = up_to(value) * 15;
    below | (EACH * most as u64) & !below
}

/// Return bounds on a hand, given `rest`, bounds on it without its stone of `rank` (1 for the largest)
/// or of a lower rank: one more where that stone is counted.
pub const fn with_rank(rest: Counts, rank: u32) -> Counts {
    // No hand has more than 15 stones, and no bound above 15 is needed.
    let rest = capped(rest, 14);
    rest + (at_least(rest, EACH * (rank as u64 - 1)) & EACH)
}

/// Return bounds on a hand of at most `largest + more` stones, given `bounds` on its `largest` largest.
pub const fn of_largest(bounds: Counts, largest: u32, more: u32) -> Counts {
    // If they allow all of the largest stones, they allow the others as well.
    let allowed = at_least(bounds, EACH * largest as u64) & EACH;
    (bounds & !(allowed * 15)) | (allowed * (largest + more) as u64)
}

/// Return the smaller of each count and `most`.
pub const fn capped(a: Counts, most: u32) -> Counts {
    smaller(a, 0x1111_1111_1111_1111 * most as u64)
}

/// A proof that W, one of the sides, wins with given empty cells and side to move.
///
/// *Claim.* Take any position with the same empty cells, numbers of stones and side to move as one
/// for which the certificate was made. If W's score of every cell is at least `least`, W's counts
/// are at least `winner` and X's, the loser's, are at most `loser`, W wins.
///
/// *Dominance.* If W wins a position, W wins every position better for W cell by cell and stone by
/// stone: W follows the strategy of the worse position, where each stone stands for the one of the
/// same rank. W's stones are larger, X's smaller than those they stand for, so every cell stays at
/// least as good for W. So a certificate need only be true of the position with exactly the stated
/// scores and hands (its *weakest state*), and the search proves it bottom up:
///
/// - at a leaf decided by counting, the thresholds that make the counted cells dead, and as many of
///   X's largest stones, no larger, as may come to lie next to one of them;
/// - through a move of W (a stone v in c, child certificate C): v less for the neighbours of c, and
///   the stone v besides what C requires of the hand: then the stone of W of the rank of v among
///   both is at least v, and the rest covers C's requirement. If C requires no score next to c, W
///   plays its smallest stone instead, and what C requires of the hand is enough;
/// - over all moves of X: the largest requirement of the moves' certificates, each with v more for
///   the neighbours of c. A refutation that answers the stones of X's hand from one rank to another
///   bounds X's hand so that it answers those of these ranks in every hand allowed.
///
/// If the search leaves out moves of X, the certificate also has the requirements of that argument.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub struct Certificate {
    /// The least score of every cell from W's side; [`ANY`] for a cell without a requirement.
    pub required: Lanes,
    /// Required stones of W: for every `k` at least this many of at least `k`.
    pub winner: Counts,
    /// Allowed stones of X: for every `k` at most this many of at least `k`.
    pub loser: Counts,
}

impl Certificate {
    pub const NONE: Certificate = Certificate { required: Lanes::splat(ANY), winner: 0, loser: UNBOUNDED };

    /// Require at least `score` of a cell.
    #[inline(always)]
    pub fn require(&mut self, index: u32, score: i32) {
        debug_assert!((-127..=127).contains(&score));
        let least = &mut self.required.0[(index & 31) as usize];
        *least = (*least).max(score as i8);
    }

    /// Require W's `count` smallest stones to be at least those of `hand`, if `count` is above 0.
    #[inline(always)]
    pub fn rely_on_smallest(&mut self, hand: Hand, count: i32) {
        if count > 0 {
            // The counts up to the largest of them say just that, for a hand of the same size.
            let largest = u32::from(hand.nth(count as u32 - 1).value());
            self.winner = larger(self.winner, counts(hand) & (!0 >> (60 - 4 * largest)));
        }
    }

    /// Require X's `count` largest stones to be at most those of `hand`.
    #[inline(always)]
    pub fn rely_on_enemy(&mut self, hand: Hand, count: u32) {
        if count > 0 {
            let last = u32::from(hand.nth(hand.len() - count).value());
            self.loser = smaller(self.loser, counts(hand) | (up_to(last) * 15));
        }
    }

    /// Require W's `count` largest stones to be at least those of `hand`.
    #[inline(always)]
    pub fn rely_on_largest(&mut self, hand: Hand, count: u32) {
        self.winner = larger(self.winner, capped(counts(hand), count));
    }

    /// Require that these cells are dead for the winner, `side`.
    #[inline(always)]
    pub fn rely_on_dead(&mut self, view: View, side: usize, dead: u32) {
        let (enemies, mut most) = (view.enemies(side), 0);
        for index in indices(dead) {
            self.require(index, view.safe_score(side, index));
            most = most.max(view.free(index));
        }
        // More neighbours than X has stones: W's smallest stones are counted on.
        self.rely_on_smallest(view.state.hands[side], most - enemies);
        self.rely_on_enemy(view.state.hands[1 - side], most.min(enemies) as u32);
    }

    /// Tell whether a position is covered: `scores` from the mover's side, W being `side`.
    #[inline(always)]
    pub fn holds<S: Simd>(&self, scores: &Lanes, side: usize, winner: Counts, loser: Counts) -> bool {
        S::row_covers(scores, flip(side), &self.required)
            && hands_suit([self.winner, self.loser], winner, loser)
    }

    /// Return the cells with a required score.
    #[inline(always)]
    pub fn required_cells<S: Simd>(&self) -> u32 {
        S::row_reaches(&self.required, 0, &Lanes::splat(0), u64::from((ANY + 1) as u8))
    }

    /// Turn a certificate for the position after W's `stone` on cell `index` into one for the position
    /// before it.
    #[inline(always)]
    pub fn before_winner(&mut self, frame: &Frame, index: u32, stone: u8) {
        // Whether a score is required next to the stone.
        let mut matters = false;
        for near in indices(frame.near[index as usize]) {
            let least = &mut self.required.0[near as usize];
            if *least != ANY {
                *least -= stone as i8;
                matters = true;
                debug_assert!(*least != ANY);
            }
        }
        if matters {
            self.winner += up_to(u32::from(stone));
        }
    }

    /// Add the requirements of a certificate for the position after X's `stone` on cell `index`.
    #[inline(always)]
    pub fn join_after(&mut self, child: &Certificate, frame: &Frame, index: u32, stone: u8) {
        let near = frame.near_row(index);
        for i in 0..32 {
            let least = child.required.0[i];
            let raised = if least == ANY { ANY } else { least.wrapping_add(near.0[i] & stone as i8) };
            self.required.0[i] = self.required.0[i].max(raised);
        }
        self.winner = larger(self.winner, child.winner);
    }
}
