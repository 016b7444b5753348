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
    /// Choose a legal move in a position of at least two empty cells, which may belong to another
    /// game than the last one; `remaining` is the thinking time for this move and all later ones.
    fn choose(&mut self, position: &Position, remaining: Duration) -> Choice;

    /// Forget everything about earlier moves after a panic or an illegal move: its data may be inconsistent.
    fn forget(&mut self) {}

    /// From now on choose at once when a flag is raised; a player that thinks long looks at the flag as
    /// often as at the clock.
    fn stop_when_raised(&mut self, _stop: &'static AtomicBool) {}
}

/// A chosen move with the facts of one line of notes.
#[derive(Clone, Debug)]
pub struct Choice {
    pub mv: Move,
    pub reason: Reason,
    /// The target that the move aims at, or secures if a proof decided; `None` if the agent has none.
    pub target: Option<Target>,
    /// The chance that the player to move reaches the target, 0..=1; without a target it has no meaning.
    pub chance: f32,
    /// The likeliest kind of the opponent and its chance, 0..=1; `None` before the first reply.
    pub opponent: Option<(Kind, f32)>,
    /// Iterations, playouts of a search without a tree, and solver nodes.
    pub nodes: u64,
    pub elapsed: Duration,
}

impl Choice {
    pub fn unsearched(mv: Move) -> Choice {
        let (reason, elapsed) = (Reason::Unsearched, Duration::ZERO);
        Choice { mv, reason, target: None, chance: 0.5, opponent: None, nodes: 0, elapsed }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The exact solver: the optimal move that is expected to bring most against this opponent.
    Solved,
    /// Counts on predictable replies to bring more than best play. Without a target the solver only failed to
    /// refute the move.
    Exploiting,
    /// Proven to secure at least the likely result of the other moves.
    Proven,
    /// Most iterations went through it: the best chance to reach the goal.
    MostVisits,
    /// The best chances to reach the goal and the next harder target, among moves about as good for the goal.
    Ahead,
    /// Almost no time is left.
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
            Reason::Ahead => "best ahead",
            Reason::Hurried => "hurried",
            Reason::Searched => "searched",
            Reason::Unsearched => "unsearched",
        })
    }
}
