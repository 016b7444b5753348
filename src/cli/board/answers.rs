//! What the page asks and what it is told, a line of JSON each.

use std::io::{self, Read};
use std::time::Duration;

use super::super::options::EngineOptions;
use super::super::{CommandResult, SUCCESS, print};
use crate::workshop::games::RecordedGame;

/// Make the page that begins with some games.
pub(super) fn page(_games: &[RecordedGame], _time: Duration) -> String {
    "<!DOCTYPE html><html lang=\"en\"><title>Black Hole</title>\n".to_owned()
}

/// Answer the question on standard input.
pub(super) fn answer(_options: &EngineOptions) -> CommandResult {
    let mut text = String::new();
    io::stdin().lock().read_to_string(&mut text)?;
    print("{}\n")?;
    Ok(SUCCESS)
}
