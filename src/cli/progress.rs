//! The progress of a running match: the mean so far, the games, the time left.

use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar};

use super::{say, seconds};
use crate::arena::Match;
use crate::arena::journal::Entry;
use crate::arena::pairs::PairFinder;
use crate::arena::sprt::{SprtRun, SprtVerdict};
use crate::arena::stats::Sample;
use crate::text::progress_bar;

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
    /// When a line is told, and the time of the last one.
    lines: Lines,
    told: Instant,
    /// The result of the last game.
    last: String,
}

/// The lines of progress beside the bar: one a game, or without a visible bar one in so long a time (0: none).
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Lines {
    Games,
    Every(Duration),
}

impl Lines {
    pub fn parse(text: &str) -> Result<Lines, String> {
        if text == "games" { Ok(Lines::Games) } else { seconds(text).map(Lines::Every) }
    }
}

impl Progress {
    pub fn new(plan: &Match, lines: Lines) -> Progress {
        let total = plan.schedule.shard_pairs().saturating_mul(2);
        let pairings = &plan.schedule.pairings;
        let first = pairings[0][0];
        let is_in_all = pairings.iter().all(|pairing| pairing.contains(&first));
        Progress {
            finder: PairFinder::default(),
            means: Sample::default(),
            sprt: plan.test.as_ref().map(|test| SprtRun::new(test.means, &test.bot)),
            subject: is_in_all.then(|| plan.bots[first].name.clone()),
            shards: plan.schedule.shard.count,
            bar: progress_bar(total, "{bar:20} {wide_msg}"),
            before: 0,
            lines,
            told: Instant::now(),
            last: String::new(),
        }
    }

    /// Begin to measure: the games so far are from the journal.
    pub fn start(&mut self) {
        self.before = self.bar.position();
        self.bar.reset_elapsed();
    }

    pub fn add(&mut self, entry: &Entry) {
        self.bar.inc(1);
        let ([red, blue], [own, other]) = (entry.names(), entry.points);
        self.last = format!("{red} {own} : {other} {blue}");
        let pair = self.finder.add(entry).and_then(|pair| pair.seen_by(self.subject.as_deref()?));
        let Some(pair) = pair else { return };
        self.means.add(pair.mean());
        if let Some(sprt) = &mut self.sprt {
            // A test has one pairing: rounds are pairs, and a shard has one in `shards` of them.
            sprt.add(entry.round / self.shards, &pair);
        }
    }

    pub fn verdict(&self) -> SprtVerdict {
        self.sprt.as_ref().map_or(SprtVerdict::Undecided, SprtRun::verdict)
    }

    /// Tell of a game that was just played, if each is told.
    pub fn tell(&self, entry: &Entry) {
        if self.lines == Lines::Games {
            let (done, total) = (self.bar.position(), self.bar.length().unwrap_or_default());
            let fault = entry.faults.first().map_or(String::new(), |fault| format!(" ({})", fault.class));
            self.say(&format!("game {done}/{total}, round {}: {}{fault}", entry.round_number(), self.last));
        }
    }

    pub fn tick(&mut self) {
        self.bar.set_message(self.status());
        let Lines::Every(time) = self.lines else { return };
        if self.bar.is_hidden() && !time.is_zero() && self.told.elapsed() >= time {
            self.told = Instant::now();
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
        if done > self.before {
            let games = total.saturating_sub(done) as f64 / (done - self.before) as f64;
            let left = Duration::try_from_secs_f64(games * self.bar.elapsed().as_secs_f64());
            let left = left.unwrap_or(Duration::MAX);
            let most = if self.sprt.is_some() { "≤ " } else { "" };
            parts.push(format!("{most}{:#} left", HumanDuration(left)));
        }
        if !self.last.is_empty() {
            parts.push(self.last.clone());
        }
        parts.join("  ")
    }
}
