//! A learned evaluation: the positions it learns from.

pub mod data;
