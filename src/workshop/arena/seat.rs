//! A bot's side of a game: it is asked for moves, timed, and its answers are read strictly.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::bots::{Bot, Builtin, PlayerSpec};
use super::fault::FaultClass;
use super::process::{Answer, BUSY, END_GRACE, Process, SLICE, Watch};
use crate::player::agent::Agent;
use crate::player::board::{Move, ParseMoveError, Player};
use crate::player::input::quote;
use crate::player::position::Position;
use crate::workshop::players;

/// How long after the deadline an answer is listened for, to tell a late bot from a silent one.
const LATE_LISTEN: Duration = Duration::from_millis(300);

/// How long a program is looked at that is started only to see whether it is there.
const FIRST_LOOK: Duration = Duration::from_millis(100);

/// A bot that plays one colour.
pub(super) struct Seat<'a> {
    pub player: Player,
    /// The thinking time of the game, and of the longest move.
    pub spent: Duration,
    pub worst: Duration,
    /// How often the game was void before.
    pub void: u32,
    bot: &'a Bot,
    runner: Runner,
}

enum Runner {
    /// A program that is started when it is first asked, so that start-up counts as thinking.
    Waiting(Vec<String>),
    Running(Process),
    Builtin(BuiltinThread),
}

/// Why no move came.
#[derive(Debug)]
pub enum SeatError {
    /// The bot is at fault.
    Fault(FaultClass, String),
    /// The match is being stopped.
    Stopped,
    /// The runner was held up while the clock ran.
    HeldUp,
    /// The runner cannot start the bot.
    Runner(String),
}

impl SeatError {
    /// Blame the runner.
    pub(super) fn runner(why: impl fmt::Display) -> SeatError {
        SeatError::Runner(why.to_string())
    }
}

impl fmt::Display for SeatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SeatError::Fault(class, detail) => write!(f, "{class}: {detail}"),
            SeatError::Stopped => f.write_str("interrupted"),
            SeatError::HeldUp => f.write_str("the runner was held up"),
            SeatError::Runner(error) => f.write_str(error),
        }
    }
}

/// Start every program and make every built-in player once, so that what cannot be started shows
/// before the first game.
///
/// # Errors
/// What the system or the player says, with the bot's name.
pub fn try_bots<'a>(bots: impl IntoIterator<Item = &'a Bot>) -> Result<(), String> {
    let start = |bot| {
        let mut seat = Seat::new(bot, Player::Red, 0)?;
        seat.start().map(|_| seat)
    };
    let seats: Result<Vec<Seat<'_>>, SeatError> = bots.into_iter().map(start).collect();
    let deadline = Instant::now() + FIRST_LOOK;
    let found = seats.and_then(|seats| seats.into_iter().try_for_each(|mut seat| seat.found(deadline)));
    found.map_err(|error| error.to_string())
}

