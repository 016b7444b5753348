//! Game pairs: two games of one opening with colours swapped, the unit of the statistics.

use std::collections::BTreeMap;

use super::journal::Entry;
use crate::workshop::fnv;

/// A pair of games, from the view of one bot.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GamePair<'a> {
    /// The bot and its opponent.
    pub names: [&'a str; 2],
    /// The number of the opening.
    pub round: u64,
    /// The bot's points in the two games.
    pub points: [u8; 2],
    /// A hash of the moves of both games.
    pub moves: u64,
}

impl<'a> GamePair<'a> {
    /// Return the bot's mean points a game.
    pub fn mean(&self) -> f64 {
        self.points.map(f64::from).iter().sum::<f64>() / 2.0
    }

    /// Return the pair from the view of the bot `name`; `None` if it did not play.
    pub fn seen_by(self, name: &str) -> Option<GamePair<'a>> {
        let [first, second] = self.names;
        if first == name {
            return Some(self);
        }
        let points = self.points.map(|points| 150 - points);
        (second == name).then_some(GamePair { names: [second, first], points, ..self })
    }
}

/// Finds the pairs among games in any order; each game is given once.
#[derive(Clone, Debug, Default)]
pub struct PairFinder {
    /// The points and the moves' hash of each game still without the other colour, from the view of the bot
    /// whose name comes first, by the game's settings, round and names.
    single: BTreeMap<(u64, u64, [String; 2]), (u8, u64)>,
}

impl PairFinder {
    /// Add a game; return the pair if it completes one.
    pub fn add<'a>(&mut self, game: &'a Entry) -> Option<GamePair<'a>> {
        let (mut names, [red, blue], moves) = (game.names(), game.points, moves_hash(game));
        names.sort_unstable();
        let points = if names == game.names() { red } else { blue };
        let key = (game.settings, game.round, names.map(str::to_owned));
        let Some((before, others)) = self.single.remove(&key) else {
            self.single.insert(key, (points, moves));
            return None;
        };
        let (points, moves) = ([before, points], others.wrapping_add(moves));
        Some(GamePair { names, round: game.round, points, moves })
    }

    /// List a bot's points, with its opponents, in games still without the other colour.
    pub fn singles<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a str, u8)> {
        self.single.iter().filter_map(move |((.., [first, second]), &(points, _))| match name {
            _ if name == first => Some((second.as_str(), points)),
            _ => (name == second).then_some((first.as_str(), 150 - points)),
        })
    }
}

/// Return a hash of a game's moves; the sum over both games is the pair's hash.
fn moves_hash(game: &Entry) -> u64 {
    let mut blocked = game.blocked;
    blocked.sort_unstable();
    fnv::text(&format!("{} {blocked:?} {:?}", game.red, game.moves))
}
