//! The memory of the board's engines: bounded together, so that none takes what the others and the rest of
//! the program need, and a small machine does not begin to swap.

use std::sync::{Arc, Mutex, PoisonError};

use crate::player::host::{reserve, with_room};
use crate::system::memory::available;

/// The most bytes of all engines together: on a busy machine the system takes .8 s to take back a gigabyte at the end.
const MOST: usize = 1 << 30;
/// Bytes of addresses that tables leave: the stacks of a page's threads take 6 MB.
const RESERVE: usize = 32 << 20;
/// The least bytes of a tab's engine.
const LEAST: usize = 16 << 20;

/// Bytes that are left for engines.
#[derive(Clone)]
pub struct Room(Arc<Mutex<usize>>);

/// Bytes of a tab's engine, given back when dropped.
pub struct Share {
    room: Room,
    pub bytes: usize,
}

impl Room {
    pub fn of(bytes: usize) -> Room {
        Room(Arc::new(Mutex::new(bytes)))
    }

    /// Find three quarters of the memory that the program may address, and of the real memory; have tables
    /// leave the rest.
    pub fn of_machine() -> Room {
        reserve(RESERVE);
        let mut bytes = available().unwrap_or(MOST).min(2 * MOST);
        while bytes > LEAST && with_room::<u8>(bytes).is_none() {
            bytes -= bytes / 8;
        }
        Room::of((bytes / 4 * 3).min(MOST))
    }

    /// Take a third of what is left; `None` if that is too little.
    pub fn share(&self) -> Option<Share> {
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = *left / 3;
        *left -= bytes;
        let share = Share { room: self.clone(), bytes };
        drop(left);
        (bytes >= LEAST).then_some(share)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        *self.room.0.lock().unwrap_or_else(PoisonError::into_inner) += self.bytes;
    }
}
