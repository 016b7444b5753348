//! Game pairs: two games of one opening with colours swapped, the unit of the statistics.

use std::collections::{BTreeMap, BTreeSet};

use super::journal::Entry;
use crate::player::position::MAX_POINTS;
use crate::system::fnv;

#[derive(Clone, Copy)]
pub struct GamePair<'a> {
    pub names: [&'a str; 2],
    pub round: u64,
    pub points: [u8; 2],
    /// The sum of the hashes of both games' moves.
    pub moves: u64,
}

impl<'a> GamePair<'a> {
    pub fn mean(&self) -> f64 {
        self.points.map(f64::from).iter().sum::<f64>() / 2.0
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
#[derive(Clone, Debug, Default)]
pub struct PairFinder {
    /// The games still without the other colour, by their settings, round and names: the points of the bot
    /// whose name comes first, and the hash of the moves.
    single: BTreeMap<(String, u64, [String; 2]), (u8, u64)>,
}

impl PairFinder {
    pub fn add<'a>(&mut self, game: &'a Entry) -> Option<GamePair<'a>> {
        let (mut names, [red, blue], mut blocked) = (game.names(), game.points, game.blocked);
        blocked.sort_unstable();
        let moves = fnv::text(&format!("{} {blocked:?} {:?}", game.red, game.moves));
        names.sort_unstable();
        let points = if names == game.names() { red } else { blue };
        let key = (game.settings.clone(), game.round, names.map(str::to_owned));
        let Some((before, others)) = self.single.remove(&key) else {
            self.single.insert(key, (points, moves));
            return None;
        };
        let moves = others.wrapping_add(moves);
        Some(GamePair { names, round: game.round, points: [before, points], moves })
    }
}

/// Warn of games repeated move by move: the errors are then too small.
pub fn repetition(games: &[&Entry]) -> Option<String> {
    let moves: BTreeSet<_> = games.iter().map(|game| (game.names(), game.blocked, &game.moves)).collect();
    let (different, games) = (moves.len(), games.len());
    (different < games)
        .then(|| format!("note: only {different} of {games} games differ, so the true errors are larger"))
}
