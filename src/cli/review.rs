//! `blackhole review`: whole games judged move by move.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Args;

use super::judging::{JudgedGames, judged};
use super::options::within;
use super::output::{may_write, write_whole};
use super::source::{MOST_GAMES, NumberedGame, choose, input_names, read_games};
use super::{CommandResult, Failure, INTERRUPTED, SUCCESS, at, json_line, plural, print, say};
use crate::games::files::RecordedGame;
use crate::judge::answer::Answer;
use crate::page::{MARK, Page, page};
use crate::review::game::{ReviewSettings, Reviewer};
use crate::review::judged::{ESTIMATED_MARKS, JudgedMove, KnownScore, MARKS, PlayerSummary, Review};
use crate::review::summary::{BotSummary, Costly, Losses, Summary, summary};
use crate::text::{is_unseen, table, wrapped};

/// Tell where a game was lost: who won by what, where it turned, which moves gave away most
///
/// The score is the final score under best play of both, red minus blue. A position not solved within the
/// limit gets the estimate of a short search, marked ~, with its mean error after ±. After three such
/// positions in a row, going backwards, the solver gives up. Points lost are proven if the scores before and
/// after the move are; the marks are ?! from 1 point, ? from 2, ?? from 4. A mark after ~ is by estimates: of ten
/// such moves at least nine gave a point away. In a summary, rows with few solved positions are biased towards
/// easy ones.
///
/// The table of all moves comes last; in a terminal, where it would hide what comes before, only with --moves.
#[derive(Args)]
#[command(after_help = "\
Examples:
  blackhole review game.txt
  blackhole review --game 3 --html game.html journal.jsonl
  blackhole review --summary --bot new journal.jsonl

Keys of --json: title, red, blue, story (at most three sentences), worst (the
plies of the costliest moves, at most three), blocked, hands (red and blue),
first (to move), final_score, decided (moves until the winner no longer
changed), record, base36, points, fault (both only after a forfeit); start:
score (null if not proven), bounds (proven least and most), estimate (the
expected score, null if proven), error (its mean error); moves: ply,
player, move, mark, lost (proven points), estimated_lost (points by estimates,
where lost is null), best (the best move), options (proven scores after moves), score, bounds,
estimate, error (all four after the move), before; moves.before (as in `solve
--json`): empty, to_move, score, bounds, best, line, nodes, seconds; summary
(red and blue): judged (moves with proven losses), lost (their points), marks
(counts of ?! ? ??), estimated (moves with estimated losses), estimated_marks
(counts of ~?! ~? ~??).

Keys of --summary --json: games; bots: name, games, rows, all, costliest;
bots.rows: empty (cells), moves, solved, judged, lost (points a move), error
(its standard error), losing (the share that loses), losing_error; bots.all:
moves, solved, judged, lost, error, losing, losing_error; bots.costliest: game,
ply, move, best, lost.

Exit codes: 0 done, 1 a page that cannot be written, 2 bad usage or input, 130 interrupted.")]
pub(super) struct ReviewOptions {
    /// Games in any form: record, dialogue, base-36 string, log or journal of a match, JSON lines;
    /// `-` is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    files: Vec<PathBuf>,
    /// The number of the only game to judge, from 1 through all files [default: all games]
    #[arg(long, value_name = "N", value_parser = within::<usize>(0..=MOST_GAMES))]
    game: Option<usize>,
    /// Only list the games
    #[arg(long, conflicts_with = "json")]
    list: bool,
    /// Print the table of all moves in a terminal, too
    #[arg(long, conflicts_with_all = ["list", "json", "summary"])]
    moves: bool,
    /// Solver's time for each position [default: 2, for several games 0.2]
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds, conflicts_with = "list")]
    limit: Option<Duration>,
    /// The first move to judge
    #[arg(long, value_name = "PLY", default_value_t = 1, value_parser = within::<usize>(1..=30), conflicts_with = "list")]
    from: usize,
    /// Print one JSON object a game, or one of the summary
    #[arg(long)]
    json: bool,
    /// Sum up the points lost by each bot, by the number of empty cells
    #[arg(long, conflicts_with = "list")]
    summary: bool,
    /// Write the games as a page for a browser, without network
    #[arg(long, value_name = "FILE", conflicts_with = "list")]
    html: Option<PathBuf>,
    /// Sum up the moves of this bot only
    #[arg(long, value_name = "NAME", requires = "summary")]
    bot: Option<String>,
}

