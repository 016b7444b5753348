//! The bot's own choice of a move, with its reasons: as data, and in a sentence.
//!
//! The judge knows no opponent, the bot's choice counts on the one it plays.

use std::cmp::Ordering;
use std::time::Duration;

use serde::Serialize;

use crate::games::record::Record;
use crate::judge::answer::Answer;
use crate::judge::likely::likely_target;
use crate::judge::verdict::{Effort, Judge, Verdict};
use crate::judge::worth::given_away;
use crate::player::agent::Reason;
use crate::player::board::{Move, Player};
use crate::player::engine::choose::{MoveFigures, TargetEstimate};
use crate::player::engine::{Engine, Thoughts};
use crate::player::opponent::Opponent;
use crate::player::position::{Position, Score};
use crate::player::simd::Portable;
use crate::player::solver::Bounds;

/// The reasons of a choice, and their meanings.
pub const REASONS: [(Reason, &str); 6] = [
    (
        Reason::Solved,
        "the move keeps the proven score; of several such moves, the highest in the column expected",
    ),
    (Reason::Exploiting, "aims above best play, as this opponent's replies are predictable"),
    (Reason::Hurried, "almost no time is left"),
    (Reason::MostVisits, "the search tried it most often, as the best for the target"),
    (
        Reason::Ahead,
        "of moves about as good for the target, the best chances to reach it and the next harder one",
    ),
    (Reason::Proven, "its proven score is at least the likely score of every other move"),
];

/// A move shows no chance if the most visited one has more than this many times its visits.
const TELLING_VISITS: u32 = 50;

/// Let an engine think about the position at the end of a record, with the time left for the game.
pub fn consider(engine: &mut Engine, record: &Record, remaining: Duration) -> Thoughts {
    let replier = record.position().to_move().opponent();
    engine.meet(likely_opponent(record.start(), record.moves(), replier));
    engine.think(record.position(), remaining)
}

/// Judge a player by its moves of a game, up to the first illegal one, each as if played for the
/// [likely target](likely_target).
fn likely_opponent(start: &Position, moves: &[Move], player: Player) -> Opponent {
    let (mut opponent, mut position) = (Opponent::default(), *start);
    for &mv in moves {
        if position.to_move() == player && position.empty().len() > 2 {
            opponent.learn_reply(&position, mv, likely_target(&position));
        }
        if position.try_play(mv).is_err() {
            break;
        }
    }
    opponent
}

/// The choice as data. The fields are the keys of the JSON object; scores are red minus blue, chances the mover's.
#[derive(Serialize)]
pub struct ThinkAnswer {
    pub r#move: String,
    #[serde(flatten)]
    pub answer: Answer,
    pub reason: String,
    pub target: Option<Score>,
    /// The chance to reach the target by the move; `None` without a target, or after few visits.
    pub chance: Option<f64>,
    pub targets: Vec<TargetRow>,
    pub candidates: Vec<CandidateRow>,
    pub opponent: Option<KindRow>,
    /// The price of a move that counts on the opponent's replies.
    pub stakes: Option<Stake>,
}

/// The points that a move gives away by the judge's scores, and the judge's move, which keeps them.
#[derive(Serialize)]
pub struct Stake {
    pub points: f64,
    pub proven: bool,
    pub best: String,
}

/// The likeliest kind of the opponent, and its chance, 0 to 1.
#[derive(Serialize)]
pub struct KindRow {
    pub kind: String,
    pub chance: f64,
}

#[derive(Serialize)]
pub struct TargetRow {
    pub target: Score,
    pub chance: f64,
    pub visits: u32,
}

#[derive(Serialize)]
pub struct CandidateRow {
    pub r#move: String,
    pub visits: u32,
    pub chance: Option<f64>,
    /// The chance of the chosen move to reach the next harder target.
    pub ahead: Option<f64>,
    /// The proven score, or better.
    pub secures: Option<Score>,
    /// The mean score expected against this opponent.
    pub expected: Option<f64>,
    /// The expected moves of both from this one on; empty after the first few rows.
    pub line: Vec<String>,
}

