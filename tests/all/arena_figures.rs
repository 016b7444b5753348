//! Figures say no more than they know, everywhere the same (kind L and what users of other runners
//! expect).

use crate::scratch::{BLACKHOLE, Scratch, THREE, TWO, quoted};

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
    scratch.write("openings", "A1 A2 A3 A4 A5\n");
    let bot = format!("{BLACKHOLE} play --player greedy --quiet");
    let play = |options: &str| scratch.play(&[bot.as_str(); 2], &format!("--openings openings {options}"));
    let ran = play("--pairs 8").expect(0, "note: only 2 of 16 games differ");
    ran.expect(0, "note: 8 pairs share 1 opening\n");
    assert!(!scratch.table(&format!("{TWO} --pairs 30")).contains("note:"));
    // The same pair again and again decides nothing, neither now nor in the report.
    let undecided = "SPRT: undecided after 40 pairs (too few, at least 20";
    play("--pairs 40 --sprt 75,75.4 --journal games").expect(3, undecided);
    scratch.run("report games --sprt 75,75.4").expect(0, undecided);
}

#[test]
fn picture_and_table_agree_and_name_both_bots() {
    let scratch = Scratch::new("figures-picture");
    let picture = |options: &str| {
        let table = scratch.table(&format!("report {options} --svg x.svg"));
        let svg = scratch.read("x.svg");
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "{svg}");
        (table, svg)
    };
    let table = scratch.table(&format!("{THREE} --pairs 8 --journal games"));
    let (_, svg) = picture("games");
    let row: Vec<&str> = table.lines().nth(1).expect("a row").split_whitespace().collect();
    let title = format!("mean points a game: {} ± {}, band", row[1], row[3]);
    assert!(
        svg.contains(&title) && svg.contains("g against 2 others: points of 32 games"),
        "{title}\n{table}"
    );
    scratch.table(&format!("{TWO} --pairs 8 --journal two"));
    let (table, svg) = picture("two --sprt 75,76");
    assert!(table.contains("SPRT: undecided after 8 pairs (too few"), "{table}");
    assert!(table.contains("points a game of g, α"), "{table}");
    assert!(svg.contains("g against r: points of 16 games") && svg.contains(">SPRT: undecided"), "{svg}");
    assert!(picture("two --bot r").1.contains("r against g: points of 16 games"));
    scratch.table(&format!("{THREE} --gauntlet g --pairs 2 --journal star"));
    assert!(picture("star --bot r").1.contains("r against g: points of 4 games"));
    scratch.write("names", scratch.read("two").replace("\"g\"", "\"g\u{ffff}\""));
    assert!(!picture("names").1.contains('\u{ffff}'));
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
    let test = "--sprt 75,75.01 --beta 0.0000001 --alpha 0.0000001";
    let said =
        scratch.run(&format!("{TWO} --pairs 100 {test} --journal games --resume --progress 0.05")).stderr;
    let last = said.lines().rfind(|line| line.contains("/200 games")).expect("progress");
    let done = last.split("/200").next().and_then(|text| text.split(' ').next_back());
    let done: u32 = done.and_then(|number| number.parse().ok()).expect("a number");
    assert!(done <= 200 && last.contains("LLR ") && last.contains("a second"), "{said}");
    assert!(!said.contains('\x1b'), "{said}");
    let never = scratch.table(&format!("{TWO} --pairs 10 --progress 0"));
    assert_eq!(never.lines().count(), scratch.table("report games").lines().count());
}

#[test]
fn the_exit_code_tells_the_verdict() {
    let scratch = Scratch::new("figures-verdict");
    for (options, code, word) in [
        ("--pairs 50 --sprt 75,76", 0, "H1 accepted"),
        ("--pairs 50 --sprt 140,149", 4, "H0 accepted"),
        ("--pairs 5 --sprt 75,76", 3, "SPRT: undecided after 5 pairs"),
        ("--pairs 5", 0, "g against r"),
    ] {
        scratch.run(&format!("{TWO} {options}")).expect(code, word);
    }
}

#[test]
fn check_shows_and_keeps_the_dialogue() {
    let scratch = Scratch::new("figures-check");
    // Silent in the first trial, which comes after a look whether it starts; then it ends at once.
    let script = "sh -c 'echo x >>runs; [ $(wc -l <runs) -le 2 ] || exit 1; echo hello >&2; for i in 1 2 3 4 5 6; do read x; done; sleep 9'";
    let options = "check --time 0.3 --games 0 --verbose --logs logs --bot";
    let ran = scratch.run(&format!("{options} {}", quoted(script)));
    ran.expect(1, "does it flush its output after every line?")
        .expect(1, "        < Start\n")
        .expect(1, "        | hello\n");
    let log = scratch.read("logs/000001.txt");
    assert!(log.starts_with("FAILED  red: a whole game: silence") && log.contains("\n< Start\n"), "{log}");
}

#[test]
fn a_terminal_that_cannot_redraw_gets_no_escape_codes() {
    let scratch = Scratch::new("figures-dumb");
    for (terminal, escapes) in [("dumb", false), ("xterm", true)] {
        // `script` of util-linux lends a terminal; where there is none, nothing is tested.
        let command = format!("{BLACKHOLE} {TWO} --pairs 200 --progress 0.01");
        let ran = scratch.shell(&format!("TERM={terminal} script -qec '{command}' /dev/null"));
        if ran.code != Some(127) {
            let said = ran.stdout;
            assert!(said.contains("/400 games") && said.contains('\x1b') == escapes, "{terminal}: {said}");
        }
    }
}
