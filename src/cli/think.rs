//! `blackhole think`: the move the bot would play in a recorded position, and why.

use clap::Args;
use serde::Serialize;

use super::options::{EngineOptions, engine};
use super::{Failure, RecordSource, SUCCESS, json_line, plural, print};
use crate::player::engine::Thoughts;
use crate::player::position::Score;
use crate::player::search::tree::Proof;
use crate::player::solver::Bounds;

/// Print the move the bot would play at the end of a record, and why
#[derive(Args)]
pub(super) struct ThinkOptions {
    #[command(flatten)]
    record: RecordSource,
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
    let record = options.record.read()?;
    let position = record.position();
    if position.empty().len() < 2 {
        return Err(Failure::input("the game is over, expected a position with a move to play"));
    }
    let thoughts = engine(&options.engine).think(position, options.engine.time);
    let text = if options.json {
        json_line(&Answer::of(&thoughts))?
    } else if options.quiet {
        format!("{}\n", thoughts.choice.mv)
    } else {
        text(&thoughts)
    };
    print(&text)?;
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

/// The answer as JSON.
#[derive(Serialize)]
struct Answer {
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

impl Answer {
    fn of(thoughts: &Thoughts) -> Answer {
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
        Answer {
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

fn text(thoughts: &Thoughts) -> String {
    let choice = &thoughts.choice;
    let target = choice.target.map_or(String::new(), |target| format!(" for the target {target}"));
    let mut text = format!(
        "{}\n{:?}{target}: value {:.3}, {}, {:.3} s\n",
        choice.mv,
        choice.reason,
        choice.value,
        plural(choice.nodes, "node"),
        choice.elapsed.as_secs_f64()
    );
    if let Some(solution) = &thoughts.solution {
        let Bounds { lower, upper } = solution.bounds;
        text += &format!("proven final score: {lower} to {upper}\n");
    }
    let mark = |proof| proven(proof).map_or(String::new(), |winner| format!("  proven for {winner}"));
    if !thoughts.targets.is_empty() {
        text += "\ntarget  value    visits\n";
    }
    for line in &thoughts.targets {
        let alpha = line.target.alpha();
        text += &format!("{alpha:>6}  {:.3}  {:>8}{}\n", line.value, line.visits, mark(line.proof));
    }
    if !thoughts.candidates.is_empty() {
        text += "\nmove     visits  value   AMAF\n";
    }
    for candidate in thoughts.candidates.iter().take(SHOWN) {
        let name = candidate.mv.to_string();
        let amaf = candidate.amaf.map_or("    -".to_owned(), |amaf| format!("{amaf:.3}"));
        let (visits, value) = (candidate.visits, candidate.value);
        text += &format!("{name:<6} {visits:>8}  {value:.3}  {amaf}{}\n", mark(candidate.proof));
    }
    if !thoughts.variation.is_empty() {
        let names: Vec<String> = thoughts.variation.iter().map(ToString::to_string).collect();
        text += &format!("\nexpected {}\n", names.join(" "));
    }
    text
}
