//! The differences between systems beyond std: a file for Linux and macOS and one for Windows, with the same
//! items.
//!
//! - [`lines`]: files of one record a line, never lost. [`fnv`]: a hash that stays the same.
//! - [`memory`]: the real memory that is left.

pub mod fnv;
pub mod lines;
pub mod memory;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;
