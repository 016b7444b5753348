//! The schedule: the share of the time left for a move, and for each of its parts.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::limits::Limits;
use crate::params::Params;

/// The limits of the parts of one move, each from the move's beginning.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub solve: Limits,
    /// Limits of solver and trees together, and of the trees' questions to the solver.
    pub search: Limits,
    /// Limits of the search for a response; the trees get the rest of `search`.
    pub respond: Limits,
    /// Limits of responding and telling the moves apart in a solved position: nodes, and time from the end of
    /// the solving (`None` when thinking by count).
    tell_apart: (u64, Option<Duration>),
}

impl Plan {
    /// Return the limits of responding and telling the moves apart in a position that is solved now.
    pub fn tell_apart_from_now(&self) -> Limits {
        let (nodes, time) = self.tell_apart;
        Limits { nodes, deadline: time.map(|time| Instant::now() + time), stop: self.respond.stop }
    }

    pub fn stop_when_raised(&mut self, stop: Option<&'static AtomicBool>) {
        for limits in [&mut self.solve, &mut self.search, &mut self.respond] {
            limits.stop = stop;
        }
    }
}

/// Ratio of each move's time to that of the move before, once moves are solved.
const DECLINE: f64 = 0.4;
/// That ratio in the paper's program.
const PAPER_DECLINE: f64 = 0.7;
/// Largest share of the time left for a response, or for telling optimal moves apart.
const MAX_RESPONSE_SHARE: f64 = 0.4;
/// The solver's part of the margin late in the game: a share of the time left, at most these seconds.
const SPARE_SHARE: f64 = 0.125;
const MAX_SPARE_SECONDS: f64 = 0.005;
/// Solver nodes for each iteration when thinking by count.
const NODES_PER_ITERATION: u64 = 16;
/// Nodes for each iteration of a response, with its playouts, and for telling optimal moves apart.
const RESPONSE_NODES_PER_ITERATION: u64 = 100;
/// Empty cells up to which most positions are solved in time.
const RELIABLE_CELLS: u32 = 20;
/// Empty cells up to which positions are solved in milliseconds.
pub const QUICK_TO_SOLVE: u32 = 17;

/// Return the solver's share of a move's time, roughly its chance of finishing: a cell more takes 4.6 times as long.
fn solver_share(params: &Params, empty: u32, seconds: f64) -> f64 {
    let hardness = f64::from(empty) - 21.0 - 1.5 * seconds.max(1e-9).log10();
    let share = (0.6 - 0.15 * hardness).clamp(0.0, 0.6);
    if empty <= params.solve_from {
        share
    } else {
        0.0
    }
}

/// Return the time for all moves from `empty` empty cells on as a multiple of this move's. Each move gets
/// [`Params::growth`] times the time of the move before, since later moves decide more; once positions are
/// solved it gets [`DECLINE`] times that time.
fn moves_left(params: &Params, empty: u32) -> f64 {
    let growing = empty.saturating_sub(RELIABLE_CELLS + 1).div_ceil(2) as i32;
    let growth = |later: i32| f64::from(params.growth).powi(later);
    let decline = if params.paper { PAPER_DECLINE } else { DECLINE };
    (0..growing).map(growth).sum::<f64>() + growth(growing) / (1.0 - decline)
}

/// Plan a move with `empty` empty cells that began at `start` with `remaining` time for this and all later
/// moves, less a margin: if the machine stalls, later moves get less. Only the solver may use a little of the
/// margin late in the game, when a few milliseconds are enough for perfect play.
pub fn plan(params: &Params, empty: u32, start: Instant, remaining: Duration) -> Plan {
    let left = (remaining.as_secs_f64() - f64::from(params.margin)).max(0.0);
    let time = left / moves_left(params, empty);
    let quick = empty <= QUICK_TO_SOLVE.min(params.solve_from);
    let spare = if quick { (remaining.as_secs_f64() * SPARE_SHARE).min(MAX_SPARE_SECONDS) } else { 0.0 };
    let share = time * solver_share(params, empty, time);
    let solve = share.max(spare);
    let respond = (left * MAX_RESPONSE_SHARE).min(left - time).max(0.0);
    let search = solve + time - share;
    let until = |seconds: f64| Limits::until(start + Duration::from_secs_f64(seconds));
    let tell_apart = Duration::from_secs_f64(if params.tell_apart { respond } else { 0.0 });
    let [solve, search, respond] = [solve, search, respond.min(search)].map(until);
    Plan { solve, search, respond, tell_apart: (u64::MAX, Some(tell_apart)) }
}

/// Return the time left for a game with which a move is [planned](plan) to take `time`.
pub fn remaining_for(params: &Params, empty: u32, time: Duration) -> Duration {
    time.mul_f64(moves_left(params, empty)) + Duration::from_secs_f32(params.margin)
}

/// Plan a move of `nodes` iterations. The solver is asked whenever the parameters allow.
pub fn plan_nodes(params: &Params, empty: u32, nodes: u64) -> Plan {
    let respond = nodes.saturating_mul(RESPONSE_NODES_PER_ITERATION);
    let solve = if empty <= params.solve_from { nodes.saturating_mul(NODES_PER_ITERATION) } else { 0 };
    Plan {
        solve: Limits::nodes(solve),
        search: Limits::nodes(nodes),
        respond: Limits::nodes(respond),
        tell_apart: (if params.tell_apart { respond } else { 0 }, None),
    }
}
