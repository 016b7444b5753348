//! The commands `solve` and `think`: answers, limits, and records that do not fit.

use std::path::Path;
use std::time::{Duration, Instant};

use blackhole::player::board::Move;
use serde_json::Value;

use crate::cli::{EMPTY_4, FIVE, blackhole, record, text};

/// A recorded game after 14 moves: 17 empty cells.
const EMPTY_17: &str =
    "E2 B7 D5 H1 A8 C3=15 D2=15 B5=14 F1=14 E4=13 B2=13 A6=12 D4=12 G1=11 C5=11 C1=10 A4=10 A2=9 F3=9";

#[test]
fn solve_prints_value_and_moves() {
    // Red to move with 3 and 5 against 2 on A1 A2 A3 A4 in a row. The 5 on A2 makes A1 and A3 worth
    // 5; Blue can spoil or fill one of them, and the 3 goes to the worst cell left.
    let output = blackhole(&["solve"], EMPTY_4.as_bytes());
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    let lines: Vec<&str> = text(&output.stdout).lines().collect();
    assert_eq!(&lines[..2], ["4 empty cells, red to move", "value 5"]);
    assert!(lines[2].starts_with("best ") && lines[4].contains(" nodes, "), "{lines:?}");
    let best = lines[2].split(' ').nth(1).expect("a move");
    assert!(lines[3].starts_with(&format!("line {best} ")), "{lines:?}");
    assert_eq!(lines[3].split(' ').count(), 4, "three moves to the end");

    let output = blackhole(&["solve", "--json", "-"], EMPTY_4.as_bytes());
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(text(&output.stdout).lines().count(), 1);
    let keys: Vec<&String> = answer.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["best", "best_among", "empty", "line", "nodes", "seconds", "to_move", "value"]);
    assert!(text(&output.stdout).starts_with("{\"empty\":4,\"to_move\":\"red\",\"value\":5,\"best\":[\""));
    let best: Vec<&str> =
        answer["best"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert!(!best.is_empty());

    // The value after every legal move, the best first, equals by cell.
    let output = blackhole(&["solve", "--json", "--all-moves"], EMPTY_4.as_bytes());
    let all: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let moves = all["moves"].as_array().expect("a list");
    let values = || moves.iter().filter_map(|mv| mv["value"].as_i64());
    assert_eq!((moves.len(), values().next()), (8, Some(5)));
    let order: Vec<(i64, &str)> =
        values().map(|value| -value).zip(moves.iter().filter_map(|mv| mv["move"].as_str())).collect();
    assert!(order.is_sorted(), "{order:?}");
    for name in best {
        let entry = moves.iter().find(|mv| mv["move"] == name).expect("optimal moves are listed");
        assert_eq!(entry["value"], 5);
    }
}

#[test]
fn solve_reads_files_and_both_notations() {
    let example = "t0v04060f0nf8ojebuadotqc9l1bsicarje92px8grh7lh31isw6dnp5yqz3mk04um52kg";
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("solve-record.txt");
    std::fs::write(&path, format!("# a whole game\n{example}\n")).expect("a temporary file");
    let output = blackhole(&["solve", "--json", path.to_str().expect("a plain name")], b"");
    std::fs::remove_file(&path).expect("it exists");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((answer["empty"].as_i64(), answer["value"].as_i64()), (Some(1), Some(9)));
    assert_eq!(answer["best"].as_array().map(Vec::len), Some(0));
    let output = blackhole(&["solve"], example.as_bytes());
    assert_eq!(text(&output.stdout).lines().next(), Some("1 empty cell, the game is over"));
    // Nine moves before the end.
    let output = blackhole(&["solve"], &example.as_bytes()[..52]);
    assert!(text(&output.stdout).starts_with("10 empty cells, blue to move\nvalue "));
}

#[test]
fn solve_gives_up_in_time_with_exit_code_3() {
    let hard = "E2 B7 D5 H1 A8";
    for arguments in
        [&["solve", "--json", "--limit", "0.2"][..], &["solve", "--json", "--limit", "0.2", "--all-moves"]]
    {
        let start = Instant::now();
        let output = blackhole(arguments, hard.as_bytes());
        assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
        assert_eq!(output.status.code(), Some(3));
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!((&answer["value"], answer["empty"].as_i64()), (&Value::Null, Some(31)));
        let bound = |key: &str| answer[key].as_i64().expect("a bound");
        assert!(-75 <= bound("lower") && bound("lower") < bound("upper") && bound("upper") <= 75);
    }
    // Easy questions about the empty board are answered first.
    let output = blackhole(&["solve", "--limit", "1"], hard.as_bytes());
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stdout).contains("value -") && !text(&output.stdout).contains("value -75..75"));
}

