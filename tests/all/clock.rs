//! The time plan: it fits the clock, and the solver gets what it is likely to use.

use std::time::Duration;

use blackhole::player::engine::clock::{
    Plan, QUICK_TO_SOLVE, Share, plan, plan_nodes, solve_chance, solver_part,
};
use blackhole::player::params::Params;

/// The plan's turning point: with at most so many empty cells most positions are solved in time.
const RELIABLE: u32 = 20;

fn time(share: Share) -> Duration {
    match share {
        Share::Time(time) => time,
        Share::Nodes(_) => Duration::ZERO,
    }
}

#[test]
fn a_game_of_full_plans_fits_the_clock() {
    let params = Params::default();
    for total in [0.0, 0.1, 0.2, 1.0, 5.0, 60.0] {
        for first in [31, 30, 21, 20] {
            let mut left = Duration::from_secs_f64(total);
            for empty in (2..=first).rev().step_by(2) {
                let plan = plan(&params, empty, left);
                let used = time(plan.solve) + time(plan.search) + time(plan.refine);
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
    assert!(solve_chance(19, 1.0) > 0.9 && solve_chance(23, 1.0) < 0.6);
}

#[test]
fn the_solver_gets_the_more_the_likelier_it_succeeds() {
    let params = Params::default();
    for exponent in -30..20 {
        let seconds = 10f64.powf(f64::from(exponent) / 10.0);
        for empty in 2..30 {
            let part = solver_part(&params, empty, seconds);
            assert!(part <= f64::from(params.solve_attempt));
            assert!(part >= solver_part(&params, empty + 1, seconds));
            assert!(part <= solve_chance(empty, part * seconds));
        }
        assert_eq!(solver_part(&params, 17, seconds), f64::from(params.solve_attempt));
        assert_eq!(solver_part(&params, params.solve_from + 1, seconds), 0.0);
    }
    assert!(solver_part(&params, 21, 1.0) > 0.0);
    let never = Params { solve_from: 0, ..params };
    assert_eq!(plan(&never, 10, Duration::from_secs(5)).solve, Share::NOTHING);
    assert_eq!(plan_nodes(&never, 10, 1_000).solve, Share::NOTHING);
}

#[test]
fn moves_get_longer_until_the_solver_can_be_relied_on() {
    let params = Params::default();
    for first in [31, 30] {
        let mut left = Duration::from_secs(5);
        let mut last = Duration::ZERO;
        for empty in (2..=first).rev().step_by(2) {
            let plan = plan(&params, empty, left);
            let used = time(plan.solve) + time(plan.search);
            assert_eq!(used > last, empty >= RELIABLE, "{empty} cells: {plan:?}");
            left -= used;
            last = used;
        }
    }
}

#[test]
fn nothing_left_plans_nothing() {
    let plan = plan(&Params::default(), 25, Duration::from_millis(100));
    assert_eq!(plan, Plan { solve: Share::NOTHING, search: Share::NOTHING, refine: Share::NOTHING });
}
