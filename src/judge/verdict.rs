//! The judge: a position's best moves, each with one score; the position's score is its best move's.
//!
//! The judge knows no opponent, counts its effort in nodes, and sees each position as Red: a [new judge](Judge::new) gives a
//! position the same verdict every time, on one core or many, and with the colours exchanged the mirrored one.

use std::cmp::Reverse;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::judge::exact::{counted_bounds, principal_variation, solve_together};
use crate::judge::likely::likely_score;
use crate::judge::minimax::MinimaxNode;
use crate::judge::worth::{Worth, intersection};
use crate::player::board::{Move, Player};
use crate::player::limits::Limits;
use crate::player::position::Position;
use crate::player::simd::Portable;
use crate::player::solver::{Bounds, DEFAULT_TABLE_BYTES, Solution, Solver};
use crate::system::cores;
use crate::text::capital;

/// The work for one position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Effort {
    /// Solver nodes for the position's score; 0: no solver.
    pub nodes: u64,
    /// Iterations of all trees, if the score stays open; 0: no estimate.
    pub iterations: u64,
}

impl Effort {
    /// The effort without a `--limit`.
    pub const DEFAULT: Effort = Effort { nodes: 300_000, iterations: 7_500 };
    /// The effort of a first estimate at once.
    pub const FIRST: Effort = Effort { nodes: 0, iterations: 4_000 };

    /// Return the effort of a time limit: with the solver nodes of an ordinary core in that time.
    #[must_use]
    pub fn with_limit(self, limit: Duration) -> Effort {
        let nodes = limit.as_secs_f64() / DEFAULT_SECONDS * Effort::DEFAULT.nodes as f64;
        Effort { nodes: nodes.round() as u64, ..self }
    }

    /// Tell whether no proof at a later position of the game bounds this one: a move passes on the bound of its own
    /// player alone, so a proof bounds at most the two positions before it.
    pub fn is_above_proofs(self, position: &Position) -> bool {
        self.iterations > 0 && position.empty().len() > self.reach() + 2
    }

    /// Return the most empty cells at which the solver is asked: a cell more takes four times the nodes, and
    /// some positions of several cells more are easy.
    fn reach(self) -> u32 {
        (self.nodes / 10_000).checked_ilog(4).map_or(0, |more| 20 + more)
    }
}

/// The solver's time for the default nodes on an ordinary core.
const DEFAULT_SECONDS: f64 = 0.17;
/// The moves that are listed at least, if there are as many.
pub const LISTED: usize = 5;
/// Up to this many empty cells the scores after all moves are proven.
const ALL_MOVES_CELLS: u32 = 12;
/// Bytes of the solver's table.
const TABLE: usize = 32 << 20;
/// One node in this many is for the score after a move that is not optimal, and a line.
const SHARE_DIVISOR: u64 = 8;

/// A move and its score.
#[derive(Clone, PartialEq, Debug)]
pub struct RatedMove {
    pub mv: Move,
    /// The worth of the position after the move.
    pub worth: Worth,
    /// The move, and the expected moves of both after it.
    pub line: Vec<Move>,
}

/// The judge's answer about a position.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Verdict {
    pub worth: Worth,
    /// The best moves, best first: at least [`LISTED`], and all moves proven optimal.
    pub moves: Vec<RatedMove>,
    /// Whether no other move can be optimal but one that a listed move dominates.
    pub all_optimal: bool,
    /// Iterations and solver nodes.
    pub nodes: u64,
}

impl Verdict {
    /// Return the verdict of proven bounds alone, without moves.
    pub fn proven(bounds: Bounds) -> Verdict {
        Verdict { worth: Worth::proven(bounds), ..Verdict::default() }
    }

    pub fn best(&self) -> Option<&RatedMove> {
        self.moves.first()
    }

    /// Return the moves of the position's proven score.
    pub fn optimal(&self) -> Vec<Move> {
        let is_optimal = |it: &&RatedMove| self.worth.score.is_some() && it.worth.score == self.worth.score;
        self.moves.iter().filter(is_optimal).map(|it| it.mv).collect()
    }

    /// Add the knowledge after a move to the list, and back it up. An empty list stays empty.
    pub fn learn(&mut self, mover: Player, mv: Move, worth: Worth) {
        let is_listed = !self.moves.is_empty();
        match self.moves.iter_mut().find(|it| it.mv == mv) {
            Some(known) => known.worth = known.worth.refined(worth),
            None if is_listed => self.moves.push(RatedMove { mv, worth, line: vec![mv] }),
            None => {}
        }
        self.back_up(mover);
    }

