//! Answers of the solver beyond a position's value: rough bounds, lines of play, values of moves.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

use crate::judge::worth::intersection;
use crate::player::alpha::{Status, Target};
use crate::player::board::{Move, Player};
use crate::player::limits::Limits;
use crate::player::position::{Position, Score};
use crate::player::simd::Portable;
use crate::player::solver::{Bounds, Solution, Solver};

/// Positions of more empty cells may take long: rough bounds come first.
const SMALL_CELLS: u32 = 17;
/// Solver nodes for a question about rough bounds.
const ROUGH_NODES: u64 = 20_000;
/// The distances from the likely score at which rough bounds are asked for.
const ROUGH_DISTANCES: [i32; 9] = [40, 30, 20, 14, 10, 7, 5, 3, 2];

/// Return the bounds of the value by counting dead cells, without search.
pub fn counted_bounds(position: &Position) -> Bounds {
    let status = |&alpha: &Score| Status::of::<Portable>(position, Target::new(alpha.into()));
    let winner = |alpha: &Score| status(alpha).winner(position);
    let alphas: Vec<Score> = Target::all().map(Target::alpha).collect();
    // The lowest targets are Red's, the highest Blue's.
    let reached = alphas.partition_point(|alpha| winner(alpha) == Some(Player::Red));
    let open = alphas.partition_point(|alpha| winner(alpha) != Some(Player::Blue));
    let (lower, upper) = (alphas[reached.saturating_sub(1)], alphas[open.saturating_sub(1)]);
    Bounds { lower, upper }
}

/// Find bounds of a position of more than [`SMALL_CELLS`] empty cells by easy questions, from far to near
/// a guess on both sides, and a move that secures the mover's bound; for a smaller position only the
/// [counted bounds](counted_bounds).
pub fn rough_bounds(
    solver: &mut Solver,
    position: &Position,
    guess: Score,
    limits: &Limits,
) -> (Bounds, Option<Move>) {
    let (mut bounds, mut best) = (counted_bounds(position), None);
    let mover = position.to_move();
    for side in Player::BOTH.into_iter().filter(|_| position.empty().len() > SMALL_CELLS) {
        for distance in ROUGH_DISTANCES {
            let score = i32::from(guess) - i32::from(side.sign()) * distance;
            let target = Target::reached(side, score);
            if limits.reached(0) || score <= bounds.lower.into() || score >= bounds.upper.into() {
                continue;
            }
            let Some(found) = solver.securing_move(position, target, &limits.at_most(ROUGH_NODES)) else {
                break;
            };
            best = found.or(best);
            let alpha = target.alpha();
            if found.is_some() == (mover == Player::Red) {
                bounds.lower = bounds.lower.max(alpha);
            } else {
                bounds.upper = bounds.upper.min(alpha - 1);
            }
        }
    }
    (bounds, best)
}

/// Return the moves of best play of both from a position on, as far as the limits allow; find the
/// position's value unless given.
pub fn principal_variation(
    solver: &mut Solver,
    position: &Position,
    value: Option<Score>,
    limits: &Limits,
) -> Vec<Move> {
    let (mut position, mut moves) = (*position, Vec::new());
    let value = value.or_else(|| solver.value(&position, 0, limits).exact());
    while let Some(value) = value.filter(|_| position.empty().len() > 1) {
        let target = Target::reached(position.to_move(), value);
        let Some(found) = solver.securing_move(&position, target, limits) else { break };
        // Every move keeps the worst score of all.
        let Some(mv) = found.or_else(|| position.legal_moves().next()) else { break };
        position = position.after::<Portable>(mv);
        moves.push(mv);
    }
    moves
}

/// Run `first` on the first solver and `work` on the others, each on its own core; those that are done help.
pub fn solve_together<T>(
    solvers: &mut [Solver],
    limits: &Limits,
    first: impl FnOnce(&mut Solver) -> T,
    work: impl Fn(&mut Solver) + Sync,
) -> T {
    let (one, others) = solvers.split_first_mut().expect("a solver");
    // Each worker holds it while it works; a panic lets go, too.
    let at_work = Arc::new(());
    let is_done = || Arc::strong_count(&at_work) == 1;
    thread::scope(|scope| {
        let mine = Arc::clone(&at_work);
        for solver in others {
            let (theirs, work, is_done) = (Arc::clone(&at_work), &work, &is_done);
            let task = move || {
                work(solver);
                drop(theirs);
                solver.help(limits, is_done);
            };
            // Without more threads, fewer do all.
            if thread::Builder::new().spawn_scoped(scope, task).is_err() {
                break;
            }
        }
        let result = first(one);
        drop(mine);
        one.help(limits, is_done);
        result
    })
}

