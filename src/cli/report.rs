//! `blackhole report`: the tables and the page of recorded matches.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde::Serialize;

use super::output::{may_write_page, write_page};
use super::review::judged;
use super::source::{NumberedGame, in_input, input_names};
use super::{
    CommandResult, FAILURE, INTERRUPTED, REFUTED, SUCCESS, UNDECIDED, at, json_line, print, say, unfit,
};
use crate::arena::journal::{Entry, MatchLine, read_path, split_lines};
use crate::arena::report::Report;
use crate::arena::sprt::{SprtRun, SprtVerdict};
use crate::judge::verdict::Effort;
use crate::page::tournament::{Head, tournament};
use crate::review::game::{ReviewSettings, unjudged};
use crate::system::lines::is_stdout;

/// Say what the tables of a report mean.
const LEGEND: &str = "\
The table (all figures but times and faults are over pairs; games without the
other colour are counted below it):
  points a game       mean
  ±                   standard error, from the spread between pairs of games
  mean/worst/move s   seconds: mean game, longest game, longest move
  faults              number by class; one after the last move costs no points
  above 75 with 97 %  the probability that the true mean is above 75
  pairs LL 3 LD 1 …   both games lost in 3 pairs, one lost and one drawn in 1;
                      W is won
  SPRT                the test of match --sprt between a lower and a higher mean
  LLR                 log-likelihood ratio: its lower bound accepts the lower
                      mean, its upper bound the higher one
  α, β                its --alpha and --beta";

const JSON_KEYS: &str = "\
Keys of --json: notes, broken; bots: name, games, total (points), won, drawn,
lost, error (the standard error), single (games without the other colour),
rating (null if nothing compares the bot), timed (all games), micros (thinking
time of all games, the longest game and the longest move), faults (the number
of each class); bots.rating: elo, error (standard error), bound (1 a lower one,
-1 an upper one, 0 none); pairings: names, games, total (points of the first),
won, drawn, lost, pairs, kinds (counts of LL, LD, WL, DD, WD, WW), single;
pairings.pairs: count, mean, error; sprt (null without a test): bot, means,
pairs, llr, bounds, verdict; sprt.means: low, high, alpha, beta.";

/// Print the tables of one or several journals of `match`
///
/// Give the journals of all shards for the table of the whole match. A game recorded twice counts once.
/// The test of a match with --sprt is run again. Exit codes: with a test those of `match --sprt`, else 0;
/// 1 a page or a table that cannot be written, or every game lost by a fault; 2 bad usage or a file that is
/// no journal; 130 after Ctrl-C.
#[derive(Args)]
#[command(after_help = format!("{LEGEND}\n\n{JSON_KEYS}"))]
pub(super) struct ReportOptions {
    /// Journals of `match`, or directories of such *.jsonl; `-` is standard input
    #[arg(value_name = "JOURNAL", required = true)]
    journals: Vec<PathBuf>,
    /// Write a page for a browser into this file, without network: tables, pictures, and every game on a board
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// The title of the page
    #[arg(long, value_name = "TEXT", requires = "html")]
    title: Option<String>,
    /// Judge the games of the page, with this solver's time for each position
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds, requires = "html")]
    judge: Option<Duration>,
    /// Print one object of JSON instead of the tables
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Json<'a> {
    #[serde(flatten)]
    report: &'a Report<'a>,
    sprt: &'a Option<SprtRun>,
}

/// Write the page, its games judged if so asked; return a sentence about an interruption.
fn write_tournament(
    path: &Path,
    options: &ReportOptions,
    report: &Report,
    subject: Option<&str>,
    test: Option<&SprtRun>,
    matches: &[MatchLine],
) -> io::Result<Option<String>> {
    let subject = subject.ok_or_else(|| unfit("there are no games for a page"))?;
    let recorded = |(number, entry): (usize, &&Entry)| {
        let illegal = |error| unfit(format!("round {}: expected {error}", entry.round_number()));
        entry.recorded().map(|game| (number, game)).map_err(illegal)
    };
    let games = (1..).zip(&report.games).map(recorded).collect::<io::Result<Vec<NumberedGame>>>()?;
    let (reviews, interrupted) = match options.judge {
        Some(limit) => {
            let effort = Effort { iterations: 0, ..Effort::DEFAULT }.with_limit(limit);
            judged(ReviewSettings { effort, ..ReviewSettings::default() }, false, &games)?
        }
        None => (games.iter().map(|(number, game)| (*number, unjudged(game))).collect(), None),
    };
    let title = options.title.clone().unwrap_or_else(|| match &report.bots[..] {
        [first, second] => {
            let other = if first.name == subject { second } else { first };
            format!("{subject} against {}", other.name)
        }
        bots => format!("{} bots, {}", bots.len(), input_names(&options.journals)),
    });
    let head = Head { title: &title, subject, matches };
    write_page(path, &tournament(&head, report, test, &reviews))?;
    Ok(interrupted)
}

/// Return the exit code of a match: a failure if a fault lost every game, else the test's verdict.
pub(super) fn exit_code(report: &Report, test: Option<&SprtRun>) -> u8 {
    match test.map(SprtRun::verdict) {
        _ if !report.broken.is_empty() => FAILURE,
        Some(SprtVerdict::H0) => REFUTED,
        Some(SprtVerdict::Undecided) => UNDECIDED,
        Some(SprtVerdict::H1) | None => SUCCESS,
    }
}

pub(super) fn run(options: &ReportOptions) -> CommandResult {
    let (mut entries, mut matches) = (Vec::new(), Vec::new());
    for path in &options.journals {
        if is_stdout(path) {
            return Err(at(path, "expected another file than standard output"));
        }
        let (found, remarks) = read_path(path).map_err(|error| in_input(path, error))?;
        remarks.iter().for_each(|remark| say(remark));
        if found.is_empty() {
            return Err(at(path, "expected a journal of match, a file *.jsonl, found none"));
        }
        for lines in found {
            let (known, games) = split_lines(lines);
            entries.extend(games);
            matches.extend(known);
        }
    }
    if let Some(path) = &options.html {
        may_write_page(path)?;
    }
    let report = Report::of(&entries);
    // The last game has the match's latest terms.
    let recorded = entries.last().and_then(|entry| entry.sprt.as_ref());
    let subject = recorded.map(|test| &*test.bot).or(report.subject());
    let known = recorded.filter(|_| report.bots.len() == 2);
    let test = known.map(|test| report.judge(test.means, &test.bot));
    // The page first: the table's reader may close the pipe after one line.
    let paged = match &options.html {
        Some(path) => write_tournament(path, options, &report, subject, test.as_ref(), &matches),
        None => Ok(None),
    };
    let printed = print(&match &test {
        _ if options.json => json_line(&Json { report: &report, sprt: &test })?,
        Some(test) => format!("{report}\n{test}\n"),
        None => report.to_string(),
    });
    if let Some(how_far) = paged.and_then(|paged| printed.map(|()| paged))? {
        say(&how_far);
        return Ok(INTERRUPTED);
    }
    Ok(exit_code(&report, test.as_ref()))
}
