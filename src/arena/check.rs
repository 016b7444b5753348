//! Checks that a bot keeps to the referee dialogue, by small trials that pass or describe the failure.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use super::Stop;
use super::bots::Bot;
use super::fault::{Fault, FaultClass, FaultCounts, SeatError, SeatResult, last_words};
use super::game::QUIT_GRACE;
use super::seat::{LISTEN, Seat, try_bots};
use crate::games::opening::{Opening, mix, random_opening};
use crate::player::board::Player;
use crate::player::opponent::random_move;
use crate::player::position::Position;
use crate::player::protocol::Message;
use crate::player::rng::Random;
use crate::player::simd::Portable;

pub struct Trial {
    pub name: String,
    /// The time used and the exit status, or the failure.
    pub result: Result<String, Fault>,
    pub moves: u64,
    /// The dialogue, line by line: `<` to the bot, `>` from the bot, `|` the bot's stderr.
    pub transcript: String,
}

/// The differences of a trial's input from the plain dialogue.
#[derive(Clone, Copy)]
struct Spec {
    end: &'static str,
    blank_lines: usize,
    /// The opponent's time for each of its first three moves.
    pause: Duration,
    moves: u32,
    /// Whether the trial ends by closing the input instead of `Quit`.
    close: bool,
}

const PLAIN: Spec = Spec { end: "\n", blank_lines: 0, pause: Duration::ZERO, moves: 15, close: false };

/// The seed of the openings and of the opponent: the same trials every time.
const SEED: u64 = 1;

/// The number of trials that fail in the same way before the others are left out.
const MAX_SAME_FAILURES: u64 = 3;

/// Try to start the bot, then run the trials, with this many whole games against random play for each colour, and pass
/// each result to `each`; return the number left out. Fails if the bot cannot be started, at first or later.
pub fn run(bot: &Bot, games: u64, stop: Stop, mut each: impl FnMut(Trial)) -> Result<u64, String> {
    try_bots([bot])?;
    let mut failures = FaultCounts::default();
    let specs = [
        ("a whole game", PLAIN),
        ("lines that end in CR LF", Spec { end: "\r\n", ..PLAIN }),
        ("empty lines before the cells", Spec { blank_lines: 2, ..PLAIN }),
        ("Quit after the second move", Spec { moves: 2, ..PLAIN }),
        ("end of input after the third move", Spec { moves: 3, close: true, ..PLAIN }),
        ("end of input after the last move", Spec { close: true, ..PLAIN }),
        ("a slow opponent", Spec { pause: Duration::from_millis(700), ..PLAIN }),
        ("Quit instead of the first move", Spec { moves: 0, ..PLAIN }),
    ];
    let of = |player, (name, spec): (&str, Spec)| (format!("{player}: {name}"), player, spec);
    let whole = Player::BOTH.into_iter().flat_map(|player| specs.map(|spec| of(player, spec)));
    let random = (1..=games).flat_map(|game| {
        let name = format!("game {game} of {games} against random play");
        Player::BOTH.map(|player| of(player, (&name, PLAIN)))
    });
    let count = 2 * (specs.len() as u64 + games);
    for (round, (name, player, spec)) in (1..).zip(whole.chain(random)) {
        let mut trial = Trial { name, result: Ok(String::new()), moves: 0, transcript: String::new() };
        match trial.run(bot, player, spec, round, stop) {
            _ if stop.load(Ordering::Relaxed) => return Ok(0),
            Ok(end) => trial.result = Ok(end),
            Err(SeatError::Fault(class, mut detail)) => {
                if class == FaultClass::Silence {
                    detail += " (does it flush its output after every line?";
                    detail += if trial.moves < 2 { " does it start in time?)" } else { ")" };
                }
                let fault = Fault { player, class, detail };
                failures.add("", &fault, trial.moves);
                trial.result = Err(fault);
            }
            Err(error) => return Err(error.to_string()),
        }
        each(trial);
        if failures.0.values().any(|same| same.count == MAX_SAME_FAILURES) {
            return Ok(count - round);
        }
    }
    Ok(0)
}

impl Trial {
    fn note(&mut self, mark: char, lines: &str) {
        lines.lines().for_each(|line| self.transcript += &format!("{mark} {line}\n"));
    }

    fn run(&mut self, bot: &Bot, player: Player, spec: Spec, round: u64, stop: Stop) -> SeatResult<String> {
        let mut seat = Seat::new(bot, player, SEED)?;
        let played = self.dialogue(&mut seat, spec, round, stop);
        let spent = seat.spent.as_secs_f64();
        let Some(mut process) = seat.into_process() else { return played.map(|()| String::new()) };
        // A bot not yet asked for a move may still be starting.
        let mut patience = QUIT_GRACE + if spec.moves == 0 { bot.time } else { Duration::ZERO };
        if let Err(error) = &played {
            self.transcript += &format!("({error})\n");
            patience = Duration::ZERO;
        } else if spec.close {
            process.close_input();
            self.transcript += "(end of input)\n";
        } else {
            process.send(&format!("{}{}", Message::Quit, spec.end));
            self.note('<', &Message::Quit.to_string());
        }
        let farewell = process.dismiss(Instant::now() + patience, stop);
        if !farewell.notes.is_empty() {
            self.transcript += "(on stderr)\n";
            self.note('|', &farewell.notes);
        }
        if let Err(SeatError::Fault(class, detail)) = played {
            return Err(SeatError::Fault(class, detail + &last_words(class, &farewell.notes)));
        }
        played?;
        match farewell.fault(player, patience, if spec.close { "the end of its input" } else { "Quit" }) {
            Some(Fault { class, detail, .. }) => Err(SeatError::Fault(class, detail)),
            None => Ok(format!("{spent:.2} s, {}", farewell.status)),
        }
    }

    /// Play up to the point where the spec breaks off.
    fn dialogue(&mut self, seat: &mut Seat<'_>, spec: Spec, round: u64, stop: Stop) -> SeatResult<()> {
        let opening: Opening = random_opening(SEED, round);
        let mut random = Random::new(mix(&[SEED, round, 1]));
        let mut position = Position::standard(&opening).map_err(SeatError::runner)?;
        let mut head = spec.end.repeat(spec.blank_lines);
        opening.iter().for_each(|cell| head += &format!("{cell}{}", spec.end));
        let mut last = Message::Start;
        let mut answered = 0;
        while position.final_score().is_none() && (answered < spec.moves || answered == 15) {
            let mv = if position.to_move() == seat.player {
                let line = format!("{head}{last}{}", spec.end);
                head.clear();
                answered += 1;
                self.note('<', &line);
                let mv = seat.ask(&line, &position, stop)?;
                self.note('>', &mv.to_string());
                mv
            } else {
                if answered > 0 {
                    // The opponent thinks: the bot must be silent.
                    thread::sleep(if answered <= 3 { spec.pause } else { Duration::ZERO });
                    seat.listen(false)?;
                }
                let mv = random_move::<Portable>(&position, &mut random);
                last = Message::Move(mv);
                mv
            };
            position.try_play(mv).map_err(SeatError::runner)?;
            self.moves += 1;
        }
        let asked = !seat.start()?;
        let rest = match answered {
            0 => head,
            _ if position.final_score().is_some() && seat.player == Player::Red => {
                format!("{last}{}", spec.end)
            }
            _ => String::new(),
        };
        self.note('<', &rest);
        if let Some(process) = seat.process() {
            process.send(&rest);
        }
        if !asked {
            return Ok(());
        }
        // A second line with the last move, or an answer to Blue's last one, may take a moment.
        thread::sleep(LISTEN);
        seat.listen(true)
    }
}
