//! `blackhole review`: whole games judged move by move.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use super::options::within;
use super::output::{animate, may_write, progress_bar, write_whole};
use super::signals::stop_flag;
use super::source::{MOST_GAMES, Numbered, choose, read_games};
use super::{CommandResult, Failure, INTERRUPTED, SUCCESS, at, json_line, plural, print, say};
use crate::workshop::drawing::winner;
use crate::workshop::games::RecordedGame;
use crate::workshop::review::game::{JudgedMove, Review, ReviewSettings, Reviewer};
use crate::workshop::review::page::{MARK, page};
use crate::workshop::review::summary::{BotSummary, Costly, Losses, Summary, summary};
use crate::workshop::text::is_unseen;

/// Judge the moves of whole games: exact values, points given away, better moves
///
/// Values are final scores under best play, red minus blue. A position that the solver does not
/// prove within the limit gets the estimate of a short search, marked ~; after three such positions
/// in a row the earlier ones are not tried. Points lost are told where the values before and after
/// the move are exact: ?! from 1, ? from 2, ?? from 4. In a summary, a row of which few positions
/// are solved is about the easier ones.
#[derive(Args)]
#[command(after_help = "\
Examples:
  blackhole review game.txt
  blackhole review --game 3 --html game.html journal.jsonl
  blackhole review --summary --bot new journal.jsonl

Exit codes: 0 done, 1 a page that cannot be written, 2 bad usage or input, 130 interrupted.")]
pub(super) struct ReviewOptions {
    /// Games in any form: record, dialogue, base-36 string, log or journal of a match, JSON lines;
    /// `-` is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    files: Vec<PathBuf>,
    /// Which of several games, counted from 1 through all files [default: all]
    #[arg(long, value_name = "N", value_parser = within::<usize>(0..=MOST_GAMES))]
    game: Option<usize>,
    /// Only list the games
    #[arg(long)]
    list: bool,
    /// How long the solver may work at a position [default: 2, for several games 0.2]
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds)]
    limit: Option<Duration>,
    /// The first move to judge
    #[arg(long, value_name = "PLY", default_value_t = 1, value_parser = within::<usize>(1..=30))]
    from: usize,
    /// Print one JSON object a game, or one of the summary
    #[arg(long)]
    json: bool,
    /// Sum up for each bot and number of empty cells what its moves lose
    #[arg(long, conflicts_with = "list")]
    summary: bool,
    /// Write a page to look at the games in a browser; it needs no network
    #[arg(long, value_name = "FILE", conflicts_with = "list")]
    html: Option<PathBuf>,
    /// Sum up the moves of this bot alone
    #[arg(long, value_name = "NAME", requires = "summary")]
    bot: Option<String>,
}

/// Iterations of the search that estimates what the solver does not prove: some tenths of a second.
const ITERATIONS: u64 = 20_000;

/// Judge the games and print them; exit code 130 after Ctrl-C.
pub(super) fn run(options: &ReviewOptions) -> CommandResult {
    let mut all = Vec::new();
    for path in &options.files {
        all.extend(read_games(path)?);
    }
    let games = choose(all, options.game)?;
    if options.list {
        let line = |(number, game): &Numbered| list_line(*number, game, options.json);
        print(&games.iter().map(line).collect::<Result<String, Failure>>()?)?;
        return Ok(SUCCESS);
    }
    check(options, &games)?;
    let several = options.summary || games.len() > 1;
    let (reviews, interrupted) = judge(options, &games, several)?;
    let sum_up = |numbers: &mut dyn Iterator<Item = usize>| {
        let numbered: Vec<(usize, &Review)> = numbers.zip(&reviews).collect();
        summary(&numbered, options.bot.as_deref(), options.from)
    };
    let text = if options.summary {
        let summary = sum_up(&mut games.iter().map(|(number, _)| *number));
        if options.json { json_line(&summary)? } else { summary_text(&summary) }
    } else if options.json {
        reviews.iter().map(json_line).collect::<Result<String, Failure>>()?
    } else {
        let each = games.iter().zip(&reviews);
        each.map(|(game, review)| game_text(review, game, several, options.from)).collect()
    };
    // The page before the text: whoever reads the text may be gone after its first line.
    let written = options.html.as_ref().map_or(Ok(()), |path| {
        // The page numbers its own games.
        let summary = several.then(|| sum_up(&mut (1..)));
        write_whole(path, &page(&reviews, summary.as_ref())).map_err(Failure::Io)
    });
    print(&text).and(written)?;
    Ok(interrupted.map_or(SUCCESS, |how_far| {
        say(&how_far);
        INTERRUPTED
    }))
}

