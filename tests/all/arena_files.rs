//! Files: no guess destroys one, and no result is lost if one output fails.

use crate::common::*;

#[test]
fn another_file_is_never_cut() {
    let scratch = Scratch::new("files-cut");
    scratch.run(&format!("{TWO} --pairs 2 --journal good")).expect(0, "");
    let good = fs::read(scratch.path("good")).expect("a journal");
    // More of them in the test of `system::lines`.
    for content in [b"word".to_vec(), [&good, &b"word"[..]].concat()] {
        scratch.write("other", &content);
        scratch.run(&format!("{TWO} --pairs 2 --resume other")).refused("other: line ");
        scratch.run("report other").refused("other: line ");
        assert_eq!(fs::read(scratch.path("other")).expect("the file"), content);
    }
    // A torn line is cut, and that is said; a whole record without its end of line counts, zeros do
    // not.
    scratch.write("tail", [&good, &good[..40], &[0; 3000]].concat());
    scratch.run("report tail").expect(0, "the torn last line is");
    scratch.run(&format!("{TWO} --pairs 2 --resume tail")).expect(0, "the torn last line is");
    assert_eq!(scratch.lines("tail"), 4);
    scratch.write("tail", &good[..good.len() - 1]);
    assert_eq!(scratch.table("report tail"), scratch.table("report good"));
    scratch.run(&format!("{TWO} --pairs 3 --resume tail")).expect(0, "");
    assert_eq!(scratch.lines("tail"), 6);
}

#[test]
fn an_output_is_no_input_and_no_device() {
    let scratch = Scratch::new("files-same");
    scratch.run(&format!("{TWO} --pairs 2 --journal games")).expect(0, "");
    let before = scratch.read("games");
    fs::hard_link(scratch.path("games"), scratch.path("link")).expect("a link");
    fs::create_dir(scratch.path("dir")).expect("a directory");
    scratch.write("openings", "A1 A2 A3 A4 A5\n");
    let openings = format!("printf '\\357\\273\\277A1 A2 A3 A4 A5\\n' | blackhole {TWO} --openings -");
    scratch.shell(&openings).expect(0, "pairs LL");
    scratch.write("note", "About <!DOCTYPE html> <meta name=\"generator\" content=\"blackhole review\">\n");
    for (words, unfit) in [
        ("found another file, expected a new one", "report games --html note; report games --html openings"),
        ("found another file, expected a new one", "report games --html ./games; report games --html link"),
        ("games/x.html: Not a directory", "report games --html games/x.html"),
        ("expected a regular file", "report games --html /dev/full; report games --html dir"),
        ("expected a regular file", "TWO --journal /dev/full"),
        ("found a device", "report /dev/zero; TWO --openings /dev/zero"),
        ("found the sign for standard output", "report games --html -; TWO --journal -"),
        ("openings: ", "TWO --openings openings --journal openings"),
    ] {
        unfit.split("; ").for_each(|options| _ = scratch.run(&options.replace("TWO", TWO)).refused(words));
    }
    for command in [
        "report games >>games",
        &format!("{TWO} --pairs 2 --resume games >>games"),
        "report games --html new >new",
        "review games --from 29 --html new >new",
    ] {
        scratch.shell(&format!("blackhole {command}")).refused("another file than standard output");
    }
    assert_eq!(scratch.read("games"), before);
    assert_eq!(scratch.read("openings"), "A1 A2 A3 A4 A5\n");
}

/// Check that a command failed with some words, but printed its table.
fn failed(ran: Ran, words: &str, table: &str) {
    assert!(ran.stderr.contains(words) && ran.stdout.contains(table), "{}", ran.said());
    ran.expect(1, "");
}

#[test]
fn a_page_that_cannot_be_written_leaves_the_table_and_the_older_page() {
    let scratch = Scratch::new("files-page");
    scratch.run(&format!("{TWO} --pairs 3 --journal games2")).expect(0, "");
    // A match does not begin.
    for command in ["report games2", &format!("{TWO} --journal games9")] {
        let said =
            scratch.run(&format!("{command} --html no/dir/x.html")).refused("x.html: No such file").stderr;
        assert!(!said.contains("tmp") && !scratch.path("games9").exists());
    }
    // An older page stays when a new one cannot be written.
    scratch.run("report games2 --html kept.html").expect(0, "");
    let (older, before) = (scratch.read("kept.html"), scratch.files("."));
    for page in ["kept.html", "fresh.html"] {
        let script = format!("ulimit -f 1; exec blackhole report games2 --html {page}");
        failed(scratch.shell(&script), &format!("{page}: "), "g against r");
        assert_eq!((scratch.read("kept.html"), scratch.files(".")), (older.clone(), before));
    }
    // A shorter and a longer page take its place, behind the link and with its mode.
    scratch.shell("chmod 604 kept.html; ln -s kept.html link.html").expect(0, "");
    scratch.run(&format!("{TWO} --pairs 1 --journal games3")).expect(0, "");
    for (journal, is_shorter) in [("games3", true), ("games2", false)] {
        scratch.run(&format!("report {journal} --html link.html")).expect(0, "");
        let page = scratch.read("kept.html");
        assert!(page.ends_with("</html>\n") && (page.len() < older.len()) == is_shorter, "{page}");
    }
    let find = "find . -type l -o -name '*.html' -perm 604 | sort | paste -s";
    scratch.shell(find).expect(0, "./kept.html\t./link.html\n");
}

