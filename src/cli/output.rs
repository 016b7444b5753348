//! Standard output, and what becomes of it when nobody reads.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{OFlags, fstat};

use super::Failure;

/// Whether standard output was closed, or open only for reading, when the program started. Before
/// `main` the Rust runtime opens /dev/null in its place, so it is looked at earlier.
static CLOSED: AtomicBool = AtomicBool::new(false);

#[cfg(target_os = "linux")]
extern "C" fn look() {
    let writes = |flags: OFlags| flags.intersects(OFlags::WRONLY | OFlags::RDWR);
    let open = rustix::fs::fcntl_getfl(rustix::stdio::stdout()).is_ok_and(writes);
    CLOSED.store(!open, Ordering::Relaxed);
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
        return Err(Failure::Io(io::Error::other("standard output is not open for writing")));
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
    for path in names.map(|name| folder.join(name)) {
        match File::create_new(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(named(error)),
            Ok(mut file) => {
                // Nothing is left of a log that cannot be written whole.
                let clear = |error| fs::remove_file(&path).and(Err(error));
                return file.write_all(text.as_bytes()).or_else(clear).map_err(named);
            }
        }
    }
    Ok(())
}

/// Tell whether standard output goes into the file at a path.
pub(super) fn is_stdout(path: &Path) -> bool {
    let there = path.metadata().ok().filter(|known| known.is_file());
    let output = fstat(rustix::stdio::stdout()).ok();
    there
        .zip(output)
        .is_some_and(|(there, output)| (there.dev(), there.ino()) == (output.st_dev, output.st_ino))
}
