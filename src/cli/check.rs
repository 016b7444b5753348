//! `blackhole check`: does a bot keep to the referee dialogue?

use std::collections::BTreeSet;
use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;

use super::options::within;
use super::signals::stop_flag;
use super::{CommandResult, FAILURE, INTERRUPTED, SUCCESS, plural, print, say, thinking_time, unfit};
use crate::arena::bots::{Bot, PlayerSpec};
use crate::arena::check::{self, Trial};
use crate::text::is_unseen;

/// Check that a bot keeps to the referee dialogue, and list its faults
///
/// The trials, with both colours: whole games, CR LF, empty lines before the cells, Quit and the end of
/// input at several points, a slow opponent. Red also gets Blue's last move and must not answer. After
/// Quit or the end of input the bot must exit with status 0. Each trial is a line: the time used and the
/// exit status, or the fault and the moves played before it. A fault seen before is only named. Three faults
/// of one kind end the check. Exit codes: 0 all passed, 1 a trial failed, 2 bad usage or a bot that cannot be
/// started, 130 interrupted. `match --help` explains the faults.
#[derive(Args)]
pub(super) struct CheckOptions {
    /// The bot's command line, split into words by the rules of a shell
    #[arg(long, value_name = "COMMAND")]
    bot: String,
    /// Thinking time for a whole game, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = thinking_time)]
    time: Duration,
    /// Whole games against random play with each colour
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = within(0..=1_000_000u64))]
    games: u64,
    /// Show the dialogue of every trial and the bot's stderr
    #[arg(long)]
    verbose: bool,
}

pub(super) fn run(options: &CheckOptions) -> CommandResult {
    print("")?;
    let player = PlayerSpec::parse(&options.bot).map_err(unfit)?;
    if let PlayerSpec::Builtin(_) = player {
        let player = player.to_string().replace("builtin:", "blackhole --player ");
        return Err(unfit(format!("expected a program, such as '{player}'")));
    }
    let bot = Bot::new("bot", player, options.time);
    let stop = stop_flag()?;
    let (mut passed, mut failed) = (0u64, 0u64);
    let mut seen = BTreeSet::new();
    let mut printed = Ok(());
    let each = |Trial { name, result, moves, transcript }: Trial| {
        let mut text = match result {
            Ok(end) => {
                passed += 1;
                format!("ok      {name} ({end})\n")
            }
            Err(fault) => {
                failed += 1;
                let is_new = seen.insert(fault.to_string());
                let what = if is_new { fault.to_string() } else { format!("the same {} again", fault.class) };
                format!("FAILED  {name}, after {}: {what}\n", plural(moves, "move"))
            }
        };
        if options.verbose {
            let indented = |line: &str| format!("        {}\n", line.replace(is_unseen, "\u{fffd}"));
            text.extend(transcript.lines().map(indented));
        }
        if printed.is_ok() {
            printed = print(&text);
        }
    };
    let ended = check::run(&bot, options.games, stop, each);
    // An error before the first trial is the command's fault, later the system's.
    let begun = passed + failed > 0;
    let left_out = ended.map_err(|error| if begun { io::Error::other(error) } else { unfit(error) })?;
    if stop.load(Ordering::Relaxed) {
        say(&format!("interrupted after {}, {failed} failed", plural(passed + failed, "trial")));
        return Ok(INTERRUPTED);
    }
    let rest = match left_out {
        0 => String::new(),
        count => format!(", {count} left out as three failed in the same way"),
    };
    print(&format!("{passed} passed, {failed} failed{rest}\n"))?;
    if failed > 0 && !options.verbose {
        say("--verbose shows the dialogue of every trial");
    }
    printed?;
    Ok(if failed == 0 { SUCCESS } else { FAILURE })
}
