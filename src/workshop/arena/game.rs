//! One game under a strict referee.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::bots::Bot;
use super::fault::{Fault, FaultClass, SeatError, last_words};
use super::journal::Entry;
use super::process::Process;
use super::seat::Seat;
use crate::player::board::Player;
use crate::player::position::Position;
use crate::player::protocol::Message;

/// Points a game hands out: the winner of a forfeit takes them all.
const POINTS: u8 = 150;

/// How long a bot may take to end after `Quit`.
pub const QUIT_GRACE: Duration = Duration::from_secs(1);

/// How long a program must be silent after the last move.
const LISTEN: Duration = Duration::from_millis(2);

/// Attempts at one game or trial, each void as the runner was held up, after which all is given up.
pub(super) const MOST_VOID: u32 = 10;

/// The referee's rules beside those of the game.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Rules {
    /// How long the first answer of a program may take, start-up included, if less than its clock.
    pub startup: Option<Duration>,
    /// Whether a program is stopped (SIGSTOP) while it is not its turn.
    pub suspend: bool,
}

/// What is known of a game beside its entry in the journal.
#[derive(Clone, PartialEq, Debug)]
pub struct GameNotes {
    /// The thinking time of each move.
    pub times: Vec<Duration>,
    /// The end of what Red and Blue wrote on stderr.
    pub stderr: [String; 2],
}

/// Play one game, which was void `void` times, and fill in its entry. A process is started when it is
/// first asked for a move: its start-up counts as thinking, as in the CodeCup. All are gone on return.
/// It fails for all that ends a game but its rules and the faults of bots.
pub fn play(
    entry: &mut Entry,
    bots: [&Bot; 2],
    rules: Rules,
    void: u32,
    stop: &AtomicBool,
) -> Result<GameNotes, SeatError> {
    let mut position = Position::codecup(entry.blocked.into_iter().collect()).map_err(SeatError::runner)?;
    let seat = |player: Player| Seat::new(bots[player.index()], player, entry.seeds[player.index()], void);
    let mut seats = [seat(Player::Red)?, seat(Player::Blue)?];
    let cells: String = entry.blocked.iter().map(|cell| format!("{cell}\n")).collect();
    let mut times = Vec::new();
    while position.final_score().is_none() {
        let seat = &mut seats[position.to_move().index()];
        let head = if times.len() < 2 { cells.as_str() } else { "" };
        let last = entry.moves.last().map_or(Message::Start, |&mv| Message::Move(mv));
        let before = seat.spent;
        match seat.ask(&format!("{head}{last}\n"), &position, rules.startup, stop) {
            Ok(mv) => {
                times.push(seat.spent - before);
                entry.moves.push(mv);
                position.try_play(mv).map_err(SeatError::runner)?;
            }
            Err(SeatError::Fault(class, detail)) => {
                entry.faults.push(Fault { player: seat.player, class, detail });
                break;
            }
            Err(error) => return Err(error),
        }
        if rules.suspend {
            seat.process().into_iter().for_each(Process::suspend);
        }
    }
    // The last moves are like all others: no line comes with them, or just after.
    if entry.faults.is_empty() && seats.iter_mut().any(|seat| seat.process().is_some()) {
        thread::sleep(LISTEN);
    }
    for seat in &mut seats {
        if let (true, Err(SeatError::Fault(class, detail))) = (entry.faults.is_empty(), seat.silent()) {
            entry.faults.push(Fault { player: seat.player, class, detail });
        }
    }
    let guilty = entry.faults.first().map(|fault| fault.player);
    entry.score = position.final_score().filter(|_| guilty.is_none());
    let red_points = match guilty {
        Some(Player::Red) => 0,
        Some(Player::Blue) => POINTS,
        None => (i16::from(POINTS) / 2 + i16::from(entry.score.unwrap_or(0))) as u8,
    };
    entry.points = [red_points, POINTS - red_points];
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    entry.micros = seats.each_ref().map(|seat| micros(seat.spent));
    entry.worst_micros = seats.each_ref().map(|seat| micros(seat.worst));
    if let (None, Some(process), Some(last)) = (guilty, seats[0].process(), entry.moves.last()) {
        // Red hears Blue's last move as it hears every other.
        process.send(&format!("{last}\n"));
    }
    seats.iter_mut().filter_map(Seat::process).for_each(Process::quit);
    let deadline = Instant::now() + QUIT_GRACE;
    let mut stderr = [String::new(), String::new()];
    for seat in seats {
        let player = seat.player;
        let Some(process) = seat.into_process() else { continue };
        // A bot that has lost by a fault is not waited for.
        let at_fault = guilty == Some(player);
        let farewell = process.dismiss(if at_fault { Instant::now() } else { deadline }, stop);
        if farewell.killed && !at_fault && !stop.load(Ordering::Relaxed) {
            let detail = format!("ran on {:.0} s after Quit and was killed", QUIT_GRACE.as_secs_f64());
            entry.faults.push(Fault { player, class: FaultClass::NoQuit, detail });
        }
        if let Some(fault) = entry.faults.first_mut().filter(|_| at_fault) {
            fault.detail += &last_words(fault.class, &farewell.notes);
        }
        stderr[player.index()] = farewell.notes;
    }
    Ok(GameNotes { times, stderr })
}
