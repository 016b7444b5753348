//! A bot's process behind its three pipes: lines out with a deadline, stderr drained, and an end that is
//! certain.
//!
//! No thread is spent on a process: whoever waits for a line polls the pipes of both bots of the game.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use crate::player::protocol::Message;

/// The longest line a bot may print, in bytes, its end not counted. A move has at most 5.
pub const MAX_LINE: usize = 1_000;

/// How much of a bot's stderr is kept: the last so many characters.
pub const KEPT_NOTES: usize = 10_000;

/// The longest wait between two looks at the stop flag.
const SLICE: Duration = Duration::from_millis(100);

/// How long a process that closed its output may take to end before it counts as running on.
const END_GRACE: Duration = Duration::from_millis(250);

/// What came of waiting for a line.
#[derive(Debug)]
pub enum Answer {
    /// A line without its end (LF or CRLF), and when it was read.
    Line(Vec<u8>, Instant),
    /// More than [`MAX_LINE`] bytes without an end of line; the first of them.
    TooLong(Vec<u8>),
    /// The output was closed; the bytes of an unfinished line.
    Closed(Vec<u8>),
    /// The deadline passed; the bytes of an unfinished line.
    Late(Vec<u8>),
    /// The match is being stopped.
    Stopped,
}

/// What is left of a process that is gone.
#[derive(Debug)]
pub struct Farewell {
    /// Whether it had to be killed.
    pub killed: bool,
    /// The last [`KEPT_NOTES`] characters of its stderr.
    pub notes: String,
}

/// A running bot. Dropping it kills its whole process group and reaps it.
#[derive(Debug)]
pub struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    unread: Vec<u8>,
    notes: Vec<u8>,
    reaped: bool,
}

impl Process {
    /// Start `command` (program and arguments) in a process group of its own.
    ///
    /// # Errors
    /// When the system cannot start it.
    pub fn start(command: &[String]) -> io::Result<Process> {
        let (program, arguments) =
            command.split_first().ok_or_else(|| io::Error::other("the command is empty"))?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        Ok(Process { child, stdin, stdout, stderr, unread: Vec::new(), notes: Vec::new(), reaped: false })
    }

    /// Write `text` to the bot's input. A bot that is gone does not hear it, which shows when it should
    /// answer: no error is reported here.
    pub fn send(&mut self, text: &str) {
        if let Some(stdin) = &mut self.stdin
            && stdin.write_all(text.as_bytes()).is_err()
        {
            self.stdin = None;
        }
    }

    /// Close the bot's input.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Return the output that has come without being asked for, if any.
    pub fn unasked(&mut self) -> Option<&[u8]> {
        while self.unread.len() <= MAX_LINE && self.pump(None, Duration::ZERO).0 {}
        (!self.unread.is_empty()).then_some(&self.unread[..])
    }

    /// Wait for the next line until `deadline`, however the bytes trickle in, and meanwhile drain what
    /// this bot and `other` write on stderr.
    pub fn line(&mut self, mut other: Option<&mut Process>, deadline: Instant, stop: &AtomicBool) -> Answer {
        loop {
            if let Some(end) = self.unread.iter().position(|&byte| byte == b'\n') {
                let arrived = Instant::now();
                let mut line: Vec<u8> = self.unread.drain(..=end).collect();
                line.pop();
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                return if line.len() > MAX_LINE {
                    Answer::TooLong(line)
                } else {
                    Answer::Line(line, arrived)
                };
            }
            if self.unread.len() > MAX_LINE {
                return Answer::TooLong(std::mem::take(&mut self.unread));
            }
            if self.stdout.is_none() {
                return Answer::Closed(std::mem::take(&mut self.unread));
            }
            if stop.load(Ordering::Relaxed) {
                return Answer::Stopped;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Answer::Late(std::mem::take(&mut self.unread));
            }
            self.pump(other.as_deref_mut(), left.min(SLICE));
        }
    }

