//! What Linux, macOS and Windows each do in a way of their own that std does not hide: one file a
//! system, with the same items.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;
