//! The operations on rows of every path of this machine, lane by lane against their definitions. What is made of
//! them, and the others, is seen by the tests of rules, of the network and of the signature.

use rand::RngExt;

use super::*;
use crate::testing;

/// Two rows of numbers, one of counts 0..=7 and one of places 0..=15; thresholds by count, a table by place, and
/// the mask that turns the first row over.
#[derive(Clone)]
struct RowOperations([Lanes; 4], u64, [u8; 16], i8);

impl Task for RowOperations {
    type Output = ([Lanes; 5], [u32; 3], bool);

    #[inline(always)]
    fn run<S: Simd>(self) -> Self::Output {
        let RowOperations([a, b, counts, places], thresholds, table, flip) = self;
        let [x, y] = [S::load(&a), S::load(&b)];
        let found = S::lookup(S::load(&places), &table);
        let vectors = [S::add(x, y), S::subtract(x, y), S::min(x, y), S::splat(flip), found];
        let reached = S::row_reaches(&a, flip, &counts, thresholds);
        let numbers = [S::less(x, y), reached, S::lack(S::flipped(&a, flip), y)];
        (vectors.map(S::store), numbers, S::row_covers(&a, flip, &b))
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
        let expected = (vectors, numbers, lacks == 0);
        let case = RowOperations([a, b, counts, places], thresholds, table, flip);
        detected().for_each(|(path, name)| assert_eq!(run_on(path, case.clone()), expected, "{name}"));
    }
    assert!((2_000..18_000).contains(&covered), "{covered}");
}
