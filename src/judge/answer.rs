//! An answer about a position, in one shape for all JSON.

use std::time::Duration;

use serde::Serialize;

use crate::games::record::winner;
use crate::judge::verdict::{RatedMove, Verdict};
use crate::judge::worth::Worth;
use crate::player::board::Move;
use crate::player::position::{Position, Score, points};
use crate::player::solver::Bounds;
use crate::text::{capital, plural};

/// The knowledge of a position. The fields are the keys of the JSON object; scores are red minus
/// blue, under best play of both.
#[derive(Clone, Default, PartialEq, Debug, Serialize)]
pub struct Answer {
    pub empty: u32,
    pub to_move: String,
    /// The final score, if it is proven.
    pub score: Option<Score>,
    /// The proven bounds of the final score, lower and upper.
    pub bounds: [Score; 2],
    /// The proven optimal moves; empty without a proven score.
    pub best: Vec<String>,
    /// The expected moves of both from here on: best play, if the score is proven.
    pub line: Vec<String>,
    /// Iterations and solver nodes.
    pub nodes: u64,
    pub seconds: f64,
}

/// An answer of the judge: each move has a score, and the position's score is its best move's.
#[derive(Clone, Default, PartialEq, Debug, Serialize)]
pub struct Analysis {
    #[serde(flatten)]
    pub answer: Answer,
    /// Whether the score is proven, and `best` holds all optimal moves.
    pub complete: bool,
    /// The expected score, if it is not proven, and its error.
    pub estimate: Option<f64>,
    pub error: Option<f64>,
    /// The best moves, best first.
    pub moves: Vec<MoveAnswer>,
}

/// A move, and the knowledge of the score after it.
#[derive(Clone, Default, PartialEq, Debug, Serialize)]
pub struct MoveAnswer {
    pub r#move: String,
    #[serde(flatten)]
    pub worth: Worth,
    /// The expected moves of both, from this one on; empty if none is known.
    pub line: Vec<String>,
}

impl MoveAnswer {
    /// Name a move with the proven bounds after it.
    pub fn proven((mv, bounds): (Move, Bounds)) -> MoveAnswer {
        MoveAnswer { r#move: mv.to_string(), worth: Worth::proven(bounds), ..MoveAnswer::default() }
    }
}

impl Analysis {
    pub fn of(position: &Position, verdict: &Verdict, time: Duration) -> Analysis {
        let Verdict { worth, all_optimal, nodes, .. } = *verdict;
        let line = verdict.best().map_or(&[][..], |best| &best.line);
        let answer = Answer::of(position, worth.bounds(), [&verdict.optimal(), line], (nodes, time));
        let row = |it: &RatedMove| MoveAnswer {
            r#move: it.mv.to_string(),
            worth: it.worth,
            line: it.line.iter().map(Move::to_string).collect(),
        };
        let complete = all_optimal && worth.score.is_some();
        let Worth { estimate, error, .. } = worth;
        Analysis { answer, complete, estimate, error, moves: verdict.moves.iter().map(row).collect() }
    }
}

impl Answer {
    /// Make the answer with the optimal moves and the line, and the nodes and the time that were spent.
    pub fn of(position: &Position, bounds: Bounds, moves: [&[Move]; 2], spent: (u64, Duration)) -> Answer {
        let [best, line] = moves.map(|moves| moves.iter().map(Move::to_string).collect());
        let (empty, to_move) = (position.empty().len(), position.to_move().to_string());
        let (score, nodes, seconds) = (bounds.exact(), spent.0, spent.1.as_secs_f64());
        Answer { empty, to_move, score, bounds: [bounds.lower, bounds.upper], best, line, nodes, seconds }
    }

    pub fn heading(&self) -> String {
        let turn =
            if self.empty > 1 { format!("{} to move", self.to_move) } else { "the game is over".to_owned() };
        format!("{}, {turn}", plural(self.empty, "empty cell"))
    }

    /// Name the winner and the score; if it is not proven, the results at both bounds.
    pub fn result(score: Option<Score>, [lower, upper]: [Score; 2]) -> String {
        match score {
            Some(score) => format!("{} (score {score})", result_text(score)),
            None => {
                let [least, most] = [lower, upper].map(result_text);
                format!("between {least} and {most} (score {lower} to {upper})")
            }
        }
    }
}

/// Say who wins, with the points of the winner and of the other: "Blue wins 79 to 71".
pub fn result_text(score: Score) -> String {
    let [more, less] = points(score.abs());
    let result = winner(score).map_or("a draw,".to_owned(), |player| format!("{} wins", capital(player)));
    format!("{result} {more} to {less}")
}

/// Say the points of both after a score: "77 to 73 for Red".
pub fn points_for(score: Score) -> String {
    let [more, less] = points(score.abs());
    winner(score).map_or("a draw".to_owned(), |it| format!("{more} to {less} for {}", capital(it)))
}

/// Describe a final score: the [result](Answer::result), or the expected points.
pub fn worth_text(worth: &Worth) -> String {
    let Some(estimate) = worth.estimate else { return Answer::result(worth.score, worth.bounds) };
    let points = 75.0 + estimate.abs();
    let player = winner((10.0 * estimate) as Score)
        .map_or(String::new(), |player| format!(" for {}", capital(player)));
    format!("about {points:.1} to {:.1}{player} (score {worth})", 150.0 - points)
}

#[test]
fn results_name_the_winner_and_the_points() {
    for (score, bounds, expected) in [
        (Some(-4), [-4, -4], "Blue wins 79 to 71 (score -4)"),
        (Some(0), [0, 0], "a draw, 75 to 75 (score 0)"),
        (None, [-33, 17], "between Blue wins 108 to 42 and Red wins 92 to 58 (score -33 to 17)"),
    ] {
        assert_eq!(Answer::result(score, bounds), expected);
    }
}
