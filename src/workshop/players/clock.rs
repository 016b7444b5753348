//! How much of a game's time a player may use, and has used: it is told only what is left.

use std::time::Duration;

use crate::player::position::Position;

/// Remembers the time a game began with.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GameClock {
    total: Duration,
    empty: u32,
}

impl GameClock {
    /// Return the share of the game's time that is used, 0..=1, when `remaining` is left in
    /// `position`.
    ///
    /// More empty cells or more time than the last time are taken for a new game.
    pub fn used(&mut self, position: &Position, remaining: Duration) -> f32 {
        let empty = position.empty().len();
        if empty >= self.empty || remaining > self.total {
            self.total = remaining;
        }
        self.empty = empty;
        if self.total.is_zero() { 1.0 } else { 1.0 - remaining.as_secs_f32() / self.total.as_secs_f32() }
    }
}

/// Return the time for a move of a player who spreads the time left evenly over the moves until the
/// game is mostly solved, with a reserve for the rest.
pub(super) fn even_share(position: &Position, remaining: Duration) -> Duration {
    let own = position.hand(position.to_move()).len();
    remaining.mul_f64(0.95) / (own.saturating_sub(2).max(1) + 1)
}
