//! The progress of a running match: the mean so far, the games, the time left.

use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar};

use super::output::progress_bar;
use super::say;
use crate::arena::Match;
use crate::arena::journal::Entry;
use crate::arena::pairs::PairFinder;
use crate::arena::sprt::{SprtRun, SprtVerdict};
use crate::arena::stats::Sample;

/// The state of a match, shown and judged with every game.
pub(super) struct Progress {
    /// The bot in all pairings, whose mean is shown and tested.
    subject: Option<String>,
    finder: PairFinder,
    means: Sample,
    pub sprt: Option<SprtRun>,
    shards: u64,
    /// Counts the games; visible in a terminal that can redraw a line.
    bar: ProgressBar,
    before: u64,
    begin: Instant,
    /// The time between two lines without a visible bar (0: never), and the time of the last line.
    every: Duration,
    last: Instant,
}

impl Progress {
    pub fn new(plan: &Match, every: Duration, without_faults: bool) -> Progress {
        let total = plan.schedule.shard_pairs().saturating_mul(2);
        let pairings = &plan.schedule.pairings;
        let first = pairings[0][0];
        let is_in_all = pairings.iter().all(|pairing| pairing.contains(&first));
        Progress {
            finder: PairFinder::new(without_faults),
            means: Sample::default(),
            sprt: plan.test.as_ref().map(|test| SprtRun::new(test.means, &test.bot)),
            subject: is_in_all.then(|| plan.bots[first].name.clone()),
            shards: plan.schedule.shard.count,
            bar: progress_bar(total, "{bar:6} {wide_msg}"),
            before: 0,
            begin: Instant::now(),
            every,
            last: Instant::now(),
        }
    }

    /// Begin to show and to measure: the games so far are from the journal.
    pub fn start(&mut self) {
        self.before = self.bar.position();
        self.begin = Instant::now();
    }

    pub fn add(&mut self, entry: &Entry) {
        self.bar.inc(1);
        let pair = self.finder.add(entry).and_then(|pair| pair.seen_by(self.subject.as_deref()?));
        let Some(pair) = pair else { return };
        if let Some((mean, _)) = pair.tested() {
            self.means.add(mean);
        }
        if let Some(sprt) = &mut self.sprt {
            // A test has one pairing: rounds are pairs, and a shard has one in `shards` of them.
            sprt.add(entry.round / self.shards, pair.tested());
        }
    }

    pub fn verdict(&self) -> SprtVerdict {
        self.sprt.as_ref().map_or(SprtVerdict::Undecided, SprtRun::verdict)
    }

    /// Show the status, if it is time.
    pub fn tick(&mut self) {
        self.bar.set_message(self.status());
        if self.bar.is_hidden() && !self.every.is_zero() && self.last.elapsed() >= self.every {
            self.last = Instant::now();
            say(&self.status());
        }
    }

    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    pub fn say(&self, text: &str) {
        self.bar.suspend(|| say(text));
    }

    /// Write the status, most important first: a narrow terminal cuts off the end.
    fn status(&self) -> String {
        let (done, total) = (self.bar.position(), self.bar.length().unwrap_or_default());
        let mut parts = Vec::new();
        if let (Some(subject), Some(mean)) = (&self.subject, self.means.mean()) {
            let error = self.means.standard_error().map_or(String::new(), |error| format!(" ± {error:.2}"));
            parts.push(format!("{subject} {mean:.2}{error}"));
        }
        parts.push(format!("{done}/{total} games"));
        if let Some(run) = &self.sprt
            && let Some([low, high]) = run.bounds()
        {
            let llr = run.llr();
            parts.push(format!("LLR {llr:.2} of {:.2}", if llr < 0.0 { low } else { high }));
        }
        // A few wait wherever shards differ in speed.
        if let Some((missing, later @ 20..)) = self.sprt.as_ref().and_then(SprtRun::waits) {
            parts.push(format!("{later} pairs wait for pair {}", missing + 1));
        }
        let rate = (done - self.before) as f64 / self.begin.elapsed().as_secs_f64().max(1e-3);
        if rate > 0.0 {
            let left = Duration::try_from_secs_f64(total.saturating_sub(done) as f64 / rate);
            let most = if self.sprt.is_some() { "≤ " } else { "" };
            parts.push(format!("{most}{:#} left", HumanDuration(left.unwrap_or(Duration::MAX))));
            parts.push(per_time(rate));
        }
        parts.join("  ")
    }
}

/// Write a rate in games a second, or a minute if slow.
fn per_time(rate: f64) -> String {
    match rate {
        10.0.. => format!("{rate:.0} a second"),
        1.0.. => format!("{rate:.1} a second"),
        _ => format!("{:.1} a minute", 60.0 * rate),
    }
}

#[test]
fn rates_have_digits_by_their_size() {
    let rates = [0.05, 2.34, 4_321.9].map(per_time);
    assert_eq!(rates, ["3.0 a minute", "2.3 a second", "4322 a second"]);
}
