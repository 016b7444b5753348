//! Whole matches of the real program: resumed, in shards, interrupted, refused.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use crate::scratch::{BLACKHOLE, Scratch, text, two_at_once};

const TWO: &str = "match --bot g=builtin:greedy --bot r=builtin:random --seed 5";
const THREE: &str = "match --bot g=builtin:greedy --bot r=builtin:random --bot s=builtin:random --seed 5";

/// A table without its column of thinking times, such as `0.00/0.01/0.00`, and without alignment.
fn untimed(table: &str) -> String {
    let times = |word: &&str| word.split('/').filter(|part| part.parse::<f64>().is_ok()).count() == 3;
    let without = |line: &str| {
        let words = line.split_whitespace();
        words.filter(|word| !times(word)).collect::<Vec<_>>().join(" ")
    };
    let untimed: Vec<String> = table.lines().map(without).collect();
    assert!(table.lines().flat_map(str::split_whitespace).any(|word| times(&word)), "times: {table}");
    untimed.join("\n")
}

#[test]
fn a_resumed_match_ends_like_an_uninterrupted_one() {
    let scratch = Scratch::new("match-resume");
    let whole = scratch.table(&format!("{THREE} --pairs 12 --journal whole"));
    assert!(whole.contains("ranked by total points"), "{whole}");
    scratch.table(&format!("{THREE} --pairs 5 --journal part"));
    // Tear the last line, as a crash of the machine would.
    let path = scratch.path("part");
    let part = fs::read(&path).expect("a journal");
    fs::write(&path, &part[..part.len() - 40]).expect("a torn journal");
    // Thinking times are measured anew in the games that are played again; all else is the same.
    let resumed = scratch.run(&format!("{THREE} --pairs 12 --journal part --resume"));
    assert_eq!(text(&resumed.stderr), "part: the torn last line is cut off\n");
    let resumed = text(&resumed.stdout);
    assert_eq!(untimed(&resumed), untimed(&whole));
    let whole = resumed;
    assert_eq!(scratch.table("report part"), whole);
    assert_eq!(fs::read_to_string(&path).expect("a journal").lines().count(), 72);
    // Nothing is left to play; the bots may even be named in another order.
    let swapped = "match --bot r=builtin:random --bot s=builtin:random --bot g=builtin:greedy --seed 5";
    assert_eq!(scratch.table(&format!("{swapped} --pairs 12 --journal part --resume")), whole);
}

#[test]
fn shards_add_up_to_the_whole() {
    let scratch = Scratch::new("match-shards");
    let whole = scratch.table(&format!("{THREE} --pairs 7 --concurrency {}", two_at_once()));
    for shard in 1..=4 {
        scratch.table(&format!("{THREE} --pairs 7 --shard {shard}/4 --journal part{shard}"));
    }
    let parts = scratch.table("report part3 part1 part4 part2");
    // The shards measure their own thinking times.
    assert_eq!(untimed(&parts), untimed(&whole));
    let whole = parts;
    let parts: Vec<Vec<u8>> =
        (1..=4).map(|shard| fs::read(scratch.path(&format!("part{shard}"))).expect("a journal")).collect();
    fs::write(scratch.path("all"), parts.concat()).expect("one journal");
    assert_eq!(scratch.table("report all"), whole);
    // A shard given twice counts once.
    let twice = scratch.table("report all part1");
    assert_eq!(twice, format!("{whole}\n12 repeated records left out\n"));
}

#[test]
fn ctrl_c_leaves_a_journal_to_go_on_from() {
    let scratch = Scratch::new("match-interrupt");
    let slow = scratch.path("slow.sh");
    let script = format!("sleep 0.02\nexec {BLACKHOLE} play --player greedy --seed $1\n");
    fs::write(&slow, script).expect("a script");
    let bot = format!("sh {} {{seed}}", slow.display());
    let arguments = |options: &str| -> Vec<String> {
        let fixed = ["match", "--bot", &format!("a={bot}"), "--bot", "b=builtin:random", "--pairs", "20"];
        fixed.iter().map(ToString::to_string).chain(options.split(' ').map(String::from)).collect()
    };
    let mut child = scratch
        .command("")
        .args(arguments("--journal games"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let journal = scratch.path("games");
    let played = |path: &Path| fs::read_to_string(path).map_or(0, |text| text.lines().count());
    while played(&journal) < 3 && child.try_wait().expect("a child").is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.expect("kill runs").success());
    let output = child.wait_with_output().expect("it ends");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("of 40 games; they are in games: the same command with --resume"), "{said}");
    assert!(!text(&output.stdout).is_empty(), "the table so far");
    let before = played(&journal);
    assert!((3..40).contains(&before));

    let run =
        |options: &str| scratch.command("").args(arguments(options)).output().expect("the program runs");
    let resumed = run("--journal games --resume");
    assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed.stderr));
    assert_eq!(played(&journal), 40);
    // Equal but for the thinking times, which no two runs share.
    let points = |output: &Output| {
        let table = text(&output.stdout);
        table.lines().skip(3).map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(points(&resumed), points(&run("--journal whole")));
}

