//! A bot's side of a game: asks for moves, takes the time, and reads the answers strictly.

use std::fmt;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::Stop;
use super::bots::{Bot, PlayerSpec};
use super::fault::{FaultClass, SeatError, SeatError::Fault, SeatResult, last_words};
use super::process::{END_GRACE, LineOutcome, PROCESS_POLL, Process, Watch};
use crate::player::agent::Agent;
use crate::player::board::{Move, ParseMoveError, Player};
use crate::player::bot;
use crate::player::input::quote;
use crate::player::position::Position;
use crate::sparring::{self, Builtin};

/// The time to watch a program that is started only to check that it exists.
const FIRST_LOOK: Duration = Duration::from_millis(100);

/// The time of silence demanded of a bot between the last line and `Quit`.
pub(super) const LISTEN: Duration = Duration::from_millis(50);

pub(super) struct Seat<'a> {
    pub player: Player,
    /// The thinking time in the game, and for the longest move.
    pub spent: Duration,
    pub worst: Duration,
    bot: &'a Bot,
    actor: Actor,
}

enum Actor {
    /// A program before its first turn, at which it is started: start-up counts as thinking.
    Waiting(Vec<String>),
    Running(Process),
    Builtin(Box<dyn Agent>),
}

/// Start every program and make every built-in player once, so that a failure shows before the first game.
pub fn try_bots<'a>(bots: impl IntoIterator<Item = &'a Bot>) -> Result<(), String> {
    let start = |bot| {
        let mut seat = Seat::new(bot, Player::Red, 0)?;
        seat.start().map(|_| seat)
    };
    let seats: SeatResult<Vec<Seat<'_>>> = bots.into_iter().map(start).collect();
    let deadline = Instant::now() + FIRST_LOOK;
    let found = seats.and_then(|seats| seats.into_iter().try_for_each(|mut seat| seat.probe(deadline)));
    found.map_err(|error| error.to_string())
}

