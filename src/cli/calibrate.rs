//! `blackhole calibrate`: how well policies and formulas tell who reaches a target, and how good
//! the moves of a search are, against exact values.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use indicatif::ProgressBar;
use serde::Serialize;

use super::options::{seed, setting, within};
use super::{CommandResult, SUCCESS, at, json_line, plural, print};
use crate::player::params::{Params, Setting};
use crate::player::record::Record;
use crate::workshop::calibrate::calibration::{Calibration, Mean, Quality};
use crate::workshop::calibrate::estimator::{Estimator, answers};
use crate::workshop::calibrate::labels::Labels;
use crate::workshop::calibrate::moves::{Losses, Valued, losses};
use crate::workshop::calibrate::{games, judge, questions};
use crate::workshop::lines::read;
use crate::workshop::players::{NODES, number};

/// Judge default policies, the static formula and the network against exact values
///
/// Positions of recorded games get their values from the solver; every estimator then predicts
/// whether the player to move reaches the target, for ten targets around the value. A logistic
/// calibration is fitted on one half of the games; log-loss and Brier score are those of the other
/// half, with standard errors over games. With `--moves` the engine's tree search is judged as
/// well, by the points its moves lose.
#[derive(Args)]
#[command(after_help = "\
The columns: microseconds for a judgement; log-loss and Brier score of the calibrated probabilities, the less the
better (0.693 and 0.25 for a coin); the calibration's offset and slope on the log-odds. With --moves: points lost a
move against perfect play, the share of moves that lose any, and seconds of thinking for a move.

Example:
  blackhole calibrate --games games.jsonl --cells 15..=19 --labels labels.jsonl")]
pub(super) struct CalibrateOptions {
    /// Recorded games in any form, such as a journal of `match`
    #[arg(long, value_name = "FILE")]
    games: PathBuf,
    /// The numbers of empty cells, such as 17 or 15..=19 or 15,17,19
    #[arg(long, value_name = "CELLS", default_value = "15..=19", value_parser = cells)]
    cells: CellCounts,
    /// Take every N-th game only
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within::<usize>(1..=1_000_000))]
    every: usize,
    /// The numbers of playouts for one judgement
    #[arg(long, value_name = "N,…", default_value = "1,10,100", value_delimiter = ',',
          value_parser = within::<u32>(1..=1_000_000))]
    playouts: Vec<u32>,
    /// Let the engine choose a move in every position, once with each of these numbers of
    /// iterations, and count the points it loses; the solver is not asked at the root
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = within(NODES))]
    moves: Vec<u64>,
    /// Set a tunable of that engine; `--set list` lists them
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting, requires = "moves")]
    set: Vec<Setting>,
    /// Solver nodes for one position at most; a position that needs more is counted and left out
    #[arg(long, value_name = "N", default_value_t = 30_000_000, value_parser = within(NODES))]
    solve_nodes: u64,
    /// Remember exact values in this file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Seed of the split of the games into training and test halves
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = seed)]
    split_seed: u64,
    /// Seed of the playouts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = seed)]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Numbers of empty cells, ascending.
#[derive(Clone, Debug)]
struct CellCounts(Vec<u32>);

/// Read `17`, `15..=19` or `15,17,19`.
fn cells(text: &str) -> Result<CellCounts, String> {
    let mut cells = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once("..=").unwrap_or((part, part));
        let first = number(first.trim(), &(2..=31))?;
        cells.extend(first..=number(last.trim(), &(first..=31))?);
    }
    cells.sort_unstable();
    cells.dedup();
    Ok(CellCounts(cells))
}

/// What the study found.
#[derive(Serialize)]
struct Study {
    training_games: usize,
    test_games: usize,
    split_seed: u64,
    seed: u64,
    sections: Vec<Section>,
}

/// What it found about the positions of one number of empty cells.
#[derive(Serialize)]
struct Section {
    cells: u32,
    /// Positions with a value.
    positions: usize,
    /// The number of those without.
    unsolved: usize,
    questions: usize,
    /// Empty when there are no games to calibrate on, or none to test on.
    estimators: Vec<EstimatorRow>,
    moves: Vec<MovesRow>,
}

/// What an estimator is worth.
#[derive(Serialize)]
struct EstimatorRow {
    estimator: String,
    microseconds: f64,
    #[serde(flatten)]
    quality: Quality,
    #[serde(flatten)]
    calibration: Calibration,
}

/// What the moves of a search lose.
#[derive(Serialize)]
struct MovesRow {
    iterations: u64,
    #[serde(flatten)]
    losses: Losses,
}

