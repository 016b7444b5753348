//! `blackhole show`: the board of a recorded game after any move.

use clap::Args;

use super::source::PositionSource;
use super::{CommandResult, SUCCESS, print};
use crate::games::drawing;

/// Print the board of a game after any move
#[derive(Args)]
pub(super) struct ShowOptions {
    #[command(flatten)]
    source: PositionSource,
}

pub(super) fn run(options: &ShowOptions) -> CommandResult {
    let (shown, count) = options.source.at_ply()?;
    let (ply, last) = (shown.moves().len(), shown.placements().last());
    let last = last.map_or(String::new(), |(player, mv)| format!(", {player} played {mv}"));
    let next = match shown.final_score() {
        Some(score) => format!("final score {score}"),
        None => format!("{} to move", shown.position().to_move()),
    };
    print(&format!("{}after {ply} of {count} moves{last}; {next}\n", drawing::board(&shown)))
        .map(|()| SUCCESS)
}
