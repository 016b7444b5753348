//! `negamax`: depth-first search with an expectation at the leaves.

use std::time::{Duration, Instant};

use super::BadOption;
use super::clock::GameClock;
use super::greedy::greedy_move;
use super::options::Options;
use super::random::unsearched;
use super::zobrist::Zobrist;
use crate::player::agent::{Agent, Choice, Reason};
use crate::player::board::{Move, Player};
use crate::player::limits::Limits;
use crate::player::position::Position;
use crate::player::rng::Random;
use crate::player::simd::Simd;

/// After Brown and Doig's Cachex report (§4 to §6): iterative deepening negamax with alpha-beta, a
/// transposition table on Zobrist keys, good moves first, and their two time rules: a shallower search
/// when 75 % of the time is used, a greedy move when 97 % is.
///
/// Their heuristics belong to Cachex; here a leaf is worth the expected final score if all remaining
/// stones fell at random. Undo is a return to the caller's copy of the position, which costs less than
/// taking a stone back (see [`Position`]).
pub(super) struct Negamax {
    search: Search,
    clock: GameClock,
    rng: Random,
    /// The depth the last move's search completed.
    reached: u32,
}

/// Entries of the table, a power of two.
const TABLE: usize = 1 << 18;

#[derive(Clone, Copy)]
enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

#[derive(Clone, Copy)]
struct Entry {
    key: u64,
    value: f32,
    best: Move,
    depth: u8,
    bound: Bound,
}

struct Search {
    zobrist: Zobrist,
    table: Vec<Option<Entry>>,
    limits: Limits,
    nodes: u64,
}

/// The deadline passed.
struct Stopped;

impl Negamax {
    pub fn new(_options: &Options, rng: Random) -> Result<Negamax, BadOption> {
        let limits = Limits::NONE;
        let search = Search { zobrist: Zobrist::new(), table: vec![None; TABLE], limits, nodes: 0 };
        Ok(Negamax { search, clock: GameClock::default(), rng, reached: 2 })
    }
}

impl Agent for Negamax {
    fn choose(&mut self, position: &Position, remaining: Duration) -> Choice {
        let begin = Instant::now();
        let used = f64::from(self.clock.used(position, remaining));
        let plies = position.empty().len() - 1;
        let Some(mut best) = greedy_move(position, &mut self.rng).filter(|_| used < 0.97) else {
            let mv = greedy_move(position, &mut self.rng).expect("a position with a move to play");
            return Choice { reason: Reason::Hurried, ..unsearched(mv) };
        };
        // Until 75 % is used: that much is for all moves but the last four, which need little.
        let own = position.hand(position.to_move()).len();
        let total = remaining.as_secs_f64() / (1.0 - used);
        let (share, deepest) = if used < 0.75 {
            (total * (0.75 - used) / f64::from(own.saturating_sub(4).max(1)), plies)
        } else {
            (total * (0.97 - used) / f64::from(own), self.reached.saturating_sub(1).clamp(1, plies))
        };
        let deadline = begin + Duration::from_secs_f64(share.max(0.0));
        self.search.limits = Limits::until(deadline);
        self.search.nodes = 0;
        let mut value = 0.0;
        for depth in 1..=deepest {
            let result = search_root(&mut self.search, position, depth, best);
            let Ok((mv, found)) = result else { break };
            (best, value, self.reached) = (mv, found, depth);
        }
        Choice {
            mv: best,
            reason: Reason::Searched,
            target: None,
            // The expected share of the points.
            value: 0.5 + value / 150.0,
            nodes: self.search.nodes,
            elapsed: begin.elapsed(),
        }
    }
}

crate::player::dispatch! {
    /// Search to a depth; return the best move and its value for the mover.
    fn search_root<'a>(search: &'a mut Search, position: &'a Position, depth: u32, first: Move)
        -> Result<(Move, f32), Stopped> = search_root_body
}

fn search_root_body<S: Simd>(
    search: &mut Search,
    position: &Position,
    depth: u32,
    first: Move,
) -> Result<(Move, f32), Stopped> {
    let key = search.zobrist.key(position);
    let value = search.negamax::<S>(position, key, depth, f32::NEG_INFINITY, f32::INFINITY)?;
    let entry = search.table[key as usize % TABLE].filter(|entry| entry.key == key);
    Ok((entry.map_or(first, |entry| entry.best), value))
}

