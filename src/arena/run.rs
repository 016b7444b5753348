//! A match in progress: its games so far, its journal, the journals of other shards, its faults and its test.

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry as MapEntry};
use std::fs;
use std::io;
use std::mem::replace;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf, is_separator};
use std::slice;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::Match;
use super::fault::FaultCounts;
use super::game::GameNotes;
use super::journal::{Entry, JournalDir, JournalLine, MatchLine, split_lines};
use super::logs::{create_log_dir, write_log};
use super::pairs::PairFinder;
use super::schedule::Shard;
use super::seat::try_bots;
use super::sprt::{SprtRun, SprtVerdict};
use super::stats::Sample;
use crate::system::lines::{LineFile, with_path};
use crate::text::plural;

/// The time between two looks at the journals of other runs.
const JOURNAL_POLL: Duration = Duration::from_secs(1);

/// The files of a run, and whether a fault ends it.
pub struct RunSettings {
    /// A file, or a directory in which each shard has a file of its own and all decide one test.
    pub journal: Option<PathBuf>,
    /// Whether the journal may have games already.
    pub resumes: bool,
    pub logs: Option<PathBuf>,
    pub stop_on_fault: bool,
    /// The match for the journal, until it is there.
    pub line: Option<MatchLine>,
}

/// A match in progress, or the shard of one.
pub struct Run<'a> {
    pub plan: &'a Match,
    /// The match with all its shards if they share a directory.
    whole: Match,
    settings: RunSettings,
    journal: Option<LineFile>,
    /// The journals of the other shards, and the time of the last look at them.
    others: Option<(JournalDir, Instant)>,
    pub games: BTreeMap<(u64, [usize; 2]), Entry>,
    /// The faults in these games.
    pub fault_count: u64,
    /// When the match began or went on, and the number of games before.
    pub began: (Instant, u64),
    finder: PairFinder,
    /// Of each bot its mean points of every pair.
    pub means: Vec<Sample>,
    /// The test of the subject.
    pub test: Option<SprtRun>,
    faults: FaultCounts,
    /// Shows the person who runs the match a sentence, such as a fault of a bot.
    say: &'a dyn Fn(&str),
}

/// Tell whether the path of a journal is a directory, perhaps a new one.
pub fn is_directory(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().to_string_lossy().ends_with(is_separator)
}

impl<'a> Run<'a> {
    /// Try to start the bots, open the files of the match, and take their games; an error says the expected.
    pub fn open(plan: &'a Match, settings: RunSettings, say: &'a dyn Fn(&str)) -> Result<Self, String> {
        try_bots(&plan.bots)?;
        let mut run = Run {
            plan,
            whole: plan.clone(),
            settings,
            journal: None,
            others: None,
            games: BTreeMap::new(),
            fault_count: 0,
            began: (Instant::now(), 0),
            finder: PairFinder::default(),
            means: vec![Sample::default(); plan.bots.len()],
            test: plan.test.as_ref().map(|test| SprtRun::new(test.means, &test.bot)),
            faults: FaultCounts::default(),
            say,
        };
        let mut known = Vec::new();
        if let Some(path) = run.settings.journal.clone() {
            let file = if is_directory(&path) { run.open_directory(&path, &mut known)? } else { path };
            run.open_journal(&file, &mut known)?;
        }
        run.add_new(&known)?;
        run.settings.logs.as_deref().map_or(Ok(()), create_log_dir).map_err(|error| error.to_string())?;
        run.began = (Instant::now(), run.games.len() as u64);
        Ok(run)
    }

    /// Read the journals of a directory; return the file of this shard.
    fn open_directory(&mut self, path: &Path, games: &mut Vec<Entry>) -> Result<PathBuf, String> {
        fs::create_dir_all(path).map_err(|error| with_path(path, error).to_string())?;
        let Shard { index, count } = replace(&mut self.whole.schedule.shard, Shard::ALL);
        let file = path.join(format!("shard-{index}-of-{count}.jsonl"));
        let mut dir = JournalDir::new(path, Some(file.clone()));
        let (journals, left_out) = dir.read_on();
        left_out.iter().for_each(|why| (self.say)(why));
        games.extend(journals.into_iter().flat_map(|(_, lines)| split_lines(lines).1));
        self.others = Some((dir, Instant::now()));
        Ok(file)
    }

