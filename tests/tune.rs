//! Tuning: SPSA against objectives whose optimum is known, and `blackhole tune` as a whole.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use blackhole::params::Params;
use blackhole::tune::games::score;
use blackhole::tune::{Axis, BadAxis, GAME_NOISE, Gains, Spsa};
use common::scratch::{Scratch, text, two_at_once};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const PAIRS: u64 = 4;
const ITERATIONS: u64 = 500;
const STEP: f64 = 0.02;
const REACH: f64 = 0.2;

/// Name, start, range, optimum.
type Known = (&'static str, f32, (f32, f32), f64);

/// Four parameters, two of them whole numbers, one of those with three values only. The starts lie far off.
const KNOWN: [Known; 4] = [
    ("exploration", 0.1, (0.0, 2.0), 1.4),
    ("open_rate", 9.0, (0.0, 10.0), 3.5),
    ("horizon", 30.0, (0.0, 36.0), 8.0),
    ("amaf_source", 0.0, (0.0, 2.0), 2.0),
];

fn axes() -> Vec<Axis> {
    let axis = |(name, start, range, _): Known| {
        let mut params = Params::default();
        params.set(name, start).expect("a start");
        Axis::new(name, Some(range), &params).expect("an axis")
    };
    KNOWN.into_iter().map(axis).collect()
}

/// The points that values cost against the optimum: 3 for a whole range, squared in the distance.
fn cost(values: &[f32]) -> f64 {
    let costs = values.iter().zip(KNOWN).map(|(&value, (_, _, (low, high), best))| {
        3.0 * ((f64::from(value) - best) / f64::from(high - low)).powi(2)
    });
    costs.sum()
}

/// A number of the normal distribution with mean 0 and standard deviation 1 (Box and Muller).
fn normal(rng: &mut Xoshiro256PlusPlus) -> f64 {
    let (a, b): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - a).ln()).sqrt() * (2.0 * std::f64::consts::PI * b).cos()
}

/// Tune on games with whole points and the noise of real ones; `sign` -1 turns every result round.
fn tune(seed: u64, sign: f64) -> Spsa {
    let gains = Gains::new(ITERATIONS, PAIRS, STEP, REACH);
    let mut spsa = Spsa::new(axes(), gains, ITERATIONS, seed);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed + 1000);
    while let Some(trial) = spsa.trial() {
        let better = cost(&trial.minus) - cost(&trial.plus);
        let game = |_| (75.0 + better + GAME_NOISE * normal(&mut rng)).round().clamp(0.0, 150.0) as u8;
        let points: Vec<u8> = (0..2 * PAIRS).map(game).collect();
        spsa.learn(&trial, sign * score(&points));
    }
    spsa
}

#[test]
fn the_optimum_is_found_through_the_noise_of_games() {
    let start = cost(&KNOWN.map(|(_, start, ..)| start));
    assert!(start > 5.0, "{start}");
    let (mut tuned, mut last) = (0.0, 0.0);
    for seed in 0..20 {
        let spsa = tune(seed, 1.0);
        let found = cost(&spsa.tuned());
        assert!(found < 0.15, "seed {seed}: {:?} costs {found}", spsa.tuned());
        tuned += found / 20.0;
        last += cost(&spsa.last()) / 20.0;
    }
    // What the answer rests on: the mean of the iterates is nearer than the last.
    assert!(tuned < 0.05 && tuned < last, "mean {tuned}, last {last}");
}

#[test]
fn turned_round_it_goes_astray() {
    let start = cost(&KNOWN.map(|(_, start, ..)| start));
    for seed in 0..20 {
        let spsa = tune(seed, -1.0);
        let found = cost(&spsa.tuned());
        // The walls of the ranges hold it up, so that it need not end worse than it began.
        assert!(found > start / 2.0, "seed {seed}: {:?} costs {found}, the start {start}", spsa.tuned());
    }
}

#[test]
fn luck_alone_makes_steps_of_the_length_asked_for() {
    let mut squares = 0.0;
    for seed in 0..2000 {
        let axis = Axis::new("exploration", None, &Params::default()).expect("an axis");
        let mut spsa = Spsa::new(vec![axis], Gains::new(ITERATIONS, PAIRS, STEP, REACH), ITERATIONS, seed);
        let trial = spsa.trial().expect("a trial");
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let before = spsa.values()[0];
        spsa.learn(&trial, GAME_NOISE / (2.0 * PAIRS as f64).sqrt() * normal(&mut rng));
        squares += ((spsa.values()[0] - before) / 3.0).powi(2) / 2000.0;
    }
    assert!((squares.sqrt() / STEP - 1.0).abs() < 0.05, "{}", squares.sqrt());
}

