//! Sparring players, each after a paper or a program of its time, and our engine: all are an [`Agent`] with a
//! name and a seed, and keep to their time. [`levels`]: opponents of rising strength by name.

mod clock;
pub mod levels;
mod negamax;
mod plain;
mod tree;
mod uct;
mod wormhole;

use std::ops::RangeInclusive;

use crate::player::agent::Agent;
use crate::player::engine::{Engine, Options};
use crate::player::input::quote;
use crate::player::params::Params;
use crate::player::rng::Random;
use crate::text::number;

/// The names of the built-in players, and their options.
pub const PLAYERS: [(&str, &str); 8] = [
    ("random", "none"),
    ("greedy", "none"),
    ("negamax", "none"),
    ("uct", "none"),
    ("filtered", "none"),
    ("wormhole", "simulations"),
    ("eventhorizon", "priming, nodes, memory, any setting"),
    ("blackhole", "nodes, memory, any setting"),
];

/// A built-in player by its name, with options as key and value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Builtin {
    pub name: String,
    pub options: Vec<(String, String)>,
}

impl Builtin {
    /// Read `PLAYER[,key=value…]`; fail for an option without `=` or key.
    pub fn parse(text: &str) -> Result<Builtin, String> {
        let mut parts = text.split(',');
        let name = parts.next().unwrap_or_default().to_string();
        let options = parts.map(|part| match part.split_once('=') {
            Some((key, value)) if !key.is_empty() => Ok((key.to_string(), value.to_string())),
            _ => Err(format!("expected an option key=value, found {}", quote(part.as_bytes()))),
        });
        Ok(Builtin { name, options: options.collect::<Result<_, _>>()? })
    }
}

/// The range of our engine's iterations a move instead of time.
pub const NODES: RangeInclusive<u64> = 1..=1_000_000_000_000;
/// The range of our engine's memory, megabytes.
pub const MEGABYTES: RangeInclusive<usize> = 1..=65_536;

/// Make the built-in player `name` with `options` (keys and values; the last of a key counts) and a seed; an
/// error lists the known players or options.
pub fn builtin(name: &str, options: &[(String, String)], seed: u64) -> Result<Box<dyn Agent>, String> {
    let Some((_, expected)) = PLAYERS.into_iter().find(|player| player.0 == name) else {
        let (name, names) = (quote(name.as_bytes()), PLAYERS.map(|player| player.0).join(", "));
        return Err(format!("found no built-in player {name}, expected one of {names}"));
    };
    // Our engine, or with the paper's settings.
    let params = if name == "eventhorizon" { paper_settings() } else { Params::default() };
    let (mut engine, mut simulations) = (Options { params, seed, ..Options::default() }, 500_000);
    for (key, text) in options {
        let taken = match (name, &**key) {
            ("wormhole", "simulations") => number(text, &(1..=100_000_000)).map(|it| simulations = it),
            ("eventhorizon", "priming") => {
                engine.params.priming = text == "on";
                if ["on", "off"].contains(&&**text) { Ok(()) } else { Err("expected on or off".to_owned()) }
            }
            ("eventhorizon" | "blackhole", "nodes") => number(text, &NODES).map(|it| engine.nodes = Some(it)),
            ("eventhorizon" | "blackhole", "memory") => {
                number(text, &MEGABYTES).map(|it| engine.memory = it << 20)
            }
            ("eventhorizon" | "blackhole", key) if Params::ROWS.iter().any(|row| row.name == key) => {
                engine.params.set(key, text)
            }
            _ => return Err(format!("found option {}, expected {expected}", quote(key.as_bytes()))),
        };
        taken.map_err(|error| format!("option {key}: found {}, {error}", quote(text.as_bytes())))?;
    }
    let random = Random::new(seed);
    Ok(match name {
        "random" => Box::new(plain::RandomPlayer(random)),
        "greedy" => Box::new(plain::Greedy(random)),
        "negamax" => Box::new(negamax::Negamax::new(random)),
        "uct" | "filtered" => Box::new(uct::Uct::new(name == "filtered", random)),
        "wormhole" => Box::new(wormhole::Wormhole::new(simulations, random)),
        _ => Box::new(Engine::new(engine)),
    })
}

/// Return the settings of the paper's program: AMAF priming (§3.1), the two lotteries (§4.2).
pub fn paper_settings() -> Params {
    Params {
        paper: true,
        tell_apart: false,
        exploration: 0.15,
        policy: 1,
        choose: 0.5,
        ahead: 0.0,
        prior_follower: 0.0,
        prior_largest: 0.0,
        prior_random: 0.0,
        solve_from: 19,
        growth: 1.0,
        ..Params::default()
    }
}
