//! The pages: one HTML file each, no network, the data inside.
//!
//! - This module: the page of `review` and `board`.
//! - [`tournament`]: a tournament as a page.

pub mod tournament;

use std::hash::{BuildHasher, RandomState};

use serde_json::{Value, json};

use crate::games::files::{PerPlayer, RecordedGame};
use crate::judge::answer::{Analysis, MoveAnswer};
use crate::judge::worth::{Worth, tenth};
use crate::player::position::MAX_SCORE;
use crate::review::game::unjudged;
use crate::review::judged::{JudgedMove, Review};
use crate::review::summary::{BotSummary, summary};
use crate::text::plural;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = concat!(include_str!("design.css"), include_str!("page.css"));
const SCRIPT: &str = concat!(
    include_str!("state.js"),
    include_str!("view.js"),
    include_str!("standings.js"),
    include_str!("page.js")
);
const SESSION_SCRIPT: &str =
    concat!(include_str!("files.js"), include_str!("edit.js"), include_str!("session.js"));

/// The beginning of a page, and a tag near it, by which a page is recognized.
pub const MARK: [&str; 2] = ["<!DOCTYPE html>", "<meta name=\"generator\" content=\"blackhole review\">"];

const MAX_PAGE_BYTES: usize = 3_000_000;
const MAX_PAGE_NAME: usize = 100;

/// A page, and a note of the games that it leaves out.
#[derive(Clone, PartialEq, Debug)]
pub struct Page {
    pub html: String,
    /// Without a full stop; empty if nothing is left out.
    pub left_out: String,
}

/// The parts in which pages differ.
#[derive(Default)]
struct Parts<'a> {
    title: &'a str,
    /// The files of the games, if the page names them, and the bots with their costliest moves.
    source: &'a str,
    bots: Vec<Value>,
    /// The settings of a board.
    board: Option<&'a Value>,
    /// HTML above the board, and its style.
    above: &'a str,
    style: &'a str,
    script: &'a str,
}

/// Make the page of numbered games from a source, the costliest first; several come with each bot's costliest moves.
/// Above 3,000,000 bytes the games with the fewest points lost are left out.
pub fn page(source: &str, reviews: &[(usize, Review)]) -> Page {
    let title = match reviews {
        [(_, Review { red, blue, .. })] if !red.is_empty() || !blue.is_empty() => format!("{red} – {blue}"),
        _ => source.to_owned(),
    };
    let bots = if reviews.len() > 1 { summary(reviews, 1).bots } else { Vec::new() };
    let costliest = |bot: &BotSummary| json!({"name": short(&bot.name), "costliest": bot.costliest});
    let bots = bots.iter().filter(|bot| !bot.costliest.is_empty()).map(costliest).collect();
    let parts = Parts { title: &short(&title), source: &short(source), bots, ..Parts::default() };
    let mut order: Vec<&(usize, Review)> = reviews.iter().collect();
    order.sort_by(|(_, one), (_, other)| lost_by_both(other).total_cmp(&lost_by_both(one)));
    fitting(&parts, &order, MAX_PAGE_BYTES, " with fewer points lost")
}

/// Make the board's page with these games; `more` others are left out, and `board` holds the board's settings.
pub fn board(games: &[RecordedGame], more: usize, board: &Value) -> String {
    let games = (1..).zip(games).map(|(number, game)| game_parts(game_data(number, &unjudged(game))));
    let parts = Parts { title: "Board", board: Some(board), script: SESSION_SCRIPT, ..Parts::default() };
    fill(&parts, &games.collect::<Vec<_>>(), &left_out(more, "more game", ""))
}

/// Say how many things are left out; `of` ends the sentence with their kind.
fn left_out(count: usize, what: &str, of: &str) -> String {
    if count == 0 { String::new() } else { format!("left out: {}{of}", plural(count as u64, what)) }
}

/// Make a page of the first games that fit into `most` bytes; say what is left out and why.
fn fitting(parts: &Parts, games: &[&(usize, Review)], most: usize, why: &str) -> Page {
    // The note about the games left out needs some room itself.
    let mut room = most.saturating_sub(fill(parts, &[], "").len() + 200);
    let fits = |(number, review): &&(usize, Review)| {
        let game = game_parts(game_data(*number, review));
        room = room.checked_sub(game.iter().map(|text| text.len() + 2).sum())?;
        Some(game)
    };
    let shown: Vec<_> = games.iter().map_while(fits).collect();
    let left_out = left_out(games.len() - shown.len(), "game", why);
    Page { html: fill(parts, &shown, &left_out), left_out }
}

/// Return a game's two parts in the page: its names and record as text, and all else as data.
fn game_parts(mut data: Value) -> [String; 2] {
    let record = data["record"].take();
    let text = |value: &Value| escape(value.as_str().unwrap_or_default());
    let [red, blue] = ["red", "blue"].map(|player| text(&data[player]).replace(',', ",,"));
    let title = Some(text(&data["title"])).filter(|title| !title.is_empty());
    let title = title.unwrap_or_else(|| format!("round {}", data["number"]));
    let names = if [&*red, &blue] == [""; 2] { String::new() } else { format!("red {red}, blue {blue}, ") };
    let head = format!("# {names}{title}\n");
    let end = data["points"].as_array().map_or(String::new(), |points| {
        format!("# points {} to {}\n# fault of {}\n", points[0], points[1], text(&data["fault"]))
    });
    [head + &text(&record) + "\n" + &end, escaped(&data)]
}

