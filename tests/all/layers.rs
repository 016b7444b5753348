//! The rooms of the program, and the modules of the player, lean on each other in one direction.

use crate::common::*;

/// Return the code of a room: its file, and all files in its folder but those of tests.
fn code(room: &Path) -> String {
    let own = fs::read_to_string(room.with_extension("rs")).unwrap_or_default();
    let parts = fs::read_dir(room).into_iter().flatten().flatten().map(|part| part.path().with_extension(""));
    let parts = parts.filter(|part| !part.ends_with("tests")).map(|part| code(&part));
    own + &parts.collect::<String>()
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
            let code = code(&folder.join(room));
            assert!(!code.is_empty(), "{room}");
            for above in &order[..place] {
                assert!(!code.contains(&format!("crate::{above}::")), "{room} uses {above}");
            }
        }
    }
}
