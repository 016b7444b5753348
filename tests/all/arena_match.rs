//! Whole matches of the real program: resumed, in shards, refused.

use crate::common::*;

#[test]
fn a_report_repeats_the_table_of_the_match() {
    let scratch = Scratch::new("match-report");
    // The bot that is tested leads, or does not; the last match is one part of two.
    let swapped = "match --bot r=builtin:random --bot g=builtin:greedy --seed 5";
    let few = "\nfewer than 5 pairs in a pairing: no ±, and small differences may be chance\n";
    for (options, code, verdict) in [
        (format!("{TWO} --pairs 50 --sprt 75,76"), 0, "higher mean accepted"),
        (format!("{swapped} --pairs 50 --sprt 75,76 --alpha 0.01"), 4, "lower mean accepted"),
        (format!("{swapped} --pairs 46 --sprt 50,51 --shard 2/2"), 3, "undecided after 23 pairs (LLR"),
        (format!("{swapped} --pairs 5"), 0, "r against g: "),
        (format!("{TWO} --pairs 2"), 0, few),
        (format!("{TWO} --pairs 5 --sprt 75,76"), 3, "undecided after 5 pairs (too few"),
        (format!("{TWO} --pairs 1 --sprt 75,76"), 3, "undecided after 1 pair (too few"),
        (format!("{THREE} --pairs 2 --gauntlet g"), 0, "g against s: "),
    ] {
        let table = scratch.run(&format!("{options} --journal games")).expect(code, verdict).stdout;
        assert!(table.lines().all(|line| line.width() <= 80), "{table}");
        assert!(table.matches('±').count() == 1 || !verdict.contains("may be chance"), "{table}");
        assert_eq!(scratch.run("report games").expect(code, verdict).stdout, table);
        assert_eq!(scratch.shell("blackhole report - <games").expect(code, verdict).stdout, table);
        let json = scratch.run("report games --json").expect(code, "").json();
        let said = json["sprt"]["verdict"].as_str().unwrap_or(if code == 3 { "undecided" } else { "" });
        assert!(verdict.contains(said) && json["bots"][1].is_object(), "{json}");
        scratch.run("report games --html x.html").expect(code, "");
        let subject = &crate::page::json_of(&scratch.read("x.html"), "report")["subject"];
        assert_eq!(*subject, ["g", "r"][usize::from(options.starts_with(swapped))], "the leader or not");
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
    // What a bot's name and its player refuse is told in their own words.
    for (bots, complaint) in [
        ("a=builtin:random", "expected two bots or more, each by --bot NAME=COMMAND\n"),
        ("builtin:uct,c=1", "expected NAME=COMMAND, found"),
        ("greedy", "expected NAME=COMMAND such as greedy=builtin:greedy, found \"greedy\"\n"),
        ("a=builtin:random --bot a=builtin:random", "found a twice"),
        ("a=builtin:random --bot b=builtin:gredy", "b: found no built-in player \"gredy\", expected one of "),
    ] {
        scratch.run(&format!("match --bot {bots}")).refused(complaint);
    }
    let [titled, judged] = ["--title x", "--judge"].map(|option| format!("{TWO} {option}"));
    let of_a_page = ["report used --title x", "report used --judge 1", &titled, &judged];
    of_a_page.iter().for_each(|it| _ = scratch.run(it).refused("of a page: expected --html FILE, too\n"));
    scratch.run(&format!("{THREE} --sprt 75,76")).refused("expected two bots");
    for (options, complaint) in [
        ("--concurrency 1000", "expected a whole number from 1 to"),
        ("--pairs 6148914691236517206", "expected a whole number from 1 to 1000000000000"),
        ("--gauntlet x", "expected the name of a bot, found x"),
        ("--time x=3", "expected the name of a bot, found x"),
        ("--time g=0", "--time g=0: expected a number from 0.001 to 1000000"),
        ("--shard 3/2", "expected I/N"),
        ("--sprt 76,75", "--sprt: expected means with 0 <= LOW < HIGH <= 150"),
        ("--openings bad", "bad: line 1"),
        ("--openings empty", "expected openings, found none"),
        ("--openings missing", "missing: "),
        ("--journal used", "used has games already: --resume FILE goes on with it, or take another file\n"),
        ("--journal gone/x", "gone/x: No such file"),
        ("--html page.html", "--html is made from the journal: expected --journal FILE, too\n"),
        ("--journal new --html used", "used: found another file, expected a new one or an older page\n"),
        ("--resume used --journal used", "cannot be used with '--journal"),
    ] {
        scratch.run(&format!("{TWO} {options}")).refused(complaint);
    }
}
