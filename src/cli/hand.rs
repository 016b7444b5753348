//! A game by hand in a terminal: lines with editing and history, and thinking that Ctrl-C stops.

use std::env::var_os;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use signal_hook::consts::SIGINT;
use signal_hook::flag;

use super::options::{EngineOptions, engine};
use super::{CommandResult, Failure, INTERRUPTED, SUCCESS, print};
use crate::player::agent::Agent;
use crate::player::board::Move;
use crate::player::bot;
use crate::player::input::quote;
use crate::player::position::Position;
use crate::player::rng::Random;
use crate::workshop::drawing::Ink;
use crate::workshop::hand::game::{HandGame, Response};
use crate::workshop::hand::words;

/// How often a wait looks whether it is to end.
const TICK: Duration = Duration::from_millis(30);

/// Stack of a thread that thinks: that of a main thread.
const STACK: usize = 8 << 20;

/// The hint's time for a whole game, of which it takes the part of one move: the engine's default.
const HINT: Duration = Duration::from_secs(5);

/// Play games until the person leaves. `make` makes the partner, `name` is what it is called.
pub(super) fn play<M>(name: &str, options: &EngineOptions, make: M) -> CommandResult
where
    M: Fn() -> Result<Box<dyn Agent>, Failure> + Clone + Send + 'static,
{
    // A second Ctrl-C before the first is answered ends the program.
    let stop = Arc::new(AtomicBool::new(false));
    flag::register_conditional_shutdown(SIGINT, INTERRUPTED.into(), Arc::clone(&stop))?;
    flag::register(SIGINT, Arc::clone(&stop))?;
    let dumb = var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    let plain = dumb || var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let ink = if plain { Ink::Plain } else { Ink::Colour };
    let wait = Wait { stop, erases: !dumb };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut game = HandGame::new(name, options.time, Random::new(now.as_nanos() as u64), ink);
    let mut editor = DefaultEditor::new().map_err(failure)?;
    let mut partner = Thinker::start(make.clone())?;
    print(&format!(
        "Black Hole: you against {name}. Type help for the rules and the commands.\n\n{}",
        game.view()
    ))?;
    let mut interrupted = false;
    loop {
        if let Some(question) = game.asked() {
            let answer = wait.answer(&format!("{name} is thinking"), || partner.ask(question))?;
            let shown = match answer {
                Some((mv, spent)) => game.answer(mv, spent).map_err(Failure::input)?,
                None => {
                    // It cannot be stopped, but nobody waits for it any more.
                    partner = Thinker::start(make.clone())?;
                    game.interrupt()
                }
            };
            print(&shown)?;
            continue;
        }
        let line = editor.readline(&game.prompt());
        wait.stop.store(false, Ordering::Relaxed);
        let line = match line {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) if !interrupted => {
                interrupted = true;
                print("Ctrl-C once more or Ctrl-D leaves\n")?;
                continue;
            }
            Err(ReadlineError::Interrupted) => return leave(&game, INTERRUPTED),
            Err(ReadlineError::Eof) => return leave(&game, SUCCESS),
            Err(error) => return Err(failure(error)),
        };
        interrupted = false;
        if !line.trim().is_empty() {
            // A history that is full forgets its oldest line.
            let _ = editor.add_history_entry(line.trim());
        }
        let shown = match game.accept(&line) {
            Ok(Response::Show(text)) => text,
            Ok(Response::Hint(position)) => {
                let options = options.clone();
                let ask = || {
                    in_background(move || words::hint(&position, &engine(&options).think(&position, HINT)))
                };
                wait.answer("thinking", ask)?.unwrap_or_else(|| "stopped\n".to_owned())
            }
            Ok(Response::Save(file, text)) => save(&file, &text),
            Ok(Response::Quit) => return leave(&game, SUCCESS),
            Err(expected) => format!("found {}, expected {expected}\n", quote(line.trim().as_bytes())),
        };
        print(&shown)?;
    }
}

fn failure(error: ReadlineError) -> Failure {
    Failure::Io(match error {
        ReadlineError::Io(error) => error,
        other => io::Error::other(other),
    })
}

/// Leave with a code; a game that is not over can be gone on with from its record.
fn leave(game: &HandGame, code: u8) -> CommandResult {
    print(&game.unfinished())?;
    Ok(code)
}

/// Write a text to a file that must not exist; say what became of it.
fn save(file: &str, text: &str) -> String {
    let file_and_text = OpenOptions::new().write(true).create_new(true).open(file);
    match file_and_text.and_then(|mut opened| opened.write_all(text.as_bytes())) {
        Ok(()) => format!("saved to {file}\n"),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            format!("found a file {file}, which is never overwritten, expected a new name\n")
        }
        Err(error) => format!("{file}: {error}\n"),
    }
}

/// How to wait for somebody who thinks.
struct Wait {
    /// Ctrl-C was pressed.
    stop: Arc<AtomicBool>,
    /// Whether the terminal can erase a line.
    erases: bool,
}

impl Wait {
    /// Ask, and wait for the answer while `text` is shown; `None` when the wait was given up, or
    /// there will be no answer.
    fn answer<T>(
        &self,
        text: &str,
        ask: impl FnOnce() -> io::Result<Receiver<T>>,
    ) -> Result<Option<T>, Failure> {
        self.stop.store(false, Ordering::Relaxed);
        print(&if self.erases { format!("{text} ... (Ctrl-C stops)") } else { format!("{text} ...\n") })?;
        let asked = ask()?;
        let answer = loop {
            match asked.recv_timeout(TICK) {
                Ok(answer) => break Some(answer),
                Err(RecvTimeoutError::Timeout) if !self.stop.load(Ordering::Relaxed) => {}
                Err(_) => break None,
            }
        };
        print(if self.erases { "\r\x1b[K" } else { "" })?;
        Ok(answer)
    }
}

/// Start some work whose result can be waited for.
fn in_background<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> io::Result<Receiver<T>> {
    let (answer, answers) = channel();
    // Nobody may be waiting any more.
    let work = move || drop(answer.send(work()));
    thread::Builder::new().stack_size(STACK).spawn(work)?;
    Ok(answers)
}

/// What a partner is asked: a position, and its time for the rest of the game.
type Question = (Position, Duration);

/// What it answers: a move, and the time that it took.
type Answer = (Move, Duration);

/// A partner on a thread of its own, which keeps what it knows from move to move.
struct Thinker(Sender<(Question, Sender<Answer>)>);

impl Thinker {
    fn start(make: impl FnOnce() -> Result<Box<dyn Agent>, Failure> + Send + 'static) -> io::Result<Thinker> {
        let (sender, questions) = channel::<(Question, Sender<Answer>)>();
        in_background(move || {
            // It was made once before, when the options were looked at.
            let Ok(mut agent) = make() else { return };
            for ((position, left), answer) in questions {
                let begin = Instant::now();
                let (mv, choice) = bot::ask(&mut *agent, &position, left);
                if choice.is_err() {
                    agent.forget();
                }
                let _ = answer.send((mv, begin.elapsed()));
            }
        })?;
        Ok(Thinker(sender))
    }

    fn ask(&self, question: Question) -> io::Result<Receiver<Answer>> {
        let (answer, answers) = channel();
        self.0.send((question, answer)).map_err(|_| io::Error::other("the partner cannot be made again"))?;
        Ok(answers)
    }
}
