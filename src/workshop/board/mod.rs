//! A board in the browser: what stands between the page and the engine.
//!
//! - [`http`]: requests read and judged with suspicion; who may ask.
//! - [`desk`]: one question at a time, each answered by a process of its own.

pub mod desk;
pub mod http;