fn fill(parts: &Parts, games: &[[String; 2]], left_out: &str) -> String {
    let joined = |part: usize, between| games.iter().map(|it| &*it[part]).collect::<Vec<_>>().join(between);
    let (records, games) = (joined(0, ""), joined(1, ",\n"));
    let Parts { source, bots, board, .. } = parts;
    let rest = json!({"bots": bots, "left_out": left_out, "source": source, "board": board});
    let data = format!("{{\"games\":[{games}],{}", &escaped(&rest)[1..]);
    // A game's text cannot name the nonce, so the browser never runs it as a script.
    let keys = RandomState::new();
    let nonce = format!("{:016x}{:016x}", keys.hash_one(0), keys.hash_one(1));
    let script = [SCRIPT, parts.script, "start();\n"].concat();
    let (title, style) = (escape(parts.title), [STYLE, parts.style].concat());
    // In one pass: nothing is replaced within a text that was filled in.
    let fill = |part: &'static str| {
        let Some((name, rest)) = part.split_once("*/") else { return part.to_owned() };
        let text = match name {
            "nonce" => &nonce,
            "title" => &title,
            "sources" => board.map_or("", |_| "connect-src 'self'; "),
            "style" => &style,
            "above" => parts.above,
            "records" => &records,
            "data" => &data,
            _ => &script,
        };
        [text, rest].concat()
    };
    TEMPLATE.split("/*").map(fill).collect()
}

/// Write JSON for an element: `<`, which only strings contain, is escaped, so that no text can end or open one.
fn escaped(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

/// Escape text for HTML; forbidden characters become replacement characters.
fn escape(text: &str) -> String {
    let forbidden = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    let text = text.replace(forbidden, "\u{fffd}");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn short(text: &str) -> String {
    let cut = text.char_indices().nth(MAX_PAGE_NAME).map(|(end, _)| &text[..end]);
    cut.map_or_else(|| text.to_owned(), |begun| format!("{begun}…"))
}

/// Return the data of a game: the record tells its moves, from which the page derives the rest.
pub fn game_data(number: usize, review: &Review) -> Value {
    let is_judged = review.moves.iter().any(|judged| judged.after.value().is_some());
    let story = is_judged.then_some(&review.story);
    let hands = Some(&review.hands).filter(|hands| **hands != PerPlayer::of(|_| (1..=15).collect()));
    let PerPlayer { red, blue } = &review.summary;
    let sign = if red.marked + blue.marked > 0 { "≈" } else { "" };
    let is_known = red.judged + blue.judged > 0 || !sign.is_empty();
    let lost = is_known.then(|| format!("{sign}{}", lost_by_both(review)));
    let moves: Vec<Value> = review.moves.iter().map(move_data).collect();
    let moves = Some(moves).filter(|moves| moves.iter().any(|known| *known != json!({})));
    known(json!({
        "number": number,
        "title": short(&review.title),
        "red": short(&review.red),
        "blue": short(&review.blue),
        "record": review.record,
        "hands": hands,
        "story": story,
        "first": review.first,
        "start": known_score(&review.start),
        "moves": moves,
        "final_score": review.final_score,
        "points": review.points,
        "fault": review.fault.as_deref().map(short),
        "decided": review.decided,
        "lost": lost,
    }))
}

/// Return the points that the list of moves shows as lost.
fn lost_by_both(review: &Review) -> f64 {
    tenth(review.moves.iter().map(JudgedMove::cost).sum())
}

/// Return what is known after a move, and before it the best moves, best first, and the line expected.
pub fn move_data(judged: &JudgedMove) -> Value {
    let Analysis { answer, moves, .. } = &judged.before;
    let list: Vec<Value> = moves.chunk_by(|one, next| one.worth == next.worth).map(row).collect();
    let mut data = known_score(&judged.after);
    data["list"] = json!(Some(list).filter(|list| !list.is_empty()));
    // The page shows no longer line.
    let line = answer.line.iter().take(6).map(|mv| &mv[..]).collect::<Vec<_>>().join(" ");
    data["line"] = json!(Some(line).filter(|line| line.contains(' ')));
    known(data)
}

/// Write moves of equal worth as a row: the score after them, or its estimate, the error and the bounds.
fn row(moves: &[MoveAnswer]) -> Value {
    let Worth { score, estimate, error, bounds } = moves[0].worth;
    let moves = moves.iter().map(|it| &*it.r#move).collect::<Vec<_>>().join(" ");
    score.map_or_else(|| json!([moves, estimate, error, bounds[0], bounds[1]]), |score| json!([moves, score]))
}

/// Return what is known of a position; bounds only if they say more than the rules.
fn known_score(Worth { score, bounds, estimate, error }: &Worth) -> Value {
    let open = Some(bounds).filter(|bounds| score.is_none() && **bounds != [-MAX_SCORE, MAX_SCORE]);
    known(json!({"score": score, "estimate": estimate, "error": error, "bounds": open}))
}

/// Leave out what is not known of an object.
fn known(mut data: Value) -> Value {
    data.as_object_mut().into_iter().for_each(|fields| fields.retain(|_, value| !value.is_null()));
    data
}
