//! The player as one Rust source file, without crates: what a tournament takes that compiles with
//! `rustc` alone.
//!
//! The file holds `src/player` with its modules inlined, from the sources that this program was built
//! from. Unit tests and longer comments are left out. The generator of random numbers and the list of
//! moves, which stand on crates here, are replaced.

mod entry;
mod rng;

use std::fmt::Write;

/// The player's sources, by module path.
const SOURCES: &[(&str, &str)] = &[
    ("player", include_str!("../../player/mod.rs")),
    ("player::agent", include_str!("../../player/agent.rs")),
    ("player::alpha", include_str!("../../player/alpha/mod.rs")),
    ("player::alpha::dominance", include_str!("../../player/alpha/dominance.rs")),
    ("player::alpha::reasonable", include_str!("../../player/alpha/reasonable.rs")),
    ("player::alpha::status", include_str!("../../player/alpha/status.rs")),
    ("player::alpha::target", include_str!("../../player/alpha/target.rs")),
    ("player::board", include_str!("../../player/board/mod.rs")),
    ("player::board::cell", include_str!("../../player/board/cell.rs")),
    ("player::board::hand", include_str!("../../player/board/hand.rs")),
    ("player::board::moves", include_str!("../../player/board/moves.rs")),
    ("player::board::set", include_str!("../../player/board/set.rs")),
    ("player::bot", include_str!("../../player/bot.rs")),
    ("player::engine", include_str!("../../player/engine/mod.rs")),
    ("player::engine::ahead", include_str!("../../player/engine/ahead.rs")),
    ("player::engine::clock", include_str!("../../player/engine/clock.rs")),
    ("player::engine::respond", include_str!("../../player/engine/respond.rs")),
    ("player::engine::solved", include_str!("../../player/engine/solved.rs")),
    ("player::engine::targets", include_str!("../../player/engine/targets.rs")),
    ("player::evaluation", include_str!("../../player/evaluation.rs")),
    ("player::input", include_str!("../../player/input.rs")),
    ("player::limits", include_str!("../../player/limits.rs")),
    ("player::network", include_str!("../../player/network/mod.rs")),
    ("player::network::inputs", include_str!("../../player/network/inputs.rs")),
    ("player::network::weights", include_str!("../../player/network/weights.rs")),
    ("player::opponent", include_str!("../../player/opponent/mod.rs")),
    ("player::opponent::expectation", include_str!("../../player/opponent/expectation.rs")),
    ("player::opponent::kind", include_str!("../../player/opponent/kind.rs")),
    ("player::opponent::responses", include_str!("../../player/opponent/responses.rs")),
    ("player::params", include_str!("../../player/params.rs")),
    ("player::position", include_str!("../../player/position.rs")),
    ("player::protocol", include_str!("../../player/protocol.rs")),
    ("player::record", include_str!("../../player/record.rs")),
    ("player::rng", include_str!("../../player/rng.rs")),
    ("player::search", include_str!("../../player/search/mod.rs")),
    ("player::search::amaf", include_str!("../../player/search/amaf.rs")),
    ("player::search::iteration", include_str!("../../player/search/iteration.rs")),
    ("player::search::moves", include_str!("../../player/search/moves.rs")),
    ("player::search::playout", include_str!("../../player/search/playout.rs")),
    ("player::search::replies", include_str!("../../player/search/replies.rs")),
    ("player::search::selection", include_str!("../../player/search/selection.rs")),
    ("player::search::summary", include_str!("../../player/search/summary.rs")),
    ("player::search::tree", include_str!("../../player/search/tree.rs")),
    ("player::simd", include_str!("../../player/simd/mod.rs")),
    ("player::simd::avx2", include_str!("../../player/simd/avx2.rs")),
    ("player::simd::portable", include_str!("../../player/simd/portable.rs")),
    ("player::simd::sse", include_str!("../../player/simd/sse.rs")),
    ("player::solver", include_str!("../../player/solver/mod.rs")),
    ("player::solver::certificate", include_str!("../../player/solver/certificate.rs")),
    ("player::solver::dominance", include_str!("../../player/solver/dominance.rs")),
    ("player::solver::focus", include_str!("../../player/solver/focus.rs")),
    ("player::solver::key", include_str!("../../player/solver/key.rs")),
    ("player::solver::ordering", include_str!("../../player/solver/ordering.rs")),
    ("player::solver::outcome", include_str!("../../player/solver/outcome.rs")),
    ("player::solver::plans", include_str!("../../player/solver/plans.rs")),
    ("player::solver::refutations", include_str!("../../player/solver/refutations.rs")),
    ("player::solver::search", include_str!("../../player/solver/search.rs")),
    ("player::solver::state", include_str!("../../player/solver/state.rs")),
    ("player::solver::static_tests", include_str!("../../player/solver/static_tests.rs")),
    ("player::solver::table", include_str!("../../player/solver/table.rs")),
    ("player::solver::verdict", include_str!("../../player/solver/verdict.rs")),
    ("player::solver::workspace", include_str!("../../player/solver/workspace.rs")),
];

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

/// Return the source of a module.
fn source_of(path: &str) -> &'static str {
    let found = SOURCES.iter().find(|source| source.0 == path);
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
        let mut listed: Vec<&str> = SOURCES.iter().map(|source| source.0).collect();
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
