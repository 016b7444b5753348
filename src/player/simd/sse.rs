//! The path of x86-64 machines with SSE4.1, SSSE3 and POPCNT: a row is two registers, the cells'
//! bytes four.
//!
//! SAFETY, for every `unsafe` block here: `Sse` is private to `simd`, which names it only where
//! [`is_detected`] was true; `Lanes` and `Bytes` are 32-byte aligned, and no load or store leaves
//! them.

#![allow(clippy::needless_range_loop)] // an iterator is not always compiled into the path's function

use std::arch::x86_64::*;

use super::{Bytes, Lanes, Simd, Sums, Task, WeightPair};

/// Tell whether this machine has the instructions of this path.
pub(super) fn is_detected() -> bool {
    is_x86_feature_detected!("sse4.1")
        && is_x86_feature_detected!("ssse3")
        && is_x86_feature_detected!("popcnt")
}

/// The path.
#[derive(Clone, Copy)]
pub(super) struct Sse;

/// The lanes 0..16 and 16..32 of a row.
type Halves = [__m128i; 2];

/// A byte of the value 1 in each lane.
const ONES: u64 = 0x0101_0101_0101_0101;

/// The place of the `n`-th set bit of a byte `b`, at `b + 256 n`.
static PLACE_IN_BYTE: [u8; 2048] = {
    let mut table = [0; 2048];
    let mut byte = 0;
    while byte < 256 {
        let (mut place, mut n) = (0, 0);
        while place < 8 {
            if byte >> place & 1 != 0 {
                table[byte + 256 * n] = place as u8;
                n += 1;
            }
            place += 1;
        }
        byte += 1;
    }
    table
};

/// Return the bits of 16 lanes of ones or zeros.
#[inline(always)]
unsafe fn bits(lanes: __m128i) -> u32 {
    // SAFETY: as above.
    unsafe { _mm_movemask_epi8(lanes) as u32 }
}

impl Simd for Sse {
    #[inline(always)]
    fn run<T: Task>(task: T) -> T::Output {
        #[target_feature(enable = "sse4.1,ssse3,popcnt")]
        unsafe fn compiled<T: Task>(task: T) -> T::Output {
            task.run::<Sse>()
        }
        // SAFETY: as above.
        unsafe { compiled(task) }
    }

    #[inline(always)]
    fn multiply(sums: &mut Sums, weights: &[WeightPair], inputs: &[i16]) {
        // A function of its own with a loop: unrolled into its callers the compiler would spill.
        #[target_feature(enable = "sse4.1,ssse3,popcnt")]
        #[inline(never)]
        unsafe fn compiled(sums: &mut Sums, weights: &[WeightPair], inputs: &[i16]) {
            assert!(inputs.len() == 2 * weights.len());
            // SAFETY: as above; `Sums` and `WeightPair` are 64-byte aligned, and the inputs are two for
            // each pair.
            unsafe {
                let place = sums.0.as_mut_ptr().cast::<__m128i>();
                let mut totals = [_mm_setzero_si128(); 8];
                for n in 0..8 {
                    totals[n] = _mm_load_si128(place.add(n));
                }
                for pair in 0..std::hint::black_box(weights.len()) {
                    let both = _mm_set1_epi32(inputs.as_ptr().add(2 * pair).cast::<i32>().read_unaligned());
                    let own = weights.as_ptr().add(pair).cast::<__m128i>();
                    for n in 0..8 {
                        let products = _mm_madd_epi16(_mm_load_si128(own.add(n)), both);
                        totals[n] = _mm_add_epi32(totals[n], products);
                    }
                }
                for n in 0..8 {
                    _mm_store_si128(place.add(n), totals[n]);
                }
            }
        }
        // SAFETY: as above.
        unsafe { compiled(sums, weights, inputs) }
    }

    type Vector = Halves;

    #[inline(always)]
    fn load(row: &Lanes) -> Halves {
        // SAFETY: as above.
        unsafe {
            let place = row.0.as_ptr().cast::<__m128i>();
            [_mm_load_si128(place), _mm_load_si128(place.add(1))]
        }
    }

    #[inline(always)]
    fn store(vector: Halves) -> Lanes {
        let mut row = Lanes::splat(0);
        for (half, lanes) in vector.into_iter().enumerate() {
            // SAFETY: as above.
            unsafe { _mm_store_si128(row.0.as_mut_ptr().add(16 * half).cast(), lanes) };
        }
        row
    }

