//! Reviewed games as one HTML page: no network, the data inside.

use serde_json::{Map, Value, json};

use crate::player::board::Move;

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

/// Return the page of reviewed games.
///
/// `games_json` has a game a line, as `review --json` prints it; `summary_json` is what
/// `review --summary --json` prints, whose `game` counts the games from 1. A line that is no such
/// object goes into the page as it is, and the page says that it cannot read it. A page above
/// 300,000 bytes knows the values of optimal and played moves only; if that is not enough, the games
/// with the fewest points lost are left out, which it says.
pub fn page(games_json: &str, summary_json: Option<&str>) -> String {
    let lines: Vec<&str> = games_json.lines().filter(|line| !line.trim().is_empty()).collect();
    let whole = fill(lines.iter().map(|line| compact(line, true)).collect(), summary_json);
    if whole.len() <= LARGEST {
        return whole;
    }
    let mut games: Vec<String> = lines.iter().map(|line| compact(line, false)).collect();
    let lost = |line: &&str| -> i64 {
        let game: Value = serde_json::from_str(line).unwrap_or_default();
        ["red", "blue"].map(|player| game["summary"][player]["lost"].as_i64().unwrap_or(0)).iter().sum()
    };
    let mut order: Vec<(i64, usize)> = lines.iter().map(lost).zip(0..).collect();
    order.sort_by_key(|&(lost, _)| lost);
    let mut above = fill(games.clone(), summary_json).len().saturating_sub(LARGEST);
    for (_, place) in order {
        if above > 0 {
            above = above.saturating_sub(games[place].len());
            // The others keep their numbers.
            games[place] = "null".to_owned();
        }
    }
    fill(games, summary_json)
}

/// Fill the template with games.
fn fill(games: Vec<String>, summary_json: Option<&str>) -> String {
    let summary = summary_json.map(str::trim).filter(|text| !text.is_empty()).unwrap_or("null");
    let data = format!("{{\"games\":[{}],\"summary\":{summary}}}", games.join(",\n"));
    // In JSON `<` stands in strings only; written so, no text can end or open an element.
    let data = data.replace('<', "\\u003c");
    TEMPLATE.replace("/*style*/", STYLE).replace("/*script*/", SCRIPT).replace("/*data*/", &data)
}

/// Shorten a game to what the page cannot derive: a hundred games must fit into 300 kB.
fn compact(line: &str, all: bool) -> String {
    let Ok(Value::Object(mut game)) = serde_json::from_str(line) else { return line.to_owned() };
    let moves = game.remove("moves").unwrap_or_default();
    let moves = moves.as_array().map(Vec::as_slice).unwrap_or_default();
    if let Some(player) = moves.first().map(|first| &first["player"]) {
        game.insert("first".to_owned(), player.clone());
    }
    game.insert("moves".to_owned(), moves.iter().map(|mv| row(mv, all)).collect());
    for name in ["title", "red", "blue"] {
        let shortened: String =
            game.get(name).and_then(Value::as_str).unwrap_or("").chars().take(NAME).collect();
        game.insert(name.to_owned(), shortened.into());
    }
    // The record has them too.
    game.remove("blocked");
    let all: Vec<u8> = (1..=15).collect();
    if game.get("hands") == Some(&json!({"red": all, "blue": all})) {
        game.remove("hands");
    }
    Value::Object(game).to_string()
}

/// Return a move as `[best, value, lost, mark, estimate, bounds, options]`, without nulls at the
/// end.
fn row(mv: &Value, all: bool) -> Value {
    let rounded = |value: f64| if value.fract() == 0.0 { json!(value as i64) } else { json!(value) };
    let estimate = mv["estimate"].as_f64().map(|value| rounded((value * 10.0).round() / 10.0));
    let bounds = Some(&mv["bounds"]).filter(|bounds| mv["value"].is_null() && **bounds != json!([-75, 75]));
    let options = Some(options(mv, all)).filter(|text| !text.is_empty());
    let mark = Some(&mv["mark"]).filter(|mark| **mark != "");
    let mut row = vec![mv["best"].clone(), mv["value"].clone(), mv["lost"].clone()];
    row.extend([json!(mark), json!(estimate), json!(bounds), json!(options)]);
    while row.last().is_some_and(Value::is_null) {
        row.pop();
    }
    Value::Array(row)
}

/// Return the moves of known value as `VALUE:MOVES` with spaces between, highest value first:
/// letters of cells, then the stones (hexadecimal digits) that have this value on each of them.
fn options(mv: &Value, all: bool) -> String {
    let mut known: Map<String, Value> = mv["options"].as_object().cloned().unwrap_or_default();
    if !mv["value"].is_null() {
        let optimal = mv["optimal"].as_array().into_iter().flatten().filter_map(Value::as_str);
        known.extend(optimal.map(|text| (text.to_owned(), mv["value"].clone())));
    }
    let kept = |(text, value): &(&String, &Value)| all || **value == mv["value"] || mv["move"] == **text;
    let known = known
        .iter()
        .filter(kept)
        .filter_map(|(text, value)| Some((value.as_i64()?, Move::parse(text).ok()?)));
    let mut known: Vec<(i64, Move)> = known.collect();
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
        let unknown = json!({"ply": 1, "move": "F2=15", "value": null, "bounds": [-75, 75], "estimate": 0.8123,
            "lost": null, "best": "E4=13", "mark": "", "optimal": [], "options": {}});
        let bounded = json!({"value": null, "bounds": [-3, 7], "estimate": 2.04, "best": null, "mark": ""});
        let solved = json!({"move": "A3=1", "value": 2, "bounds": [2, 2], "lost": 3, "best": "B1=15", "mark": "?",
            "optimal": ["A1=1", "B1=15"],
            "options": {"A2=2": -1, "A1=2": 2, "B1=1": -1, "A2=1": 2, "A3=1": -10, "A2=15": -1, "B1=15": 2}});
        let table = [
            (&unknown, true, r#"["E4=13",null,null,null,0.8]"#),
            (&bounded, true, "[null,null,null,null,2,[-3,7]]"),
            (&solved, true, r#"["B1=15",2,3,"?",null,null,"2:G12H1Of -1:H2fO1 -10:I1"]"#),
            (&solved, false, r#"["B1=15",2,3,"?",null,null,"2:G12H1Of -10:I1"]"#),
            (&Value::Null, true, "[]"),
        ];
        for (mv, all, short) in table {
            assert_eq!(row(mv, all).to_string(), short);
        }
    }
}
