//! The options of `blackhole match`, and the match that they describe.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf, is_separator};
use std::time::Duration;

use clap::Args;
use serde_json::Value;

use super::arena_options::{SprtOptions, thinking_time};
use super::match_settings::{Given, Settings, extend, of_the_match, options_of, read_settings, value_of};
use super::options::{seed, within};
use super::{Failure, at, seconds};
use crate::arena::Match;
use crate::arena::bots::Bot;
use crate::arena::game::Rules;
use crate::arena::journal::{MatchLine, journals, sorted};
use crate::arena::schedule::{Opening, Schedule, Shard, gauntlet, parse_openings, round_robin};
use crate::arena::sprt::SprtPlan;
use crate::system::SUSPENDS;
use crate::system::lines::{parse, read};

/// Play bots against each other and say which is stronger
///
/// Every opening is played twice with colours swapped; the pair is the unit of the statistics. The
/// table goes to standard output, faults and the progress bar to standard error.
#[derive(Args)]
#[command(after_help = "\
A bot's command is split into words by the rules of a shell, and each {seed} is
replaced by a seed of the game. A shell is needed to expand ~ and $HOME:
--bot 'a=sh -c \"exec ~/bot\"'. Another directory and variables of the environment
are set by --bot 'a=env -C DIR NAME=VALUE ./bot'.

A program is started at its first turn: its start-up counts as thinking. All
bots are killed when this command exits. A process started by a bot survives if
it has left the bot's process group, or if this command is killed by SIGKILL.

Faults (each loses the game, 0 to 150):
  startup  no whole answer within --startup
  time     the answer, or its end, came too late
  silence  not one byte came in time
  illegal  an unknown cell or stone, an occupied cell, a used stone
  garbage  output other than a move, an endless line, unasked output
  crash    the process died: a signal, an exit status other than 0
  hang-up  its output was closed, or it ended with status 0, before its move
  no-quit  it ran on for 1 s after Quit and was killed
A fault after the last move (unasked output, an exit status other than 0) is
printed and counted, but costs no points. If the runner itself is held up
(stopped, asleep, without a processor), the times of that game are unknown: the
game is void and played again. Rounds count from 0 in messages, logs and the
journal. `report --help` explains the table.

Examples:
  blackhole match --bot new='./new --fast' --bot old=./old --pairs 200 \
    --time 1 --sprt 75,75.4
  blackhole match --bot a=./a --bot r=builtin:random --openings openings.txt \
    --journal games.jsonl
  parallel blackhole match --bot a=./a --bot b=./b --pairs 800 --shard {}/8 \
    --journal part{}.jsonl --resume ::: 1 2 3 4 5 6 7 8
  sbatch --requeue --array=1-8 --wrap 'blackhole match … --resume \
    --shard $SLURM_ARRAY_TASK_ID/8 --journal part$SLURM_ARRAY_TASK_ID.jsonl'
  blackhole report part*.jsonl
  blackhole match --resume games.jsonl
  sbatch --requeue --array=1-8 --wrap 'blackhole match … --sprt 75,75.3 --resume \
    --shard $SLURM_ARRAY_TASK_ID/8 --journal directory'

