//! The runner's own failures and the user's numbers are never charged to a bot (kinds A, B, F, G,
//! K, O).

use std::fs;
use std::time::{Duration, Instant};

use crate::scratch::{BLACKHOLE, Scratch, quoted, random_after, signal, text, wait_for};

const RANDOM: &str = "builtin:random";

#[test]
fn a_program_that_cannot_be_started_is_refused_before_the_first_game() {
    let scratch = Scratch::new("blame-start");
    scratch.write("text", "no program");
    scratch.write("script", "#!/no/such/interpreter\n");
    scratch.shell("chmod +x script").expect(0, "");
    let wrapped = ["sh -c ./typo", "env ./typo", "nice ./typo", "sh -c 'exec ./text'"];
    for bot in ["./typo", "no-such-program-anywhere", "./text", "./script", "/"].iter().chain(&wrapped) {
        let ran = scratch.play(&[RANDOM, bot], "--pairs 500 --sprt 75,75.3 --journal games --logs logs");
        ran.refused(&format!("two: cannot start '{}'", bot.replace('\'', "")));
        assert!(!scratch.path("games").exists() && !scratch.path("logs").exists());
        let check = scratch.run(&format!("check --games 5 --bot {}", quoted(bot))).expect(2, "");
        assert_eq!(check.said().matches("cannot start").count(), 1, "{}", check.said());
    }
}

#[test]
fn a_start_that_fails_later_stops_the_match_after_its_table() {
    let scratch = Scratch::new("blame-later");
    // The program renames itself in its third start, of which the first is only the trial.
    let script = format!(
        "#!/bin/sh\necho x >>starts\n[ $(wc -l <starts) -lt 4 ] || mv bot gone\nexec {BLACKHOLE} play --player random --quiet\n"
    );
    scratch.write("bot", script);
    scratch.shell("chmod +x bot").expect(0, "");
    let options = "--pairs 50 --concurrency 1 --sprt 75,75.3 --journal games";
    let ran = scratch.play(&["./bot", RANDOM], options).expect(1, "one: './bot' was changed or removed");
    let table = &ran.stdout;
    assert!(table.contains("one against two") && table.contains("SPRT: undecided"), "{table}");
    assert!(!ran.said().contains("startup"), "no fault: {}", ran.said());
    let games = scratch.read("games");
    assert!((2..=4).contains(&games.lines().count()) && !games.contains("\"by\""), "{games}");
}

#[test]
fn a_bot_that_ends_as_a_shell_without_a_program_does_is_at_fault() {
    // It has read the opening and a line more: it was there.
    let scratch = Scratch::new("blame-127");
    let bot = "sh -c 'for line in 1 2 3 4 5 6; do read line; done; sleep 0.2; exit 127'";
    scratch.play(&[bot, RANDOM], "--pairs 1 --stop-on-fault").expect(1, "crash: died: exit status: 127");
    let check = scratch.run(&format!("check --games 0 --bot {}", quoted(bot)));
    check.expect(1, "FAILED  red: a whole game: crash: died: exit status: 127");
}

#[cfg(target_os = "linux")]
#[test]
fn no_more_descriptors_is_no_loss() {
    let scratch = Scratch::new("blame-files");
    for limit in 8..20 {
        let ran = scratch.shell(&format!(
            "ulimit -n {limit}; exec {BLACKHOLE} match --bot 'a={BLACKHOLE} play --player random' \
             --bot 'b={BLACKHOLE} play --player random' --pairs 1"
        ));
        let (code, said) = (ran.code.expect("an exit code"), ran.said());
        assert!(code <= 2 && !said.contains("fault:"), "{limit}: {code} {said}");
        assert_eq!(code == 0, said.contains("none"), "{limit}: {code} {said}");
    }
}

#[test]
fn the_first_move_has_the_whole_clock() {
    // A second limit of ten seconds stood in the way; a test cannot wait for it, but it can read
    // the help.
    let help = Scratch::new("blame-startup").run("match --help").stdout;
    let startup = help.split("--startup").nth(1).and_then(|rest| rest.split("\n      --").next());
    assert!(!startup.expect("the option").contains("[default"), "{help}");
}

#[test]
#[ignore = "23 s; cargo test --test all eleven_seconds -- --ignored"]
fn a_first_move_after_eleven_seconds_is_in_time() {
    let scratch = Scratch::new("blame-eleven");
    let slow = random_after("sleep 11; ");
    scratch.play(&[&slow, RANDOM], "--pairs 1 --time 30 --stop-on-fault").expect(0, "");
}

