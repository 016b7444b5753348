//! `blackhole report`: the tables and the picture of recorded matches.

use std::path::PathBuf;

use clap::Args;

use super::arena_options::SprtOptions;
use super::output::{may_write, write_whole};
use super::{CommandResult, Failure, SUCCESS, at, print, say};
use crate::workshop::arena::journal::Entry;
use crate::workshop::arena::picture;
use crate::workshop::arena::report::Report;
use crate::workshop::arena::sprt::SprtRun;
use crate::workshop::lines::{is_stdout, parse, read};

/// Print the tables of one or several journals of `match`
///
/// The journals of shards, or one that holds them all, give the table of the whole match. A game
/// that is recorded twice counts once. Exit codes: 0 done, 1 a picture or a table that cannot be
/// written, 2 bad usage or a file that is no journal.
#[derive(Args)]
pub(super) struct ReportOptions {
    /// Journals of `match`
    #[arg(value_name = "JOURNAL", required = true)]
    journals: Vec<PathBuf>,
    /// Draw the histogram of points, the running mean and the sequential test into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// The bot to draw and to test [default: the first of the table]
    #[arg(long, value_name = "NAME")]
    bot: Option<String>,
    #[command(flatten)]
    sprt: SprtOptions,
}

/// Print the tables.
pub(super) fn run(options: &ReportOptions) -> CommandResult {
    let mut entries = Vec::new();
    for path in &options.journals {
        if is_stdout(path) {
            return Err(at(path, "expected another file than standard output"));
        }
        let text = read(path).map_err(|error| at(path, error))?;
        let lines = parse::<Entry>(&text).map_err(|error| at(path, error))?;
        if lines.torn > 0 {
            say(&format!("{}: the torn last line is left out", path.display()));
        }
        entries.extend(lines.records);
    }
    if let Some(path) = &options.svg {
        may_write(path, "picture", picture::MARK, &options.journals)?;
    }
    let report = Report::of(&entries);
    let mut names = report.standings.iter().map(|standing| &standing.name);
    let hero = match &options.bot {
        Some(name) if !names.any(|other| other == name) => {
            return Err(Failure::input(format!("there are no games of {name}")));
        }
        Some(name) => Some(name),
        None => names.next(),
    };
    let sprt = options.sprt.test(report.standings.len())?;
    let test = sprt.zip(hero).map_or(String::new(), |(sprt, hero)| {
        let mut run = SprtRun::new(sprt, hero);
        let pairs = (0..).zip(report.pairs_of(hero));
        pairs.for_each(|(number, (_, pair))| run.add(number, pair.mean(), pair.moves));
        format!("\n{run}\n")
    });
    // The picture before the table: whoever reads the table may be gone after its first line.
    let drawn = match (&options.svg, hero.and_then(|hero| picture::draw(&report, hero, sprt))) {
        (Some(path), Some(picture)) => write_whole(path, &picture).map_err(Failure::Io),
        (Some(_), None) => Err(Failure::input("there are no games to draw")),
        (None, _) => Ok(()),
    };
    let printed = print(&format!("{report}{test}"));
    drawn.and(printed)?;
    Ok(SUCCESS)
}
