//! Reviewed games as text for a terminal.

use std::sync::atomic::AtomicBool;

use super::game::{ReviewSettings, review};
use super::judged::{JudgedMove, PlayerSummary, Review};
use super::summary::{BotSummary, Costly, Losses, Summary};
use crate::games::files::RecordedGame;
use crate::judge::worth::Worth;
use crate::text::{about_points, is_unseen, plural, table, wrapped};

/// Judge a game until `stop`, and write its story for a terminal.
pub fn quick_review(game: &RecordedGame, stop: &'static AtomicBool) -> String {
    let settings = ReviewSettings { stop: Some(stop), ..ReviewSettings::default() };
    let review = review(game, settings, &mut |_| {});
    game_text(&(1, review), false)
        + "The table of all moves: save FILE, then blackhole review --moves FILE.\n"
}

const MAX_PRINTED_NAME: usize = 30;

/// Write untrusted text for a terminal: shortened, without control characters.
fn plain(text: &str, most: usize) -> String {
    text.chars().take(most).map(|c| if is_unseen(c) { '?' } else { c }).collect()
}

pub const MARKS_LEGEND: &str = "\
?! marks a loss from 1 point, ? from 2, ?? from 4; ~ is an estimate.
turn: the game turned on a loss within its error. A longer --limit solves more.
";

pub const LEGEND: &str = "\
score: final score under best play, red minus blue, after the row's move
(~: an estimate, and its mean error); bounds: its proven bounds;
lost: points given away (~: by estimates); best: the best move
";

/// Write a game's title and players as far as they are known, its story, costliest moves and the losses of both players;
/// with its number if there are `several`.
pub fn game_text((number, review): &(usize, Review), several: bool) -> String {
    let number = if several { format!("game {number}: ") } else { String::new() };
    let mut names = vec![("", &review.title), ("red ", &review.red), ("blue ", &review.blue)];
    names.retain(|(_, name)| !name.is_empty());
    let names = names.iter().map(|(colour, name)| format!("{colour}{}", plain(name, MAX_PRINTED_NAME)));
    let head = number + &names.collect::<Vec<_>>().join(", ");
    let mut text = if head.is_empty() { head } else { format!("{}\n", head.trim_end_matches(": ")) };
    text += &format!("{}\n", wrapped(&review.story.join(" ")));
    if let Some(fault) = &review.fault {
        text += &format!("{}\n", wrapped(&format!("the match says: {}", plain(fault, 150))));
    }
    let row = |&ply: &usize| {
        let judged @ JudgedMove { player, r#move, mark, best, .. } = &review.moves[ply - 1];
        let better = best.as_ref().map_or(String::new(), |best| format!("better: {best}"));
        let lost = format!("{} {mark}", lost(judged));
        [format!("move {ply}"), player.clone(), r#move.clone(), "lost".to_owned(), lost, better].to_vec()
    };
    if !review.worst.is_empty() {
        text += "The costliest moves:\n";
    }
    text += &table("<<<<<<", &review.worst.iter().map(row).collect::<Vec<_>>());
    for (name, own) in [("Red", &review.summary.red), ("Blue", &review.summary.blue)] {
        let PlayerSummary { judged, lost, marked, about } = own;
        let (judged, lost) = (plural(*judged, "judged move"), plural(*lost, "point"));
        let about = match marked {
            0 => String::new(),
            _ => format!(", and about {about:.1} in {} marked ~", plural(*marked, "move")),
        };
        text += &format!("{name} gave away {lost} in {judged}{about}\n");
    }
    text
}

/// Write the points that a move gave away; ~ marks an estimate.
fn lost(judged: &JudgedMove) -> String {
    let marked = || judged.marked_loss().map_or(String::new(), |lost| format!("~{lost:.1}"));
    judged.lost.map_or_else(marked, |lost| lost.to_string())
}

pub fn moves_text(review: &Review, from: usize) -> String {
    let mut text = "\n ply  player  move        score    bounds  lost       best\n".to_owned();
    let row = |ply, player, r#move, known: &Worth, rest: String| {
        let (shown, [least, most]) = (known.to_string(), known.bounds);
        let bounds = if known.score.is_some() { String::new() } else { format!("{least}..{most}") };
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
        text += &row(*ply, player, r#move, after, format!("{:>4} {mark:<4}  {best}", lost(judged)));
    }
    text
}

pub fn summary_text(summary: &Summary) -> String {
    let mut text =
        "empty: empty cells before the move; judged: moves with a proven score before and after;\n\
         ±: standard error over games; marked ~: points by estimates, and their moves;\n\
         all: every move, with or without a row\n\n"
            .to_owned();
    for BotSummary { name, games, rows, all, costliest } in &summary.bots {
        text += &format!("{}, {}\n", plain(name, MAX_PRINTED_NAME), plural(*games as u64, "game"));
        text += "empty  moves  solved  judged  points lost a move  marked ~\n";
        for row in rows.iter().chain([all]) {
            let Losses { empty, moves, solved, judged, lost, error, marked, about } = row;
            let empty = empty.map_or("all".to_owned(), |empty| empty.to_string());
            let solved = 100.0 * *solved as f64 / (*moves).max(1) as f64;
            let error = error.map_or(String::new(), |error| format!(" ± {error:.2}"));
            let lost = lost.map_or("-".to_owned(), |lost| format!("{lost:.2}{error}"));
            let marked = if *marked > 0 { format!("  {about:.1} in {marked}") } else { String::new() };
            text += &format!("{empty:>5}  {moves:>5}  {solved:>4.0} %  {judged:>6}  {lost:>18}{marked}\n");
        }
        if !costliest.is_empty() {
            text += "costliest moves:\n";
        }
        for Costly { game, ply, r#move, best, lost, estimated_lost, .. } in costliest {
            let best = best.as_ref().map_or(String::new(), |best| format!(", best was {best}"));
            let about = || format!("~{}", about_points(estimated_lost.unwrap_or(0.0)));
            let points = lost.map_or_else(about, |lost| plural(lost, "point"));
            text += &format!("game {game}, ply {ply}: {move} lost {points}{best}\n");
        }
        text.push('\n');
    }
    text
}
