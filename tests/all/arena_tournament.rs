//! A tournament from one command: its settings, its journal, its faults and its shards.

use crate::scratch::{Scratch, TWO};

#[test]
fn a_journal_or_a_file_of_settings_is_the_whole_command() {
    let scratch = Scratch::new("tournament-record");
    scratch.write("openings", "E4 F2 A5 A7 C1\nE2 A1 C4 G2 D2\n");
    let options = "--openings openings --sprt 75,140 --startup 4";
    let whole = scratch.run(&format!("{TWO} {options} --journal whole")).expect(3, "").stdout;
    scratch.run(&format!("{TWO} {options} --pairs 1 --journal part --save-config settings")).expect(3, "");
    // The journal has the openings themselves, and a longer match takes the place of the shorter one.
    std::fs::remove_file(scratch.path("openings")).expect("it is there");
    scratch.run("match --resume part --pairs 2").expect(3, "");
    for (command, games) in [("--resume part", 4), ("--resume whole", 4), ("--resume part --pairs 1", 2)] {
        let ran = scratch.run(&format!("match {command}")).expect(3, "undecided after");
        assert!(ran.stdout.contains(&format!(" {games} ")), "{command}: {}", ran.stdout);
    }
    let without_times = crate::arena_match::untimed;
    assert_eq!(without_times(&scratch.run("report part").stdout), without_times(&whole));
    assert_eq!(scratch.read("part").lines().filter(|line| line.starts_with("{\"match\"")).count(), 3);
    scratch.run("match --config settings --resume").refused("openings: No such file");
    scratch
        .run("match --config settings --resume --opening 'E4 F2 A5 A7 C1' --seed 6")
        .refused("seed 5 (here 6)");
    let listed = scratch.table("review part --list");
    assert_eq!(listed.lines().count(), 4, "the match is no game: {listed}");
    scratch.write("bare", scratch.read("part").lines().skip(1).take(1).collect::<String>());
    for (file, text) in [
        ("unknown", r#"{"bots": "a=x"}"#),
        ("range", r#"{"pairs": 0}"#),
        ("type", r#"{"pairs": {"a": 1}}"#),
        ("torn", r#"{"pairs""#),
        ("few", r#"{"bot": "a=builtin:random", "suspend": false}"#),
        ("missing", r#"{"bot": ["a=builtin:random", "b=./gone"], "pairs": 3}"#),
    ] {
        scratch.write(file, text);
    }
    for (command, complaint) in [
        ("--config unknown", "unknown: unexpected argument '--bots' found"),
        ("--config range", "range: invalid value '0' for '--pairs <N>': expected a whole number from 1"),
        ("--config type", "type: found {\"a\":1} as pairs, expected a text, a number, true, or a list"),
        ("--config torn", "torn: expected a JSON object of the options of match (EOF"),
        ("--config few", "expected two bots or more"),
        ("--config missing", "b: cannot start ./gone: No such file"),
        ("--config gone", "gone: No such file"),
        ("--config few --bot a=builtin:random --bot b=./gone", "b: cannot start ./gone"),
        ("--resume", "expected one journal: --resume FILE, or"),
        ("--resume part --journal part", "expected one journal: --resume FILE, or"),
        ("--resume bare", "bare: expected the match in a line, found an older journal"),
        ("--resume part --save-config settings", "settings: File exists"),
    ] {
        let ran = scratch.run(&format!("match {command}"));
        assert!(ran.stderr.starts_with(&format!("blackhole: {complaint}")), "{command}: {}", ran.said());
        assert!(ran.stderr.lines().count() == 1 && ran.code != Some(0), "{command}: {}", ran.said());
    }
}
