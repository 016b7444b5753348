//! A game by hand in a terminal: lines with editing and history, and thinking that Ctrl-C stops.

use std::collections::{HashMap, VecDeque};
use std::env::var_os;
use std::fs;
use std::io;
use std::mem::take;
use std::path::Path;
use std::process::exit;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustyline::error::ReadlineError;
use rustyline::{Config, DefaultEditor, Editor};

use super::options::{EngineOptions, engine};
use super::output::{create_whole, write_whole};
use super::review::quick_text;
use super::{CommandResult, Failure, INTERRUPTED, SUCCESS, print};
use crate::player::agent::Agent;
use crate::player::bot;
use crate::player::input::quote;
use crate::player::rng::Random;
use crate::workshop::drawing::Ink;
use crate::workshop::games::RecordedGame;
use crate::workshop::hand::game::{HandGame, Response};
use crate::workshop::hand::words;
use crate::workshop::system::{on_request_to_end, terminal_restorer};

/// How often a wait looks whether it is to end.
const TICK: Duration = Duration::from_millis(30);

/// A longer time between two looks was none of thinking: the whole program was stopped, as by Ctrl-Z.
const LONGEST_TICK: Duration = Duration::from_millis(500);

/// Stack of a thread that thinks: that of a main thread.
const STACK: usize = 8 << 20;

/// The hint's time for a whole game, of which it takes the part of one move: the engine's default.
const HINT: Duration = Duration::from_secs(5);

/// Play games until the person leaves, from a saved one on if there is one. `make` makes the partner,
/// `partner` is what it is called.
pub(super) fn play(
    partner: &str,
    saved: Option<RecordedGame>,
    options: &EngineOptions,
    make: impl Fn() -> Result<Box<dyn Agent>, Failure>,
) -> CommandResult {
    let dumb = var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    let restore = terminal_restorer();
    on_request_to_end(move |pressed| {
        if !pressed {
            restore();
            // The editor has it on.
            let _ = print(if dumb { "\n" } else { "\x1b[?2004l\n" });
        }
        interrupt(pressed);
    })?;
    let plain = dumb || var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let ink = if plain { Ink::Plain } else { Ink::Colour };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut game = HandGame::new(partner, options.time, Random::new(now.as_nanos() as u64), ink);
    saved.into_iter().for_each(|saved| game.go_on(saved));
    let editor = DefaultEditor::new().map_err(failure)?;
    let (pasted, written) = (VecDeque::new(), HashMap::new());
    let mut table = Table { game, editor, pasted, written, erases: !dumb };
    let (mut agent, name) = (make()?, words::short(partner));
    print(&format!(
        "Black Hole: you against {name}. Type help for the rules and the commands.\n\n{}",
        table.game.view()
    ))?;
    loop {
        let shown = if let Some((position, left)) = table.game.asked() {
            let ask = move || {
                let (mv, choice) = bot::ask(&mut *agent, &position, left);
                if choice.is_err() {
                    agent.forget();
                }
                (agent, mv)
            };
            if let Some(((same, mv), spent)) = table.wait(&format!("{name} is thinking"), ask)? {
                agent = same;
                table.game.answer(mv, spent).map_err(Failure::input)?
            } else {
                // It cannot be stopped, but nobody waits for it any more.
                agent = make()?;
                table.forget_typed()?;
                table.game.interrupt()
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
    /// Lines that were pasted with the one before.
    pasted: VecDeque<String>,
    /// What each game of this session wrote into files.
    written: HashMap<(u32, String), String>,
    /// Whether the terminal can erase a line.
    erases: bool,
}

impl Table {
    /// Read a line and do what it says; return what to show, or `None` to leave.
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
                // A terminal that reads lines by keys hands Ctrl-C on instead of a signal.
                interrupt(true);
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
            // A history that is full forgets its oldest line.
            let _ = self.editor.add_history_entry(line);
        }
        if !self.game.takes_whole(line) {
            let mut lines = line.lines().filter(|line| !line.trim().is_empty());
            line = lines.next().unwrap_or_default();
            self.pasted.extend(lines.map(str::to_owned));
        }
        Ok(Some(match self.game.accept(line) {
            Ok(Response::Show(text)) => text,
            Ok(Response::Hint(position)) => {
                let options = options.clone();
                self.ask("thinking", move || {
                    words::hint(&position, &engine(&options).think(&position, HINT))
                })?
            }
            Ok(Response::Review(game)) => self.ask("judging the moves", move || quick_text(&game))?,
            Ok(Response::Save(file, text)) => self.save(file, text),
            Ok(Response::Quit) => return Ok(None),
            Err(expected) => words::folded(&format!("found {}, expected {expected}", quote(line.as_bytes()))),
        }))
    }

    /// Let a text be made while the person waits.
    fn ask(&mut self, what: &str, work: impl FnOnce() -> String + Send + 'static) -> Result<String, Failure> {
        if let Some((text, _)) = self.wait(what, work)? {
            return Ok(text);
        }
        self.forget_typed()?;
        Ok("stopped\n".to_owned())
    }

    /// Do some work on a thread of its own, and wait for its result while `text` is shown: the result
    /// and how long it took, without the time that the whole program was stopped. `None` when the
    /// wait was given up, or the work panicked.
    fn wait<T: Send + 'static>(
        &self,
        text: &str,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<Option<(T, Duration)>, Failure> {
        leaving().awaits(false, &self.game);
        print(&if self.erases { format!("{text} ... (Ctrl-C stops)") } else { format!("{text} ...\n") })?;
        let (sender, results) = channel();
        // Nobody may be waiting any more.
        thread::Builder::new().stack_size(STACK).spawn(move || drop(sender.send(work())))?;
        let (mut spent, mut last) = (Duration::ZERO, Instant::now());
        let result = loop {
            let received = results.recv_timeout(TICK);
            spent += last.elapsed().min(LONGEST_TICK);
            last = Instant::now();
            match received {
                Ok(result) => break Some((result, spent)),
                Err(RecvTimeoutError::Timeout) if leaving().pressed == 0 => {}
                Err(_) => break None,
            }
        };
        leaving().pressed = 0;
        print(if self.erases { "\r\x1b[K" } else { "" })?;
        Ok(result)
    }

    /// Write a text to a file that must not exist, or hold what this game wrote there; say what became
    /// of it.
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

    /// Drop the lines that were typed ahead, which meant the game as it was before Ctrl-C, by taking a
    /// new editor with the old one's history.
    fn forget_typed(&mut self) -> Result<(), Failure> {
        self.pasted.clear();
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

/// What a request to end finds: Ctrl-C or a signal.
struct Leaving {
    /// Whether a line is awaited. Then the first Ctrl-C tells how to leave and the second leaves; while
    /// somebody thinks the first ends the wait and the second the program.
    at_prompt: bool,
    /// How often Ctrl-C was pressed since a line or an answer came.
    pressed: u32,
    /// How to go on with the game.
    farewell: String,
}

impl Leaving {
    /// Begin to wait for a line, or for an answer.
    fn awaits(&mut self, line: bool, game: &HandGame) {
        self.pressed *= u32::from(line);
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
    // Nobody may be reading any more.
    let _ = match (pressed && leaving.pressed == 1, leaving.at_prompt) {
        (true, true) => print("Ctrl-C once more or Ctrl-D leaves\n"),
        (true, false) => Ok(()),
        (false, _) => {
            let _ = print(&leaving.farewell);
            exit(INTERRUPTED.into());
        }
    };
}