    /// Wait at most `timeout` for bytes and take those that have come: own output, own notes, and the
    /// notes of `other`. Returns whether own output and whether any notes were read.
    fn pump(&mut self, other: Option<&mut Process>, timeout: Duration) -> (bool, bool) {
        let empty = PollFlags::empty();
        let mut ready = [empty; 3];
        let mut other = other;
        {
            let sources = [
                self.stdout.as_ref().map(AsFd::as_fd),
                self.stderr.as_ref().map(AsFd::as_fd),
                other.as_ref().and_then(|process| process.stderr.as_ref()).map(AsFd::as_fd),
            ];
            let mut slots = Vec::with_capacity(3);
            let mut polled = Vec::with_capacity(3);
            for (slot, source) in sources.into_iter().enumerate() {
                if let Some(fd) = source {
                    slots.push(slot);
                    polled.push(PollFd::from_borrowed_fd(fd, PollFlags::IN));
                }
            }
            let Ok(timeout) = Timespec::try_from(timeout) else { return (false, false) };
            // An interrupted poll is a short one: the callers loop.
            if poll(&mut polled, Some(&timeout)).is_ok() {
                for (&slot, fd) in slots.iter().zip(&polled) {
                    ready[slot] = fd.revents();
                }
            }
        }
        if ready[0] != empty {
            take(&mut self.stdout, |bytes| self.unread.extend_from_slice(bytes));
        }
        if ready[1] != empty {
            take(&mut self.stderr, |bytes| keep(&mut self.notes, bytes));
        }
        if let Some(process) = &mut other
            && ready[2] != empty
        {
            take(&mut process.stderr, |bytes| keep(&mut process.notes, bytes));
        }
        (ready[0] != empty, ready[1] != empty)
    }

    /// Return how the process ended if it does so within a moment; it may have just closed its output.
    /// The process stays unreaped, so that its group can still be killed.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.wait_end(Instant::now() + END_GRACE).then(|| self.reap())
    }

    /// Wait for the process to end until `deadline`, draining its pipes; say whether it did.
    fn wait_end(&mut self, deadline: Instant) -> bool {
        loop {
            if self.reaped || self.is_dead() {
                return true;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            // The end of a process closes its pipes, which wakes the poll; when it closed them before,
            // this is a sleep of a millisecond.
            let open = self.stdout.is_some() || self.stderr.is_some();
            self.pump(None, left.min(Duration::from_millis(if open { 20 } else { 1 })));
            self.unread.clear();
        }
    }

    fn is_dead(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(Pid::from_child(&self.child)), options), Ok(None))
    }

    /// Say `Quit`; [`dismiss`](Process::dismiss) waits for the end.
    pub fn quit(&mut self) {
        self.send(&format!("{}\n", Message::Quit));
    }

    /// Wait until `deadline` for the process to end by itself, then kill its whole group, take what is
    /// left of its stderr and reap it.
    pub fn dismiss(mut self, deadline: Instant) -> Farewell {
        let killed = !self.wait_end(deadline);
        self.reap();
        // What was written before the end is still in the pipe. A process that left the group may go on
        // writing: there is a limit.
        for _ in 0..64 {
            if self.stderr.is_none() || !self.pump(None, Duration::ZERO).1 {
                break;
            }
            self.stdout = None;
        }
        let text = String::from_utf8_lossy(&self.notes);
        let skip = text.chars().count().saturating_sub(KEPT_NOTES);
        Farewell { killed, notes: text.chars().skip(skip).collect() }
    }

    /// Kill the group and reap the leader. The group is killed first: as long as the leader is not
    /// reaped, no other group can have its number.
    fn reap(&mut self) -> ExitStatus {
        if !self.reaped {
            // An error means that no process of the group is left.
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            self.reaped = true;
        }
        // Killed or dead, the leader ends without delay, and the status is kept once taken.
        self.child.wait().unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.reap();
    }
}

/// Read once from a pipe that is ready; at its end, close it.
fn take(pipe: &mut Option<impl Read>, mut sink: impl FnMut(&[u8])) {
    let mut buffer = [0; 16 * 1024];
    let Some(reader) = pipe else { return };
    match reader.read(&mut buffer) {
        Ok(0) => *pipe = None,
        Ok(count) => sink(&buffer[..count]),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
        Err(_) => *pipe = None,
    }
}

/// Append to the notes and drop what can no longer be among the last characters (four bytes each).
fn keep(notes: &mut Vec<u8>, bytes: &[u8]) {
    notes.extend_from_slice(bytes);
    if notes.len() > 8 * KEPT_NOTES {
        notes.drain(..notes.len() - 4 * KEPT_NOTES);
    }
}
