//! What to play once the value is known: all optimal moves keep it, but not all make it as hard to
//! keep for the opponent.

use std::time::Instant;

use super::clock::Plan;
use super::{reached, Engine, Thoughts, HARD};
use crate::agent::Reason;
use crate::board::Move;
use crate::limits::{Budget, Limits};
use crate::opponent::expectation;
use crate::position::{Position, Score};
use crate::simd::Portable;
use crate::solver::Solution;

/// The share of the likely replies that is looked at, the likeliest first.
const ENOUGH: f32 = 0.99;
/// Mean scores so near each other are the same.
const SAME: f32 = 1e-3;

impl Engine {
    /// Play a solved position: of the optimal moves the one that brings most on average over the
    /// replies that are expected of this opponent, as far as that can be told in the time planned
    /// for it; of equals the one with the best expected score if the rest fell at random. Where
    /// replies are foretold, some of the value [may be staked](Engine::may_stake).
    pub(super) fn play_solved(
        &mut self,
        position: &Position,
        solution: Solution,
        value: Score,
        plan: &Plan,
    ) -> Thoughts {
        let mover = position.to_move();
        let target = reached(mover, value);
        let secured = mover.sign() * value;
        let start = Instant::now();
        if let Some(choice) = self.best_response(position, secured.into(), plan.refine) {
            return Thoughts { solution: Some(solution), ..Thoughts::without_tree(choice, target) };
        }
        let sign = f32::from(mover.sign());
        let expected = |mv| sign * expectation::expected_score(&position.after::<Portable>(mv));
        let mut ranked: Vec<(Move, f32)> = solution.optimal.iter().map(|&mv| (mv, expected(mv))).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        let optimal: Vec<Move> = ranked.into_iter().map(|(mv, _)| mv).collect();
        let best = self.most_on_average(position, secured, &optimal, &plan.refine.since(start).from_now());
        let mv = best.map(|(mv, _)| mv).or(optimal.first().copied()).or(solution.best);
        let mv = mv.expect("a solved position has an optimal move");
        let mut thoughts = Thoughts::plain(mv, Reason::Solved, target, 1.0);
        if !solution.optimal.contains(&mv) {
            thoughts.choice.reason = Reason::Exploiting;
            // What even the best replies leave of the value: a win stays one.
            let staked = self.options.params.staked as Score;
            let kept = (secured - staked).max(secured.min(1));
            thoughts.choice.target = Some(reached(mover, mover.sign() * kept));
        }
        thoughts.solution = Some(solution);
        thoughts
    }

    /// Find the move with the best final score on average over the replies that are expected, if
    /// both play perfectly from there on; `None` when the limits are reached before one is known.
    /// The optimal moves, which keep `value` for the player to move, come first, the best ranked
    /// ahead; others only where something may be staked.
    fn most_on_average(
        &mut self,
        position: &Position,
        value: Score,
        optimal: &[Move],
        limits: &Limits,
    ) -> Option<(Move, f32)> {
        let budget = limits.begin(self.solver.nodes());
        let stakes = self.may_stake();
        if optimal.len() < 2 && !stakes {
            return None;
        }
        let hand = position.hand(position.to_move());
        let mut others = expectation::chances(position, hand, 1.0);
        others.retain(|(mv, _)| stakes && !optimal.contains(mv));
        others.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut best: Option<(Move, f32)> = None;
        for mv in optimal.iter().copied().chain(others.into_iter().map(|(mv, _)| mv)) {
            if budget.is_spent(self.solver.nodes()) {
                break;
            }
            let next = position.after::<Portable>(mv);
            let sure = if optimal.contains(&mv) { Some(value) } else { self.sure(&next, value, &budget) };
            let Some(mean) = sure.and_then(|sure| self.mean(&next, sure, value, &budget)) else { break };
            if mean > best.map_or(f32::MIN, |(_, most)| most) + SAME {
                best = Some((mv, mean));
            }
        }
        best
    }

    /// Return the final score that best play leaves the player who has just moved to `position`,
    /// where `value` could have been had; `None` when the budget is spent first.
    fn sure(&mut self, position: &Position, value: Score, budget: &Budget) -> Option<Score> {
        let sign = position.to_move().opponent().sign();
        let left = budget.left(self.solver.nodes());
        Some(sign * self.solver.value(position, sign * value, &left).exact()?)
    }