/// The page is written from one end to the other before it takes the place of the older one.
#[test]
#[ignore = "takes a minute: cargo test --test all what_is_rewritten -- --ignored"]
fn what_is_rewritten_is_old_or_new_after_a_kill_at_any_moment() {
    let scratch = Scratch::new("files-kills");
    scratch.run(&format!("{TWO} --pairs 200 --journal games")).expect(0, "");
    let report = |name: &str| format!("report games --html page.html --title {name}");
    // Each page has a nonce of its own.
    let page = || {
        let page = scratch.read("page.html");
        let nonce = page.split("nonce=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a nonce");
        page.replace(nonce, "")
    };
    let pages = ["g", "r"].map(|name| {
        scratch.run(&report(name)).expect(0, "");
        page()
    });
    let begin = std::time::Instant::now();
    scratch.run(&report("g")).expect(0, "");
    let whole = begin.elapsed();
    for kill in 0..200u32 {
        let name = if kill % 2 == 0 { "r" } else { "g" };
        let moment = (whole * (100 + kill) / 300).as_secs_f64();
        scratch.shell(&format!("timeout -s KILL {moment} blackhole {}", report(name)));
        assert!(pages.contains(&page()), "kill {kill}");
    }
}

#[test]
fn a_journal_or_log_that_is_moved_or_cannot_grow_leaves_the_table() {
    let scratch = Scratch::new("files-journal");
    // Somebody else moves or cuts them in mid-match.
    for (game, command, words) in [
        (2, "rm games3", "games3: "),
        (2, "mv games3 games4", "games3: "),
        (2, ": >games3", "games3: "),
        (1, "rm -r logs", "logs/"),
    ] {
        let bot = random_after(&in_game(game, "games3", command));
        let options = "--pairs 3 --concurrency 1 --journal games3 --logs logs";
        failed(scratch.play(&[RANDOM, &bot], options), words, " against ");
        // The game whose log fails is in the journal.
        assert!(words != "logs/" || scratch.lines("games3") == 1);
        scratch.shell("rm -rf games3 logs starts");
    }
    // A file that cannot grow: half a line is taken back.
    let script = format!("ulimit -f 4; exec blackhole {TWO} --pairs 50 --journal full");
    failed(scratch.shell(&script), "full: ", "g against r");
    let games = scratch.read("full");
    assert!(games.ends_with("}\n"), "{games}");
    if Path::new("/dev/full").exists() {
        scratch.write("torn", &games[..games.len() - 9]);
        scratch.shell("blackhole report torn 2>/dev/full").expect(0, "g against r");
    }
}

#[test]
fn a_folder_of_logs_keeps_its_files() {
    let scratch = Scratch::new("files-log-folder");
    let names = ["v1", "v1-fast", "fast-v2", "v2"];
    let bots = names.map(|name| format!(" --bot {name}=builtin:random")).concat();
    let run = |seed| scratch.run(&format!("match{bots} --pairs 2 --seed {seed} --logs logs")).expect(0, "");
    run(1);
    assert_eq!(scratch.files("logs"), 24, "games of one round have different names");
    scratch.shell("for log in logs/*; do printf kept >$log; done").expect(0, "");
    run(2);
    scratch.shell("grep -lx kept logs/* | wc -l; ls logs | wc -l").expect(0, "24\n48\n");
    // Who goes on with a journal does it by the same command.
    scratch.run(&format!("{TWO} --pairs 1 --journal games --logs more")).expect(0, "");
    scratch.run("match --resume games --pairs 2").expect(0, "");
    assert_eq!(scratch.files("more"), 4);
    // Names that some file systems refuse, and one that would be the same when cut.
    let names = ["a:b?*", "é<|>", &"x".repeat(80), &format!("{}y", "x".repeat(80))];
    let bots = names.map(|name| format!(" --bot '{name}=builtin:random'")).concat();
    scratch.run(&format!("match{bots} --pairs 1 --logs odd")).expect(0, "");
    let odd = scratch.shell("ls odd").stdout;
    let odd: Vec<&str> = odd.lines().collect();
    let fits = |c: char| c.is_ascii_alphanumeric() || "-=~_.".contains(c);
    assert!(odd.len() == 12 && odd.iter().all(|log| log.len() < 100 && log.chars().all(fits)), "{odd:?}");
    assert!(!odd.iter().any(|log| log.contains("=2")), "{odd:?}");
}