#[test]
fn a_sequential_test_stops_the_match_at_the_same_pair_whatever_the_concurrency() {
    let scratch = Scratch::new("match-sprt");
    for (journal, concurrency) in [("one", 1), ("two", two_at_once())] {
        let options =
            format!("{TWO} --pairs 500 --sprt 75,80 --concurrency {concurrency} --journal {journal}");
        let table = scratch.table(&options);
        assert!(table.contains("SPRT: H1 accepted after 20 pairs"), "{table}");
        // Going on changes nothing.
        assert_eq!(scratch.table(&format!("{options} --resume")), table);
    }
    let table = text(&scratch.run(&format!("{TWO} --pairs 5 --sprt 75,80")).stdout);
    assert!(table.contains("SPRT: undecided after 5 pairs"), "{table}");
}

#[test]
fn a_gauntlet_plays_one_against_all() {
    let scratch = Scratch::new("match-gauntlet");
    let table = scratch.table(&format!("{THREE} --gauntlet s --pairs 3"));
    assert!(table.contains("g against s") && table.contains("r against s") || table.contains("s against r"));
    assert!(!table.contains("g against r"), "{table}");
    assert!(table.contains("not all played equally often"), "{table}");
}

#[test]
fn pictures() {
    let scratch = Scratch::new("match-svg");
    scratch.table(&format!("{TWO} --pairs 10 --journal games"));
    scratch.table("report games --svg all.svg");
    scratch.table("report games --svg r.svg --bot r");
    for (file, title) in
        [("all.svg", "g against r: points of 20 games"), ("r.svg", "r against g: points of 20 games")]
    {
        let svg = fs::read_to_string(scratch.path(file)).expect("a picture");
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && svg.contains(title), "{svg}");
    }
}

#[test]
fn bad_usage_is_refused_before_the_first_game() {
    let scratch = Scratch::new("match-usage");
    fs::write(scratch.path("bad"), "A1 A2 A3\n").expect("a file");
    fs::write(scratch.path("empty"), "# nothing\n").expect("a file");
    scratch.table(&format!("{TWO} --pairs 1 --journal used"));
    for (options, complaint) in [
        ("match --bot a=builtin:random", "expected two bots or more"),
        ("match --bot a=builtin:random --bot a=builtin:random", "found a twice"),
        ("match --bot a=builtin:random --bot b", "expected NAME=COMMAND"),
        ("match --bot a=builtin:random --bot b=builtin:nobody", "b: found no built-in player nobody"),
        ("match --bot a=builtin:random --bot b=builtin:random,x=1", "b: found option x, expected none"),
        (&format!("{TWO} --concurrency 1000"), "expected a whole number from 1 to"),
        (&format!("{TWO} --concurrency 0"), "expected a whole number from 1 to"),
        (&format!("{TWO} --time x=3"), "expected the name of a bot, found x"),
        (&format!("{TWO} --gauntlet x"), "expected the name of a bot, found x"),
        (&format!("{TWO} --shard 3/2"), "expected I/N"),
        (&format!("{TWO} --sprt 76,75"), "expected LOW,HIGH"),
        (&format!("{THREE} --sprt 75,76"), "expected two bots"),
        (&format!("{TWO} --openings bad"), "bad: line 1"),
        (&format!("{TWO} --openings empty"), "expected openings, found none"),
        (&format!("{TWO} --openings missing"), "missing: "),
        (&format!("{TWO} --journal used"), "used has games already: add --resume"),
        (&format!("{TWO} --journal used --resume --seed 6"), "cannot be used"),
        (
            &format!("{TWO} --journal used --resume --time 3"),
            "expected games of this match, found g against r",
        ),
        (&format!("{TWO} --journal bad"), "bad: line 1: expected a game of a match"),
        ("report missing", "missing: "),
        ("report bad", "bad: line 1: expected a game of a match"),
    ] {
        let output = scratch.run(options);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{options}: {said}");
        assert!(said.contains(complaint), "{options}: {said}");
        assert!(output.stdout.is_empty(), "{options}");
    }
}
