//! The request for a move, handed from one source of moves to the next, and the way to ask the solver.

use super::clock::{Plan, QUICK_TO_SOLVE};
use super::Options;
use crate::alpha::Target;
use crate::board::Player;
use crate::limits::Limits;
use crate::opponent::{Opponent, ReplyModel};
use crate::position::{Position, Score};
use crate::search::Search;
use crate::solver::{Solution, Solver};

/// Most solver nodes for one question; beyond them it stays open.
pub(super) const QUESTION_NODES: u64 = 300_000;

/// A request for a move, with all means to find one.
pub(super) struct MoveRequest<'a> {
    pub position: Position,
    pub options: &'a Options,
    pub plan: Plan,
    pub opponent: &'a Opponent,
    /// The model of the predictable replies, if there are enough.
    pub model: Option<ReplyModel>,
    /// α_init: the target at which the last move aimed.
    pub aim: Target,
    pub solver: &'a mut Solver,
    pub search: &'a mut Option<Search>,
    /// The solver's proofs about the position, once it was asked.
    pub solution: Option<Solution>,
    /// Iterations, and playouts of a search without a tree, so far.
    pub iterations: u64,
}

impl MoveRequest<'_> {
    pub fn mover(&self) -> Player {
        self.position.to_move()
    }

    /// Count this request's iterations and playouts and all nodes of the solver: compare two counts.
    pub fn nodes(&self) -> u64 {
        self.iterations + self.solver.nodes()
    }

    /// Tell whether the position may take too long to solve.
    pub fn slow_to_solve(&self) -> bool {
        self.position.empty().len() > QUICK_TO_SOLVE
    }

    pub fn may_stake(&self) -> bool {
        self.model.map_or(false, |model| model.may_stake())
    }

    /// Begin questions to the solver that share these limits.
    pub fn budget(&mut self, limits: Limits) -> SolverBudget<'_> {
        let (us, begin) = (self.mover(), self.solver.nodes());
        SolverBudget { solver: self.solver, us, limits, begin }
    }
}

/// The solver with limits for several questions; a positive score is good for `us`.
pub(super) struct SolverBudget<'a> {
    solver: &'a mut Solver,
    us: Player,
    limits: Limits,
    begin: u64,
}

impl SolverBudget<'_> {
    pub fn left(&self) -> Limits {
        self.limits.after(self.solver.nodes() - self.begin)
    }

    /// Return the final score for us with best play, sought near a `guess`; `None` at the limits or `most` nodes.
    pub fn value(&mut self, position: &Position, guess: Score, most: u64) -> Option<Score> {
        let (sign, left) = (self.us.sign(), self.left().at_most(most));
        Some(sign * self.solver.value(position, sign * guess, &left).exact()?)
    }

    /// Tell whether we reach a target with best play; `None` after [`QUESTION_NODES`] nodes or at the limits.
    pub fn reaches(&mut self, position: &Position, target: Target) -> Option<bool> {
        let red = self.solver.reaches(position, target, &self.left().at_most(QUESTION_NODES))?;
        Some(red == (self.us == Player::Red))
    }
}
