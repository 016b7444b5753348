//! The real program, and a directory of a test's own to run it in.
#![cfg_attr(not(target_os = "linux"), allow(dead_code))] // most tests of processes are for Linux

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

pub const BLACKHOLE: &str = env!("CARGO_BIN_EXE_blackhole");

pub const RANDOM: &str = "builtin:random";

/// Two built-in players, and three.
pub const TWO: &str = "match --bot g=builtin:greedy --bot r=builtin:random --seed 5";
pub const THREE: &str = "match --bot g=builtin:greedy --bot r=builtin:random --bot s=builtin:random --seed 5";

/// A finished program: its exit code and both outputs.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ran { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }
}

impl From<Child> for Ran {
    fn from(child: Child) -> Ran {
        child.wait_with_output().expect("it ends").into()
    }
}

impl Ran {
    /// The text on both streams.
    pub fn said(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }

    /// Check the exit code, and that some words were printed on either stream.
    #[track_caller]
    pub fn expect(self, code: i32, words: &str) -> Ran {
        assert_eq!(self.code, Some(code), "{words}: {}", self.said());
        assert!(self.said().contains(words), "{words}: {}", self.said());
        self
    }

    /// Check that it was refused before anything was printed, with some words of an error.
    #[track_caller]
    pub fn refused(self, words: &str) -> Ran {
        assert_eq!((self.code, &*self.stdout), (Some(2), ""), "{words}: {}", self.stderr);
        assert!(self.stderr.contains(words), "{words}: {}", self.stderr);
        self
    }

    /// Check that the program succeeded without errors, and return its output.
    #[track_caller]
    pub fn fine(self) -> String {
        assert_eq!((self.code, &*self.stderr), (Some(0), ""), "{}", self.stdout);
        self.stdout
    }

    /// Read the output as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.said()))
    }
}

/// A table without its thinking times, which follow the four counts of a bot's games, and without alignment: no two
/// runs share the times.
pub fn untimed(table: &str) -> String {
    assert!(table.contains("  lost  mean s  max s"), "times: {table}");
    let without = |line: &str| {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        let is_count = |word: &&str| word.parse::<u64>().is_ok();
        if let Some(counts) = words.windows(4).position(|four| four.iter().all(is_count)) {
            words.drain(counts + 4..counts + 6);
        }
        words.join(" ")
    };
    table.lines().map(without).collect::<Vec<_>>().join("\n")
}

/// Run the program with some input; it ends within two minutes.
pub fn blackhole(options: &str, input: impl AsRef<[u8]>) -> Ran {
    let mut command = assert_cmd::Command::cargo_bin("blackhole").expect("built");
    command.args(options.split_whitespace()).write_stdin(input.as_ref()).timeout(Duration::from_secs(120));
    command.output().expect("it runs").into()
}

/// Start a command whose three streams are pipes.
pub fn piped(command: &mut Command) -> Child {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("it runs")
}

/// Quote a text as one word of a command line.
pub fn quoted(text: &str) -> String {
    shlex::try_quote(text).expect("no zeros").into_owned()
}

/// The search path with the folder of the program first: shells find `blackhole`, whatever the
/// folder is called.
pub fn search_path() -> OsString {
    let folder = Path::new(BLACKHOLE).parent().map(Path::to_owned);
    let others = env::var_os("PATH").unwrap_or_default();
    env::join_paths(folder.into_iter().chain(env::split_paths(&others))).expect("no colons")
}

/// A bot's command line: some shell first, then the built-in player `random`.
pub fn random_after(script: &str) -> String {
    format!("sh -c '{script}exec blackhole play --player random --quiet'")
}

/// The beginning of a bot's script that runs a command in its game of this number. A game's line may come into the
/// journal after the next game has begun: it is waited for.
pub fn in_game(number: u32, journal: &str, command: &str) -> String {
    let wait = format!("until [ $(wc -l <{journal}) -ge {number} ]; do sleep .01; done");
    // Before the first game there is a trial, and no journal yet.
    let count = format!("{{ [ ! -e {journal} ] || echo; }} >>starts");
    format!("{count}; [ $(wc -l <starts) -ne {number} ] || {{ {wait}; {command}; }}; ")
}

