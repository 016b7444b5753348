//! A bot's process behind its three pipes: lines out with a deadline, stderr drained, and an end
//! that is certain. Whoever waits for a line polls the pipes of both bots of the game.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{ioctl_fionbio, ioctl_fionread};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use crate::player::protocol::Message;

/// The longest line a bot may print, bytes without its end. A move has at most 5.
pub const MAX_LINE: usize = 1_000;

/// How many of the last characters of a bot's stderr are kept.
pub const KEPT_NOTES: usize = 10_000;

/// The longest wait between two looks at the process and the stop flag.
pub(super) const SLICE: Duration = Duration::from_millis(20);

/// Gaps between two looks that no busy machine explains: the runner was stopped, or the machine
/// slept. A tenth of the time left within these bounds voids a game.
const GAPS: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(500)];

/// Void games in a row after which only the longest gap voids a game: the machine is busy.
pub(super) const BUSY: u32 = 3;

/// How long a process that closed its output may take to end before it counts as running on.
pub(super) const END_GRACE: Duration = Duration::from_millis(250);

/// How long a process that has answered may run on before it is suspended, to note its own clock.
const SUSPEND_GRACE: Duration = Duration::from_millis(2);

/// The process groups of all running bots, by their leaders.
static GROUPS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

/// Read-locked from the start of a bot until its group is noted.
static STARTING: RwLock<()> = RwLock::new(());

