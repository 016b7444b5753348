//! `uct`: plain UCT with solved nodes and independent threads.

use std::thread;
use std::time::{Duration, Instant};

use super::clock::even_share;
use super::options::PlayerOptions;
use super::tree::{RootMove, TreeSettings, UctTree};
use crate::player::agent::{Agent, Choice, Reason};
use crate::player::board::Move;
use crate::player::limits::Limits;
use crate::player::opponent::expectation::expected_score;
use crate::player::position::Position;
use crate::player::rng::Random;
use crate::player::simd::Portable;

/// After Folkersen's Hex project: UCT with a transposition table, solved nodes marked and
/// propagated, cells analysed only after a threshold of visits, optionally a bonus for unvisited
/// children and a discount of later outcomes; and several independent searches whose root
/// statistics are summed by visits.
///
/// His dead and captured cells become decided positions and stale cells.
pub(super) struct Uct {
    trees: Vec<UctTree>,
}

impl Uct {
    pub fn new(options: &PlayerOptions, mut rng: Random) -> Result<Uct, String> {
        let settings = TreeSettings {
            exploration: options.number("c", 0.0..=10.0)?.unwrap_or(0.3),
            bonus: options.number("bonus", 0.0..=1000.0)?.unwrap_or(0.0),
            discount: options.number("discount", 0.0..=1.0)?.unwrap_or(1.0),
            knowledge: options.number("knowledge", 0..=1_000_000)?.unwrap_or(8),
        };
        let threads = options.number("threads", 1..=256)?.unwrap_or(1);
        let trees = (0..threads).map(|_| UctTree::new(settings, Random::new(rng.bits())));
        Ok(Uct { trees: trees.collect() })
    }
}

/// Sum the statistics of independent searches, weighted by visits.
fn sum(results: &[Vec<RootMove>]) -> Vec<RootMove> {
    let Some((first, others)) = results.split_first() else { return Vec::new() };
    let mut all = first.clone();
    for mv in &mut all {
        for other in others.iter().flatten().filter(|other| other.mv == mv.mv) {
            let visits = mv.visits + other.visits;
            if other.solved || !mv.solved {
                let weighted = mv.value * mv.visits as f32 + other.value * other.visits as f32;
                let mean = if visits > 0 { weighted / visits as f32 } else { 0.0 };
                mv.value = if other.solved { other.value } else { mean };
            }
            mv.solved |= other.solved;
            mv.visits = visits;
        }
    }
    all
}

/// Search with all trees at the same time.
fn search(
    trees: &mut [UctTree],
    position: &Position,
    moves: &[Move],
    limits: &Limits,
) -> (Vec<RootMove>, u64) {
    if let [tree] = trees {
        return tree.search(position, moves, limits);
    }
    let results: Vec<(Vec<RootMove>, u64)> = thread::scope(|scope| {
        let searches = trees.iter_mut().map(|tree| scope.spawn(|| tree.search(position, moves, limits)));
        let searches: Vec<_> = searches.collect();
        searches.into_iter().filter_map(|search| search.join().ok()).collect()
    });
    let nodes = results.iter().map(|(_, nodes)| nodes).sum();
    (sum(&results.into_iter().map(|(moves, _)| moves).collect::<Vec<_>>()), nodes)
}

/// Make the report of a search that ended with `best`.
pub(super) fn searched(best: &RootMove, nodes: u64, begin: Instant) -> Choice {
    let reason = if best.solved { Reason::Solved } else { Reason::Searched };
    let (value, elapsed) = (0.5 + best.value / 2.0, begin.elapsed());
    Choice { reason, chance: value, nodes, elapsed, ..Choice::unsearched(best.mv) }
}

/// Rank moves: solved wins, then by visits, then moves never tried, then solved draws and losses.
/// Among solved moves of the same outcome points decide, which wins and losses say nothing about.
fn merit(position: &Position, mv: &RootMove) -> f32 {
    if !mv.solved {
        return if mv.visits == 0 { -1e3 } else { mv.visits as f32 };
    }
    let next = position.after::<Portable>(mv.mv);
    let expected = f32::from(position.to_move().sign()) * expected_score(&next);
    expected + if mv.value > 0.0 { 1e9 } else { 1e4 * mv.value - 1e4 }
}

impl Agent for Uct {
    fn choose(&mut self, position: &Position, remaining: Duration) -> Choice {
        let begin = Instant::now();
        let moves: Vec<Move> = position.legal_moves().collect();
        let limits = Limits::until(begin + even_share(position, remaining));
        let (moves, nodes) = search(&mut self.trees, position, &moves, &limits);
        let best = moves.iter().max_by(|a, b| merit(position, a).total_cmp(&merit(position, b)));
        searched(best.expect("a position with a move to play"), nodes, begin)
    }
}
