//! Fake bots, one for every way to fail, against the real program: the verdict it prints, its exit
//! code, and that nothing of them is left.

use std::fs;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use crate::scratch::{BLACKHOLE, Scratch, text};

/// Play `bots` on the fixed opening, one pair, stopping at the first fault; the first bot is Red in
/// the first game.
fn play(scratch: &Scratch, bots: [&str; 2], options: &[&str]) -> Output {
    fs::write(scratch.path("openings"), "A1 A2 A3 A4 A5\n").expect("an opening");
    let mut command = scratch.command("match --openings openings --stop-on-fault");
    for (name, bot) in ["one", "two"].iter().zip(bots) {
        command.arg("--bot").arg(format!("{name}={bot}"));
    }
    command.args(options).output().expect("the program runs")
}

/// Quote a shell script as the command of a bot.
fn sh(script: &str) -> String {
    format!("sh -c '{script}'")
}

/// The script of a bot that reads up to the first line that asks Red for a move.
const READ: &str = "for i in 1 2 3 4 5 6; do read x; done";

/// Play a bot that must fail as Red in its first game, and check the printed verdict.
fn fails(name: &str, bot: &str, options: &[&str], verdict: &str) {
    let scratch = Scratch::new(name);
    let begin = Instant::now();
    let output = play(&scratch, [bot, "builtin:random"], options);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{name}: {said}");
    let expected = format!("fault: one as red against two, round 1, {verdict}");
    assert!(said.contains(&expected), "{name}: expected '{expected}' in\n{said}");
    assert!(begin.elapsed() < Duration::from_secs(5), "{name} took {:?}", begin.elapsed());
}

#[test]
fn crash() {
    fails("crash", &sh("read x; exit 3"), &[], "after 0 moves: crash: died: exit status: 3");
    fails("signal", &sh("read x; kill -SEGV $$"), &[], "after 0 moves: crash: died: signal: 11");
    let midway = sh(&format!("{READ}; echo H1=15; read x; printf H; exit 1"));
    fails("midway", &midway, &[], "after 2 moves: crash: died in the middle of the line \"H\"");
}

#[test]
fn exit_before_the_start() {
    fails("exit", &sh("exit 0"), &[], "after 0 moves: hang-up: ended while a move was due");
}

#[test]
fn silence() {
    fails(
        "silence",
        &sh("sleep 71.25"),
        &["--time", "0.3"],
        "after 0 moves: silence: no answer in the 0.30 s",
    );
    // A bot that believes it is the other colour waits for a move, for ever.
    let blue = sh(&format!("{READ}; read x; echo H1=15"));
    fails("wrong-colour", &blue, &["--time", "0.3"], "after 0 moves: silence");
}

#[test]
fn late() {
    let bot = sh(&format!("{READ}; sleep 0.4; echo H1=15; read x"));
    fails("late", &bot, &["--time", "0.3"], "after 0 moves: time: \"H1=15\" came 0.");
    fails("startup", &bot, &["--startup", "0.2"], "after 0 moves: startup: no answer in the first 0.20 s");
}

#[test]
fn a_byte_every_20_ms() {
    let bot = sh("while :; do printf x; sleep 0.02; done");
    fails("trickle", &bot, &["--time", "0.5"], "after 0 moves: time: an unfinished line \"xxx");
}

#[test]
fn endless_output() {
    let bot = sh("while :; do printf xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done");
    fails("endless", &bot, &[], "after 0 moves: garbage: an endless line \"xxx");
    let chatter = sh("while :; do echo hello; done");
    fails("chatter", &chatter, &[], "after 0 moves: garbage: \"hello\": expected a move");
}

#[test]
fn garbage() {
    for (name, answer, verdict) in [
        ("word", "hello", "garbage: \"hello\": expected a move"),
        ("empty", "", "garbage: \"\": expected a move"),
        ("lower", "h1=15", "garbage: \"h1=15\": expected exactly '\\''H1=15'\\''"),
        ("number", "H1=x", "garbage: \"H1=x\": expected a whole number"),
    ] {
        let verdict = format!("after 0 moves: {}", verdict.replace("'\\''", "'"));
        fails(name, &sh(&format!("{READ}; echo {answer}; read x")), &[], &verdict);
    }
    // Two moves at once: the second one was not asked for.
    let hasty = sh(&format!("{READ}; printf \"H1=15\\nG1=14\\n\"; read x; read x"));
    fails("hasty", &hasty, &[], "after 2 moves: garbage: unasked output \"G1=14");
}

#[test]
fn illegal_moves() {
    for (name, answer, verdict) in [
        ("blocked", "A1=3", "\"A1=3\": expected an empty cell (A1 is occupied)"),
        ("cell", "H2=3", "\"H2=3\": expected a cell A1..H1"),
        ("stone", "H1=16", "\"H1=16\": expected a stone from 1 to 15"),
    ] {
        let verdict = format!("after 0 moves: illegal: {verdict}");
        fails(name, &sh(&format!("{READ}; echo {answer}; read x")), &[], &verdict);
    }
    let twice = sh(&format!("{READ}; echo H1=15; read x; echo G1=15; echo F1=15; read x"));
    fails("twice", &twice, &[], "after 2 moves: illegal: \"G1=15\": expected a stone red has left");
}

