//! A learned evaluation: the positions it learns from, and how.

use std::ops::RangeInclusive;

use crate::player::rng::{Random, scaled};

pub mod data;
pub mod judges;
pub mod labeller;
pub mod train;

/// Draw a number of a range.
fn drawn(random: &mut Random, range: RangeInclusive<u32>) -> u32 {
    range.start() + scaled((random.bits() >> 32) as u32, range.end() - range.start() + 1)
}

/// Draw one of a list, which is not empty.
fn one_of<'a, T>(random: &mut Random, list: &'a [T]) -> &'a T {
    &list[drawn(random, 0..=list.len() as u32 - 1) as usize]
}
