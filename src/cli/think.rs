//! `blackhole think`: the bot's move in a recorded position, and the reason.

use std::iter;
use std::time::Duration;

use clap::Args;
use serde::Serialize;

use super::options::{EngineOptions, engine, params};
use super::source::GameSource;
use super::{CommandResult, Failure, SUCCESS, json_line, print};
use crate::games::record::Record;
use crate::judge::answer::Answer;
use crate::judge::exact::principal_variation;
use crate::judge::likely::likely_opponent;
use crate::player::agent::Reason;
use crate::player::board::{Move, Player};
use crate::player::engine::choose::{Prospect, TargetEstimate};
use crate::player::engine::clock::remaining_for;
use crate::player::engine::{Engine, Thoughts};
use crate::player::limits::Limits;
use crate::player::position::{Position, Score};
use crate::player::simd::Portable;
use crate::player::solver::{Bounds, Solver};
use crate::text::{table, wrapped};

/// The meanings of the answer's words.
const MEANINGS: [(&str, &str); 16] = [
    ("solved", "the score is proven, and kept; of several such moves, the best in the column expected"),
    ("exploiting", "aims above best play, as this opponent's replies are predictable"),
    ("hurried", "almost no time is left"),
    ("most visits", "the search tried it most often, as the best for the target"),
    (
        "best ahead",
        "it is about as good as any for the target, and the most promising for the next harder one",
    ),
    ("proven", "its proven score is at least the likely score of every other move"),
    ("target", "a score: Red aims at it or more, Blue at less"),
    (
        "chance",
        "the mover's chance, 0 to 1: among moves, to reach the target by this one; among targets, to reach this one by its most visited move",
    ),
    ("visits", "the times the search tried it; only the last targets and the best moves are listed"),
    ("ahead", "the chance to reach the next harder target, if it decided; - after fewer than 20 visits"),
    ("-", "not known"),
    ("secures", "the score it is proven to reach, or better"),
    ("expected", "the mean score expected against this opponent"),
    ("proven for", "the player proven to reach its side of the target"),
    ("line", "the moves of both that it expects"),
    ("nodes", "iterations of the search and positions judged by the solver"),
];

/// Print the bot's move at the end of a record, and the reason
#[derive(Args)]
#[command(after_help = format!("\
Scores are red minus blue; chances are those of the player to move. The words:
{}
Keys of --json: move, reason, target, chance (by this move); empty, to_move,
score, bounds, best, line (the expected moves of both), nodes, seconds (as in
`solve --json`); targets (the columns above): target, chance, visits, proven;
candidates: move, visits, chance, ahead, secures, expected, proven, line (of the first
five); opponent (the likeliest kind, null before its first reply): kind, chance.",
    MEANINGS.map(|(word, meaning)| format!("{word}: {meaning}\n")).concat()))]
pub(super) struct ThinkOptions {
    #[command(flatten)]
    source: GameSource,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Thinking time for this move alone, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds, conflicts_with_all = ["time", "nodes"])]
    move_time: Option<Duration>,
    #[command(flatten)]
    engine: EngineOptions,
}

/// Print the choice. Without `--move-time`, `--time` is the bot's time for the rest of the game.
pub(super) fn run(options: &ThinkOptions) -> CommandResult {
    let record = options.source.record()?;
    let position = record.position();
    if position.empty().len() < 2 {
        return Err(Failure::input("the game is over, expected a position with a move to play"));
    }
    let thoughts = consider(&record, &options.engine, options.move_time);
    let answer = explain(thoughts, position);
    print(&if options.json { json_line(&answer)? } else { text(&answer) })?;
    Ok(SUCCESS)
}

/// Think about the position at the end of a record: for `time`, or as long as in a game.
pub(super) fn consider(record: &Record, options: &EngineOptions, time: Option<Duration>) -> Thoughts {
    consider_with(&mut engine(options), record, options, time)
}

