//! Bot against bot, under a strict and safe referee, with the statistics that say which one is
//! stronger.
//!
//! Bots are programs behind the referee dialogue, or built-in players behind [`Agent`](crate::player::agent::Agent).
//! Unix only: bots live in process groups and their pipes are polled.
//!
//! - [`bots`], [`schedule`]: who plays, and which games a match consists of
//! - [`process`], [`game`], [`fault`]: one game and all that can go wrong in it
//! - [`stats`], [`sprt`]: pairs, Elo, the sequential test
//! - [`journal`], [`report`], [`picture`]: games on disk, tables, pictures
//! - [`check`]: does a bot keep to the dialogue?

pub mod bots;
pub mod check;
pub mod fault;
pub mod game;
pub mod journal;
pub mod picture;
pub mod process;
pub mod report;
pub mod schedule;
pub mod sprt;
pub mod stats;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use bots::{Bot, Maker, PlayerSpec};
use game::{Outcome, Rules};
use journal::Entry;
use schedule::{Game, Place, Schedule, mix};

use super::fnv;

/// A match: who plays, what, and how.
#[derive(Clone, Debug)]
pub struct Match {
    /// The bots, two or more, of different names.
    pub bots: Vec<Bot>,
    /// The games.
    pub schedule: Schedule,
    /// The referee's rules.
    pub rules: Rules,
    /// Games played at the same time, at least 1.
    pub concurrency: usize,
}

/// What happens while a match is played.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// A game is over.
    Over(Game, Box<Outcome>),
    /// None was for a moment.
    Tick,
}

/// The longest wait between two events.
const TICK: Duration = Duration::from_millis(100);

/// How a match ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// All games are played.
    Finished,
    /// The receiver of the games had enough.
    Enough,
    /// The stop flag was raised from outside.
    Interrupted,
}

/// A recorded game that does not belong to a match, though its bots do.
#[derive(Clone, PartialEq, Debug)]
pub struct OtherMatch(Box<Entry>);

impl fmt::Display for OtherMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Entry { red, blue, round, .. } = &*self.0;
        write!(
            f,
            "expected games of this match, found {red} against {blue} in round {} with another command, \
             time, seed or opening",
            round + 1
        )
    }
}

impl std::error::Error for OtherMatch {}

/// Return whole microseconds.
fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

impl Match {
    /// Return the hash of everything that matters for the games of two bots: their names, commands and
    /// times, the seed, the openings, the start-up time-out. The number of pairs, the other bots and the
    /// shard do not matter: a match can be made longer or wider.
    pub fn settings(&self, bots: [usize; 2]) -> u64 {
        let mut keys = bots.map(|bot| {
            let Bot { name, player, time } = &self.bots[bot];
            fnv::text(&format!("{name}\n{player}\n{time:?}"))
        });
        keys.sort_unstable();
        let openings = fnv::text(&format!("{:?}", self.schedule.openings));
        let startup = self.rules.startup.as_micros() as u64;
        mix(&[keys[0], keys[1], self.schedule.seed, openings, startup])
    }

    /// Make the journal's entry for a game of this match.
    pub fn entry(&self, game: &Game, outcome: &Outcome) -> Entry {
        let [red, blue] = game.bots.map(|bot| self.bots[bot].name.clone());
        Entry {
            settings: self.settings(game.bots),
            round: game.round,
            red,
            blue,
            blocked: game.blocked,
            moves: outcome.moves.clone(),
            score: outcome.score,
            points: outcome.points,
            micros: outcome.spent.map(|spent| micros(spent.total)),
            worst_micros: outcome.spent.map(|spent| micros(spent.worst)),
            faults: outcome.faults.clone(),
            seeds: game.seeds,
        }
    }

    /// Return those of the recorded games that belong to this schedule, in its order.
    ///
    /// # Errors
    /// When a record is of these bots, by name, but of other settings.
    pub fn recorded(&self, records: &[Entry]) -> Result<BTreeMap<Place, Entry>, OtherMatch> {
        let index = |name: &str| self.bots.iter().position(|bot| bot.name == name);
        let mut recorded = BTreeMap::new();
        for record in records {
            let [Some(red), Some(blue)] = record.names().map(index) else { continue };
            if self.settings([red, blue]) != record.settings {
                return Err(OtherMatch(Box::new(record.clone())));
            }
            if let Some(place) = self.schedule.place(record.round, [red, blue]) {
                recorded.insert(place, record.clone());
            }
        }
        Ok(recorded)
    }

    /// Try to make every built-in player once, so that a wrong name or option shows before the first game.
    ///
    /// # Errors
    /// What the maker says, with the bot's name.
    pub fn try_builtins(&self, maker: &Maker<'_>) -> Result<(), String> {
        for bot in &self.bots {
            if let PlayerSpec::Builtin(builtin) = &bot.player {
                maker(builtin, 0).map_err(|error| format!("{}: {error}", bot.name))?;
            }
        }
        Ok(())
    }

    /// Play `games`, several at a time, and tell `each` what happens. Games in progress are given up when
    /// `each` breaks or `stop` is raised, and their processes are gone on return.
    ///
    /// # Errors
    /// The first error of `each`.
    pub fn play(
        &self,
        games: impl Iterator<Item = Game> + Send,
        maker: &Maker<'_>,
        stop: &AtomicBool,
        mut each: impl FnMut(Event) -> io::Result<ControlFlow<()>>,
    ) -> io::Result<End> {
        // The workers look at one flag; a stop from outside is passed on to it.
        let halt = AtomicBool::new(false);
        let games = Mutex::new(games);
        let (sender, outcomes) = mpsc::channel();
        let mut end = End::Finished;
        let mut failure = None;
        thread::scope(|scope| {
            for _ in 0..self.concurrency.max(1) {
                let (sender, halt, games) = (sender.clone(), &halt, &games);
                scope.spawn(move || {
                    while !halt.load(Ordering::Relaxed) {
                        let next = games.lock().unwrap_or_else(PoisonError::into_inner).next();
                        let Some(game) = next else { return };
                        let bots = game.bots.map(|bot| &self.bots[bot]);
                        let Some(outcome) = game::play(&game, bots, self.rules, maker, halt) else { return };
                        if sender.send(Event::Over(game, Box::new(outcome))).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            loop {
                if stop.load(Ordering::Relaxed) && end == End::Finished {
                    end = End::Interrupted;
                    halt.store(true, Ordering::Relaxed);
                }
                let event = match outcomes.recv_timeout(TICK) {
                    Ok(event) => event,
                    Err(mpsc::RecvTimeoutError::Timeout) => Event::Tick,
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                };
                // A game that was over before the stop counts, whoever stopped.
                if failure.is_none() {
                    match each(event) {
                        Ok(ControlFlow::Continue(())) => continue,
                        Ok(ControlFlow::Break(())) if end == End::Finished => end = End::Enough,
                        Ok(ControlFlow::Break(())) => {}
                        Err(error) => failure = Some(error),
                    }
                    halt.store(true, Ordering::Relaxed);
                }
            }
        });
        failure.map_or(Ok(end), Err)
    }
}