fn groups() -> MutexGuard<'static, Vec<Pid>> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kill every running bot with its whole group, and let none start any more.
pub fn kill_all() {
    std::mem::forget(STARTING.write());
    for &group in groups().iter() {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Notices that the runner was held up while a clock ran: by Ctrl-Z, or asleep with the machine.
#[derive(Debug)]
pub(super) struct Watch {
    last: Instant,
    gap: Duration,
}

impl Watch {
    /// Begin to look, for a bot with so much time left in a game that was `void` so many times.
    pub fn new(left: Duration, void: u32) -> Watch {
        let [least, most] = GAPS;
        let gap = if void < BUSY { (left / 10).clamp(least, most) } else { most };
        Watch { last: Instant::now(), gap }
    }

    /// Tell whether the last look is too long ago.
    pub fn held_up(&mut self) -> bool {
        let before = std::mem::replace(&mut self.last, Instant::now());
        self.last.saturating_duration_since(before) > self.gap
    }
}

/// What came of waiting for a line, each with the bytes so far.
#[derive(Debug)]
pub enum Answer {
    /// A line without its end (LF or CRLF), and when it was read.
    Line(Vec<u8>, Instant),
    /// More than [`MAX_LINE`] bytes without an end of line.
    TooLong(Vec<u8>),
    /// The output was closed.
    Closed(Vec<u8>),
    /// The deadline passed.
    Late(Vec<u8>),
    /// The match is being stopped.
    Stopped,
    /// The runner was held up: nobody knows how long the bot took.
    HeldUp,
}

/// What is left of a process that is gone.
#[derive(Debug)]
pub struct Farewell {
    /// Whether it had to be killed.
    pub killed: bool,
    /// The end of its stderr.
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
    /// Bytes written to its input.
    sent: u64,
    reaped: bool,
    suspended: bool,
}

impl Process {
    /// Start a program with its arguments in a process group of its own. On Linux it does not outlive
    /// the thread that starts it.
    pub fn start(command: &[String]) -> io::Result<Process> {
        let (program, arguments) =
            command.split_first().ok_or_else(|| io::Error::other("the command is empty"))?;
        let mut command = Command::new(program);
        command.args(arguments).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(target_os = "linux")]
        die_with_parent(&mut command);
        let starting = STARTING.read();
        let mut child = command.spawn()?;
        groups().push(Pid::from_child(&child));
        drop(starting);
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (unread, notes) = (Vec::new(), Vec::new());
        let (sent, reaped, suspended) = (0, false, false);
        let process = Process { child, stdin, stdout, stderr, unread, notes, sent, reaped, suspended };
        process.stdout.as_ref().map_or(Ok(()), |pipe| ioctl_fionbio(pipe, true))?;
        process.stderr.as_ref().map_or(Ok(()), |pipe| ioctl_fionbio(pipe, true))?;
        Ok(process)
    }

    /// Stop the process group until the next line is sent.
    pub fn suspend(&mut self) {
        thread::sleep(SUSPEND_GRACE);
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::STOP);
        self.suspended = true;
    }

    fn resume(&mut self) {
        if std::mem::take(&mut self.suspended) {
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::CONT);
        }
    }

    /// Write to the bot's input. That a bot is gone shows when it should answer.
    pub fn send(&mut self, text: &str) {
        self.resume();
        if let Some(stdin) = &mut self.stdin {
            match stdin.write_all(text.as_bytes()) {
                Ok(()) => self.sent += text.len() as u64,
                Err(_) => self.stdin = None,
            }
        }
    }

    /// Tell whether the bot has read nothing of what was sent, as when it was never there.
    pub fn is_deaf(&self) -> bool {
        let waiting = |pipe| ioctl_fionread(pipe).unwrap_or(0);
        self.stdin.as_ref().map_or(self.sent == 0, |pipe| waiting(pipe) == self.sent)
    }

    pub fn close_input(&mut self) {
        self.resume();
        self.stdin = None;
    }

    /// Return the output that nobody asked for, if any.
    pub fn unasked(&mut self) -> Option<&[u8]> {
        self.pump(None, Duration::ZERO);
        (!self.unread.is_empty()).then_some(&self.unread[..])
    }

    /// Wait for the next line until `deadline`, and meanwhile drain the stderr of both bots.
    pub(super) fn line(
        &mut self,
        mut other: Option<&mut Process>,
        deadline: Instant,
        watch: &mut Watch,
        stop: &AtomicBool,
    ) -> Answer {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Answer::Stopped;
            }
            if watch.held_up() {
                return Answer::HeldUp;
            }
            if let Some(end) = self.unread.iter().position(|&byte| byte == b'\n') {
                let arrived = Instant::now();
                let mut line: Vec<u8> = self.unread.drain(..=end).collect();
                line.pop();
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                let fits = line.len() <= MAX_LINE;
                return if fits { Answer::Line(line, arrived) } else { Answer::TooLong(line) };
            }
            if self.unread.len() > MAX_LINE {
                return Answer::TooLong(std::mem::take(&mut self.unread));
            }
            // A program that is gone may have left its output to others; its own is in the pipe.
            if self.stdout.is_none() || self.is_dead() && !self.pump(None, Duration::ZERO) {
                return Answer::Closed(std::mem::take(&mut self.unread));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Answer::Late(std::mem::take(&mut self.unread));
            }
            self.pump(other.as_deref_mut(), left.min(SLICE));
        }
    }

    /// Wait at most `timeout` for output and the notes of both bots, take what has come, and tell
    /// whether any of it is of this process.
    fn pump(&mut self, other: Option<&mut Process>, timeout: Duration) -> bool {
        let others = other.map(|process| (&mut process.stderr, &mut process.notes));
        let (mut other_pipe, other_notes) = others.unzip();
        {
            let pipes = [
                self.stdout.as_ref().map(AsFd::as_fd),
                self.stderr.as_ref().map(AsFd::as_fd),
                other_pipe.as_ref().and_then(|pipe| pipe.as_ref()).map(AsFd::as_fd),
            ];
            let fds = pipes.into_iter().flatten().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
            let mut fds: Vec<PollFd<'_>> = fds.collect();
            // An interrupted poll is a short one: the callers loop.
            if let Ok(timeout) = Timespec::try_from(timeout) {
                let _ = poll(&mut fds, Some(&timeout));
            }
        }
        let unread = &mut self.unread;
        let said = take(&mut self.stdout, |bytes| unread.extend_from_slice(bytes));
        let noted = take(&mut self.stderr, |bytes| keep(&mut self.notes, bytes));
        if let (Some(pipe), Some(notes)) = (&mut other_pipe, other_notes) {
            take(pipe, |bytes| keep(notes, bytes));
        }
        said || noted
    }

    /// Return how the process ended if it does so until `deadline`.
    pub fn ended(&mut self, deadline: Instant) -> Option<ExitStatus> {
        self.wait_end(deadline, &AtomicBool::new(false)).then(|| self.reap())
    }

    /// Tell whether the process ends until `deadline` or a stop; drain its pipes meanwhile. While the
    /// runner is held up no time passes.
    fn wait_end(&mut self, mut deadline: Instant, stop: &AtomicBool) -> bool {
        let mut watch = Watch::new(Duration::MAX, 0);
        loop {
            let before = watch.last;
            if watch.held_up() {
                deadline += watch.last - before;
            }
            if self.reaped || self.is_dead() {
                return true;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || stop.load(Ordering::Relaxed) {
                return false;
            }
            // Its end closes the pipes, which wakes the poll; without pipes this is a short sleep.
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

    /// Wait until `deadline` or a stop for the process to end by itself, then kill its whole group.
    pub fn dismiss(mut self, deadline: Instant, stop: &AtomicBool) -> Farewell {
        let killed = !self.wait_end(deadline, stop);
        self.reap();
        // The rest is in the pipe. A process that left the group may go on writing: there is a limit.
        self.stdout = None;
        let _ = (0..64).find(|_| !self.pump(None, Duration::ZERO));
        let text = String::from_utf8_lossy(&self.notes);
        let skip = text.chars().count().saturating_sub(KEPT_NOTES);
        Farewell { killed, notes: text.chars().skip(skip).collect() }
    }

    /// Kill the group, then reap the leader: until then no other group can have its number.
    fn reap(&mut self) -> ExitStatus {
        if !self.reaped {
            // An error means that none is left.
            let group = Pid::from_child(&self.child);
            let mut groups = groups();
            let _ = kill_process_group(group, Signal::KILL);
            groups.retain(|other| *other != group);
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

/// Read once from a pipe and tell whether something came; at its end, close it.
fn take(pipe: &mut Option<impl Read>, mut sink: impl FnMut(&[u8])) -> bool {
    let mut buffer = [0; 16 * 1024];
    let Some(reader) = pipe else { return false };
    match reader.read(&mut buffer) {
        Ok(count) if count > 0 => {
            sink(&buffer[..count]);
            return true;
        }
        Err(error) if matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock) => {}
        Ok(_) | Err(_) => *pipe = None,
    }
    false
}

/// Have the kernel kill the program when the runner is gone.
#[cfg(target_os = "linux")]
fn die_with_parent(command: &mut Command) {
    let runner = rustix::process::getpid();
    let in_child = move || {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // The runner may have been gone before.
        if rustix::process::getppid() == Some(runner) { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    };
    // SAFETY: between fork and exec the closure makes two system calls and allocates nothing.
    unsafe { command.pre_exec(in_child) };
}

/// Append to the notes, and drop what cannot be among the last characters (four bytes each).
fn keep(notes: &mut Vec<u8>, bytes: &[u8]) {
    notes.extend_from_slice(bytes);
    if notes.len() > 8 * KEPT_NOTES {
        notes.drain(..notes.len() - 4 * KEPT_NOTES);
    }
}
