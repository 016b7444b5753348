//! Standard output, and what becomes of it when nobody reads.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use super::Failure;

/// Whether standard output was closed when the program started. Before `main` the Rust runtime
/// opens /dev/null in its place, so it is looked at earlier.
static CLOSED: AtomicBool = AtomicBool::new(false);

#[cfg(target_os = "linux")]
extern "C" fn look() {
    CLOSED.store(rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err(), Ordering::Relaxed);
}

// SAFETY: the section holds pointers to functions without arguments; `look` makes one system call
// and needs nothing of the runtime.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

/// Write a result to standard output. A reader that has gone away has read what it wanted: the
/// command goes on to its own exit code.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    if CLOSED.load(Ordering::Relaxed) {
        return Err(Failure::Io(io::Error::other("standard output is closed")));
    }
    let mut output = io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}
