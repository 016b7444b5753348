//! `filtered`: bad moves out first, then UCT, then a choice that listens to a static evaluation.

use std::time::{Duration, Instant};

use super::BadOption;
use super::options::Options;
use super::tree::{RootMove, Settings, Tree, decided};
use super::uct::{even_share, searched};
use crate::player::agent::{Agent, Choice};
use crate::player::alpha::{Status, Target};
use crate::player::board::{Move, Player};
use crate::player::evaluation::expected_score;
use crate::player::limits::Limits;
use crate::player::position::Position;
use crate::player::rng::Random;
use crate::player::simd::{Portable, Simd};
use crate::player::solver::Solver;

/// After Vaquier's Pentago report: moves after which the opponent has won within two plies are removed
/// before the search (§2.3.1), UCT with 1, 0 and -1 for won, drawn and lost (§2.3.2), and of the moves the
/// one of the highest win rate plus a weighted static evaluation (§2.3.3).
///
/// "Won" is the counting argument on dead cells, and near the end the exact solver; the static
/// evaluation is the expected final score in points.
pub(super) struct Filtered {
    tree: Tree,
    solver: Solver,
    weight: f32,
    solve: u32,
}

/// What a solved win is worth, and a solved loss costs, in win rates.
const CERTAIN: f32 = 1e3;

/// What the solver may spend on one move, in nodes.
const SOLVER_NODES: u64 = 4_000;

/// The size of the solver's table.
const SOLVER_BYTES: usize = 1 << 20;

impl Filtered {
    pub fn new(options: &Options, rng: Random) -> Result<Filtered, BadOption> {
        let settings = Settings {
            exploration: options.number("c", 0.0..=10.0, 0.3)?,
            bonus: 0.0,
            discount: 1.0,
            knowledge: options.number("knowledge", 0..=1_000_000, 8)?,
        };
        Ok(Filtered {
            tree: Tree::new(settings, rng),
            solver: Solver::new(SOLVER_BYTES),
            weight: options.number("weight", 0.0..=10.0, 0.05)?,
            solve: options.number("solve", 0..=20, 14)?,
        })
    }

    /// Return the moves that are not bad, or all when all are.
    fn filter(&mut self, position: &Position, limits: &Limits) -> Vec<Move> {
        let all: Vec<Move> = position.legal_moves().collect();
        let good: Vec<Move> = all.iter().copied().filter(|&mv| !self.is_bad(position, mv, limits)).collect();
        if good.is_empty() { all } else { good }
    }

    /// Tell whether the opponent has a forced win after a move, as far as two plies or the solver show.
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
}

crate::player::dispatch! {
    /// Tell whether the player to move has won or can play a move after which that is so.
    fn opponent_wins<'a>(position: &'a Position) -> bool = opponent_wins_body
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
    // As long as the other side has a stone for each of six neighbours, a move decides only cells next to it,
    // and the largest stone decides the most.
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
        let sign = f32::from(position.to_move().sign());
        let merit = |mv: &RootMove| {
            let heuristic = sign * expected_score(&position.after::<Portable>(mv.mv));
            let rate = match (mv.solved, mv.visits) {
                // Algorithm 2: a win or a loss is beyond any evaluation.
                (true, _) => CERTAIN * mv.value,
                // A move never visited has no win rate.
                (false, 0) => -1.0,
                (false, _) => mv.value,
            };
            rate + self.weight * heuristic
        };
        let best = moves.iter().max_by(|a, b| merit(a).total_cmp(&merit(b)));
        searched(best.expect("a position with a move to play"), nodes, begin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::board::Cell;
    use crate::workshop::players::random::random_move;

    #[test]
    fn a_win_within_a_move_is_seen_as_by_trying_every_move() {
        let mut rng = Random::new(5);
        let (mut wins, mut others) = (0, 0);
        for game in 0..400 {
            let blocked =
                (game..game + 5).map(|n| Cell::from_ordinal((7 * n) % 36).expect("a cell")).collect();
            let mut position = Position::codecup(blocked).expect("five cells");
            while position.empty().len() > 1 {
                position.play::<Portable>(random_move::<Portable>(&position, &mut rng));
                if position.empty().len() > 22 {
                    continue;
                }
                let won = Some(position.to_move().sign());
                let slow = match decided::<Portable>(&position) {
                    Some(outcome) => Some(outcome) == won,
                    None => position
                        .legal_moves()
                        .any(|mv| decided::<Portable>(&position.after::<Portable>(mv)) == won),
                };
                assert_eq!(opponent_wins(&position), slow, "{position:?}");
                *(if slow { &mut wins } else { &mut others }) += 1;
            }
        }
        assert!(wins > 500 && others > 500, "{wins} and {others}");
    }
}
