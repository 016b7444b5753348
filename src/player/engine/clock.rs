//! The schedule: how much of the time left a move may take. It is separate from the search, so that
//! it can be swapped and measured.

use std::time::{Duration, Instant};

use crate::limits::Limits;
use crate::params::Params;

/// What one move may take, at most, from its beginning.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    begun: Instant,
    /// For the solver, which is tried first.
    pub solve: Limits,
    /// For the tree search and what comes before it.
    pub search: Limits,
    /// For a response to foretold replies, or for choosing among solved moves.
    pub refine: Limits,
}

impl Plan {
    /// Return the limits of choosing among solved moves, counted from now.
    pub fn refine_from_now(&self) -> Limits {
        let deadline = self.refine.deadline.map(|deadline| deadline + self.begun.elapsed());
        Limits { deadline, ..self.refine }
    }
}

/// How much longer each move takes than the one before, as a factor, once moves are solved.
const DECLINE: f64 = 0.4;
/// The same in the paper's program.
const PAPER_DECLINE: f64 = 0.7;
/// Share of the time left that may tell optimal moves apart.
const REFINE_SHARE: f64 = 0.4;
/// Share of the time left that late moves may take of the margin for the solver, and the most seconds.
const SPARE: (f64, f64) = (0.125, 0.005);
/// Solver nodes for each iteration when thinking by count.
const NODES_PER_ITERATION: u64 = 16;
/// Solver nodes for each iteration when choosing among equally good moves by count.
const REFINING_NODES_PER_ITERATION: u64 = 100;
/// Solver nodes for one question when telling moves apart.
pub const HARD: u64 = 300_000;
/// With at most so many empty cells most positions are solved in time.
const RELIABLE: u32 = 20;
/// Positions of at most this many empty cells are solved in milliseconds.
pub const QUICK_TO_SOLVE: u32 = 17;

/// Return the share that the solver has of a move of so many seconds, about its chance to succeed in
/// it: a cell more costs as much as two thirds of a power of ten in time.
fn solver_share(params: &Params, empty: u32, seconds: f64) -> f64 {
    let hardness = f64::from(empty) - 21.0 - 1.5 * seconds.max(1e-9).log10();
    let share = (0.6 - 0.15 * hardness).clamp(0.0, 0.6);
    if empty <= params.solve_from {
        share
    } else {
        0.0
    }
}

/// Return the time for all moves from `empty` empty cells on as a multiple of this move's.
///
/// Each of our moves counts [`Params::growth`] times the one before, as errors grow likelier the
/// more the stones left decide, until the solver can be relied on; from there on each counts
/// [`DECLINE`] times the one before, as all are solved if one is.
fn weights(params: &Params, empty: u32) -> f64 {
    let growing = empty.saturating_sub(RELIABLE + 1).div_ceil(2) as i32;
    let growth = |later: i32| f64::from(params.growth).powi(later);
    let decline = if params.paper { PAPER_DECLINE } else { DECLINE };
    (0..growing).map(growth).sum::<f64>() + growth(growing) / (1.0 - decline)
}

/// Plan a move with `empty` empty cells that began at `start` with `remaining` time for it and all
/// later ones.
///
/// The plan looks only at what is left, less a safety margin: when the machine stalls, later moves
/// get less, and with nothing left every part is over at once. Only the solver may use a little of
/// the margin late in the game, where a few milliseconds are enough for perfect play.
pub fn plan(params: &Params, empty: u32, start: Instant, remaining: Duration) -> Plan {
    let left = (remaining.as_secs_f64() - f64::from(params.margin)).max(0.0);
    let time = left / weights(params, empty);
    let quick = empty <= QUICK_TO_SOLVE.min(params.solve_from);
    let spare = if quick { (remaining.as_secs_f64() * SPARE.0).min(SPARE.1) } else { 0.0 };
    let share = time * solver_share(params, empty, time);
    let solve = share.max(spare);
    let refine = if params.refine { (left * REFINE_SHARE).min(left - time) } else { 0.0 };
    let [solve, search, refine] = [solve, solve + time - share, refine]
        .map(|seconds| Limits::until(start + Duration::from_secs_f64(seconds)));
    Plan { begun: start, solve, search, refine }
}

/// Return the time left for a game with which a move is [planned](plan) to take `time`.
pub fn remaining_for(params: &Params, empty: u32, time: Duration) -> Duration {
    time.mul_f64(weights(params, empty)) + Duration::from_secs_f32(params.margin)
}

/// Plan a move of `nodes` iterations that began at `start`. The solver is asked whenever the parameters allow.
pub fn plan_nodes(params: &Params, empty: u32, start: Instant, nodes: u64) -> Plan {
    let times =
        |wanted: bool, factor: u64| Limits::nodes(if wanted { nodes.saturating_mul(factor) } else { 0 });
    Plan {
        begun: start,
        solve: times(empty <= params.solve_from, NODES_PER_ITERATION),
        search: Limits::nodes(nodes),
        refine: times(params.refine, REFINING_NODES_PER_ITERATION),
    }
}
