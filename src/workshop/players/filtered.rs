//! `filtered`: removes bad moves, then UCT, then a choice weighted by a static evaluation.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::clock::even_share;
use super::options::PlayerOptions;
use super::tree::{TreeSettings, UctNode, UctTree, best_by, decided};
use crate::player::agent::{Agent, Choice};
use crate::player::alpha::Target;
use crate::player::board::{Move, Player};
use crate::player::expectation::Expectation;
use crate::player::limits::Limits;
use crate::player::position::Position;
use crate::player::rng::Random;
use crate::player::simd::{Portable, Simd};
use crate::player::solver::Solver;

/// After Vaquier's Pentago report: removes moves after which the opponent wins within two plies (§2.3.1),
/// searches by UCT with 1, 0 and -1 for won, drawn and lost (§2.3.2), and takes the move with the highest
/// sum of win rate and weighted static evaluation (§2.3.3).
///
/// "Won" is the counting argument on dead cells, and near the end the exact solver; the static
/// evaluation is the expected final score in points.
pub(super) struct Filtered {
    tree: UctTree,
    solver: Solver,
    weight: f32,
    solve: u32,
    limits: Limits,
}

/// The value of a solved win as a win rate: beyond any evaluation.
const CERTAIN: f32 = 1e3;
/// Solver nodes for one move, and the size of its table.
const SOLVER_NODES: u64 = 4_000;
const SOLVER_BYTES: usize = 1 << 20;

impl Filtered {
    pub fn new(options: &mut PlayerOptions, random: Random) -> Filtered {
        Filtered {
            tree: UctTree::new(TreeSettings::of(options), random),
            solver: Solver::new(SOLVER_BYTES),
            weight: options.number("weight", 0.0..=10.0).unwrap_or(0.05),
            solve: options.number("solve", 0..=20).unwrap_or(14),
            limits: Limits::NONE,
        }
    }

    /// Return the moves without the bad ones; all moves if all are bad.
    fn filter(&mut self, position: &Position, limits: &Limits) -> Vec<Move> {
        let good = position.legal_moves().filter(|&mv| !self.is_bad(position, mv, limits));
        let good: Vec<Move> = good.collect();
        if good.is_empty() { position.legal_moves().collect() } else { good }
    }

    /// Tell whether the opponent wins after a move, by a look of two plies or by the solver.
    fn is_bad(&mut self, position: &Position, mv: Move, limits: &Limits) -> bool {
        if limits.reached(0) {
            return false;
        }
        let next = position.after::<Portable>(mv);
        if next.empty().len() > self.solve {
            return opponent_wins(&next);
        }
        // Red has lost if 0 is out of reach, Blue if 1 is within reach.
        let is_blue = position.to_move() == Player::Blue;
        let limits = limits.at_most(SOLVER_NODES);
        self.solver.reaches(&next, Target::new(i32::from(is_blue)), &limits) == Some(is_blue)
    }

    /// Return the sum of a move's win rate and the weighted expected score after it (Algorithm 2).
    fn merit(&self, position: &Position, mv: Move, node: &UctNode) -> f32 {
        let rate = match (node.solved, node.visits) {
            (true, _) => CERTAIN * node.value,
            (false, 0) => -1.0,
            (false, _) => node.value,
        };
        rate + self.weight * Expectation::of(position).after(position, mv)
    }
}

crate::player::dispatch! {
    /// Tell whether the player to move has won, or wins by one move.
    fn opponent_wins<'a>(position: &'a Position) -> bool = opponent_wins_body, ONE_PATH = true
}

fn opponent_wins_body<S: Simd>(position: &Position) -> bool {
    let won = Some(position.to_move().sign());
    decided::<S>(position) == won
        || position.legal_moves().any(|mv| decided::<S>(&position.after::<S>(mv)) == won)
}

impl Agent for Filtered {
    fn forget(&mut self) {
        // The tree is made anew for every move.
        self.solver = Solver::new(SOLVER_BYTES);
    }

    fn heed(&mut self, stop: &'static AtomicBool) {
        self.limits.stop = Some(stop);
    }

    fn choose(&mut self, position: &Position, remaining: Duration) -> Choice {
        let begin = Instant::now();
        let share = even_share(position, remaining);
        let [half, whole] =
            [share / 2, share].map(|time| Limits { deadline: Some(begin + time), ..self.limits });
        let moves = self.filter(position, &half);
        let (moves, nodes) = self.tree.search(position, &moves, &whole);
        Choice {
            nodes,
            elapsed: begin.elapsed(),
            ..best_by(&moves, |mv, node| self.merit(position, mv, node))
        }
    }
}
