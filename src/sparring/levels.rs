//! Opponents by name: the engine, levels of rising strength, built-in players.

use crate::player::agent::Agent;
use crate::player::engine::{Engine, Options};
use crate::sparring::{Builtin, builtin};

/// The name of the engine with settings of its own.
pub const ENGINE: &str = "blackhole";

/// The levels: a name and its built-in player. Only the last one uses the clock; the others are equally
/// strong on every machine.
pub const LEVELS: [(&str, &str); 4] = [
    ("beginner", "random"),
    ("casual", "greedy"),
    ("advanced", "blackhole,nodes=100,solve_from=0,response_playouts=0"),
    ("expert", "blackhole"),
];

/// Return the built-in player of a level, or the text itself if it is no level.
pub fn player(text: &str) -> &str {
    LEVELS.iter().find(|level| level.0.eq_ignore_ascii_case(text)).map_or(text, |level| level.1)
}

/// Make an opponent: the engine, a level, or a built-in player such as `eventhorizon,priming=off`. A built-in
/// player takes only the seed and the stop flag of the settings; an error lists the players or their options.
pub fn partner(name: &str, settings: &Options) -> Result<Box<dyn Agent>, String> {
    if name == ENGINE {
        return Ok(Box::new(Engine::new(settings.clone())));
    }
    let Builtin { name, options } = Builtin::parse(player(name))?;
    let mut agent = builtin(&name, &options, settings.seed)?;
    if let Some(stop) = settings.stop {
        agent.stop_when_raised(stop);
    }
    Ok(agent)
}
