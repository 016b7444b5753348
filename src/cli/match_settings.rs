//! The options of a match as JSON: a file of settings, and the match at the beginning of a journal.

use std::path::Path;
use std::slice;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches, Id};
use serde_json::{Map, Value};

use super::Failure;
use super::at;
use crate::arena::bots::PlayerSpec;
use crate::system::lines::read;

/// Options by their long names: texts, lists of texts for repeated ones, and true for switches.
pub(super) type Settings = Map<String, Value>;

/// The options that belong to a run, or to this machine, instead of the match.
const OF_A_RUN: [&str; 8] = [
    "journal",
    "resume",
    "config",
    "save-config",
    // From here on: given again by who goes on with a match.
    "logs",
    "progress",
    "concurrency",
    "stop-on-fault",
];

/// The options given on the command line.
#[derive(Clone, Debug, Default)]
pub(super) struct Given(pub Settings);

impl FromArgMatches for Given {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Given, clap::Error> {
        let mut given = Given::default();
        given.update_from_arg_matches(matches).map(|()| given)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        // The groups of options, named by their types, count as given, too.
        let is_given = |id: &&str| {
            matches.value_source(id) == Some(ValueSource::CommandLine) && !id.starts_with(char::is_uppercase)
        };
        for id in matches.ids().map(Id::as_str).filter(is_given) {
            let value = match (matches.try_get_one::<bool>(id), matches.try_get_raw(id)) {
                (Ok(Some(switch)), _) => (*switch).into(),
                (_, Ok(raw)) => {
                    let texts = raw.into_iter().flatten().map(|text| Value::from(text.to_string_lossy()));
                    value_of(texts.collect())
                }
                _ => continue,
            };
            self.0.insert(id.replace('_', "-"), value);
        }
        Ok(())
    }
}

impl Args for Given {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

/// Return the value of an option given with these texts.
pub(super) fn value_of(texts: Vec<Value>) -> Value {
    match &texts[..] {
        [] => true.into(),
        [text] => text.clone(),
        texts => texts.into(),
    }
}

/// Change settings by later ones; the openings are one setting in two forms.
pub(super) fn extend(settings: &mut Settings, more: Settings) {
    let openings = ["opening", "openings"];
    if openings.iter().any(|name| more.contains_key(*name)) {
        settings.retain(|name, _| !openings.contains(&name.as_str()));
    }
    settings.extend(more);
}

/// Keep the options that describe the match.
pub(super) fn of_the_match(mut settings: Settings) -> Settings {
    settings.retain(|name, _| !OF_A_RUN.contains(&name.as_str()));
    settings
}

/// Write the options that go on with the match of a journal in the same way.
pub(super) fn resumed(given: &Settings, journal: &Path) -> String {
    let mut words = vec!["--resume".to_owned(), journal.display().to_string()];
    // A file tells its shard, a directory does not.
    let is_kept = |name: &str| OF_A_RUN[4..].contains(&name) || name == "shard" && journal.is_dir();
    for (name, value) in given.iter().filter(|(name, _)| is_kept(name)) {
        words.push(format!("--{name}"));
        words.extend(value.as_str().map(str::to_owned));
    }
    PlayerSpec::Program(words).to_string()
}

/// Read a file of settings.
pub(super) fn read_settings(path: &Path) -> Result<Settings, Failure> {
    let text = read(path).map_err(|error| at(path, error))?;
    serde_json::from_slice(&text)
        .map_err(|error| at(path, format!("expected a JSON object of the options of match ({error})")))
}

/// Make the options that the settings of `path` and the command line describe together.
pub(super) fn options_of<T: Args>(settings: &Settings, path: &Path) -> Result<T, Failure> {
    let mut words = vec!["match".to_owned()];
    for (name, value) in settings {
        let values = if let Value::Array(values) = value { values } else { slice::from_ref(value) };
        for value in values {
            words.push(match value {
                Value::Bool(true) => format!("--{name}"),
                Value::Bool(false) | Value::Null => continue,
                Value::String(text) => format!("--{name}={text}"),
                Value::Number(number) => format!("--{name}={number}"),
                other => {
                    let expected = "a text, a number, true, or a list of texts";
                    return Err(at(path, format!("found {other} as {name}, expected {expected}")));
                }
            });
        }
    }
    let command = T::augment_args(Command::new("match").disable_help_flag(true));
    let options = command.try_get_matches_from(words).and_then(|it| T::from_arg_matches(&it));
    options.map_err(|error| {
        // The first lines alone: the others name the command line's help.
        let text = error.to_string();
        let told: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
        at(path, told.join(" ").trim_start_matches("error: "))
    })
}
