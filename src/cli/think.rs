//! `blackhole think`: the move the bot would play in a recorded position, and why.

use clap::Args;
use serde_json::{Value, json};

use super::options::{EngineOptions, engine};
use super::{Failure, Outcome, RecordSource, SUCCESS, json_object, plural, print};
use crate::player::engine::Thoughts;
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
pub(super) fn run(options: &ThinkOptions) -> Outcome {
    let record = options.record.read()?;
    let position = record.position();
    if position.empty().len() < 2 {
        return Err(Failure::Input("the game is over, expected a position with a move to play".to_owned()));
    }
    let thoughts = engine(&options.engine).think(position, options.engine.time);
    let text = if options.json {
        json(&thoughts)
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

fn json(thoughts: &Thoughts) -> String {
    let choice = &thoughts.choice;
    let targets = thoughts.targets.iter().map(|line| {
        json!({ "target": line.target.alpha(), "value": rounded(line.value), "visits": line.visits,
                "proven": proven(line.proof) })
    });
    let candidates = thoughts.candidates.iter().map(|candidate| {
        json!({ "move": candidate.mv.to_string(), "visits": candidate.visits, "value": rounded(candidate.value),
                "amaf": candidate.amaf.map(rounded), "proven": proven(candidate.proof) })
    });
    let variation = thoughts.variation.iter().map(|mv| Value::from(mv.to_string()));
    let bounds = thoughts.solution.as_ref().map(|solution| {
        let Bounds { lower, upper } = solution.bounds;
        json!({ "lower": lower, "upper": upper })
    });
    json_object(&[
        ("move", json!(choice.mv.to_string())),
        ("reason", json!(format!("{:?}", choice.reason).to_lowercase())),
        ("target", json!(choice.target.map(|target| target.alpha()))),
        ("value", json!(rounded(choice.value))),
        ("nodes", json!(choice.nodes)),
        ("seconds", json!(choice.elapsed.as_secs_f64())),
        ("targets", targets.collect()),
        ("candidates", candidates.collect()),
        ("variation", variation.collect()),
        ("solved", json!(bounds)),
    ])
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
