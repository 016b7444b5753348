//! `blackhole label`: positions with exact scores, to learn an evaluation from.

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use clap::Args;

use super::options::{seed, within};
use super::output::{progress_bar, tell_state};
use super::signals::stop_flag;
use super::{CommandResult, INTERRUPTED, SUCCESS, at};
use crate::workshop::learning::data::LabelledGame;
use crate::workshop::learning::labeller::Labeller;
use crate::workshop::lines::LineFile;

/// Make games of the engine against itself, with exact scores of their positions
///
/// A line a game: blocked cells and moves, exact scores after some of them, and in one game of five
/// exact scores of positions that a few plausible moves aside lead to. A file that is there already
/// is gone on with; a game depends on the seed and its number alone.
#[derive(Args)]
#[command(after_help = "\
Example:
  blackhole label labels.jsonl --games 50000 --seed 1 --concurrency 2")]
pub(super) struct LabelOptions {
    /// The file of labelled games, one JSON object a line
    file: PathBuf,
    /// Games it has at the end
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = within::<u64>(1..=100_000_000))]
    games: u64,
    /// Seed of all games
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = seed)]
    seed: u64,
    /// Games made at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within::<usize>(1..=1024))]
    concurrency: usize,
}

/// Make the games that the file lacks.
pub(super) fn run(options: &LabelOptions) -> CommandResult {
    let stop = stop_flag()?;
    let (file, lines) =
        LineFile::open::<LabelledGame>(&options.file).map_err(|error| at(&options.file, error))?;
    if let Some(other) = lines.records.iter().find(|line| line.seed != options.seed) {
        let why = format!("found games of the seed {}, expected {}", other.seed, options.seed);
        return Err(at(&options.file, why));
    }
    tell_state(&options.file, &file, &lines);
    let known: HashSet<u64> = lines.records.iter().map(|line| line.game).collect();
    let bar = progress_bar(options.games, "{wide_bar} {pos}/{len} games  {eta} left");
    bar.set_position(known.iter().filter(|&&game| game < options.games).count() as u64);
    let workers = options.concurrency.min(options.games.saturating_sub(bar.position()) as usize);
    let (next, file) = (AtomicU64::new(0), Mutex::new(file));
    let work = || -> io::Result<()> {
        let mut labeller = Labeller::new(options.seed);
        while !stop.load(Ordering::Relaxed) {
            let game = next.fetch_add(1, Ordering::Relaxed);
            if game >= options.games {
                break;
            }
            if !known.contains(&game) {
                let line = labeller.game(game);
                file.lock().expect("whole lines").append(&line)?;
                bar.inc(1);
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, work);
        let workers = (0..workers).map(spawn).collect::<io::Result<Vec<_>>>()?;
        workers.into_iter().try_for_each(|worker| worker.join().expect("no panic"))
    })?;
    bar.finish_and_clear();
    Ok(if stop.load(Ordering::Relaxed) { INTERRUPTED } else { SUCCESS })
}
