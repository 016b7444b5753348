//! How much of a game's time a player may use: it is told only what is left.

use std::time::Duration;

use crate::player::position::Position;

/// Remembers the time a game began with.
#[derive(Default)]
pub(super) struct GameClock {
    total: Duration,
    empty: u32,
}

impl GameClock {
    /// Return the time the game began with. More empty cells or more time left than at the last move
    /// are taken for a new game.
    pub fn total(&mut self, position: &Position, remaining: Duration) -> Duration {
        let empty = position.empty().len();
        if empty >= self.empty || remaining > self.total {
            self.total = remaining;
        }
        self.empty = empty;
        self.total
    }
}

/// Return the time for a move of a player who spreads the time left evenly over the moves until the
/// game is mostly solved, with a reserve for the rest.
pub(super) fn even_share(position: &Position, remaining: Duration) -> Duration {
    let own = position.hand(position.to_move()).len();
    remaining.mul_f64(0.95) / (own.saturating_sub(2).max(1) + 1)
}
