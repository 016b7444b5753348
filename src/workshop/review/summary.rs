//! Where the bots of many games give points away.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

use super::game::{JudgedMove, Review};
use crate::player::position::Score;
use crate::workshop::calibrate::calibration::Mean;

/// So many of the costliest moves are named.
const COSTLIEST: usize = 5;

/// What some moves of a bot are worth.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Row {
    /// The empty cells before the moves; `None` for all of the bot's moves.
    pub empty: Option<u32>,
    pub moves: usize,
    /// Moves before which the value is exact, and those before and after which it is.
    pub solved: usize,
    pub judged: usize,
    /// Points lost a move of those judged, with the standard error over games.
    pub lost: Option<Mean>,
    /// The share of them that lose any.
    pub losing: Option<Mean>,
}

/// A bot's moves by the number of empty cells, all of them last.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BotRows {
    pub bot: String,
    pub games: usize,
    pub rows: Vec<Row>,
}

/// A move that cost much.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Costly {
    /// Which of the files, and the game's number in it, both from 1.
    pub file: usize,
    pub game: usize,
    pub ply: usize,
    pub bot: String,
    pub r#move: String,
    pub best: Option<String>,
    pub lost: Score,
}

/// What many games say of their bots.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Summary {
    pub games: usize,
    pub bots: Vec<BotRows>,
    pub costliest: Vec<Costly>,
}

/// Return the name of the player of a move; without one, the colour.
fn bot<'a>(review: &'a Review, judged: &'a JudgedMove) -> &'a str {
    let name = if judged.player == "red" { &review.red } else { &review.blue };
    if name.is_empty() { &judged.player } else { name }
}

/// Sum up games, each with the number of its file and its own there; all bots, or one.
pub fn summary(reviews: &[((usize, usize), Review)], only: Option<&str>) -> Summary {
    let mut bots: BTreeMap<&str, Vec<(usize, &JudgedMove)>> = BTreeMap::new();
    let mut costly = Vec::new();
    for (group, ((file, game), review)) in reviews.iter().enumerate() {
        for judged in &review.moves {
            let name = bot(review, judged);
            if only.is_some_and(|only| only != name) {
                continue;
            }
            bots.entry(name).or_default().push((group, judged));
            if let Some(lost) = judged.lost.filter(|&lost| lost > 0) {
                costly.push(Costly {
                    file: *file,
                    game: *game,
                    ply: judged.ply,
                    bot: name.to_owned(),
                    r#move: judged.r#move.clone(),
                    best: judged.best.clone(),
                    lost,
                });
            }
        }
    }
    // Of equals the first.
    costly.sort_by_key(|costly| Reverse(costly.lost));
    costly.truncate(COSTLIEST);
    let of_bot = |(bot, moves): (&str, Vec<(usize, &JudgedMove)>)| {
        let mut counts: Vec<u32> = moves.iter().map(|(_, judged)| judged.empty).collect();
        counts.sort_unstable_by_key(|&empty| Reverse(empty));
        counts.dedup();
        let rows = counts.into_iter().map(Some).chain([None]);
        let mut groups: Vec<usize> = moves.iter().map(|&(group, _)| group).collect();
        groups.dedup();
        BotRows {
            bot: bot.to_owned(),
            games: groups.len(),
            rows: rows.map(|empty| row(empty, &moves)).collect(),
        }
    };
    Summary { games: reviews.len(), bots: bots.into_iter().map(of_bot).collect(), costliest: costly }
}

/// Sum up the moves with so many empty cells, or all.
fn row(empty: Option<u32>, moves: &[(usize, &JudgedMove)]) -> Row {
    let chosen = || moves.iter().filter(|(_, judged)| empty.is_none_or(|empty| empty == judged.empty));
    let lost = || chosen().filter_map(|&(group, judged)| Some((group, f64::from(judged.lost?))));
    Row {
        empty,
        moves: chosen().count(),
        solved: chosen().filter(|(_, judged)| judged.exact).count(),
        judged: lost().count(),
        lost: Mean::over_groups(lost()),
        losing: Mean::over_groups(lost().map(|(group, lost)| (group, f64::from(u8::from(lost > 0.0))))),
    }
}
