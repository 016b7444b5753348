//! A game, move by move.

use std::fmt;

use crate::player::board::{Cell, CellSet, Hand, Move, Player};
use crate::player::position::{Position, Score};

/// A game from its blocked cells to its last move so far. Every move in it is legal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    blocked: Vec<Cell>,
    start: Position,
    moves: Vec<Move>,
    current: Position,
}

impl Record {
    /// Start the [standard game](Position::standard) of the blocked cells, which must all differ.
    pub fn standard(blocked: &[Cell]) -> Result<Record, String> {
        Ok(Record::from_start(blocked, Position::standard(blocked)?))
    }

    /// Start a game with any hands; the blocked cells must all differ, and [fit](Position::setup) the hands.
    pub fn with_hands(blocked: &[Cell], hands: [Hand; 2], first: Player) -> Result<Record, String> {
        let set: CellSet = blocked.iter().copied().collect();
        Ok(Record::from_start(blocked, Position::setup(CellSet::BOARD - set, hands, first)?))
    }

    fn from_start(blocked: &[Cell], start: Position) -> Record {
        Record { blocked: blocked.to_vec(), start, moves: Vec::new(), current: start }
    }

    /// Return the record of the first `plies` moves, or of all if there are fewer.
    #[must_use]
    pub fn until(&self, plies: usize) -> Record {
        let mut record = Record::from_start(&self.blocked, self.start);
        for &mv in self.moves.iter().take(plies) {
            record.push(mv).expect("legal as before");
        }
        record
    }

    /// Tell whether the hands or the first player differ from the standard for the blocked cells.
    pub fn has_own_hands(&self) -> bool {
        Position::standard(&self.blocked) != Ok(self.start)
    }

    pub fn blocked(&self) -> &[Cell] {
        &self.blocked
    }

    /// Return the moves so far; the start's player to move plays the first.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    pub fn start(&self) -> &Position {
        &self.start
    }

    pub fn position(&self) -> &Position {
        &self.current
    }

    /// Return the final score, red minus blue next to the hole, once the game is over.
    pub fn final_score(&self) -> Option<Score> {
        self.current.final_score()
    }

    /// Play a move at the end of the record; an [illegal](Position::check) one fails and changes nothing.
    pub fn push(&mut self, mv: Move) -> Result<(), String> {
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

/// Return the winner by the final score, red minus blue; `None` if it is a draw.
pub fn winner(score: Score) -> Option<Player> {
    Player::BOTH.into_iter().find(|player| player.sign() == score.signum())
}

/// Writes the record on one line, with the hands unless they are standard.
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
