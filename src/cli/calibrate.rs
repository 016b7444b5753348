//! `blackhole calibrate`: how well policies and formulas tell who reaches a target, and how good the moves of a search
//! are, against exact values.

use std::path::PathBuf;

use clap::{Args, value_parser};
use indicatif::ProgressBar;
use serde_json::{Value, json};

use super::options::{Setting, setting, with_settings};
use super::{Failure, Outcome, SUCCESS, json_object, plural, print, read_file};
use crate::player::params::Params;
use crate::player::record::Record;
use crate::workshop::calibrate::calibration::Mean;
use crate::workshop::calibrate::estimator::Estimator;
use crate::workshop::calibrate::labels::Labels;
use crate::workshop::calibrate::moves::{Losses, Valued, losses};
use crate::workshop::calibrate::{Judgement, Question, games, judge, questions};

/// Judge default policies and the static formula against exact values
///
/// Positions of recorded games get their values from the solver; every estimator then predicts whether the player
/// to move reaches the target, for ten targets around the value. A logistic calibration is fitted on one half of
/// the games; log-loss and Brier score are those of the other half, with standard errors over games. With
/// `--moves` the engine's tree search is judged as well, by the points its moves lose.
#[derive(Args)]
#[command(after_help = "\
The columns: microseconds of one thread for a judgement; log-loss and Brier score of the calibrated probabilities, the
less the better (0.693 and 0.25 for a coin); the calibration's offset and slopes on the log-odds; and the estimator's
own probability that means an even position for the player to move. With --moves: points lost a move against perfect
play, the share of moves that lose any, and seconds of thinking for a move.

Example:
  blackhole calibrate --games games.jsonl --cells 15..=19 --labels labels.jsonl")]
pub(super) struct CalibrateOptions {
    /// Recorded games, one JSON object a line with `blocked` and `moves`; a journal of `match` is one
    #[arg(long, value_name = "FILE")]
    games: PathBuf,
    /// The numbers of empty cells, such as 17 or 15..=19 or 15,17,19
    #[arg(long, value_name = "CELLS", default_value = "15..=19", value_parser = cells)]
    cells: Cells,
    /// Take every N-th game only
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..))]
    every: u32,
    /// The numbers of playouts for one judgement
    #[arg(long, value_name = "N,…", default_value = "1,10,100", value_delimiter = ',',
          value_parser = value_parser!(u32).range(1..=1_000_000))]
    playouts: Vec<u32>,
    /// Let the engine choose a move in every position, once with each of these numbers of iterations, and count
    /// the points it loses; the solver is not asked at the root
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = value_parser!(u64).range(1..))]
    moves: Vec<u64>,
    /// Set a tunable of that engine; `--set list` lists them
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting, requires = "moves")]
    set: Vec<Setting>,
    /// Solver nodes for one position at most; a position that needs more is counted and left out
    #[arg(long, value_name = "N", default_value_t = 30_000_000, value_parser = value_parser!(u64).range(1..))]
    solve_nodes: u64,
    /// Remember exact values in this file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Seed of the split of the games into training and test halves
    #[arg(long, value_name = "N", default_value_t = 1)]
    split_seed: u64,
    /// Seed of the playouts
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Numbers of empty cells, ascending.
#[derive(Clone, Debug)]
struct Cells(Vec<u32>);

/// Read `17`, `15..=19` or `15,17,19`.
fn cells(text: &str) -> Result<Cells, String> {
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|cells| (2..=31).contains(cells));
    let part = |part: &str| -> Option<Vec<u32>> {
        match part.split_once("..=") {
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last)?);
                (first <= last).then(|| (first..=last).collect())
            }
            None => Some(vec![number(part)?]),
        }
    };
    let parts: Option<Vec<Vec<u32>>> = text.split(',').map(part).collect();
    let mut cells = parts.ok_or("expected numbers from 2 to 31, such as 17 or 15..=19 or 15,17,19")?.concat();
    cells.sort_unstable();
    cells.dedup();
    Ok(Cells(cells))
}

