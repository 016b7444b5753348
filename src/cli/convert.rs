//! `blackhole convert`: games from any form to another.

use clap::{Args, ValueEnum};

use super::source::GameSource;
use super::{CommandResult, SUCCESS, json_line, print, unfit};

/// Write games in another form, one on each line
#[derive(Args)]
pub(super) struct ConvertOptions {
    #[command(flatten)]
    source: GameSource,
    /// The form to write
    #[arg(long, value_enum, value_name = "FORM", default_value = "record")]
    to: Form,
}

#[derive(Clone, Copy, ValueEnum)]
enum Form {
    /// Blocked cells and moves between blanks
    Record,
    /// The community's base-36 string: standard hands only, without names
    Base36,
    /// A JSON object
    Json,
}

pub(super) fn run(options: &ConvertOptions) -> CommandResult {
    let mut text = String::new();
    for (number, game) in options.source.games()? {
        text += &match options.to {
            Form::Record => format!("{}\n", game.record),
            Form::Json => json_line(&game.line())?,
            Form::Base36 => {
                let why = format!("game {number}: found other hands, expected 1 to 15 and Red to move first");
                game.record.to_base36().ok_or_else(|| unfit(why))? + "\n"
            }
        };
    }
    print(&text).map(|()| SUCCESS)
}
