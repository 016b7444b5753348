//! A game by hand in a terminal: lines with editing and history; Ctrl-C stops thinking.

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::env::var_os;
use std::fs;
use std::io;
use std::mem::take;
use std::path::Path;
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{Config, Context, Editor, Helper};

use super::options::EngineOptions;
use super::output::{create_whole, write_whole};
use super::review::quick_text;
use super::think::consider;
use super::{CommandResult, Failure, INTERRUPTED, SUCCESS, print};
use crate::games::drawing::Ink;
use crate::games::files::RecordedGame;
use crate::player::agent::Agent;
use crate::player::bot;
use crate::player::input::quote;
use crate::player::rng::Random;
use crate::system::{on_request_to_end, terminal_restorer};
use crate::terminal::game::{HandGame, Response};
use crate::terminal::words;
use crate::text::fitted;

/// The time between two looks for the end of a wait.
const LOOK_INTERVAL: Duration = Duration::from_millis(30);

/// The longest time between two looks that counts as thinking: beyond it the program was stopped (Ctrl-Z).
const LONGEST_LOOK_INTERVAL: Duration = Duration::from_millis(500);

/// Ends the engine's work for a person.
pub(super) static STOP: AtomicBool = AtomicBool::new(false);

/// Stack of a thinking thread, bytes: as much as a main thread's.
const THINKING_STACK: usize = 8 << 20;

/// Play games against an agent until the person leaves, first the saved game if given. `partner` is the
/// agent's name; the agent and the engine of the options stop thinking at [`STOP`].
pub(super) fn play(
    partner: &str,
    saved: Option<RecordedGame>,
    options: &EngineOptions,
    mut agent: Box<dyn Agent>,
) -> CommandResult {
    let dumb = var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    let restore = terminal_restorer();
    on_request_to_end(move |pressed| {
        if !pressed {
            restore();
            // Turn off bracketed paste, which the editor turned on.
            let _ = print(if dumb { "\n" } else { "\x1b[?2004l\n" });
        }
        interrupt(pressed);
    })?;
    let plain = dumb || var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let ink = if plain { Ink::Plain } else { Ink::Colour };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut game = HandGame::new(partner, options.time, Random::new(now.as_nanos() as u64), ink);
    if let Some(saved) = saved {
        game.continue_game(saved);
    }
    let editor = editor(DefaultHistory::new())?;
    let (pasted, written) = (VecDeque::new(), HashMap::new());
    let mut table = TerminalGame { game, editor, pasted, written, erases: !dumb };
    let name = words::short(partner);
    let view = table.game.view();
    table.show(&format!(
        "Black Hole: you against {name}. Type help for the rules and the commands.\n\n{view}"
    ))?;
    loop {
        let shown = if let Some((position, left)) = table.game.asked() {
            let ask = || bot::ask(&mut *agent, &position, left);
            match table.wait(&format!("{name} is thinking"), ask)? {
                Some(((mv, choice), spent)) => {
                    if choice.is_err() {
                        agent.forget();
                    }
                    table.game.answer(mv, spent).map_err(Failure::input)?
                }
                None => {
                    agent.forget();
                    table.forget_typed()?;
                    table.game.interrupt()
                }
            }
        } else if let Some(shown) = table.take_line(options)? {
            shown
        } else {
            table.show(&table.game.unfinished())?;
            return Ok(SUCCESS);
        };
        table.show(&shown)?;
    }
}

/// A game and its terminal.
struct TerminalGame {
    game: HandGame,
    editor: Editor<Typed, DefaultHistory>,
    /// Pasted lines, still to be taken.
    pasted: VecDeque<String>,
    /// The texts written by this session, by game and file.
    written: HashMap<(u32, String), String>,
    /// Whether the terminal can erase a line.
    erases: bool,
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

/// Make an editor of lines with a history.
fn editor(history: DefaultHistory) -> Result<Editor<Typed, DefaultHistory>, Failure> {
    let mut editor = Editor::with_history(Config::default(), history).map_err(failure)?;
    editor.set_helper(Some(Typed::default()));
    Ok(editor)
}

impl TerminalGame {
    /// Show a text, broken to the terminal's width.
    fn show(&mut self, text: &str) -> Result<(), Failure> {
        let columns = self.editor.dimensions().map_or(usize::MAX, |(columns, _)| columns.into());
        print(&fitted(text, columns))
    }

