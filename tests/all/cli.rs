//! The real binary: its options, exit codes and streams.

use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use blackhole::player::board::Move;
use blackhole::player::record::Record;
use serde_json::Value;

pub const FIVE: &str = "E2\nA1\nC4\nG2\nD2\n";

/// Four empty cells in a row and small hands: solved at once.
pub const EMPTY_4: &str = "B1 B2 B3 B4 B5 B6 B7 C1 C2 C3 C4 C5 C6 D1 D2 D3 D4 D5 E1 E2 E3 E4 F1 F2 F3 G1 G2 H1 \
                       A5 A6 A7 A8 red:3,5 blue:2";

pub fn blackhole(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = assert_cmd::Command::cargo_bin("blackhole").expect("built");
    command.args(arguments).write_stdin(input).timeout(Duration::from_secs(60));
    command.output().expect("it runs")
}

/// Play with few iterations a move, so that the tests are quick.
fn play(arguments: &[&str], input: &[u8]) -> Output {
    blackhole(&[&["play", "--nodes", "20"], arguments].concat(), input)
}

pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

pub fn record(text: &str) -> Record {
    Record::parse(text).expect("a record")
}

#[test]
fn bad_input_gives_one_error_and_exit_code_2() {
    let cases: [(&str, &[u8], &str); 13] = [
        ("unknown cell", b"Z9\n", "line 1: found \"Z9\", expected a blocked cell A1..H1 (so far 0 of 5)"),
        ("not a cell", b"E2\n\nfoo\n", "line 3: found \"foo\", expected a blocked cell"),
        ("blocked twice", b"E2\nE2\n", "line 2: found \"E2\", expected a cell that is not blocked yet"),
        (
            "a blocked cell missing",
            b"E2\nA1\nC4\nG2\nStart\n",
            "expected 5 blocked cells, not 4: one is missing",
        ),
        ("a blocked cell too many", b"FIVE B1\nStart\n", "line 7: found \"Start\", expected 5 blocked cells"),
        ("occupied cell", b"FIVE E2=3\n", "line 6: found \"E2=3\", expected an empty cell (E2 is occupied)"),
        ("stone out of range", b"FIVE B1=16\n", "line 6: found \"B1=16\", expected a stone from 1 to 15"),
        ("no number", b"FIVE B1=ten\n", "line 6: found \"B1=ten\", expected a whole number after the '='"),
        ("no cell", b"FIVE X1=3\n", "line 6: found \"X1=3\", expected a cell A1..H1 before the '='"),
        ("no UTF-8", b"FIVE B1\xff=3\n", "line 6: found \"B1\\xff=3\", expected Start, or Red's first move"),
        ("control bytes", b"\x1b[2J\0\n", "line 1: found \"\\x1b[2J\\x00\", expected a blocked cell"),
        ("UTF-16", b"\xff\xfeE\x002\x00\n\x00", "line 1: found \"\\xff\\xfeE\\x002\\x00\", expected"),
        ("end without a line feed", b"FIVE B1", "nothing"),
    ];
    for (name, input, expected) in cases {
        let input = match input.strip_prefix(b"FIVE ") {
            Some(rest) => [FIVE.as_bytes(), rest].concat(),
            None => input.to_vec(),
        };
        let output = play(&[], &input);
        assert_eq!(text(&output.stdout), "", "{name}");
        let notes: Vec<&str> = text(&output.stderr).lines().collect();
        if expected == "nothing" {
            // A sixth blocked cell may still be followed by a seventh.
            assert_eq!((output.status.code(), notes.len()), (Some(0), 1), "{name}");
            continue;
        }
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert_eq!(notes.len(), 2, "{name}: {notes:?}");
        assert_eq!(notes[0], format!("R blackhole {}", env!("CARGO_PKG_VERSION")));
        assert!(notes[1].starts_with("blackhole: line ") && notes[1].contains(expected), "{name}: {notes:?}");
        assert!(notes[1].len() < 250);
        let quiet = play(&["--quiet"], &input);
        assert_eq!(text(&quiet.stderr).lines().collect::<Vec<_>>(), notes[1..], "{name}, quiet");
    }
}

