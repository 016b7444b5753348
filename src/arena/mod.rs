//! Bot against bot under a strict referee, with statistics of their strength.
//!
//! - [`bots`], [`schedule`]: the players and the games of a match
//! - [`process`], [`seat`], [`game`], [`fault`]: one game and its faults
//! - [`pairs`], [`stats`], [`ratings`], [`sprt`]: game pairs, means and Elo, ratings, the sequential test
//! - [`journal`], [`logs`], [`report`]: games on disk, tables
//! - [`run`]: a match in progress
//! - [`check`]: does a bot keep to the dialogue?

pub mod bots;
pub mod check;
pub mod fault;
pub mod game;
pub mod journal;
pub mod logs;
pub mod pairs;
pub mod process;
pub mod ratings;
pub mod report;
pub mod run;
pub mod schedule;
pub mod seat;
pub mod sprt;
pub mod stats;

use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use bots::Bot;
use fault::{SeatError, SeatResult};
use game::GameNotes;
use journal::{Entry, PlayedBy, Terms, VERSION};
use schedule::{Schedule, ScheduledGame};
use serde_json::json;
use sprt::SprtPlan;

use crate::player::board::Cell;
use crate::system::fnv;

#[derive(Clone, Debug)]
pub struct Match {
    /// Two or more, of different names.
    pub bots: Vec<Bot>,
    pub schedule: Schedule,
    /// Whether each program is stopped during its opponent's turn.
    pub suspend: bool,
    /// Games played at the same time, at least 1.
    pub concurrency: usize,
    pub test: Option<SprtPlan>,
}

/// The flag that ends games; players ask for one that lives for ever.
type Stop = &'static AtomicBool;

const TICK: Duration = Duration::from_millis(100);

impl Match {
    fn side(&self, bot: usize) -> PlayedBy {
        let Bot { time, version, .. } = &self.bots[bot];
        let command = self.bots[bot].player.to_string();
        PlayedBy { command, seconds: time.as_secs_f64(), version: version.clone() }
    }

    fn terms(&self) -> Terms {
        let openings: String = self.schedule.openings.iter().flatten().map(Cell::to_string).collect();
        Terms {
            seed: self.schedule.seed,
            openings: (!openings.is_empty()).then(|| fnv::text(&openings)),
            suspend: self.suspend,
        }
    }

    fn entry(&self, game: &ScheduledGame) -> Entry {
        let [red, blue] = game.bots.map(|bot| self.bots[bot].name.clone());
        // In either order; others may join the match.
        let mut sides = [(&red, self.side(game.bots[0])), (&blue, self.side(game.bots[1]))];
        sides.sort_by_key(|side| side.0);
        let settings = format!("{:016x}", fnv::text(&json!([sides, self.terms()]).to_string()));
        Entry {
            settings,
            round: game.round,
            red,
            blue,
            blocked: game.blocked,
            moves: Vec::new(),
            score: None,
            points: [0; 2],
            micros: [0; 2],
            worst_micros: [0; 2],
            faults: Vec::new(),
            seeds: game.seeds,
            sides: Some(game.bots.map(|bot| self.side(bot))),
            terms: Some(self.terms()),
            places: Some(game.bots.map(|bot| bot as u64)),
            sprt: self.test.clone(),
        }
    }

    /// Return the slot of a recorded game in the schedule: its opening and bots; `None` outside it. Fails for a game
    /// of other bots or settings.
    pub fn slot(&self, entry: &Entry) -> Result<Option<(u64, [usize; 2])>, String> {
        let index = |name: &str| self.bots.iter().position(|bot| bot.name == name);
        let [Some(red), Some(blue)] = entry.names().map(index) else {
            let names = entry.names().join(" and ");
            return Err(format!("found games of {names}: name these bots, too, or take another journal"));
        };
        let bots = [red, blue];
        let (sides, terms) = (Some(bots.map(|bot| self.side(bot))), Some(self.terms()));
        if sides != entry.sides || terms != entry.terms {
            return Err(other_match(entry, Entry { sides, terms, ..entry.clone() }));
        }
        Ok(self.schedule.has(entry.round, bots).then_some((entry.round, bots)))
    }

    /// Play `games` and pass each to `each` when over, or `None` about ten times a second. If `each` breaks
    /// or fails, or `stop` is raised, games in progress are given up; their processes are gone on return.
    pub fn play(
        &self,
        games: impl Iterator<Item = ScheduledGame> + Send,
        stop: &AtomicBool,
        mut each: impl FnMut(Option<(Entry, GameNotes)>) -> io::Result<ControlFlow<()>>,
    ) -> io::Result<()> {
        // The workers' one flag; a stop from outside is passed on to it.
        let halt: Stop = Box::leak(Box::default());
        let games = Mutex::new(games);
        let (sender, events) = mpsc::channel();
        let mut end = None;
        let told = |error: SeatError| io::Error::other(error.to_string());
        thread::scope(|scope| {
            for _ in 0..self.concurrency.max(1) {
                let (failed, sender, games) = (sender.clone(), sender.clone(), &games);
                let work = move || {
                    while !halt.load(Ordering::Relaxed) {
                        let next = games.lock().unwrap_or_else(PoisonError::into_inner).next();
                        let Some(game) = next else { return };
                        match self.play_game(game, halt) {
                            Err(SeatError::Stopped) => return,
                            // Without a receiver the match is over.
                            played => drop(sender.send(played.map(Some).map_err(told))),
                        }
                    }
                };
                if let Err(error) = thread::Builder::new().spawn_scoped(scope, work) {
                    // The receiver outlives this sender.
                    let _ = failed.send(Err(error));
                }
            }
            drop(sender);
            loop {
                if stop.load(Ordering::Relaxed) {
                    end.get_or_insert(Ok(()));
                }
                halt.fetch_or(end.is_some(), Ordering::Relaxed);
                let event = match events.recv_timeout(TICK) {
                    Ok(event) => event,
                    Err(RecvTimeoutError::Timeout) => Ok(None),
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                // A game that ended before the stop counts.
                if matches!(end, Some(Err(_))) {
                    continue;
                }
                match event.and_then(&mut each) {
                    Ok(ControlFlow::Break(())) => _ = end.get_or_insert(Ok(())),
                    Ok(ControlFlow::Continue(())) => {}
                    Err(error) => end = Some(Err(error)),
                }
            }
        });
        end.unwrap_or(Ok(()))
    }

    fn play_game(&self, game: ScheduledGame, stop: Stop) -> SeatResult<(Entry, GameNotes)> {
        let (bots, mut entry) = (game.bots.map(|bot| &self.bots[bot]), self.entry(&game));
        let notes = game::play(&mut entry, bots, self.suspend, stop)?;
        let change = bots.iter().find_map(|bot| bot.change());
        change.map_or(Ok((entry, notes)), |change| Err(SeatError::Runner(change)))
    }
}

/// Describe the differences between an entry of bots of these names and a game of this match.
fn other_match(entry: &Entry, ours: Entry) -> String {
    let both = entry.aspects().into_iter().zip(ours.aspects()).filter(|(there, here)| there != here);
    let what: Vec<String> =
        both.map(|((what, there), (_, here))| format!("{what} {there} (here {here})")).collect();
    let ([red, blue], round, what) = (entry.names(), entry.round_number(), what.join(", "));
    let how = match what.contains(VERSION) {
        true => "its program was changed, or is not found here: give a changed bot a new path and name",
        false => "use the settings in the journal, or another journal",
    };
    format!("expected games of this match, found {red} against {blue} in round {round} with {what}: {how}")
}
