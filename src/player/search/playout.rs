//! The default policies (§4.2), by which a playout chooses its moves.

use crate::alpha::{Status, Target};
use crate::board::{Cell, CellSet, Hand, Move, Player, Stone};
use crate::opponent::ReplyModel;
use crate::params::Params;
use crate::position::Position;
use crate::rng::{scaled, Random};
use crate::simd::{Simd, Task};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// The two lotteries of §4.2.
    Lottery,
    /// The lottery of cells, without tickets for the player's own dead cells; the smallest stone
    /// that [kills](choose_stone).
    Kill,
}

/// A multiset of tickets: cell (or stone) `i` holds Σ 2^j over the planes j that contain bit `i`.
#[derive(Clone, Copy)]
struct Tickets<const PLANES: usize>([u64; PLANES]);

impl<const PLANES: usize> Tickets<PLANES> {
    fn total(&self) -> u32 {
        (0..PLANES).map(|j| self.0[j].count_ones() << j).sum()
    }

    /// Return the holder of a ticket, 0..total: a member of plane j holds 2^j consecutive ones.
    #[inline(always)]
    fn holder<S: Simd>(&self, mut ticket: u32) -> u32 {
        for j in 0..PLANES - 1 {
            let here = self.0[j].count_ones() << j;
            if ticket < here {
                return S::nth_set_bit(self.0[j], ticket >> j);
            }
            ticket -= here;
        }
        S::nth_set_bit(self.0[PLANES - 1], ticket >> (PLANES - 1))
    }

    /// Draw a cell; if nobody holds a ticket (the paper leaves that open), any empty cell.
    #[inline(always)]
    fn draw_cell<S: Simd>(&self, empty: CellSet, bits: u32) -> Cell {
        let total = self.total();
        let index = if total > 0 {
            self.holder::<S>(scaled(bits, total))
        } else {
            S::nth_set_bit(empty.bits(), scaled(bits, empty.len()))
        };
        Cell::from_index(index as u8)
    }
}

fn full_adder(a: u64, b: u64, c: u64) -> (u64, u64) {
    let half = a ^ b;
    (half ^ c, a & b | half & c)
}