/// How often each judgement is timed.
const ROUNDS: u32 = 4;

/// Everything about the positions of one number of empty cells.
struct Section {
    cells: u32,
    /// Positions with a value.
    positions: Vec<Valued>,
    /// The number of those without.
    unsolved: usize,
    questions: Vec<Question>,
    rows: Vec<Row>,
    /// For each number of iterations.
    losses: Vec<(u64, Option<Losses>)>,
}

/// An estimator, seconds for one judgement, and what came out; `None` when a half has no question.
struct Row {
    estimator: Estimator,
    seconds: f64,
    judgement: Option<Judgement>,
}

/// Judge the estimators and print the table.
pub(super) fn run(options: &CalibrateOptions) -> Outcome {
    let path = options.games.display();
    let all = games::parse(&read_file(&options.games)?)
        .map_err(|error| Failure::Input(format!("{path}: {error}")))?;
    let games: Vec<Record> = all.into_iter().step_by(options.every as usize).collect();
    if games.len() < 2 {
        return Err(Failure::Input(format!(
            "{path}: found {} different games, expected two or more, to calibrate on some and test on others",
            games.len()
        )));
    }
    let held_out = games::split(&games, options.split_seed);
    let mut labels = match &options.labels {
        None => Labels::default(),
        Some(path) => {
            Labels::open(path).map_err(|error| Failure::Input(format!("{}: {error}", path.display())))?
        }
    };
    let estimators = Estimator::all(&Params::default(), &options.playouts);
    let bar = ProgressBar::new((options.cells.0.len() * games.len()) as u64);
    let mut sections = Vec::new();
    for &cells in &options.cells.0 {
        sections.push(section(options, cells, &games, &mut labels, &bar)?);
    }
    bar.reset();
    bar.set_length((sections.len() * options.moves.len()) as u64);
    let params = with_settings(Params::default(), &options.set);
    for section in &mut sections {
        for &iterations in &options.moves {
            let found = losses(
                &section.positions,
                &params,
                iterations,
                options.seed,
                &mut labels,
                options.solve_nodes,
            )?;
            section.losses.push((iterations, found));
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    for section in &mut sections {
        let mut answers = vec![[0.0; 3]; section.questions.len()];
        for &estimator in &estimators {
            let seconds = estimator.time(&section.questions, options.seed, &mut answers, ROUNDS);
            let judgement = judge(&section.questions, &answers, &held_out);
            section.rows.push(Row { estimator, seconds, judgement });
        }
    }
    let held = held_out.iter().filter(|&&held| held).count();
    print(&if options.json {
        json(options, [games.len() - held, held], &sections)
    } else {
        text([games.len() - held, held], &sections)
    })?;
    Ok(SUCCESS)
}

/// Find the values of the positions with `cells` empty cells, and what to ask about them.
fn section(
    options: &CalibrateOptions,
    cells: u32,
    games: &[Record],
    labels: &mut Labels,
    bar: &ProgressBar,
) -> Result<Section, Failure> {
    let mut section = Section {
        cells,
        positions: Vec::new(),
        unsolved: 0,
        questions: Vec::new(),
        rows: Vec::new(),
        losses: Vec::new(),
    };
    for (number, game) in games.iter().enumerate() {
        if let Some(record) = games::cut(game, cells) {
            match labels.value(&record, options.solve_nodes)? {
                Some(value) => {
                    section.questions.extend(questions(record.position(), value, number));
                    section.positions.push(Valued { record, value, game: number });
                }
                None => section.unsolved += 1,
            }
        }
        bar.inc(1);
    }
    Ok(section)
}

fn text([training, held_out]: [usize; 2], sections: &[Section]) -> String {
    let mut text = format!(
        "{} to calibrate on, {} to test on\n",
        plural(training as u64, "game"),
        plural(held_out as u64, "game")
    );
    for Section { cells, positions, unsolved, questions, rows, losses } in sections {
        text += &format!(
            "\n{}: {}, {}, {unsolved} more not solved\n",
            plural(*cells, "empty cell"),
            plural(positions.len() as u64, "position"),
            plural(questions.len() as u64, "question")
        );
        for (iterations, found) in losses {
            let Some(Losses { points, errors, unsolved, seconds }) = found else {
                text += &format!("  moves of {iterations} iterations: none could be judged\n");
                continue;
            };
            let error = points.error.map_or("-".to_owned(), |error| format!("{error:.3}"));
            text += &format!(
                "  moves of {iterations} iterations lose {:.3} ± {error} points each, {:.1} % of them some \
                 ({unsolved} not judged); {seconds:.3} s a move\n",
                points.mean,
                100.0 * errors.mean,
            );
        }
        if rows.iter().all(|row| row.judgement.is_none()) {
            text += "  too few to calibrate and to test\n";
            continue;
        }
        text += &format!(
            "  {:<34} {:>8}  {:>8} {:>6}  {:>6} {:>6}  {:>6} {:>6} {:>6}  {:>5}\n",
            "estimator", "µs", "log-loss", "±", "Brier", "±", "offset", "slope", "static", "even"
        );
        for Row { estimator, seconds, judgement } in rows {
            let Some(Judgement { calibration, quality }) = judgement else { continue };
            let error = |mean: &Mean| mean.error.map_or("-".to_owned(), |error| format!("{error:.4}"));
            let [offset, slope, second] = calibration.weights;
            let second = if second == 0.0 { String::new() } else { format!("{second:.2}") };
            let even = calibration.even_point().map_or(String::new(), |even| format!("{even:.3}"));
            text += format!(
                "  {:<34} {:>8.3}  {:>8.4} {:>6}  {:>6.4} {:>6}  {offset:>6.2} {slope:>6.2} {second:>6}  {even:>5}",
                estimator.to_string(),
                1e6 * seconds,
                quality.log_loss.mean,
                error(&quality.log_loss),
                quality.brier.mean,
                error(&quality.brier),
            )
            .trim_end();
            text.push('\n');
        }
    }
    text
}

fn json(options: &CalibrateOptions, [training, held_out]: [usize; 2], sections: &[Section]) -> String {
    let row = |Row { estimator, seconds, judgement }: &Row| {
        let quality = judgement.map(|found| found.quality);
        let calibration = judgement.map(|found| found.calibration);
        json!({
            "estimator": estimator.to_string(),
            "microseconds": 1e6 * seconds,
            "log_loss": quality.map(|quality| quality.log_loss.mean),
            "log_loss_error": quality.and_then(|quality| quality.log_loss.error),
            "brier": quality.map(|quality| quality.brier.mean),
            "brier_error": quality.and_then(|quality| quality.brier.error),
            "weights": calibration.map(|calibration| calibration.weights),
            "even": calibration.and_then(|calibration| calibration.even_point()),
        })
    };
    let moves = |(iterations, found): &(u64, Option<Losses>)| {
        json!({
            "iterations": iterations,
            "points_lost": found.map(|found| found.points.mean),
            "points_lost_error": found.and_then(|found| found.points.error),
            "errors": found.map(|found| found.errors.mean),
            "unsolved": found.map(|found| found.unsolved),
            "seconds": found.map(|found| found.seconds),
        })
    };
    let section = |section: &Section| {
        json!({
            "cells": section.cells,
            "positions": section.positions.len(),
            "unsolved": section.unsolved,
            "questions": section.questions.len(),
            "estimators": section.rows.iter().map(row).collect::<Vec<_>>(),
            "moves": section.losses.iter().map(moves).collect::<Vec<_>>(),
        })
    };
    json_object(&[
        ("training_games", json!(training)),
        ("test_games", json!(held_out)),
        ("split_seed", json!(options.split_seed)),
        ("seed", json!(options.seed)),
        ("sections", sections.iter().map(section).collect::<Vec<Value>>().into()),
    ])
}
