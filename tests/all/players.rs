//! The built-in players: legal whole games within the clock, seeds, options.

use blackhole::games::opening::random_opening;
use blackhole::sparring::{PLAYERS, levels::partner};

use crate::common::*;

/// The longest time of a player between two looks at the clock.
const LOOK: Duration = Duration::from_millis(200);

/// Play a game of a player, such as `blackhole,nodes=9`, against itself; each side has `time`. Returns the
/// moves, and the most time that a side took beyond its own.
fn game(player: &str, seed: u64, time: Duration) -> (Vec<Move>, Duration) {
    let of_seed = |seed| partner(player, &Options { seed, ..Options::default() }).expect("a player");
    let mut players = [0, 1].map(|side| of_seed(2 * seed + side));
    let mut left = [time; 2];
    let mut position = Position::standard(&random_opening(9, 1)).expect("five cells");
    let (mut moves, mut late) = (Vec::new(), Duration::ZERO);
    while position.final_score().is_none() {
        let side = position.to_move().index();
        let begin = Instant::now();
        let choice = players[side].choose(&position, left[side]);
        late = late.max(begin.elapsed().saturating_sub(left[side]));
        left[side] = left[side].saturating_sub(begin.elapsed());
        assert!((0.0..=1.0).contains(&choice.chance), "{player}: chance {}", choice.chance);
        position.try_play(choice.mv).expect("a legal move");
        moves.push(choice.mv);
    }
    (moves, late)
}

#[test]
fn every_player_plays_whole_games_within_its_clock_and_moves_without_time() {
    for (name, _) in PLAYERS {
        // Negamax looks at the clock only every two plies, which take long in a test.
        for time in [300, 0].map(Duration::from_millis) {
            // A busy machine holds a player up, but hardly ten times.
            assert!((0..10).any(|seed| game(name, seed, time).1 <= LOOK), "{name} with {time:?}");
        }
    }
}

#[test]
fn every_player_moves_at_once_when_it_is_told_to() {
    static STOP: AtomicBool = AtomicBool::new(true);
    let position = Position::standard(&random_opening(9, 1)).expect("five cells");
    for player in PLAYERS.map(|player| player.0).into_iter().chain(["blackhole,nodes=1000000000000"]) {
        let settings = Options { stop: Some(&STOP), ..Options::default() };
        let mut agent = partner(player, &settings).expect("a player");
        let begin = Instant::now();
        let choice = agent.choose(&position, Duration::from_secs(600));
        assert_eq!(position.check(choice.mv), Ok(()), "{player}");
        assert!(begin.elapsed() < Duration::from_secs(20), "{player}");
    }
}

#[test]
fn games_depend_on_the_seed_alone_with_enough_time() {
    let time = Duration::from_secs(1_000);
    for player in ["random", "greedy", "wormhole,simulations=500"] {
        assert_eq!(game(player, 3, time).0, game(player, 3, time).0, "{player}");
    }
    assert_ne!(game("random", 3, time).0, game("random", 4, time).0);
}

#[cfg(target_os = "linux")]
#[test]
fn players_whose_trees_find_no_more_memory_play_on() {
    let scratch = Scratch::new("players-memory");
    scratch.write("opening", format!("{FIVE}Start\n"));
    let plays = |player: &str, megabytes: u32| {
        let limit = 1024 * megabytes;
        let play = format!("exec blackhole play --player {player} <opening");
        let ran = scratch.shell(&format!("ulimit -v {limit}; {play}"));
        ran.code == Some(0) && ran.stdout.contains('=')
    };
    let least = (8..200).find(|&megabytes| plays("random --time 1", megabytes)).expect("room enough");
    for (player, more) in [("wormhole --time 1.5", 2), ("uct --time 12", 2), ("filtered --time 12", 2)] {
        assert!(plays(player, least + more), "{player} in {} MB", least + more);
    }
}

/// Whatever the limit divides among the tables: one that is enough for a move is enough above.
#[cfg(target_os = "linux")]
#[test]
fn little_memory_is_enough_or_said_to_be_too_little() {
    let scratch = Scratch::new("players-little");
    let cells: String = Cell::all().take(15).map(|cell| format!("{cell}\n")).collect();
    scratch.write("opening", cells + "Start\n");
    let outcome = |megabytes: u32| {
        let play = "exec blackhole --nodes 50 <opening";
        let ran = scratch.shell(&format!("ulimit -v {}; {play}", 1024 * megabytes));
        assert!(!ran.stderr.contains("memory allocation of"), "{megabytes} MB: {}", ran.stderr);
        let refused = ran.code == Some(1) && ran.stderr == "blackhole: less than 5 MB of memory is free\n";
        (ran.code == Some(0) && ran.stdout.ends_with('\n'), refused)
    };
    let (played, refused): (Vec<bool>, Vec<bool>) = (4..64).step_by(3).map(outcome).unzip();
    let is_fit = played.is_sorted() && played[played.len() / 2] && refused.contains(&true);
    assert!(is_fit, "{played:?}, {refused:?}");
}

#[test]
fn unfit_options_of_players_are_refused() {
    let make = |player: &str| partner(player, &Options::default()).map(drop);
    assert_eq!(make("blackhole,solve_from=3"), Ok(()));
    for (player, expected) in [
        ("nobody,c=1", "found no built-in player \"nobody\", expected one of random, greedy"),
        ("greedy,c=1", "found option \"c\", expected none"),
        ("wormhole,x=1", "found option \"x\", expected simulations"),
        ("blackhole,threads=2", "found option \"threads\", expected nodes, memory, any setting"),
        ("blackhole,solve_from=0.5", "option solve_from: found \"0.5\", expected a whole number"),
        ("eventhorizon,priming=2", "option priming: found \"2\", expected on or off"),
    ] {
        let error = make(player).expect_err("a bad option");
        assert!(error.starts_with(expected), "{error}");
    }
}
