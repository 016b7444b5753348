//! The rooms of the program, and the modules of the player, lean on each other in one direction.

use std::fs;
use std::path::{Path, PathBuf};

/// Return all Rust files below a folder, and the file of this name.
fn sources(room: &Path) -> Vec<PathBuf> {
    let parts = fs::read_dir(room).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = parts.flat_map(|part| sources(&part.path())).collect();
    let own = if room.extension().is_some() { room.to_owned() } else { room.with_extension("rs") };
    files.extend(Some(own).filter(|file| file.extension().is_some_and(|end| end == "rs") && file.is_file()));
    files
}

#[test]
fn rooms_use_only_those_on_one_side_in_the_list() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    // The player's list begins with what all others use.
    for (folder, least, is_player) in [(src.clone(), 8, false), (src.join("player"), 15, true)] {
        let map = fs::read_to_string(folder.join("lib.rs")).expect("a source");
        // Each room is a link of the list.
        let links =
            map.lines().filter(|line| line.starts_with("//!")).flat_map(|line| line.split("[`").skip(1));
        let mut order: Vec<&str> = links.filter_map(|link| link.split('`').next()).collect();
        let rooms = map.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
        let rooms: Vec<&str> = rooms.filter(|room| *room != "testing").collect();
        assert!(rooms.len() > least && rooms.iter().all(|room| order.contains(room)), "{rooms:?}, {order:?}");
        if is_player {
            order.reverse();
        }
        for (place, room) in order.iter().enumerate().filter(|(_, room)| rooms.contains(room)) {
            let files = sources(&folder.join(room));
            assert!(!files.is_empty(), "{room}");
            for file in files.iter().filter(|file| !(is_player && file.ends_with("tests.rs"))) {
                let source = fs::read_to_string(file).expect("a source");
                let code =
                    if is_player { source.split("mod tests {").next().unwrap_or_default() } else { &source };
                for above in &order[..place] {
                    assert!(!code.contains(&format!("crate::{above}::")), "{} uses {above}", file.display());
                }
            }
        }
    }
}
