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

/// Plan a move with `empty` empty cells and `remaining` time for it and all later ones.
///
/// The time less a safety margin is shared by the moves until the solver is expected to take over, each
/// counting one, and by the solver, which counts [`Params::solver_share`] moves. The plan looks only at
/// what is left: when the machine stalls, later moves get less, and with nothing left every part is zero.
/// Only the solver may use a little of the margin late in the game, where a few milliseconds are enough
/// for perfect play.
pub fn plan(params: &Params, empty: u32, remaining: Duration) -> Plan {
    let left = (remaining.as_secs_f64() - f64::from(params.margin)).max(0.0);
    let before_solver = empty.saturating_sub(params.solve_from).div_ceil(2);
    let solver = f64::from(params.solver_share);
    let (solve, search) = if before_solver > 0 {
        (0.0, left / (f64::from(before_solver) + solver))
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
    fn nothing_left_plans_nothing() {
        let plan = plan(&Params::default(), 25, Duration::from_millis(100));
        assert_eq!(plan.search, Duration::ZERO);
        assert_eq!(plan.solve, Duration::ZERO);
    }
}
