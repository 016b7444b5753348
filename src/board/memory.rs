//! The memory of the board's engines: bounded together, so that they leave what the rest of the program needs, and a
//! small machine does not begin to swap.

use crate::player::host::{reserve, with_room};
use crate::system::memory::available;

/// The most bytes of all engines together: on a busy machine the system takes .8 s to take back a gigabyte at the end.
const MOST: usize = 1 << 30;
/// Bytes of addresses that tables leave: the stacks of a page's threads take 6 MB.
const RESERVE: usize = 32 << 20;
/// The least bytes of an engine: with less memory there are fewer of them.
pub const LEAST: usize = 16 << 20;

/// Return the bytes of all engines together: three quarters of the memory that the program may address, and of the real
/// memory; have tables leave the rest.
pub fn for_engines() -> usize {
    reserve(RESERVE);
    let mut bytes = available().unwrap_or(MOST).min(2 * MOST);
    while bytes > LEAST && with_room::<u8>(bytes).is_none() {
        bytes -= bytes / 8;
    }
    (bytes / 4 * 3).min(MOST)
}
