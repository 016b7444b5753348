//! Recorded games as material for studies: each once, cut where so many cells are empty, in halves.

use std::collections::HashSet;

use crate::player::input::InputError;
use crate::player::record::Record;
use crate::player::rng::Random;
use crate::workshop::{fnv, games};

/// Read games in any form, each once, however often it is in the file.
///
/// # Errors
/// As [`games::read`].
pub fn parse(bytes: &[u8]) -> Result<Vec<Record>, InputError> {
    let mut seen = HashSet::new();
    let records = games::read(bytes)?.into_iter().map(|game| game.record);
    Ok(records.filter(|record| seen.insert(record.to_string())).collect())
}

/// Return the game up to the move after which `cells` cells are empty, if it came so far.
pub fn cut(game: &Record, cells: u32) -> Option<Record> {
    let plies = game.start().empty().len().checked_sub(cells)? as usize;
    (plies <= game.moves().len()).then(|| game.until(plies))
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
