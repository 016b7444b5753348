//! `filtered`: bad moves out first, then UCT, then a choice that listens to a static evaluation.

use std::time::{Duration, Instant};

use super::clock::even_share;
use super::options::PlayerOptions;
use super::tree::{RootMove, TreeSettings, UctTree, best_by, decided};
use crate::player::agent::{Agent, Choice};
use crate::player::alpha::{Status, Target};
use crate::player::board::{Move, Player};
use crate::player::limits::Limits;
use crate::player::opponent::expectation::expected_score;
use crate::player::position::Position;
use crate::player::rng::Random;
use crate::player::simd::{Portable, Simd};
use crate::player::solver::Solver;

/// After Vaquier's Pentago report: moves after which the opponent has won within two plies are
/// removed before the search (§2.3.1), UCT with 1, 0 and -1 for won, drawn and lost (§2.3.2), and
/// of the moves the one of the highest win rate plus a weighted static evaluation (§2.3.3).
///
/// "Won" is the counting argument on dead cells, and near the end the exact solver; the static
/// evaluation is the expected final score in points.
pub(super) struct Filtered {
    tree: UctTree,
    solver: Solver,
    weight: f32,
    solve: u32,
}

/// What a solved win is worth in win rates, beyond any evaluation.
const CERTAIN: f32 = 1e3;
/// Solver nodes for one move, and the size of its table.
const SOLVER_NODES: u64 = 4_000;
const SOLVER_BYTES: usize = 1 << 20;

impl Filtered {
    pub fn new(options: &mut PlayerOptions, random: Random) -> Result<Filtered, String> {
        Ok(Filtered {
            tree: UctTree::new(TreeSettings::of(options)?, random),
            solver: Solver::new(SOLVER_BYTES),
            weight: options.number("weight", 0.0..=10.0)?.unwrap_or(0.05),
            solve: options.number("solve", 0..=20)?.unwrap_or(14),
        })
    }

    /// Return the moves that are not bad, or all when all are.
    fn filter(&mut self, position: &Position, limits: &Limits) -> Vec<Move> {
        let good = position.legal_moves().filter(|&mv| !self.is_bad(position, mv, limits));
        let good: Vec<Move> = good.collect();
        if good.is_empty() { position.legal_moves().collect() } else { good }
    }

    /// Tell whether the opponent is seen to win after a move, within two plies or by the solver.
    fn is_bad(&mut self, position: &Position, mv: Move, limits: &Limits) -> bool {
        if limits.reached(0) {
            return false;
        }
        let mover = position.to_move();
        let next = position.after::<Portable>(mv);
        if next.empty().len() <= self.solve {
            let limits = Limits { nodes: SOLVER_NODES, ..*limits };
            // Red has lost when 0 is out of reach, Blue when 1 is within it.
            let alpha = i32::from(mover.sign() < 0);
            let reached = self.solver.reaches(&next, Target::new(alpha), &limits);
            return reached == Some(mover.sign() < 0);
        }
        opponent_wins(&next)
    }

    /// Return the win rate of a move and the weighted expected score after it, as Algorithm 2 adds
    /// them.
    fn merit(&self, position: &Position, mv: &RootMove) -> f32 {
        let sign = f32::from(position.to_move().sign());
        let heuristic = sign * expected_score(&position.after::<Portable>(mv.mv));
        let rate = match (mv.solved, mv.visits) {
            (true, _) => CERTAIN * mv.value,
            (false, 0) => -1.0,
            (false, _) => mv.value,
        };
        rate + self.weight * heuristic
    }
}

crate::player::dispatch! {
    /// Tell whether the player to move has won or can play a move after which that is so.
    fn opponent_wins<'a>(position: &'a Position) -> bool = opponent_wins_body, ONE_PATH = true
}

#[inline(always)]
fn opponent_wins_body<S: Simd>(position: &Position) -> bool {
    let won = Some(position.to_move().sign());
    if let Some(outcome) = decided::<S>(position) {
        return Some(outcome) == won;
    }
    // Red must reach 1, Blue keep Red below 0.
    let mover = position.to_move();
    let status = Status::of::<S>(position, Target::new(i32::from(mover == Player::Red)));
    let need = status.need(position, mover);
    let hand = position.hand(mover);
    // As long as the other side has a stone for each of six neighbours, a move decides only cells
    // next to it, and the largest stone decides the most.
    let plain = position.hand(mover.opponent()).len() >= 6;
    let fits = |mv: &Move| {
        let reach = (mv.cell.neighbours() & status.undecided()).len() as i32;
        !plain || (reach >= need && Some(mv.stone) == hand.largest())
    };
    position.legal_moves().filter(fits).any(|mv| decided::<S>(&position.after::<S>(mv)) == won)
}

impl Agent for Filtered {
    fn forget(&mut self) {
        // The tree is made anew for every move.
        self.solver = Solver::new(SOLVER_BYTES);
    }

    fn choose(&mut self, position: &Position, remaining: Duration) -> Choice {
        let begin = Instant::now();
        let share = even_share(position, remaining);
        let moves = self.filter(position, &Limits::until(begin + share / 2));
        let (moves, nodes) = self.tree.search(position, &moves, &Limits::until(begin + share));
        Choice { nodes, elapsed: begin.elapsed(), ..best_by(&moves, |mv| self.merit(position, mv)) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::outcome;
    use super::*;
    use crate::player::testing;

    #[test]
    fn a_win_within_a_move_is_seen_as_by_trying_every_move() {
        let mut rng = testing::rng(5);
        let (mut wins, mut others) = (0, 0);
        for position in (0..200).flat_map(|_| testing::random_game(&mut rng).split_off(31 - 22)) {
            let won = Some(position.to_move().sign());
            let decided = |position: &Position| {
                outcome([1, 0].map(|alpha| testing::winner(position, Target::new(alpha))))
            };
            let wins_after = |mv| {
                let mut next = position;
                next.try_play(mv).is_ok() && decided(&next) == won
            };
            let slow = match decided(&position) {
                Some(outcome) => Some(outcome) == won,
                None => position.legal_moves().any(wins_after),
            };
            assert_eq!(opponent_wins(&position), slow, "{position:?}");
            *(if slow { &mut wins } else { &mut others }) += 1;
        }
        assert!(wins > 500 && others > 500, "{wins} and {others}");
    }
}
