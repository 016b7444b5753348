//! `blackhole show`: the board of a recorded game after any move.

use clap::Args;

use super::options::within;
use super::source::GameSource;
use super::{CommandResult, Failure, SUCCESS, print};
use crate::games::drawing;

/// Print the board of a game after any move
#[derive(Args)]
pub(super) struct ShowOptions {
    #[command(flatten)]
    source: GameSource,
    /// The number of moves before the board [default: all]
    #[arg(long, value_name = "N", value_parser = within::<usize>(0..=30))]
    ply: Option<usize>,
}

pub(super) fn run(options: &ShowOptions) -> CommandResult {
    let record = options.source.record()?;
    let count = record.moves().len();
    let ply = options.ply.unwrap_or(count);
    if ply > count {
        return Err(Failure::input(format!("found --ply {ply}, expected a number from 0 to {count}")));
    }
    let shown = record.until(ply);
    let last = shown.placements().last();
    let last = last.map_or(String::new(), |(player, mv)| format!(", {player} played {mv}"));
    let next = match shown.final_score() {
        Some(score) => format!("final score {score}"),
        None => format!("{} to move", shown.position().to_move()),
    };
    print(&format!("{}after {ply} of {count} moves{last}; {next}\n", drawing::board(&shown)))?;
    Ok(SUCCESS)
}