impl Seat<'_> {
    /// Make the seat of `bot`; a program is not started yet. It fails when a player cannot be made.
    pub fn new(bot: &Bot, player: Player, seed: u64) -> Result<Seat<'_>, SeatError> {
        let runner = match &bot.player {
            PlayerSpec::Program(words) => {
                // 31 bits: a seed every language reads.
                let seed = (seed & 0x7fff_ffff).to_string();
                Runner::Waiting(words.iter().map(|word| word.replace("{seed}", &seed)).collect())
            }
            PlayerSpec::Builtin(Builtin { name, options }) => {
                let (name, options) = (name.clone(), options.clone());
                let thread = BuiltinThread::start(move || players::builtin(&name, &options, seed));
                let unmade = |error| SeatError::Runner(format!("{}: {error}", bot.name));
                Runner::Builtin(thread.map_err(unmade)?)
            }
        };
        Ok(Seat { player, spent: Duration::ZERO, worst: Duration::ZERO, void: 0, bot, runner })
    }

    /// Start the program, if there is one and it does not run yet, and say whether it was started.
    pub fn start(&mut self) -> Result<bool, SeatError> {
        let Runner::Waiting(command) = &self.runner else { return Ok(false) };
        let process = Process::start(command).map_err(|error| self.not_started(&error))?;
        self.runner = Runner::Running(process);
        Ok(true)
    }

    fn not_started(&self, why: &dyn fmt::Display) -> SeatError {
        SeatError::Runner(format!("{}: cannot start '{}': {why}", self.bot.name, self.bot.player))
    }

    /// Check until `deadline` that a shell or the like that was started has found the program.
    fn found(&mut self, deadline: Instant) -> Result<(), SeatError> {
        match self.process().and_then(|process| process.ended(deadline)) {
            Some(status) if started_nothing(status) => Err(self.not_started(&status)),
            _ => Ok(()),
        }
    }

    /// Check that nothing was printed since the last answer.
    pub fn silent(&mut self) -> Result<(), SeatError> {
        match self.process().and_then(Process::unasked) {
            Some(bytes) => Err(fault(FaultClass::Garbage, format!("unasked output {}", quote(bytes)))),
            None => Ok(()),
        }
    }

    /// Return the program that runs.
    pub fn process(&mut self) -> Option<&mut Process> {
        if let Runner::Running(process) = &mut self.runner { Some(process) } else { None }
    }

    /// Return the program that runs, to be ended.
    pub fn into_process(self) -> Option<Process> {
        if let Runner::Running(process) = self.runner { Some(process) } else { None }
    }

    fn charge(&mut self, elapsed: Duration) {
        self.spent += elapsed;
        self.worst = self.worst.max(elapsed);
    }

    /// Ask for a move: write `text`, wait for the line, check it. The clock runs from just before the
    /// program is started or the text is written to the arrival of the full line; a program's first
    /// answer may take no longer than `startup`, if that is given.
    pub fn ask(
        &mut self,
        text: &str,
        position: &Position,
        startup: Option<Duration>,
        stop: &AtomicBool,
    ) -> Result<Move, SeatError> {
        let left = self.bot.time.saturating_sub(self.spent);
        let startup = startup.filter(|&limit| limit < left && matches!(self.runner, Runner::Waiting(_)));
        let (allowed, late) = startup.map_or((left, FaultClass::Time), |limit| (limit, FaultClass::Startup));
        let (begin, mut watch) = (Instant::now(), Watch::new(allowed, self.void));
        let first = self.start()?;
        if watch.held_up() && self.void < BUSY {
            return Err(SeatError::HeldUp);
        }
        // A process just started has had no time to speak out of turn: what it says is its answer.
        if !first {
            self.silent()?;
        }
        let process = match &mut self.runner {
            Runner::Running(process) => process,
            Runner::Builtin(thread) => {
                let (mv, elapsed) = thread.ask(*position, left, &mut watch, stop)?;
                self.charge(elapsed);
                return builtin_move(mv, elapsed, left, position);
            }
            Runner::Waiting(_) => return Err(SeatError::runner("the program does not run")),
        };
        process.send(text);
        let mut answer = process.line(begin + allowed, &mut watch, stop);
        let nothing = |answer: &Answer| matches!(answer, Answer::Late(bytes) if bytes.is_empty());
        if nothing(&answer) && late == FaultClass::Time {
            answer = process.line(Instant::now() + LATE_LISTEN, &mut watch, stop);
        }
        let arrived = if let Answer::Line(_, arrived) = &answer { *arrived } else { Instant::now() };
        let elapsed = arrived.saturating_duration_since(begin);
        self.charge(if nothing(&answer) { allowed } else { elapsed });
        match answer {
            Answer::Line(line, _) if elapsed <= allowed => read_move(&line, position),
            Answer::Line(line, _) => Err(came_late(late, &quote(&line), elapsed - allowed)),
            Answer::Late(bytes) => Err(no_line(late, &bytes, allowed)),
            Answer::TooLong(bytes) => {
                Err(fault(FaultClass::Garbage, format!("an endless line {}", quote(&bytes))))
            }
            Answer::Closed(bytes) => Err(self.closed(&bytes, first)),
            Answer::Stopped => Err(SeatError::Stopped),
            Answer::HeldUp => Err(SeatError::HeldUp),
        }
    }

    /// Say why the output was closed, after a part of a line or none; `first` if just started.
    fn closed(&mut self, line: &[u8], first: bool) -> SeatError {
        let status = self.process().and_then(|process| process.ended(Instant::now() + END_GRACE));
        let deaf = self.process().is_some_and(|process| process.is_deaf());
        let rest = if line.is_empty() { "" } else { &format!(" in the middle of the line {}", quote(line)) };
        match status {
            Some(status) if first && line.is_empty() && started_nothing(status) && deaf => {
                self.not_started(&status)
            }
            Some(status) if status.success() => {
                fault(FaultClass::HangUp, format!("ended{rest} while a move was due"))
            }
            Some(status) => fault(FaultClass::Crash, format!("died{rest}: {status}")),
            None => fault(FaultClass::HangUp, format!("closed its output{rest} and runs on")),
        }
    }
}

