//! Bot against bot, under a strict and safe referee, with the statistics that say which one is
//! stronger.
//!
//! Bots are programs behind the referee dialogue, or built-in players behind [`Agent`](crate::player::agent::Agent).
//! Unix only: bots live in process groups and their pipes are polled.
//!
//! - [`schedule`]: which games a match consists of
//! - [`process`], [`game`], [`fault`]: one game and all that can go wrong in it
//! - [`stats`], [`sprt`]: pairs, Elo, the sequential test
//! - [`journal`], [`report`], [`svg`]: games on disk, tables, pictures
//! - [`check`]: does a bot keep to the dialogue?

pub mod bots;
pub mod check;
pub mod fault;
pub mod game;
pub mod journal;
pub mod process;
pub mod report;
pub mod schedule;
pub mod sprt;
pub mod stats;
pub mod svg;

use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use bots::{Bot, Maker, PlayerSpec};
use game::{Outcome, Rules};
use journal::Entry;
use schedule::{Game, Schedule, mix, text_key};

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

/// Why recorded games do not belong to a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OtherMatch {
    /// The names of Red and Blue of the first such game.
    pub names: [String; 2],
    /// The number of its opening, from 0.
    pub round: u64,
}

impl fmt::Display for OtherMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, blue] = &self.names;
        let round = self.round + 1;
        write!(
            f,
            "expected games of this match, found {red} against {blue} in round {round} with another command, \
             time, seed or opening"
        )
    }
}

impl std::error::Error for OtherMatch {}

impl Match {
    /// Return the hash of everything that matters for the games of two bots: their names, commands and
    /// times, the seed, the openings, the start-up time-out. The number of pairs, the other bots and the
    /// shard do not matter: a match can be made longer or wider.
    pub fn settings(&self, bots: [usize; 2]) -> u64 {
        let mut keys = bots.map(|bot| {
            let Bot { name, player, time } = &self.bots[bot];
            text_key(&format!("{name}\n{player}\n{time:?}"))
        });
        keys.sort_unstable();
        let openings = text_key(&format!("{:?}", self.schedule.openings));
        let startup = self.rules.startup.as_micros() as u64;
        mix(&[keys[0], keys[1], self.schedule.seed, openings, startup])
    }

    /// Make the journal's entry for a game of this match.
    pub fn entry(&self, game: &Game, outcome: &Outcome) -> Entry {
        let names = game.bots.map(|bot| self.bots[bot].name.clone());
        Entry::new(self.settings(game.bots), game.round, names, game.blocked, game.seeds, outcome)
    }

    /// Take the games that `records` already hold out of the schedule: return the games left to play, and
    /// the records of this schedule's games, in its order.
    ///
    /// # Errors
    /// When a record is of these bots, by name, but of other settings.
    pub fn missing(&self, records: &[Entry]) -> Result<(Vec<Game>, Vec<Entry>), OtherMatch> {
        let index = |name: &String| self.bots.iter().position(|bot| &bot.name == name);
        let mut known = std::collections::BTreeMap::new();
        for record in records {
            let [Some(red), Some(blue)] = [index(&record.names[0]), index(&record.names[1])] else {
                continue;
            };
            if self.settings([red, blue]) != record.settings {
                return Err(OtherMatch { names: record.names.clone(), round: record.round });
            }
            known.insert((record.round, [red, blue]), record);
        }
        let (mut left, mut done) = (Vec::new(), Vec::new());
        for game in self.schedule.games() {
            match known.get(&(game.round, game.bots)) {
                Some(&record) => done.push(record.clone()),
                None => left.push(game),
            }
        }
        Ok((left, done))
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

    /// Play `games`, several at a time, and hand each over when it is over; `wait` is called about ten
    /// times a second in between. Games in progress are given up when `each` breaks or `stop` is raised,
    /// and their processes are gone on return.
    ///
    /// # Errors
    /// The first error of `each`.
    pub fn play(
        &self,
        games: &[Game],
        maker: &Maker<'_>,
        stop: &AtomicBool,
        mut each: impl FnMut(&Game, Outcome) -> io::Result<ControlFlow<()>>,
        mut wait: impl FnMut(),
    ) -> io::Result<End> {
        // The workers look at one flag; a stop from outside is passed on to it.
        let halt = AtomicBool::new(false);
        let next = AtomicUsize::new(0);
        let (sender, outcomes) = mpsc::channel();
        let mut end = End::Finished;
        let mut failure = None;
        thread::scope(|scope| {
            for _ in 0..self.concurrency.clamp(1, games.len().max(1)) {
                let (sender, halt, next) = (sender.clone(), &halt, &next);
                scope.spawn(move || {
                    while !halt.load(Ordering::Relaxed) {
                        let Some(game) = games.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
                        let bots = game.bots.map(|bot| &self.bots[bot]);
                        let Some(outcome) = game::play(game, bots, self.rules, maker, halt) else { return };
                        if sender.send((game, outcome)).is_err() {
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
                match outcomes.recv_timeout(Duration::from_millis(100)) {
                    // A game that was over before the stop counts, whoever stopped.
                    Ok((game, outcome)) if failure.is_none() => match each(game, outcome) {
                        Ok(ControlFlow::Continue(())) => {}
                        Ok(ControlFlow::Break(())) => {
                            end = if end == End::Finished { End::Enough } else { end };
                            halt.store(true, Ordering::Relaxed);
                        }
                        Err(error) => {
                            failure = Some(error);
                            halt.store(true, Ordering::Relaxed);
                        }
                    },
                    Ok(_) => {}
                    Err(mpsc::RecvTimeoutError::Timeout) => wait(),
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                }
            }
        });
        failure.map_or(Ok(end), Err)
    }
}
