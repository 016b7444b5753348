//! Moves against an opponent who looks no further than its own move.

use std::time::Instant;

use super::choose::Prospect;
use super::clock::HARD;
use crate::alpha::Target;
use crate::board::Player;
use crate::limits::Limits;
use crate::opponent::ReplyModel;
use crate::params::Params;
use crate::position::Position;
use crate::rng::Random;
use crate::search::{best_responses, Responses};
use crate::simd::Portable;
use crate::solver::Solver;

/// The best so many moves are tried for one that stakes no win.
const TRIES: usize = 8;
/// The part of the time that looks for them.
const SEARCHED: f32 = 0.75;

/// List the moves that bring most against such an opponent, the best first, if they bring more than
/// `sure`, which best play of both is taken to bring: final scores for the player to move. A win is
/// not staked, as far as [`HARD`] nodes of the solver can tell in what the search leaves of the
/// limits. Return the playouts, too.
pub(super) fn respond(
    position: &Position,
    model: &ReplyModel,
    params: &Params,
    random: &mut Random,
    solver: &mut Solver,
    sure: i32,
    limits: &Limits,
) -> (Vec<Prospect>, u64) {
    let part = limits.part(SEARCHED, Instant::now());
    let Responses { mut moves, playouts } = best_responses(position, model, params, random, &part);
    moves.truncate(TRIES);
    moves.retain(|&(_, score)| score > sure as f32);
    if moves.is_empty() {
        return (Vec::new(), playouts);
    }
    let mover = position.to_move();
    let win = Target::reached(mover, mover.sign());
    let (before, limits) = (solver.nodes(), limits.at_most(HARD));
    // Whether the player to move of the first position is proven to win.
    let mut wins = |position: &Position| {
        let red = solver.reaches(position, win, &limits.after(solver.nodes() - before));
        red.map(|red| red == (mover == Player::Red))
    };
    let won = position.empty().len() <= params.solve_from && wins(position) == Some(true);
    let mut keeps = |mv| !won || wins(&position.after::<Portable>(mv)) != Some(false);
    let kept = moves.iter().position(|&(mv, _)| keeps(mv)).unwrap_or(moves.len());
    let prospects = moves[kept..].iter();
    (prospects.map(|&(mv, score)| Prospect { expected: Some(score), ..Prospect::of(mv) }).collect(), playouts)
}
