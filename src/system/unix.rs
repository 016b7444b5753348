//! Linux and macOS: process groups, signals, locks.

use std::fs::{File, Metadata, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread;

use nix::sys::signal::{self, SaFlags, SigAction, SigHandler, SigSet};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use tempfile::{Builder, NamedTempFile};

pub use std::os::fd::AsFd as Pipe;

/// The process groups of all running programs, by their leaders, and whether they have been killed.
static GROUPS: Mutex<Vec<(Pid, bool)>> = Mutex::new(Vec::new());

/// Read-locked from the start of a program until its group is noted.
static STARTING: RwLock<()> = RwLock::new(());

fn groups() -> MutexGuard<'static, Vec<(Pid, bool)>> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Send a signal to a program not yet waited for, even if it has left its group, and to the group.
fn send(signal: Signal, leader: Pid) {
    // An error means that no process is left.
    let _ = kill_process_group(leader, signal);
    let _ = kill_process(leader, signal);
}

/// Kill every program with its whole group, and block later starts.
pub fn kill_all() {
    std::mem::forget(STARTING.write());
    groups().iter().filter(|(_, killed)| !killed).for_each(|&(leader, _)| send(Signal::KILL, leader));
}

/// A running program: the leader of a session, and so of a process group without a terminal.
pub struct Group {
    /// Wait for it only after a [`kill`](Group::kill): until then no other group can get its number.
    pub child: Child,
    leader: Pid,
}

impl Group {
    /// Start a program. On Linux it dies with the thread that starts it.
    pub fn start(command: &mut Command) -> io::Result<Group> {
        set_apart(command);
        let _starting = STARTING.read();
        let child = command.spawn()?;
        let leader = Pid::from_child(&child);
        groups().push((leader, false));
        Ok(Group { child, leader })
    }

    pub fn is_dead(&mut self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(self.leader), options), Ok(None))
    }

    pub fn kill(&mut self) {
        let mut groups = groups();
        send(Signal::KILL, self.leader);
        groups.iter_mut().filter(|(leader, _)| *leader == self.leader).for_each(|(_, killed)| *killed = true);
    }

    /// Tell whether no process is left of the killed group; wait for its orphans, which process 1 inherits.
    pub fn is_gone(&self) -> bool {
        #[cfg(target_os = "linux")]
        wait_for_orphans();
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        loop {
            match waitid(WaitId::Pgid(Some(self.leader)), options) {
                Ok(Some(_)) => {}
                waited => return waited.is_err(),
            }
        }
    }

    pub fn suspend(&self) {
        send(Signal::STOP, self.leader);
    }

    pub fn resume(&self) {
        send(Signal::CONT, self.leader);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // After the wait another program may get its number.
        groups().retain(|&group| group != (self.leader, true));
    }
}

/// Wait for ended orphans outside every group: in a container, process 1 inherits them.
#[cfg(target_os = "linux")]
fn wait_for_orphans() {
    use nix::sys::wait::{Id, WaitPidFlag, waitid};
    if rustix::process::getpid() != Pid::INIT {
        return;
    }
    // A starting program is in no group yet.
    let Ok(_none_starts) = STARTING.try_write() else { return };
    let (groups, ended) = (groups(), WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG);
    let is_own = |process: i32| groups.iter().any(|(leader, _)| leader.as_raw_pid() == process);
    let next = || waitid(Id::All, ended | WaitPidFlag::WNOWAIT).ok()?.pid();
    while let Some(orphan) = next().filter(|process| !is_own(process.as_raw())) {
        let _ = waitid(Id::Pid(orphan), ended);
    }
}

/// Let the program begin a session without a terminal; Linux kills it once the runner is gone.
fn set_apart(command: &mut Command) {
    #[cfg(target_os = "linux")]
    let runner = rustix::process::getpid();
    let in_child = move || {
        rustix::process::setsid()?;
        #[cfg(target_os = "linux")]
        {
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
            // The runner may be gone already.
            if rustix::process::getppid() != Some(runner) {
                return Err(io::ErrorKind::NotFound.into());
            }
        }
        Ok(())
    };
    // SAFETY: between fork and exec the closure makes system calls alone and allocates nothing.
    unsafe { command.pre_exec(in_child) };
}

/// Wait a moment for a pipe, and tell whether it has bytes or its end to read.
pub fn is_ready(pipe: &impl Pipe) -> bool {
    let moment = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
    // If waiting fails, reading will tell.
    !matches!(poll(&mut [PollFd::new(pipe, PollFlags::IN)], Some(&moment)), Ok(0))
}

/// Undo unusual settings inherited from the parent process.
pub fn set_up() {
    // A file beyond its size limit shall give an error instead of a signal that kills; and with SIGCHLD
    // ignored a child's status could not be read.
    for signal in [SIGXFSZ, SIGCHLD] {
        let _ = signal_hook::flag::register(signal, Arc::default());
    }
    // A request to end may be blocked.
    let _ = SigSet::empty().thread_set_mask();
    // Some parents hand over pipes in non-blocking mode.
    let _ = ioctl_fionbio(rustix::stdio::stdin(), false);
    let _ = ioctl_fionbio(rustix::stdio::stdout(), false);
    let _ = ioctl_fionbio(rustix::stdio::stderr(), false);
}

/// Call `each` from another thread on Ctrl-C (with `true`) and at other requests to end.
pub fn on_request_to_end(mut each: impl FnMut(bool) + Send + 'static) -> io::Result<()> {
    let caught = [SIGINT, SIGTERM, SIGQUIT, SIGHUP];
    let caught = if hangup_is_ignored() { &caught[..3] } else { &caught };
    let mut signals = Signals::new(caught)?;
    let each = move || signals.forever().for_each(|signal| each(signal == SIGINT));
    thread::Builder::new().spawn(each).map(drop)
}

/// Return a function that restores the terminal's present mode.
pub fn terminal_restorer() -> impl Fn() + Send {
    let mode = tcgetattr(rustix::stdio::stdin()).ok();
    move || {
        // Without a terminal there is no mode.
        let set = |mode| tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, mode);
        let _ = mode.as_ref().map(set);
    }
}

/// Tell whether the program was started to outlive its terminal, as by `nohup`.
fn hangup_is_ignored() -> bool {
    let ignore = SigAction::new(SigHandler::SigIgn, SaFlags::empty(), SigSet::empty());
    // SAFETY: no handler of ours is set, and the earlier action is set again.
    let before = unsafe {
        signal::sigaction(signal::SIGHUP, &ignore)
            .inspect(|before| _ = signal::sigaction(signal::SIGHUP, before))
    };
    before.is_ok_and(|before| matches!(before.handler(), SigHandler::SigIgn))
}

/// Open or create a file for reading and appending, locked while open; also return the error of a failed
/// lock. Fails with `ResourceBusy` if another process has the lock.
pub fn open_alone(path: &Path) -> io::Result<(File, Option<io::Error>)> {
    let file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok((file, None)),
        Err(TryLockError::WouldBlock) => Err(io::ErrorKind::ResourceBusy.into()),
        Err(TryLockError::Error(error)) => Ok((file, Some(error))),
    }
}

/// Create a file without a final name in the directory of a path, with the usual mode; it is removed unless persisted.
pub fn draft_beside(path: &Path) -> io::Result<NamedTempFile> {
    let folder = path.parent().unwrap_or(Path::new(""));
    Builder::new().permissions(Permissions::from_mode(0o666)).tempfile_in(folder)
}

/// Tell whether a file is a device: reading it may never end.
pub fn is_device(known: &Metadata) -> bool {
    known.file_type().is_char_device() || known.file_type().is_block_device()
}
