//! A [`Record`] as text, in the two notations of the community.
//!
//! - The dialogue's words in order, separated by white space and in either case: the blocked cells
//!   (`E4`), then the moves (`B2=15`). `#` starts a comment that ends with the line. Both hands are
//!   `1..=n`, where `n` is half the number of empty cells, rounded down. A test position may name
//!   its own hands before the first move, `red:1,3,5` and `blue:2,4`, and its first player,
//!   `to-move:blue`; the default is the player with more stones, else Red.
//! - The base-36 string: two characters a placement, first the cell's ordinal (A1..A8, B1..B7, …,
//!   H1), then the stone: 0 blocked, 1..15 red, 16..30 blue (value + 15).

use std::fmt;

use crate::games::record::Record;
use crate::player::board::{Cell, Hand, MAX_STONE, Move, Player, Stone};
use crate::player::input::{InputError, quote};

/// The fewest characters of a base-36 string: five blocked cells.
const SHORTEST_BASE36: usize = 10;

impl Record {
    /// Read a game in either notation; an error names the line, the found and the expected.
    pub fn parse(text: &str) -> Result<Record, InputError> {
        read(text.lines().enumerate().flat_map(|(n, line)| Word::all(n + 1, line)))
    }

    /// Write the game as a base-36 string; `None` without a standard start and blocked cells.
    pub fn to_base36(&self) -> Option<String> {
        if self.has_own_hands() || self.blocked().is_empty() {
            return None;
        }
        let blocked = self.blocked().iter().map(|cell| (cell, 0));
        let offset = |player| if player == Player::Red { 0 } else { u32::from(MAX_STONE) };
        let placed = self.moves().iter().zip(self.placements());
        let placed = placed.map(|(mv, (player, _))| (&mv.cell, u32::from(mv.stone.value()) + offset(player)));
        let digit = |number| char::from_digit(number, 36);
        let pairs = blocked.chain(placed).flat_map(|(cell, code)| [cell.ordinal() as u32, code]);
        pairs.map(digit).collect()
    }
}

/// Read a game from its words; fail like [`Record::parse`].
pub(super) fn read<'a>(mut words: impl Iterator<Item = Word<'a>>) -> Result<Record, InputError> {
    let mut draft = Draft::default();
    let mut record: Option<Record> = None;
    let mut end = Word { line: 1, text: "" };
    for word in &mut words {
        end = word;
        if let Some(record) = &mut record {
            word.play(record)?;
        } else if word.text.contains('=') {
            word.play(record.insert(draft.finish(word)?))?;
        } else if draft == Draft::default() && word.is_base36() {
            record = Some(word.base36()?);
            break;
        } else {
            draft.add(word)?;
        }
    }
    if let Some(word) = words.next() {
        return Err(word.error("nothing after a base-36 string"));
    }
    record.map_or_else(|| draft.finish(Word { text: "", ..end }), Ok)
}

#[derive(Clone, Copy)]
pub(super) struct Word<'a> {
    pub line: usize,
    pub text: &'a str,
}

