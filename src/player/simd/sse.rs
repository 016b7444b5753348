//! The path of x86-64 machines with SSE4.1, SSSE3 and POPCNT: 32 lanes are two registers.

use std::arch::x86_64::*;
use std::mem::transmute;

use super::{Lanes, Simd, Sums, Task, WeightPair};

pub(super) fn is_detected() -> bool {
    is_x86_feature_detected!("sse4.1")
        && is_x86_feature_detected!("ssse3")
        && is_x86_feature_detected!("popcnt")
}

#[derive(Clone, Copy)]
pub(super) struct Sse;

/// The lanes 0..16 and 16..32.
type Halves = [__m128i; 2];

instructions! {
    Sse by "sse4.1,ssse3,popcnt" with Halves;
    sums [__m128i; 8], _mm_set1_epi32, _mm_madd_epi16, _mm_add_epi32;
    load(lanes: &Lanes) -> Halves = transmute(*lanes);
    store(vector: Halves) -> Lanes = transmute(vector);
    splat(value: i8) -> Halves = [_mm_set1_epi8(value); 2];
    add(a: Halves, b: Halves) -> Halves = [_mm_adds_epi8(a[0], b[0]), _mm_adds_epi8(a[1], b[1])];
    subtract(a: Halves, b: Halves) -> Halves = [_mm_subs_epi8(a[0], b[0]), _mm_subs_epi8(a[1], b[1])];
    min(a: Halves, b: Halves) -> Halves = [_mm_min_epi8(a[0], b[0]), _mm_min_epi8(a[1], b[1])];
    less(a: Halves, b: Halves) -> u32 =
        (_mm_movemask_epi8(_mm_cmpgt_epi8(b[0], a[0])) | _mm_movemask_epi8(_mm_cmpgt_epi8(b[1], a[1])) << 16) as u32;
    lookup(places: Halves, table: &[u8; 16]) -> Halves = {
        let table = _mm_loadu_si128(table.as_ptr().cast());
        [_mm_shuffle_epi8(table, places[0]), _mm_shuffle_epi8(table, places[1])]
    };
    nth_set_bit(bits: u64, n: u32) -> u32 = crate::board::nth_set_bit(bits, n);
}
