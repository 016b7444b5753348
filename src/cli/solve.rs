//! `blackhole solve`: the exact value of a recorded position and its optimal moves.

use std::time::{Duration, Instant};

use clap::Args;
use serde_json::{Value, json};

use super::{Failure, Outcome, RecordSource, SUCCESS, UNDECIDED, json_object, print};
use crate::board::Move;
use crate::limits::Limits;
use crate::position::{Position, Score};

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

/// Proven bounds of a value; where they meet it is exact.
#[derive(Clone, Copy)]
struct Bounds {
    lower: Score,
    upper: Score,
}

impl Bounds {
    fn exact(self) -> Option<Score> {
        (self.lower == self.upper).then_some(self.lower)
    }

    fn text(self) -> String {
        match self.exact() {
            Some(value) => value.to_string(),
            None => format!("{}..{}", self.lower, self.upper),
        }
    }

    fn json(self) -> [(&'static str, Value); 3] {
        [("value", json!(self.exact())), ("lower", json!(self.lower)), ("upper", json!(self.upper))]
    }
}

/// What the solver has to say about a position.
struct Answer {
    bounds: Bounds,
    /// The optimal moves, if the value is exact.
    best: Vec<Move>,
    /// Bounds of the value after each move; empty unless asked for.
    moves: Vec<(Move, Bounds)>,
    nodes: u64,
}

/// Ask the solver.
fn answer(_position: &Position, _limits: &Limits, _all_moves: bool) -> Result<Answer, Failure> {
    Err(Failure::Input("this build has no solver".to_owned()))
}

/// Print the value; exit code 3 when the limit came first.
pub(super) fn run(options: &SolveOptions) -> Outcome {
    let record = options.record.read()?;
    let started = Instant::now();
    let limits = Limits { deadline: options.limit.map(|limit| started + limit), ..Limits::NONE };
    let answer = answer(record.position(), &limits, options.all_moves)?;
    let seconds = started.elapsed().as_secs_f64();
    let all = answer.moves.iter().map(|&(_, bounds)| bounds);
    let undecided = all.chain([answer.bounds]).any(|bounds| bounds.exact().is_none());
    let render = if options.json { json } else { text };
    print(&render(record.position(), &answer, seconds))?;
    Ok(if undecided { UNDECIDED } else { SUCCESS })
}

fn json(position: &Position, answer: &Answer, seconds: f64) -> String {
    let [value, lower, upper] = answer.bounds.json();
    let names: Vec<String> = answer.best.iter().map(Move::to_string).collect();
    let mut fields = vec![
        ("empty", json!(position.empty().len())),
        ("to_move", json!(position.to_move().to_string())),
        value,
        ("best", json!(names)),
        ("nodes", json!(answer.nodes)),
        ("seconds", json!(seconds)),
    ];
    if answer.bounds.exact().is_none() {
        fields.extend([lower, upper]);
    }
    if !answer.moves.is_empty() {
        let moves = answer.moves.iter().map(|(mv, bounds)| {
            let name = ("move", json!(mv.to_string()));
            Value::Object([name].into_iter().chain(bounds.json()).map(|(k, v)| (k.to_owned(), v)).collect())
        });
        fields.push(("moves", moves.collect()));
    }
    json_object(&fields)
}

fn text(position: &Position, answer: &Answer, seconds: f64) -> String {
    let mut text = format!("{} empty cells, {} to move\n", position.empty().len(), position.to_move());
    text += &format!("value {}\n", answer.bounds.text());
    if !answer.best.is_empty() {
        let names: Vec<String> = answer.best.iter().map(Move::to_string).collect();
        text += &format!("best {}\n", names.join(" "));
    }
    for (mv, bounds) in &answer.moves {
        text += &format!("{mv} {}\n", bounds.text());
    }
    text + &format!("{} nodes, {seconds:.3} s\n", answer.nodes)
}
