//! The trait of all players of whole games: the engine and the built-in opponents.

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::alpha::Target;
use crate::board::Move;
use crate::opponent::Kind;
use crate::position::Position;

/// A player of whole games, on any thread.
pub trait Agent: Send {
    /// Choose a legal move in a position of at least two empty cells, which may be of another game
    /// than the last one; `remaining` is the thinking time for this move and all later ones.
    fn choose(&mut self, position: &Position, remaining: Duration) -> Choice;

    /// Forget everything about earlier moves, after a panic or an illegal move: what was kept may be
    /// half done.
    fn forget(&mut self) {}

    /// From now on choose at once when a flag is raised; players that think for long look at it as
    /// often as at the clock.
    fn heed(&mut self, _stop: &'static AtomicBool) {}
}

/// A chosen move and why, as far as one line of notes tells.
#[derive(Clone, Debug)]
pub struct Choice {
    pub mv: Move,
    /// What decided for it.
    pub reason: Reason,
    /// The target it aims at, if the agent has one; what it secures, where that decided.
    pub target: Option<Target>,
    /// The chance that the player to move reaches the target, 0..=1; of no meaning without one.
    pub chance: f32,
    /// The kind that the opponent is taken for once it has replied, and how likely that is, 0..=1.
    pub opponent: Option<(Kind, f32)>,
    /// Iterations, playouts of a search without a tree, and solver nodes.
    pub nodes: u64,
    pub elapsed: Duration,
}

impl Choice {
    /// Report a move found without search.
    pub fn unsearched(mv: Move) -> Choice {
        let (reason, elapsed) = (Reason::Unsearched, Duration::ZERO);
        Choice { mv, reason, target: None, chance: 0.5, opponent: None, nodes: 0, elapsed }
    }
}

/// What decided for a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The exact solver: the move is optimal, and of those the one that is expected to bring most from
    /// this opponent.
    Solved,
    /// It is expected to bring more than best play from an opponent whose replies are foretold. Without
    /// a target nothing is secured, but a win.
    Exploiting,
    /// It is proven to secure at least what the others are likely to reach.
    Proven,
    /// Most iterations went through it: the best chance to reach the goal.
    MostVisits,
    /// Of moves about as good for the goal it has the best chance to reach the next harder target.
    Ahead,
    /// A glance: the time is all but gone.
    Hurried,
    /// The search of another player.
    Searched,
    /// The rule of a player that never searches.
    Unsearched,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Solved => "solved",
            Reason::Exploiting => "exploiting",
            Reason::Proven => "proven",
            Reason::MostVisits => "most visits",
            Reason::Ahead => "chance of more",
            Reason::Hurried => "hurried",
            Reason::Searched => "searched",
            Reason::Unsearched => "unsearched",
        })
    }
}