#[test]
fn the_end_of_the_process_is_noticed_behind_an_open_pipe() {
    let scratch = Scratch::new("blame-pipe");
    for (bot, fault) in [
        ("sh -c 'sleep 75.5 & exit 3'", "crash: died: exit status: 3"),
        ("sh -c 'sleep 75.5 & kill -9 $$'", "crash: died: signal: 9"),
        ("sh -c 'sleep 75.5 & exit 0'", "hang-up: ended while a move was due"),
        ("sh -c '(printf H1; sleep 75.5) & sleep 0.2; exit 3'", "died in the middle of the line \"H1\""),
    ] {
        let begin = Instant::now();
        scratch.play(&[bot, RANDOM], "--pairs 1 --stop-on-fault").expect(1, fault);
        assert!(begin.elapsed() < Duration::from_secs(3), "{bot}: {:?}", begin.elapsed());
    }
}

#[test]
fn numbers_of_the_user_are_no_sizes() {
    let scratch = Scratch::new("blame-numbers");
    for pairs in [u64::MAX, u64::MAX / 3 + 1, u64::MAX / 2, 1 << 63] {
        let ran = scratch.play(&[RANDOM; 3], &format!("--pairs {pairs}"));
        ran.refused("expected a whole number from 1 to 1000000000000");
    }
    let unfit = "--pairs -1, --pairs 0, --concurrency -2, --time -1, --time 0, --time 1e-9, --shard -1/2, \
                 --time one=0, --time one=-3, --startup -1, --startup 0, --time nan, --time 1e9";
    for options in unfit.split(", ") {
        let ran = scratch.play(&[RANDOM; 2], options).refused("");
        assert!(!ran.stderr.contains("unexpected argument"), "{options}: {}", ran.stderr);
    }
    // A billion pairs begin at once, and take no room before they are played.
    let script = format!(
        "ulimit -v 2000000; exec {BLACKHOLE} match --bot a={RANDOM} --bot b={RANDOM} --pairs 1000000000 --journal long"
    );
    let mut child = scratch.start_shell(&script);
    wait_for("the fifth game", || scratch.lines("long") >= 5);
    signal(&child, "INT");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    // The end of such a schedule is found without its beginning.
    let resumed = format!("match --bot a={RANDOM} --bot b={RANDOM} --pairs 1 --journal long --resume");
    scratch.run(&resumed).expect(0, "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_stop_of_the_runner_voids_the_game() {
    let scratch = Scratch::new("blame-stop");
    let slow = format!("sh -c \"sleep 0.5; exec {BLACKHOLE} play --player random --quiet\"");
    for (bot, time) in [(slow.as_str(), 1.2), ("builtin:wormhole", 1.0)] {
        let options =
            format!("--bot 'a={bot}' --bot b=builtin:random --pairs 1 --time {time} --journal games");
        let child = scratch.start_shell(&format!("exec {BLACKHOLE} match {options}"));
        std::thread::sleep(Duration::from_millis(300));
        signal(&child, "STOP");
        std::thread::sleep(Duration::from_millis(1_700));
        signal(&child, "CONT");
        let output = child.wait_with_output().expect("it ends");
        let said = text(&output.stderr);
        assert!(said.contains("is played again: the runner was held up"), "{said}");
        assert_eq!(output.status.code(), Some(0), "{said}");
        let games = scratch.read("games");
        assert!(games.lines().count() == 2 && !games.contains("\"by\""), "{games}");
        fs::remove_file(scratch.path("games")).expect("it is there");
    }
}

#[test]
fn marks_that_are_no_text_are_named() {
    let scratch = Scratch::new("blame-marks");
    let read = "for i in 1 2 3 4 5 6; do read x; done";
    for (bytes, fault) in [
        ("\\357\\273\\277H1=15\\n", "\"\\xef\\xbb\\xbfH1=15\": expected a move without a byte order mark"),
        ("\\377\\376H\\0001\\000=\\0001\\000\\n", "not UTF-16 or zeros"),
        ("H\\0001=15\\n", "not UTF-16 or zeros"),
        ("H1=15\\302\\240\\n", "garbage: \"H1=15\\xc2\\xa0\": expected"),
    ] {
        let bot = format!("sh -c '{read}; printf \"{bytes}\"; read x'");
        scratch.play(&[&bot, RANDOM], "--pairs 1 --stop-on-fault").expect(1, fault);
    }
}

#[test]
fn a_suspended_bot_uses_no_time_of_others_and_loses_none_of_its_own() {
    let scratch = Scratch::new("suspend");
    // A bot that counts on in the background while it is not its turn.
    let busy = random_after("(while :; do echo x >>counted; sleep 0.01; done) & ");
    let slow = random_after("sleep 1; ");
    let counted = |options: &str| {
        let _ = fs::remove_file(scratch.path("counted"));
        let options = format!("--pairs 1 --concurrency 1 --time 3 {options}");
        let ran = scratch.play(&[&busy, &slow], &options).expect(0, "");
        assert!(!ran.said().contains("fault:"), "{}", ran.said());
        scratch.lines("counted")
    };
    let (free, suspended) = (counted(""), counted("--suspend"));
    assert!(free > 60 && suspended < free / 2, "{free} and {suspended}");
}
