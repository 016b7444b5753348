//! A search against predictable opponents: a UCT over our moves alone, for the highest score.
//!
//! Here an outcome is a score, not won or lost; a reply is drawn and needs no node; and a line has the value
//! of its best playout if the same replies come again.

use std::mem::size_of;

use super::selection::sqrt_ln;
use super::MAX_GAME_PLIES;
use crate::board::{Cell, Move, PackedMove, Player, MAX_LEGAL_MOVES};
use crate::expectation::{greedy_move, Expectation};
use crate::host;
use crate::limits::Limits;
use crate::opponent::{Kind, ReplyModel};
use crate::params::Params;
use crate::position::{Position, Score};
use crate::rng::{scaled, Random};
use crate::simd::Simd;

/// Bytes above which the tree grows no more.
pub const RESPONSE_BYTES: usize = 20 << 20;
/// Exploration constant, in units of the score.
const EXPLORATION: f32 = 16.0;
/// Weight of a move's best playout in its value if the opponent repeats itself; the rest is the mean.
const BEST_WEIGHT: f32 = 0.5;
/// Playouts between two looks at the limits.
const BATCH: u64 = 16;
/// Share of our moves in playouts that do not follow the expected score if the opponent repeats itself.
const EXPLORING: f32 = 0.65;
/// Weights by which such a move is drawn: the largest stone on one of the freest cells, any stone on the
/// worst cell, or any move.
const EXPLORING_WEIGHTS: [u32; 3] = [6, 6, 1];

pub struct Responses {
    /// The moves, the best first, each with its score for the player to move.
    pub moves: Vec<(Move, f32)>,
    pub playouts: u64,
}

/// Rank moves by their scores against an opponent who replies by a model, with a tree of at most `bytes`; a
/// node of the limits is a playout, and moves without a playout are left out. If the opponent repeats itself
/// a move has the value of its best playout, as that line can be played again; otherwise the mean with some caution.
pub fn best_responses(
    position: &Position,
    model: &ReplyModel,
    params: &Params,
    random: &mut Random,
    bytes: usize,
    limits: &Limits,
) -> Responses {
    // The memory is touched only as the tree grows. Without memory nothing is found.
    let Some(mut nodes) = host::with_room(bytes / size_of::<ResponseNode>()) else {
        return Responses { moves: Vec::new(), playouts: 0 };
    };
    nodes.push(ResponseNode::new(0, 0.0));
    let repeated = model.weight_of(Kind::repeats);
    let mut done = 0;
    let mut search = ResponseSearch { nodes, us: position.to_move(), model, repeated, random };
    let most = u64::from(params.response_playouts);
    while done < most && !limits.reached(done) {
        let batch = BATCH.min(most - done);
        run(&mut search, position, batch);
        done += batch;
    }
    let worth = |node: &ResponseNode| {
        let careful = node.mean() - EXPLORATION / (node.visits as f32).sqrt();
        repeated * node.best + (1.0 - repeated) * careful
    };
    let mut played: Vec<&ResponseNode> = search.children(0).iter().filter(|node| node.visits > 1).collect();
    played.sort_by(|a, b| worth(b).total_cmp(&worth(a)).then(b.mean().total_cmp(&a.mean())));
    let moves = played.into_iter().map(|node| (Move::unpacked(node.mv), worth(node))).collect();
    Responses { moves, playouts: done }
}

/// One of our moves, and the positions after the replies to it.
#[derive(Clone, Copy)]
struct ResponseNode {
    /// The children lie side by side, one for each of our moves in the first position reached.
    first_child: u32,
    children: u16,
    mv: PackedMove,
    /// Playouts through the node, and one for the expected score at its start.
    visits: u32,
    /// The sum of their scores for us.
    sum: f32,
    best: f32,
}

const _: () = assert!(size_of::<ResponseNode>() == 20);

impl ResponseNode {
    fn new(mv: PackedMove, sum: f32) -> ResponseNode {
        ResponseNode { first_child: 0, children: 0, mv, visits: 1, sum, best: f32::MIN }
    }

    fn mean(&self) -> f32 {
        self.sum / self.visits as f32
    }
}

struct ResponseSearch<'a> {
    nodes: Vec<ResponseNode>,
    us: Player,
    model: &'a ReplyModel,
    /// The share of the replies that come again if we repeat our moves.
    repeated: f32,
    random: &'a mut Random,
}

