//! The options of `blackhole match`, and the match that they describe.

use std::io;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::slice;
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use serde_json::{Map, Value};

use super::options::within;
use super::output::PageOptions;
use super::progress::ProgressLines;
use super::{at, thinking_time, unfit};
use crate::arena::Match;
use crate::arena::bots::Bot;
use crate::arena::journal::{MatchLine, read_path, split_lines};
use crate::arena::run::is_directory;
use crate::arena::schedule::{Schedule, Shard, pairings};
use crate::arena::sprt::{SOUND, Sprt, SprtPlan};
use crate::games::opening::{Opening, parse_openings};
use crate::system::cores;
use crate::system::lines::read;

/// Play bots against each other and say which is stronger
///
/// Every opening is played twice with colours swapped; the pair is the unit of the statistics. The
/// table goes to standard output, faults and the progress bar to standard error.
#[derive(Args)]
#[command(after_help = "\
Examples, first a league and its page:
  blackhole match --bot a=./a --bot b=./b --bot c=./c --journal league.jsonl \\
    --html league.html --title 'Our league' --judge
  blackhole match --bot new='./new --fast' --bot old=./old --sprt 75,75.4 \\
    --journal games.jsonl
  blackhole match --resume games.jsonl --pairs 200000
  sbatch --requeue --array=1-8 --wrap 'blackhole match … --sprt 75,75.3 \\
    --shard $SLURM_ARRAY_TASK_ID/8 --resume directory/'

A bot's command is split into words by the rules of a shell, and each {seed} is
replaced by a seed of the game. A shell is needed to expand ~ and $HOME:
--bot 'a=sh -c \"exec ~/bot\"'. Another directory and variables of the environment
are set by --bot 'a=env -C DIR NAME=VALUE ./bot'.

A program is started at its first turn: its start-up counts as thinking. All
bots are killed when this command exits. A process started by a bot survives if
it has left the bot's process group, or if this command is killed by SIGKILL.

Faults (each loses the game, 0 to 150):
  time     the answer, or its end, came too late
  silence  not one byte came in time; counted with time
  illegal  an unknown cell or stone, an occupied cell, a used stone
  garbage  output other than a move, an endless line, unasked output
  crash    the process died: a signal, an exit status other than 0
  hang-up  its output was closed, or it ended with status 0, before its move
  no-quit  it ran on for 1 s after Quit and was killed
A fault after the last move (unasked output, an exit status other than 0) is
printed and counted, but costs no points. A clock stands still while the runner
itself is held up (stopped, asleep, without a processor). Rounds count from 1,
but from 0 in the journal. `report --help` explains the table.

Exit codes: 0 done, with --sprt HIGH accepted; 1 a fault with --stop-on-fault,
every game lost by a fault, or a failure of the system (a program that can no
longer be started, a full disk), after the table of the games played; 2 bad
usage; with --sprt 3 undecided and 4 LOW accepted; 130 interrupted.")]
pub(super) struct MatchOptions {
    #[command(flatten)]
    pub settings: MatchSettings,
    /// Openings to play, one a line: five cells or a base-36 string; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "opening")]
    openings: Option<PathBuf>,
    /// Games at the same time, at most one a core [default: one for every two cores]
    #[arg(long, value_name = "N", value_parser = within(1..=cores()))]
    concurrency: Option<usize>,
    /// Write the games to this new file, one JSON object a line. In a directory (existing, or a path ending in /)
    /// each shard writes its own file, and all decide one test: keep all of them running, it needs the games of each
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Go on with the match of this journal; other options change it. A missing file is begun, if bots are given
    #[arg(long, value_name = "FILE", conflicts_with = "journal")]
    pub resume: Option<PathBuf>,
    /// Lines of progress on standard error: `games` for one a game, or without a terminal the seconds between two; 0: none
    #[arg(long, value_name = "SECONDS|games", default_value = "30", value_parser = ProgressLines::parse)]
    pub progress: ProgressLines,
    /// Stop at the first fault, with exit code 1
    #[arg(long)]
    pub stop_on_fault: bool,
}

