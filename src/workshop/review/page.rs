//! Reviewed games as one HTML page: no network, the data inside.

use std::mem::replace;

use serde_json::{Value, json};

use super::game::{JudgedMove, Review};
use super::summary::Summary;
use crate::player::board::Move;
use crate::player::position::{MAX_SCORE, Score};
use crate::workshop::games::Sides;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = concat!(include_str!("page.js"), include_str!("summary.js"), "start();\n");

/// What a page begins with, and has near its beginning, where other files do not.
pub const MARK: [&str; 2] = ["<!DOCTYPE html>", "<meta name=\"generator\" content=\"blackhole review\">"];

/// The bytes above which a page leaves out what is not needed.
const LARGEST: usize = 300_000;

/// The characters of a name or a title that are kept.
const NAME: usize = 100;

/// The letters of the 36 cells in [`options`], by ordinal; none is a hexadecimal digit.
const CELLS: &[u8; 36] = b"GHIJKLMNOPQRSTUVWXYZghijklmnopqrstuv";

/// Return the page of reviewed games; the summary's `game` counts them from 1.
///
/// A page above 300,000 bytes knows the values of optimal and played moves only; if that is not
/// enough, the games with the fewest points lost are left out, which it says.
pub fn page(reviews: &[Review], summary: Option<&Summary>) -> String {
    let whole = fill(&reviews.iter().map(|review| compact(review, true)).collect::<Vec<_>>(), summary);
    if whole.len() <= LARGEST {
        return whole;
    }
    let mut games: Vec<String> = reviews.iter().map(|review| compact(review, false)).collect();
    let mut order: Vec<usize> = (0..games.len()).collect();
    order.sort_by_key(|&place| reviews[place].summary.red.lost + reviews[place].summary.blue.lost);
    let mut above = fill(&games, summary).len().saturating_sub(LARGEST);
    for place in order {
        if above > 0 {
            // The others keep their numbers.
            let left_out = replace(&mut games[place], "null".to_owned());
            above = above.saturating_sub(left_out.len().saturating_sub("null".len()));
        }
    }
    fill(&games, summary)
}

/// Fill the template with games.
fn fill(games: &[String], summary: Option<&Summary>) -> String {
    let data = format!("{{\"games\":[{}],\"summary\":{}}}", games.join(",\n"), json!(summary));
    // In JSON `<` stands in strings only; written so, no text can end or open an element.
    let data = data.replace('<', "\\u003c");
    TEMPLATE.replace("/*style*/", STYLE).replace("/*script*/", SCRIPT).replace("/*data*/", &data)
}

/// Shorten a game to what the page cannot derive: a hundred games must fit into 300 kB.
fn compact(review: &Review, all: bool) -> String {
    let short = |text: &str| text.chars().take(NAME).collect::<String>();
    let moves: Vec<Value> = review.moves.iter().map(|judged| row(judged, all)).collect();
    let mut game = json!({
        "title": short(&review.title), "red": short(&review.red), "blue": short(&review.blue),
        "first": review.first, "moves": moves, "final_score": review.final_score, "decided": review.decided,
        "summary": review.summary, "record": review.record, "base36": review.base36,
    });
    if review.hands != Sides::of(|_| (1..=15).collect()) {
        game["hands"] = json!(review.hands);
    }
    if let Some(points) = review.points {
        game["points"] = json!(points);
    }
    game.to_string()
}

/// Return a move as `[best, value, lost, mark, estimate, bounds, options]`, without nulls at the
/// end.
fn row(judged: &JudgedMove, all: bool) -> Value {
    let JudgedMove { best, value, lost, mark, estimate, bounds, .. } = judged;
    let bounds = Some(bounds).filter(|bounds| value.is_none() && **bounds != [-MAX_SCORE, MAX_SCORE]);
    let options = Some(options(judged, all)).filter(|text| !text.is_empty());
    let mark = Some(mark).filter(|mark| !mark.is_empty());
    let mut row = vec![json!(best), json!(value), json!(lost), json!(mark)];
    row.extend([json!(estimate), json!(bounds), json!(options)]);
    while row.last().is_some_and(Value::is_null) {
        row.pop();
    }
    Value::Array(row)
}

/// Return the moves of known value as `VALUE:MOVES` with spaces between, highest value first:
/// letters of cells, then the stones (hexadecimal digits) that have this value on each of them.
fn options(judged: &JudgedMove, all: bool) -> String {
    let mut known = judged.options.clone();
    known.extend(judged.optimal.iter().cloned().zip(judged.value.into_iter().cycle()));
    let kept =
        |(text, value): &(&String, &Score)| all || Some(**value) == judged.value || judged.r#move == **text;
    let known = known.iter().filter(kept);
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

    #[test]
    fn a_move_keeps_what_the_page_cannot_derive() {
        let text = str::to_owned;
        let empty = JudgedMove { bounds: [-75, 75], ..JudgedMove::default() };
        let bounded = JudgedMove { bounds: [-3, 7], estimate: Some(2.5), ..JudgedMove::default() };
        let options = [
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
            value: Some(2),
            lost: Some(3),
            best: Some(text("B1=15")),
            mark: "?",
            optimal: vec![text("A1=1"), text("B1=15")],
            options: options.map(|(mv, value)| (text(mv), value)).into(),
            ..JudgedMove::default()
        };
        for (judged, all, short) in [
            (&empty, true, "[]"),
            (&bounded, true, "[null,null,null,null,2.5,[-3,7]]"),
            (&solved, true, r#"["B1=15",2,3,"?",null,null,"2:G12H1Of -1:H2fO1 -10:I1"]"#),
            (&solved, false, r#"["B1=15",2,3,"?",null,null,"2:G12H1Of -10:I1"]"#),
        ] {
            assert_eq!(row(judged, all).to_string(), short);
        }
    }
}
