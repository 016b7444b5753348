//! Every operation of every path of this machine, lane by lane against its definition.

use rand::RngExt;

use super::*;
use crate::testing;

/// Compute `body` on every path `S`; each must give the expected value.
macro_rules! expect {
    ($expected:expr, |$arg:ident: $type:ty| -> $output:ty $body:block) => {
        #[derive(Clone)]
        struct Case($type);
        impl Task for Case {
            type Output = $output;
            #[inline(always)]
            fn run<S: Simd>(self) -> $output {
                let Case($arg) = self;
                $body
            }
        }
        let case = Case($arg);
        detected().for_each(|(path, name)| assert_eq!(run_on(path, case.clone()), $expected, "{name}"));
    };
}

#[test]
fn operations_on_bytes_do_what_they_say() {
    let mut rng = testing::rng(16);
    for _ in 0..20_000 {
        let scores = Bytes(std::array::from_fn(|_| rng.random_range(-75..=75)));
        let free = Bytes(std::array::from_fn(|_| rng.random_range(0..=7)));
        // Entries reach every byte value, saturated ones too.
        let (table, bits) = (rng.random::<u64>(), rng.random::<u64>() & rng.random::<u64>() | 1 << 63);
        let n = rng.random_range(0..bits.count_ones());
        let cell = testing::random_opening(&mut rng)[0];
        let value = rng.random_range(-15..=15);
        let entry = |i: usize| table.to_le_bytes()[free.0[i] as usize] as i8;
        let set = |i: usize| bits >> i & 1 != 0;
        let near = |i: usize| cell.neighbours().bits() >> i & 1 != 0;
        let expected = (
            (0..64).fold(0, |bits, i| bits | u64::from(scores.0[i] >= entry(i)) << i),
            (0..64).filter(|&i| set(i)).nth(n as usize).expect("counted") as u32,
            [
                Bytes(std::array::from_fn(|i| scores.0[i] + if near(i) { value } else { 0 })),
                Bytes(std::array::from_fn(|i| free.0[i] - i8::from(near(i)))),
            ],
        );
        let case = (scores, free, table, bits, n, cell.index(), value);
        expect!(expected, |case: (Bytes, Bytes, u64, u64, u32, usize, i8)| -> (u64, u32, [Bytes; 2]) {
            let (scores, free, table, bits, n, cell, value) = case;
            let (mut after, mut left) = (scores, free);
            S::place(&mut after, &mut left, cell, value);
            (S::at_least(&scores, &free, table), S::nth_set_bit(bits, n), [after, left])
        });
    }
}

#[test]
fn operations_on_rows_do_what_they_say() {
    let mut rng = testing::rng(17);
    let mut covered = 0;
    for round in 0..20_000 {
        let a = Lanes(std::array::from_fn(|_| rng.random()));
        let mut b = Lanes(std::array::from_fn(|_| rng.random()));
        let counts = Lanes(std::array::from_fn(|_| rng.random_range(0..=7)));
        let places = Lanes(std::array::from_fn(|_| rng.random_range(0..=15)));
        let (table, thresholds): ([u8; 16], u64) = (rng.random(), rng.random());
        let flip = -(round % 2) as i8;
        // Every other pair of rounds all lanes are covered, or all but one.
        if round % 4 < 2 {
            b = Lanes(std::array::from_fn(|i| b.0[i].min(a.0[i] ^ flip)));
            b.0.iter_mut().skip(rng.random_range(0..64)).take(1).for_each(|lane| *lane = 127);
        }
        let lanes = |value: &dyn Fn(i8, i8) -> i8| Lanes(std::array::from_fn(|i| value(a.0[i], b.0[i])));
        let bits = |of: &dyn Fn(usize) -> bool| (0..32).fold(0, |bits, i| bits | u32::from(of(i)) << i);
        let threshold = |i: usize| thresholds.to_le_bytes()[counts.0[i] as usize] as i8;
        let lack = |i: usize| (i32::from(b.0[i]) - i32::from(a.0[i] ^ flip)).max(0) as u32;
        let vectors = [
            lanes(&i8::saturating_add),
            lanes(&i8::saturating_sub),
            lanes(&|x, y| x.min(y)),
            Lanes::splat(flip),
            Lanes(places.0.map(|place| table[place as usize] as i8)),
        ];
        let lacks = (0..32).map(lack).sum();
        let numbers = [bits(&|i| a.0[i] < b.0[i]), bits(&|i| a.0[i] ^ flip >= threshold(i)), lacks];
        covered += u32::from(lacks == 0);
        let (expected, case) =
            ((vectors, numbers, lacks == 0), ([a, b, counts, places], thresholds, table, flip));
        expect!(expected, |case: ([Lanes; 4], u64, [u8; 16], i8)| -> ([Lanes; 5], [u32; 3], bool) {
            let ([a, b, counts, places], thresholds, table, flip) = case;
            let [x, y] = [S::load(&a), S::load(&b)];
            let entries = S::entries(S::load(&places), &table);
            let vectors = [S::add(x, y), S::subtract(x, y), S::least(x, y), S::splat(flip), entries];
            let reached = S::row_reaches(&a, flip, &counts, thresholds);
            let numbers = [S::less(x, y), reached, S::lack(S::flipped(&a, flip), y)];
            (vectors.map(S::store), numbers, S::row_covers(&a, flip, &b))
        });
    }
    assert!((2_000..18_000).contains(&covered), "{covered}");
}

#[test]
fn sums_of_products_do_what_they_say() {
    let mut rng = testing::rng(18);
    for round in 0..2_000 {
        let sums = Sums(std::array::from_fn(|_| rng.random_range(-1 << 20..1 << 20)));
        let weights: Vec<WeightPair> = (0..round % 21)
            .map(|_| WeightPair(std::array::from_fn(|_| rng.random_range(-4_000..=4_000))))
            .collect();
        let inputs: Vec<i16> = (0..2 * weights.len()).map(|_| rng.random_range(-2_000..=2_000)).collect();
        let products = |unit: usize| {
            let product = |n: usize| i32::from(weights[n / 2].0[2 * unit + n % 2]) * i32::from(inputs[n]);
            (0..inputs.len()).map(product).sum::<i32>()
        };
        let expected = Sums(std::array::from_fn(|unit| sums.0[unit] + products(unit)));
        let case = (sums, weights, inputs);
        expect!(expected, |case: (Sums, Vec<WeightPair>, Vec<i16>)| -> Sums {
            let (mut sums, weights, inputs) = case;
            S::multiply(&mut sums, &weights, &inputs);
            sums
        });
    }
}
