//! The few operations that gain from instructions that not every machine has, behind one trait, and
//! the choice of the instruction path at run time.
//!
//! Every hot function is generic over [`Simd`] and inlined into a [`Task`], which is compiled once for each
//! path, all with the same results bit for bit: SSE4.1 (with SSSE3 and POPCNT) and AVX2 (with BMI, LZCNT and
//! POPCNT) on x86-64; portable for other processors. `BLACKHOLE_SIMD=portable`, `sse4.1` or `avx2` in the
//! environment chooses a path; without it, or if the processor lacks it, the best one runs.

#![allow(clippy::needless_range_loop)] // one index through parallel lanes

/// Implement [`Simd`] for a path by instructions that not every machine has.
///
/// SAFETY of every `unsafe` in it: the path is private to this module, which names it only where its
/// `is_detected` was true, or where code already runs on it; the only places read and written are
/// those of references, within their lengths, and aligned to a register but for `inputs` and `table`,
/// which need not be; and only bytes are transmuted.
#[cfg(target_arch = "x86_64")]
macro_rules! instructions {
    ($path:ident by $features:literal with $vector:ty;
     sums [$register:ty; $count:literal], $set:ident, $madd:ident, $add:ident;
     $($name:ident($($arg:ident: $type:ty),*) -> $result:ty = $value:expr;)*) => {
        impl Simd for $path {
            type Vector = $vector;

            #[inline(always)]
            fn run<T: Task>(task: T) -> T::Output {
                #[target_feature(enable = $features)]
                unsafe fn compiled<T: Task>(task: T) -> T::Output {
                    task.run::<$path>()
                }
                unsafe { compiled(task) }
            }

            #[inline(always)]
            fn multiply(sums: &mut Sums, weights: &[WeightPair], inputs: &[i16]) {
                // A function of its own with a loop: unrolled into its callers it would spill.
                #[target_feature(enable = $features)]
                #[inline(never)]
                unsafe fn compiled(sums: &mut Sums, weights: &[WeightPair], inputs: &[i16]) {
                    assert!(inputs.len() == 2 * weights.len());
                    let place = sums.0.as_mut_ptr().cast::<[$register; $count]>();
                    let mut totals = *place;
                    for pair in 0..std::hint::black_box(weights.len()) {
                        let input_pair = $set(inputs.as_ptr().add(2 * pair).cast::<i32>().read_unaligned());
                        let own = weights.as_ptr().add(pair).cast::<[$register; $count]>();
                        for n in 0..$count {
                            totals[n] = $add(totals[n], $madd((*own)[n], input_pair));
                        }
                    }
                    *place = totals;
                }
                unsafe { compiled(sums, weights, inputs) }
            }

            $(#[inline(always)]
            #[allow(unused_unsafe)]
            fn $name($($arg: $type),*) -> $result {
                unsafe { $value }
            })*
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;
#[cfg(target_arch = "x86_64")]
mod sse;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use crate::board::NEIGHBOURS;

pub use portable::Portable;

/// One signed byte for every cell index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(32))]
pub struct Bytes(pub [i8; 64]);

impl Bytes {
    pub const ZERO: Bytes = Bytes([0; 64]);

    /// Return the lower half, 0, or the upper one, 1.
    #[inline(always)]
    fn half(&self, n: usize) -> Lanes {
        // No slices: compilers leave them a call.
        let mut half = Lanes::splat(0);
        for i in 0..32 {
            half.0[i] = self.0[32 * n + i];
        }
        half
    }
}

/// Return a table of eight entries twice, as [`Simd::lookup`] takes it.
#[inline(always)]
fn twice(table: u64) -> [u8; 16] {
    (u128::from(table) << 64 | u128::from(table)).to_le_bytes()
}

/// For each cell, a byte of ones in the lanes of its neighbours.
static NEIGHBOUR_LANES: [Bytes; 64] = {
    let mut table = [Bytes::ZERO; 64];
    let mut i = 0;
    while i < 64 {
        let mut j = 0;
        while j < 64 {
            if NEIGHBOURS[i].bits() >> j & 1 != 0 {
                table[i].0[j] = -1;
            }
            j += 1;
        }
        i += 1;
    }
    table
};

/// One signed byte for each of 32 lanes: the empty cells (31 at most) as the solver numbers them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(32))]
pub struct Lanes(pub [i8; 32]);

impl Lanes {
    pub const fn splat(value: i8) -> Lanes {
        Lanes([value; 32])
    }
}

/// Work that is compiled once for each path.
pub trait Task {
    type Output;

    /// Do the work; to be marked `#[inline(always)]`.
    fn run<S: Simd>(self) -> Self::Output;
}

pub const SUMS: usize = 32;

/// Sums of products, to which [`Simd::multiply`] adds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Sums(pub [i32; SUMS]);

/// The weights of two inputs for all sums: those for sum `n` at `2 n` and `2 n + 1`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct WeightPair(pub [i16; 2 * SUMS]);

pub trait Simd: Copy {
    /// Run a task in a function compiled for this path, if inlining ends here, as in a recursion.
    fn run<T: Task>(task: T) -> T::Output;

    /// [`Lanes`] in the form this path computes with.
    type Vector: Copy;

    fn load(row: &Lanes) -> Self::Vector;

    fn store(vector: Self::Vector) -> Lanes;

    fn splat(value: i8) -> Self::Vector;

    /// Add lane by lane, saturating.
    fn add(a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Subtract `b` lane by lane, saturating.
    fn subtract(a: Self::Vector, b: Self::Vector) -> Self::Vector;

    fn min(a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Return in each lane the table's entry for the lane's place, 0..=15; any value if the place is another.
    fn lookup(places: Self::Vector, table: &[u8; 16]) -> Self::Vector;

    /// Return the lanes where `a` is less than `b`, as bits.
    fn less(a: Self::Vector, b: Self::Vector) -> u32;

    /// Return the sum over all lanes of the amounts by which `a` is less than `b`.
    #[inline(always)]
    fn lack(a: Self::Vector, b: Self::Vector) -> u32 {
        let (a, b) = (Self::store(a), Self::store(b));
        let mut sum = 0;
        for i in 0..32 {
            sum += (i16::from(b.0[i]) - i16::from(a.0[i])).max(0);
        }
        sum as u32
    }

    /// Return `values[i] ^ flip`, `flip` being 0 or -1: scores seen from the other side are the complements.
    #[inline(always)]
    fn flipped(values: &Lanes, flip: i8) -> Self::Vector {
        let values = Self::load(values);
        if flip == 0 {
            values
        } else {
            Self::subtract(Self::splat(-1), values)
        }
    }

    /// Return the lanes where `values[i] ^ flip >= thresholds[counts[i]]`, `counts[i]` in 0..=7, as bits.
    #[inline(always)]
    fn row_reaches(values: &Lanes, flip: i8, counts: &Lanes, thresholds: u64) -> u32 {
        let thresholds = Self::lookup(Self::load(counts), &twice(thresholds));
        !Self::less(Self::flipped(values, flip), thresholds)
    }

    /// Tell whether `values[i] ^ flip >= least[i]` in every lane.
    #[inline(always)]
    fn row_covers(values: &Lanes, flip: i8, least: &Lanes) -> bool {
        Self::less(Self::flipped(values, flip), Self::load(least)) == 0
    }

    /// Add to each sum the products of its weights and the inputs, two for each [`WeightPair`] (if not, it
    /// panics); sums wrap.
    fn multiply(sums: &mut Sums, weights: &[WeightPair], inputs: &[i16]);

    /// Add `value` to the lanes next to `cell` in `scores`, and take 1 from those lanes in `free`.
    #[inline(always)]
    fn place(scores: &mut Bytes, free: &mut Bytes, cell: usize, value: i8) {
        // Compilers turn this loop into the instructions of every path.
        let mask = &NEIGHBOUR_LANES[cell & 63].0;
        for i in 0..64 {
            scores.0[i] = scores.0[i].wrapping_add(mask[i] & value);
            free.0[i] = free.0[i].wrapping_add(mask[i]);
        }
    }

    /// Return the lanes where `scores[i] >= thresholds[free[i]]`, `free[i]` in 0..=7, as bits.
    #[inline(always)]
    fn at_least(scores: &Bytes, free: &Bytes, thresholds: u64) -> u64 {
        let low = Self::row_reaches(&scores.half(0), 0, &free.half(0), thresholds);
        let high = Self::row_reaches(&scores.half(1), 0, &free.half(1), thresholds);
        u64::from(low) | u64::from(high) << 32
    }

    /// Return the position of the `n`-th set bit of `bits`, counted from 0; there must be one.
    fn nth_set_bit(bits: u64, n: u32) -> u32;
}

/// The paths, the best one last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Path {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Sse,
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

/// The paths that this machine has, with the names by which `BLACKHOLE_SIMD` chooses.
fn detected() -> impl Iterator<Item = (Path, &'static str)> {
    [
        (true, Path::Portable, "portable"),
        #[cfg(target_arch = "x86_64")]
        (sse::is_detected(), Path::Sse, "sse4.1"),
        #[cfg(target_arch = "x86_64")]
        (avx2::is_detected(), Path::Avx2, "avx2"),
    ]
    .into_iter()
    .filter_map(|(found, path, name)| found.then_some((path, name)))
}

/// Run a task on the path that the environment names, or on the best one.
#[inline]
pub fn run<T: Task>(task: T) -> T::Output {
    static CHOSEN: OnceLock<Path> = OnceLock::new();
    let chosen = *CHOSEN.get_or_init(|| {
        let wanted = std::env::var_os("BLACKHOLE_SIMD");
        let named = |name: &str| wanted.as_ref().is_some_and(|wanted| wanted == name);
        let found = detected().find(|&(_, name)| named(name)).or_else(|| detected().last());
        found.map_or(Path::Portable, |(path, _)| path)
    });
    run_on(chosen, task)
}

/// Run a task on a path, which must be one of the [`detected`].
#[inline(always)]
fn run_on<T: Task>(path: Path, task: T) -> T::Output {
    match path {
        Path::Portable => Portable::run(task),
        #[cfg(target_arch = "x86_64")]
        Path::Sse => sse::Sse::run(task),
        #[cfg(target_arch = "x86_64")]
        Path::Avx2 => avx2::Avx2::run(task),
    }
}

/// Define a function that runs on the chosen path: `dispatch! { fn name(arguments) -> Result = body
/// }`, where `body` is an `#[inline(always)]` function with the same arguments, generic over
/// [`Simd`]. References among the arguments need a lifetime: `fn name<'a>(position: &'a Position)`.
#[macro_export]
macro_rules! dispatch {
    ($(#[$doc:meta])* $vis:vis fn $name:ident $(<$($life:lifetime),+>)? ($($arg:ident : $ty:ty),* $(,)?) -> $ret:ty
        = $($body:ident)::+) => {
        $(#[$doc])*
        $vis fn $name $(<$($life),+>)? ($($arg: $ty),*) -> $ret {
            struct Entry $(<$($life),+>)? {
                $($arg: $ty),*
            }
            impl $(<$($life),+>)? $crate::simd::Task for Entry $(<$($life),+>)? {
                type Output = $ret;
                #[inline(always)]
                fn run<S: $crate::simd::Simd>(self) -> $ret {
                    $($body)::+::<S>($(self.$arg),*)
                }
            }
            $crate::simd::run(Entry { $($arg),* })
        }
    };
}
