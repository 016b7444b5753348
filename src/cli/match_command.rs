//! `blackhole match`: bots against each other, with a line of progress.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use super::arena_options::exit_code;
use super::match_options::{MatchOptions, completed, match_line, plan};
use super::output::{create_whole, make_writable, write_new};
use super::progress::Progress;
use super::signals::stop_flag;
use super::{CommandResult, FAILURE, Failure, INTERRUPTED, at, plural, print, say};
use crate::workshop::arena::bots::{Bot, PlayerSpec, own_hash};
use crate::workshop::arena::fault::{Fault, FaultCounts};
use crate::workshop::arena::game::GameNotes;
use crate::workshop::arena::journal::{Entry, JournalLine, MatchLine, sorted};
use crate::workshop::arena::report::Report;
use crate::workshop::arena::seat::try_bots;
use crate::workshop::arena::sprt::SprtVerdict;
use crate::workshop::arena::{Event, Match, MatchEnd};
use crate::workshop::fnv;
use crate::workshop::lines::LineFile;

/// A journal, its last match and its games; nothing without a journal.
type OpenJournal = (Option<LineFile>, Option<MatchLine>, Vec<Entry>);

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

    let mut told = FaultCounts::default();
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
                progress.verdict() != SprtVerdict::Undecided || !told.0.is_empty() && options.stop_on_fault;
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
    let stopped = !told.0.is_empty() && options.stop_on_fault;
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
fn tell_faults(entry: &Entry, logs: bool, told: &mut FaultCounts, progress: &Progress) {
    for fault in &entry.faults {
        let is_first = told.0.is_empty();
        if told.add(entry.names()[fault.player.index()], fault, entry.moves.len() as u64) {
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
