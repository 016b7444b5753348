//! Figures say no more than they know, everywhere the same (kind L and what users of other runners
//! expect).

use std::fs;

use crate::scratch::{BLACKHOLE, Scratch, text};

const TWO: &str = "match --bot g=builtin:greedy --bot r=builtin:random --seed 5";

#[test]
fn a_few_pairs_say_nothing() {
    let scratch = Scratch::new("figures-few");
    let table = scratch.table(&format!("{TWO} --pairs 2"));
    assert!(table.contains("too few pairs for an error: 2 of 5") && !table.contains('%'), "{table}");
    let table = scratch.table(&format!("{TWO} --pairs 5"));
    assert!(table.contains("(more with ") && !table.contains("too few"), "{table}");
}

#[test]
fn repeated_games_and_openings_are_told() {
    let scratch = Scratch::new("figures-repeat");
    fs::write(scratch.path("openings"), "A1 A2 A3 A4 A5\n").expect("an opening");
    let bot = format!("{BLACKHOLE} play --player greedy --quiet");
    let mut command = scratch.command("match --openings openings --pairs 8");
    let output =
        command.arg(format!("--bot=a={bot}")).arg(format!("--bot=b={bot}")).output().expect("it runs");
    let table = text(&output.stdout);
    assert!(table.contains("note: only 2 of 16 games differ"), "{table}");
    assert!(table.contains("note: 8 pairs share 1 opening\n"), "{table}");
    assert!(!scratch.table(&format!("{TWO} --pairs 30")).contains("note:"));
    // The same pair again and again decides nothing, neither now nor in the report.
    let mut command = scratch.command("match --openings openings --pairs 40 --sprt 75,75.4 --journal games");
    let bots = [format!("--bot=a={bot}"), format!("--bot=b={bot}")];
    let output = command.args(bots).output().expect("it runs");
    for (code, output) in [(3, output), (0, scratch.run("report games --sprt 75,75.4"))] {
        let table = text(&output.stdout);
        assert_eq!(output.status.code(), Some(code), "{table}");
        assert!(table.contains("SPRT: undecided after 40 pairs (too few, at least 20"), "{table}");
    }
}

#[test]
fn picture_and_table_agree_and_name_both_bots() {
    let scratch = Scratch::new("figures-picture");
    let three = "match --bot g=builtin:greedy --bot r=builtin:random --bot s=builtin:random --pairs 8";
    let table = scratch.table(&format!("{three} --journal games"));
    scratch.table("report games --svg games.svg");
    let svg = fs::read_to_string(scratch.path("games.svg")).expect("a picture");
    let row: Vec<&str> = table.lines().nth(1).expect("a row").split_whitespace().collect();
    let title = format!("mean points a game: {} ± {}, band", row[1], row[3]);
    assert!(
        svg.contains(&title) && svg.contains("g against 2 others: points of 32 games"),
        "{title}\n{table}"
    );
    scratch.table(&format!("{TWO} --pairs 8 --journal two"));
    let table = scratch.table("report two --svg two.svg --sprt 75,76");
    assert!(table.contains("SPRT: undecided after 8 pairs (too few"), "{table}");
    assert!(table.contains("points a game of g, α"), "{table}");
    let svg = fs::read_to_string(scratch.path("two.svg")).expect("a picture");
    assert!(svg.contains("g against r: points of 16 games") && svg.contains(">SPRT: undecided"), "{svg}");
    fs::write(
        scratch.path("names"),
        fs::read_to_string(scratch.path("two")).expect("games").replace("\"g\"", "\"g\u{ffff}\""),
    )
    .expect("a file");
    scratch.table("report names --svg names.svg");
    assert!(!fs::read_to_string(scratch.path("names.svg")).expect("a picture").contains('\u{ffff}'));
}

