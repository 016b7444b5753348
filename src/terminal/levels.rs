//! Partners of rising strength, named by their strength.

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
