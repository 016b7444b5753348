//! `negamax`: depth-first search with an expectation at the leaves.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::clock::GameClock;
use super::plain::best_by_lot;
use super::tree::key;
use crate::player::agent::{Agent, Choice, Reason};
use crate::player::board::Move;
use crate::player::expectation::Expectation;
use crate::player::limits::Limits;
use crate::player::position::Position;
use crate::player::rng::Random;
use crate::player::simd::Simd;

/// After Brown and Doig's Cachex report (§4 to §6): iterative deepening negamax with alpha-beta, a
/// transposition table, good moves first, and their two time rules: a shallower search after 75 % of the
/// time, a greedy move after 97 %.
pub(super) struct Negamax {
    random: Random,
    clock: GameClock,
    table: Vec<Option<NegamaxEntry>>,
    limits: Limits,
    nodes: u64,
    /// The depth completed for the last move.
    reached: u32,
}

const TABLE_ENTRIES: usize = 1 << 18;

/// The bounds of a position's value for the mover, searched `depth` plies deep.
#[derive(Clone, Copy)]
struct NegamaxEntry {
    key: u64,
    lower: f32,
    upper: f32,
    best: Move,
    depth: u32,
}

impl Agent for Negamax {
    fn choose(&mut self, position: &Position, remaining: Duration) -> Choice {
        let begin = Instant::now();
        let total = self.clock.total(position, remaining);
        // The time left after 75 % and 97 % of it.
        let [quarter, last] = [0.25, 0.03].map(|share| total.mul_f64(share));
        let mut best = best_by_lot(position, &mut self.random);
        if remaining <= last {
            return Choice { reason: Reason::Hurried, ..Choice::unsearched(best) };
        }
        let (plies, own) = (position.empty().len() - 1, position.hand(position.to_move()).len());
        let (share, deepest) = if remaining > quarter {
            // For all moves but the last four: these need little time.
            ((remaining - quarter) / own.saturating_sub(4).max(1), plies)
        } else {
            ((remaining - last) / own, self.reached.saturating_sub(1).clamp(1, plies))
        };
        (self.limits.deadline, self.nodes) = (Some(begin + share), 0);
        let mut value = 0.0;
        for depth in 1..=deepest {
            let Some(found) = search(self, position, depth, f32::NEG_INFINITY, f32::INFINITY) else { break };
            (value, self.reached) = (found, depth);
            best = self.known(key(position)).map_or(best, |entry| entry.best);
        }
        // The expected share of the points.
        let chance = 0.5 + value / 150.0;
        let (reason, nodes, elapsed) = (Reason::Searched, self.nodes, begin.elapsed());
        Choice { reason, chance, nodes, elapsed, ..Choice::unsearched(best) }
    }

    fn stop_when_raised(&mut self, stop: &'static AtomicBool) {
        self.limits.stop = Some(stop);
    }
}

crate::player::dispatch! {
    fn search<'a>(player: &'a mut Negamax, position: &'a Position, depth: u32, alpha: f32, beta: f32) -> Option<f32>
        = Negamax::negamax
}

impl Negamax {
    pub fn new(random: Random) -> Negamax {
        let (clock, table, limits) = (GameClock::default(), vec![None; TABLE_ENTRIES], Limits::NONE);
        Negamax { random, clock, table, limits, nodes: 0, reached: 2 }
    }

    fn known(&self, key: u64) -> Option<NegamaxEntry> {
        self.table[key as usize % TABLE_ENTRIES].filter(|entry| entry.key == key)
    }

    /// Return the value of a position for the mover, searched `depth` plies deep: exact between
    /// `alpha` and `beta`, else a bound; `None` once the time is over.
    fn negamax<S: Simd>(&mut self, position: &Position, depth: u32, alpha: f32, beta: f32) -> Option<f32> {
        let key = key(position);
        let known = self.known(key);
        if let Some(NegamaxEntry { lower, upper, .. }) = known.filter(|entry| entry.depth >= depth) {
            if lower >= beta || lower == upper {
                return Some(lower);
            }
            if upper <= alpha {
                return Some(upper);
            }
        }
        // The moves with the expected final score after each, for the mover.
        let expectation = Expectation::of(position);
        let moves = position.legal_moves().map(|mv| (expectation.after(position, mv), mv));
        let mut moves: Vec<(f32, Move)> = moves.collect();
        self.nodes += moves.len() as u64;
        let by_value = |a: &(f32, Move), b: &(f32, Move)| a.0.total_cmp(&b.0);
        let (value, best, exact) = if depth <= 1 || position.empty().len() <= 2 {
            // The children's own values: nothing below is searched.
            let (value, best) = moves.into_iter().max_by(by_value).expect("a move");
            (value, best, true)
        } else if self.limits.reached(0) {
            return None;
        } else {
            moves.sort_unstable_by(|a, b| by_value(b, a));
            if let Some(place) = known.and_then(|entry| moves.iter().position(|it| it.1 == entry.best)) {
                moves[..=place].rotate_right(1);
            }
            let mut best = (f32::NEG_INFINITY, moves[0].1);
            for (_, mv) in moves {
                let next = position.after::<S>(mv);
                let value = -self.negamax::<S>(&next, depth - 1, -beta, -best.0.max(alpha))?;
                if value > best.0 {
                    best = (value, mv);
                }
                if value >= beta {
                    break;
                }
            }
            (best.0, best.1, false)
        };
        let lower = if exact || value > alpha { value } else { f32::NEG_INFINITY };
        let upper = if exact || value < beta { value } else { f32::INFINITY };
        self.table[key as usize % TABLE_ENTRIES] = Some(NegamaxEntry { key, lower, upper, best, depth });
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::simd::Portable;
    use crate::player::testing;

    /// The same value without pruning, ordering, table and increments.
    fn minimax(position: &Position, depth: u32) -> f32 {
        let sign = f32::from(position.to_move().sign());
        if depth == 0 || position.final_score().is_some() {
            return sign * Expectation::of(position).score();
        }
        let moves = position.legal_moves();
        let values = moves.map(|mv| -minimax(&position.after::<Portable>(mv), depth - 1));
        values.fold(f32::NEG_INFINITY, f32::max)
    }

    #[test]
    fn alpha_beta_agrees_with_minimax() {
        let mut rng = testing::rng(3);
        for (empty, depth) in [(7, 1), (7, 2), (6, 3), (5, 4), (4, 3)] {
            for _ in 0..20 {
                let position = testing::random_play(&mut rng, empty);
                let player = &mut Negamax::new(Random::new(1));
                let found = search(player, &position, depth, f32::NEG_INFINITY, f32::INFINITY);
                let expected = minimax(&position, depth);
                assert!(found.is_some_and(|found| (found - expected).abs() < 1e-3));
            }
        }
    }
}