    #[inline(always)]
    fn splat(value: i8) -> Halves {
        // SAFETY: as above.
        unsafe { [_mm_set1_epi8(value); 2] }
    }

    #[inline(always)]
    fn add(a: Halves, b: Halves) -> Halves {
        // SAFETY: as above.
        unsafe { [_mm_adds_epi8(a[0], b[0]), _mm_adds_epi8(a[1], b[1])] }
    }

    #[inline(always)]
    fn subtract(a: Halves, b: Halves) -> Halves {
        // SAFETY: as above.
        unsafe { [_mm_subs_epi8(a[0], b[0]), _mm_subs_epi8(a[1], b[1])] }
    }

    #[inline(always)]
    fn least(a: Halves, b: Halves) -> Halves {
        // SAFETY: as above.
        unsafe { [_mm_min_epi8(a[0], b[0]), _mm_min_epi8(a[1], b[1])] }
    }

    #[inline(always)]
    fn entries(places: Halves, table: &[u8; 16]) -> Halves {
        // SAFETY: as above; the load reads the 16 bytes of the table, wherever they lie.
        unsafe {
            let table = _mm_loadu_si128(table.as_ptr().cast());
            [_mm_shuffle_epi8(table, places[0]), _mm_shuffle_epi8(table, places[1])]
        }
    }

    #[inline(always)]
    fn less(a: Halves, b: Halves) -> u32 {
        // SAFETY: as above.
        unsafe { bits(_mm_cmpgt_epi8(b[0], a[0])) | bits(_mm_cmpgt_epi8(b[1], a[1])) << 16 }
    }

    #[inline(always)]
    fn lack(a: Halves, b: Halves) -> u32 {
        // SAFETY: as above.
        unsafe {
            // Both unsigned, in the same order.
            let unsigned = _mm_set1_epi8(i8::MIN);
            let lack = |half: usize| {
                let lacks = _mm_subs_epu8(_mm_xor_si128(b[half], unsigned), _mm_xor_si128(a[half], unsigned));
                _mm_sad_epu8(lacks, _mm_setzero_si128())
            };
            let sums = _mm_add_epi64(lack(0), lack(1));
            (_mm_extract_epi64::<0>(sums) + _mm_extract_epi64::<1>(sums)) as u32
        }
    }

    #[inline(always)]
    fn spread(bits: u64) -> Bytes {
        let mut bytes = Bytes::ZERO;
        // SAFETY: as above. Each byte of the set goes to eight lanes, and each lane tests its bit.
        unsafe {
            let lane_bit = _mm_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
            let bits = _mm_set1_epi64x(bits as i64);
            for (from, byte) in [(0, 0), (16, 2), (32, 4), (48, 6)] {
                let source = _mm_set_epi64x((ONES * (byte + 1)) as i64, (ONES * byte) as i64);
                let copies = _mm_shuffle_epi8(bits, source);
                let set = _mm_cmpeq_epi8(_mm_and_si128(copies, lane_bit), lane_bit);
                _mm_store_si128(bytes.0.as_mut_ptr().add(from).cast(), set);
            }
        }
        bytes
    }

    #[inline(always)]
    fn nth_set_bit(bits: u64, n: u32) -> u32 {
        // Byte k of `sums`: the set bits of the bytes 0..=k. As many sums are at most n as bytes
        // come before the one with the bit sought.
        let mut sums = bits - (bits >> 1 & 0x5555_5555_5555_5555);
        sums = (sums & 0x3333_3333_3333_3333) + (sums >> 2 & 0x3333_3333_3333_3333);
        sums = ((sums + (sums >> 4)) & 0x0F0F_0F0F_0F0F_0F0F).wrapping_mul(ONES);
        const HIGH: u64 = ONES << 7;
        let before = (((u64::from(n) * ONES) | HIGH) - sums) & HIGH;
        let from = (8 * before.count_ones()) & 63;
        let rest = n.wrapping_sub((sums << 8 >> from) as u32 & 0xFF) & 7;
        from + u32::from(PLACE_IN_BYTE[(bits >> from & 0xFF) as usize | (rest as usize) << 8])
    }
}