#[test]
fn bad_input_in_the_game_adds_nothing_to_standard_output() {
    for (line, expected) in [
        ("Start", "expected red's move such as B2=15, or Quit"),
        ("E3", "expected red's move such as B2=15, or Quit"),
        ("A8=15", "expected a stone red has left (15 is used)"),
        ("B1=14", "expected an empty cell (B1 is occupied)"),
    ] {
        let output = play(&[], format!("{FIVE}B1=15\n{line}\nA8=1\n").as_bytes());
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert_eq!(text(&output.stdout).lines().count(), 1, "{line}");
        let error = text(&output.stderr).lines().last().expect("an error").to_owned();
        assert!(error.starts_with(&format!("blackhole: line 7: found \"{line}\", ")), "{error}");
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn a_line_of_ten_megabytes_is_refused_at_once() {
    for (prefix, line) in [("", 1), (FIVE, 6)] {
        let mut input = prefix.as_bytes().to_vec();
        input.resize(10 << 20, b'A');
        input.extend_from_slice(b"\nQuit\n");
        let start = Instant::now();
        let output = play(&[], &input);
        assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""));
        let error = text(&output.stderr).lines().last().expect("an error").to_owned();
        let start = format!("blackhole: line {line}: found a line of more than 250 bytes: \"AAAAAAAA");
        assert!(error.starts_with(&start) && error.len() < 250, "{error}");
    }
}

#[test]
fn quit_and_the_end_of_input_end_the_program_anywhere() {
    let lines: Vec<&str> = FIVE.lines().chain(["B1=15"]).collect();
    for length in 0..=lines.len() {
        for last in ["", "Quit\n", "\r\n quit \r\n", "QUIT"] {
            let input: String = lines[..length].iter().map(|line| format!("{line}\r\n")).collect();
            let output = blackhole(&["--nodes", "20"], format!("{input}{last}").as_bytes());
            assert_eq!(output.status.code(), Some(0), "{length} lines, {last:?}");
            assert_eq!(text(&output.stdout).lines().count(), usize::from(length == 6));
        }
    }
}

#[test]
fn line_ends_blanks_and_case_do_not_matter() {
    let plain = play(&[], format!("{FIVE}Start\nQuit\n").as_bytes());
    assert_eq!(text(&plain.stdout).lines().count(), 1);
    for input in [
        "e2\r\na1\r\nc4\r\ng2\r\nd2\r\nstart\r\nquit\r\n",
        "\n\n E2\n\tA1 \nC4\n\n\nG2\nD2\n  START",
        "E2\nA1\nC4\nG2\nD2\nStart",
    ] {
        let output = play(&[], input.as_bytes());
        assert_eq!((&output.stdout, output.status.code()), (&plain.stdout, Some(0)), "{input:?}");
    }
}

/// Let two bots with these options play a game over pipes as a referee would; returns the record
/// and what both wrote on standard error.
fn referee(blocked: &str, options: [&[&str]; 2]) -> (Record, [String; 2]) {
    use std::io::{BufRead, BufReader};
    let mut record = record(blocked);
    let mut bots = options.map(|options| {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("blackhole"));
        command.args(options).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("it runs")
    });
    let mut outputs = bots.each_mut().map(|bot| BufReader::new(bot.stdout.take().expect("piped")));
    let mut inputs = bots.each_mut().map(|bot| bot.stdin.take().expect("piped"));
    for input in &mut inputs {
        record.blocked().iter().for_each(|cell| writeln!(input, "{cell}").expect("it reads"));
    }
    writeln!(inputs[0], "Start").expect("it reads");
    while record.final_score().is_none() {
        let mover = record.position().to_move();
        let mut line = String::new();
        outputs[mover.index()].read_line(&mut line).expect("it answers");
        let mv = Move::parse(line.trim_end()).unwrap_or_else(|error| panic!("{line:?}: {error}"));
        record.push(mv).unwrap_or_else(|error| panic!("{line:?}: {error}"));
        writeln!(inputs[mover.opponent().index()], "{mv}").expect("it reads");
    }
    inputs.iter_mut().for_each(|input| writeln!(input, "Quit").expect("it reads"));
    drop(inputs);
    for output in &mut outputs {
        let mut rest = String::new();
        output.read_line(&mut rest).expect("it ends");
        assert_eq!(rest, "", "nothing after the last move");
    }
    let notes = bots.map(|bot| {
        let output = bot.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(0));
        text(&output.stderr).to_owned()
    });
    (record, notes)
}

