//! Moves against an opponent who looks no further than its own move.

use std::time::Instant;

use super::choose::{Prospect, Slate};
use super::exact::Exact;
use super::question::{Question, HARD};
use crate::alpha::Target;
use crate::rng::Random;
use crate::search::{best_responses, Responses};
use crate::simd::Portable;

/// Most responses that are tried for one that stakes no win.
const TRIED_RESPONSES: usize = 8;
/// Share of the time for the search; the rest is for the solver.
const SEARCHED: f32 = 0.75;

/// List the best responses to an opponent who looks no further than its own move, the best first:
/// those that bring more than the exact value, or more than the aim while that is unknown. `None` of
/// another opponent. A proven win is not staked, as far as [`HARD`] nodes of the solver can tell.
pub(super) fn respond(question: &mut Question, exact: Option<&Exact>) -> Option<Slate> {
    let model = question.model.filter(|model| model.is_naive())?;
    let (position, mover, params) = (question.position, question.mover(), &question.options.params);
    let (sure, goal, limits) = match exact {
        Some(exact) => (exact.value.into(), exact.target, exact.limits),
        None if question.is_early() => (question.aim.secured(mover), question.aim, question.plan.respond),
        None => return None,
    };
    let mut random = Random::new(question.options.seed ^ u64::from(position.empty().len()));
    let part = limits.part(SEARCHED, Instant::now());
    let bytes = question.options.response_bytes();
    let Responses { mut moves, playouts } =
        best_responses(&position, &model, params, &mut random, bytes, &part);
    question.iterations += playouts;
    moves.truncate(TRIED_RESPONSES);
    moves.retain(|&(_, score)| score > sure as f32);
    let win = Target::reached(mover, mover.sign());
    let mut inquiry = question.inquire(limits.at_most(HARD));
    let can_win = !moves.is_empty()
        && position.empty().len() <= params.solve_from
        && inquiry.reaches(&position, win) == Some(true);
    let mut keeps = |mv| !can_win || inquiry.reaches(&position.after::<Portable>(mv), win) != Some(false);
    let kept = moves.iter().position(|&(mv, _)| keeps(mv))?;
    let prospect = |&(mv, score): &_| Prospect { expected: Some(score), ..Prospect::of(mv) };
    Some(Slate::of(mover, goal, moves[kept..].iter().map(prospect).collect()))
}
