//! The differences between systems beyond std: a file for Linux and macOS and one for Windows, with the same
//! items.
//!
//! - [`lines`]: files of one record a line, never lost. [`fnv`]: a hash that stays the same.
//! - [`memory`]: the real memory that is left.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;
use std::{fs, io, thread};

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

/// Name this machine: its processor, if the system names it, and the number of cores.
pub fn machine() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    format!("{}, {} cores", model.map_or(std::env::consts::ARCH, |(_, name)| name.trim()), cores())
}

/// Count the cores that this program may use.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The threads of all maps: each holds it while it works, and lets go by a panic, too.
static HELPERS: LazyLock<Arc<()>> = LazyLock::new(Arc::default);

/// Map items on the cores that no other map uses, on this one after something else; keep their order.
pub fn map_on_all_cores<T: Sync, R: Send>(
    items: &[T],
    map: impl Fn(&T) -> R + Sync,
    first: impl FnOnce(),
) -> Vec<R> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || loop {
        let place = next.fetch_add(1, Relaxed);
        let Some(item) = items.get(place) else { break };
        let result = map(item);
        results.lock().expect("no panic").push((place, result));
    };
    thread::scope(|scope| {
        let free = cores().saturating_sub(Arc::strong_count(&HELPERS));
        for _ in 0..free.min(items.len()) {
            let (helper, work) = (Arc::clone(&HELPERS), &work);
            let help = move || {
                work();
                drop(helper);
            };
            // Without more threads, fewer do all.
            let _ = thread::Builder::new().spawn_scoped(scope, help);
        }
        first();
        work();
    });
    let mut results = results.into_inner().expect("no panic");
    results.sort_by_key(|(place, _)| *place);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Do something with a file; on Windows retry for a second while another program, such as a virus scanner, holds it.
pub fn patiently<T>(mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    // The codes of denied access and of a sharing violation.
    let is_held = |error: &io::Error| cfg!(windows) && matches!(error.raw_os_error(), Some(5 | 32));
    for _ in 0..50 {
        match act() {
            Err(error) if is_held(&error) => thread::sleep(Duration::from_millis(20)),
            done => return done,
        }
    }
    act()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_that_panics_leaves_no_helper_behind() {
        let panicking = || map_on_all_cores(&[0; 8], |_| -> () { panic!("as tried") }, || ());
        assert!(std::panic::catch_unwind(panicking).is_err());
        assert_eq!(Arc::strong_count(&HELPERS), 1);
    }
}