    /// Return the mean final score for the player who has just moved to `position`, to whom it
    /// leaves `sure` after the best replies, over the replies that are expected; the worst of all if
    /// the move stakes too much of the `value` that could have been had. What takes more than
    /// [`HARD`] nodes to find out counts as sure: an error that is hard to punish is none. `None`
    /// when the budget is spent first.
    fn mean(&mut self, position: &Position, sure: Score, value: Score, budget: &Budget) -> Option<f32> {
        let params = &self.options.params;
        if i32::from(sure) + (params.staked as i32) < i32::from(value) || value > 0 && sure <= 0 {
            return Some(f32::MIN);
        }
        let us = position.to_move().opponent();
        let (mut gain, mut rest) = (0.0, 1.0);
        for (reply, chance) in self.opponent.replies(position, reached(us, us.sign() * (sure + 1)), params) {
            if rest <= 1.0 - ENOUGH {
                break;
            }
            let left = budget.left(self.solver.nodes());
            let next = position.after::<Portable>(reply);
            let after = self.solver.value(&next, us.sign() * sure, &left.at_most(HARD)).exact();
            match after {
                Some(after) => gain += chance * f32::from(us.sign() * after - sure),
                None if left.nodes <= HARD || left.reached(0) => return None,
                None => {}
            }
            rest -= chance;
        }
        Some(f32::from(sure) + gain)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::engine::Options;
    use crate::opponent::{Kind, Opponent};
    use crate::params::Params;
    use crate::solver::Solver;
    use crate::testing::{random_play, rng};

    /// The chosen move has the best mean over all replies of all moves by brute force; no win and
    /// not too much of the value is staked, and nothing on a stranger.
    #[test]
    fn of_likely_replies_the_best_is_made() {
        let (mut rng, mut solver) = (rng(8), Solver::default());
        let (mut staked, mut better, mut wins_kept, mut told_apart) = (0, 0, 0, 0);
        let params = Params::default();
        for game in 0..400 {
            let position = random_play(&mut rng, 6 + game % 3);
            let mut engine = Engine::new(Options { nodes: Some(100_000), ..Options::default() });
            let known = game % 2 == 0;
            engine.opponent = if known { Opponent::of(Kind::Follows(8.0)) } else { Opponent::default() };
            let us = position.to_move();
            let sign = us.sign();
            let mut exact = |position: &Position| {
                sign * solver.value(position, 0, &Limits::NONE).exact().expect("no limit")
            };
            let value = exact(&position);
            let mut means: Vec<(Move, Score, f32)> = Vec::new();
            for mv in position.legal_moves() {
                let next = position.after::<Portable>(mv);
                let sure = exact(&next);
                let replies = engine.opponent.replies(&next, reached(us, sign * (sure + 1)), &params);
                let gains = replies
                    .into_iter()
                    .map(|(reply, chance)| chance * f32::from(exact(&next.after::<Portable>(reply)) - sure));
                means.push((mv, sure, f32::from(sure) + gains.sum::<f32>()));
            }
            let optimal: Vec<Move> =
                means.iter().filter(|&&(_, sure, _)| sure == value).map(|&(mv, ..)| mv).collect();
            let Some((mv, mean)) = engine.most_on_average(&position, value, &optimal, &Limits::NONE) else {
                assert!(!known && optimal.len() < 2, "{position:?}");
                continue;
            };
            let &(_, sure, of_mv) = means.iter().find(|&&(other, ..)| other == mv).expect("legal");
            let allowed = |sure: Score| {
                sure == value || known && sure + params.staked as Score >= value && (value <= 0 || sure > 0)
            };
            let most = means.iter().filter(|&&(_, sure, _)| allowed(sure)).map(|&(.., mean)| mean);
            let most = most.fold(f32::MIN, f32::max);
            assert!(allowed(sure), "{mv} in {position:?}");
            assert!((mean - of_mv).abs() < 0.15 && of_mv > most - 0.15, "{mean}, {most}: {position:?}");
            staked += u32::from(sure < value);
            wins_kept += u32::from(known && value > 0 && means.iter().any(|it| it.1 <= 0 && it.2 > most));
            better += u32::from(known && mean > f32::from(value) + 0.5);
            let least = means.iter().filter(|it| it.1 == value).map(|it| it.2).fold(f32::MAX, f32::min);
            told_apart += u32::from(!known && of_mv > least + 0.3);
            if !known {
                // The engine plays the best of those that the solver lists.
                let thoughts = engine.think(&position, Duration::from_secs(1));
                let listed = thoughts.solution.expect("solved").optimal;
                let mean_of = |mv: &Move| means.iter().find(|it| it.0 == *mv).expect("legal").2;
                let most = listed.iter().map(mean_of).fold(f32::MIN, f32::max);
                let (played, mean) = (thoughts.choice.mv, mean_of(&thoughts.choice.mv));
                assert!(listed.contains(&played) && mean > most - 0.15, "{played} in {position:?}");
            }
            let none = Limits::nodes(0);
            assert_eq!(engine.most_on_average(&position, value, &optimal, &none), None);
        }
        assert!(staked > 1 && better > 10 && told_apart > 10, "{staked}, {better}, {told_apart}");
        assert!(wins_kept > 0, "{wins_kept}");
    }

    #[test]
    fn without_time_for_it_the_best_expected_score_decides() {
        let params = Params { refine_share: 0.0, ..Default::default() };
        let mut engine = Engine::new(Options { params, nodes: Some(100_000), ..Options::default() });
        let (mut rng, mut several) = (rng(9), 0);
        for game in 0..40 {
            let position = random_play(&mut rng, 8 + game % 3);
            let thoughts = engine.think(&position, Duration::from_secs(1));
            let expected = |mv| {
                f32::from(position.to_move().sign())
                    * expectation::expected_score(&position.after::<Portable>(mv))
            };
            let optimal = thoughts.solution.expect("solved").optimal;
            several += u32::from(optimal.len() > 1);
            assert!(optimal.iter().all(|&mv| expected(mv) <= expected(thoughts.choice.mv)), "{position:?}");
        }
        assert!(several > 20, "{several}");
    }

    #[test]
    fn a_solver_without_a_part_of_the_time_is_not_asked() {
        let off = Params { solve_from: 0, ..Params::default() };
        let no_part = Params { solve_attempt: 0.0, ..Params::default() };
        for (params, nodes) in [(off.clone(), None), (off, Some(300)), (no_part, Some(300))] {
            let mut engine = Engine::new(Options { params, nodes, ..Options::default() });
            let thoughts = engine.think(&random_play(&mut rng(2), 9), Duration::from_millis(300));
            assert!(thoughts.solution.is_none());
        }
    }
}
