//! `blackhole think`: the move the bot would play in a recorded position, and why.

use clap::Args;
use serde::Serialize;

use super::options::{EngineOptions, engine};
use super::source::GameSource;
use super::{Failure, SUCCESS, json_line, plural, print};
use crate::player::engine::Thoughts;
use crate::player::position::Score;
use crate::player::search::tree::Proof;
use crate::player::solver::Bounds;

/// Print the move the bot would play at the end of a record, and why
#[derive(Args)]
pub(super) struct ThinkOptions {
    #[command(flatten)]
    source: GameSource,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engine: EngineOptions,
    /// Print only the move
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
}

/// Print the choice. The time given is what the bot has left for the rest of the game.
pub(super) fn run(options: &ThinkOptions) -> Result<u8, Failure> {
    let record = options.source.record()?;
    let position = record.position();
    if position.empty().len() < 2 {
        return Err(Failure::input("the game is over, expected a position with a move to play"));
    }
    let answer = ThinkAnswer::of(&engine(&options.engine).think(position, options.engine.time));
    print(&match (options.json, options.quiet) {
        (true, _) => json_line(&answer)?,
        (_, true) => format!("{}\n", answer.r#move),
        _ => text(&answer),
    })?;
    Ok(SUCCESS)
}

/// Round a share to what is worth reading.
fn rounded(value: f32) -> f64 {
    (f64::from(value) * 1e4).round() / 1e4
}

/// Name the winner of a proof; `None` without one.
fn proven(proof: Proof) -> Option<String> {
    proof.winner().map(|winner| winner.to_string())
}

/// The answer, as text and as JSON.
#[derive(Serialize)]
struct ThinkAnswer {
    r#move: String,
    reason: String,
    target: Option<Score>,
    value: f64,
    nodes: u64,
    seconds: f64,
    targets: Vec<TargetRow>,
    candidates: Vec<CandidateRow>,
    variation: Vec<String>,
    solved: Option<ProvenScore>,
}

/// What is known of a target.
#[derive(Serialize)]
struct TargetRow {
    proven: Option<String>,
    target: Score,
    value: f64,
    visits: u32,
}

/// What is known of a move.
#[derive(Serialize)]
struct CandidateRow {
    amaf: Option<f64>,
    r#move: String,
    proven: Option<String>,
    value: f64,
    visits: u32,
}

/// The bounds of the final score under best play.
#[derive(Serialize)]
struct ProvenScore {
    lower: Score,
    upper: Score,
}

impl ThinkAnswer {
    fn of(thoughts: &Thoughts) -> ThinkAnswer {
        let choice = &thoughts.choice;
        let targets = thoughts.targets.iter().map(|line| TargetRow {
            proven: proven(line.proof),
            target: line.target.alpha(),
            value: rounded(line.value),
            visits: line.visits,
        });
        let candidates = thoughts.candidates.iter().map(|candidate| CandidateRow {
            amaf: candidate.amaf.map(rounded),
            r#move: candidate.mv.to_string(),
            proven: proven(candidate.proof),
            value: rounded(candidate.value),
            visits: candidate.visits,
        });
        let bounds = thoughts.solution.as_ref().map(|solution| solution.bounds);
        ThinkAnswer {
            r#move: choice.mv.to_string(),
            reason: format!("{:?}", choice.reason).to_lowercase(),
            target: choice.target.map(|target| target.alpha()),
            value: rounded(choice.value),
            nodes: choice.nodes,
            seconds: choice.elapsed.as_secs_f64(),
            targets: targets.collect(),
            candidates: candidates.collect(),
            variation: thoughts.variation.iter().map(ToString::to_string).collect(),
            solved: bounds.map(|Bounds { lower, upper }| ProvenScore { lower, upper }),
        }
    }
}

/// How many candidate moves a person gets to see.
const SHOWN: usize = 12;

fn text(answer: &ThinkAnswer) -> String {
    let ThinkAnswer { r#move, reason, value, seconds, .. } = answer;
    let target = answer.target.map_or(String::new(), |target| format!(" for the target {target}"));
    let nodes = plural(answer.nodes, "node");
    let mut text = format!("{move}\n{reason}{target}: value {value:.3}, {nodes}, {seconds:.3} s\n");
    if let Some(ProvenScore { lower, upper }) = answer.solved {
        text += &format!("proven final score: {lower} to {upper}\n");
    }
    let mark = |proven: &Option<String>| {
        proven.as_ref().map_or(String::new(), |winner| format!("  proven for {winner}"))
    };
    if !answer.targets.is_empty() {
        text += "\ntarget  value    visits\n";
    }
    for TargetRow { proven, target, value, visits } in &answer.targets {
        text += &format!("{target:>6}  {value:.3}  {visits:>8}{}\n", mark(proven));
    }
    if !answer.candidates.is_empty() {
        text += "\nmove     visits  value   AMAF\n";
    }
    for CandidateRow { amaf, r#move, proven, value, visits } in answer.candidates.iter().take(SHOWN) {
        let amaf = amaf.map_or("    -".to_owned(), |amaf| format!("{amaf:.3}"));
        text += &format!("{move:<6} {visits:>8}  {value:.3}  {amaf}{}\n", mark(proven));
    }
    if !answer.variation.is_empty() {
        text += &format!("\nexpected {}\n", answer.variation.join(" "));
    }
    text
}
