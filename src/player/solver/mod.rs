//! The exact solver: answers "can Red reach α?", finds exact values by moving α, with one table
//! for every α, and lists optimal moves. Here is the outer loop: which questions to ask. The search
//! that answers one is [`search`](self::search).

mod certificate;
mod children;
mod dominance;
mod focus;
mod judgement;
mod key;
mod ordering;
mod outcome;
mod plans;
mod refutations;
mod search;
mod table;
#[cfg(test)]
mod tests;
mod workspace;

use std::cmp::Reverse;
use std::time::Instant;

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

    /// Return the value, if the bounds meet.
    pub fn exact(&self) -> Option<Score> {
        (self.lower == self.upper).then_some(self.lower)
    }

    /// Return what is proven for `player`: the lower bound for Red, the upper for Blue.
    pub fn secured(&self, player: Player) -> Score {
        match player {
            Player::Red => self.lower,
            Player::Blue => self.upper,
        }
    }
}

/// What [`Solver::solve`] has proven.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution {
    /// Bounds of the position's value.
    pub bounds: Bounds,
    /// A move that secures the mover's bound; `None` when none was proven, or the game is over.
    pub best: Option<Move>,
    /// Moves proven optimal, `best` first; empty unless the bounds meet.
    pub optimal: Vec<Move>,
    /// Whether `optimal` holds all that [`Solver::solve`] promises.
    pub complete: bool,
}

/// A limit was reached before the question was decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped;

impl Default for Solver {
    fn default() -> Solver {
        Solver::new(DEFAULT_TABLE_BYTES)
    }
}

impl Solver {
    /// Decide who wins; `None` at a limit.
    fn winner(&mut self, position: &Position, target: Target, limits: &Limits) -> Option<Player> {
        let (_, winner, _) = self.ask(position, target, limits, false)?;
        let mover = position.to_move();
        Some(if winner == MOVER { mover } else { mover.opponent() })
    }

    /// Decide whether Red reaches `target` under best play of both; `None` at a limit.
    pub fn reaches(&mut self, position: &Position, target: Target, limits: &Limits) -> Option<bool> {
        self.winner(position, target, limits).map(|winner| winner == Player::Red)
    }

    /// Find a move that secures `target` for the player to move: for Red a final score of at least
    /// α, for Blue one below α. `Ok(None)` when it is proven that no move does.
    pub fn securing_move(
        &mut self,
        position: &Position,
        target: Target,
        limits: &Limits,
    ) -> Result<Option<Move>, Stopped> {
        if position.empty().len() == 1 {
            return Ok(None);
        }
        let (_, winner, _) = self.ask(position, target, limits, true).ok_or(Stopped)?;
        let best = self.best.filter(|_| winner == MOVER);
        let of_board = |(index, v)| Some(Move::new(self.frame.cell[usize::from(index)], Stone::new(v)?));
        Ok(best.and_then(of_board))
    }

    /// Find the exact value, or bounds at a limit, asking first whether the player to move secures
    /// `guess`.
    pub fn value(&mut self, position: &Position, guess: Score, limits: &Limits) -> Bounds {
        if let Some(score) = position.final_score() {
            return Bounds { lower: score, upper: score };
        }
        let reaches = |solver: &mut Solver, target, part: &Limits| solver.reaches(position, target, part);
        self.bracket(position, Bounds::UNKNOWN, guess, limits, reaches, &mut |_| {})
    }

    /// Find the value, a move that secures it, and every optimal move among the α-reasonable ones
    /// ([`Reasonable`]) at the target that the value decides; at a limit what is proven so far.
    pub fn solve(&mut self, position: &Position, guess: Score, limits: &Limits) -> Solution {
        self.solve_from(position, (Bounds::UNKNOWN, None), guess, limits, &mut |_| {})
    }