Exit codes: 0 done, with --sprt HIGH accepted; 1 a fault with --stop-on-fault,
every game lost by a fault, or a failure of the system (a program that can no
longer be started, a full disk), after the table of the games played; 2 bad
usage; with --sprt 3 undecided and 4 LOW accepted; 130 interrupted.")]
pub(super) struct MatchOptions {
    // The first field: reading the others takes them away.
    #[command(flatten)]
    pub given: Given,
    /// A bot: a program's command line, quoted if it has blanks (--bot a='python3 bot.py'), or
    /// builtin:PLAYER[,key=value…]; twice or more. With --resume or --config these bots replace the whole list
    #[arg(long, value_name = "NAME=COMMAND", required_unless_present_any = ["config", "resume"])]
    pub bot: Vec<String>,
    /// Add a text to every bot: words to a program's command line, options key=value to a built-in player
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub each: Option<String>,
    /// Play this bot against all others instead of a round robin
    #[arg(long, value_name = "NAME")]
    pub gauntlet: Option<String>,
    /// Pairs of games, two each, for each pairing [default: one for each opening of the file; without a file 50,
    /// or with --sprt up to 100000, until the test decides]
    #[arg(long, value_name = "N", value_parser = within(1..=MOST_PAIRS))]
    pub pairs: Option<u64>,
    /// Games at the same time, at most one a core [default: one for every two cores]
    #[arg(long, value_name = "N", value_parser = within(1..=cores()))]
    pub concurrency: Option<usize>,
    /// Thinking time for a whole game, of all bots or of the one named; may be repeated
    #[arg(long, value_name = "[NAME=]SECONDS", default_value = "5")]
    pub time: Vec<String>,
    /// Limit of a program's first answer, start-up included, within its thinking time
    #[arg(long, value_name = "SECONDS", value_parser = thinking_time)]
    pub startup: Option<Duration>,
    /// Stop each program (SIGSTOP) during its opponent's turn; not on Windows
    #[arg(long)]
    pub suspend: bool,
    /// Seed of the openings and of all random choices
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = seed)]
    pub seed: u64,
    /// Openings to play, one a line: five cells or a base-36 string; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub openings: Option<PathBuf>,
    /// An opening to play, such as 'E4 F2 A5 A7 C1'; may be repeated
    #[arg(long, value_name = "CELLS", conflicts_with = "openings")]
    pub opening: Vec<String>,
    /// Append the match and every game to this file, one JSON object a line; in an existing directory, or a path
    /// with a slash at its end, shards write a file each, read the others', and decide one test together, in the
    /// order of the pairs: a shard that does not run holds it up
    #[arg(long, value_name = "FILE")]
    pub journal: Option<PathBuf>,
    /// Play only the games missing from the journal, which may be a new file; --resume FILE alone goes on with
    /// the match of this journal, and other options change it
    #[arg(long, value_name = "FILE")]
    pub resume: Option<Option<PathBuf>>,
    /// Take options from this file, a JSON object such as {"bot": ["a=./a", "b=./b"], "pairs": 200, "suspend":
    /// true}; the command line's own come first. With --resume it goes on with its journal
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Write the options into a new file for --config, then play
    #[arg(long, value_name = "FILE")]
    pub save_config: Option<PathBuf>,
    /// Play only part I of N of the games
    #[arg(long, value_name = "I/N", value_parser = Shard::parse, allow_hyphen_values = true)]
    pub shard: Option<Shard>,
    #[command(flatten)]
    pub sprt: SprtOptions,
    /// Write a file for each game into this directory: moves, times, the end of both bots' stderr
    #[arg(long, value_name = "DIR")]
    pub logs: Option<PathBuf>,
    /// Seconds between two lines of progress on standard error without a terminal; 0 for none
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub progress: Duration,
    /// Stop at the first fault, with exit code 1
    #[arg(long)]
    pub stop_on_fault: bool,
}

impl MatchOptions {
    /// Return the file of the journal: in a directory, a file of the shard.
    pub fn journal_file(&self, Shard { index, count }: Shard) -> Option<PathBuf> {
        let path = self.journal.as_ref()?;
        let shard = || path.join(format!("shard-{index}-of-{count}.jsonl"));
        Some(if self.is_shared() { shard() } else { path.clone() })
    }

    /// Tell whether the journal is a directory, perhaps a new one.
    pub fn is_shared(&self) -> bool {
        let is_named = |path: &Path| path.to_string_lossy().ends_with(is_separator);
        self.journal.as_ref().is_some_and(|path| path.is_dir() || is_named(path))
    }
}

const ONE_JOURNAL: &str = "expected one journal: --resume FILE, or --journal FILE --resume";

/// Complete the command line by the match of its journal and by its file of settings.
pub(super) fn completed(options: MatchOptions) -> Result<MatchOptions, Failure> {
    let resumed = options.resume.clone().flatten();
    if resumed.is_some() && options.journal.is_some() {
        return Err(Failure::input(ONE_JOURNAL));
    }
    let Some(path) = resumed.as_ref().or(options.config.as_ref()) else { return with_journal(options) };
    let mut own = options.given.0.clone();
    let mut settings = Settings::new();
    if let Some(journal) = &resumed {
        let mut known = None;
        for file in journals(journal).map_err(|error| at(journal, error))? {
            let text = read(&file).map_err(|error| at(&file, error))?;
            known = sorted(parse(&text).map_err(|error| at(&file, error))?.records).0.or(known);
        }
        let expected = "expected the match in a line, found an older journal: give all options again";
        settings = known.ok_or_else(|| at(journal, expected))?.r#match;
        own.insert("journal".to_owned(), journal.to_string_lossy().into());
        own.insert("resume".to_owned(), true.into());
    }
    if let Some(config) = &options.config {
        extend(&mut settings, read_settings(config)?);
        own.remove("config");
    }
    extend(&mut settings, own);
    with_journal(options_of(&settings, path)?)
}

/// Fail for a match to resume without a journal.
fn with_journal(options: MatchOptions) -> Result<MatchOptions, Failure> {
    let lacks_it = options.resume.is_some() && options.journal.is_none();
    if lacks_it { Err(Failure::input(ONE_JOURNAL)) } else { Ok(options) }
}

/// The most pairs of a sequential test without --pairs: beyond them the means are too close to tell apart.
const UNTIL_DECIDED: u64 = 100_000;

