//! The sequential test against independent simulations, ratings against the scores that they explain.

use std::iter;

use blackhole::arena::ratings::{Rating, difference, ratings};
use blackhole::arena::sprt::{Sprt, SprtVerdict};
use blackhole::arena::stats::{PairKinds, Sample};

use crate::common::*;

/// List the means of pairs, with their chances, like those between strong bots: `share` of them differ from
/// 75, by half a point to three points a game, or more where the mean is out of reach otherwise; `distance`
/// is that of the tested means.
fn pair_means(share: f64, mean: f64, distance: f64) -> Vec<(f64, f64)> {
    const CHANCES: [f64; 6] = [0.45, 0.25, 0.14, 0.08, 0.05, 0.03];
    let step = 0.5 * (1.5 * distance / share / 2.0).ceil();
    // The farther up, the more likely: e^(lean size), found by halving.
    let shifted = |lean: f64| {
        let sizes = (-6..=6_i32).filter(|&size| size != 0).map(f64::from);
        let weigh = |size: f64| (75.0 + step * size, CHANCES[size.abs() as usize - 1] * (lean * size).exp());
        let weights: Vec<_> = sizes.map(weigh).collect();
        let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
        let differing = weights.into_iter().map(move |(mean, weight)| (mean, share * weight / sum));
        iter::once((75.0, 1.0 - share)).chain(differing).collect::<Vec<_>>()
    };
    let (mut low, mut high) = (-20.0, 20.0);
    for _ in 0..50 {
        let found: f64 = shifted((low + high) / 2.0).iter().map(|(mean, chance)| mean * chance).sum();
        *if found < mean { &mut low } else { &mut high } = (low + high) / 2.0;
    }
    shifted(low)
}

/// Run sequential tests on such pairs until each is decided; return the share of wrong decisions and the mean
/// length.
fn errors(sprt: Sprt, share: f64, mean: f64, tests: u32) -> (f64, f64) {
    let means = pair_means(share, mean, sprt.high - sprt.low);
    let mut rng = rng((share * 100.0) as u64);
    let (mut wrong, mut length) = (0, 0.0);
    for _ in 0..tests {
        let mut pairs = Sample::default();
        let right = if mean < (sprt.low + sprt.high) / 2.0 { SprtVerdict::H0 } else { SprtVerdict::H1 };
        while sprt.verdict(&pairs) == SprtVerdict::Undecided {
            let mut lot: f64 = rng.random();
            let place = means.iter().position(|(_, chance)| {
                lot -= chance;
                lot < 0.0
            });
            pairs.add(means[place.unwrap_or(0)].0);
        }
        wrong += u32::from(sprt.verdict(&pairs) != right);
        length += pairs.count();
    }
    (f64::from(wrong) / f64::from(tests), length / f64::from(tests))
}

/// Check that tests at both means, and half their distance beyond them, err no oftener than promised, and
/// that their mean length is no longer; return their errors and lengths.
fn check_errors(sprt: Sprt, share: f64, tests: u32, longest: f64) -> String {
    let beyond = (sprt.high - sprt.low) / 2.0;
    let (lower, higher) = ([sprt.low, sprt.low - beyond], [sprt.high, sprt.high + beyond]);
    let cells = [lower.map(|it| (it, sprt.alpha)), higher.map(|it| (it, sprt.beta))].concat();
    let cells = cells.into_iter().map(|(mean, chance)| {
        let (wrong, length) = errors(sprt, share, mean, tests);
        // Two standard errors more than promised.
        let most = chance + 2.0 * (chance * (1.0 - chance) / f64::from(tests)).sqrt();
        assert!(wrong <= most, "wrong {wrong} of the time at {mean}, {share} differ ({sprt:?})");
        assert!(length <= longest, "{length} pairs on average at {mean}, {share} differ ({sprt:?})");
        format!("{wrong:.4}, {length:.0}")
    });
    cells.collect::<Vec<_>>().join(" | ")
}

/// Print the errors and lengths of benches/README.md: four minutes with
/// `cargo test --release --test all -- --ignored --nocapture the_sequential_test_keeps_its_promise`.
#[test]
#[ignore = "takes minutes"]
fn the_sequential_test_keeps_its_promise() {
    println!("promised | means | differ | wrong, pairs at low | below low | at high | above high");
    let tests = [0.05, 0.01].into_iter().flat_map(|chance| [75.1, 75.3, 76.0].map(|high| (chance, high)));
    for (chance, high) in tests {
        let sprt = Sprt { low: 75.0, high, alpha: chance, beta: chance };
        for share in [0.05, 0.1, 0.2, 0.3, 0.5, 1.0] {
            let cells = check_errors(sprt, share, 4_000, f64::INFINITY);
            println!("{chance} | 75 to {high} | {share} | {cells}");
        }
    }
}

#[test]
fn the_sequential_test_errs_as_rarely_as_it_promises() {
    // The share of pairs that differ, the higher mean, α and β, and the mean length that a more cautious test
    // exceeds.
    let tests =
        [(0.1, 75.3, [0.05; 2], 300.0), (0.3, 75.3, [0.05; 2], 105.0), (1.0, 75.4, [0.05, 0.2], 85.0)];
    for (share, high, [alpha, beta], longest) in tests {
        check_errors(Sprt { low: 75.0, high, alpha, beta }, share, 200, longest);
    }
}

