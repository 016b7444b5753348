//! Built-in players under the referee: the same clock, the same checks, and a panic is a crash.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use blackhole::player::agent::{Agent, Choice, Reason};
use blackhole::player::board::Move;
use blackhole::player::position::Position;
use blackhole::workshop::arena::bots::{Bot, Builtin, Maker};
use blackhole::workshop::arena::fault::FaultClass;
use blackhole::workshop::arena::game::{GameOutcome, Rules, play};
use blackhole::workshop::arena::schedule::{ScheduledGame, random_opening};

/// Plays the first legal move, but on its third turn commits its fault.
struct Faulty {
    fault: &'static str,
    turns: u32,
}

impl Agent for Faulty {
    fn choose(&mut self, position: &Position, _remaining: Duration) -> Choice {
        self.turns += 1;
        let mut mv = position.legal_moves().next().expect("a move");
        if self.turns == 3 {
            match self.fault {
                "panic" => panic!("on purpose"),
                "slow" => std::thread::sleep(Duration::from_millis(60)),
                "illegal" => mv = Move::parse("A1=1").expect("a move"),
                _ => {}
            }
        }
        let (elapsed, reason) = (Duration::ZERO, Reason::Unsearched);
        Choice { mv, reason, target: None, value: 0.5, opponent: None, nodes: 0, elapsed }
    }
}

fn ending(faults: [&'static str; 2]) -> Result<GameOutcome, String> {
    let bots = ["red", "blue"]
        .map(|name| Bot::parse(&format!("{name}=builtin:{name}"), Duration::from_millis(50)).expect("a bot"));
    let maker: Maker = Arc::new(move |builtin: &Builtin, _| -> Result<Box<dyn Agent>, String> {
        match faults[usize::from(builtin.name == "blue")] {
            "broken" => Err("cannot be made".to_string()),
            fault => Ok(Box::new(Faulty { fault, turns: 0 })),
        }
    });
    let mut blocked = random_opening(1, 1);
    blocked[0] = blackhole::player::board::Cell::parse("A1").expect("a cell");
    let game = ScheduledGame { round: 0, bots: [0, 1], blocked, seeds: [1, 2] };
    let stop = AtomicBool::new(false);
    play(&game, [&bots[0], &bots[1]], Rules::default(), 0, &maker, &stop).map_err(|error| error.to_string())
}

fn outcome(faults: [&'static str; 2]) -> GameOutcome {
    ending(faults).expect("a game that is over")
}

#[test]
fn faults_of_builtin_players() {
    for (fault, class, moves) in
        [("panic", FaultClass::Crash, 4), ("slow", FaultClass::Time, 4), ("illegal", FaultClass::Illegal, 4)]
    {
        let red = outcome([fault, ""]);
        assert_eq!((red.points, red.score), ([0, 150], None), "{fault}");
        assert_eq!((red.faults[0].class, red.moves.len()), (class, moves), "{fault}");
        let blue = outcome(["", fault]);
        assert_eq!(blue.points, [150, 0], "{fault}");
        assert_eq!((blue.faults[0].class, blue.moves.len()), (class, moves + 1), "{fault}");
    }
    let panic = outcome(["panic", ""]);
    assert_eq!(panic.faults[0].detail, "panicked: on purpose");
    // A player that cannot be made is no fault of it.
    assert_eq!(ending(["", "broken"]), Err("blue: cannot be made".to_string()));
}

#[test]
fn a_clean_game_adds_up() {
    let game = outcome(["", ""]);
    let score = game.score.expect("a score");
    assert!(game.faults.is_empty());
    assert_eq!(i16::from(game.points[0]), 75 + i16::from(score));
    assert_eq!(game.points[0] + game.points[1], 150);
    assert_eq!(game.times.len(), 30);
}
