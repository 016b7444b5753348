//! A game by hand in a terminal: lines with editing and history, and thinking that Ctrl-C stops.

use std::env::var_os;
use std::io;
use std::mem::take;
use std::path::Path;
use std::process::exit;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustyline::error::ReadlineError;
use rustyline::{Config, DefaultEditor, Editor};

use super::options::{EngineOptions, engine};
use super::output::create_whole;
use super::{CommandResult, Failure, INTERRUPTED, SUCCESS, print};
use crate::player::agent::Agent;
use crate::player::bot;
use crate::player::input::quote;
use crate::player::rng::Random;
use crate::workshop::drawing::Ink;
use crate::workshop::hand::game::{HandGame, Response};
use crate::workshop::hand::words;
use crate::workshop::system::on_interrupt;

/// How often a wait looks whether it is to end.
const TICK: Duration = Duration::from_millis(30);

/// Stack of a thread that thinks: that of a main thread.
const STACK: usize = 8 << 20;

/// The hint's time for a whole game, of which it takes the part of one move: the engine's default.
const HINT: Duration = Duration::from_secs(5);

/// Play games until the person leaves. `make` makes the partner, `name` is what it is called.
pub(super) fn play(
    name: &str,
    options: &EngineOptions,
    make: impl Fn() -> Result<Box<dyn Agent>, Failure>,
) -> CommandResult {
    on_interrupt(interrupt)?;
    let dumb = var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    let plain = dumb || var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let ink = if plain { Ink::Plain } else { Ink::Colour };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let game = HandGame::new(name, options.time, Random::new(now.as_nanos() as u64), ink);
    let editor = DefaultEditor::new().map_err(failure)?;
    let mut table = Table { game, editor, erases: !dumb };
    let mut partner = make()?;
    print(&format!(
        "Black Hole: you against {name}. Type help for the rules and the commands.\n\n{}",
        table.game.view()
    ))?;
    loop {
        let shown = if let Some((position, left)) = table.game.asked() {
            let ask = move || {
                let begin = Instant::now();
                let (mv, choice) = bot::ask(&mut *partner, &position, left);
                if choice.is_err() {
                    partner.forget();
                }
                (partner, mv, begin.elapsed())
            };
            match table.wait(&format!("{name} is thinking"), ask)? {
                Some((agent, mv, spent)) => {
                    partner = agent;
                    table.game.answer(mv, spent).map_err(Failure::input)?
                }
                None => {
                    // It cannot be stopped, but nobody waits for it any more.
                    partner = make()?;
                    table.forget_typed()?;
                    table.game.interrupt()
                }
            }
        } else if let Some(shown) = table.take_line(options)? {
            shown
        } else {
            print(&table.game.unfinished())?;
            return Ok(SUCCESS);
        };
        print(&shown)?;
    }
}

/// A game and the terminal it is played in.
struct Table {
    game: HandGame,
    editor: DefaultEditor,
    /// Whether the terminal can erase a line.
    erases: bool,
}

impl Table {
    /// Read a line and do what it says; return what to show, or `None` to leave.
    fn take_line(&mut self, options: &EngineOptions) -> Result<Option<String>, Failure> {
        set_farewell(Some(self.game.unfinished()));
        let line = match self.editor.readline(&self.game.prompt()) {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => {
                // A terminal that reads lines by keys hands Ctrl-C on instead of a signal.
                interrupt();
                return Ok(Some(String::new()));
            }
            Err(ReadlineError::Eof) => return Ok(None),
            Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
                let text = "found a byte that is not UTF-8, expected letters, digits and signs\n";
                return Ok(Some(text.to_owned()));
            }
            Err(error) => return print(&self.game.unfinished()).and(Err(failure(error))),
        };
        PRESSED.store(0, Ordering::Relaxed);
        let line = line.trim();
        if !line.is_empty() {
            // A history that is full forgets its oldest line.
            let _ = self.editor.add_history_entry(line);
        }
        Ok(Some(match self.game.accept(line) {
            Ok(Response::Show(text)) => text,
            Ok(Response::Hint(position)) => {
                let options = options.clone();
                let ask = move || words::hint(&position, &engine(&options).think(&position, HINT));
                match self.wait("thinking", ask)? {
                    Some(hint) => hint,
                    None => {
                        self.forget_typed()?;
                        "stopped\n".to_owned()
                    }
                }
            }
            Ok(Response::Save(file, text)) => save(&file, &text),
            Ok(Response::Quit) => return Ok(None),
            Err(expected) => words::folded(&format!("found {}, expected {expected}", quote(line.as_bytes()))),
        }))
    }

    /// Do some work on a thread of its own, and wait for its result while `text` is shown; `None`
    /// when the wait was given up, or the work panicked.
    fn wait<T: Send + 'static>(
        &self,
        text: &str,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<Option<T>, Failure> {
        set_farewell(None);
        PRESSED.store(0, Ordering::Relaxed);
        print(&if self.erases { format!("{text} ... (Ctrl-C stops)") } else { format!("{text} ...\n") })?;
        let (sender, results) = channel();
        // Nobody may be waiting any more.
        thread::Builder::new().stack_size(STACK).spawn(move || drop(sender.send(work())))?;
        let result = loop {
            match results.recv_timeout(TICK) {
                Ok(result) => break Some(result),
                Err(RecvTimeoutError::Timeout) if PRESSED.load(Ordering::Relaxed) == 0 => {}
                Err(_) => break None,
            }
        };
        PRESSED.store(0, Ordering::Relaxed);
        print(if self.erases { "\r\x1b[K" } else { "" })?;
        Ok(result)
    }

    /// Drop the lines that were typed ahead, which meant the game as it was before Ctrl-C, by taking a
    /// new editor with the old one's history.
    fn forget_typed(&mut self) -> Result<(), Failure> {
        let history = take(self.editor.history_mut());
        self.editor = Editor::with_history(Config::default(), history).map_err(failure)?;
        Ok(())
    }
}

fn failure(error: ReadlineError) -> Failure {
    Failure::Io(match error {
        ReadlineError::Io(error) => error,
        other => io::Error::other(other),
    })
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

/// How often Ctrl-C was pressed since a line or an answer came. At the prompt the first tells how to
/// leave and the second leaves; while somebody thinks the first ends the wait and the second the
/// program.
static PRESSED: AtomicU32 = AtomicU32::new(0);

/// At the prompt, what is printed on leaving.
static FAREWELL: Mutex<Option<String>> = Mutex::new(None);

/// Begin to wait for a line, or without a farewell for an answer.
fn set_farewell(farewell: Option<String>) {
    *FAREWELL.lock().unwrap_or_else(PoisonError::into_inner) = farewell;
}

fn interrupt() {
    let farewell = FAREWELL.lock().unwrap_or_else(PoisonError::into_inner);
    // Nobody may be reading any more.
    let _ = match (&*farewell, PRESSED.fetch_add(1, Ordering::Relaxed)) {
        (Some(_), 0) => print("Ctrl-C once more or Ctrl-D leaves\n"),
        (None, 0) => Ok(()),
        (farewell, _) => {
            let _ = print(farewell.as_deref().unwrap_or_default());
            exit(INTERRUPTED.into());
        }
    };
}