    /// Find the same from proven bounds and a move that secures the mover's, if one is known;
    /// `report` is told the bounds after each question.
    pub fn solve_from(
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
            let mv = solver.securing_move(position, target, part).ok()?;
            best = mv.or(best);
            Some(mv.is_some() == (mover == Player::Red))
        };
        let bounds = self.bracket(position, known, guess, limits, securing, report);
        let mut solution = Solution { bounds, best, optimal: Vec::new(), complete: false };
        let Some(value) = bounds.exact() else { return solution };
        let target = Target::reached(mover, value);
        if best.is_none() {
            // Where the value is the worst score there is, every move keeps it.
            solution.best = if value == Bounds::UNKNOWN.secured(mover) {
                position.legal_moves().next()
            } else {
                self.securing_move(position, target, &limits.after(self.nodes - before)).ok().flatten()
            };
        }
        let Some(best) = solution.best else { return solution };
        solution.optimal.push(best);
        let status = Status::of::<Portable>(position, target);
        let mut moves: Vec<Move> = Reasonable::of(position, &status).moves(position.hand(mover)).collect();
        // Stones of a cell one after the other, the largest first: what one proves helps the next.
        moves.sort_by_key(|mv| (mv.cell, Reverse(mv.stone)));
        for mv in moves.into_iter().filter(|&mv| mv != best) {
            let child = position.after::<Portable>(mv);
            match self.winner(&child, target, &limits.after(self.nodes - before)) {
                Some(winner) if winner == mover => solution.optimal.push(mv),
                Some(_) => {}
                None => return solution,
            }
        }
        solution.complete = true;
        solution
    }

    /// Move α until the bounds meet, asking whether Red reaches it.
    ///
    /// A question that is not answered within a budget of nodes is put off until all others are
    /// answered or put off, so that there are bounds to report at a limit; then the budget grows.
    fn bracket(
        &mut self,
        position: &Position,
        known: Bounds,
        guess: Score,
        limits: &Limits,
        mut reaches: impl FnMut(&mut Solver, Target, &Limits) -> Option<bool>,
        report: &mut dyn FnMut(Bounds),
    ) -> Bounds {
        let before = self.nodes;
        let first = Target::reached(position.to_move(), guess);
        let mut bracket = Bracket::within(known, i32::from(first.alpha()), first_budget(limits));
        while let Some(alpha) = bracket.next() {
            let part = limits.after(self.nodes - before).at_most(bracket.budget);
            match reaches(self, Target::new(alpha), &part) {
                Some(reached) => bracket.answer(alpha, reached),
                None if limits.after(self.nodes - before).reached(0) => break,
                None => bracket.put_off(alpha),
            }
            report(bracket.bounds());
        }
        bracket.bounds()
    }
}

/// Which target to ask about next, on the way to a position's exact value.
struct Bracket {
    lower: i32,
    upper: i32,
    /// The target to ask about while none is put off.
    next: i32,
    /// The answers before the first that is unlike them.
    alike: u32,
    first: Option<bool>,
    /// The least and the largest of the targets put off.
    put_off: Option<(i32, i32)>,
    /// How far to go from those, below and above.
    reach: [i32; 2],
    budget: u64,
}

impl Bracket {
    fn within(known: Bounds, first: i32, budget: u64) -> Bracket {
        Bracket {
            lower: known.lower.into(),
            upper: known.upper.into(),
            next: first,
            alike: 0,
            first: None,
            put_off: None,
            reach: [1; 2],
            budget,
        }
    }

    fn bounds(&self) -> Bounds {
        Bounds { lower: self.lower as Score, upper: self.upper as Score }
    }

    /// Return the next target to ask about; `None` when the bounds meet.
    fn next(&mut self) -> Option<i32> {
        if self.lower >= self.upper {
            return None;
        }
        if let Some((least, most)) = self.put_off {
            let below = least - 1 - self.lower;
            let above = self.upper - most;
            if below > 0 && (above == 0 || below >= above) {
                return Some((least - self.reach[0].min((below + 1) / 2)).max(self.lower + 1));
            }
            if above > 0 {
                return Some((most + self.reach[1].min((above + 1) / 2)).min(self.upper));
            }
            // All others are answered.
            self.budget = self.budget.saturating_mul(8);
            self.put_off = None;
            self.reach = [1; 2];
            self.next = (least + most).div_euclid(2);
        }
        Some(self.next.clamp(self.lower + 1, self.upper))
    }

    fn answer(&mut self, alpha: i32, reached: bool) {
        if reached {
            self.lower = self.lower.max(alpha);
        } else {
            self.upper = self.upper.min(alpha - 1);
        }
        if let Some((least, most)) = self.put_off {
            // An easier question with the harder answer settles those put off as well.
            if self.lower >= most || self.upper < least {
                self.put_off = None;
                self.reach = [1; 2];
                self.next = (self.lower + self.upper + 1).div_euclid(2);
            }
            return;
        }
        if self.first.is_some_and(|first| first != reached) {
            // Both sides are near: halve.
            self.next = (self.lower + self.upper + 1).div_euclid(2);
        } else {
            self.alike += 1;
            // A guess is seldom far off, and questions near the value are dear.
            let step = 1 << self.alike.saturating_sub(2);
            self.next = if reached { alpha + step } else { alpha - step };
            self.first = Some(reached);
        }
    }

    /// Note that a question was not answered within the budget.
    fn put_off(&mut self, alpha: i32) {
        let (least, most) = self.put_off.unwrap_or((alpha, alpha));
        if alpha < least {
            self.reach[0] *= 2;
        } else if alpha > most {
            self.reach[1] *= 2;
        }
        self.put_off = Some((least.min(alpha), most.max(alpha)));
    }
}

/// Return the nodes for one question at first, within limits from now on.
fn first_budget(limits: &Limits) -> u64 {
    let time = limits.deadline.map_or(u64::MAX, |deadline| {
        let seconds = deadline.saturating_duration_since(Instant::now()).as_secs_f64();
        (seconds * 2.5e6) as u64
    });
    (limits.nodes.min(time) / 10).clamp(200_000, 2_000_000)
}