impl Seat<'_> {
    /// Make the seat of `bot`, without starting a program. Fails if a built-in player cannot be made.
    pub fn new(bot: &Bot, player: Player, seed: u64) -> SeatResult<Seat<'_>> {
        let actor = match &bot.player {
            PlayerSpec::Program(words) => {
                // 31 bits: a seed for every language.
                let seed = (seed & 0x7fff_ffff).to_string();
                Actor::Waiting(words.iter().map(|word| word.replace("{seed}", &seed)).collect())
            }
            PlayerSpec::Builtin(Builtin { name, options }) => {
                let unmade = |error| SeatError::Runner(format!("{}: {error}", bot.name));
                Actor::Builtin(sparring::builtin(name, options, seed).map_err(unmade)?)
            }
        };
        Ok(Seat { player, spent: Duration::ZERO, worst: Duration::ZERO, bot, actor })
    }

    /// Start a program that does not run yet, and tell whether it was started.
    pub fn start(&mut self) -> SeatResult<bool> {
        let Actor::Waiting(command) = &self.actor else { return Ok(false) };
        let process = Process::start(command).map_err(|error| {
            let is_here = command.first().is_some_and(|it| Path::new(it).is_file() && !it.contains('/'));
            let hint = match error.kind() {
                ErrorKind::PermissionDenied => "; it needs the right to execute, or write 'python3 bot.py'",
                ErrorKind::NotFound if is_here => "; the file is there: write ./bot or 'python3 bot.py'",
                _ => "",
            };
            self.not_started(&format_args!("{error}{hint}"))
        })?;
        self.actor = Actor::Running(process);
        Ok(true)
    }

    fn not_started(&self, why: &dyn fmt::Display) -> SeatError {
        let (name, command) = (&self.bot.name, self.bot.player.to_string());
        let is_builtin = sparring::PLAYERS.iter().any(|player| player.0 == command);
        let meant =
            if is_builtin { format!("; the built-in player is builtin:{command}") } else { String::new() };
        SeatError::Runner(format!("{name}: cannot start {command}: {why}{meant}"))
    }

    /// Check, until `deadline`, that a shell, `env` or the like has found its program: else it ends with 126 or 127.
    fn probe(&mut self, deadline: Instant) -> SeatResult<()> {
        match self.process().and_then(|process| process.ended(deadline)) {
            Some(status) if matches!(status.code(), Some(126 | 127)) => {
                let notes = self.process().map(Process::stderr).unwrap_or_default();
                Err(self.not_started(&format_args!("{status}{}", last_words(FaultClass::Crash, &notes))))
            }
            _ => Ok(()),
        }
    }

    /// Check that nothing was printed since the last answer, perhaps the game's last.
    pub fn listen(&mut self, is_over: bool) -> SeatResult<()> {
        let is_answer = is_over && self.player == Player::Red;
        let Some(bytes) = self.process().and_then(Process::unasked) else { return Ok(()) };
        let rule = if is_answer { ": Red must not answer Blue's last move" } else { "" };
        Err(Fault(FaultClass::Garbage, format!("unasked output {}{rule}", quote(bytes))))
    }

    pub fn process(&mut self) -> Option<&mut Process> {
        if let Actor::Running(process) = &mut self.actor { Some(process) } else { None }
    }

    pub fn into_process(self) -> Option<Process> {
        if let Actor::Running(process) = self.actor { Some(process) } else { None }
    }

    fn charge(&mut self, elapsed: Duration) {
        self.spent += elapsed;
        self.worst = self.worst.max(elapsed);
    }

    /// Ask for a move and check it. The clock runs from just before the start of the program, or the writing
    /// of `text`, to the arrival of the full line; it stands still while the runner is held up.
    pub fn ask(&mut self, text: &str, position: &Position, stop: Stop) -> SeatResult<Move> {
        let left = self.bot.time.saturating_sub(self.spent);
        let (begin, mut watch) = (Instant::now(), Watch::new(stop));
        let first = self.start()?;
        // Output of a process just started is its answer: it had no time for anything else.
        if !first {
            self.listen(false)?;
        }
        let process = match &mut self.actor {
            Actor::Running(process) => process,
            Actor::Builtin(agent) => {
                agent.stop_when_raised(stop);
                let (sender, choices) = mpsc::channel();
                let (mv, choice, spent) = thread::scope(|scope| {
                    let think = || {
                        let (mv, choice) = bot::ask(&mut **agent, position, left);
                        // The receiver waits for it.
                        _ = sender.send((mv, choice, begin.elapsed()));
                    };
                    thread::Builder::new().spawn_scoped(scope, think).map_err(SeatError::runner)?;
                    loop {
                        let answer = choices.recv_timeout(PROCESS_POLL);
                        // After a stop the player answers at once.
                        _ = watch.look();
                        match answer {
                            Err(RecvTimeoutError::Timeout) => {}
                            answer => return answer.map_err(SeatError::runner),
                        }
                    }
                })?;
                let elapsed = spent.saturating_sub(watch.held_up);
                self.charge(elapsed);
                watch.look()?;
                return match choice {
                    Err(why) => Err(Fault(FaultClass::Crash, why)),
                    Ok(_) if elapsed > left => Err(came_late(&mv.to_string(), elapsed - left)),
                    Ok(_) => Ok(mv),
                };
            }
            Actor::Waiting(_) => return Err(SeatError::runner("the program does not run")),
        };
        process.send(text);
        let (line, answer) = process.line(begin + left, &mut watch)?;
        let arrived = if let LineOutcome::Line(arrived) = answer { arrived } else { Instant::now() };
        let elapsed = arrived.saturating_duration_since(begin).saturating_sub(watch.held_up);
        let is_silent = answer == LineOutcome::Late && line.is_empty();
        self.charge(if is_silent { left } else { elapsed });
        match answer {
            LineOutcome::Line(_) if elapsed <= left => read_move(&line, position),
            LineOutcome::Line(_) => Err(came_late(&quote(&line), elapsed - left)),
            LineOutcome::Late if is_silent => {
                let detail = format!("no answer in the {:.2} s left", left.as_secs_f64());
                Err(Fault(FaultClass::Silence, detail))
            }
            LineOutcome::Late => {
                let detail = format!("an unfinished line {} when the time was up", quote(&line));
                Err(Fault(FaultClass::Time, detail))
            }
            LineOutcome::TooLong => {
                Err(Fault(FaultClass::Garbage, format!("an endless line {}", quote(&line))))
            }
            LineOutcome::Closed => Err(self.closed(&line)),
        }
    }

    /// Make the error of a closed output, after a part of a line or none.
    fn closed(&mut self, line: &[u8]) -> SeatError {
        let status = self.process().and_then(|process| process.ended(Instant::now() + END_GRACE));
        let rest = if line.is_empty() { "" } else { &format!(" in the middle of the line {}", quote(line)) };
        match status {
            Some(status) if status.success() => {
                Fault(FaultClass::HangUp, format!("ended{rest} while a move was due"))
            }
            Some(status) => Fault(FaultClass::Crash, format!("died{rest}: {status}")),
            None => Fault(FaultClass::HangUp, format!("closed its output{rest} and runs on")),
        }
    }
}

