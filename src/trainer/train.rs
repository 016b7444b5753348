//! `blackhole-trainer train`: the player's network, from labelled games.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use blackhole::system::lines;
use blackhole_player::network::{COUNT, Network, WIDTH, parsed};
use clap::Args;
use clap::builder::RangedU64ValueParser;

use crate::data::{Example, LabelledGame, TargetQuestion};
use crate::model::train;
use crate::{Failure, at};

/// Train the player's network on labelled games
///
/// Writes the file of weights for the player's build. Reports the log-loss on games held out from training,
/// by the number of empty cells: of the program's own network and of the new one.
#[derive(Args)]
#[command(after_help = "\
Example:
  RAYON_NUM_THREADS=1 blackhole-trainer train labels.jsonl --out src/player/network/weights.txt")]
pub struct TrainOptions {
    /// Files of labelled games, as `blackhole-trainer label` writes them
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The file of the weights
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Passes over all positions
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1000))]
    epochs: usize,
    /// Seed of the first weights and of the positions' order
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// One game in this many is held out from training.
const HELD_OUT: u64 = 20;

pub fn run(options: &TrainOptions) -> Result<(), Failure> {
    let mut games = Vec::new();
    for file in &options.files {
        let text = lines::read(file).map_err(|error| at(file, error))?;
        games.extend(lines::parse::<LabelledGame>(&text).map_err(|error| at(file, error))?.records);
    }
    let count = games.len();
    let (tested, trained): (Vec<_>, Vec<_>) = games.into_iter().partition(|it| it.game % HELD_OUT == 0);
    let [tested, trained] = [tested, trained]
        .map(|games| games.iter().filter_map(LabelledGame::examples).flatten().collect::<Vec<Example>>());
    if trained.is_empty() || tested.is_empty() {
        return Err(format!("found {count} games, expected {HELD_OUT} and more with scores").into());
    }
    // Fail before the work if the weights cannot be written.
    may_write(&options.out).map_err(|error| at(&options.out, error))?;
    eprintln!("{} positions, {} more held out", trained.len(), tested.len());
    let mut epoch = 0;
    let weights = train(&trained, options.epochs, options.seed, |loss| {
        epoch += 1;
        eprintln!("epoch {epoch} of {}: log-loss {loss:.4}", options.epochs);
    })?;
    fs::write(&options.out, text(&weights)).map_err(|error| at(&options.out, error))?;
    io::stdout().write_all(report(&tested, &Network::new(&weights)).as_bytes())?;
    Ok(())
}

/// Check that weights may be written to a path: a new file, an empty one, or older weights.
fn may_write(path: &Path) -> io::Result<()> {
    lines::regular_or_new(path)?;
    let mut older = Vec::new();
    OpenOptions::new().read(true).append(true).create(true).open(path)?.read_to_end(&mut older)?;
    let is_ours = older.is_empty() || parsed(&String::from_utf8_lossy(&older)).is_some();
    let other = "found another file, expected a new one or one of weights";
    if is_ours { Ok(()) } else { Err(io::Error::other(other)) }
}

/// Return the text of the weights: for each input a line with its weight for each unit.
fn text(weights: &[i16; COUNT]) -> String {
    let line = |line: &[i16]| line.iter().map(i16::to_string).collect::<Vec<_>>().join(" ") + "\n";
    weights.chunks(WIDTH).map(line).collect()
}

/// Tabulate the mean log-loss of the program's own network and of a new one by the number of empty cells.
fn report(tested: &[Example], network: &Network) -> String {
    let mut by_cells: BTreeMap<u32, Vec<TargetQuestion>> = BTreeMap::new();
    for example in tested {
        by_cells.entry(example.position.empty().len()).or_default().extend(example.questions());
    }
    let mut table = "cells  questions  own network  new network\n".to_owned();
    for (cells, questions) in by_cells {
        let count = questions.len();
        let [own, new] = [Network::own(), network].map(|network| {
            questions.iter().map(|question| log_loss(network, question)).sum::<f64>() / count as f64
        });
        table += &format!("{cells:5}  {count:9}  {own:11.3}  {new:11.3}\n");
    }
    table
}

fn log_loss(network: &Network, question: &TargetQuestion) -> f64 {
    let odds = f64::from(question.log_odds(network));
    let against = if question.reached { -odds } else { odds };
    // This form cannot overflow.
    against.max(0.0) + (-against.abs()).exp().ln_1p()
}
