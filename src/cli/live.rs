//! What a match shows while it runs: the progress bar, the mean so far, the state of the sequential test.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle, TermLike};
use rustix::termios::tcgetwinsize;

use crate::workshop::arena::Match;
use crate::workshop::arena::journal::Entry;
use crate::workshop::arena::sprt::{SprtRun, Verdict};
use crate::workshop::arena::stats::Sample;

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
    /// The mean as it is shown.
    shown: Shown,
    /// The sequential test.
    pub sprt: Option<SprtRun>,
    /// The place of each round in the shard, for the sequential test.
    numbers: BTreeMap<u64, u64>,
}

/// What a progress bar says behind its numbers: set by whoever counts, read when the bar is drawn.
#[derive(Clone, Default)]
pub(super) struct Shown(Arc<Mutex<String>>);

impl Shown {
    /// Say something else.
    pub fn set(&self, text: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }
}

/// Make a progress bar with `done` of `total` games played before; hidden when stderr is no terminal.
pub(super) fn progress(total: u64, done: u64) -> (ProgressBar, Shown) {
    let target = if io::stderr().is_terminal() {
        ProgressDrawTarget::term_like_with_hz(Box::new(Terminal), 5)
    } else {
        ProgressDrawTarget::hidden()
    };
    let shown = Shown::default();
    let text = shown.clone();
    let line = move |state: &ProgressState, out: &mut dyn fmt::Write| {
        let progress = Progress {
            games: state.pos(),
            total,
            rate: state.per_sec(),
            left: state.eta(),
            mean: &text.0.lock().unwrap_or_else(PoisonError::into_inner),
        };
        // A failure to draw is none of the games.
        let _ = out.write_str(&progress.line(usize::from(Terminal.width())));
    };
    let style = ProgressStyle::with_template("{line}").unwrap_or_else(|_| ProgressStyle::default_bar());
    let style = style.with_key("line", line);
    let bar = ProgressBar::with_draw_target(Some(total), target).with_style(style);
    bar.set_position(done);
    bar.reset_eta();
    (bar, shown)
}

impl Live {
    /// Start with `done` of `total` games played before.
    pub fn new(plan: &Match, sprt: Option<SprtRun>, total: usize, done: usize) -> Live {
        let (bar, shown) = progress(total as u64, done as u64);
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
            shown,
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
            self.shown.set(format!("{} {mean:.2}{error}", self.hero));
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

/// What the bar shows.
struct Progress<'a> {
    games: u64,
    total: u64,
    /// Games a second; 0 when there is none yet.
    rate: f64,
    left: Duration,
    mean: &'a str,
}

/// The terminal on stderr, a little narrower than it is. The bar's line is padded to the width; if that were
/// all of it, the terminal's own echo of Ctrl-C would begin another line and the bar would not be cleared.
#[derive(Debug)]
struct Terminal;

/// Columns left free for that echo.
const SPARE: u16 = 3;

impl TermLike for Terminal {
    fn width(&self) -> u16 {
        // Asked for every line: it may change while the match runs. A terminal that does not know says 0.
        let known = tcgetwinsize(io::stderr()).ok().filter(|size| size.ws_col > 0);
        known.map_or(80, |size| size.ws_col).saturating_sub(SPARE).max(1)
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        if n == 0 { Ok(()) } else { self.write_str(&format!("\x1b[{n}A")) }
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        if n == 0 { Ok(()) } else { self.write_str(&format!("\x1b[{n}B")) }
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        if n == 0 { Ok(()) } else { self.write_str(&format!("\x1b[{n}C")) }
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        if n == 0 { Ok(()) } else { self.write_str(&format!("\x1b[{n}D")) }
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.write_str(&format!("{text}\n"))
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        io::stderr().write_all(text.as_bytes())
    }

    fn clear_line(&self) -> io::Result<()> {
        self.write_str("\r\x1b[2K")
    }

    fn flush(&self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// The longest and the shortest bar.
const BAR: std::ops::RangeInclusive<usize> = 8..=40;

impl Progress<'_> {
    /// Write the line in at most `room` columns: what does not fit is left out, the bar first, the mean last.
    fn line(&self, room: usize) -> String {
        let count = format!("{}/{}", self.games, self.total);
        let mut parts = vec![self.mean.to_owned(), format!("{count} games")];
        if self.rate > 0.0 {
            parts.push(format!("{} left", duration(self.left)));
            parts.push(rate(self.rate));
        }
        parts.retain(|part| !part.is_empty());
        let length = |parts: &[String]| parts.iter().map(|part| part.chars().count() + 2).sum::<usize>();
        while parts.len() > 1 && length(&parts) > room + 2 {
            parts.pop();
        }
        let text = parts.join("  ");
        let free = room.saturating_sub(length(&parts));
        let bar = free.min(*BAR.end());
        if !BAR.contains(&bar) {
            return text.chars().take(room).collect();
        }
        let full = (bar as u64 * self.games).checked_div(self.total).map_or(0, |full| bar.min(full as usize));
        format!("{}{}  {text}", "█".repeat(full), "░".repeat(bar - full))
    }
}

/// Write games a second, or a minute when they are slow.
fn rate(per_second: f64) -> String {
    match per_second {
        rate if rate >= 10.0 => format!("{rate:.0} a second"),
        rate if rate >= 1.0 => format!("{rate:.1} a second"),
        rate => format!("{:.1} a minute", 60.0 * rate),
    }
}

/// Write a duration in its two largest units.
fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        3600..86_400 => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
        _ => format!("{} days {} h", seconds / 86_400, seconds / 3600 % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(room: usize, rate: f64) -> String {
        let left = Duration::from_secs(3_725);
        Progress { games: 50, total: 200, rate, left, mean: "new 75.31 ± 0.12" }.line(room)
    }

    #[test]
    fn a_long_line_has_a_bar_that_grows() {
        let text = "new 75.31 ± 0.12  50/200 games  1 h 2 min left  6.0 a minute";
        assert_eq!(line(150, 0.1), format!("{}{}  {text}", "█".repeat(10), "░".repeat(30)));
        assert_eq!(line(74, 0.1), format!("{}{}  {text}", "█".repeat(3), "░".repeat(9)));
        assert_eq!(line(65, 0.1), text);
    }

    #[test]
    fn no_line_is_longer_than_its_room() {
        for room in 0..200 {
            for rate in [0.0, 0.01, 3.0, 40_000.0] {
                assert!(line(room, rate).chars().count() <= room, "{room}: {}", line(room, rate));
            }
        }
        for (room, rate, expected) in [
            (37, 0.1, "new 75.31 ± 0.12  50/200 games"),
            (37, 0.0, "new 75.31 ± 0.12  50/200 games"),
            (17, 0.1, "new 75.31 ± 0.12"),
            (5, 0.1, "new 7"),
        ] {
            assert_eq!(line(room, rate), expected);
        }
    }

    #[test]
    fn rates_and_times_suit_their_size() {
        assert_eq!([0.05, 2.34, 4_321.9].map(rate), ["3.0 a minute", "2.3 a second", "4322 a second"]);
        let times = [7, 130, 7_260, 200_000].map(|seconds| duration(Duration::from_secs(seconds)));
        assert_eq!(times, ["7 s", "2 min 10 s", "2 h 1 min", "2 days 7 h"]);
    }
}
