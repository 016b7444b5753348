//! A game by hand in a terminal: lines with editing and history; Ctrl-C stops thinking.

use std::cell::Cell;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::mem::take;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, thread};

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{Config, Context, Editor, Helper};

use super::game::{HandGame, Response};
use super::words;
use crate::choice::{consider, hint};
use crate::games::drawing::Ink;
use crate::games::files::RecordedGame;
use crate::player::agent::Agent;
use crate::player::bot;
use crate::player::engine::{Engine, Options};
use crate::player::input::quote;
use crate::player::rng::Random;
use crate::review::text::quick_review;
use crate::text::fitted;

/// The time between two looks for the end of a wait.
const LOOK_INTERVAL: Duration = Duration::from_millis(30);

/// The longest time between two looks that counts as thinking: beyond it the program was stopped (Ctrl-Z).
const LONGEST_LOOK_INTERVAL: Duration = Duration::from_millis(500);

/// Ends the engine's work for a person.
pub static STOP: AtomicBool = AtomicBool::new(false);

/// Stack of a thinking thread, bytes: as much as a main thread's.
const THINKING_STACK: usize = 8 << 20;

/// Games of a person in a terminal.
pub struct Session {
    /// The name of the partner: the engine, a level or a built-in player.
    pub partner: String,
    pub time: Duration,
    /// The settings of the engine, which ends its work at [`STOP`].
    pub engine: Options,
    pub random: Random,
    pub ink: Ink,
    /// Whether the terminal can erase a line.
    pub erases: bool,
    /// Writes to the terminal.
    pub print: fn(&str) -> io::Result<()>,
}

#[derive(PartialEq, Eq, Debug)]
pub enum SessionEnd {
    Left,
    Interrupted,
}

impl Session {
    /// Play games until the person leaves, first the saved game if given.
    ///
    /// # Errors
    /// For a terminal that fails.
    pub fn play(self, agent: &mut dyn Agent, saved: Option<RecordedGame>) -> io::Result<SessionEnd> {
        let mut game = HandGame::new(&self.partner, self.time, self.random.clone(), self.ink);
        if let Some(saved) = saved {
            game.continue_game(saved);
        }
        let view = game.view();
        let name = words::short(&self.partner).to_owned();
        let editor = editor(DefaultHistory::new())?;
        let mut table = TerminalGame { game, editor, pasted: VecDeque::new(), session: self };
        table.show(&format!(
            "Black Hole: you against {name}. Type help for the rules and the commands.\n\n{view}"
        ))?;
        loop {
            let shown = match table.game.asked() {
                Some(_) => table.take_answer(&name, agent)?,
                None => match table.take_line()? {
                    Ok(shown) => shown,
                    Err(end) => return table.show(&table.game.unfinished()).map(|()| end),
                },
            };
            table.show(&shown)?;
        }
    }
}

struct TerminalGame {
    game: HandGame,
    session: Session,
    editor: Editor<Typed, DefaultHistory>,
    /// Pasted lines, still to be taken.
    pasted: VecDeque<String>,
}

/// Whether the line has text; the editor shows it to us in asking for a hint.
#[derive(Default)]
struct Typed(Cell<bool>);

impl Hinter for Typed {
    type Hint = String;

    fn hint(&self, line: &str, _place: usize, _context: &Context) -> Option<String> {
        self.0.set(!line.is_empty());
        None
    }
}

impl Completer for Typed {
    type Candidate = String;
}

impl Highlighter for Typed {}

impl Validator for Typed {}

impl Helper for Typed {}

fn editor(history: DefaultHistory) -> io::Result<Editor<Typed, DefaultHistory>> {
    let mut editor = Editor::with_history(Config::default(), history).map_err(failure)?;
    editor.set_helper(Some(Typed::default()));
    Ok(editor)
}

impl TerminalGame {
    /// Show a text, broken to the terminal's width.
    fn show(&mut self, text: &str) -> io::Result<()> {
        let columns = self.editor.dimensions().map_or(usize::MAX, |(columns, _)| columns.into());
        (self.session.print)(&fitted(text, columns))
    }

    /// Let the partner choose a move; return the text to show.
    fn take_answer(&mut self, name: &str, agent: &mut dyn Agent) -> io::Result<String> {
        let Some((position, left)) = self.game.asked() else { return Ok(String::new()) };
        let ask = || bot::ask(agent, &position, left);
        let Some(((mv, choice), spent)) = self.wait(&format!("{name} is thinking"), ask)? else {
            agent.forget();
            self.forget_typed()?;
            return Ok(self.game.interrupt());
        };
        if choice.is_err() {
            agent.forget();
        }
        self.game.answer(mv, spent).map_err(io::Error::other)
    }

