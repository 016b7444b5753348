//! `blackhole solve`: the exact score of a recorded position and its optimal moves.

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
use crate::player::limits::Limits;
use crate::player::position::{Position, Score};
use crate::player::simd::Portable;
use crate::player::solver::{Bounds, Solver};
use crate::workshop::answer::Answer;
use crate::workshop::likely::likely_score;
use crate::workshop::review::exact::{move_values_told, principal_variation, rough_bounds};

/// Print the exact score of the position at the end of a record, and the optimal moves
///
/// The score is the final score under best play of both: red stones minus blue stones next to the
/// hole. Optimal moves dominated by a listed move are omitted. Ctrl-C prints the bounds proven so far.
#[derive(Args)]
#[command(after_help = "\
Keys of --json: empty (cells), to_move, score (null if not proven), bounds
(proven least and most), best (the optimal moves), line (best play from here
on), nodes, seconds, complete (whether every score asked for is proven); moves
(with --all-moves): move, score, bounds.")]
pub(super) struct SolveOptions {
    #[command(flatten)]
    source: GameSource,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Stop after this time, with exit code 3 and the bounds proven so far
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds)]
    limit: Option<Duration>,
    /// Also print the score after every legal move, best first
    #[arg(long)]
    all_moves: bool,
}

/// The solver's answer about a position.
#[derive(Serialize)]
pub(super) struct SolveAnswer {
    #[serde(flatten)]
    answer: Answer,
    /// Whether every score asked for is proven.
    pub complete: bool,
    /// Whether `best` holds all optimal moves.
    #[serde(skip)]
    all_best: bool,
    /// With `--all-moves` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<MoveRow>>,
}

/// The score after a move, as far as it is known.
#[derive(Serialize)]
pub(super) struct MoveRow {
    r#move: String,
    score: Option<Score>,
    bounds: [Score; 2],
}

/// Print the score; exit code 3 if the limit came first, 130 after Ctrl-C.
pub(super) fn run(options: &SolveOptions) -> CommandResult {
    let record = options.source.record()?;
    let stop = stop_flag()?;
    let answer = solve(record.position(), options, stop);
    print(&if options.json { json_line(&answer)? } else { text(&answer) })?;
    Ok(if answer.complete {
        SUCCESS
    } else if stop.load(Ordering::Relaxed) {
        say("interrupted: only the bounds proven so far are printed");
        INTERRUPTED
    } else {
        UNDECIDED
    })
}

fn solve(position: &Position, options: &SolveOptions, stop: &'static AtomicBool) -> SolveAnswer {
    let deadline = options.limit.map(|limit| Instant::now() + limit);
    let limits = Limits { deadline, stop: Some(stop), ..Limits::NONE };
    // Shown only on a terminal.
    let spinner = ProgressBar::new_spinner();
    animate(&spinner, Duration::from_millis(200));
    let show = &mut |known: SolveEvent| {
        if let SolveEvent::Bounds(Bounds { lower, upper }) = known {
            spinner.set_message(format!("score {lower}..{upper}"));
        }
    };
    let answer = SolveSession::new(*position).solve_within(options.all_moves, &limits, show);
    spinner.finish_and_clear();
    answer
}

/// A result of the solver, on its way to the whole answer.
pub(super) enum SolveEvent {
    Bounds(Bounds),
    /// The score of the position, its optimal moves and a line of best play.
    Score(SolveAnswer),
    /// The score after one move.
    Move(MoveRow),
}

/// A position solved step by step, each step within its own limits.
pub(super) struct SolveSession {
    position: Position,
    started: Instant,
    solver: Solver,
    /// The proven bounds, and a move that secures the mover's bound; `None` before the first step.
    known: Option<(Bounds, Option<Move>)>,
}

impl SolveSession {
    pub fn new(position: Position) -> SolveSession {
        SolveSession { position, started: Instant::now(), solver: Solver::default(), known: None }
    }

    /// Go on solving within new limits, and tell each result.
    pub fn solve_within(
        &mut self,
        all_moves: bool,
        limits: &Limits,
        tell: &mut dyn FnMut(SolveEvent),
    ) -> SolveAnswer {
        let SolveSession { position, started, solver, known } = self;
        let guess = likely_score(position);
        let begin = *known.get_or_insert_with(|| rough_bounds(solver, position, guess, limits));
        let mut bounds = |bounds| tell(SolveEvent::Bounds(bounds));
        bounds(begin.0);
        let solution = solver.solve_from(position, begin, guess, limits, &mut bounds);
        *known = Some((solution.bounds, solution.best.or(begin.1)));
        let score = solution.bounds.exact();
        let mut best_line: Vec<Move> = solution.optimal.first().copied().into_iter().collect();
        if let Some(&first) = best_line.first() {
            best_line.extend(principal_variation(solver, &position.after::<Portable>(first), score, limits));
        }
        let answer = |solver: &Solver, moves: Option<Vec<MoveRow>>| {
            let answer = Answer::of(position, solution.bounds, solver.nodes(), started.elapsed());
            SolveAnswer {
                answer: answer.with_moves(&solution.optimal, &best_line),
                complete: solution.complete
                    && score.is_some()
                    && moves.iter().flatten().all(|row| row.score.is_some()),
                all_best: solution.complete,
                moves,
            }
        };
        let row = |(mv, bounds): (Move, Bounds)| {
            let Bounds { lower, upper } = bounds;
            MoveRow { r#move: mv.to_string(), score: bounds.exact(), bounds: [lower, upper] }
        };
        if score.is_some() {
            tell(SolveEvent::Score(answer(solver, None)));
        }
        let mut found = |found| tell(SolveEvent::Move(row(found)));
        let all = all_moves.then(|| move_values_told(solver, position, &solution, limits, &mut found));
        answer(solver, all.map(|all| all.into_iter().map(row).collect()))
    }
}

fn text(SolveAnswer { answer, all_best, moves, .. }: &SolveAnswer) -> String {
    let Answer { empty, to_move, score, bounds, best, line, nodes, seconds } = answer;
    let turn = if *empty > 1 { format!("{to_move} to move") } else { "the game is over".to_owned() };
    let mut text = format!("{}, {turn}\n", plural(*empty, "empty cell"));
    text += &format!("score {}\n", Answer::shown(*score, *bounds));
    if !best.is_empty() {
        text += &format!("best {}{}\n", best.join(" "), if *all_best { "" } else { " and perhaps more" });
        text += &format!("line {}\n", line.join(" "));
    }
    for MoveRow { r#move, score, bounds } in moves.iter().flatten() {
        text += &format!("{move} {}\n", Answer::shown(*score, *bounds));
    }
    text + &format!("{}, {seconds:.3} s\n", plural(*nodes, "node"))
}
