//! A position solved step by step, each step within limits of its own, by one solver for each core.

use std::iter;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::judge::answer::{Answer, MoveAnswer};
use crate::judge::exact::{move_values, principal_variation, rough_bounds, solve_together};
use crate::judge::likely::likely_score;
use crate::player::alpha::{Reasonable, Status, Target};
use crate::player::board::Move;
use crate::player::limits::Limits;
use crate::player::position::{Position, Score};
use crate::player::simd::Portable;
use crate::player::solver::{Bounds, DEFAULT_TABLE_BYTES, Solution, Solver};
use crate::system::cores;
use crate::system::memory::{available, prefer_large_pages};

#[derive(Default, Serialize)]
pub struct SolveAnswer {
    #[serde(flatten)]
    pub answer: Answer,
    /// Whether every score asked for is proven.
    pub complete: bool,
    /// Whether `best` holds all optimal moves.
    #[serde(skip)]
    pub all_best: bool,
    /// The scores after all moves, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<Vec<MoveAnswer>>,
}

/// A result of the solver, on its way to the whole answer.
pub enum SolveEvent {
    Bounds(Bounds),
    /// The score of the position, an optimal move and a line of best play.
    Score(SolveAnswer),
    Move(MoveAnswer),
}

/// One byte in this many of the free memory is for the table of several cores; and the most bytes.
const TABLE_DIVISOR: usize = 16;
const MAX_TABLE_BYTES: usize = 1 << 30;

/// Up to this many empty cells the table is small, each cell more doubles it: to touch a gigabyte takes up to a second,
/// as long as many questions at 21 cells.
const SMALL_TABLE_CELLS: u32 = 20;
/// From this many empty cells on a question is long enough for large pages.
const LARGE_PAGES_CELLS: u32 = 17;

/// Return the bytes of a table for all cores and a position.
pub fn table_bytes(position: &Position) -> usize {
    let share = (available().unwrap_or(0) / TABLE_DIVISOR).clamp(DEFAULT_TABLE_BYTES, MAX_TABLE_BYTES);
    let more = if cores() > 1 { position.empty().len().saturating_sub(SMALL_TABLE_CELLS).min(3) } else { 0 };
    share.min(DEFAULT_TABLE_BYTES << more)
}

/// A position, and the proofs about it.
pub struct SolveSession {
    position: Position,
    /// The solver nodes and the time of the steps so far.
    spent: (u64, Duration),
    /// The proven bounds, and a move that secures the mover's bound; `None` before the first step.
    known: Option<(Bounds, Option<Move>)>,
}

impl SolveSession {
    pub fn new(position: Position) -> SolveSession {
        SolveSession { position, spent: (0, Duration::ZERO), known: None }
    }

    /// Go on solving within new limits, each solver on its own core; `report` gets each result.
    pub fn solve_within(
        &mut self,
        solvers: &mut [Solver],
        all_moves: bool,
        limits: &Limits,
        report: &mut (dyn FnMut(SolveEvent) + Send),
    ) -> SolveAnswer {
        let SolveSession { position, spent, known } = self;
        Solver::share(solvers, position);
        if position.empty().len() >= LARGE_PAGES_CELLS {
            prefer_large_pages(solvers[0].table());
        }
        let (started, begun) = (Instant::now(), solvers.iter().map(Solver::nodes).sum::<u64>());
        let (before, own_begun) = (*spent, solvers[0].nodes());
        let guess = likely_score(position);
        let rough = *known.get_or_insert_with(|| rough_bounds(&mut solvers[0], position, guess, limits));
        report(SolveEvent::Bounds(rough.0));
        let report = Mutex::new(report);
        let report = |event| report.lock().expect("no panic")(event);
        let mut answer = |nodes: u64, solution: &Solution, best: &[Move], line: &[Move]| {
            *spent = (before.0 + nodes, before.1 + started.elapsed());
            Answer::of(position, solution.bounds, [best, line], *spent)
        };
        let mut line = Vec::new();
        let solve = |solver: &mut Solver| {
            let mut bounds = |bounds| report(SolveEvent::Bounds(bounds));
            // All optimal moves are found among the scores after all moves.
            let solution = if all_moves {
                solver.solve_value(position, rough, guess, limits, &mut bounds)
            } else {
                solver.solve_from(position, rough, guess, limits, &mut bounds)
            };
            line.extend(solution.optimal.first());
            let score = solution.bounds.exact();
            if let Some(&first) = line.first() {
                line.extend(principal_variation(solver, &position.after::<Portable>(first), score, limits));
            }
            if score.is_some() {
                let answer = answer(solver.nodes() - own_begun, &solution, &solution.optimal, &line);
                report(SolveEvent::Score(SolveAnswer { answer, ..SolveAnswer::default() }));
            }
            solution
        };
        let (solution, moves, best, all_best) = if all_moves {
            let mut found = |found| report(SolveEvent::Move(MoveAnswer::proven(found)));
            let (solution, all) = move_values(solvers, position, guess, solve, limits, &mut found);
            let (best, all_best) = optimal(position, &solution.optimal, solution.bounds.exact(), &all);
            (solution, Some(all.into_iter().map(MoveAnswer::proven).collect::<Vec<_>>()), best, all_best)
        } else {
            let solution = solve_together(solvers, limits, solve, |_| ());
            let (best, all_best) = (solution.optimal.clone(), solution.complete);
            (solution, None, best, all_best)
        };
        *known = Some((solution.bounds, solution.best.or(rough.1)));
        let nodes = solvers.iter().map(Solver::nodes).sum::<u64>() - begun;
        let is_whole = all_best && solution.bounds.exact().is_some();
        let complete = is_whole && moves.iter().flatten().all(|row| row.worth.score.is_some());
        SolveAnswer { answer: answer(nodes, &solution, &best, &line), complete, all_best, moves }
    }
}

/// List the optimal moves among all moves, the one found first before the others, without those that a
/// listed move dominates; tell whether there can be no more.
fn optimal(
    position: &Position,
    first: &[Move],
    score: Option<Score>,
    all: &[(Move, Bounds)],
) -> (Vec<Move>, bool) {
    let Some(score) = score else { return (Vec::new(), false) };
    let (mover, Some(first)) = (position.to_move(), first.first().copied()) else {
        return (Vec::new(), position.empty().len() == 1);
    };
    let status = Status::of::<Portable>(position, Target::reached(mover, score));
    let reasonable = Reasonable::of(position, &status).moves(position.hand(mover));
    let others: Vec<Move> = reasonable.filter(|&mv| mv != first).collect();
    let known = |mv: Move| all.iter().find(|(other, _)| *other == mv).and_then(|(_, bounds)| bounds.exact());
    let equal = others.iter().copied().filter(|&mv| known(mv) == Some(score));
    (iter::once(first).chain(equal).collect(), others.iter().all(|&mv| known(mv).is_some()))
}
