//! Requests to end, as a flag for long commands.

use std::io;
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::INTERRUPTED;
use crate::system::{kill_all, on_request_to_end};

/// Raise a flag on Ctrl-C, on a request to end, and when the terminal is closed. A second Ctrl-C, or three seconds for a
/// command that may be stuck in writing, kills all bots and ends the program at once.
pub(super) fn stop_flag() -> io::Result<&'static AtomicBool> {
    static STOP: AtomicBool = AtomicBool::new(false);
    // A match and the judge of its page share one.
    static IS_SET: AtomicBool = AtomicBool::new(false);
    if IS_SET.swap(true, Ordering::Relaxed) {
        return Ok(&STOP);
    }
    let give_up = || {
        kill_all();
        exit(i32::from(INTERRUPTED));
    };
    on_request_to_end(move |pressed| {
        if !STOP.swap(true, Ordering::Relaxed) {
            let late = move || {
                thread::sleep(Duration::from_secs(3));
                give_up();
            };
            // If the thread cannot start, a second Ctrl-C still ends the program.
            drop(thread::Builder::new().spawn(late));
        } else if pressed {
            give_up();
        }
    })?;
    Ok(&STOP)
}
