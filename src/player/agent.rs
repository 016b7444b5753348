//! The trait of all players of whole games: the engine and the built-in opponents.

use std::fmt;
use std::time::Duration;

use crate::alpha::Target;
use crate::board::Move;
use crate::opponent::Kind;
use crate::position::Position;

/// A player of whole games, on any thread.
pub trait Agent: Send {
    /// Choose a legal move for the player to move.
    ///
    /// `remaining` is the player's thinking time for the rest of the game, this move included. The
    /// position has at least two empty cells. Positions may come in any order: what an agent keeps
    /// from one to the next must not matter if the next is another game's.
    fn choose(&mut self, position: &Position, remaining: Duration) -> Choice;

    /// Forget everything about earlier moves. Called when [`choose`](Agent::choose) panicked or
    /// returned an illegal move, because what it kept may be half done. A player that keeps nothing
    /// need do nothing.
    fn forget(&mut self) {}
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
    /// The target it aims at, if the agent has one. In a solved position the hardest target that
    /// the player to move reaches: the exact value for Red, the value + 1 for Blue.
    pub target: Option<Target>,
    /// The estimated chance that the player to move reaches the target, 0..=1; of no meaning without
    /// one.
    pub chance: f32,
    /// The kind that the opponent is taken for, and how likely it is that, 0..=1; `None` before its
    /// first reply and from agents that do not ask.
    pub opponent: Option<(Kind, f32)>,
    /// Iterations, playouts of a search without a tree, and solver nodes.
    pub nodes: u64,
    /// Thinking time.
    pub elapsed: Duration,
}

impl Choice {
    /// Report a move found without search.
    pub fn unsearched(mv: Move) -> Choice {
        let (reason, elapsed) = (Reason::Unsearched, Duration::ZERO);
        Choice {
            mv,
            reason,
            criterion: Criterion::Static,
            target: None,
            chance: 0.5,
            opponent: None,
            nodes: 0,
            elapsed,
        }
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
    /// To gain more than best play from an opponent whose replies are foretold. In a solved position
    /// the target is what is kept whatever the opponent does; without one nothing is, but a win.
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
            Criterion::Ahead => "best chance of more",
            Criterion::Static => "static formula",
        })
    }
}
