//! `blackhole review`: whole games judged move by move.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::options::within;
use super::signals::stop_flag;
use super::source::GameSource;
use super::{Failure, INTERRUPTED, SUCCESS, json_line, plural, print, say};
use crate::workshop::calibrate::calibration::Mean;
use crate::workshop::games::Game;
use crate::workshop::review::game::{JudgedMove, Review, Reviewer, Settings};
use crate::workshop::review::summary::{BotRows, Costly, Row, Summary, summary};

/// Judge the moves of whole games: exact values, points given away, better moves
///
/// Values are final scores under best play, red minus blue. A position that the solver does not
/// prove within the limit gets the estimate of a short search, marked ~; after three such positions
/// in a row the earlier ones are not tried. Points lost are told where the values before and after
/// the move are exact: ?! from 1, ? from 2, ?? from 4. In a summary, rows of which few positions are
/// solved are about the easier ones.
#[derive(Args)]
pub(super) struct ReviewOptions {
    /// Games in any form: record, dialogue, base-36 string, logs or journals of a match, JSON lines;
    /// `-` is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    files: Vec<PathBuf>,
    /// Which game of a file with several, counted from 1 [default: all]
    #[arg(long, value_name = "N")]
    game: Option<usize>,
    /// Only list the games
    #[arg(long)]
    list: bool,
    /// How long the solver may work at a position [default: 2, with --summary 0.2]
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
    /// Sum up the moves of this bot alone
    #[arg(long, value_name = "NAME", requires = "summary")]
    bot: Option<String>,
}

/// Iterations of the search that estimates what the solver does not prove: some tenths of a second.
const ITERATIONS: u64 = 20_000;

/// The number of a game's file and the game's own there, from 1.
type Place = (usize, usize);

/// Judge the games and print them; exit code 130 after Ctrl-C.
pub(super) fn run(options: &ReviewOptions) -> Result<u8, Failure> {
    let mut games: Vec<(Place, Game)> = Vec::new();
    for (file, path) in (1..).zip(&options.files) {
        let read = GameSource::new(path, options.game).games()?;
        games.extend(read.into_iter().map(|(number, game)| ((file, number), game)));
    }
    if options.list {
        let line = |((_, number), game): &(Place, Game)| list_line(*number, game, options.json);
        print(&games.iter().map(line).collect::<Result<String, Failure>>()?)?;
        return Ok(SUCCESS);
    }
    if let Some(bot) = &options.bot
        && !games.iter().any(|(_, game)| game.names.contains(bot))
    {
        return Err(Failure::input(format!("found --bot {bot}, expected a name in the games")));
    }
    let stop = stop_flag()?;
    let settings = Settings {
        limit: options.limit.unwrap_or(Duration::from_millis(if options.summary { 200 } else { 2_000 })),
        iterations: if options.summary { 0 } else { ITERATIONS },
        options: !options.summary,
        from: options.from,
        stop: Some(stop),
    };
    let stopped = || stop.load(Ordering::Relaxed);
    let moves = |(_, game): &(Place, Game)| game.record.moves().len();
    let bar = ProgressBar::new(games.iter().map(moves).sum::<usize>() as u64);
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} moves, {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let mut reviewer = Reviewer::new(settings);
    let mut reviews: Vec<(Place, Review)> = Vec::new();
    let mut text = String::new();
    for (place, game) in games.iter().take_while(|_| !stopped()) {
        let review = reviewer.review(game, &mut |_| bar.inc(1));
        if options.summary {
            reviews.push((*place, review));
        } else if options.json {
            text += &json_line(&review)?;
        } else {
            text += &game_text(&review, (games.len() > 1).then_some(place.1), options.from);
        }
    }
    bar.finish_and_clear();
    if options.summary {
        let summary = summary(&reviews, options.bot.as_deref());
        text = if options.json { json_line(&summary)? } else { summary_text(&summary, options.files.len()) };
    }
    print(&text)?;
    if stopped() {
        let (done, all) = (bar.position(), bar.length().unwrap_or_default());
        say(&format!("interrupted: what is known of the last {done} of {all} moves is printed"));
        return Ok(INTERRUPTED);
    }
    Ok(SUCCESS)
}

