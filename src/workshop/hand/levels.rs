//! Partners of rising strength, by names that say how strong they are.

/// Every level: its name and the built-in player behind it. Only the last looks at the clock, so that
/// the others are as strong on any machine.
pub const LEVELS: [(&str, &str); 4] = [
    ("beginner", "random"),
    ("casual", "greedy"),
    ("advanced", "blackhole,nodes=100,solve_from=0,response_playouts=0"),
    ("expert", "blackhole"),
];

/// Return the built-in player of a level, or the text itself where it names none.
pub fn player(text: &str) -> &str {
    LEVELS.iter().find(|level| level.0.eq_ignore_ascii_case(text)).map_or(text, |level| level.1)
}