#[test]
fn a_closed_output_is_no_success() {
    let scratch = Scratch::new("files-closed");
    scratch.run(&format!("{TWO} --pairs 2 --journal games")).expect(0, "");
    scratch.write("opening", "A1\nA2\nA3\nA4\nA5\nStart");
    scratch.write("small", EMPTY_4);
    let fails = "check --games 0 --bot \"sh -c 'sleep 0.05; exit 3'\"";
    let lost = "match --bot 'a=false' --bot b=builtin:random --pairs 1 --stop-on-fault";
    let two = format!("{TWO} --pairs 1");
    let passes = "check --bot 'blackhole play --player random' --games 0";
    // The exit code, the target of the output, and the commands.
    for (code, output, commands) in [
        (1, "| head -1", &[fails][..]),
        (1, "| true", &[lost]),
        (0, "| true", &["report games --html x.html", "--help", "solve small", "think --nodes 20 small"]),
        (0, "| true", &["play --nodes 20 <opening"]),
        (1, ">&-", &[passes, "report games", "--version", "play --player random <opening", &two]),
        (1, "1</dev/null", &["report games"]),
        (1, ">/dev/full", &["match --help", "play --player random <opening", "report games"]),
        (0, ">/dev/null", &["report games"]),
    ] {
        for command in commands {
            let [redirected, piped] = if output.starts_with('|') { ["", output] } else { [output, ""] };
            // The reader of a pipe is gone by then.
            let run = format!("(sleep .05; blackhole {command} {redirected}; echo $? >code) {piped}");
            let ran = scratch.shell(&run);
            assert_eq!(scratch.read("code").trim(), code.to_string(), "{command} {output}: {}", ran.said());
            assert!(!ran.stderr.contains("panic"), "{command} {output}: {}", ran.stderr);
        }
    }
    assert!(scratch.read("x.html").ends_with("</html>\n"), "a page needs no reader of the table");
}

#[test]
fn games_of_other_settings_or_programs_are_told_apart() {
    let scratch = Scratch::new("files-unlike");
    let script = |more: &str| format!("#!/bin/sh\n{more}exec blackhole play --player random --quiet\n");
    scratch.write("bot.sh", script(""));
    let run = |bot: &str, more: &str| scratch.play(&[RANDOM, bot], &format!("--pairs 1 --resume {more}"));
    run("sh bot.sh", "games").expect(0, "");
    for (options, words) in [
        ("games --time 7", "time 5 s (here 7 s)"),
        ("games --seed 9", "seed 1 (here 9)"),
        ("games --suspend", "--suspend off (here on)"),
    ] {
        run("sh bot.sh", options).refused(words);
    }
    // The script behind the command is another one.
    scratch.write("bot.sh", script("true\n"));
    let told = run("sh bot.sh", "games").refused("two's version of the program");
    told.refused("or is not found here: give a changed bot a new path and name");
    let bot = "sh -c 'exec blackhole play --player random --quiet'";
    run(bot, "quoted").expect(0, "");
    let other = run("sh -c 'exec blackhole play --player random' --quiet", "quoted");
    other.refused(&format!("two's command {bot} (here "));
    // Their hash, as another version may compute it, tells pairs apart and no more.
    scratch.shell("sed -i 's/\"settings\":\"[0-9a-f]*/\"settings\":\"12ab/' quoted").expect(0, "");
    run(bot, "quoted").expect(0, "");
    assert_eq!(scratch.lines("quoted"), 2);
    scratch.shell("sed -i 's/,\"sides.*/}/' quoted").expect(0, "");
    let older = "quoted: line 2: expected a game with sides and terms, found an older journal: blackhole ";
    ["report quoted", "match --resume quoted"].iter().for_each(|it| _ = scratch.run(it).refused(older));
}

