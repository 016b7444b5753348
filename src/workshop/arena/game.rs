//! One game under a strict referee.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::bots::{Bot, Maker, PlayerSpec};
use super::fault::{Fault, FaultClass};
use super::process::{Answer, Process};
use super::schedule::Game;
use crate::player::agent::Agent;
use crate::player::board::{Move, ParseMoveError, Player};
use crate::player::input::quote;
use crate::player::position::{Position, Score};
use crate::player::protocol::Message;

/// Points a game hands out: the winner of a forfeit takes them all.
pub const POINTS: u8 = 150;

/// How long after the deadline an answer is still listened for, only to tell a late bot from a silent one.
const LATE_LISTEN: Duration = Duration::from_millis(300);

/// How long a bot may take to end after `Quit`.
pub const QUIT_GRACE: Duration = Duration::from_secs(1);

/// What the referee needs besides the game.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// How long the first answer of a process may take, start-up included, whatever the clock says.
    pub startup: Duration,
}

/// What a bot spent.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Spent {
    /// Thinking time of the game.
    pub total: Duration,
    /// The longest move.
    pub worst: Duration,
}

/// A game played to its end or to a fault.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The moves, Red's first.
    pub moves: Vec<Move>,
    /// The final score, red minus blue; `None` after a forfeit.
    pub score: Option<Score>,
    /// Points of Red and Blue.
    pub points: [u8; 2],
    /// The faults: at most one that forfeits, and bots that ignored `Quit`.
    pub faults: Vec<Fault>,
    /// Time spent by Red and Blue.
    pub spent: [Spent; 2],
    /// Thinking time of each move.
    pub times: Vec<Duration>,
    /// The end of what each wrote on stderr.
    pub notes: [String; 2],
}

/// A bot's side of a game.
pub(super) struct Seat {
    player: Player,
    runner: Runner,
    /// Thinking time for the whole game.
    time: Duration,
    spent: Spent,
}

enum Runner {
    /// A process that is started when it is first asked, so that start-up counts as thinking.
    Waiting(Vec<String>),
    Running(Process),
    Builtin(Box<dyn Agent>),
    /// A built-in player that could not be made, and why.
    Broken(String),
}

/// Why no move came.
pub(super) enum Failure {
    Fault(FaultClass, String),
    Stopped,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Fault(class, detail) => write!(f, "{class}: {detail}"),
            Failure::Stopped => f.write_str("interrupted"),
        }
    }
}

fn fault<T>(class: FaultClass, detail: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::Fault(class, detail.into()))
}

impl Seat {
    pub fn new(bot: &Bot, player: Player, seed: u64, maker: &Maker<'_>) -> Seat {
        let runner = match &bot.player {
            PlayerSpec::Command(words) => {
                // 31 bits: a seed every language reads.
                let seed = (seed & 0x7fff_ffff).to_string();
                Runner::Waiting(words.iter().map(|word| word.replace("{seed}", &seed)).collect())
            }
            PlayerSpec::Builtin(builtin) => match maker(builtin, seed) {
                Ok(agent) => Runner::Builtin(agent),
                Err(error) => Runner::Broken(error),
            },
        };
        Seat { player, runner, time: bot.time, spent: Spent::default() }
    }

    /// Start the program, if there is one and it does not run yet, and say whether it was started.
    pub fn start(&mut self) -> Result<bool, Failure> {
        match &self.runner {
            Runner::Running(_) | Runner::Builtin(_) => Ok(false),
            Runner::Broken(error) => fault(FaultClass::Startup, error.as_str()),
            Runner::Waiting(command) => match Process::start(command) {
                Ok(process) => {
                    self.runner = Runner::Running(process);
                    Ok(true)
                }
                Err(error) => fault(FaultClass::Startup, format!("cannot start '{}': {error}", command[0])),
            },
        }
    }

    /// Check that nothing was printed since the last answer.
    pub fn silent(&mut self) -> Result<(), Failure> {
        match self.process().and_then(Process::unasked) {
            Some(bytes) => fault(FaultClass::Garbage, format!("unasked output {}", quote(bytes))),
            None => Ok(()),
        }
    }

    /// Return the program that runs.
    pub fn process(&mut self) -> Option<&mut Process> {
        match &mut self.runner {
            Runner::Running(process) => Some(process),
            _ => None,
        }
    }

