//! Floor 4: sparring partners, each after a paper or a program of its time, all behind
//! [`Agent`]. They are seeded, keep the clock, and are found by name.

mod greedy;
mod options;
mod random;

use crate::agent::Agent;
use crate::rng::Random;

pub use options::BadOption;
use options::Options;

/// Every built-in player: name, options, and where it comes from.
pub const PLAYERS: [(&str, &str, &str); 2] = [
    ("random", "", "legal moves at random"),
    ("greedy", "", "Brown and Doig's Cachex report, §3: the best next position by a heuristic"),
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
        _ => return Err(BadOption::Player(name.to_string())),
    };
    options.all_taken()?;
    Ok(agent)
}
