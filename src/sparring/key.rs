//! The key of a position in the transposition tables of `negamax`, `uct` and `filtered`.

use crate::player::board::Player;
use crate::player::position::Position;

/// Return a hash of the empty cells, their scores, the hands and the mover: they decide the rest of the game.
pub(super) fn key(position: &Position) -> u64 {
    let mix =
        |state: u64, part: u64| (state ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ part;
    let [red, blue] = Player::BOTH.map(|player| u64::from(position.hand(player).bits()));
    let start = mix(mix(position.empty().bits(), red << 16 | blue), position.to_move() as u64);
    position.empty().into_iter().fold(start, |state, cell| mix(state, position.score(cell) as u64))
}
