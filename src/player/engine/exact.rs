//! The moves of a solved position: all optimal ones keep its value, but not all make it as hard to
//! keep for the opponent.

use super::choose::{Prospect, Slate};
use super::question::{Inquiry, Question, HARD};
use crate::alpha::Target;
use crate::board::Move;
use crate::expectation::{self, Expectation};
use crate::limits::Limits;
use crate::opponent::Opponent;
use crate::params::Params;
use crate::position::{Position, Score};
use crate::simd::Portable;

/// Most points of the exact value that may be staked on the next reply. A win is never staked.
pub(super) const STAKED: Score = 2;
/// Share of the replies that is looked at, the likeliest first.
const ENOUGH: f32 = 0.99;

/// The exact value of a position.
pub(super) struct Exact {
    /// The final score for the player to move, with best play of both.
    pub value: Score,
    /// The hardest target that the player to move reaches.
    pub target: Target,
    /// The moves that keep the value.
    pub optimal: Vec<Move>,
    /// What telling the moves apart may take.
    pub limits: Limits,
}

impl Question<'_> {
    /// Ask the solver, where its answer would be used.
    pub fn solve(&mut self) -> Option<Exact> {
        let mover = self.mover();
        // The last stone needs no time.
        let limits = if self.position.empty().len() == 2 { Limits::nodes(HARD) } else { self.plan.solve };
        // Against foretold replies more is within reach than the exact value.
        if self.is_early() && self.may_stake() || limits.reached(0) {
            return None;
        }
        let guess = self.aim.secured(mover) * i32::from(mover.sign());
        let solution = self.solution.insert(self.solver.solve(&self.position, guess as Score, &limits));
        let score = solution.bounds.exact()?;
        let optimal = solution.optimal.clone();
        let (value, target) = (mover.sign() * score, Target::reached(mover, score));
        // The limits may end between the value and a move that keeps it.
        (!optimal.is_empty()).then(|| Exact { value, target, optimal, limits: self.plan.tell_apart() })
    }
}

/// List the moves that keep the exact value, the best expected score first, and others where points may
/// be staked. Each has the mean score that this opponent is expected to leave, if that is found in time.
pub(super) fn optimal(question: &mut Question, exact: &Exact) -> Slate {
    let (position, mover, stakes) = (question.position, question.mover(), question.may_stake());
    let (opponent, params) = (question.opponent, &question.options.params);
    let inquiry = question.inquire(exact.limits);
    let mut replies = ExpectedReplies { inquiry, opponent, params, value: exact.value };
    let prospects = replies.tell_apart(&position, &exact.optimal, stakes);
    Slate { chance: 1.0, is_exact: true, ..Slate::of(mover, exact.target, prospects) }
}

/// What tells the moves of a position apart: the replies that are expected, and what they leave.
struct ExpectedReplies<'a> {
    inquiry: Inquiry<'a>,
    opponent: &'a Opponent,
    params: &'a Params,
    /// The final score for the player to move, with best play of both.
    value: Score,
}

impl ExpectedReplies<'_> {
    fn tell_apart(&mut self, position: &Position, optimal: &[Move], stakes: bool) -> Vec<Prospect> {
        let mover = position.to_move();
        let expected =
            |mv| f32::from(mover.sign()) * Expectation::of(&position.after::<Portable>(mv)).score();
        let mut ranked: Vec<(Move, f32)> = optimal.iter().map(|&mv| (mv, expected(mv))).collect();
        let by_expectation = |a: &(Move, f32), b: &(Move, f32)| b.1.total_cmp(&a.1);
        ranked.sort_by(by_expectation);
        if stakes {
            let mut others = expectation::chances(position, position.hand(mover), 1.0);
            others.retain(|(mv, _)| !optimal.contains(mv));
            others.sort_by(by_expectation);
            ranked.extend(others);
        }
        // Nothing is to be told apart, or there is no time left for it.
        let mut is_over = ranked.len() < 2;
        let mut prospects = Vec::new();
        for (mv, _) in ranked {
            let next = position.after::<Portable>(mv);
            is_over |= self.inquiry.left().reached(0);
            let sure = match optimal.contains(&mv) {
                true => Some(self.value),
                false if is_over => None,
                false => self.inquiry.value(&next, self.value, u64::MAX),
            };
            let expected = sure.filter(|_| !is_over).and_then(|sure| self.mean(&next, sure));
            is_over |= expected.is_none();
            let secures = sure.map(|sure| Target::reached(mover, mover.sign() * sure));
            // What stakes too much is no choice.
            let expected = expected.filter(|&mean| mean > f32::MIN);
            prospects.push(Prospect { secures, expected, ..Prospect::of(mv) });
        }
        prospects
    }

    /// Return the mean final score for the player who has just moved to `position`, to whom it
    /// leaves `sure` after the best replies, over the replies that are expected; the worst of all if
    /// the move stakes too much of the value that could have been had. What takes more than [`HARD`]
    /// nodes to find out counts as sure: an error that is hard to punish is none. `None` when the
    /// budget is used up first.
    fn mean(&mut self, position: &Position, sure: Score) -> Option<f32> {
        if sure + STAKED < self.value || self.value > 0 && sure <= 0 {
            return Some(f32::MIN);
        }
        let us = position.to_move().opponent();
        let (mut gain, mut rest) = (0.0, 1.0);
        let target = Target::reached(us, us.sign() * (sure + 1));
        for (reply, chance) in self.opponent.replies(position, target, self.params) {
            if rest <= 1.0 - ENOUGH {
                break;
            }
            let left = self.inquiry.left();
            match self.inquiry.value(&position.after::<Portable>(reply), sure, HARD) {
                Some(after) => gain += chance * f32::from(after - sure),
                None if left.nodes <= HARD || left.reached(0) => return None,
                None => {}
            }
            rest -= chance;
        }
        Some(f32::from(sure) + gain)
    }
}
