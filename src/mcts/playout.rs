//! The default policy (§4.2): how a playout chooses its moves. Formulas only, no storage.

use crate::board::{Cell, CellSet, Hand, Move, Player, Stone};
use crate::lanes::Lanes;
use crate::position::Position;
use crate::rng::{Random, scaled};
use crate::target::{Status, Target};

/// The policies a playout can follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// Any stone on any empty cell, all alike.
    Uniform,
    /// The two lotteries of §4.2.
    Lottery,
}

/// A multiset of tickets: cell (or stone) `i` holds Σ 2^j over the planes j that contain bit `i`.
#[derive(Clone, Copy)]
struct Tickets<const PLANES: usize>([u64; PLANES]);

impl<const PLANES: usize> Tickets<PLANES> {
    #[inline(always)]
    fn total(&self) -> u32 {
        (0..PLANES).map(|j| self.0[j].count_ones() << j).sum()
    }

    /// Return the holder of ticket `ticket`, 0..total: plane by plane, every member of plane j holding
    /// 2^j consecutive tickets.
    #[inline(always)]
    fn holder<L: Lanes>(&self, mut ticket: u32) -> u32 {
        for j in 0..PLANES - 1 {
            let here = self.0[j].count_ones() << j;
            if ticket < here {
                return L::nth_set_bit(self.0[j], ticket >> j);
            }
            ticket -= here;
        }
        L::nth_set_bit(self.0[PLANES - 1], ticket >> (PLANES - 1))
    }
}

/// Return sum and carry planes of three planes.
#[inline(always)]
fn full_adder(a: u64, b: u64, c: u64) -> (u64, u64) {
    let half = a ^ b;
    (half ^ c, a & b | half & c)
}

/// Hand out the tickets of the cell lottery: one for each undecided neighbour, one more for a cell dead for
/// the opponent, one fewer (never below none) for a cell dead for the player.
///
/// All cells are counted at once in bit planes: at most six neighbours and one bonus make three planes.
#[inline(always)]
fn cell_tickets(empty: CellSet, status: &Status, player: Player) -> Tickets<3> {
    let [a, b, c, d, e, f] = status.undecided().neighbour_shifts().map(|shifted| (shifted & empty).bits());
    let bonus = status.dead(player.opponent()).bits();
    let penalty = status.dead(player).bits();
    let (s1, c1) = full_adder(a, b, c);
    let (s2, c2) = full_adder(d, e, f);
    let (ones, c3) = full_adder(s1, s2, bonus);
    let (twos, fours) = full_adder(c1, c2, c3);
    // Subtract the penalty with borrow; a cell of no tickets keeps none.
    let penalty = penalty & (ones | twos | fours);
    let borrow = penalty & !ones;
    let borrow_2 = borrow & !twos;
    Tickets([ones ^ penalty, twos ^ borrow, fours ^ borrow_2])
}

/// Hand out the tickets of the stone lottery: as many as the number on the stone.
#[inline(always)]
fn stone_tickets(hand: Hand) -> Tickets<4> {
    let bits = u64::from(hand.bits());
    Tickets([bits & 0xAAAA, bits & 0xCCCC, bits & 0xF0F0, bits & 0xFF00])
}

impl Policy {
    /// Choose a move for the player to move of an undecided position.
    #[inline(always)]
    pub fn pick<L: Lanes>(self, position: &Position, status: &Status, random: &mut Random) -> Move {
        let bits = random.bits();
        let (high, low) = ((bits >> 32) as u32, bits as u32);
        let player = position.to_move();
        let (empty, hand) = (position.empty(), position.hand(player));
        match self {
            Policy::Uniform => {
                let cell = L::nth_set_bit(empty.bits(), scaled(high, empty.len()));
                let stone = L::nth_set_bit(u64::from(hand.bits()), scaled(low, hand.len()));
                Move { cell: Cell::from_index(cell as u8), stone: Stone::from_bit(stone) }
            }
            Policy::Lottery => {
                let tickets = cell_tickets(empty, status, player);
                let total = tickets.total();
                let cell = if total > 0 {
                    tickets.holder::<L>(scaled(high, total))
                } else {
                    // Nobody holds a ticket: every cell is dead for the player but a few undecided ones
                    // whose only undecided neighbours would be each other's; the paper does not say.
                    L::nth_set_bit(empty.bits(), scaled(high, empty.len()))
                };
                let cell = Cell::from_index(cell as u8);
                let stale = status.stale(Player::Red) | status.stale(Player::Blue);
                let stone = if stale.contains(cell) {
                    hand.smallest().expect("the player to move of an undecided position has a stone")
                } else {
                    let tickets = stone_tickets(hand);
                    Stone::from_bit(tickets.holder::<L>(scaled(low, tickets.total())))
                };
                Move { cell, stone }
            }
        }
    }

