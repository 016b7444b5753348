//! A bot's process behind its pipes, each read by a thread: lines with a deadline, and a certain end.

use std::io::{self, Read, Write};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::fault::{Fault, FaultClass, SeatError, SeatResult, last_words};
use crate::player::board::Player;
use crate::system::{Group, Pipe, is_ready};

/// The longest line of a bot, bytes without its end. A move has at most 5.
pub const MAX_BOT_LINE: usize = 1_000;

pub const MAX_STDERR: usize = 10_000;

/// The longest wait between two looks at the process and the stop flag.
pub(super) const PROCESS_POLL: Duration = Duration::from_millis(20);

/// A gap between two looks that shows the runner held up: it was stopped, or the machine slept or was busy.
const HELD_UP_GAP: Duration = Duration::from_millis(100);

/// The time after the deadline in which an answer shows that a bot is late, not silent.
const LATE_LISTEN: Duration = Duration::from_millis(300);

/// The time for a process to end after it closed its output; then it counts as running on.
pub(super) const END_GRACE: Duration = Duration::from_millis(250);

/// The time between an answer and the suspension, in which the process may note its own clock.
const SUSPEND_GRACE: Duration = Duration::from_millis(2);

/// The time for a killed process to end, which is late if it waits for a disk, and for its last output to be read.
const KILL_GRACE: Duration = Duration::from_secs(1);

/// Notices, during a bot's time, that the match is stopped or that the runner is held up.
pub(super) struct Watch<'a> {
    last: Instant,
    /// The time for which looks were overdue; a bot is not charged for it.
    pub held_up: Duration,
    stop: &'a AtomicBool,
}

