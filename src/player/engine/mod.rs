//! Move selection (§4.1): solve the position outright, or search for the most ambitious target within reach.

pub mod clock;
mod opponent;
mod solved;
mod targets;
mod team;

use std::time::{Duration, Instant};

use crate::player::agent::{Agent, Choice, Reason};
use crate::player::alpha::Target;
use crate::player::board::{Move, Player};
use crate::player::evaluation;
use crate::player::limits::Limits;
use crate::player::params::Params;
use crate::player::position::{Position, Score};
use crate::player::search::tree::Proof;
use crate::player::search::{Candidate, Line};
use crate::player::simd::Portable;
use crate::player::solver::{Bounds, Solution, Solver};
use clock::Plan;
use opponent::Opponent;
use team::Team;
pub use team::tree_search;

/// How an engine is set up.
#[derive(Clone, Debug)]
pub struct Options {
    /// The tunables.
    pub params: Params,
    /// Seed of all randomness.
    pub seed: u64,
    /// Think this many iterations a move instead of by the clock. The same seed and number then give the
    /// same game on every machine.
    pub nodes: Option<u64>,
    /// Bytes that trees and table may take together.
    pub memory: usize,
    /// Threads of the tree search, each with trees of its own in its part of the memory; 0 counts as 1. What
    /// they find at the root is added up. The solver, which answers first once few cells are left, has one.
    ///
    /// With `nodes`, every thread thinks that many iterations, and the same seed, number and threads give
    /// the same game.
    pub threads: usize,
}

/// Return the most threads that make sense on this machine: the processors this program may use.
pub fn most_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Default limit of the memory of trees and table. Pages are touched as they are used.
pub const DEFAULT_MEMORY: usize = 192 << 20;

impl Default for Options {
    fn default() -> Options {
        Options { params: Params::default(), seed: 1, nodes: None, memory: DEFAULT_MEMORY, threads: 1 }
    }
}

/// What the tree search of one move may spend.
#[derive(Clone, Copy, Debug)]
enum Budget {
    Until(Instant),
    Iterations(u64),
}

/// What is known of one target after thinking about a move.
#[derive(Clone, Copy, Debug)]
pub struct TargetLine {
    /// The target α.
    pub target: Target,
    /// Estimated chance of the player to move to reach it (Red) or keep the score below it (Blue), 0..=1.
    pub value: f32,
    /// Iterations of its tree.
    pub visits: u32,
    /// Whether it is proven.
    pub proof: Proof,
}

/// A chosen move with everything that led to it.
#[derive(Clone, Debug)]
pub struct Thoughts {
    /// The move and its summary.
    pub choice: Choice,
    /// The targets searched, ascending.
    pub targets: Vec<TargetLine>,
    /// The moves of the goal's tree: the chosen one if it is there, then the best first. Empty when solved or
    /// forced.
    pub candidates: Vec<Candidate>,
    /// The expected line of play of the chosen target's tree.
    pub variation: Line,
    /// What the solver proved, if it was asked.
    pub solution: Option<Solution>,
}

/// The engine: trees and solver, kept from move to move.
pub struct Engine {
    options: Options,
    team: Option<Team>,
    solver: Solver,
    /// α_init for the next move: the last target aimed at.
    aim: Target,
    /// The empty cells of the position this engine last moved in, to tell a new game.
    last_empty: u32,
    opponent: Opponent,
}

/// Solver nodes for each iteration when thinking by count.
const NODES_PER_ITERATION: u64 = 16;
/// Solver nodes for each iteration when telling apart moves by count.
const TRAP_NODES_PER_ITERATION: u64 = 100;
/// Solver nodes a second, about: only to plan by count as if by time.
const SOLVER_RATE: f64 = 3e6;
/// A search shorter than this is not worth starting.
const LEAST_SEARCH: Duration = Duration::from_micros(500);