impl<'a> Word<'a> {
    pub fn all(line: usize, text: &'a str) -> impl Iterator<Item = Word<'a>> {
        let words = text.split('#').next().unwrap_or("").split_whitespace();
        words.map(move |text| Word { line, text })
    }

    /// Make the error of a word in place of the expected one; an empty word is the end.
    pub fn error(self, expected: impl fmt::Display) -> InputError {
        let found = if self.text.is_empty() { "the end".to_owned() } else { quote(self.text.as_bytes()) };
        InputError { line: self.line, found, expected: expected.to_string() }
    }

    fn play(self, record: &mut Record) -> Result<(), InputError> {
        let mv = Move::parse(self.text).map_err(|error| self.error(error))?;
        record.push(mv).map_err(|error| self.error(error))
    }

    /// Tell whether the word is meant as a base-36 string: longer than a cell, without punctuation.
    pub fn is_base36(self) -> bool {
        self.text.len() >= SHORTEST_BASE36 && self.text.bytes().all(|byte| byte.is_ascii_alphanumeric())
    }

    fn base36(self) -> Result<Record, InputError> {
        let digits: Vec<u32> = self.text.chars().filter_map(|c| c.to_digit(36)).collect();
        let (pairs, []) = digits.as_chunks() else {
            return Err(self.error("two characters for every placement, not an odd number"));
        };
        let placement = |(n, &[cell, code]): (usize, &[u32; 2])| {
            let cell = Cell::all().nth(cell as usize).expect("36 digits, 36 cells");
            (n, Word { text: &self.text[2 * n..2 * n + 2], ..self }, cell, code)
        };
        let mut draft = Draft::default();
        let mut placements = pairs.iter().enumerate().map(placement).peekable();
        while let Some((_, word, cell, _)) = placements.next_if(|placement| placement.3 == 0) {
            word.block(&mut draft, cell)?;
        }
        let mut record = draft.finish(self)?;
        for (n, word, cell, code) in placements {
            let mover = record.position().to_move();
            let (below, letters) = if mover == Player::Red { (0, "1..f") } else { (MAX_STONE, "g..u") };
            let stone = code.checked_sub(below.into()).and_then(|value| Stone::new(value as u8));
            let stone = stone.ok_or_else(|| {
                word.error(format!("a cell and a {mover} stone ({letters}) as placement {}", n + 1))
            })?;
            record.push(Move { cell, stone }).map_err(|error| word.error(error))?;
        }
        Ok(record)
    }

    fn block(self, draft: &mut Draft, cell: Cell) -> Result<(), InputError> {
        if draft.blocked.contains(&cell) {
            return Err(self.error(format_args!("a cell that is not blocked yet ({cell} is)")));
        }
        draft.blocked.push(cell);
        Ok(())
    }
}

#[derive(PartialEq, Default)]
struct Draft {
    blocked: Vec<Cell>,
    hands: [Option<Hand>; 2],
    first: Option<Player>,
}

impl Draft {
    fn add(&mut self, word: Word) -> Result<(), InputError> {
        let Some((key, value)) = word.text.split_once(':') else {
            let cell = Cell::parse(word.text)
                .ok_or_else(|| word.error("a blocked cell such as E4 or a move such as B2=15"))?;
            return word.block(self, cell);
        };
        let player =
            |name: &str| Player::BOTH.into_iter().find(|p| name.eq_ignore_ascii_case(&p.to_string()));
        let fresh = if let Some(player) = player(key) {
            let hand = parse_hand(value)
                .ok_or_else(|| word.error("different stones from 1 to 15 with commas, such as red:1,3,5"))?;
            self.hands[player.index()].replace(hand).is_none()
        } else if key.eq_ignore_ascii_case("to-move") {
            let first = player(value).ok_or_else(|| word.error("to-move:red or to-move:blue"))?;
            self.first.replace(first).is_none()
        } else {
            return Err(word.error("a blocked cell, red:STONES, blue:STONES, to-move:PLAYER or a move"));
        };
        if fresh { Ok(()) } else { Err(word.error("each hand and the player to move only once")) }
    }

    /// Make the record; `word` is the first word after the set-up.
    fn finish(&self, word: Word) -> Result<Record, InputError> {
        let record = match self.hands {
            // Cells and moves were written without blanks.
            [None, None] if self.blocked.is_empty() && !word.text.is_empty() => {
                Err("5 blocked cells with blanks between, such as E4 B2 C3 A1 H1, or a base-36 string".into())
            }
            [None, None] if self.first.is_none() => Record::standard(&self.blocked),
            [Some(red), Some(blue)] => {
                let default = if blue.len() > red.len() { Player::Blue } else { Player::Red };
                Record::with_hands(&self.blocked, [red, blue], self.first.unwrap_or(default))
            }
            _ => Err("both hands, red:STONES and blue:STONES".into()),
        };
        record.map_err(|expected| word.error(expected))
    }
}

/// Read stones such as `1,3,5`; an empty text is an empty hand, a repeated stone fails.
fn parse_hand(text: &str) -> Option<Hand> {
    let numbers = text.split(',').filter(|_| !text.is_empty());
    numbers.into_iter().try_fold(Hand::EMPTY, |hand, number| {
        let stone = Stone::new(number.parse().ok().filter(|_| !number.starts_with('+'))?)?;
        if hand.contains(stone) { None } else { Some(hand.with(stone)) }
    })
}