    /// Read a line and carry it out; return the text to show, or else the end of the session.
    fn take_line(&mut self) -> io::Result<Result<String, SessionEnd>> {
        let prompt = self.game.prompt();
        leaving().awaits(true, &self.game);
        let typed = match self.pasted.pop_front() {
            Some(line) => (self.session.print)(&format!("{prompt}{line}\n")).map(|()| Ok(line))?,
            None => self.editor.readline(&prompt),
        };
        let typed = match typed {
            Ok(typed) => typed,
            Err(ReadlineError::Interrupted) => {
                // In the editor Ctrl-C is a key and no signal: it clears a line with text, and counts on
                // an empty line.
                if self.editor.helper().is_some_and(|typed| typed.0.get()) {
                    leaving().pressed = 0;
                    return Ok(Ok(String::new()));
                }
                return Ok(interrupt(true).map(str::to_owned).ok_or(SessionEnd::Interrupted));
            }
            Err(ReadlineError::Eof) => return Ok(Err(SessionEnd::Left)),
            Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
                let text = "found a byte that is not UTF-8, expected letters, digits and signs\n";
                return Ok(Ok(text.to_owned()));
            }
            Err(error) => return (self.session.print)(&self.game.unfinished()).and(Err(failure(error))),
        };
        leaving().pressed = 0;
        let mut line = typed.trim();
        if !line.is_empty() {
            // A full history drops its oldest line.
            let _ = self.editor.add_history_entry(line);
        }
        if !self.game.takes_whole(line) {
            let mut lines = line.lines().filter(|line| !line.trim().is_empty());
            line = lines.next().unwrap_or_default();
            self.pasted.extend(lines.map(str::to_owned));
        }
        let (engine, time) = (self.session.engine.clone(), self.session.time);
        Ok(Ok(match self.game.accept(line) {
            Ok(Response::Show(text)) => text,
            Ok(Response::Hint(game)) => self.ask("thinking", || {
                let thoughts = consider(&mut Engine::new(engine), &game, time);
                format!("{}: {}\n", thoughts.choice.mv, hint(game.position(), &thoughts))
            })?,
            Ok(Response::Review(game)) => self.ask("judging the moves", || quick_review(&game, &STOP))?,
            Ok(Response::Save(file, text)) => save(&file, &text),
            Ok(Response::Quit) => return Ok(Err(SessionEnd::Left)),
            Err(expected) => format!("found {}, expected {expected}\n", quote(line.as_bytes())),
        }))
    }

    /// Make a text while the person waits; Ctrl-C stops it.
    fn ask(&mut self, what: &str, work: impl FnOnce() -> String + Send) -> io::Result<String> {
        if let Some((text, _)) = self.wait(what, work)? {
            return Ok(text);
        }
        self.forget_typed()?;
        Ok("stopped\n".to_owned())
    }

    /// Do some work on a thread of its own while `text` is shown; return its result and its time, without
    /// any time the program was stopped. `None` if Ctrl-C ended the work, or it panicked.
    fn wait<T: Send>(
        &self,
        text: &str,
        work: impl FnOnce() -> T + Send,
    ) -> io::Result<Option<(T, Duration)>> {
        leaving().awaits(false, &self.game);
        let Session { erases, print, .. } = self.session;
        print(&if erases { format!("{text} ... (Ctrl-C stops)") } else { format!("{text} ...\n") })?;
        let (sender, results) = channel();
        let result = thread::scope(|scope| {
            let builder = thread::Builder::new().stack_size(THINKING_STACK);
            let worker = builder.spawn_scoped(scope, move || drop(sender.send(work())))?;
            let (mut spent, mut last) = (Duration::ZERO, Instant::now());
            let result = loop {
                let received = results.recv_timeout(LOOK_INTERVAL);
                spent += last.elapsed().min(LONGEST_LOOK_INTERVAL);
                last = Instant::now();
                match received {
                    Ok(result) => break Some((result, spent)),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break None,
                }
            };
            // A panic has printed its message.
            drop(worker.join());
            io::Result::Ok(result)
        })?;
        print(if erases { "\r\x1b[K" } else { "" })?;
        let pressed = take(&mut leaving().pressed);
        Ok(result.filter(|_| pressed == 0))
    }

    /// Drop the lines typed ahead: they were meant for the game before Ctrl-C. A new editor takes over the
    /// history.
    fn forget_typed(&mut self) -> io::Result<()> {
        self.pasted.clear();
        self.editor = editor(take(self.editor.history_mut()))?;
        Ok(())
    }
}

/// Write a text to a new file, and no part of it if that fails; return the outcome in words.
fn save(file: &str, text: &str) -> String {
    let path = Path::new(file);
    let written = File::create_new(path).and_then(|mut file| {
        file.write_all(text.as_bytes()).or_else(|error| fs::remove_file(path).and(Err(error)))
    });
    match written {
        Ok(()) => format!("saved to {file}\n"),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            format!("found another file {file}, which is never overwritten, expected a new name\n")
        }
        Err(error) => format!("{file}: {error}\n"),
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
    /// Whether a line is awaited. At the prompt the first Ctrl-C explains how to leave and the second
    /// leaves; during thinking the first stops the thinking and the second ends the program.
    at_prompt: bool,
    /// The number of Ctrl-C since the last line or answer.
    pressed: u32,
    /// How to go on with the game later.
    farewell: String,
}

impl Leaving {
    /// Begin to wait: for a line, or else for an answer.
    fn awaits(&mut self, line: bool, game: &HandGame) {
        self.pressed *= u32::from(line);
        STOP.store(false, Ordering::Relaxed);
        (self.at_prompt, self.farewell) = (line, game.unfinished());
    }
}

fn leaving() -> MutexGuard<'static, Leaving> {
    static LEAVING: Mutex<Leaving> =
        Mutex::new(Leaving { at_prompt: false, pressed: 0, farewell: String::new() });
    LEAVING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Note Ctrl-C, or another request to end; return the words to show, or `None` to end the program after the
/// [`farewell`].
pub fn interrupt(pressed: bool) -> Option<&'static str> {
    let mut leaving = leaving();
    leaving.pressed += 1;
    match (pressed && leaving.pressed == 1, leaving.at_prompt) {
        (true, true) => Some("Ctrl-C once more or Ctrl-D leaves\n"),
        (true, false) => {
            STOP.store(true, Ordering::Relaxed);
            Some("")
        }
        (false, _) => None,
    }
}

pub fn farewell() -> String {
    leaving().farewell.clone()
}
