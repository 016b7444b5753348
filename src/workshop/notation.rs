//! A [`Record`] as text, in the two notations of the community.
//!
//! - The dialogue's items in order, separated by white space and in either case: the blocked cells
//!   (`E4`), then the moves (`B2=15`). `#` starts a comment that ends with the line. Both hands are
//!   `1..=n`, where `n` is half the number of empty cells, rounded down. A test position may name
//!   its own hands before the first move, `red:1,3,5` and `blue:2,4`, and with `to-move:blue` who
//!   starts; otherwise the player with more stones does, or Red.
//! - The base-36 string: two characters a placement, first the cell's ordinal (A1..A8, B1..B7, …,
//!   H1), then the stone: 0 blocked, 1..15 red, 16..30 blue (value + 15).

use std::fmt;

use crate::player::board::{Cell, Hand, MAX_STONE, Move, ParseMoveError, Player, Stone};
use crate::player::input::{InputError, quote};
use crate::player::record::Record;

/// The fewest characters of a base-36 string: five blocked cells.
const SHORTEST_BASE36: usize = 10;

/// A game as text.
pub trait Notation: Sized {
    /// Read a game in either notation.
    ///
    /// # Errors
    /// For the first item that does not fit: its line, what was found and what was expected.
    fn parse(text: &str) -> Result<Self, InputError>;

    /// Write the game as a base-36 string. `None` unless it starts with standard hands, with Red to
    /// move, and with blocked cells.
    fn to_base36(&self) -> Option<String>;
}

impl Notation for Record {
    fn parse(text: &str) -> Result<Record, InputError> {
        read(text.lines().enumerate().flat_map(|(n, line)| Item::all(n + 1, line)))
    }

    fn to_base36(&self) -> Option<String> {
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

/// Read a game from its words; fails as [`Notation::parse`] does.
pub(super) fn read<'a>(mut items: impl Iterator<Item = Item<'a>>) -> Result<Record, InputError> {
    let mut draft = Draft::default();
    let mut record: Option<Record> = None;
    let mut end = Item { line: 1, text: "" };
    for item in &mut items {
        end = item;
        if let Some(record) = &mut record {
            item.play(record, Move::parse(item.text))?;
        } else if item.text.contains('=') {
            let mut started = draft.finish(item)?;
            item.play(&mut started, Move::parse(item.text))?;
            record = Some(started);
        } else if draft == Draft::default() && item.is_base36() {
            record = Some(item.base36()?);
            break;
        } else {
            draft.add(item)?;
        }
    }
    if let Some(item) = items.next() {
        return Err(item.error("nothing after a base-36 string"));
    }
    record.map_or_else(|| draft.finish(Item { text: "", ..end }), Ok)
}

/// A word of a record with its line.
#[derive(Clone, Copy)]
pub(super) struct Item<'a> {
    pub line: usize,
    pub text: &'a str,
}