#[test]
fn the_same_seed_and_nodes_give_the_same_game() {
    let blocked = FIVE.replace('\n', " ");
    let options: [&[&str]; 2] = [&["--nodes", "300", "--seed", "7"], &["play", "--nodes", "200"]];
    let (first, notes) = referee(&blocked, options);
    let (second, _) = referee(&blocked, options);
    assert_eq!(first.to_string(), second.to_string());
    assert_eq!(first.moves().len(), 30);
    for notes in &notes {
        assert_eq!(notes.lines().count(), 16, "{notes}");
        assert!(notes.len() <= 8_000 && notes.starts_with("R blackhole "));
    }
    let other: [&[&str]; 2] = [&["--nodes", "300", "--seed", "8"], &["--nodes", "200", "--seed", "9"]];
    assert_ne!(referee(&blocked, other).0, first, "other seeds, another game");
}

#[test]
fn a_game_by_the_clock_and_the_small_game_end_well() {
    let start = Instant::now();
    let quick: &[&str] = &["--time", "0.5", "--quiet"];
    let (game, notes) = referee(&FIVE.replace('\n', " "), [quick; 2]);
    assert_eq!((game.moves().len(), notes), (30, [String::new(), String::new()]));
    assert!(start.elapsed() < Duration::from_secs(2), "{:?} for 2 × 0.5 s", start.elapsed());
    let small = "A7 A8 B6 B7 C5 C6 D4 D5 E3 E4 F2 F3 G1 G2 H1";
    let (game, _) = referee(small, [quick; 2]);
    assert_eq!(game.moves().len(), 20);
    // No time at all: answers still come.
    let none: &[&str] = &["--time", "0"];
    assert_eq!(referee(small, [none; 2]).0.moves().len(), 20);
}

#[test]
fn help_and_version_are_everywhere() {
    for command in [
        "",
        "play",
        "solve",
        "think",
        "review",
        "convert",
        "show",
        "bench",
        "match",
        "report",
        "check",
        "calibrate",
    ] {
        let run = |option: &str| {
            let arguments: Vec<&str> =
                [command, option].into_iter().filter(|word| !word.is_empty()).collect();
            blackhole(&arguments, b"")
        };
        for option in ["--help", "-h"] {
            let output = run(option);
            assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""), "{command} {option}");
            let usage = format!("Usage: blackhole{}{command}", if command.is_empty() { "" } else { " " });
            assert!(text(&output.stdout).contains(&usage), "{command} {option}");
        }
        for option in ["--version", "-V"] {
            let output = run(option);
            assert_eq!(output.status.code(), Some(0), "{command} {option}");
            assert_eq!(
                text(&output.stdout),
                concat!("blackhole ", env!("CARGO_PKG_VERSION"), "\n"),
                "{command}"
            );
        }
        let output = run("--unheard-of");
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""), "{command}");
        assert!(text(&output.stderr).contains("--unheard-of"));
    }
}

