//! A reviewed game as data: what is known of each position, what each move gave away, and the marks.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::games::files::PerPlayer;
use crate::judge::answer::Answer;
use crate::player::position::Score;

/// The marks of moves that lose 1 point, 2 or 3, and more.
const MARKS: [&str; 3] = ["?!", "?", "??"];
/// The marks of moves that are estimated to do so.
const ESTIMATED_MARKS: [&str; 3] = ["~?!", "~?", "~??"];

/// A player's losses in a game. The fields are the keys of the JSON object.
#[derive(Clone, Default, PartialEq, Debug, Serialize)]
pub struct PlayerSummary {
    /// Moves judged exactly.
    pub judged: u32,
    /// Points given away by these moves.
    pub lost: u32,
}

/// The knowledge of a position's final score, red minus blue, under best play of both.
#[derive(Clone, Copy, Default, PartialEq, Debug, Serialize)]
pub struct KnownScore {
    pub score: Option<Score>,
    /// The least and the most proven of the score.
    pub bounds: [Score; 2],
    /// The expected score and its error, if the score is not proven; `None` without a search.
    pub estimate: Option<f64>,
    pub error: Option<f64>,
}

impl KnownScore {
    /// Return the sign of the score, if it is proven.
    pub fn proven_sign(&self) -> Option<Score> {
        let [least, most] = self.bounds.map(Score::signum);
        (least == most).then_some(least)
    }

    /// Return the score, else its estimate.
    pub fn likely(&self) -> Option<f64> {
        self.score.map(f64::from).or(self.estimate)
    }
}

/// A judged move, with the knowledge before and after it. The fields are the keys of the JSON object.
#[derive(Clone, Default, PartialEq, Debug, Serialize)]
pub struct JudgedMove {
    /// The move's number, from 1.
    pub ply: usize,
    pub player: String,
    pub r#move: String,
    /// `?!` from 1 point lost, `?` from 2, `??` from 4; `~` stands before the mark of an estimated loss.
    pub mark: &'static str,
    /// The points given away, if the scores before and after are proven.
    pub lost: Option<u8>,
    /// The points given away by the estimates, if not both scores are proven.
    pub estimated_lost: Option<f64>,
    #[serde(flatten)]
    pub after: KnownScore,
    /// The best move, by the solver, else by the search; the played move if it is as good.
    pub best: Option<String>,
    /// The proven scores after moves.
    pub options: BTreeMap<String, Score>,
    pub before: Answer,
}

impl JudgedMove {
    /// Return the points given away that are proven, or told by a mark; 0 of all others.
    pub fn cost(&self) -> f64 {
        let told = self.estimated_lost.filter(|_| !self.mark.is_empty());
        self.lost.map(f64::from).or(told).unwrap_or(0.0)
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
    pub start: KnownScore,
    pub moves: Vec<JudgedMove>,
    pub final_score: Option<Score>,
    /// The points of Red and Blue after a forfeit, and its fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<[u8; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// The number of moves after which the sign of the proven score stayed the same.
    pub decided: Option<usize>,
    pub summary: PerPlayer<PlayerSummary>,
    pub record: String,
}

pub fn mark(lost: u8) -> &'static str {
    rank(f64::from(lost)).map_or("", |rank| MARKS[rank])
}

/// An estimated loss is marked if this is left of it after half the doubt of the estimates before and after
/// the move: of such moves 9 of 10 lose a point or more, in strong games 6 of 10. See benches/README.md.
const LEAST_MARKED: f64 = 0.5;

/// Return the mark of an estimated loss by estimates that are so much in doubt together.
pub fn estimated_mark(lost: f64, doubt: f64) -> &'static str {
    if lost - 0.5 * doubt < LEAST_MARKED { "" } else { ESTIMATED_MARKS[rank(lost).unwrap_or(0)] }
}

fn rank(lost: f64) -> Option<usize> {
    [1.0, 2.0, 4.0].iter().rposition(|&least| lost >= least)
}
