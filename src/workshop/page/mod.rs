//! The page of `review` and `board`: one HTML file, no network, the data inside.

use std::cmp::Reverse;
use std::time::Duration;

use serde_json::{Value, json};

use crate::player::board::Move;
use crate::player::position::{MAX_SCORE, Score};
use crate::workshop::games::{RecordedGame, Sides};
use crate::workshop::review::game::{JudgedMove, Review, ReviewSettings, Reviewer, Standing};
use crate::workshop::review::summary::{BotSummary, Summary};

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = concat!(include_str!("model.js"), include_str!("page.js"), include_str!("summary.js"));
const BOARD_HTML: &str = include_str!("board.html");
const SESSION_SCRIPT: &str = include_str!("session.js");

/// What a page begins with, and has near its beginning, where other files do not.
pub const MARK: [&str; 2] = ["<!DOCTYPE html>", "<meta name=\"generator\" content=\"blackhole review\">"];

/// The bytes above which a page leaves out what is not needed.
const LARGEST: usize = 300_000;

/// The characters of a name or a title that are kept.
const NAME: usize = 100;

/// The letters of the 36 cells in [`options`], by ordinal; none is a hexadecimal digit.
const CELLS: &[u8; 36] = b"GHIJKLMNOPQRSTUVWXYZghijklmnopqrstuv";

/// A page, and what it does not hold for want of room.
#[derive(Clone, PartialEq, Debug)]
pub struct Page {
    pub html: String,
    /// A sentence; empty where all is there.
    pub left_out: String,
}

/// Make the page of reviewed games, each with its number.
///
/// A page above 300,000 bytes knows the scores after optimal and played moves only; if that is not
/// enough, it leaves out the bots with the fewest games and the games with the fewest points lost.
pub fn page(reviews: &[(usize, Review)], summary: Option<&Summary>) -> Page {
    let games =
        |all| reviews.iter().map(|(number, review)| escaped(&compact(*number, review, all))).collect();
    let bots: Vec<String> = summary.iter().flat_map(|summary| &summary.bots).map(compact_bot).collect();
    let html = fill(games(true), bots.clone(), "", None);
    if html.len() <= LARGEST {
        return Page { html, left_out: String::new() };
    }
    // The sentence needs some room itself.
    let mut room = LARGEST - fill(Vec::new(), Vec::new(), "", None).len() - 200;
    let mut half = room / 2;
    let (kept_bots, fewer_bots) = fit(bots, |place| summary.map_or(0, |it| it.bots[place].games), &mut half);
    room -= kept_bots.iter().map(|bot| bot.len() + ",\n".len()).sum::<usize>();
    let lost = |place: usize| {
        let Sides { red, blue } = &reviews[place].1.summary;
        (red.lost + blue.lost) as usize
    };
    let (kept_games, fewer_games) = fit(games(false), lost, &mut room);
    let mut left_out = "to keep the page below 300 kB it lacks scores of moves not played".to_owned();
    for (count, what) in
        [(fewer_games, "games with fewer points lost"), (fewer_bots, "bots with fewer games")]
    {
        if count > 0 {
            left_out += &format!(", {count} {what}");
        }
    }
    Page { html: fill(kept_games, kept_bots, &left_out, None), left_out }
}

/// Keep the texts of the greatest weight, in their order, as far as there is room for them; count
/// the others.
fn fit(texts: Vec<String>, weight: impl Fn(usize) -> usize, room: &mut usize) -> (Vec<String>, usize) {
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_by_key(|&place| Reverse(weight(place)));
    order.retain(|&place| {
        let left = room.checked_sub(texts[place].len() + ",\n".len());
        *room = left.unwrap_or(*room);
        left.is_some()
    });
    order.sort_unstable();
    let left_out = texts.len() - order.len();
    (order.into_iter().map(|place| texts[place].clone()).collect(), left_out)
}

/// Fill the template with games and bots, and with what belongs to the engine where it may be asked.
fn fill(games: Vec<String>, bots: Vec<String>, left_out: &str, board: Option<&Value>) -> String {
    let (games, bots, left_out, own) = (games.join(",\n"), bots.join(",\n"), json!(left_out), json!(board));
    let data = format!("{{\"games\":[{games}],\"bots\":[{bots}],\"left_out\":{left_out},\"board\":{own}}}");
    let board_parts = ["board", "connect-src 'self'; ", BOARD_HTML, SESSION_SCRIPT];
    let [title, source, controls, script] =
        if board.is_some() { board_parts } else { ["review", "", "", ""] };
    let page =
        TEMPLATE.replace("/*title*/", title).replace("/*source*/", source).replace("/*controls*/", controls);
    let script = [SCRIPT, script, "start();\n"].concat();
    page.replace("/*style*/", STYLE).replace("/*script*/", &script).replace("/*data*/", &data)
}

/// Make the page with the engine behind it, which begins with some games of more; `board` is what it can
/// choose from.
pub fn board(games: &[RecordedGame], more: usize, board: &Value) -> String {
    let left_out = if more > 0 { format!("{more} more games are left out") } else { String::new() };
    let games = (1..).zip(games).map(|(number, game)| escaped(&unjudged(number, game)));
    fill(games.collect(), Vec::new(), &left_out, Some(board))
}

/// Shorten a game that nobody has judged.
pub fn unjudged(number: usize, game: &RecordedGame) -> Value {
    let (limit, iterations, memory) = (Duration::ZERO, 0, 1 << 16);
    let settings = ReviewSettings { limit, iterations, details: false, from: usize::MAX, memory, stop: None };
    compact(number, &Reviewer::new(settings).review(game, &mut |_| {}), false)
}