    /// Return the program that runs, to be ended.
    pub fn into_process(self) -> Option<Process> {
        match self.runner {
            Runner::Running(process) => Some(process),
            _ => None,
        }
    }

    fn charge(&mut self, elapsed: Duration) {
        self.spent.total += elapsed;
        self.spent.worst = self.spent.worst.max(elapsed);
    }

    /// Ask for a move: write `text`, wait for the line, check it; `other` is drained meanwhile. The clock runs from just before the
    /// process is started or the text is written to the arrival of the full line.
    pub fn ask(
        &mut self,
        text: &str,
        position: &Position,
        other: Option<&mut Process>,
        rules: Rules,
        stop: &AtomicBool,
    ) -> Result<Move, Failure> {
        let left = self.time.saturating_sub(self.spent.total);
        let begin = Instant::now();
        let first = self.start()?;
        // A process just started has had no time to speak out of turn: what it says is its answer.
        if !first {
            self.silent()?;
        }
        let (allowed, late) = match first && rules.startup < left {
            true => (rules.startup, FaultClass::Startup),
            false => (left, FaultClass::Time),
        };
        let Some(process) = self.process() else { return self.choose(position, left) };
        process.send(text);
        let mut answer = process.line(other, begin + allowed, stop);
        let nothing = |answer: &Answer| matches!(answer, Answer::Late(bytes) if bytes.is_empty());
        if nothing(&answer) && late == FaultClass::Time {
            answer = process.line(None, Instant::now() + LATE_LISTEN, stop);
        }
        let silent = nothing(&answer);
        let arrived = if let Answer::Line(_, arrived) = &answer { *arrived } else { Instant::now() };
        let elapsed = arrived.saturating_duration_since(begin);
        let seconds = allowed.as_secs_f64();
        let result = match answer {
            Answer::Stopped => Err(Failure::Stopped),
            Answer::Line(line, _) if elapsed > allowed => {
                fault(late, format!("{} came {:.3} s late", quote(&line), elapsed.as_secs_f64() - seconds))
            }
            Answer::Line(line, _) => {
                read_move(&line, position).or_else(|(class, detail)| fault(class, detail))
            }
            Answer::Late(_) if silent && late == FaultClass::Startup => {
                fault(late, format!("no answer in the first {seconds:.2} s"))
            }
            Answer::Late(_) if silent => {
                fault(FaultClass::Silence, format!("no answer in the {seconds:.2} s left"))
            }
            Answer::Late(bytes) => {
                fault(late, format!("an unfinished line {} when the time was up", quote(&bytes)))
            }
            Answer::TooLong(bytes) => {
                fault(FaultClass::Garbage, format!("an endless line {}", quote(&bytes)))
            }
            Answer::Closed(bytes) => {
                let rest = match &bytes[..] {
                    [] => String::new(),
                    bytes => format!(" in the middle of the line {}", quote(bytes)),
                };
                match process.ended() {
                    Some(status) if status.success() => {
                        fault(FaultClass::HangUp, format!("ended{rest} while a move was due"))
                    }
                    Some(status) => fault(FaultClass::Crash, format!("died{rest}: {status}")),
                    None => fault(FaultClass::HangUp, format!("closed its output{rest} and runs on")),
                }
            }
        };
        self.charge(if silent { allowed } else { elapsed });
        result
    }

    fn choose(&mut self, position: &Position, left: Duration) -> Result<Move, Failure> {
        let Runner::Builtin(agent) = &mut self.runner else { return Err(Failure::Stopped) };
        let begin = Instant::now();
        // The agent is not asked again after a panic: the game is over.
        let choice = catch_unwind(AssertUnwindSafe(|| agent.choose(position, left)));
        let elapsed = begin.elapsed();
        self.charge(elapsed);
        let mv = match choice {
            Ok(choice) => choice.mv,
            Err(panic) => {
                let said = panic.downcast_ref::<String>().map(String::as_str);
                let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
                return fault(FaultClass::Crash, format!("panicked: {said}"));
            }
        };
        if elapsed > left {
            let over = (elapsed - left).as_secs_f64();
            return fault(FaultClass::Time, format!("{mv} came {over:.3} s late"));
        }
        let legal = position.check(mv).map(|()| mv);
        legal.or_else(|error| fault(FaultClass::Illegal, format!("{mv}: expected {error}")))
    }
}

