//! Best-first minimax (Korf and Chickering 1996) over estimates: the leaf of the expected line is expanded,
//! again and again, and each position has the value of its best move.
//!
//! Every position is seen by its player to move, as Red. A value is the expected score for that player.

use crate::judge::estimate::Trees;
use crate::judge::exact::counted_bounds;
use crate::judge::worth::{Worth, intersection};
use crate::player::board::Move;
use crate::player::limits::Limits;
use crate::player::position::Position;
use crate::player::simd::Portable;
use crate::player::solver::Bounds;
use crate::system::map_on_all_cores;

/// Iterations of the trees of one position.
pub const ITERATIONS: u64 = 500;
/// The number of moves that are searched: at the root, and further on.
const WIDTH: [usize; 2] = [6, 4];
/// The terms of the mean error, in points: at 17 empty cells; for each cell more; for each point of doubt in the
/// position's own trees, of doubt at the end of its line, and of change by the search.
const ERROR: [f64; 5] = [0.03, 0.027, 0.4, 1.6, 0.75];
/// The terms without a search.
const OWN_ERROR: [f64; 5] = [0.13, 0.023, 2.9, 0.0, 0.0];

/// A line is long enough with this many moves, if the doubt at its end and its change of the value are
/// smaller than these points.
const SETTLED_MOVES: u32 = 2;
const LINE_DOUBT: f64 = 0.02;
const SETTLED_CHANGE: f64 = 0.1;

/// A position, the estimate of its own trees, and its best moves as far as they were searched.
pub struct MinimaxNode {
    position: Position,
    bounds: Bounds,
    /// The estimate of its own trees, and their doubt, in points.
    own: f64,
    own_doubt: f64,
    /// The moves, the most tried by the trees first.
    pub promising: Vec<Move>,
    line: Vec<Move>,
    iterations: u64,
    value: f64,
    moves: Vec<(Move, MinimaxNode)>,
}

impl MinimaxNode {
    /// Estimate a position, Red to move, within proven bounds.
    pub fn new(position: &Position, bounds: Bounds) -> MinimaxNode {
        let exact = position.final_score().or(bounds.exact()).map(f64::from);
        let mut trees = Trees::new(position, bounds);
        let iterations = if exact.is_none() { trees.grow(ITERATIONS) } else { 0 };
        let (own, own_doubt) = exact.map_or_else(|| (trees.score(), trees.doubt()), |score| (score, 0.0));
        let (promising, line, moves) = (trees.moves(), trees.line(), Vec::new());
        let (position, value) = (*position, own);
        MinimaxNode { position, bounds, own, own_doubt, promising, line, iterations, value, moves }
    }

    /// Estimate the position after a move.
    fn after(&self, mv: Move, known: Bounds) -> MinimaxNode {
        let after = self.position.after::<Portable>(mv).with_colours_exchanged();
        let most = Bounds { lower: -self.bounds.upper, ..Bounds::UNKNOWN };
        let bounds = intersection(intersection(counted_bounds(&after), most), known.exchanged());
        MinimaxNode::new(&after, bounds)
    }

    /// Estimate on all cores the moves to be listed in any case, and the promising ones; tell whether there are any.
    fn open(&mut self, listed: &[(Move, Bounds)], width: usize) -> bool {
        let is_open = self.bounds.exact().is_none();
        // Trees that prove soon have tried few moves.
        let more = self.position.legal_moves().filter(|mv| !self.promising.contains(mv));
        let promising = self.promising.iter().copied().chain(more).take(if is_open { width } else { 0 });
        let mut moves: Vec<(Move, Bounds)> = Vec::new();
        for (mv, known) in listed.iter().copied().chain(promising.map(|mv| (mv, Bounds::UNKNOWN))) {
            if moves.iter().all(|(other, _)| *other != mv) {
                moves.push((mv, known));
            }
        }
        let look = |&(mv, known): &(Move, Bounds)| (mv, self.after(mv, known));
        self.moves.extend(map_on_all_cores(&moves, look, || ()));
        self.back_up();
        !self.moves.is_empty()
    }

    /// Search the moves to be listed in any case, each with the bounds proven after it, and the promising
    /// ones, within limits of all iterations together.
    pub fn search(&mut self, listed: &[(Move, Bounds)], limits: &Limits) {
        self.open(listed, WIDTH[0]);
        while !limits.reached(self.iterations()) && !self.is_settled() && self.deepen() {}
    }

    /// Tell whether the line is long enough, with little doubt and change: more of it would change nothing.
    fn is_settled(&self) -> bool {
        self.depth() >= SETTLED_MOVES && self.line_doubt() < LINE_DOUBT && self.change() < SETTLED_CHANGE
    }

    /// Return the number of moves of the expected line that were searched.
    fn depth(&self) -> u32 {
        self.best().map_or(0, |(_, node)| 1 + node.depth())
    }

    /// Expand the leaf of the expected line; tell whether there was one with moves.
    fn deepen(&mut self) -> bool {
        let has_grown = match self.best_place() {
            Some(place) => self.moves[place].1.deepen(),
            None => self.open(&[], WIDTH[1]),
        };
        self.back_up();
        has_grown
    }

    /// Return the iterations of all trees.
    pub fn iterations(&self) -> u64 {
        self.iterations + self.moves.iter().map(|(_, node)| node.iterations()).sum::<u64>()
    }

    /// Return the place of the best move searched.
    fn best_place(&self) -> Option<usize> {
        (0..self.moves.len()).min_by(|&a, &b| self.moves[a].1.value.total_cmp(&self.moves[b].1.value))
    }

    fn best(&self) -> Option<&(Move, MinimaxNode)> {
        self.best_place().map(|place| &self.moves[place])
    }

    fn back_up(&mut self) {
        let value = self.best().map_or(self.own, |(_, node)| -node.value);
        self.value = value.clamp(self.bounds.lower.into(), self.bounds.upper.into());
    }

    /// Return the doubt at the end of the expected line.
    fn line_doubt(&self) -> f64 {
        self.best().map_or(self.own_doubt, |(_, node)| node.line_doubt())
    }

    /// Return the points by which the search changed the value.
    fn change(&self) -> f64 {
        (self.value - self.own).abs()
    }

    pub fn worth(&self) -> Worth {
        let cells = f64::from(self.position.empty().len().saturating_sub(17));
        let [least, cell, own_doubt, line_doubt, change] =
            if self.moves.is_empty() { OWN_ERROR } else { ERROR };
        let of_doubt = own_doubt * self.own_doubt + line_doubt * self.line_doubt();
        let error = least + cell * cells + of_doubt + change * self.change();
        Worth::estimated(self.bounds, [self.value, error])
    }

    pub fn line(&self) -> Vec<Move> {
        self.best().map_or_else(|| self.line.clone(), |(mv, node)| [vec![*mv], node.line()].concat())
    }

    /// List the moves that were searched, each with the worth for Red of the position after it and its line.
    pub fn rated(&self) -> impl Iterator<Item = (Move, Worth, Vec<Move>)> {
        self.moves.iter().map(|(mv, node)| (*mv, node.worth().exchanged(), [vec![*mv], node.line()].concat()))
    }
}
