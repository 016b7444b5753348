//! A Black Hole position: who has which stones, which cells are empty, what each is worth.

use std::fmt;

use crate::player::board::{Cell, CellSet, Hand, MAX_STONE, Move, Player, Stone};
use crate::player::simd::{Bytes, Portable, Simd};

/// A cell's score, or the final score of a game: red stones minus blue stones next to the cell (the
/// paper's `s_i`, §2.2). Above 0 Red wins, 0 is a draw; never beyond ±75.
pub type Score = i8;

/// A position (§2.2): empty cells, hands, the player to move, and for every cell its score `s_i` and the
/// number of its empty neighbours, both kept up to date by [`play`](Position::play).
///
/// A position is 160 bytes and is copied rather than undone: copying is five vector moves, while taking a
/// stone back would update both vectors again.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Position {
    scores: Bytes,
    free: Bytes,
    empty: CellSet,
    hands: [Hand; 2],
    to_move: Player,
}

const _: () = assert!(size_of::<Position>() == 160);

/// Why a move cannot be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IllegalMove {
    /// The cell is blocked or holds a stone.
    Occupied(Cell),
    /// The player has used this stone or never had it.
    StoneNotInHand(Player, Stone),
    /// Only the hole is left.
    GameOver,
}

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IllegalMove::Occupied(cell) => write!(f, "an empty cell ({cell} is occupied)"),
            IllegalMove::StoneNotInHand(player, stone) => {
                write!(f, "a stone {player} has left ({stone} is used)")
            }
            IllegalMove::GameOver => f.write_str("no further move (the game is over)"),
        }
    }
}

impl std::error::Error for IllegalMove {}

/// Why a set-up is no position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadSetup {
    /// Empty cells must be the stones left and one: found the first number, expected the second.
    Count(u32, u32),
    /// The player to move must have as many stones as the opponent or one more: found the mover's and the
    /// opponent's numbers.
    Hands(u32, u32),
}

impl fmt::Display for BadSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadSetup::Count(found, expected) => {
                let cells = if *expected == 1 { "cell" } else { "cells" };
                write!(f, "{expected} empty {cells}, one more than there are stones, not {found}")
            }
            BadSetup::Hands(mover, other) => {
                write!(
                    f,
                    "as many stones for the player to move as for the other, or one more, not {mover} and {other}"
                )
            }
        }
    }
}

impl std::error::Error for BadSetup {}

impl Position {
    /// Start a game with the given blocked cells and hands, Red to move.
    ///
    /// # Errors
    /// As [`setup`](Position::setup).
    pub fn start(blocked: CellSet, hands: [Hand; 2]) -> Result<Position, BadSetup> {
        Position::setup(!blocked, hands, Player::Red)
    }

    /// Make a position of empty cells, hands and the player to move, with no stone on the board: the
    /// start of a game, or a test position with [`with_scores`](Position::with_scores).
    ///
    /// # Errors
    /// When the empty cells are not one more than the stones, or the player to move has neither as many
    /// stones as the opponent nor one more, so that alternating play could not use them all.
    pub fn setup(empty: CellSet, hands: [Hand; 2], to_move: Player) -> Result<Position, BadSetup> {
        let [mover, other] = [to_move, to_move.opponent()].map(|player| hands[player.index()].len());
        if mover != other && mover != other + 1 {
            return Err(BadSetup::Hands(mover, other));
        }
        if empty.len() != mover + other + 1 {
            return Err(BadSetup::Count(empty.len(), mover + other + 1));
        }
        let mut free = Bytes::ZERO;
        for cell in Cell::all() {
            free.0[cell.index()] = (cell.neighbours() & empty).len() as i8;
        }
        Ok(Position { scores: Bytes::ZERO, free, empty, hands, to_move })
    }

    /// Start the CodeCup game: five blocked cells, stones 1..=15 each.
    ///
    /// # Errors
    /// When there are not five blocked cells.
    pub fn codecup(blocked: CellSet) -> Result<Position, BadSetup> {
        Position::start(blocked, [Hand::FULL; 2])
    }

    /// Start the free-order game of 21 cells: side 6, stones 1..=10 each; the cells of `u + v >= 6` are blocked.
    ///
    /// The published pen-and-paper game has this board, but its stones are played in ascending order, and the lower sum
    /// wins.
    pub fn small() -> Position {
        let empty = Cell::all().filter(|cell| cell.index() / 9 + cell.index() % 9 < 6).collect();
        let hand = Hand::up_to(Stone::new(10).expect("ten is a stone"));
        Position::setup(empty, [hand; 2], Player::Red).expect("21 cells, 20 stones")
    }

    /// Return the position with its cells' scores replaced, `scores[i]` for the cell of index `i`.
    ///
    /// The scores need not come from stones on the board: they stand for any history. Only for making
    /// test positions; every score must stay within ±75 through the rest of the game.
    pub fn with_scores(mut self, scores: impl Fn(Cell) -> Score) -> Position {
        for cell in Cell::all() {
            self.scores.0[cell.index()] = scores(cell);
        }
        self
    }

