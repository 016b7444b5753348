//! What brings most points against an opponent whose replies can be foretold: a tree search in which
//! only we choose.

use crate::board::{Cell, Move, PackedMove, Player, MOST_MOVES};
use crate::limits::Limits;
use crate::opponent::expectation::{greedy_move, Expectation};
use crate::opponent::{ReplyModel, KINDS};
use crate::params::Params;
use crate::position::{Position, Score};
use crate::rng::{scaled, Random};
use crate::search::selection::sqrt_ln;
use crate::simd::Simd;

/// Nodes above which the tree grows no more: 20 bytes each.
const MOST_NODES: usize = 1 << 20;
/// Exploration constant, in points of the score.
const EXPLORATION: f32 = 16.0;
/// Weight of a move's best playout in its value, where replies are known; the rest is the mean.
const BEST_WEIGHT: f32 = 0.5;
/// Share of our moves in playouts that are not the best expected score, where replies are known.
const STRAYS: f32 = 0.65;
/// Playouts between two looks at the limits.
const BATCH: u64 = 16;
/// How often a [stray](STRAYS) move of a playout is the largest stone on one of
/// the freest cells, any stone on the worst cell, and any move at all: lots.
const LOTS: [u32; 3] = [6, 6, 1];

/// What a search for the best response found.
pub struct Responses {
    /// The moves, the best first, each with the final score for the player to move that it is good
    /// for, in points.
    pub moves: Vec<(Move, f32)>,
    /// The playouts it took.
    pub playouts: u64,
}

/// Rank the moves of a position by what they bring against an opponent who replies as a model says.
/// The more of the replies are known for sure, the more counts the best playout through a move, as
/// that line can be played again; else what the mean is with some caution.
///
/// Moves without a playout are left out; nothing when the limits are reached at once. A node of the
/// limits is a playout, of which there are at most [`Params::response_playouts`].
pub fn best_responses(
    position: &Position,
    model: &ReplyModel,
    params: &Params,
    random: &mut Random,
    limits: &Limits,
) -> Responses {
    // The memory is touched only as the tree grows. Without any to be had nothing is found.
    let mut nodes = Vec::new();
    if nodes.try_reserve_exact(MOST_NODES).is_err() {
        return Responses { moves: Vec::new(), playouts: 0 };
    }
    nodes.push(ResponseNode::root());
    let repeated = KINDS.into_iter().zip(model.weights).filter(|(kind, _)| kind.repeats());
    let repeated = repeated.map(|(_, weight)| weight).sum();
    let mut search = ResponseSearch { nodes, us: position.to_move(), model, repeated, random };
    let (mut done, playouts) = (0, u64::from(params.response_playouts));
    while done < playouts && !limits.reached(done) {
        let batch = BATCH.min(playouts - done);
        run(&mut search, position, batch);
        done += batch;
    }
    let score = |node: &ResponseNode| {
        let careful = node.mean() - EXPLORATION / (node.visits as f32).sqrt();
        repeated * node.best + (1.0 - repeated) * careful
    };
    let played = search.children(0).iter().filter(|node| node.visits > 1);
    let mut played: Vec<(Move, f32, f32)> =
        played.map(|node| (Move::unpacked(node.mv), score(node), node.mean())).collect();
    played.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.2.total_cmp(&a.2)));
    Responses { moves: played.into_iter().map(|(mv, score, _)| (mv, score)).collect(), playouts: done }
}

/// One of our moves, and the positions after the replies to it.
#[derive(Clone, Copy)]
struct ResponseNode {
    /// The first of its children, which lie side by side, one for each of our moves in the first
    /// position that was reached.
    first: u32,
    children: u16,
    mv: PackedMove,
    /// Playouts through it, and one for the expected score it begins with.
    visits: u32,
    /// The sum of their scores for us, in points.
    sum: f32,
    /// The best of them.
    best: f32,
}

const _: () = assert!(std::mem::size_of::<ResponseNode>() == 20);

impl ResponseNode {
    fn root() -> ResponseNode {
        ResponseNode { first: 0, children: 0, mv: 0, visits: 1, sum: 0.0, best: f32::MIN }
    }

    #[inline(always)]
    fn mean(&self) -> f32 {
        self.sum / self.visits as f32
    }
}

struct ResponseSearch<'a> {
    nodes: Vec<ResponseNode>,
    us: Player,
    model: &'a ReplyModel,
    /// The share of the replies that come again when we repeat our moves.
    repeated: f32,
    random: &'a mut Random,
}

crate::dispatch! {
    /// Run `count` playouts.
    fn run<'a, 'b>(search: &'a mut ResponseSearch<'b>, position: &'a Position, count: u64) -> () = run_body
}

#[inline(always)]
fn run_body<S: Simd>(search: &mut ResponseSearch, position: &Position, count: u64) {
    for _ in 0..count {
        search.playout::<S>(*position);
    }
}

impl ResponseSearch<'_> {
    fn children(&self, node: u32) -> &[ResponseNode] {
        let ResponseNode { first, children, .. } = self.nodes[node as usize];
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
                // Below the root our moves are worth the same again only after the same replies.
                let fresh = length > 1 && (self.nodes[node as usize].visits < 2 || self.repeated < 0.5);
                if fresh || self.nodes.len() + MOST_MOVES > MOST_NODES {
                    break;
                }
                self.expand(node, &position);
            }
            let Some(child) = self.select(node, &position) else { break };
            path[length] = child;
            length += 1;
            let mv = Move::unpacked(self.nodes[child as usize].mv);
            self.play_both::<S>(&mut position, mv);
        }
        let score = loop {
            if let Some(score) = position.final_score() {
                break f32::from(self.us.sign() as Score * score);
            }
            let mv = self.step(&position);
            self.play_both::<S>(&mut position, mv);
        };
        for &node in &path[..length] {
            let node = &mut self.nodes[node as usize];
            node.visits += 1;
            node.sum += score;
            node.best = node.best.max(score);
        }
    }

    /// Play a move, and a reply, if the game goes on.
    #[inline(always)]
    fn play_both<S: Simd>(&mut self, position: &mut Position, mv: Move) {
        position.play::<S>(mv);
        if position.final_score().is_none() {
            let reply = self.model.draw(self.random).draw(position, self.random);
            position.play::<S>(reply);
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
        let strays = STRAYS * self.repeated.max(0.01);
        let lots = (freest + worst + stray) as f32 / strays;
        let chosen = match scaled(lot as u32, lots as u32) {
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
            ResponseNode { mv: mv.packed(), sum, ..ResponseNode::root() }
        }));
        let children = (self.nodes.len() - first) as u16;
        let node = &mut self.nodes[node as usize];
        (node.first, node.children) = (first as u32, children);
    }

    /// Choose a child by its value and by how little it is known; of equals the first. Other replies
    /// may have left other cells than when the children were made: those that are taken do not
    /// count.
    #[inline(always)]
    fn select(&self, node: u32, position: &Position) -> Option<u32> {
        let ResponseNode { first, visits, .. } = self.nodes[node as usize];
        let exploration = EXPLORATION * sqrt_ln(visits);
        let best_weight = BEST_WEIGHT * self.repeated;
        let empty = position.empty();
        let (mut best, mut most) = (None, f32::MIN);
        for (child, n) in self.children(node).iter().zip(first..) {
            let mean = child.mean();
            let above = if child.visits > 1 { best_weight * (child.best - mean) } else { 0.0 };
            let score = mean + above + exploration / (child.visits as f32).sqrt();
            if score > most && empty.contains(Move::unpacked(child.mv).cell) {
                (best, most) = (Some(n), score);
            }
        }
        best
    }
}
