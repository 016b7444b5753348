//! Windows: job objects, console events, files that others may only read.

use std::ffi::OsStr;
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::os::windows::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command};
use std::sync::OnceLock;

use win32job::{ExtendedLimitInfo, Job};

/// What a thread can read from.
pub use std::os::windows::io::AsHandle as Pipe;

const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;

/// Whether a program can be stopped and go on later.
pub const SUSPENDS: bool = false;

/// Kill every program: they end with this one, when the system closes their jobs.
pub fn kill_all() {}

/// A program in a job, which ends with all it has started when the job is closed.
#[derive(Debug)]
pub struct Group {
    pub child: Child,
    job: Option<Job>,
}

/// Make a job whose programs end when it is closed.
fn new_job() -> io::Result<Job> {
    let mut limits = ExtendedLimitInfo::new();
    Job::create_with_limit_info(limits.limit_kill_on_job_close()).map_err(io::Error::other)
}

impl Group {
    /// Start a program. It does not outlive the runner, and hears nothing of a Ctrl-C in its console.
    pub fn start(command: &mut Command) -> io::Result<Group> {
        // What a program starts before it is in its job ends with the runner.
        static RUNNER: OnceLock<Option<Job>> = OnceLock::new();
        RUNNER.get_or_init(|| new_job().ok().filter(|job| job.assign_current_process().is_ok()));
        let job = new_job()?;
        let mut child = command.creation_flags(CREATE_NEW_PROCESS_GROUP).spawn()?;
        if let Err(error) = job.assign_process(child.as_raw_handle() as isize) {
            let _ = child.kill();
            return Err(io::Error::other(error));
        }
        Ok(Group { child, job: Some(job) })
    }

    /// Tell whether the program has ended.
    pub fn is_dead(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Kill the program and all that it has started.
    pub fn kill(&mut self) {
        self.job = None;
    }

    /// Tell that nothing is left of the job.
    pub fn is_gone(&self) -> bool {
        true
    }

    /// Do nothing: such matches are refused.
    pub fn suspend(&self) {}

    /// Do nothing, as [`suspend`](Group::suspend).
    pub fn resume(&self) {}
}

/// Let a program that is to be started hear nothing of a Ctrl-C in this one's console.
pub fn detach(command: &mut Command) {
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    command.creation_flags(CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW);
}

/// Count the bytes in a program's input that it has not read, if the system tells.
pub fn unread(_input: &ChildStdin) -> Option<u64> {
    None
}

/// Tell that a pipe may be read: all who write to it end with their job.
pub fn is_ready(_pipe: &impl Pipe) -> bool {
    true
}

/// Set right what whoever started the program may have left behind: nothing here.
pub fn set_up() {}

/// Call `each` on Ctrl-C, and when the console is closed, from a thread of its own.
pub fn on_request_to_end(mut each: impl FnMut(bool) + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(move || each(true)).map_err(io::Error::other)
}

/// Return what sets the console back: it does that by itself.
pub fn terminal_restorer() -> impl Fn() + Send {
    || {}
}

/// Open or create a file to read it and append to it, alone as long as it is open: others may read
/// it, which a lock would not let them. It fails with `ResourceBusy` when another has it.
pub fn open_alone(path: &Path) -> io::Result<(File, Option<io::Error>)> {
    const FILE_SHARE_READ: u32 = 1;
    const SHARING_VIOLATION: i32 = 32;
    let mut options = OpenOptions::new();
    // Not for appending alone: then it could not be cut.
    options.read(true).write(true).create(true).truncate(false).share_mode(FILE_SHARE_READ);
    match options.open(path) {
        Err(error) if error.raw_os_error() == Some(SHARING_VIOLATION) => {
            Err(io::ErrorKind::ResourceBusy.into())
        }
        opened => Ok((opened?, None)),
    }
}

/// Tell whether a file is a device, which may never end.
pub fn is_device(_known: &Metadata) -> bool {
    false
}

/// Tell whether a path leads to a program.
pub fn is_executable(path: &Path) -> bool {
    let is_ours =
        |name: &OsStr| ["exe", "com", "bat", "cmd"].iter().any(|known| name.eq_ignore_ascii_case(known));
    path.is_file() && path.extension().is_some_and(is_ours)
}