impl Engine {
    /// Make an engine. Memory is reserved, not touched.
    pub fn new(options: Options) -> Engine {
        // An eighth of the memory is as good a table as all of it up to 21 empty cells.
        let solver = Solver::new(options.memory / 8);
        let opponent = Opponent::default();
        Engine { options, team: None, solver, aim: Target::new(0), last_empty: 0, opponent }
    }

    /// Choose a move for the player to move and say why. `remaining` is the time left for the game.
    ///
    /// # Panics
    /// When the game is over: there must be at least two empty cells.
    pub fn think(&mut self, position: &Position, remaining: Duration) -> Thoughts {
        let start = Instant::now();
        let empty = position.empty().len();
        assert!(empty > 1, "a position with a move");
        if empty >= self.last_empty {
            self.aim = Target::new(0);
            self.team = None;
            self.opponent = Opponent::default();
        }
        let aim_before = self.aim;
        self.last_empty = empty;
        let replied = self.opponent.see_reply(position, aim_before);
        let plan = match self.options.nodes {
            None => clock::plan(&self.options.params, empty, remaining),
            Some(nodes) => counted(&self.options.params, empty, nodes),
        };
        let nodes_before = self.solver.nodes();
        let mut thoughts = self.decide(position, &plan, start);
        if replied {
            let sign = i32::from(position.to_move().sign());
            let rise = i32::from(self.aim.alpha()) - i32::from(aim_before.alpha());
            self.opponent.see_rise(sign * rise);
        }
        self.opponent.note_turn(position, thoughts.choice.reason == Reason::Exploiting);
        thoughts.choice.elapsed = start.elapsed();
        thoughts.choice.nodes += self.solver.nodes() - nodes_before;
        thoughts
    }

    fn decide(&mut self, position: &Position, plan: &Plan, start: Instant) -> Thoughts {
        if let Some((mv, score)) = last_move(position) {
            self.aim = reached(position.to_move(), score);
            let mut thoughts = self.plain(mv, Reason::Forced);
            thoughts.choice.value = 1.0;
            return thoughts;
        }
        if position.empty().len() > clock::QUICK_TO_SOLVE {
            let mover = position.to_move();
            // Blue holds Red below the target.
            let aim =
                i32::from(mover.sign()) * i32::from(self.aim.alpha()) + i32::from(mover == Player::Blue);
            let time = plan.trap.min(plan.solve + plan.search);
            let limits = self.solver_limits(Instant::now() + time, TRAP_NODES_PER_ITERATION);
            if let Some(mv) = self.move_against_follower(position, aim, &limits) {
                self.team = None;
                return self.plain(mv, Reason::Exploiting);
            }
        }
        let mut solution = None;
        // Against likely replies more is within reach than the exact value.
        let foretold = position.empty().len() > clock::QUICK_TO_SOLVE
            && self.opponent.model(&self.options.params).is_some();
        if plan.solve > Duration::ZERO && !foretold {
            let limits = self.solver_limits(start + plan.solve, NODES_PER_ITERATION);
            let mover = position.to_move();
            let guess = i32::from(self.aim.alpha()) - i32::from(mover == Player::Blue);
            let solved = self.solver.solve(position, guess as Score, &limits);
            if let Some(value) = solved.bounds.exact() {
                self.aim = reached(mover, value);
                return self.play_solved(position, solved, value, plan);
            }
            solution = Some(solved);
        }
        if self.opponent.moves_at_random(&self.options.params)
            && let Some(mv) = self.move_against_random(position, plan)
        {
            self.team = None;
            return Thoughts { solution, ..self.plain(mv, Reason::Exploiting) };
        }
        let budget = match self.options.nodes {
            Some(nodes) => Budget::Iterations(nodes),
            None => Budget::Until(Instant::now() + plan.search),
        };
        if self.options.nodes.is_none() && plan.search < LEAST_SEARCH {
            let secured = solution.as_ref().and_then(|solution| solution.best);
            let quick = || evaluation::quick_move::<Portable>(position, self.aim);
            let mv = secured.or_else(quick).expect("a reasonable move");
            return Thoughts { solution, ..self.plain(mv, Reason::Hurried) };
        }
        let mut thoughts = self.search_move(position, budget, plan);
        // A proven bound at least as good as the target found by search is the surer move.
        if let Some(solved) = solution {
            let mover = position.to_move();
            if let (Some(best), Some(secured)) = (solved.best, secured_target(mover, &solved.bounds))
                && !secured_beats(mover, thoughts.choice.target, secured)
            {
                thoughts.choice.mv = best;
                thoughts.choice.target = Some(secured);
                thoughts.choice.value = 1.0;
                self.aim = secured;
            }
            thoughts.solution = Some(solved);
        }
        thoughts
    }

