//! The player's needs of the machine and its system.

#[cfg(target_os = "linux")]
use std::ffi::c_int;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Bytes that tables leave for everything else: lists, texts, the stack.
static RESERVE: AtomicUsize = AtomicUsize::new(2 << 20);
/// Bytes of the lists of the solver and the smallest tables.
const MIN_MEMORY: usize = 3 << 20;

/// Have tables leave more than 2 MB for everything else, such as other threads.
pub fn reserve(bytes: usize) {
    RESERVE.store(bytes, Ordering::Relaxed);
}

/// Make an empty vector with room for `count` items, if that leaves the [reserve](reserve).
pub fn with_room<T>(count: usize) -> Option<Vec<T>> {
    let (mut items, mut rest) = (Vec::new(), Vec::<u8>::new());
    items.try_reserve_exact(count).ok()?;
    rest.try_reserve_exact(RESERVE.load(Ordering::Relaxed)).ok()?;
    // The compiler must not conclude that the memory is not needed.
    black_box(&mut rest);
    black_box(&mut items);
    Some(items)
}

/// Check that the program can play here; the error names the missing memory.
pub fn check() -> Result<(), &'static str> {
    let room = with_room::<u8>(MIN_MEMORY);
    room.map(drop).ok_or("less than 5 MB of memory is free")
}

/// Whether standard output was not open for writing when the program started; known on Linux alone.
static OUTPUT_CLOSED: AtomicBool = AtomicBool::new(false);

/// Check that standard output was open for writing when the program started.
pub fn check_output() -> Result<(), &'static str> {
    if OUTPUT_CLOSED.load(Ordering::Relaxed) {
        return Err("standard output is not open for writing");
    }
    Ok(())
}

#[cfg(target_os = "linux")]
extern "C" {
    fn fcntl(descriptor: c_int, command: c_int, ...) -> c_int;
}

/// Look at standard output before the Rust runtime opens /dev/null in the place of a closed one.
#[cfg(target_os = "linux")]
extern "C" fn look_at_output() {
    /// The command that asks for a file's flags, and the flags of its mode: 0 for reading.
    const F_GETFL: c_int = 3;
    const O_ACCMODE: c_int = 3;
    // SAFETY: this command takes no more arguments and changes nothing.
    let flags = unsafe { fcntl(1, F_GETFL) };
    OUTPUT_CLOSED.store(flags < 0 || flags & O_ACCMODE == 0, Ordering::Relaxed);
}

// SAFETY: the section holds pointers to functions without arguments; this one needs no runtime.
#[cfg(target_os = "linux")]
#[used]
#[link_section = ".init_array"]
static LOOK: extern "C" fn() = look_at_output;
