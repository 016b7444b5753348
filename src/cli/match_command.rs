//! `blackhole match`: bots against each other, with a line of progress.

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry as MapEntry};
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::slice;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::arena_options::exit_code;
use super::match_options::{MatchOptions, Settings, plan};
use super::output::{create_log_dir, write_new};
use super::progress::Progress;
use super::signals::stop_flag;
use super::{CommandResult, FAILURE, Failure, INTERRUPTED, at, plural, print, say};
use crate::arena::bots::PlayerSpec;
use crate::arena::fault::FaultCounts;
use crate::arena::game::GameNotes;
use crate::arena::journal::{Entry, JournalFolder, JournalLine, MatchLine, split_lines};
use crate::arena::report::Report;
use crate::arena::schedule::Shard;
use crate::arena::seat::try_bots;
use crate::arena::sprt::{SprtRun, SprtVerdict};
use crate::arena::{Match, Recorded};
use crate::games::files::log_head;
use crate::system::fnv;
use crate::system::lines::LineFile;
use crate::system::machine;

/// The time between two looks at the journals of other runs.
const JOURNAL_POLL: Duration = Duration::from_secs(1);

struct Run<'a> {
    options: &'a MatchOptions,
    line: MatchLine,
    /// The match with all its shards if they share a directory.
    whole: Match,
    journal: Option<LineFile>,
    /// The journals of the other shards, and the time of the last look at them.
    others: Option<(JournalFolder, Instant)>,
    games: BTreeMap<(u64, [usize; 2]), Entry>,
    progress: Progress,
    fault_counts: FaultCounts,
}

