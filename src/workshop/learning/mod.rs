//! A learned evaluation: the positions it learns from, and how.

pub mod data;
pub mod examples;
pub mod judges;
#[cfg(feature = "train")]
pub mod train;