/// The options of a match between the bots one, two, …
pub fn bots(commands: &[&str]) -> String {
    let option = |(name, bot): (&str, &&str)| format!(" --bot {}", quoted(&format!("{name}={bot}")));
    ["one", "two", "three"].into_iter().zip(commands).map(option).collect()
}

/// A directory of a test's own, removed at its end.
pub struct Scratch(TempDir);

impl Scratch {
    pub fn new(name: &str) -> Scratch {
        Scratch(TempDir::with_prefix(format!("blackhole-{name}-")).expect("a directory for the test"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn remove(&self, name: &str) {
        fs::remove_file(self.path(name)).expect("it is there");
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect("a place for files");
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The number of files in a directory.
    pub fn files(&self, name: &str) -> usize {
        fs::read_dir(self.path(name)).expect("a directory").count()
    }

    /// The number of a file's lines, without the match of a journal; 0 if there is no file.
    pub fn lines(&self, name: &str) -> usize {
        let is_game = |line: &&str| !line.starts_with("{\"match\"");
        fs::read_to_string(self.path(name)).map_or(0, |text| text.lines().filter(is_game).count())
    }

    /// A shell script, to be run in this directory.
    pub fn shell(&self, script: &str) -> Ran {
        self.start_shell(script).into()
    }

    pub fn start_shell(&self, script: &str) -> Child {
        let mut command = Command::new("sh");
        command.current_dir(&self.0).env("PATH", search_path()).arg("-c").arg(script);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs")
    }

    /// Run the program in this directory; the options are split into words as a shell does.
    pub fn run(&self, options: &str) -> Ran {
        let mut command = Command::new(BLACKHOLE);
        command.current_dir(&self.0).env("PATH", search_path());
        command.args(shlex::split(options).expect("matching quotes"));
        command.output().expect("the program runs").into()
    }

    /// Play a match of the bots one, two, … with some options.
    pub fn play(&self, commands: &[&str], options: &str) -> Ran {
        self.run(&format!("match{} {options}", bots(commands)))
    }

    /// Run and return the output; no bar is shown without a terminal.
    #[track_caller]
    pub fn table(&self, options: &str) -> String {
        self.run(options).fine()
    }
}

/// Send a signal, such as INT, to a process.
pub fn signal(child: &Child, name: &str) {
    let killed = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
    assert!(killed.expect("kill runs").success());
}

/// Interrupt a command and wait for its end.
pub fn interrupt(child: Child) -> Ran {
    signal(&child, "INT");
    Ran::from(child).expect(130, "")
}

/// Wait until something is done, two minutes at most: a busy machine takes its time.
pub fn wait_for(what: &str, mut done: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !done() {
        assert!(begin.elapsed() < Duration::from_secs(120), "{what} takes too long");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Wait until the program has a hand on Ctrl-C; the shell that starts it has one, too.
pub fn wait_for_handler(child: &Child) {
    wait_for("a hand on the signal", || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).expect("it still runs");
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:\t")).expect("a mask");
        let mask = u64::from_str_radix(caught, 16).expect("a mask");
        status.starts_with("Name:\tblackhole\n") && mask & 2 != 0
    });
}

/// The processor time that a process has used, in ticks of usually 10 ms.
pub fn ticks(process: u32) -> u32 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("it runs");
    let after_name = stat.rsplit(") ").next().expect("a name");
    after_name.split(' ').nth(11).and_then(|ticks| ticks.parse().ok()).expect("a number")
}

/// Run something again while a busy machine has it miss a moment that the program sets, ten times at
/// most; return the last run.
pub fn ten_tries(run: impl Fn() -> Ran, is_met: impl Fn(&Ran) -> bool) -> Ran {
    let missed = (1..10).map(|_| run()).find(|ran| is_met(ran));
    missed.unwrap_or_else(run)
}

/// A number of seconds for a bot to sleep, with a fraction that no other process on the machine has.
pub fn marked(seconds: u32) -> String {
    format!("{seconds}.{}1", std::process::id())
}

/// The processes with `mark` in the command line, without the runner.
pub fn processes(mark: &str) -> Vec<u32> {
    let entries = fs::read_dir("/proc").expect("processes").flatten();
    let is_bot = |line: String| line.contains(mark) && !line.contains(" match ") && !line.contains(" check ");
    let line = |process: u32| fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let all = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    all.filter(|&process| is_bot(String::from_utf8_lossy(&line(process)).replace('\0', " "))).collect()
}
