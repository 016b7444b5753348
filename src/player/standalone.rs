//! The player as a program of its own, the submission, with the few options that a comparison needs.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::bot::{self, DialogueEnd, DialogueSettings};
use crate::engine::{Engine, Options};
use crate::host;

/// Play one game through the referee's dialogue, with `seconds` for all its moves unless `--time`
/// sets another time.
pub fn run(seconds: f64) -> ExitCode {
    let started = Instant::now();
    let supported = host::check().and_then(|()| host::check_output()).map_err(str::to_string);
    // An argument that is not UTF-8 is refused like an unknown option.
    let arguments = std::env::args_os().skip(1).map(|text| text.to_string_lossy().into_owned());
    let settings = supported.and_then(|()| settings(started, seconds, arguments));
    let outcome = settings.and_then(|(options, settings)| {
        let mut engine = Engine::new(options);
        let (input, output) = (io::stdin().lock(), io::stdout().lock());
        bot::play(input, output, io::stderr(), &mut engine, &settings).map_err(|error| error.to_string())
    });
    match outcome {
        Ok(DialogueEnd::Finished) => ExitCode::SUCCESS,
        Ok(DialogueEnd::BadInput) => ExitCode::from(2),
        Err(text) => {
            // Nobody may be reading errors any more.
            let _ = writeln!(io::stderr(), "blackhole: {text}");
            ExitCode::from(2)
        }
    }
}

/// Read `--time SECONDS`, `--nodes N`, `--seed N` and `--quiet`.
fn settings(
    started: Instant,
    seconds: f64,
    mut arguments: impl Iterator<Item = String>,
) -> Result<(Options, DialogueSettings), String> {
    let mut options = Options::default();
    let time = Duration::from_secs_f64(seconds);
    let mut settings = DialogueSettings { time, started, quiet: false };
    while let Some(name) = arguments.next() {
        if name == "--quiet" {
            settings.quiet = true;
            continue;
        }
        let value = arguments.next().unwrap_or_default();
        let bad = |expected: &str| format!("found {name} {value}, expected {expected}");
        let whole = || value.parse().map_err(|_| bad("a whole number"));
        match name.as_str() {
            "--time" => {
                let seconds = value.parse().ok().filter(|seconds| (0.0..=1e6).contains(seconds));
                settings.time =
                    Duration::from_secs_f64(seconds.ok_or_else(|| bad("seconds from 0 to 1000000"))?);
            }
            "--nodes" => options.nodes = Some(whole()?),
            "--seed" => options.seed = whole()?,
            _ => return Err(bad("--time, --nodes, --seed or --quiet")),
        }
    }
    Ok((options, settings))
}
