//! The player as one source file: it compiles without crates, and plays as the program does.

use std::path::PathBuf;

use blackhole::submission;

use crate::common::*;

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

/// Compiles for a minute or two: `cargo test --test all submission -- --ignored`.
#[test]
#[ignore = "compiles the submission with optimisation"]
fn the_submission_plays_as_the_program_does() {
    let submitted = compiled("submission_played.rs", &["-O"]);
    if cfg!(target_os = "linux") {
        for unfit in ["exec \"$0\" >&-", "exec \"$0\" \"$(printf '\\377')\""] {
            let output = Command::new("sh").args(["-c", unfit]).arg(&submitted).output();
            assert_eq!(output.expect("a shell").status.code(), Some(2), "{unfit}");
        }
    }
    let scratch = Scratch::new("submission");
    let [ours, its] = [Path::new(BLACKHOLE), &submitted].map(|program| {
        let bot = format!("{} --nodes 60 --quiet --seed {{seed}}", quoted(&program.display().to_string()));
        let played = scratch.play(&[&*bot; 2], "--pairs 10 --time 600 --journal games");
        assert!(!played.expect(0, "one against two").stdout.contains("fault"));
        let games = scratch.shell("blackhole convert games | sort").stdout;
        scratch.remove("games");
        games
    });
    assert!(ours.lines().count() == 20 && ours == its, "{ours}{its}");
}
