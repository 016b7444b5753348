//! `blackhole report`: the tables and the page of recorded matches.

use std::borrow::Cow;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::Args;

use super::match_options::planned_games;
use super::output::{PageOptions, write_page};
use super::review::judged;
use super::source::{NumberedGame, in_input, input_names};
use super::{
    CommandResult, FAILURE, INTERRUPTED, REFUTED, SUCCESS, UNDECIDED, at, json_line, print, say, seconds,
    unfit,
};
use crate::arena::fault::Fault;
use crate::arena::journal::{Entry, MatchLine, read_path, split_lines};
use crate::arena::report::Report;
use crate::arena::sprt::SprtVerdict;
use crate::judge::verdict::Effort;
use crate::page::tournament::tournament;
use crate::review::game::{ReviewSettings, unjudged};
use crate::system::lines::is_stdout;
use crate::text::columns;

/// Print the tables of one or several journals of `match`
///
/// Give the journals of all shards for the table of the whole match. A game recorded twice counts once.
/// The test of a match with --sprt is run again. Exit codes: with a test those of `match --sprt`, else 0;
/// 1 a page or a table that cannot be written, or every game lost by a fault; 2 bad usage or a file that is
/// no journal; 130 after Ctrl-C.
#[derive(Args)]
#[command(after_help = "\
The tables (all figures but times and faults are over pairs of games; games
without the other colour are counted apart):
  ±                   standard error, from the spread between pairs; a pairing
                      of fewer than 5 pairs has none
  faults              number; one after the last move costs no points
  a against b         only of two bots, or of one against all others
  +3 =4 -1            games won, drawn and lost by the first
  pairs LL 3 LD 1 …   both games lost in 3 pairs, one lost and one drawn in 1;
                      W is won
  Elo                 of the first above the other; < and > are bounds; of the
                      bots of a league with a drawn game more in each pairing
  SPRT                the test of match --sprt between a lower and a higher mean
  LLR                 log-likelihood ratio: its lower bound accepts the lower
                      mean, its upper bound the higher one
  α, β                its --alpha and --beta

Keys of --json: notes, faults (rows of bot, number, moves before, example),
broken; bots: name, place, games, total (points), won, drawn, lost, error (the
standard error), single (games without the other colour), rating (null if
nothing compares the bot), timed (all games), micros (thinking time of all
games, the longest game and the longest move), faults (the number of each
class); bots.rating: elo, error (standard error), bound (1 a lower one, -1 an
upper one, 0 none); pairings: names, games, total (points of the first), won,
drawn, lost, pairs, kinds (counts of LL, LD, WL, DD, WD, WW), single;
pairings.pairs: count, mean, error; sprt (null without a test): bot, means,
pairs, llr, bounds, verdict; sprt.means: low, high, alpha, beta.")]
pub(super) struct ReportOptions {
    /// Journals of `match`, or directories of such *.jsonl; `-` is standard input
    #[arg(value_name = "JOURNAL", required = true)]
    pub journals: Vec<PathBuf>,
    #[command(flatten)]
    pub page: PageOptions,
    /// Print one object of JSON instead of the tables
    #[arg(long)]
    pub json: bool,
    /// After a match, which printed its table.
    #[arg(skip)]
    pub is_printed: bool,
}

