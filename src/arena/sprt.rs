//! Wald's sequential test: stop as soon as the pairs played decide between two hypotheses.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::num::NonZeroU64;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::json;

use super::stats::Sample;
use crate::text::plural;

/// The fewest pairs before a decision: enough to know the spread.
const MIN_PAIRS: f64 = 20.0;

/// A test of H0 "the mean is `low`" against H1 "the mean is `high`", in points a game (75 is even).
///
/// The test compares the likeliest distributions with these means, of any shape. Wald: accepting H1 at
/// `LLR ≥ ln((1 - β) / α)` and H0 at `LLR ≤ ln(β / (1 - α))` errs with a chance of about α under H0 and β under H1.
///
/// Between nearly equal bots most pairs are level and the rare others decide: level pairs alone say little. So two
/// quarters of a pair that nobody played are counted, as far from the means as a pair not yet seen may lie: twice
/// as far as any seen, and 30 distances of the means, divided by the number of pairs that differ and 1.
///
/// It promises at most 1.2 times α and β if at least one pair in twenty differs. Simulated with 75 against
/// 75.1, 75.3 and 76 the worst is .051 for .05 and .0105 for .01; lopsided pairs (rare large results one way)
/// .052 and .014. With one pair in fifty it is .13 for .05.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sprt {
    pub low: f64,
    /// Greater than `low`.
    pub high: f64,
    pub alpha: f64,
    pub beta: f64,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SprtPlan {
    pub bot: String,
    pub means: Sprt,
    /// The number of shards that share the pairs; a shard's test takes one pair in `shards`.
    pub shards: NonZeroU64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SprtVerdict {
    H0,
    H1,
    Undecided,
}

impl fmt::Display for SprtVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SprtVerdict::H0 => "lower mean accepted",
            SprtVerdict::H1 => "higher mean accepted",
            SprtVerdict::Undecided => "undecided",
        })
    }
}

pub const SOUND: &str = "means with 0 <= LOW < HIGH <= 150, alpha and beta above 0 and below 0.5";

impl Sprt {
    pub fn is_sound(&self) -> bool {
        let chances = [self.alpha, self.beta].iter().all(|&chance| 0.0 < chance && chance < 0.5);
        0.0 <= self.low && self.low < self.high && self.high <= 150.0 && chances
    }

    /// Return the log-likelihood ratio of pair means; 0 without any.
    fn llr(&self, pairs: &Sample) -> f64 {
        if pairs.count() == 0.0 {
            return 0.0;
        }
        let (distance, middle) = (self.high - self.low, (self.low + self.high) / 2.0);
        let unseen = 2.0 * pairs.reach(middle).max(distance) + 30.0 * distance / (pairs.differing() + 1.0);
        let mut pairs = pairs.clone();
        pairs.add_many((middle - unseen).max(-1.0), 0.25);
        pairs.add_many((middle + unseen).min(151.0), 0.25);
        let [low, high] = [self.low, self.high].map(|mean| pairs.log_likelihood(mean));
        // Beyond both means the ratio grows slowly: there the pairs' own mean, of log-likelihood 0, decides
        // too, if it is likelier by e³ more.
        match pairs.mean() {
            Some(mean) if mean > self.high => (high - low).max(-low - 3.0),
            Some(mean) if mean < self.low => (high - low).min(high + 3.0),
            _ => high - low,
        }
    }

    /// Return the log-likelihood ratios that accept H0 and H1.
    pub fn bounds(&self) -> [f64; 2] {
        [(self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln()]
    }

    pub fn verdict(&self, pairs: &Sample) -> SprtVerdict {
        let [lower, upper] = self.bounds();
        match self.llr(pairs) {
            _ if pairs.count() < MIN_PAIRS => SprtVerdict::Undecided,
            llr if llr >= upper => SprtVerdict::H1,
            llr if llr <= lower => SprtVerdict::H0,
            _ => SprtVerdict::Undecided,
        }
    }
}

/// A test in progress.
///
/// Games at the same time end in any order, the short ones first, which would bias the test: pairs are
/// judged in the order of the schedule, independent of concurrency and interruptions.
#[derive(Clone, Debug)]
pub struct SprtRun {
    sprt: Sprt,
    pub name: String,
    pairs: Sample,
    /// The number of the pair to judge next, and the later pairs already finished.
    next: u64,
    early: BTreeMap<u64, (f64, u64)>,
    /// The hashes of the moves of the pairs so far.
    seen: BTreeSet<u64>,
    pub verdict: SprtVerdict,
}

impl SprtRun {
    pub fn new(sprt: Sprt, name: &str) -> SprtRun {
        let (name, pairs, verdict) = (name.to_owned(), Sample::default(), SprtVerdict::Undecided);
        SprtRun { sprt, name, pairs, next: 0, early: BTreeMap::new(), seen: BTreeSet::new(), verdict }
    }

    /// Add pair `number` of the schedule (from 0; each once), the bot's mean points and a hash of the moves. A pair of
    /// repeated moves is ignored; a verdict stays.
    pub fn add(&mut self, number: u64, mean: f64, moves: u64) {
        self.early.insert(number, (mean, moves));
        while self.verdict == SprtVerdict::Undecided
            && let Some((mean, moves)) = self.early.remove(&self.next)
        {
            self.next += 1;
            if self.seen.insert(moves) {
                self.pairs.add(mean);
                self.verdict = self.sprt.verdict(&self.pairs);
            }
        }
    }

    /// Return the number of the missing pair for which finished ones wait, and how many do.
    pub fn waits(&self) -> Option<(u64, usize)> {
        let is_waiting = self.verdict == SprtVerdict::Undecided && !self.early.is_empty();
        is_waiting.then_some((self.next, self.early.len()))
    }

    pub fn llr(&self) -> f64 {
        self.sprt.llr(&self.pairs)
    }

    /// Return the bounds of the log-likelihood ratio; `None` with too few pairs.
    pub fn bounds(&self) -> Option<[f64; 2]> {
        (self.pairs.count() >= MIN_PAIRS).then(|| self.sprt.bounds())
    }
}

impl Serialize for SprtRun {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let verdict = (self.verdict != SprtVerdict::Undecided).then(|| self.verdict.to_string());
        json!({ "bot": self.name, "means": self.sprt, "pairs": self.next, "llr": self.llr(),
            "bounds": self.sprt.bounds(), "verdict": verdict })
        .serialize(serializer)
    }
}

/// Writes the result, the terms, and how many pairs wait or came after the decision, a line each.
impl fmt::Display for SprtRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SPRT: {} after {} (", self.verdict, plural(self.next, "pair"))?;
        match self.bounds() {
            None => write!(f, "too few, at least {MIN_PAIRS} different ones are needed")?,
            Some([low, high]) => write!(f, "LLR {:.2}, bounds {low:.2}, {high:.2}", self.llr())?,
        }
        let later = match self.waits() {
            Some((missing, 1)) => format!("\n  1 later pair waits for pair {}", missing + 1),
            Some((missing, later)) => format!("\n  {later} later pairs wait for pair {}", missing + 1),
            None if self.early.is_empty() => String::new(),
            None => "\n  the test ignores later pairs".to_owned(),
        };
        let SprtRun { sprt: Sprt { low, high, alpha, beta }, name, .. } = self;
        write!(f, ")\n  lower {low}, higher {high} points a game of {name}, α {alpha}, β {beta}{later}")
    }
}
