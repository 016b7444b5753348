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
    for (chance, high) in
        [0.05, 0.01].into_iter().flat_map(|chance| [75.1, 75.3, 76.0].map(|high| (chance, high)))
    {
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
    for (share, high, [alpha, beta], longest) in
        [(0.1, 75.3, [0.05; 2], 300.0), (0.3, 75.3, [0.05; 2], 105.0), (1.0, 75.4, [0.05, 0.2], 85.0)]
    {
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

/// One-sided pairings drew two bots of +301 ± 136 together, to +124 ± 25, and gave bots that won and lost a sign.
#[test]
fn bots_of_a_league_differ_as_they_do_alone() {
    let upper = [0, 0, 1, 0, 1, 3];
    // Odds of 3, 3 and 9 to 1.
    let (three, nine) = ([0, 0, 4, 0, 0, 4], [0, 0, 1, 0, 0, 4]);
    for (core, expected) in [
        // Scores of 17/20: 400 log10(17/3) = 301.3 is twice the rating.
        (vec![([1, 2], upper)], ["+150.7 ± 68.1", "-150.7 ± 68.1", "-"]),
        // 400 log10(3) = 190.8.
        (vec![([1, 2], three), ([2, 3], three), ([1, 3], nine)], ["+190.8 ± ", "+0.0 ± ", "-190.8 ± "]),
    ] {
        let count = core.len().max(2) + 4;
        let [low, lower] = [count - 3, count - 2];
        // The first bot won all; two lost all to the others, and differ by 11/20; the last one met nobody.
        let lost =
            (1..low).flat_map(|n| [([low, n], 5), ([lower, n], 5)]).chain((1..=lower).map(|n| ([n, 0], 7)));
        let lost = lost.map(|(two, pairs)| (two, [pairs, 0, 0, 0, 0, 0]));
        let pairings = core.iter().copied().chain(lost).chain([([low, lower], [0, 0, 4, 0, 1, 0])]);
        let pairings: Vec<_> = pairings.map(|(two, kinds)| (two, PairKinds(kinds))).collect();
        let rated = ratings(count, &pairings);
        assert_eq!(rated[count - 1], None, "it met nobody");
        let rated: Vec<Rating> = rated.into_iter().flatten().collect();
        let told = rated.iter().map(Rating::to_string).collect::<Vec<_>>();
        let fits = |(told, expected): (&String, &str)| told.starts_with(expected);
        assert!(told[1..4].iter().zip(expected).all(fits), "{told:?}");
        // 400 log10(11/9).
        assert_eq!(format!("{:.1}", rated[low].elo - rated[lower].elo), "34.9");
        let has = |n: usize| (rated[n].bound != 0, rated[n].error.is_some());
        assert!((0..=lower).all(|n| has(n) == (n == 0, (1..low).contains(&n))), "{told:?}");
        // At its bound a bot would win all pairs in one of twenty matches.
        let beats = |bot: &Rating| 1.0 / (1.0 + 10_f64.powf((bot.elo - rated[0].elo) / 400.0));
        let share = rated[1..].iter().map(beats).sum::<f64>() / lower as f64;
        assert!((share.powi(7 * lower as i32) - 0.05).abs() < 1e-6, "{share} {told:?}");
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
