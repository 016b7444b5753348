//! Selection formulas (§3.0.3, §3.0.4), over eight moves at a time.
#![allow(clippy::needless_range_loop)] // lane loops read better, and vectorise, with an index

use super::amaf::{amaf_counts, Amaf};
use crate::board::Player;
use crate::params::Params;

pub const LANES: usize = 8;

/// Equivalence parameter c_r of RAVE (§3.0.4): the larger, the sooner visits outweigh AMAF statistics.
pub const EQUIVALENCE: f32 = 0.01;
/// First-play urgency: value of a move without statistics, for either player.
pub const FIRST_PLAY: f32 = 0.5;
/// The score of an open move without visits and without a prior.
const UNTRIED: f32 = 1e10;

#[derive(Clone, Copy, Debug)]
pub struct Formula {
    /// c_e √(ln N(s)).
    exploration: f32,
    /// Whether the player to move is Red, who wants high values.
    red: bool,
}

/// Return √(ln n), by a logarithm that is linear between powers of two: the same bits on every machine.
#[inline(always)]
pub fn sqrt_ln(n: u32) -> f32 {
    let n = n.max(1);
    let power = n.ilog2();
    let fraction = n as f32 / (1u64 << power) as f32 - 1.0;
    ((power as f32 + fraction) * std::f32::consts::LN_2).sqrt()
}

/// Return the logistic function 1 / (1 + e^-x), to within 0.02, by a rational approximation of tanh
/// that has the same bits on every machine.
#[inline(always)]
pub fn logistic(x: f32) -> f32 {
    let t = (0.5 * x).clamp(-3.0, 3.0);
    0.5 + 0.5 * t * (27.0 + t * t) / (27.0 + 9.0 * t * t)
}

impl Formula {
    #[inline(always)]
    pub fn new(params: &Params, mover: Player, visits: u32) -> Formula {
        Formula { exploration: params.exploration * sqrt_ln(visits), red: mover == Player::Red }
    }

    /// Score an edge by its [value for Red](super::tree::Edge::red_value): the RAVE mixture of its own and
    /// its AMAF mean plus the exploration term. An edge without visits has its prior, with the exploration
    /// term of one visit; without a prior the edge comes before all others.
    ///
    /// With N, W (visits, wins) and N̄, W̄ (AMAF), β = N̄ / (N + N̄ + c_r N N̄). So the mixture is
    /// (1 - β) W/N + β W̄/N̄ = (W + c_r N̄ W + W̄) / (N + N̄ + c_r N N̄): one division. Wins are
    /// Red's; for Blue the mean is turned over.
    #[inline(always)]
    pub fn edge_score(&self, visits: f32, red_value: f32, amaf: Amaf) -> f32 {
        let (amaf_visits, amaf_wins) = amaf_counts(amaf);
        let weight = 1.0 + EQUIVALENCE * amaf_visits;
        let mean = (red_value * weight + amaf_wins) / (visits * weight + amaf_visits);
        let value = if self.red { mean } else { 1.0 - mean };
        let score = value + self.exploration / visits.sqrt();
        let prior = logistic(if self.red { red_value } else { -red_value }) + self.exploration;
        let untried = if red_value == 0.0 { UNTRIED } else { prior };
        if visits > 0.0 {
            score
        } else {
            untried
        }
    }

    /// Score a move without an edge: its AMAF mean (β = 1), or the first-play urgency without one; the
    /// exploration term as for one visit.
    #[inline(always)]
    pub fn move_score(&self, amaf: Amaf) -> f32 {
        let (amaf_visits, amaf_wins) = amaf_counts(amaf);
        let mean = if amaf == 0 { FIRST_PLAY } else { amaf_wins / amaf_visits };
        let value = if self.red { mean } else { 1.0 - mean };
        value + self.exploration
    }
}

/// The best score so far in each of eight lanes, and its place.
#[derive(Clone, Copy)]
pub struct Best {
    scores: [f32; LANES],
    places: [u32; LANES],
}

impl Best {
    /// The start: any score above -1e20 is better.
    pub const NOTHING: Best = Best { scores: [-1e20; LANES], places: [u32::MAX; LANES] };

    /// Take in eight scores for the places `place`, `place + 1`, …
    #[inline(always)]
    pub fn see(&mut self, scores: [f32; LANES], place: u32) {
        for lane in 0..LANES {
            let better = scores[lane] > self.scores[lane];
            self.scores[lane] = if better { scores[lane] } else { self.scores[lane] };
            self.places[lane] = if better { place + lane as u32 } else { self.places[lane] };
        }
    }

    /// Return the best place and its score, the lowest of equals; `None` if nothing was seen.
    #[inline(always)]
    pub fn best(&self) -> Option<(u32, f32)> {
        let (mut score, mut place) = (-1e20, u32::MAX);
        for lane in 0..LANES {
            let (s, p) = (self.scores[lane], self.places[lane]);
            if s > score || s == score && p < place {
                (score, place) = (s, p);
            }
        }
        Some((place, score)).filter(|_| place != u32::MAX)
    }
}
