//! Many games in a row leave nothing behind: no process, no descriptor, no memory.
#![cfg(target_os = "linux")]

use std::fs;
use std::ops::ControlFlow;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use blackhole::workshop::arena::bots::{Bot, Maker};
use blackhole::workshop::arena::game::Rules;
use blackhole::workshop::arena::schedule::{Schedule, Shard, round_robin};
use blackhole::workshop::arena::{End, Event, Match};

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").expect("descriptors").count()
}

/// The largest resident memory so far, in megabytes.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a peak");
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
    let (before, begin) = (descriptors(), Instant::now());
    let mut played = 0;
    let each = |event| {
        let Event::Over(_, outcome) = event else { return Ok(ControlFlow::Continue(())) };
        assert!(outcome.faults.is_empty(), "{:?}", outcome.faults);
        assert_eq!(outcome.moves.len(), 30);
        played += 1;
        Ok(ControlFlow::Continue(()))
    };
    let maker: Maker = Arc::new(|_, _| Err("no built-in player here".to_string()));
    let games = plan.schedule.games().map(|(_, game)| game);
    let end = plan.play(games, &maker, &AtomicBool::new(false), each);
    assert_eq!(end.expect("no error"), End::Finished);
    assert_eq!(played, 2 * pairs);
    assert_eq!(descriptors(), before, "descriptors");
    assert_eq!(children(), "", "processes");
    assert!(begin.elapsed() < limit, "{:?}", begin.elapsed());
    assert!(peak_memory() < 50, "{} MB", peak_memory());
}

/// Run an ignored test of this module in a process of its own: other tests have children and descriptors.
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
#[ignore = "a thousand games; cargo test --release --test all a_thousand_games -- --ignored"]
fn a_thousand_games() {
    load(500, Duration::from_secs(60));
}
