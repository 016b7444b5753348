//! Files: nothing is destroyed on a guess, nothing is lost when one output fails (kinds C, H, I, J,
//! M).

use std::fs;
use std::process::Output;
use std::time::{Duration, Instant};

use crate::scratch::{BLACKHOLE, Scratch, signal, text};

const TWO: &str = "match --bot g=builtin:greedy --bot r=builtin:random --seed 5";

fn said(output: &Output) -> String {
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

fn expect(scratch: &Scratch, options: &str, code: i32, words: &str) -> Output {
    let output = scratch.run(options);
    assert_eq!(output.status.code(), Some(code), "{options}: {}", said(&output));
    assert!(said(&output).contains(words), "{options}: {}", said(&output));
    output
}

#[test]
fn another_file_is_never_cut() {
    let scratch = Scratch::new("files-cut");
    expect(&scratch, &format!("{TWO} --pairs 2 --journal good"), 0, "");
    let good = fs::read(scratch.path("good")).expect("a journal");
    let line = good.split(|&byte| byte == b'\n').next().expect("a line");
    let others: [&[u8]; 17] = [
        b"{\"name\":\"x\"}",
        b"{\"name\":\"x",
        b"{\"settings\":5",
        b"word",
        b"[1",
        b"\x7fELF\0\0\0",
        b"\n{]",
        b"{\"blocked\":[\"ads.example.com\"",
        b"{\"blocked\":[\"ads",
        b"{\"settings\":\"abc\",\"other\":1",
        b"{\"settings\":\"0123456789abcdef\",\"other\":1",
        b"{\"round\":1,\"red\":\"alice\",\"blue\":\"bob\",\"moves\":[\"H1=15\"",
        b"{ \"settings\": \"ab",
        b"{\"sides\":[{\"foo\":1,\"bar\":2",
        b"{\"points\":[100,100],\"red\":\"",
        b"{\"blocked\":[\"A1\",\"A2\",\"A3\",\"A4\",\"A5\"],\"blue\":\"b\x1b",
        b"{\"value\":7,\"record\":\"x",
    ];
    for other in others {
        for before in [&b""[..], &good[..]] {
            let content = [before, other].concat();
            fs::write(scratch.path("other"), &content).expect("a file");
            expect(&scratch, &format!("{TWO} --pairs 2 --journal other --resume"), 2, "other: line ");
            expect(&scratch, "report other", 2, "other: line ");
            assert_eq!(fs::read(scratch.path("other")).expect("the file"), content);
        }
    }
    for alone in [&b"{"[..], b"{\"sett", &[0; 5000], b"\n\0\0"] {
        fs::write(scratch.path("other"), alone).expect("a file");
        expect(&scratch, &format!("{TWO} --pairs 2 --journal other --resume"), 2, "other: line ");
        assert_eq!(fs::read(scratch.path("other")).expect("the file"), alone);
    }
    // A torn line is cut, and that is said; a whole record without its end of line counts, zeros do
    // not.
    let zeros = vec![0; 3000];
    let [torn, nothing] = ["the torn last line is", ""];
    for (tail, word, games) in [
        (&line[..40], torn, 4),
        (&zeros[..], torn, 4),
        (&[&line[..40], &zeros].concat()[..], torn, 4),
        (&line[..0], nothing, 4),
    ] {
        fs::write(scratch.path("tail"), [&good, tail].concat()).expect("a file");
        expect(&scratch, "report tail", 0, word);
        expect(&scratch, &format!("{TWO} --pairs 2 --journal tail --resume"), 0, word);
        assert_eq!(scratch.lines("tail"), games);
    }
    fs::write(scratch.path("tail"), &good[..good.len() - 1]).expect("a file");
    let table = expect(&scratch, "report good", 0, "");
    assert_eq!(expect(&scratch, "report tail", 0, "").stdout, table.stdout);
    expect(&scratch, &format!("{TWO} --pairs 3 --journal tail --resume"), 0, "");
    assert_eq!(scratch.lines("tail"), 6);
}

#[test]
fn a_folder_of_logs_keeps_what_is_in_it() {
    let scratch = Scratch::new("files-logs");
    fs::create_dir(scratch.path("logs")).expect("a directory");
    fs::write(scratch.path("logs/.probe"), "precious").expect("a file");
    expect(&scratch, &format!("{TWO} --pairs 1 --logs logs"), 0, "");
    assert_eq!(fs::read_dir(scratch.path("logs")).expect("a directory").count(), 3);
    assert_eq!(fs::read_to_string(scratch.path("logs/.probe")).expect("kept"), "precious");
}

#[test]
fn an_output_is_no_input_and_no_device() {
    let scratch = Scratch::new("files-same");
    expect(&scratch, &format!("{TWO} --pairs 2 --journal games"), 0, "");
    let before = fs::read(scratch.path("games")).expect("a journal");
    fs::hard_link(scratch.path("games"), scratch.path("link")).expect("a link");
    fs::create_dir(scratch.path("dir")).expect("a directory");
    fs::write(scratch.path("openings"), "A1 A2 A3 A4 A5\n").expect("a file");
    let openings = format!("{TWO} --openings openings");
    for (options, words) in [
        ("report games --svg games", "another file for the picture"),
        ("report games --svg ./games", "another file for the picture"),
        ("report games --svg link", "another file for the picture"),
        ("report games --svg /dev/full", "expected a regular file"),
        ("report games --svg dir", "expected a regular file"),
        ("report /dev/zero", "found a device"),
        (&format!("{TWO} --journal /dev/full"), "expected a regular file"),
        (&format!("{TWO} --journal dir"), "expected a regular file"),
        (&format!("{openings} --journal openings"), "openings: "),
        (&format!("{TWO} --openings /dev/zero"), "found a device"),
        ("calibrate --games /dev/zero --cells 9", "found a device"),
    ] {
        expect(&scratch, options, 2, words);
    }
    for command in ["report games >>games", &format!("{TWO} --pairs 2 --journal games --resume >>games")] {
        let output = scratch.shell(&format!("{BLACKHOLE} {command}"));
        assert_eq!(output.status.code(), Some(2), "{command}");
        assert!(text(&output.stderr).contains("another file than standard output"), "{}", said(&output));
    }
    assert_eq!(fs::read(scratch.path("games")).expect("a journal"), before);
}

#[test]
fn a_failed_side_output_leaves_the_table() {
    let scratch = Scratch::new("files-table");
    // A bot that removes the logs in its second game.
    let remover = format!(
        "sh -c '[ ! -e logs/000001-a=b.txt ] || rm -r logs; exec {BLACKHOLE} play --player random --quiet'"
    );
    let run = |options: &str| {
        let mut command =
            scratch.command("match --pairs 3 --concurrency 1 --bot b=builtin:random --logs logs");
        command.arg(format!("--bot=a={remover}")).args(options.split_whitespace()).output().expect("it runs")
    };
    let output = run("--journal games");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(
        text(&output.stderr).contains("logs: ") && text(&output.stdout).contains("a against b"),
        "{}",
        said(&output)
    );
    assert!((1..6).contains(&scratch.lines("games")));
    let long = "x".repeat(300);
    expect(
        &scratch,
        &format!("match --bot {long}=builtin:random --bot b=builtin:random --logs l"),
        2,
        "at most 100 bytes",
    );
    expect(&scratch, &format!("{TWO} --pairs 3 --journal games2"), 0, "");
    for (options, code, words) in [
        ("report games2 --bot nobody", 2, "there are no games of nobody"),
        ("report games2 --bot nobody --svg x.svg", 2, "there are no games of nobody"),
        ("report games2 --svg no/such/dir/x.svg", 1, "no/such/dir/x.svg"),
    ] {
        let output = expect(&scratch, options, code, words);
        assert_eq!(code == 1, text(&output.stdout).contains("g against r"), "{}", said(&output));
    }
    // A journal that somebody else moves or cuts in mid-match.
    for command in ["rm games3", "mv games3 games4", ": >games3"] {
        let bot = format!(
            "sh -c '[ \"$(wc -l <games3)\" -ge 2 ] && {command}; exec {BLACKHOLE} play --player random --quiet'"
        );
        let mut match_command =
            scratch.command("match --pairs 3 --concurrency 1 --bot b=builtin:random --journal games3");
        let output = match_command.arg(format!("--bot=a={bot}")).output().expect("it runs");
        assert_eq!(output.status.code(), Some(1), "{command}: {}", said(&output));
        assert!(
            text(&output.stderr).contains("games3: ") && text(&output.stdout).contains("a against b"),
            "{command}: {}",
            said(&output)
        );
        let _ = fs::remove_file(scratch.path("games3"));
    }
    // Labels that cannot be written leave the study.
    let games = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/strong.jsonl");
    let study =
        format!("calibrate --games {} --every 20 --cells 7 --playouts 1 --labels labels", games.display());
    let output = scratch.shell(&format!("ulimit -f 0; exec {BLACKHOLE} {study}"));
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(
        text(&output.stderr).contains("labels: ") && text(&output.stdout).contains("7 "),
        "{}",
        said(&output)
    );
    // A file that cannot grow: half a line is taken back.
    let script = format!("ulimit -f 4; exec {BLACKHOLE} {TWO} --pairs 50 --journal full");
    let output = scratch.shell(&script);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(
        text(&output.stderr).contains("full: ") && text(&output.stdout).contains("g against r"),
        "{}",
        said(&output)
    );
    let games = fs::read_to_string(scratch.path("full")).expect("a journal");
    assert!(games.ends_with("}\n"), "{games}");
    if std::path::Path::new("/dev/full").exists() {
        fs::write(scratch.path("torn"), &games[..games.len() - 9]).expect("a file");
        let output = scratch.shell(&format!("{BLACKHOLE} report torn 2>/dev/full"));
        assert!(output.status.success() && text(&output.stdout).contains("g against r"), "{}", said(&output));
    }
}

#[test]
fn logs_of_different_games_have_different_names() {
    let scratch = Scratch::new("files-logs");
    let bots: String =
        ["v1", "v1-fast", "fast-v2", "v2"].map(|name| format!(" --bot {name}=builtin:random")).concat();
    for (seed, files) in [(1, 24), (2, 48)] {
        expect(&scratch, &format!("match{bots} --pairs 2 --seed {seed} --logs logs"), 0, "");
        let logs: Vec<_> = fs::read_dir(scratch.path("logs")).expect("logs").flatten().collect();
        assert_eq!(logs.len(), files);
        if seed == 1 {
            for log in logs {
                fs::write(log.path(), "kept").expect("a file");
            }
        }
    }
    let kept = fs::read_dir(scratch.path("logs")).expect("logs").flatten();
    assert_eq!(kept.filter(|log| fs::read(log.path()).expect("a log") == b"kept").count(), 24);
}

#[test]
fn a_closed_output_is_no_success() {
    let scratch = Scratch::new("files-closed");
    expect(&scratch, &format!("{TWO} --pairs 2 --journal games"), 0, "");
    fs::write(scratch.path("opening"), "A1 A2 A3 A4 A5 Start".replace(' ', "\n")).expect("a file");
    let bad = "sh -c 'sleep 0.05; exit 3'";
    for (command, code) in [
        (format!("check --bot \"{bad}\" --games 0 | head -1"), 1),
        (format!("match --bot \"a={bad}\" --bot b=builtin:random --pairs 1 --stop-on-fault | true"), 1),
        ("report games --svg x.svg | true".to_string(), 0),
        ("report games >&-".to_string(), 1),
        ("--version >&-".to_string(), 1),
        ("report games 1</dev/null".to_string(), 1),
        ("match --help >/dev/full".to_string(), 1),
        ("--help | true".to_string(), 0),
        ("play --player random <opening >&-".to_string(), 1),
        ("play --player random <opening >/dev/full".to_string(), 1),
        (format!("{TWO} --pairs 1 >&-"), 1),
        (format!("check --bot '{BLACKHOLE} play --player random' --games 0 >&-"), 1),
        ("report games >/dev/null".to_string(), 0),
        ("report games >/dev/full".to_string(), 1),
    ] {
        let output = scratch.shell(
            &format!("({BLACKHOLE} {command}")
                .replacen(" | ", "; echo $? >code) | ", 1)
                .replace(">&-", ">&-; echo $? >code)")
                .replace("1</dev/null", "1</dev/null; echo $? >code)")
                .replace(" >/dev/null", " >/dev/null; echo $? >code)")
                .replace(">/dev/full", ">/dev/full; echo $? >code)"),
        );
        let found = fs::read_to_string(scratch.path("code")).expect("a code");
        assert_eq!(found.trim(), code.to_string(), "{command}: {}", said(&output));
    }
    let svg = fs::read_to_string(scratch.path("x.svg")).expect("the picture comes first");
    assert!(svg.ends_with("</svg>\n"));
}

#[test]
fn unlike_games_are_told_apart() {
    let scratch = Scratch::new("files-unlike");
    let script = |more: &str| format!("#!/bin/sh\n{more}exec {BLACKHOLE} play --player random --quiet\n");
    fs::write(scratch.path("bot.sh"), script("")).expect("a script");
    let bots = "match --bot r=builtin:random --pairs 1";
    let run = |options: &str| {
        let mut command = scratch.command(bots);
        command.arg("--bot=a=sh bot.sh").args(options.split_whitespace()).output().expect("it runs")
    };
    assert_eq!(run("--journal games").status.code(), Some(0));
    for (options, words) in [
        ("--time 7", "time 5 s (here 7 s)"),
        ("--seed 9", "seed 1 (here 9)"),
        ("--startup 3", "start-up limit none (here 3 s)"),
        ("--suspend", "--suspend off (here on)"),
    ] {
        let output = run(&format!("--journal games --resume {options}"));
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(words), "{options}: {}", said(&output));
    }
    // The script behind the command is another one.
    fs::write(scratch.path("bot.sh"), script("true\n")).expect("a script");
    let output = run("--journal games --resume");
    assert!(
        output.status.code() == Some(2) && said(&output).contains("a's version of the program"),
        "{}",
        said(&output)
    );
    assert_eq!(run("--journal more --time 7").status.code(), Some(0));
    let report = scratch.table("report games more");
    for words in [
        "note: games of a with different time counted together: 5 s, 7 s",
        "note: games of a with different version",
    ] {
        assert!(report.contains(words), "{report}");
    }
    assert!(!scratch.table("report games").contains("note: games of"));
    let journal = fs::read_to_string(scratch.path("games")).expect("a journal");
    assert!(
        journal.contains(concat!("\"version\":\"blackhole ", env!("CARGO_PKG_VERSION"), "\"")),
        "{journal}"
    );
}

