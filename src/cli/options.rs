//! The player's options, and the player they make.

use std::time::Duration;

use clap::{Args, value_parser};

use crate::player::engine::{DEFAULT_MEMORY, Engine, Options};
use crate::player::params::{Params, Row};

/// Options of every command that chooses moves.
#[derive(Args, Clone, Debug)]
pub(super) struct EngineOptions {
    /// Thinking time for the whole game, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = super::seconds)]
    pub time: Duration,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = Options::default().seed)]
    pub seed: u64,
    /// Iterations a move instead of time; same seed and nodes, same game
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Memory for the search, in megabytes
    #[arg(long, value_name = "MB", default_value_t = (DEFAULT_MEMORY >> 20) as u32,
          value_parser = value_parser!(u32).range(1..=65536))]
    memory: u32,
    /// Hold the engine to the settings of the EventHorizon paper
    #[arg(long)]
    paper: bool,
    /// Set a tunable of the engine; `--set list` lists them
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    set: Vec<Setting>,
}

/// A tunable and its value.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub name: String,
    pub value: f32,
}

/// List the parameter table.
pub(super) fn listing() -> String {
    let row = |row: &Row| {
        let (least, most) = row.range;
        format!("\n  {}={} ({least}..={most})\n      {}", row.name, row.default, row.meaning)
    };
    format!("the tunables and their defaults:{}", Params::ROWS.iter().map(row).collect::<String>())
}

/// Read `NAME=VALUE` and check it against the parameter table.
pub(super) fn setting(text: &str) -> Result<Setting, String> {
    if text == "list" {
        return Err(listing());
    }
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, such as exploration=0.3")?;
    let value: f32 = value.parse().map_err(|_| "expected a number after the '='")?;
    Params::default().set(name, value).map_err(|error| error.to_string())?;
    Ok(Setting { name: name.to_owned(), value })
}

/// Return the tunables with some rows set.
pub(super) fn with_settings(mut params: Params, settings: &[Setting]) -> Params {
    for Setting { name, value } in settings {
        params.set(name, *value).expect("checked when it was parsed");
    }
    params
}

/// Read a number of threads, at most one for each core.
pub(super) fn threads(text: &str) -> Result<usize, String> {
    let most = std::thread::available_parallelism().map_or(1, usize::from);
    let number = text.parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| format!("expected a number from 1 to {most}, the cores of this machine"))
}

impl EngineOptions {
    /// Return the tunables: the paper's or ours, with the rows that are set.
    pub fn params(&self) -> Params {
        with_settings(if self.paper { Params::paper(true) } else { Params::default() }, &self.set)
    }
}

/// Make the player of these options.
pub(super) fn engine(options: &EngineOptions) -> Engine {
    let &EngineOptions { seed, nodes, memory, .. } = options;
    Engine::new(Options { params: options.params(), seed, nodes, memory: (memory as usize) << 20 })
}
