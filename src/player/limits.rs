//! How long a search or a solver may work: a node limit, a deadline, or both.

use std::time::Instant;

/// Limits of one search or solve. A node is an iteration of the tree search or a child judged by the
/// solver.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Stop at this point of the monotonic clock.
    pub deadline: Option<Instant>,
    /// Stop after this many nodes.
    pub nodes: u64,
}

impl Limits {
    /// Never stop.
    pub const NONE: Limits = Limits { deadline: None, nodes: u64::MAX };

    /// Stop after `nodes` nodes.
    pub const fn nodes(nodes: u64) -> Limits {
        Limits { deadline: None, nodes }
    }

    /// Stop at `deadline`.
    pub const fn until(deadline: Instant) -> Limits {
        Limits { deadline: Some(deadline), nodes: u64::MAX }
    }

    /// Tell whether `done` nodes or the clock have reached a limit. Reads the clock: about 30 ns, so ask
    /// once every few dozen nodes.
    pub fn reached(&self, done: u64) -> bool {
        done >= self.nodes || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
