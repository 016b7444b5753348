//! `blackhole check`: does a bot keep to the referee dialogue?

use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;

use super::{FAILURE, Failure, INTERRUPTED, Outcome, SUCCESS, print, stop_flag};
use crate::workshop::arena::bots::{Bot, PlayerSpec};
use crate::workshop::arena::check::{self, Session};
use crate::workshop::arena::game::Rules;

/// Try whether a bot keeps to the referee dialogue, and list what fails
///
/// Both colours: whole games, CR LF, empty lines before the cells, Quit and the end of input at several
/// points, a slow opponent. Exit code 1 when something fails.
#[derive(Args)]
pub(super) struct CheckOptions {
    /// The bot's command line, split into words as a shell does
    #[arg(long, value_name = "COMMAND")]
    bot: String,
    /// Thinking time for a whole game, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = super::seconds)]
    time: Duration,
    /// Whole games against random play, for each colour
    #[arg(long, value_name = "N", default_value_t = 2)]
    games: u64,
    /// Seed of the openings and of the opponent
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// Hold the session and print a line a trial.
pub(super) fn run(options: &CheckOptions) -> Outcome {
    let player = PlayerSpec::parse(&options.bot).map_err(|error| Failure::Input(error.to_string()))?;
    if let PlayerSpec::Builtin(_) = player {
        return Err(Failure::Input(
            "expected a program, built-in players do not speak the dialogue".to_owned(),
        ));
    }
    let bot = Bot { name: "bot".to_owned(), player, time: options.time };
    let rules = Rules { startup: options.time };
    let session = Session { bot, rules, games: options.games, seed: options.seed };
    let stop = stop_flag()?;
    let (mut passed, mut failed) = (0, 0);
    let mut printed = Ok(());
    check::run(&session, &stop, |trial| {
        let line = match &trial.result {
            Ok(()) => format!("ok      {}\n", trial.name),
            Err(error) => format!("FAILED  {}: {error}\n", trial.name),
        };
        *if trial.result.is_ok() { &mut passed } else { &mut failed } += 1;
        if printed.is_ok() {
            printed = print(&line);
        }
    });
    printed?;
    if stop.load(Ordering::Relaxed) {
        return Ok(INTERRUPTED);
    }
    print(&format!("{passed} passed, {failed} failed\n"))?;
    Ok(if failed == 0 { SUCCESS } else { FAILURE })
}