    /// Play `position` on until the win test decides it (§2.3.2), and return the winner of
    /// α-Blackhole. Every move is told to `seen`.
    #[inline(always)]
    pub fn playout<L: Lanes>(
        self,
        mut position: Position,
        target: Target,
        random: &mut Random,
        mut seen: impl FnMut(Player, Move),
    ) -> Player {
        loop {
            let status = Status::of::<L>(&position, target);
            if let Some(winner) = status.winner(&position) {
                return winner;
            }
            let mv = self.pick::<L>(&position, &status, random);
            seen(position.to_move(), mv);
            position.play::<L>(mv);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::Portable;

    /// Count tickets one by one, as the paper says it.
    fn naive_tickets(position: &Position, status: &Status, cell: Cell) -> i32 {
        let player = position.to_move();
        let neighbours = (cell.neighbours() & status.undecided()).len() as i32;
        let own = i32::from(status.dead(player).contains(cell));
        let other = i32::from(status.dead(player.opponent()).contains(cell));
        (neighbours - own + other).max(0)
    }

    #[test]
    fn tickets_are_those_of_the_paper() {
        let mut random = Random::new(7);
        let mut seen = [0; 8];
        for game in 0..300 {
            let blocked = (0..5).map(|i| Cell::from_ordinal((game * 7 + i * 5) % 36).unwrap()).collect();
            let mut position = Position::codecup(blocked).unwrap();
            let target = Target::new(game as i32 % 21 - 10);
            loop {
                let status = Status::of::<Portable>(&position, target);
                if status.winner(&position).is_some() {
                    break;
                }
                let tickets = cell_tickets(position.empty(), &status, position.to_move());
                let mut total = 0;
                for cell in Cell::all() {
                    let held: i32 =
                        (0..3).map(|j| (tickets.0[j] >> cell.index() & 1) as i32 * (1 << j)).sum();
                    let expected = if position.empty().contains(cell) {
                        naive_tickets(&position, &status, cell)
                    } else {
                        0
                    };
                    assert_eq!(held, expected, "{cell} in {position:?} for {target}");
                    seen[held as usize] += 1;
                    total += held;
                }
                assert_eq!(tickets.total(), total as u32);
                // Every ticket belongs to its holder: count them back.
                let mut counts = [0; 64];
                (0..total as u32).for_each(|n| counts[tickets.holder::<Portable>(n) as usize] += 1);
                for cell in position.empty() {
                    assert_eq!(counts[cell.index()], naive_tickets(&position, &status, cell));
                }
                let mv = Policy::Lottery.pick::<Portable>(&position, &status, &mut random);
                position.try_play(mv).unwrap();
            }
        }
        assert!(seen[..7].iter().all(|&count| count > 0), "numbers of tickets that occur: {seen:?}");
    }

    #[test]
    fn stones_are_drawn_by_their_numbers() {
        let hand = Hand::from_bits(0b1010_0110_0011_0010);
        let tickets = stone_tickets(hand);
        let mut counts = [0; 16];
        (0..tickets.total()).for_each(|n| counts[tickets.holder::<Portable>(n) as usize] += 1);
        for value in 1..=15u8 {
            let held = if hand.contains(Stone::new(value).unwrap()) { u32::from(value) } else { 0 };
            assert_eq!(counts[usize::from(value)], held);
        }
    }
}
