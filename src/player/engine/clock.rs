//! How much of the time left a move may take. The time plan is separate from the search, so that it
//! can be swapped and measured.

use std::time::{Duration, Instant};

use crate::limits::Limits;
use crate::params::Params;

/// What one part of a move may take, counted from when that part begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Share {
    /// So much time.
    Time(Duration),
    /// So many nodes.
    Nodes(u64),
}

impl Share {
    /// Nothing at all.
    pub const NOTHING: Share = Share::Nodes(0);

    /// Return the limits of a part that begins now.
    pub fn from_now(self) -> Limits {
        match self {
            Share::Time(time) => Limits::until(Instant::now() + time),
            Share::Nodes(nodes) => Limits::nodes(nodes),
        }
    }

    /// Return the share of the time that passed since `start` as well.
    #[must_use]
    pub fn since(self, start: Instant) -> Share {
        match self {
            Share::Time(time) => Share::Time(time.saturating_sub(start.elapsed())),
            Share::Nodes(_) => self,
        }
    }

    /// Return this share, or the other one where that is less time.
    #[must_use]
    pub fn at_most(self, other: Share) -> Share {
        match (self, other) {
            (Share::Time(own), Share::Time(other)) => Share::Time(own.min(other)),
            _ => self,
        }
    }

    /// Tell whether it is nothing or less than a time.
    pub fn is_less_than(self, least: Duration) -> bool {
        matches!(self, Share::Time(time) if time < least) || self == Share::NOTHING
    }

    /// Make a share of seconds.
    fn seconds(seconds: f64) -> Share {
        if seconds > 0.0 {
            Share::Time(Duration::from_secs_f64(seconds))
        } else {
            Share::NOTHING
        }
    }
}

/// What one move may take, at most, for each of its parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// For one attempt of the solver.
    pub solve: Share,
    /// For the tree search, if the solver is not asked or fails.
    pub search: Share,
    /// For choosing among moves that are equally good for the goal.
    pub refine: Share,
}

impl Plan {
    /// Return what the move may take without refining.
    pub fn solve_and_search(&self) -> Share {
        match (self.solve, self.search) {
            (Share::Time(solve), Share::Time(search)) => Share::Time(solve + search),
            (_, search) => search,
        }
    }
}

/// Shares of positions that the solver solves within 0.1, 1 and 10 seconds, by the number of empty
/// cells from [`LEAST_MEASURED`] up, as benches/README.md says. None is larger than with a cell
/// less.
const SOLVED: [[f64; 3]; 8] = [
    [0.98, 1.00, 1.00],
    [0.88, 0.98, 1.00],
    [0.72, 0.92, 0.98],
    [0.52, 0.80, 0.92],
    [0.33, 0.60, 0.77],
    [0.27, 0.40, 0.53],
    [0.10, 0.23, 0.37],
    [0.00, 0.00, 0.30],
];

/// The fewest empty cells in [`SOLVED`]; below, nearly all positions are solved in milliseconds.
const LEAST_MEASURED: u32 = 18;

/// Estimate the chance (0..=1) that a position with `empty` empty cells is solved within `seconds`:
/// the measured shares, interpolated in the logarithm of the time.
pub fn solve_chance(empty: u32, seconds: f64) -> f64 {
    let Some(row) = empty.checked_sub(LEAST_MEASURED) else { return 1.0 };
    let Some(shares) = SOLVED.get(row as usize) else { return 0.0 };
    // 0, 1, 2 at 0.1, 1 and 10 seconds.
    let place = seconds.max(1e-9).log10() + 1.0;
    match place {
        p if p < 0.0 => shares[0] * (1.0 + p / 2.0).max(0.0),
        p if p < 1.0 => shares[0] + (shares[1] - shares[0]) * p,
        p if p < 2.0 => shares[1] + (shares[2] - shares[1]) * (p - 1.0),
        _ => shares[2],
    }
}

/// Return the part of `seconds` that the solver should have of a move with `empty` empty cells: the
/// largest that is no larger than [`Params::solve_attempt`], nor than the chance to succeed in it.
pub fn solver_part(params: &Params, empty: u32, seconds: f64) -> f64 {
    if empty > params.solve_from {
        return 0.0;
    }
    let pays = |&part: &f64| part <= solve_chance(empty, part * seconds);
    let mut parts =
        (1..=PARTS).rev().map(|n| f64::from(n) / f64::from(PARTS) * f64::from(params.solve_attempt));
    parts.find(pays).unwrap_or(0.0)
}

/// The parts of [`solver_part`] are so many.
const PARTS: u32 = 6;

/// Plan a move with `empty` empty cells and `remaining` time for it and all later ones.
///
/// The time less a safety margin is shared by our moves. Each counts [`Params::growth`] times the
/// one before, as errors grow likelier the more the stones left decide, until the solver can be
/// relied on; from there on each counts [`Params::decline`] times the one before, as all are solved
/// if one is. The solver is tried first, for a [part](solver_part) of the move's time, and the
/// search has the rest. The plan looks only at what is left: when the machine stalls, later moves
/// get less, and with nothing left every part is zero. Only the solver may use a little of the
/// margin late in the game, where a few milliseconds are enough for perfect play.
pub fn plan(params: &Params, empty: u32, remaining: Duration) -> Plan {
    let left = (remaining.as_secs_f64() - f64::from(params.margin)).max(0.0);
    let growing = empty.saturating_sub(RELIABLE + 1).div_ceil(2) as i32;
    let growth = |later: i32| f64::from(params.growth).powi(later);
    let weights = (0..growing).map(growth).sum::<f64>() + growth(growing) / (1.0 - f64::from(params.decline));
    let time = left / weights;
    let solve = time * solver_part(params, empty, time);
    let quick = empty <= QUICK_TO_SOLVE.min(params.solve_from);
    let spare = if quick { (remaining.as_secs_f64() / 8.0).min(0.005) } else { 0.0 };
    let refine = (left * f64::from(params.refine_share)).min(left - time);
    let [solve, search, refine] = [solve.max(spare), time - solve, refine].map(Share::seconds);
    Plan { solve, search, refine }
}

/// Plan a move of `nodes` iterations. The solver is asked whenever the parameters allow.
pub fn plan_nodes(params: &Params, empty: u32, nodes: u64) -> Plan {
    let times = |wanted: bool, factor: u64| {
        if wanted {
            Share::Nodes(nodes.saturating_mul(factor))
        } else {
            Share::NOTHING
        }
    };
    Plan {
        solve: times(empty <= params.solve_from && params.solve_attempt > 0.0, NODES_PER_ITERATION),
        search: Share::Nodes(nodes),
        refine: times(params.refine_share > 0.0, REFINING_NODES_PER_ITERATION),
    }
}

/// Solver nodes for each iteration when thinking by count.
const NODES_PER_ITERATION: u64 = 16;

/// Solver nodes for each iteration when choosing among equally good moves by count.
const REFINING_NODES_PER_ITERATION: u64 = 100;

/// With at most so many empty cells most positions are solved in time.
const RELIABLE: u32 = 20;

/// Positions of at most this many empty cells are solved in milliseconds.
pub const QUICK_TO_SOLVE: u32 = 17;
