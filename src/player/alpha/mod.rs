//! α-Blackhole (§2.3.2, §2.3.3): the game with two outcomes only, "Red reaches the target α" and
//! "Blue keeps the score below α".

pub mod dominance;
pub mod state;
mod status;
mod target;

pub use dominance::Reasonable;
pub use status::Status;
pub use target::Target;
