//! Figures say no more than they know, everywhere the same.

use std::collections::BTreeSet;

use crate::common::*;

#[test]
fn repeated_games_and_openings_are_told_and_decide_nothing() {
    let scratch = Scratch::new("figures-repeat");
    scratch.write("openings", "A1 A2 A3 A4 A5\n");
    let bot = "sh -c 'exec blackhole play --player greedy --quiet'";
    let options = "--openings openings --pairs 21 --sprt 75,75.4 --journal games";
    let undecided = "SPRT: undecided after 21 pairs (too few, at least 20";
    scratch.play(&[bot; 2], options).expect(3, "note: only 2 of 42 games differ").expect(3, undecided);
    scratch.run("report games").expect(3, undecided);
    assert!(!scratch.table(&format!("{TWO} --pairs 30")).contains("note:"));
}

#[test]
fn wide_names_keep_the_columns() {
    let scratch = Scratch::new("figures-wide");
    // The width of a row does not depend on the name that stands in its first column.
    for name in ["黒穴", "ผู้เล่น", "cafe\u{301}", "👨‍👩‍👧‍👦", "❤\u{fe0f}"]
    {
        let bots = format!("--bot {name}=builtin:greedy --bot blackhole=builtin:random");
        let table = scratch.table(&format!("match {bots} --pairs 5"));
        assert!(table.contains("\nblackhole  "), "{table}");
        let ends = table.lines().skip(1).take(2).map(UnicodeWidthStr::width);
        assert!(ends.clone().all(|end| Some(end) == ends.clone().next()), "{table}");
    }
    for name in ["\u{1b}", "a\u{ad}", "a\u{200b}"] {
        let bots = format!("--bot {name}=builtin:greedy --bot b=builtin:random");
        scratch.run(&format!("match {bots}")).refused("without blanks");
    }
    // The tables of twenty bots fit a terminal, in two parts of ten columns, with different names; a pipe has them whole.
    let bots: String = (1..20).map(|n| format!(" --bot a-rather-long-name-{n}=builtin:random")).collect();
    let bots = format!("match{bots} --bot 'bad=sh -c \"exit 3\"' --pairs 1 --seed 2 --journal many");
    let table = scratch.run(&bots).stdout;
    assert!(table.matches("\n20  bad  ").count() == 2 && !table.contains("pairs LL"), "{table}");
    // In three tables, and those of the first two below them.
    assert_eq!(table.matches("a-rather-long-name-").count(), 3 * 19 + 2, "{table}");
    let wide = scratch.shell("script -qec 'stty cols 100 rows 9; blackhole report many' /dev/null").stdout;
    assert!(!wide.contains('…') && wide.contains("\r\na-rather-long-name-19  "), "{wide}");
    let table = scratch.shell("script -qec 'blackhole report many' /dev/null").stdout.replace('\r', "");
    let is_narrow = table.lines().all(|line| line.width() <= 80);
    assert!(is_narrow && table.matches("\n20  bad  ").count() == 2, "{table}");
    let cut = table.split_whitespace().filter(|word| word.contains('…')).collect::<BTreeSet<_>>();
    assert_eq!(cut.len(), 19, "{table}");
}

#[test]
fn no_figure_is_infinite_or_no_number_whatever_is_left_out() {
    let scratch = Scratch::new("figures-left-out");
    // All pairs have a fault, or all games are single.
    scratch.play(&["sh -c 'read x; exit 3'", RANDOM], "--pairs 6 --sprt 75,76 --journal all").expect(1, "");
    let lines = scratch.read("all");
    scratch.write("single", lines.lines().step_by(2).map(|line| format!("{line}\n")).collect::<String>());
    for journal in ["all", "single"] {
        let [table, json] =
            ["--html x.html", "--json"].map(|form| scratch.run(&format!("report {journal} {form}")));
        for text in [&table.stdout, &json.stdout] {
            let mut words = text.split(|c: char| !c.is_alphanumeric());
            assert!(!words.any(|word| ["NaN", "inf"].contains(&word)), "{text}");
        }
        let has_games = journal == "all";
        assert_eq!(table.stdout.contains(" -      0    0 "), !has_games, "{}", table.stdout);
        let bot = &json.json()["bots"][0];
        assert_eq!((bot["rating"].is_null(), bot["games"] == 0), (!has_games, !has_games), "{bot}");
    }
}

