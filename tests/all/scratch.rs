//! A directory of a test's own to run the real program in.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

pub const BLACKHOLE: &str = env!("CARGO_BIN_EXE_blackhole");

/// Two games at once, or one where the machine has no second core.
pub fn two_at_once() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(2)
}

/// A directory of a test's own, removed at its end.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("blackhole-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a directory for the test");
        Scratch(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The program with options, to be run in this directory.
    pub fn command(&self, options: &str) -> Command {
        let mut command = Command::new(BLACKHOLE);
        command.current_dir(&self.0).args(options.split_whitespace());
        command
    }

    /// A shell script, to be run in this directory.
    pub fn shell(&self, script: &str) -> Output {
        self.start_shell(script).wait_with_output().expect("it ends")
    }

    pub fn start_shell(&self, script: &str) -> Child {
        let mut command = Command::new("sh");
        command.current_dir(&self.0).arg("-c").arg(script);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs")
    }

    /// How many lines a file has so far; none when it is not there.
    pub fn lines(&self, name: &str) -> usize {
        fs::read_to_string(self.path(name)).map_or(0, |text| text.lines().count())
    }

    pub fn run(&self, options: &str) -> Output {
        self.command(options).output().expect("the program runs")
    }

    /// Run and return what is printed; the exit code must be 0.
    pub fn table(&self, options: &str) -> String {
        let output = self.run(options);
        assert_eq!(output.status.code(), Some(0), "{options}: {}", text(&output.stderr));
        assert!(output.stderr.is_empty(), "no bar without a terminal: {}", text(&output.stderr));
        text(&output.stdout)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Send a signal, such as INT, to a process.
pub fn signal(child: &Child, name: &str) {
    let killed = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
    assert!(killed.expect("kill runs").success());
}
