//! Questions answered by processes, one for each tab of the page. A process that is asked to stop keeps its
//! findings for the tab's next question; a process that does not stop is killed.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::mem::take;
use std::net::{Shutdown, TcpStream};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::workshop::system::Group;

/// The time for a process to stop before it is killed.
const PATIENCE: Duration = Duration::from_secs(2);
/// The time for a process to end after it has closed its output.
const FAREWELL: Duration = Duration::from_secs(2);
/// The time after which a process without a question ends.
const IDLE: Duration = Duration::from_secs(300);
/// The most tabs with a process; the one asked longest ago loses its process to another.
const MAX_TABS: usize = 8;
/// The most bytes of a question: a pipe holds them, so that handing them over never blocks.
pub const MAX_QUESTION: usize = 60_000;
/// The time between two checks whether a client still listens after closing its half of the connection.
const PULSE: Duration = Duration::from_millis(50);
/// The stack of a thread that only passes bytes on: small, as memory may be short.
pub const RELAY_STACK: usize = 256 << 10;

/// The last line of each answer of a process. An empty line asks it to stop.
pub const DONE: &str = r#"{"ended":"done"}"#;

/// A client of which each answer takes whole lines.
pub struct Client {
    stream: TcpStream,
    writing: Mutex<()>,
}

impl Client {
    pub fn new(stream: TcpStream) -> Client {
        Client { stream, writing: Mutex::new(()) }
    }

    /// Send bytes.
    ///
    /// # Errors
    /// If the client no longer listens.
    pub fn send(&self, bytes: &[u8]) -> io::Result<()> {
        let _alone = unpoisoned(self.writing.lock());
        (&self.stream).write_all(bytes)
    }

