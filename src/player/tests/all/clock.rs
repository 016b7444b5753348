//! The schedule: it fits the clock.

use crate::prelude::*;
use blackhole_player::engine::clock::{plan, plan_nodes, remaining_for, QUICK_TO_SOLVE};

/// Plan a move; return the time until each of its parts is over: solving, searching, telling apart.
fn times(params: &Params, empty: u32, left: Duration) -> [Duration; 3] {
    let start = Instant::now();
    let plan = plan(params, empty, start, left);
    let tell_apart = plan.tell_apart_from_now().deadline.expect("a deadline") - Instant::now();
    let [solve, search] = [plan.solve, plan.search].map(|it| it.deadline.expect("a deadline") - start);
    [solve, search, tell_apart]
}

/// Ours and the paper's, whose moves get shorter more slowly.
#[test]
fn a_game_of_full_plans_fits_the_clock() {
    for params in [Params::default(), Params { paper: true, growth: 1.0, ..Params::default() }] {
        for total in [0.0, 0.1, 0.2, 1.0, 5.0, 60.0] {
            for first in [31, 30, 21, 20] {
                let mut left = Duration::from_secs_f64(total);
                for empty in (2..=first).rev().step_by(2) {
                    let [solve, search, tell_apart] = times(&params, empty, left);
                    assert!(solve <= search, "{empty} cells, {left:?} left");
                    let used = search + tell_apart;
                    assert!(used <= left, "{empty} cells, {left:?} left: {used:?}");
                    let margin = Duration::from_secs_f64(0.15f64.min(total));
                    assert!(empty <= QUICK_TO_SOLVE || left - used >= margin);
                    left -= used;
                }
                let reserve = f64::from(params.margin).min(total) / 4.0;
                assert!(left.as_secs_f64() >= reserve, "{total}: {left:?} left at the end");
            }
        }
    }
}

#[test]
fn moves_get_longer_until_the_solver_can_be_relied_on() {
    let params = Params::default();
    for first in [31, 30] {
        let (mut left, mut last) = (Duration::from_secs(5), Duration::ZERO);
        for empty in (2..=first).rev().step_by(2) {
            let [_, used, _] = times(&params, empty, left);
            assert_eq!(used > last, empty >= 20, "{empty} cells: {used:?} after {last:?}");
            (left, last) = (left - used, used);
        }
    }
}

#[test]
fn the_solver_gets_less_at_low_chances_and_nothing_above_its_cells() {
    let params = Params::default();
    let share = |empty, seconds| {
        let left = remaining_for(&params, empty, Duration::from_secs_f64(seconds));
        let [solve, search, _] = times(&params, empty, left);
        solve.as_secs_f64() / search.as_secs_f64()
    };
    for seconds in [0.1, 0.3, 1.0, 10.0] {
        assert!((2..35).all(|empty| share(empty + 1, seconds) <= share(empty, seconds) + 1e-6));
        assert!((18..35).all(|empty| share(empty, seconds / 2.0) <= share(empty, seconds) + 1e-6));
        assert!((share(18, seconds) - 0.6).abs() < 1e-3 && share(params.solve_from + 1, seconds) == 0.0);
    }
    assert!((0.2..0.4).contains(&share(23, 1.0)));
    let never = Params { solve_from: 0, ..params };
    let unasked = plan_nodes(&never, 10, 9).solve.nodes;
    assert_eq!((times(&never, 10, Duration::from_secs(5))[0], unasked), (Duration::ZERO, 0));
}

#[test]
fn no_time_left_plans_no_time_and_a_move_time_is_planned_whole() {
    let params = Params::default();
    assert_eq!(times(&params, 25, Duration::from_millis(100)), [Duration::ZERO; 3]);
    for (empty, wanted) in [(31, 0.4), (22, 2.0), (18, 0.01)] {
        let wanted = Duration::from_secs_f64(wanted);
        let [_, search, _] = times(&params, empty, remaining_for(&params, empty, wanted));
        assert!(search.abs_diff(wanted) < Duration::from_micros(10), "{search:?} for {wanted:?}");
    }
}