#[test]
fn unfit_options_say_what_was_found_and_what_fits() {
    for (arguments, expected) in [
        ("--time -1", "'--time <SECONDS>': found -1, expected a number from 0 to 1000000"),
        ("--time NaN", "found NaN, expected a number from 0 to 1000000"),
        ("--time", "a value is required for '--time <SECONDS>'"),
        ("--seed -1", "found -1, expected a whole number from 0 to 2^64 - 1"),
        ("--nodes 0", "'--nodes <N>': found 0, expected a whole number from 1 to 1000000000000"),
        ("--nodes 1.5", "found 1.5, expected a whole number from 1 to 1000000000000"),
        ("--memory 0", "found 0, expected a whole number from 1 to 65536"),
        ("--threads 2", "unexpected argument '--threads'"),
        ("--set horizon=0.5", "found 0.5, expected a whole number from 0 to 36"),
        ("--set exploration=x", "found x, expected a number from 0 to 3"),
        ("--set horizons=1", "found parameter 'horizons', expected one of the parameter table"),
        ("--set horizon", "expected NAME=VALUE, such as exploration=0.3, or list"),
        ("--quiet=1", "unexpected value '1' for '--quiet'"),
        ("--json", "unexpected argument '--json'"),
        ("replay", "'replay'"),
        ("play file", "unexpected argument 'file'"),
        ("play --time 1 --time 2", "cannot be used multiple times"),
        ("play --time 1 --nodes 5", "'--time <SECONDS>' cannot be used with '--nodes <N>'"),
        ("think --nodes 5 --time 1", "cannot be used with"),
        ("think --move-time 1 --nodes 5", "cannot be used with"),
        ("think --move-time 1 --time 5", "cannot be used with"),
        ("review --bot a", "--summary"),
        ("review --from 0", "found 0, expected a whole number from 1 to 30"),
        ("convert --to text", "[possible values: record, base36, json]"),
        ("show --ply x", "invalid value 'x' for '--ply <N>'"),
        ("solve one two", "unexpected argument 'two'"),
        ("solve --limit -1", "found -1, expected a number from 0 to 1000000"),
        ("solve --nodes 5", "unexpected argument '--nodes'"),
        ("--quiet solve", "cannot be used"),
        ("bench --time 1", "unexpected argument '--time'"),
        ("bench --rounds 0", "found 0, expected a whole number from 1 to 1000"),
        ("calibrate --games x --every -1", "found -1, expected a whole number from 1 to 1000000"),
    ] {
        let output = blackhole(&arguments.split(' ').collect::<Vec<_>>(), b"");
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""), "{arguments}");
        let error = text(&output.stderr);
        assert!(error.starts_with("error: ") && error.contains(expected), "{arguments}: {error}");
    }
}

#[test]
fn the_tunables_are_listed_on_standard_output() {
    for arguments in [&["--set", "list"][..], &["think", "--set", "list"], &["calibrate", "--set=list"]] {
        let output = blackhole(arguments, b"");
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""), "{arguments:?}");
        let rows = text(&output.stdout).lines().filter(|line| line.contains("..=")).count();
        assert_eq!(rows, blackhole::player::params::Params::ROWS.len(), "{}", text(&output.stdout));
    }
}

#[test]
fn bench_has_the_same_signature_on_all_instruction_paths() {
    let bench = |path: &str, options: &[&str]| {
        let mut command = assert_cmd::Command::cargo_bin("blackhole").expect("built");
        command.env("BLACKHOLE_SIMD", path);
        let output = command.args(["bench", "--check"]).args(options).output().expect("it runs");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout).to_owned()
    };
    let report: Value = serde_json::from_str(&bench("avx2", &["--json"])).expect("JSON");
    for key in ["iterations_per_second", "playouts_per_second", "solver_nodes_per_second"] {
        assert!(report[key].as_f64().is_some_and(|rate| rate > 0.0), "{key}: {report}");
    }
    let signature = report["signature"].as_str().expect("a text");
    assert_eq!(signature.len(), 16);
    for path in ["sse4.1", "portable"] {
        assert_eq!(bench(path, &[]), format!("{signature}\n"), "{path}");
    }
}

#[cfg(unix)]
#[test]
fn a_broken_pipe_is_no_panic() {
    for arguments in [&["--help"][..], &["solve"], &["think", "--nodes", "20"], &["play", "--nodes", "20"]] {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("blackhole"));
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it runs");
        drop(child.stdout.take());
        let input = if arguments[0] == "play" { format!("{FIVE}Start\n") } else { EMPTY_4.to_owned() };
        // The help text needs no input and may be gone before.
        let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(!text(&output.stderr).contains("panic"), "{arguments:?}: {}", text(&output.stderr));
    }
}
