//! Requests to stop are obeyed at once, and leave no process behind.
#![cfg(target_os = "linux")]

use std::fs;
use std::time::Duration;

use crate::scratch::{
    Ran, Scratch, TWO, marked, processes, quoted, random_after, signal, wait_for, wait_for_handler,
};

#[test]
fn a_request_to_stop_ends_searches_trials_and_waits_however_the_parent_set_signals() {
    let scratch = Scratch::new("stop-at-once");
    let default = "env --default-signal";
    let blocked =
        "perl -e 'use POSIX; sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGINT, SIGTERM)); exec @ARGV'";
    let search = "match --bot a=builtin:blackhole --bot b=builtin:wormhole --time 20000 --pairs 1";
    let trial = "check --games 50 --time 6000 --bot 'blackhole play --time 6000'";
    let wait = "match --bot a=builtin:random --bot 'b=sleep 300' --time 150 --pairs 1";
    for (start, command, names, words) in [
        (default, search, &["INT", "TERM", "QUIT", "HUP"][..], "interrupted after 0 of 2 games"),
        (default, trial, &["INT"], "interrupted after "),
        (blocked, wait, &["INT", "TERM"], "interrupted after 0 of 2 games"),
    ] {
        for name in names {
            let mut child = scratch.start_shell(&format!("exec {start} blackhole {command}"));
            wait_for_handler(&child);
            // By then it usually plays.
            std::thread::sleep(Duration::from_millis(400));
            signal(&child, name);
            wait_for("the end", || child.try_wait().expect("a state").is_some());
            let ran = Ran::from(child).expect(130, words);
            assert!(!ran.stdout.contains("FAILED"), "{}", ran.stdout);
        }
    }
}

#[test]
fn an_unread_pipe_holds_no_command() {
    let scratch = Scratch::new("stop-pipe");
    let bot = "sh -c 'yes | head -c 9000 >&2; exit 3'";
    let mut child = scratch.start_shell(&format!(
        "exec env --default-signal blackhole check --games 300 --verbose --bot \"{bot}\""
    ));
    wait_for_handler(&child);
    // Far more than a pipe takes.
    std::thread::sleep(Duration::from_millis(1_500));
    assert!(child.try_wait().expect("a state").is_none(), "it is stuck");
    signal(&child, "INT");
    wait_for("the end", || !fs::exists(format!("/proc/{}/fd/1", child.id())).unwrap_or(false));
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}

#[test]
fn no_spinning_bot_survives_the_runner() {
    let scratch = Scratch::new("stop-orphans");
    for (number, signals) in
        [&["HUP"][..], &["QUIT"], &["TERM"], &["KILL"], &["INT", "INT"]].into_iter().enumerate()
    {
        // The number of turns marks the processes of this round.
        let mark = format!("{}{number}", marked(76));
        let bot = format!("sh -c \"trap : TERM HUP INT; while :; do :; done; echo {mark}\"");
        let options = format!("--bot 'a={bot}' --bot b=builtin:random --time 100");
        let child = scratch.start_shell(&format!("exec env --default-signal blackhole match {options}"));
        wait_for("the start", || !processes(&mark).is_empty());
        // The trial of the command is over when the process is there for a while.
        std::thread::sleep(Duration::from_millis(100));
        signals.iter().for_each(|name| signal(&child, name));
        child.wait_with_output().expect("it ends");
        wait_for(&format!("the end after {signals:?}"), || processes(&mark).is_empty());
    }
}

#[test]
fn an_ignored_hangup_stays_ignored() {
    let scratch = Scratch::new("stop-nohup");
    // With /proc and, where a name space of one's own can be had, without it.
    let hide = "unshare --user --map-root-user --mount sh -c 'mount -t tmpfs none /proc &&";
    let hides = scratch.shell(&format!("{hide} true'")).code == Some(0);
    for hide in [Some("sh -c '"), hides.then_some(hide)].into_iter().flatten() {
        let run = format!("exec blackhole {TWO} --pairs 200 --journal games");
        let child = scratch.start_shell(&format!("trap \"\" HUP; exec {hide} {run}'"));
        wait_for("the first game", || scratch.lines("games") > 0);
        signal(&child, "HUP");
        let ran = Ran::from(child).expect(0, "");
        assert_eq!(scratch.lines("games"), 400);
        let unknown = scratch.read("games").contains(" of an unknown build\"");
        assert_eq!(unknown, hide.contains("tmpfs"), "{}", ran.stderr);
        scratch.remove("games");
    }
}

#[test]
fn a_bot_has_no_terminal() {
    let scratch = Scratch::new("stop-terminal");
    let bot = random_after("if (: </dev/tty) 2>/dev/null; then exit 3; fi; ");
    scratch.write(
        "run.sh",
        format!("blackhole match --bot b=builtin:random --pairs 1 --bot {}", quoted(&format!("a={bot}"))),
    );
    // `script` of util-linux lends a terminal; where there is none, nothing is tested.
    let ran = scratch.shell("script -qec '(: </dev/tty) && sh run.sh' /dev/null");
    assert!(
        ran.code == Some(127) || ran.said().contains("none\r\n") && !ran.said().contains("crash"),
        "{}",
        ran.said()
    );
}

#[test]
fn orphans_inherited_by_process_1_do_not_pile_up() {
    let scratch = Scratch::new("stop-orphans-1");
    // PR_SET_CHILD_SUBREAPER makes a process the parent of orphans, as process 1 is.
    let adopt = format!(
        "syscall({}, 36, 1, 0, 0, 0); exec @ARGV",
        if cfg!(target_arch = "x86_64") { 157 } else { 167 }
    );
    let bot = quoted(&format!("a={}", random_after("(sleep 79.125 & sleep 79.125 &) ; ")));
    let options = format!("--bot {bot} --bot b=builtin:random --pairs 500 --concurrency 1 --journal games");
    let mut child = scratch.start_shell(&format!("exec perl -e '{adopt}' blackhole match {options}"));
    wait_for("the tenth game", || scratch.lines("games") >= 10);
    let children = fs::read_dir(format!("/proc/{}/task", child.id())).expect("threads").flatten();
    let children = children.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let count = children.map(|children| children.split_whitespace().count()).sum::<usize>();
    signal(&child, "INT");
    child.wait().expect("it ends");
    assert!(count < 10, "{count} children after ten games");
}

#[test]
fn process_1_waits_for_those_that_left_their_group() {
    let scratch = Scratch::new("stop-orphans-of-1");
    let bot = random_after("grep -l State:.Z /proc/[0-9]*/status | wc -l >> ended; (setsid true &) ; ");
    let options =
        format!("--bot {} --bot b=builtin:random --pairs 10 --concurrency 1", quoted(&format!("a={bot}")));
    // Where no user may begin a namespace, nothing is tested.
    let ran = scratch.shell(&format!(
        "in_it='unshare --map-root-user --pid --fork --mount-proc'; $in_it true || exit 9; exec $in_it blackhole match {options}"
    ));
    if ran.code != Some(9) {
        let ended = scratch.read("ended").lines().filter_map(|count| count.trim().parse::<u32>().ok()).max();
        assert!(ended < Some(10), "{ended:?} were not waited for: {}", ran.said());
    }
}
