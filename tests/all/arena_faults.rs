//! Fake bots, one for every way to fail, against the real program: the verdict it prints, its exit
//! code, and that nothing of them is left.

use crate::common::*;

/// Play `bots` on the fixed opening, one pair, stopping at the first fault; the first bot is Red in
/// the first game. Their time is long: no fault but a late answer is waited for.
fn play(scratch: &Scratch, bots: [&str; 2], options: &str) -> Ran {
    scratch.write("openings", "A1 A2 A3 A4 A5\n");
    let time = if options.contains("--time") { "" } else { "--time 60" };
    scratch.play(&bots, &format!("--openings openings --stop-on-fault {time} {options}"))
}

/// Quote a shell script as the command of a bot.
fn sh(script: &str) -> String {
    format!("sh -c '{script}'")
}

/// The script of a bot that reads up to the first line that asks Red for a move.
const READ: &str = "for i in 1 2 3 4 5 6; do read x; done";

/// Play bots, each given by a script and the options of its match, that must fail as Red in their
/// first game, and check the printed verdicts. The winner of a forfeit takes all points.
fn fail(name: &str, cases: &[(&str, &str, &str)]) {
    let run = |number: usize, (script, options, verdict): &(&str, &str, &str)| {
        let (scratch, bot) = (Scratch::new(&format!("{name}{number}")), sh(&script.replace("READ", READ)));
        let fault = format!("fault: one as red against two, round 1, after {verdict}");
        let play = || play(&scratch, [&bot, RANDOM], options);
        // A busy machine may change the verdict only where a short time is part of it.
        let ran =
            if options.is_empty() { play() } else { ten_tries(play, |ran| ran.said().contains(&fault)) };
        // The second game may be over before the match is stopped.
        let lost = ["one against two: 0.00 ", "left out: 1 game without the other colour"];
        assert!(lost.iter().any(|words| ran.stdout.contains(words)), "{}", ran.said());
        let ran = ran.expect(1, &fault).expect(1, "stopped by a fault after ");
        ran.expect(1, "first place: none, every game was lost by a fault of one\n");
    };
    // Side by side: most of the time they wait.
    std::thread::scope(|scope| {
        cases.iter().enumerate().for_each(|(number, case)| _ = scope.spawn(move || run(number, case)));
    });
}

