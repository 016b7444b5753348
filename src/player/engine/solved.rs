//! What to play once the value is known: all optimal moves keep it, but not all make it as hard to
//! keep for the opponent.

use super::clock::Plan;
use super::{Engine, HARD, Thoughts, reached};
use crate::player::agent::Reason;
use crate::player::alpha::Target;
use crate::player::board::{Move, Player};
use crate::player::limits::{Budget, Limits};
use crate::player::opponent::{expectation, plausible_replies};
use crate::player::position::{Position, Score};
use crate::player::search::ReplyModel;
use crate::player::simd::Portable;
use crate::player::solver::Solution;

/// The share of the likely replies that is looked at, the likeliest first.
const ENOUGH: f32 = 0.99;
/// The most points of the exact value that are staked on modelled replies.
const STAKED: Score = 2;
/// Mean scores so near each other are the same.
const SAME: f32 = 1e-3;

impl Engine {
    /// Play a solved position: of the optimal moves the one that the opponent is most likely to
    /// answer with an error, as far as that can be told in the time planned for it; of equals the
    /// one with the best expected score if the rest fell at random. Against a weak opponent an
    /// [exploiting move](Engine::exploiting_move), or one [against likely
    /// replies](Engine::move_against_model).
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
        if let Some(mv) = self.move_against_follower(position, secured.into(), plan.refine) {
            let thoughts = Thoughts::plain(mv, Reason::Exploiting, target, 0.5);
            return Thoughts { solution: Some(solution), ..thoughts };
        }
        let limits = plan.refine.from_now();
        let sign = f32::from(mover.sign());
        let expected = |mv| sign * expectation::expected_score(&position.after::<Portable>(mv));
        let mut ranked: Vec<(Move, f32)> = solution.optimal.iter().map(|&mv| (mv, expected(mv))).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        let random = self.opponent.may_move_at_random(&self.options.params);
        let best = if random {
            self.exploiting_move(position, value, &limits)
        } else if let Some(model) = self.opponent.model(&self.options.params) {
            self.move_against_model(position, value, model, &ranked, &limits)
        } else {
            self.move_likeliest_to_err(position, value, &ranked, &limits)
        };
        let best = best.map(|(mv, _)| mv);
        let mv = best.or(ranked.first().map(|&(mv, _)| mv)).or(solution.best);
        let mv = mv.expect("a solved position has an optimal move");
        let mut thoughts = Thoughts::plain(mv, Reason::Solved, target, 1.0);
        if best.is_some() && (random || !solution.optimal.contains(&mv)) {
            thoughts.choice.reason = Reason::Exploiting;
            // What even the best replies leave of the value: a win stays one.
            let kept = if random { 1 } else { (secured - STAKED).max(secured.min(1)) };
            thoughts.choice.target = Some(reached(mover, mover.sign() * kept));
        }
        thoughts.solution = Some(solution);
        thoughts
    }

    /// Find the optimal move that the opponent is most likely to answer with an error, as far as
    /// the limits allow, with that chance; of equals the first.
    fn move_likeliest_to_err(
        &mut self,
        position: &Position,
        value: Score,
        optimal: &[(Move, f32)],
        limits: &Limits,
    ) -> Option<(Move, f32)> {
        let budget = limits.begin(self.solver.nodes());
        let mut best: Option<(Move, f32)> = None;
        for &(mv, _) in optimal.iter().filter(|_| optimal.len() > 1) {
            let most = best.map_or(-1.0, |(_, most)| most);
            let Some(error) = self.error_chance(&position.after::<Portable>(mv), value, most, &budget) else {
                break;
            };
            if error > most {
                best = Some((mv, error));
            }
        }
        best
    }

    /// Find the move with the best final score, on average over the replies that a model of the
    /// opponent foretells, if both play perfectly from there on. A reply that is not modelled is
    /// the best one. Up to [`STAKED`] points of the value may be staked, but no win. The optimal
    /// moves, `ranked`, come first; `None` when the limits are reached before one is known.
    fn move_against_model(
        &mut self,
        position: &Position,
        value: Score,
        model: ReplyModel,
        ranked: &[(Move, f32)],
        limits: &Limits,
    ) -> Option<(Move, f32)> {
        let sign = position.to_move().sign();
        let budget = limits.begin(self.solver.nodes());
        let optimal = |mv: &Move| ranked.iter().any(|(other, _)| other == mv);
        let likely = expectation::chances(position, 1.0).into_iter().map(|(mv, _)| mv);
        let others: Vec<Move> = likely.filter(|mv| !optimal(mv)).collect();
        let mut best: Option<(Move, f32)> = None;
        for mv in ranked.iter().map(|&(mv, _)| mv).chain(others) {
            let next = position.after::<Portable>(mv);
            let Some(mean) = self.mean_against_model(&next, sign * value, model, &budget) else { break };
            if mean > best.map_or(f32::MIN, |(_, most)| most) + SAME {
                best = Some((mv, mean));
            }
        }
        best
    }

    /// Return the mean final score for the player who has just moved to `position`, if the reply is
    /// modelled by a model; the worst of all if the move stakes too much of the `value` it could
    /// have had. `None` when the budget is spent first.
    fn mean_against_model(
        &mut self,
        position: &Position,
        value: Score,
        model: ReplyModel,
        budget: &Budget,
    ) -> Option<f32> {
        let sign = position.to_move().opponent().sign();
        let mut exact = |position: &Position| {
            let left = budget.left(self.solver.nodes());
            Some(sign * self.solver.value(position, sign * value, &left).exact()?)
        };
        let sure = exact(position)?;
        if sure + STAKED < value || value > 0 && sure <= 0 {
            return Some(f32::MIN);
        }
        let (mut sum, mut rest) = (0.0, 1.0);
        for (reply, chance) in expectation::chances(position, model.sharpness) {
            if rest <= 1.0 - ENOUGH {
                break;
            }
            sum += chance * f32::from(exact(&position.after::<Portable>(reply))?);
            rest -= chance;
        }
        let modelled = sum + rest * f32::from(sure);
        Some(model.share * modelled + (1.0 - model.share) * f32::from(sure))
    }

    /// Estimate how likely the opponent is to err in `position`: the share of its reasonable
    /// replies after which the value is better for us than `value`, each reply counted by how good
    /// it looks. A share that cannot be more than `most` is not looked at further: what is returned
    /// then is no more than that. A reply that takes more than [`HARD`] nodes counts for sound: an
    /// error may be hard to punish, then. `None` when the budget is spent first.
    fn error_chance(&mut self, position: &Position, value: Score, most: f32, budget: &Budget) -> Option<f32> {
        let replier = position.to_move();
        let us = replier.opponent();
        // "Better than value" as a target: Red reaches value + 1; Blue keeps Red below value.
        let better = Target::new(i32::from(value) + i32::from(us == Player::Red));
        let mut replies = plausible_replies(position, better);
        let all: f32 = replies.iter().map(|&(_, weight)| weight).sum();
        replies.sort_by(|a, b| b.1.total_cmp(&a.1));
        let (mut losing, mut rest) = (0.0, all);
        for (mv, weight) in replies {
            if rest <= (1.0 - ENOUGH) * all || losing + rest <= most * all {
                break;
            }
            let left = budget.left(self.solver.nodes());
            match self.solver.reaches(&position.after::<Portable>(mv), better, &left.at_most(HARD)) {
                Some(red) if red == (us == Player::Red) => losing += weight,
                None if left.nodes <= HARD || left.reached(0) => return None,
                _ => {}
            }
            rest -= weight;
        }
        Some(if all > 0.0 { losing / all } else { 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::player::board::Cell;
    use crate::player::engine::Options;
    use crate::player::params::Params;
    use crate::player::rng::{Random, scaled};
    use crate::player::solver::Solver;

    /// Show a position of some empty cells from each of seeded random games.
    fn late_positions(games: u32, show: impl FnMut(&Position)) {
        positions(games, 8, show);
    }

    /// Show a position of `least` to two more empty cells from each of seeded random games.
    fn positions(games: u32, least: u32, mut show: impl FnMut(&Position)) {
        let mut random = Random::new(8);
        for game in 0..games {
            let blocked = (0..5).map(|n| Cell::from_ordinal(7 * n + game as usize % 7).unwrap()).collect();
            let mut position = Position::codecup(blocked).unwrap();
            while position.empty().len() > least + game % 3 {
                let moves: Vec<Move> = position.legal_moves().collect();
                position.play::<Portable>(moves[scaled(random.bits() as u32, moves.len() as u32) as usize]);
            }
            show(&position);
        }
    }

    #[test]
    fn likely_errors_are_the_replies_that_lose_points() {
        let mut engine = Engine::new(Options::default());
        let (mut some, mut none) = (0, 0);
        let no_limit = Limits::NONE.begin(0);
        late_positions(60, |position| {
            let replier = position.to_move();
            let sign = i32::from(replier.sign());
            let exact = |position: &Position| {
                i32::from(Solver::default().value(position, 0, &Limits::NONE).exact().expect("no limit"))
            };
            let value = exact(position);
            let better = Target::new(value + i32::from(replier == Player::Blue));
            let (mut losing, mut all) = (0.0, 0.0);
            for (mv, weight) in plausible_replies(position, better) {
                all += weight;
                losing +=
                    if sign * exact(&position.after::<Portable>(mv)) < sign * value { weight } else { 0.0 };
            }
            let error = engine.error_chance(position, value as Score, -1.0, &no_limit).expect("no limit");
            assert!((error - losing / all).abs() < 0.011, "{error} is not {losing} of {all} in {position:?}");
            for most in [0.0, 0.1, 0.5] {
                let of_more =
                    engine.error_chance(position, value as Score, most, &no_limit).expect("no limit");
                assert!(
                    of_more == error || error <= most + 0.011 && of_more <= most,
                    "{of_more} for {error}, {most}"
                );
            }
            *if error > 0.0 { &mut some } else { &mut none } += 1;
        });
        assert!(some > 10 && none > 10, "{some} with, {none} without");
    }

    #[test]
    fn of_likely_replies_the_best_is_made() {
        let model = ReplyModel { share: 1.0, sharpness: 32.0 };
        let mut solver = Solver::default();
        let (mut staked, mut better, mut wins_kept) = (0, 0, 0);
        let no_limit = Limits::NONE.begin(0);
        positions(300, 6, |position| {
            let mut engine = Engine::new(Options::default());
            let sign = position.to_move().sign();
            let mut exact = |position: &Position| {
                sign * solver.value(position, 0, &Limits::NONE).exact().expect("no limit")
            };
            let value = exact(position);
            // Every move by brute force over the replies.
            let mut means: Vec<(Move, Score, f32)> = Vec::new();
            for mv in position.legal_moves() {
                let next = position.after::<Portable>(mv);
                let sure = exact(&next);
                let likely = expectation::chances(&next, model.sharpness);
                let modelled: f32 = likely
                    .into_iter()
                    .map(|(reply, chance)| chance * f32::from(exact(&next.after::<Portable>(reply))))
                    .sum();
                means.push((mv, sure, model.share * modelled + (1.0 - model.share) * f32::from(sure)));
            }
            let optimal: Vec<(Move, f32)> =
                means.iter().filter(|&&(_, sure, _)| sure == value).map(|&(mv, ..)| (mv, 0.0)).collect();
            let (mv, mean) = engine
                .move_against_model(position, sign * value, model, &optimal, &Limits::NONE)
                .expect("no limit");
            let sound = |sure: Score| sure + STAKED >= value && (value <= 0 || sure > 0);
            let most = means.iter().filter(|&&(_, sure, _)| sound(sure)).map(|&(.., mean)| mean);
            let most = most.fold(f32::MIN, f32::max);
            let &(_, sure, of_mv) = means.iter().find(|&&(other, ..)| other == mv).expect("legal");
            assert!(sound(sure), "{mv} in {position:?}");
            assert!((mean - most).abs() < 0.1 && (of_mv - most).abs() < 0.1, "{mean}, {most}: {position:?}");
            staked += u32::from(sure < value);
            for &(mv, sure, _) in means.iter().filter(|&&(_, sure, _)| value > 0 && sure <= 0) {
                let next = position.after::<Portable>(mv);
                let mean = engine.mean_against_model(&next, value, model, &no_limit);
                assert_eq!(mean, Some(f32::MIN), "{mv} in {position:?}");
                wins_kept += u32::from(sure + STAKED >= value);
            }
            better += u32::from(mean > f32::from(value) + 0.5);
            let none = Limits::nodes(0);
            assert_eq!(engine.move_against_model(position, sign * value, model, &optimal, &none), None);
        });
        assert!(staked > 1 && better > 10, "{staked} staked, {better} better than the value");
        assert!(wins_kept > 10, "{wins_kept}");
    }

    #[test]
    fn without_time_for_it_the_best_expected_score_decides() {
        let params = Params { refine_share: 0.0, ..Default::default() };
        let mut engine = Engine::new(Options { params, nodes: Some(100_000), ..Options::default() });
        let mut several = 0;
        late_positions(40, |position| {
            let thoughts = engine.think(position, Duration::from_secs(1));
            let expected = |mv| {
                f32::from(position.to_move().sign())
                    * expectation::expected_score(&position.after::<Portable>(mv))
            };
            let optimal = thoughts.solution.expect("solved").optimal;
            several += u32::from(optimal.len() > 1);
            assert!(optimal.iter().all(|&mv| expected(mv) <= expected(thoughts.choice.mv)), "{position:?}");
        });
        assert!(several > 20, "{several}");
    }

    #[test]
    fn a_solver_without_a_part_of_the_time_is_not_asked() {
        let off = Params { solve_from: 0, ..Params::default() };
        let no_part = Params { solve_attempt: 0.0, ..Params::default() };
        for (params, nodes) in [(off.clone(), None), (off, Some(300)), (no_part, Some(300))] {
            let mut engine = Engine::new(Options { params, nodes, ..Options::default() });
            late_positions(3, |position| {
                let thoughts = engine.think(position, Duration::from_millis(300));
                assert!(thoughts.solution.is_none(), "{position:?}");
            });
        }
    }

    #[test]
    fn of_optimal_moves_the_likeliest_to_be_answered_wrongly_is_played() {
        let mut engine = Engine::new(Options { nodes: Some(100_000), ..Options::default() });
        let mut chosen = 0;
        let no_limit = Limits::NONE.begin(0);
        late_positions(40, |position| {
            let thoughts = engine.think(position, Duration::from_secs(1));
            let solution = thoughts.solution.expect("solved");
            let value = solution.bounds.exact().expect("solved");
            let mut error = |mv| {
                let next = position.after::<Portable>(mv);
                engine.error_chance(&next, value, -1.0, &no_limit).expect("no limit")
            };
            let of_choice = error(thoughts.choice.mv);
            assert!(solution.optimal.contains(&thoughts.choice.mv));
            for &mv in &solution.optimal {
                assert!(error(mv) <= of_choice + 1e-6, "{mv} in {position:?}");
                chosen += u32::from(error(mv) + 0.01 < of_choice);
            }
        });
        assert!(chosen > 20, "{chosen}");
    }
}
