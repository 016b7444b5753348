//! How long a search or a solver may work: a number of nodes, a deadline, until a flag is raised.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Limits of one piece of work, counted from its beginning. A node is an iteration of the tree
/// search, a playout of a search without a tree, or a position judged by the solver.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Stop at this point of the monotonic clock.
    pub deadline: Option<Instant>,
    /// Stop after this many nodes.
    pub nodes: u64,
    /// Stop when this is raised.
    pub stop: Option<&'static AtomicBool>,
}

impl Limits {
    /// Never stop.
    pub const NONE: Limits = Limits { deadline: None, nodes: u64::MAX, stop: None };

    /// Stop after `nodes` nodes.
    pub const fn nodes(nodes: u64) -> Limits {
        Limits { nodes, ..Limits::NONE }
    }

    /// Stop at `deadline`.
    pub const fn until(deadline: Instant) -> Limits {
        Limits { deadline: Some(deadline), ..Limits::NONE }
    }

    /// Stop after `nodes` nodes, too.
    #[must_use]
    pub fn at_most(self, nodes: u64) -> Limits {
        Limits { nodes: self.nodes.min(nodes), ..self }
    }

    /// Tell whether `done` nodes or the clock have reached a limit, or the flag is raised. Reads
    /// the clock: about 30 ns, so ask once every few dozen nodes.
    pub fn reached(&self, done: u64) -> bool {
        done >= self.nodes
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Begin to spend these limits by a counter of nodes that stands at `counter` now.
    pub const fn begin(self, counter: u64) -> Budget {
        Budget(Limits { nodes: counter.saturating_add(self.nodes), ..self })
    }
}

/// Limits that several pieces of work share: they all add to one counter of nodes, and stop when it
/// has come to the limits' nodes.
#[derive(Clone, Copy, Debug)]
pub struct Budget(Limits);

impl Budget {
    /// Return what is left for the next piece of work when the counter stands at `counter`.
    pub const fn left(&self, counter: u64) -> Limits {
        Limits { nodes: self.0.nodes.saturating_sub(counter), ..self.0 }
    }

    /// Tell whether nothing is left.
    pub fn is_spent(&self, counter: u64) -> bool {
        self.left(counter).reached(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spent_is_not_left() {
        let budget = Limits::nodes(100).begin(1_000);
        assert_eq!(budget.left(1_030).nodes, 70);
        assert_eq!(budget.left(1_030).at_most(50).nodes, 50);
        assert!(!budget.is_spent(1_099) && budget.is_spent(1_100) && budget.is_spent(2_000));
        assert!(!Limits::NONE.begin(7).is_spent(u64::MAX - 1));
        assert!(Limits::until(Instant::now()).begin(0).is_spent(0));
        static STOP: AtomicBool = AtomicBool::new(false);
        let stopped = Limits { stop: Some(&STOP), ..Limits::NONE }.begin(5);
        assert!(!stopped.is_spent(6));
        STOP.store(true, Ordering::Relaxed);
        assert!(stopped.is_spent(6));
    }
}
