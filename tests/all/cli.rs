//! The real binary: its options, exit codes and streams.

use crate::common::*;

/// The player's own tests tell which lines fit.
#[test]
fn bad_input_gives_one_error_and_exit_code_2() {
    for (input, line) in [(&b"Z9\n"[..], 1), (b"E2\nA1\nC4\nG2\nD2\nB1\xff=3\n", 6)] {
        let ran = blackhole("play --nodes 20", input).refused(&format!("\nblackhole: line {line}: found "));
        let (version, error) = ran.stderr.split_once('\n').expect("two lines");
        assert_eq!(version, concat!("R blackhole ", env!("CARGO_PKG_VERSION")));
        assert_eq!(blackhole("play --nodes 20 --quiet", input).refused("").stderr, error);
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

/// Let two bots with these options play a pair of games; return the records and what both wrote on standard error.
fn pair(options: [&str; 2]) -> (String, String) {
    let scratch = Scratch::new(&format!("cli-{}", options.concat().replace(' ', "")));
    scratch.write("opening", FIVE.replace('\n', " "));
    let bots = options.map(|options| format!("blackhole {options}"));
    let run = "--openings opening --pairs 1 --time 600 --concurrency 1 --journal games --logs logs";
    scratch.play(&bots.each_ref().map(|bot| &**bot), run).expect(0, "  max s\n");
    (scratch.table("convert games"), scratch.shell("sed -n 's/^# //p' logs/*").stdout)
}

#[test]
fn the_same_seed_and_nodes_give_the_same_games() {
    let options = ["--nodes 300 --seed 7", "play --nodes 200"];
    let (first, notes) = pair(options);
    assert_eq!(pair(options).0, first);
    assert_eq!([first.lines().count(), notes.matches(" left ").count()], [2, 60], "{notes}");
    assert_eq!(notes.matches(concat!("R blackhole ", env!("CARGO_PKG_VERSION"), "\n")).count(), 4);
    assert_ne!(pair(["--nodes 300 --seed 8", "--nodes 200 --seed 9"]).0, first, "other seeds, other games");
    let plain = blackhole("--player greedy", format!("{FIVE}Start\n")).expect(0, "=15\n").stderr;
    assert!(plain.contains("=15 unsearched: nodes 0 "), "{plain}");
}

#[test]
fn games_by_the_clock_end_well_even_without_time() {
    let (games, notes) = pair(["--time 0.5", "--time 0"]);
    assert_eq!(games.matches('=').count(), 60);
    // With the default 5 s, more would be left at first.
    assert_eq!(notes.matches(" left 0.").count(), 60, "{notes}");
}

#[test]
fn help_version_and_settings_are_everywhere() {
    let commands = ",play,board,analyse,solve,think,review,convert,show,match,report,check,submission";
    let version = concat!("blackhole ", env!("CARGO_PKG_VERSION"), "\n");
    for command in commands.split(',') {
        let run = |option: &str| blackhole(&format!("{command} {option}"), "");
        let usage = format!("Usage: blackhole{}{command}", if command.is_empty() { "" } else { " " });
        for option in ["--help", "-h"] {
            assert!(run(option).fine().contains(&usage), "{usage}");
        }
        for option in ["--version", "-V"] {
            assert_eq!(run(option).fine(), version, "{command}");
        }
        run("--unheard-of").refused("--unheard-of");
    }
    for arguments in ["--set list", "think --set list", "play --set=list"] {
        let list = blackhole(arguments, "").fine();
        assert_eq!(list.lines().filter(|line| line.contains("..=")).count(), Params::ROWS.len(), "{list}");
    }
}

#[test]
fn unfit_options_tell_the_found_and_the_expected() {
    for (expected, unfit) in [
        ("expected a whole number from ", "--seed -1; --nodes 0; --nodes 1.5; --memory 0; review --from 0"),
        ("expected a whole number from ", "--set solve_from=0.5; show --ply 31; analyse --ply -1"),
        ("expected a number from 0 to ", "--time -1; --time NaN; solve --limit -1; --set exploration=x"),
        ("expected a setting", "--set horizons=1"),
        ("expected NAME=VALUE, such as exploration=0.3, or list", "--set staked"),
        ("expected a number from 0.001 to 1000000", "submission --time 0"),
        ("a value is required", "--time"),
        ("invalid value 'x'", "show --ply x"),
        ("[possible values: record, base36, json]", "convert --to text"),
        ("unexpected ", "--threads 2; --quiet=1; --json; solve one two; solve --nodes 5"),
        ("'replay'", "replay"),
        ("cannot be used multiple times", "play --time 1 --time 2"),
        ("cannot be used with", "play --quiet game.txt; play --time 1 --nodes 5"),
        ("cannot be used with", "--player casual --nodes 5; --player casual --memory 5; --quiet solve"),
        ("cannot be used with", "think --nodes 5 --time 1; think --move-time 1 --nodes 5"),
        ("cannot be used with", "think --move-time 1 --time 5; play --player casual --set ahead=0"),
    ] {
        for arguments in unfit.split("; ") {
            let error = blackhole(arguments, "").refused(expected).stderr;
            assert!(error.starts_with("error: "), "{arguments}: {error}");
        }
    }
}

/// An error of a game, a record or an option is told in its own words.
#[test]
fn what_cannot_be_read_is_located_in_one_line() {
    let two = "E2 A1 C4 G2 D2 B1=1\n".repeat(2);
    for (arguments, input, expected) in [
        ("solve E4", EMPTY_4, "blackhole: E4: "),
        ("play game.txt", "", "game.txt: expected a terminal"),
        ("review --html -", EMPTY_4, "-: expected a file"),
        ("solve -", "", "blackhole: standard input: line 1: found the end, expected "),
        ("think /dev/zero", "", "blackhole: /dev/zero: expected a file, found a device"),
        ("think", EXAMPLE, "the game is over"),
        ("show --ply 3", "E2 A1 C4 G2 D2 B1=1", "blackhole: found --ply 3, expected a number from 0 to 1"),
        ("show", &two, "standard input: found 2 games, expected one, or --game N from 1 to 2"),
        ("solve --game 3", &two, "found --game 3, expected a number from 1 to 2"),
        ("convert --to base36", "A1 red: blue: to-move:red", "found "),
        ("show no\u{7}file", "", "blackhole: no\\u{7}file: "),
    ] {
        let error = blackhole(arguments, input).refused(expected).stderr;
        assert_eq!(error.lines().count(), 1, "{arguments}: {error}");
    }
}

#[test]
fn a_review_goes_on_after_a_bad_file() {
    let scratch = Scratch::new("cli-bad-file");
    scratch.write("a", EXAMPLE);
    scratch.write("b", "Z9");
    scratch.write("c", EMPTY_4);
    let ran = scratch.run("review --limit 0 --from 28 a b missing c");
    assert_eq!(ran.code, Some(2), "{}", ran.said());
    let told: Vec<&str> = ran.stderr.lines().collect();
    assert!(told.len() == 2 && told[0].starts_with("blackhole: b: line 1: found "), "{told:?}");
    assert!(told[1].starts_with("blackhole: missing: "), "{told:?}");
    assert!(ran.stdout.contains("game 1\n") && ran.stdout.contains("\ngame 2\n"), "{}", ran.stdout);
    scratch.run("review b missing").refused("blackhole: missing: ");
}

#[test]
fn the_readme_is_short_and_its_game_is_the_example() {
    assert!(README.split_whitespace().count() <= 1_500);
    let dialogue = blackhole("convert --to base36", readme_block("\nE4")).fine();
    assert_eq!(dialogue.trim_end(), EXAMPLE);
}

#[test]
fn the_readmes_bot_keeps_to_the_dialogue() {
    let bot = readme_block("python\n").trim_start_matches("python\n");
    assert!(bot.lines().count() <= 25, "{bot}");
    // The program itself: a wrapper on the path may start slowly.
    let python = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let Ok(python) = python.map(|output| Ran::from(output).fine()) else {
        return println!("the bot was passed over: python3 is missing");
    };
    let scratch = Scratch::new("readme");
    scratch.write("bot.py", bot);
    let check = format!("check --games 0 --bot '{} bot.py'", python.trim());
    // On a busy machine it may run on for a second after Quit.
    ten_tries(|| scratch.run(&check), |ran| ran.code == Some(0)).expect(0, " passed, 0 failed");
}

/// Some parents hand over pipes in non-blocking mode.
#[cfg(unix)]
#[test]
fn non_blocking_pipes_work() {
    let scratch = Scratch::new("cli-pipes");
    scratch.write("five", format!("{FIVE}Start\nQuit\n"));
    scratch.write("four", EMPTY_4);
    let begin = "import os, sys; [os.set_blocking(n, False) for n in (0, 1)]; open('ready', 'w'); \
                 os.execvp('blackhole', sys.argv)";
    // Nothing is written or read before it waits.
    let later = "while [ ! -e ready ] && [ ! -e code ]; do sleep .05; done; sleep .3; cat";
    let commands = [("play --nodes 20", "five", 4), ("solve", "four", 20), ("submission", "four", 100_000)];
    for (command, input, least) in commands {
        let run = format!("(python3 -c \"{begin}\" {command}; echo $? >code)");
        let ran = scratch.shell(&format!("rm -f ready code; ({later} {input}) | {run} | ({later})"));
        let fits = ran.stdout.len() >= least && ran.stdout.ends_with('\n') && scratch.read("code") == "0\n";
        assert!(fits || scratch.read("code") == "127\n", "{command}: {}", ran.said());
    }
}
