//! `wormhole`: the winner of the CodeCup 2018 as its README describes it.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::clock::GameClock;
use crate::player::agent::{Agent, Choice, Reason};
use crate::player::board::{Cell, CellSet, Move, Stone};
use crate::player::limits::Limits;
use crate::player::opponent::random_move;
use crate::player::position::Position;
use crate::player::rng::{Random, scaled};
use crate::player::simd::{Portable, Simd};

/// Written from the README of Abdessamad El Kasimi's program, with its ideas: places before values in
/// the tree, ε-greedy selection, the two-way playout policy, the closed form for the filling phase, the
/// average of deltas as a bonus that grows with the game's value, the stop once a move has half of all
/// simulations, and the time rule. The README has no numbers; the numbers below come from matches against
/// the original.
pub(super) struct Wormhole {
    nodes: Vec<WormholeNode>,
    rng: Random,
    limits: Limits,
    clock: GameClock,
}

/// The most nodes, 16 bytes each; a full tree, or one without more memory from the system, stops growing and
/// still counts visits.
const MAX_NODES: usize = 4 << 20;
/// Up to this many filled cells a playout always explores.
const EXPLORING: u32 = 8;
/// The chance of a random child instead of the best, in 256ths: a fifth.
const EPSILON: u32 = 51;
/// The growth of the average's weight with each point of the game's value.
const GREED: f32 = 0.005;
/// The lead in points that makes a clear win, of the value 1.
const CLEAR: f32 = 5.0;
/// The most time left unplanned, at most a tenth of the game's: a busy machine is some tens of milliseconds late.
const RESERVE: Duration = Duration::from_millis(100);

/// A node: a position, or a place (cell) of its next move, or a value (stone) on the place. A value is also
/// the next position.
#[derive(Clone, Copy, Default)]
struct WormholeNode {
    visits: u32,
    /// Sum of the simulations' values, from Red's side: 1 a clear win, and a bonus.
    sum: f32,
    /// The first child; children lie side by side.
    first: u32,
    children: u8,
    /// The cell's index of a place, the stone of a value.
    label: u8,
}

impl Wormhole {
    /// Make a player with at most this many simulations a move.
    pub fn new(simulations: u32, rng: Random) -> Wormhole {
        let limits = Limits::nodes(simulations.into());
        Wormhole { nodes: Vec::new(), rng, limits, clock: GameClock::default() }
    }

    /// Search until a limit or until a move has more than half of the simulations; return the move,
    /// its value from Red's side, and the simulations done.
    fn run(&mut self, position: &Position, limits: &Limits) -> (Move, f32, u64) {
        self.nodes.clear();
        self.nodes.push(WormholeNode::default());
        let mut done = 0;
        loop {
            let batch = (limits.nodes - done).min(64);
            (0..batch).for_each(|_| simulate(self, position));
            done += batch;
            let (mv, node) = self.most_visited();
            if limits.reached(done) || u64::from(node.visits) * 2 > limits.nodes {
                let mv = mv.unwrap_or_else(|| random_move::<Portable>(position, &mut self.rng));
                return (mv, node.sum / node.visits.max(1) as f32, done);
            }
        }
    }

    /// Return the most visited place's most visited value.
    fn most_visited(&self) -> (Option<Move>, WormholeNode) {
        let best = |node: WormholeNode| {
            let children = self.nodes[node.first as usize..].iter().take(node.children.into());
            children.copied().max_by_key(|child| child.visits)
        };
        let value = best(self.nodes[0]).and_then(|place| Some((place, best(place)?)));
        let mv = value.map(|(place, value)| move_of(place.label, value.label));
        (mv, value.map_or_else(WormholeNode::default, |(_, value)| value))
    }

    /// Give a node its children; `false` without room.
    fn expand(&mut self, node: u32, labels: impl Iterator<Item = u8>) -> bool {
        let first = self.nodes.len();
        if first + 64 > MAX_NODES || self.nodes.try_reserve(64).is_err() {
            return false;
        }
        self.nodes.extend(labels.map(|label| WormholeNode { label, ..WormholeNode::default() }));
        let children = (self.nodes.len() - first) as u8;
        let node = &mut self.nodes[node as usize];
        (node.first, node.children) = (first as u32, children);
        true
    }

    /// Expand a position: every place with an empty neighbour, and the worst of the others.
    fn expand_places(&mut self, node: u32, position: &Position, places: CellSet) -> bool {
        let holes = position.empty() - places;
        let worst_hole = (!holes.is_empty()).then(|| worst(position, holes));
        self.expand(node, places.into_iter().chain(worst_hole).map(|cell| cell.index() as u8))
    }

