//! Many games in a row leave nothing behind: no process, no descriptor, no memory.
#![cfg(target_os = "linux")]

use std::fs;
use std::ops::ControlFlow;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use blackhole::workshop::arena::bots::Bot;
use blackhole::workshop::arena::game::Rules;
use blackhole::workshop::arena::schedule::{Schedule, Shard, mix, round_robin};
use blackhole::workshop::arena::{Event, Match, MatchEnd};

use crate::arena_match::untimed;
use crate::scratch::{BLACKHOLE, Scratch, signal};

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").expect("descriptors").count()
}

/// The resident memory, in megabytes.
fn memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("a size");
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).expect("a number") / 1024
}

/// The processes, dead or alive, that this one has started.
fn children() -> String {
    let tasks = fs::read_dir("/proc/self/task").expect("threads").flatten();
    tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok()).collect()
}

/// Play random against random as processes, and look at what is left.
fn load(pairs: u64, limit: Duration) {
    let command = format!("{} play --player random --seed {{seed}}", env!("CARGO_BIN_EXE_blackhole"));
    let bots = ["a", "b"]
        .map(|name| Bot::parse(&format!("{name}={command}"), Duration::from_secs(5)).expect("a bot"));
    let schedule = Schedule {
        seed: 1,
        openings: Vec::new(),
        pairs,
        keys: vec![1, 2],
        pairings: round_robin(2),
        shard: Shard::ALL,
    };
    let rules = Rules::default();
    let plan = Match { bots: bots.to_vec(), schedule, rules, concurrency: 2 };
    let (before, memory_before, begin) = (descriptors(), memory(), Instant::now());
    let mut played = 0;
    let each = |event| {
        let Event::Over(_, outcome) = event else { return Ok(ControlFlow::Continue(())) };
        assert!(outcome.faults.is_empty(), "{:?}", outcome.faults);
        assert_eq!(outcome.moves.len(), 30);
        played += 1;
        Ok(ControlFlow::Continue(()))
    };
    let end = plan.play(plan.schedule.games(), &AtomicBool::new(false), each);
    assert_eq!(end.expect("no error"), MatchEnd::Finished);
    assert_eq!(played, 2 * pairs);
    assert_eq!(descriptors(), before, "descriptors");
    assert_eq!(children(), "", "processes");
    assert!(begin.elapsed() < limit, "{:?}", begin.elapsed());
    let (games, seconds) = (2 * pairs, begin.elapsed().as_secs_f64());
    println!("{games} games in {seconds:.1} s; {before} descriptors and {memory_before} to {} MB", memory());
    assert!(memory() <= memory_before + 8, "{memory_before} to {} MB", memory());
}

/// Run an ignored test of this module in a process of its own: other tests have children and
/// descriptors.
fn alone(test: &str) {
    let arguments = ["--exact", test, "--ignored"];
    let status = Command::new(std::env::current_exe().expect("this program")).args(arguments).status();
    assert!(status.expect("it runs").success(), "{test}");
}

#[test]
fn many_games_leave_nothing_behind() {
    alone("arena_load::a_hundred_games");
}

#[test]
#[ignore = "run by the test above"]
fn a_hundred_games() {
    load(50, Duration::from_secs(30));
}

#[test]
#[ignore = "4,000 games; cargo test --release --test all four_thousand_games -- --ignored --nocapture"]
fn four_thousand_games() {
    load(2_000, Duration::from_secs(600));
}

/// Kill the runner at random moments and go on, `kills` times; then the table is that of an
/// uninterrupted match.
fn killed_and_resumed(kills: u64, pairs: u64) {
    let scratch = Scratch::new(&format!("load-kills-{kills}"));
    let bot = "play --player greedy --quiet --seed {seed}";
    let bots = format!("--bot 'a={BLACKHOLE} {bot}' --bot 'b=builtin:random' --bot 'c={BLACKHOLE} {bot}'");
    let run =
        |journal: &str| format!("exec {BLACKHOLE} match {bots} --pairs {pairs} --journal {journal} --resume");
    let mut torn = 0;
    for kill in 0..kills {
        let mut child = scratch.start_shell(&run("killed"));
        let moment = Duration::from_millis(150 + mix(&[kill]) % 1_000);
        std::thread::sleep(moment);
        signal(&child, "KILL");
        child.wait().expect("it ends");
        torn += usize::from(fs::read(scratch.path("killed")).is_ok_and(|text| text.last() != Some(&b'\n')));
    }
    let games = scratch.lines("killed");
    let [killed, whole] =
        ["killed", "whole"].map(|journal| untimed(&scratch.shell(&run(journal)).expect(0, "").stdout));
    println!("{games} games before the last run, {torn} torn or empty journals");
    assert_eq!(killed, whole);
    assert_eq!(scratch.lines("killed") as u64, 6 * pairs);
}

#[test]
fn three_kills_change_nothing() {
    killed_and_resumed(3, 20);
}

#[test]
#[ignore = "50 kills; cargo test --release --test all fifty_kills -- --ignored --nocapture"]
fn fifty_kills_change_nothing() {
    killed_and_resumed(50, 200);
}
