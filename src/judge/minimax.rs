//! Best-first minimax (Korf and Chickering 1996) over estimates: the leaf of the expected line is expanded, again and
//! again, and each position has the number of its best move.
//!
//! Every position is seen by its player to move, as Red. A number is the expected score for that player.

use crate::judge::estimate::Trees;
use crate::judge::exact::counted_bounds;
use crate::judge::worth::{Worth, intersection};
use crate::player::board::Move;
use crate::player::limits::Limits;
use crate::player::position::Position;
use crate::player::simd::Portable;
use crate::player::solver::Bounds;

/// Iterations of the trees of one position.
pub const ITERATIONS: u64 = 500;
/// The moves that are looked at: at the root, and further on.
const WIDTH: [usize; 2] = [6, 4];
/// The mean error of a number in points: at 17 empty cells without any doubt, for each cell more, for each point of doubt
/// in the position's own trees, in those at the end of its line, and for each point by which the look ahead changed it.
const ERROR: [f64; 5] = [0.03, 0.027, 0.4, 1.6, 0.75];
/// The same of a position without a look ahead.
const OWN_ERROR: [f64; 3] = [0.13, 0.023, 2.9];

/// The line is long enough if it has this many moves, with less doubt at its end than the second number, and changed the
/// position's own estimate by less than the third.
const SETTLED: (u32, f64, f64) = (2, 0.02, 0.1);

/// A position, what its own trees say of it, and its best moves as far as they were looked at.
pub struct Node {
    position: Position,
    bounds: Bounds,
    /// The estimate of its own trees, and their doubt, in points.
    own: f64,
    doubt: f64,
    /// The moves, the most promising first.
    promising: Vec<Move>,
    line: Vec<Move>,
    iterations: u64,
    number: f64,
    moves: Vec<(Move, Node)>,
}

impl Node {
    /// Estimate a position, Red to move, within proven bounds.
    pub fn new(position: &Position, bounds: Bounds) -> Node {
        let exact = position.final_score().or(bounds.exact()).map(f64::from);
        let mut trees = Trees::new(position, bounds);
        let iterations = if exact.is_none() { trees.grow(ITERATIONS) } else { 0 };
        let (own, doubt) = exact.map_or_else(|| (trees.score(), trees.doubt()), |score| (score, 0.0));
        let (promising, line, moves) = (trees.moves(), trees.line(), Vec::new());
        Node { position: *position, bounds, own, doubt, promising, line, iterations, number: own, moves }
    }

    /// Look at a move: estimate the position after it.
    fn look_at(&mut self, mv: Move, known: Bounds) {
        if self.moves.iter().all(|(other, _)| *other != mv) {
            let after = self.position.after::<Portable>(mv).with_colours_exchanged();
            let most = Bounds { lower: -self.bounds.upper, ..Bounds::UNKNOWN };
            let bounds = intersection(intersection(counted_bounds(&after), most), known.exchanged());
            self.moves.push((mv, Node::new(&after, bounds)));
        }
    }

    /// Look at the moves that are sure to be listed, and at the promising ones; tell whether there are any.
    fn open(&mut self, sure: &[(Move, Bounds)], width: usize) -> bool {
        let is_open = self.bounds.exact().is_none();
        // Trees that prove soon have tried few moves.
        let more = self.position.legal_moves().filter(|mv| !self.promising.contains(mv));
        let promising = self.promising.iter().copied().chain(more).take(if is_open { width } else { 0 });
        let promising: Vec<(Move, Bounds)> = promising.map(|mv| (mv, Bounds::UNKNOWN)).collect();
        sure.iter().copied().chain(promising).for_each(|(mv, known)| self.look_at(mv, known));
        self.back_up();
        !self.moves.is_empty()
    }

    /// Look at the moves that are sure to be listed, each with what is proven after it, at the promising ones, and ahead
    /// within limits of the iterations in all.
    pub fn look_ahead(&mut self, sure: &[(Move, Bounds)], limits: &Limits) {
        self.open(sure, WIDTH[0]);
        while !limits.reached(self.iterations()) && !self.is_settled() && self.deepen() {}
    }

    /// Tell whether the line has come to its end without a doubt on the way: more of it would tell nothing new.
    fn is_settled(&self) -> bool {
        self.depth() >= SETTLED.0 && self.doubt() < SETTLED.1 && (self.number - self.own).abs() < SETTLED.2
    }

    /// Return the number of moves of the expected line that were looked at.
    fn depth(&self) -> u32 {
        self.best().map_or(0, |(_, node)| 1 + node.depth())
    }

    /// Expand the leaf of the expected line; tell whether there was one with moves.
    fn deepen(&mut self) -> bool {
        let has_grown = match self.best_mut() {
            Some(best) => best.deepen(),
            None => self.open(&[], WIDTH[1]),
        };
        self.back_up();
        has_grown
    }

    /// Return the iterations of all trees.
    pub fn iterations(&self) -> u64 {
        self.iterations + self.moves.iter().map(|(_, node)| node.iterations()).sum::<u64>()
    }

    fn best_mut(&mut self) -> Option<&mut Node> {
        let best = self.moves.iter_mut().min_by(|(_, one), (_, other)| one.number.total_cmp(&other.number));
        best.map(|(_, node)| node)
    }

    fn best(&self) -> Option<&(Move, Node)> {
        self.moves.iter().min_by(|(_, one), (_, other)| one.number.total_cmp(&other.number))
    }

    fn back_up(&mut self) {
        let number = self.best().map_or(self.own, |(_, node)| -node.number);
        self.number = number.clamp(self.bounds.lower.into(), self.bounds.upper.into());
    }

    /// Return the doubt at the end of the expected line.
    fn doubt(&self) -> f64 {
        self.best().map_or(self.doubt, |(_, node)| node.doubt())
    }

    pub fn worth(&self) -> Worth {
        let cells = f64::from(self.position.empty().len().saturating_sub(17));
        let error = if self.moves.is_empty() {
            let [least, of_cells, of_own] = OWN_ERROR;
            least + of_cells * cells + of_own * self.doubt
        } else {
            let [least, of_cells, of_own, of_line, of_change] = ERROR;
            let change = (self.number - self.own).abs();
            least + of_cells * cells + of_own * self.doubt + of_line * self.doubt() + of_change * change
        };
        Worth::estimated(self.bounds, [self.number, error])
    }

    pub fn line(&self) -> Vec<Move> {
        self.best().map_or_else(|| self.line.clone(), |(mv, node)| [vec![*mv], node.line()].concat())
    }

    /// Return the promising moves, those first that the trees tried most.
    pub fn promising(&self) -> &[Move] {
        &self.promising
    }

    /// List the moves that were looked at, each with the worth for Red of the position after it and its line.
    pub fn rated(&self) -> impl Iterator<Item = (Move, Worth, Vec<Move>)> {
        self.moves.iter().map(|(mv, node)| (*mv, node.worth().exchanged(), [vec![*mv], node.line()].concat()))
    }
}
