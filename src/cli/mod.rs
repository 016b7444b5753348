//! The command line: options, and the way from each command to the library.
//!
//! A command is a variant of [`Command`], a module with its options and a `run`, and a line in
//! [`dispatch`].

mod analyse;
mod board;
mod check;
mod convert;
mod match_command;
mod match_options;
mod options;
mod output;
mod play;
mod progress;
mod report;
mod review;
mod show;
mod signals;
mod solve;
mod source;
mod submission;
mod think;

use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use serde::Serialize;

use crate::player::host;
use crate::system;
use crate::text::{columns, hanging, is_unseen, number, plural};
use output::{print, print_help};
use play::PlayCommand;

// Exit codes. Failure: an outside cause, such as a file system or a pipe. Bad input: options or files.
// Undecided: a limit came before the proof. Refuted: a match's test accepts the lower mean. Interrupted: the
// code of shells for Ctrl-C, 128 and the number of the signal.
const SUCCESS: u8 = 0;
const FAILURE: u8 = 1;
const BAD_INPUT: u8 = 2;
const UNDECIDED: u8 = 3;
const REFUTED: u8 = 4;
const INTERRUPTED: u8 = 130;

/// Plays Black Hole, the game of CodeCup 2018, and solves its endgames.
///
/// Without a command it plays, like `blackhole play`: in a terminal with a person, else through the
/// referee's lines on standard input and its moves on standard output.
#[derive(Parser)]
#[command(version, propagate_version = true, args_conflicts_with_subcommands = true, max_term_width = 80)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    play: play::PlayOptions,
}

#[derive(Subcommand)]
enum Command {
    Play(PlayCommand),
    Board(board::BoardOptions),
    Analyse(analyse::AnalyseOptions),
    Solve(solve::SolveOptions),
    Think(think::ThinkOptions),
    Review(review::ReviewOptions),
    Convert(convert::ConvertOptions),
    Show(show::ShowOptions),
    Match(Box<match_options::MatchOptions>),
    Report(report::ReportOptions),
    Check(check::CheckOptions),
    Submission(submission::SubmissionOptions),
}

fn dispatch(command: Command, matches: &ArgMatches, started: Instant) -> CommandResult {
    match command {
        Command::Play(PlayCommand { file, options }) => play::run(&options, file.as_deref(), started),
        Command::Board(options) => board::run(&options),
        Command::Analyse(options) => analyse::run(&options),
        Command::Solve(options) => solve::run(&options),
        Command::Think(options) => think::run(&options),
        Command::Review(options) => review::run(&options),
        Command::Convert(options) => convert::run(&options),
        Command::Show(options) => show::run(&options),
        Command::Match(options) => {
            let given = matches.subcommand_matches("match").map(match_options::given);
            match_command::run(*options, given.unwrap_or_default())
        }
        Command::Report(options) => report::run(&options),
        Command::Check(options) => check::run(&options),
        Command::Submission(options) => submission::run(&options),
    }
}

/// Return the command line for clap. Options take negative numbers, so that an error names the number.
fn command_line() -> clap::Command {
    let negative = |arg: Arg| {
        let takes_value = arg.get_action().takes_values() && !arg.is_positional();
        if takes_value { arg.allow_negative_numbers(true) } else { arg }
    };
    // Every command's version names the one program.
    let named = |command: clap::Command| command.display_name(env!("CARGO_PKG_NAME")).mut_args(negative);
    Cli::command().mut_args(negative).mut_subcommands(named)
}

/// Run the program with its arguments, its name first, and return the exit code, one of those above.
/// Thinking time counts from `started`, the program's start.
pub fn run(arguments: impl IntoIterator<Item = OsString>, started: Instant) -> u8 {
    if let Err(why) = host::check() {
        say(&format!("blackhole: {why}"));
        return FAILURE;
    }
    system::set_up();
    let arguments = Vec::from_iter(arguments);
    let is_match = arguments.get(1).is_some_and(|command| command == "match");
    let matches = command_line().try_get_matches_from(arguments);
    let outcome = match matches.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches))) {
        Ok((Cli { command: Some(command), .. }, matches)) => dispatch(command, &matches, started),
        Ok((Cli { command: None, play }, _)) => play::run(&play, None, started),
        Err(error) => match error.source().and_then(|source| source.downcast_ref::<options::Listing>()) {
            Some(listing) => print(&listing.to_string()).map(|()| SUCCESS),
            None if error.exit_code() == 0 => print_help(&error).map(|()| SUCCESS),
            None => {
                // Standard error may be closed.
                let _ = error.print();
                let unexpected = error.kind() == ErrorKind::UnknownArgument;
                if is_match && unexpected && !error.to_string().contains("argument '--") {
                    say("A bot's command that has blanks is quoted: --bot a='python3 bot.py'.");
                }
                return BAD_INPUT;
            }
        },
    };
    match outcome {
        Ok(code) => code,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => SUCCESS,
        Err(error) => {
            say(&format!("blackhole: {error}"));
            if error.kind() == io::ErrorKind::InvalidInput { BAD_INPUT } else { FAILURE }
        }
    }
}

type CommandResult = io::Result<u8>;

/// Make the error of a file or an option that is unfit for the command.
fn unfit(why: impl fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why.to_string())
}

fn say(text: &str) {
    let shown = |c: char| if is_unseen(c) { c.escape_default().to_string() } else { c.to_string() };
    let text: String = text.chars().map(shown).collect();
    // A command to be copied, indented, is never broken.
    let is_whole = text.starts_with("  ") || !io::stderr().is_terminal();
    let lines = if is_whole { text } else { hanging("", &text, 2, columns().saturating_sub(2)) };
    let _ = writeln!(io::stderr(), "{lines}");
}

fn json_line(object: &impl Serialize) -> io::Result<String> {
    Ok(serde_json::to_string(object)? + "\n")
}

fn seconds(text: &str) -> Result<Duration, String> {
    number(text, &(0.0..=1e6)).map(Duration::from_secs_f64)
}

fn thinking_time(text: &str) -> Result<Duration, String> {
    number(text, &(0.001..=1e6)).map(Duration::from_secs_f64)
}

fn at(path: &Path, why: impl fmt::Display) -> io::Error {
    unfit(format_args!("{}: {why}", path.display()))
}
