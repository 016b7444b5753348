//! What a match shows while it runs: the progress bar, the mean so far, the state of the sequential test.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::runner::Match;
use crate::runner::journal::Entry;
use crate::runner::sprt::{SprtRun, Verdict};
use crate::runner::stats::Sample;

/// What is shown and decided while games come in.
pub(super) struct Live {
    /// The bar on stderr; hidden when that is no terminal.
    pub bar: ProgressBar,
    /// Games of this run, those of the journal included.
    pub total: usize,
    /// The bot whose mean is shown.
    hero: String,
    /// Its points in the first game of pairs whose second is missing.
    waiting: BTreeMap<(u64, u64), u8>,
    /// Its means of whole pairs.
    means: Sample,
    /// The sequential test.
    pub sprt: Option<SprtRun>,
    /// The place of each round in the shard, for the sequential test.
    numbers: BTreeMap<u64, u64>,
}

/// Make a progress bar with `done` of `total` games played before; hidden when stderr is no terminal.
pub(super) fn progress(total: u64, done: u64) -> ProgressBar {
    let target = if io::stderr().is_terminal() {
        ProgressDrawTarget::stderr_with_hz(5)
    } else {
        ProgressDrawTarget::hidden()
    };
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} games, {per_sec:.2}, {eta} left  {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::with_draw_target(Some(total), target).with_style(style);
    bar.set_position(done);
    bar.reset_eta();
    bar
}

impl Live {
    /// Start with `done` of `total` games played before.
    pub fn new(plan: &Match, sprt: Option<SprtRun>, total: usize, done: usize) -> Live {
        let bar = progress(total as u64, done as u64);
        let mut numbers = BTreeMap::new();
        if sprt.is_some() {
            for game in plan.schedule.games() {
                let next = numbers.len() as u64;
                numbers.entry(game.round).or_insert(next);
            }
        }
        Live {
            bar,
            total,
            hero: plan.bots[plan.schedule.pairings[0].0].name.clone(),
            waiting: BTreeMap::new(),
            means: Sample::default(),
            sprt,
            numbers,
        }
    }

    /// Count a game.
    pub fn add(&mut self, entry: &Entry) {
        let Some(side) = entry.names.iter().position(|name| *name == self.hero) else {
            self.bar.inc(1);
            return;
        };
        let points = entry.points[side];
        match self.waiting.remove(&(entry.settings, entry.round)) {
            None => {
                self.waiting.insert((entry.settings, entry.round), points);
            }
            Some(other) => {
                let mean = (f64::from(points) + f64::from(other)) / 2.0;
                self.means.add(mean);
                if let (Some(sprt), Some(&number)) = (&mut self.sprt, self.numbers.get(&entry.round)) {
                    sprt.add(number, mean);
                }
            }
        }
        if let Some(mean) = self.means.mean() {
            let error = self.means.standard_error().map_or(String::new(), |error| format!(" ± {error:.2}"));
            self.bar.set_message(format!("{} {mean:.2}{error}", self.hero));
        }
        self.bar.inc(1);
    }

    /// Return the verdict of the sequential test, if there is one.
    pub fn verdict(&self) -> Verdict {
        self.sprt.as_ref().map_or(Verdict::Undecided, SprtRun::verdict)
    }

    /// Write a line to stderr above the bar.
    pub fn say(&self, text: &str) {
        self.bar.suspend(|| {
            let _ = writeln!(io::stderr(), "{text}");
        });
    }
}
