//! The moves of a solved position: all optimal ones keep its value, but not all make it as hard to
//! keep for the opponent.

use super::choose::Prospect;
use super::clock::HARD;
use crate::alpha::Target;
use crate::board::Move;
use crate::expectation;
use crate::limits::Limits;
use crate::opponent::Opponent;
use crate::params::Params;
use crate::position::{Position, Score};
use crate::simd::Portable;
use crate::solver::Solver;

/// Exact score that may be staked on the next reply, but no win.
pub(super) const STAKED: Score = 2;
/// The share of the likely replies that is looked at, the likeliest first.
const ENOUGH: f32 = 0.99;

/// What tells the moves of a solved position apart.
pub(super) struct Refinement<'a> {
    pub solver: &'a mut Solver,
    pub opponent: &'a Opponent,
    pub params: &'a Params,
    /// Whether something may be staked on the opponent's replies.
    pub stakes: bool,
    pub limits: Limits,
}

impl Refinement<'_> {
    /// List the `optimal` moves of a position of the final score `value` for the player to move, the
    /// best expected score first, and others where something may be staked; with what this opponent
    /// is expected to leave each, as far as that is found within the limits.
    pub fn prospects(&mut self, position: &Position, value: Score, optimal: &[Move]) -> Vec<Prospect> {
        let mover = position.to_move();
        let expected =
            |mv| f32::from(mover.sign()) * expectation::expected_score(&position.after::<Portable>(mv));
        let mut ranked: Vec<(Move, f32)> = optimal.iter().map(|&mv| (mv, expected(mv))).collect();
        let by_worth = |a: &(Move, f32), b: &(Move, f32)| b.1.total_cmp(&a.1);
        ranked.sort_by(by_worth);
        if self.stakes {
            let mut others = expectation::chances(position, position.hand(mover), 1.0);
            others.retain(|(mv, _)| !optimal.contains(mv));
            others.sort_by(by_worth);
            ranked.extend(others);
        }
        let before = self.solver.nodes();
        // Nothing is to be told apart, or there is no time left for it.
        let mut is_over = ranked.len() < 2;
        let mut prospects = Vec::new();
        for (mv, _) in ranked {
            let next = position.after::<Portable>(mv);
            is_over |= self.left(before).reached(0);
            let sure = match optimal.contains(&mv) {
                true => Some(value),
                false if is_over => None,
                false => self.value(&next, value, &self.left(before)),
            };
            let expected = sure.filter(|_| !is_over).and_then(|sure| self.mean(&next, sure, value, before));
            is_over |= expected.is_none();
            let secures = sure.map(|sure| Target::reached(mover, mover.sign() * sure));
            // What stakes too much is no choice.
            let expected = expected.filter(|&mean| mean > f32::MIN);
            prospects.push(Prospect { secures, expected, ..Prospect::of(mv) });
        }
        prospects
    }

    fn left(&self, before: u64) -> Limits {
        self.limits.after(self.solver.nodes() - before)
    }

    /// Return the final score for the player who has just moved to `position`, with best play of
    /// both; `None` if it is not found within the limits.
    fn value(&mut self, position: &Position, guess: Score, limits: &Limits) -> Option<Score> {
        let sign = position.to_move().opponent().sign();
        Some(sign * self.solver.value(position, sign * guess, limits).exact()?)
    }

    /// Return the mean final score for the player who has just moved to `position`, to whom it
    /// leaves `sure` after the best replies, over the replies that are expected; the worst of all if
    /// the move stakes too much of the `value` that could have been had. What takes more than
    /// [`HARD`] nodes to find out counts as sure: an error that is hard to punish is none. `None`
    /// when the limits are reached first.
    fn mean(&mut self, position: &Position, sure: Score, value: Score, before: u64) -> Option<f32> {
        if sure + STAKED < value || value > 0 && sure <= 0 {
            return Some(f32::MIN);
        }
        let us = position.to_move().opponent();
        let (mut gain, mut rest) = (0.0, 1.0);
        let target = Target::reached(us, us.sign() * (sure + 1));
        for (reply, chance) in self.opponent.replies(position, target, self.params) {
            if rest <= 1.0 - ENOUGH {
                break;
            }
            let left = self.left(before);
            let next = position.after::<Portable>(reply);
            match self.solver.value(&next, us.sign() * sure, &left.at_most(HARD)).exact() {
                Some(after) => gain += chance * f32::from(us.sign() * after - sure),
                None if left.nodes <= HARD || left.reached(0) => return None,
                None => {}
            }
            rest -= chance;
        }
        Some(f32::from(sure) + gain)
    }
}
