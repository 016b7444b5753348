//! Recorded games, one JSON object a line: the blocked cells under `blocked`, the moves under
//! `moves`, other keys as they like. The journal of a match is such a file.

use std::collections::HashSet;
use std::fmt::Display;

use serde::Deserialize;

use crate::player::board::{Cell, Move};
use crate::player::input::quote;
use crate::player::record::Record;
use crate::player::rng::Random;
use crate::workshop::arena::journal::Entry;
use crate::workshop::fnv;
use crate::workshop::lines::{self, BadLine, JsonLine};

/// The game of a line.
#[derive(Deserialize)]
#[serde(try_from = "GameLine")]
struct Recorded(Record);

/// What a line says.
#[derive(Deserialize)]
struct GameLine {
    blocked: Vec<String>,
    moves: Vec<String>,
}

impl JsonLine for Recorded {
    const WHAT: &'static str = "a game as a JSON object";
    const KEYS: &'static [&'static str] = Entry::KEYS;
}

impl TryFrom<GameLine> for Recorded {
    type Error = String;

    fn try_from(line: GameLine) -> Result<Recorded, String> {
        let unfit =
            |text: &str, error: &dyn Display| format!("found {}, expected {error}", quote(text.as_bytes()));
        let cell = |text: &String| Cell::parse(text).ok_or_else(|| unfit(text, &"a cell A1..H1"));
        let blocked: Vec<Cell> = line.blocked.iter().map(cell).collect::<Result<_, _>>()?;
        let mut record = Record::standard(&blocked).map_err(|error| format!("expected {error}"))?;
        for text in &line.moves {
            let mv = Move::parse(text).map_err(|error| unfit(text, &error))?;
            record.push(mv).map_err(|error| unfit(text, &error))?;
        }
        Ok(Recorded(record))
    }
}

/// Read games, each once, however often it is in the file. Empty lines and a torn end are skipped.
///
/// # Errors
/// Names the first line that is no game, or has an illegal move.
pub fn parse(bytes: &[u8]) -> Result<Vec<Record>, BadLine> {
    let mut seen = HashSet::new();
    let games = lines::parse(bytes)?.records.into_iter().map(|Recorded(game)| game);
    Ok(games.filter(|game| seen.insert(game.to_string())).collect())
}

/// Return the game up to the move after which `cells` cells are empty, if it came so far.
pub fn cut(game: &Record, cells: u32) -> Option<Record> {
    let mut record = Record::standard(game.blocked()).ok()?;
    let plies = record.position().empty().len().checked_sub(cells)?;
    game.moves().get(..plies as usize)?.iter().try_for_each(|&mv| record.push(mv)).ok()?;
    Some(record)
}

/// Split games into two halves by a hash of their text and `seed`: `true` is held out for testing,
/// `false` for training, which gets the odd one. The order of the games does not matter.
pub fn split(games: &[Record], seed: u64) -> Vec<bool> {
    // A hash, then one number of a generator, in which every bit of the hash counts.
    let key = |game: &usize| {
        let text = games[*game].to_string();
        let mixed = fnv::text(&text) ^ seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (Random::new(mixed).bits(), text)
    };
    let mut order: Vec<usize> = (0..games.len()).collect();
    order.sort_by_cached_key(key);
    let mut held_out = vec![false; games.len()];
    order[games.len().div_ceil(2)..].iter().for_each(|&game| held_out[game] = true);
    held_out
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str =
        r#"{"red":"a","blocked":["E2","A1","C4","G2","D2"],"moves":["B1=3","B2=4"],"score":1}"#;

    #[test]
    fn games_are_read_once_and_cut() {
        let text = format!("{LINE}\n\n{}\r\n{LINE}", LINE.replace("B2=4", "B2=5"));
        let games = parse(text.as_bytes()).expect("games");
        assert_eq!(games.len(), 2);
        assert_eq!(cut(&games[0], 30).expect("a move").to_string(), "E2 A1 C4 G2 D2 B1=3");
        assert_eq!(cut(&games[0], 29), Some(games[0].clone()));
        assert_eq!(cut(&games[0], 28), None);
        assert_eq!(cut(&games[0], 32), None);
    }

    #[test]
    fn bad_lines_are_named() {
        let refused = "line 2: expected a game as a JSON object (";
        for (bad, expected) in [
            ("{", "EOF"),
            ("{}", "missing field `blocked`"),
            (&LINE.replace("A1", "Z9"), "found \"Z9\", expected a cell A1..H1"),
            (&LINE.replace("\"A1\",", ""), "expected 5 "),
            (&LINE.replace("B2=4", "B1=4"), "found \"B1=4\", expected an empty cell"),
            (&LINE.replace("B2=4", "B2=44"), "found \"B2=44\", expected a stone from 1 to 15"),
            (&LINE.replace("\"B2=4\"", "4"), "invalid type"),
            ("\u{1}", "expected value"),
        ] {
            let error = parse(format!("{LINE}\n{bad}\n").as_bytes()).expect_err(bad).to_string();
            assert!(error.starts_with(&format!("{refused}{expected}")), "{error}");
        }
    }

    #[test]
    fn halves_are_even_and_depend_on_games_and_seed_alone() {
        let stones = |n: u32| format!("B1={}", n % 15 + 1);
        let line = |n: u32| LINE.replace("B1=3", &stones(n)).replace("B2=4", &format!("B2={}", n / 15 + 1));
        let text: String = (0..101).map(|n| line(n) + "\n").collect();
        let mut games = parse(text.as_bytes()).expect("games");
        assert_eq!(games.len(), 101);
        let held_out = split(&games, 1);
        assert_eq!(held_out.iter().filter(|&&held| held).count(), 50);
        let other = split(&games, 2);
        let moved = held_out.iter().zip(&other).filter(|(a, b)| a != b).count();
        assert!((30..=70).contains(&moved), "{moved}");
        games.reverse();
        assert!(split(&games, 1).iter().rev().eq(&held_out));
        assert_eq!(split(&[], 1), Vec::<bool>::new());
    }
}
