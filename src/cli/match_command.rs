//! `blackhole match`: bots against each other, with a line of progress.

use std::collections::BTreeSet;
use std::io;
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde_json::Value;

use super::arena_options::{SprtOptions, exit_code, thinking_time};
use super::match_settings::{Given, Settings, extend, of_the_match, options_of, read_settings, value_of};
use super::options::{seed, within};
use super::output::{create_whole, make_writable, write_new};
use super::progress::Progress;
use super::signals::stop_flag;
use super::{CommandResult, FAILURE, Failure, INTERRUPTED, at, plural, print, say, seconds};
use crate::workshop::arena::bots::{Bot, PlayerSpec, own_hash};
use crate::workshop::arena::fault::Fault;
use crate::workshop::arena::game::{GameNotes, Rules};
use crate::workshop::arena::journal::{Entry, JournalLine, MatchLine, sorted};
use crate::workshop::arena::report::Report;
use crate::workshop::arena::schedule::{Opening, Schedule, Shard, gauntlet, parse_openings, round_robin};
use crate::workshop::arena::seat::try_bots;
use crate::workshop::arena::sprt::{SprtPlan, SprtVerdict};
use crate::workshop::arena::{Event, Match, MatchEnd};
use crate::workshop::fnv;
use crate::workshop::lines::{LineFile, parse, read};
use crate::workshop::system::SUSPENDS;

/// Play bots against each other and say which is stronger
///
/// Every opening is played twice with colours swapped; the pair is the unit of the statistics. The
/// table goes to standard output, faults and the progress bar to standard error.
#[derive(Args)]
#[command(after_help = "\
A bot's command is split into words by the rules of a shell, and each {seed} is
replaced by a seed of the game. A shell is needed to expand ~ and $HOME:
--bot 'a=sh -c \"exec ~/bot\"'.

A program is started at its first turn: its start-up counts as thinking. All
bots are killed when this command exits. A process started by a bot survives if
it has left the bot's process group, or if this command is killed by SIGKILL.

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

Exit codes: 0 done, with --sprt HIGH accepted; 1 a fault with --stop-on-fault,
every game lost by a fault, or a failure of the system (a program that can no
longer be started, a full disk), after the table of the games played; 2 bad
usage; with --sprt 3 undecided and 4 LOW accepted; 130 interrupted.")]
pub(super) struct MatchOptions {
    // The first field: reading the others takes them away.
    #[command(flatten)]
    given: Given,
    /// A bot: a program's command line, or builtin:PLAYER[,key=value…]; twice or more
    #[arg(long, value_name = "NAME=COMMAND", required_unless_present_any = ["config", "resume"])]
    bot: Vec<String>,
    /// Play this bot against all others instead of a round robin
    #[arg(long, value_name = "NAME")]
    gauntlet: Option<String>,
    /// Pairs of games for each pairing [default: one for each opening of the file; without a file 50, or with
    /// --sprt up to 100000, until the test decides]
    #[arg(long, value_name = "N", value_parser = within(1..=MOST_PAIRS))]
    pairs: Option<u64>,
    /// Games at the same time, at most one a core [default: one for every two cores]
    #[arg(long, value_name = "N", value_parser = within(1..=cores()))]
    concurrency: Option<usize>,
    /// Thinking time for a whole game, of all bots or of the one named; may be repeated
    #[arg(long, value_name = "[NAME=]SECONDS", default_value = "5")]
    time: Vec<String>,
    /// Limit of a program's first answer, start-up included, within its thinking time
    #[arg(long, value_name = "SECONDS", value_parser = thinking_time)]
    startup: Option<Duration>,
    /// Stop each program (SIGSTOP) during its opponent's turn; not on Windows
    #[arg(long)]
    suspend: bool,
    /// Seed of the openings and of all random choices
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = seed)]
    seed: u64,
    /// Openings to play, one a line: five cells or a base-36 string; `-` is standard input
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// An opening to play, such as 'E4 F2 A5 A7 C1'; may be repeated
    #[arg(long, value_name = "CELLS", conflicts_with = "openings")]
    opening: Vec<String>,
    /// Append the match and every game to this file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Play only the games missing from the journal, which may be a new file; --resume FILE alone goes on with
    /// the match of this journal, and other options change it
    #[arg(long, value_name = "FILE")]
    resume: Option<Option<PathBuf>>,
    /// Take options from this file, a JSON object such as {"bot": ["a=./a", "b=./b"], "pairs": 200, "suspend":
    /// true}; the command line's own come first
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Write the options into a new file for --config, then play
    #[arg(long, value_name = "FILE")]
    save_config: Option<PathBuf>,
    /// Play only part I of N of the games
    #[arg(long, value_name = "I/N", value_parser = Shard::parse, allow_hyphen_values = true)]
    shard: Option<Shard>,
    #[command(flatten)]
    sprt: SprtOptions,
    /// Write a file for each game into this directory: moves, times, the end of both bots' stderr
    #[arg(long, value_name = "DIR")]
    logs: Option<PathBuf>,
    /// Seconds between two lines of progress on standard error without a terminal; 0 for none
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    progress: Duration,
    /// Stop at the first fault, with exit code 1
    #[arg(long)]
    stop_on_fault: bool,
}

