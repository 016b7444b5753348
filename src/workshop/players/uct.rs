//! `uct`: plain UCT with solved nodes and independent threads.

use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use super::clock::even_share;
use super::options::PlayerOptions;
use super::tree::{RootMove, TreeSettings, UctNode, UctTree, best_by};
use crate::player::agent::{Agent, Choice};
use crate::player::board::Move;
use crate::player::expectation::Expectation;
use crate::player::limits::Limits;
use crate::player::position::Position;
use crate::player::rng::Random;

/// After Folkersen's Hex project: UCT with a transposition table, solved nodes marked and propagated, cells
/// analysed only after a threshold of visits, an optional bonus for unvisited children and discount of later
/// outcomes, and several independent searches with their root statistics summed by visits.
///
/// His dead and captured cells become decided positions and stale cells.
pub(super) struct Uct {
    trees: Vec<UctTree>,
    limits: Limits,
}

impl Uct {
    pub fn new(options: &mut PlayerOptions, mut random: Random) -> Uct {
        let settings = TreeSettings {
            bonus: options.number("bonus", 0.0..=1000.0).unwrap_or(0.0),
            discount: options.number("discount", 0.0..=1.0).unwrap_or(1.0),
            ..TreeSettings::of(options)
        };
        let threads = options.number("threads", 1..=256).unwrap_or(1);
        let trees = (0..threads).map(|_| UctTree::new(settings, Random::new(random.bits()))).collect();
        Uct { trees, limits: Limits::NONE }
    }

    /// Search with all trees at the same time; return the moves, and the number of simulations.
    fn search(&mut self, position: &Position, moves: &[Move], limits: &Limits) -> (Vec<RootMove>, u64) {
        let (first, others) = self.trees.split_first_mut().expect("a tree at least");
        thread::scope(|scope| {
            // Do without a thread that cannot be started.
            let searches = others.iter_mut().map(|tree| move || tree.search(position, moves, limits));
            let start = |search| thread::Builder::new().spawn_scoped(scope, search).ok();
            let others: Vec<_> = searches.filter_map(start).collect();
            let (mut sum, mut nodes) = first.search(position, moves, limits);
            for (others, more) in others.into_iter().filter_map(|search| search.join().ok()) {
                nodes += more;
                for (mv, node) in &mut sum {
                    if let Some((_, other)) = others.iter().find(|other| other.0 == *mv) {
                        node.add(other);
                    }
                }
            }
            (sum, nodes)
        })
    }
}

/// Rank moves: solved wins, then by visits, then untried moves, then solved draws and losses; solved moves
/// of the same outcome by their expected points.
fn merit(position: &Position, mv: Move, node: &UctNode) -> f32 {
    if !node.solved {
        return if node.visits == 0 { -1e3 } else { node.visits as f32 };
    }
    let expected = Expectation::of(position).after(position, mv);
    expected + if node.value > 0.0 { 1e9 } else { 1e4 * node.value - 1e4 }
}

impl Agent for Uct {
    fn choose(&mut self, position: &Position, remaining: Duration) -> Choice {
        let begin = Instant::now();
        let moves: Vec<Move> = position.legal_moves().collect();
        let limits = Limits { deadline: Some(begin + even_share(position, remaining)), ..self.limits };
        let (moves, nodes) = self.search(position, &moves, &limits);
        Choice { nodes, elapsed: begin.elapsed(), ..best_by(&moves, |mv, node| merit(position, mv, node)) }
    }

    fn heed(&mut self, stop: &'static AtomicBool) {
        self.limits.stop = Some(stop);
    }
}
