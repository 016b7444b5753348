//! The statistics of matches against independent simulations.

use blackhole::arena::sprt::{Sprt, SprtVerdict};
use blackhole::arena::stats::{Elo, PairKinds, Sample};
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
        let mut kinds = PairKinds::default();
        for _ in 0..length {
            let mut lot: f64 = rng.random();
            let kind = chances.iter().position(|p| {
                lot -= p;
                lot < 0.0
            });
            kinds.add(POINTS[kind.unwrap_or(5)]);
        }
        let known = Elo::estimate(&kinds.scores());
        inside +=
            u32::from(known.is_ok_and(|Elo { interval: [low, high], .. }| low <= truth && truth <= high));
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
        let share = coverage(chances, length, 5_000, seed);
        assert!((0.94..=0.96).contains(&share), "{chances:?}: {share}");
    }
}

/// Draw a game's score like one between strong bots: more than half of the games are drawn, the
/// others end a few points either way.
pub fn game(rng: &mut Xoshiro256PlusPlus) -> f64 {
    if rng.random_bool(0.55) {
        return 0.0;
    }
    let mut size = 1.0;
    while rng.random_bool(0.45) {
        size += 1.0;
    }
    if rng.random_bool(0.5) { size } else { -size }
}

/// Run sequential tests on pairs with the given mean until each is decided; return the shares of H0
/// and H1 and the mean length.
fn decisions(sprt: Sprt, mean: f64, seed: u64) -> [f64; 3] {
    const TESTS: u32 = 6_000;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut counts = [0, 0, 0];
    for _ in 0..TESTS {
        let mut pairs = Sample::default();
        while sprt.verdict(&pairs) == SprtVerdict::Undecided {
            pairs.add(mean + (game(&mut rng) + game(&mut rng)) / 2.0);
        }
        counts[usize::from(sprt.verdict(&pairs) == SprtVerdict::H1)] += 1;
        counts[2] += pairs.count();
    }
    counts.map(|count| count as f64 / f64::from(TESTS))
}

#[test]
fn the_sequential_test_errs_as_rarely_as_it_promises() {
    // Low and high mean; α and β; their shares and three standard errors more (0.0084 of 5 %), and
    // the mean length and 5 % more, which a test twice as cautious misses.
    for (low, high, [alpha, beta], [h1_most, h0_most, longest], seed) in [
        (75.0, 75.4, [0.05; 2], [0.0584, 0.0584, 41.5], 4),
        (75.0, 75.2, [0.05; 2], [0.0584, 0.0584, 148.0], 5),
        (74.8, 75.2, [0.05; 2], [0.0584, 0.0584, 41.5], 6),
        (75.0, 75.3, [0.01, 0.2], [0.0139, 0.2155, 82.5], 7),
    ] {
        let sprt = Sprt { low, high, alpha, beta };
        let [_, h1, _] = decisions(sprt, low, seed);
        assert!(h1 <= h1_most, "H1 {h1} of the time under H0 ({sprt:?})");
        let [h0, _, length] = decisions(sprt, high, seed + 10);
        assert!(h0 <= h0_most, "H0 {h0} of the time under H1 ({sprt:?})");
        assert!(length <= longest, "{length} pairs on average ({sprt:?})");
    }
}

#[test]
fn a_landslide_is_decided_at_once() {
    let sprt = Sprt { low: 75.0, high: 75.4, alpha: 0.05, beta: 0.05 };
    for (mean, verdict) in [(90.0, SprtVerdict::H1), (75.0, SprtVerdict::H0)] {
        let alike: Sample = std::iter::repeat_n(mean, 20).collect();
        assert_eq!(sprt.verdict(&alike), verdict);
    }
}
