//! Standard output, and what becomes of it when nobody reads.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
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

/// Write a result to standard output. When its reader has gone away, the command goes on to its own
/// exit code.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    if CLOSED.load(Ordering::Relaxed) {
        return Err(Failure::Io(io::Error::other("standard output is closed")));
    }
    let mut output = io::stdout().lock();
    read_enough(output.write_all(text.as_bytes()).and_then(|()| output.flush()))
}

/// Write a help text or the version, in colour where there is some, as [`print`] does.
pub(super) fn print_help(text: &clap::Error) -> Result<(), Failure> {
    print("")?;
    read_enough(text.print().and_then(|()| io::stdout().flush()))
}

/// A reader that has gone away has read what it wanted.
fn read_enough(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

/// Write a text into a new file of a folder. Where `STEM.txt` is taken, it becomes `STEM=2.txt` or
/// the next number.
///
/// # Errors
/// When the file cannot be made or written; the folder is named.
pub(super) fn write_new(folder: &Path, stem: &str, text: &str) -> io::Result<()> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", folder.display()));
    let names =
        (1..).map(|number| if number == 1 { format!("{stem}.txt") } else { format!("{stem}={number}.txt") });
    for name in names {
        match File::create_new(folder.join(name)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            file => return file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(named),
        }
    }
    Ok(())
}
