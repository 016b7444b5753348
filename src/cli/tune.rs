//! `blackhole tune`: find tunables by games between slightly different versions of the engine.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::{Args, value_parser};
use indicatif::ProgressBar;

use super::live::progress;
use super::options::{Setting, listing, setting};
use super::tournament::{at, concurrency, input, maker};
use super::{Failure, INTERRUPTED, Outcome, SUCCESS, print, seconds, stop_flag};
use crate::params::Params;
use crate::runner::Match;
use crate::runner::bots::Builtin;
use crate::runner::game::Outcome as Played;
use crate::runner::journal::Journal;
use crate::runner::schedule::{Game, text_key};
use crate::tune::games::{Control, Games, points_of_plus, score};
use crate::tune::journal::{Settings, line, parse_steps, replay};
use crate::tune::{Axis, Gains, Spsa, Trial};

/// Tune the engine's parameters by games against itself
///
/// SPSA: every iteration moves all parameters at once a little up or down at random, plays the engine with
/// these values against one with the opposite moves, and follows the winner. Openings are random and played
/// twice with colours swapped. The answer is the mean of the last half of the iterates.
#[derive(Args)]
#[command(after_help = "\
Take few parameters and ranges in which every value makes sense: steps are fractions of the range.
With --nodes the whole tuning depends on the options alone; with --time also on the machine's speed.

Examples:
  blackhole tune --param exploration=0.1..1 --param open_rate=0..4 --games 4000 --journal tune.jsonl
  blackhole tune --param horizon --set amaf_source=2 --nodes 2000 --iterations 500

Exit codes: 0 done, 2 bad usage, 130 interrupted.")]
pub(super) struct TuneOptions {
    /// A parameter to tune, and the range to search [default: the range of the table]; `--param list` lists them
    #[arg(long = "param", value_name = "NAME[=LOW..HIGH]", required = true, value_parser = wanted)]
    params: Vec<Wanted>,
    /// Games in all, rounded down to whole iterations [default: 2000]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=100_000_000))]
    games: Option<u64>,
    /// Iterations, instead of games
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=10_000_000), conflicts_with = "games")]
    iterations: Option<u64>,
    /// Pairs of games an iteration
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = value_parser!(u64).range(1..=10_000))]
    pairs_per_iteration: u64,
    /// Thinking time of each player for a whole game
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    time: Duration,
    /// Iterations of the search a move, instead of time
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..), conflicts_with = "time")]
    nodes: Option<u64>,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Games at the same time, at most one a core [default: one for every two cores]
    #[arg(long, value_name = "N")]
    concurrency: Option<usize>,
    /// Set a parameter for both players; of one that is tuned, the start
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    set: Vec<Setting>,
    /// Length of a first step made of luck alone, as a part of the range
    #[arg(long, value_name = "PART", default_value_t = 0.02, value_parser = part)]
    step: f64,
    /// How far each player is from the middle at first, as a part of the range
    #[arg(long, value_name = "PART", default_value_t = 0.2, value_parser = part)]
    reach: f64,
    /// Append every iteration to this file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Go on after the iterations of the journal
    #[arg(long, requires = "journal")]
    resume: bool,
}

/// A parameter to tune, and its range if one is given.
#[derive(Clone, Debug)]
struct Wanted {
    name: String,
    range: Option<(f32, f32)>,
}

/// Read `NAME` or `NAME=LOW..HIGH` and check it against the parameter table.
fn wanted(text: &str) -> Result<Wanted, String> {
    if text == "list" {
        return Err(listing());
    }
    let (name, range) = match text.split_once('=') {
        None => (text, None),
        Some((name, range)) => {
            let ends = range.split_once("..").and_then(|(low, high)| low.parse().ok().zip(high.parse().ok()));
            let expected =
                format!("found the range {range}, expected NAME=LOW..HIGH such as exploration=0.1..1");
            (name, Some(ends.ok_or(expected)?))
        }
    };
    if Params::default().get(name).is_none() {
        return Err(format!(
            "found parameter '{name}', expected one of the parameter table (`--param list` lists them)"
        ));
    }
    Ok(Wanted { name: name.to_owned(), range })
}

