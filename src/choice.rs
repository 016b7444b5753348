//! The bot's own choice of a move, with its reasons: as data, and in a sentence.
//!
//! The judge knows no opponent, the bot's choice counts on one.

use std::time::Duration;

use serde::Serialize;

use crate::games::drawing;
use crate::games::record::Record;
use crate::judge::answer::Answer;
use crate::judge::likely::likely_opponent;
use crate::player::agent::{Choice, Reason};
use crate::player::board::{Move, Player};
use crate::player::engine::choose::{MoveFigures, TargetEstimate};
use crate::player::engine::{Engine, Thoughts};
use crate::player::limits::Limits;
use crate::player::position::{Position, Score};
use crate::player::simd::Portable;
use crate::player::solver::{Bounds, Solver};
use crate::text::capital;

/// The reasons of a choice, and their meanings.
pub const REASONS: [(&str, &str); 6] = [
    ("solved", "the move keeps the proven score; of several such moves, the highest in the column expected"),
    ("exploiting", "aims above best play, as this opponent's replies are predictable"),
    ("hurried", "almost no time is left"),
    ("most visits", "the search tried it most often, as the best for the target"),
    ("best ahead", "among equally good moves, the likeliest to reach the next higher target"),
    ("proven", "its proven score is at least the likely score of every other move"),
];

/// Nodes and bytes of the solver for a hint's stake: less than a second.
const STAKE_NODES: u64 = 1_000_000;
const STAKE_TABLE: usize = 16 << 20;

/// Let an engine think about the position at the end of a record, with the time left for the game.
pub fn consider(engine: &mut Engine, record: &Record, remaining: Duration) -> Thoughts {
    let replier = record.position().to_move().opponent();
    engine.meet(likely_opponent(record.start(), record.moves(), replier));
    engine.think(record.position(), remaining)
}

/// The choice as data. The fields are the keys of the JSON object; scores are red minus blue, chances those of the player to move.
#[derive(Serialize)]
pub struct ThinkAnswer {
    pub r#move: String,
    #[serde(flatten)]
    pub answer: Answer,
    pub reason: String,
    pub target: Option<Score>,
    /// The chance to reach the target by the move; `None` without a target.
    pub chance: Option<f64>,
    pub targets: Vec<TargetRow>,
    pub candidates: Vec<CandidateRow>,
    pub opponent: Option<TakenFor>,
}

/// The likeliest kind of the opponent, and its chance, 0 to 1.
#[derive(Serialize)]
pub struct TakenFor {
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
    /// The chance to reach the next harder target.
    pub ahead: Option<f64>,
    /// The proven score, or better.
    pub secures: Option<Score>,
    /// The mean score expected against this opponent.
    pub expected: Option<f64>,
    /// The expected moves of both from this one on; empty after the first few rows.
    pub line: Vec<String>,
}

impl ThinkAnswer {
    /// Explain the reason of the choice.
    pub fn why(&self) -> &'static str {
        let meaning = REASONS.iter().find(|(word, _)| self.reason == *word);
        meaning.map_or("", |(_, meaning)| meaning)
    }

    /// Make the answer from thoughts about a position.
    pub fn of(thoughts: &Thoughts, position: &Position) -> ThinkAnswer {
        let (choice, mover) = (&thoughts.choice, position.to_move());
        let target_row = |line: &TargetEstimate| TargetRow {
            target: line.target.alpha(),
            chance: rounded(line.chance),
            visits: line.visits,
        };
        let candidate_row = |(n, it): (usize, &MoveFigures)| CandidateRow {
            r#move: it.mv.to_string(),
            visits: it.visits,
            chance: it.chance.map(rounded),
            ahead: it.ahead.map(rounded),
            // Blue keeps the score below the target.
            secures: it.secures.map(|target| target.alpha() - Score::from(mover == Player::Blue)),
            expected: it.expected.map(|score| rounded(f32::from(mover.sign()) * score)),
            line: thoughts.variations.get(n).into_iter().flatten().map(Move::to_string).collect(),
        };
        let proven = thoughts.solution.as_ref().map(|it| (it.bounds, &it.optimal[..]));
        let (bounds, optimal) = proven.unwrap_or((Bounds::UNKNOWN, &[]));
        let by_move = thoughts.figures.first().and_then(|it| it.chance);
        let answer = Answer::of(position, bounds, choice.nodes, choice.elapsed);
        ThinkAnswer {
            r#move: choice.mv.to_string(),
            answer: answer.with_moves(optimal, &thoughts.variations[0]),
            reason: choice.reason.to_string(),
            target: choice.target.map(|target| target.alpha()),
            chance: choice.target.map(|_| rounded(by_move.unwrap_or(choice.chance))),
            targets: thoughts.targets.iter().map(target_row).collect(),
            candidates: thoughts.figures.iter().enumerate().map(candidate_row).collect(),
            opponent: choice
                .opponent
                .map(|(kind, chance)| TakenFor { kind: kind.to_string(), chance: rounded(chance) }),
        }
    }
}

