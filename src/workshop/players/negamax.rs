//! `negamax`: depth-first search with an expectation at the leaves.

use std::time::{Duration, Instant};

use super::clock::GameClock;
use super::plain::best_with;
use super::zobrist::Zobrist;
use crate::player::agent::{Agent, Choice, Reason};
use crate::player::board::{Hand, Move};
use crate::player::limits::Limits;
use crate::player::opponent::expectation::Expectation;
use crate::player::position::Position;
use crate::player::rng::Random;
use crate::player::simd::Simd;

/// After Brown and Doig's Cachex report (§4 to §6): iterative deepening negamax with alpha-beta, a
/// transposition table on Zobrist keys, good moves first, and their two time rules: a shallower
/// search when 75 % of the time is used, a greedy move when 97 % is.
///
/// Their heuristics belong to Cachex; here a leaf is worth the expected final score if all
/// remaining stones fell at random.
///
/// With `largest` both sides are taken to play their largest stone always, as the tournament's
/// sagittarius and messier31 do: fewer moves, deeper searches.
pub(super) struct Negamax {
    largest: bool,
    random: Random,
    clock: GameClock,
    zobrist: Zobrist,
    table: Vec<Option<NegamaxEntry>>,
    limits: Limits,
    nodes: u64,
    /// The depth the last move's search completed.
    reached: u32,
}

/// Entries of the table, a power of two.
const TABLE: usize = 1 << 18;

/// What is known of a position: bounds of its value for the mover, searched `depth` plies deep.
#[derive(Clone, Copy)]
struct NegamaxEntry {
    key: u64,
    lower: f32,
    upper: f32,
    best: Move,
    depth: u8,
}

/// The deadline passed.
struct OutOfTime;

impl Agent for Negamax {
    fn choose(&mut self, position: &Position, remaining: Duration) -> Choice {
        let begin = Instant::now();
        let used = f64::from(self.clock.used(position, remaining));
        let plies = position.empty().len() - 1;
        let mut best = best_with(position, stones(position, self.largest), &mut self.random);
        if used >= 0.97 {
            return Choice { reason: Reason::Hurried, ..Choice::unsearched(best) };
        }
        // Until 75 % is used: that much is for all moves but the last four, which need little.
        let own = position.hand(position.to_move()).len();
        let total = remaining.as_secs_f64() / (1.0 - used);
        let (share, deepest) = if used < 0.75 {
            (total * (0.75 - used) / f64::from(own.saturating_sub(4).max(1)), plies)
        } else {
            (total * (0.97 - used) / f64::from(own), self.reached.saturating_sub(1).clamp(1, plies))
        };
        self.limits = Limits::until(begin + Duration::from_secs_f64(share.max(0.0)));
        self.nodes = 0;
        let mut value = 0.0;
        for depth in 1..=deepest {
            let Ok((mv, found)) = search_root(self, position, depth, best) else { break };
            (best, value, self.reached) = (mv, found, depth);
        }
        // The expected share of the points.
        let value = 0.5 + value / 150.0;
        let (reason, nodes, elapsed) = (Reason::Searched, self.nodes, begin.elapsed());
        Choice { reason, chance: value, nodes, elapsed, ..Choice::unsearched(best) }
    }
}

crate::player::dispatch! {
    /// Search to a depth; return the best move and its value for the mover.
    fn search_root<'a>(player: &'a mut Negamax, position: &'a Position, depth: u32, first: Move)
        -> Result<(Move, f32), OutOfTime> = Negamax::search, ONE_PATH = true
}

impl Negamax {
    pub fn new(largest: bool, random: Random) -> Negamax {
        let (clock, zobrist, table) = (GameClock::default(), Zobrist::new(), vec![None; TABLE]);
        Negamax { largest, random, clock, zobrist, table, limits: Limits::NONE, nodes: 0, reached: 2 }
    }

