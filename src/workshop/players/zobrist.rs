//! Zobrist keys: a random number for every stone on every cell; a position's key is the exclusive
//! or of those on the board.

use crate::player::board::{CELL_COUNT, MAX_STONE, Move, Player};
use crate::player::position::Position;
use crate::player::rng::Random;

const STONES: usize = MAX_STONE as usize + 1;

/// The random numbers.
pub(super) struct Zobrist([[[u64; STONES]; CELL_COUNT]; 2]);

impl Zobrist {
    /// Draw the numbers; always the same.
    pub fn new() -> Zobrist {
        let mut rng = Random::new(0x5eed);
        Zobrist([(); 2].map(|()| [(); CELL_COUNT].map(|()| [(); STONES].map(|()| rng.bits()))))
    }

    /// Return the number of a player's stone on a cell: the key after a move is the key before with
    /// this number in or out.
    #[inline(always)]
    pub fn stone(&self, player: Player, mv: Move) -> u64 {
        self.0[player.index()][mv.cell.ordinal()][usize::from(mv.stone.value())]
    }

    /// Return a key to start from. A position does not keep which stones lie where, so it is made
    /// of what decides the rest of the game: empty cells, their scores, and the hands.
    pub fn key(&self, position: &Position) -> u64 {
        let mix =
            |state: u64, part: u64| (state ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ part;
        let hands = Player::BOTH.map(|player| u64::from(position.hand(player).bits()));
        let start = mix(mix(position.empty().bits(), hands[0] << 16 | hands[1]), position.to_move() as u64);
        position.empty().into_iter().fold(start, |state, cell| mix(state, position.score(cell) as u64))
    }
}
