//! What a match shows while it runs: the mean so far, the games, the time left.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use rustix::termios::tcgetwinsize;
use unicode_width::UnicodeWidthStr;

use crate::workshop::arena::Match;
use crate::workshop::arena::journal::Entry;
use crate::workshop::arena::report::game_hash;
use crate::workshop::arena::sprt::{Pair, Sprt, SprtRun, Verdict};
use crate::workshop::arena::stats::Sample;

/// The shortest time between two drawings of the status line.
const REDRAW: Duration = Duration::from_millis(200);

/// Columns of the terminal left free for its own echo of Ctrl-C.
const SPARE: usize = 3;

/// The longest and the shortest bar.
const BAR: std::ops::RangeInclusive<usize> = 8..=40;

/// What is shown and decided while games come in.
pub(super) struct Live {
    /// The bot whose mean is shown.
    hero: String,
    /// Its points in the first game of pairs whose second is missing.
    waiting: BTreeMap<(u64, u64), (u8, u64)>,
    /// Its means of whole pairs.
    means: Sample,
    /// The sequential test.
    pub sprt: Option<SprtRun>,
    /// How many shards share the pairs that the test takes in order.
    shards: u64,
    /// Games of the schedule, those done, and those of them that a journal already had.
    total: u64,
    done: u64,
    before: u64,
    begin: Instant,
    /// Whether stderr is a terminal that can redraw a line.
    terminal: bool,
    /// The time between two lines, and when the last was written.
    every: Duration,
    last: Instant,
}

impl Live {
    /// Make what is shown of a match of `total` games, without a terminal `every` so often (0:
    /// never).
    pub fn new(plan: &Match, sprt: Option<Sprt>, total: u64, every: Duration) -> Live {
        let hero = &plan.bots[plan.schedule.pairings[0].0].name;
        let dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
        let terminal = io::stderr().is_terminal() && !dumb;
        Live {
            hero: hero.clone(),
            waiting: BTreeMap::new(),
            means: Sample::default(),
            sprt: sprt.map(|sprt| SprtRun::new(sprt, hero)),
            shards: plan.schedule.shard.count,
            total,
            done: 0,
            before: 0,
            begin: Instant::now(),
            terminal,
            every: if terminal { REDRAW } else { every },
            last: Instant::now(),
        }
    }

    /// Begin to show and to measure: the games counted so far were played before.
    pub fn start(&mut self) {
        self.before = self.done;
        self.begin = Instant::now();
    }

    /// Count a game.
    pub fn add(&mut self, entry: &Entry) {
        self.done += 1;
        let Some(side) = entry.names().iter().position(|name| *name == self.hero) else { return };
        let game = (entry.points[side], game_hash(entry));
        let Some(other) = self.waiting.remove(&(entry.settings, entry.round)) else {
            self.waiting.insert((entry.settings, entry.round), game);
            return;
        };
        let pair = Pair::of(game, other);
        self.means.add(pair.mean);
        if let Some(sprt) = &mut self.sprt {
            // A test has one pairing: rounds are pairs, and a shard has every so many of them.
            sprt.add(entry.round / self.shards, pair);
        }
    }

    /// Return the verdict of the sequential test, if there is one.
    pub fn verdict(&self) -> Verdict {
        self.sprt.as_ref().map_or(Verdict::Undecided, SprtRun::verdict)
    }

    /// Write the status line if it is time.
    pub fn tick(&mut self) {
        if self.every.is_zero() || self.last.elapsed() < self.every {
            return;
        }
        self.last = Instant::now();
        let _ = if self.terminal {
            // A terminal that does not know its width says 0.
            let known = tcgetwinsize(io::stderr()).ok().filter(|size| size.ws_col > 0);
            let width = known.map_or(80, |size| usize::from(size.ws_col));
            write!(io::stderr(), "\r{}\x1b[K", self.status().line(width.saturating_sub(SPARE)))
        } else {
            writeln!(io::stderr(), "{}", self.status().parts().join("  "))
        };
    }