    /// Read a line and carry it out; return the text to show, or `None` to leave.
    fn take_line(&mut self, options: &EngineOptions) -> Result<Option<String>, Failure> {
        let prompt = self.game.prompt();
        leaving().awaits(true, &self.game);
        let typed = match self.pasted.pop_front() {
            Some(line) => print(&format!("{prompt}{line}\n")).map(|()| Ok(line))?,
            None => self.editor.readline(&prompt),
        };
        let typed = match typed {
            Ok(typed) => typed,
            Err(ReadlineError::Interrupted) => {
                // In the editor Ctrl-C is a key and no signal: it clears a line with text, and counts on
                // an empty line.
                if self.editor.helper().is_some_and(|typed| typed.0.get()) {
                    leaving().pressed = 0;
                } else {
                    interrupt(true);
                }
                return Ok(Some(String::new()));
            }
            Err(ReadlineError::Eof) => return Ok(None),
            Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
                let text = "found a byte that is not UTF-8, expected letters, digits and signs\n";
                return Ok(Some(text.to_owned()));
            }
            Err(error) => return print(&self.game.unfinished()).and(Err(failure(error))),
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
        Ok(Some(match self.game.accept(line) {
            Ok(Response::Show(text)) => text,
            Ok(Response::Hint(game)) => self.ask("thinking", || {
                let thoughts = consider(&game, options, None);
                format!("{}: {}\n", thoughts.choice.mv, words::hint(game.position(), &thoughts))
            })?,
            Ok(Response::Review(game)) => self.ask("judging the moves", || quick_text(&game, &STOP))?,
            Ok(Response::Save(file, text)) => self.save(file, text),
            Ok(Response::Quit) => return Ok(None),
            Err(expected) => format!("found {}, expected {expected}\n", quote(line.as_bytes())),
        }))
    }

    /// Make a text while the person waits; Ctrl-C stops it.
    fn ask(&mut self, what: &str, work: impl FnOnce() -> String + Send) -> Result<String, Failure> {
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
    ) -> Result<Option<(T, Duration)>, Failure> {
        leaving().awaits(false, &self.game);
        print(&if self.erases { format!("{text} ... (Ctrl-C stops)") } else { format!("{text} ...\n") })?;
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
            Ok::<_, Failure>(result)
        })?;
        print(if self.erases { "\r\x1b[K" } else { "" })?;
        let pressed = take(&mut leaving().pressed);
        Ok(result.filter(|_| pressed == 0))
    }

    /// Write a text to a new file, or again to a file unchanged since this game wrote it; return the
    /// outcome in words.
    fn save(&mut self, file: String, text: String) -> String {
        let (path, key) = (Path::new(&file), (self.game.number, file.clone()));
        let is_ours = |written: &String| fs::read_to_string(path).is_ok_and(|found| found == *written);
        let ours = self.written.get(&key).is_some_and(is_ours);
        match if ours { write_whole(path, &text) } else { create_whole(path, &text) } {
            Ok(()) => {
                let told = format!("saved to {file}\n");
                self.written.insert(key, text);
                told
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                format!("found another file {file}, which is never overwritten, expected a new name\n")
            }
            Err(error) => format!("{error}\n"),
        }
    }

    /// Drop the lines typed ahead: they were meant for the game before Ctrl-C. A new editor takes over the
    /// history.
    fn forget_typed(&mut self) -> Result<(), Failure> {
        self.pasted.clear();
        self.editor = editor(take(self.editor.history_mut()))?;
        Ok(())
    }
}

fn failure(error: ReadlineError) -> Failure {
    Failure::Io(match error {
        ReadlineError::Io(error) => error,
        other => io::Error::other(other),
    })
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

/// Note Ctrl-C, or end at another request.
fn interrupt(pressed: bool) {
    let mut leaving = leaving();
    leaving.pressed += 1;
    match (pressed && leaving.pressed == 1, leaving.at_prompt) {
        // The terminal may be gone.
        (true, true) => _ = print("Ctrl-C once more or Ctrl-D leaves\n"),
        (true, false) => STOP.store(true, Ordering::Relaxed),
        (false, _) => {
            let _ = print(&leaving.farewell);
            exit(INTERRUPTED.into());
        }
    }
}