    /// Expand a place: every stone, or only the least on a place without an empty neighbour.
    fn expand_stones(&mut self, place: u32, position: &Position, cell: Cell) -> bool {
        let hand = position.hand(position.to_move());
        let isolated = (cell.neighbours() & position.empty()).is_empty();
        let count = if isolated { 1 } else { hand.len() as usize };
        self.expand(place, hand.iter().take(count).map(Stone::value))
    }

    /// Choose a child: with chance ε any, else the visited one of the best mean.
    #[inline(always)]
    fn select(&mut self, node: u32, sign: f32) -> u32 {
        let WormholeNode { first, children, .. } = self.nodes[node as usize];
        let bits = self.rng.bits();
        let mut best = first + scaled((bits >> 32) as u32, children.into());
        if bits as u32 & 255 < EPSILON {
            return best;
        }
        let mut highest = f32::NEG_INFINITY;
        for (child, index) in self.nodes[first as usize..][..children.into()].iter().zip(first..) {
            let mean = sign * child.sum / child.visits as f32;
            // Unvisited children have no mean: the comparison fails.
            if mean > highest {
                (highest, best) = (mean, index);
            }
        }
        best
    }

    #[inline(always)]
    fn simulate<S: Simd>(&mut self, root: &Position) {
        let mut position = *root;
        let mut path = [0u32; 2 * 30 + 1];
        let mut length = 1;
        let value = loop {
            let node = path[length - 1];
            let places = near(position.empty());
            if places.is_empty() {
                break filled_value(&position);
            }
            let WormholeNode { visits, children, .. } = self.nodes[node as usize];
            let fresh = visits == 0 && length > 1;
            if children == 0 && (fresh || !self.expand_places(node, &position, places)) {
                break playout::<S>(position, &mut self.rng);
            }
            let sign = f32::from(position.to_move().sign());
            let place = self.select(node, sign);
            let WormholeNode { label, children, .. } = self.nodes[place as usize];
            if children == 0 && !self.expand_stones(place, &position, Cell::from_index(label)) {
                break playout::<S>(position, &mut self.rng);
            }
            let chosen = self.select(place, sign);
            position.play::<S>(move_of(label, self.nodes[chosen as usize].label));
            path[length..length + 2].copy_from_slice(&[place, chosen]);
            length += 2;
        };
        for &node in &path[..length] {
            let node = &mut self.nodes[node as usize];
            node.visits += 1;
            node.sum += value;
        }
    }
}

impl Agent for Wormhole {
    fn choose(&mut self, position: &Position, remaining: Duration) -> Choice {
        let begin = Instant::now();
        let total = self.clock.total(position, remaining);
        if let Some(mv) = filling_move(position) {
            return Choice::unsearched(mv);
        }
        // "Stopped with max simulations only when the total is less than 4 seconds", of 5, "but
        // after that it divides remaining time by number of remaining moves".
        let left = remaining.saturating_sub(RESERVE.min(total / 10));
        let early = remaining.saturating_sub(total.mul_f64(0.2)).min(left);
        let moves = position.hand(position.to_move()).len();
        let share = if early.is_zero() { left / moves } else { early };
        let limits = Limits { deadline: Some(begin + share), ..self.limits };
        let (mv, value, nodes) = self.run(position, &limits);
        // With the bonus a value may exceed ±1.
        let chance = (0.5 + f32::from(position.to_move().sign()) * value / 2.0).clamp(0.0, 1.0);
        let (reason, elapsed) = (Reason::Searched, begin.elapsed());
        Choice { reason, chance, nodes, elapsed, ..Choice::unsearched(mv) }
    }

    fn stop_when_raised(&mut self, stop: &'static AtomicBool) {
        self.limits.stop = Some(stop);
    }
}

/// Return the move of the filling phase, once no empty cell has an empty neighbour: "the worse place for
/// me", filled "with my very least value".
fn filling_move(position: &Position) -> Option<Move> {
    let empty = position.empty();
    let stone = position.hand(position.to_move()).smallest().filter(|_| near(empty).is_empty())?;
    Some(Move { cell: worst(position, empty), stone })
}

fn move_of(place: u8, value: u8) -> Move {
    Move { cell: Cell::from_index(place), stone: Stone::from_bit(value.into()) }
}

/// Return the empty cells with an empty neighbour ("non hole places").
#[inline(always)]
fn near(empty: CellSet) -> CellSet {
    empty & empty.neighbours()
}

/// Return the mover's worst cell among `cells`, at least one.
#[inline(always)]
fn worst(position: &Position, cells: CellSet) -> Cell {
    let sign = i32::from(position.to_move().sign());
    // The low bits hold the cell's index.
    let marked = |cell| (sign * i32::from(position.score(cell))) << 6 | cell.index() as i32;
    Cell::from_index((cells.into_iter().map(marked).min().unwrap_or(0) & 63) as u8)
}

