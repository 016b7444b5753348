//! Many games in a row leave nothing behind: no process, no descriptor, no memory.
#![cfg(target_os = "linux")]

use std::fs;
use std::ops::ControlFlow;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use blackhole::arena::bots::Bot;
use blackhole::arena::game::Rules;
use blackhole::arena::schedule::{Schedule, ScheduledGame, Shard, mix, round_robin};
use blackhole::arena::{Event, Match, MatchEnd};

use crate::arena_match::untimed;
use crate::scratch::{BLACKHOLE, Ran, Scratch, quoted, signal, wait_for};

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

/// Run in a process of its own by the next test: other tests have children and descriptors.
#[test]
#[ignore = "run by the test below"]
fn options_of_a_hundred_games() {
    let plays = format!("{} play --player random --seed {{seed}}", quoted(BLACKHOLE));
    // A process started by a bot may survive and hold the bot's output.
    let leaves = format!("sh -c {}", quoted(&format!("setsid sleep 20 2>/dev/null & exec {plays}")));
    for (command, pairs) in [(plays, 50), (leaves, 1)] {
        nothing_is_left_of(pairs, &command);
    }
}

fn nothing_is_left_of(pairs: u64, command: &str) {
    let bots = ["a", "b"]
        .map(|name| Bot::parse(&format!("{name}={command}"), Duration::from_secs(60)).expect("a bot"));
    let (seed, openings, pairings) = (1, Vec::new(), round_robin(2));
    let schedule = Schedule { seed, openings, pairs, pairings, shard: Shard::ALL };
    let (bots, rules) = (bots.to_vec(), Rules::default());
    let plan = Match { bots, schedule, rules, concurrency: 2, test: None };
    let (descriptors_before, memory_before) = (descriptors(), memory());
    let games: Vec<ScheduledGame> = plan.schedule.games().collect();
    let (mut played, mut fastest) = (0, Duration::MAX);
    for two in games.chunks(2) {
        let begin = Instant::now();
        let end = plan.play(two.iter().cloned(), &AtomicBool::new(false), |event| {
            if let Event::Over(entry, _) = event {
                assert!(entry.faults.is_empty() && entry.moves.len() == 30, "{:?}", entry.faults);
                played += 1;
            }
            Ok(ControlFlow::Continue(()))
        });
        assert_eq!(end.expect("no error"), MatchEnd::Finished);
        assert_eq!((descriptors(), children()), (descriptors_before, String::new()));
        fastest = fastest.min(begin.elapsed());
    }
    assert_eq!(played, 2 * pairs);
    // No wait lasts to its limit if no bot needs it.
    assert!(fastest < Duration::from_secs(10), "{fastest:?}");
    assert!(memory() <= memory_before + 8, "{memory_before} to {} MB", memory());
}

#[test]
fn many_games_leave_nothing_behind() {
    let arguments = ["--exact", "arena_load::options_of_a_hundred_games", "--ignored"];
    let status = Command::new(std::env::current_exe().expect("this program")).args(arguments).status();
    assert!(status.expect("it runs").success());
}

/// Interrupt the runner, kill it at random moments and go on each time: the table is that of an
/// uninterrupted match.
#[test]
fn interruptions_and_kills_change_nothing() {
    const PAIRS: usize = 6;
    let scratch = Scratch::new("load-kills");
    let bot = "sh -c \"exec blackhole play --player greedy --quiet --seed {seed}\"";
    let bots = format!("--bot 'a={bot}' --bot 'b=builtin:random' --bot 'c={bot}'");
    let run = |journal: &str| {
        format!("exec blackhole match {bots} --pairs {PAIRS} --resume {journal} --logs 'a log'")
    };
    let child = scratch.start_shell(&run("killed"));
    wait_for("the third game", || scratch.lines("killed") >= 3);
    signal(&child, "INT");
    let words = "they are in killed: blackhole match --resume killed plays the others";
    let ran = Ran::from(child).expect(130, words);
    assert!(ran.stdout.contains("points a game") && (3..36).contains(&scratch.lines("killed")), "{ran:?}");
    for kill in 0..2 {
        let mut child = scratch.start_shell(&run("killed"));
        std::thread::sleep(Duration::from_millis(150 + mix(&[kill]) % 600));
        signal(&child, "KILL");
        child.wait().expect("it ends");
    }
    scratch.shell(&run("killed")).expect(0, "");
    // No game is left to play; the bots may even come in another order.
    let swapped = format!("--bot b=builtin:random --bot 'c={bot}' --bot 'a={bot}'");
    let again = scratch.table(&format!("match {swapped} --pairs {PAIRS} --resume killed"));
    let whole = scratch.shell(&run("whole")).expect(0, "").stdout;
    assert_eq!(untimed(&again), untimed(&whole));
    assert_eq!((scratch.table("report killed"), scratch.lines("killed")), (again, 6 * PAIRS));
}
