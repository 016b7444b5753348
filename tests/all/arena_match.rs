//! Whole matches of the real program: resumed, in shards, refused.

use unicode_width::UnicodeWidthStr;

use crate::scratch::{Scratch, THREE, TWO, two_at_once};

/// A table without its column of thinking times, such as `0.00/0.01/0.00`, and without alignment:
/// no two runs share the times.
pub fn untimed(table: &str) -> String {
    let times = |word: &&str| word.split('/').filter(|part| part.parse::<f64>().is_ok()).count() == 3;
    assert!(table.split_whitespace().any(|word| times(&word)), "times: {table}");
    let without =
        |line: &str| line.split_whitespace().filter(|word| !times(word)).collect::<Vec<_>>().join(" ");
    table.lines().map(without).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_resumed_match_ends_like_an_uninterrupted_one() {
    let scratch = Scratch::new("match-resume");
    let whole = scratch.table(&format!("{THREE} --pairs 12 --journal whole"));
    assert!(whole.contains("ranked by total points"), "{whole}");
    scratch.table(&format!("{THREE} --pairs 5 --journal part"));
    // Tear the last line, as a crash of the machine would.
    let part = scratch.read("part");
    scratch.write("part", &part[..part.len() - 40]);
    // Thinking times are measured anew in the games that are played again; all else is the same.
    let resumed = scratch.run(&format!("{THREE} --pairs 12 --resume part"));
    assert_eq!(resumed.stderr, "part: the torn last line is cut off\n");
    assert_eq!(untimed(&resumed.stdout), untimed(&whole));
    assert_eq!(scratch.table("report part"), resumed.stdout);
    assert_eq!(scratch.lines("part"), 72);
    // No game is left to play; the bots may even come in another order.
    let swapped = "match --bot r=builtin:random --bot s=builtin:random --bot g=builtin:greedy --seed 5";
    let again = scratch.table(&format!("{swapped} --pairs 12 --resume part"));
    assert_eq!(again, resumed.stdout);
}

#[test]
fn names_change_no_game() {
    let scratch = Scratch::new("match-names");
    let [mine, java] = ["mine", "java"].map(|name| {
        let table =
            scratch.table(&format!("match --bot {name}=builtin:random --bot zero=builtin:random --pairs 9"));
        untimed(&table.replace(name, "it"))
    });
    assert_eq!(mine, java);
}

#[test]
fn shards_add_up_to_the_whole() {
    let scratch = Scratch::new("match-shards");
    let whole = scratch.table(&format!("{THREE} --pairs 7 --concurrency {}", two_at_once()));
    for shard in 1..=4 {
        scratch.table(&format!("{THREE} --pairs 7 --shard {shard}/4 --journal part{shard}"));
    }
    let parts = scratch.table("report part3 part1 part4 part2");
    assert_eq!(untimed(&parts), untimed(&whole));
    scratch.write("all", ["part1", "part2", "part3", "part4"].map(|part| scratch.read(part)).concat());
    assert_eq!(scratch.table("report all"), parts);
    // A shard given twice counts once.
    assert_eq!(scratch.table("report all part1"), format!("{parts}\n12 repeated records left out\n"));
}

#[test]
fn a_sequential_test_stops_the_match_at_the_same_pair_whatever_the_concurrency() {
    let scratch = Scratch::new("match-sprt");
    for (journal, concurrency) in [("one", 1), ("two", two_at_once())] {
        let options =
            format!("{TWO} --pairs 500 --sprt 75,80 --concurrency {concurrency} --journal {journal}");
        let table = scratch.table(&options);
        assert!(table.contains("SPRT: higher mean accepted after 26 pairs"), "{table}");
        // Resuming changes no game.
        assert_eq!(scratch.table(&format!("match --resume {journal}")), table);
    }
}

#[test]
fn a_sequential_test_goes_on_until_it_decides() {
    let scratch = Scratch::new("match-until");
    let test = "--sprt 75,75.2 --alpha 0.000001 --beta 0.000001";
    let table = scratch.table(&format!("{TWO} {test}"));
    let pairs =
        table.split("SPRT: higher mean accepted after ").nth(1).and_then(|rest| rest.split(' ').next());
    assert!(pairs.and_then(|pairs| pairs.parse().ok()).is_some_and(|pairs: u32| pairs > 50), "{table}");
}

#[test]
fn a_report_repeats_the_table_of_the_match() {
    let scratch = Scratch::new("match-report");
    // The bot that is tested leads, or does not; the last match is one part of two.
    let swapped = "match --bot r=builtin:random --bot g=builtin:greedy --seed 5";
    for (options, code, verdict) in [
        (format!("{TWO} --pairs 50 --sprt 75,76"), 0, "higher mean accepted"),
        (format!("{swapped} --pairs 50 --sprt 75,76 --alpha 0.01"), 4, "lower mean accepted"),
        (format!("{swapped} --pairs 46 --sprt 50,51 --shard 2/2"), 3, "undecided after 23 pairs (LLR"),
        (format!("{swapped} --pairs 5"), 0, "r against g: "),
        (format!("{TWO} --pairs 5"), 0, "(above 75 with "),
        (format!("{TWO} --pairs 2"), 0, "\n±: needs 5 pairs in every pairing\n"),
        (format!("{TWO} --pairs 5 --sprt 75,76"), 3, "undecided after 5 pairs (too few"),
        // One line for each pairing, and the standings last.
        (format!("{THREE} --pairs 2"), 0, "\ng against s "),
    ] {
        let table = scratch.run(&format!("{options} --journal games")).expect(code, verdict).stdout;
        assert!(table.lines().all(|line| line.width() <= 80), "{table}");
        assert!(!table.contains('%') || !verdict.contains("±: needs"), "{table}");
        assert_eq!(scratch.run("report games").expect(code, verdict).stdout, table);
        assert_eq!(scratch.shell("blackhole report - <games").expect(code, verdict).stdout, table);
        let json = scratch.run("report games --json").expect(code, "").json();
        let said = json["sprt"]["verdict"].as_str().unwrap_or(if code == 3 { "undecided" } else { "" });
        assert!(
            verdict.contains(said) && json["bots"].as_array().is_some_and(|bots| bots.len() > 1),
            "{json}"
        );
        scratch.remove("games");
    }
    // A pair that is missing yet: the test waits for it, as the match does.
    let test = "--sprt 75,150 --alpha 0.000001 --beta 0.000001";
    scratch.run(&format!("{TWO} --pairs 30 {test} --journal games")).expect(4, "");
    scratch.shell("sed -i '/\"round\":10,/d' games").expect(0, "");
    scratch.run("report games").expect(3, "undecided after 10 pairs (too few");
    scratch.shell("sed -i 's/,\"places.*/}/' games").expect(0, "");
    scratch.run("report games").expect(0, "g against r: ");
}

#[test]
fn bad_usage_is_refused_before_the_first_game() {
    let scratch = Scratch::new("match-usage");
    scratch.write("bad", "A1 A2 A3\n");
    scratch.write("empty", "# nothing\n");
    scratch.table(&format!("{TWO} --pairs 1 --journal used"));
    for (bots, complaint) in [
        ("a=builtin:random", "expected two bots or more, each by --bot NAME=COMMAND\n"),
        ("greedy", "expected NAME=COMMAND, such as greedy=builtin:greedy, found \"greedy\""),
        ("builtin:uct,c=1", "NAME=COMMAND, such as uct=builtin:uct,c=1, found"),
        ("a=python3 bot.py", "a value with blanks stands in quotes: --bot a='python3 bot.py'"),
        ("a=builtin:random --bot a=builtin:random", "found a twice"),
        ("a=builtin:random --bot b=builtin:gredy", "b: found no built-in player \"gredy\" (greedy?)"),
        ("a=builtin:random --bot b=builtin:random,x=1", "b: found option \"x\""),
    ] {
        scratch.run(&format!("match --bot {bots}")).refused(complaint);
    }
    scratch.run(&format!("{THREE} --sprt 75,76")).refused("expected two bots");
    scratch.run(&format!("--time 1 {TWO}")).refused("\noptions of a command stand after its name\n");
    for (options, complaint) in [
        ("--concurrency 1000", "expected a whole number from 1 to"),
        ("--time x=3", "expected the name of a bot, found x"),
        ("--gauntlet x", "expected the name of a bot, found x"),
        ("--shard 3/2", "expected I/N"),
        ("--sprt 76,75", "expected LOW,HIGH"),
        ("--openings bad", "bad: line 1"),
        ("--openings empty", "expected openings, found none"),
        ("--openings missing", "missing: "),
        ("--journal used", "used has games already: --resume FILE goes on with it, or take another file\n"),
        ("--journal gone/x", "gone/x: No such file"),
        ("--resume used --time 3", "expected games of this match, found g against r"),
        ("--seed 6", "cannot be used multiple times"),
        ("--resume used --journal used", "cannot be used with '--journal"),
    ] {
        scratch.run(&format!("{TWO} {options}")).refused(complaint);
    }
}