/// Refuse before the work what would fail after it: a bot that never plays, a page that cannot be
/// written.
fn check(options: &ReviewOptions, games: &[Numbered]) -> Result<(), Failure> {
    if let Some(bot) = &options.bot
        && !games.iter().any(|(_, game)| {
            // A player without a name is called by its colour.
            let mut names = game.names.iter().zip(["red", "blue"]);
            names.any(|(name, colour)| bot == if name.is_empty() { colour } else { name })
        })
    {
        return Err(Failure::input(format!("found --bot {bot}, expected a name in the games")));
    }
    if let Some(path) = &options.html {
        may_write(path, "page", MARK, &options.files)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        folder.unwrap_or(Path::new(".")).metadata().map_err(|error| at(path, error))?;
    }
    Ok(())
}

/// Judge the games until Ctrl-C, with a bar; return how far it came where it came.
fn judge(
    options: &ReviewOptions,
    games: &[Numbered],
    several: bool,
) -> Result<(Vec<Review>, Option<String>), Failure> {
    let stop = stop_flag()?;
    let settings = ReviewSettings {
        limit: options.limit.unwrap_or(Duration::from_millis(if several { 200 } else { 2_000 })),
        iterations: match options.summary {
            true => 0,
            false if several => ITERATIONS / 10,
            false => ITERATIONS,
        },
        options: !options.summary,
        from: options.from,
        stop: Some(stop),
    };
    let stopped = || stop.load(Ordering::Relaxed);
    let count = |games: &[Numbered]| -> u64 {
        let of = |(_, game): &Numbered| (game.record.moves().len() + 1).saturating_sub(options.from);
        games.iter().map(of).sum::<usize>() as u64
    };
    let moves = count(games);
    let bar = progress_bar(moves, "{bar:40} {pos}/{len} moves, {elapsed}");
    animate(&bar, Duration::from_millis(500));
    let mut done = || bar.inc(u64::from(!stopped()));
    let mut reviewer = Reviewer::new(settings);
    let mut reviews: Vec<Review> = Vec::new();
    for (_, game) in games.iter().take_while(|_| !stopped()) {
        reviews.push(reviewer.review(game, &mut done));
    }
    let (mut judged, stopped) = (bar.position(), stopped());
    bar.finish_and_clear();
    if options.summary && stopped {
        // Of a game that is not judged to its beginning the table would say too little.
        reviews.pop();
        judged = count(&games[..reviews.len()]);
    }
    let how_far = format!("interrupted: {judged} of {moves} moves are judged, the last of each game first");
    Ok((reviews, stopped.then_some(how_far)))
}

/// Write a name for a terminal: shortened, without control characters.
fn plain(text: &str) -> String {
    text.chars().take(30).map(|c| if is_unseen(c) { '?' } else { c }).collect()
}

/// Write who played.
fn names(game: &RecordedGame) -> String {
    let [red, blue] = &game.names;
    let mut parts = vec![("", &game.title), ("red ", red), ("blue ", blue)];
    parts.retain(|(_, name)| !name.is_empty());
    parts.iter().map(|(colour, name)| format!("{colour}{}", plain(name))).collect::<Vec<_>>().join(", ")
}

/// Write a line of the list of games.
fn list_line(number: usize, game: &RecordedGame, as_json: bool) -> Result<String, Failure> {
    let RecordedGame { title, names: [red, blue], record, points } = game;
    let (moves, score) = (record.moves().len(), record.final_score());
    if as_json {
        return json_line(&json!({"game": number, "title": title, "red": red, "blue": blue,
                                 "moves": moves, "score": score, "points": points}));
    }
    let result = match (score, points) {
        (Some(score), _) => format!("score {score}"),
        (None, Some([red, blue])) => format!("forfeit {red}:{blue}"),
        (None, None) => "not over".to_owned(),
    };
    let line = format!("{number:>4}  {moves:>2} moves  {result:<13}  {}", names(game));
    Ok(line.trim_end().to_owned() + "\n")
}

