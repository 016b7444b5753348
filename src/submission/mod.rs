//! The player as one Rust source file without crates, for a tournament that compiles with `rustc` alone.
//!
//! The file is the player's package with its modules inlined, from the sources of this program's own build,
//! without unit tests. [`crates`] replaces the package's dependencies.

#[cfg(test)]
mod crates;

use std::fmt::Write;

macro_rules! sources {
    ($($file:literal)*) => { &[$(($file, include_str!(concat!("../player/", $file, ".rs")))),*] };
}

const SOURCES: &[(&str, &str)] = sources! {
    "lib" "agent" "bot" "evaluation" "expectation" "host" "input" "limits" "params" "position" "protocol" "rng"
    "standalone"
    "alpha/mod" "alpha/dominance" "alpha/state" "alpha/status" "alpha/target"
    "board/mod" "board/cell" "board/hand" "board/moves" "board/set"
    "engine/mod" "engine/choose" "engine/clock" "engine/exact" "engine/request" "engine/respond" "engine/trees"
    "network/mod" "network/inputs"
    "opponent/mod" "opponent/kind"
    "search/mod" "search/amaf" "search/iteration" "search/moves" "search/playout" "search/responses"
    "search/selection" "search/summary" "search/tree"
    "simd/mod" "simd/avx2" "simd/portable" "simd/sse"
    "solver/mod" "solver/certificate" "solver/children" "solver/conclusions" "solver/dominance" "solver/focus"
    "solver/judgement" "solver/key" "solver/ordering" "solver/plans"
    "solver/refutations" "solver/search" "solver/shared" "solver/table" "solver/workspace"
};

const WEIGHTS: &str = include_str!("../player/network/weights.txt");
const INCLUDED: &str = "include_str!(\"weights.txt\")";

/// Return the submission, which plans with `seconds` for the whole game.
pub fn source(seconds: f64) -> String {
    let (version, license) = (env!("CARGO_PKG_VERSION"), env!("CARGO_PKG_LICENSE"));
    let mut text = format!(
        "//! blackhole {version}: plays Black Hole, the game of the CodeCup 2018, through standard input and output.\n\
         //! {license} licence. Made by `blackhole submission` from the sources of the project; do not edit.\n\
         //! Compile: rustc -O --edition=2021 -C target-cpu=native blackhole.rs\n\
         #![allow(dead_code)] // some of it serves only the project's tools\n\n\
         // The project's crates, as far as the player needs them.\n\
         extern crate self as rand;\nextern crate self as rand_xoshiro;\nextern crate self as smallvec;\n\
         use crates::{{Rng, SeedableRng, SmallVec, Xoshiro256PlusPlus}};\n\n\
         fn main() -> std::process::ExitCode {{\n    standalone::run({seconds:?})\n}}\n\n"
    );
    inline(&mut text, "", 0);
    text.push_str("\nmod crates {\n");
    push_indented(&mut text, &condensed(include_str!("crates.rs")), 1);
    text.push_str("}\n");
    text.replace(INCLUDED, &format!("\"{WEIGHTS}\""))
        .replace("env!(\"CARGO_PKG_VERSION\")", &format!("{version:?}"))
}

fn inline(text: &mut String, path: &str, depth: usize) {
    let is_it = |file: &str| file.trim_end_matches("lib").trim_end_matches("/mod") == path;
    let found = SOURCES.iter().find(|(file, _)| is_it(file));
    let (_, source) = found.unwrap_or_else(|| panic!("{path} is among the sources"));
    for line in condensed(source).lines() {
        let module = line.trim_start_matches("pub ").strip_prefix("mod ");
        match module.and_then(|rest| rest.strip_suffix(';')) {
            Some(inner) => {
                push_indented(text, &line.replace(';', " {\n"), depth);
                inline(text, format!("{path}/{inner}").trim_start_matches('/'), depth + 1);
                push_indented(text, "}\n", depth);
            }
            None => push_indented(text, line, depth),
        }
    }
}

fn push_indented(text: &mut String, lines: &str, depth: usize) {
    for line in lines.split_terminator('\n').chain(lines.is_empty().then_some("")) {
        let indent = if line.is_empty() { 0 } else { 4 * depth };
        let _ = writeln!(text, "{:indent$}{line}", "");
    }
}

/// Leave out unit tests, the documentation of a file and attributes of lints: these stand at a file's top.
fn condensed(source: &str) -> String {
    let (mut kept, mut comment) = (String::new(), String::new());
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        let code = line.trim_start();
        if code.starts_with("#[cfg(test)]") || code.starts_with("#[cfg(any(test") {
            skip_item(&mut lines, &line[..line.len() - code.len()]);
            comment.clear();
        } else if code.starts_with("///") {
            comment += &format!("{line}\n");
        } else if !code.starts_with("//!") && !code.starts_with("#![allow(") {
            let _ = writeln!(kept, "{comment}{line}");
            comment.clear();
        }
    }
    kept.trim().to_owned() + "\n"
}

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
    use super::crates::{Rng, SeedableRng, SmallVec, Xoshiro256PlusPlus};
    use super::*;
    use crate::player::rng::Random;

    #[test]
    fn what_stands_in_for_the_crates_does_as_they_do() {
        for seed in [0, 1, 7, u64::MAX, 0x1234_5678_9ABC_DEF0] {
            let (mut own, mut theirs) = (Xoshiro256PlusPlus::seed_from_u64(seed), Random::new(seed));
            assert!((0..10_000).all(|_| own.next_u64() == theirs.bits()), "{seed}");
        }
        let list: SmallVec<[u8; 4]> = [1, 2].into_iter().collect();
        assert_eq!(list[..], [1, 2]);
    }

    #[test]
    fn the_submission_is_the_code_without_tests() {
        let text = source(2.5);
        assert!(text.len() < 700_000, "{} bytes", text.len());
        assert!(text.contains("standalone::run(2.5)") && text.starts_with("//! blackhole "));
        for absent in ["#[cfg(test)]", "env!(", "#[test]", "include_str!"] {
            assert!(!text.contains(absent), "{absent}");
        }
        let file = "//! A file.\n\n/// Make it.\nfn a() {}\n/// For tests.\n#[cfg(test)]\nfn b() {\n}\n// c\n#[cfg(test)]\nmod tests;\n";
        assert_eq!(condensed(file), "/// Make it.\nfn a() {}\n// c\n");
    }
}