/// The options that describe a match; a journal keeps them.
#[derive(Args)]
pub(super) struct MatchSettings {
    /// A bot: a program's command line, quoted if it has blanks (--bot a='python3 bot.py'), or
    /// builtin:PLAYER[,key=value…]; twice or more. Players: random, greedy, negamax, uct, filtered, wormhole,
    /// eventhorizon, blackhole. A name has no blanks, no = and no /. With --resume give none, or all bots again
    #[arg(long, value_name = "NAME=COMMAND")]
    bot: Vec<String>,
    /// Add a text to every bot: words to a program's command line, options key=value to a built-in player
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    each: Option<String>,
    /// Play this bot against all others instead of a round robin
    #[arg(long, value_name = "NAME")]
    gauntlet: Option<String>,
    /// Pairs of games for each pairing [default: one for each --opening; without openings 50, or with --sprt as
    /// many as the test needs, at most 100000]
    #[arg(long, value_name = "N", value_parser = within(1..=MAX_PAIRS))]
    pairs: Option<u64>,
    /// Thinking time for a whole game, of all bots or of the one named; may be repeated. Built-in players know it,
    /// programs are not told
    #[arg(long, value_name = "[NAME=]SECONDS", default_value = "5")]
    time: Vec<String>,
    /// Stop each program (SIGSTOP) during its opponent's turn; not on Windows
    #[arg(long)]
    suspend: bool,
    /// Seed of the openings and of all random choices
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within(0..=u64::MAX))]
    seed: u64,
    /// An opening to play, such as 'E4 F2 A5 A7 C1'; may be repeated
    #[arg(long, value_name = "CELLS")]
    opening: Vec<String>,
    /// Play only part I of N of the games
    #[arg(long, value_name = "I/N", value_parser = Shard::parse, allow_hyphen_values = true)]
    pub shard: Option<Shard>,
    /// Test between two means of the first bot, in points a game; the decision, after 20 pairs or more, ends the match
    #[arg(long, value_name = "LOW,HIGH", value_parser = low_high, allow_hyphen_values = true)]
    sprt: Option<(f64, f64)>,
    /// The chance of accepting HIGH when LOW is true
    #[arg(long, value_name = "P", default_value_t = 0.05, requires = "sprt")]
    alpha: f64,
    /// The chance of accepting LOW when HIGH is true
    #[arg(long, value_name = "P", default_value_t = 0.05, requires = "sprt")]
    beta: f64,
    /// Write a file for each game into this directory: moves, times, the end of both bots' stderr
    #[arg(long, value_name = "DIR")]
    pub logs: Option<PathBuf>,
    #[command(flatten)]
    pub page: PageOptions,
}

impl MatchSettings {
    /// Return the number of pairs for each pairing, with so many openings.
    fn pairs(&self, openings: usize) -> u64 {
        self.pairs.unwrap_or(match openings as u64 {
            0 if self.sprt.is_some() => MAX_TEST_PAIRS,
            0 => 50,
            count => count,
        })
    }
}

