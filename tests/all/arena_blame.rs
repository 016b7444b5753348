//! The runner's own failures and the user's numbers are never charged to a bot.

use crate::common::*;

#[test]
fn a_missing_program_is_refused_before_the_first_game() {
    let scratch = Scratch::new("blame-start");
    scratch.write("text", "no program");
    scratch.write("script", "#!/no/such/interpreter\n");
    scratch.shell("chmod +x script").expect(0, "");
    // A built-in player without its "builtin:" was only not found.
    let bots = "./typo, no-such-program-anywhere, random, text, ./text x, ./script, /, sh -c ./typo, env ./typo, sh -c 'exec ./text'";
    for bot in bots.split(", ") {
        let play = || {
            scratch.shell("rm -rf games logs");
            scratch.play(&[RANDOM, bot], "--pairs 500 --sprt 75,75.3 --journal games --logs logs")
        };
        // On a busy machine another program that starts the bot may find out only in the first game.
        let ran = ten_tries(play, |ran| ran.code == Some(2)).refused(&format!("two: cannot start {bot}: "));
        assert_eq!(ran.stderr.contains("exit status: 12"), ran.stderr.contains("; its stderr ends with: "));
        assert_eq!(ran.stderr.ends_with("; the built-in player is builtin:random\n"), bot == "random");
        assert_eq!(ran.stderr.contains("; the file is there: "), bot == "text");
        assert_eq!(ran.stderr.contains("; it needs the right "), ["./text x", "/"].contains(&bot));
        assert!(!scratch.path("games").exists() && !scratch.path("logs").exists());
        let check = || scratch.run(&format!("check --games 5 --bot {}", quoted(bot)));
        let said = ten_tries(check, |ran| ran.code == Some(2)).expect(2, "").said();
        assert_eq!(said.matches("cannot start").count(), 1, "{said}");
    }
    // Whoever starts the runner may wait for no children; the runner does.
    let deaf = |bot: &str| {
        let options = format!("--pairs 1 --stop-on-fault --bot b={RANDOM} --bot {}", quoted(bot));
        scratch.shell(&format!("trap '' CHLD; exec blackhole match {options}"))
    };
    for bot in ["a=no-such-program-anywhere", "a=sh -c ./typo"] {
        ten_tries(|| deaf(bot), |ran| ran.code == Some(2)).refused("a: cannot start");
    }
    deaf("a=sh -c 'read x; exit 3'").expect(1, "crash: died: exit status: 3");
}

#[test]
fn no_more_descriptors_is_no_loss() {
    let scratch = Scratch::new("blame-files");
    let bots = bots(&[&*random_after(""); 2]);
    for limit in [8, 11, 14, 17] {
        let ran = scratch.shell(&format!("ulimit -n {limit}; exec blackhole match{bots} --pairs 1"));
        let (code, said) = (ran.code.expect("an exit code"), ran.said());
        assert!(code <= 2 && !said.contains("fault:"), "{limit}: {code} {said}");
        assert_eq!(code == 0, said.contains("  max s\n"), "{limit}: {code} {said}");
    }
}

#[test]
fn numbers_of_the_user_are_no_sizes() {
    let scratch = Scratch::new("blame-numbers");
    // A billion pairs begin at once, and take no room before they are played.
    let two = format!("match --bot a={RANDOM} --bot b={RANDOM}");
    let script = format!("ulimit -v 2000000; exec blackhole {two} --pairs 1000000000 --journal long");
    let child = scratch.start_shell(&script);
    wait_for("the fifth game", || scratch.lines("long") >= 5);
    interrupt(child);
    // The end of such a schedule is found without its beginning.
    scratch.run(&format!("{two} --pairs 1 --resume long")).expect(0, "");
}

#[test]
fn a_stop_of_the_runner_uses_no_time_of_a_bot() {
    // The bot's first move comes after the stop; the trial of a start has the seed 0.
    let bot = random_after("[ {seed} -eq 0 ] || { echo >>begun; until [ -e go ]; do sleep .05; done; }; ");
    let options = "--pairs 1 --time 4 --concurrency 1 --journal games";
    let matches = [(&*bot, "begun"), ("builtin:blackhole,margin=2", "games")].map(|(bot, begun)| {
        let scratch = Scratch::new("blame-stop");
        let child = scratch.start_shell(&format!("exec blackhole match{} {options}", bots(&[bot, RANDOM])));
        wait_for("the first game", || scratch.path(begun).exists());
        (scratch, child, bot)
    });
    std::thread::sleep(Duration::from_millis(300));
    matches.iter().for_each(|it| signal(&it.1, "STOP"));
    // Longer than their clock.
    std::thread::sleep(Duration::from_millis(4_200));
    for (scratch, child, bot) in matches {
        signal(&child, "CONT");
        scratch.write("go", "");
        Ran::from(child).expect(0, "");
        let games = scratch.read("games");
        assert!(scratch.lines("games") == 2 && !games.contains("\"by\""), "{bot}: {games}");
    }
}

#[test]
fn a_suspended_bot_uses_no_time_of_others_and_loses_none_of_its_own() {
    // A bot that counts on in the background, against one that watches the count during its own first turn.
    let counts = random_after("(while :; do echo x >>counted; sleep 0.01; done) & ");
    let goes_on = "until [ -e seen ] || [ $(wc -l <counted) != $n ]; do sleep .01; done";
    let matches = [("", goes_on), ("--suspend", "sleep 1")].map(|(option, wait)| {
        let scratch = Scratch::new("blame-suspend");
        let look = format!("n=$(wc -l <counted); {wait}; [ $(wc -l <counted) = $n ]; echo $? >>seen");
        let looks = random_after(&format!("[ {{seed}} -eq 0 ] || {{ sleep .3; {look}; }}; "));
        let options = format!("{} --pairs 1 --concurrency 1 --time 60 {option}", bots(&[&counts, &looks]));
        let child = scratch.start_shell(&format!("echo >counted; exec blackhole match{options}"));
        (scratch, child)
    });
    let watched = matches.map(|(scratch, child)| {
        assert!(!Ran::from(child).expect(0, "").said().contains("fault:"));
        scratch.read("seen")
    });
    assert!(watched[0].contains('1') && !watched[1].contains('1'), "{watched:?}");
}
