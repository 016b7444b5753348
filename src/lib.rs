//! A player of Black Hole (CodeCup 2018): the EventHorizon method, an exact endgame solver, and the tools
//! around them. Floors, each importing only from floors below its own:
//!
//! - floor 0: [`board`] (cells, stones, hands, moves), [`lanes`] (vector operations, both paths),
//!   [`input`] (bounded lines of text and what is wrong with them)
//! - floor 1: [`position`] (play, scores, legality), [`record`] (a whole game as text)
//! - floor 2: [`target`] (α-Blackhole: dead, stale, decided, reasonable), [`dominance`] (superfluous moves),
//!   [`judge`] (static judgement)
//! - floor 3: [`mcts`] (UCT-RAVE), [`solver`] (exact play), [`params`], [`limits`], [`rng`], [`agent`] (the
//!   trait of all players), `expectation` (who follows the expected score), [`exploit`] (what beats weak
//!   opponents)
//! - floor 4: [`engine`] (Algorithm 1), [`clock`] (the time plan), [`sparring`] (players of other papers)
//! - floor 5: [`protocol`] (the referee's lines), [`bot`] (a player's end of the dialogue),
//!   [`runner`] (bot against bot), [`tune`] (tunables found by games),
//!   [`evaluation`] (estimators against exact values)
//! - floor 6: [`cli`] (the command line)

pub mod agent;
pub mod board;
pub mod bot;
pub mod cli;
pub mod clock;
pub mod dominance;
pub mod engine;
pub mod evaluation;
mod expectation;
pub mod exploit;
pub mod input;
pub mod judge;
pub mod lanes;
pub mod limits;
pub mod mcts;
pub mod params;
pub mod position;
pub mod protocol;
pub mod record;
pub mod rng;
pub mod runner;
pub mod solver;
pub mod sparring;
pub mod target;
pub mod tune;

pub(crate) use lanes::dispatch;
