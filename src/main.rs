//! The program: [`blackhole::cli`] with the process's arguments and exit code.

use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let started = Instant::now();
    ExitCode::from(blackhole::cli::run(std::env::args_os(), started))
}