/// Do the same with an engine made before from these options.
pub(super) fn consider_with(
    engine: &mut Engine,
    record: &Record,
    options: &EngineOptions,
    time: Option<Duration>,
) -> Thoughts {
    let position = record.position();
    let (params, empty) = (params(options), position.empty().len());
    let time = time.map_or(options.time, |time| remaining_for(&params, empty, time));
    let (start, replier) = (record.start(), position.to_move().opponent());
    engine.meet(likely_opponent(start, record.moves(), replier));
    engine.think(position, time)
}

/// Make the answer from thoughts about a position.
pub(super) fn explain(mut thoughts: Thoughts, position: &Position) -> ThinkAnswer {
    complete_line(&mut thoughts, position);
    ThinkAnswer::of(&thoughts, position)
}

/// Complete the expected line of a solved position by best play, if no tree has one.
fn complete_line(thoughts: &mut Thoughts, position: &Position) {
    let mv = thoughts.choice.mv;
    if let ([_], Some(solution)) = (&thoughts.variations[0][..], &thoughts.solution)
        && let Some(exact) = solution.bounds.exact()
    {
        let value = solution.optimal.contains(&mv).then_some(exact);
        let (after, limits) = (position.after::<Portable>(mv), Limits::nodes(LINE_NODES));
        thoughts.variations[0].extend(principal_variation(&mut Solver::default(), &after, value, &limits));
    }
}

/// Round a share to four digits.
fn rounded(value: f32) -> f64 {
    (f64::from(value) * 1e4).round() / 1e4
}

/// Name the winner of a proof; `None` without a proof.
fn proven(proof: Option<Player>) -> Option<String> {
    proof.map(|winner| winner.to_string())
}

/// The answer, as text and as JSON. Scores are red minus blue, chances those of the player to move.
#[derive(Serialize)]
pub(super) struct ThinkAnswer {
    r#move: String,
    #[serde(flatten)]
    answer: Answer,
    reason: String,
    target: Option<Score>,
    /// The chance to reach the target by the move; `None` without a target.
    chance: Option<f64>,
    targets: Vec<TargetRow>,
    candidates: Vec<CandidateRow>,
    opponent: Option<TakenFor>,
}

/// The likeliest kind of the opponent, and its chance, 0 to 1.
#[derive(Serialize)]
struct TakenFor {
    kind: String,
    chance: f64,
}

/// A target's row.
#[derive(Serialize)]
struct TargetRow {
    target: Score,
    chance: f64,
    visits: u32,
    proven: Option<String>,
}

/// A candidate move's row.
#[derive(Serialize)]
struct CandidateRow {
    r#move: String,
    visits: u32,
    /// The chance to reach the target.
    chance: Option<f64>,
    /// The chance to reach the next harder target.
    ahead: Option<f64>,
    /// The proven score, or better.
    secures: Option<Score>,
    /// The mean score expected against this opponent.
    expected: Option<f64>,
    proven: Option<String>,
    /// The expected moves of both from this one on; empty after the first few rows.
    line: Vec<String>,
}

impl ThinkAnswer {
    /// Explain the reason of the choice.
    pub fn why(&self) -> &'static str {
        let meaning = MEANINGS.iter().find(|(word, _)| self.reason == *word);
        meaning.map_or("", |(_, meaning)| meaning)
    }

    fn of(thoughts: &Thoughts, position: &Position) -> ThinkAnswer {
        let (choice, mover) = (&thoughts.choice, position.to_move());
        let target_row = |line: &TargetEstimate| TargetRow {
            target: line.target.alpha(),
            chance: rounded(line.chance),
            visits: line.visits,
            proven: proven(line.proof),
        };
        let candidate_row = |(n, it): (usize, &Prospect)| CandidateRow {
            r#move: it.mv.to_string(),
            visits: it.visits,
            chance: it.chance.map(rounded),
            ahead: it.ahead.map(rounded),
            // Blue keeps the score below the target.
            secures: it.secures.map(|target| target.alpha() - Score::from(mover == Player::Blue)),
            expected: it.expected.map(|score| rounded(f32::from(mover.sign()) * score)),
            proven: proven(it.proof),
            line: thoughts.variations.get(n).into_iter().flatten().map(Move::to_string).collect(),
        };
        let proven = thoughts.solution.as_ref().map(|it| (it.bounds, &it.optimal[..]));
        let (bounds, optimal) = proven.unwrap_or((Bounds::UNKNOWN, &[]));
        let by_move = thoughts.prospects.first().and_then(|it| it.chance);
        let answer = Answer::of(position, bounds, choice.nodes, choice.elapsed);
        ThinkAnswer {
            r#move: choice.mv.to_string(),
            answer: answer.with_moves(optimal, &thoughts.variations[0]),
            reason: choice.reason.to_string(),
            target: choice.target.map(|target| target.alpha()),
            chance: choice.target.map(|_| rounded(by_move.unwrap_or(choice.chance))),
            targets: thoughts.targets.iter().map(target_row).collect(),
            candidates: thoughts.prospects.iter().enumerate().map(candidate_row).collect(),
            opponent: choice
                .opponent
                .map(|(kind, chance)| TakenFor { kind: kind.to_string(), chance: rounded(chance) }),
        }
    }
}