/// Write JSON that an element may hold: `<` stands in strings only; written so, no text can end or
/// open an element.
fn escaped(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

/// Cut a name that would fill the page.
fn short(text: &str) -> String {
    let cut = text.char_indices().nth(NAME).map(|(place, _)| &text[..place]);
    cut.map_or_else(|| text.to_owned(), |begun| format!("{begun}…"))
}

/// Shorten a game to what the page cannot derive: a hundred games must fit into 300 kB.
pub fn compact(number: usize, review: &Review, all: bool) -> Value {
    let moves: Vec<Value> = review.moves.iter().map(|judged| row(judged, all)).collect();
    let mut game = json!({
        "number": number, "title": short(&review.title), "red": short(&review.red), "blue": short(&review.blue),
        "first": review.first, "start": trimmed(standing(&review.start)), "moves": moves,
        "final_score": review.final_score, "decided": review.decided, "summary": review.summary,
        "record": review.record,
    });
    if review.hands != Sides::of(|_| (1..=15).collect()) {
        game["hands"] = json!(review.hands);
    }
    if let Some(points) = review.points {
        game["points"] = json!(points);
        game["fault"] = json!(review.fault.as_deref().map(short));
    }
    game
}

/// Shorten what is told of a bot; a row is `[empty, moves, judged, lost, error, losing]`.
fn compact_bot(bot: &BotSummary) -> String {
    let rounded = |number: Option<f64>| number.map(|number| (1e4 * number).round() / 1e4);
    let rows = bot.rows.iter().map(|row| {
        json!([row.empty, row.moves, row.judged, rounded(row.lost), rounded(row.error), rounded(row.losing)])
    });
    let rows: Vec<Value> = rows.collect();
    escaped(&json!({"name": short(&bot.name), "rows": rows, "costliest": bot.costliest}))
}

/// Return a move as `[best, options]` and what is known after it.
pub fn row(judged: &JudgedMove, all: bool) -> Value {
    let options = Some(options(judged, all)).filter(|text| !text.is_empty());
    let mut row = vec![json!(judged.best), json!(options)];
    row.extend(standing(&judged.after));
    trimmed(row)
}

/// Return what is known of a position as `score, estimate, bounds`.
fn standing(Standing { score, bounds, estimate }: &Standing) -> Vec<Value> {
    let open = Some(bounds).filter(|bounds| score.is_none() && **bounds != [-MAX_SCORE, MAX_SCORE]);
    vec![json!(score), json!(estimate), json!(open)]
}

/// Leave out the nulls at the end.
fn trimmed(mut row: Vec<Value>) -> Value {
    while row.last().is_some_and(Value::is_null) {
        row.pop();
    }
    Value::Array(row)
}

/// Return the moves with known scores as `SCORE:MOVES` with spaces between, highest score first:
/// letters of cells, then the stones (hexadecimal digits) that have this score on each of them.
fn options(judged: &JudgedMove, all: bool) -> String {
    let kept = |(text, score): &(&String, &Score)| {
        all || Some(**score) == judged.before.score || judged.r#move == **text
    };
    let known = judged.options.iter().filter(kept);
    let mut known: Vec<(Score, Move)> =
        known.filter_map(|(text, &value)| Some((value, Move::parse(text).ok()?))).collect();
    known.sort_by_key(|&(value, mv)| (-value, mv.cell, mv.stone));
    let groups = known.chunk_by(|(left, _), (right, _)| left == right).map(|moves| {
        // The stones with the cells that have just these.
        let mut cells: Vec<(String, String)> = Vec::new();
        for own in moves.chunk_by(|(_, left), (_, right)| left.cell == right.cell) {
            let stones: String = own.iter().map(|(_, mv)| format!("{:x}", mv.stone.value())).collect();
            let letter = char::from(CELLS[own[0].1.cell.ordinal()]);
            match cells.iter_mut().find(|(same, _)| *same == stones) {
                Some((_, letters)) => letters.push(letter),
                None => cells.push((stones, letter.to_string())),
            }
        }
        let cells: String = cells.iter().map(|(stones, letters)| letters.clone() + stones).collect();
        format!("{}:{cells}", moves[0].0)
    });
    groups.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workshop::answer::Answer;

    #[test]
    fn a_move_keeps_what_the_page_cannot_derive() {
        let text = str::to_owned;
        let after = |score, bounds, estimate| Standing { score, bounds, estimate };
        let judged = |after| JudgedMove { after, ..JudgedMove::default() };
        let empty = judged(after(None, [-75, 75], None));
        let bounded = judged(after(None, [-3, 7], Some(2.5)));
        let options = [
            ("A1=1", 2),
            ("A2=2", -1),
            ("A1=2", 2),
            ("B1=1", -1),
            ("A2=1", 2),
            ("A3=1", -10),
            ("A2=15", -1),
            ("B1=15", 2),
        ];
        let solved = JudgedMove {
            r#move: text("A3=1"),
            best: Some(text("B1=15")),
            before: Answer { score: Some(2), ..Answer::default() },
            options: options.map(|(mv, value)| (text(mv), value)).into(),
            ..judged(after(Some(-10), [-10, -10], None))
        };
        for (judged, all, short) in [
            (&empty, true, "[]"),
            (&bounded, true, "[null,null,null,2.5,[-3,7]]"),
            (&solved, true, r#"["B1=15","2:G12H1Of -1:H2fO1 -10:I1",-10]"#),
            (&solved, false, r#"["B1=15","2:G12H1Of -10:I1",-10]"#),
        ] {
            assert_eq!(row(judged, all).to_string(), short);
        }
    }
}