crate::player::dispatch! {
    fn simulate<'a>(player: &'a mut Wormhole, root: &'a Position) -> () = Wormhole::simulate
}

/// Play until the filling phase. A move is either the largest stone on the worst of the places with most
/// empty neighbours, or any stone on the worst place. More empty cells make the first likelier: it is certain
/// up to [`EXPLORING`] filled cells.
#[inline(always)]
fn playout<S: Simd>(mut position: Position, rng: &mut Random) -> f32 {
    loop {
        let empty = position.empty();
        if near(empty).is_empty() {
            return filled_value(&position);
        }
        let hand = position.hand(position.to_move());
        let Some(largest) = hand.largest() else { return 0.0 };
        let bits = rng.bits();
        let mv = if scaled(bits as u32, 31) < empty.len() + EXPLORING {
            Move { cell: worst(&position, freest(empty)), stone: largest }
        } else {
            let any = S::nth_set_bit(u64::from(hand.bits()), scaled((bits >> 32) as u32, hand.len()));
            Move { cell: worst(&position, empty), stone: Stone::from_bit(any) }
        };
        position.play::<S>(mv);
    }
}

/// Return the empty cells with most empty neighbours.
#[inline(always)]
fn freest(empty: CellSet) -> CellSet {
    // Count in three bit planes.
    let (mut ones, mut twos, mut fours) = (0, 0, 0);
    for shifted in empty.neighbour_shifts() {
        let near = (shifted & empty).bits();
        fours |= twos & ones & near;
        twos ^= ones & near;
        ones ^= near;
    }
    // From the highest plane down, keep the cells with the plane's bit, if any.
    let mut best = empty.bits();
    for plane in [fours, twos, ones] {
        if best & plane != 0 {
            best &= plane;
        }
    }
    CellSet::from_bits(best)
}

/// The game's value and the average of all deltas, in a position without places.
///
/// From here on both fill their worst place: of the n deltas in ascending order Red takes the lowest and Blue
/// the highest in turn, and the delta of index (n - 1) / 2, rounded down, remains.
#[inline(always)]
fn filled(position: &Position) -> (f32, f32) {
    let mut deltas = [0i8; 32];
    let mut count = 0;
    for cell in position.empty() {
        deltas[count] = position.score(cell);
        count += 1;
    }
    let deltas = &mut deltas[..count.max(1)];
    deltas.sort_unstable();
    let total: i32 = deltas.iter().map(|&delta| i32::from(delta)).sum();
    (f32::from(deltas[(deltas.len() - 1) / 2]), total as f32 / deltas.len() as f32)
}

/// Return the value of a simulation at a position without places: the game's value up to a clear win or
/// loss, and "the average of deltas with a weight that increases regarding the game value".
#[inline(always)]
fn filled_value(position: &Position) -> f32 {
    let (value, average) = filled(position);
    (value / CLEAR).clamp(-1.0, 1.0) + (GREED * value.abs()).min(1.0) * average
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::board::Player;

    #[test]
    fn freest_cells_have_most_empty_neighbours() {
        let mut rng = Random::new(1);
        for _ in 0..500 {
            let empty = CellSet::from_bits(rng.bits() & rng.bits() | rng.bits() & rng.bits());
            let free = |cell: Cell| (cell.neighbours() & empty).len();
            let most = empty.into_iter().map(free).max().unwrap_or(0);
            let expected: CellSet = empty.into_iter().filter(|&cell| free(cell) == most).collect();
            assert_eq!(freest(empty), expected);
        }
    }

    #[test]
    fn the_closed_form_is_what_filling_comes_to() {
        // No two of these cells are neighbours.
        let cells = ["A1", "A3", "A5", "A7", "C1", "C3", "C5", "E1", "E3", "G1"].map(Cell::parse);
        let mut rng = Random::new(2);
        for round in 0..500 {
            let stones: u8 = 1 + (round % 9) as u8;
            let empty = cells[..=stones as usize].iter().copied().flatten().collect();
            let mover = if stones.is_multiple_of(2) { Player::Red } else { Player::Blue };
            let hand = |size: u8| (1..=size).filter_map(Stone::new).collect();
            let position = Position::setup(empty, [stones / 2, stones.div_ceil(2)].map(hand), mover);
            let seed = rng.bits();
            let scores = |cell: Cell| ((seed >> (cell.index() % 50)) & 31) as i8 - 15;
            let mut position = position.expect("counts fit").with_scores(scores);
            let value = filled(&position).0;
            while let Some(mv) = filling_move(&position).filter(|_| position.final_score().is_none()) {
                position = position.after::<Portable>(mv);
            }
            assert_eq!(position.final_score().map(f32::from), Some(value));
        }
    }
}
