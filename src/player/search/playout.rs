//! The default policy (§4.2): how a playout chooses its moves. Formulas only, no storage.

use crate::alpha::{Status, Target};
use crate::board::{Cell, CellSet, Hand, Move, Player, Stone};
use crate::params::Params;
use crate::position::Position;
use crate::rng::{scaled, Random};
use crate::simd::{Simd, Task};

/// The policies a playout can follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// Any stone on any empty cell, all alike.
    Uniform,
    /// The two lotteries of §4.2.
    Lottery,
    /// The lottery of cells, without tickets for the player's own dead cells; the smallest stone
    /// that [kills](killing_stone).
    Kill,
}

/// A multiset of tickets: cell (or stone) `i` holds Σ 2^j over the planes j that contain bit `i`.
#[derive(Clone, Copy)]
struct Tickets<const PLANES: usize>([u64; PLANES]);

impl<const PLANES: usize> Tickets<PLANES> {
    #[inline(always)]
    fn total(&self) -> u32 {
        (0..PLANES).map(|j| self.0[j].count_ones() << j).sum()
    }

    /// Return the holder of ticket `ticket`, 0..total: plane by plane, every member of plane j
    /// holding 2^j consecutive tickets.
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

    /// Draw a cell; when nobody holds a ticket (the paper does not say), any empty cell.
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

/// Return sum and carry planes of three planes.
#[inline(always)]
fn full_adder(a: u64, b: u64, c: u64) -> (u64, u64) {
    let half = a ^ b;
    (half ^ c, a & b | half & c)
}

/// Hand out the tickets of the cell lottery: one for each undecided neighbour, one more for a cell
/// dead for the opponent, one fewer (never below none) for a cell dead for the player.
///
/// All cells are counted at once in bit planes: at most six neighbours and one bonus make three
/// planes.
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

/// Draw a stone by the stone lottery.
#[inline(always)]
fn draw_stone<S: Simd>(hand: Hand, bits: u32) -> Stone {
    let tickets = stone_tickets(hand);
    Stone::from_bit(tickets.holder::<S>(scaled(bits, tickets.total())))
}

/// Choose the stone for a cell: the least one on a stale cell; else the smallest that makes as many
/// undecided neighbours dead for the player as the largest would; if even that makes none, one by
/// lottery.
#[inline(always)]
fn killing_stone<S: Simd>(position: &Position, status: &Status, cell: Cell, bits: u32) -> Stone {
    let player = position.to_move();
    let hand = position.hand(player);
    let largest = 15 - hand.bits().leading_zeros() as i32;
    let neighbours = cell.neighbours() & status.undecided();
    let stale = neighbours.is_empty() && !status.undecided().contains(cell);
    // Stone 1 or the least there is will do, unless a neighbour asks for more.
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

/// A position with its status.
type Seen = (Position, Status);

impl Policy {
    /// Return the policy that the parameter table names.
    pub fn of(params: &Params) -> Policy {
        match params.policy {
            0 => Policy::Uniform,
            1 => Policy::Lottery,
            _ => Policy::Kill,
        }
    }

    /// Choose a move for the player to move of an undecided position; return it and what it leads
    /// to.
    #[inline(always)]
    pub fn step<S: Simd>(self, seen: &Seen, target: Target, random: &mut Random) -> (Move, Seen) {
        let (position, status) = seen;
        let bits = random.bits();
        let (high, low) = ((bits >> 32) as u32, bits as u32);
        let player = position.to_move();
        let (empty, hand) = (position.empty(), position.hand(player));
        let mv = match self {
            Policy::Uniform => {
                let stone = S::nth_set_bit(u64::from(hand.bits()), scaled(low, hand.len()));
                let cell = S::nth_set_bit(empty.bits(), scaled(high, empty.len()));
                Move { cell: Cell::from_index(cell as u8), stone: Stone::from_bit(stone) }
            }
            Policy::Lottery => {
                let cell = cell_tickets(empty, status, player).draw_cell::<S>(empty, high);
                let stale = status.stale(Player::Red) | status.stale(Player::Blue);
                let stone = match hand.smallest() {
                    Some(least) if stale.contains(cell) => least,
                    _ => draw_stone::<S>(hand, low),
                };
                Move { cell, stone }
            }
            Policy::Kill => {
                let Tickets(planes) = cell_tickets(empty, status, player);
                let tickets = Tickets(planes.map(|plane| plane & !status.dead(player).bits()));
                let cell = tickets.draw_cell::<S>(empty, high);
                Move { cell, stone: killing_stone::<S>(position, status, cell, low) }
            }
        };
        let next = position.after::<S>(mv);
        (mv, (next, Status::of::<S>(&next, target)))
    }

    /// Play on from a position with its status until the win test decides it (§2.3.2), and return
    /// the winner of α-Blackhole; `seen` is then where it was decided. Every move is told to
    /// `told`.
    ///
    /// One function a path serves all callers: inlined into each, playouts were most of the program.
    #[inline(always)]
    pub fn playout<S: Simd>(
        self,
        seen: &mut Seen,
        target: Target,
        random: &mut Random,
        mut told: impl FnMut(Player, Move),
    ) -> Player {
        S::run(Playout { policy: self, seen, target, random, told: &mut told })
    }
}

/// A [step](Policy::step) as a task, for callers with a loop of their own.
pub(super) struct Step<'a> {
    pub policy: Policy,
    pub seen: &'a Seen,
    pub target: Target,
    pub random: &'a mut Random,
}

impl Task for Step<'_> {
    type Output = (Move, Seen);