    fn solver_limits(&self, deadline: Instant, factor: u64) -> Limits {
        match self.options.nodes {
            None => Limits::until(deadline),
            Some(nodes) => Limits::nodes(nodes.saturating_mul(factor)),
        }
    }

    /// Return the limits of telling apart moves that are equally good, from now on.
    fn trap_limits(&self, plan: &Plan) -> Limits {
        if plan.trap.is_zero() {
            return Limits::nodes(0);
        }
        self.solver_limits(Instant::now() + plan.trap, TRAP_NODES_PER_ITERATION)
    }

    fn plain(&self, mv: Move, reason: Reason) -> Thoughts {
        let choice =
            Choice { mv, reason, target: Some(self.aim), value: 0.5, nodes: 0, elapsed: Duration::ZERO };
        Thoughts {
            choice,
            targets: Vec::new(),
            candidates: Vec::new(),
            variation: Line::new(),
            solution: None,
        }
    }
}

impl Agent for Engine {
    fn choose(&mut self, position: &Position, remaining: Duration) -> Choice {
        self.think(position, remaining).choice
    }

    /// Make trees and solver again, rather than clear them: a panic may have left any of their parts half
    /// changed.
    fn forget(&mut self) {
        *self = Engine::new(self.options.clone());
    }
}

/// Return the better of the two moves of a last stone, with the final score: an isolated pair of cells, of
/// which one move is reasonable for every target (§2.3.1).
fn last_move(position: &Position) -> Option<(Move, Score)> {
    if position.empty().len() != 2 {
        return None;
    }
    let sign = position.to_move().sign();
    let scored = |mv| Some((mv, position.after::<Portable>(mv).final_score()?));
    position.legal_moves().filter_map(scored).max_by_key(|&(_, score)| score * sign)
}

/// Plan a move of `nodes` iterations: of the times only whether they are zero counts. The solver is asked if it
/// would be by the clock, with the time its share of nodes takes as the largest part.
fn counted(params: &Params, empty: u32, nodes: u64) -> Plan {
    let seconds = nodes.saturating_mul(NODES_PER_ITERATION) as f64 / SOLVER_RATE;
    let most = f64::from(params.solve_attempt);
    let full = most > 0.0 && clock::solver_part(params, empty, seconds / most) >= most;
    let some_if = |some| Duration::from_secs(u64::from(some));
    Plan { solve: some_if(full), search: some_if(true), trap: some_if(params.trap_share > 0.0) }
}

/// Return the hardest target that a final score reaches for `player`: Blue keeps a score of `score` below the
/// target `score` + 1.
fn reached(player: Player, score: Score) -> Target {
    Target::new(i32::from(score) + i32::from(player == Player::Blue))
}

/// Return the hardest target that the proven bounds secure for `mover`, if they prove any.
fn secured_target(mover: Player, bounds: &Bounds) -> Option<Target> {
    let unknown = Bounds::UNKNOWN;
    match mover {
        Player::Red if bounds.lower > unknown.lower => Some(reached(mover, bounds.lower)),
        Player::Blue if bounds.upper < unknown.upper => Some(reached(mover, bounds.upper)),
        _ => None,
    }
}

/// Tell whether a target found by search is more ambitious than the secured one.
fn secured_beats(mover: Player, searched: Option<Target>, secured: Target) -> bool {
    let ambition = |target: Target| i32::from(target.alpha()) * i32::from(mover.sign());
    searched.is_some_and(|target| ambition(target) > ambition(secured))
}
