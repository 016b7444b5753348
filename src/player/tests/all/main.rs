//! Properties of the player as its users see them: one binary, a module for each part.

mod alpha;
mod clock;
mod dialogue;
mod engine;
mod opponent;
mod rules;
mod search;
mod signature;
mod solver;