/// Hand out the tickets of the cell lottery, all cells at once: one for each undecided neighbour, one
/// more for a cell dead for the opponent, one fewer (never below none) for one dead for the player.
#[inline(always)]
fn cell_tickets(empty: CellSet, status: &Status, player: Player) -> Tickets<3> {
    let [a, b, c, d, e, f] = status.undecided().neighbour_shifts();
    let near = |shifted: CellSet| (shifted & empty).bits();
    let bonus = status.dead(player.opponent()).bits();
    let penalty = status.dead(player).bits();
    let (s1, c1) = full_adder(near(a), near(b), near(c));
    let (s2, c2) = full_adder(near(d), near(e), near(f));
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

#[inline(always)]
fn draw_stone<S: Simd>(hand: Hand, bits: u32) -> Stone {
    let tickets = stone_tickets(hand);
    Stone::from_bit(tickets.holder::<S>(scaled(bits, tickets.total())))
}

/// Choose the stone for a cell: the least one on a stale cell; else the smallest that makes as many
/// undecided neighbours dead for the player as the largest would; if the largest makes none dead, one by
/// lottery.
#[inline(always)]
fn choose_stone<S: Simd>(position: &Position, status: &Status, cell: Cell, bits: u32) -> Stone {
    let player = position.to_move();
    let hand = position.hand(player);
    let largest = 15 - hand.bits().leading_zeros() as i32;
    let neighbours = cell.neighbours() & status.undecided();
    let stale = neighbours.is_empty() && !status.undecided().contains(cell);
    // The least stone is enough, unless a neighbour needs a larger one.
    let (mut enough, mut kills) = (1, stale);
    for neighbour in neighbours {
        let needed = status.killing_stone(position, neighbour, player);
        if needed <= largest {
            kills = true;
            enough = enough.max(needed);
        }
    }
    if !kills {
        return draw_stone::<S>(hand, bits);
    }
    let at_least = u32::from(hand.bits()) & (u32::MAX << enough);
    Stone::from_bit(at_least.trailing_zeros())
}

type PositionStatus = (Position, Status);

impl Policy {
    pub fn of(params: &Params) -> Policy {
        match params.policy {
            1 => Policy::Lottery,
            _ => Policy::Kill,
        }
    }

    /// Draw a move of an undecided position.
    #[inline(always)]
    fn draw<S: Simd>(self, (position, status): &PositionStatus, random: &mut Random) -> Move {
        let bits = random.bits();
        let (high, low) = ((bits >> 32) as u32, bits as u32);
        let player = position.to_move();
        let (empty, hand) = (position.empty(), position.hand(player));
        let tickets = cell_tickets(empty, status, player);
        match self {
            Policy::Lottery => {
                let cell = tickets.draw_cell::<S>(empty, high);
                let stale = status.stale(Player::Red) | status.stale(Player::Blue);
                let stone = match hand.smallest() {
                    Some(least) if stale.contains(cell) => least,
                    _ => draw_stone::<S>(hand, low),
                };
                Move { cell, stone }
            }
            Policy::Kill => {
                let tickets = Tickets(tickets.0.map(|plane| plane & !status.dead(player).bits()));
                let cell = tickets.draw_cell::<S>(empty, high);
                Move { cell, stone: choose_stone::<S>(position, status, cell, low) }
            }
        }
    }

    /// Play on from a position with its status until the win test decides the game (§2.3.2), and return the
    /// winner of α-Blackhole. A model may draw one player's moves; `on_move` is called with every move.
    /// One function for each path serves all callers: inlined into each, playouts were most of the program.
    #[inline(always)]
    pub fn playout<S: Simd>(
        self,
        start: &PositionStatus,
        target: Target,
        random: &mut Random,
        model: Option<(Player, &ReplyModel)>,
        mut on_move: impl FnMut(Player, Move),
    ) -> Player {
        S::run(Playout { policy: self, start, target, random, model, on_move: &mut on_move })
    }
}

struct Playout<'a> {
    policy: Policy,
    start: &'a PositionStatus,
    target: Target,
    random: &'a mut Random,
    model: Option<(Player, &'a ReplyModel)>,
    on_move: &'a mut dyn FnMut(Player, Move),
}

impl Task for Playout<'_> {
    type Output = Player;

    #[inline(always)]
    fn run<S: Simd>(self) -> Player {
        let Playout { policy, start, target, random, model, on_move } = self;
        let mut now = *start;
        loop {
            let (position, status) = &now;
            if let Some(winner) = status.winner(position) {
                return winner;
            }
            let mover = position.to_move();
            let predictable = match model {
                Some((player, model)) if player == mover => model.reply(position, random, true),
                _ => None,
            };
            let mv = predictable.unwrap_or_else(|| policy.draw::<S>(&now, random));
            on_move(mover, mv);
            let next = position.after::<S>(mv);
            now = (next, Status::of::<S>(&next, target));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Portable;
    use crate::testing;

    /// Count the tickets of each holder, by looking up the holder of each ticket.
    fn counts<const PLANES: usize>(tickets: Tickets<PLANES>) -> [usize; 64] {
        let mut counts = [0; 64];
        (0..tickets.total()).for_each(|n| counts[tickets.holder::<Portable>(n) as usize] += 1);
        counts
    }

    #[test]
    fn tickets_are_those_of_the_paper() {
        let (mut rng, mut seen) = (testing::rng(7), [0; 8]);
        for game in 0..300 {
            let target = Target::new(game % 21 - 10);
            for position in testing::random_game(&mut rng) {
                let status = Status::of::<Portable>(&position, target);
                if status.winner(&position).is_some() {
                    break;
                }
                let (empty, player) = (position.empty(), position.to_move());
                let cells = counts(cell_tickets(empty, &status, player));
                let [own, other] = [player, player.opponent()].map(|player| status.dead(player));
                for cell in Cell::all() {
                    let neighbours = (cell.neighbours() & status.undecided()).len() as usize;
                    let tickets = neighbours + usize::from(other.contains(cell));
                    let tickets = tickets.saturating_sub(own.contains(cell).into());
                    let expected = tickets * usize::from(empty.contains(cell));
                    assert_eq!(cells[cell.index()], expected, "{cell} in {position:?} for {target}");
                    seen[expected] += 1;
                }
                let hand = position.hand(player);
                let stones = counts(stone_tickets(hand));
                assert!((0..16).all(|n| stones[n] == n * usize::from(hand.bits() >> n & 1)), "{stones:?}");
            }
        }
        assert!(seen[..7].iter().all(|&count| count > 0), "numbers of tickets that occur: {seen:?}");
    }
}