/// The smallest number of equal pairs that decides a test, and for what.
fn alike(sprt: Sprt, mean: f64) -> (u32, SprtVerdict) {
    let mut pairs = Sample::default();
    let count = (1..).find(|_| {
        pairs.add(mean);
        sprt.verdict(&pairs) != SprtVerdict::Undecided
    });
    (count.expect("a decision"), sprt.verdict(&pairs))
}

#[test]
fn a_landslide_is_decided_at_once_but_level_pairs_decide_nothing_before_rare_others_had_time_to_come() {
    for (chance, level) in [(0.05, 119), (0.01, 175)] {
        for high in [75.1, 75.3, 76.0] {
            let sprt = Sprt { low: 75.0, high, alpha: chance, beta: chance };
            for (mean, verdict) in [(90.0, SprtVerdict::H1), (60.0, SprtVerdict::H0)] {
                let (count, found) = alike(sprt, mean);
                assert!(count < 40 && found == verdict, "{found} after {count} pairs of {mean} ({sprt:?})");
            }
            assert_eq!(alike(sprt, 75.0), (level, SprtVerdict::H0), "{sprt:?}");
        }
        // One pair in twenty differs: so many level ones in a row are rarer than promised.
        assert!(0.95_f64.powi(level as i32) < chance);
    }
}

/// At the likeliest ratings every bot expects the score that it has, with a drawn game more in each pairing.
#[test]
fn ratings_explain_the_scores() {
    let all = |pairs| PairKinds([0, 0, 0, 0, 0, pairs]);
    let pairings = [
        ([0, 1], PairKinds([1, 2, 6, 3, 4, 5])),
        ([2, 1], PairKinds([9, 2, 0, 1, 0, 0])),
        ([0, 2], all(9)),
        ([3, 0], all(5)),
        ([3, 1], all(6)),
        ([3, 2], all(7)),
    ];
    let rated = ratings(5, &pairings);
    assert_eq!(rated[4], None, "it met nobody");
    let rated: Vec<Rating> = rated.into_iter().flatten().collect();
    let beats =
        |one: usize, other: usize| 1.0 / (1.0 + 10_f64.powf((rated[other].elo - rated[one].elo) / 400.0));
    let mut surplus = [0.0; 4];
    for ([one, other], kinds) in pairings {
        let (pairs, mean) = (kinds.scores().count(), kinds.scores().mean().expect("pairs"));
        let more = pairs * mean + 0.25 - (pairs + 0.5) * beats(one, other);
        surplus[one] += more;
        surplus[other] -= more;
    }
    assert!(surplus.iter().all(|more| more.abs() < 1e-6), "{surplus:?}");
    assert!(rated.iter().map(|it| it.elo).sum::<f64>().abs() < 1e-6, "{rated:?}");
    assert_eq!(rated.iter().map(|it| it.bound).collect::<Vec<_>>(), [0, 0, 0, 1]);
    // One that lost a pair at all costs has an error, too; two bots rated by one-sided pairs had +62 ± 13.
    assert!(rated[..3].iter().all(|it| it.error > Some(20.0)) && rated[3].error.is_none(), "{rated:?}");
}

/// Bots of equal pairings are rated in the order of their points: one with 12 won of 18 stood below one with 6.
#[test]
fn a_round_robin_is_rated_by_its_points() {
    let mut random = rng(7);
    for _ in 0..50 {
        // The first win more.
        let mut pairing = |two| {
            let mut kinds = [0; 6];
            kinds[random.random_range(0..6_usize).max(random.random_range(0..6))] = 1;
            (two, PairKinds(kinds))
        };
        let pairings: Vec<_> = (0..8).flat_map(|n| (0..n).map(move |m| [m, n])).map(&mut pairing).collect();
        let mut points = [0.0; 8];
        for ([one, other], kinds) in &pairings {
            let mean = kinds.scores().mean().expect("a pair");
            points[*one] += mean;
            points[*other] += 1.0 - mean;
        }
        let rated: Vec<Rating> = ratings(8, &pairings).into_iter().flatten().collect();
        for (one, other) in (0..8).flat_map(|n| (0..8).map(move |m| (n, m))) {
            let is_ordered = points[one] <= points[other] || rated[one].elo > rated[other].elo;
            assert!(is_ordered, "{points:?} {rated:?}");
        }
    }
}

#[test]
fn differences_of_known_matches() {
    let bound = 400.0 * (1.0 / (0.05_f64.powf(-0.1) - 1.0)).log10();
    for (kinds, expected) in [
        // Wins, losses and draws 136, 96 and 111, often quoted: ± 30.4 for 95 %, 1.96 standard errors.
        ([96, 0, 111, 0, 0, 136], "+40.7 ± 15.5"),
        // 400 log10(184 / 159).
        ([111, 0, 96, 0, 0, 136], "+25.4 ± "),
        ([34, 54, 31, 32, 64, 75], "+55.6 ± "),
        ([0, 0, 3, 6, 0, 0], "+0"),
        ([0, 0, 0, 0, 1, 3], "+470"),
        ([10, 0, 0, 0, 0, 0], &format!("< {:+.0}", -bound)),
    ] {
        let told = difference(PairKinds(kinds)).map_or(String::new(), |elo| elo.to_string());
        assert!(told.starts_with(expected), "{told}, expected {expected}");
    }
    assert_eq!(difference(PairKinds::default()), None);
}