/// Make the error of an answer `over` too late.
fn came_late(answer: &str, over: Duration) -> SeatError {
    let over = over.as_secs_f64();
    // It said 0.000 s.
    let by = if over < 0.1 { format!("{:.1} ms", 1e3 * over) } else { format!("{over:.3} s") };
    Fault(FaultClass::Time, format!("{answer} came {by} late"))
}

/// Read a legal move in exactly the form of the rules; white space after it is ignored.
fn read_move(line: &[u8], position: &Position) -> SeatResult<Move> {
    let unfit = |class, what: &str| Fault(class, format!("{}{what}", quote(line)));
    let garbage = |what: &str| unfit(FaultClass::Garbage, what);
    let text = str::from_utf8(line).map_err(|_| garbage(" is no text"))?.trim_ascii_end();
    let mv = Move::parse(text).map_err(|error| {
        let class = match error {
            ParseMoveError::Cell | ParseMoveError::StoneRange => FaultClass::Illegal,
            ParseMoveError::NoEquals | ParseMoveError::NotANumber => FaultClass::Garbage,
        };
        unfit(class, &format!(": expected {error}"))
    })?;
    if mv.to_string() != text {
        return Err(garbage(&format!(": expected exactly '{mv}'")));
    }
    let illegal = |error| unfit(FaultClass::Illegal, &format!(": expected {error}"));
    position.check(mv).map(|()| mv).map_err(illegal)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::player::agent::Choice;
    use crate::player::board::Cell;

    /// Plays the first legal move, or commits its fault.
    struct Faulty(&'static str);

    impl Agent for Faulty {
        fn choose(&mut self, position: &Position, _remaining: Duration) -> Choice {
            thread::sleep(Duration::from_millis(if self.0 == "slow" { 350 } else { 0 }));
            assert_ne!(self.0, "panic");
            Choice::unsearched(position.legal_moves().next().expect("a move"))
        }
    }

    #[test]
    fn builtin_players_lose_by_their_own_fault_class() {
        static STOP: AtomicBool = AtomicBool::new(false);
        let position = Position::standard(&Cell::all().take(5).collect::<Vec<_>>()).expect("five cells");
        for (fault, time, told) in [
            ("", 60_000, "A6=1"),
            ("panic", 60_000, "crash: the agent failed"),
            ("slow", 50, "time: A6=1 came 0.3"),
        ] {
            let bot = Bot::parse("a=builtin:random", Duration::from_millis(time)).expect("a bot");
            let asked = |_| {
                let mut seat = Seat::new(&bot, Player::Red, 1).expect("a seat");
                seat.actor = Actor::Builtin(Box::new(Faulty(fault)));
                let mv = seat.ask("", &position, &STOP);
                mv.map_or_else(|error| error.to_string(), |mv| mv.to_string()).starts_with(told)
            };
            assert!((0..20).any(asked), "{fault}: even a busy machine holds up few");
        }
        let late = came_late("A6=1", Duration::from_micros(300)).to_string();
        assert_eq!(late, "time: A6=1 came 0.3 ms late", "it was 0.000 s");
    }
}