/// Find bounds of the value after every legal move as far as the limits allow, with several solvers, each on
/// a core of its own; `report` gets each move's bounds when found. Return all, best first for the player to
/// move, equals by cell. The first solver begins with the position itself, whose likely score is `guess`, and
/// the others help: its value makes the scores after its moves cheaper.
pub fn move_values(
    solvers: &mut [Solver],
    position: &Position,
    guess: Score,
    solve: impl FnOnce(&mut Solver) -> Solution,
    limits: &Limits,
    report: &mut (dyn FnMut((Move, Bounds)) + Send),
) -> (Solution, Vec<(Move, Bounds)>) {
    let mover = position.to_move();
    // The largest stones first, and of each the cells with the most empty neighbours: each proof helps the
    // next.
    let counted = |mv: Move| (mv, counted_bounds(&position.after::<Portable>(mv)));
    let mut moves: Vec<(Move, Bounds)> = position.legal_moves().map(counted).collect();
    let neighbours = |mv: &Move| (mv.cell.neighbours() & position.empty()).len();
    moves.sort_by_key(|(mv, _)| Reverse((mv.stone, neighbours(mv))));
    // Moves of one stone are similar: two workers at them would do the same work twice.
    let groups: Vec<_> = moves.chunk_by(|(one, _), (other, _)| one.stone == other.stone).collect();
    let (next, found) = (AtomicUsize::new(0), Mutex::new((Vec::new(), report)));
    let solution = OnceLock::<Solution>::new();
    // No move is better than the best.
    let at_most = |bounds| {
        let Bounds { lower, upper } = solution.get().map_or(Bounds::UNKNOWN, |it| it.bounds);
        let most = match mover {
            Player::Red => Bounds { upper, ..Bounds::UNKNOWN },
            Player::Blue => Bounds { lower, ..Bounds::UNKNOWN },
        };
        intersection(bounds, most)
    };
    let work = |solver: &mut Solver| {
        let before = solver.nodes();
        let mut guess = solution.get().and_then(|it| it.bounds.exact()).unwrap_or(guess);
        let mut bounds_after = |(mv, counted)| {
            if let Some(known) = solution.get().filter(|it| it.optimal.contains(&mv)) {
                return known.bounds;
            }
            let found =
                solver.value(&position.after::<Portable>(mv), guess, &limits.after(solver.nodes() - before));
            guess = found.exact().unwrap_or(guess);
            at_most(intersection(found, counted))
        };
        let groups = std::iter::from_fn(|| groups.get(next.fetch_add(1, Ordering::Relaxed)));
        for &asked in groups.copied().flatten() {
            let result = (asked.0, bounds_after(asked));
            let (all, report) = &mut *found.lock().expect("no panic");
            report(result);
            all.push(result);
        }
    };
    let first = |solver: &mut Solver| {
        let solved = solve(solver);
        solution.get_or_init(|| solved);
        work(solver);
    };
    solve_together(solvers, limits, first, |solver| {
        solver.help(limits, || solution.get().is_some());
        work(solver);
    });
    let mut moves: Vec<(Move, Bounds)> = found.into_inner().expect("no panic").0;
    for (_, bounds) in &mut moves {
        *bounds = at_most(*bounds);
    }
    let worth = |bounds: &Bounds, player| mover.sign() * bounds.secured(player);
    let rank = |bounds: &Bounds| Reverse((worth(bounds, mover), worth(bounds, mover.opponent())));
    moves.sort_by_key(|(mv, bounds)| (rank(bounds), mv.cell.ordinal(), mv.stone));
    let mut solution = solution.into_inner().expect("solved");
    if solution.bounds.exact().is_none() {
        learn_from_moves(&mut solution, mover, &moves);
    }
    (solution, moves)
}

/// Note for a position the proofs of all its moves, the best first.
fn learn_from_moves(solution: &mut Solution, mover: Player, moves: &[(Move, Bounds)]) {
    let best = |of: fn(&Bounds) -> Score| moves.iter().map(|(_, bounds)| mover.sign() * of(bounds)).max();
    let (Some(lower), Some(upper)) = (best(|it| it.lower), best(|it| it.upper)) else { return };
    let proven = Bounds { lower: mover.sign() * lower, upper: mover.sign() * upper };
    solution.bounds = intersection(solution.bounds, proven);
    let (first, bounds) = moves[0];
    if bounds.secured(mover) == solution.bounds.secured(mover) {
        solution.best = Some(first);
        solution.optimal.extend(solution.bounds.exact().and(solution.best));
    }
}
