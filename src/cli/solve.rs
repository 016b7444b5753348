//! `blackhole solve`: the exact value of a recorded position and its optimal moves.

use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;

use super::{Outcome, RecordSource, SUCCESS, UNDECIDED, json_object, plural, print};
use crate::player::board::Move;
use crate::player::evaluation;
use crate::player::limits::Limits;
use crate::player::position::Position;
use crate::player::solver::{Bounds, Solver};

/// Print the exact value of the position at the end of a record, and the optimal moves
///
/// The value is the final score under best play of both, red stones minus blue stones next to the hole.
#[derive(Args)]
pub(super) struct SolveOptions {
    #[command(flatten)]
    record: RecordSource,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Give up after this many seconds, with exit code 3 and the bounds proven so far
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds)]
    limit: Option<Duration>,
    /// Print the value after every move worth considering, too
    #[arg(long)]
    all_moves: bool,
}

/// What the solver has to say about a position.
struct Answer {
    bounds: Bounds,
    /// The optimal moves, if the value is exact.
    best: Vec<Move>,
    /// Whether `best` holds all of them.
    complete: bool,
    /// Bounds of the value after each move; empty unless asked for.
    moves: Vec<(Move, Bounds)>,
    nodes: u64,
}

impl Answer {
    /// Ask the solver.
    fn of(position: &Position, limits: &Limits, all_moves: bool) -> Answer {
        let mut solver = Solver::default();
        let solution = solver.solve(position, evaluation::likely_score(position), limits);
        let moves = if all_moves { solver.move_values(position, limits) } else { Vec::new() };
        Answer {
            bounds: solution.bounds,
            best: solution.optimal,
            complete: solution.complete,
            moves,
            nodes: solver.nodes(),
        }
    }

    fn is_exact(&self) -> bool {
        let mut all = self.moves.iter().map(|(_, bounds)| bounds).chain([&self.bounds]);
        self.complete && all.all(|bounds| bounds.exact().is_some())
    }
}

fn bounds_text(bounds: &Bounds) -> String {
    bounds.exact().map_or_else(|| format!("{}..{}", bounds.lower, bounds.upper), |value| value.to_string())
}

/// Print the value; exit code 3 when the limit came first.
pub(super) fn run(options: &SolveOptions) -> Outcome {
    let record = options.record.read()?;
    let started = Instant::now();
    let limits = Limits { deadline: options.limit.map(|limit| started + limit), ..Limits::NONE };
    let answer = Answer::of(record.position(), &limits, options.all_moves);
    let seconds = started.elapsed().as_secs_f64();
    let render = if options.json { json } else { text };
    print(&render(record.position(), &answer, seconds))?;
    Ok(if answer.is_exact() { SUCCESS } else { UNDECIDED })
}

fn json(position: &Position, answer: &Answer, seconds: f64) -> String {
    let bounds = &answer.bounds;
    let names: Vec<String> = answer.best.iter().map(Move::to_string).collect();
    let mut fields = vec![
        ("empty", json!(position.empty().len())),
        ("to_move", json!(position.to_move().to_string())),
        ("value", json!(bounds.exact())),
        ("best", json!(names)),
        ("nodes", json!(answer.nodes)),
        ("seconds", json!(seconds)),
    ];
    if !answer.is_exact() {
        let more =
            [("lower", json!(bounds.lower)), ("upper", json!(bounds.upper)), ("complete", json!(false))];
        fields.extend(more);
    }
    if !answer.moves.is_empty() {
        let moves = answer.moves.iter().map(|(mv, bounds)| {
            let (value, lower, upper) = (bounds.exact(), bounds.lower, bounds.upper);
            json!({ "move": mv.to_string(), "value": value, "lower": lower, "upper": upper })
        });
        fields.push(("moves", moves.collect()));
    }
    json_object(&fields)
}

fn text(position: &Position, answer: &Answer, seconds: f64) -> String {
    let turn = match position.final_score() {
        Some(_) => "the game is over".to_owned(),
        None => format!("{} to move", position.to_move()),
    };
    let mut text = format!("{}, {turn}\n", plural(position.empty().len(), "empty cell"));
    text += &format!("value {}\n", bounds_text(&answer.bounds));
    if !answer.best.is_empty() {
        let names: Vec<String> = answer.best.iter().map(Move::to_string).collect();
        let more = if answer.complete { "" } else { " and perhaps more" };
        text += &format!("best {}{more}\n", names.join(" "));
    }
    for (mv, bounds) in &answer.moves {
        text += &format!("{mv} {}\n", bounds_text(bounds));
    }
    text + &format!("{}, {seconds:.3} s\n", plural(answer.nodes, "node"))
}
