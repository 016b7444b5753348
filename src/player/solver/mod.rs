//! The exact solver: finds values and optimal moves by the question "can Red reach α?", with one table for
//! every α. Here is the choice of questions; [`search`](self::search) answers one.

mod certificate;
mod children;
mod conclusions;
mod dominance;
mod focus;
mod judgement;
mod key;
mod ordering;
mod plans;
mod refutations;
mod search;
mod shared;
mod table;
#[cfg(test)]
mod tests;
mod workspace;

use std::cmp::Reverse;

use crate::alpha::state::MOVER;
use crate::alpha::{Reasonable, Status, Target};
use crate::board::{Move, Player, Stone};
use crate::limits::Limits;
use crate::position::{Position, Score, MAX_SCORE};
use crate::simd::Portable;

pub use workspace::Solver;

/// The default size of the table in bytes; a quarter of it costs a sixth more nodes at 20 empty cells.
pub const DEFAULT_TABLE_BYTES: usize = 128 << 20;

/// Proven bounds of a position's value: the final score, red minus blue, under best play of both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Red can get at least this.
    pub lower: Score,
    /// Blue can hold Red to at most this.
    pub upper: Score,
}

impl Bounds {
    pub const UNKNOWN: Bounds = Bounds { lower: -MAX_SCORE, upper: MAX_SCORE };

    pub fn exact(&self) -> Option<Score> {
        (self.lower == self.upper).then_some(self.lower)
    }

    /// Return the bounds of the same position with the colours exchanged.
    #[must_use]
    pub fn exchanged(self) -> Bounds {
        Bounds { lower: -self.upper, upper: -self.lower }
    }

    /// Return the bound proven for `player`: the lower for Red, the upper for Blue.
    pub fn secured(&self, player: Player) -> Score {
        match player {
            Player::Red => self.lower,
            Player::Blue => self.upper,
        }
    }
}

/// The proofs of [`Solver::solve`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    pub bounds: Bounds,
    /// A move that secures the mover's bound; `None` if no bound was proven, or the game is over.
    pub best: Option<Move>,
    /// Moves proven optimal, `best` first; empty unless the bounds meet.
    pub optimal: Vec<Move>,
    /// Whether `optimal` holds every move that [`Solver::solve`] looks for.
    pub complete: bool,
}

impl Default for Solver {
    fn default() -> Solver {
        Solver::new(DEFAULT_TABLE_BYTES)
    }
}

impl Solver {
    /// Decide whether Red reaches `target` under best play of both; `None` at a limit.
    pub fn reaches(&mut self, position: &Position, target: Target, limits: &Limits) -> Option<bool> {
        let winner = self.ask_with_help(position, target, limits, false)?;
        Some((winner == MOVER) == (position.to_move() == Player::Red))
    }

    /// Find a move that secures `target` for the player to move: for Red a final score of at least α, for
    /// Blue one below α. `Some(None)` if no move does; `None` at a limit.
    pub fn securing_move(
        &mut self,
        position: &Position,
        target: Target,
        limits: &Limits,
    ) -> Option<Option<Move>> {
        if position.empty().len() == 1 {
            return Some(None);
        }
        let winner = self.ask_with_help(position, target, limits, true)?;
        let best = self.best.filter(|_| winner == MOVER);
        let cell = |index: u8| self.shared.frame.cell[usize::from(index)];
        Some(best.and_then(|(index, v)| Some(Move { cell: cell(index), stone: Stone::new(v)? })))
    }

    /// Find the exact value, or bounds at a limit, asking first whether the player to move secures `guess`.
    pub fn value(&mut self, position: &Position, guess: Score, limits: &Limits) -> Bounds {
        if let Some(score) = position.final_score() {
            return Bounds { lower: score, upper: score };
        }
        let reaches = |solver: &mut Solver, target, part: &Limits| solver.reaches(position, target, part);
        self.bracket(position, Bounds::UNKNOWN, guess, limits, reaches, &mut |_| {})
    }

    /// Find the value, a move that secures it, and every optimal move among the α-reasonable ones
    /// ([`Reasonable`]) at the target that the value decides; at a limit, the proofs so far.
    pub fn solve(&mut self, position: &Position, guess: Score, limits: &Limits) -> Solution {
        self.solve_from(position, (Bounds::UNKNOWN, None), guess, limits, &mut |_| {})
    }

