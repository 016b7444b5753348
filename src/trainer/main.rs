//! `blackhole-trainer`: makes the weights of the player's network. Playing does not need it.
//!
//! - [`label`] makes games with exact values of some positions: [`labeller`], [`data`].
//! - [`train`] learns weights from these games ([`model`]) and reports their log-loss.

mod data;
mod label;
mod labeller;
mod model;
mod train;

use std::error::Error;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::ExitCode;

use blackhole_player::rng::{Random, scaled};
use clap::Parser;

/// Makes the weights of the network of `blackhole`: first labelled games, then the weights
#[derive(Parser)]
#[command(name = "blackhole-trainer", version, propagate_version = true)]
enum Command {
    Label(label::LabelOptions),
    Train(train::TrainOptions),
}

fn main() -> ExitCode {
    let done = match Command::parse() {
        Command::Label(options) => label::run(&options),
        Command::Train(options) => train::run(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("blackhole-trainer: {error}");
            ExitCode::FAILURE
        }
    }
}

type Failure = Box<dyn Error>;

fn at(path: &Path, why: impl fmt::Display) -> Failure {
    format!("{}: {why}", path.display()).into()
}

fn drawn(random: &mut Random, range: RangeInclusive<u32>) -> u32 {
    range.start() + scaled((random.bits() >> 32) as u32, range.end() - range.start() + 1)
}

/// Draw an item of a list with at least one.
fn one_of<'a, T>(random: &mut Random, list: &'a [T]) -> &'a T {
    &list[drawn(random, 0..=list.len() as u32 - 1) as usize]
}