fn fault(class: FaultClass, detail: String) -> SeatError {
    SeatError::Fault(class, detail)
}

/// Say how late an answer came; `late` is the fault of that.
fn came_late(late: FaultClass, answer: &str, over: Duration) -> SeatError {
    fault(late, format!("{answer} came {:.3} s late", over.as_secs_f64()))
}

/// Say that the time was up before a whole line had come.
fn no_line(late: FaultClass, part: &[u8], allowed: Duration) -> SeatError {
    let seconds = allowed.as_secs_f64();
    match (part, late) {
        ([], FaultClass::Startup) => fault(late, format!("no answer in the first {seconds:.2} s")),
        ([], _) => fault(FaultClass::Silence, format!("no answer in the {seconds:.2} s left")),
        _ => fault(late, format!("an unfinished line {} when the time was up", quote(part))),
    }
}

/// The stack of a built-in player, bytes: as much as a program's main thread has.
const STACK: usize = 8 << 20;

/// A built-in player on a thread of its own, so that a search need not be waited for when the match
/// stops.
struct BuiltinThread {
    requests: Sender<(Position, Duration)>,
    /// A move or the words of a panic, and how long it took.
    answers: Receiver<(Result<Move, String>, Duration)>,
}

impl BuiltinThread {
    /// Make a player in a new thread. It fails when there is no thread, or no such player.
    fn start(
        make: impl FnOnce() -> Result<Box<dyn Agent>, String> + Send + 'static,
    ) -> Result<BuiltinThread, String> {
        let (requests, asked) = mpsc::channel::<(Position, Duration)>();
        let (answer, answers) = mpsc::channel();
        let (ready, made) = mpsc::channel();
        let play = move || {
            let mut agent = match make() {
                Ok(agent) => agent,
                Err(error) => return drop(ready.send(Err(error))),
            };
            let _ = ready.send(Ok(()));
            for (position, left) in asked {
                let begin = Instant::now();
                let choice = catch_unwind(AssertUnwindSafe(|| agent.choose(&position, left).mv));
                let elapsed = begin.elapsed();
                let mv = choice.map_err(|panic| {
                    let said = panic.downcast_ref::<String>().map(String::as_str);
                    said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned()
                });
                // After a panic the game is over, and so are the requests.
                let _ = answer.send((mv, elapsed));
            }
        };
        let thread = thread::Builder::new().stack_size(STACK).spawn(play);
        thread.map_err(|error| format!("cannot start a thread: {error}"))?;
        made.recv().map_err(|_| "the player panicked when it was made".to_owned())??;
        Ok(BuiltinThread { requests, answers })
    }

