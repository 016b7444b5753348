//! One game under a strict referee.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use super::Stop;
use super::bots::Bot;
use super::fault::{Fault, SeatError, SeatResult, last_words};
use super::journal::Entry;
use super::seat::{LISTEN, Seat};
use crate::player::board::{Move, Player};
use crate::player::position::{MAX_POINTS, Position, points};
use crate::player::protocol::Message;

/// The time for a bot to end after `Quit`.
pub const QUIT_GRACE: Duration = Duration::from_secs(1);

pub struct GameNotes {
    pub times: Vec<Duration>,
    pub stderr: [String; 2],
}

/// Play one game, and fill in its entry; an error is no fault of a bot. With `suspend` a program is stopped
/// (SIGSTOP) during its opponent's turn.
pub fn play(entry: &mut Entry, bots: [&Bot; 2], suspend: bool, stop: Stop) -> SeatResult<GameNotes> {
    let mut position = Position::standard(&entry.blocked).map_err(SeatError::runner)?;
    let seat = |player: Player| Seat::new(bots[player.index()], player, entry.seeds[player.index()]);
    let mut seats = [seat(Player::Red)?, seat(Player::Blue)?];
    let cells: String = entry.blocked.iter().map(|cell| format!("{cell}\n")).collect();
    let mut times = Vec::new();
    while position.final_score().is_none() {
        let seat = &mut seats[position.to_move().index()];
        let head = if times.len() < 2 { cells.as_str() } else { "" };
        let last = entry.moves.last().map_or(Message::Start, |&mv| Message::Move(mv));
        let before = seat.spent;
        match seat.ask(&format!("{head}{last}\n"), &position, stop) {
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
        if suspend && let Some(process) = seat.process() {
            process.suspend();
        }
    }
    entry.score = position.final_score();
    entry.points = match entry.faults.first().map(|fault| fault.player) {
        Some(Player::Red) => [0, MAX_POINTS],
        Some(Player::Blue) => [MAX_POINTS, 0],
        None => points(entry.score.unwrap_or(0)),
    };
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    entry.micros = seats.each_ref().map(|seat| micros(seat.spent));
    entry.worst_micros = seats.each_ref().map(|seat| micros(seat.worst));
    if let (Some(_), Some(last)) = (entry.score, entry.moves.last()) {
        entry.faults = unasked_at_the_end(&mut seats, *last);
    }
    let quit = format!("{}\n", Message::Quit);
    seats.iter_mut().filter_map(Seat::process).for_each(|process| process.send(&quit));
    let deadline = Instant::now() + QUIT_GRACE;
    let mut stderr = [String::new(), String::new()];
    for seat in seats {
        let player = seat.player;
        let Some(process) = seat.into_process() else { continue };
        // A bot at fault is killed at once.
        let own = entry.faults.iter_mut().find(|fault| fault.player == player);
        let farewell = process.dismiss(if own.is_some() { Instant::now() } else { deadline }, stop);
        match own {
            Some(fault) => fault.detail += &last_words(fault.class, &farewell.notes),
            None if stop.load(Ordering::Relaxed) => {}
            None => entry.faults.extend(farewell.fault(player, QUIT_GRACE, "Quit")),
        }
        stderr[player.index()] = farewell.notes;
    }
    Ok(GameNotes { times, stderr })
}

/// Send Red the last move, too, and list the faults of unasked lines, such as an answer to it.
fn unasked_at_the_end(seats: &mut [Seat<'_>; 2], last: Move) -> Vec<Fault> {
    // Sending wakes a suspended bot.
    let texts = seats.iter_mut().zip([format!("{last}\n"), String::new()]);
    let sent = texts.filter_map(|(seat, text)| seat.process().map(|process| process.send(&text))).count();
    thread::sleep(if sent > 0 { LISTEN } else { Duration::ZERO });
    let fault = |seat: &mut Seat<'_>| match seat.listen(true) {
        Err(SeatError::Fault(class, detail)) => Some(Fault { player: seat.player, class, detail }),
        _ => None,
    };
    seats.iter_mut().filter_map(fault).collect()
}