#[test]
fn builtin_players_of_another_build_are_told_apart() {
    let scratch = Scratch::new("files-build");
    fs::copy(BLACKHOLE, scratch.path("build")).expect("a copy");
    scratch.run(&format!("{TWO} --pairs 1 --journal ours")).expect(0, "");
    scratch.shell(&format!("./build {TWO} --pairs 2 --resume ours")).expect(0, "");
    scratch.shell("printf x >>build").expect(0, "");
    let words = concat!("g's version of the program blackhole ", env!("CARGO_PKG_VERSION"), " ");
    scratch.shell(&format!("./build {TWO} --pairs 3 --resume ours")).refused(words);
}

#[test]
fn a_round_that_only_a_file_claims_is_no_size() {
    let scratch = Scratch::new("files-far");
    scratch.run(&format!("{TWO} --pairs 1 --journal ours")).expect(0, "");
    scratch.shell("sed 's/\"round\":0/\"round\":18446744073709551615/' ours >far").expect(0, "");
    scratch.run(&format!("{TWO} --time 7 --resume far")).refused("in round 18446744073709551615 with");
    for command in ["report far --html far.html", "review far --from 30 --limit .01"] {
        assert!(scratch.run(command).code.is_some_and(|code| code == 0 || code == 3), "{command}");
    }
    let bots = format!("\"bot\":[{}", "\"a=b\",".repeat(99_999));
    scratch.write("many", scratch.read("ours").replacen("\"bot\":[", &bots, 1));
    let ran = scratch.shell("ulimit -v 2000000; exec blackhole report many");
    ran.expect(0, "2 of 10000100000 games are played\n");
}

#[test]
fn a_changed_or_removed_program_ends_the_match_after_its_table_and_the_check() {
    let scratch = Scratch::new("files-changed");
    let script = |change: &str| {
        let script = in_game(2, "games", change);
        scratch.write("bot.sh", format!("#!/bin/sh\n{script}exec blackhole play --player random --quiet\n"));
        scratch.shell("chmod +x bot.sh; rm -f starts").expect(0, "");
    };
    for (bot, change) in [("/bin/sh bot.sh", "echo '#' >>bot.sh"), ("./bot.sh", "mv bot.sh gone.sh")] {
        script(change);
        let options = "--pairs 29 --concurrency 1 --sprt 75,75.3 --journal games";
        let words = format!("one: {bot} was changed or removed while the match ran");
        let ran = scratch.play(&[bot, RANDOM], options).expect(1, &words);
        ran.expect(1, "one against two: ").expect(1, "SPRT: undecided");
        let games = scratch.read("games");
        assert!(games.lines().count() == 2 && !games.contains("\"by\""), "{games}");
        scratch.remove("games");
    }
    // A file written by the bot is no part of its version.
    scratch.write("bot.sh", "#!/bin/sh\necho >>bot.log\nexec blackhole play --player random\n");
    scratch.shell("chmod +x bot.sh").expect(0, "");
    let piped = "sh -c ': | tee -a bot.log; exec ./bot.sh'";
    for command in ["./bot.sh bot.log", "sh -c './bot.sh 2>> bot.log'", piped] {
        for pairs in [1, 2] {
            scratch.play(&[command, RANDOM], &format!("--pairs {pairs} --resume games")).expect(0, "");
        }
        assert!(scratch.lines("bot.log") >= 4 && scratch.lines("games") == 4, "{command}");
        scratch.remove("games");
    }
    script("mv bot.sh gone.sh");
    scratch.write("games", "\n\n");
    let said = scratch.run("check --games 0 --bot ./bot.sh").expect(1, "").said();
    assert!(!said.contains("FAILED") && said.matches("cannot start ./bot.sh").count() == 1, "{said}");
}

#[test]
fn a_second_run_on_one_journal_is_refused() {
    let scratch = Scratch::new("files-lock");
    let mut child = scratch.start_shell(&format!("exec blackhole {TWO} --pairs 100000 --journal games"));
    wait_for("the second game", || scratch.lines("games") >= 2);
    let again = format!("{TWO} --pairs 100000 --resume games");
    scratch.run(&again).refused("games: another run is writing to it");
    signal(&child, "KILL");
    child.wait().expect("it ends");
    scratch.run(&format!("{TWO} --pairs 2 --resume games")).expect(0, "");
    // A file system without locks: it is said once.
    let strace = "strace -fqq -o trace -e trace=flock -e inject=flock:error";
    if !scratch.shell("strace -o trace true").stderr.is_empty() {
        return println!("strace cannot be had here");
    }
    for error in ["ENOSYS", "ENOLCK", "EOPNOTSUPP"] {
        let ran = scratch.shell(&format!("{strace}={error} blackhole {TWO} --pairs 2 --journal {error}"));
        let said = ran.expect(0, "the file cannot be locked").stderr;
        assert_eq!((said.lines().count(), scratch.lines(error)), (1, 4), "{said}");
    }
}
