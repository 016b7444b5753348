//! The runner's own failures and the user's numbers are never charged to a bot (kinds A, B, F, G,
//! K, O).

use std::fs;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use crate::scratch::{BLACKHOLE, Scratch, signal, text};

const RANDOM: &str = "builtin:random";

fn said(output: &Output) -> String {
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

/// Run a match of `bots` (one, two, …) in `scratch`.
fn play(scratch: &Scratch, bots: &[&str], options: &str) -> Output {
    let mut command = scratch.command("match");
    for (name, bot) in ["one", "two", "three"].iter().zip(bots) {
        command.arg("--bot").arg(format!("{name}={bot}"));
    }
    command.args(options.split_whitespace()).output().expect("the program runs")
}

#[test]
fn a_program_that_cannot_be_started_is_refused_before_the_first_game() {
    let scratch = Scratch::new("blame-start");
    fs::write(scratch.path("text"), "no program").expect("a file");
    fs::write(scratch.path("script"), "#!/no/such/interpreter\n").expect("a file");
    assert!(Command::new("chmod").arg("+x").arg(scratch.path("script")).status().expect("it runs").success());
    let wrapped = ["sh -c ./typo", "env ./typo", "nice ./typo", "sh -c 'exec ./text'"];
    for bot in ["./typo", "no-such-program-anywhere", "./text", "./script", "/"].iter().chain(&wrapped) {
        let output = play(&scratch, &[RANDOM, bot], "--pairs 500 --sprt 75,75.3 --journal games --logs logs");
        assert_eq!(output.status.code(), Some(2), "{bot}: {}", said(&output));
        assert!(
            said(&output).contains(&format!("two: cannot start '{}'", bot.replace('\'', ""))),
            "{}",
            said(&output)
        );
        assert!(
            output.stdout.is_empty() && !scratch.path("games").exists() && !scratch.path("logs").exists()
        );
        let check = scratch.command("check --games 5 --bot").arg(bot).output().expect("it runs");
        assert_eq!(check.status.code(), Some(2), "{bot}: {}", said(&check));
        assert_eq!(said(&check).matches("cannot start").count(), 1, "{}", said(&check));
    }
}

#[test]
fn a_start_that_fails_later_stops_the_match_after_its_table() {
    let scratch = Scratch::new("blame-later");
    // The program renames itself in its third start, of which the first is only the trial.
    let script = format!(
        "#!/bin/sh\necho x >>starts\n[ $(wc -l <starts) -lt 4 ] || mv bot gone\nexec {BLACKHOLE} play --player random --quiet\n"
    );
    fs::write(scratch.path("bot"), script).expect("a file");
    assert!(Command::new("chmod").arg("+x").arg(scratch.path("bot")).status().expect("it runs").success());
    // `sleep` makes sure that the trial got as far as its first line.
    let options = "--pairs 50 --concurrency 1 --sprt 75,75.3 --journal games";
    let output = play(&scratch, &["./bot", RANDOM], options);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(text(&output.stderr).contains("one: './bot' was changed or removed"), "{}", said(&output));
    let table = text(&output.stdout);
    assert!(table.contains("one against two") && table.contains("SPRT: undecided"), "{table}");
    assert!(!said(&output).contains("startup"), "no fault: {}", said(&output));
    let games = fs::read_to_string(scratch.path("games")).expect("a journal");
    assert!((2..=4).contains(&games.lines().count()) && !games.contains("\"by\""), "{games}");
}

#[test]
fn a_bot_that_ends_as_a_shell_without_a_program_does_is_at_fault() {
    // It has read the opening: it was there.
    let scratch = Scratch::new("blame-127");
    let bot = "sh -c 'while read line && [ \"$line\" != Start ]; do :; done; sleep 0.2; exit 127'";
    let output = play(&scratch, &[bot, RANDOM], "--pairs 1 --stop-on-fault");
    assert!(said(&output).contains("crash: died: exit status: 127"), "{}", said(&output));
    assert_eq!(output.status.code(), Some(1));
    let check = scratch.command("check --games 0 --bot").arg(bot).output().expect("it runs");
    assert!(
        said(&check).contains("FAILED  red: a whole game: crash: died: exit status: 127"),
        "{}",
        said(&check)
    );
}

#[cfg(target_os = "linux")]
#[test]
fn no_more_descriptors_is_no_loss() {
    let scratch = Scratch::new("blame-files");
    for limit in 8..20 {
        let script = format!(
            "ulimit -n {limit}; exec {BLACKHOLE} match --bot 'a={BLACKHOLE} play --player random' \
             --bot 'b={BLACKHOLE} play --player random' --pairs 1"
        );
        let output = scratch.shell(&script);
        let code = output.status.code().expect("an exit code");
        assert!(!said(&output).contains("fault:"), "{limit}: {}", said(&output));
        assert_eq!(code == 0, said(&output).contains("none"), "{limit}: {code} {}", said(&output));
        assert!(code <= 2, "{limit}: {code} {}", said(&output));
    }
}

#[test]
fn the_first_move_has_the_whole_clock() {
    // A second limit of ten seconds stood in the way; a test cannot wait for it, but it can read
    // the help.
    let scratch = Scratch::new("blame-startup");
    let help = text(&scratch.run("match --help").stdout);
    let startup = help.split("--startup").nth(1).and_then(|rest| rest.split("\n      --").next());
    assert!(!startup.expect("the option").contains("[default"), "{help}");
}

#[test]
#[ignore = "23 s; cargo test --test all eleven_seconds -- --ignored"]
fn a_first_move_after_eleven_seconds_is_in_time() {
    let scratch = Scratch::new("blame-eleven");
    let slow = format!("sh -c 'sleep 11; exec {BLACKHOLE} play --player random --quiet'");
    let output = play(&scratch, &[&slow, RANDOM], "--pairs 1 --time 30 --stop-on-fault");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
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
        let output = play(&scratch, &[bot, RANDOM], "--pairs 1 --stop-on-fault");
        assert!(text(&output.stderr).contains(fault), "{bot}: {}", said(&output));
        assert!(begin.elapsed() < Duration::from_secs(3), "{bot}: {:?}", begin.elapsed());
    }
}

