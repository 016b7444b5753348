//! The rooms of the program lean on each other in one direction.

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
fn rooms_use_only_those_below_them_in_the_list() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let map = fs::read_to_string(folder.join("lib.rs")).expect("a source");
    // Each room is a line of the list.
    let order: Vec<&str> =
        map.lines().filter_map(|line| line.strip_prefix("//! - [`")?.split('`').next()).collect();
    let rooms: Vec<&str> =
        map.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    assert!(rooms.len() > 8 && rooms.iter().all(|room| order.contains(room)), "{rooms:?}, {order:?}");
    // The player is a package of its own.
    for (place, room) in order.iter().enumerate().filter(|(_, room)| **room != "player") {
        let files = sources(&folder.join(room));
        assert!(!files.is_empty(), "{room}");
        for file in files {
            let source = fs::read_to_string(&file).expect("a source");
            for above in &order[..place] {
                assert!(!source.contains(&format!("crate::{above}::")), "{} uses {above}", file.display());
            }
        }
    }
}
