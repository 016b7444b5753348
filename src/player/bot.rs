//! A player's end of the referee dialogue, over any reader and writers.
//!
//! ```text
//! E2 A1 C4 G2 D2   the blocked cells, one a line
//! Start            we are Red and answer; or Red's first move, and we are Blue
//! B2=15            from then on the opponent's moves, each answered at once
//! Quit             or the end of input, at any point
//! ```

use std::fmt;
use std::io::{self, BufRead, ErrorKind, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::{Duration, Instant};

use crate::agent::{Agent, Choice};
use crate::board::{Cell, Move, ParseMoveError};
use crate::input::{InputError, InputLine, LineReader};
use crate::position::Position;
use crate::protocol::Message;

#[derive(Clone, Copy, Debug)]
pub struct DialogueSettings {
    /// Thinking time for the whole game.
    pub time: Duration,
    /// The program's start, from which time is counted.
    pub started: Instant,
    /// Write no notes, only errors.
    pub quiet: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DialogueEnd {
    /// After `Quit`, the end of input, or a closed output.
    Finished,
    /// After an invalid line; the error is in the notes.
    BadInput,
}

/// Play one game: read the referee's lines from `input`, write our moves to `output`, and remarks to `notes`,
/// where they may get lost. The clock runs from reading the line that asks for a move until the answer is ready,
/// before it is written: the referee may stop us as soon as it has the answer. If the agent panics or returns an
/// illegal move, the least stone goes on the worst cell instead, and the agent [forgets](Agent::forget) its memory.
pub fn play(
    input: impl BufRead,
    mut output: impl Write,
    notes: impl Write,
    agent: &mut dyn Agent,
    settings: &DialogueSettings,
) -> io::Result<DialogueEnd> {
    let mut lines = LineReader::new(input);
    let mut notes = Notes { writer: notes, settings };
    notes.remark(format_args!("R blackhole {}", env!("CARGO_PKG_VERSION")));
    let mut game = Dialogue { blocked: Vec::new(), position: None };
    let mut remaining = settings.time.saturating_sub(settings.started.elapsed());
    while let Some(line) = lines.next_line()? {
        let asked = Instant::now();
        if line.bytes.is_empty() && !line.overlong {
            continue;
        }
        let position = match game.accept(&line) {
            Ok(Reaction::Read) => continue,
            Ok(Reaction::Answer(position)) => position,
            Ok(Reaction::End) => return Ok(DialogueEnd::Finished),
            Err(expected) => {
                notes.error(&InputError { line: line.number, found: line.found(), expected });
                return Ok(DialogueEnd::BadInput);
            }
        };
        let (mv, outcome) = ask(agent, &position, remaining.saturating_sub(asked.elapsed()));
        remaining = remaining.saturating_sub(asked.elapsed());
        match writeln!(output, "{}", Message::Move(mv)).and_then(|()| output.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(DialogueEnd::Finished),
            result => result?,
        }
        let legal = game.position.as_mut().map(|position| position.try_play(mv));
        debug_assert_eq!(legal, Some(Ok(())));
        notes.explain(mv, &outcome, remaining);
        if outcome.is_err() {
            // The answer must not wait for this.
            agent.forget();
        }
    }
    Ok(DialogueEnd::Finished)
}

enum Reaction {
    Read,
    Answer(Position),
    End,
}

/// The state of the dialogue. Once there is a position and a line is awaited, it is the opponent's turn or
/// the game is over.
struct Dialogue {
    blocked: Vec<Cell>,
    position: Option<Position>,
}

impl Dialogue {
    /// Take in a line, or name the expected one, which ends the dialogue. A move that was sent before our
    /// answer looks like a reply to it.
    fn accept(&mut self, line: &InputLine) -> Result<Reaction, String> {
        let message = match line.text().map(Message::parse) {
            Some(Ok(message)) => message,
            Some(Err(error)) if error != ParseMoveError::NoEquals && !self.is_over() => {
                return Err(error.to_string())
            }
            _ => return Err(self.expected()),
        };
        match (message, &self.position) {
            (Message::Quit, _) => return Ok(Reaction::End),
            (Message::Blocked(cell), None) if self.blocked.contains(&cell) => {
                return Err(format!("a cell that is not blocked yet ({cell} is)"));
            }
            (Message::Blocked(cell), None) => {
                self.blocked.push(cell);
                return Ok(Reaction::Read);
            }
            (Message::Start | Message::Move(_), None) => {
                self.position = Some(Position::standard(&self.blocked)?);
            }
            (Message::Move(_), Some(_)) if !self.is_over() => {}
            (_, Some(_)) => return Err(self.expected()),
        }
        if let (Message::Move(mv), Some(position)) = (message, &mut self.position) {
            position.try_play(mv)?;
        }
        Ok(self.position.filter(|_| !self.is_over()).map_or(Reaction::Read, Reaction::Answer))
    }

    fn is_over(&self) -> bool {
        self.position.map_or(false, |position| position.final_score().is_some())
    }

    fn expected(&self) -> String {
        match &self.position {
            None if self.blocked.len() < 5 => {
                format!("a blocked cell such as E4 (so far {} of 5)", self.blocked.len())
            }
            None => "Start, or Red's first move such as B2=15".to_owned(),
            Some(_) if self.is_over() => "Quit or the end of input, the game is over".to_owned(),
            Some(position) => format!("{}'s move such as B2=15, or Quit", position.to_move()),
        }
    }
}

/// The agent's choice, or the reason why another move is played.
pub type AgentAnswer = Result<Choice, String>;

/// Ask the agent for a move; return a legal one in any case, with the agent's choice.
pub fn ask(agent: &mut dyn Agent, position: &Position, remaining: Duration) -> (Move, AgentAnswer) {
    let outcome = catch_unwind(AssertUnwindSafe(|| agent.choose(position, remaining)))
        .map_err(|_| "the agent failed".to_owned())
        .and_then(|choice| match position.check(choice.mv) {
            Ok(()) => Ok(choice),
            Err(error) => Err(format!("the agent chose {}, expected {error}", choice.mv)),
        });
    let mv = outcome.as_ref().map_or_else(|_| stopgap(position), |choice| choice.mv);
    (mv, outcome)
}

/// Return the least stone on the cell with the worst score for the mover; the game must not be over.
fn stopgap(position: &Position) -> Move {
    let sign = position.to_move().sign();
    let worst = position.legal_moves().min_by_key(|mv| (mv.stone, sign * position.score(mv.cell)));
    worst.expect("asked for a move only while there is one")
}

/// Writes the remarks on stderr: at most 4,000 characters a game, as a referee keeps about 10,000. They are
/// the first line, at most 15 lines of at most 200 characters and an error.
struct Notes<'a, W> {
    writer: W,
    settings: &'a DialogueSettings,
}

impl<W: Write> Notes<'_, W> {
    /// Write a line, unless the settings say quiet.
    fn remark(&mut self, line: fmt::Arguments) {
        if !self.settings.quiet {
            self.write(&format!("{line}\n"));
        }
    }

    fn explain(&mut self, mv: Move, outcome: &AgentAnswer, remaining: Duration) {
        let left = remaining.as_secs_f64();
        let Choice { reason, target, chance, opponent, nodes, elapsed, .. } = match outcome {
            Ok(choice) => choice,
            Err(why) => return self.remark(format_args!("{mv} instead: {why}; left {left:.3} s")),
        };
        let seconds = elapsed.as_secs_f64();
        let chance = chance.clamp(0.0, 1.0);
        let target = target.map(|target| format!(" target {target} chance {chance:.3}")).unwrap_or_default();
        let opponent = opponent.map(|(kind, weight)| format!("; opponent {kind} ({weight:.2})"));
        let opponent = opponent.unwrap_or_default();
        self.remark(format_args!(
            "{mv} {reason}:{target} nodes {nodes} time {seconds:.3} left {left:.3}{opponent}"
        ));
    }

    /// Write an error, even if quiet.
    fn error(&mut self, error: &InputError) {
        self.write(&format!("blackhole: {error}\n"));
    }

    fn write(&mut self, text: &str) {
        // The game goes on if nobody reads stderr.
        let _ = self.writer.write_all(text.as_bytes()).and_then(|()| self.writer.flush());
    }
}
