//! The differences between systems beyond std: a file for Linux and macOS and one for Windows, with the same
//! items.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;
