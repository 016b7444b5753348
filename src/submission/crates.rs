//! Replacements of the player's crates in the submission, under the same names: a seeded xoshiro256++, after
//! Blackman and Vigna, and a list of moves.

pub trait Rng {
    fn next_u64(&mut self) -> u64;
}

pub trait SeedableRng {
    /// Make a generator; the same seed gives the same numbers on every machine.
    fn seed_from_u64(seed: u64) -> Self;
}

#[derive(Clone, Debug)]
pub struct Xoshiro256PlusPlus([u64; 4]);

impl SeedableRng for Xoshiro256PlusPlus {
    /// Take the first numbers of a SplitMix64 as the state.
    fn seed_from_u64(mut seed: u64) -> Self {
        Xoshiro256PlusPlus([(); 4].map(|()| {
            seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (seed ^ seed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^ mixed >> 31
        }))
    }
}

impl Rng for Xoshiro256PlusPlus {
    #[inline(always)]
    fn next_u64(&mut self) -> u64 {
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

/// An array type, which names the items of a [`SmallVec`].
pub trait Array {
    type Item;
}

impl<T, const N: usize> Array for [T; N] {
    type Item = T;
}

/// A list; the crate's begins with room for an array, this one is on the heap.
pub type SmallVec<A> = Vec<<A as Array>::Item>;
