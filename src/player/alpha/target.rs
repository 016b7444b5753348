//! The target α of α-Blackhole.

use std::fmt;

use crate::board::Player;
use crate::position::{Score, MAX_SCORE};

/// A target α, -75..=75: Red wins α-Blackhole when the final score is at least α, otherwise Blue wins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target(Score);

impl Target {
    pub const COUNT: usize = 2 * MAX_SCORE as usize + 1;

    /// Make the target α, clamped to -75..=75.
    #[inline(always)]
    pub fn new(alpha: i32) -> Target {
        Target(alpha.clamp(i32::from(-MAX_SCORE), i32::from(MAX_SCORE)) as Score)
    }

    /// List all targets, ascending.
    pub fn all() -> impl DoubleEndedIterator<Item = Target> {
        (-MAX_SCORE..=MAX_SCORE).map(Target)
    }

    pub const fn alpha(self) -> Score {
        self.0
    }

    /// Return the hardest target that a final score reaches for `player`: Blue keeps a score of
    /// `score` below `score` + 1.
    pub fn reached(player: Player, score: impl Into<i32>) -> Target {
        Target::new(score.into() + i32::from(player == Player::Blue))
    }

    /// Return the final score for `player` that reaching the target secures: the larger, the harder the target.
    pub fn secured(self, player: Player) -> i32 {
        i32::from(player.sign()) * i32::from(self.0) + i32::from(player == Player::Blue)
    }

    /// Return the target that is `steps` harder for `player` (higher for Red, lower for Blue).
    pub fn harder(self, player: Player, steps: i32) -> Target {
        Target::new(i32::from(self.0) + i32::from(player.sign()) * steps)
    }

    /// Return α + 75, the target's place in a table of [`COUNT`](Target::COUNT) entries.
    pub const fn index(self) -> usize {
        (self.0 as i16 + MAX_SCORE as i16) as usize
    }

    pub fn winner(self, score: Score) -> Player {
        if score >= self.0 {
            Player::Red
        } else {
            Player::Blue
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

crate::board::debug_as_displayed!(Target);
