//! The printed JSON has exactly the keys in the help text.

use std::collections::BTreeSet;

use crate::common::*;

/// List the keys that a paragraph of a help text names: groups of keys with semicolons between, those
/// of a part after its path and a colon. What stands in brackets is for people.
fn named(help: &str, heading: &str) -> BTreeSet<String> {
    let (_, text) = help.split_once(&format!("\n{heading}: ")).expect(heading);
    let text = text.split("\n\n").next().unwrap_or_default();
    // Each piece but the first begins in brackets.
    let plain: String = text.split('(').flat_map(|piece| piece.split(')').next_back()).collect();
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut keys = BTreeSet::new();
    for group in plain.trim_end_matches('.').split(';') {
        let (path, list) = group.split_once(':').unwrap_or(("", group));
        keys.insert(path.trim().to_owned());
        keys.extend(list.split(',').map(|key| joined(path.trim(), key.trim())));
    }
    keys.remove("");
    keys
}

fn joined(path: &str, key: &str) -> String {
    format!("{path}.{key}").trim_start_matches('.').to_owned()
}

/// Add the paths of all keys of a value. Lists, and the keys for Red and Blue, are no part of a
/// path; faults and options have keys of their own.
fn collect(value: &Value, path: &str, keys: &mut BTreeSet<String>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect(value, path, keys)),
        Value::Object(values) if values.keys().eq(["blue", "red"]) => {
            values.values().for_each(|value| collect(value, path, keys));
        }
        Value::Object(values) if !["faults", "options"].iter().any(|own| path.ends_with(own)) => {
            for (key, value) in values {
                let path = joined(path, key);
                collect(value, &path, keys);
                keys.insert(path);
            }
        }
        _ => {}
    }
}

#[test]
fn the_help_names_exactly_the_printed_keys() {
    let scratch = Scratch::new("keys");
    scratch.play(&[RANDOM; 2], "--pairs 25 --sprt 50,60 --journal games.jsonl").expect(0, "");
    let forfeit = "# red a, blue b, round 1\nE2 A1 C4 G2 D2 B1=3 B2=3\n# points 0 to 75\n# fault of red: x\n";
    scratch.write("forfeit.txt", forfeit);
    scratch.write("whole.txt", EXAMPLE);
    let staked = files::read(include_bytes!("../data/journal.jsonl")).expect("games").swap_remove(2);
    scratch.write("staked.txt", staked.record.until(22).to_string());
    scratch.write("late.txt", &EXAMPLE[..52]);
    scratch.write("small.txt", EMPTY_4);
    // All runs of a command together print every key.
    let keys = "Keys of --json";
    for (command, heading, runs) in [
        ("solve", keys, "--json --all-moves small.txt; --json whole.txt"),
        ("analyse", keys, "--json --limit 0 late.txt"),
        ("think", keys, "--json --nodes 200 --set solve_from=0 late.txt; --json --nodes 200 staked.txt"),
        ("review", keys, "--json --from 14 whole.txt; --json --limit 0 --from 2 forfeit.txt"),
        ("review", "Keys of --summary --json", "--summary --json --game 1 --from 20 games.jsonl"),
        ("report", keys, "--json games.jsonl"),
    ] {
        let mut printed = BTreeSet::new();
        for run in runs.split("; ") {
            let ran = scratch.run(&format!("{command} {run}")).expect(0, "");
            let lines = ran.stdout.lines().map(|line| serde_json::from_str(line).expect("an object"));
            lines.for_each(|line: Value| collect(&line, "", &mut printed));
        }
        let named = named(&blackhole(&format!("{command} --help"), "").fine(), heading);
        assert_eq!(printed, named, "{command}: {heading}");
    }
    // A requested key is there even with an empty list.
    let moves = &blackhole("solve --json --all-moves", EXAMPLE).json()["moves"];
    assert_eq!(moves.as_array().map(Vec::len), Some(0), "{moves}");
}
