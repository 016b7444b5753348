//! Limits of a search or a solver: a number of nodes, a deadline, a flag that ends the work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Limits of one piece of work, counted from its beginning. A node is an iteration of the tree
/// search, a playout of a search without a tree, or a position judged by the solver.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub deadline: Option<Instant>,
    pub nodes: u64,
    pub stop: Option<&'static AtomicBool>,
}

impl Limits {
    pub const NONE: Limits = Limits { deadline: None, nodes: u64::MAX, stop: None };

    pub const fn nodes(nodes: u64) -> Limits {
        Limits { nodes, ..Limits::NONE }
    }

    pub const fn until(deadline: Instant) -> Limits {
        Limits { deadline: Some(deadline), ..Limits::NONE }
    }

    /// Stop after `nodes` nodes, too.
    #[must_use]
    pub fn at_most(self, nodes: u64) -> Limits {
        Limits { nodes: self.nodes.min(nodes), ..self }
    }

    /// Tell whether a limit is reached after `done` nodes. A look takes 30 ns: ask once every few dozen nodes.
    pub fn reached(&self, done: u64) -> bool {
        done >= self.nodes
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Return the rest after `done` nodes.
    #[must_use]
    pub fn after(self, done: u64) -> Limits {
        Limits { nodes: self.nodes.saturating_sub(done), ..self }
    }

    /// Return the first part of these limits, of work that begins at `start`; `share` is 0..=1.
    #[must_use]
    pub fn part(self, share: f32, start: Instant) -> Limits {
        let part = |deadline: Instant| start + deadline.saturating_duration_since(start).mul_f32(share);
        let nodes =
            if self.nodes == u64::MAX { u64::MAX } else { (self.nodes as f64 * f64::from(share)) as u64 };
        Limits { deadline: self.deadline.map(part), nodes, ..self }
    }

    /// Tell whether less than `least` of the time is left, or a limit is reached.
    pub fn leaves_less_than(&self, least: Duration) -> bool {
        self.reached(0) || self.deadline.is_some_and(|deadline| deadline < Instant::now() + least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_shrink_by_the_work_done_and_end_with_it() {
        let limits = Limits::nodes(100);
        assert_eq!(limits.after(30).nodes, 70);
        assert_eq!(limits.after(30).at_most(50).nodes, 50);
        assert!(
            !limits.after(99).reached(0) && limits.after(100).reached(0) && limits.after(2_000).reached(0)
        );
        assert!(!Limits::NONE.after(7).reached(u64::MAX - 8));
        let now = Instant::now();
        let second = Duration::from_secs(1);
        assert!(Limits::until(now).leaves_less_than(Duration::ZERO) && !limits.leaves_less_than(second));
        assert!(Limits::until(now + 5 * second).leaves_less_than(9 * second));
        let half = Limits { nodes: 11, ..Limits::until(now + 2 * second) }.part(0.5, now);
        assert_eq!((half.nodes, half.deadline), (5, Some(now + second)));
        static STOP: AtomicBool = AtomicBool::new(false);
        let stopped = Limits { stop: Some(&STOP), ..Limits::NONE };
        assert!(!stopped.reached(6));
        STOP.store(true, Ordering::Relaxed);
        assert!(stopped.reached(6));
    }
}