    fn ask(
        &self,
        position: Position,
        left: Duration,
        watch: &mut Watch,
        stop: &AtomicBool,
    ) -> Result<(Result<Move, String>, Duration), SeatError> {
        let ended = || SeatError::Runner("the thread of a built-in player ended".to_owned());
        self.requests.send((position, left)).map_err(|_| ended())?;
        loop {
            let reply = self.answers.recv_timeout(SLICE);
            if stop.load(Ordering::Relaxed) {
                return Err(SeatError::Stopped);
            }
            if watch.held_up() {
                return Err(SeatError::HeldUp);
            }
            match reply {
                Ok(reply) => return Ok(reply),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(ended()),
            }
        }
    }
}

/// Tell whether a program ended as shells, `env` and the like do when they find nothing to start.
fn started_nothing(status: ExitStatus) -> bool {
    matches!(status.code(), Some(126 | 127))
}

/// Judge the answer of a built-in player as that of a program.
fn builtin_move(
    mv: Result<Move, String>,
    elapsed: Duration,
    left: Duration,
    position: &Position,
) -> Result<Move, SeatError> {
    let mv = mv.map_err(|said| fault(FaultClass::Crash, format!("panicked: {said}")))?;
    if elapsed > left {
        return Err(came_late(FaultClass::Time, &mv.to_string(), elapsed - left));
    }
    let illegal = |error| fault(FaultClass::Illegal, format!("{mv}: expected {error}"));
    position.check(mv).map(|()| mv).map_err(illegal)
}

/// Read a legal move strictly, as the rules write it; white space after it is let pass.
fn read_move(line: &[u8], position: &Position) -> Result<Move, SeatError> {
    let unfit = |class, what: &str| fault(class, format!("{}{what}", quote(line)));
    let garbage = |what: &str| unfit(FaultClass::Garbage, what);
    if line.starts_with("\u{feff}".as_bytes()) {
        return Err(garbage(": expected a move without a byte order mark before it"));
    }
    if line.contains(&0) {
        return Err(garbage(": expected one byte a character, not UTF-16 or zeros"));
    }
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
    use super::*;
    use crate::player::agent::Choice;
    use crate::player::board::Cell;

    /// Plays the first legal move, or commits its fault.
    struct Faulty(&'static str);

    impl Agent for Faulty {
        fn choose(&mut self, position: &Position, _remaining: Duration) -> Choice {
            let mut mv = position.legal_moves().next().expect("a move");
            match self.0 {
                "panic" => panic!("on purpose"),
                "slow" => thread::sleep(Duration::from_millis(60)),
                "illegal" => mv = Move::parse("A1=1").expect("a move"),
                _ => {}
            }
            Choice::unsearched(mv)
        }
    }

    #[test]
    fn faults_of_builtin_players() {
        let position = Position::codecup(Cell::all().take(5).collect()).expect("five cells");
        let bot = Bot::parse("a=builtin:random", Duration::from_millis(50)).expect("a bot");
        let asked = |fault: &'static str| {
            let mut seat = Seat::new(&bot, Player::Red, 1).expect("a seat");
            // So that a busy machine voids nothing.
            seat.void = BUSY;
            let faulty = move || -> Result<Box<dyn Agent>, String> { Ok(Box::new(Faulty(fault))) };
            seat.runner = Runner::Builtin(BuiltinThread::start(faulty).expect("a thread"));
            let mv = seat.ask("", &position, None, &AtomicBool::new(false));
            mv.map(|mv| mv.to_string()).unwrap_or_else(|error| error.to_string())
        };
        assert_eq!(asked(""), "A6=1");
        assert_eq!(asked("panic"), "crash: panicked: on purpose");
        assert_eq!(asked("illegal"), "illegal: A1=1: expected an empty cell (A1 is occupied)");
        let slow = asked("slow");
        assert!(slow.starts_with("time: A6=1 came 0.") && slow.ends_with(" s late"), "{slow}");
    }
}