#[test]
fn numbers_of_the_user_are_no_sizes() {
    let scratch = Scratch::new("blame-numbers");
    let three = [RANDOM; 3];
    for pairs in [u64::MAX, u64::MAX / 3 + 1, u64::MAX / 2, 1 << 63] {
        let output = play(&scratch, &three, &format!("--pairs {pairs}"));
        assert_eq!(output.status.code(), Some(2), "{pairs}: {}", said(&output));
        assert!(
            said(&output).contains("expected a whole number from 1 to 1000000000000"),
            "{}",
            said(&output)
        );
    }
    for options in [
        "--pairs -1",
        "--pairs 0",
        "--concurrency -2",
        "--time -1",
        "--time 0",
        "--time 1e-9",
        "--shard -1/2",
        "--time one=0",
        "--time one=-3",
        "--startup -1",
        "--startup 0",
        "--time nan",
        "--time 1e9",
    ] {
        let output = play(&scratch, &[RANDOM; 2], options);
        assert_eq!(output.status.code(), Some(2), "{options}: {}", said(&output));
        assert!(!said(&output).contains("unexpected argument"), "{options}: {}", said(&output));
    }
    // A billion pairs begin at once, and take no room before they are played.
    let script = format!(
        "ulimit -v 2000000; exec {BLACKHOLE} match --bot a={RANDOM} --bot b={RANDOM} --pairs 1000000000 --journal long"
    );
    let mut child = scratch.start_shell(&script);
    let begin = Instant::now();
    while scratch.lines("long") < 5 && begin.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(20));
    }
    signal(&child, "INT");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert!(scratch.lines("long") >= 5);
    // The end of such a schedule is found without its beginning.
    let resumed =
        scratch.run(&format!("match --bot a={RANDOM} --bot b={RANDOM} --pairs 1 --journal long --resume"));
    assert_eq!(resumed.status.code(), Some(0), "{}", said(&resumed));
}

#[cfg(target_os = "linux")]
#[test]
fn a_stop_of_the_runner_voids_the_game() {
    let scratch = Scratch::new("blame-stop");
    let slow = format!("sh -c \"sleep 0.5; exec {BLACKHOLE} play --player random --quiet\"");
    for (bot, time) in [(slow.as_str(), 1.2), ("builtin:wormhole", 1.0)] {
        let options =
            format!("--bot 'a={bot}' --bot b=builtin:random --pairs 1 --time {time} --journal games");
        let script = format!("exec {BLACKHOLE} match {options}");
        let child = scratch.start_shell(&script);
        std::thread::sleep(Duration::from_millis(300));
        signal(&child, "STOP");
        std::thread::sleep(Duration::from_millis(1_700));
        signal(&child, "CONT");
        let output = child.wait_with_output().expect("it ends");
        assert!(
            text(&output.stderr).contains("is played again: the runner was held up"),
            "{}",
            said(&output)
        );
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let games = fs::read_to_string(scratch.path("games")).expect("a journal");
        assert!(games.lines().count() == 2 && !games.contains("\"by\""), "{games}");
        fs::remove_file(scratch.path("games")).expect("it is there");
    }
}

#[test]
fn marks_that_are_no_text_are_named() {
    let scratch = Scratch::new("blame-marks");
    let read = "for i in 1 2 3 4 5 6; do read x; done";
    for (bytes, fault) in [
        (
            "\\357\\273\\277H1=15\\n",
            "garbage: \"\\xef\\xbb\\xbfH1=15\": expected a move without a byte order mark",
        ),
        ("\\377\\376H\\0001\\000=\\0001\\000\\n", "not UTF-16 or zeros"),
        ("H\\0001=15\\n", "not UTF-16 or zeros"),
        ("H1=15\\302\\240\\n", "garbage: \"H1=15\\xc2\\xa0\": expected"),
    ] {
        let output = play(
            &scratch,
            &[&format!("sh -c '{read}; printf \"{bytes}\"; read x'"), RANDOM],
            "--pairs 1 --stop-on-fault",
        );
        assert!(text(&output.stderr).contains(fault), "{bytes}: {}", said(&output));
    }
}

#[test]
fn a_suspended_bot_uses_no_time_of_others_and_loses_none_of_its_own() {
    let scratch = Scratch::new("suspend");
    // A bot that counts on in the background while it is not its turn.
    let busy = format!(
        "sh -c '(while :; do echo x >>counted; sleep 0.01; done) & exec {BLACKHOLE} play --player random --quiet'"
    );
    let slow = format!("sh -c 'sleep 1; exec {BLACKHOLE} play --player random --quiet'");
    let counted = |options: &str| {
        let _ = fs::remove_file(scratch.path("counted"));
        let output =
            play(&scratch, &[&busy, &slow], &format!("--pairs 1 --concurrency 1 --time 3 {options}"));
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert!(!said(&output).contains("fault:"), "{}", said(&output));
        scratch.lines("counted")
    };
    let (free, suspended) = (counted(""), counted("--suspend"));
    assert!(free > 60 && suspended < free / 2, "{free} and {suspended}");
}