crate::dispatch! {
    fn run<'a, 'b>(search: &'a mut ResponseSearch<'b>, position: &'a Position, count: u64) -> () = run_body
}

#[inline(always)]
fn run_body<S: Simd>(search: &mut ResponseSearch, position: &Position, count: u64) {
    for _ in 0..count {
        search.iterate::<S>(*position);
    }
}

impl ResponseSearch<'_> {
    fn children(&self, node: u32) -> &[ResponseNode] {
        let ResponseNode { first_child, children, .. } = self.nodes[node as usize];
        &self.nodes[first_child as usize..][..usize::from(children)]
    }

    /// Go down the tree, expand the leaf, play to the end of the game and back up its score.
    #[inline(always)]
    fn iterate<S: Simd>(&mut self, mut position: Position) {
        // The root, and every other ply.
        let mut path = [0u32; 1 + MAX_GAME_PLIES / 2];
        let (mut length, mut in_tree) = (1, true);
        let score = loop {
            if let Some(score) = position.final_score() {
                break f32::from(self.us.sign() as Score * score);
            }
            let child = if in_tree { self.select(path[length - 1], &position) } else { None };
            let mv = match child {
                Some(child) => {
                    path[length] = child;
                    length += 1;
                    Move::unpacked(self.nodes[child as usize].mv)
                }
                None => self.playout_move(&position),
            };
            in_tree = child.is_some();
            position.play::<S>(mv);
            if position.final_score().is_none() {
                let reply = self.model.draw(self.random).draw(&position, self.random);
                position.play::<S>(reply);
            }
        };
        for &node in &path[..length] {
            let node = &mut self.nodes[node as usize];
            node.visits += 1;
            node.sum += score;
            node.best = node.best.max(score);
        }
    }

    #[inline(always)]
    fn playout_move(&mut self, position: &Position) -> Move {
        let (cells, hand) = (position.empty(), position.hand(self.us));
        let own = |cell: Cell| i32::from(self.us.sign()) * i32::from(position.score(cell));
        let [bits, stone] = [self.random.bits(), self.random.bits()];
        let any_stone = hand.nth(scaled(stone as u32, hand.len()));
        let [freest, worst, any] = EXPLORING_WEIGHTS;
        let exploring = EXPLORING * self.repeated.max(0.01);
        let total = (freest + worst + any) as f32 / exploring;
        let chosen = match scaled(bits as u32, total as u32) {
            drawn if drawn < freest => {
                let freest = |cell: &Cell| (position.free_neighbours(*cell), -own(*cell));
                cells.into_iter().max_by_key(freest).zip(hand.largest())
            }
            drawn if drawn < freest + worst => {
                cells.into_iter().min_by_key(|&cell| own(cell)).map(|cell| (cell, any_stone))
            }
            drawn if drawn < freest + worst + any => {
                Some((cells.nth(scaled((bits >> 32) as u32, cells.len())), any_stone))
            }
            _ => None,
        };
        chosen.map_or_else(|| greedy_move(position), |(cell, stone)| Move { cell, stone })
    }

    /// Choose a child by its value and its exploration term, the first of equals; `None` at the tree's end.
    /// The children were made after other replies: a child on a cell that is taken now does not count.
    #[inline(always)]
    fn select(&mut self, node: u32, position: &Position) -> Option<u32> {
        if self.nodes[node as usize].children == 0 && !self.expand(node, position) {
            return None;
        }
        let ResponseNode { first_child, visits, .. } = self.nodes[node as usize];
        let exploration = EXPLORATION * sqrt_ln(visits);
        let best_weight = BEST_WEIGHT * self.repeated;
        let empty = position.empty();
        let (mut best, mut most) = (None, f32::MIN);
        for (child, n) in self.children(node).iter().zip(first_child..) {
            let mean = child.mean();
            let above = if child.visits > 1 { best_weight * (child.best - mean) } else { 0.0 };
            let score = mean + above + exploration / (child.visits as f32).sqrt();
            if score > most && empty.contains(Move::unpacked(child.mv).cell) {
                (best, most) = (Some(n), score);
            }
        }
        best
    }

    /// Give a node a child for each move, unless it stays a leaf or there is no room. Below the root our
    /// moves have the same values again only after the same replies: there a tree grows only if most replies
    /// are repeated.
    fn expand(&mut self, node: u32, position: &Position) -> bool {
        let is_leaf = node > 0 && (self.nodes[node as usize].visits < 2 || self.repeated < 0.5);
        let first = self.nodes.len();
        if is_leaf || first + MAX_LEGAL_MOVES > self.nodes.capacity() {
            return false;
        }
        let expectation = Expectation::of(position);
        let child = |mv: Move| ResponseNode::new(mv.packed(), expectation.after(position, mv));
        self.nodes.extend(position.legal_moves().map(child));
        let children = (self.nodes.len() - first) as u16;
        let node = &mut self.nodes[node as usize];
        (node.first_child, node.children) = (first as u32, children);
        true
    }
}
