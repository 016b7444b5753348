//! What does best against a player who follows the expected score: its replies can be foretold, so
//! what is left is a search for one player.

use crate::player::board::{Cell, Move, Player};
use crate::player::limits::Limits;
use crate::player::opponent::expectation::{Expectation, MOST_MOVES, greedy_move};
use crate::player::position::{Position, Score};
use crate::player::rng::{Random, scaled};
use crate::player::search::tree::{Packed, pack, unpack};
use crate::player::simd::Simd;

/// Exploration constant, in points.
const EXPLORATION: f32 = 16.0;
/// Weight of a move's best playout in its value; the rest is the mean. The replies are foretold, so
/// the best line can be played as it was found.
const BEST: f32 = 0.5;
/// Nodes above which the tree grows no more: 20 bytes each.
const MOST_NODES: usize = 1 << 20;
/// Playouts between two looks at the limits.
const BATCH: u64 = 16;
/// How often, of 20 times, our move in a playout is the largest stone on one of the freest cells,
/// any stone on the worst cell, and any move at all; else it is the move with the best expected
/// score.
const LOTS: [u32; 3] = [6, 6, 1];

/// List the moves of a position by what they bring against an opponent who always takes the move
/// with the best expected score, the best first: each with the best final score for the player to
/// move that any of up to `playouts` playouts through it has found, in points; of equals the one
/// with the better mean first. Moves without a playout are left out; nothing when the limits are
/// reached at once. A node of the limits is a playout.
pub fn moves_against_follower(
    position: &Position,
    playouts: u64,
    random: &mut Random,
    limits: &Limits,
) -> Vec<(Move, f32)> {
    // The memory is touched only as the tree grows. Without any to be had nothing is found.
    let mut nodes = Vec::new();
    if nodes.try_reserve_exact(MOST_NODES).is_err() {
        return Vec::new();
    }
    nodes.push(FollowerNode::root());
    let mut search = FollowerSearch { nodes, us: position.to_move(), random };
    let mut done = 0;
    while done < playouts && !limits.reached(done) {
        let batch = BATCH.min(playouts - done);
        run(&mut search, position, batch);
        done += batch;
    }
    let mut played: Vec<&FollowerNode> = search.children(0).iter().filter(|node| node.visits > 1).collect();
    played.sort_by(|a, b| b.best.total_cmp(&a.best).then(b.value().total_cmp(&a.value())));
    played.into_iter().map(|node| (unpack(node.mv), node.best)).collect()
}

/// One of our moves, and the position after the foretold reply.
#[derive(Clone, Copy)]
struct FollowerNode {
    /// The first of its children, which lie side by side, one for each of our moves.
    first: u32,
    children: u16,
    mv: Packed,
    /// Playouts through it, and one for the expected score it begins with.
    visits: u32,
    /// The sum of their scores for us, in points.
    sum: f32,
    /// The best of them.
    best: f32,
}

const _: () = assert!(std::mem::size_of::<FollowerNode>() == 20);

impl FollowerNode {
    fn root() -> FollowerNode {
        FollowerNode { first: 0, children: 0, mv: 0, visits: 1, sum: 0.0, best: f32::MIN }
    }

    /// Return what it is worth, in points.
    #[inline(always)]
    fn value(&self) -> f32 {
        let mean = self.sum / self.visits as f32;
        if self.visits > 1 { mean + BEST * (self.best - mean) } else { mean }
    }
}

struct FollowerSearch<'a> {
    nodes: Vec<FollowerNode>,
    us: Player,
    random: &'a mut Random,
}

