//! Floor 4: sparring partners, each after a paper or a program of its time, all behind
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

use crate::agent::Agent;
use crate::rng::Random;

pub use options::BadOption;
use options::Options;

/// Every built-in player: name, options, and where it comes from.
pub const PLAYERS: [(&str, &str, &str); 6] = [
    ("random", "", "legal moves at random"),
    ("greedy", "", "Brown and Doig's Cachex report, §3: the best next position by a heuristic"),
    ("negamax", "", "the same report, §4 to §6: alpha-beta with an expectation at the leaves"),
    ("uct", "c, bonus, discount, knowledge, threads", "Folkersen's Hex project: UCT with solved nodes"),
    ("filtered", "c, knowledge, weight, solve", "Vaquier's Pentago report: bad moves out, then UCT"),
    ("wormhole", "epsilon, greed, simulations", "the CodeCup winner's README"),
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
        _ => return Err(BadOption::Player(name.to_string())),
    };
    options.all_taken()?;
    Ok(agent)
}
