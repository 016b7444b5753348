//! Floor 2: static judgement: what a position looks like without search.

use crate::board::{Move, Player};
use crate::lanes::Lanes;
use crate::position::Position;
use crate::target::{Reasonable, Status, Target};

/// Return the expected final score if all remaining stones fell at random on the empty cells: every empty
/// cell is the hole equally often, and an empty neighbour of it then holds each remaining stone equally
/// often.
pub fn expected_score(position: &Position) -> f32 {
    let cells = position.empty().len() as f32;
    if cells <= 1.0 {
        return position.final_score().map_or(0.0, f32::from);
    }
    let sum = |player| position.hand(player).iter().map(|stone| f32::from(stone.value())).sum::<f32>();
    let mean_stone = (sum(Player::Red) - sum(Player::Blue)) / (cells - 1.0);
    let total: f32 = position
        .empty()
        .into_iter()
        .map(|cell| f32::from(position.score(cell)) + mean_stone * position.free_neighbours(cell) as f32)
        .sum();
    total / cells
}

/// Weights of [`advantage`], fitted to exactly solved game positions of 15 to 21 empty cells.
struct Weights {
    tempo: f32,
    need: f32,
    control: f32,
    steepness: f32,
    settled: f32,
    own_pairs: f32,
    other_pairs: f32,
}

const WEIGHTS: Weights = Weights {
    tempo: 0.37,
    need: 1.85,
    control: 0.70,
    steepness: 2.0,
    settled: -0.71,
    own_pairs: -0.74,
    other_pairs: 0.70,
};

/// Return the log-odds that the player to move reaches the goal of α-Blackhole, by a static formula.
///
/// Terms: the difference of the dead cells both sides still need; how firmly each undecided cell is held,
/// relative to the largest stones that can still fall next to it; undecided cells with one empty
/// neighbour, which are settled by one stone; and pairs of a dead and an undecided cell, since a stone
/// that fills a dead cell next to undecided ones does not come for free.
pub fn advantage<L: Lanes>(position: &Position, status: &Status, target: Target) -> f32 {
    let mover = position.to_move();
    let other = mover.opponent();
    let sign = f32::from(mover.sign());
    let (own_best, other_best) = (
        position.hand(mover).largest_sums().to_le_bytes(),
        position.hand(other).largest_sums().to_le_bytes(),
    );
    let (mut control, mut settled) = (0.0, 0.0);
    for cell in status.undecided() {
        // Half a point turns "at least α" against "below α" into a sign.
        let lead = sign * (f32::from(position.score(cell)) - f32::from(target.alpha()) + 0.5);
        let free = position.free_neighbours(cell) as usize;
        let (own, theirs) = (f32::from(own_best[free]), f32::from(other_best[free]));
        control += (WEIGHTS.steepness * (2.0 * lead + own - theirs) / (own + theirs + 1.0)).clamp(-1.0, 1.0);
        if free == 1 {
            settled += lead.clamp(-8.0, 8.0) / 8.0;
        }
    }
    let pairs = |player| {
        let dead = status.dead(player);
        status.undecided().neighbour_shifts().iter().map(|&shifted| (shifted & dead).len()).sum::<u32>()
            as f32
    };
    WEIGHTS.tempo
        + WEIGHTS.need * (status.need(position, other) - status.need(position, mover)) as f32
        + WEIGHTS.control * control
        + WEIGHTS.settled * settled
        + WEIGHTS.own_pairs * pairs(mover)
        + WEIGHTS.other_pairs * pairs(other)
}

/// Choose the reasonable move after which the opponent looks worst for `target`: a sound move in some ten
/// microseconds. `None` when the game is over.
pub fn quick_move<L: Lanes>(position: &Position, target: Target) -> Option<Move> {
    let mover = position.to_move();
    let status = Status::of::<L>(position, target);
    let rank = |mv: Move| {
        let next = position.after::<L>(mv);
        let status = Status::of::<L>(&next, target);
        match status.winner(&next) {
            Some(winner) if winner == mover => f32::MAX,
            Some(_) => f32::MIN,
            None => -advantage::<L>(&next, &status, target),
        }
    };
    let moves = Reasonable::of(position, &status).moves(position.hand(mover));
    moves.map(|mv| (mv, rank(mv))).max_by(|a, b| a.1.total_cmp(&b.1)).map(|(mv, _)| mv)
}
