//! `blackhole analyse`: the score of a position, and its best moves.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::Args;

use super::signals::stop_flag;
use super::source::PositionSource;
use super::{CommandResult, INTERRUPTED, SUCCESS, json_line, plural, print, say};
use crate::judge::answer::{Analysis, Answer, MoveAnswer, worth_text};
use crate::judge::verdict::{Effort, Judge};
use crate::judge::worth::{UNKNOWN, Worth};
use crate::text::titled_table;

/// Print the score of a position, and of its best moves
///
/// The score is the final score under best play of both, red minus blue. Unless it is proven, it is estimated
/// by a search and marked ~; its mean error stands after ±. The position's score is its best move's. Ctrl-C
/// prints what is known.
#[derive(Args)]
#[command(after_help = "\
Keys of --json: empty (cells), to_move, score (null if not proven), bounds
(proven least and most), best (moves that are proven best), line (the expected
moves of both), nodes, seconds, complete (whether the score is proven and best
has all such moves), estimate (null if the score is proven), error (its mean
error); moves (the best, at least five): move, score, bounds, estimate, error,
line.")]
pub(super) struct AnalyseOptions {
    #[command(flatten)]
    source: PositionSource,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Solver's time, counted in nodes; 0: no solver. Above 0.17 all cores search for this time, and proofs
    /// may differ between runs [default: 0.17]
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds)]
    limit: Option<Duration>,
}

/// Judge the position; exit code 130 after Ctrl-C.
pub(super) fn run(options: &AnalyseOptions) -> CommandResult {
    let (record, _) = options.source.at_ply()?;
    let (stop, begun) = (stop_flag()?, Instant::now());
    let effort = options.limit.map_or(Effort::DEFAULT, |limit| Effort::DEFAULT.with_limit(limit));
    let is_long = effort.nodes > Effort::DEFAULT.nodes;
    let mut judge = if is_long { Judge::on_all_cores(stop) } else { Judge::new(Some(stop)) };
    let verdict = judge.judge(record.position(), effort, None);
    let analysis = Analysis::of(record.position(), &verdict, begun.elapsed());
    print(&if options.json { json_line(&analysis)? } else { text(&analysis, &verdict.worth) })?;
    if !stop.load(Ordering::Relaxed) {
        return Ok(SUCCESS);
    }
    say("interrupted: only what is known so far is printed");
    Ok(INTERRUPTED)
}

/// The moves of a line that fit a row of 80 columns.
const SHOWN_LINE: usize = 7;

fn text(analysis: &Analysis, worth: &Worth) -> String {
    let Answer { bounds, nodes, seconds, .. } = &analysis.answer;
    let mut text = format!("{}\n{}\n", analysis.answer.heading(), worth_text(worth));
    if worth.estimate.is_some() && *bounds != UNKNOWN {
        text += &format!("proven: {}\n", Answer::result(None, *bounds));
    }
    let row = |MoveAnswer { r#move, worth, line }: &MoveAnswer| {
        let [lower, upper] = worth.bounds;
        let is_telling = worth.score.is_none() && worth.bounds != UNKNOWN;
        let bounds = if is_telling { format!("{lower}..{upper}") } else { String::new() };
        let more = if line.len() > SHOWN_LINE + 1 { " …" } else { "" };
        let line: Vec<&str> = line.iter().skip(1).take(SHOWN_LINE).map(String::as_str).collect();
        [r#move.clone(), worth.to_string(), bounds, line.join(" ") + more]
    };
    let rows = analysis.moves.iter().take(12).map(row);
    text += &titled_table("<>><", ["move", "score", "bounds", "then"], rows);
    format!("{text}\n{}, {seconds:.3} s\n", plural(*nodes, "node"))
}
