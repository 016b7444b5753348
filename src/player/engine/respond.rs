//! Responses: moves against an opponent who moves at random or repeats itself.

use std::time::Instant;

use super::choose::{MoveFigures, MoveList};
use super::exact::Exact;
use super::request::{MoveRequest, QUESTION_NODES};
use crate::alpha::Target;
use crate::rng::Random;
use crate::search::{best_responses, Responses};
use crate::simd::Portable;

/// Most responses that are asked whether they keep a win.
const MAX_TRIED_RESPONSES: usize = 8;
/// Share of the limits for the search; the rest is for the solver.
const SEARCHED: f32 = 0.75;

/// List the best responses to an opponent who moves at random or repeats itself, the best first: those that
/// bring more than the exact value, or more than the aim while the value is unknown. `None` against another
/// opponent, or without such a response. If the solver proves a win, a response that it refutes within the
/// same [`QUESTION_NODES`] nodes is left out.
pub(super) fn respond(request: &mut MoveRequest, exact: Option<&Exact>) -> Option<MoveList> {
    let model = request.model.filter(|model| model.has_response())?;
    let (position, mover, params) = (request.position, request.mover(), &request.options.params);
    let (bar, goal) = match exact {
        Some(exact) => (exact.value.into(), exact.target),
        None if request.slow_to_solve() => (request.aim.secured(mover), request.aim),
        None => return None,
    };
    let limits = request.plan.respond;
    let mut random = Random::new(request.options.seed ^ u64::from(position.empty().len()));
    let part = limits.part(SEARCHED, Instant::now());
    let bytes = request.options.response_bytes();
    let Responses { mut moves, playouts } =
        best_responses(&position, &model, params, &mut random, bytes, &part);
    request.iterations += playouts;
    moves.truncate(MAX_TRIED_RESPONSES);
    moves.retain(|&(_, score)| score > bar as f32);
    let win = Target::reached(mover, mover.sign());
    let mut budget = request.budget(limits.after(playouts).at_most(QUESTION_NODES));
    let can_win = !moves.is_empty()
        && position.empty().len() <= params.solve_from
        && budget.reaches(&position, win) == Some(true);
    let mut keeps = |mv| !can_win || budget.reaches(&position.after::<Portable>(mv), win) != Some(false);
    let kept = moves.iter().position(|&(mv, _)| keeps(mv))?;
    let figures_of = |&(mv, score): &_| MoveFigures { expected: Some(score), ..MoveFigures::of(mv) };
    let figures = moves[kept..].iter().map(figures_of).collect();
    Some(MoveList { chance: exact.map(|_| 1.0), ..MoveList::of(mover, goal, figures) })
}
