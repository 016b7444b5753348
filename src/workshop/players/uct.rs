//! `uct`: plain UCT with solved nodes and independent threads.

use std::thread;
use std::time::{Duration, Instant};

use super::clock::even_share;
use super::options::PlayerOptions;
use super::tree::{RootMove, TreeSettings, UctTree, best_by};
use crate::player::agent::{Agent, Choice};
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
pub(super) struct Uct(Vec<UctTree>);

impl Uct {
    pub fn new(options: &mut PlayerOptions, mut random: Random) -> Result<Uct, String> {
        let settings = TreeSettings {
            bonus: options.number("bonus", 0.0..=1000.0)?.unwrap_or(0.0),
            discount: options.number("discount", 0.0..=1.0)?.unwrap_or(1.0),
            ..TreeSettings::of(options)?
        };
        let threads = options.number("threads", 1..=256)?.unwrap_or(1);
        let trees = (0..threads).map(|_| UctTree::new(settings, Random::new(random.bits())));
        Ok(Uct(trees.collect()))
    }

    /// Search with all trees at the same time; return the moves and the number of simulations.
    fn search(&mut self, position: &Position, moves: &[Move], limits: &Limits) -> (Vec<RootMove>, u64) {
        let (first, others) = self.0.split_first_mut().expect("a tree at least");
        thread::scope(|scope| {
            let others = others.iter_mut().map(|tree| scope.spawn(|| tree.search(position, moves, limits)));
            let others: Vec<_> = others.collect();
            let (mut sum, mut nodes) = first.search(position, moves, limits);
            for (moves, more) in others.into_iter().filter_map(|search| search.join().ok()) {
                nodes += more;
                for mv in &mut sum {
                    if let Some(other) = moves.iter().find(|other| other.mv == mv.mv) {
                        mv.add(other);
                    }
                }
            }
            (sum, nodes)
        })
    }
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
        let (moves, nodes) = self.search(position, &moves, &limits);
        Choice { nodes, elapsed: begin.elapsed(), ..best_by(&moves, |mv| merit(position, mv)) }
    }
}
