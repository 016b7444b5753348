//! `blackhole review`: whole games judged move by move.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;

use super::options::within;
use super::output::{animate, can_write_page, write_page};
use super::progress::time_left;
use super::signals::stop_flag;
use super::source::{NumberedGame, choose, input_names, read_games};
use super::{BAD_INPUT, CommandResult, INTERRUPTED, SUCCESS, json_line, print, say};
use crate::judge::verdict::Effort;
use crate::page::page;
use crate::review::game::{ReviewSettings, review_all};
use crate::review::judged::Review;
use crate::review::summary::summary;
use crate::review::text::{LEGEND, MARKS_LEGEND, game_text, moves_text, summary_text};
use crate::text::progress_bar;

/// Tell where a game was lost: who won by what, where it turned, which moves lost most
///
/// The score is the final score under best play of both, red minus blue. A score that the solver does not prove within
/// the limit is estimated by a search, marked ~, with its mean error after ±. A position's score is that of its best
/// move; a move loses the difference of the scores before and after it, proven if both are. The marks are ?! from 1
/// point, ? from 2, ?? from 4. ~ marks an estimate: nine of ten such marks are right, six of ten in strong games. In a
/// summary, a row with few solved positions counts mostly easy ones.
///
/// The table of all moves comes last; in a terminal it is printed only with --moves.
#[derive(Args)]
#[command(after_help = "\
Examples:
  blackhole review game.txt
  blackhole review --game 3 --html game.html journal.jsonl
  blackhole review --summary journal.jsonl

Keys of --json: title, red, blue, story (at most three sentences), worst (the
plies of the costliest moves, at most three), hands (red and blue), first (to
move), final_score, decided (the move that the game turned on, 0 if the result
was settled from the start), record, points, fault (both only after a forfeit);
start: score (null if not proven), bounds (proven), estimate (the expected
score, null if proven), error (its mean error); moves: ply, player, move, mark
(turn: the game turned on a loss within its error), lost (proven points),
estimated_lost (points by estimates, where lost is null), best (the move),
score, bounds, estimate, error (all four after it), before; moves.before (as in
`analyse --json`): empty, to_move, score, bounds, best, line, nodes, seconds,
complete, estimate, error, moves; moves.before.moves: move, score, bounds,
estimate, error, line; summary (red and blue): judged (moves with proven
losses), lost (their points), marked (moves with a mark of an estimated loss),
about (their points).

Keys of --summary --json: games; bots: name, games, rows, all, costliest;
bots.rows: empty (cells), moves, solved, judged, lost (points a judged move),
error (its standard error), marked, about (as above); bots.all: moves, solved,
judged, lost, error, marked, about; bots.costliest: game, ply, move, best, mark,
lost, estimated_lost.

Exit codes: 0 done, 1 a page that cannot be written, 2 bad usage or input (the
other files are judged), 130 interrupted.")]
pub(super) struct ReviewOptions {
    /// Games in any form: record, dialogue, base-36 string, log or journal of a match, JSON lines; `-`: standard input
    #[arg(value_name = "FILE", default_value = "-")]
    files: Vec<PathBuf>,
    /// The number of the only game to judge, from 1 through all files
    #[arg(long, value_name = "N", value_parser = within(0..=usize::MAX))]
    game: Option<usize>,
    /// Print the table of all moves in a terminal, too
    #[arg(long, conflicts_with_all = ["json", "summary"])]
    moves: bool,
    /// Solver's time for each position, counted in nodes, so that the answers are the same on every machine;
    /// 0: no solver [default: 0.17]
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds)]
    limit: Option<Duration>,
    /// The first move to judge
    #[arg(long, value_name = "PLY", default_value_t = 1, value_parser = within::<usize>(1..=30))]
    from: usize,
    /// Print one JSON object a game, or one of the summary
    #[arg(long)]
    json: bool,
    /// Sum up the points lost by each bot, by the number of empty cells
    #[arg(long)]
    summary: bool,
    /// Write the games as a page for a browser, without network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Judge the games and print them; a file without games is passed over. Exit code 130 after Ctrl-C, else 2
