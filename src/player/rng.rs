//! The one source of random numbers: a seeded xoshiro256++.

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A seeded generator: the same seed gives the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }
}

/// Scale 32 random bits to 0..`below`, at least 1; no number's chance is off by more than 2⁻³².
pub fn scaled(bits: u32, below: u32) -> u32 {
    ((u64::from(bits) * u64::from(below)) >> 32) as u32
}

/// Tell by 64 random bits whether an event happens that has this chance, 0..=1.
#[inline]
pub fn happens(bits: u64, chance: f32) -> bool {
    bits >> 32 < (f64::from(chance) * 4_294_967_296.0) as u64
}

/// Turn 64 random bits into a number from 0 to below 1, a multiple of 2⁻²⁴.
pub fn unit(bits: u64) -> f32 {
    (bits >> 40) as f32 / (1u64 << 24) as f32
}
