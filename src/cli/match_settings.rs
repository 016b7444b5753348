//! The options that describe a match, as JSON: the first line of its journal.

use std::path::Path;
use std::slice;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command};
use serde_json::{Map, Value};

use super::match_options::MatchSettings;
use super::{Failure, at};

/// Options by their long names: texts, lists of texts for repeated ones, and true for switches.
pub(super) type Settings = Map<String, Value>;

fn command() -> Command {
    MatchSettings::augment_args(Command::new("match").disable_help_flag(true))
}

/// Return the settings given on the command line of `match`.
pub(super) fn given(matches: &ArgMatches) -> Settings {
    let id = |arg: &Arg| arg.get_id().as_str().to_owned();
    let is_given = |arg: &&Arg| matches.value_source(&id(arg)) == Some(ValueSource::CommandLine);
    let setting = |arg: &Arg| {
        let texts = matches.get_raw(&id(arg)).into_iter().flatten();
        let mut texts: Vec<Value> = texts.map(|text| text.to_string_lossy().into()).collect();
        let value = match texts.len() {
            _ if !arg.get_action().takes_values() => true.into(),
            1 => texts.remove(0),
            _ => texts.into(),
        };
        (arg.get_long().unwrap_or_default().to_owned(), value)
    };
    command().get_arguments().filter(is_given).map(setting).collect()
}

/// Read settings; blame the journal at `path` for unfit ones.
pub(super) fn read_settings(settings: &Settings, path: &Path) -> Result<MatchSettings, Failure> {
    let mut words = vec!["match".to_owned()];
    for (name, value) in settings {
        let values = if let Value::Array(values) = value { values } else { slice::from_ref(value) };
        words.extend(values.iter().map(|value| match value {
            Value::String(text) => format!("--{name}={text}"),
            _ => format!("--{name}"),
        }));
    }
    let read =
        command().try_get_matches_from(words).and_then(|it| clap::FromArgMatches::from_arg_matches(&it));
    read.map_err(|error: clap::Error| {
        // The first lines alone: the others name the command line's help.
        let text = error.to_string();
        let told: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
        at(path, told.join(" ").trim_start_matches("error: "))
    })
}
