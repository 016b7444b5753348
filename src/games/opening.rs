//! Openings: drawn from a seed, or read.

use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};

use crate::games::record::Record;
use crate::player::board::Cell;
use crate::player::input::{InputError, quote};

/// The blocked cells of an opening, in the order of the dialogue.
pub type Opening = [Cell; 5];

/// Mix numbers into a seed by splitmix64.
pub fn mix(parts: &[u64]) -> u64 {
    let mixed = |state: u64, part: &u64| SplitMix64::seed_from_u64(state ^ part).next_u64();
    parts.iter().fold(0x9e37_79b9_7f4a_7c15, mixed)
}

/// Draw the opening of a number, the same for a seed everywhere.
pub fn random_opening(seed: u64, number: u64) -> Opening {
    let mut cells: Vec<Cell> = Cell::all().collect();
    cells.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(mix(&[seed, number])));
    std::array::from_fn(|i| cells[i])
}

/// Read openings, one a line: the blocked cells of a game record in either notation; `#` starts a comment.
pub fn parse_openings(text: &str) -> Result<Vec<Opening>, InputError> {
    let mut openings = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let words = line.split('#').next().unwrap_or_default();
        if words.trim_ascii().is_empty() {
            continue;
        }
        let line = number + 1;
        let record = Record::parse(words).map_err(|error| InputError { line, ..error })?;
        let (found, expected) = (quote(words.as_bytes()), "five blocked cells".to_owned());
        let opening = Opening::try_from(record.blocked());
        openings.push(opening.map_err(|_| InputError { line, found, expected })?);
    }
    Ok(openings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_draws_the_same_openings_for_ever() {
        // Measurements name the seeds of their openings.
        let opening = |(seed, round)| random_opening(seed, round).map(|cell| cell.to_string()).join(" ");
        let known = ["C3 A1 B5 F1 B7", "D3 A6 F2 C1 D4", "C5 E1 A5 G1 E4"];
        assert_eq!([(1, 5), (1, 6), (2, 5)].map(opening), known);
    }

    #[test]
    fn openings_are_read_from_both_notations() {
        let text = "# two\nE2 A1 C4 G2 D2 B2=15 # first\n\nt0v04060f0nf8o\n";
        let openings = parse_openings(text).expect("two openings");
        let names = openings.iter().map(|opening| opening.map(|cell| cell.to_string()));
        let expected = [["E2", "A1", "C4", "G2", "D2"], ["E4", "F2", "A5", "A7", "C1"]];
        assert_eq!(names.collect::<Vec<_>>(), expected.map(|cells| cells.map(String::from)));
        for (bad, line) in [("A1 A2 A3 A4", 1), ("A1 A2 A3 A4 A5\nA1 A1 A2 A3 A4", 2), ("t1v04060f0", 1)] {
            assert_eq!(parse_openings(bad).map_err(|error| error.line), Err(line), "{bad}");
        }
    }
}
