//! The question "which move?", handed from one source of moves to the next, and the way to ask the solver.

use super::clock::{Plan, QUICK_TO_SOLVE};
use super::Options;
use crate::alpha::Target;
use crate::board::Player;
use crate::limits::Limits;
use crate::opponent::{Opponent, ReplyModel};
use crate::position::{Position, Score};
use crate::search::Search;
use crate::solver::{Bounds, Solution, Solver};

/// Most solver nodes for one question; beyond them it stays open.
pub(super) const QUESTION_NODES: u64 = 300_000;

/// The move to find, and all the means to find it.
pub(super) struct Question<'a> {
    pub position: Position,
    pub options: &'a Options,
    pub plan: Plan,
    pub opponent: &'a Opponent,
    /// The model of the replies that are predictable, if there are enough.
    pub model: Option<ReplyModel>,
    /// α_init: the target that the last move aimed at.
    pub aim: Target,
    pub solver: &'a mut Solver,
    pub search: &'a mut Option<Search>,
    /// The solver's proofs about the position, once it was asked.
    pub solution: Option<Solution>,
    /// Iterations, and playouts of a search without a tree, so far.
    pub iterations: u64,
}

impl Question<'_> {
    pub fn mover(&self) -> Player {
        self.position.to_move()
    }

    /// Count this question's iterations and playouts, and all nodes of the solver: compare two counts.
    pub fn nodes(&self) -> u64 {
        self.iterations + self.solver.nodes()
    }

    /// Tell whether the position may take too long to solve.
    pub fn is_early(&self) -> bool {
        self.position.empty().len() > QUICK_TO_SOLVE
    }

    /// Tell whether points may be staked on the opponent's reply.
    pub fn may_stake(&self) -> bool {
        self.model.map_or(false, |model| model.may_stake())
    }

    /// Begin questions to the solver that share these limits.
    pub fn inquire(&mut self, limits: Limits) -> Inquiry<'_> {
        let (us, begin) = (self.mover(), self.solver.nodes());
        Inquiry { solver: self.solver, us, limits, begin }
    }
}

/// Questions to the solver on one budget; a positive score is good for `us`.
pub(super) struct Inquiry<'a> {
    solver: &'a mut Solver,
    us: Player,
    limits: Limits,
    begin: u64,
}

impl Inquiry<'_> {
    /// Return the rest of the budget.
    pub fn left(&self) -> Limits {
        self.limits.after(self.solver.nodes() - self.begin)
    }

    /// Return the final score for us with best play of both, sought near a `guess`; `None` if `most`
    /// nodes or the budget are used up before.
    pub fn value(&mut self, position: &Position, guess: Score, most: u64) -> Option<Score> {
        let (sign, left) = (self.us.sign(), self.left().at_most(most));
        Some(sign * self.solver.value(position, sign * guess, &left).exact()?)
    }

    /// Tell whether we reach a target with best play of both; `None` if [`QUESTION_NODES`] nodes or the budget
    /// are used up before.
    pub fn reaches(&mut self, position: &Position, target: Target) -> Option<bool> {
        let red = self.solver.reaches(position, target, &self.left().at_most(QUESTION_NODES))?;
        Some(red == (self.us == Player::Red))
    }
}

/// Return the hardest target that the proven bounds secure for `mover`, if they prove any.
pub(super) fn secured_target(mover: Player, bounds: &Bounds) -> Option<Target> {
    let score = bounds.secured(mover);
    (score != Bounds::UNKNOWN.secured(mover)).then(|| Target::reached(mover, score))
}
