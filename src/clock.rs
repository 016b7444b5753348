//! Floor 4: how much of the time left a move may take. The time plan is separate from the search, so
//! that it can be swapped and measured.

use std::time::Duration;

use crate::params::Params;

/// The time one move may take, at most, for each of its parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// For one attempt of the solver.
    pub solve: Duration,
    /// For the tree search, if the solver is not asked or fails.
    pub search: Duration,
    /// For telling apart optimal moves.
    pub trap: Duration,
}

/// Shares of positions that the solver solves within 0.1, 1 and 10 seconds, by the number of empty cells
/// from [`LEAST_MEASURED`] up: measured on games of strong programs, both colours
/// (`cargo bench --bench solver_sweep -- 18 19 20 21`, and `-- --every 6 22 23`). None is larger than with a
/// cell less.
const SOLVED: [[f64; 3]; 6] = [
    [0.87, 1.00, 1.00],
    [0.75, 0.90, 0.98],
    [0.53, 0.72, 0.88],
    [0.28, 0.50, 0.77],
    [0.28, 0.30, 0.50],
    [0.00, 0.20, 0.20],
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

/// The time left is about so many times what an attempt of the solver will have when its turn comes.
pub const SOLVES_LEFT: f64 = 5.0;

/// Return the number of empty cells from which an attempt of the solver is likely enough to succeed
/// ([`Params::solve_chance`]).
fn takeover(params: &Params, left: f64) -> u32 {
    let likely = |&empty: &u32| solve_chance(empty, left / SOLVES_LEFT) >= f64::from(params.solve_chance);
    (0..=params.solve_from).rev().find(likely).unwrap_or(0)
}

/// Plan a move with `empty` empty cells and `remaining` time for it and all later ones.
///
/// The time less a safety margin is shared by the moves until the solver is expected to take over, each
/// counting [`Params::growth`] times the one before, and by the solver, which counts
/// [`Params::solver_share`] such moves. The plan looks only at
/// what is left: when the machine stalls, later moves get less, and with nothing left every part is zero.
/// Only the solver may use a little of the margin late in the game, where a few milliseconds are enough
/// for perfect play.
pub fn plan(params: &Params, empty: u32, remaining: Duration) -> Plan {
    let left = (remaining.as_secs_f64() - f64::from(params.margin)).max(0.0);
    let before_solver = empty.saturating_sub(takeover(params, left)).div_ceil(2);
    let solver = f64::from(params.solver_share);
    let (solve, search) = if before_solver > 0 {
        // This move counts one, each later one `growth` times the one before.
        let weight = |later: u32| f64::from(params.growth).powi(later as i32);
        let searched: f64 = (0..before_solver).map(weight).sum();
        (0.0, left / (searched + solver * weight(before_solver)))
    } else {
        // Moves of our own still to be searched if the solver keeps failing: down to about 15 cells,
        // below which it never does.
        let unsolved = empty.saturating_sub(15).div_ceil(2).max(1);
        let solve = left * f64::from(params.solve_attempt);
        let spare = if empty <= QUICK_TO_SOLVE { (remaining.as_secs_f64() / 8.0).min(0.005) } else { 0.0 };
        (solve.max(spare), (left - solve) / f64::from(unsolved + 1))
    };
    let trap = left * f64::from(params.trap_share);
    let [solve, search, trap] = [solve, search, trap].map(Duration::from_secs_f64);
    Plan { solve, search, trap }
}

/// Positions of at most this many empty cells are solved in milliseconds.
const QUICK_TO_SOLVE: u32 = 17;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_of_full_plans_fits_the_clock() {
        let params = Params::default();
        for total in [0.0, 0.1, 0.2, 1.0, 5.0, 60.0] {
            for first in [31, 30, 21, 20] {
                let mut left = Duration::from_secs_f64(total);
                for empty in (2..=first).rev().step_by(2) {
                    let plan = plan(&params, empty, left);
                    let used = plan.solve + plan.search + plan.trap;
                    assert!(used <= left, "{empty} cells, {left:?} left: {plan:?}");
                    assert!(
                        empty <= QUICK_TO_SOLVE || left - used >= Duration::from_secs_f64(0.15f64.min(total))
                    );
                    left -= used;
                }
                let reserve = f64::from(params.margin).min(total) / 4.0;
                assert!(left.as_secs_f64() >= reserve, "{total}: {left:?} left at the end");
            }
        }
    }

    #[test]
    fn chances_rise_with_time_and_fall_with_cells() {
        for empty in 10..30 {
            for exponent in -40..30 {
                let seconds = 10f64.powf(f64::from(exponent) / 10.0);
                let chance = solve_chance(empty, seconds);
                assert!((0.0..=1.0).contains(&chance));
                assert!(chance <= solve_chance(empty, 1.3 * seconds));
                assert!(chance >= solve_chance(empty + 1, seconds));
            }
        }
        assert_eq!(solve_chance(20, 0.0), 0.0);
        assert_eq!(solve_chance(19, 1.0), SOLVED[1][1]);
    }

    #[test]
    fn more_time_lets_the_solver_take_over_earlier() {
        let params = Params::default();
        let at = |seconds| takeover(&params, seconds);
        assert!(at(0.0) < at(1.0) && at(1.0) < at(60.0), "{} {} {}", at(0.0), at(1.0), at(60.0));
        let never = Params { solve_from: 0, ..params };
        assert_eq!(takeover(&never, 60.0), 0);
    }

    #[test]
    fn nothing_left_plans_nothing() {
        let plan = plan(&Params::default(), 25, Duration::from_millis(100));
        assert_eq!(plan.search, Duration::ZERO);
        assert_eq!(plan.solve, Duration::ZERO);
    }
}