    /// Send the last line: done, failed for a reason, or taken over (no reason).
    pub fn end(&self, ended: Result<(), Option<&str>>) {
        let line = match ended {
            Ok(()) => DONE.to_owned(),
            Err(None) => json!({"ended": "taken over"}).to_string(),
            Err(Some(why)) => json!({"ended": "failed", "why": why}).to_string(),
        };
        // Ignore errors: a client that hung up needs no last line.
        let _ = self.send((line + "\n").as_bytes());
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Wait until the client hangs up or its answer has ended.
    fn wait_for_hangup(&self) {
        if self.stream.set_read_timeout(None).is_err() {
            return;
        }
        loop {
            match (&self.stream).read(&mut [0; 512]) {
                // The client has closed its half and may still listen: a blank, harmless before a line,
                // finds out.
                Ok(0) if self.send(b" ").is_ok() => thread::sleep(PULSE),
                Ok(0) => return,
                // Some clients add an end of line to a question.
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    }
}

/// A question of a client, on one line.
struct Question {
    client: Arc<Client>,
    line: String,
    /// Is told why the answer failed.
    failed: Sender<String>,
}

impl Question {
    fn fail(&self, why: String) {
        self.client.end(Err(Some(&why)));
        // Ignore the error: nobody may wait for the reason.
        let _ = self.failed.send(why);
    }
}

enum Event {
    Asked(Question),
    HungUp(Arc<Client>),
    /// A process, by its number, has written a line.
    Told(u64, Vec<u8>),
    /// A process has closed its output.
    Closed(u64),
    /// Another tab needs the place.
    Replaced,
}

/// The processes at work.
pub struct Workers {
    /// The tabs with their workers, the one asked last at the end.
    tabs: Mutex<Vec<(String, Sender<Event>)>>,
    command: Arc<dyn Fn() -> Command + Send + Sync>,
}

impl Workers {
    /// Make the workers of a command, which reads questions as lines and answers each with lines, [`DONE`] at
    /// the end.
    pub fn new(command: impl Fn() -> Command + Send + Sync + 'static) -> Workers {
        Workers { tabs: Mutex::default(), command: Arc::new(command) }
    }

    /// Answer a question of a tab in place of its question before; return the reason of a failure, if any.
    pub fn answer(&self, tab: &str, line: String, client: &Arc<Client>) -> Option<String> {
        let (failed, reason) = channel();
        let question = Question { client: client.clone(), line, failed };
        let events = match self.ask(tab, question) {
            Ok(events) => events,
            Err(error) => {
                let why = format!("a thread cannot be started: {error}");
                client.end(Err(Some(&why)));
                return Some(why);
            }
        };
        client.wait_for_hangup();
        // Ignore the error: the worker has ended, and with it the answer.
        let _ = events.send(Event::HungUp(client.clone()));
        reason.recv().ok()
    }

    fn ask(&self, tab: &str, question: Question) -> io::Result<Sender<Event>> {
        let mut tabs = unpoisoned(self.tabs.lock());
        let old = tabs.iter().position(|(name, _)| name == tab).map(|place| tabs.remove(place).1);
        let events = old.map_or_else(|| self.start(), Ok)?;
        let _ = events.send(Event::Asked(question));
        if tabs.len() >= MAX_TABS {
            let _ = tabs.remove(0).1.send(Event::Replaced);
        }
        tabs.push((tab.to_owned(), events.clone()));
        Ok(events)
    }

    /// Start the worker of a tab, a thread: on Linux a process ends with the thread that started it.
    fn start(&self) -> io::Result<Sender<Event>> {
        let (own, events) = channel();
        let (sender, command) = (own.clone(), self.command.clone());
        let worker = Worker { command, own, process: None, count: 0, current: None, next: None, until: None };
        let work = move || worker.work(&events);
        thread::Builder::new().stack_size(RELAY_STACK).spawn(work).map(|_| sender)
    }
}

fn unpoisoned<T>(locked: Result<T, PoisonError<T>>) -> T {
    locked.unwrap_or_else(PoisonError::into_inner)
}

/// The thread of a tab.
struct Worker {
    command: Arc<dyn Fn() -> Command + Send + Sync>,
    own: Sender<Event>,
    process: Option<(Group, ChildStdin)>,
    /// The number of processes so far, which is the latest one's number.
    count: u64,
    /// The question that is answered.
    current: Option<Question>,
    /// The question to ask when the process has stopped.
    next: Option<Question>,
    /// The time by which the process must have stopped.
    until: Option<Instant>,
}

impl Worker {
    fn work(mut self, events: &Receiver<Event>) {
        loop {
            let wait = self.until.map_or(IDLE, |until| until.saturating_duration_since(Instant::now()));
            match events.recv_timeout(wait) {
                Ok(Event::Asked(question)) => {
                    self.stop().or(self.next.take()).inspect(|old| old.client.end(Err(None)));
                    self.next = Some(question);
                }
                Ok(Event::HungUp(client)) => {
                    let is_of = |question: &mut Question| Arc::ptr_eq(&question.client, &client);
                    self.next.take_if(is_of);
                    if self.current.as_mut().is_some_and(is_of) {
                        self.stop();
                    }
                }
                Ok(Event::Told(number, line)) if number == self.count => self.pass_on(&line),
                Ok(Event::Closed(number)) if number == self.count => {
                    let status = self.kill();
                    self.current
                        .take()
                        .inspect(|it| it.fail(format!("the process that answered ended{status}")));
                }
                Ok(Event::Told(..) | Event::Closed(_)) => {}
                Ok(Event::Replaced) | Err(RecvTimeoutError::Disconnected) => break,
                // A long answer has no line for a while.
                Err(RecvTimeoutError::Timeout) if self.current.is_some() => {}
                Err(RecvTimeoutError::Timeout) => _ = self.kill(),
            }
            if self.until.is_none() && self.current.is_none() {
                self.begin();
            }
        }
        let why = format!("more than {MAX_TABS} pages of this board are open");
        self.current.take().or(self.next.take()).inspect(|old| old.client.end(Err(Some(&why))));
        self.kill();
    }

    /// Ask the next question, if there is one, of a process that may have to be started.
    fn begin(&mut self) {
        let Some(question) = self.next.take() else { return };
        if self.process.is_none()
            && let Err(error) = self.start()
        {
            return question.fail(format!("a process cannot be started: {error}"));
        }
        self.write(&question.line);
        self.current = Some(question);
    }

    fn start(&mut self) -> io::Result<()> {
        let mut group = Group::start((self.command)().stdin(Stdio::piped()).stdout(Stdio::piped()), None)?;
        let (input, output) = (group.child.stdin.take(), group.child.stdout.take().expect("piped"));
        self.process = Some((group, input.expect("piped")));
        self.count += 1;
        let (number, events) = (self.count, self.own.clone());
        let read = move || {
            let (mut lines, mut line) = (BufReader::new(output), Vec::new());
            // A killed process may leave half a line.
            while lines.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) && line.ends_with(b"\n") {
                let _ = events.send(Event::Told(number, take(&mut line)));
            }
            let _ = events.send(Event::Closed(number));
        };
        let reading = thread::Builder::new().stack_size(RELAY_STACK).spawn(read);
        reading.map(drop).inspect_err(|_| _ = self.kill())
    }

    /// Send a line to the process.
    fn write(&mut self, line: &str) {
        let input = &mut self.process.as_mut().expect("a process").1;
        // Ignore the error: the process may have ended, which its closed output tells.
        let _ = input.write_all(format!("{line}\n").as_bytes());
    }

    /// Ask the process to stop, if it answers a question, and return that question.
    fn stop(&mut self) -> Option<Question> {
        let stopped = self.current.take()?;
        self.write("");
        self.until = Some(Instant::now() + PATIENCE);
        Some(stopped)
    }

    /// Send a line to the client, unless nobody waits for it any more.
    fn pass_on(&mut self, line: &[u8]) {
        let is_last = line.strip_suffix(b"\n") == Some(DONE.as_bytes());
        match &self.current {
            None if is_last => self.until = None,
            None => {}
            Some(question) if is_last => {
                question.client.end(Ok(()));
                self.current = None;
            }
            Some(question) if question.client.send(line).is_err() => _ = self.stop(),
            Some(_) => {}
        }
    }

    /// Kill the process, if there is one, and tell its status.
    fn kill(&mut self) -> String {
        self.until = None;
        let Some((mut group, input)) = self.process.take() else { return String::new() };
        drop(input);
        let deadline = Instant::now() + FAREWELL;
        while self.current.is_some() && !group.is_dead() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
        group.kill();
        group.child.wait().map_or_else(|error| format!(": {error}"), |status| format!(" with {status}"))
    }
}
