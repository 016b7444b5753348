//! The expected final score if all remaining stones fell at random: the evaluation of the Cachex players.

use crate::board::Player;
use crate::position::Position;

/// Return the exact expectation of the final score, red minus blue, when the rest of the game is played
/// by drawing cells and stones at random; in a finished game the score itself.
///
/// Every empty cell is the hole with the same probability `1/n`. Given that cell `i` is the hole, each of
/// its `f_i` empty neighbours receives a stone, each remaining stone equally likely: the red stones sum to
/// `R`, the blue to `B`, and together they are `n - 1`. By linearity the cell ends at `s_i + f_i (R - B) / (n - 1)`,
/// so the expectation is `(Σ s_i + (R - B) / (n - 1) · Σ f_i) / n`.
pub(super) fn expected_score(position: &Position) -> f32 {
    let empty = position.empty();
    let count = empty.len() as f32;
    let (mut scores, mut free) = (0, 0);
    for cell in empty {
        scores += i32::from(position.score(cell));
        free += position.free_neighbours(cell);
    }
    let sum = |player| position.hand(player).iter().map(|stone| i32::from(stone.value())).sum::<i32>();
    let stones = (sum(Player::Red) - sum(Player::Blue)) as f32;
    let each = if empty.len() > 1 { stones / (count - 1.0) } else { 0.0 };
    (scores as f32 + each * free as f32) / count
}