/// after such a file.
pub(super) fn run(options: &ReviewOptions) -> CommandResult {
    let (mut all, mut read, mut code) = (Vec::new(), Vec::new(), SUCCESS);
    for path in &options.files {
        match read_games(path) {
            Ok(games) => {
                all.extend(games);
                read.push(path.clone());
            }
            Err(failure) => {
                say(&format!("blackhole: {failure}"));
                code = BAD_INPUT;
            }
        }
    }
    if read.is_empty() {
        return Ok(code);
    }
    let games = choose(all, options.game)?;
    // Fail before the work rather than after it.
    options.html.as_deref().map_or(Ok(()), can_write_page)?;
    let several = options.summary || games.len() > 1;
    let effort = options.limit.map_or(Effort::DEFAULT, |limit| Effort::DEFAULT.with_limit(limit));
    let settings = ReviewSettings { effort, from: options.from, ..ReviewSettings::default() };
    let (reviews, interrupted) = judged(settings, options.summary, &games)?;
    let total = several.then(|| summary(&reviews, options.from));
    let text = match &total {
        Some(total) if options.summary && options.json => json_line(total)?,
        Some(total) if options.summary => summary_text(total),
        _ if options.json => {
            reviews.iter().map(|(_, review)| json_line(review)).collect::<io::Result<String>>()?
        }
        _ => {
            let all_moves = options.moves || !io::stdout().is_terminal();
            let text = |game: &(usize, Review)| {
                let rows = if all_moves { moves_text(&game.1, options.from) } else { String::new() };
                game_text(game, several) + &rows + "\n"
            };
            let legend = if all_moves { LEGEND } else { "The table of all moves: --moves.\n" };
            reviews.iter().map(text).collect::<String>() + MARKS_LEGEND + legend
        }
    };
    // The page first: the text's reader may close the pipe after one line. Interrupted before the first
    // game, an older page stays.
    let page_of_some = options.html.as_ref().filter(|_| !reviews.is_empty());
    let written = page_of_some.map_or(Ok(()), |path| write_page(path, &page(&input_names(&read), &reviews)));
    print(&text).and(written)?;
    Ok(interrupted.map_or(code, |how_far| {
        say(&(how_far + ", each game from its end"));
        INTERRUPTED
    }))
}

/// The judged games with their numbers, and a sentence about an interruption.
pub(super) type Reviews = (Vec<(usize, Review)>, Option<String>);

/// Judge the games with a progress bar. After Ctrl-C return what is judged so far, with `whole` only finished games.
pub(super) fn judged(settings: ReviewSettings, whole: bool, games: &[NumberedGame]) -> io::Result<Reviews> {
    let stop = stop_flag()?;
    let settings = ReviewSettings { stop: Some(stop), ..settings };
    let is_stopped = || stop.load(Ordering::Relaxed);
    let count = |moves: usize| (moves + 1).saturating_sub(settings.from) as u64;
    let moves = games.iter().map(|(_, game)| count(game.record.moves().len())).sum();
    let bar = progress_bar(moves, "{bar:40} {pos}/{len} moves judged{msg}");
    animate(&bar, Duration::from_millis(500));
    let count_one = || {
        bar.inc(u64::from(!is_stopped()));
        // The first moves do not tell the time of all.
        let done = bar.position();
        let left = time_left(bar.elapsed(), done, moves).filter(|_| done >= 30.max(moves / 20));
        left.into_iter().for_each(|left| bar.set_message(format!(", {left}")));
    };
    let reviews = review_all(settings, games, whole, &count_one);
    let finished = || reviews.iter().map(|(_, review)| count(review.moves.len())).sum();
    let judged = if whole { finished() } else { bar.position() };
    bar.finish_and_clear();
    let how_far = format!("interrupted: {judged} of {moves} moves are judged");
    Ok((reviews, is_stopped().then_some(how_far)))
}