const ONE_JOURNAL: &str = "expected one journal: --resume FILE, or --journal FILE --resume";

/// Complete the command line by the match of its journal and by its file of settings.
fn completed(options: MatchOptions) -> Result<MatchOptions, Failure> {
    let resumed = options.resume.clone().flatten();
    if resumed.is_some() && options.journal.is_some() {
        return Err(Failure::input(ONE_JOURNAL));
    }
    let Some(path) = resumed.as_ref().or(options.config.as_ref()) else { return Ok(options) };
    let mut own = options.given.0.clone();
    let mut settings = Settings::new();
    if let Some(journal) = &resumed {
        let text = read(journal).map_err(|error| at(journal, error))?;
        let lines = parse::<JournalLine>(&text).map_err(|error| at(journal, error))?;
        let expected = "expected the match in a line, found an older journal: give all options again";
        settings = sorted(lines.records).0.ok_or_else(|| at(journal, expected))?.r#match;
        own.insert("journal".to_owned(), journal.to_string_lossy().into());
        own.insert("resume".to_owned(), true.into());
    }
    if let Some(config) = &options.config {
        extend(&mut settings, read_settings(config)?);
        own.remove("config");
    }
    extend(&mut settings, own);
    options_of(&settings, path)
}

/// A journal, its last match and its games; nothing without a journal.
type OpenJournal = (Option<LineFile>, Option<MatchLine>, Vec<Entry>);

/// The most pairs of a sequential test without --pairs: beyond them the means are too close to tell apart.
const UNTIL_DECIDED: u64 = 100_000;

