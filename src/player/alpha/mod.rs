//! α-Blackhole (§2.3.2, §2.3.3): the game with two outcomes only, "Red reaches the target α" and
//! "Blue keeps the score below α".
//!
//! Everything here is computed anew for each position, by a few vector and bit operations: every
//! stone changes a hand, and with it all thresholds.

pub mod dominance;
pub mod state;
mod status;
mod target;

pub use dominance::Reasonable;
pub use status::Status;
pub use target::Target;