/// Judge the games and print them; exit code 130 after Ctrl-C.
pub(super) fn run(options: &ReviewOptions) -> CommandResult {
    let mut all = Vec::new();
    for path in &options.files {
        all.extend(read_games(path)?);
    }
    let games = choose(all, options.game)?;
    if options.list {
        print(&games.iter().map(list_line).collect::<String>())?;
        return Ok(SUCCESS);
    }
    check(options, &games)?;
    let several = options.summary || games.len() > 1;
    let (reviews, interrupted) = judge(options, &games, several)?;
    let whole = several.then(|| summary(&reviews, options.bot.as_deref(), options.from));
    let text = match &whole {
        Some(whole) if options.summary && options.json => json_line(whole)?,
        Some(whole) if options.summary => summary_text(whole),
        _ if options.json => {
            reviews.iter().map(|(_, review)| json_line(review)).collect::<Result<String, Failure>>()?
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
    let written = page_of_some.map_or(Ok(()), |path| {
        let Page { html, left_out } = page(&input_names(&options.files), &reviews, whole.as_ref());
        if !left_out.is_empty() {
            say(&format!("{}: {left_out}", path.display()));
        }
        write_whole(path, &html).map_err(Failure::Io)
    });
    print(&text).and(written)?;
    Ok(interrupted.map_or(SUCCESS, |how_far| {
        say(&how_far);
        INTERRUPTED
    }))
}

/// Fail before the work rather than after it: for a bot without a game, or a page that cannot be written.
fn check(options: &ReviewOptions, games: &[NumberedGame]) -> Result<(), Failure> {
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

/// Judge the games as the options say.
fn judge(options: &ReviewOptions, games: &[NumberedGame], several: bool) -> Result<JudgedGames, Failure> {
    let quick = ReviewSettings::default();
    let limit = if several { quick.limit } else { Duration::from_secs(2) };
    let settings = ReviewSettings {
        limit: options.limit.unwrap_or(limit),
        estimates: !options.summary,
        details: !options.summary || options.html.is_some(),
        from: options.from,
        ..quick
    };
    judged(settings, options.summary, games)
}

/// Judge a game with the quick settings until `stop`, and write its story for a terminal.
pub(super) fn quick_text(game: &RecordedGame, stop: &'static AtomicBool) -> String {
    let settings = ReviewSettings { stop: Some(stop), ..ReviewSettings::default() };
    let review = Reviewer::new(settings).review(game, &mut |_| {});
    game_text(&(1, review), false)
        + "The table of all moves: save FILE, then blackhole review --moves FILE.\n"
}

/// The most characters printed of a name.
const NAME_LENGTH: usize = 30;

/// Write untrusted text for a terminal: shortened, without control characters.
fn plain(text: &str, most: usize) -> String {
    text.chars().take(most).map(|c| if is_unseen(c) { '?' } else { c }).collect()
}

/// Write the known ones of a game's title and players.
fn names([title, red, blue]: [&str; 3]) -> String {
    let mut parts = vec![("", title), ("red ", red), ("blue ", blue)];
    parts.retain(|(_, name)| !name.is_empty());
    parts
        .iter()
        .map(|(colour, name)| format!("{colour}{}", plain(name, NAME_LENGTH)))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Write a line of the list of games.
fn list_line((number, game): &NumberedGame) -> String {
    let RecordedGame { title, names: [red, blue], record, .. } = game;
    let (moves, score) = (record.moves().len(), record.final_score());
    let result = match (game.forfeit(), score) {
        (Some([red, blue]), _) => format!("forfeit {red}:{blue}"),
        (None, Some(score)) => format!("score {score}"),
        (None, None) => "not over".to_owned(),
    };
    let line = format!("{number:>4}  {moves:>2} moves  {result:<13}  {}", names([title, red, blue]));
    line.trim_end().to_owned() + "\n"
}

/// The legend below the costliest moves.
const MARKS_LEGEND: &str = "\
?! gave away less than 2 points, ? less than 4, ?? 4 or more; ~ is an estimate.
More seconds for each position, as in --limit 10, solve more.
";

/// The legend below the tables of moves.
const LEGEND: &str = "\
score: final score under best play, red minus blue, after the row's move
(~: an estimate, and its mean error); bounds: its proven bounds;
lost: points given away (~: by estimates); best: the best move
";

/// Write the story of a game, its costliest moves and the losses of both players, with the game's number if
/// there are `several`.
fn game_text((number, review): &(usize, Review), several: bool) -> String {
    let number = if several { format!("game {number}: ") } else { String::new() };
    let head = number + &names([&review.title, &review.red, &review.blue]);
    let mut text = if head.is_empty() { head } else { format!("{}\n", head.trim_end_matches(": ")) };
    text += &format!("{}\n", wrapped(&review.story.join(" ")));
    if let Some(fault) = &review.fault {
        text += &format!("{}\n", wrapped(&format!("the match says: {}", plain(fault, 150))));
    }
    let row = |&ply: &usize| {
        let JudgedMove { player, r#move, mark, best, .. } = &review.moves[ply - 1];
        let better = best.as_ref().map_or(String::new(), |best| format!("better: {best}"));
        let lost = format!("{} {mark}", lost(&review.moves[ply - 1]));
        [format!("move {ply}"), player.clone(), r#move.clone(), "lost".to_owned(), lost, better].to_vec()
    };
    if !review.worst.is_empty() {
        text += "The costliest moves:\n";
    }
    text += &table("<<<<<<", &review.worst.iter().map(row).collect::<Vec<_>>());
    for (player, own) in [("red", &review.summary.red), ("blue", &review.summary.blue)] {
        let PlayerSummary { judged, lost, marks, estimated, estimated_marks } = own;
        let (judged, lost) = (plural(*judged, "solved move"), plural(*lost, "point"));
        let name = if player == "red" { "Red" } else { "Blue" };
        text += &format!("{name} gave away {lost} in {judged}{}\n", counts(*marks, MARKS));
        if *estimated > 0 {
            let own =
                review.moves.iter().filter(|judged| judged.player == player && judged.mark.contains('~'));
            let lost: f64 = own.filter_map(|judged| judged.estimated_lost).fold(0.0, |sum, lost| sum + lost);
            let moves = plural(*estimated, "estimated move");
            text +=
                &format!("  and about {lost:.0} in {moves}{}\n", counts(*estimated_marks, ESTIMATED_MARKS));
        }
    }
    let solved = review.moves.iter().rposition(|judged| judged.lost.is_none()).map_or(1, |place| place + 2);
    if solved <= review.moves.len() {
        text += &format!("All moves from {solved} on are solved: their losses are exact.\n");
    }
    text
}

/// Write how often each mark is there.
fn counts(counts: [usize; 3], marks: [&str; 3]) -> String {
    let there = counts.iter().zip(marks).filter(|(count, _)| **count > 0);
    let there: Vec<String> = there.map(|(count, mark)| format!("{count} {mark}")).collect();
    if there.is_empty() { String::new() } else { format!(" ({})", there.join(", ")) }
}

/// Write the points that a move gave away, after ~ those by estimates that are told by a mark.
fn lost(judged: &JudgedMove) -> String {
    let told = judged.estimated_lost.filter(|_| !judged.mark.is_empty());
    let estimated = || told.map_or(String::new(), |lost| format!("~{lost:.1}"));
    judged.lost.map_or_else(estimated, |lost| lost.to_string())
}

/// Write the table of a game's moves from move `from` on.
fn moves_text(review: &Review, from: usize) -> String {
    let mut text = "\n ply  player  move        score    bounds  lost       best\n".to_owned();
    let row = |ply, player, r#move, known: &KnownScore, rest: String| {
        let shown = match (known.score, known.estimate.zip(known.error)) {
            (Some(score), _) => score.to_string(),
            (None, Some((estimate, error))) => format!("~{estimate:.1} ± {error:.1}"),
            (None, None) => String::new(),
        };
        let bounds = if known.score.is_some() { String::new() } else { Answer::shown(None, known.bounds) };
        let row = format!("{ply:>4}  {player:<6}  {move:<5}  {shown:>11}  {bounds:>8}  {rest}");
        format!("{}\n", row.trim_end())
    };
    let before = from.checked_sub(2).and_then(|place| review.moves.get(place));
    if from <= review.moves.len() + 1 {
        text += &row(from - 1, "", "", before.map_or(&review.start, |judged| &judged.after), String::new());
    }
    for judged in review.moves.iter().skip(from - 1) {
        let JudgedMove { ply, player, r#move, mark, after, best, .. } = judged;
        let best = best.as_deref().unwrap_or("");
        text += &row(*ply, player, r#move, after, format!("{:>4} {mark:<3}   {best}", lost(judged)));
    }
    text
}

/// Write the tables of the bots, each with its costliest moves.
fn summary_text(summary: &Summary) -> String {
    let mut text =
        "empty: empty cells before the move; judged: moves with a proven score before and after;\n\
         ±: standard error over games; all: every move, with or without a row\n\n"
            .to_owned();
    for BotSummary { name, games, rows, all, costliest } in &summary.bots {
        text += &format!("{}, {}\n", plain(name, NAME_LENGTH), plural(*games as u64, "game"));
        text += "empty  moves  solved  judged  points lost a move  moves that lose\n";
        for row in rows.iter().chain([all]) {
            let Losses { empty, moves, solved, judged, lost, error, losing, losing_error } = row;
            let empty = empty.map_or("all".to_owned(), |empty| empty.to_string());
            let solved = 100.0 * *solved as f64 / (*moves).max(1) as f64;
            let mean = |mean: &Option<f64>, error: &Option<f64>, scale: f64, digits: usize, unit: &str| {
                let error = error.map_or(String::new(), |error| format!(" ± {:.digits$}", scale * error));
                mean.map_or("-".to_owned(), |mean| format!("{:.digits$}{error}{unit}", scale * mean))
            };
            let (lost, losing) = (mean(lost, error, 1.0, 2, ""), mean(losing, losing_error, 100.0, 1, " %"));
            text +=
                &format!("{empty:>5}  {moves:>5}  {solved:>4.0} %  {judged:>6}  {lost:>18}  {losing:>15}\n");
        }
        if !costliest.is_empty() {
            text += "costliest moves:\n";
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
