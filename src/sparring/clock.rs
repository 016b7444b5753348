//! The time of a whole game: a player gets only the time left.

use std::time::Duration;

use crate::player::position::Position;

/// Remembers the time at a game's beginning.
#[derive(Default)]
pub(super) struct GameClock {
    total: Duration,
    empty: u32,
}

impl GameClock {
    /// Return the time at the game's beginning. More empty cells or more time left than at the last move mean
    /// a new game.
    pub fn total(&mut self, position: &Position, remaining: Duration) -> Duration {
        let empty = position.empty().len();
        if empty >= self.empty || remaining > self.total {
            self.total = remaining;
        }
        self.empty = empty;
        self.total
    }
}
