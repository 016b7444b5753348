//! Windows: job objects, console events, files that other processes may only read.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::os::windows::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::OnceLock;

use tempfile::NamedTempFile;
use win32job::{ExtendedLimitInfo, Job};

use super::patiently;

pub use std::os::windows::io::AsHandle as Pipe;

const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;

/// The system closes all jobs with this program, and so kills the programs in them.
pub fn kill_all() {}

/// A program in a job; closing the job kills the program and all it has started.
pub struct Group {
    pub child: Child,
    job: Option<Job>,
}

fn new_job() -> io::Result<Job> {
    let mut limits = ExtendedLimitInfo::new();
    Job::create_with_limit_info(limits.limit_kill_on_job_close()).map_err(io::Error::other)
}

impl Group {
    /// Start a program. It dies with the runner, and gets no Ctrl-C of the console.
    pub fn start(command: &mut Command) -> io::Result<Group> {
        // Processes started by the program before it is in its job die with the runner.
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

    pub fn is_dead(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    pub fn kill(&mut self) {
        self.job = None;
    }

    /// Return true: closing the job leaves no process.
    pub fn is_gone(&self) -> bool {
        true
    }

    pub fn suspend(&self) {}

    pub fn resume(&self) {}
}

/// Return true, so that a pipe is read at once: all its writers end with their job.
pub fn is_ready(_pipe: &impl Pipe) -> bool {
    true
}

pub fn set_up() {}

/// Call `each` on Ctrl-C, and when the console is closed, from another thread.
pub fn on_request_to_end(mut each: impl FnMut(bool) + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(move || each(true)).map_err(io::Error::other)
}

/// Return a function that does nothing: the console restores itself.
pub fn terminal_restorer() -> impl Fn() + Send {
    || {}
}

/// Open or create a file for reading and appending. While it is open, other processes may only read it; a
/// lock would keep them from reading, too. Fails with `ResourceBusy` if another process has it open.
pub fn open_alone(path: &Path) -> io::Result<(File, Option<io::Error>)> {
    const FILE_SHARE_READ: u32 = 1;
    const SHARING_VIOLATION: i32 = 32;
    let mut options = OpenOptions::new();
    // Opened for writing rather than appending: a torn end must be cut off.
    options.read(true).write(true).create(true).truncate(false).share_mode(FILE_SHARE_READ);
    match patiently(|| options.open(path)) {
        Err(error) if error.raw_os_error() == Some(SHARING_VIOLATION) => {
            Err(io::ErrorKind::ResourceBusy.into())
        }
        opened => Ok((opened?, None)),
    }
}

/// Create a file without a final name in the directory of a path; it is removed unless persisted.
pub fn draft_beside(path: &Path) -> io::Result<NamedTempFile> {
    NamedTempFile::new_in(path.parent().unwrap_or(Path::new("")))
}

pub fn is_device(_known: &Metadata) -> bool {
    false
}
