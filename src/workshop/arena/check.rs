//! Does a bot keep to the referee dialogue? A session of small trials, each of which passes or says what
//! failed.

use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::bots::Bot;
use super::game::{QUIT_GRACE, Rules, Seat};
use super::schedule::{Opening, mix, random_opening};
use crate::player::board::{Move, Player};
use crate::player::position::Position;
use crate::player::protocol::Message;

/// How a session is held.
#[derive(Clone, Debug)]
pub struct Session {
    /// The bot: a program, and its time for a game.
    pub bot: Bot,
    /// The referee's rules.
    pub rules: Rules,
    /// Whole games against random play for each colour.
    pub games: u64,
    /// The seed of openings and random play.
    pub seed: u64,
}

/// A trial and its result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trial {
    /// What was tried.
    pub name: String,
    /// What failed, if anything.
    pub result: Result<(), String>,
}

/// How the input of a trial departs from the plainest dialogue.
#[derive(Clone, Copy)]
struct Style {
    /// The end of every line.
    end: &'static str,
    /// Empty lines before the first cell.
    blank_lines: usize,
    /// How long the opponent takes for each of its first three moves.
    pause: Duration,
    /// After how many moves of the bot it is broken off; 15 make a whole game.
    moves: u32,
    /// Whether to break off or end by closing the input instead of `Quit`.
    close: bool,
}

const PLAIN: Style = Style { end: "\n", blank_lines: 0, pause: Duration::ZERO, moves: 15, close: false };

/// Run the trials one after the other and hand each over when it is done.
pub fn run(session: &Session, stop: &AtomicBool, mut each: impl FnMut(Trial)) {
    let trials: [(&str, Style); 7] = [
        ("a whole game", PLAIN),
        ("lines that end in CR LF", Style { end: "\r\n", ..PLAIN }),
        ("empty lines before the cells", Style { blank_lines: 2, ..PLAIN }),
        ("Quit after the second move", Style { moves: 2, ..PLAIN }),
        ("end of input after the third move", Style { moves: 3, close: true, ..PLAIN }),
        ("end of input after the last move", Style { close: true, ..PLAIN }),
        ("a slow opponent", Style { pause: Duration::from_millis(700), ..PLAIN }),
    ];
    let mut round = 0;
    let mut attempt = |name: String, player, style| {
        round += 1;
        let result = trial(session, player, style, round, stop);
        each(Trial { name, result });
    };
    for player in Player::BOTH {
        for (name, style) in trials {
            attempt(format!("{player}: {name}"), player, style);
        }
    }
    for player in Player::BOTH {
        let quit = Style { moves: 0, ..PLAIN };
        attempt(format!("{player}: Quit instead of the first move"), player, quit);
    }
    for game in 1..=session.games {
        for player in Player::BOTH {
            attempt(format!("{player}: game {game} of {} against random play", session.games), player, PLAIN);
        }
    }
}

fn text(error: impl ToString) -> String {
    error.to_string()
}

fn trial(
    session: &Session,
    player: Player,
    style: Style,
    round: u64,
    stop: &AtomicBool,
) -> Result<(), String> {
    let opening: Opening = random_opening(session.seed, round);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(mix(&[session.seed, round, 1]));
    let mut position = Position::codecup(opening.iter().copied().collect()).map_err(text)?;
    let mut seat =
        Seat::new(&session.bot, player, session.seed, &|_, _| Err("no built-in player".to_string()));
    let mut head = style.end.repeat(style.blank_lines);
    opening.iter().for_each(|cell| head += &format!("{cell}{}", style.end));
    let mut last = Message::Start;
    let mut answered = 0;
    while position.final_score().is_none() && (answered < style.moves || answered == 15) {
        let mv = if position.to_move() == player {
            let line = format!("{head}{last}{}", style.end);
            head.clear();
            answered += 1;
            seat.ask(&line, &position, None, session.rules, stop).map_err(text)?
        } else {
            if answered > 0 {
                // The opponent thinks: nobody may hear anything.
                thread::sleep(if answered <= 3 { style.pause } else { Duration::ZERO });
                seat.silent().map_err(text)?;
            }
            let moves: Vec<Move> = position.legal_moves().collect();
            let mv = moves[rng.random_range(0..moves.len())];
            last = Message::Move(mv);
            mv
        };
        position.try_play(mv).map_err(text)?;
    }
    seat.start().map_err(text)?;
    let Some(mut process) = seat.into_process() else { return Ok(()) };
    if answered == 0 {
        process.send(&head);
    } else if position.final_score().is_some() && player == Player::Red {
        process.send(&format!("{last}{}", style.end));
    }
    if style.close {
        process.close_input();
    } else {
        process.send(&format!("{}{}", Message::Quit, style.end));
    }
    let farewell = process.dismiss(Instant::now() + QUIT_GRACE);
    let what = if style.close { "the end of its input" } else { "Quit" };
    if farewell.killed {
        Err(format!("ran on {:.0} s after {what}", QUIT_GRACE.as_secs_f64()))
    } else {
        Ok(())
    }
}
