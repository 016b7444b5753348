//! The player's options, and the player made from them.

use std::error::Error;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;

use crate::player::engine::{DEFAULT_MEMORY, Options};
use crate::player::params::Params;
use crate::sparring::{MEGABYTES, NODES};
use crate::text::number;

/// Options of every command that chooses moves.
#[derive(Args, Clone, Debug)]
pub(super) struct EngineOptions {
    /// Thinking time until the end of the game, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = super::seconds)]
    pub time: Duration,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = Options::default().seed, value_parser = within(0..=u64::MAX))]
    pub seed: u64,
    /// Think this many iterations a move instead of by time; the solver's nodes are not counted. With the
    /// same seed, the same game
    #[arg(long, value_name = "N", value_parser = within(NODES), conflicts_with = "time")]
    nodes: Option<u64>,
    /// Memory of the trees, the solver's table and the search for a response together, in megabytes
    #[arg(long, value_name = "MB", default_value_t = DEFAULT_MEMORY >> 20, value_parser = within(MEGABYTES))]
    memory: usize,
    /// Change a setting of the engine; `--set list` lists them
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    set: Vec<(String, String)>,
}

impl EngineOptions {
    pub fn options(&self) -> Options {
        let mut params = Params::default();
        // Unknown settings and values were refused when the options were read.
        self.set.iter().for_each(|(name, value)| _ = params.set(name, value));
        let EngineOptions { seed, nodes, memory, .. } = *self;
        Options { params, seed, nodes, memory: memory << 20, ..Options::default() }
    }
}

/// The table of settings: `--set list` prints it, and the command does not run.
#[derive(Debug)]
pub(super) struct Listing;

impl fmt::Display for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "settings, defaults and ranges (§ of Ansell's paper):")?;
        Params::ROWS.iter().try_for_each(|row| {
            let (least, most) = row.range;
            writeln!(f, "  {}={} ({least}..={most})\n      {}", row.name, row.default, row.meaning.trim())
        })
    }
}

impl Error for Listing {}

/// Read `NAME=VALUE`; `list` is answered by a [`Listing`].
pub(super) fn setting(text: &str) -> Result<(String, String), Box<dyn Error + Send + Sync>> {
    if text == "list" {
        return Err(Listing.into());
    }
    let (name, value) =
        text.split_once('=').ok_or("expected NAME=VALUE, such as exploration=0.3, or list")?;
    Params::default().set(name, value)?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Read numbers in a range; an error says the expected range, as clap adds the found text.
pub(super) fn within<T>(range: RangeInclusive<T>) -> impl Fn(&str) -> Result<T, String> + Clone
where
    T: FromStr + PartialOrd + fmt::Display + Clone,
{
    move |text| number(text, &range)
}
