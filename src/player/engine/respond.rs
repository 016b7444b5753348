//! Responses: moves against an opponent who moves at random or repeats itself.

use std::time::Instant;

use super::choose::{Prospect, Slate};
use super::exact::Exact;
use super::question::{Question, QUESTION_NODES};
use super::Options;
use crate::alpha::Target;
use crate::position::Position;
use crate::rng::Random;
use crate::search::{best_responses, Responses};
use crate::simd::Portable;

/// Most responses that are asked whether they keep a win.
const TRIED_RESPONSES: usize = 8;
/// Share of the limits for the search; the rest is for the solver.
pub(super) const SEARCHED: f32 = 0.75;

/// Return the generator of the search for a response in a position.
pub(super) fn generator(options: &Options, position: &Position) -> Random {
    Random::new(options.seed ^ u64::from(position.empty().len()))
}

/// List the best responses to an opponent who moves at random or repeats itself, the best first: those
/// that bring more than the exact value, or more than the aim while the value is unknown. `None` of
/// another opponent, or without such a response. If the solver proves a win, a response that it refutes within
/// the same [`QUESTION_NODES`] nodes is left out.
pub(super) fn respond(question: &mut Question, exact: Option<&Exact>) -> Option<Slate> {
    let model = question.model.filter(|model| model.has_response())?;
    let (position, mover, params) = (question.position, question.mover(), &question.options.params);
    let (sure, goal) = match exact {
        Some(exact) => (exact.value.into(), exact.target),
        None if question.is_early() => (question.aim.secured(mover), question.aim),
        None => return None,
    };
    let limits = question.plan.refine;
    let mut random = generator(question.options, &position);
    let part = limits.part(SEARCHED, Instant::now());
    let bytes = question.options.response_bytes();
    let Responses { mut moves, playouts } =
        best_responses(&position, &model, params, &mut random, bytes, &part);
    question.iterations += playouts;
    moves.truncate(TRIED_RESPONSES);
    moves.retain(|&(_, score)| score > sure as f32);
    let win = Target::reached(mover, mover.sign());
    let mut inquiry = question.inquire(limits.after(playouts).at_most(QUESTION_NODES));
    let can_win = !moves.is_empty()
        && position.empty().len() <= params.solve_from
        && inquiry.reaches(&position, win) == Some(true);
    let mut keeps = |mv| !can_win || inquiry.reaches(&position.after::<Portable>(mv), win) != Some(false);
    let kept = moves.iter().position(|&(mv, _)| keeps(mv))?;
    let prospect = |&(mv, score): &_| Prospect { expected: Some(score), ..Prospect::of(mv) };
    let prospects = moves[kept..].iter().map(prospect).collect();
    Some(Slate { chance: exact.map(|_| 1.0), ..Slate::of(mover, goal, prospects) })
}
