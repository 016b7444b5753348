//! The progress of a running match: the mean so far, the games, the time left.

use std::cell::Cell;
use std::time::{Duration, Instant};

use indicatif::{FormattedDuration, HumanDuration, ProgressBar};
use unicode_width::UnicodeWidthStr;

use super::{plural, say, seconds};
use crate::arena::journal::Entry;
use crate::arena::run::Run;
use crate::arena::sprt::SprtRun;
use crate::text::{columns, progress_bar};

/// Shows the figures of a match as they change.
pub(super) struct Progress {
    /// Counts the games; visible in a terminal that can redraw a line.
    bar: ProgressBar,
    lines: ProgressLines,
    last_line: Cell<Instant>,
    /// The games played here: a run has those of the journal and of other shards, too.
    played: Cell<u64>,
}

/// Tell the time left by the time of those done; `None` if nothing is done, or all.
pub(super) fn time_left(spent: Duration, done: u64, all: u64) -> Option<String> {
    let left = spent.as_secs_f64() * all.saturating_sub(done) as f64 / done as f64;
    let left = Duration::try_from_secs_f64(left).ok().filter(|left| !left.is_zero());
    left.map(|left| format!("{:#} left", HumanDuration(left)))
}

/// The lines of progress beside the bar: one a game, or, without a visible bar, one per interval (0: none).
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum ProgressLines {
    Games,
    Every(Duration),
}

impl ProgressLines {
    pub fn parse(text: &str) -> Result<ProgressLines, String> {
        if text == "games" { Ok(ProgressLines::Games) } else { seconds(text).map(ProgressLines::Every) }
    }
}

impl Progress {
    pub fn new(lines: ProgressLines) -> Progress {
        let bar = progress_bar(0, &format!("{{bar:{}}} {{wide_msg}}", columns() / 8));
        Progress { bar, lines, last_line: Cell::new(Instant::now()), played: Cell::default() }
    }

    /// Show the figures; tell of a game that was just played, if each is told.
    pub fn show(&self, run: &Run, played: Option<&Entry>) {
        self.bar.set_length(run.total());
        self.bar.set_position(run.games.len() as u64);
        self.bar.set_message(status(run));
        self.played.set(self.played.get() + u64::from(played.is_some()));
        let line = match (self.lines, played) {
            (ProgressLines::Games, Some(game)) => {
                let ([red, blue], [own, other], round) = (game.names(), game.points, game.round_number());
                let fault = game.faults.first().map_or(String::new(), |fault| format!(" ({})", fault.class));
                let game = format!("game {}/{}, round {round}", run.games.len(), run.total());
                format!("{game}: {red} {own} : {other} {blue}{fault}")
            }
            (ProgressLines::Every(time), _)
                if self.bar.is_hidden() && !time.is_zero() && self.last_line.get().elapsed() >= time =>
            {
                status(run)
            }
            _ => return,
        };
        self.last_line.set(Instant::now());
        self.say(&line);
    }

    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    pub fn say(&self, text: &str) {
        self.bar.suspend(|| say(text));
    }

    /// Tell the time of the games played, if progress was shown.
    pub fn tell_time(&self, run: &Run) {
        let ((began, _), played, all) = (run.began, self.played.get(), run.games.len() as u64);
        if played > 0 && (!self.bar.is_hidden() || self.last_line.get() > began) {
            // A second begun counts.
            let time = FormattedDuration(began.elapsed() + Duration::from_secs(1));
            let all = if all > played { format!(", {all} in all") } else { String::new() };
            say(&format!("{} in {time}{all}", plural(played, "game")));
        }
    }
}

/// Write the status, most important first: a narrow terminal cuts off the end.
fn status(run: &Run) -> String {
    let mut parts = vec![format!("{}/{} games", run.games.len(), run.total())];
    let known = |test: &SprtRun| Some((test.llr(), test.bounds()?));
    if let Some((llr, [low, high])) = run.test.as_ref().and_then(known) {
        parts.push(format!("LLR {llr:.2} of {:.2}", if llr < 0.0 { low } else { high }));
    }
    let ((began, before), done) = (run.began, run.games.len() as u64);
    // The first round has the fast bots' games beside the slow ones': before it no time is known.
    let (played, round) = (done - before, 2 * run.plan.schedule.pairings.len() as u64);
    let left = time_left(began.elapsed(), played, run.total() - before);
    if let Some(left) = left.filter(|_| played >= round.min(run.total() / 10)) {
        parts.push(format!("{}{left}", if run.test.is_some() { "≤ " } else { "" }));
    }
    parts.extend((run.fault_count > 0).then(|| plural(run.fault_count, "fault")));
    let rest = parts.join("  ");
    standing(run, (columns() - columns() / 8).saturating_sub(rest.width() + 1)) + &rest
}

/// Write the mean of the bot in all pairings; else of the first bots of a league that fit into so many columns.
fn standing(run: &Run, room: usize) -> String {
    let mean = |n: usize| Some((&run.plan.bots[n].name, run.means[n].mean()?));
    let (pairings, bot) = (&run.plan.schedule.pairings, run.plan.schedule.pairings[0][0]);
    let fit = |text: &String| text.width() <= room;
    if pairings.iter().all(|pairing| pairing.contains(&bot)) {
        let error = run.means[bot].standard_error().map_or(String::new(), |error| format!(" ± {error:.2}"));
        let texts = |(name, mean)| [format!("{name} {mean:.2}{error}  "), format!("{mean:.2}{error}  ")];
        return mean(bot).map(texts).and_then(|texts| texts.into_iter().find(fit)).unwrap_or_default();
    }
    let mut bots: Vec<_> = (0..run.means.len()).filter_map(mean).collect();
    bots.sort_by(|a, b| b.1.total_cmp(&a.1));
    let told = (1..).zip(bots).map(|(place, (name, mean))| format!("{place} {name} {mean:.1}"));
    let told: Vec<String> = told.collect();
    let mut texts = (1..=told.len()).rev().map(|count| told[..count].join(", ") + "  ");
    texts.find(fit).unwrap_or_default()
}