    /// Open the journal, and add its games to those of other shards.
    fn open_journal(&mut self, path: &Path, games: &mut Vec<Entry>) -> Result<(), String> {
        let opened = LineFile::open::<JournalLine>(path);
        let (journal, lines) = opened.map_err(|error| with_path(path, error).to_string())?;
        if !self.settings.resumes && !lines.records.is_empty() {
            let how = "--resume FILE goes on with it, or take another file";
            return Err(format!("{} has games already: {how}", path.display()));
        }
        journal.remarks(&lines).iter().for_each(|remark| (self.say)(remark));
        let (known, own) = split_lines(lines.records);
        games.extend(own);
        self.settings.line.take_if(|line| known.last().is_some_and(|known| known.r#match == line.r#match));
        self.journal = Some(journal);
        Ok(())
    }

    /// Add the games that are not known yet; fail, and add none, for one of another match.
    fn add_new(&mut self, games: &[Entry]) -> Result<(), String> {
        let slots: Vec<_> = games.iter().map(|game| self.whole.slot(game)).collect::<Result<_, _>>()?;
        for (slot, game) in slots.into_iter().zip(games) {
            let Some(MapEntry::Vacant(free)) = slot.map(|slot| self.games.entry(slot)) else { continue };
            // All games share these by now: a long match would fill the memory with them.
            let game = free.insert(Entry { sides: None, terms: None, sprt: None, ..game.clone() });
            self.fault_count += game.faults.len() as u64;
            let Some(pair) = self.finder.add(game) else { continue };
            for (bot, means) in self.plan.bots.iter().zip(&mut self.means) {
                let Some(pair) = pair.seen_by(&bot.name) else { continue };
                means.add(pair.mean());
                if let Some(test) = self.test.as_mut().filter(|test| test.name == bot.name) {
                    // A test has one pairing: rounds are pairs, and a shard has one in `count` of them.
                    test.add(pair.round / self.whole.schedule.shard.count, pair.mean(), pair.moves);
                }
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
        left_out.iter().for_each(|why| (self.say)(why));
        self.others = Some((others, Instant::now()));
    }

    /// Play the games that are left, and keep each. `show` is called after each game, and about ten times a second.
    pub fn play(&mut self, stop: &AtomicBool, show: impl Fn(&Run, Option<&Entry>)) -> io::Result<()> {
        if let (Some(journal), Some(line)) = (&mut self.journal, self.settings.line.take()) {
            journal.append(&line)?;
        }
        let mut end = Ok(());
        if !self.is_decided() {
            let known: BTreeSet<(u64, [usize; 2])> = self.games.keys().copied().collect();
            let plan = self.plan;
            let left = plan.schedule.games().filter(|game| !known.contains(&(game.round, game.bots)));
            end = plan.play(left, stop, |played| {
                let kept = played.as_ref().map_or(Ok(()), |(entry, notes)| self.keep(entry, notes));
                if self.others.as_ref().is_some_and(|(_, last)| last.elapsed() >= JOURNAL_POLL) {
                    self.read_other_shards();
                }
                show(self, played.as_ref().map(|(entry, _)| entry));
                let is_enough = self.is_decided() || self.is_stopped();
                kept.map(|()| if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            });
            self.read_other_shards();
        }
        end.and_then(|()| self.journal.as_ref().map_or(Ok(()), LineFile::check))
    }

    /// Keep a game: its log, its line in the journal, its faults.
    fn keep(&mut self, entry: &Entry, notes: &GameNotes) -> io::Result<()> {
        // A game counts even if its log or its line in the journal cannot be written.
        let logs = self.settings.logs.as_ref();
        let logged = logs.map_or(Ok(()), |logs| write_log(logs, &self.whole, entry, notes));
        let kept = self.journal.as_mut().map_or(Ok(()), |journal| journal.append(entry));
        for fault in &entry.faults {
            let players = [fault.player, fault.player.opponent()];
            let [name, other] = players.map(|player| entry.names()[player.index()]);
            let moves = entry.moves.len() as u64;
            let number = self.faults.add(name, fault, moves);
            if number == 1 {
                let (round, moves) = (entry.round_number(), plural(moves, "move"));
                let game = format!("{name} as {} against {other}, round {round}", fault.player);
                (self.say)(&format!("fault: {game}, after {moves}: {fault}"));
            } else if number == 2 && self.faults.0.values().filter(|it| it.count > 1).count() == 1 {
                (self.say)("more faults of the same kinds are counted in the table at the end");
            }
        }
        self.add_new(slice::from_ref(entry)).map_err(io::Error::other)?;
        logged.and(kept)
    }

    /// Return the number of the match's games, with those of other shards that share the directory.
    pub fn total(&self) -> u64 {
        self.whole.schedule.shard_pairs().saturating_mul(2)
    }

    pub fn is_decided(&self) -> bool {
        self.test.as_ref().is_some_and(|test| test.verdict != SprtVerdict::Undecided)
    }

    /// Tell whether a fault has stopped the match.
    pub fn is_stopped(&self) -> bool {
        self.settings.stop_on_fault && !self.faults.0.is_empty()
    }

    /// Return the number of the shard, from 1, for whose game the common test waits.
    pub fn awaited_shard(&self) -> Option<u64> {
        let (pair, _) = self.test.as_ref().filter(|_| self.others.is_some())?.waits()?;
        Some(pair % self.plan.schedule.shard.count + 1)
    }
}
