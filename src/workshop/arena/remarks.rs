//! What a reader of the tables should know besides: unlike games that are counted together, and
//! games that repeat others.

use std::collections::{BTreeMap, BTreeSet};

use super::journal::Entry;

/// Return the remarks on some games, each one line.
pub(super) fn of(games: &[&Entry]) -> Vec<String> {
    mixtures(games).into_iter().chain(repetitions(games)).collect()
}

/// Tell in which respects games that are counted together were played by different bots of one
/// name, or under different rules.
fn mixtures(games: &[&Entry]) -> Vec<String> {
    let mut found: BTreeMap<(&str, &str), BTreeSet<String>> = BTreeMap::new();
    for game in games {
        for (name, side) in game.names().into_iter().zip(game.sides.iter().flatten()) {
            for (what, value) in side.aspects() {
                found.entry((name, what)).or_default().insert(value);
            }
        }
        // Other seeds and openings make more games of the same kind.
        for (what, value) in game.terms.iter().flat_map(|terms| terms.aspects()).skip(2) {
            found.entry(("", what)).or_default().insert(value);
        }
    }
    let several = found.into_iter().filter(|(_, values)| values.len() > 1);
    several
        .map(|((name, what), values)| {
            let whose = if name.is_empty() { "games".to_string() } else { format!("games of {name}") };
            let values: Vec<String> = values.into_iter().collect();
            format!("{whose} with different {what} counted together: {}", values.join(", "))
        })
        .collect()
}

/// Tell when games repeat others move by move, or pairs share openings: the errors then look too
/// small.
fn repetitions(games: &[&Entry]) -> Vec<String> {
    let (mut different, mut pairs, mut openings) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for game in games {
        let (mut blocked, mut names) = (game.blocked, game.names());
        blocked.sort_unstable();
        different.insert((names, blocked, &game.moves, game.points));
        names.sort_unstable();
        pairs.insert((names, game.settings, game.round));
        openings.insert((names, blocked));
    }
    let mut remarks = Vec::new();
    if different.len() < games.len() {
        remarks.push(format!(
            "only {} of {} games differ, so errors are larger than told",
            different.len(),
            games.len()
        ));
    }
    // Random openings may meet by chance.
    if 10 * openings.len() < 9 * pairs.len() {
        let openings = openings.len();
        let plural = if openings == 1 { "" } else { "s" };
        remarks.push(format!("{} pairs share {openings} opening{plural}", pairs.len()));
    }
    remarks
}