impl Search {
    /// Return the value of a position for the mover, searched `depth` plies deep: exact between `alpha` and
    /// `beta`, else a bound.
    fn negamax<S: Simd>(
        &mut self,
        position: &Position,
        key: u64,
        depth: u32,
        mut alpha: f32,
        beta: f32,
    ) -> Result<f32, Stopped> {
        let lowest = alpha;
        let slot = key as usize % TABLE;
        let known = self.table[slot].filter(|entry| entry.key == key);
        if let Some(entry) = known
            && u32::from(entry.depth) >= depth
        {
            match entry.bound {
                Bound::Exact => return Ok(entry.value),
                Bound::AtLeast if entry.value >= beta => return Ok(entry.value),
                Bound::AtMost if entry.value <= alpha => return Ok(entry.value),
                _ => {}
            }
        }
        let mut moves = judged_moves(position);
        self.nodes += moves.len() as u64;
        if depth <= 1 || position.empty().len() <= 2 {
            // The children's own values: nothing below is searched.
            let best = moves.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0));
            let Some((value, best)) = best else { return Ok(0.0) };
            let entry = Entry { key, value, best, depth: depth as u8, bound: Bound::Exact };
            self.table[slot] = Some(entry);
            return Ok(value);
        }
        if self.limits.reached(0) {
            return Err(Stopped);
        }
        moves.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        if let Some(entry) = known
            && let Some(place) = moves.iter().position(|&(_, mv)| mv == entry.best)
        {
            moves[..=place].rotate_right(1);
        }
        let mover = position.to_move();
        let mut best: Option<(f32, Move)> = None;
        for (_, mv) in moves {
            let next = position.after::<S>(mv);
            let next_key = key ^ self.zobrist.stone(mover, mv);
            let value = -self.negamax::<S>(&next, next_key, depth - 1, -beta, -alpha)?;
            if best.is_none_or(|(other, _)| value > other) {
                best = Some((value, mv));
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        let Some((value, best)) = best else { return Ok(0.0) };
        let bound = match value {
            value if value >= beta => Bound::AtLeast,
            value if value <= lowest => Bound::AtMost,
            _ => Bound::Exact,
        };
        self.table[slot] = Some(Entry { key, value, best, depth: depth as u8, bound });
        Ok(value)
    }
}

/// List the legal moves with the expected final score after each, for the mover.
///
/// The expectation needs only the sums over the empty cells of their scores and of their empty
/// neighbours, and the sum of the stones left. A stone `v` on cell `c` with `f` empty neighbours takes `c`
/// out of both sums, adds `v` to the scores of its `f` neighbours and takes itself from their counts: so
/// each child costs a few additions instead of a walk over the board.
fn judged_moves(position: &Position) -> Vec<(f32, Move)> {
    let mover = position.to_move();
    let sign = f32::from(mover.sign());
    let empty = position.empty();
    let (mut scores, mut free) = (0, 0);
    for cell in empty {
        scores += i32::from(position.score(cell));
        free += position.free_neighbours(cell) as i32;
    }
    let sum = |player| position.hand(player).iter().map(|stone| i32::from(stone.value())).sum::<i32>();
    let stones = sum(Player::Red) - sum(Player::Blue);
    let left = empty.len() as f32 - 1.0;
    // Per stone still to fall after this move; there is none when one cell is left.
    let share = if empty.len() > 2 { 1.0 / (left - 1.0) } else { 0.0 };
    let mut moves = Vec::with_capacity(empty.len() as usize * position.hand(mover).len() as usize);
    for cell in empty {
        let own = position.free_neighbours(cell) as i32;
        let rest = scores - i32::from(position.score(cell));
        let pairs = (free - 2 * own) as f32 * share;
        for stone in position.hand(mover).iter() {
            let value = i32::from(mover.sign()) * i32::from(stone.value());
            let expected = ((rest + value * own) as f32 + (stones - value) as f32 * pairs) / left;
            moves.push((sign * expected, Move::new(cell, stone)));
        }
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::evaluation::expected_score;
    use crate::player::simd::Portable;
    use crate::workshop::arena::schedule::random_opening;
    use crate::workshop::players::random::random_move;

    /// The same value without pruning, ordering, table and increments.
    fn minimax(position: &Position, depth: u32) -> f32 {
        let sign = f32::from(position.to_move().sign());
        if depth == 0 || position.final_score().is_some() {
            return sign * expected_score(position);
        }
        let values = position.legal_moves().map(|mv| -minimax(&position.after::<Portable>(mv), depth - 1));
        values.fold(f32::NEG_INFINITY, f32::max)
    }

    fn positions(empty: u32) -> impl Iterator<Item = Position> {
        (0..20).map(move |round| {
            let mut rng = Random::new(round);
            let blocked = random_opening(3, round).into_iter().collect();
            let mut position = Position::codecup(blocked).expect("five cells");
            while position.empty().len() > empty {
                position = position.after::<Portable>(random_move::<Portable>(&position, &mut rng));
            }
            position
        })
    }

    #[test]
    fn increments_agree_with_the_expectation() {
        for position in positions(31).chain(positions(14)).chain(positions(3)).chain(positions(2)) {
            let sign = f32::from(position.to_move().sign());
            for (value, mv) in judged_moves(&position) {
                let expected = sign * expected_score(&position.after::<Portable>(mv));
                assert!((value - expected).abs() < 1e-3, "{mv}: {value}, expected {expected}");
            }
        }
    }

    #[test]
    fn alpha_beta_agrees_with_minimax() {
        let options = [];
        for (empty, depth) in [(7, 1), (7, 2), (6, 3), (5, 4), (4, 3)] {
            for position in positions(empty) {
                let Ok(player) = Negamax::new(&Options::new(&options), Random::new(1)) else {
                    panic!("no options")
                };
                let mut search = player.search;
                let key = search.zobrist.key(&position);
                let found =
                    search.negamax::<Portable>(&position, key, depth, f32::NEG_INFINITY, f32::INFINITY);
                let expected = minimax(&position, depth);
                assert!(found.is_ok_and(|found| (found - expected).abs() < 1e-3));
            }
        }
    }
}
