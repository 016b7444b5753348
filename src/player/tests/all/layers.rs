//! The modules lean on each other in one direction.

use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn modules_use_only_those_above_them_in_the_list() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: PathBuf| fs::read_to_string(path).expect("a source");
    let list = read(folder.join("lib.rs"));
    // Each module is a link of the list.
    let links = list.lines().filter(|line| line.starts_with("//!")).flat_map(|line| line.split("[`").skip(1));
    let order: Vec<&str> = links.filter_map(|link| link.split('`').next()).collect();
    assert!(order.len() > 15, "{order:?}");
    for (place, module) in order.iter().enumerate() {
        let parts = fs::read_dir(folder.join(module)).into_iter().flatten().flatten();
        let files = parts.map(|part| part.path()).chain([folder.join(format!("{module}.rs"))]);
        for file in files.filter(|file| file.is_file() && !file.ends_with("tests.rs")) {
            let source = read(file);
            let code = source.split("mod tests {").next().unwrap_or_default();
            for below in &order[place + 1..] {
                assert!(!code.contains(&format!("crate::{below}::")), "{module} uses {below}");
            }
        }
    }
}
