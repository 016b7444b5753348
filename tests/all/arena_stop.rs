//! Requests to stop are obeyed at once, and leave no process behind.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::Child;
use std::time::{Duration, Instant};

use crate::scratch::{BLACKHOLE, Ran, Scratch, TWO, processes, signal, wait_for};

/// Interrupt a command with a signal, and check that it ends at once and says so.
fn stopped(child: Child, name: &str, words: &str) -> Ran {
    let begin = Instant::now();
    signal(&child, name);
    let ran = Ran::from(child);
    assert!(begin.elapsed() < Duration::from_millis(1_500), "{name}: {:?}", begin.elapsed());
    ran.expect(130, words)
}

#[test]
fn a_search_of_a_builtin_player_is_not_waited_for() {
    let scratch = Scratch::new("stop-search");
    for name in ["INT", "TERM", "QUIT", "HUP"] {
        let bots = "--bot a=builtin:blackhole --bot b=builtin:wormhole --time 200 --journal games";
        let child = scratch.start_shell(&format!("exec env --default-signal {BLACKHOLE} match {bots}"));
        wait_for("the journal", || scratch.path("games").exists());
        std::thread::sleep(Duration::from_millis(300));
        stopped(child, name, "");
        fs::remove_file(scratch.path("games")).expect("it is there");
    }
}

#[test]
fn check_stops_without_more_trials() {
    let scratch = Scratch::new("stop-check");
    let bot = format!("--games 50 --bot '{BLACKHOLE} play --time 60'");
    let child = scratch.start_shell(&format!("exec env --default-signal {BLACKHOLE} check {bot}"));
    std::thread::sleep(Duration::from_millis(500));
    let ran = stopped(child, "INT", "interrupted after ");
    assert!(!ran.stdout.contains("FAILED"), "{}", ran.stdout);
}

#[test]
fn a_pipe_that_nobody_reads_holds_no_command() {
    let scratch = Scratch::new("stop-pipe");
    let bot = "sh -c 'yes | head -c 9000 >&2; exit 3'";
    let mut child = scratch.start_shell(&format!(
        "exec env --default-signal {BLACKHOLE} check --games 300 --verbose --bot \"{bot}\""
    ));
    // Far more than a pipe takes.
    std::thread::sleep(Duration::from_millis(1_500));
    assert!(child.try_wait().expect("a state").is_none(), "it is stuck");
    let begin = Instant::now();
    signal(&child, "INT");
    wait_for("the end", || !fs::exists(format!("/proc/{}/fd/1", child.id())).unwrap_or(false));
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
}

#[test]
fn no_spinning_bot_survives_the_runner() {
    let scratch = Scratch::new("stop-orphans");
    for (number, signals) in
        [&["HUP"][..], &["QUIT"], &["TERM"], &["KILL"], &["INT", "INT"]].into_iter().enumerate()
    {
        // The number of turns marks the processes of this round.
        let mark = format!("76.5{number}");
        let bot = format!("sh -c \"trap : TERM HUP INT; while :; do :; done; echo {mark}\"");
        let options = format!("--bot 'a={bot}' --bot b=builtin:random --time 100");
        let child = scratch.start_shell(&format!("exec env --default-signal {BLACKHOLE} match {options}"));
        wait_for("the start", || !processes(&mark).is_empty());
        // The trial of the command is over when the process is there for a while.
        std::thread::sleep(Duration::from_millis(100));
        signals.iter().for_each(|name| signal(&child, name));
        child.wait_with_output().expect("it ends");
        wait_for(&format!("the end after {signals:?}"), || processes(&mark).is_empty());
    }
}

#[test]
fn a_hangup_that_is_ignored_stays_ignored() {
    let scratch = Scratch::new("stop-nohup");
    let script = format!("trap '' HUP; exec {BLACKHOLE} {TWO} --pairs 200 --journal games");
    let child = scratch.start_shell(&script);
    wait_for("the first game", || scratch.lines("games") > 0);
    signal(&child, "HUP");
    Ran::from(child).expect(0, "");
    assert_eq!(scratch.lines("games"), 400);
}

#[test]
fn signals_that_were_blocked_before_are_heard() {
    let scratch = Scratch::new("stop-blocked");
    let block = "use POSIX; sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGINT, SIGTERM)); exec @ARGV";
    for name in ["INT", "TERM"] {
        let run = format!("{BLACKHOLE} match --bot a=builtin:random --bot \"b=sleep 77.25\" --time 20");
        let child = scratch.start_shell(&format!("exec perl -e '{block}' {run}"));
        wait_for("the start", || !processes("77.25").is_empty());
        std::thread::sleep(Duration::from_millis(300));
        stopped(child, name, "interrupted after 0 of 100 games");
    }
}
