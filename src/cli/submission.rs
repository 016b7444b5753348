//! `blackhole submission`: the player as one source file.

use clap::Args;

use super::{CommandResult, SUCCESS, print, thinking_time};
use crate::submission;

/// Print the player as one Rust source file without crates, for tournaments that compile it
#[derive(Args)]
pub(super) struct SubmissionOptions {
    /// Thinking time for the whole game, in seconds; less than the referee's limit
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = thinking_time)]
    time: std::time::Duration,
}

pub(super) fn run(options: &SubmissionOptions) -> CommandResult {
    print(&submission::source(options.time.as_secs_f64())).map(|()| SUCCESS)
}