/// The most pairs for each pairing: their games are countable in 64 bits.
const MOST_PAIRS: u64 = 1_000_000_000_000;

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Make the match that the options describe.
pub(super) fn plan(options: &MatchOptions) -> Result<Match, Failure> {
    if options.suspend && !SUSPENDS {
        return Err(Failure::input("--suspend: expected a system that can stop a program, found Windows"));
    }
    let mut bots: Vec<Bot> = Vec::new();
    for text in &options.bot {
        let is_builtin = text.split_once('=').is_some_and(|(_, it)| it.trim_start().starts_with("builtin:"));
        let between = if is_builtin { ',' } else { ' ' };
        let text = options.each.as_ref().map_or(text.clone(), |each| format!("{text}{between}{each}"));
        let bot = Bot::parse(&text, Duration::from_secs(5)).map_err(Failure::input)?;
        if bots.iter().any(|other| other.name == bot.name) {
            return Err(Failure::input(format!("expected different names, found {} twice", bot.name)));
        }
        bots.push(bot);
    }
    // A time for one bot overrides the time for all, in any order.
    let (own, all): (Vec<&String>, Vec<&String>) = options.time.iter().partition(|text| text.contains('='));
    for text in all.into_iter().chain(own) {
        let (name, value) = text.rsplit_once('=').map_or((None, text.as_str()), |(n, v)| (Some(n), v));
        let time = thinking_time(value).map_err(|error| Failure::input(format!("--time {text}: {error}")))?;
        let whose = name.map_or(Ok(0..bots.len()), |name| find(&bots, name).map(|bot| bot..bot + 1))?;
        bots[whose].iter_mut().for_each(|bot| bot.time = time);
    }
    let bots: Vec<Bot> = bots.into_iter().map(Bot::with_version).collect();
    if bots.len() < 2 {
        let all = ": --bot replaces the whole list of the journal, name all bots again";
        let all = if options.resume.is_some() { all } else { "" };
        return Err(Failure::input(format!("expected two bots or more{all}")));
    }
    let pairings = match &options.gauntlet {
        Some(hero) => gauntlet(bots.len(), find(&bots, hero)?),
        None => round_robin(bots.len()),
    };
    let named = parse_openings(&options.opening.join("\n"));
    let named = named.map_err(|error| Failure::input(format!("--opening: {error}")))?;
    let openings = options.openings.as_deref().map_or(Ok(named), read_openings)?;
    let means = options.sprt.means(bots.len())?;
    let default_pairs = match openings.len() as u64 {
        0 if means.is_some() => UNTIL_DECIDED,
        0 => 50,
        count => count,
    };
    let pairs = options.pairs.unwrap_or(default_pairs);
    let concurrency = options.concurrency.unwrap_or((cores() / 2).max(1));
    let shard = options.shard.unwrap_or(Shard::ALL);
    let schedule = Schedule { seed: options.seed, openings, pairs, pairings, shard };
    let rules = Rules { startup: options.startup, suspend: options.suspend };
    // In a directory of journals all shards decide one test.
    let shards = NonZeroU64::new(shard.count).filter(|_| !options.is_shared()).unwrap_or(NonZeroU64::MIN);
    let bot = bots[schedule.pairings[0][0]].name.clone();
    let test = means.map(|means| SprtPlan { bot, means, shards });
    Ok(Match { bots, schedule, rules, concurrency, test })
}

/// Return the place of the bot `name`.
fn find(bots: &[Bot], name: &str) -> Result<usize, Failure> {
    let place = bots.iter().position(|bot| bot.name == name);
    place.ok_or_else(|| Failure::input(format!("expected the name of a bot, found {name}")))
}

fn read_openings(path: &Path) -> Result<Vec<Opening>, Failure> {
    let text = read(path).map_err(|error| at(path, error))?;
    let text = String::from_utf8(text).map_err(|_| at(path, "expected text in UTF-8"))?;
    let openings = parse_openings(text.trim_start_matches('\u{feff}')).map_err(|error| at(path, error))?;
    if openings.is_empty() {
        return Err(at(path, "expected openings, found none"));
    }
    Ok(openings)
}

/// Describe the match for its journal, without the shard if shards share a directory; the openings of a file are
/// told by their cells.
pub(super) fn match_line(options: &MatchOptions, plan: &Match, shared: bool) -> MatchLine {
    let mut settings = of_the_match(options.given.0.clone());
    if shared {
        settings.remove("shard");
    }
    if settings.remove("openings").is_some() {
        let cells = |opening: &Opening| Value::from(opening.map(|cell| cell.to_string()).join(" "));
        settings.insert("opening".to_owned(), value_of(plan.schedule.openings.iter().map(cells).collect()));
    }
    let versions = plan.bots.iter().map(|bot| (bot.name.clone(), bot.version.clone()));
    MatchLine { r#match: settings, versions: versions.collect() }
}