#[test]
fn a_bot_that_ends_or_is_silent_loses_by_its_own_fault_class() {
    let (midway, why) = ("READ; echo H1=15; read x; printf H; exit 1", r#"printf "\033why\n\n" >&2; exit 3"#);
    let behind =
        "rm -f begun; (printf H1; >begun; sleep 7777) & until [ -e begun ]; do sleep 0.01; done; exit 3";
    let cases = [
        (why, "", "0 moves: crash: died: exit status: 3; its stderr ends with: �why\n"),
        ("read x; kill -SEGV $$", "", "0 moves: crash: died: signal: 11"),
        (midway, "", "2 moves: crash: died in the middle of the line \"H\""),
        ("exit 0", "", "0 moves: hang-up: ended while a move was due"),
        ("READ; echo H1=15", "", "2 moves: hang-up: ended while a move was due"),
        ("exec >&-; sleep 7777", "", "0 moves: hang-up: closed its output and runs on"),
        ("sleep 7777", "--time 1", "0 moves: silence: no answer in the 1.00 s"),
        // A bot that believes it is the other colour waits for a move, for ever.
        ("READ; read x; echo H1=15", "--time 1", "0 moves: silence"),
        // The end is noticed behind an open pipe.
        ("sleep 7777 & exit 3", "", "0 moves: crash: died: exit status: 3"),
        (behind, "", "0 moves: crash: died in the middle of the line \"H1\""),
    ];
    fail("ends", &cases);
    let ran = play(&Scratch::new("blue"), [RANDOM, &sh("read x; exit 3")], "");
    ran.expect(1, "fault: two as blue against one, round 1, ");
    let words = "first place: none, every game was lost by a fault of one or two\n";
    Scratch::new("both").play(&["false"; 2], "--pairs 1").expect(1, words);
}

#[test]
fn late_and_endless_answers_lose_by_their_own_fault_class() {
    let (slow, trickle) = ("READ; sleep 0.4; echo H1=15; read x", "while :; do printf xxx; sleep 0.02; done");
    let endless = format!("while :; do printf {}; done", "x".repeat(62));
    let cases = [
        (trickle, "--time 0.5", "0 moves: time: an unfinished line \"xxx"),
        (&endless, "", "0 moves: garbage: an endless line \"xxx"),
        ("while :; do echo hello; done", "", "0 moves: garbage: \"hello\": expected a move"),
        // Two moves at once: the second one was not asked for.
        ("READ; printf \"H1=15\\nG1=14\\n\"; read x; read x", "", "2 moves: garbage: unasked output \"G1=14"),
        ("READ; echo H1=15; read x; echo G1=15; echo F1=15; read x", "", "2 moves: illegal: \"G1=15\""),
    ];
    fail("late", &cases);
    // A late answer is listened for only a moment.
    let (scratch, late) = (Scratch::new("came"), "0 moves: time: \"H1=15\" came ");
    let run = || play(&scratch, [&sh(&slow.replace("READ", READ)), RANDOM], "--time 0.3");
    ten_tries(run, |ran| ran.said().contains(late)).expect(1, late);
}

#[test]
fn garbage_and_illegal_moves_lose_by_their_own_fault_class() {
    let cases = [
        ("", "garbage: \"\": expected a move"),
        ("h1=15", "garbage: \"h1=15\": expected exactly 'H1=15'"),
        ("A1=3", "illegal: \"A1=3\""),
        ("H2=3", "illegal: \"H2=3\""),
        ("H1=16", "illegal: \"H1=16\""),
        (r"\357\273\277H1=15", r#"illegal: "\xef\xbb\xbfH1=15": expected"#),
        (r"\377\376H\0001\000", r#"garbage: "\xff\xfeH\x001\x00" is no text"#),
        (r"H1=15\302\240", r#"garbage: "H1=15\xc2\xa0": expected"#),
    ]
    .map(|(answer, verdict)| {
        (format!("READ; printf \"{answer}\\n\"; read x"), format!("0 moves: {verdict}"))
    });
    fail("answers", &cases.each_ref().map(|(script, verdict)| (&**script, "", &**verdict)));
}

#[test]
fn a_fault_after_the_last_move_costs_no_points() {
    // Of the 21 lines to Red the last one is Blue's last move; to Blue it is Quit, after which all may speak.
    let answer = "exec 3>&1; while read x; do n=x$n; [ ${#n} = 21 ] && echo hello >&3; echo $x; \
                  case $x in Quit*) break; esac; done";
    let player = "blackhole play --player random --quiet";
    let answering = sh(&format!("{answer} | {player}"));
    // A second line with the last move.
    let second = |more: &str| {
        let counted = format!("i=x$i; [ $i = xxxxxxxxxxxxxxx ] && {more}; printf \"$m\\n\"");
        sh(&format!("{player} | while read m; do {counted}; done"))
    };
    let (twice, late) = (second("m=\"$m\\nH1=1\""), second("printf \"$m\\n\" && sleep 0.02 && m=H1=1"));
    for (bots, fault) in [
        ([&*sh(&format!("{player}; sleep 7777")), RANDOM], "no-quit: ran on 1 s after Quit and was killed"),
        ([&sh(&format!("{player}; exit 7")), RANDOM], "crash: exit status 7 after Quit, expected 0\n"),
        ([&answering, RANDOM], "garbage: unasked output \"hello"),
        ([&twice, RANDOM], "garbage: unasked output \"H1=1"),
        ([RANDOM, &twice], "garbage: unasked output \"H1=1"),
    ] {
        let scratch = Scratch::new("quit");
        let run = || {
            let _ = fs::remove_file(scratch.path("games"));
            play(&scratch, bots, "--journal games")
        };
        let colour = if bots[0] == RANDOM { "two as blue" } else { "one as red" };
        let is_told = |ran: &Ran| {
            ran.said().contains(colour) && ran.said().contains(&format!("after 30 moves: {fault}"))
        };
        let ran = ten_tries(run, is_told);
        assert!(is_told(&ran) && ran.code == Some(1), "{fault}: {}", ran.said());
        let journal = scratch.read("games");
        assert!(journal.contains("\"class\"") && !journal.contains("\"score\":null"), "{journal}");
    }
    let rule = "\\n\": Red must not answer Blue's last move\n";
    for (bot, words) in [(answering, format!("\"hello{rule}")), (late, "\"H1=1".to_owned())] {
        let (scratch, check) =
            (Scratch::new("answer"), format!("check --games 0 --time 1 --bot {}", quoted(&bot)));
        let failed = format!("FAILED  red: a whole game, after 30 moves: garbage: unasked output {words}");
        let ran = ten_tries(|| scratch.run(&check), |ran| ran.said().contains(&failed));
        ran.expect(1, &failed).expect(1, " left out as three failed in the same way\n");
    }
}

#[test]
fn a_flood_on_stderr_is_drained_and_cut() {
    let scratch = Scratch::new("flood");
    let bot = random_after("echo first >&2; yes flood | head -c 100000 >&2; yes flood >&2 & ");
    play(&scratch, [&bot, RANDOM], "--logs logs").expect(0, "");
    let log = scratch.read("logs/000001-one=two.txt");
    let floods = log.matches("flood").count();
    assert!((1_600..=1_700).contains(&floods), "10,000 characters of 6 each: {floods}");
    assert!(!log.contains("\n# first"), "the last ones are kept: {log}");
    assert!(log.starts_with("# red one, blue two, round 1\n"), "{log}");
}

#[test]
fn a_last_move_just_before_the_exit_counts() {
    let scratch = Scratch::new("last");
    for end in ["echo $i", "printf \"$i\\r\\n\"", "printf ${i%=*}; sleep 0.01; echo =${i#*=}"] {
        // A shell that hands on the moves of its player, and is gone at once after the last.
        let player = "mkfifo p$$; exec 3<&0; blackhole play --player random --quiet <&3 >p$$ & n=x";
        let hand_on = format!("read i; do n=x$n; [ ${{#n}} -le 15 ] || kill -9 $!; {end}");
        let bot = sh(&format!("{player}; while [ ${{#n}} -le 15 ] && {hand_on}; done <p$$"));
        play(&scratch, [&bot, &bot], "").expect(0, "one against two: ");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_whole_process_group_is_gone() {
    let scratch = Scratch::new("group");
    let mark = marked(74);
    let bot = sh(&format!("(trap \"\" TERM HUP INT; sleep {mark}) & trap \"\" TERM HUP INT; sleep {mark}"));
    play(&scratch, [&bot, RANDOM], "--time 0.2").expect(1, "");
    // Killed is not yet gone: the system may take a moment for the grandchild.
    wait_for("the grandchild's end", || crate::scratch::processes(&mark).is_empty());
    // A bot that has ended is not waited for.
    let ends_at_once = || {
        let (begin, bot) = (Instant::now(), blackhole::arena::process::Process::start(&["true".to_owned()]));
        bot.expect("it starts").ended(begin + Duration::from_secs(60)).expect("an end");
        begin.elapsed() < Duration::from_millis(500)
    };
    assert!((0..9).any(|_| ends_at_once()));
}

#[test]
fn check_lists_all_failures() {
    let scratch = Scratch::new("check");
    // Side by side: a slow opponent takes its time.
    let check = |bot: &str| {
        let time = if bot.starts_with("sleep") { 1 } else { 60 };
        scratch.start_shell(&format!("exec blackhole check --time {time} --games 1 --bot {}", quoted(bot)))
    };
    let good = check("blackhole play --player random");
    let last = check(&sh("blackhole play --player random; echo why >&2; exit 7"));
    let shell = check(&sh(&format!("{READ}; sleep 0.05; exit 127")));
    let silent = check("sleep 300");
    let end = "(while read x; do echo $x; case $x in Quit*) exit; esac; done; echo >end)";
    let ending = check(&sh(&format!("{end} | blackhole play --player random; [ ! -e end ] || exit 3")));
    Ran::from(shell).expect(1, "FAILED  red: a whole game, after 0 moves: crash: died: exit status: 127");
    Ran::from(last)
        .expect(1, "FAILED  red: a whole game, after 30 moves: crash: exit status 7 after Quit")
        .expect(1, "FAILED  red: empty lines before the cells, after 30 moves: the same crash again\n")
        .expect(1, "\n0 passed, 3 failed, 15 left out as three failed in the same way\n")
        .expect(1, "--verbose shows the dialogue of every trial\n");
    let told = "FAILED  red: end of input after the third move, after 5 moves: crash: exit status 3 after the end of";
    Ran::from(ending).expect(1, told);
    let talks = sh(&format!("echo hello >&2; {READ}; exit 3"));
    let shown = scratch.run(&format!("check --games 0 --verbose --bot {}", quoted(&talks)));
    shown.expect(1, "        < Start\n        (crash: ").expect(1, "        | hello\n");
    Ran::from(silent)
        .expect(1, "does it flush its output after every line?")
        .expect(1, "\n0 passed, 3 failed, 15 ");
    Ran::from(check("MOOD=calm cmd")).expect(2, "cannot start 'MOOD=calm' cmd: ");
    scratch.run("check ./bot").expect(2, "--bot <COMMAND>");
    Ran::from(check("builtin:uct,c=1")).expect(2, "expected a program, such as 'blackhole --player uct,c=1'");
    assert!(Ran::from(good).expect(0, "").stdout.ends_with("18 passed, 0 failed\n"));
}
