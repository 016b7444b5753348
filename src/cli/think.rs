//! `blackhole think`: the move the bot would play in a recorded position, and why.

use clap::Args;
use serde_json::json;

use super::{Failure, Outcome, RecordSource, SUCCESS, engine, json_object, print};
use crate::agent::Choice;

/// Print the move the bot would play at the end of a record, and why
#[derive(Args)]
pub(super) struct ThinkOptions {
    #[command(flatten)]
    record: RecordSource,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engine: engine::EngineOptions,
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
    let choice = engine::engine(&options.engine).choose(position, options.engine.time);
    let text = if options.json {
        json(&choice)
    } else if options.quiet {
        format!("{}\n", choice.mv)
    } else {
        text(&choice)
    };
    print(&text)?;
    Ok(SUCCESS)
}

fn json(choice: &Choice) -> String {
    json_object(&[
        ("move", json!(choice.mv.to_string())),
        ("reason", json!(format!("{:?}", choice.reason).to_lowercase())),
        ("target", json!(choice.target.map(|target| target.alpha()))),
        ("value", json!(choice.value)),
        ("nodes", json!(choice.nodes)),
        ("seconds", json!(choice.elapsed.as_secs_f64())),
    ])
}

fn text(choice: &Choice) -> String {
    let target = choice.target.map_or(String::new(), |target| format!(" for the target {target}"));
    format!(
        "{}\n{:?}{target}: value {:.3}, {} nodes, {:.3} s\n",
        choice.mv,
        choice.reason,
        choice.value,
        choice.nodes,
        choice.elapsed.as_secs_f64()
    )
}
