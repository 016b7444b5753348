//! The points given away by the bots of many games.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::judged::{JudgedMove, PlayerSummary, Review};
use crate::arena::stats::Sample;

const MAX_COSTLIEST: usize = 5;

/// The losses by some moves of a bot. The fields are the keys of the JSON object.
#[derive(Clone, Default, PartialEq, Debug, Serialize)]
pub struct Losses {
    /// The empty cells before the moves; `None` for all of the bot's moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub empty: Option<u32>,
    pub moves: usize,
    /// Moves with a proven score before, and with proven scores before and after.
    pub solved: usize,
    pub judged: u32,
    /// Points lost per judged move, with the standard error over games.
    pub lost: Option<f64>,
    pub error: Option<f64>,
    /// Moves with a mark of an estimated loss, and the points given away by these.
    pub marked: u32,
    pub about: f64,
}

/// A bot's moves: by the number of empty cells, all, and the costliest.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BotSummary {
    /// The bot's name, or its colour in games without names. Untrusted text.
    pub name: String,
    pub games: usize,
    /// The moves by their number of empty cells, for numbers with a judged or marked move.
    pub rows: Vec<Losses>,
    pub all: Losses,
    pub costliest: Vec<Costly>,
}

/// A costly move, with the fields of [`JudgedMove`].
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Costly {
    pub game: usize,
    pub ply: usize,
    pub r#move: String,
    pub best: Option<String>,
    pub mark: &'static str,
    pub lost: Option<u8>,
    pub estimated_lost: Option<f64>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Summary {
    pub games: usize,
    pub bots: Vec<BotSummary>,
}

type MoveOfGame<'a> = (usize, &'a JudgedMove);

/// Sum up games, each with its number: the moves from `from` on (from 1).
pub fn summary(reviews: &[(usize, Review)], from: usize) -> Summary {
    let mut bots: BTreeMap<&str, (BTreeSet<usize>, Vec<MoveOfGame>)> = BTreeMap::new();
    for &(game, ref review) in reviews {
        for (colour, name) in [("red", &review.red[..]), ("blue", &review.blue[..])] {
            let name = if name.is_empty() { colour } else { name };
            let (games, moves) = bots.entry(name).or_default();
            games.insert(game);
            let own = |judged: &&JudgedMove| judged.player == colour && judged.ply >= from;
            moves.extend(review.moves.iter().filter(own).map(|judged| (game, judged)));
        }
    }
    let bot_summary = |(name, (games, moves)): (&str, (BTreeSet<usize>, Vec<MoveOfGame>))| {
        let counts = moves.iter().filter(|(_, it)| it.lost.or(it.marked_loss().map(|_| 0)).is_some());
        let counts: BTreeSet<u32> = counts.map(|(_, judged)| judged.before.answer.empty).collect();
        let rows = counts.into_iter().rev().map(|empty| losses(Some(empty), &moves)).collect();
        let (name, games) = (name.to_owned(), games.len());
        BotSummary { name, games, rows, all: losses(None, &moves), costliest: costliest(&moves) }
    };
    Summary { games: reviews.len(), bots: bots.into_iter().map(bot_summary).collect() }
}

/// List the costliest moves, equals in the order of play.
fn costliest(moves: &[MoveOfGame]) -> Vec<Costly> {
    let mut costly: Vec<&MoveOfGame> = moves.iter().filter(|(_, judged)| judged.cost() > 0.0).collect();
    costly.sort_by(|(_, one), (_, other)| other.cost().total_cmp(&one.cost()));
    let row = |&&(game, judged): &&MoveOfGame| {
        let JudgedMove { ply, mark, lost, estimated_lost, .. } = *judged;
        let (r#move, best) = (judged.r#move.clone(), judged.best.clone());
        Costly { game, ply, r#move, best, mark, lost, estimated_lost }
    };
    costly.iter().take(MAX_COSTLIEST).map(row).collect()
}

/// Sum up the moves with `empty` empty cells, or all moves.
fn losses(empty: Option<u32>, moves: &[MoveOfGame]) -> Losses {
    let chosen =
        || moves.iter().filter(|(_, judged)| empty.is_none_or(|empty| empty == judged.before.answer.empty));
    let PlayerSummary { judged, marked, about, .. } = PlayerSummary::of(chosen().map(|&(_, judged)| judged));
    let solved = chosen().filter(|(_, judged)| judged.before.answer.score.is_some()).count();
    let (lost, error) = grouped_mean(chosen().filter_map(|&(game, it)| Some((game, f64::from(it.lost?)))));
    Losses { empty, moves: chosen().count(), solved, judged, lost, error, marked, about }
}

/// Return the mean of numbers in groups (games), and its standard error: the groups are independent,
/// the numbers in one are not.
///
/// With S_g the sum and n_g the count of group g, the mean is `m = Σ S_g / Σ n_g` and the error
/// `√(G / (G - 1) Σ (S_g - n_g m)²) / Σ n_g` over G groups.
fn grouped_mean(numbers: impl Iterator<Item = (usize, f64)>) -> (Option<f64>, Option<f64>) {
    let mut groups: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for (group, number) in numbers {
        let (sum, count) = groups.entry(group).or_default();
        (*sum, *count) = (*sum + number, *count + 1.0);
    }
    let total: f64 = groups.values().map(|(_, count)| count).sum();
    let mean = groups.values().map(|(sum, _)| sum).sum::<f64>() / total;
    let off: Sample = groups.values().map(|(sum, count)| sum - count * mean).collect();
    let error = off.standard_error().map(|error| error * groups.len() as f64 / total);
    ((total > 0.0).then_some(mean), error)
}

#[test]
fn the_error_of_a_grouped_mean_is_the_spread_between_groups() {
    let lucks = [3.0, 1.5, -2.0, 8.0, 0.5, 0.0];
    let (mean, error) = grouped_mean((0..60).map(|n| (n / 10, lucks[n / 10])));
    let groups: Sample = lucks.into_iter().collect();
    assert_eq!(groups.mean(), mean);
    assert!((groups.standard_error().expect("groups") - error.expect("groups")).abs() < 1e-12);
    assert_eq!(grouped_mean([(5, 2.0), (5, 3.0)].into_iter()), (Some(2.5), None));
    assert_eq!(grouped_mean(std::iter::empty()), (None, None));
}
