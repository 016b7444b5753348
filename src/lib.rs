//! A player of Black Hole (CodeCup 2018): the EventHorizon method, an exact endgame solver, and the tools
//! around them. Floors, each importing only from floors below its own:
//!
//! - floor 0: [`board`] (cells, stones, hands, moves), [`lanes`] (vector operations, both paths)
//! - floor 1: [`position`] (play, scores, legality)
//! - floor 2: [`target`] (α-Blackhole: dead, stale, decided, reasonable), [`judge`] (static judgement)
//! - floor 3: [`mcts`] (UCT-RAVE), [`solver`] (exact play), [`params`], [`limits`], [`rng`], [`agent`] (the
//!   trait of all players)
//! - floor 4: [`engine`] (Algorithm 1), [`clock`] (the time plan)

pub mod agent;
pub mod board;
pub mod clock;
pub mod engine;
pub mod judge;
pub mod lanes;
pub mod limits;
pub mod mcts;
pub mod params;
pub mod position;
pub mod rng;
pub mod solver;
pub mod target;