impl ThinkAnswer {
    /// Make the answer from thoughts about a position: the chosen move, then the most promising others.
    pub fn of(thoughts: &Thoughts, position: &Position) -> ThinkAnswer {
        let (choice, mover) = (&thoughts.choice, position.to_move());
        let target_row = |row: &TargetEstimate| TargetRow {
            target: row.target.alpha(),
            chance: rounded(row.chance),
            visits: row.visits,
        };
        let most_visits = thoughts.figures.iter().map(|it| it.visits).max().unwrap_or(0);
        let is_telling =
            |it: &MoveFigures| it.visits * TELLING_VISITS >= most_visits || it.proven_winner.is_some();
        let candidate_row = |(n, it): (usize, &MoveFigures)| CandidateRow {
            r#move: it.mv.to_string(),
            visits: it.visits,
            chance: it.chance.filter(|_| is_telling(it)).map(rounded),
            ahead: it.ahead.filter(|_| n == 0).map(rounded),
            // Blue keeps the score below the target.
            secures: it.secures.map(|target| target.alpha() - Score::from(mover == Player::Blue)),
            expected: it.expected.map(|score| rounded(f32::from(mover.sign()) * score)),
            line: thoughts.variations.get(n).into_iter().flatten().map(Move::to_string).collect(),
        };
        let proven = thoughts.solution.as_ref().map(|it| (it.bounds, &it.optimal[..]));
        let (bounds, optimal) = proven.unwrap_or((Bounds::UNKNOWN, &[]));
        let mut candidates: Vec<CandidateRow> =
            thoughts.figures.iter().enumerate().map(candidate_row).collect();
        let own = |score: f64| f64::from(mover.sign()) * score;
        let rank = |row: &CandidateRow| (row.expected.map(own), row.chance.unwrap_or(0.0), row.visits);
        candidates[1..].sort_by(|one, other| rank(other).partial_cmp(&rank(one)).unwrap_or(Ordering::Equal));
        let by_move =
            thoughts.figures[0].chance.map_or(Some(rounded(choice.chance)), |_| candidates[0].chance);
        let moves = [optimal, &thoughts.variations[0]];
        ThinkAnswer {
            r#move: choice.mv.to_string(),
            answer: Answer::of(position, bounds, moves, (choice.nodes, choice.elapsed)),
            reason: choice.reason.to_string(),
            target: choice.target.map(|target| target.alpha()),
            chance: by_move.filter(|_| choice.target.is_some()),
            targets: thoughts.targets.iter().map(target_row).collect(),
            candidates,
            stakes: None,
            opponent: choice
                .opponent
                .map(|(kind, chance)| KindRow { kind: kind.to_string(), chance: rounded(chance) }),
        }
    }
}

/// Round a share to four digits.
fn rounded(value: f32) -> f64 {
    (f64::from(value) * 1e4).round() / 1e4
}

/// Return the judge's price of a move; `None` if it was not judged.
pub fn stake(position: &Position, mv: Move) -> Option<Stake> {
    let mover = position.to_move();
    let judged = |position: &Position| Judge::new(None).judge(position, Effort::DEFAULT, None);
    let mut verdict = judged(position);
    let listed = |verdict: &Verdict| verdict.moves.iter().find(|it| it.mv == mv).map(|it| it.worth);
    if listed(&verdict).and_then(|worth| worth.value()).is_none() {
        verdict.learn(mover, mv, judged(&position.after::<Portable>(mv)).worth);
    }
    let (before, after) = (verdict.worth, listed(&verdict)?);
    let points = given_away(mover, before.value()?, after.value()?).max(0.0);
    let proven = before.score.and(after.score).is_some();
    Some(Stake { points, proven, best: verdict.best()?.mv.to_string() })
}
