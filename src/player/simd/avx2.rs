//! The path of x86-64 machines with AVX2, BMI1, BMI2, LZCNT and POPCNT: a row is one register, the
//! cells' bytes two.
//!
//! SAFETY, for every `unsafe` block here: `Avx2` is private to `simd`, which names it only where
//! [`is_detected`] was true; `Lanes` and `Bytes` are 32-byte aligned, and no load or store leaves
//! them.

#![allow(clippy::needless_range_loop)] // an iterator is not always compiled into the path's function

use std::arch::x86_64::*;

use super::{Bytes, Lanes, Simd, Sums, Task, WeightPair};

/// Tell whether this machine has the instructions of this path.
pub(super) fn is_detected() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

/// The path.
#[derive(Clone, Copy)]
pub(super) struct Avx2;

impl Simd for Avx2 {
    #[inline(always)]
    fn run<T: Task>(task: T) -> T::Output {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        unsafe fn compiled<T: Task>(task: T) -> T::Output {
            task.run::<Avx2>()
        }
        // SAFETY: as above.
        unsafe { compiled(task) }
    }

    #[inline(always)]
    fn multiply(sums: &mut Sums, weights: &[WeightPair], inputs: &[i16]) {
        // A function of its own with a loop: unrolled into its callers the compiler would spill.
        #[target_feature(enable = "avx2")]
        #[inline(never)]
        unsafe fn compiled(sums: &mut Sums, weights: &[WeightPair], inputs: &[i16]) {
            assert!(inputs.len() == 2 * weights.len());
            // SAFETY: as above; `Sums` and `WeightPair` are 64-byte aligned, and the inputs are two for
            // each pair.
            unsafe {
                let place = sums.0.as_mut_ptr().cast::<__m256i>();
                let mut totals = [_mm256_setzero_si256(); 4];
                for n in 0..4 {
                    totals[n] = _mm256_load_si256(place.add(n));
                }
                for pair in 0..std::hint::black_box(weights.len()) {
                    let both =
                        _mm256_set1_epi32(inputs.as_ptr().add(2 * pair).cast::<i32>().read_unaligned());
                    let own = weights.as_ptr().add(pair).cast::<__m256i>();
                    for n in 0..4 {
                        let products = _mm256_madd_epi16(_mm256_load_si256(own.add(n)), both);
                        totals[n] = _mm256_add_epi32(totals[n], products);
                    }
                }
                for n in 0..4 {
                    _mm256_store_si256(place.add(n), totals[n]);
                }
            }
        }
        // SAFETY: as above.
        unsafe { compiled(sums, weights, inputs) }
    }

    type Vector = __m256i;

    #[inline(always)]
    fn load(row: &Lanes) -> Self::Vector {
        // SAFETY: as above.
        unsafe { _mm256_load_si256(row.0.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(vector: Self::Vector) -> Lanes {
        let mut row = Lanes::splat(0);
        // SAFETY: as above.
        unsafe { _mm256_store_si256(row.0.as_mut_ptr().cast(), vector) };
        row
    }

    #[inline(always)]
    fn splat(value: i8) -> Self::Vector {
        // SAFETY: as above.
        unsafe { _mm256_set1_epi8(value) }
    }

    #[inline(always)]
    fn add(a: Self::Vector, b: Self::Vector) -> Self::Vector {
        // SAFETY: as above.
        unsafe { _mm256_adds_epi8(a, b) }
    }

    #[inline(always)]
    fn subtract(a: Self::Vector, b: Self::Vector) -> Self::Vector {
        // SAFETY: as above.
        unsafe { _mm256_subs_epi8(a, b) }
    }

    #[inline(always)]
    fn least(a: Self::Vector, b: Self::Vector) -> Self::Vector {
        // SAFETY: as above.
        unsafe { _mm256_min_epi8(a, b) }
    }

    #[inline(always)]
    fn entries(places: Self::Vector, table: &[u8; 16]) -> Self::Vector {
        // SAFETY: as above; the load reads the 16 bytes of the table, wherever they lie.
        unsafe {
            let table = _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast()));
            _mm256_shuffle_epi8(table, places)
        }
    }

    #[inline(always)]
    fn less(a: Self::Vector, b: Self::Vector) -> u32 {
        // SAFETY: as above.
        unsafe { _mm256_movemask_epi8(_mm256_cmpgt_epi8(b, a)) as u32 }
    }

    #[inline(always)]
    fn spread(bits: u64) -> Bytes {
        let mut bytes = Bytes::ZERO;
        // SAFETY: as above. Each byte of the set goes to eight lanes, and each lane tests its bit.
        unsafe {
            let lane_bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
            let source =
                _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
            for (offset, half) in [(0, bits as i32), (32, (bits >> 32) as i32)] {
                let copies = _mm256_shuffle_epi8(_mm256_set1_epi32(half), source);
                let set = _mm256_cmpeq_epi8(_mm256_and_si256(copies, lane_bit), lane_bit);
                _mm256_store_si256(bytes.0.as_mut_ptr().add(offset).cast(), set);
            }
        }
        bytes
    }

    #[inline(always)]
    fn lack(a: Self::Vector, b: Self::Vector) -> u32 {
        // SAFETY: as above.
        unsafe {
            // Unsigned, in the same order.
            let unsigned = _mm256_set1_epi8(i8::MIN);
            let lacks = _mm256_subs_epu8(_mm256_xor_si256(b, unsigned), _mm256_xor_si256(a, unsigned));
            let sums = _mm256_sad_epu8(lacks, _mm256_setzero_si256());
            let sums = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
            (_mm_extract_epi64(sums, 0) + _mm_extract_epi64(sums, 1)) as u32
        }
    }

    #[inline(always)]
    fn nth_set_bit(bits: u64, n: u32) -> u32 {
        // SAFETY: as above.
        unsafe { _pdep_u64(1 << n, bits).trailing_zeros() }
    }
}
