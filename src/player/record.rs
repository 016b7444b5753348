//! A game that is played move by move.

use std::fmt;

use crate::board::{Cell, CellSet, Hand, Move, Player, Stone, CELL_COUNT};
use crate::position::{BadSetup, IllegalMove, Position, Score};

/// The error for a number of blocked cells to which no standard hands belong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockedCount(pub usize);

impl fmt::Display for BlockedCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BlockedCount(found) = self;
        match 5usize.checked_sub(*found) {
            Some(1) => write!(f, "5 blocked cells, not {found}: one is missing"),
            Some(missing @ 2..) => write!(f, "5 blocked cells, not {found}: {missing} are missing"),
            _ => write!(f, "5 blocked cells (7, 9, ... 35 in a smaller game), not {found}"),
        }
    }
}

impl std::error::Error for BlockedCount {}

/// Start the game of the blocked cells with its standard hands: with `e` cells empty, `1..=(e - 1)
/// / 2` each. Five blocked cells make the CodeCup game, the 15 of `u + v >= 6` the 21-cell game.
///
/// # Errors
/// When the number of empty cells is even, or above 31.
pub fn standard_start(blocked: CellSet) -> Result<Position, BlockedCount> {
    let error = BlockedCount(blocked.len() as usize);
    let empty = CELL_COUNT as u32 - blocked.len();
    let hand = match empty / 2 {
        _ if empty & 1 == 0 => return Err(error),
        0 => Hand::EMPTY,
        stones => Hand::up_to(Stone::new(stones as u8).ok_or(error)?),
    };
    Position::setup(!blocked, [hand; 2], Player::Red).map_err(|_| error)
}

/// A game from its blocked cells to its last move so far. Every move in it is legal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    blocked: Vec<Cell>,
    start: Position,
    moves: Vec<Move>,
    current: Position,
}

impl Record {
    /// Start a game with the [standard hands](standard_start); the blocked cells must all differ.
    ///
    /// # Errors
    /// When there are no standard hands for so many cells.
    pub fn standard(blocked: &[Cell]) -> Result<Record, BlockedCount> {
        let start = standard_start(blocked.iter().copied().collect())?;
        Ok(Record::from_start(blocked, start))
    }

    /// Start a game with any hands and either player first; the blocked cells must all differ.
    ///
    /// # Errors
    /// As [`Position::setup`].
    pub fn with_hands(blocked: &[Cell], hands: [Hand; 2], first: Player) -> Result<Record, BadSetup> {
        let set: CellSet = blocked.iter().copied().collect();
        Ok(Record::from_start(blocked, Position::setup(!set, hands, first)?))
    }

    fn from_start(blocked: &[Cell], start: Position) -> Record {
        Record { blocked: blocked.to_vec(), start, moves: Vec::new(), current: start }
    }

    /// Return the record of the first `plies` moves, or of all where there are fewer.
    #[must_use]
    pub fn until(&self, plies: usize) -> Record {
        let mut record = Record::from_start(&self.blocked, self.start);
        for &mv in self.moves.iter().take(plies) {
            record.push(mv).expect("legal as before");
        }
        record
    }

    /// Tell whether the hands or the player to move first are not those of the blocked cells.
    pub fn has_own_hands(&self) -> bool {
        standard_start(self.blocked.iter().copied().collect()) != Ok(self.start)
    }

    /// Return the blocked cells, in the order in which they were given.
    pub fn blocked(&self) -> &[Cell] {
        &self.blocked
    }

    /// Return the moves so far; the start's player to move plays the first.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Return the position before the first move.
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// Return the position after the last move.
    pub fn position(&self) -> &Position {
        &self.current
    }

    /// Return the final score, red minus blue next to the hole, once the game is over.
    pub fn final_score(&self) -> Option<Score> {
        self.current.final_score()
    }

    /// Play a move at the end of the record.
    ///
    /// # Errors
    /// As [`Position::check`]; the record stays as it was.
    pub fn push(&mut self, mv: Move) -> Result<(), IllegalMove> {
        self.current.try_play(mv)?;
        self.moves.push(mv);
        Ok(())
    }

    /// Return the moves so far, each with its player.
    pub fn placements(&self) -> impl Iterator<Item = (Player, Move)> + '_ {
        let first = self.start.to_move();
        let owner = move |n: usize| if n & 1 == 0 { first } else { first.opponent() };
        self.moves.iter().enumerate().map(move |(n, &mv)| (owner(n), mv))
    }
}

/// Writes the record's items on one line, with the hands unless they are the standard ones.
impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut items: Vec<String> = self.blocked.iter().map(Cell::to_string).collect();
        if self.has_own_hands() {
            for player in Player::BOTH {
                let stones: Vec<String> = self.start.hand(player).iter().map(|it| it.to_string()).collect();
                items.push(format!("{player}:{}", stones.join(",")));
            }
            items.push(format!("to-move:{}", self.start.to_move()));
        }
        items.extend(self.moves.iter().map(Move::to_string));
        f.write_str(&items.join(" "))
    }
}
