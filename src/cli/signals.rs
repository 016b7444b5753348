//! Requests to end, as a flag that long commands look at.

use std::io;
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use super::INTERRUPTED;
use crate::workshop::arena::process::kill_all;

/// How long a command may take to end after the flag is raised: it may be stuck in writing.
const PATIENCE: Duration = Duration::from_secs(3);

/// Raise a flag on Ctrl-C, on a request to end, and when the terminal is closed; a second Ctrl-C or
/// the end of our patience kills all bots and ends the program at once.
pub(super) fn stop_flag() -> io::Result<&'static AtomicBool> {
    static STOP: AtomicBool = AtomicBool::new(false);
    let mut caught = vec![SIGINT, SIGTERM, SIGQUIT];
    if !hangup_is_ignored() {
        caught.push(SIGHUP);
    }
    let mut signals = Signals::new(caught)?;
    let give_up = || {
        kill_all();
        exit(i32::from(INTERRUPTED));
    };
    let watch = move || {
        for signal in signals.forever() {
            if !STOP.swap(true, Ordering::Relaxed) {
                let late = move || {
                    thread::sleep(PATIENCE);
                    give_up();
                };
                // Without a thread for it there is the second Ctrl-C.
                drop(thread::Builder::new().spawn(late));
            } else if signal == SIGINT {
                give_up();
            }
        }
    };
    thread::Builder::new().spawn(watch)?;
    Ok(&STOP)
}

/// Tell whether the program was started so as to outlive its terminal, as `nohup` does.
fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 != 0)
}
