//! The knowledge of a final score: proven bounds, and an estimate with its error.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::player::board::Player;
use crate::player::position::Score;
use crate::player::solver::Bounds;

/// The bounds before any proof.
pub const UNKNOWN: [Score; 2] = [Bounds::UNKNOWN.lower, Bounds::UNKNOWN.upper];

/// The error of estimates after a solver in vain, as a multiple of the usual error at as many empty cells:
/// 1.7 at 19 and 20 cells, 1.1 at 21 and 22, in strong games.
const UNSOLVED: f64 = 1.4;

/// The knowledge of a final score, red minus blue, under best play of both.
#[derive(Clone, Copy, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Worth {
    /// The score, if it is proven.
    pub score: Option<Score>,
    /// The proven bounds of the score, lower and upper.
    pub bounds: [Score; 2],
    /// The expected score within the bounds, to a tenth, if the score is not proven; `None` without a search.
    pub estimate: Option<f64>,
    /// The mean error of the estimate, in points.
    pub error: Option<f64>,
}

impl Worth {
    pub fn proven(bounds: Bounds) -> Worth {
        Worth { score: bounds.exact(), bounds: [bounds.lower, bounds.upper], ..Worth::default() }
    }

    pub fn estimated(bounds: Bounds, [score, error]: [f64; 2]) -> Worth {
        // It is no farther off than its bounds.
        let [below, above] = [bounds.lower, bounds.upper].map(|bound| (score - f64::from(bound)).abs());
        let error = (100.0 * error.min(below.max(above))).round() / 100.0;
        Worth { estimate: Some(score), error: Some(error), ..Worth::default() }.within(bounds)
    }

    pub fn bounds(&self) -> Bounds {
        let [lower, upper] = self.bounds;
        Bounds { lower, upper }
    }

    /// Return the one score for people: the proven one, else its estimate.
    pub fn value(&self) -> Option<f64> {
        self.score.map(f64::from).or(self.estimate)
    }

    /// Return the mean error of the value: 0 if it is proven.
    pub fn mean_error(&self) -> f64 {
        self.error.unwrap_or(0.0)
    }

    /// Return the sign of the score, if it is proven.
    pub fn proven_sign(&self) -> Option<Score> {
        let [least, most] = self.bounds.map(Score::signum);
        (least == most).then_some(least)
    }

    /// Hold the knowledge within proven bounds.
    #[must_use]
    pub fn within(self, bounds: Bounds) -> Worth {
        let proven = Worth::proven(bounds);
        let estimate = self.estimate.map(|it| tenth(it.clamp(bounds.lower.into(), bounds.upper.into())));
        let is_open = proven.score.is_none();
        Worth { estimate: estimate.filter(|_| is_open), error: self.error.filter(|_| is_open), ..proven }
    }

    /// Add the findings of a deeper search: bounds intersect, its estimate counts.
    #[must_use]
    pub fn refined(self, news: Worth) -> Worth {
        let known = if news.value().is_some() { news } else { self };
        known.within(intersection(self.bounds(), news.bounds()))
    }

    /// Return the estimate with the larger error of positions that the solver was asked about in vain.
    #[must_use]
    pub fn unsolved(self) -> Worth {
        let estimated = |(score, error)| Worth::estimated(self.bounds(), [score, UNSOLVED * error]);
        self.estimate.zip(self.error).map_or(self, estimated)
    }

    /// Return the worth of the position with the colours exchanged.
    #[must_use]
    pub fn exchanged(self) -> Worth {
        let [lower, upper] = self.bounds;
        let opposite = |score: f64| 0.0 - score;
        let (score, estimate) = (self.score.map(|it| -it), self.estimate.map(opposite));
        Worth { score, estimate, bounds: [-upper, -lower], ..self }
    }
}

/// Write the score, or its estimate with the error: "-3", "~1.2 ± 0.3"; nothing if neither is known.
impl fmt::Display for Worth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.score, self.estimate) {
            (Some(score), _) => write!(f, "{score}"),
            (None, Some(estimate)) => write!(f, "~{estimate:.1} ± {:.1}", self.mean_error()),
            (None, None) => Ok(()),
        }
    }
}

pub fn intersection(one: Bounds, other: Bounds) -> Bounds {
    Bounds { lower: one.lower.max(other.lower), upper: one.upper.min(other.upper) }
}

/// Round to a tenth of a point, and never to -0.
pub fn tenth(points: f64) -> f64 {
    (10.0 * points).round() / 10.0 + 0.0
}

/// Return the points that `player` gives away from one score to the next.
pub fn given_away(player: Player, before: f64, after: f64) -> f64 {
    tenth(f64::from(player.sign()) * (before - after))
}
