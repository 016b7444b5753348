//! `blackhole train`: the player's network, from labelled games.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::path::PathBuf;

use clap::Args;

use super::options::{seed, within};
use super::output::{may_write, print, progress_bar, write_whole};
use super::{CommandResult, Failure, SUCCESS, at, say};
use crate::player::alpha::Status;
use crate::player::network::{COUNT, Network, decoded, encoded};
use crate::player::search::playout::Policy;
use crate::player::simd::Portable;
use crate::workshop::calibrate::estimator::{Estimator, answers};
use crate::workshop::calibrate::{Question, judge, questions};
use crate::workshop::learning::data::LabelledGame;
use crate::workshop::learning::examples::{Example, examples};
use crate::workshop::learning::train::{Schedule, train};
use crate::workshop::lines;

/// Train the player's network on labelled games
///
/// Writes the weights as the source file that the player is compiled with, and reports the log-loss on
/// games that it was not trained on, by the number of empty cells: of the static formula, of ten
/// playouts, of the program's own network and of the new one, each calibrated on half of these
/// games and scored on the other.
#[derive(Args)]
#[command(after_help = "\
Example:
  RAYON_NUM_THREADS=1 blackhole train labels.jsonl --out src/player/network/weights.rs")]
pub(super) struct TrainOptions {
    /// Files of labelled games, as `blackhole label` writes them
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The file of the weights
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// How often every position is seen
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = within::<usize>(1..=1000))]
    epochs: usize,
    /// Targets asked about each time
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = within::<usize>(1..=10))]
    asked: usize,
    /// Questions in a batch
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = within::<usize>(1..=100_000))]
    batch: usize,
    /// Seed of the first weights and of the order
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = seed)]
    seed: u64,
}

/// One game of so many is not trained on.
const HELD_OUT: usize = 20;

/// Train, write the weights, report.
pub(super) fn run(options: &TrainOptions) -> CommandResult {
    let mut all: Vec<Example> = Vec::new();
    for (n, file) in options.files.iter().enumerate() {
        let text = lines::read(file).map_err(|error| at(file, error))?;
        let games = lines::parse::<LabelledGame>(&text).map_err(|error| at(file, error))?.records;
        // The same number in another file is another game.
        let renumbered =
            |example: Example| Example { game: example.game + n * HELD_OUT * 10_000_000, ..example };
        all.extend(games.iter().flat_map(examples).map(renumbered));
    }
    let numbers: HashSet<usize> = all.iter().map(|example| example.game).collect();
    let (tested, trained): (Vec<Example>, Vec<Example>) =
        all.into_iter().partition(|example| example.game % HELD_OUT == 0);
    if trained.is_empty() || tested.is_empty() {
        let found = format!("found {} games, expected {HELD_OUT} and more with values", numbers.len());
        return Err(Failure::input(found));
    }
    // What cannot be written is told before the work, not after it.
    may_write(&options.out, "file of weights", [ABOUT, "TEXT"], &options.files)?;
    OpenOptions::new()
        .append(true)
        .create(true)
        .open(&options.out)
        .map_err(|error| at(&options.out, error))?;
    say(&format!("{} positions, {} more held out", trained.len(), tested.len()));
    let schedule = Schedule {
        epochs: options.epochs,
        rate: 3e-3,
        batch: options.batch,
        asked: options.asked,
        seed: options.seed,
    };
    let bar = progress_bar(10_000, "{wide_bar} {percent} %  {eta} left");
    let weights = train(&trained, &schedule, |done, loss| {
        bar.set_position((done * 10_000.0) as u64);
        if let Some(loss) = loss {
            bar.suspend(|| say(&format!("log-loss {loss:.4}")));
        }
    });
    bar.finish_and_clear();
    let weights = weights.map_err(Failure::input)?;
    write_whole(&options.out, &source(&weights))?;
    print(&report(&tested, &weights))?;
    Ok(SUCCESS)
}

/// Characters of the text in a line.
const LINE: usize = 96;

/// How that file begins.
const ABOUT: &str = "//! The weights, two characters each, as `blackhole train` writes them.";

/// Return the source file of the weights.
fn source(weights: &[i16; COUNT]) -> String {
    let text = encoded(weights);
    assert_eq!(&decoded(&text), weights);
    let mut source = format!("{ABOUT}\n\npub const TEXT: &str = \"\\\n");
    let mut rest = &text[..];
    while !rest.is_empty() {
        let (line, left) = rest.split_at(LINE.min(rest.len()));
        source += line;
        source += "\\\n";
        rest = left;
    }
    source + "\";\n"
}

/// Write the table.
fn report(tested: &[Example], weights: &[i16; COUNT]) -> String {
    let network = Network::new(weights);
    let judge_by = |network: &Network, asked: &[Question]| -> Vec<f64> {
        let judged = asked.iter().map(|Question { position, target, .. }| {
            let status = Status::of::<Portable>(position, *target);
            f64::from(network.advantage::<Portable>(position, &status, *target))
        });
        judged.collect()
    };
    let mut by_cells: BTreeMap<u32, Vec<Question>> = BTreeMap::new();
    for example in tested {
        let asked = by_cells.entry(example.position.empty().len()).or_default();
        asked.extend(questions(&example.position, example.value, example.game));
    }
    let mut table =
        "cells  questions  static  10 playouts  own network  new network  slope  offset\n".to_owned();
    for (cells, mut asked) in by_cells {
        let mut numbers: Vec<usize> = asked.iter().map(|question| question.game).collect();
        numbers.sort_unstable();
        numbers.dedup();
        for question in &mut asked {
            question.game = numbers.binary_search(&question.game).expect("listed");
        }
        let held_out: Vec<bool> = (0..numbers.len()).map(|game| game % 2 == 0).collect();
        let playouts = Estimator::Playouts { policy: Policy::Kill, count: 10 };
        let judged = [
            answers(Estimator::Static, &asked, 1),
            answers(playouts, &asked, 1),
            judge_by(Network::own(), &asked),
            judge_by(&network, &asked),
        ];
        let judged = judged.map(|answers| judge(&asked, &answers, &held_out));
        let loss = |n: usize| judged[n].map_or(f64::NAN, |(_, quality)| quality.log_loss.mean);
        let (slope, offset) = judged[3].map_or((1.0, 0.0), |(fit, _)| (fit.slope, fit.offset));
        let _ = writeln!(
            table,
            "{cells:5}  {:9}  {:6.3}  {:11.3}  {:11.3}  {:11.3}  {slope:5.2}  {offset:6.2}",
            asked.len(),
            loss(0),
            loss(1),
            loss(2),
            loss(3)
        );
    }
    table
}
