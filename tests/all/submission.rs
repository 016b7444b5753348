//! The player as one source file: it compiles without crates, and plays as the program does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use blackhole::player::agent::Agent;
use blackhole::player::engine::{Engine, Options};
use blackhole::player::position::Position;
use blackhole::player::testing::{random_opening, rng};
use blackhole::submission;

use crate::scratch::BLACKHOLE;

/// Compile the submission like the tournament, by its rustc if available; return the program.
fn compiled(name: &str, options: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&source, submission::source(5.0)).expect("a place for files");
    let program = source.with_extension("out");
    let has_old =
        Command::new("rustc").args(["+1.75.0", "--version"]).output().is_ok_and(|it| it.status.success());
    let mut command = Command::new("rustc");
    command.args(has_old.then_some("+1.75.0")).args(["--edition=2021", "-D", "warnings", "-o"]);
    let output = command.arg(&program).args(options).arg(source).output().expect("a compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

#[test]
fn the_submission_compiles_alone_without_a_warning() {
    compiled("submission_checked.rs", &["--emit=metadata"]);
}

/// Give a program the lines of a game and return its answers.
fn answers(program: &Path, seed: u64, lines: &str) -> String {
    let mut command = assert_cmd::Command::new(program);
    let seed = seed.to_string();
    let output = command.args(["--nodes", "60", "--quiet", "--seed", &seed]).write_stdin(lines).unwrap();
    String::from_utf8(output.stdout).expect("text")
}

/// Compiles for a minute or two: `cargo test --test all submission -- --ignored`.
#[test]
#[ignore = "compiles the submission with optimisation"]
fn the_submission_plays_as_the_program_does() {
    let submitted = compiled("submission_played.rs", &["-O"]);
    if cfg!(target_os = "linux") {
        for unfit in ["exec \"$0\" >&-", "exec \"$0\" \"$(printf '\\377')\""] {
            let output = assert_cmd::Command::new("sh").args(["-c", unfit]).arg(&submitted).output();
            assert_eq!(output.expect("a shell").status.code(), Some(2), "{unfit}");
        }
    }
    let mut rng = rng(36);
    for seed in 0..20 {
        let opening = random_opening(&mut rng);
        let mut position = Position::standard(&opening).expect("five cells");
        let blocked: String = opening.iter().map(|cell| format!("{cell}\n")).collect();
        // The input and the answers of each side.
        let (mut read, mut answered) =
            ([blocked.clone() + "Start\n", blocked], [String::new(), String::new()]);
        let mut engines =
            [(); 2].map(|()| Engine::new(Options { nodes: Some(60), seed, ..Options::default() }));
        while position.final_score().is_none() {
            let side = position.to_move().index();
            let mv = engines[side].choose(&position, Duration::MAX).mv;
            answered[side] += &format!("{mv}\n");
            read[1 - side] += &format!("{mv}\n");
            position.try_play(mv).expect("a legal move");
        }
        for side in 0..2 {
            let lines = format!("{}Quit\n", read[side]);
            for program in [Path::new(BLACKHOLE), &submitted] {
                assert_eq!(answers(program, seed, &lines), answered[side], "game {seed}, side {side}");
            }
        }
    }
}