crate::player::dispatch! {
    /// Run `count` playouts.
    fn run<'a, 'b>(search: &'a mut FollowerSearch<'b>, position: &'a Position, count: u64) = run_body
}

#[inline(always)]
fn run_body<S: Simd>(search: &mut FollowerSearch, position: &Position, count: u64) {
    for _ in 0..count {
        search.playout::<S>(*position);
    }
}

impl FollowerSearch<'_> {
    fn children(&self, node: u32) -> &[FollowerNode] {
        let FollowerNode { first, children, .. } = self.nodes[node as usize];
        &self.nodes[first as usize..][..usize::from(children)]
    }

    /// One playout: down the tree, which grows by a level where it is left a second time, and to
    /// the end of the game.
    #[inline(always)]
    fn playout<S: Simd>(&mut self, mut position: Position) {
        let mut path = [0u32; 20];
        let mut length = 1;
        while position.final_score().is_none() {
            let node = path[length - 1];
            if self.nodes[node as usize].children == 0 {
                let fresh = length > 1 && self.nodes[node as usize].visits < 2;
                if fresh || self.nodes.len() + MOST_MOVES > MOST_NODES {
                    break;
                }
                self.expand(node, &position);
            }
            path[length] = self.select(node);
            let mv = unpack(self.nodes[path[length] as usize].mv);
            length += 1;
            play_both::<S>(&mut position, mv);
        }
        let score = loop {
            if let Some(score) = position.final_score() {
                break f32::from(self.us.sign() as Score * score);
            }
            let mv = self.step(&position);
            play_both::<S>(&mut position, mv);
        };
        for &node in &path[..length] {
            let node = &mut self.nodes[node as usize];
            node.visits += 1;
            node.sum += score;
            node.best = node.best.max(score);
        }
    }

    /// Choose our move in a playout.
    #[inline(always)]
    fn step(&mut self, position: &Position) -> Move {
        let (cells, hand) = (position.empty(), position.hand(self.us));
        let any = |bits| hand.nth(scaled(bits, hand.len()));
        let suits = |cell: Cell| i32::from(self.us.sign()) * i32::from(position.score(cell));
        let [lot, stone] = [self.random.bits(), self.random.bits()];
        let [freest, worst, stray] = LOTS;
        let chosen = match scaled(lot as u32, 20) {
            lot if lot < freest => {
                let cell =
                    cells.into_iter().max_by_key(|&cell| (position.free_neighbours(cell), -suits(cell)));
                cell.zip(hand.largest())
            }
            lot if lot < freest + worst => {
                cells.into_iter().min_by_key(|&cell| suits(cell)).map(|cell| (cell, any(stone as u32)))
            }
            n if n < freest + worst + stray => {
                Some((cells.nth(scaled((lot >> 32) as u32, cells.len())), any(stone as u32)))
            }
            _ => None,
        };
        chosen.map_or_else(|| greedy_move(position), |(cell, stone)| Move { cell, stone })
    }

    /// Give a node a child for each move.
    fn expand(&mut self, node: u32, position: &Position) {
        let expectation = Expectation::of(position);
        let first = self.nodes.len();
        self.nodes.extend(position.legal_moves().map(|mv| {
            let sum = expectation.after(position, mv);
            FollowerNode { mv: pack(mv), sum, ..FollowerNode::root() }
        }));
        let children = (self.nodes.len() - first) as u16;
        let node = &mut self.nodes[node as usize];
        (node.first, node.children) = (first as u32, children);
    }

    /// Choose a child by its value and by how little it is known; of equals the first.
    #[inline(always)]
    fn select(&self, node: u32) -> u32 {
        let FollowerNode { first, visits, .. } = self.nodes[node as usize];
        let exploration = EXPLORATION * crate::player::search::selection::sqrt_ln(visits);
        let (mut best, mut most) = (first, f32::MIN);
        for (child, n) in self.children(node).iter().zip(first..) {
            let score = child.value() + exploration / (child.visits as f32).sqrt();
            if score > most {
                (best, most) = (n, score);
            }
        }
        best
    }
}

/// Play a move, and the foretold reply, if the game goes on.
#[inline(always)]
fn play_both<S: Simd>(position: &mut Position, mv: Move) {
    position.play::<S>(mv);
    if position.final_score().is_none() {
        let reply = greedy_move(position);
        position.play::<S>(reply);
    }
}
