//! A game by hand in a terminal: lines with editing and history; Ctrl-C stops thinking.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use super::game::{LineEffect, TerminalGame};
use crate::judge::verdict::hint;
use crate::player::agent::Agent;
use crate::player::bot;
use crate::player::input::quote;
use crate::player::position::Position;
use crate::review::text::quick_review;
use crate::system::lines::create_whole;
use crate::text::wrapped;

/// Ends the engine's work for a person.
pub static STOP: AtomicBool = AtomicBool::new(false);

/// Stack of a thinking thread, bytes: as much as a main thread's.
const THINKING_STACK: usize = 8 << 20;

/// Games by hand in a terminal.
pub struct Session {
    game: TerminalGame,
    editor: DefaultEditor,
    /// Whether the terminal can erase a line.
    erases: bool,
    print: fn(&str) -> io::Result<()>,
}

impl Session {
    pub fn new(game: TerminalGame, erases: bool, print: fn(&str) -> io::Result<()>) -> io::Result<Session> {
        Ok(Session { game, editor: DefaultEditor::new().map_err(failure)?, erases, print })
    }

    /// Play games until the person leaves.
    pub fn play(mut self, agent: &mut dyn Agent) -> io::Result<()> {
        let (print, name, view) = (self.print, self.game.opponent(), self.game.view());
        print(&format!(
            "Black Hole: you against {name}. Type help for the rules and the commands.\n\n{view}"
        ))?;
        loop {
            let shown = match self.game.asked() {
                Some(asked) => self.take_answer(agent, asked)?,
                None => match self.take_line()? {
                    Some(shown) => shown,
                    None => return print(&self.game.unfinished()),
                },
            };
            print(&shown)?;
        }
    }

    /// Let the opponent choose a move; return the text to show.
    fn take_answer(&mut self, agent: &mut dyn Agent, asked: (Position, Duration)) -> io::Result<String> {
        let ask = || {
            let begin = Instant::now();
            (bot::ask(agent, &asked.0, asked.1), begin.elapsed())
        };
        let text = format!("{} is thinking", self.game.opponent());
        let Some(((mv, choice), spent)) = self.wait(&text, ask)? else {
            agent.forget();
            return Ok(self.game.interrupt());
        };
        if choice.is_err() {
            agent.forget();
        }
        self.game.answer(mv, spent).map_err(io::Error::other)
    }

    /// Read a line and carry it out; return the text to show, `None` to leave.
    fn take_line(&mut self) -> io::Result<Option<String>> {
        leaving().awaits(true, &self.game);
        let typed = match self.editor.readline(&self.game.prompt()) {
            Ok(typed) => typed,
            // In the editor Ctrl-C is a key and no signal.
            Err(ReadlineError::Interrupted) => return Ok(interrupt(true).ok().map(str::to_owned)),
            Err(ReadlineError::Eof) => return Ok(None),
            Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
                let text = "found a byte that is not UTF-8, expected letters, digits and signs\n";
                return Ok(Some(text.to_owned()));
            }
            Err(error) => return (self.print)(&self.game.unfinished()).and(Err(failure(error))),
        };
        let line = typed.trim();
        if !line.is_empty() {
            // A full history drops its oldest line.
            let _ = self.editor.add_history_entry(line);
        }
        Ok(Some(match self.game.accept(line) {
            Ok(LineEffect::Show(text)) => text,
            Ok(LineEffect::Hint(game)) => self.ask("thinking", || {
                let shown = |(mv, why)| wrapped(&format!("{mv}: {why}\n"));
                hint(game.position(), &STOP).map_or(String::new(), shown)
            })?,
            Ok(LineEffect::Review(game)) => self.ask("judging the moves", || quick_review(&game, &STOP))?,
            Ok(LineEffect::Save(file, text)) => save(&file, &text),
            Ok(LineEffect::Quit) => return Ok(None),
            Err(expected) => format!("found {}, expected {expected}\n", quote(line.as_bytes())),
        }))
    }

    /// Make a text while the person waits; Ctrl-C stops it.
    fn ask(&mut self, what: &str, work: impl FnOnce() -> String + Send) -> io::Result<String> {
        Ok(self.wait(what, work)?.unwrap_or("stopped\n".to_owned()))
    }

    /// Do some work on another thread while `text` is shown; return its result. `None` if Ctrl-C ended it, or it panicked.
    fn wait<T: Send>(&mut self, text: &str, work: impl FnOnce() -> T + Send) -> io::Result<Option<T>> {
        leaving().awaits(false, &self.game);
        let Session { erases, print, .. } = *self;
        print(&if erases { format!("{text} ... (Ctrl-C stops)") } else { format!("{text} ...\n") })?;
        let result = thread::scope(|scope| {
            let worker = thread::Builder::new().stack_size(THINKING_STACK).spawn_scoped(scope, work)?;
            // A panic has printed its message.
            io::Result::Ok(worker.join().ok())
        })?;
        print(if erases { "\r\x1b[K" } else { "" })?;
        let result = result.filter(|_| !STOP.load(Ordering::Relaxed));
        if result.is_none() {
            // Lines typed ahead were meant for the game before Ctrl-C: they go with the editor that holds them.
            self.editor = DefaultEditor::new().map_err(failure)?;
        }
        Ok(result)
    }
}

/// Write a text to a new file, and no part of it if that fails; return the outcome in words.
fn save(file: &str, text: &str) -> String {
    match create_whole(Path::new(file), text) {
        Ok(()) => format!("saved to {file}\n"),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            format!("{file} exists and is never overwritten: choose a new name\n")
        }
        Err(error) => format!("{error}\n"),
    }
}

fn failure(error: ReadlineError) -> io::Error {
    match error {
        ReadlineError::Io(error) => error,
        other => io::Error::other(other),
    }
}

/// The state that decides about Ctrl-C and other requests to end.
struct Leaving {
    /// Whether a line is awaited, rather than an answer.
    at_prompt: bool,
    /// The words about going on with the game later.
    farewell: String,
}

impl Leaving {
    /// Begin to wait: for a line, or else for an answer.
    fn awaits(&mut self, line: bool, game: &TerminalGame) {
        STOP.store(false, Ordering::Relaxed);
        (self.at_prompt, self.farewell) = (line, game.unfinished());
    }
}

fn leaving() -> MutexGuard<'static, Leaving> {
    static LEAVING: Mutex<Leaving> = Mutex::new(Leaving { at_prompt: false, farewell: String::new() });
    LEAVING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Note Ctrl-C or another request to end. Return the words to show; an error has the last words before the exit.
pub fn interrupt(pressed: bool) -> Result<&'static str, String> {
    let leaving = leaving();
    match pressed {
        true if leaving.at_prompt => Ok("quit or Ctrl-D leaves\n"),
        true if !STOP.swap(true, Ordering::Relaxed) => Ok(""),
        _ => Err(leaving.farewell.clone()),
    }
}
