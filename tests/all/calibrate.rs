//! `blackhole calibrate`: estimators against exact values, from recorded games to the table.

use serde_json::Value;

use crate::scratch::{Ran, Scratch};

/// A directory with the journal of some games of `random` against itself.
fn with_games(name: &str) -> Scratch {
    let scratch = Scratch::new(&format!("calibrate-{name}"));
    let bots = "--bot a=builtin:random --bot b=builtin:random --concurrency 1";
    scratch.run(&format!("match {bots} --pairs 12 --journal games")).expect(0, "");
    scratch
}

fn judge(scratch: &Scratch, more: &str) -> Ran {
    scratch.run(&format!("calibrate --games games {more}"))
}

/// Drop what no two runs share: times.
fn without_times(mut report: Value) -> Value {
    for section in report["sections"].as_array_mut().expect("sections") {
        for row in section["estimators"].as_array_mut().expect("rows") {
            let micros = row["microseconds"].take();
            assert!(micros.as_f64().is_some_and(|micros| micros > 0.0), "{micros}");
        }
    }
    report
}

#[test]
fn a_journal_is_judged_and_labels_are_remembered() {
    let scratch = with_games("labels");
    let run = || {
        let judged = judge(&scratch, "--cells 9..=10 --playouts 2,60 --json --labels labels").fine();
        without_times(serde_json::from_str(&judged).expect("JSON"))
    };
    let report = run();
    assert_eq!((report["training_games"].as_u64(), report["test_games"].as_u64()), (Some(12), Some(12)));
    let sections = report["sections"].as_array().expect("sections");
    assert_eq!(sections.iter().map(|s| s["cells"].as_u64()).collect::<Vec<_>>(), [Some(9), Some(10)]);
    for section in sections {
        assert_eq!((section["positions"].as_u64(), section["unsolved"].as_u64()), (Some(24), Some(0)));
        let questions = section["questions"].as_u64().expect("a count");
        assert!((24..=240).contains(&questions), "{questions}");
        let loss = |name: &str| {
            let rows = section["estimators"].as_array().expect("rows");
            let row = rows.iter().find(|row| row["estimator"] == name).expect(name);
            assert!(row["log_loss"]["error"].as_f64().is_some_and(|error| error > 0.0), "{row}");
            assert!(row["brier"]["mean"].as_f64().is_some_and(|brier| (0.0..0.25).contains(&brier)), "{row}");
            row["log_loss"]["mean"].as_f64().expect("a number")
        };
        // Careful play tells more than random play, and everything more than a coin.
        assert!(loss("Kill x60") < loss("Uniform x60"));
        assert!(loss("Uniform x60") < loss("Uniform x2") && loss("Uniform x2") < 0.693);
        assert!(loss("static formula") < 0.5);
    }

    let first = scratch.read("labels");
    assert_eq!(first.lines().count(), 48);
    assert_eq!(run(), report);
    assert_eq!(scratch.read("labels"), first, "nothing was solved again");

    // The values come from the file, not from a second solve: 20 everywhere is believed.
    let lines = first.lines().map(|line| {
        let mut label: Value = serde_json::from_str(line).expect("JSON");
        label["value"] = 20.into();
        format!("{label}\n")
    });
    // The end of a write that was interrupted is dropped.
    scratch.write("labels", lines.collect::<String>() + "{\"rec");
    assert_ne!(run()["sections"], report["sections"]);
    assert_eq!(scratch.lines("labels"), 48);
}