impl Watch<'_> {
    pub fn new(stop: &AtomicBool) -> Watch<'_> {
        Watch { last: Instant::now(), held_up: Duration::ZERO, stop }
    }

    /// Fail on a stop.
    pub fn look(&mut self) -> SeatResult<()> {
        let gap = self.last.elapsed();
        self.last += gap;
        if gap > HELD_UP_GAP {
            self.held_up += gap - PROCESS_POLL;
        }
        if self.stop.load(Ordering::Relaxed) { Err(SeatError::Stopped) } else { Ok(()) }
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum LineOutcome {
    /// A line, and the time of its arrival.
    Line(Instant),
    /// More than [`MAX_BOT_LINE`] bytes without an end of line.
    TooLong,
    Closed,
    Late,
}

pub struct ProcessEnd {
    /// Whether the process had to be killed; else it ended by itself with `status`.
    pub killed: bool,
    pub status: ExitStatus,
    pub notes: String,
}

impl ProcessEnd {
    /// Return the fault of an end after `last`, such as `Quit`, with `patience` the time given.
    pub fn fault(&self, player: Player, patience: Duration, last: &str) -> Option<Fault> {
        if self.killed {
            let detail = format!("ran on {:.0} s after {last} and was killed", patience.as_secs_f64());
            return Some(Fault { player, class: FaultClass::NoQuit, detail });
        }
        let (status, class) = (self.status.to_string().replacen(": ", " ", 1), FaultClass::Crash);
        let detail = format!("{status} after {last}, expected 0{}", last_words(class, &self.notes));
        (!self.status.success()).then_some(Fault { player, class, detail })
    }
}

/// A running bot. Dropping it kills it with its whole process group, reaps it and closes its pipes.
pub struct Process {
    group: Group,
    stdin: Option<ChildStdin>,
    /// The arriving parts of stdout with their times; `None` once closed.
    output: Option<Receiver<(Vec<u8>, Instant)>>,
    /// The bytes that arrived and are not yet read, and the time of their last part.
    unread: Vec<u8>,
    arrived: Instant,
    /// The threads that read stdout, and stderr up to its end.
    output_reader: Option<JoinHandle<()>>,
    notes_reader: Option<JoinHandle<Vec<u8>>>,
    over: Arc<AtomicBool>,
    status: Option<ExitStatus>,
    suspended: bool,
}

impl Process {
    /// Start a program with its arguments, as a [`Group`] of its own.
    pub fn start(command: &[String]) -> io::Result<Process> {
        let (program, arguments) =
            command.split_first().ok_or_else(|| io::Error::other("the command is empty"))?;
        let mut command = Command::new(program);
        command.args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut group = Group::start(&mut command)?;
        let pipes = (group.child.stdin.take(), group.child.stdout.take(), group.child.stderr.take());
        let over = Arc::new(AtomicBool::new(false));
        // With room for one part, a bot that writes without end waits.
        let (sender, output) = sync_channel(1);
        let mut process = Process {
            group,
            stdin: pipes.0,
            output: Some(output),
            unread: Vec::new(),
            arrived: Instant::now(),
            output_reader: None,
            notes_reader: None,
            over: over.clone(),
            status: None,
            suspended: false,
        };
        let also_over = over.clone();
        let hand_on = move || {
            read_all(pipes.1, &over, |bytes| sender.send((bytes.to_vec(), Instant::now())).is_ok());
        };
        let keep_notes = move || {
            let mut notes: Vec<u8> = Vec::new();
            read_all(pipes.2, &also_over, |bytes| {
                notes.extend_from_slice(bytes);
                // A character has four bytes at most.
                notes.drain(..notes.len().saturating_sub(4 * MAX_STDERR));
                true
            });
            notes
        };
        process.output_reader = Some(thread::Builder::new().spawn(hand_on)?);
        process.notes_reader = Some(thread::Builder::new().spawn(keep_notes)?);
        Ok(process)
    }

    pub fn suspend(&mut self) {
        thread::sleep(SUSPEND_GRACE);
        self.group.suspend();
        self.suspended = true;
    }

    fn resume(&mut self) {
        if std::mem::take(&mut self.suspended) {
            self.group.resume();
        }
    }

    /// Write to the bot's input. An error is ignored here: a missing bot shows by a missing answer.
    pub fn send(&mut self, text: &str) {
        self.resume();
        if self.stdin.as_mut().is_some_and(|stdin| stdin.write_all(text.as_bytes()).is_err()) {
            self.stdin = None;
        }
    }

    pub fn close_input(&mut self) {
        self.resume();
        self.stdin = None;
    }

    pub fn unasked(&mut self) -> Option<&[u8]> {
        self.receive(Duration::ZERO);
        (!self.unread.is_empty()).then_some(&self.unread[..])
    }

    /// Wait for the next line `until` a time, and as long again as the runner is held up; return it without
    /// its end (LF or CRLF), or the part so far.
    pub(super) fn line(&mut self, until: Instant, watch: &mut Watch) -> SeatResult<(Vec<u8>, LineOutcome)> {
        let mut died = None;
        loop {
            watch.look()?;
            if let Some(end) = self.unread.iter().position(|&byte| byte == b'\n') {
                let mut line: Vec<u8> = self.unread.drain(..=end).collect();
                line.pop();
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                let fits = line.len() <= MAX_BOT_LINE;
                return Ok((line, if fits { LineOutcome::Line(self.arrived) } else { LineOutcome::TooLong }));
            }
            let more = if self.unread.is_empty() { LATE_LISTEN } else { Duration::ZERO };
            let left = (until + watch.held_up + more).saturating_duration_since(Instant::now());
            let answer = if self.unread.len() > MAX_BOT_LINE {
                Some(LineOutcome::TooLong)
            } else if self.output.is_none() {
                Some(LineOutcome::Closed)
            } else {
                left.is_zero().then_some(LineOutcome::Late)
            };
            if let Some(answer) = answer {
                return Ok((std::mem::take(&mut self.unread), answer));
            }
            if !self.receive(left.min(PROCESS_POLL)) && self.group.is_dead() {
                // Others may hold its output open: those of its group end now, and its own output arrives
                // as soon as its reader gets a core.
                self.group.kill();
                if died.get_or_insert_with(Instant::now).elapsed() > KILL_GRACE {
                    self.output = None;
                }
            }
        }
    }

    /// Wait at most `timeout` for output or its end, and tell whether output arrived.
    fn receive(&mut self, timeout: Duration) -> bool {
        match self.output.as_ref().map(|output| output.recv_timeout(timeout)) {
            Some(Ok((bytes, arrived))) => {
                self.unread.extend(bytes);
                self.arrived = arrived;
                return true;
            }
            Some(Err(RecvTimeoutError::Timeout)) => {}
            Some(Err(RecvTimeoutError::Disconnected)) => self.output = None,
            None => thread::sleep(timeout.min(Duration::from_millis(1))),
        }
        false
    }

    /// Return the status of the process if it ends by `deadline`.
    pub fn ended(&mut self, deadline: Instant) -> Option<ExitStatus> {
        self.wait_end(deadline, &AtomicBool::new(false)).then(|| self.reap())
    }

    /// Tell whether the process ends by `deadline` or a stop; a time in which the runner is held up does not count.
    fn wait_end(&mut self, deadline: Instant, stop: &AtomicBool) -> bool {
        let mut watch = Watch::new(stop);
        loop {
            let is_stopped = watch.look().is_err();
            if self.status.is_some() || self.group.is_dead() {
                return true;
            }
            let left = (deadline + watch.held_up).saturating_duration_since(Instant::now());
            if is_stopped || left.is_zero() {
                return false;
            }
            // The end of the process closes its output and so ends this wait.
            self.receive(left.min(PROCESS_POLL));
            self.unread.clear();
        }
    }

    /// Wait for the process to end by itself until `deadline` or a stop, then kill its whole group.
    pub fn dismiss(mut self, deadline: Instant, stop: &AtomicBool) -> ProcessEnd {
        let killed = !self.wait_end(deadline, stop);
        ProcessEnd { killed, status: self.reap(), notes: self.stderr() }
    }

    /// Return the end of an ended process's stderr; call it once.
    pub fn stderr(&mut self) -> String {
        // A process that left the group may hold the pipe open: take the bytes in it now.
        self.over.store(true, Ordering::Relaxed);
        let notes = self.notes_reader.take().and_then(result_of).unwrap_or_default();
        let text = String::from_utf8_lossy(&notes);
        let skip = text.chars().count().saturating_sub(MAX_STDERR);
        text.chars().skip(skip).collect()
    }

    fn reap(&mut self) -> ExitStatus {
        if self.status.is_none() {
            self.group.kill();
            let deadline = Instant::now() + KILL_GRACE;
            while !self.group.is_dead() && Instant::now() < deadline {
                thread::sleep(Duration::from_micros(100));
            }
            let ended = self.group.child.try_wait().ok().flatten();
            while ended.is_some() && !self.group.is_gone() && Instant::now() < deadline {
                thread::sleep(Duration::from_micros(100));
            }
            self.status = Some(ended.unwrap_or_default());
        }
        self.status.unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.reap();
        self.over.store(true, Ordering::Relaxed);
        // A thread that waits for room goes on, and closes its pipe.
        self.output = None;
        self.output_reader.take().and_then(result_of);
        self.notes_reader.take().and_then(result_of);
    }
}

/// Return the result of a thread that reads, if it ends soon: on Windows it waits for all that hold its pipe open.
fn result_of<T>(reader: JoinHandle<T>) -> Option<T> {
    let deadline = Instant::now() + KILL_GRACE;
    while !reader.is_finished() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(1));
    }
    reader.is_finished().then(|| reader.join().ok()).flatten()
}

/// Read from a pipe until its end, or until `sink` returns false; after `over`, only the bytes still in it.
fn read_all(pipe: Option<impl Read + Pipe>, over: &AtomicBool, mut sink: impl FnMut(&[u8]) -> bool) {
    let Some(mut pipe) = pipe else { return };
    let mut buffer = [0; 16 * 1024];
    // After the end at most a pipe's content: the writer may go on.
    let mut rest = 64;
    while rest > 0 {
        let is_over = over.load(Ordering::Relaxed);
        rest -= i32::from(is_over);
        if is_ready(&pipe) {
            match pipe.read(&mut buffer) {
                Ok(count) if count > 0 && sink(&buffer[..count]) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(_) | Err(_) => return,
            }
        } else if is_over {
            return;
        }
    }
}
