//! `blackhole solve`: the exact value of a recorded position and its optimal moves.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::ProgressBar;
use serde::Serialize;

use super::output::animate;
use super::signals::stop_flag;
use super::source::GameSource;
use super::{CommandResult, INTERRUPTED, SUCCESS, UNDECIDED, json_line, plural, print, say};
use crate::player::board::Move;
use crate::player::evaluation;
use crate::player::limits::Limits;
use crate::player::position::{Position, Score};
use crate::player::simd::Portable;
use crate::player::solver::{Bounds, Solver};
use crate::workshop::review::exact::{line, move_values, rough_bounds};

/// Print the exact value of the position at the end of a record, and the optimal moves
///
/// The value is the final score under best play of both, red stones minus blue stones next to the
/// hole. The moves listed as best are all optimal ones among the reasonable: left out are moves
/// that one of these matches against every reply. Ctrl-C ends with the bounds proven so far.
#[derive(Args)]
pub(super) struct SolveOptions {
    #[command(flatten)]
    source: GameSource,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Give up after this many seconds, with exit code 3 and the bounds proven so far
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds)]
    limit: Option<Duration>,
    /// Print the value after every legal move, too, the best first
    #[arg(long)]
    all_moves: bool,
}

/// What the solver has to say about a position.
#[derive(Serialize)]
struct SolveAnswer {
    empty: u32,
    to_move: String,
    /// `None` when a limit came first.
    value: Option<Score>,
    /// The optimal moves, if the value is exact.
    best: Vec<String>,
    /// Among which moves `best` has all optimal ones.
    best_among: &'static str,
    /// Best play of both from here on, if the value is exact.
    line: Vec<String>,
    nodes: u64,
    seconds: f64,
    #[serde(flatten)]
    undecided: Option<Undecided>,
    /// Asked for with `--all-moves`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moves: Vec<MoveRow>,
}

/// What is known when a limit came first.
#[derive(Serialize)]
struct Undecided {
    lower: Score,
    upper: Score,
    complete: bool,
    /// Whether `best` holds all optimal moves all the same.
    #[serde(skip)]
    all_best: bool,
}

/// What is known of the value after a move.
#[derive(Serialize)]
struct MoveRow {
    lower: Score,
    r#move: String,
    upper: Score,
    value: Option<Score>,
}

/// Print the value; exit code 3 when the limit came first, 130 after Ctrl-C.
pub(super) fn run(options: &SolveOptions) -> CommandResult {
    let record = options.source.record()?;
    let stop = stop_flag()?;
    let answer = solve(record.position(), options, stop);
    print(&if options.json { json_line(&answer)? } else { text(&answer) })?;
    Ok(match answer.undecided {
        None => SUCCESS,
        Some(_) if stop.load(Ordering::Relaxed) => {
            say("interrupted: the bounds proven so far are printed");
            INTERRUPTED
        }
        Some(_) => UNDECIDED,
    })
}

fn solve(position: &Position, options: &SolveOptions, stop: &'static AtomicBool) -> SolveAnswer {
    let started = Instant::now();
    let deadline = options.limit.map(|limit| started + limit);
    let limits = Limits { deadline, stop: Some(stop), ..Limits::NONE };
    let mut solver = Solver::default();
    let guess = evaluation::likely_score(position);
    // Shown on a terminal alone.
    let spinner = ProgressBar::new_spinner();
    animate(&spinner, Duration::from_millis(200));
    let mut show = |Bounds { lower, upper }| spinner.set_message(format!("value {lower}..{upper}"));
    let known = rough_bounds(&mut solver, position, guess, &limits);
    show(known.0);
    let solution = solver.solve_from(position, known, guess, &limits, &mut show);
    let Bounds { lower, upper } = solution.bounds;
    let value = solution.bounds.exact();
    let mut best_line: Vec<Move> = solution.optimal.first().copied().into_iter().collect();
    if let Some(&first) = best_line.first() {
        best_line.extend(line(&mut solver, &position.after::<Portable>(first), value, &limits));
    }
    let all = options.all_moves.then(|| move_values(&mut solver, position, &solution, &limits));
    spinner.finish_and_clear();
    let row = |(mv, bounds): (Move, Bounds)| {
        let Bounds { lower, upper } = bounds;
        MoveRow { lower, r#move: mv.to_string(), upper, value: bounds.exact() }
    };
    let moves: Vec<MoveRow> = all.into_iter().flatten().map(row).collect();
    let exact = solution.complete && value.is_some() && moves.iter().all(|row| row.value.is_some());
    let undecided = Undecided { lower, upper, complete: false, all_best: solution.complete };
    SolveAnswer {
        empty: position.empty().len(),
        to_move: position.to_move().to_string(),
        value,
        best: solution.optimal.iter().map(Move::to_string).collect(),
        best_among: "reasonable moves",
        line: best_line.iter().map(Move::to_string).collect(),
        nodes: solver.nodes(),
        seconds: started.elapsed().as_secs_f64(),
        undecided: (!exact).then_some(undecided),
        moves,
    }
}

/// Write a value, or else its bounds.
fn value_text(value: Option<Score>, lower: Score, upper: Score) -> String {
    value.map_or_else(|| format!("{lower}..{upper}"), |value| value.to_string())
}

fn text(answer: &SolveAnswer) -> String {
    let SolveAnswer { empty, to_move, value, best, line, nodes, seconds, undecided, moves, .. } = answer;
    let turn = if *empty > 1 { format!("{to_move} to move") } else { "the game is over".to_owned() };
    let (lower, upper, all) =
        undecided.as_ref().map_or((0, 0, true), |open| (open.lower, open.upper, open.all_best));
    let mut text = format!("{}, {turn}\n", plural(*empty, "empty cell"));
    text += &format!("value {}\n", value_text(*value, lower, upper));
    if !best.is_empty() {
        text += &format!("best {}{}\n", best.join(" "), if all { "" } else { " and perhaps more" });
        text += &format!("line {}\n", line.join(" "));
    }
    for row in moves {
        text += &format!("{} {}\n", row.r#move, value_text(row.value, row.lower, row.upper));
    }
    text + &format!("{}, {seconds:.3} s\n", plural(*nodes, "node"))
}
