//! The one source of random numbers: a seeded xoshiro256++, after Blackman and Vigna, without a
//! crate.
#![allow(dead_code)] // the library compiles it for a test

/// A seeded generator. The same seed gives the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct Random([u64; 4]);

impl Random {
    /// Make a generator from a seed: its state are the first numbers of a SplitMix64.
    pub fn new(mut seed: u64) -> Random {
        Random([(); 4].map(|()| {
            seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (seed ^ seed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^ mixed >> 31
        }))
    }

    /// Draw 64 random bits.
    #[inline(always)]
    pub fn bits(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.0;
        let drawn = a.wrapping_add(*d).rotate_left(23).wrapping_add(*a);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
        drawn
    }
}