#[test]
fn wide_names_keep_the_columns() {
    let scratch = Scratch::new("figures-wide");
    let table = scratch.table("match --bot 黒穴=builtin:greedy --bot blackhole=builtin:random --pairs 5");
    let rows: Vec<&str> = table.lines().take(3).collect();
    // Two characters of two columns each against nine of one: five blanks more, and two between
    // columns.
    assert!(rows[1].starts_with("黒穴       "), "{table}");
    let ends: Vec<usize> = rows[1..].iter().map(|row| unicode_width::UnicodeWidthStr::width(*row)).collect();
    assert_eq!(ends[0], ends[1], "{table}");
}

#[test]
fn progress_without_a_terminal_counts_right() {
    let scratch = Scratch::new("figures-progress");
    scratch.table(&format!("{TWO} --pairs 10 --journal games"));
    let options = format!(
        "{TWO} --pairs 100 --sprt 0,1 --beta 0.0000001 --alpha 0.0000001 --journal games --resume --progress 0.05"
    );
    let output = scratch.run(&options.replace("0,1", "75,75.01"));
    let said = text(&output.stderr);
    let last = said.lines().rfind(|line| line.contains("/200 games")).expect("progress");
    let done: u32 = last
        .split("/200")
        .next()
        .and_then(|text| text.split(' ').next_back())
        .and_then(|n| n.parse().ok())
        .expect("a number");
    assert!(
        done <= 200 && last.contains("LLR ") && last.contains("a second") && !said.contains('\x1b'),
        "{said}"
    );
    assert_eq!(
        scratch.table(&format!("{TWO} --pairs 10 --progress 0")).lines().count(),
        scratch.table("report games").lines().count()
    );
}

#[test]
fn the_exit_code_tells_the_verdict() {
    let scratch = Scratch::new("figures-verdict");
    for (options, code, word) in [
        ("--pairs 50 --sprt 75,76", 0, "H1 accepted"),
        ("--pairs 50 --sprt 140,149", 4, "H0 accepted"),
        ("--pairs 5 --sprt 75,76", 3, "undecided"),
        ("--pairs 5", 0, "g against r"),
    ] {
        let output = scratch.run(&format!("{TWO} {options}"));
        assert_eq!(output.status.code(), Some(code), "{options}: {}", text(&output.stdout));
        assert!(text(&output.stdout).contains(word), "{}", text(&output.stdout));
    }
}

#[test]
fn check_shows_and_keeps_the_dialogue() {
    let scratch = Scratch::new("figures-check");
    // Silent in the first trial, which comes after a look whether it starts; then it ends at once.
    let script = "sh -c 'echo x >>runs; [ $(wc -l <runs) -le 2 ] || exit 1; echo hello >&2; for i in 1 2 3 4 5 6; do read x; done; sleep 9'";
    let mut command = scratch.command("check --time 0.3 --games 0 --verbose --logs logs --bot");
    let output = command.arg(script).output().expect("it runs");
    let said = text(&output.stdout);
    assert!(said.contains("does it flush its output after every line?"), "{said}");
    assert!(said.contains("        < Start\n") && said.contains("        | hello\n"), "{said}");
    let log = fs::read_to_string(scratch.path("logs/000001.txt")).expect("a log");
    assert!(log.starts_with("FAILED  red: a whole game: silence") && log.contains("\n< Start\n"), "{log}");
}

#[test]
fn a_terminal_that_cannot_redraw_gets_no_escape_codes() {
    let scratch = Scratch::new("figures-dumb");
    for (terminal, escapes) in [("dumb", false), ("xterm", true)] {
        // `script` of util-linux lends a terminal; where there is none, nothing is tested.
        let command = format!("{BLACKHOLE} {TWO} --pairs 200 --progress 0.01");
        let script = format!("TERM={terminal} script -qec '{command}' /dev/null");
        let output = scratch.shell(&script);
        if output.status.code() != Some(127) {
            let said = text(&output.stdout);
            assert!(said.contains("/400 games") && said.contains('\x1b') == escapes, "{terminal}: {said}");
        }
    }
}