#[test]
fn progress_without_a_terminal_counts_right() {
    let scratch = Scratch::new("figures-progress");
    scratch.table(&format!("{TWO} --pairs 10 --journal games"));
    let test = "--sprt 75,75.01 --beta 0.0000001 --alpha 0.0000001";
    let run = scratch.run(&format!("{TWO} --pairs 100 {test} --resume games --progress 0.000001"));
    let said = run.stderr;
    let last = said.lines().rfind(|line| line.contains("/200 games")).expect("progress");
    let done = last.split("/200").next().and_then(|text| text.split(' ').next_back()?.parse().ok());
    let done: u32 = done.expect("a number");
    assert!(done <= 200 && last.contains("LLR ") && last.contains(" left"), "{said}");
    assert!(!said.contains('\x1b') && said.lines().all(|line| line.width() <= 80), "{said}");
    let league = scratch.run(&format!("{THREE} --pairs 100 --progress 0.000001")).stderr;
    assert!(league.contains("/600 games") && !league.contains('±'), "{league}");
    assert!(league.lines().any(|it| it.starts_with("1 g ") && it.contains(", 2 ")), "only games: {league}");
    scratch.run("match --resume games --sprt 75,80").expect(0, "\n  the test ignores later pairs\n");
    scratch.table(&format!("{TWO} --pairs 10 --progress 0"));
    // A line for each game, from the first on.
    let each = scratch.run(&format!("{TWO} --pairs 3 --progress games --journal each")).stderr;
    let lines: Vec<&str> = each.lines().filter(|line| line.starts_with("game ")).collect();
    let is_numbered = |(line, n): (&&str, u32)| line.starts_with(&format!("game {n}/6, round "));
    assert!(lines.len() == 6 && lines.iter().zip(1..).all(is_numbered), "{each}");
    assert!(each.lines().last().is_some_and(|last| last.starts_with("6 games in 00:0")), "{each}");
    let game = scratch.shell("sed -n 2p each").json();
    let of = ["red", "blue"].map(|player| game[player].as_str().expect("a name"));
    let told = format!(": {} {} : {} {}", of[0], game["points"][0], game["points"][1], of[1]);
    assert!(lines[0].ends_with(&told), "{told}: {each}");
    let more = scratch.run("match --resume each --pairs 4 --progress games").stderr;
    assert!(more.contains("\n2 games in 00:00:") && more.ends_with(", 8 in all\n"), "{more}");
}

#[test]
fn a_dumb_terminal_gets_no_escape_codes() {
    let scratch = Scratch::new("figures-dumb");
    for (terminal, escapes) in [("dumb", false), ("xterm", true)] {
        // `script` of util-linux lends a terminal.
        let command = format!("blackhole {TWO} --pairs 80 --progress 0.01");
        let said = scratch.shell(&format!("TERM={terminal} script -qec '{command}' /dev/null")).stdout;
        assert!(said.contains("/160 games") && said.contains('\x1b') == escapes, "{terminal}: {said}");
    }
    // A person is told the way from the match to its page; without a terminal both are silent.
    for (command, told) in [
        (&*format!("{TWO} --pairs 2 --journal games"), "\r\n    blackhole report games --html page.html --"),
        ("match --resume games --pairs 3", "4 of 6 games are played, going on\r\n"),
        (&*format!("{TWO} --pairs 2"), "the games were not kept: --journal FILE keeps them"),
        ("report games --html page.html", "wrote page.html: 6 games of 2 bots"),
    ] {
        let ran = scratch.shell(&format!("script -qec 'blackhole {command}' /dev/null"));
        assert!(ran.stdout.contains(told), "{}", ran.said());
    }
}
