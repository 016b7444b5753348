//! What every player of whole games offers, ours and the sparring partners alike.

use std::time::Duration;

use crate::player::alpha::Target;
use crate::player::board::Move;
use crate::player::position::Position;

/// A player of whole games.
pub trait Agent {
    /// Choose a legal move for the player to move.
    ///
    /// `remaining` is the thinking time left to this player for the rest of the game, this move
    /// included; the agent plans with it. The position has at least two empty cells. Positions may come
    /// in any order: an agent may keep what it learned from the one before, but must not rely on it.
    fn choose(&mut self, position: &Position, remaining: Duration) -> Choice;

    /// Begin anew with nothing kept from earlier moves. Called after [`choose`](Agent::choose) panicked or
    /// returned an illegal move: what it left half done must not be built on. A player that keeps nothing
    /// from one move to the next has nothing to do.
    fn forget(&mut self) {}
}

/// A chosen move, and in short why: one line on stderr for each move.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The move.
    pub mv: Move,
    /// How it was found.
    pub reason: Reason,
    /// The target it aims at, if the agent has one. For a solved position the hardest that its exact value
    /// reaches for the player to move: the value for Red, value + 1 for Blue.
    pub target: Option<Target>,
    /// The estimated chance of the player to move to reach the target, 0..=1.
    pub value: f32,
    /// Iterations or solver nodes spent.
    pub nodes: u64,
    /// Time spent.
    pub elapsed: Duration,
}

impl Choice {
    /// Report a move found without search.
    pub fn unsearched(mv: Move) -> Choice {
        let (reason, elapsed) = (Reason::Unsearched, Duration::ZERO);
        Choice { mv, reason, target: None, value: 0.5, nodes: 0, elapsed }
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
    /// To make the most of an opponent who gives points away; it keeps the target named with it.
    Exploiting,
    /// The time is all but gone: a sound move without search.
    Hurried,
    /// Without search, as simple players do.
    Unsearched,
}
