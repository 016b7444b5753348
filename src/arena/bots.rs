//! The players of a match: bots in the words of the command line.

use std::env::consts::EXE_SUFFIX;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

use crate::player::input::quote;
use crate::sparring::{Builtin, PLAYERS};
use crate::system::fnv;
use crate::text::is_unseen;

#[derive(Clone, PartialEq, Debug)]
pub struct Bot {
    /// No white space, no `=`, no `/`.
    pub name: String,
    pub player: PlayerSpec,
    pub time: Duration,
    pub version: String,
    /// The program's file, with its stamp at the reading of the version.
    file: Option<(PathBuf, Option<(u64, SystemTime)>)>,
}

fn stamp(path: PathBuf) -> (PathBuf, Option<(u64, SystemTime)>) {
    let known = path.metadata().and_then(|known| Ok((known.len(), known.modified()?)));
    (path, known.ok())
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlayerSpec {
    /// A program and its arguments. `{seed}` in one stands for a seed of the game and the bot.
    Program(Vec<String>),
    Builtin(Builtin),
}

fn bad(expected: &str, found: &str) -> String {
    format!("expected {expected}, found {}", quote(found.as_bytes()))
}

const NAME_RULE: &str = "of 1 to 100 bytes without blanks, '/' and invisible characters";

/// The version of the built-in players: a hash of this program's file.
static OWN_VERSION: LazyLock<String> = LazyLock::new(|| {
    // Linux shows the running file even after a newer one took its place.
    let program = fs::read("/proc/self/exe").or_else(|_| fs::read(std::env::current_exe()?));
    let build =
        program.map_or("of an unknown build".to_owned(), |file| format!("{:016x}", fnv::file_hash(&file)));
    format!("blackhole {} {build}", env!("CARGO_PKG_VERSION"))
});

fn find(program: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let forms = |folder: PathBuf| ["", EXE_SUFFIX].map(|end| folder.join(format!("{program}{end}")));
    std::env::split_paths(&folders).flat_map(forms).find(|path| path.is_file())
}

impl PlayerSpec {
    /// Read `builtin:PLAYER[,key=value…]`, or a command line as a shell splits it (on Windows a `\` is itself).
    pub fn parse(text: &str) -> Result<PlayerSpec, String> {
        if let Some(rest) = text.trim().strip_prefix("builtin:") {
            return Builtin::parse(rest).map(PlayerSpec::Builtin);
        }
        let escaped = if cfg!(windows) { &text.replace('\\', r"\\") } else { text };
        let words = shlex::split(escaped).filter(|words| !words.is_empty());
        let expected = if text.trim().is_empty() { "a command" } else { "a command with matching quotes" };
        words.map(PlayerSpec::Program).ok_or_else(|| bad(expected, text))
    }

    /// Return a program's file; for one on the search path (an interpreter) the first file it is given.
    fn file(&self) -> Option<PathBuf> {
        let PlayerSpec::Program(words) = self else { return None };
        let (program, arguments) = words.split_first()?;
        let program = Path::new(program);
        let installed = find(&program.file_name()?.to_string_lossy());
        let mut named =
            arguments.iter().map(PathBuf::from).filter(|path| installed.is_some() && path.is_file());
        let own = || program.is_file().then(|| program.to_owned());
        named.next().or_else(own).or(installed.clone())
    }

    /// Return a hash of the program's file, empty if unreadable; for a built-in player our version and hash.
    fn version(&self) -> String {
        if let PlayerSpec::Builtin(_) = self {
            return OWN_VERSION.clone();
        }
        let file = self.file().and_then(|path| fs::read(path).ok());
        file.map_or(String::new(), |file| format!("{:016x}", fnv::file_hash(&file)))
    }
}

impl Bot {
    /// Read `NAME=COMMAND`; fail for an unfit name, or like [`PlayerSpec::parse`].
    pub fn parse(text: &str, time: Duration) -> Result<Bot, String> {
        let named = text.split_once('=').filter(|_| !text.starts_with("builtin:"));
        let builtin = PLAYERS.iter().find(|player| text.strip_prefix("builtin:").unwrap_or(text) == player.0);
        let such = builtin.map_or(String::new(), |(name, _)| format!(" such as {name}=builtin:{name}"));
        let (name, command) = named.ok_or_else(|| bad(&format!("NAME=COMMAND{such}"), text))?;
        let unfit = name.chars().find(|&c| c.is_whitespace() || c == '/' || is_unseen(c));
        if unfit.is_some() || !(1..=100).contains(&name.len()) {
            let found = unfit.map_or(format!("{} bytes", name.len()), |c| format!("{c:?}"));
            // A journal's name may be long.
            let name: String = name.chars().take(100).collect();
            return Err(format!("expected a bot's name {NAME_RULE}, found {found} in {name:?}"));
        }
        Ok(Bot::new(name, PlayerSpec::parse(command)?, time))
    }

    pub fn new(name: &str, player: PlayerSpec, time: Duration) -> Bot {
        let (file, version) = (player.file().map(stamp), player.version());
        Bot { name: name.to_owned(), player, time, version, file }
    }

    pub fn change(&self) -> Option<String> {
        let touched = self.file.as_ref().is_some_and(|file| stamp(file.0.clone()) != *file);
        (touched && self.player.version() != self.version)
            .then(|| format!("{}: {} was changed or removed while the match ran", self.name, self.player))
    }
}

/// Writes a text for [`PlayerSpec::parse`].
impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayerSpec::Program(words) => {
                // Quoting fails only for a zero byte, and arguments have none.
                let quoted = shlex::try_join(words.iter().map(String::as_str));
                f.write_str(&quoted.unwrap_or_else(|_| words.join(" ")))
            }
            PlayerSpec::Builtin(builtin) => {
                write!(f, "builtin:{}", builtin.name)?;
                builtin.options.iter().try_for_each(|(key, value)| write!(f, ",{key}={value}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bots_are_read_from_their_text() {
        let parse = |text| Bot::parse(text, Duration::from_secs(1));
        let bot = parse("a=./bot --name 'two words' x=1").expect("a bot");
        let words = ["./bot", "--name", "two words", "x=1"].map(String::from).to_vec();
        assert_eq!((&*bot.name, &bot.player), ("a", &PlayerSpec::Program(words)));
        assert_eq!(PlayerSpec::parse(&bot.player.to_string()), Ok(bot.player));
        let bot = parse("b=builtin:uct,knowledge=2,c=0.5").expect("a bot");
        assert_eq!(bot.player.to_string(), "builtin:uct,knowledge=2,c=0.5");
        let (name, long) = (&*format!("a bot's name {NAME_RULE}"), "x".repeat(9_000) + "=bot");
        for (text, expected, found) in [
            ("=bot", name, "0 bytes in \"\""),
            ("Zoë b=bot", name, "' ' in \"Zoë b\""),
            ("a\u{200b}=bot", name, "'\\u{200b}' in \"a\\u{200b}\""),
            (&long, name, &format!("9000 bytes in \"{:.100}\"", long)),
            ("a/b=bot", name, "'/' in \"a/b\""),
            ("a=", "a command", "\"\""),
            ("a='bot", "a command with matching quotes", "\"\\'bot\""),
        ] {
            assert_eq!(parse(text), Err(format!("expected {expected}, found {found}")), "{text}");
        }
    }
}