fn part(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|&value| value > 0.0 && value <= 0.5);
    value.ok_or_else(|| "expected a number above 0 and at most 0.5".to_owned())
}

/// What the options ask for.
struct Plan {
    spsa: Spsa,
    games: Games,
    /// What goes into the journal, and must be the same to resume.
    settings: Settings,
}

fn plan(options: &TuneOptions) -> Result<Plan, Failure> {
    let mut params = Params::default();
    let mut fixed = BTreeMap::new();
    for Setting { name, value } in &options.set {
        params.set(name, *value).map_err(input)?;
        fixed.insert(name.clone(), *value);
    }
    let mut axes: Vec<Axis> = Vec::new();
    for Wanted { name, range } in &options.params {
        if axes.iter().any(|axis| axis.name == name) {
            return Err(input(format!("expected different parameters, found {name} twice")));
        }
        axes.push(Axis::new(name, *range, &params).map_err(input)?);
        fixed.remove(name);
    }
    // The order of the table, so that the order of the options changes nothing.
    axes.sort_by_key(|axis| Params::ROWS.iter().position(|row| row.name == axis.name));
    let pairs = options.pairs_per_iteration;
    let iterations = options.iterations.unwrap_or(options.games.unwrap_or(2000) / (2 * pairs));
    if iterations == 0 {
        return Err(input(format!("expected at least {} games, as many as an iteration has", 2 * pairs)));
    }
    let control = options.nodes.map_or(Control::Time(options.time), Control::Nodes);
    let player = Builtin {
        name: "blackhole".to_owned(),
        options: fixed.iter().map(|(name, value)| (name.clone(), value.to_string())).collect(),
    };
    let tuned: Vec<String> = axes.iter().map(describe).collect();
    let settings = vec![
        ("seed", options.seed.to_string()),
        ("tuned", tuned.join(", ")),
        ("fixed", options_text(&player.options)),
        ("defaults", format!("{:016x}", text_key(&format!("{:?}", Params::default())))),
        ("control", control.to_string()),
        ("iterations", iterations.to_string()),
        ("pairs", pairs.to_string()),
        ("step", options.step.to_string()),
        ("reach", options.reach.to_string()),
    ];
    let gains = Gains::new(iterations, pairs, options.step, options.reach);
    let spsa = Spsa::new(axes, gains, iterations, options.seed);
    let games = Games { player, control, pairs, concurrency: concurrency(options.concurrency)? };
    Ok(Plan { spsa, games, settings })
}

fn describe(axis: &Axis) -> String {
    let Axis { name, range: (low, high), start, .. } = axis;
    format!("{name}={start} in {low}..{high}")
}

fn options_text(options: &[(String, String)]) -> String {
    options.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(",")
}

/// Open the journal, if there is to be one, and take its steps.
fn open_journal(options: &TuneOptions, plan: &mut Plan) -> Result<Option<Journal>, Failure> {
    let Some(path) = &options.journal else { return Ok(None) };
    let (journal, steps) = Journal::open_with(path, parse_steps).map_err(|error| at(path, &error))?;
    let path = path.display();
    if !options.resume && !steps.is_empty() {
        return Err(input(format!(
            "{path} has iterations already: add --resume to go on, or take another file"
        )));
    }
    let games = 2 * plan.games.pairs as usize;
    replay(&mut plan.spsa, &plan.settings, &steps, games)
        .map_err(|error| input(format!("{path}: {error}")))?;
    Ok(Some(journal))
}