/// Judge the estimators and print the table.
pub(super) fn run(options: &CalibrateOptions) -> CommandResult {
    let all = games::parse(&read(&options.games).map_err(|error| at(&options.games, error))?)
        .map_err(|error| at(&options.games, error))?;
    let games: Vec<Record> = all.into_iter().step_by(options.every).collect();
    if games.len() < 2 {
        let found = plural(games.len() as u64, "different game");
        let why = format!("found {found}, expected two or more, to calibrate and to test");
        return Err(at(&options.games, why));
    }
    let mut labels = match &options.labels {
        None => Labels::default(),
        Some(path) => Labels::open(path).map_err(|error| at(path, error))?,
    };
    let held_out = games::split(&games, options.split_seed);
    let test_games = held_out.iter().filter(|&&held| held).count();
    let bar = ProgressBar::new((options.cells.0.len() * games.len()) as u64);
    let sections =
        options.cells.0.iter().map(|&cells| section(options, cells, &games, &held_out, &mut labels, &bar));
    let study = Study {
        training_games: games.len() - test_games,
        test_games,
        split_seed: options.split_seed,
        seed: options.seed,
        sections: sections.collect(),
    };
    bar.finish_and_clear();
    print(&if options.json { json_line(&study)? } else { text(&study) })?;
    // The labels are lost, the study is not.
    labels.failure.map_or(Ok(SUCCESS), |error| Err(error.into()))
}

/// Study the positions with `cells` empty cells.
fn section(
    options: &CalibrateOptions,
    cells: u32,
    games: &[Record],
    held_out: &[bool],
    labels: &mut Labels,
    bar: &ProgressBar,
) -> Section {
    let (mut positions, mut asked, mut unsolved) = (Vec::new(), Vec::new(), 0);
    for (game, whole) in games.iter().enumerate() {
        if let Some(record) = games::cut(whole, cells) {
            match labels.value(&record, options.solve_nodes) {
                Some(value) => {
                    asked.extend(questions(record.position(), value, game));
                    positions.push(Valued { record, value, game });
                }
                None => unsolved += 1,
            }
        }
        bar.inc(1);
    }
    let estimators = Estimator::all(&options.playouts).into_iter().filter_map(|estimator| {
        // The same each time; of the times the fastest counts, so that other programs count less.
        let rounds = (0..4).map(|_| {
            let start = Instant::now();
            let found = answers(estimator, &asked, options.seed);
            (start.elapsed(), found)
        });
        let (time, found) = rounds.min_by_key(|&(time, _)| time)?;
        let microseconds = 1e6 * time.as_secs_f64() / asked.len().max(1) as f64;
        let (calibration, quality) = judge(&asked, &found, held_out)?;
        Some(EstimatorRow { estimator: estimator.to_string(), microseconds, quality, calibration })
    });
    let estimators = estimators.collect();
    let mut params = Params::default();
    options.set.iter().for_each(|&setting| params.set(setting));
    let mut moves = Vec::new();
    for &iterations in &options.moves {
        let losses = losses(&positions, &params, iterations, options.seed, labels, options.solve_nodes);
        moves.push(MovesRow { iterations, losses });
    }
    let (positions, questions) = (positions.len(), asked.len());
    Section { cells, positions, unsolved, questions, estimators, moves }
}

fn text(study: &Study) -> String {
    let count = |number: usize, noun| plural(number as u64, noun);
    let error = |mean: &Mean| mean.error.map_or("-".to_owned(), |error| format!("{error:.4}"));
    let (training, test) = (count(study.training_games, "game"), count(study.test_games, "game"));
    let mut text = format!("{training} to calibrate on, {test} to test on\n");
    for section in &study.sections {
        let cells = plural(section.cells, "empty cell");
        let (positions, unsolved) = (count(section.positions, "position"), section.unsolved);
        let questions = count(section.questions, "question");
        text += &format!("\n{cells}: {positions}, {questions}, {unsolved} more not solved\n");
        for MovesRow { iterations, losses } in &section.moves {
            let Losses { points, errors, unsolved, seconds } = losses;
            let iterations = plural(*iterations, "iteration");
            let (Some(points), Some(errors)) = (points, errors) else {
                text += &format!("  moves of {iterations}: none could be judged\n");
                continue;
            };
            text += &format!(
                "  moves of {iterations} lose {:.3} ± {} points each, {:.1} % of them some \
                 ({unsolved} not judged); {seconds:.3} s a move\n",
                points.mean,
                error(points),
                100.0 * errors.mean
            );
        }
        if section.estimators.is_empty() {
            text += "  too few to calibrate and to test\n";
            continue;
        }
        text += &format!(
            "  {:<18} {:>8}  {:>8} {:>6}  {:>6} {:>6}  {:>6} {:>6}\n",
            "estimator", "µs", "log-loss", "±", "Brier", "±", "offset", "slope"
        );
        for EstimatorRow { estimator, microseconds, quality, calibration } in &section.estimators {
            let (log_loss, brier) = (&quality.log_loss, &quality.brier);
            text += &format!(
                "  {estimator:<18} {microseconds:>8.3}  {:>8.4} {:>6}  {:>6.4} {:>6}  {:>6.2} {:>6.2}\n",
                log_loss.mean,
                error(log_loss),
                brier.mean,
                error(brier),
                calibration.offset,
                calibration.slope
            );
        }
    }
    text
}
