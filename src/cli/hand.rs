//! A game by hand in a terminal: lines with editing and history, and thinking that Ctrl-C stops.

use std::env::var_os;
use std::io;
use std::mem::take;
use std::path::Path;
use std::process::exit;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustyline::error::ReadlineError;
use rustyline::{Config, DefaultEditor, Editor};
use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;

use super::options::{EngineOptions, engine};
use super::output::create_whole;
use super::{CommandResult, FAILURE, Failure, INTERRUPTED, SUCCESS, print};
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
    let interrupts = Interrupts::watch()?;
    let dumb = var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    let plain = dumb || var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let ink = if plain { Ink::Plain } else { Ink::Colour };
    let wait = Wait { interrupts: Arc::clone(&interrupts), erases: !dumb };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut game = HandGame::new(name, options.time, Random::new(now.as_nanos() as u64), ink);
    let mut editor = DefaultEditor::new().map_err(failure)?;
    let mut partner = Thinker::start(make.clone())?;
    print(&format!(
        "Black Hole: you against {name}. Type help for the rules and the commands.\n\n{}",
        game.view()
    ))?;
    loop {
        if let Some(question) = game.asked() {
            let answer = wait.answer(&format!("{name} is thinking"), || partner.ask(question))?;
            let shown = match answer {
                Some((mv, spent)) => game.answer(mv, spent).map_err(Failure::input)?,
                None => {
                    // It cannot be stopped, but nobody waits for it any more.
                    partner = Thinker::start(make.clone())?;
                    editor = without_typed(&mut editor)?;
                    game.interrupt()
                }
            };
            print(&shown)?;
            continue;
        }
        interrupts.begin(Some(game.unfinished()));
        let line = editor.readline(&game.prompt());
        let line = match line {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => {
                // A terminal that reads lines by keys hands Ctrl-C on instead of a signal.
                interrupts.interrupt();
                continue;
            }
            Err(ReadlineError::Eof) => return leave(&game, SUCCESS),
            Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
                print("found a byte that is not UTF-8, expected letters, digits and signs\n")?;
                continue;
            }
            Err(error) => return leave(&game, FAILURE).and(Err(failure(error))),
        };
        interrupts.calm();
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
                match wait.answer("thinking", ask)? {
                    Some(hint) => hint,
                    None => {
                        editor = without_typed(&mut editor)?;
                        "stopped\n".to_owned()
                    }
                }
            }
            Ok(Response::Save(file, text)) => save(&file, &text),
            Ok(Response::Quit) => return leave(&game, SUCCESS),
            Err(expected) => {
                words::folded(&format!("found {}, expected {expected}", quote(line.trim().as_bytes())))
            }
        };
        print(&shown)?;
    }
}

/// Return an editor with the history of another, without the lines that were typed ahead: they meant
/// the game as it was before Ctrl-C.
fn without_typed(editor: &mut DefaultEditor) -> Result<DefaultEditor, Failure> {
    Editor::with_history(Config::default(), take(editor.history_mut())).map_err(failure)
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
    match create_whole(Path::new(file), text) {
        Ok(()) => format!("saved to {file}\n"),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            format!("found a file {file}, which is never overwritten, expected a new name\n")
        }
        Err(error) => format!("{file}: {error}\n"),
    }
}

/// What Ctrl-C does: at the prompt the first tells how to leave and the second leaves; while
/// somebody thinks the first ends the wait and the second the program.
struct Interrupts {
    /// How often it was pressed since a line or an answer came.
    count: AtomicU32,
    /// At the prompt, what is printed on leaving.
    farewell: Mutex<Option<String>>,
}

impl Interrupts {
    /// Watch for the signal, from a thread of its own.
    fn watch() -> io::Result<Arc<Interrupts>> {
        let interrupts = Arc::new(Interrupts { count: AtomicU32::new(0), farewell: Mutex::new(None) });
        let mut signals = Signals::new([SIGINT])?;
        let watched = Arc::clone(&interrupts);
        thread::Builder::new().spawn(move || signals.forever().for_each(|_| watched.interrupt()))?;
        Ok(interrupts)
    }

    /// Begin to wait for a line, or without a farewell for an answer.
    fn begin(&self, farewell: Option<String>) {
        *self.farewell.lock().unwrap_or_else(PoisonError::into_inner) = farewell;
    }

    /// Forget what was pressed.
    fn calm(&self) {
        self.count.store(0, Ordering::Relaxed);
    }

    fn interrupt(&self) {
        let farewell = self.farewell.lock().unwrap_or_else(PoisonError::into_inner);
        // Nobody may be reading any more.
        let _ = match (&*farewell, self.count.fetch_add(1, Ordering::Relaxed)) {
            (Some(_), 0) => print("Ctrl-C once more or Ctrl-D leaves\n"),
            (None, 0) => Ok(()),
            (farewell, _) => {
                let _ = print(farewell.as_deref().unwrap_or_default());
                exit(INTERRUPTED.into());
            }
        };
    }
}

/// How to wait for somebody who thinks.
struct Wait {
    interrupts: Arc<Interrupts>,
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
        self.interrupts.begin(None);
        self.interrupts.calm();
        print(&if self.erases { format!("{text} ... (Ctrl-C stops)") } else { format!("{text} ...\n") })?;
        let asked = ask()?;
        let answer = loop {
            match asked.recv_timeout(TICK) {
                Ok(answer) => break Some(answer),
                Err(RecvTimeoutError::Timeout) if self.interrupts.count.load(Ordering::Relaxed) == 0 => {}
                Err(_) => break None,
            }
        };
        self.interrupts.calm();
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