impl Run<'_> {
    fn new<'a>(options: &'a MatchOptions, settings: Settings, plan: &Match) -> Result<Run<'a>, Failure> {
        let file = options.journal_file(plan.schedule.shard);
        let shared = options.is_shared();
        let mut whole = plan.clone();
        if let (Some(directory), true) = (options.journal(), shared) {
            fs::create_dir_all(directory).map_err(|error| at(directory, error))?;
            whole.schedule.shard = Shard::ALL;
        }
        let progress = Progress::new(&whole, options.progress);
        let directory = options.journal().filter(|_| shared);
        let others = directory.map(|path| (JournalFolder::new(path, file.clone()), Instant::now()));
        let (games, fault_counts, journal) = (BTreeMap::new(), FaultCounts::default(), None);
        let began = SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs());
        let line = MatchLine { r#match: settings, began, machine: Some(machine()) };
        let mut run = Run { options, line, whole, journal, others, games, progress, fault_counts };
        let mut known = Vec::new();
        if let Some((others, _)) = &mut run.others {
            let (journals, left_out) = others.read_on();
            left_out.iter().for_each(|why| say(why));
            known = journals.into_iter().flat_map(|(_, lines)| split_lines(lines).1).collect();
        }
        if let Some(file) = &file {
            run.open_journal(file, &mut known)?;
        }
        run.add_new(&known).map_err(Failure::input)?;
        run.progress.start();
        Ok(run)
    }

    /// Open the journal, add its games to those of other shards, and write the match into it unless it is there.
    fn open_journal(&mut self, path: &Path, games: &mut Vec<Entry>) -> Result<(), Failure> {
        let (mut journal, lines) = LineFile::open::<JournalLine>(path).map_err(|error| at(path, error))?;
        if self.options.resume.is_none() && !lines.records.is_empty() {
            let how = "--resume FILE goes on with it, or take another file";
            return Err(Failure::input(format!("{} has games already: {how}", path.display())));
        }
        journal.remarks(&lines).iter().for_each(|remark| say(remark));
        let (known, own) = split_lines(lines.records);
        games.extend(own);
        let Recorded { outside, strangers, .. } = self.whole.recorded(games).map_err(Failure::input)?;
        if !strangers.is_empty() {
            let names = Vec::from_iter(strangers).join(", ");
            let how = "name these bots, too, or take another journal";
            return Err(Failure::input(format!("{} has games of {names}: {how}", path.display())));
        }
        if outside > 0 {
            let are = if outside == 1 { "is" } else { "are" };
            let (path, games) = (path.display(), plural(outside, "recorded game"));
            say(&format!("{path}: {games} {are} not in this schedule: ignored here, counted by `report`"));
        }
        if known.is_none_or(|known| known.r#match != self.line.r#match) {
            journal.append(&self.line)?;
        }
        self.journal = Some(journal);
        Ok(())
    }

    fn add_new(&mut self, games: &[Entry]) -> Result<(), String> {
        for (place, game) in self.whole.recorded(games)?.games {
            if let MapEntry::Vacant(free) = self.games.entry(place) {
                // All games share these by now: a long match would fill the memory with them.
                self.progress.add(free.insert(Entry { sides: None, terms: None, sprt: None, ..game }));
            }
        }
        Ok(())
    }

    fn read_other_shards(&mut self) {
        let Some((mut others, _)) = self.others.take() else { return };
        let (journals, mut left_out) = others.read_on();
        for (path, lines) in journals {
            let added = self.add_new(&split_lines(lines).1);
            left_out.extend(added.err().and_then(|why| others.leave_out(&path, &why)));
        }
        left_out.iter().for_each(|why| self.progress.say(why));
        self.others = Some((others, Instant::now()));
    }

    /// Write down a game: its log, its line in the journal, its faults.
    fn record_game(&mut self, entry: &Entry, notes: &GameNotes) -> io::Result<()> {
        // A game counts even if its log or its line in the journal cannot be written.
        let logs = self.options.logs.as_ref();
        let logged = logs.map_or(Ok(()), |logs| write_log(logs, &self.whole, entry, notes));
        let kept = self.journal.as_mut().map_or(Ok(()), |journal| journal.append(entry));
        tell_faults(entry, logs.is_some(), &mut self.fault_counts, &self.progress);
        self.add_new(slice::from_ref(entry)).map_err(io::Error::other)?;
        self.progress.tell(entry);
        logged.and(kept)
    }

    fn on_event(&mut self, played: Option<(Entry, GameNotes)>) -> io::Result<ControlFlow<()>> {
        self.progress.tick();
        if let Some((entry, notes)) = played {
            self.record_game(&entry, &notes)?;
        }
        if self.others.as_ref().is_some_and(|(_, last)| last.elapsed() >= JOURNAL_POLL) {
            self.read_other_shards();
        }
        let enough = self.is_decided() || self.is_stopped();
        Ok(if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    fn is_decided(&self) -> bool {
        self.progress.verdict() != SprtVerdict::Undecided
    }

    fn is_stopped(&self) -> bool {
        !self.fault_counts.0.is_empty() && self.options.stop_on_fault
    }
}

pub(super) fn run(mut options: MatchOptions, given: Settings) -> CommandResult {
    // Fail before hours of games if their table cannot be printed.
    print("")?;
    let settings = options.complete(given)?;
    let options = &options;
    let plan = plan(options)?;
    let stop = stop_flag()?;
    try_bots(&plan.bots).map_err(Failure::input)?;
    let mut run = Run::new(options, settings, &plan)?;
    options.logs.as_deref().map_or(Ok(()), create_log_dir)?;
    let known: BTreeSet<(u64, [usize; 2])> = run.games.keys().copied().collect();
    let left = plan.schedule.games().filter(|game| !known.contains(&(game.round, game.bots)));
    let mut end = Ok(());
    if !run.is_decided() {
        end = plan.play(left, stop, |played| run.on_event(played));
        run.read_other_shards();
    }
    run.progress.clear();
    if let Some(journal) = &run.journal {
        end = end.and_then(|()| journal.check());
    }
    let stopped = run.is_stopped();
    let (sprt, games, shards) = (run.progress.sprt, run.games, plan.schedule.shard.count);
    let test = sprt.as_ref().map_or(String::new(), |sprt| format!("\n{sprt}\n"));
    // Print the table of the games played, after any failure.
    let report = Report::of(games.values());
    let printed = print(&format!("{report}{test}"));
    end?;
    if stop.load(Ordering::Relaxed) {
        say(&interruption(options, games.len(), run.whole.schedule.shard_pairs().saturating_mul(2)));
        return Ok(INTERRUPTED);
    }
    if let (Some((pair, _)), true) = (sprt.as_ref().and_then(SprtRun::waits), run.others.is_some()) {
        say(&format!("the test waits for games of shard {}/{shards}", pair % shards + 1));
    }
    printed?;
    Ok(if stopped { FAILURE } else { exit_code(&report, sprt.as_ref()) })
}

fn tell_faults(entry: &Entry, logs: bool, fault_counts: &mut FaultCounts, progress: &Progress) {
    for fault in &entry.faults {
        let is_first = fault_counts.0.is_empty();
        let [name, other] =
            [fault.player, fault.player.opponent()].map(|player| entry.names()[player.index()]);
        if fault_counts.add(name, fault, entry.moves.len() as u64) {
            let (round, moves) = (entry.round_number(), plural(entry.moves.len() as u64, "move"));
            let game = format!("{name} as {} against {other}, round {round}", fault.player);
            progress.say(&format!("fault: {game}, after {moves}: {fault}"));
        }
        if is_first {
            let kept = "--logs DIR keeps the moves and the end of both bots' stderr; ";
            progress.say(&format!("  {}the table counts faults like this one", if logs { "" } else { kept }));
        }
    }
}

fn interruption(options: &MatchOptions, played: usize, total: u64) -> String {
    let how = options.journal().map_or("with --journal FILE a match can be resumed".into(), |path| {
        let resumed = PlayerSpec::Program(vec![path.display().to_string()]).to_string();
        // A file tells its shard, a directory does not.
        let shard = options.settings.shard.filter(|_| path.is_dir());
        let shard = shard.map_or(String::new(), |Shard { index, count }| format!(" --shard {index}/{count}"));
        format!("they are in {resumed}: blackhole match --resume {resumed}{shard} plays the others")
    });
    format!("interrupted after {played} of {total} games; {how}")
}

/// Write the log of a game: opening, moves with their times, result, both bots' stderr.
fn write_log(logs: &Path, plan: &Match, entry: &Entry, notes: &GameNotes) -> io::Result<()> {
    let (names, round) = (entry.names(), entry.round_number());
    let mut text = log_head(names, round);
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

/// Write a name as a part of a file's name on every system: an odd or long one with a hash.
fn file_part(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || "+-._".contains(c);
    let kept: String = name.chars().take(30).map(|c| if fits(c) { c } else { '_' }).collect();
    if kept == name { kept } else { format!("{kept}~{:08x}", fnv::text(name) as u32) }
}
