//! Questions answered by processes: a process can be ended at any moment, with its memory.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::mem::{replace, take};
use std::net::{Shutdown, TcpStream};
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::workshop::system::Group;

/// The time for a process to end after its last line.
const FAREWELL: Duration = Duration::from_secs(2);
/// The most processes that read games at once, and the time for each.
const READERS: usize = 4;
const READING: Duration = Duration::from_secs(60);
/// The time between two checks whether a client still listens after closing its half of the connection.
const PULSE: Duration = Duration::from_millis(50);
/// The stack of a thread that only passes bytes on: small, as memory may be short.
pub const RELAY_STACK: usize = 256 << 10;

/// The kind of a question, by its need of the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RequestKind {
    /// For the engine, which answers one question at a time.
    Engine,
    /// Without the engine: only reads games.
    Read,
}

/// The processes at work.
#[derive(Default)]
pub struct Workers {
    state: Mutex<WorkerState>,
    reader_left: Condvar,
}

#[derive(Default)]
struct WorkerState {
    groups: HashMap<u64, Group>,
    /// The number of questions so far, which is the latest question's number.
    asked: u64,
    /// The number of the engine's latest question.
    engine: u64,
    readers: usize,
}

impl Workers {
    /// Run a command that reads a question and answers in lines; add a line about its end. Return the reason
    /// of a failure, if any.
    ///
    /// # Errors
    /// If the client no longer listens.
    pub fn answer(
        &self,
        kind: RequestKind,
        command: &mut Command,
        question: &[u8],
        stream: &TcpStream,
    ) -> io::Result<Option<String>> {
        if kind == RequestKind::Engine {
            return self.work(kind, command, question, stream);
        }
        let is_full = |state: &mut WorkerState| state.readers >= READERS;
        unpoisoned(self.reader_left.wait_while(self.lock(), is_full)).readers += 1;
        let answered = self.work(kind, command, question, stream);
        self.lock().readers -= 1;
        self.reader_left.notify_one();
        answered
    }

    fn work(
        &self,
        kind: RequestKind,
        command: &mut Command,
        question: &[u8],
        stream: &TcpStream,
    ) -> io::Result<Option<String>> {
        let (number, mut input, lines) = match self.start(kind, command) {
            Ok(started) => started,
            Err(error) => {
                return tell_end(stream, Err(Some(format!("a process cannot be started: {error}"))));
            }
        };
        let deadline = (kind == RequestKind::Read).then(|| Instant::now() + READING);
        // Both threads write: whole lines, or blanks between lines.
        let output = Mutex::new(stream);
        thread::scope(|scope| {
            let watch = || {
                wait_for_hangup(stream, &output, deadline);
                self.leave(number, Duration::ZERO);
            };
            let watching = thread::Builder::new().stack_size(RELAY_STACK).spawn_scoped(scope, watch);
            let sent = watching.as_ref().map_or(Ok(()), |_| {
                // Ignore the error: the process may have ended.
                let _ = input.write_all(question);
                drop(input);
                send(lines, &output)
            });
            let farewell = if watching.is_ok() { FAREWELL } else { Duration::ZERO };
            let ended = match (self.leave(number, farewell), watching) {
                (_, Err(error)) => Err(Some(format!("a thread cannot be started: {error}"))),
                (None, _) if kind == RequestKind::Engine => Err(None),
                (None, _) => Err(Some(format!("reading took longer than {} s", READING.as_secs()))),
                (Some(Ok(status)), _) if status.success() => Ok(()),
                (Some(status), _) => {
                    let status = status.map_or_else(|error| error.to_string(), |status| status.to_string());
                    Err(Some(format!("the process that answered ended with {status}")))
                }
            };
            let told = sent.and_then(|()| tell_end(*unpoisoned(output.lock()), ended));
            // This ends the watching thread, too.
            let _ = stream.shutdown(Shutdown::Both);
            told
        })
    }

    /// Start a process and end the one it takes over from. Slow work is done without the lock: a stopped
    /// process must not hold up other questions.
    fn start(&self, kind: RequestKind, command: &mut Command) -> io::Result<(u64, ChildStdin, ChildStdout)> {
        let (number, old) = {
            let state = &mut *self.lock();
            state.asked += 1;
            let latest = (kind == RequestKind::Engine).then(|| replace(&mut state.engine, state.asked));
            (state.asked, latest.and_then(|latest| state.groups.remove(&latest)))
        };
        old.map(|old| end(old, Duration::ZERO));
        let mut group = Group::start(command.stdin(Stdio::piped()).stdout(Stdio::piped()))?;
        let pipes = (group.child.stdin.take().expect("piped"), group.child.stdout.take().expect("piped"));
        let mut state = self.lock();
        if kind == RequestKind::Read || state.engine == number {
            state.groups.insert(number, group);
        } else {
            // Another question took over in the meantime.
            drop(state);
            let _ = end(group, Duration::ZERO);
        }
        Ok((number, pipes.0, pipes.1))
    }

    /// End a process still at work after a time; return its status.
    fn leave(&self, number: u64, after: Duration) -> Option<io::Result<ExitStatus>> {
        let group = self.lock().groups.remove(&number);
        group.map(|group| end(group, after))
    }

    fn lock(&self) -> MutexGuard<'_, WorkerState> {
        unpoisoned(self.state.lock())
    }
}

fn unpoisoned<T>(locked: Result<T, PoisonError<T>>) -> T {
    locked.unwrap_or_else(PoisonError::into_inner)
}

/// Write the last line of an answer: done, failed with a reason, or taken over (no reason). Return the reason.
fn tell_end(mut stream: &TcpStream, ended: Result<(), Option<String>>) -> io::Result<Option<String>> {
    let line = match &ended {
        Ok(()) => json!({"ended": "done"}),
        Err(None) => json!({"ended": "taken over"}),
        Err(Some(why)) => json!({"ended": "failed", "why": why}),
    };
    writeln!(stream, "{line}")?;
    Ok(ended.err().flatten())
}

fn send(lines: ChildStdout, output: &Mutex<&TcpStream>) -> io::Result<()> {
    let (mut lines, mut line) = (BufReader::new(lines), Vec::new());
    // A killed process may leave half a line.
    while lines.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) && line.ends_with(b"\n") {
        unpoisoned(output.lock()).write_all(&take(&mut line))?;
    }
    Ok(())
}

/// Wait until the client hangs up, or until the deadline.
fn wait_for_hangup(mut stream: &TcpStream, output: &Mutex<&TcpStream>, deadline: Option<Instant>) {
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left == Some(Duration::ZERO) || stream.set_read_timeout(left).is_err() {
            return;
        }
        match stream.read(&mut [0; 512]) {
            // The client has closed its half and may still listen: a blank, harmless before a line, finds out.
            Ok(0) if unpoisoned(output.lock()).write_all(b" ").is_ok() => thread::sleep(PULSE),
            Ok(0) => return,
            // Some clients add an end of line to a question.
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// End a process after a time; return its status.
fn end(mut group: Group, after: Duration) -> io::Result<ExitStatus> {
    let deadline = Instant::now() + after;
    while !group.is_dead() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(1));
    }
    group.kill();
    group.child.wait()
}
