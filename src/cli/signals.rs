//! Requests to end, as a flag that long commands look at.

use std::io;
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::INTERRUPTED;
use crate::workshop::system::{kill_all, on_request_to_end};

/// How long a command may take to end after the flag is raised: it may be stuck in writing.
const FORCED_EXIT_AFTER: Duration = Duration::from_secs(3);

/// Raise a flag on Ctrl-C, on a request to end, and when the terminal is closed; a second Ctrl-C or
/// the end of our patience kills all bots and ends the program at once.
pub(super) fn stop_flag() -> io::Result<&'static AtomicBool> {
    static STOP: AtomicBool = AtomicBool::new(false);
    let give_up = || {
        kill_all();
        exit(i32::from(INTERRUPTED));
    };
    on_request_to_end(move |pressed| {
        if !STOP.swap(true, Ordering::Relaxed) {
            let late = move || {
                thread::sleep(FORCED_EXIT_AFTER);
                give_up();
            };
            // Without a thread for it there is the second Ctrl-C.
            drop(thread::Builder::new().spawn(late));
        } else if pressed {
            give_up();
        }
    })?;
    Ok(&STOP)
}
