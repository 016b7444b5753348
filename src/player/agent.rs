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
    /// The move.
    pub mv: Move,
    /// How it was found.
    pub reason: Reason,
    /// What decided for it.
    pub criterion: Criterion,
    /// The target it aims at, if the agent has one; of a solved move the hardest that it secures.
    pub target: Option<Target>,
    /// The chance that the player to move reaches the target, 0..=1; of no meaning without one.
    pub chance: f32,
    /// The kind that the opponent is taken for once it has replied, and how likely that is, 0..=1.
    pub opponent: Option<(Kind, f32)>,
    /// Iterations, playouts of a search without a tree, and solver nodes.
    pub nodes: u64,
    /// Thinking time.
    pub elapsed: Duration,
}

impl Choice {
    /// Report a move found without search.
    pub fn unsearched(mv: Move) -> Choice {
        let (reason, criterion, elapsed) = (Reason::Unsearched, Criterion::Static, Duration::ZERO);
        Choice { mv, reason, criterion, target: None, chance: 0.5, opponent: None, nodes: 0, elapsed }
    }
}

/// How a move was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// There was only one reasonable move.
    Forced,
    /// By the tree search.
    Searched,
    /// By the exact solver: the move is optimal.
    Solved,
    /// To gain more than best play from an opponent whose replies are foretold. Without a target
    /// nothing is secured, but a win.
    Exploiting,
    /// By the static formula, because time is all but gone.
    Hurried,
    /// Without search, by a player that never searches.
    Unsearched,
}

/// What decided for a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Criterion {
    /// It is expected to bring most from this opponent.
    Opponent,
    /// It is proven to secure at least what the others are likely to reach.
    Secured,
    /// Most iterations went through it: the best chance to reach the goal.
    MostVisited,
    /// Of moves about as good for the goal it has the best chance to reach the next harder target.
    Ahead,
    /// It looks best by the static formula.
    Static,
}

/// Writes it so that it may follow the word "by" or a colon.
impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Criterion::Opponent => "most expected of this opponent",
            Criterion::Secured => "proven",
            Criterion::MostVisited => "most visits",
            Criterion::Ahead => "chance of more",
            Criterion::Static => "static formula",
        })
    }
}