#[test]
fn a_program_built_again_in_mid_match_ends_it() {
    let scratch = Scratch::new("files-built");
    let script = format!(
        "#!/bin/sh\n[ \"$(wc -l <games)\" -ge 2 ] && echo '#' >>bot.sh\nexec {BLACKHOLE} play --player random --quiet\n"
    );
    fs::write(scratch.path("bot.sh"), script).expect("a script");
    let mut command =
        scratch.command("match --bot r=builtin:random --pairs 9 --concurrency 1 --journal games");
    let output = command.arg("--bot=a=sh bot.sh").output().expect("it runs");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(
        said(&output).contains("a: 'sh bot.sh' was changed or removed while the match ran"),
        "{}",
        said(&output)
    );
    assert!((2..=3).contains(&scratch.lines("games")));
}

#[test]
fn a_script_that_is_gone_ends_the_match_and_the_check() {
    let scratch = Scratch::new("files-gone");
    let script = |lines| {
        // The journal's line may come after the next game has begun.
        let remove = format!("[ \"$(wc -l <{lines})\" -ge 2 ] && mv bot.sh gone.sh");
        let script =
            format!("#!/bin/sh\n{remove}\necho >>starts\nexec {BLACKHOLE} play --player random --quiet\n");
        fs::write(scratch.path("bot.sh"), script).expect("a script");
        assert!(scratch.shell("chmod +x bot.sh").status.success());
    };
    script("games");
    let mut command =
        scratch.command("match --bot r=builtin:random --pairs 9 --concurrency 1 --journal games");
    let output = command.arg("--bot=a=/bin/sh bot.sh").output().expect("it runs");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("a: '/bin/sh bot.sh' was changed or removed"), "{}", said(&output));
    fs::write(scratch.path("starts"), "").expect("a file");
    script("starts");
    let output = scratch.run("check --games 0 --bot ./bot.sh");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(!said(&output).contains("FAILED"), "{}", said(&output));
    assert_eq!(said(&output).matches("cannot start './bot.sh'").count(), 1, "{}", said(&output));
}

#[test]
fn a_second_check_into_one_folder_writes_beside_the_first() {
    let scratch = Scratch::new("files-check");
    for files in [16, 32] {
        let check = scratch.command("check --games 0 --logs logs --bot");
        let output = { check }.arg(format!("{BLACKHOLE} play --player random")).output().expect("it runs");
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert_eq!(fs::read_dir(scratch.path("logs")).expect("logs").count(), files);
    }
}

#[test]
fn a_second_run_on_one_journal_is_refused() {
    let scratch = Scratch::new("files-lock");
    let mut child = scratch.start_shell(&format!("exec {BLACKHOLE} {TWO} --pairs 100000 --journal games"));
    let begin = Instant::now();
    while scratch.lines("games") < 2 && begin.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(20));
    }
    expect(
        &scratch,
        &format!("{TWO} --pairs 100000 --journal games --resume"),
        2,
        "games: another run is writing to it",
    );
    signal(&child, "KILL");
    child.wait().expect("it ends");
    expect(&scratch, &format!("{TWO} --pairs 2 --journal games --resume"), 0, "");
}