    /// Take the status line away.
    pub fn clear(&self) {
        if self.terminal {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }

    /// Write a line to stderr; the status line comes back below it.
    pub fn say(&self, text: &str) {
        self.clear();
        let _ = writeln!(io::stderr(), "{text}");
    }

    fn status(&self) -> LiveStatus {
        let mean = self.means.mean().map_or(String::new(), |mean| {
            let error = self.means.standard_error().map_or(String::new(), |error| format!(" ± {error:.2}"));
            format!("{} {mean:.2}{error}", self.hero)
        });
        let rate = (self.done - self.before) as f64 / self.begin.elapsed().as_secs_f64().max(1e-3);
        let test = self.sprt.as_ref().map_or(String::new(), |run| format!("SPRT: {}", run.state()));
        LiveStatus { done: self.done, total: self.total, rate, mean, test }
    }
}

/// What the status line says.
struct LiveStatus {
    done: u64,
    total: u64,
    /// Games a second; 0 when there is none yet.
    rate: f64,
    mean: String,
    /// The state of the sequential test.
    test: String,
}

impl LiveStatus {
    /// Write what there is to say, the most important first.
    fn parts(&self) -> Vec<String> {
        let &LiveStatus { done, total, rate, .. } = self;
        let mut parts = vec![self.mean.clone(), format!("{done}/{total} games"), self.test.clone()];
        if rate > 0.0 {
            parts.push(format!("{} left", duration((total.saturating_sub(done)) as f64 / rate)));
            parts.push(per_time(rate));
        }
        parts.retain(|part| !part.is_empty());
        parts
    }

    /// Write the line in at most `room` columns. What does not fit is left out, the mean last.
    fn line(&self, room: usize) -> String {
        let &LiveStatus { done, total, .. } = self;
        let mut parts = self.parts();
        while parts.len() > 1 && parts.join("  ").width() > room {
            parts.pop();
        }
        let mut text = parts.join("  ");
        let bar = room.saturating_sub(text.width() + 2).min(*BAR.end());
        if BAR.contains(&bar) {
            let full = (bar as f64 * done as f64 / total.max(1) as f64) as usize;
            text = format!("{}{}  {text}", "█".repeat(full), "░".repeat(bar.saturating_sub(full)));
        }
        while text.width() > room {
            text.pop();
        }
        text
    }
}

/// Write games a second, or a minute when they are slow.
fn per_time(per_second: f64) -> String {
    match per_second {
        rate if rate >= 10.0 => format!("{rate:.0} a second"),
        rate if rate >= 1.0 => format!("{rate:.1} a second"),
        rate => format!("{:.1} a minute", 60.0 * rate),
    }
}

/// Write seconds in their two largest units.
fn duration(seconds: f64) -> String {
    let seconds = seconds as u64;
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
        let (mean, test) = ("new 75.31 ± 0.12".to_string(), String::new());
        LiveStatus { done: 50, total: 200, rate, mean, test }.line(room)
    }

    #[test]
    fn a_long_line_has_a_bar_that_grows() {
        let text = "new 75.31 ± 0.12  50/200 games  25 min 0 s left  6.0 a minute";
        assert_eq!(line(150, 0.1), format!("{}{}  {text}", "█".repeat(10), "░".repeat(30)));
        assert_eq!(line(75, 0.1), format!("{}{}  {text}", "█".repeat(3), "░".repeat(9)));
        assert_eq!(line(65, 0.1), text);
    }

    #[test]
    fn no_line_is_longer_than_its_room() {
        for room in 0..200 {
            for rate in [0.0, 0.01, 3.0, 40_000.0] {
                assert!(line(room, rate).width() <= room, "{room}: {}", line(room, rate));
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
        assert_eq!([0.05, 2.34, 4_321.9].map(per_time), ["3.0 a minute", "2.3 a second", "4322 a second"]);
        let times = [7.0, 130.0, 7_260.0, 200_000.0].map(duration);
        assert_eq!(times, ["7 s", "2 min 10 s", "2 h 1 min", "2 days 7 h"]);
    }
}
