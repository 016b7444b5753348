//! A player of Black Hole (CodeCup 2018), an exact solver of its endings, and the tools of a bot's
//! author.
//!
//! - [`player`]: what a tournament gets. It knows nothing of the two others.
//! - [`workshop`]: what its author needs: sparring players, matches, studies.
//! - [`cli`]: the command line.
//!
//! `src/trainer`, a package that uses this library, makes the weights of the player's network.

pub mod cli;
pub mod workshop;

pub use blackhole_player as player;
