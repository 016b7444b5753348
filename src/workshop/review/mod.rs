//! Whole games judged move by move.

pub mod page;