#[test]
fn gains_shrink_as_published() {
    let gains = Gains::new(1000, 8, 0.03, 0.25);
    // a = 0.03 · 2 · 0.25 · 101^0.602 / (1.6 / √16), worked out by hand.
    for (k, a, c) in
        [(0, 0.0375, 0.25), (99, 0.0375 * (101.0f64 / 200.0).powf(0.602), 0.25 / 100f64.powf(0.101))]
    {
        assert!((gains.step(k) - a).abs() < 1e-12, "{k}: {}", gains.step(k));
        assert!((gains.reach(k) - c).abs() < 1e-12, "{k}: {}", gains.reach(k));
    }
}

#[test]
fn both_sides_differ_and_stay_in_their_ranges() {
    let axes = axes();
    let mut mean = 0.0;
    for seed in 0..400 {
        // A reach that is far less than one of a whole number's units.
        let mut spsa = Spsa::new(axes.clone(), Gains::new(10, 1, 0.1, 0.005), 10, seed);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        while let Some(trial) = spsa.trial() {
            assert_eq!(spsa.trial().as_ref(), Some(&trial), "asked again it says the same");
            for (i, axis) in axes.iter().enumerate() {
                let [plus, minus] = [trial.plus[i], trial.minus[i]];
                let (low, high) = axis.range;
                assert!((low..=high).contains(&plus) && (low..=high).contains(&minus), "{trial:?}");
                assert!((plus - minus) * f32::from(trial.signs[i]) > 0.0, "{trial:?}");
                if axis.whole {
                    assert_eq!((plus.fract(), minus.fract(), (plus - minus).abs()), (0.0, 0.0, 1.0));
                }
            }
            if trial.number == 1 {
                let middle = f64::from(trial.plus[2] + trial.minus[2]) / 2.0;
                mean += (middle - spsa.values()[2]) / 400.0;
            }
            spsa.learn(&trial, normal(&mut rng));
        }
    }
    // Rounding is a lot between neighbours: its standard deviation is at most 0.5, its mean is 0.
    assert!(mean.abs() < 4.0 * 0.5 / 20.0, "{mean}");
}

#[test]
fn axes_are_checked() {
    let params = Params::default();
    let new = |name, range| Axis::new(name, range, &params);
    let row = (0.0, 36.0);
    for (name, range, error) in [
        ("nothing", None, BadAxis::Unknown("nothing".into())),
        ("horizon", Some((4.0, 4.0)), BadAxis::Range("horizon", (4.0, 4.0), row, true)),
        ("horizon", Some((4.0, 37.0)), BadAxis::Range("horizon", (4.0, 37.0), row, true)),
        ("horizon", Some((4.5, 9.0)), BadAxis::Range("horizon", (4.5, 9.0), row, true)),
        ("horizon", Some((20.0, 30.0)), BadAxis::Start("horizon", 8.0, (20.0, 30.0))),
    ] {
        assert_eq!(new(name, range), Err(error), "{name}");
    }
    assert!(new("exploration", Some((f32::NAN, 1.0))).is_err());
    for row in Params::ROWS {
        let axis = new(row.name, None).expect("every row can be tuned");
        let spsa = Spsa::new(vec![axis], Gains::new(10, 1, STEP, REACH), 10, 1);
        assert_eq!(spsa.tuned(), [row.default], "{}", row.name);
        assert!((spsa.values()[0] - f64::from(row.default)).abs() < 1e-6, "{}", row.name);
    }
}

#[test]
fn a_forfeit_counts_for_ten_points() {
    assert_eq!(score(&[77, 75, 75, 75]), 0.5);
    assert_eq!(score(&[0, 75]), -5.0);
    assert_eq!(score(&[150, 0]), 0.0);
}

/// Few iterations of the search, and a solver that starts late: a game takes a few milliseconds.
const TUNE: &str = "tune --param exploration=0.1..1 --param open_base=1..20 --param expand_visits=1..4 \
                    --set solve_from=8 --nodes 10 --pairs-per-iteration 2";