/// Write the page, its games judged if so asked, and tell it. Exit code 130 after Ctrl-C: then an older page stays, and
/// a new one has no game judged.
fn make_page(path: &Path, options: &ReportOptions, report: &Report, matches: &[MatchLine]) -> CommandResult {
    if report.bots.is_empty() {
        return Err(unfit("there are no games for a page"));
    }
    let recorded = |(number, entry): (usize, &&Entry)| {
        let illegal = |error| unfit(format!("round {}: expected {error}", entry.round_number()));
        entry.recorded().map(|game| (number, game)).map_err(illegal)
    };
    let games = (1..).zip(&report.games).map(recorded).collect::<io::Result<Vec<NumberedGame>>>()?;
    let PageOptions { title, judge, .. } = &options.page;
    let known = |name| matches.last().and_then(|line| line.r#match.get(name)?.as_str());
    let (mut reviews, mut interrupted) = (Vec::new(), None);
    if let Some(limit) = judge.or(known("judge").and_then(|text| seconds(text).ok())) {
        let effort = Effort { iterations: 0, ..Effort::DEFAULT }.with_limit(limit);
        let settings = ReviewSettings { effort, ..ReviewSettings::default() };
        (reviews, interrupted) = judged(settings, false, &games)?;
    }
    let stays = interrupted.is_some() && path.exists();
    if !stays {
        if interrupted.is_some() || reviews.is_empty() {
            reviews = games.iter().map(|(number, game)| (*number, unjudged(game))).collect();
        }
        let journals = input_names(&options.journals).replace(".jsonl", "");
        let named = match &report.pairings[..] {
            [pairing] => pairing.names.join(" against "),
            _ => format!("{} bots, {journals}", report.bots.len()),
        };
        let title = title.as_deref().or(known("title")).unwrap_or(&named);
        write_page(path, &tournament(title, matches, report, &reviews))?;
    }
    let path = path.display();
    let Some(how_far) = interrupted else {
        say(&format!("wrote {path}: {} of {} bots", report.count(), report.bots.len()));
        return Ok(SUCCESS);
    };
    let page = if stays { "stays as it was" } else { "has no game judged" };
    let again = if options.is_printed { "" } else { "; the same command judges all of them" };
    say(&format!("{how_far}; {path} {page}{again}"));
    Ok(INTERRUPTED)
}

/// Return the line of a command that goes on with a journal, to be copied.
pub(super) fn command(words: &str, journal: &Path, options: &str) -> String {
    let path = journal.to_string_lossy();
    let path = shlex::try_quote(&path).ok().filter(|_| cfg!(unix)).unwrap_or(Cow::Borrowed(&path));
    format!("    blackhole {words} {path}{options}")
}

/// Say to a person what was done or may be done next; a script's standard error stays empty.
pub(super) fn hint(text: &str) {
    if io::stderr().is_terminal() {
        say(text);
    }
}

/// Write the tables, for a terminal with cut names.
pub(super) fn tables(report: &Report) -> String {
    if io::stdout().is_terminal() { format!("{report:0$}", columns()) } else { report.to_string() }
}

/// Return the exit code of a match: a failure if a fault lost every game, else the test's verdict.
pub(super) fn exit_code(report: &Report) -> u8 {
    match report.sprt.as_ref().map(|test| test.verdict) {
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
        let (lines, remarks) = read_path(path).map_err(|error| in_input(path, error))?;
        remarks.iter().for_each(|remark| say(remark));
        if lines.is_empty() {
            return Err(at(path, "expected a journal of match, a file *.jsonl, found none"));
        }
        let (known, games) = split_lines(lines);
        entries.extend(games);
        matches.extend(known);
    }
    options.page.check()?;
    let mut report = Report::of(&entries);
    // A match that goes on is not to be taken for a whole one.
    let line = matches.last().filter(|_| options.journals.len() == 1);
    report.planned = line.and_then(planned_games).filter(|&planned| planned > report.games.len() as u64);
    let text = if options.json { json_line(&report)? } else { tables(&report) };
    let code = exit_code(&report);
    // A table that cannot be printed keeps no page from being made.
    let printed = if options.is_printed { Ok(()) } else { print(&text) };
    if let Some(path) = &options.page.html {
        // It has other readers: the bots' own words are not for them.
        let planned = report.planned;
        entries.iter_mut().flat_map(|game| &mut game.faults).for_each(Fault::forget_stderr);
        if make_page(path, options, &Report { planned, ..Report::of(&entries) }, &matches)? == INTERRUPTED {
            return Ok(INTERRUPTED);
        }
    } else if report.planned.is_some() {
        say(&format!("{} are played", report.count()));
    }
    printed.map(|()| code)
}