#[test]
fn positions_that_take_too_long_are_counted() {
    let scratch = with_games("unsolved");
    let run = |nodes: &str| {
        let options = format!("--cells 16 --playouts 1 --solve-nodes {nodes} --labels labels");
        judge(&scratch, &options).fine()
    };
    let hurried = run("1");
    assert!(hurried.starts_with("12 games to calibrate on, 12 games to test on\n"), "{hurried}");
    assert!(hurried.contains("16 empty cells: 0 positions, 0 questions, 24 more not solved\n"), "{hurried}");
    assert!(hurried.contains("too few to calibrate and to test"), "{hurried}");
    // What one node could not find is tried again with more.
    let patient = run("10000000");
    assert!(patient.contains("16 empty cells: 24 positions, "), "{patient}");
    assert!(patient.contains("log-loss") && patient.contains("static formula"), "{patient}");
    assert!(!patient.contains("NaN") && !patient.contains("inf"), "{patient}");
}

#[test]
fn moves_are_judged_by_the_points_they_lose() {
    let scratch = with_games("moves");
    let lost = |more: &str| {
        let options = format!("--cells 10 --playouts 1 --moves 1,200 --json {more}");
        let report = judge(&scratch, &options).expect(0, "").json();
        let moves = report["sections"][0]["moves"].as_array().expect("a list").clone();
        assert_eq!(moves.iter().map(|m| m["iterations"].as_u64()).collect::<Vec<_>>(), [Some(1), Some(200)]);
        assert!(moves.iter().all(|m| m["unsolved"] == 0 && m["seconds"].as_f64() > Some(0.0)));
        moves.iter().map(|m| m["points"]["mean"].as_f64().expect("a number")).collect::<Vec<f64>>()
    };
    let plain = lost("");
    assert!(plain[0] > plain[1] + 0.1 && plain[1] >= 0.0, "{plain:?}");
    assert_ne!(plain, lost("--set policy=0"));

    let table = judge(&scratch, "--cells 10 --playouts 1 --moves 50");
    table.expect(0, "\n  moves of 50 iterations lose 0.");
    // A setting of no engine.
    judge(&scratch, "--set policy=0").refused("--moves");
}

#[test]
fn another_split_tests_other_games_and_every_takes_some() {
    let scratch = with_games("splits");
    let run =
        |more: &str| without_times(judge(&scratch, &format!("--cells 8 --playouts 5 --json {more}")).json());
    let [one, two] = [1, 2].map(|seed| run(&format!("--split-seed {seed}")));
    assert_eq!(one["sections"][0]["questions"], two["sections"][0]["questions"]);
    assert_ne!(one["sections"][0]["estimators"], two["sections"][0]["estimators"]);
    let few = run("--every 5");
    assert_eq!((few["training_games"].as_u64(), few["test_games"].as_u64()), (Some(3), Some(2)));
}

#[test]
fn unfit_input_is_one_line_and_exit_code_2() {
    let scratch = Scratch::new("calibrate-unfit");
    let line = r#"{"blocked":["E2","A1","C4","G2","D2"],"moves":["B1=3","B2=4"]}"#;
    for (content, expected) in [
        (String::new(), "line 1: found the end, expected 5 blocked cells"),
        (format!("{line}\n{line}\n"), "found 1 different game, expected two or more"),
        (format!("{line}\nnonsense\n"), "line 2: found \"nonsense\", expected a blocked cell"),
    ] {
        scratch.write("games", content);
        let error = judge(&scratch, "").refused(expected).stderr;
        assert!(error.starts_with("blackhole: ") && error.lines().count() == 1, "{error}");
    }
    scratch.write("games", format!("{line}\n{}\n", line.replace("B2=4", "B2=5")));
    scratch.write("labels", "{\"record\":\"E2\",\"value\":1}\n");
    judge(&scratch, "--labels labels").refused("line 1: expected a label such as");
    let unfit = "--cells 1, --cells 32, --cells 19..=15, --cells x, --playouts 0, --playouts 1,,2, \
                 --every 0, --solve-nodes 0, --moves 0";
    for options in unfit.split(", ") {
        let error = judge(&scratch, options).refused("").stderr;
        assert!(error.starts_with("error: "), "{options}: {error}");
    }
    // Games that never came so far.
    judge(&scratch, "--cells 15").expect(0, "15 empty cells: 0 positions");
}
