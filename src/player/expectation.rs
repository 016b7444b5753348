//! The expected score: the mean of all random continuations; and the moves of players who follow it.

use crate::board::{Hand, Move, Player, MAX_LEGAL_MOVES};
use crate::position::Position;
use crate::rng::{unit, Random};

/// The sums that make the expected score of a position: every empty cell is the hole equally often, and each
/// of the hole's empty neighbours then holds each remaining stone equally often.
pub struct Expectation {
    cells: f32,
    scores: f32,
    free: f32,
    stones: f32,
}

impl Expectation {
    #[inline(always)]
    pub fn of(position: &Position) -> Expectation {
        let (mut scores, mut free) = (0, 0);
        for cell in position.empty() {
            scores += i32::from(position.score(cell));
            free += position.free_neighbours(cell);
        }
        let sum = |player| position.hand(player).iter().map(|stone| i32::from(stone.value())).sum::<i32>();
        let stones = (sum(Player::Red) - sum(Player::Blue)) as f32;
        Expectation { cells: position.empty().len() as f32, scores: scores as f32, free: free as f32, stones }
    }

    /// Return the expected final score, red minus blue.
    pub fn score(&self) -> f32 {
        let mean_stone = if self.cells > 1.0 { self.stones / (self.cells - 1.0) } else { 0.0 };
        (self.scores + mean_stone * self.free) / self.cells
    }

    /// Return the expected final score after a move, for the player who makes it.
    #[inline(always)]
    pub fn after(&self, position: &Position, mv: Move) -> f32 {
        let sign = f32::from(position.to_move().sign());
        let stone = sign * f32::from(mv.stone.value());
        let around = position.free_neighbours(mv.cell) as f32;
        let after = Expectation {
            cells: self.cells - 1.0,
            scores: self.scores - f32::from(position.score(mv.cell)) + stone * around,
            free: self.free - 2.0 * around,
            stones: self.stones - stone,
        };
        sign * after.score()
    }
}

/// List the moves with one of the `stones`, the smallest stone first.
pub fn moves_with(position: &Position, stones: Hand) -> impl Iterator<Item = Move> {
    let cells = position.empty();
    stones.iter().flat_map(move |stone| cells.into_iter().map(move |cell| Move { cell, stone }))
}

/// Draw a move with one of the `stones`, some of the mover's hand, by its [chance](chances).
pub fn likely_move(position: &Position, stones: Hand, sharpness: f32, random: &mut Random) -> Move {
    let expectation = Expectation::of(position);
    let mut scores = [0.0; MAX_LEGAL_MOVES];
    let (mut count, mut best) = (0, f32::MIN);
    // Plain loops: the compiler makes vectors of them.
    for stone in stones.iter() {
        for cell in position.empty() {
            scores[count] = expectation.after(position, Move { cell, stone });
            best = best.max(scores[count]);
            count += 1;
        }
    }
    let mut sum = 0.0;
    for score in &mut scores[..count] {
        sum += rough_exp(sharpness * (*score - best));
        *score = sum;
    }
    let drawn = unit(random.bits()) * sum;
    let chosen = scores[..count].iter().position(|&upto| drawn < upto).unwrap_or(0);
    moves_with(position, stones).nth(chosen).expect("a move for each score")
}

/// List the moves with one of the `stones`, each with its chance, 0..=1, for a player who follows the
/// expected score; a move that expects one point more is e^sharpness times as likely.
pub fn chances(position: &Position, stones: Hand, sharpness: f32) -> Vec<(Move, f32)> {
    let expectation = Expectation::of(position);
    let scored = moves_with(position, stones).map(|mv| (mv, expectation.after(position, mv)));
    let mut moves: Vec<(Move, f32)> = scored.collect();
    into_chances(&mut moves, sharpness);
    moves
}

/// Turn values of moves into chances that sum to 1; a move worth one unit more is e^sharpness times as likely.
pub fn into_chances(moves: &mut [(Move, f32)], sharpness: f32) {
    let best = moves.iter().map(|&(_, merit)| merit).fold(f32::MIN, f32::max);
    moves.iter_mut().for_each(|(_, merit)| *merit = rough_exp(sharpness * (*merit - best)));
    let sum: f32 = moves.iter().map(|&(_, weight)| weight).sum();
    moves.iter_mut().for_each(|(_, weight)| *weight /= sum);
}

/// Return about e^x for x <= 0, the same bits on every machine.
#[inline(always)]
fn rough_exp(x: f32) -> f32 {
    let root = (1.0 + x / 16.0).max(0.0);
    let fourth = root * root * root * root;
    fourth * fourth * fourth * fourth
}

#[inline(always)]
pub fn greedy_move(position: &Position) -> Move {
    first_best(position, position.hand(position.to_move()))
}

/// Return the move with one of the `stones` that has the best expected score, of equals the first. On each
/// cell the score rises or falls with the stone: the best stone is the smallest or the largest.
#[inline(always)]
pub fn first_best(position: &Position, stones: Hand) -> Move {
    let expectation = Expectation::of(position);
    let (mut best, mut most) = (None, f32::NEG_INFINITY);
    for stone in [stones.smallest(), stones.largest()].into_iter().flatten() {
        for cell in position.empty() {
            let mv = Move { cell, stone };
            let score = expectation.after(position, mv);
            if score > most {
                (best, most) = (Some(mv), score);
            }
        }
    }
    best.expect("a position that goes on")
}
