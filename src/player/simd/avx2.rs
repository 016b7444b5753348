//! The path of x86-64 machines with AVX2, BMI1, BMI2, LZCNT and POPCNT: 32 lanes are one register.

use std::arch::x86_64::*;
use std::mem::transmute;

use super::{Lanes, Simd, Sums, Task, WeightPair};

pub(super) fn is_detected() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

#[derive(Clone, Copy)]
pub(super) struct Avx2;

instructions! {
    Avx2 by "avx2,bmi1,bmi2,lzcnt,popcnt" with __m256i;
    sums [__m256i; 4], _mm256_set1_epi32, _mm256_madd_epi16, _mm256_add_epi32;
    load(lanes: &Lanes) -> __m256i = transmute(*lanes);
    store(vector: __m256i) -> Lanes = transmute(vector);
    splat(value: i8) -> __m256i = _mm256_set1_epi8(value);
    add(a: __m256i, b: __m256i) -> __m256i = _mm256_adds_epi8(a, b);
    subtract(a: __m256i, b: __m256i) -> __m256i = _mm256_subs_epi8(a, b);
    min(a: __m256i, b: __m256i) -> __m256i = _mm256_min_epi8(a, b);
    less(a: __m256i, b: __m256i) -> u32 = _mm256_movemask_epi8(_mm256_cmpgt_epi8(b, a)) as u32;
    lookup(places: __m256i, table: &[u8; 16]) -> __m256i =
        _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast())), places);
    nth_set_bit(bits: u64, n: u32) -> u32 = _pdep_u64(1 << n, bits).trailing_zeros();
}