/// The most pairs for each pairing: their games are countable in 64 bits.
const MOST_PAIRS: u64 = 1_000_000_000_000;

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Make the match that the options describe.
fn plan(options: &MatchOptions) -> Result<Match, Failure> {
    if options.suspend && !SUSPENDS {
        return Err(Failure::input("--suspend: expected a system that can stop a program, found Windows"));
    }
    let mut bots: Vec<Bot> = Vec::new();
    for text in &options.bot {
        let bot = Bot::parse(text, Duration::from_secs(5)).map_err(Failure::input)?;
        if bots.iter().any(|other| other.name == bot.name) {
            return Err(Failure::input(format!("expected different names, found {} twice", bot.name)));
        }
        bots.push(bot);
    }
    let find = |bots: &[Bot], name: &str| {
        let place = bots.iter().position(|bot| bot.name == name);
        place.ok_or_else(|| Failure::input(format!("expected the name of a bot, found {name}")))
    };
    // A time for one bot overrides the time for all, in any order.
    let (own, all): (Vec<&String>, Vec<&String>) = options.time.iter().partition(|text| text.contains('='));
    for text in all.into_iter().chain(own) {
        let (name, value) = text.rsplit_once('=').map_or((None, text.as_str()), |(n, v)| (Some(n), v));
        let time = thinking_time(value).map_err(|error| Failure::input(format!("--time {text}: {error}")))?;
        let whose = name.map_or(Ok(0..bots.len()), |name| find(&bots, name).map(|bot| bot..bot + 1))?;
        bots[whose].iter_mut().for_each(|bot| bot.time = time);
    }
    if bots.len() < 2 {
        return Err(Failure::input("expected two bots or more"));
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
    let shards = NonZeroU64::new(shard.count).unwrap_or(NonZeroU64::MIN);
    let bot = bots[schedule.pairings[0][0]].name.clone();
    let test = means.map(|means| SprtPlan { bot, means, shards });
    Ok(Match { bots, schedule, rules, concurrency, test })
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

/// Describe the match for its journal: the openings of a file are told by their cells.
fn match_line(options: &MatchOptions, plan: &Match) -> MatchLine {
    let mut settings = of_the_match(options.given.0.clone());
    if settings.remove("openings").is_some() {
        let cells = |opening: &Opening| Value::from(opening.map(|cell| cell.to_string()).join(" "));
        settings.insert("opening".to_owned(), value_of(plan.schedule.openings.iter().map(cells).collect()));
    }
    let versions = plan.bots.iter().map(|bot| (bot.name.clone(), bot.version.clone()));
    MatchLine { r#match: settings, versions: versions.collect() }
}

/// Open the journal, if asked for, and return its last match and its games.
fn open_journal(options: &MatchOptions, plan: &Match) -> Result<OpenJournal, Failure> {
    let Some(path) = &options.journal else { return Ok((None, None, Vec::new())) };
    let (journal, lines) = LineFile::open::<JournalLine>(path).map_err(|error| at(path, error))?;
    if options.resume.is_none() && !lines.records.is_empty() {
        let how = "add --resume to go on, or take another file";
        return Err(Failure::input(format!("{} has games already: {how}", path.display())));
    }
    journal.remarks(&lines).iter().for_each(|remark| say(remark));
    let is_builtin = |bot: &Bot| matches!(bot.player, PlayerSpec::Builtin(_));
    if plan.bots.iter().any(is_builtin)
        && let Err(error) = own_hash()
    {
        say(&format!("{}: cannot record which build of blackhole plays: {error}", path.display()));
    }
    let (known, games) = sorted(lines.records);
    Ok((Some(journal), known, games))
}

/// Play the match and print its table.
pub(super) fn run(options: MatchOptions) -> CommandResult {
    // Fail before hours of games if their table cannot be printed.
    print("")?;
    let options = &completed(options)?;
    if options.resume.is_some() && options.journal.is_none() {
        return Err(Failure::input(ONE_JOURNAL));
    }
    let plan = plan(options)?;
    let stop = stop_flag()?;
    try_bots(&plan.bots).map_err(Failure::input)?;
    let total = plan.schedule.shard_pairs().saturating_mul(2);
    let (mut journal, header, known) = open_journal(options, &plan)?;
    let recorded = plan.recorded(&known).map_err(Failure::input)?;
    let line = match_line(options, &plan);
    if let Some(journal) = journal.as_mut().filter(|_| header.as_ref() != Some(&line)) {
        journal.append(&line)?;
    }
    if let Some(path) = &options.save_config {
        save_settings(path, options)?;
    }
    let left = plan.schedule.games().filter(|game| !recorded.contains_key(&(game.round, game.bots)));
    options.logs.as_deref().map_or(Ok(()), make_writable)?;
    let mut progress = Progress::new(&plan, total, options.progress, options.sprt.without_faults);
    let mut entries: Vec<Entry> = recorded.values().cloned().collect();
    entries.iter().for_each(|entry| progress.add(entry));
    progress.start();

    let mut told = BTreeSet::new();
    let mut end = Ok(MatchEnd::Finished);
    if progress.verdict() == SprtVerdict::Undecided {
        end = plan.play(left, stop, |event| {
            progress.tick();
            let (entry, notes) = match event {
                Event::Over(entry, notes) => (*entry, notes),
                Event::Void(round) => {
                    progress.say(&format!("round {round} is played again: the runner was held up"));
                    return Ok(ControlFlow::Continue(()));
                }
                Event::Tick => return Ok(ControlFlow::Continue(())),
            };
            // A game counts even if its log or its line in the journal cannot be written.
            let logs = options.logs.as_ref();
            let logged = logs.map_or(Ok(()), |logs| write_log(logs, &plan, &entry, &notes));
            let kept = journal.as_mut().map_or(Ok(()), |journal| journal.append(&entry));
            tell_faults(&entry, logs.is_some(), &mut told, &progress);
            progress.add(&entry);
            entries.push(entry);
            logged.and(kept)?;
            let enough =
                progress.verdict() != SprtVerdict::Undecided || !told.is_empty() && options.stop_on_fault;
            Ok(if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        });
    }
    progress.clear();
    if let Some(journal) = &journal {
        end = end.and_then(|end| journal.check().map(|()| end));
    }
    let test = progress.sprt.as_ref().map_or(String::new(), |sprt| format!("\n{sprt}\n"));
    // Print the table of the games played, after any failure.
    let report = Report::of(&entries, options.sprt.without_faults);
    let printed = print(&format!("{report}{test}"));
    if end? == MatchEnd::Interrupted {
        say(&interruption(options, entries.len(), total));
        return Ok(INTERRUPTED);
    }
    printed?;
    let stopped = !told.is_empty() && options.stop_on_fault;
    Ok(if stopped { FAILURE } else { exit_code(&report, progress.sprt.as_ref()) })
}

/// Write the options into a new file of settings.
fn save_settings(path: &Path, options: &MatchOptions) -> Result<(), Failure> {
    let mut settings = options.given.0.clone();
    ["config", "save-config", "resume"].iter().for_each(|name| _ = settings.remove(*name));
    let text = serde_json::to_string_pretty(&settings).map_err(io::Error::from)?;
    Ok(create_whole(path, &(text + "\n"))?)
}

/// Print the faults of a game, each kind once for each bot.
fn tell_faults(entry: &Entry, logs: bool, told: &mut BTreeSet<(String, String)>, progress: &Progress) {
    for fault in &entry.faults {
        let is_first = told.is_empty();
        if told.insert((entry.names()[fault.player.index()].to_owned(), fault.kind())) {
            progress.say(&describe(fault, entry));
        }
        if is_first {
            let kept = "--logs DIR keeps the moves and the end of both bots' stderr; ";
            progress.say(&format!("  {}the table counts faults like this one", if logs { "" } else { kept }));
        }
    }
}

/// Describe a fault in one line: the bot, the game, the move.
fn describe(fault: &Fault, entry: &Entry) -> String {
    let [name, other] = [fault.player, fault.player.opponent()].map(|player| entry.names()[player.index()]);
    let (round, moves) = (entry.round, plural(entry.moves.len() as u64, "move"));
    format!("fault: {name} as {} against {other}, round {round}, after {moves}: {fault}", fault.player)
}

fn interruption(options: &MatchOptions, played: usize, total: u64) -> String {
    let how = options.journal.as_ref().map_or("with --journal FILE a match can be resumed".into(), |path| {
        format!("they are in {0}: blackhole match --resume {0} plays the others", path.display())
    });
    format!("interrupted after {played} of {total} games; {how}")
}

/// Write the log of a game: opening, moves with their times, result, both bots' stderr.
fn write_log(logs: &Path, plan: &Match, entry: &Entry, notes: &GameNotes) -> io::Result<()> {
    let (names, round) = (entry.names(), entry.round);
    let mut text = format!("# red {}, blue {}, round {round}\n", names[0], names[1]);
    for bot in plan.bots.iter().filter(|bot| names.contains(&bot.name.as_str())) {
        text += &format!("# {}: {} ({} s)\n", bot.name, bot.player, bot.time.as_secs_f64());
    }
    text += &format!("{}\n", entry.blocked.map(|cell| cell.to_string()).join(" "));
    for (mv, time) in entry.moves.iter().zip(&notes.times) {
        text += &format!("{mv} # {:.3} s\n", time.as_secs_f64());
    }
    text += &format!("# points {} to {}\n", entry.points[0], entry.points[1]);
    for fault in &entry.faults {
        text += &format!("# fault of {}: {fault}\n", fault.player);
    }
    for (name, stderr) in names.iter().zip(&notes.stderr) {
        text += &format!("\n# stderr of {name}\n");
        stderr.lines().for_each(|line| text += &format!("# {line}\n"));
    }
    write_new(logs, &format!("{round:06}-{}", names.map(file_part).join("=")), &text)
}

/// Write a bot's name for use in a file's name on every system: unchanged if it is short and plain,
/// else its plain characters and a hash.
fn file_part(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || "+-._".contains(c);
    if name.len() <= 40 && name.chars().all(fits) {
        return name.to_owned();
    }
    let kept: String = name.chars().take(30).map(|c| if fits(c) { c } else { '_' }).collect();
    format!("{kept}~{:08x}", fnv::text(name) as u32)
}