/// Return the number of games in the plan of a match, of all shards; `None` if a test decides it.
pub(super) fn planned_games(line: &MatchLine) -> Option<u64> {
    let settings = read_settings(&line.r#match, Path::new("")).ok()?;
    let openings = parse_openings(&settings.opening.join("\n")).ok()?;
    let others = settings.bot.len().saturating_sub(1) as u64;
    let pairings = if settings.gauntlet.is_some() { others } else { others * (others + 1) / 2 };
    settings.sprt.is_none().then_some((2 * pairings).saturating_mul(settings.pairs(openings.len())))
}

fn low_high(text: &str) -> Result<(f64, f64), String> {
    let numbers = text.split_once(',');
    let numbers = numbers.and_then(|(low, high)| low.trim().parse().ok().zip(high.trim().parse().ok()));
    numbers.ok_or_else(|| "expected LOW,HIGH".to_owned())
}

/// Options by their long names: texts, lists of texts for repeated ones, and true for switches.
pub(super) type Given = Map<String, Value>;

fn command() -> Command {
    MatchSettings::augment_args(Command::new("match").disable_help_flag(true))
}

/// Return the settings given on the command line of `match`.
pub(super) fn given(matches: &ArgMatches) -> Given {
    let id = |arg: &Arg| arg.get_id().as_str().to_owned();
    let is_given = |arg: &&Arg| matches.value_source(&id(arg)) == Some(ValueSource::CommandLine);
    let setting = |arg: &Arg| {
        let texts = matches.get_raw(&id(arg)).into_iter().flatten();
        let mut texts: Vec<Value> = texts.map(|text| text.to_string_lossy().into()).collect();
        let value = match texts.len() {
            _ if !arg.get_action().takes_values() => true.into(),
            1 => texts.remove(0),
            _ => texts.into(),
        };
        (arg.get_long().unwrap_or_default().to_owned(), value)
    };
    command().get_arguments().filter(is_given).map(setting).collect()
}

/// Read settings; blame the journal at `path` for unfit ones.
fn read_settings(settings: &Given, path: &Path) -> io::Result<MatchSettings> {
    let mut words = vec!["match".to_owned()];
    for (name, value) in settings {
        let values = if let Value::Array(values) = value { values } else { slice::from_ref(value) };
        words.extend(values.iter().map(|value| match value {
            Value::String(text) => format!("--{name}={text}"),
            _ => format!("--{name}"),
        }));
    }
    let read = command().try_get_matches_from(words).and_then(|it| MatchSettings::from_arg_matches(&it));
    read.map_err(|error: clap::Error| {
        // The first lines alone: the others name the command line's help.
        let text = error.to_string();
        let lines: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
        at(path, lines.join(" ").trim_start_matches("error: "))
    })
}

impl MatchOptions {
    /// Return the path of the journal, a new one or one to go on with.
    pub fn journal(&self) -> Option<&Path> {
        self.journal.as_deref().or(self.resume.as_deref())
    }

    /// Complete the settings given by those of the journal to go on with, and by the cells of the openings.
    pub fn complete(&mut self, mut given: Given) -> io::Result<Given> {
        if let Some(path) = &self.openings {
            let cells = |opening: &Opening| Value::from(opening.map(|cell| cell.to_string()).join(" "));
            let cells = read_openings(path)?.iter().map(cells).collect();
            given.insert("opening".to_owned(), Value::Array(cells));
        }
        let mut settings = match &self.resume {
            Some(path) => recorded_match(path, given.contains_key("bot"))?,
            None => Given::new(),
        };
        settings.extend(given);
        // As text a path may have lost bytes.
        let (html, logs) = (self.settings.page.html.take(), self.settings.logs.take());
        self.settings = read_settings(&settings, self.resume.as_deref().unwrap_or(Path::new("openings")))?;
        let is_whole = |path: &PathBuf| !path.to_string_lossy().contains(char::REPLACEMENT_CHARACTER);
        self.settings.page.html = html.or(self.settings.page.html.take().filter(is_whole));
        self.settings.logs = logs.or(self.settings.logs.take().filter(is_whole));
        // Shards that share a directory have the same settings.
        if self.journal().is_some_and(is_directory) {
            settings.remove("shard");
        }
        Ok(settings)
    }
}

/// Read the last match in the journals at a path; nothing if there is none and bots are given.
fn recorded_match(path: &Path, has_bots: bool) -> io::Result<Given> {
    let is_new = has_bots && !path.exists();
    let lines = if is_new { Vec::new() } else { read_path(path).map_err(|error| at(path, error))?.0 };
    let known = split_lines(lines).0.pop().map(|line| line.r#match).or(has_bots.then(Given::new));
    let expected = "expected a journal that begins with its match, found none: give all options again";
    known.ok_or_else(|| at(path, expected))
}

/// The most pairs of a sequential test without --pairs: beyond them the means are too close to tell apart.
const MAX_TEST_PAIRS: u64 = 100_000;

/// The most pairs for each pairing: their games are countable in 64 bits.
const MAX_PAIRS: u64 = 1_000_000_000_000;

pub(super) fn plan(options: &MatchOptions) -> io::Result<Match> {
    let settings = &options.settings;
    if settings.page.html.is_some() && options.journal().is_none() {
        return Err(unfit("--html is made from the journal: expected --journal FILE, too"));
    }
    if settings.suspend && cfg!(windows) {
        return Err(unfit("--suspend: expected a system that can stop a program, found Windows"));
    }
    let mut bots: Vec<Bot> = Vec::new();
    for text in &settings.bot {
        let is_builtin = text.split_once('=').is_some_and(|(_, it)| it.trim_start().starts_with("builtin:"));
        let between = if is_builtin { ',' } else { ' ' };
        let text = settings.each.as_ref().map_or(text.clone(), |each| format!("{text}{between}{each}"));
        let bot = Bot::parse(&text, Duration::from_secs(5)).map_err(unfit)?;
        if bots.iter().any(|other| other.name == bot.name) {
            return Err(unfit(format!("expected different names, found {} twice", bot.name)));
        }
        bots.push(bot);
    }
    // A time for one bot overrides the time for all, in any order.
    let (own, all): (Vec<&String>, Vec<&String>) = settings.time.iter().partition(|text| text.contains('='));
    for text in all.into_iter().chain(own) {
        let (name, value) = text.rsplit_once('=').map_or((None, text.as_str()), |(n, v)| (Some(n), v));
        let time = thinking_time(value).map_err(|error| unfit(format!("--time {text}: {error}")))?;
        let whose = name.map_or(Ok(0..bots.len()), |name| find(&bots, name).map(|bot| bot..bot + 1))?;
        bots[whose].iter_mut().for_each(|bot| bot.time = time);
    }
    if bots.len() < 2 {
        let all = ": --bot replaces the whole list of the journal, name all bots again";
        let all = if options.resume.is_some() { all } else { "" };
        return Err(unfit(format!("expected two bots or more, each by --bot NAME=COMMAND{all}")));
    }
    let subject = settings.gauntlet.as_ref().map(|name| find(&bots, name)).transpose()?;
    let pairings = pairings(bots.len(), subject);
    let openings = parse_openings(&settings.opening.join("\n"));
    let openings = openings.map_err(|error| unfit(format!("--opening: {error}")))?;
    let MatchSettings { alpha, beta, .. } = *settings;
    let means = settings.sprt.map(|(low, high)| Sprt { low, high, alpha, beta });
    if means.is_some() && bots.len() > 2 {
        return Err(unfit("--sprt tests one bot against one other, expected two bots"));
    }
    if means.is_some_and(|means| !means.is_sound()) {
        return Err(unfit(format!("--sprt: expected {SOUND}")));
    }
    let pairs = settings.pairs(openings.len());
    let concurrency = options.concurrency.unwrap_or((cores() / 2).max(1));
    let shard = settings.shard.unwrap_or(Shard::ALL);
    let schedule = Schedule { seed: settings.seed, openings, pairs, pairings, shard };
    // In a directory of journals all shards decide one test.
    let shards = NonZeroU64::new(shard.count)
        .filter(|_| !options.journal().is_some_and(is_directory))
        .unwrap_or(NonZeroU64::MIN);
    let bot = bots[schedule.pairings[0][0]].name.clone();
    let test = means.map(|means| SprtPlan { bot, means, shards });
    Ok(Match { bots, schedule, suspend: settings.suspend, concurrency, test })
}

fn find(bots: &[Bot], name: &str) -> io::Result<usize> {
    let place = bots.iter().position(|bot| bot.name == name);
    place.ok_or_else(|| unfit(format!("expected the name of a bot, found {name}")))
}

fn read_openings(path: &Path) -> io::Result<Vec<Opening>> {
    let text = String::from_utf8(read(path).map_err(|error| at(path, error))?)
        .map_err(|_| at(path, "expected text in UTF-8"))?;
    let openings = parse_openings(text.trim_start_matches('\u{feff}')).map_err(|error| at(path, error))?;
    if openings.is_empty() {
        return Err(at(path, "expected openings, found none"));
    }
    Ok(openings)
}