    fn search<S: Simd>(
        &mut self,
        position: &Position,
        depth: u32,
        first: Move,
    ) -> Result<(Move, f32), OutOfTime> {
        let key = self.zobrist.key(position);
        let value = self.negamax::<S>(position, key, depth, f32::NEG_INFINITY, f32::INFINITY)?;
        Ok((self.known(key).map_or(first, |entry| entry.best), value))
    }

    fn known(&self, key: u64) -> Option<NegamaxEntry> {
        self.table[key as usize % TABLE].filter(|entry| entry.key == key)
    }

    /// Return the value of a position for the mover, searched `depth` plies deep: exact between
    /// `alpha` and `beta`, else a bound.
    fn negamax<S: Simd>(
        &mut self,
        position: &Position,
        key: u64,
        depth: u32,
        mut alpha: f32,
        beta: f32,
    ) -> Result<f32, OutOfTime> {
        let (lowest, slot, known) = (alpha, key as usize % TABLE, self.known(key));
        if let Some(entry) = known
            && u32::from(entry.depth) >= depth
        {
            if entry.lower >= beta || entry.lower == entry.upper {
                return Ok(entry.lower);
            }
            if entry.upper <= alpha {
                return Ok(entry.upper);
            }
        }
        let mut moves = judged_moves(position, self.largest);
        self.nodes += moves.len() as u64;
        if depth <= 1 || position.empty().len() <= 2 {
            // The children's own values: nothing below is searched.
            let best = moves.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0));
            let Some((value, best)) = best else { return Ok(0.0) };
            self.table[slot] =
                Some(NegamaxEntry { key, lower: value, upper: value, best, depth: depth as u8 });
            return Ok(value);
        }
        if self.limits.reached(0) {
            return Err(OutOfTime);
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
        let lower = if value > lowest { value } else { f32::NEG_INFINITY };
        let upper = if value < beta { value } else { f32::INFINITY };
        self.table[slot] = Some(NegamaxEntry { key, lower, upper, best, depth: depth as u8 });
        Ok(value)
    }
}

/// Return the stones that the player to move may play: all, or only the largest.
fn stones(position: &Position, largest: bool) -> Hand {
    let hand = position.hand(position.to_move());
    hand.largest().filter(|_| largest).map_or(hand, |stone| Hand::EMPTY.with(stone))
}

/// List the moves with the expected final score after each, for the mover.
fn judged_moves(position: &Position, largest: bool) -> Vec<(f32, Move)> {
    let expectation = Expectation::of(position);
    let on = |stone| position.empty().into_iter().map(move |cell| Move { cell, stone });
    let moves = stones(position, largest).iter().flat_map(on);
    moves.map(|mv| (expectation.after(position, mv), mv)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::opponent::expectation::expected_score;
    use crate::player::simd::Portable;
    use crate::player::testing;

    /// The same value without pruning, ordering, table and increments.
    fn minimax(position: &Position, depth: u32, largest: bool) -> f32 {
        let sign = f32::from(position.to_move().sign());
        if depth == 0 || position.final_score().is_some() {
            return sign * expected_score(position);
        }
        let moves = position.legal_moves();
        let values = moves.filter(|mv| stones(position, largest).contains(mv.stone));
        let values = values.map(|mv| -minimax(&position.after::<Portable>(mv), depth - 1, largest));
        values.fold(f32::NEG_INFINITY, f32::max)
    }

    #[test]
    fn alpha_beta_agrees_with_minimax() {
        let mut rng = testing::rng(3);
        for (empty, depth) in [(7, 1), (7, 2), (6, 3), (5, 4), (4, 3)] {
            for n in 0..20 {
                let (position, largest) = (testing::random_play(&mut rng, empty), n % 2 == 0);
                let mut player = Negamax::new(largest, Random::new(1));
                let first = position.legal_moves().next().expect("a move");
                let found = player.search::<Portable>(&position, depth, first);
                let expected = minimax(&position, depth, largest);
                assert!(found.is_ok_and(|(_, found)| (found - expected).abs() < 1e-3));
            }
        }
    }
}