/// Write a game from a move on as a table, with its number where it is one of several.
fn game_text(review: &Review, (number, game): &Numbered, several: bool, from: usize) -> String {
    let number = if several { format!("game {number}: ") } else { String::new() };
    let head = format!("{number}{}", names(game));
    let mut text = if head.is_empty() { head } else { format!("{}\n", head.trim_end_matches(": ")) };
    text += " ply  player  move    empty  value    bounds  lost      best  by\n";
    for judged in review.moves.iter().filter(|judged| judged.ply >= from) {
        let JudgedMove { ply, player, r#move, empty, value, bounds: [lower, upper], lost, mark, .. } = judged;
        let shown = match (value, judged.estimate) {
            (Some(value), _) => value.to_string(),
            (None, Some(estimate)) => format!("~{estimate:.1}"),
            (None, None) => String::new(),
        };
        let bounds = if judged.exact { String::new() } else { format!("{lower}..{upper}") };
        let lost = lost.map_or(String::new(), |lost| lost.to_string());
        let best = judged.best.as_deref().unwrap_or("");
        // What is exact is proven.
        let by = judged.criterion.as_deref().filter(|_| !judged.exact).unwrap_or("");
        let row = format!(
            "{ply:>4}  {player:<6}  {move:<6}  {empty:>5}  {shown:>5}  {bounds:>8}  {lost:>4} {mark:<2}   {best:<5} {by}"
        );
        text += &format!("{}\n", row.trim_end());
    }
    text += &match (review.final_score, game.points) {
        (Some(score), _) => {
            let end = winner(score).map_or("a draw".to_owned(), |winner| format!("{winner} wins"));
            format!("final score {score}: {end}\n")
        }
        (None, Some([red, blue])) => {
            format!("not played to the end: {red} points for red, {blue} for blue\n")
        }
        (None, None) => "the game is not over\n".to_owned(),
    };
    if let Some(decided) = review.decided {
        text += &format!("decided from move {decided} on, as far as values are exact\n");
    }
    for (player, tally) in [("red", &review.summary.red), ("blue", &review.summary.blue)] {
        let (judged, lost) = (plural(tally.judged, "move"), plural(tally.lost, "point"));
        text += &format!("{player}: {judged} judged exactly, {lost} lost\n");
        text += &tally.taken_for.as_ref().map_or(String::new(), |kind| format!("{player} {kind}\n"));
    }
    text + "\n"
}

/// Write the tables of the bots, each with its costliest moves.
fn summary_text(summary: &Summary) -> String {
    let mut text = String::new();
    for BotSummary { name, games, rows, all, costliest } in &summary.bots {
        text += &format!("{}, {}\n", plain(name), plural(*games as u64, "game"));
        text += "empty  moves  solved  judged  points lost a move  moves that lose\n";
        for row in rows.iter().chain([all]) {
            let Losses { empty, moves, solved, judged, lost, error, losing, losing_error } = row;
            let empty = empty.map_or("all".to_owned(), |empty| empty.to_string());
            let solved = 100.0 * *solved as f64 / (*moves).max(1) as f64;
            let mean = |mean: &Option<f64>, error: &Option<f64>, scale: f64, digits: usize| {
                let error = error.map_or(String::new(), |error| format!(" ± {:.digits$}", scale * error));
                mean.map_or("-".to_owned(), |mean| format!("{:.digits$}{error}", scale * mean))
            };
            let (lost, losing) = (mean(lost, error, 1.0, 2), mean(losing, losing_error, 100.0, 1));
            text += &format!(
                "{empty:>5}  {moves:>5}  {solved:>4.0} %  {judged:>6}  {lost:>18}  {losing:>13} %\n"
            );
        }
        for Costly { game, ply, r#move, best, lost } in costliest {
            let best = best.as_ref().map_or(String::new(), |best| format!(", best was {best}"));
            let points = plural(lost.unsigned_abs(), "point");
            text += &format!("game {game}, ply {ply}: {move} lost {points}{best}\n");
        }
        text.push('\n');
    }
    text
}
