//! Game pairs: two games of one opening with colours swapped, the unit of the statistics.

use std::collections::BTreeMap;

use super::journal::Entry;
use crate::player::position::MAX_POINTS;
use crate::system::fnv;

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GamePair<'a> {
    pub names: [&'a str; 2],
    pub round: u64,
    pub points: [u8; 2],
    pub moves: u64,
    pub has_fault: bool,
    pub is_left_out: bool,
}

impl<'a> GamePair<'a> {
    pub fn mean(&self) -> f64 {
        self.points.map(f64::from).iter().sum::<f64>() / 2.0
    }

    /// Return the mean and the hash of the moves for a test; `None` for a pair left out.
    pub fn tested(&self) -> Option<(f64, u64)> {
        (!self.is_left_out).then(|| (self.mean(), self.moves))
    }

    /// Return the pair from the view of the bot `name`; `None` if it did not play.
    pub fn seen_by(self, name: &str) -> Option<GamePair<'a>> {
        let [first, second] = self.names;
        if first == name {
            return Some(self);
        }
        let points = self.points.map(|points| MAX_POINTS - points);
        (second == name).then_some(GamePair { names: [second, first], points, ..self })
    }
}

/// Finds the pairs among games in any order; each game is given once.
#[derive(Clone, Debug)]
pub struct PairFinder {
    pub without_faults: bool,
    /// The games still without the other colour, by their settings, round and names.
    single: BTreeMap<(String, u64, [String; 2]), SingleGame>,
}

/// The points of the bot whose name comes first, the hash of the moves, and whether a fault ended the game.
type SingleGame = (u8, u64, bool);

impl PairFinder {
    pub fn new(without_faults: bool) -> PairFinder {
        PairFinder { without_faults, single: BTreeMap::new() }
    }

    pub fn add<'a>(&mut self, game: &'a Entry) -> Option<GamePair<'a>> {
        let (mut names, [red, blue]) = (game.names(), game.points);
        let (moves, fault) = (moves_hash(game), game.score.is_none());
        names.sort_unstable();
        let points = if names == game.names() { red } else { blue };
        let key = (game.settings.clone(), game.round, names.map(str::to_owned));
        let Some((before, others, faulty)) = self.single.remove(&key) else {
            self.single.insert(key, (points, moves, fault));
            return None;
        };
        let (points, moves, has_fault) = ([before, points], others.wrapping_add(moves), fault || faulty);
        let is_left_out = has_fault && self.without_faults;
        Some(GamePair { names, round: game.round, points, moves, has_fault, is_left_out })
    }

    /// List a bot's opponents in games still without the other colour.
    pub fn singles<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.single.keys().filter_map(move |(.., [first, second])| match name {
            _ if name == first => Some(second.as_str()),
            _ => (name == second).then_some(first.as_str()),
        })
    }
}

/// Return a hash of a game's moves; the sum over both games is the pair's hash.
fn moves_hash(game: &Entry) -> u64 {
    let mut blocked = game.blocked;
    blocked.sort_unstable();
    fnv::text(&format!("{} {blocked:?} {:?}", game.red, game.moves))
}
