//! Reviewed games as one HTML page: no network, the data inside.

use serde_json::{Map, Value, json};

use crate::player::board::Move;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = concat!(include_str!("page.js"), include_str!("summary.js"), "start();\n");

/// The bytes above which a page leaves out what is not needed.
const LARGEST: usize = 300_000;

/// The letters of the 36 cells in [`options`], by ordinal; none is a hexadecimal digit.
const CELLS: &[u8; 36] = b"GHIJKLMNOPQRSTUVWXYZghijklmnopqrstuv";

/// Return the page of reviewed games.
///
/// `games_json` has a game a line, as `review --json` prints it; `summary_json` is what
/// `review --summary --json` prints, whose `game` counts the games from 1. A line that is no such
/// object goes into the page as it is, and the page says that it cannot read it. A page above
/// 300,000 bytes knows the values of optimal and played moves only.
pub fn page(games_json: &str, summary_json: Option<&str>) -> String {
    let whole = fill(games_json, summary_json, true);
    if whole.len() <= LARGEST { whole } else { fill(games_json, summary_json, false) }
}

/// Fill the template; `all` keeps the moves of known value that are neither optimal nor played.
fn fill(games_json: &str, summary_json: Option<&str>, all: bool) -> String {
    let games = games_json.lines().filter(|line| !line.trim().is_empty());
    let games: Vec<String> = games.map(|line| compact(line, all)).collect();
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