/// Round a share to four digits.
fn rounded(value: f32) -> f64 {
    (f64::from(value) * 1e4).round() / 1e4
}

/// Explain the engine's advice to the player to move in `position`.
pub fn hint(position: &Position, thoughts: &Thoughts) -> String {
    let choice = &thoughts.choice;
    let exact = thoughts.solution.as_ref().and_then(|solution| solution.bounds.exact());
    let mut why = why(position, choice, exact, " for you");
    if choice.reason == Reason::Exploiting {
        why += &stake(position, thoughts);
    }
    match thoughts.variations[0].as_slice() {
        [first, reply, ..] if *first == choice.mv => format!("{why}; it expects {reply} in return"),
        _ => why,
    }
}

/// Describe the proven points given up by a move that counts on the opponent's replies.
fn stake(position: &Position, thoughts: &Thoughts) -> String {
    let mv = thoughts.choice.mv;
    let proven = thoughts.solution.as_ref().and_then(|it| it.bounds.exact().zip(it.optimal.first()));
    let Some((score, safe)) = proven else { return ", without a proof that it is safe".to_owned() };
    let mover = position.to_move();
    let after = position.after::<Portable>(mv);
    let kept = Solver::new(STAKE_TABLE).value(&after, score, &Limits::nodes(STAKE_NODES));
    let for_mover = |score: Score| i32::from(mover.sign()) * i32::from(score);
    let staked = for_mover(score) - for_mover(kept.secured(mover));
    if staked <= 0 {
        return ", and keeps the proven score".to_owned();
    }
    let at_most = if kept.exact().is_some() { "" } else { "up to " };
    let points = 75 + for_mover(score);
    format!(", and stakes {at_most}{staked} of the {points} proven points; {safe} keeps them")
}

/// Explain the choice of a move; `whose` follows the points that it aims at.
pub fn why(position: &Position, choice: &Choice, exact: Option<Score>, whose: &str) -> String {
    match (choice.reason, exact, choice.target) {
        (Reason::Solved, Some(score), _) => {
            let points = 75 + i32::from(score.abs());
            let outcome = drawing::winner(score).map_or("a draw, 75 points each".to_owned(), |winner| {
                format!("{points} to {} points for {}", 150 - points, capital(winner))
            });
            format!("solved, the best play of both gives {outcome}")
        }
        (Reason::Exploiting, ..) => "it counts on how this opponent replies".to_owned(),
        (_, _, Some(target)) => {
            let alpha = i32::from(target.alpha());
            let points = 75 + if position.to_move() == Player::Red { alpha } else { 1 - alpha };
            let draw = if points == 75 { " (a draw)" } else { "" };
            if choice.reason == Reason::Proven {
                return format!("it is proven to bring {points} points{draw}{whose} or more");
            }
            let percent = (100.0 * choice.chance).round();
            format!("the engine aims at {points} points{draw}{whose} or more, with a chance of {percent} %")
        }
        (Reason::Hurried | Reason::Unsearched, ..) => "by a rule of thumb, without a search".to_owned(),
        _ => "found by its search".to_owned(),
    }
}
