//! The statistics of matches against independent simulations.

use blackhole::workshop::arena::sprt::{Pair, Sprt, SprtRun, Verdict};
use blackhole::workshop::arena::stats::{Elo, Pairs, Sample};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Simulate matches of `length` pairs whose kinds (LL, LD, WL, DD, WD, WW) have the given chances,
/// and return the share of them whose 95 % interval holds the true difference.
fn coverage(chances: [f64; 6], length: usize, matches: u32, seed: u64) -> f64 {
    const POINTS: [[u8; 2]; 6] = [[0, 70], [70, 75], [80, 70], [75, 75], [90, 75], [80, 76]];
    let mean: f64 = chances.iter().zip([0.0, 0.25, 0.5, 0.5, 0.75, 1.0]).map(|(p, score)| p * score).sum();
    let truth = 400.0 * (mean / (1.0 - mean)).log10();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut inside = 0;
    for _ in 0..matches {
        let mut pairs = Pairs::default();
        for _ in 0..length {
            let mut lot: f64 = rng.random();
            let kind = chances.iter().position(|p| {
                lot -= p;
                lot < 0.0
            });
            pairs.add(POINTS[kind.unwrap_or(5)]);
        }
        if let Elo::Known { low: Some(low), high: Some(high), .. } = Elo::estimate(&pairs.sample()) {
            inside += u32::from(low <= truth && truth <= high);
        }
    }
    f64::from(inside) / f64::from(matches)
}

#[test]
fn the_interval_covers_the_truth_in_95_of_100_matches() {
    for (chances, length, seed) in [
        ([0.10, 0.15, 0.15, 0.20, 0.20, 0.20], 200, 1),
        ([0.05, 0.10, 0.30, 0.40, 0.10, 0.05], 400, 2),
        ([0.30, 0.20, 0.20, 0.15, 0.10, 0.05], 100, 3),
    ] {
        let share = coverage(chances, length, 10_000, seed);
        assert!((0.94..=0.96).contains(&share), "{chances:?}: {share}");
    }
}

/// Draw a game's score like one between strong bots: more than half of the games are drawn, the
/// others end a few points either way.
fn game(rng: &mut Xoshiro256PlusPlus) -> f64 {
    if rng.random_bool(0.55) {
        return 0.0;
    }
    let mut size = 1.0;
    while rng.random_bool(0.45) {
        size += 1.0;
    }
    if rng.random_bool(0.5) { size } else { -size }
}

/// Run sequential tests on pairs with the given mean; return the shares of H0, H1 and the mean
/// length.
fn decisions(sprt: Sprt, mean: f64, tests: u32, seed: u64) -> (f64, f64, f64) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (mut h0, mut h1, mut total) = (0, 0, 0);
    for _ in 0..tests {
        let mut run = SprtRun::new(sprt, "a");
        for number in 0..100_000 {
            total += 1;
            let mean = mean + (game(&mut rng) + game(&mut rng)) / 2.0;
            match run.add(number, Pair { mean, games: number }) {
                Verdict::Undecided => continue,
                Verdict::H0 => h0 += 1,
                Verdict::H1 => h1 += 1,
            }
            break;
        }
    }
    let share = |count: u32| f64::from(count) / f64::from(tests);
    (share(h0), share(h1), f64::from(total) / f64::from(tests))
}

#[test]
fn the_sequential_test_errs_as_rarely_as_it_promises() {
    const TESTS: u32 = 6_000;
    for (low, high, seed) in [(75.0, 75.4, 4), (75.0, 75.2, 5), (74.8, 75.2, 6)] {
        let sprt = Sprt { low, high, alpha: 0.05, beta: 0.05 };
        let (h0, h1, _) = decisions(sprt, low, TESTS, seed);
        // Three standard errors of a share of 5 %: 0.0084.
        assert!(h1 <= 0.0584, "H1 {h1} of the time under H0 ({low}, {high})");
        assert!((h0 + h1 - 1.0).abs() < 1e-9, "every test ends");
        let (h0, h1, length) = decisions(sprt, high, TESTS, seed + 10);
        assert!(h0 <= 0.0584, "H0 {h0} of the time under H1 ({low}, {high})");
        assert!((h0 + h1 - 1.0).abs() < 1e-9, "every test ends");
        assert!(length < 400.0, "{length} pairs on average ({low}, {high})");
    }
}

#[test]
fn unequal_error_rates_are_kept_apart() {
    let sprt = Sprt { low: 75.0, high: 75.3, alpha: 0.01, beta: 0.2 };
    let (_, h1, _) = decisions(sprt, sprt.low, 6_000, 7);
    assert!(h1 <= 0.0139, "{h1}");
    let (h0, _, _) = decisions(sprt, sprt.high, 6_000, 8);
    assert!(h0 <= 0.2155, "{h0}");
}

#[test]
fn a_landslide_is_decided_at_once() {
    let sprt = Sprt { low: 75.0, high: 75.4, alpha: 0.05, beta: 0.05 };
    let alike: Sample = std::iter::repeat_n(90.0, 20).collect();
    assert_eq!(sprt.verdict(&alike), Verdict::H1);
    let even: Sample = std::iter::repeat_n(75.0, 20).collect();
    assert_eq!(sprt.verdict(&even), Verdict::H0);
}
