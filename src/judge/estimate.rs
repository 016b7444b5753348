//! The expected final score of a position that is not solved, by trees of the player's search without a model
//! of the opponent.

use crate::judge::likely::likely_score;
use crate::player::alpha::Target;
use crate::player::board::Move;
use crate::player::limits::Limits;
use crate::player::params::Params;
use crate::player::position::Position;
use crate::player::search::{Replies, Search};
use crate::player::solver::Bounds;

/// After this many iterations an estimate with less doubt than [`SETTLED_DOUBT`] points is not refined.
const SETTLED_ITERATIONS: u64 = 500;
const SETTLED_DOUBT: f64 = 0.01;
/// Iterations between two choices of a tree.
const CHUNK: u64 = 16;
/// Visits from which a tree's chance shows whether a farther target is open, too.
const TRUSTED_VISITS: u32 = 16;
/// No tree is grown beyond a target whose chance is this near to 0 or to 1.
const CLOSED: f32 = 0.05;
/// The true log-odds of the player to move are those of its tree times the scale, plus the shift.
const CALIBRATION_SCALE: f64 = 4.0;
const CALIBRATION_SHIFT: f64 = 1.5;
/// The least chance for which a target is played for.
const CHOOSE: f64 = 0.45;
/// Bytes of the trees.
const MEMORY: usize = 4 << 20;

/// The trees of one position, Red to move, for the targets within proven bounds that are in doubt.
pub struct Trees {
    search: Search,
    bounds: Bounds,
    low: i32,
    high: i32,
}

impl Trees {
    pub fn new(position: &Position, bounds: Bounds) -> Trees {
        let [least, most] = [bounds.lower, bounds.upper].map(i32::from);
        let first = i32::from(likely_score(position)).clamp((least + 1).min(most), most);
        let search = Search::new(position, &Params::default(), 1, MEMORY);
        Trees { search, bounds, low: first, high: first }
    }

    /// Return Red's chance to reach α, 0..=1.
    fn chance(&self, alpha: i32) -> f32 {
        self.search.red_value(Target::new(alpha)).unwrap_or(0.5)
    }

    fn is_proven(&self, alpha: i32) -> bool {
        self.search.proven_winner(Target::new(alpha), Replies::Strong).is_some()
    }

    /// Spend up to this many more iterations where they help most: on a next target while the last one is
    /// open, else on the target whose chance is least certain. Return those spent.
    pub fn grow(&mut self, more: u64) -> u64 {
        let begun = self.search.iterations();
        let [least, most] = [self.bounds.lower, self.bounds.upper].map(i32::from);
        let is_settled =
            |trees: &Trees| trees.search.iterations() >= SETTLED_ITERATIONS && trees.doubt() < SETTLED_DOUBT;
        while self.search.iterations() - begun < more && !is_settled(self) {
            let is_known = |alpha: i32| {
                self.search.visits(Target::new(alpha)) >= TRUSTED_VISITS || self.is_proven(alpha)
            };
            let next = if is_known(self.low) && self.chance(self.low) < 1.0 - CLOSED && self.low > least + 1 {
                self.low -= 1;
                self.low
            } else if is_known(self.high) && self.chance(self.high) > CLOSED && self.high < most {
                self.high += 1;
                self.high
            } else {
                let open = (self.low..=self.high).filter(|&alpha| !self.is_proven(alpha));
                let Some(next) = open.max_by(|&a, &b| self.gain(a).total_cmp(&self.gain(b))) else { break };
                next
            };
            let left = more - (self.search.iterations() - begun);
            self.search.run(Target::new(next), Replies::Strong, &Limits::nodes(left.min(CHUNK)));
        }
        self.search.iterations() - begun
    }

    /// Return about how much one more iteration lowers the variance of a target's chance.
    fn gain(&self, alpha: i32) -> f32 {
        let (chance, visits) = (self.chance(alpha), self.search.visits(Target::new(alpha)) as f32);
        (chance * (1.0 - chance)).max(0.001) / (visits + TRUSTED_VISITS as f32).powi(2)
    }

    /// Return Red's calibrated chance to reach a target, 0..=1.
    fn hope(&self, alpha: i32) -> f64 {
        let own = f64::from(self.chance(alpha));
        let odds = CALIBRATION_SCALE * (own / (1.0 - own)).ln() + CALIBRATION_SHIFT;
        if self.is_proven(alpha) { own } else { 1.0 / (1.0 + (-odds).exp()) }
    }

    /// Return the expected score: the chances that the score is α or more, added up for all α.
    pub fn score(&self) -> f64 {
        f64::from(self.low - 1) + (self.low..=self.high).map(|alpha| self.hope(alpha)).sum::<f64>()
    }

    /// Return the doubt of the trees, in points: p (1 - p), added up over the chances p.
    pub fn doubt(&self) -> f64 {
        (self.low..=self.high).map(|alpha| self.hope(alpha) * (1.0 - self.hope(alpha))).sum()
    }

    /// List the moves, the most visited for the targets in doubt first.
    pub fn moves(&self) -> Vec<Move> {
        let mut shares: Vec<(Move, f64)> = Vec::new();
        for alpha in self.low..=self.high {
            let candidates = self.search.candidates(Target::new(alpha), Replies::Strong);
            let visits = f64::from(self.search.visits(Target::new(alpha)).max(1));
            // Decided targets count a little, for moves beyond those in doubt.
            let weight = 0.01 + self.hope(alpha) * (1.0 - self.hope(alpha));
            for it in candidates {
                let share = weight * f64::from(it.visits) / visits;
                match shares.iter_mut().find(|(mv, _)| *mv == it.mv) {
                    Some((_, sum)) => *sum += share,
                    None => shares.push((it.mv, share)),
                }
            }
        }
        shares.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        shares.into_iter().map(|(mv, _)| mv).collect()
    }

    /// Return the expected line of both for the hardest target that is worth playing for.
    pub fn line(&self) -> Vec<Move> {
        let moves = |alpha: i32| self.search.candidates(Target::new(alpha), Replies::Strong);
        let known = || (self.low..=self.high).filter(|&alpha| !moves(alpha).is_empty());
        let target = known().rfind(|&alpha| self.hope(alpha) >= CHOOSE).or(known().next());
        let Some((alpha, first)) = target.and_then(|alpha| Some((alpha, moves(alpha).first()?.mv))) else {
            return Vec::new();
        };
        self.search.variation_after(Target::new(alpha), first).to_vec()
    }
}
