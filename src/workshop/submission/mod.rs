//! The player as one Rust source file, without crates: what a tournament takes that compiles with
//! `rustc` alone.
//!
//! The file holds `src/player` with its modules inlined, from the sources that this program was built
//! from. Unit tests and longer comments are left out. The generator of random numbers and the list of
//! moves, which stand on crates here, are replaced.

mod entry;
mod rng;

use std::fmt::Write;

/// List files of the player with their texts.
macro_rules! sources {
    ($($file:literal)*) => {
        &[$((concat!("player/", $file), include_str!(concat!("../../player/", $file, ".rs")))),*]
    };
}

/// The player's sources by the names of their files.
const SOURCES: &[(&str, &str)] = sources! {
    "mod" "agent" "bot" "evaluation" "input" "limits" "params" "position" "protocol" "record" "rng"
    "alpha/mod" "alpha/dominance" "alpha/reasonable" "alpha/status" "alpha/target"
    "board/mod" "board/cell" "board/hand" "board/moves" "board/set"
    "engine/mod" "engine/ahead" "engine/clock" "engine/respond" "engine/solved" "engine/targets"
    "network/mod" "network/inputs" "network/weights"
    "opponent/mod" "opponent/expectation" "opponent/kind" "opponent/responses"
    "search/mod" "search/amaf" "search/iteration" "search/moves" "search/playout" "search/replies"
    "search/selection" "search/summary" "search/tree"
    "simd/mod" "simd/avx2" "simd/portable" "simd/sse"
    "solver/mod" "solver/certificate" "solver/dominance" "solver/focus" "solver/key" "solver/ordering"
    "solver/outcome" "solver/plans" "solver/refutations" "solver/search" "solver/state"
    "solver/static_tests" "solver/table" "solver/verdict" "solver/workspace"
};

/// What stands in the place of some sources' lines.
const REPLACED: [(&str, &str); 2] =
    [("use smallvec::SmallVec;\n\n", ""), ("SmallVec<[Move; 16]>", "Vec<Move>")];

/// The longest run of comment lines that is kept.
const MOST_COMMENT_LINES: usize = 2;

/// Return the submission; it plans with `seconds` for the whole game.
pub fn source(seconds: f64) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut text = format!(
        "//! blackhole {version}: plays Black Hole, the game of the CodeCup 2018, through standard input and output.\n\
         //! {} licence. Made by `blackhole submission` from the sources of the project; do not edit.\n\
         //! Compile: rustc -O --edition=2021 -C target-cpu=native blackhole.rs\n\
         #![allow(dead_code)] // some of it serves the project's tools alone\n\n",
        env!("CARGO_PKG_LICENSE")
    );
    let entry = include_str!("entry.rs")
        .replace("const TIME: f64 = 5.0;", &format!("const TIME: f64 = {seconds:?};"))
        .replace("#![allow(dead_code)] // the library only checks that it compiles\n", "");
    text += &shortened(&entry, MOST_COMMENT_LINES);
    text.push('\n');
    inline(&mut text, "player", 0);
    text.replace("env!(\"CARGO_PKG_VERSION\")", &format!("{version:?}"))
}

/// Return the path of the module that a file holds.
fn module(file: &str) -> String {
    file.trim_end_matches("/mod").replace('/', "::")
}

/// Return the source of a module.
fn source_of(path: &str) -> &'static str {
    let found = SOURCES.iter().find(|(file, _)| module(file) == path);
    found.unwrap_or_else(|| panic!("{path} is among the sources")).1
}

