//! Opponents who follow the expected score or move at random: what to expect of them, and what beats them.

pub(crate) mod expectation;
mod follower;
mod random;

pub use follower::moves_against_follower;
pub use random::moves_against_random;