    /// Return the empty cells (the paper's `E`).
    #[inline(always)]
    pub const fn empty(&self) -> CellSet {
        self.empty
    }

    /// Return a player's stones (the paper's `H_r`, `H_b`).
    #[inline(always)]
    pub const fn hand(&self, player: Player) -> Hand {
        self.hands[player.index()]
    }

    /// Return the player to move (the paper's `t`).
    #[inline(always)]
    pub const fn to_move(&self) -> Player {
        self.to_move
    }

    /// Return the score `s_i` of a cell: red minus blue stones next to it.
    #[inline(always)]
    pub const fn score(&self, cell: Cell) -> Score {
        self.scores.0[cell.index()]
    }

    /// Return the number of empty neighbours of a cell, 0..=6.
    #[inline(always)]
    pub const fn free_neighbours(&self, cell: Cell) -> u32 {
        self.free.0[cell.index()] as u32
    }

    /// Return the scores of all cells, by cell index.
    #[inline(always)]
    pub(crate) const fn scores(&self) -> &Bytes {
        &self.scores
    }

    /// Return the numbers of empty neighbours of all cells, by cell index.
    #[inline(always)]
    pub(crate) const fn free(&self) -> &Bytes {
        &self.free
    }

    /// Return the hole and with it the final score, once only one cell is empty.
    #[inline]
    pub fn final_score(&self) -> Option<Score> {
        if self.empty.len() == 1 { self.empty.first().map(|hole| self.score(hole)) } else { None }
    }

    /// Tell what stands against playing `mv`, if anything.
    ///
    /// # Errors
    /// When the game is over, the cell is not empty, or the player has no such stone.
    pub fn check(&self, mv: Move) -> Result<(), IllegalMove> {
        if self.empty.len() <= 1 {
            return Err(IllegalMove::GameOver);
        }
        if !self.empty.contains(mv.cell) {
            return Err(IllegalMove::Occupied(mv.cell));
        }
        if !self.hand(self.to_move).contains(mv.stone) {
            return Err(IllegalMove::StoneNotInHand(self.to_move, mv.stone));
        }
        Ok(())
    }

    /// Play a move, or say why it cannot be played and change nothing.
    ///
    /// # Errors
    /// As [`check`](Position::check).
    pub fn try_play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        self.check(mv)?;
        self.play::<Portable>(mv);
        Ok(())
    }

    /// Play a legal move.
    ///
    /// # Panics
    /// In debug builds, when the move is not legal.
    #[inline(always)]
    pub fn play<S: Simd>(&mut self, mv: Move) {
        debug_assert_eq!(self.check(mv), Ok(()));
        let mover = self.to_move;
        let value = mv.stone.value() as i8 * mover.sign();
        S::place(&mut self.scores, &mut self.free, mv.cell.index(), value);
        self.empty -= CellSet::of(mv.cell);
        self.hands[mover.index()] = self.hands[mover.index()].without(mv.stone);
        self.to_move = mover.opponent();
    }

    /// Return the position after a legal move.
    ///
    /// # Panics
    /// In debug builds, when the move is not legal.
    #[inline(always)]
    #[must_use]
    pub fn after<S: Simd>(&self, mv: Move) -> Position {
        let mut next = *self;
        next.play::<S>(mv);
        next
    }

    /// List the legal moves: every stone of the mover on every empty cell; none when the game is over.
    pub fn legal_moves(&self) -> impl Iterator<Item = Move> + use<> {
        let empty = if self.empty.len() > 1 { self.empty } else { CellSet::EMPTY };
        let hand = self.hand(self.to_move);
        empty.into_iter().flat_map(move |cell| hand.iter().map(move |stone| Move { cell, stone }))
    }

    /// Return the position as it looks under symmetry `symmetry % 6` of the triangle.
    #[must_use]
    pub fn transform(&self, symmetry: usize) -> Position {
        let mut image = Position { empty: self.empty.transform(symmetry), ..*self };
        for cell in Cell::all() {
            let to = cell.transform(symmetry).index();
            image.scores.0[to] = self.scores.0[cell.index()];
            image.free.0[to] = self.free.0[cell.index()];
        }
        image
    }
}

/// The largest absolute value a final score can have: the five or six largest stones around one cell.
pub const MAX_SCORE: Score = {
    let top = MAX_STONE as Score;
    6 * top - 15
};

const _: () = assert!(MAX_SCORE == 75);

/// Shows the board as a triangle (`.` empty, `#` blocked or a stone whose history the position does not
/// keep), then the hands and the player to move.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in 0..8u8 {
            write!(f, "{:width$}", "", width = 3 * usize::from(7 - row) / 2)?;
            for v in 0..=row {
                let cell = Cell::at(row - v, v).expect("u + v = row < 8");
                if self.empty.contains(cell) {
                    write!(f, "{cell} ")?;
                } else {
                    write!(f, "## ")?;
                }
            }
            writeln!(f)?;
        }
        write!(f, "red {:?} blue {:?}, {} to move", self.hands[0], self.hands[1], self.to_move)
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}; scores")?;
        self.empty.into_iter().try_for_each(|cell| write!(f, " {cell}:{}", self.score(cell)))
    }
}
