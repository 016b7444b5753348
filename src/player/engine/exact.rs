//! The moves of a solved position: the optimal ones, and some that leave the opponent a harder reply.

use super::choose::{MoveFigures, MoveList};
use super::request::{MoveRequest, SolverBudget, QUESTION_NODES};
use crate::alpha::Target;
use crate::board::Move;
use crate::expectation::{moves_with, Expectation};
use crate::limits::Limits;
use crate::opponent::Opponent;
use crate::params::Params;
use crate::position::{Position, Score};
use crate::simd::Portable;

/// Most points of the exact value that may be staked on the next reply. A win is never staked.
pub(super) const MAX_STAKED_POINTS: Score = 2;
/// The likeliest replies that make up this share count.
const COUNTED_SHARE: f32 = 0.99;

pub(super) struct Exact {
    /// The final score for the player to move, with best play of both.
    pub value: Score,
    /// The hardest target that the player to move reaches.
    pub target: Target,
    pub optimal: Vec<Move>,
}

impl MoveRequest<'_> {
    /// Ask the solver, if its answer would be used.
    pub fn solve(&mut self) -> Option<Exact> {
        let mover = self.mover();
        // The last stone needs no time.
        let limits =
            if self.position.empty().len() == 2 { Limits::nodes(QUESTION_NODES) } else { self.plan.solve };
        // Against predictable replies more is within reach than the exact value.
        if self.slow_to_solve() && self.may_stake() || limits.reached(0) {
            return None;
        }
        let guess = self.aim.secured(mover) * i32::from(mover.sign());
        let solution = self.solution.insert(self.solver.solve(&self.position, guess as Score, &limits));
        let score = solution.bounds.exact()?;
        let optimal = solution.optimal.clone();
        let (value, target) = (mover.sign() * score, Target::reached(mover, score));
        // The limits may end between the value and a move that keeps it.
        (!optimal.is_empty()).then_some(Exact { value, target, optimal })
    }
}

/// List the moves that keep the exact value, the best expected score first, and others if points may be
/// staked. Each has the mean score that this opponent is expected to leave, if it is found in time.
pub(super) fn optimal(request: &mut MoveRequest, exact: &Exact) -> MoveList {
    let (position, mover, stakes) = (request.position, request.mover(), request.may_stake());
    let (opponent, params) = (request.opponent, &request.options.params);
    let budget = request.budget(request.plan.respond);
    let mut replies = ReplyMeans { budget, opponent, params, value: exact.value };
    let figures = replies.tell_apart(&position, &exact.optimal, stakes);
    MoveList { chance: Some(1.0), is_exact: true, ..MoveList::of(mover, exact.target, figures) }
}

/// The means over the expected replies to the moves of a position, which tell the moves apart.
struct ReplyMeans<'a> {
    budget: SolverBudget<'a>,
    opponent: &'a Opponent,
    params: &'a Params,
    /// The final score for the player to move, with best play of both.
    value: Score,
}

impl ReplyMeans<'_> {
    fn tell_apart(&mut self, position: &Position, optimal: &[Move], stakes: bool) -> Vec<MoveFigures> {
        let mover = position.to_move();
        let expectation = Expectation::of(position);
        let expected = |&mv: &Move| expectation.after(position, mv);
        let by_expectation = |a: &Move, b: &Move| expected(b).total_cmp(&expected(a));
        let mut ranked = optimal.to_vec();
        ranked.sort_by(by_expectation);
        if stakes {
            let hand = position.hand(mover);
            let mut others: Vec<Move> =
                moves_with(position, hand).filter(|mv| !optimal.contains(mv)).collect();
            others.sort_by(by_expectation);
            ranked.extend(others);
        }
        // Moves that stake too much are left out.
        let value = self.value;
        let risks = |secured: Score| secured + MAX_STAKED_POINTS < value || value > 0 && secured <= 0;
        // One move needs no telling apart.
        let mut is_over = ranked.len() < 2;
        let mut figures = Vec::new();
        for mv in ranked {
            let next = position.after::<Portable>(mv);
            is_over |= self.budget.left().reached(0);
            let secured = match optimal.contains(&mv) {
                true => Some(self.value),
                false if is_over => None,
                false => self.budget.value(&next, self.value, u64::MAX),
            };
            let is_risky = secured.map_or(false, risks);
            let expected = secured.filter(|_| !is_over && !is_risky).and_then(|it| self.mean(&next, it));
            is_over |= expected.is_none() && !is_risky;
            let secures = secured.map(|secured| Target::reached(mover, mover.sign() * secured));
            figures.push(MoveFigures { secures, expected, ..MoveFigures::of(mv) });
        }
        figures
    }

    /// Return the mean final score, over the expected replies, for the player who has just moved to
    /// `position`; after the best replies it is `secured`. A reply that takes more than [`QUESTION_NODES`] nodes
    /// to refute counts as one of the best. `None` if the budget is used up before.
    fn mean(&mut self, position: &Position, secured: Score) -> Option<f32> {
        let us = position.to_move().opponent();
        let (mut gain, mut rest) = (0.0, 1.0);
        let target = Target::reached(us, us.sign() * (secured + 1));
        for (reply, chance) in self.opponent.replies(position, target, self.params) {
            if rest <= 1.0 - COUNTED_SHARE {
                break;
            }
            let left = self.budget.left();
            match self.budget.value(&position.after::<Portable>(reply), secured, QUESTION_NODES) {
                Some(after) => gain += chance * (f32::from(after) - f32::from(secured)),
                None if left.nodes <= QUESTION_NODES || left.reached(0) => return None,
                None => {}
            }
            rest -= chance;
        }
        Some(f32::from(secured) + gain)
    }
}
