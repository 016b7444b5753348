//! The real memory that is left.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicU64;

/// In a limited address space restart the program with one heap for all threads: the C library would take
/// 64 MB of addresses for each thread's first bytes, and leave none for the rest.
pub fn share_heap() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, getrlimit};
        use std::os::unix::process::CommandExt;
        const HEAPS: &str = "MALLOC_ARENA_MAX";
        let is_limited = getrlimit(Resource::As).current.is_some();
        if is_limited && std::env::var_os(HEAPS).is_none() {
            let arguments = std::env::args_os().skip(1);
            // If exec fails, this process goes on.
            drop(std::process::Command::new("/proc/self/exe").args(arguments).env(HEAPS, "1").exec());
        }
    }
}

/// Have the system give a table its memory in large pieces. In small ones it takes a third of two solvers'
/// time, and they wait for each other.
pub fn prefer_large_pages(words: &[AtomicU64]) {
    #[cfg(target_os = "linux")]
    {
        use rustix::mm::{Advice, madvise};
        let page = rustix::param::page_size();
        let range = words.as_ptr_range();
        let (start, end) = (range.start.addr().next_multiple_of(page), range.end.addr() / page * page);
        let first = words.as_ptr().cast_mut().cast::<u8>().wrapping_add(start - range.start.addr());
        // SAFETY: whole pages within the words; the advice changes neither what they hold nor who may use
        // them. Without such pages the system declines.
        _ = unsafe { madvise(first.cast(), end.saturating_sub(start), Advice::LinuxHugepage) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = words;
}

/// Return the bytes that the system and the control groups of this program have left; `None` if these
/// are unknown, as outside Linux.
pub fn available() -> Option<usize> {
    let system = fs::read_to_string("/proc/meminfo").ok()?;
    let system = system.lines().find_map(|line| first_number(line.strip_prefix("MemAvailable:")?))? << 10;
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let place = groups.lines().find_map(|line| line.strip_prefix("0::/"));
    let left = place.and_then(|place| left_in_group(Path::new("/sys/fs/cgroup"), place));
    Some(left.map_or(system, |left| left.min(system)))
}

/// Return the bytes left in the narrowest of a control group and those that it is part of. Pages of files,
/// which the system drops first, count as left.
pub fn left_in_group(root: &Path, place: &str) -> Option<usize> {
    let left = |group: &Path| {
        let number = |name| fs::read_to_string(group.join(name)).ok().and_then(|text| first_number(&text));
        let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
        let files = stat.lines().find_map(|line| first_number(line.strip_prefix("inactive_file ")?));
        let limit = ["memory.max", "memory.high"].into_iter().filter_map(number).min()?;
        Some((limit + files.unwrap_or(0)).saturating_sub(number("memory.current")?))
    };
    root.join(place).ancestors().take_while(|group| group.starts_with(root)).filter_map(left).min()
}

fn first_number(text: &str) -> Option<usize> {
    text.split_whitespace().next()?.parse().ok()
}