/// Write a name for a terminal: shortened, without control characters.
fn plain(text: &str) -> String {
    text.chars().take(30).map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// Write who played.
fn names(title: &str, [red, blue]: [&str; 2]) -> String {
    let parts =
        [("", title), ("red ", red), ("blue ", blue)].into_iter().filter(|(_, name)| !name.is_empty());
    parts.map(|(colour, name)| format!("{colour}{}", plain(name))).collect::<Vec<_>>().join(", ")
}

/// Write a line of the list of games.
fn list_line(number: usize, game: &Game, as_json: bool) -> Result<String, Failure> {
    let Game { title, names: [red, blue], record, points } = game;
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
    let line = format!("{number:>4}  {moves:>2} moves  {result:<13}  {}", names(title, [red, blue]));
    Ok(line.trim_end().to_owned() + "\n")
}

/// Write a game from a move on as a table; `number` is its number among several.
fn game_text(review: &Review, number: Option<usize>, from: usize) -> String {
    let number = number.map_or(String::new(), |number| format!("game {number}: "));
    let head = format!("{number}{}", names(&review.title, [&review.red, &review.blue]));
    let mut text = if head.is_empty() { head } else { format!("{}\n", head.trim_end_matches(": ")) };
    text += " ply  player  move    empty  value    bounds  lost      best\n";
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
        let row = format!(
            "{ply:>4}  {player:<6}  {move:<6}  {empty:>5}  {shown:>5}  {bounds:>8}  {lost:>4} {mark:<2}   {best}"
        );
        text += &format!("{}\n", row.trim_end());
    }
    text += &match review.final_score {
        Some(score) => format!("final score {score}: {}\n", winner(score)),
        None => "the game is not over\n".to_owned(),
    };
    if let Some(decided) = review.decided {
        text += &format!("decided from move {decided} on, as far as values are exact\n");
    }
    for (player, tally) in [("red", review.summary.red), ("blue", review.summary.blue)] {
        let (judged, lost) = (plural(tally.judged, "move"), plural(tally.lost, "point"));
        text += &format!("{player}: {judged} judged exactly, {lost} lost\n");
    }
    text + "\n"
}

/// Say who wins with a final score.
fn winner(score: i8) -> &'static str {
    match score.signum() {
        1 => "red wins",
        0 => "a draw",
        _ => "blue wins",
    }
}

/// Write the tables of the bots, and the costliest moves of how many files.
fn summary_text(summary: &Summary, files: usize) -> String {
    let mut text = String::new();
    for BotRows { bot, games, rows } in &summary.bots {
        text += &format!("{}, {}\n", plain(bot), plural(*games as u64, "game"));
        text += "empty  moves  solved  judged  points lost a move  moves that lose\n";
        for Row { empty, moves, solved, judged, lost, losing } in rows {
            let empty = empty.map_or("all".to_owned(), |empty| empty.to_string());
            let solved = 100.0 * *solved as f64 / (*moves).max(1) as f64;
            let mean = |mean: &Option<Mean>, factor: f64, digits: usize| {
                let Some(Mean { mean, error }) = mean else { return "-".to_owned() };
                let error = error.map_or(String::new(), |error| format!(" ± {:.digits$}", factor * error));
                format!("{:.digits$}{error}", factor * mean)
            };
            let (lost, losing) = (mean(lost, 1.0, 2), mean(losing, 100.0, 1));
            text += &format!(
                "{empty:>5}  {moves:>5}  {solved:>4.0} %  {judged:>6}  {lost:>18}  {losing:>13} %\n"
            );
        }
        text.push('\n');
    }
    for Costly { file, game, ply, bot, r#move, best, lost } in &summary.costliest {
        let file = if files > 1 { format!("file {file}, ") } else { String::new() };
        let best = best.as_ref().map_or(String::new(), |best| format!(", best {best}"));
        let points = plural(lost.unsigned_abs(), "point");
        text += &format!("{points} lost: {file}game {game}, ply {ply}, {} played {move}{best}\n", plain(bot));
    }
    text
}