#[test]
fn a_resumed_tuning_ends_like_an_uninterrupted_one() {
    let scratch = Scratch::new("tune-resume");
    let whole = scratch.table(&format!("{TUNE} --games 43 --journal whole"));
    assert!(whole.contains("10 of 10 iterations of 4 games"), "{whole}");
    let journal = fs::read(scratch.path("whole")).expect("a journal");
    let lines: Vec<&[u8]> = journal.split_inclusive(|&byte| byte == b'\n').collect();
    assert_eq!(lines.len(), 10);
    for (kept, torn) in [(0, 0), (0, 30), (4, 0), (4, 100), (9, lines[9].len() - 1), (10, 0)] {
        let mut part = lines[..kept].concat();
        part.extend(lines.get(kept).map_or(&[][..], |line| &line[..torn]));
        fs::write(scratch.path("part"), part).expect("a journal");
        let resumed = scratch.table(&format!("{TUNE} --iterations 10 --journal part --resume"));
        assert_eq!(resumed, whole, "after {kept} lines and {torn} bytes");
        assert!(fs::read(scratch.path("part")).expect("a journal") == journal, "{kept} lines, {torn} bytes");
    }
    // Neither the order of the options nor the concurrency matters; the seed does.
    let turned = "tune --set solve_from=8 --param expand_visits=1..4 --param open_base=1..20 \
                  --param exploration=0.1..1 --nodes 10 --pairs-per-iteration 2 --games 40";
    assert_eq!(scratch.table(&format!("{turned} --concurrency {}", two_at_once())), whole);
    assert_ne!(scratch.table(&format!("{turned} --seed 2")), whole);
}

/// Real games climb from uniform playouts to the best policy of the table. One to two minutes:
/// `cargo test --release --test tune -- --ignored`.
#[test]
#[ignore = "plays 3,200 games, one to two minutes"]
fn real_games_find_the_better_playouts() {
    let scratch = Scratch::new("tune-policy");
    for seed in 1..=2 {
        let table = scratch.table(&format!(
            "tune --set policy=0 --param policy --nodes 200 --games 1600 --seed {seed} --concurrency 1"
        ));
        assert!(table.contains("--set policy=3\n"), "seed {seed}: {table}");
    }
}

#[test]
fn the_table_ends_with_commands_that_work() {
    let scratch = Scratch::new("tune-commands");
    let table = scratch.table(&format!("{TUNE} --iterations 3"));
    let after = |label: &str| {
        let line = table.lines().find_map(|line| line.strip_prefix(label)).expect("a line");
        line.trim().to_owned()
    };
    let set = after("use it");
    assert!(set.starts_with("--set solve_from=8 --set exploration=0."), "{set}");
    let mut think = scratch.command(&format!("think --nodes 5 {set}"));
    let mut child =
        think.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), b"A1 B1 C1 D1 E1").expect("written");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let confirm = after("confirm it");
    assert!(confirm.starts_with("blackhole match --bot tuned=builtin:blackhole,solve_from=8,"), "{confirm}");
    let quick =
        confirm.replace("blackhole match", "match").replace("--time 5 --pairs 200", "--time 0.3 --pairs 1");
    let output = scratch.run(&quick);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("tuned"), "{}", text(&output.stdout));
}

#[test]
fn ctrl_c_leaves_a_journal_to_go_on_from() {
    let scratch = Scratch::new("tune-interrupt");
    let options = format!("{TUNE} --set solve_from=8 --iterations 40 --journal steps");
    let mut command = scratch.command(&options);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs");
    let steps = |path: &Path| fs::read_to_string(path).map_or(0, |text| text.lines().count());
    let journal = scratch.path("steps");
    while steps(&journal) < 2 && child.try_wait().expect("a child").is_none() {
        std::thread::sleep(Duration::from_millis(2));
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.expect("kill runs").success());
    let output = child.wait_with_output().expect("it ends");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    let done = steps(&journal);
    assert!((2..40).contains(&done), "{done}");
    let expected = format!(
        "interrupted after {done} of 40 iterations; they are in steps: the same command with --resume plays \
         the others\n"
    );
    assert_eq!(said, expected);
    assert!(text(&output.stdout).contains(&format!("{done} of 40 iterations")), "the table so far");
    let whole = scratch.table(&options.replace("steps", "whole"));
    assert_eq!(scratch.table(&format!("{options} --resume")), whole);
    assert!(fs::read(&journal).expect("a journal") == fs::read(scratch.path("whole")).expect("a journal"));
}

