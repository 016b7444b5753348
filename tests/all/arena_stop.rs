//! Requests to stop are obeyed at once, and neither they nor many games leave anything behind.
#![cfg(target_os = "linux")]

use blackhole::games::opening::mix;

use crate::common::*;

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
    let run = "exec env --default-signal blackhole check --games 300 --verbose";
    let mut child = scratch.start_shell(&format!("{run} --bot \"{bot}\""));
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
    let all = [&["HUP"][..], &["QUIT"], &["TERM"], &["KILL"], &["INT", "INT"]];
    for (number, signals) in all.into_iter().enumerate() {
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
    scratch.write("run.sh", format!("blackhole match{} --pairs 1", bots(&[&bot, RANDOM])));
    // `script` of util-linux lends a terminal.
    let ran = scratch.shell("script -qec '(: </dev/tty) && sh run.sh' /dev/null");
    assert!(ran.said().contains("  max s\r\n") && !ran.said().contains("crash"), "{}", ran.said());
}

#[test]
fn process_1_waits_for_those_that_left_their_group() {
    let scratch = Scratch::new("stop-orphans-of-1");
    let bot = random_after("grep -l State:.Z /proc/[0-9]*/status | wc -l >> ended; (setsid true &) ; ");
    let options = format!("{} --pairs 10 --concurrency 1", bots(&[&bot, RANDOM]));
    // Where no user may begin a namespace, nothing is tested.
    let of_own = "unshare --map-root-user --pid --fork --mount-proc";
    let ran = scratch.shell(&format!("{of_own} true || exit 9; exec {of_own} blackhole match{options}"));
    if ran.code != Some(9) {
        let ended = scratch.read("ended").lines().filter_map(|count| count.trim().parse::<u32>().ok()).max();
        assert!(ended < Some(10), "{ended:?} were not waited for: {}", ran.said());
    }
}

/// The descriptors, the children, dead or alive, and the resident megabytes of a process.
fn left_of(process: u32) -> [usize; 3] {
    let of = |name: &str| format!("/proc/{process}/{name}");
    let tasks = fs::read_dir(of("task")).expect("threads").flatten();
    let children = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let status = fs::read_to_string(of("status")).expect("a status");
    let resident = status.split("VmRSS:").nth(1).and_then(|it| it.split_whitespace().next()?.parse().ok());
    let descriptors = fs::read_dir(of("fd")).expect("descriptors").count();
    let children = children.map(|children| children.split_whitespace().count()).sum();
    [descriptors, children, resident.map_or(0, |kilobytes: usize| kilobytes / 1024)]
}

#[test]
fn many_games_leave_nothing_behind() {
    let scratch = Scratch::new("load-many");
    let plays = "blackhole play --player random --seed {seed}";
    // A process started by a bot may survive and hold the bot's output.
    let leaves = format!("sh -c 'setsid sleep 20 2>/dev/null & exec {plays}'");
    // PR_SET_CHILD_SUBREAPER makes the runner the parent of orphans, as process 1 is.
    let prctl = if cfg!(target_arch = "x86_64") { 157 } else { 167 };
    let adopts = format!("perl -e 'syscall({prctl}, 36, 1, 0, 0, 0); exec @ARGV' ");
    let orphans = format!("sh -c '(sleep 79 & sleep 79 &); exec {plays}'");
    let games = blackhole::system::cores().min(2);
    let options = format!("--pairs 1000000 --time 60 --concurrency {games} --journal games --progress 0");
    for (start, bot, few, many) in [("", plays, 20, 60), ("", &leaves, 2, 6), (&adopts, &orphans, 4, 14)] {
        let bots = bots(&[bot; 2]);
        let child = scratch.start_shell(&format!("exec {start}blackhole match{bots} {options}"));
        let [before, after] = [few, many].map(|games| {
            wait_for("the games", || scratch.lines("games") >= games);
            left_of(child.id())
        });
        // Two games are always on, of one core one.
        assert!((0..3).all(|n| after[n] <= before[n] + [12, 12, 8][n]), "{bot}: {before:?}, {after:?}");
        let said = interrupt(child).said();
        assert!(!said.contains("fault:"), "{said}");
        scratch.remove("games");
    }
}

/// It took the place of a whole page, with a part of the games.
#[test]
fn an_interrupted_judge_leaves_a_page_as_it_was_or_all_games_unjudged() {
    let scratch = Scratch::new("stop-judge");
    scratch.run(&format!("{TWO} --pairs 4 --journal games")).expect(0, "");
    for (command, words) in [
        ("report games", "new.html has no game judged; the same command judges all"),
        ("report games --title X", "new.html stays as it was; the same command judges all"),
        ("match --resume games", "was\nTo judge all of them:\n    blackhole match --resume games\n"),
    ] {
        let child = scratch.start_shell(&format!("exec blackhole {command} --judge 60 --html new.html"));
        wait_for_handler(&child);
        wait_for("some work", || ticks(child.id()) > 20);
        interrupt(child).expect(130, words);
        let page = scratch.read("new.html");
        let games = crate::page::data_of(&page)["games"].as_array().map(Vec::len);
        let has_all = games == Some(8) && page.contains("<title>g against r ");
        assert!(has_all && !page.contains("\"score\":"), "{command}");
    }
}

/// Interrupt the runner, kill it at random moments and go on each time: the table is that of an
/// uninterrupted match.
#[test]
fn interruptions_and_kills_change_nothing() {
    const PAIRS: usize = 6;
    let scratch = Scratch::new("load-kills");
    // After three games the next ones wait for the interruption.
    let wait = "[ -e go ] || [ $(wc -l <killed) -lt 4 ] || sleep 77";
    let bot = format!("sh -c \"{wait}; exec blackhole play --player greedy --quiet --seed {{seed}}\"");
    let bots = format!("--bot 'a={bot}' --bot 'b=builtin:random' --bot 'c={bot}'");
    let run = |journal: &str| {
        format!("exec blackhole match {bots} --time 90 --pairs {PAIRS} --resume {journal} --logs 'a log'")
    };
    let child = scratch.start_shell(&run("killed"));
    wait_for("the third game", || scratch.lines("killed") >= 3);
    let words = "they are kept. To go on:\n    blackhole match --resume killed\n";
    let ran = interrupt(child).expect(130, words);
    assert!(ran.stdout.contains("points a game") && (3..36).contains(&scratch.lines("killed")), "{ran:?}");
    scratch.write("go", "");
    for kill in 0..2 {
        let mut child = scratch.start_shell(&run("killed"));
        std::thread::sleep(Duration::from_millis(150 + mix(&[kill]) % 600));
        signal(&child, "KILL");
        child.wait().expect("it ends");
    }
    scratch.shell(&run("killed")).expect(0, "");
    // No game is left to play; the bots may even come in another order.
    let swapped = format!("--bot b=builtin:random --bot 'c={bot}' --bot 'a={bot}'");
    let again = scratch.table(&format!("match {swapped} --time 90 --pairs {PAIRS} --resume killed"));
    assert_eq!(untimed(&again), untimed(&scratch.shell(&run("whole")).expect(0, "").stdout));
    assert_eq!((scratch.table("report killed"), scratch.lines("killed")), (again, 6 * PAIRS));
}
