//! `uct` and `filtered`: UCT with solved nodes over all moves, or without bad ones.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::tree::{UctNode, UctTree, decided};
use crate::player::agent::{Agent, Choice, Reason};
use crate::player::alpha::Target;
use crate::player::board::{Move, Player};
use crate::player::expectation::Expectation;
use crate::player::limits::Limits;
use crate::player::position::Position;
use crate::player::rng::Random;
use crate::player::simd::{Portable, Simd};
use crate::player::solver::Solver;

/// After Folkersen's Hex project: UCT with a transposition table, solved nodes marked and propagated, cells
/// analysed only after a threshold of visits. His dead and captured cells become decided positions and stale
/// cells.
///
/// `filtered` is after Vaquier's Pentago report: it removes moves after which the opponent wins within two plies
/// (§2.3.1), searches by UCT with 1, 0 and -1 for won, drawn and lost (§2.3.2), and takes the move with the highest
/// sum of win rate and weighted static evaluation (§2.3.3). "Won" is the counting argument on dead cells, and near
/// the end the exact solver; the static evaluation is the expected final score in points.
pub(super) struct Uct {
    tree: UctTree,
    /// The solver of `filtered`; `None` for `uct`.
    solver: Option<Solver>,
    limits: Limits,
}

/// The weight of the expected score, in points, beside the win rate.
const EXPECTATION_WEIGHT: f32 = 0.05;
/// The empty cells up to which the solver is asked.
const SOLVED_CELLS: u32 = 14;
/// The value of a solved win as a win rate: beyond any evaluation.
const CERTAIN: f32 = 1e3;
/// Solver nodes for one move, and the size of its table.
const SOLVER_NODES: u64 = 4_000;
const SOLVER_BYTES: usize = 1 << 20;

/// Tell whether the opponent wins after a move, by a look of two plies or by the solver.
fn is_bad(solver: &mut Solver, position: &Position, mv: Move, limits: &Limits) -> bool {
    if limits.reached(0) {
        return false;
    }
    let next = position.after::<Portable>(mv);
    if next.empty().len() > SOLVED_CELLS {
        return opponent_wins(&next);
    }
    // Red has lost if 0 is out of reach, Blue if 1 is within reach.
    let is_blue = position.to_move() == Player::Blue;
    let limits = limits.at_most(SOLVER_NODES);
    solver.reaches(&next, Target::new(i32::from(is_blue)), &limits) == Some(is_blue)
}

/// Return the sum of a move's win rate and the weighted expected score after it (Algorithm 2).
fn filtered_rating(node: &UctNode, expected: f32) -> f32 {
    let rate = match (node.solved, node.visits) {
        (true, _) => CERTAIN * node.value,
        (false, 0) => -1.0,
        (false, _) => node.value,
    };
    rate + EXPECTATION_WEIGHT * expected
}

crate::player::dispatch! {
    /// Tell whether the player to move has won, or wins by one move.
    fn opponent_wins<'a>(position: &'a Position) -> bool = opponent_wins_body
}

fn opponent_wins_body<S: Simd>(position: &Position) -> bool {
    let won = Some(position.to_move().sign());
    decided::<S>(position) == won
        || position.legal_moves().any(|mv| decided::<S>(&position.after::<S>(mv)) == won)
}

/// Rank moves: solved wins, then by visits, then untried moves, then solved draws and losses; solved moves
/// of the same outcome by their expected scores.
fn rating(node: &UctNode, expected: f32) -> f32 {
    match (node.solved, node.visits) {
        (false, 0) => -1e3,
        (false, visits) => visits as f32,
        (true, _) if node.value > 0.0 => expected + 1e9,
        (true, _) => expected + 1e4 * node.value - 1e4,
    }
}

impl Uct {
    pub fn new(filters: bool, random: Random) -> Uct {
        let solver = filters.then(|| Solver::new(SOLVER_BYTES));
        Uct { tree: UctTree::new(random), solver, limits: Limits::NONE }
    }
}

impl Agent for Uct {
    fn forget(&mut self) {
        // Every move makes a new tree.
        self.solver.iter_mut().for_each(|solver| *solver = Solver::new(SOLVER_BYTES));
    }

    fn stop_when_raised(&mut self, stop: &'static AtomicBool) {
        self.limits.stop = Some(stop);
    }

    fn choose(&mut self, position: &Position, remaining: Duration) -> Choice {
        let begin = Instant::now();
        // An even share of the time left, over all moves but the last two, with a reserve for these.
        let own = position.hand(position.to_move()).len();
        let share = remaining.mul_f64(0.95) / (own.saturating_sub(2).max(1) + 1);
        let [half, whole] =
            [share / 2, share].map(|time| Limits { deadline: Some(begin + time), ..self.limits });
        let mut moves: Vec<Move> = position.legal_moves().collect();
        if let Some(solver) = &mut self.solver {
            let good = moves.iter().copied().filter(|&mv| !is_bad(solver, position, mv, &half));
            let good: Vec<Move> = good.collect();
            moves = if good.is_empty() { moves } else { good };
        }
        let (moves, nodes) = self.tree.search(position, &moves, &whole);
        let rating = |&(mv, ref node): &(Move, UctNode)| {
            let expected = Expectation::of(position).after(position, mv);
            if self.solver.is_some() { filtered_rating(node, expected) } else { rating(node, expected) }
        };
        // The last of equals.
        let best = moves.iter().max_by(|a, b| rating(a).total_cmp(&rating(b)));
        let &(mv, node) = best.expect("a position with a move to play");
        let reason = if node.solved { Reason::Solved } else { Reason::Searched };
        let (chance, elapsed) = (0.5 + node.value / 2.0, begin.elapsed());
        Choice { reason, chance, nodes, elapsed, ..Choice::unsearched(mv) }
    }
}