impl<'a> Item<'a> {
    /// List the words of a line before its comment.
    pub fn all(line: usize, text: &'a str) -> impl Iterator<Item = Item<'a>> {
        let words = text.split('#').next().unwrap_or("").split_whitespace();
        words.map(move |text| Item { line, text })
    }

    /// Say what was expected in the word's place; an empty word is the end.
    pub fn error(self, expected: impl fmt::Display) -> InputError {
        let found = if self.text.is_empty() { "the end".to_owned() } else { quote(self.text.as_bytes()) };
        InputError { line: self.line, found, expected: expected.to_string() }
    }

    fn play(self, record: &mut Record, mv: Result<Move, ParseMoveError>) -> Result<(), InputError> {
        let mv = mv.map_err(|error| self.error(error))?;
        record.push(mv).map_err(|error| self.error(error))
    }

    /// Tell whether the item is meant as a base-36 string: too long for a cell, without
    /// punctuation.
    pub fn is_base36(self) -> bool {
        self.text.len() >= SHORTEST_BASE36 && self.text.bytes().all(|byte| byte.is_ascii_alphanumeric())
    }

    fn base36(self) -> Result<Record, InputError> {
        let digits: Vec<u32> = self.text.chars().filter_map(|c| c.to_digit(36)).collect();
        if digits.len() & 1 == 1 {
            return Err(self.error("two characters for every placement, not an odd number"));
        }
        let cell = |ordinal: u32| Cell::from_ordinal(ordinal as usize);
        let pairs: Vec<(Cell, u32)> =
            digits.chunks_exact(2).filter_map(|pair| Some((cell(pair[0])?, pair[1]))).collect();
        let blocked = pairs.iter().take_while(|&&(_, code)| code == 0).count();
        let mut draft = Draft::default();
        for (n, &(cell, _)) in pairs[..blocked].iter().enumerate() {
            self.pair(n).block(&mut draft, cell)?;
        }
        let mut record = draft.finish(self)?;
        for (n, &(cell, code)) in pairs.iter().enumerate().skip(blocked) {
            let mover = record.position().to_move();
            let largest = u32::from(MAX_STONE);
            let (first, letter) = if mover == Player::Red { (0, "1..f") } else { (largest, "g..u") };
            let stone = code.checked_sub(first).and_then(|value| Stone::new(value as u8));
            let stone = stone.ok_or_else(|| {
                self.pair(n)
                    .error(format_args!("a cell and a {mover} stone ({letter}) as placement {}", n + 1))
            })?;
            self.pair(n).play(&mut record, Ok(Move { cell, stone }))?;
        }
        Ok(record)
    }

    /// Return the `n`-th pair of characters of a base-36 string as an item of its own.
    fn pair(&self, n: usize) -> Item<'_> {
        Item { line: self.line, text: &self.text[2 * n..2 * n + 2] }
    }

    fn block(self, draft: &mut Draft, cell: Cell) -> Result<(), InputError> {
        if draft.blocked.contains(&cell) {
            return Err(self.error(format_args!("a cell that is not blocked yet ({cell} is)")));
        }
        draft.blocked.push(cell);
        Ok(())
    }
}

/// The set-up that a record gives before its first move.
#[derive(PartialEq, Default)]
struct Draft {
    blocked: Vec<Cell>,
    hands: [Option<Hand>; 2],
    first: Option<Player>,
}

impl Draft {
    fn add(&mut self, item: Item) -> Result<(), InputError> {
        let Some((key, value)) = item.text.split_once(':') else {
            let cell = Cell::parse(item.text)
                .ok_or_else(|| item.error("a blocked cell A1..H1 or a move such as B2=15"))?;
            return item.block(self, cell);
        };
        let player =
            |name: &str| Player::BOTH.into_iter().find(|p| name.eq_ignore_ascii_case(&p.to_string()));
        let fresh = if let Some(player) = player(key) {
            let hand = parse_hand(value)
                .ok_or_else(|| item.error("different stones from 1 to 15 with commas, such as red:1,3,5"))?;
            self.hands[player.index()].replace(hand).is_none()
        } else if key.eq_ignore_ascii_case("to-move") {
            let first = player(value).ok_or_else(|| item.error("to-move:red or to-move:blue"))?;
            self.first.replace(first).is_none()
        } else {
            return Err(item.error("a blocked cell, red:STONES, blue:STONES, to-move:PLAYER or a move"));
        };
        if fresh { Ok(()) } else { Err(item.error("each hand and the player to move only once")) }
    }

    /// Make the record; `item` is the first one that is not part of the set-up.
    fn finish(&self, item: Item) -> Result<Record, InputError> {
        match self.hands {
            [None, None] if self.first.is_none() => {
                Record::standard(&self.blocked).map_err(|error| item.error(error))
            }
            [Some(red), Some(blue)] => {
                let default = if blue.len() > red.len() { Player::Blue } else { Player::Red };
                Record::with_hands(&self.blocked, [red, blue], self.first.unwrap_or(default))
                    .map_err(|error| item.error(error))
            }
            _ => Err(item.error("both hands, red:STONES and blue:STONES")),
        }
    }
}

/// Read stones such as `1,3,5`; nothing is an empty hand, a repeated stone is refused.
fn parse_hand(text: &str) -> Option<Hand> {
    let numbers = text.split(',').filter(|_| !text.is_empty());
    numbers.into_iter().try_fold(Hand::EMPTY, |hand, number| {
        let stone = Stone::new(number.parse().ok().filter(|_| !number.starts_with('+'))?)?;
        if hand.contains(stone) { None } else { Some(hand.with(stone)) }
    })
}