    /// Sort the moves by their scores, and give the position the score of the best.
    fn back_up(&mut self, mover: Player) {
        // A proven score ranks above an equal estimate.
        let rank = |it: &RatedMove| {
            let tenths =
                it.worth.value().map(|value| (10.0 * value).round() as i32 * i32::from(mover.sign()));
            Reverse((tenths, it.worth.score.is_some()))
        };
        self.moves.sort_by_key(rank);
        let bounds = self.worth.bounds();
        let Some(value) = self.best().and_then(|best| best.worth.value()) else { return };
        if bounds.exact().is_none() {
            // A better move may hide as long as the bounds allow it.
            let error = self.moves.iter().filter_map(|it| it.worth.error).next().unwrap_or(0.5);
            self.worth = Worth::estimated(bounds, [value, error]);
        }
    }

    fn exchanged(mut self) -> Verdict {
        self.worth = self.worth.exchanged();
        self.moves.iter_mut().for_each(|it| it.worth = it.worth.exchanged());
        self
    }
}

/// Judges positions, with the same solvers and their memory for all.
pub struct Judge {
    solvers: Vec<Solver>,
    stop: Option<&'static AtomicBool>,
}

impl Judge {
    /// Make a judge that knows nothing yet: its verdicts are the same on every machine.
    pub fn new(stop: Option<&'static AtomicBool>) -> Judge {
        Judge { solvers: Vec::new(), stop }
    }

    /// Make a judge whose proofs take all cores: whether it finds one may differ from run to run.
    pub fn on_all_cores(stop: &'static AtomicBool) -> Judge {
        Judge { solvers: Solver::team(cores(), DEFAULT_TABLE_BYTES), stop: Some(stop) }
    }

    /// Return the solvers, one if none was needed before.
    fn solvers(&mut self) -> &mut [Solver] {
        if self.solvers.is_empty() {
            self.solvers = Solver::team(1, TABLE);
        }
        &mut self.solvers
    }

    /// Return the solver nodes of all cores.
    fn nodes(&self) -> u64 {
        self.solvers.iter().map(Solver::nodes).sum()
    }

    /// Judge a position; `played` is the move of a game with the knowledge after it, whose bounds count: its
    /// score is left to [`Verdict::learn`].
    pub fn judge(&mut self, position: &Position, effort: Effort, played: Option<(Move, Worth)>) -> Verdict {
        let mover = position.to_move();
        if mover == Player::Blue {
            let played = played.map(|(mv, worth)| (mv, worth.exchanged()));
            return self.judge(&position.with_colours_exchanged(), effort, played).exchanged();
        }
        let stop = Limits { stop: self.stop, ..Limits::NONE };
        if position.final_score().is_some() || stop.reached(0) {
            return Verdict::proven(counted_bounds(position));
        }
        let before = self.nodes();
        let solution = self.prove(position, effort, played);
        let mut verdict = Verdict { all_optimal: solution.complete, ..Verdict::proven(solution.bounds) };
        if solution.bounds.exact().is_some() {
            self.list_solved(position, effort, &solution, &mut verdict);
        } else if effort.iterations > 0 && !stop.reached(0) {
            self.estimate_moves(position, effort, &solution, played, &mut verdict);
        }
        verdict.nodes += self.nodes() - before;
        if played.is_none() {
            verdict.back_up(mover);
        }
        verdict
    }

    fn limits(&self, nodes: u64) -> Limits {
        Limits { stop: self.stop, ..Limits::nodes(nodes) }
    }

    /// Prove the value as far as the effort allows, from the bounds after the played move.
    fn prove(&mut self, position: &Position, effort: Effort, played: Option<(Move, Worth)>) -> Solution {
        let (mut bounds, mut best) = (counted_bounds(position), None);
        if let Some((mv, after)) = played {
            let secured = after.bounds().lower;
            bounds = intersection(bounds, Bounds { lower: secured, ..Bounds::UNKNOWN });
            best = Some(mv).filter(|_| bounds.lower == secured);
        }
        if position.empty().len() > effort.reach() {
            return Solution { bounds, best, optimal: Vec::new(), complete: false };
        }
        let guess = played.and_then(|(_, after)| after.score).unwrap_or_else(|| likely_score(position));
        let limits = self.limits(effort.nodes);
        let solvers = self.solvers();
        Solver::share(solvers, position);
        let solve = |one: &mut Solver| one.solve_from(position, (bounds, best), guess, &limits, &mut |_| {});
        let solution = solve_together(solvers, &limits, solve, |_| ());
        Solution { best: solution.best.or(best), ..solution }
    }

