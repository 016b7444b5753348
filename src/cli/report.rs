//! `blackhole report`: the tables and the picture of recorded matches.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;

use super::{Failure, Outcome, SUCCESS, print, read_file};
use crate::workshop::arena::journal::Entry;
use crate::workshop::arena::picture;
use crate::workshop::arena::report::Report;
use crate::workshop::lines::parse;

/// Print the tables of one or several journals of `match`
///
/// The journals of shards, or one that holds them all, give the table of the whole match. A game that is
/// recorded twice counts once.
#[derive(Args)]
pub(super) struct ReportOptions {
    /// Journals of `match`
    #[arg(required = true, value_name = "FILE")]
    journals: Vec<PathBuf>,
    /// Draw the histogram of points and the running mean into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// The bot to draw [default: the first of the table]
    #[arg(long, value_name = "NAME", requires = "svg")]
    bot: Option<String>,
}

/// Print the tables.
pub(super) fn run(options: &ReportOptions) -> Outcome {
    let mut entries = Vec::new();
    for path in &options.journals {
        let lines = parse::<Entry>(&read_file(path)?)
            .map_err(|error| Failure::Input(format!("{}: {error}", path.display())))?;
        if lines.torn > 0 {
            writeln!(io::stderr(), "{}: the torn last line is left out", path.display())?;
        }
        entries.extend(lines.records);
    }
    let report = Report::of(&entries);
    print(&report.to_string())?;
    if let Some(path) = &options.svg {
        let first = report.rows.first().map(|row| row.name.clone());
        let name = options.bot.clone().or(first);
        let name = name.ok_or_else(|| Failure::Input("there are no games to draw".to_owned()))?;
        let picture = picture::draw(&entries, &name)
            .ok_or_else(|| Failure::Input(format!("there are no games of {name}")))?;
        fs::write(path, picture).map_err(|error| Failure::Input(format!("{}: {error}", path.display())))?;
    }
    Ok(SUCCESS)
}