#[test]
fn bad_records_are_located() {
    for command in ["solve", "think"] {
        for (input, expected) in [
            (&b"E2 A1\nC4 X2"[..], "blackhole: -: line 2: found \"X2\", expected a blocked cell"),
            (b"", "blackhole: -: line 1: found the end, expected 5 blocked cells, not 0"),
            (b"E2 A1 C4 G2 D2 B1=3 B1=4", "found \"B1=4\", expected an empty cell (B1 is occupied)"),
            (b"E2\n\xc3\x28", "blackhole: -: line 2: found bytes that are not UTF-8: \"\\xc3("),
        ] {
            let output = blackhole(&[command], input);
            assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""), "{input:?}");
            assert!(text(&output.stderr).contains(expected), "{}", text(&output.stderr));
            assert_eq!(text(&output.stderr).lines().count(), 1);
        }
        let output = blackhole(&[command, "no/such/file"], b"");
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""));
        assert!(text(&output.stderr).starts_with("blackhole: no/such/file: "));
        let output = blackhole(&[command, "/dev/zero"], b"");
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("more than 256 megabytes"));
    }
}

#[test]
fn think_prints_the_move_and_its_reasons() {
    let nodes = ["think", "--nodes", "200"];
    let run = |more: &[&str], input: &str| blackhole(&[&nodes[..], more].concat(), input.as_bytes());
    // Without the solver, which would settle it at once.
    let output = run(&["--json", "--set", "solve_from=0"], EMPTY_17);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let thoughts: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let name = thoughts["move"].as_str().expect("a move");
    let mv = Move::parse(name).expect("a move");
    assert_eq!(record(EMPTY_17).position().check(mv), Ok(()));
    for (key, inner) in [("targets", "target"), ("candidates", "move")] {
        let list = thoughts[key].as_array().expect("a list");
        assert!(!list.is_empty(), "{key}");
        for entry in list {
            assert!(!entry[inner].is_null() && entry["visits"].is_u64() && entry["value"].is_number());
        }
    }
    assert_eq!(thoughts["variation"][0], thoughts["move"]);
    // So Blue did in this game.
    let kind = "always plays the largest stone";
    assert_eq!(thoughts["opponent"]["kind"], kind);
    let plain = run(&["--set", "solve_from=0"], EMPTY_17);
    assert_eq!(text(&plain.stdout).lines().next(), Some(name));
    assert!(
        ["target  value", "move     visits", "expected ", kind]
            .iter()
            .all(|s| text(&plain.stdout).contains(s))
    );
    assert_eq!(text(&run(&["--quiet", "--set", "solve_from=0"], EMPTY_17).stdout), format!("{name}\n"));
    let over = run(&[], "t0v04060f0nf8ojebuadotqc9l1bsicarje92px8grh7lh31isw6dnp5yqz3mk04um52kg");
    assert_eq!(over.status.code(), Some(2));
    assert!(text(&over.stderr).contains("the game is over"));
    // Solved positions have candidates and a whole line too.
    for (input, target, length) in [(EMPTY_4, 5, 3), (EMPTY_17, -1, 16)] {
        let solved: Value = serde_json::from_slice(&run(&["--json"], input).stdout).expect("JSON");
        assert_eq!((&solved["reason"], &solved["target"]), (&Value::from("solved"), &Value::from(target)));
        assert_eq!(solved["variation"].as_array().map(Vec::len), Some(length), "{solved}");
        assert_eq!(
            (&solved["variation"][0], &solved["candidates"][0]["move"]),
            (&solved["move"], &solved["move"])
        );
        let plain = text(&run(&[], input).stdout).to_owned();
        assert!(plain.contains("\noptimal ") && plain.contains("\nexpected "), "{plain}");
    }
    let start = Instant::now();
    let output = blackhole(&["think", "--move-time", "0.4"], FIVE.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!((0.3..5.0).contains(&start.elapsed().as_secs_f64()), "{:?}", start.elapsed());
}
