//! Sparring partners, each after a paper or a program of its time, and our engine, all behind
//! [`Agent`]. They are seeded, keep the clock, and are found by name.

mod clock;
mod filtered;
mod greedy;
mod negamax;
mod options;
mod random;
mod tree;
mod uct;
mod wormhole;
mod zobrist;

use crate::player::agent::Agent;
use crate::player::engine::{self, DEFAULT_MEMORY, Engine};
use crate::player::params::Params;
use crate::player::rng::Random;

pub use options::BadOption;
use options::Options;

/// Every built-in player: name, options, and where it comes from.
pub const PLAYERS: [(&str, &str, &str); 8] = [
    ("random", "", "legal moves at random"),
    ("greedy", "", "Brown and Doig's Cachex report, §3: the best next position by a heuristic"),
    ("negamax", "", "the same report, §4 to §6: alpha-beta with an expectation at the leaves"),
    ("uct", "c, bonus, discount, knowledge, threads", "Folkersen's Hex project: UCT with solved nodes"),
    ("filtered", "c, knowledge, weight, solve", "Vaquier's Pentago report: bad moves out, then UCT"),
    ("wormhole", "epsilon, greed, simulations", "the CodeCup winner's README"),
    (
        "eventhorizon",
        "priming=off|on, nodes, memory, any tunable",
        "our engine held to the EventHorizon paper's settings",
    ),
    ("blackhole", "nodes, memory, any tunable", "our engine"),
];

/// Make the built-in player `name` with `options` (keys and values) and a seed.
///
/// # Errors
/// When there is no such player or option, or a value does not fit; says what there is.
pub fn builtin(name: &str, options: &[(String, String)], seed: u64) -> Result<Box<dyn Agent>, BadOption> {
    let options = Options::new(options);
    let rng = Random::new(seed);
    let agent: Box<dyn Agent> = match name {
        "random" => Box::new(random::RandomPlayer::new(rng)),
        "greedy" => Box::new(greedy::Greedy::new(rng)),
        "negamax" => Box::new(negamax::Negamax::new(&options, rng)?),
        "uct" => Box::new(uct::Uct::new(&options, rng)?),
        "filtered" => Box::new(filtered::Filtered::new(&options, rng)?),
        "wormhole" => Box::new(wormhole::Wormhole::new(&options, rng)?),
        "eventhorizon" => Box::new(engine(&options, Params::paper(options.switch("priming", true)?), seed)?),
        "blackhole" => Box::new(engine(&options, Params::default(), seed)?),
        _ => return Err(BadOption::Player(name.to_string())),
    };
    options.all_taken()?;
    Ok(agent)
}

/// Make our engine with the tunables `params`, changed by the options that name rows of their table.
fn engine(options: &Options, mut params: Params, seed: u64) -> Result<Engine, BadOption> {
    for row in Params::ROWS {
        let (least, most) = row.range;
        let default = params.get(row.name).unwrap_or(row.default);
        let value = options.number(row.name, least..=most, default)?;
        let expected =
            || BadOption::Value(row.name.to_owned(), value.to_string(), "a whole number".to_owned());
        params.set(row.name, value).map_err(|_| expected())?;
    }
    let nodes = match options.number("nodes", 0..=u64::MAX, 0)? {
        0 => None,
        nodes => Some(nodes),
    };
    let memory = options.number("memory", 1..=65536, DEFAULT_MEMORY >> 20)? << 20;
    Ok(Engine::new(engine::Options { params, seed, nodes, memory }))
}