    /// List the optimal moves of a solved position, and the scores after more moves.
    fn list_solved(
        &mut self,
        position: &Position,
        effort: Effort,
        solution: &Solution,
        Verdict { moves, nodes, .. }: &mut Verdict,
    ) {
        let worth = Worth::proven(solution.bounds);
        let share = self.limits(effort.nodes / SHARE_DIVISOR);
        moves.extend(solution.optimal.iter().map(|&mv| RatedMove { mv, worth, line: vec![mv] }));
        let others: Vec<Move> = if position.empty().len() <= ALL_MOVES_CELLS {
            position.legal_moves().collect()
        } else if moves.len() < LISTED && effort.iterations > 0 {
            let own = MinimaxNode::new(position, Bounds::UNKNOWN);
            *nodes += own.iterations();
            own.promising
        } else {
            Vec::new()
        };
        let at_most = Bounds { upper: solution.bounds.upper, ..Bounds::UNKNOWN };
        for mv in others {
            let is_enough = position.empty().len() > ALL_MOVES_CELLS && moves.len() >= LISTED;
            if is_enough || moves.iter().any(|it| it.mv == mv) {
                continue;
            }
            let after = position.after::<Portable>(mv);
            let known = intersection(counted_bounds(&after), at_most);
            let found = self.solvers()[0].value(&after, solution.bounds.upper, &share);
            let bounds = intersection(known, found);
            let (worth, line) = if bounds.exact().is_some() || effort.iterations == 0 {
                (Worth::proven(bounds), Vec::new())
            } else {
                let node = MinimaxNode::new(&after.with_colours_exchanged(), bounds.exchanged());
                *nodes += node.iterations();
                (node.worth().exchanged(), node.line())
            };
            moves.push(RatedMove { mv, worth, line: [vec![mv], line].concat() });
        }
        for it in moves.iter_mut().take(LISTED).filter(|it| it.worth.score.is_some()) {
            let after = position.after::<Portable>(it.mv);
            it.line.extend(principal_variation(&mut self.solvers()[0], &after, it.worth.score, &share));
        }
    }

    /// Estimate the most promising moves of Red, and the played one.
    fn estimate_moves(
        &self,
        position: &Position,
        effort: Effort,
        solution: &Solution,
        played: Option<(Move, Worth)>,
        Verdict { moves, nodes, .. }: &mut Verdict,
    ) {
        let secured = Bounds { lower: solution.bounds.lower, ..Bounds::UNKNOWN };
        let best = solution.best.map(|mv| (mv, secured));
        let played = played.map(|(mv, after)| (mv, after.bounds()));
        let mut root = MinimaxNode::new(position, solution.bounds);
        root.search(&best.into_iter().chain(played).collect::<Vec<_>>(), &self.limits(effort.iterations));
        let is_unsolved = position.empty().len() <= effort.reach();
        moves.extend(root.rated().map(|(mv, worth, line)| {
            let worth = if is_unsolved { worth.unsolved() } else { worth };
            RatedMove { mv, worth, line }
        }));
        *nodes += root.iterations();
    }
}

/// Return the best move, and its points in a sentence to the player to move; `None` if nothing was judged.
pub fn hint(position: &Position, stop: &'static AtomicBool) -> Option<(Move, String)> {
    let verdict = Judge::new(Some(stop)).judge(position, Effort::DEFAULT, None);
    let best = verdict.best()?;
    let score = f64::from(position.to_move().sign()) * best.worth.value()?;
    let [own, other] = [75.0 + score, 75.0 - score];
    let [mover, opponent] = [position.to_move(), position.to_move().opponent()].map(capital);
    let points = match best.worth.score {
        Some(_) => format!("with best play {mover} gets {own} points, {opponent} {other}"),
        None => format!("{mover} gets about {own:.1} points, {opponent} {other:.1}"),
    };
    let reply = best.line.get(1).map_or(String::new(), |reply| format!("; {reply} is the expected reply"));
    Some((best.mv, points + &reply))
}
