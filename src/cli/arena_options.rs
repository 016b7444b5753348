//! Options that commands of the arena share.

use std::io;
use std::time::Duration;

use clap::Args;

use super::{FAILURE, SUCCESS, UNDECIDED, seconds, unfit};
use crate::arena::report::Report;
use crate::arena::sprt::{SOUND, Sprt, SprtRun, SprtVerdict};

#[derive(Args)]
pub(super) struct SprtOptions {
    /// Test between two means of the first bot, in points a game; the match ends with the decision, after 20
    /// pairs or more
    #[arg(long, value_name = "LOW,HIGH", value_parser = low_high, allow_hyphen_values = true)]
    sprt: Option<(f64, f64)>,
    /// The chance of accepting HIGH when LOW is true
    #[arg(long, value_name = "P", default_value_t = 0.05, requires = "sprt")]
    alpha: f64,
    /// The chance of accepting LOW when HIGH is true
    #[arg(long, value_name = "P", default_value_t = 0.05, requires = "sprt")]
    beta: f64,
}

impl SprtOptions {
    /// Return the test among this many bots; fail above two.
    pub fn means(&self, bots: usize) -> io::Result<Option<Sprt>> {
        if self.sprt.is_some() && bots > 2 {
            return Err(unfit("--sprt tests one bot against one other, expected two bots"));
        }
        let test = self.sprt.map(|(low, high)| Sprt { low, high, alpha: self.alpha, beta: self.beta });
        if test.is_some_and(|test| !test.is_sound()) {
            return Err(unfit(format!("--sprt: expected {SOUND}")));
        }
        Ok(test)
    }
}

const REFUTED: u8 = 4;

/// Return the exit code of a match: a failure if a fault lost every game, else the test's verdict.
pub(super) fn exit_code(report: &Report, test: Option<&SprtRun>) -> u8 {
    match test.map(SprtRun::verdict) {
        _ if !report.broken.is_empty() => FAILURE,
        Some(SprtVerdict::H0) => REFUTED,
        Some(SprtVerdict::Undecided) => UNDECIDED,
        Some(SprtVerdict::H1) | None => SUCCESS,
    }
}

fn low_high(text: &str) -> Result<(f64, f64), String> {
    let numbers = text.split_once(',').map(|(low, high)| (low.trim().parse(), high.trim().parse()));
    let numbers = numbers.and_then(|(low, high)| low.ok().zip(high.ok()));
    numbers.ok_or_else(|| "expected LOW,HIGH".to_owned())
}

pub(super) fn thinking_time(text: &str) -> Result<Duration, String> {
    let time = seconds(text).ok().filter(|&time| time >= Duration::from_millis(1));
    time.ok_or_else(|| "expected seconds from 0.001 to 1000000".to_owned())
}
