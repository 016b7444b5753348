//! A tournament from one command: its settings, its journal, its faults and its shards.

use blackhole::arena::journal::JournalDir;

use crate::common::*;

#[test]
fn a_journal_is_the_whole_command() {
    let scratch = Scratch::new("tournament-record");
    scratch.write("openings", "E4 F2 A5 A7 C1\nE2 A1 C4 G2 D2\n");
    let options = "--openings openings --sprt 75,140 --time 4";
    let whole = scratch.run(&format!("{TWO} {options} --journal whole")).expect(3, "").stdout;
    scratch.run(&format!("{TWO} {options} --pairs 1 --journal part")).expect(3, "");
    // The journal has the openings themselves, and a longer match takes the place of the shorter one.
    scratch.remove("openings");
    scratch.run("match --resume part --pairs 2").expect(3, "");
    for (command, games) in [("--resume part", 4), ("--resume whole", 4), ("--resume part --pairs 1", 2)] {
        let ran = scratch.run(&format!("match {command}")).expect(3, "undecided after");
        assert!(ran.stdout.contains(&format!(" {games} ")), "{command}: {}", ran.stdout);
        assert_eq!(ran.stderr, "", "{command}");
    }
    assert_eq!(untimed(&scratch.run("report part").stdout), untimed(&whole));
    assert_eq!(scratch.read("part").lines().filter(|line| line.starts_with("{\"match\"")).count(), 3);
    // Its page, too: from then on the match ends in it, and another one has its title.
    let page = "--html page.html --title 'Our league' --judge 0";
    scratch.run(&format!("match --resume part {page}")).expect(3, "");
    scratch.remove("page.html");
    // It was not in the page of the report.
    for (command, title, page) in [
        ("match --resume part", "Our league", "page.html"),
        ("match --resume part --html other.html", "Our league", "other.html"),
        ("report part --html third.html", "Our league", "third.html"),
        ("match --resume part --title Renamed", "Renamed", "other.html"),
    ] {
        scratch.run(command).expect(3, "");
        let text = scratch.read(page);
        let named = text.contains(&format!("<title>{title} – Black Hole</title>"));
        assert!(named && text.contains("\"score\":"), "{command}");
    }
    let listed = scratch.table("convert part");
    assert_eq!(listed.lines().count(), 4, "the match is no game: {listed}");
    scratch.shell("sed -n 2p part >bare").expect(0, "");
    scratch.write("unknown", r#"{"match":{"bots":"a=x"}}"#);
    scratch.write("range", r#"{"match":{"pairs":"0"}}"#);
    for (command, complaint) in [
        ("--resume unknown", "unknown: unexpected argument '--bots' found"),
        ("--resume range", "range: invalid value '0' for '--pairs <N>': expected a whole number from 1"),
        ("--resume bare", "bare: expected a journal that begins with its match, found none"),
        ("--resume part --bot a=builtin:uct", "expected two bots or more, each by --bot NAME=COMMAND: --bot"),
        ("--resume part --bot g=builtin:greedy --bot a=builtin:uct", "games of g and r: name these bots"),
    ] {
        let error = scratch.run(&format!("match {command}")).refused(complaint).stderr;
        assert_eq!(error.lines().count(), 1, "{command}: {error}");
    }
}

#[test]
fn single_games_are_told_apart() {
    let scratch = Scratch::new("tournament-apart");
    // The bot plays its first move in the first two games of the second pair at the latest, and dies.
    let dies = "sh -c '[ $(({seed} % 3)) -ne 0 ] || exit 3; exec blackhole play --player greedy --quiet'";
    let options = "--time 60 --pairs 40 --sprt 50,149.99 --alpha 0.0001 --beta 0.0001 --concurrency 1";
    scratch.play(&[dies, RANDOM], &format!("{options} --journal games"));
    // The mean is that of the pairs, in the table, in its row and in the page.
    let table = untimed(&scratch.run("report games --html x.html").stdout);
    let left = scratch.run("report games --json").json()["pairings"][0].take();
    let mean = left["pairs"]["mean"].as_f64().expect("pairs");
    for told in [format!("one against two: {mean:.2} "), format!("\none {mean:.2} ")] {
        assert!(table.contains(&told), "{told}: {table}");
    }
    assert_eq!(crate::page::json_of(&scratch.read("x.html"), "report")["report"]["pairings"][0], left);
    assert_eq!(left["games"].as_u64(), left["pairs"]["count"].as_u64().map(|count| 2 * count));
    scratch.shell("sed -i '/\"round\":1,\"red\":\"one\"/d' games").expect(0, "");
    // A game that ended while the test decided has no other colour, either.
    let games = blackhole::text::plural(left["single"].as_u64().expect("a number") + 1, "game");
    let told = format!("left out: {games} without the other colour\n");
    scratch.run("report games").expect(3, &told);
}

#[test]
fn what_all_bots_share_is_given_once() {
    let scratch = Scratch::new("tournament-each");
    let bot = "--bot b='blackhole play' --journal games --pairs 1";
    scratch.run(&format!("match --bot a='blackhole play' {bot} --each '--player greedy'")).expect(0, "");
    let games = scratch.read("games");
    assert_eq!(games.matches("\"command\":\"blackhole play --player greedy\"").count(), 4, "{games}");
    scratch.run("match --resume games").expect(0, "");
    let two = "match --bot a=builtin:blackhole --bot b=builtin:eventhorizon,priming=off --pairs 1 --time 999";
    scratch.run(&format!("{two} --each nodes=9 --journal built")).expect(0, "");
    assert!(scratch.read("built").contains("\"builtin:eventhorizon,priming=off,nodes=9\""));
    scratch.run("match --bot a=python3 bot.py").refused("that has blanks is quoted: --bot a='python3");
    scratch.run(&format!("{two} --each --x")).refused("expected an option key=value, found \"--x\"");
}

#[test]
fn a_fault_is_told_once_with_its_number_and_its_moves() {
    let scratch = Scratch::new("tournament-faults");
    // It dies at its first or its second move.
    let dies = "sh -c 'n=$(({seed} % 2)); i=0; while [ $i -lt 5 ]; do read x; i=$((i + 1)); done; read x; \
                echo secret >&2; [ $n -eq 0 ] && exit 3; exit 4'";
    let ran = scratch.play(&[dies, RANDOM], "--pairs 6 --journal games --progress 0.000001");
    // The lines of progress count the faults from the first on.
    let ran = ran.expect(1, "12/12 games  12 faults\n");
    for words in ["fault: one as ", "more faults of the same kinds are counted in the table"] {
        assert_eq!(ran.stderr.matches(words).count(), 1, "{}", ran.said());
    }
    // Above the standings, so that these end the screen; a long example goes on below its beginning.
    let told = "bot  faults  after moves  example\none      12       0 to 1  crash: died: exit status: ";
    let more = format!("ends with:\n{:26}secret\n\nbot  points a game ", "");
    assert!(ran.stdout.starts_with(told) && ran.stdout.contains(&more), "{}", ran.stdout);
    let again = scratch.run("report games --html page.html").expect(1, "stderr ends with:\n");
    assert_eq!((again.stdout, scratch.read("page.html").contains("secret")), (ran.stdout, false));
    // A slow bot, late or silent, has one trouble.
    let slow = "sh -c '[ $(({seed} % 2)) = 0 ] || printf A; sleep 77'";
    let play = || {
        scratch.shell("rm -rf slow");
        let ran = scratch.play(&[slow, RANDOM], "--pairs 2 --time 1 --logs slow");
        ran.expect(1, "\none       4       ");
        scratch.shell("cat slow/* | grep -Eo '(red|blue): (time|silence)' | cut -d: -f2 | sort -u | wc -l")
    };
    ten_tries(play, |ran| ran.stdout == "2\n").expect(0, "2\n");
}

#[test]
fn shards_of_one_directory_decide_one_test_and_play_no_game_twice() {
    let scratch = Scratch::new("tournament-shards");
    let options = "--sprt 75,75.2 --alpha 0.000001 --beta 0.000001";
    let of_one = scratch.table(&format!("{TWO} {options} --journal one"));
    // More pairs than without a test; how many later ones there are depends on the speeds of the shards.
    let verdict = |text: &str| text.split("SPRT: ").nth(1).expect("a test").lines().next().map(str::to_owned);
    let pairs = verdict(&of_one).and_then(|it| it.split(' ').nth(4)?.parse::<u32>().ok());
    assert!(pairs > Some(50), "{of_one}");
    fs::create_dir(scratch.path("empty")).expect("a directory");
    ["report empty", "match --resume empty"].iter().for_each(|it| _ = scratch.run(it).refused("found none"));
    let run = format!("exec blackhole {TWO} {options} --journal all/ --concurrency 1");
    let shards = ["1/3", "2/3", "3/3"].map(|shard| scratch.start_shell(&format!("{run} --shard {shard}")));
    // A shard that is killed at any moment goes on from the directory alone.
    let [mut first, second, third] = shards;
    wait_for("the first game", || scratch.lines("all/shard-1-of-3.jsonl") > 0);
    first.kill().expect("it can be killed");
    first.wait().expect("it ends");
    scratch.run("match --resume all --shard 1/3 --concurrency 1").expect(0, "higher mean accepted");
    for shard in [second, third] {
        Ran::from(shard).expect(0, "higher mean accepted");
    }
    let report = scratch.run("report all").expect(0, "higher mean accepted");
    assert_eq!(verdict(&report.stdout), verdict(&of_one));
    let again = scratch.run("match --resume all --shard 2/3").expect(0, "");
    assert_eq!((again.stdout, again.stderr), (report.stdout, String::new()));
    let gap = scratch.run(&format!("{TWO} {options} --pairs 3 --journal gap/ --shard 2/3"));
    gap.expect(3, "1 later pair waits for pair 1").expect(3, "the test waits for games of shard 1/3");
    // Without a test: no game is lost, and another number of shards plays what is missing.
    fs::create_dir(scratch.path("fixed")).expect("a directory");
    let fixed = format!("{TWO} --pairs 30 --journal fixed");
    scratch.table(&format!("{fixed} --shard 2/3"));
    scratch.table("match --resume fixed --shard 1/2");
    let whole = scratch.table("match --resume fixed --shard 2/2");
    assert_eq!(untimed(&whole), untimed(&scratch.table(&format!("{TWO} --pairs 30"))));
    assert_eq!(scratch.table("report fixed"), whole);
    scratch.shell("grep -h round fixed/shard-[12]-* | wc -l").expect(0, "60\n");
    scratch.run(&format!("{TWO} --pairs 3 --journal fixed --shard 2/3")).refused("has games already");
    let other = scratch.run(&format!("{TWO} --pairs 3 --journal fixed --shard 3/3 --time 9"));
    other.refused("g's time 5 s (here 9 s)");
    assert_eq!(scratch.read("fixed/shard-3-of-3.jsonl"), "", "a refused match is not recorded");
}

#[cfg(unix)]
#[test]
fn a_neighbours_file_ends_nothing_and_is_named_once() {
    let scratch = Scratch::new("tournament-neighbours");
    let run = "--pairs 100000 --journal all/ --shard 1/2";
    let mut child = scratch.start_shell(&format!("exec blackhole {TWO} {run} 2>said"));
    wait_for("a game", || scratch.lines("all/shard-1-of-2.jsonl") > 0);
    // The slow one has games of another match; the last one is a sign of another look.
    let files = "ln -s me@host:1 .#lock.jsonl; printf '\\0\\5\\26' >._x.jsonl; mkdir old.jsonl; mkfifo pipe.jsonl; \
                 echo >closed.jsonl; chmod 0 closed.jsonl; printf '%s{\"sett' \"$(head -2 shard-1-of-2.jsonl)\n\" >torn.jsonl; \
                 head -2 shard-1-of-2.jsonl | sed 's/:5.0/:6.0/' >slow.jsonl";
    for (files, told) in [(files, "/slow.jsonl"), ("mkdir last.jsonl", "/last.jsonl")] {
        scratch.shell(&format!("cd all; {files}")).expect(0, "");
        wait_for("the remark", || scratch.read("said").contains(told));
    }
    assert!(child.try_wait().expect("a state").is_none(), "it goes on");
    interrupt(child);
    let first = scratch.read("said");
    scratch.remove("all/slow.jsonl");
    let report = scratch.run("report all").expect(0, "");
    // Root may read a closed file.
    let closed = usize::from(fs::read(scratch.path("all/closed.jsonl")).is_err());
    for (remark, due) in [
        (".#lock.jsonl: No such file", [1, 1]),
        ("._x.jsonl: line 1: found", [1, 1]),
        ("old.jsonl: expected a regular file", [1, 1]),
        ("pipe.jsonl: expected a regular file", [1, 1]),
        ("closed.jsonl: Permission denied", [closed; 2]),
        ("slow.jsonl: expected games of this match", [1, 0]),
        ("torn.jsonl: the torn last line is left out", [0, 1]),
    ] {
        let said = [&first, &report.stderr].map(|said| said.matches(&format!("all/{remark}")).count());
        assert_eq!(said, due, "{remark}: {first} {}", report.stderr);
    }
}

/// As in a folder that another program keeps like one elsewhere.
#[test]
fn a_journal_that_vanishes_while_it_is_read_needs_no_word() {
    let scratch = Scratch::new("tournament-vanishes");
    scratch.shell("mkdir all; touch $(seq -f all/%g.jsonl 300)").expect(0, "");
    let (mut dir, moves) = (JournalDir::new(&scratch.path("all"), None), AtomicBool::new(true));
    let said = std::thread::scope(|scope| {
        scope.spawn(|| {
            let path = |n: u32, end: &str| scratch.path(&format!("all/{n}.{end}"));
            while moves.load(Ordering::Relaxed) {
                for [from, to] in [["jsonl", "tmp"], ["tmp", "jsonl"]] {
                    (1..=300).for_each(|n| fs::rename(path(n, from), path(n, to)).expect("room"));
                }
            }
        });
        let said = (0..300).find_map(|_| dir.read_on().1.pop());
        moves.store(false, Ordering::Relaxed);
        said
    });
    assert_eq!(said, None);
}

#[test]
fn a_journal_that_is_cut_or_begun_anew_is_read_again() {
    let scratch = Scratch::new("tournament-anew");
    scratch.run(&format!("{TWO} --pairs 3 --journal games.jsonl")).expect(0, "");
    let text = scratch.read("games.jsonl");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    fs::create_dir(scratch.path("all")).expect("a directory");
    let mut dir = JournalDir::new(&scratch.path("all"), None);
    // The lines written, some without an end, and the number that is read then.
    for (written, read) in [
        (lines[..3].concat(), 3),
        (lines[..4].concat().trim_end().to_owned(), 1),
        (lines[..4].concat() + &lines[4][..20], 0),
        (lines[..5].concat(), 1),
        (lines[..2].concat(), 2),
        ([lines[0], lines[5], lines[4]].concat(), 3),
        ([lines[0], lines[5], lines[4]].concat(), 0),
        (String::new(), 0),
        (lines.concat(), 7),
    ] {
        scratch.write("all/x.jsonl", &written);
        let (journals, left_out) = dir.read_on();
        assert_eq!((journals[0].1.len(), left_out), (read, Vec::new()), "{written}");
    }
    scratch.write("all/x.jsonl", "E4 F2\n");
    assert_eq!([(); 2].map(|()| dir.read_on().1.len()), [1, 0], "it is said once");
    scratch.remove("all/x.jsonl");
    assert!(dir.read_on().0.is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn a_path_that_is_not_utf_8_is_no_other_file() {
    let scratch = Scratch::new("tournament-bytes");
    let file = "file=$(printf 'm\\351.jsonl') && blackhole";
    scratch.shell(&format!("{file} {TWO} --pairs 1 --journal \"$file\" --logs \"$file.logs\"")).expect(0, "");
    scratch.shell(&format!("{file} match --pairs 2 --resume \"$file\"")).expect(0, "");
    let report = format!("{file} report \"$file\" --html \"$file\".html && ls | wc -l && wc -l <\"$file\"");
    scratch.shell(&report).expect(0, "\n3\n6\n");
}

#[test]
fn the_page_of_a_tournament_holds_its_tables_and_every_game() {
    let scratch = Scratch::new("tournament-page");
    let bots = "match --bot r=builtin:random --bot 'a<b>&\"=builtin:greedy' --bot s=builtin:random";
    let table = scratch.table(&format!("{bots} --pairs 3 --journal games"));
    // Also without a terminal it tells that the page was made.
    let made = scratch.run("report games --html page.html --title '</script> & co'");
    assert_eq!(made.expect(0, "wrote page.html: 18 games of 3 bots\n").stdout, table);
    let page = scratch.read("page.html");
    // As text, for readers without a script, and as data.
    let text = table.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    assert!(page.contains(&format!("<pre id=\"tables\">{text}</pre>")), "{page}");
    assert!(page.contains("<title>&lt;/script&gt; &amp; co – Black Hole</title>"));
    let told = crate::page::json_of(&page, "report");
    let json = scratch.run("report games --json").json();
    assert_eq!((&told["report"]["pairings"], &told["count"]), (&json["pairings"], &json!("18 games")));
    assert_eq!(told["title"], "</script> & co");
    assert_eq!(told["subject"], "a<b>&\"", "the leader is not the first");
    let [began, machine] = [0, 1].map(|n| &told["matches"][0][n]);
    assert!(began.as_u64() > Some(1_700_000_000) && machine.to_string().ends_with(" cores\""), "{told}");
    assert_eq!(told["players"][0][0], "a<b>&\"");
    let data = crate::page::data_of(&page);
    assert_eq!(data["games"].as_array().map(Vec::len), Some(18));
    assert_eq!(data["games"][17]["title"], "round 3");
    let absent = ["hands", "story", "moves", "summary"];
    assert!(absent.iter().all(|field| data["games"][0].get(field).is_none()), "all stones, and no judge");
    // A match that goes on is told apart from a whole one.
    let part =
        scratch.shell("head -10 games >part; blackhole report part; blackhole report part --html part.html");
    for words in ["9 of 18 games are played\n", "wrote part.html: 9 of 18 games of 3 bots\n"] {
        assert!(part.stderr.contains(words), "{}", part.said());
    }
    part.expect(0, "\nleft out: 1 game without the other colour\nno first place: ");
    // Judged games have scores near their end.
    scratch.run("report games --html page.html --judge .001").expect(0, "");
    let page = scratch.read("page.html");
    assert!(page.contains("\"score\":"));
    // A played move alone is no list of the best.
    let data = crate::page::data_of(&page);
    let moves = data["games"].as_array().into_iter().flatten().flat_map(|game| game["moves"].as_array());
    let [solved, open]: [Vec<_>; 2] =
        moves.flatten().partition::<Vec<_>, _>(|it| it["score"].is_i64()).into();
    assert!(!solved.is_empty() && !open.is_empty());
    assert!(open.iter().all(|it| it["list"].is_null() && it["estimate"].is_null()), "{open:?}");
    scratch.write("illegal", scratch.read("games").replace("\"moves\":[", "\"moves\":[\"A1=1\",\"A1=1\","));
    let told = scratch.run("report illegal --html x.html").expect(2, "expected an empty cell");
    told.expect(2, "points a game");
}