    /// [Solve](Solver::solve) from proven bounds and a move that secures the mover's, if one is known;
    /// `report` gets the bounds after each question.
    pub fn solve_from(
        &mut self,
        position: &Position,
        known: (Bounds, Option<Move>),
        guess: Score,
        limits: &Limits,
        report: &mut dyn FnMut(Bounds),
    ) -> Solution {
        let (mover, before) = (position.to_move(), self.nodes);
        let mut solution = self.solve_value(position, known, guess, limits, report);
        let (Some(value), Some(&best)) = (solution.bounds.exact(), solution.optimal.first()) else {
            return solution;
        };
        let target = Target::reached(mover, value);
        if value == Bounds::UNKNOWN.secured(mover) {
            // Every move keeps the worst score of all; for Blue no target says so.
            solution.optimal.extend(position.legal_moves().filter(|&mv| mv != best));
            solution.complete = true;
            return solution;
        }
        let status = Status::of::<Portable>(position, target);
        let mut moves: Vec<Move> = Reasonable::of(position, &status).moves(position.hand(mover)).collect();
        // Stones of a cell one after the other, the largest first: each proof helps the next.
        moves.sort_by_key(|mv| (mv.cell, Reverse(mv.stone)));
        for mv in moves.into_iter().filter(|&mv| mv != best) {
            let child = position.after::<Portable>(mv);
            let left = limits.after(self.nodes - before);
            let Some(red) = self.reaches(&child, target, &left) else { return solution };
            if red == (mover == Player::Red) {
                solution.optimal.push(mv);
            }
        }
        solution.complete = true;
        solution
    }

    /// Find the value and one optimal move, as [`Solver::solve_from`] does before it looks for the others.
    pub fn solve_value(
        &mut self,
        position: &Position,
        (known, mut best): (Bounds, Option<Move>),
        guess: Score,
        limits: &Limits,
        report: &mut dyn FnMut(Bounds),
    ) -> Solution {
        if let Some(score) = position.final_score() {
            let bounds = Bounds { lower: score, upper: score };
            return Solution { bounds, best: None, optimal: Vec::new(), complete: true };
        }
        let (mover, before) = (position.to_move(), self.nodes);
        let securing = |solver: &mut Solver, target, part: &Limits| {
            let mv = solver.securing_move(position, target, part)?;
            best = mv.or(best);
            Some(mv.is_some() == (mover == Player::Red))
        };
        let bounds = self.bracket(position, known, guess, limits, securing, report);
        let mut solution = Solution { bounds, best, optimal: Vec::new(), complete: false };
        let Some(value) = bounds.exact() else { return solution };
        let target = Target::reached(mover, value);
        if best.is_none() {
            // If the value is the worst score there is, every move keeps it.
            solution.best = if value == Bounds::UNKNOWN.secured(mover) {
                position.legal_moves().next()
            } else {
                self.securing_move(position, target, &limits.after(self.nodes - before)).flatten()
            };
        }
        solution.optimal.extend(solution.best);
        solution
    }

    /// Move α until the bounds meet, asking whether Red reaches it: away from the guess until the first
    /// answer of the other kind, then by halves. Near the guess the steps are single: the guess is seldom far
    /// off, and questions near the value cost most.
    fn bracket(
        &mut self,
        position: &Position,
        known: Bounds,
        guess: Score,
        limits: &Limits,
        mut reaches: impl FnMut(&mut Solver, Target, &Limits) -> Option<bool>,
        report: &mut dyn FnMut(Bounds),
    ) -> Bounds {
        let (before, mut bounds) = (self.nodes, known);
        let mut next = i32::from(Target::reached(position.to_move(), guess).alpha());
        // The answers so far, of either kind.
        let mut answers = [0u32; 2];
        while bounds.lower < bounds.upper {
            let (lower, upper) = (i32::from(bounds.lower), i32::from(bounds.upper));
            let target = Target::new(next.clamp(lower + 1, upper));
            let Some(reached) = reaches(self, target, &limits.after(self.nodes - before)) else { break };
            let alpha = target.alpha();
            if reached {
                bounds.lower = alpha;
            } else {
                bounds.upper = alpha - 1;
            }
            report(bounds);
            answers[usize::from(reached)] += 1;
            let step = 1 << answers[usize::from(reached)].saturating_sub(2);
            next = if answers[usize::from(!reached)] > 0 {
                (i32::from(bounds.lower) + i32::from(bounds.upper) + 1).div_euclid(2)
            } else if reached {
                i32::from(alpha) + step
            } else {
                i32::from(alpha) - step
            };
        }
        bounds
    }
}
