//! The expected final score of a position that is not solved, the same for review and board.

use crate::judge::likely::likely_score;
use crate::player::alpha::Target;
use crate::player::board::{Move, Player};
use crate::player::limits::Limits;
use crate::player::params::Params;
use crate::player::position::{MAX_SCORE, Position};
use crate::player::search::{Assumed, Line, Search};
use crate::player::solver::Bounds;

/// Iterations of all trees of one estimate: some hundredths of a second.
pub const ITERATIONS: u64 = 2_000;
/// After these iterations an estimate with less doubt than the second number is not refined.
const SETTLED: (u64, f64) = (500, 0.01);
/// Iterations between two choices of a tree.
const CHUNK: u64 = 16;
/// Visits from which a tree's chance tells whether a farther target is open, too.
const TOLD_VISITS: u32 = 16;
/// Targets of a smaller chance, and of one as near to 1, end the row of trees.
const CLOSED: f32 = 0.05;
/// True log-odds of the player to move: this times those of its tree, and the second number.
const CALIBRATION: [f64; 2] = [2.0, 0.5];
/// The least chance for which a target is played for.
const CHOOSE: f64 = 0.45;
/// Bytes of the trees.
const MEMORY: usize = 32 << 20;

/// An expected final score, red minus blue, under best play of both, with its error.
#[derive(Clone, Debug)]
pub struct Estimate {
    pub score: f64,
    /// The [measured error](error_at) for the position's number of empty cells.
    pub error: f64,
    /// The doubt of the trees, in points: p (1 - p), added up over the chances p. The error grows with it.
    pub doubt: f64,
    /// The most visited move of the target whose chance is nearest to even, and the line from it.
    pub best: Option<Move>,
    pub line: Line,
    pub iterations: u64,
}

/// Estimate a position's score, held within proven bounds; the game must not be over. The same position has the
/// same estimate every time.
pub fn estimate(position: &Position, bounds: Bounds) -> Estimate {
    let mut trees = Trees::new(position);
    trees.grow();
    let (best, line) = trees.best();
    let score = tenth(trees.score().clamp(bounds.lower.into(), bounds.upper.into()));
    let (doubt, iterations) = (trees.doubt(), trees.search.iterations());
    let error = error_at(position.empty().len());
    Estimate { score, error, doubt, best, line, iterations }
}

/// Mean errors measured for 17, 18, … empty cells, in strong and weak games alike. Above 24 cells nothing is exact to
/// measure on. See benches/README.md.
const ERRORS: [f64; 8] = [0.2, 0.2, 0.3, 0.3, 0.4, 0.3, 0.3, 0.5];

/// Return the mean error, in points, of an estimate with this number of empty cells.
pub fn error_at(empty: u32) -> f64 {
    ERRORS[(empty.max(17) as usize - 17).min(ERRORS.len() - 1)]
}

/// Round to a tenth of a point, and never to -0.
pub fn tenth(points: f64) -> f64 {
    (10.0 * points).round() / 10.0 + 0.0
}

struct Trees {
    search: Search,
    low: i32,
    high: i32,
}

impl Trees {
    fn new(position: &Position) -> Trees {
        let first = i32::from(likely_score(position));
        Trees { search: Search::new(position, &Params::default(), 1, MEMORY), low: first, high: first }
    }

    /// Return Red's chance to reach α, 0..=1.
    fn chance(&self, alpha: i32) -> f32 {
        self.search.red_value(Target::new(alpha)).unwrap_or(0.5)
    }

    fn is_proven(&self, alpha: i32) -> bool {
        self.search.proven_winner(Target::new(alpha), Assumed::Strong).is_some()
    }

    /// Spend the iterations where they tell most: on a next target while the last one is open, else on the
    /// target whose chance is the least sure.
    fn grow(&mut self) {
        let end = i32::from(MAX_SCORE);
        let is_settled = |trees: &Trees| trees.search.iterations() >= SETTLED.0 && trees.doubt() < SETTLED.1;
        while self.search.iterations() < ITERATIONS && !is_settled(self) {
            let told =
                |alpha: i32| self.search.visits(Target::new(alpha)) >= TOLD_VISITS || self.is_proven(alpha);
            let next = if told(self.low) && self.chance(self.low) < 1.0 - CLOSED && self.low > -end {
                self.low -= 1;
                self.low
            } else if told(self.high) && self.chance(self.high) > CLOSED && self.high < end {
                self.high += 1;
                self.high
            } else {
                let open = (self.low..=self.high).filter(|&alpha| !self.is_proven(alpha));
                let Some(next) = open.max_by(|&a, &b| self.gain(a).total_cmp(&self.gain(b))) else { break };
                next
            };
            let left = ITERATIONS - self.search.iterations();
            self.search.run(Target::new(next), Assumed::Strong, &Limits::nodes(left.min(CHUNK)));
        }
    }

    /// Return about how much one more iteration lowers the variance of a target's chance.
    fn gain(&self, alpha: i32) -> f32 {
        let (chance, visits) = (self.chance(alpha), self.search.visits(Target::new(alpha)) as f32);
        (chance * (1.0 - chance)).max(0.001) / (visits + TOLD_VISITS as f32).powi(2)
    }

    /// Return the chance of the player to move to reach its side of a target, 0..=1.
    fn hope(&self, alpha: i32) -> f64 {
        let red = f64::from(self.chance(alpha));
        let own = if self.search.root().to_move() == Player::Red { red } else { 1.0 - red };
        let [scale, shift] = CALIBRATION;
        let odds = scale * (own / (1.0 - own)).ln() + shift;
        if self.is_proven(alpha) { own } else { 1.0 / (1.0 + (-odds).exp()) }
    }

    /// Return the expected score: the chances that the score is α or more, added up for all α.
    fn score(&self) -> f64 {
        let red = |hope: f64| if self.search.root().to_move() == Player::Red { hope } else { 1.0 - hope };
        let chances = (self.low..=self.high).map(|alpha| red(self.hope(alpha)));
        f64::from(self.low - 1) + chances.sum::<f64>()
    }

    fn doubt(&self) -> f64 {
        (self.low..=self.high).map(|alpha| self.hope(alpha) * (1.0 - self.hope(alpha))).sum()
    }

    /// Return the best move for the hardest target that is worth playing for, and the line from it.
    fn best(&self) -> (Option<Move>, Line) {
        let moves = |alpha: i32| self.search.candidates(Target::new(alpha), Assumed::Strong);
        let mut known: Vec<i32> = (self.low..=self.high).filter(|&alpha| !moves(alpha).is_empty()).collect();
        // The easiest first.
        if self.search.root().to_move() == Player::Blue {
            known.reverse();
        }
        let hopeful = known.iter().rfind(|&&alpha| self.hope(alpha) >= CHOOSE).or(known.first());
        let found = hopeful.and_then(|&alpha| Some((alpha, moves(alpha).first()?.mv)));
        let line = found.map(|(alpha, mv)| self.search.variation_after(Target::new(alpha), mv));
        (found.map(|(_, mv)| mv), line.unwrap_or_default())
    }
}