    #[inline(always)]
    fn run<S: Simd>(self) -> (Move, Seen) {
        self.policy.step::<S>(self.seen, self.target, self.random)
    }
}

/// A [playout](Policy::playout) as a task.
struct Playout<'a> {
    policy: Policy,
    seen: &'a mut Seen,
    target: Target,
    random: &'a mut Random,
    told: &'a mut dyn FnMut(Player, Move),
}

impl Task for Playout<'_> {
    type Output = Player;

    #[inline(always)]
    fn run<S: Simd>(self) -> Player {
        let Playout { policy, seen, target, random, told } = self;
        loop {
            if let Some(winner) = seen.1.winner(&seen.0) {
                return winner;
            }
            let mover = seen.0.to_move();
            let mv;
            (mv, *seen) = policy.step::<S>(seen, target, random);
            told(mover, mv);
        }
    }
}

crate::dispatch! {
    /// Play a position out `count` times; return how often Red won, and the number of moves played:
    /// for judging and timing policies.
    pub fn count_playouts<'a>(policy: Policy, position: &'a Position, target: Target, seed: u64, count: u64) -> [u64; 2] =
        count_playouts_body
}

#[inline(always)]
fn count_playouts_body<S: Simd>(
    policy: Policy,
    position: &Position,
    target: Target,
    seed: u64,
    count: u64,
) -> [u64; 2] {
    let mut random = Random::new(seed);
    let seen = (*position, Status::of::<S>(position, target));
    let (mut red, mut moves) = (0, 0);
    for _ in 0..count {
        let winner = policy.playout::<S>(&mut seen.clone(), target, &mut random, |_, _| moves += 1);
        red += u64::from(winner == Player::Red);
    }
    [red, moves]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Portable;
    use crate::testing;

    /// Count tickets one by one, as the paper says it.
    fn naive_tickets(position: &Position, status: &Status, cell: Cell) -> i32 {
        let player = position.to_move();
        let neighbours = (cell.neighbours() & status.undecided()).len() as i32;
        let own = i32::from(status.dead(player).contains(cell));
        let other = i32::from(status.dead(player.opponent()).contains(cell));
        if position.empty().contains(cell) {
            (neighbours - own + other).max(0)
        } else {
            0
        }
    }

    #[test]
    fn tickets_are_those_of_the_paper() {
        let mut rng = testing::rng(7);
        let mut seen = [0; 8];
        for game in 0..300 {
            let target = Target::new(game % 21 - 10);
            for position in testing::random_game(&mut rng) {
                let status = Status::of::<Portable>(&position, target);
                if status.winner(&position).is_some() {
                    break;
                }
                let tickets = cell_tickets(position.empty(), &status, position.to_move());
                // Every ticket belongs to its holder: count them back.
                let mut counts = [0; 64];
                (0..tickets.total()).for_each(|n| counts[tickets.holder::<Portable>(n) as usize] += 1);
                for cell in Cell::all() {
                    let expected = naive_tickets(&position, &status, cell);
                    assert_eq!(counts[cell.index()], expected, "{cell} in {position:?} for {target}");
                    seen[expected as usize] += 1;
                }
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