/// Solver nodes for each move of the expected line: about a second.
const LINE_NODES: u64 = 2_000_000;

/// The most candidate moves in the text.
const SHOWN_CANDIDATES: usize = 12;

/// Write the answer.
fn text(answer: &ThinkAnswer) -> String {
    let ThinkAnswer { r#move, reason, .. } = answer;
    let Answer { score, bounds, line, nodes, seconds, .. } = &answer.answer;
    let target = answer.target.map_or(String::new(), |target| format!(" for the target {target}"));
    let mut text = format!("{move}\n{reason}{target}: {nodes} nodes, {seconds:.3} s\n");
    if *bounds != [Bounds::UNKNOWN.lower, Bounds::UNKNOWN.upper] {
        text += &format!("proven: {}\n", Answer::result(*score, *bounds));
    }
    if let Some(TakenFor { kind, chance }) =
        answer.opponent.as_ref().filter(|_| *reason == Reason::Exploiting.to_string())
    {
        text += &format!("this opponent {kind} (chance {chance:.2})\n");
    }
    let number = |number: Option<f64>| number.map_or(String::new(), |number| format!("{number:.3}"));
    let targets = answer.targets.iter().map(|row| {
        let TargetRow { target, chance, visits, proven } = row;
        [target.to_string(), number(Some(*chance)), visits.to_string(), proven.clone().unwrap_or_default()]
    });
    text += &titled_table(["target", "chance", "visits", "proven for"], targets);
    let shows_ahead = *reason == Reason::Ahead.to_string();
    let moves = answer.candidates.iter().take(SHOWN_CANDIDATES).map(|row| {
        let CandidateRow { r#move, visits, chance, ahead, secures, expected, proven, .. } = row;
        let secures = secures.map_or(String::new(), |score| score.to_string());
        let [chance, ahead, expected] = [*chance, ahead.filter(|_| shows_ahead), *expected].map(number);
        let visits = if *visits > 0 { visits.to_string() } else { String::new() };
        [r#move.clone(), visits, chance, ahead, secures, expected, proven.clone().unwrap_or_default()]
    });
    text += &titled_table(["move", "visits", "chance", "ahead", "secures", "expected", "proven for"], moves);
    format!("{text}\n{}\nthe words: blackhole think --help\n", wrapped(&format!("line {}", line.join(" "))))
}

/// Write rows under their titles, below an empty line, with a dash where an entry is missing; leave out columns
/// without an entry.
fn titled_table<const N: usize>(titles: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let rows: Vec<[String; N]> = rows.collect();
    let used: Vec<usize> = (0..N).filter(|&n| rows.iter().any(|row| !row[n].is_empty())).collect();
    let shown = |cell: String| if cell.is_empty() { "-".to_owned() } else { cell };
    let lines = iter::once(titles.map(str::to_owned)).chain(rows.into_iter().map(|row| row.map(shown)));
    let lines: Vec<Vec<String>> = lines.map(|row| used.iter().map(|&n| row[n].clone()).collect()).collect();
    if used.is_empty() { String::new() } else { format!("\n{}", table(&">".repeat(used.len()), &lines)) }
}