/// Append a module with all modules in it.
fn inline(text: &mut String, path: &str, depth: usize) {
    let name = path.rsplit("::").next().unwrap_or(path);
    let source = match path {
        "player::rng" => format!("{}{}", include_str!("rng.rs"), scaled(source_of(path))),
        _ => source_of(path).to_owned(),
    };
    let source = REPLACED.iter().fold(source, |source, (from, to)| source.replace(from, to));
    let visible = if depth == 0 { "" } else { "pub " };
    let _ = writeln!(text, "{visible}mod {name} {{");
    // The comments of the parameter table are its rows' meanings.
    let most = if path == "player::params" { usize::MAX } else { MOST_COMMENT_LINES };
    for line in shortened(&source, most).lines() {
        let module = line.trim_start_matches("pub(crate) ").trim_start_matches("pub ").strip_prefix("mod ");
        match module.and_then(|rest| rest.strip_suffix(';')) {
            Some(inner) => inline(text, &format!("{path}::{inner}"), depth + 1),
            None => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    text.push_str("}\n");
}

/// Return what of the generator's source needs no crate: everything from `scaled` on.
fn scaled(source: &str) -> &str {
    let at = source.find("\n/// Scale").expect("the generator's second half");
    &source[at..]
}

/// Leave out unit tests, what documents a file, lints' attributes, and comments of more than
/// `most` lines.
fn shortened(source: &str, most: usize) -> String {
    let mut kept = String::new();
    let mut comment: Vec<&str> = Vec::new();
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        let code = line.trim_start();
        if code.starts_with("//!") || code.starts_with("#![allow(") {
            continue;
        }
        if code.starts_with("//") {
            comment.push(line);
            continue;
        }
        if code == "#[cfg(test)]" {
            skip_item(&mut lines, &line[..line.len() - code.len()]);
            comment.clear();
            continue;
        }
        if comment.len() <= most || comment[0].contains("SAFETY") {
            comment.iter().for_each(|line| {
                let _ = writeln!(kept, "{line}");
            });
        }
        comment.clear();
        if !code.is_empty() {
            let _ = writeln!(kept, "{line}");
        }
    }
    kept
}

/// Skip the item that an attribute with this indentation belongs to.
fn skip_item<'a>(lines: &mut impl Iterator<Item = &'a str>, indent: &str) {
    for line in lines {
        let Some(code) = line.strip_prefix(indent) else { continue };
        let ends = code.starts_with('}') || code.ends_with(';') && !code.starts_with([' ', '}']);
        if ends || code.ends_with("{}") {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// List the Rust files below a folder, by module path.
    fn modules(folder: &Path, path: &str, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let file = entry.expect("an entry").path();
            let stem = file.file_stem().expect("a name").to_str().expect("UTF-8");
            match stem {
                "mod" => found.push(path.to_owned()),
                _ if file.is_dir() => modules(&file, &format!("{path}::{stem}"), found),
                _ => found.push(format!("{path}::{stem}")),
            }
        }
    }

    #[test]
    fn every_module_of_the_player_is_in_the_submission() {
        let mut found = Vec::new();
        modules(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src/player")), "player", &mut found);
        let of_tests = |path: &String| path.ends_with("::tests") || path.ends_with("::testing");
        found.retain(|path| !of_tests(path));
        found.sort();
        let mut listed: Vec<String> = SOURCES.iter().map(|(file, _)| module(file)).collect();
        listed.sort();
        assert_eq!(listed, found);
    }

    #[test]
    fn both_generators_draw_the_same_numbers() {
        for seed in [0, 1, 7, u64::MAX, 0x1234_5678_9ABC_DEF0] {
            let (mut own, mut crates) = (rng::Random::new(seed), crate::player::rng::Random::new(seed));
            assert!((0..10_000).all(|_| own.bits() == crates.bits()), "{seed}");
        }
    }

    #[test]
    fn the_submission_is_what_a_tournament_takes() {
        let text = source(2.5);
        assert!(text.len() < 700_000, "{} bytes", text.len());
        assert!(text.contains("const TIME: f64 = 2.5;") && text.starts_with("//! blackhole "));
        for absent in ["#[cfg(test)]", "rand::", "smallvec", "env!(", "#[test]", "include_str!"] {
            assert!(!text.contains(absent), "{absent}");
        }
    }
}
