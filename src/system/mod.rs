//! The differences between systems beyond std: a file for Linux and macOS and one for Windows, with the same
//! items.
//!
//! - [`lines`]: files of one record a line, never lost. [`fnv`]: a hash that stays the same.

pub mod fnv;
pub mod lines;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::cell::Cell;
use std::io;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;

thread_local! {
    static OWN_CORE: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Return the one core of the calling thread; `None` if it may use all.
pub fn own_core() -> Option<usize> {
    OWN_CORE.get()
}

/// Let the programs that the calling thread starts, and on Linux the thread itself, use one core alone.
pub fn use_core(core: usize) -> io::Result<()> {
    OWN_CORE.set(Some(core));
    bind(core)
}