#[test]
fn hang_up() {
    let leaves = sh(&format!("{READ}; echo H1=15"));
    fails("leaves", &leaves, &[], "after 2 moves: hang-up: ended while a move was due");
    let closes = sh("exec >&-; sleep 72.25");
    fails("closes", &closes, &[], "after 0 moves: hang-up: closed its output and runs on");
}

#[test]
fn a_bot_that_ignores_quit_keeps_its_points() {
    let scratch = Scratch::new("quit");
    let bot = sh(&format!("{BLACKHOLE} play --player random; sleep 73.25"));
    let output = play(&scratch, [&bot, "builtin:random"], &["--journal", "games"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("after 30 moves: no-quit: ran on 1 s after Quit and was killed"), "{said}");
    let journal = fs::read_to_string(scratch.path("games")).expect("a journal");
    assert!(journal.contains("\"class\":\"no-quit\"") && !journal.contains("\"score\":null"), "{journal}");
}

#[test]
fn a_flood_on_stderr_is_drained_and_cut() {
    let scratch = Scratch::new("flood");
    // Quiet: what it says of its moves would stand between.
    let player = format!("{BLACKHOLE} play --player random --quiet");
    let bot = sh(&format!("echo first >&2; yes flood >&2 & sleep 0.2; exec {player}"));
    let output = play(&scratch, [&bot, "builtin:random"], &["--logs", "logs"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let log = fs::read_to_string(scratch.path("logs/000001-one=two.txt")).expect("a log");
    let floods = log.matches("flood").count();
    assert!((1_600..=1_700).contains(&floods), "10,000 characters of 6 each: {floods}");
    assert!(!log.contains("\n# first"), "the last ones are kept: {log}");
    assert!(log.starts_with("# red one, blue two, round 1\n"), "{log}");
    let moves = log.lines().filter(|line| line.contains('=') && !line.starts_with('#')).count();
    assert_eq!(moves, 30);
}

/// Cells for 15 moves of each player on the fixed opening.
const CELLS: [&str; 2] =
    ["A6 A7 A8 B1 B2 B3 B4 B5 B6 B7 C1 C2 C3 C4 C5", "C6 D1 D2 D3 D4 D5 E1 E2 E3 E4 F1 F2 F3 G1 G2"];

/// A bot that plays from a list and is gone at once after its last move.
fn scripted(end: &str) -> String {
    let lists = CELLS.map(|cells| {
        let moves: Vec<String> =
            cells.split(' ').enumerate().map(|(i, cell)| format!("{cell}={}", i + 1)).collect();
        moves.join(" ")
    });
    sh(&format!(
        "for i in 1 2 3 4 5 6; do read x; done; if [ $x = Start ]; then m=\"{}\"; else m=\"{}\"; fi; \
         for i in $m; do if [ $i != A6=1 ] && [ $i != C6=1 ]; then read x; fi; {end}; done",
        lists[0], lists[1]
    ))
}

#[test]
fn a_last_move_just_before_the_exit_counts() {
    let scratch = Scratch::new("last");
    for end in ["echo $i", "printf \"$i\\r\\n\"", "printf ${i%=*}; sleep 0.01; echo =${i#*=}"] {
        let bot = scripted(end);
        let output = play(&scratch, [&bot, &bot], &[]);
        assert_eq!(output.status.code(), Some(0), "{end}: {}", text(&output.stderr));
        // The hole is H1 between G1=14 and G2=15, both Blue's: 75 - 29 points for Red.
        let table = text(&output.stdout);
        assert!(table.contains("one against two: 75.00 ± ? points a game, +1 =0 -1"), "{table}");
    }
}

/// The processes whose command line has `mark`.
#[cfg(target_os = "linux")]
fn processes(mark: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").expect("processes").flatten();
    let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.map(|line| text(&line)).filter(|line| line.contains(mark) && !line.contains("match")).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn the_whole_process_group_is_gone() {
    let scratch = Scratch::new("group");
    let bot = sh("(trap \"\" TERM HUP INT; sleep 74.125) & trap \"\" TERM HUP INT; sleep 74.125");
    let output = play(&scratch, [&bot, "builtin:random"], &["--time", "0.2"]);
    assert_eq!(output.status.code(), Some(1));
    // Killed is not yet gone: the system may take a moment for the grandchild.
    let begin = Instant::now();
    while !processes("74.125").is_empty() && begin.elapsed() < Duration::from_secs(2) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(processes("74.125"), Vec::<String>::new());
}

#[test]
fn check_lists_what_fails() {
    let check = |bot: &str| {
        let options = ["check", "--time", "0.5", "--games", "1", "--bot", bot];
        Command::new(BLACKHOLE).args(options).output().expect("the program runs")
    };
    let good = check(&format!("{BLACKHOLE} play --player random"));
    assert_eq!(good.status.code(), Some(0), "{}", text(&good.stdout));
    assert!(text(&good.stdout).ends_with("18 passed, 0 failed\n"));
    let bad = check(&sh(&format!("{READ}; echo H1=15; echo G1=14; exit 0")));
    assert_eq!(bad.status.code(), Some(1));
    let said = text(&bad.stdout);
    assert!(said.contains("FAILED  red: a slow opponent: garbage: unasked output \"G1=14"), "{said}");
    assert!(said.contains("ok      red: Quit instead of the first move"), "{said}");
    assert_eq!(check("builtin:random").status.code(), Some(2));
}