/// Read an answer strictly: `CELL=STONE` as the rules write it (white space after it is let pass), and
/// legal.
fn read_move(line: &[u8], position: &Position) -> Result<Move, (FaultClass, String)> {
    let shown = quote(line);
    let text = str::from_utf8(line)
        .map_err(|_| (FaultClass::Garbage, format!("{shown} is no text")))?
        .trim_ascii_end();
    let mv = Move::parse(text).map_err(|error| {
        let class = match error {
            ParseMoveError::Cell | ParseMoveError::StoneRange => FaultClass::Illegal,
            ParseMoveError::NoEquals | ParseMoveError::NotANumber => FaultClass::Garbage,
        };
        (class, format!("{shown}: expected {error}"))
    })?;
    if mv.to_string() != text {
        return Err((FaultClass::Garbage, format!("{shown}: expected exactly '{mv}'")));
    }
    position.check(mv).map_err(|error| (FaultClass::Illegal, format!("{shown}: expected {error}")))?;
    Ok(mv)
}

/// Play one game; `None` when `stop` was raised before its end. Every process is gone on return.
///
/// A process is started when it is first asked for a move, so that its start-up counts as thinking, as
/// in the CodeCup.
pub fn play(
    game: &Game,
    bots: [&Bot; 2],
    rules: Rules,
    maker: &Maker<'_>,
    stop: &AtomicBool,
) -> Option<Outcome> {
    let mut position = Position::codecup(game.blocked.iter().copied().collect()).ok()?;
    let [mut red, mut blue] =
        Player::BOTH.map(|p| Seat::new(bots[p.index()], p, game.seeds[p.index()], maker));
    let cells: String = game.blocked.iter().map(|cell| format!("{cell}\n")).collect();
    let mut moves: Vec<Move> = Vec::with_capacity(30);
    let mut times = Vec::with_capacity(30);
    let mut forfeit = None;
    while position.final_score().is_none() {
        let (seat, opponent) = match position.to_move() {
            Player::Red => (&mut red, &mut blue),
            Player::Blue => (&mut blue, &mut red),
        };
        let head = if moves.len() < 2 { cells.as_str() } else { "" };
        let last = moves.last().map_or(Message::Start, |&mv| Message::Move(mv));
        let before = seat.spent.total;
        match seat.ask(&format!("{head}{last}\n"), &position, opponent.process(), rules, stop) {
            Ok(mv) => {
                times.push(seat.spent.total - before);
                moves.push(mv);
                position.try_play(mv).ok()?;
            }
            Err(Failure::Stopped) => return None,
            Err(Failure::Fault(class, detail)) => {
                forfeit = Some(Fault { player: seat.player, class, detail });
                break;
            }
        }
    }
    let guilty = forfeit.as_ref().map(|fault| fault.player);
    let mut faults: Vec<Fault> = forfeit.into_iter().collect();
    let score = position.final_score();
    let points = match (guilty, score) {
        (Some(Player::Red), _) => [0, POINTS],
        (Some(Player::Blue), _) => [POINTS, 0],
        (None, score) => {
            let red = (i16::from(POINTS) / 2 + i16::from(score.unwrap_or(0))) as u8;
            [red, POINTS - red]
        }
    };
    let spent = [red.spent, blue.spent];
    let mut notes = [String::new(), String::new()];
    let mut seats = [red, blue];
    for seat in &mut seats {
        let heard_all = guilty.is_some() || seat.player == Player::Blue;
        if let Some(process) = seat.process() {
            // Red hears Blue's last move as it hears every other.
            if let Some(last) = moves.last().filter(|_| !heard_all) {
                process.send(&format!("{last}\n"));
            }
            process.quit();
        }
    }
    let deadline = Instant::now() + QUIT_GRACE;
    for seat in seats {
        let player = seat.player;
        let Some(process) = seat.into_process() else { continue };
        // A bot that has lost by a fault is not waited for.
        let at_fault = guilty == Some(player);
        let farewell = process.dismiss(if at_fault { Instant::now() } else { deadline });
        if farewell.killed && !at_fault {
            let detail = format!("ran on {:.0} s after Quit and was killed", QUIT_GRACE.as_secs_f64());
            faults.push(Fault { player, class: FaultClass::NoQuit, detail });
        }
        notes[player.index()] = farewell.notes;
    }
    Some(Outcome { moves, score, points, faults, spent, times, notes })
}
