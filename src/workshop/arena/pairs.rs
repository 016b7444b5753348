//! Game pairs: two games of one opening with colours swapped, the unit of the statistics.

use std::collections::BTreeMap;

use super::journal::Entry;
use crate::workshop::fnv;

/// A pair of games, from the view of one bot.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GamePair {
    /// The number of the opening.
    pub round: u64,
    /// The bot's points in the two games.
    pub points: [u8; 2],
    /// A hash of the moves of both games.
    pub moves: u64,
}

impl GamePair {
    /// Return the bot's mean points a game.
    pub fn mean(&self) -> f64 {
        self.points.map(f64::from).iter().sum::<f64>() / 2.0
    }
}

/// Finds the pairs of one bot among games in any order; each game is given once.
#[derive(Clone, Debug)]
pub struct PairFinder {
    pub bot: String,
    /// The points and the moves' hash of each game still without the other colour.
    single: BTreeMap<(u64, u64, String), (u8, u64)>,
}

impl PairFinder {
    /// Look for the pairs of a bot.
    pub fn new(bot: &str) -> PairFinder {
        PairFinder { bot: bot.to_owned(), single: BTreeMap::new() }
    }

    /// Add a game; return the opponent and the pair if it completes one.
    pub fn add<'a>(&mut self, game: &'a Entry) -> Option<(&'a str, GamePair)> {
        let side = game.side_of(&self.bot)?;
        let opponent = game.names()[1 - side];
        let (points, moves) = (game.points[side], moves_hash(game));
        let key = (game.settings, game.round, opponent.to_owned());
        let Some((before, others)) = self.single.remove(&key) else {
            self.single.insert(key, (points, moves));
            return None;
        };
        Some((
            opponent,
            GamePair { round: game.round, points: [before, points], moves: others.wrapping_add(moves) },
        ))
    }

    /// List the bot's points in games still without the other colour.
    pub fn singles(&self) -> impl Iterator<Item = u8> {
        self.single.values().map(|game| game.0)
    }
}

/// Return a hash of a game's moves; the sum over both games is the pair's hash.
fn moves_hash(game: &Entry) -> u64 {
    let mut blocked = game.blocked;
    blocked.sort_unstable();
    fnv::text(&format!("{} {blocked:?} {:?}", game.red, game.moves))
}
