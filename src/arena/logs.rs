//! The logs of a match: a file for each game.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::Match;
use super::game::GameNotes;
use super::journal::Entry;
use crate::games::files::log_head;
use crate::system::fnv;
use crate::system::lines::{create_whole, with_path};

/// Create the directory of logs if missing, and check that it takes files.
pub(super) fn create_log_dir(logs: &Path) -> io::Result<()> {
    let probe = logs.join(format!("probe-{}", std::process::id()));
    let made = fs::create_dir_all(logs).and_then(|()| File::create_new(&probe));
    made.and_then(|_| fs::remove_file(&probe)).map_err(|error| with_path(logs, error))
}

/// Write the log of a game: opening, moves with their times, result, both bots' stderr.
pub(super) fn write_log(logs: &Path, plan: &Match, entry: &Entry, notes: &GameNotes) -> io::Result<()> {
    let (names, round) = (entry.names(), entry.round_number());
    let mut text = log_head(names, round);
    for bot in plan.bots.iter().filter(|bot| names.contains(&bot.name.as_str())) {
        text += &format!("# {}: {} ({} s)\n", bot.name, bot.player, bot.time.as_secs_f64());
    }
    text += &format!("{}\n", entry.blocked.map(|cell| cell.to_string()).join(" "));
    for (mv, time) in entry.moves.iter().zip(&notes.times) {
        text += &format!("{mv} # {:.3} s\n", time.as_secs_f64());
    }
    text += &format!("# points {} to {}\n", entry.points[0], entry.points[1]);
    for fault in &entry.faults {
        text += &format!("# fault of {}: {fault}\n", fault.player);
    }
    for (name, stderr) in names.iter().zip(&notes.stderr) {
        text += &format!("\n# stderr of {name}\n");
        stderr.lines().for_each(|line| text += &format!("# {line}\n"));
    }
    let stem = format!("{round:06}-{}", names.map(file_part).join("="));
    let mut file = logs.join(format!("{stem}.txt"));
    for number in 2.. {
        match create_whole(&file, &text) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            written => return written,
        }
        file = logs.join(format!("{stem}={number}.txt"));
    }
    Ok(())
}

/// Write a name as a part of a file's name on every system: an odd or long one with a hash.
fn file_part(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || "+-._".contains(c);
    let kept: String = name.chars().take(30).map(|c| if fits(c) { c } else { '_' }).collect();
    if kept == name { kept } else { format!("{kept}~{:08x}", fnv::text(name) as u32) }
}
