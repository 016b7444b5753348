//! Warnings below the tables: unlike games counted together, repeated games.

use std::collections::{BTreeMap, BTreeSet};

use super::journal::Entry;
use crate::text::plural;

pub(super) fn of(games: &[&Entry]) -> Vec<String> {
    mixtures(games).into_iter().chain(repetitions(games)).collect()
}

/// List the aspects in which games counted together differ: bots of one name, or rules.
fn mixtures(games: &[&Entry]) -> Vec<String> {
    let mut found: BTreeMap<(&str, &str), BTreeSet<String>> = BTreeMap::new();
    for (name, what, value) in games.iter().flat_map(|game| game.aspects()) {
        // Other seeds and openings only add games of the same kind.
        if !matches!((name, what), ("", "seed" | "openings")) {
            found.entry((name, what)).or_default().insert(value);
        }
    }
    let several = found.into_iter().filter(|(_, values)| values.len() > 1);
    let told = several.map(|((name, what), values)| {
        let whose = if name.is_empty() { "games" } else { &format!("games of {name}") };
        let values = Vec::from_iter(values);
        format!("{whose} with different {what} counted together: {}", values.join(", "))
    });
    told.collect()
}

/// Warn of games repeated move by move, or of pairs that share openings: the errors are then too small.
fn repetitions(games: &[&Entry]) -> Vec<String> {
    let (mut different, mut pairs, mut openings) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for game in games {
        let (mut blocked, mut names) = (game.blocked, game.names());
        blocked.sort_unstable();
        different.insert((names, blocked, &game.moves, game.points));
        names.sort_unstable();
        pairs.insert((names, &game.settings, game.round));
        openings.insert((names, blocked));
    }
    let (different, games, pairs, openings) = (different.len(), games.len(), pairs.len(), openings.len());
    let differ = format!("only {different} of {games} games differ, so the true errors are larger");
    let share = format!("{pairs} pairs share {}", plural(openings as u64, "opening"));
    // Random openings may meet by chance.
    let remarks = [(different < games).then_some(differ), (10 * openings < 9 * pairs).then_some(share)];
    remarks.into_iter().flatten().collect()
}
