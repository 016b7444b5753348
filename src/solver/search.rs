//! Deciding one question: who wins α-Blackhole from a position.
//!
//! A depth-first search over the α-reasonable moves with the counting argument of §2.3.2 and a
//! transposition table. Scores enter the table's key relative to α, so entries serve every target.

use crate::board::{Move, Player};
use crate::lanes::Portable;
use crate::limits::Limits;
use crate::position::Position;
use crate::target::{Reasonable, Status, Target};

/// The most moves a position has: 31 cells, 15 stones.
const MAX_MOVES: usize = 31 * 15;

/// The table and the counters of the search.
pub struct Search {
    table: Vec<u64>,
    nodes: u64,
}

impl Search {
    pub fn new(table_bytes: usize) -> Search {
        let entries = (table_bytes / 8).max(2);
        Search { table: vec![0; 1 << entries.ilog2()], nodes: 0 }
    }

    pub fn clear(&mut self) {
        self.table.fill(0);
    }

    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Decide who wins; `None` at a limit.
    pub fn winner(&mut self, position: &Position, target: Target, limits: &Limits) -> Option<Player> {
        if let Some(winner) = Status::of::<Portable>(position, target).winner(position) {
            return Some(winner);
        }
        self.search(position, target, limits, None)
    }

    /// Find a winning move of the player to move: `None` at a limit, `Some(None)` when there is none.
    pub fn winning_move(
        &mut self,
        position: &Position,
        target: Target,
        limits: &Limits,
    ) -> Option<Option<Move>> {
        let mut best = None;
        if position.empty().len() == 1 {
            return Some(None);
        }
        let winner = self.search(position, target, limits, Some(&mut best))?;
        Some(best.filter(|_| winner == position.to_move()))
    }

    fn search(
        &mut self,
        position: &Position,
        target: Target,
        limits: &Limits,
        best: Option<&mut Option<Move>>,
    ) -> Option<Player> {
        if limits.reached(self.nodes) {
            return None;
        }
        let mover = position.to_move();
        let key = key(position, target);
        let slot = key as usize & (self.table.len() - 1);
        if best.is_none() && self.table[slot] & !1 == key & !1 {
            return Some(Player::BOTH[(self.table[slot] & 1) as usize]);
        }

        let status = Status::of::<Portable>(position, target);
        let hand = position.hand(mover);
        let mut moves = [(0i32, 0u16); MAX_MOVES];
        let mut count = 0;
        let list = Reasonable::of(position, &status);
        for mv in list.moves(hand) {
            self.nodes += 1;
            let child = position.after::<Portable>(mv);
            let judged = Status::of::<Portable>(&child, target);
            let won = judged.winner(&child);
            if won == Some(mover) {
                if let Some(best) = best {
                    *best = Some(mv);
                }
                self.table[slot] = key & !1 | mover.index() as u64;
                return Some(mover);
            }
            if won.is_none() {
                let gain = judged.need(&child, mover.opponent()) - judged.need(&child, mover);
                let open = (mv.cell.neighbours() & judged.undecided()).len() as i32;
                let rank = (gain * 16 + i32::from(mv.stone.value())) * 8 + open;
                moves[count] = (-rank, mv.cell.index() as u16 * 16 + u16::from(mv.stone.value()));
                count += 1;
            }
        }
        moves[..count].sort_unstable();
        let mut winner = mover.opponent();
        for &(_, packed) in &moves[..count] {
            let mv = list
                .moves(hand)
                .find(|mv| mv.cell.index() as u16 * 16 + u16::from(mv.stone.value()) == packed)?;
            if self.search(&position.after::<Portable>(mv), target, limits, None)? == mover {
                winner = mover;
                if let Some(best) = best {
                    *best = Some(mv);
                }
                break;
            }
        }
        self.table[slot] = key & !1 | winner.index() as u64;
        Some(winner)
    }
}

/// Hash what decides α-Blackhole: empty cells with their scores relative to α, hands, the mover.
fn key(position: &Position, target: Target) -> u64 {
    let mix = |state: u64, item: u64| {
        let x = (state ^ item).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        x ^ x >> 29
    };
    let hands = Player::BOTH.map(|player| u64::from(position.hand(player).bits()));
    let mut hash = mix(position.empty().bits(), hands[0] << 32 | hands[1] << 8);
    hash = mix(hash, position.to_move().index() as u64 + 1);
    for cell in position.empty() {
        let relative = i64::from(position.score(cell)) - i64::from(target.alpha());
        hash = mix(hash, relative as u64);
    }
    mix(hash, hash >> 32)
}
