//! The path of every machine: loops over lanes, most of which compilers turn into vector instructions.
#![allow(clippy::needless_range_loop)] // such loops read better, and vectorise, with an index

use super::{Lanes, Simd, Sums, Task, WeightPair, SUMS};

#[derive(Clone, Copy)]
pub struct Portable;

/// Combine two rows lane by lane.
#[inline(always)]
fn combine(a: Lanes, b: Lanes, lane: impl Fn(i8, i8) -> i8) -> Lanes {
    let mut result = a;
    for i in 0..32 {
        result.0[i] = lane(a.0[i], b.0[i]);
    }
    result
}

impl Simd for Portable {
    #[inline(always)]
    fn run<T: Task>(task: T) -> T::Output {
        #[inline(never)]
        fn compiled<T: Task>(task: T) -> T::Output {
            task.run::<Portable>()
        }
        compiled(task)
    }

    #[inline(always)]
    fn multiply(sums: &mut Sums, weights: &[WeightPair], inputs: &[i16]) {
        assert!(inputs.len() == 2 * weights.len());
        for pair in 0..weights.len() {
            let [a, b] = [i32::from(inputs[2 * pair]), i32::from(inputs[2 * pair + 1])];
            for n in 0..SUMS {
                let of_pair = &weights[pair].0[2 * n..2 * n + 2];
                let product = i32::from(of_pair[0]) * a + i32::from(of_pair[1]) * b;
                sums.0[n] = sums.0[n].wrapping_add(product);
            }
        }
    }

    type Vector = Lanes;

    #[inline(always)]
    fn load(row: &Lanes) -> Lanes {
        *row
    }

    #[inline(always)]
    fn store(vector: Lanes) -> Lanes {
        vector
    }

    #[inline(always)]
    fn splat(value: i8) -> Lanes {
        Lanes::splat(value)
    }

    #[inline(always)]
    fn add(a: Lanes, b: Lanes) -> Lanes {
        combine(a, b, i8::saturating_add)
    }

    #[inline(always)]
    fn subtract(a: Lanes, b: Lanes) -> Lanes {
        combine(a, b, i8::saturating_sub)
    }

    #[inline(always)]
    fn min(a: Lanes, b: Lanes) -> Lanes {
        combine(a, b, i8::min)
    }

    #[inline(always)]
    fn lookup(places: Lanes, table: &[u8; 16]) -> Lanes {
        Lanes(places.0.map(|place| table[(place & 15) as usize] as i8))
    }

    #[inline(always)]
    fn less(a: Lanes, b: Lanes) -> u32 {
        let mut less = [0u8; 32];
        for i in 0..32 {
            less[i] = u8::from(a.0[i] < b.0[i]);
        }
        let mut bits = 0;
        for (n, chunk) in less.chunks_exact(8).enumerate() {
            // Eight 0/1 bytes to eight bits by one multiplication.
            let bytes = u64::from_le_bytes(chunk.try_into().expect("chunks of eight"));
            bits |= ((bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32) << (8 * n);
        }
        bits
    }

    #[inline(always)]
    fn nth_set_bit(bits: u64, n: u32) -> u32 {
        crate::board::nth_set_bit(bits, n)
    }
}
