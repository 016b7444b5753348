//! A reviewed game as data: the worth of each position, the points given away by each move, and the marks.

use serde::Serialize;

use crate::games::files::PerPlayer;
use crate::judge::answer::Analysis;
use crate::judge::worth::{Worth, given_away, tenth};
use crate::player::board::{Move, Player};
use crate::player::position::Score;

/// The least points of each mark of a loss, and the mark if it is proven or estimated.
const MARKS: [(f64, [&str; 2]); 3] = [(1.0, ["?!", "~?!"]), (2.0, ["?", "~?"]), (4.0, ["??", "~??"])];

/// The losses by some moves. The fields are the keys of the JSON object.
#[derive(Clone, Default, PartialEq, Debug, Serialize)]
pub struct PlayerSummary {
    /// Moves judged exactly.
    pub judged: u32,
    /// Points given away by these moves.
    pub lost: u32,
    /// Moves with a mark of an estimated loss, and the points given away by these.
    pub marked: u32,
    pub about: f64,
}

impl PlayerSummary {
    pub fn of<'a>(moves: impl Iterator<Item = &'a JudgedMove>) -> PlayerSummary {
        let add = |sum: PlayerSummary, judged: &JudgedMove| PlayerSummary {
            judged: sum.judged + u32::from(judged.lost.is_some()),
            lost: sum.lost + u32::from(judged.lost.unwrap_or(0)),
            marked: sum.marked + u32::from(judged.marked_loss().is_some()),
            about: tenth(sum.about + judged.marked_loss().unwrap_or(0.0)),
        };
        moves.fold(PlayerSummary::default(), add)
    }
}

/// A judged move, with the knowledge before and after it. The fields are the keys of the JSON object.
#[derive(Clone, Default, PartialEq, Debug, Serialize)]
pub struct JudgedMove {
    /// The move's number, from 1.
    pub ply: usize,
    pub player: String,
    pub r#move: String,
    /// `?!` from 1 point lost, `?` from 2, `??` from 4, after `~` if estimated; `turn`: a loss within its error there.
    pub mark: &'static str,
    /// The points given away, if the scores before and after are proven.
    pub lost: Option<u8>,
    /// The points given away by the estimates, if not both scores are proven.
    pub estimated_lost: Option<f64>,
    #[serde(flatten)]
    pub after: Worth,
    /// The best move, by the solver, else by the search; the played move if it is as good.
    pub best: Option<String>,
    pub before: Analysis,
}

impl JudgedMove {
    /// Judge a move, given with its player and number, by the worth before and after it.
    pub fn of(ply: usize, (player, mv): (Player, Move), [before, after]: [Worth; 2]) -> JudgedMove {
        let lost = before.value().zip(after.value());
        let lost = lost.map(|(before, after)| given_away(player, before, after).max(0.0));
        let is_proven = before.score.and(after.score).is_some();
        let error = (!is_proven).then(|| before.mean_error() + after.mean_error());
        JudgedMove {
            ply,
            player: player.to_string(),
            r#move: mv.to_string(),
            mark: lost.map_or("", |lost| mark(lost, error)),
            lost: lost.filter(|_| is_proven).map(|lost| lost as u8),
            estimated_lost: lost.filter(|_| !is_proven),
            after,
            ..JudgedMove::default()
        }
    }

    /// Return the points given away, proven or estimated.
    pub fn given_away(&self) -> Option<f64> {
        self.lost.map(f64::from).or(self.estimated_lost)
    }

    /// Return the points given away by the estimates, if the move has a mark.
    pub fn marked_loss(&self) -> Option<f64> {
        self.estimated_lost.filter(|_| !self.mark.is_empty())
    }

    /// Return the points given away that are proven or marked; else 0.
    pub fn cost(&self) -> f64 {
        self.lost.map(f64::from).or(self.marked_loss()).unwrap_or(0.0)
    }
}

/// A game with its moves judged. The fields are the keys of the JSON object.
#[derive(Clone, Default, PartialEq, Debug, Serialize)]
pub struct Review {
    pub title: String,
    pub red: String,
    pub blue: String,
    /// The game in at most three sentences.
    pub story: Vec<String>,
    /// The plies of the costliest moves, at most three, the costliest first.
    pub worst: Vec<usize>,
    pub hands: PerPlayer<Vec<u8>>,
    pub first: String,
    /// The score before the first move.
    pub start: Worth,
    pub moves: Vec<JudgedMove>,
    pub final_score: Option<Score>,
    /// The points of Red and Blue after a forfeit, and its fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<[u8; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// The number of the move that the game turned on; 0 if the result was settled from the start.
    pub decided: Option<usize>,
    pub summary: PerPlayer<PlayerSummary>,
    pub record: String,
}

/// An estimated loss is marked if it exceeds the errors before and after the move by this: nine of ten
/// such marks are right, six of ten in strong games.
const LEAST_MARKED: f64 = 0.5;

/// Return the mark of a loss: proven, or by estimates whose errors add up to `error`.
pub fn mark(lost: f64, error: Option<f64>) -> &'static str {
    let reached = MARKS.iter().rfind(|(least, _)| lost >= *least);
    match error {
        None => reached.map_or("", |(_, [proven, _])| proven),
        Some(error) if lost - error < LEAST_MARKED => "",
        Some(_) => reached.unwrap_or(&MARKS[0]).1[1],
    }
}