#[test]
fn bad_usage_and_foreign_journals_are_refused_before_the_first_game() {
    let scratch = Scratch::new("tune-usage");
    let small = format!("{TUNE} --iterations 3");
    scratch.table(&format!("{small} --journal used"));
    let used = fs::read_to_string(scratch.path("used")).expect("a journal");
    let lines: Vec<&str> = used.lines().collect();
    let write = |name: &str, content: &str| fs::write(scratch.path(name), content).expect("a file");
    write("text", "E4 E5 not a journal");
    write("lines", "E4\nE5\n");
    write("gap", &format!("{}\n{}\n", lines[0], lines[2]));
    write("long", &format!("{used}{}\n", lines[2]));
    // A result that was changed by hand shows in the next iteration's parameters.
    let points = lines[0].find("\"points\":[").expect("points") + "\"points\":[".len();
    let end = points + lines[0][points..].find(',').expect("a list");
    write("forged", &used.replacen(&lines[0][points..end], "99", 1));
    let foreign = "found in iteration 1:";
    for (options, complaint) in [
        ("tune", "--param <NAME[=LOW..HIGH]>"),
        ("tune --param nothing", "found parameter 'nothing', expected one of the parameter table"),
        ("tune --param nothing=1..2", "`--param list` lists them"),
        ("tune --param list", "Exploration constant"),
        ("tune --param exploration=1", "found the range 1, expected NAME=LOW..HIGH"),
        ("tune --param exploration=1..x", "found the range 1..x, expected NAME=LOW..HIGH"),
        ("tune --param exploration=1..0", "expected LOW..HIGH with 0 <= LOW < HIGH <= 3"),
        ("tune --param exploration=0..4", "expected LOW..HIGH with 0 <= LOW < HIGH <= 3"),
        ("tune --param exploration=0..NaN", "expected LOW..HIGH with"),
        ("tune --param horizon=0.5..3", "expected whole numbers LOW..HIGH"),
        ("tune --param exploration=1..2", "found 0.3 as the start"),
        ("tune --param exploration=0..1 --set exploration=2", "found 2 as the start"),
        ("tune --param horizon --param horizon=0..9", "found horizon twice"),
        ("tune --param horizon --set nothing=1", "found parameter 'nothing'"),
        ("tune --param horizon --set exploration=9", "expected a value from 0 to 3"),
        ("tune --param horizon --games 7", "expected at least 8 games"),
        ("tune --param horizon --games 0", "--games"),
        ("tune --param horizon --iterations 0", "--iterations"),
        ("tune --param horizon --games 8 --iterations 1", "cannot be used with"),
        ("tune --param horizon --nodes 8 --time 1", "cannot be used with"),
        ("tune --param horizon --time x", "--time"),
        ("tune --param horizon --pairs-per-iteration 0", "--pairs-per-iteration"),
        ("tune --param horizon --concurrency 1000", "expected a concurrency from 1 to"),
        ("tune --param horizon --step 0", "expected a number above 0 and at most 0.5"),
        ("tune --param horizon --reach 0.6", "expected a number above 0 and at most 0.5"),
        ("tune --param horizon --resume", "--journal"),
        (&format!("{small} --journal used"), "used has iterations already: add --resume"),
        (&format!("{small} --journal used --resume --seed 2"), "seed '1' instead of '2'"),
        (&format!("{small} --journal used --resume --step 0.03"), "step '0.02' instead of '0.03'"),
        (&format!("{TUNE} --iterations 4 --journal used --resume"), "iterations '3' instead of '4'"),
        (&format!("{small} --set horizon=3 --journal used --resume"), foreign),
        (&format!("{small} --param horizon --journal used --resume"), foreign),
        (&format!("{small} --journal text"), "text: line 1: expected a JSON object"),
        (&format!("{small} --journal lines --resume"), "lines: line 1: expected a JSON object"),
        (&format!("{small} --journal gap --resume"), "iteration 2: number 3 instead of 2"),
        (&format!("{small} --journal long --resume"), "iteration 4: number 3 instead of the end"),
        (&format!("{small} --journal forged --resume"), "found in iteration 2: exploration"),
        (&format!("{small} --journal missing/steps"), "missing/steps: "),
    ] {
        let output = scratch.run(options);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{options}: {said}");
        assert!(said.contains(complaint), "{options}: {said}");
        assert!(output.stdout.is_empty(), "{options}");
        if said.starts_with("blackhole: ") {
            assert_eq!(said.lines().count(), 1, "{options}: {said}");
        }
    }
    for (name, content) in [("used", used.as_str()), ("text", "E4 E5 not a journal"), ("lines", "E4\nE5\n")] {
        assert_eq!(fs::read_to_string(scratch.path(name)).expect("a file"), content, "{name} left as it was");
    }
}
