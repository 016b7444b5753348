//! The games of an iteration: a match of θ⁺ against θ⁻.

use std::fmt;
use std::time::Duration;

use super::{Axis, Trial};
use crate::runner::Match;
use crate::runner::bots::{Bot, Builtin, PlayerSpec};
use crate::runner::game::Rules;
use crate::runner::schedule::{Game, Schedule, Shard, text_key};

/// The most points that one game counts for, won or lost: six standard deviations of a game between strong
/// bots. A forfeit counts as much, as otherwise one overrun would outweigh a hundred games.
pub const MOST: i16 = 10;

/// What limits the thinking.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Control {
    /// Iterations a move: the same seed gives the same games.
    Nodes(u64),
    /// Time for a whole game of each player.
    Time(Duration),
}

impl fmt::Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Control::Nodes(nodes) => write!(f, "{nodes} nodes a move"),
            Control::Time(time) => write!(f, "{} s a game", time.as_secs_f64()),
        }
    }
}

/// How iterations are played.
#[derive(Clone, Debug)]
pub struct Games {
    /// The built-in player that is tuned, with its fixed options.
    pub player: Builtin,
    /// What limits its thinking.
    pub control: Control,
    /// Pairs of games an iteration.
    pub pairs: u64,
    /// Games at the same time.
    pub concurrency: usize,
}

impl Games {
    /// Make a player with these values of the axes.
    pub fn player(&self, axes: &[Axis], values: &[f32]) -> Builtin {
        let mut player = self.player.clone();
        let values = axes.iter().zip(values);
        player.options.extend(values.map(|(axis, value)| (axis.name.to_owned(), value.to_string())));
        if let Control::Nodes(nodes) = self.control {
            player.options.push(("nodes".to_owned(), nodes.to_string()));
        }
        player
    }

    /// Make the match of a trial: θ⁺ is bot 0, θ⁻ bot 1. Its openings are its own.
    pub fn of(&self, trial: &Trial, axes: &[Axis]) -> Match {
        let time = match self.control {
            // A day: nobody looks at the clock.
            Control::Nodes(_) => Duration::from_secs(86_400),
            Control::Time(time) => time,
        };
        let bots = [("plus", &trial.plus), ("minus", &trial.minus)].map(|(name, values)| {
            let player = PlayerSpec::Builtin(self.player(axes, values));
            Bot { name: name.to_owned(), player, time }
        });
        let keys = bots.iter().map(|bot| text_key(&bot.name)).collect();
        let schedule = Schedule {
            seed: trial.seed,
            openings: Vec::new(),
            pairs: self.pairs,
            keys,
            pairings: vec![(0, 1)],
            shard: Shard::ALL,
        };
        // Built-in players have no start-up of their own.
        let rules = Rules { startup: time };
        Match { bots: bots.into(), schedule, rules, concurrency: self.concurrency }
    }
}

/// Return the points of θ⁺ out of those of Red and Blue.
pub fn points_of_plus(game: &Game, points: [u8; 2]) -> u8 {
    points[usize::from(game.bots[0] != 0)]
}

/// Return the mean signed score a game of θ⁺ from its points in each, a game counting for [`MOST`] points at
/// most; 0 for no games.
pub fn score(points: &[u8]) -> f64 {
    let counted = |&points: &u8| i64::from((i16::from(points) - 75).clamp(-MOST, MOST));
    points.iter().map(counted).sum::<i64>() as f64 / points.len().max(1) as f64
}