/// Tune, and print the values found.
pub(super) fn run(options: &TuneOptions) -> Outcome {
    let mut plan = plan(options)?;
    if let Some(trial) = plan.spsa.trial() {
        plan.games.of(&trial, plan.spsa.axes()).try_builtins(&maker).map_err(input)?;
    }
    let mut journal = open_journal(options, &mut plan)?;
    let Plan { mut spsa, games, settings } = plan;
    let stop = stop_flag()?;
    let an_iteration = 2 * games.pairs;
    let (bar, shown) = progress(spsa.iterations() * an_iteration, spsa.done() * an_iteration);
    let mut interrupted = false;
    while let Some(trial) = spsa.trial() {
        shown.set(state(&spsa));
        let round = games.of(&trial, spsa.axes());
        let schedule: Vec<Game> = round.schedule.games().collect();
        let mut points = vec![None; schedule.len()];
        let each = |game: &Game, outcome: Played| {
            report_faults(&bar, &trial, &round, game, &outcome);
            if let Some(place) = schedule.iter().position(|other| other == game) {
                points[place] = Some(points_of_plus(game, outcome.points));
            }
            bar.inc(1);
            Ok(ControlFlow::Continue(()))
        };
        if !stop.load(Ordering::Relaxed) {
            round.play(&schedule, &maker, &stop, each, || bar.tick())?;
        }
        // An iteration counts whole or not at all.
        let Some(points) = points.into_iter().collect::<Option<Vec<u8>>>() else {
            interrupted = true;
            break;
        };
        if let Some(journal) = &mut journal {
            journal.append_line(line(&spsa, &trial, &settings, &points))?;
        }
        spsa.learn(&trial, score(&points));
    }
    bar.finish_and_clear();
    print(&table(&spsa, &games))?;
    if interrupted {
        let how = match &options.journal {
            Some(path) => {
                format!("they are in {}: the same command with --resume plays the others", path.display())
            }
            None => "with --journal FILE a tuning can be resumed".to_owned(),
        };
        writeln!(
            io::stderr(),
            "interrupted after {} of {} iterations; {how}",
            spsa.done(),
            spsa.iterations()
        )?;
        return Ok(INTERRUPTED);
    }
    Ok(SUCCESS)
}

/// Say where the tuning stands, for the bar.
fn state(spsa: &Spsa) -> String {
    let values = spsa.axes().iter().zip(spsa.last()).map(|(axis, value)| format!("{}={value}", axis.name));
    values.collect::<Vec<_>>().join(" ")
}

/// Name the faults of a game on stderr, above the bar.
fn report_faults(bar: &ProgressBar, trial: &Trial, round: &Match, game: &Game, outcome: &Played) {
    for fault in &outcome.faults {
        let name = &round.bots[game.bots[fault.player.index()]].name;
        let (number, pair) = (trial.number + 1, game.round + 1);
        bar.suspend(|| {
            let _ = writeln!(
                io::stderr(),
                "fault: {name} as {}, iteration {number}, pair {pair}, after {} moves: {fault}",
                fault.player,
                outcome.moves.len()
            );
        });
    }
}

/// Write the result: every parameter, the options that set them, and the match that confirms them.
fn table(spsa: &Spsa, games: &Games) -> String {
    let (tuned, last) = (spsa.tuned(), spsa.last());
    let mut text = format!(
        "{} of {} iterations of {} games, {}\n\n",
        spsa.done(),
        spsa.iterations(),
        2 * games.pairs,
        games.control
    );
    let width = spsa.axes().iter().map(|axis| axis.name.len()).max().unwrap_or(0).max("parameter".len());
    let mut row = |cells: [&str; 5]| {
        let [name, start, tuned, last, range] = cells;
        let _ = writeln!(text, "{name:<width$} {start:>10} {tuned:>10} {last:>10}  {range}");
    };
    row(["parameter", "start", "tuned", "last", "range"]);
    for ((axis, tuned), last) in spsa.axes().iter().zip(&tuned).zip(&last) {
        let (low, high) = axis.range;
        let numbers = [axis.start, *tuned, *last].map(|number| number.to_string());
        let [start, tuned, last] = numbers.each_ref().map(String::as_str);
        row([axis.name, start, tuned, last, &format!("{low}..{high}")]);
    }
    let mut found = games.player.clone();
    let values = spsa.axes().iter().zip(&tuned);
    found.options.extend(values.map(|(axis, value)| (axis.name.to_owned(), value.to_string())));
    let sets: Vec<String> =
        found.options.iter().map(|(name, value)| format!("--set {name}={value}")).collect();
    let _ = write!(
        text,
        "\ntuned is the mean of the last half of the iterates, which lies nearer to the optimum than the last \
         one\nuse it      {}\nconfirm it  blackhole match --bot tuned=builtin:{},{} --bot \
         default=builtin:blackhole --time 5 --pairs 200\n",
        sets.join(" "),
        found.name,
        options_text(&found.options),
    );
    text
}
