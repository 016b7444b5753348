//! The command line: its options, and which part of the library answers each command.
//!
//! A command is a variant of [`Command`], a module that holds its options and a `run`, and a line in
//! [`dispatch`].

mod arena_options;
mod bench;
mod calibrate;
mod check;
mod live;
mod match_command;
mod options;
mod output;
mod play;
mod report;
mod signals;
mod solve;
mod think;

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, Parser, Subcommand};
use serde_json::Value;

use crate::player::record::Record;
use output::print;

/// Everything went well.
const SUCCESS: u8 = 0;
/// Something outside failed: a file system, a pipe.
const FAILURE: u8 = 1;
/// The input or the options do not fit.
const BAD_INPUT: u8 = 2;
/// A limit was reached before the answer was proven.
const UNDECIDED: u8 = 3;
/// Ctrl-C, as shells say it: 128 and the number of the signal.
const INTERRUPTED: u8 = 130;

/// Far more than any record needs; a file beyond it is none.
const MAX_RECORD_BYTES: u64 = 1 << 20;

/// Plays Black Hole, the game of CodeCup 2018, and solves its endgames.
///
/// Without a command it plays one game: it reads the referee's lines from standard input and answers on
/// standard output, as `blackhole play`.
#[derive(Parser)]
#[command(version, propagate_version = true, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    play: play::PlayOptions,
}

/// What every command calls itself when asked for its version: all are one program.
const NAME: &str = env!("CARGO_PKG_NAME");

#[derive(Subcommand)]
enum Command {
    #[command(display_name = NAME)]
    Play(play::PlayOptions),
    #[command(display_name = NAME)]
    Solve(solve::SolveOptions),
    #[command(display_name = NAME)]
    Think(think::ThinkOptions),
    #[command(display_name = NAME)]
    Bench(bench::BenchOptions),
    #[command(display_name = NAME)]
    Match(match_command::MatchOptions),
    #[command(display_name = NAME)]
    Report(report::ReportOptions),
    #[command(display_name = NAME)]
    Check(check::CheckOptions),
    #[command(display_name = NAME)]
    Calibrate(calibrate::CalibrateOptions),
}

fn dispatch(command: Command, started: Instant) -> Outcome {
    match command {
        Command::Play(options) => play::run(&options, started),
        Command::Solve(options) => solve::run(&options),
        Command::Think(options) => think::run(&options),
        Command::Bench(options) => bench::run(&options),
        Command::Match(options) => match_command::run(&options),
        Command::Report(options) => report::run(&options),
        Command::Check(options) => check::run(&options),
        Command::Calibrate(options) => calibrate::run(&options),
    }
}

/// Run the program with its arguments, the first of which is its name, and return the exit code: 0 done,
/// 1 a failure outside, 2 bad options or input, 3 undecided within a limit, 4 a match's test accepts
/// the lower mean, 130 interrupted. `started` is when the program started; the time until the first
/// line is read counts as thinking time.
pub fn run(arguments: impl IntoIterator<Item = OsString>, started: Instant) -> u8 {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Nobody may be reading help texts any more; then there is nobody to tell.
            let _ = error.print();
            return error.exit_code().try_into().unwrap_or(BAD_INPUT);
        }
    };
    let command = cli.command.unwrap_or(Command::Play(cli.play));
    match dispatch(command, started) {
        Ok(code) => code,
        Err(Failure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => SUCCESS,
        Err(failure) => {
            let _ = writeln!(io::stderr(), "blackhole: {failure}");
            if matches!(failure, Failure::Io(_)) { FAILURE } else { BAD_INPUT }
        }
    }
}

/// The exit code of a command that ran, or why it could not.
type Outcome = Result<u8, Failure>;

/// Why a command could not run.
#[derive(Debug)]
enum Failure {
    /// A stream failed.
    Io(io::Error),
    /// A file or its content is not what the command needs.
    Input(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Io(error) => error.fmt(f),
            Failure::Input(text) => f.write_str(text),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Io(error)
    }
}

/// Where a game record comes from.
#[derive(Args)]
struct RecordSource {
    /// A game record (see the README for its two notations); `-` is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    file: PathBuf,
}

impl RecordSource {
    /// Read and parse the record.
    fn read(&self) -> Result<Record, Failure> {
        let fail = |error: &dyn fmt::Display| Failure::Input(format!("{}: {error}", self.file.display()));
        let mut bytes = Vec::new();
        let mut collect = |input: &mut dyn Read| input.take(MAX_RECORD_BYTES + 1).read_to_end(&mut bytes);
        if self.file == Path::new("-") {
            collect(&mut io::stdin().lock())
        } else {
            std::fs::File::open(&self.file).and_then(|mut file| collect(&mut file))
        }
        .map_err(|error| fail(&error))?;
        if bytes.len() as u64 > MAX_RECORD_BYTES {
            return Err(fail(&"more than a megabyte, expected a game record"));
        }
        Record::parse_bytes(&bytes).map_err(|error| fail(&error))
    }
}

/// Write a number with its noun, in the plural unless it is 1.
fn plural(count: impl Into<u64>, noun: &str) -> String {
    let count = count.into();
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Write a JSON object on one line, its keys in the given order.
fn json_object(fields: &[(&str, Value)]) -> String {
    let fields: Vec<String> =
        fields.iter().map(|(key, value)| format!("{}:{value}", Value::from(*key))).collect();
    format!("{{{}}}\n", fields.join(","))
}

/// Read a number of seconds that may have a fraction.
fn seconds(text: &str) -> Result<Duration, String> {
    let expected = "expected seconds from 0 to 1000000, such as 5 or 0.5";
    let number: f64 = text.parse().map_err(|_| expected.to_owned())?;
    if (0.0..=1e6).contains(&number) { Ok(Duration::from_secs_f64(number)) } else { Err(expected.to_owned()) }
}

/// Read a file whole.
fn read_file(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| Failure::Input(format!("{}: {error}", path.display())))
}
