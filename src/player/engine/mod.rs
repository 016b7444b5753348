//! Move selection (§4.1): observe the opponent's reply, plan the time, ask one finding after the other
//! for the moves, the surest first, and choose among those of the first that has any.

pub mod choose;
pub mod clock;
mod exact;
mod question;
mod respond;
mod trees;

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::agent::{Agent, Choice, Reason};
use crate::alpha::Target;
use crate::evaluation;
use crate::opponent::Opponent;
use crate::params::Params;
use crate::position::Position;
use crate::search::{Line, Search, RESPONSE_BYTES};
use crate::simd::Portable;
use crate::solver::{Solution, Solver};
use choose::{Prospect, Slate, TargetLine, Verdict};
use clock::Plan;
use question::Question;

/// How an engine is set up.
#[derive(Clone, Debug)]
pub struct Options {
    pub params: Params,
    /// Seed of all randomness.
    pub seed: u64,
    /// Think this many iterations a move instead of by the clock. The same seed and number then
    /// give the same game on every machine.
    pub nodes: Option<u64>,
    /// Bytes that the trees, the table and a search for a response may take together.
    pub memory: usize,
    /// Move at once when this is raised.
    pub stop: Option<&'static AtomicBool>,
    /// Go on with the trees if the position is that of the last move.
    pub keep_trees: bool,
}

/// Default limit of the memory of trees and table. Pages are touched as they are used.
pub const DEFAULT_MEMORY: usize = 192 << 20;

impl Default for Options {
    fn default() -> Options {
        let (params, memory) = (Params::default(), DEFAULT_MEMORY);
        Options { params, seed: 1, nodes: None, memory, stop: None, keep_trees: false }
    }
}

impl Options {
    /// The solver's table: an eighth is as good as all of it up to 21 empty cells.
    fn table_bytes(&self) -> usize {
        self.memory / 8
    }

    fn response_bytes(&self) -> usize {
        RESPONSE_BYTES.min(self.memory / 8)
    }

    fn search_bytes(&self) -> usize {
        self.memory - self.table_bytes() - self.response_bytes()
    }
}

/// A chosen move with everything that led to it.
#[derive(Clone, Debug)]
pub struct Thoughts {
    /// The move and its summary.
    pub choice: Choice,
    /// The targets searched, ascending.
    pub targets: Vec<TargetLine>,
    /// The moves it was chosen from, the chosen one first, then in the order in which they were
    /// preferred before the criterion decided.
    pub prospects: Vec<Prospect>,
    /// The expected line of play of the chosen target's tree; the chosen move alone without one.
    pub variation: Line,
    /// What the solver proved, if it was asked.
    pub solution: Option<Solution>,
}

/// The engine: trees and solver, whose memory is kept from move to move, and what it knows of the
/// opponent.
pub struct Engine {
    options: Options,
    search: Option<Search>,
    solver: Solver,
    /// α_init for the next move: the last target aimed at.
    aim: Target,
    /// The empty cells of the position this engine last moved in, to tell a new game.
    last_empty: u32,
    opponent: Opponent,
}

/// Shortest time for a move in which the opponent's reply is observed: that takes a few milliseconds.
const LEAST_TO_OBSERVE: Duration = Duration::from_millis(20);

impl Engine {
    /// Make an engine. Memory is reserved, not touched.
    pub fn new(options: Options) -> Engine {
        let solver = Solver::new(options.table_bytes());
        let opponent = Opponent::default();
        Engine { options, search: None, solver, aim: Target::new(0), last_empty: 0, opponent }
    }

    /// Tell the engine who the opponent of the next position is.
    pub fn meet(&mut self, opponent: Opponent) {
        (self.opponent, self.last_empty) = (opponent, u32::MAX);
    }

    /// Choose a move for the player to move and say why. `remaining` is the time left for the game.
    ///
    /// # Panics
    /// When the game is over: there must be at least two empty cells.
    pub fn think(&mut self, position: &Position, remaining: Duration) -> Thoughts {
        let start = Instant::now();
        assert!(position.empty().len() > 1, "a position with a move");
        let Options { params, nodes, stop, .. } = &self.options;
        let mut plan = match *nodes {
            None => clock::plan(params, position.empty().len(), start, remaining),
            Some(nodes) => clock::plan_nodes(params, position.empty().len(), nodes),
        };
        plan.stop_when_raised(*stop);
        let replied = self.observe(position, &plan);
        let before = self.solver.nodes();
        let mut question = Question {
            position: *position,
            options: &self.options,
            plan,
            opponent: &self.opponent,
            model: self.opponent.model(&self.options.params),
            aim: self.aim,
            solver: &mut self.solver,
            search: &mut self.search,
            solution: None,
            iterations: 0,
        };
        let slate = find(&mut question);
        let Question { solution, iterations, .. } = question;
        let verdict = slate.choose(&self.options.params).expect("a move to play");
        self.note(position, replied, &verdict);
        let choice = Choice {
            mv: slate.prospects[verdict.place].mv,
            reason: verdict.reason,
            target: verdict.target,
            chance: verdict.chance,
            opponent: self.opponent.taken_for(&self.options.params),
            nodes: iterations + self.solver.nodes() - before,
            elapsed: start.elapsed(),
        };
        let variation = self.variation(&slate, &verdict);
        let Slate { mut prospects, targets, .. } = slate;
        prospects[..verdict.place + 1].rotate_right(1);
        Thoughts { choice, targets, prospects, variation, solution }
    }

    /// Learn from the reply that led to a position, or begin a new game; tell whether there was one.
    fn observe(&mut self, position: &Position, plan: &Plan) -> bool {
        let empty = position.empty().len();
        if empty >= self.last_empty {
            self.aim = Target::new(0);
            self.opponent = Opponent::default();
        }
        self.last_empty = empty;
        !plan.search.leaves_less_than(LEAST_TO_OBSERVE) && self.opponent.see(position, self.aim)
    }

    /// Note our move: what it aims at, and by how much that rose over the opponent's reply.
    fn note(&mut self, position: &Position, replied: bool, verdict: &Verdict) {
        let rise = i32::from(verdict.aim.alpha()) - i32::from(self.aim.alpha());
        let rise = replied.then_some(i32::from(position.to_move().sign()) * rise);
        self.opponent.note_turn(position, rise, verdict.reason == Reason::Exploiting);
        self.aim = verdict.aim;
    }

    /// Return the expected line of play: of the goal's tree, or of the target's that the move secures.
    fn variation(&self, slate: &Slate, verdict: &Verdict) -> Line {
        let chosen = &slate.prospects[verdict.place];
        let tree = if chosen.visits > 0 { Some(slate.goal) } else { verdict.target };
        let search = self.search.as_ref().filter(|_| !slate.targets.is_empty());
        let line = search.zip(tree).map(|(search, tree)| search.variation_after(tree, chosen.mv));
        line.unwrap_or_else(|| Line::from_iter([chosen.mv]))
    }
}

/// Ask for the moves, the surest knowledge first: the exact value, or more than that against an opponent
/// who looks no further than its own move; then the trees; then a glance.
fn find(question: &mut Question) -> Slate {
    let exact = question.solve();
    let response = respond::respond(question, exact.as_ref());
    response
        .or_else(|| exact.map(|exact| exact::optimal(question, &exact)))
        .or_else(|| trees::search(question))
        .unwrap_or_else(|| hurried(question))
}

/// List one move without a search: the best that the solver knows, or the best at sight.
fn hurried(question: &Question) -> Slate {
    let best = question.solution.as_ref().and_then(|solution| solution.best);
    let mv = best.or_else(|| evaluation::quick_move::<Portable>(&question.position, question.aim));
    Slate::of(question.mover(), question.aim, mv.map(Prospect::of).into_iter().collect())
}

impl Agent for Engine {
    fn choose(&mut self, position: &Position, remaining: Duration) -> Choice {
        self.think(position, remaining).choice
    }

    /// Make trees and solver again, rather than clear them: a panic may have left any of their
    /// parts half changed.
    fn forget(&mut self) {
        self.search = None;
        *self = Engine::new(self.options.clone());
    }

    fn heed(&mut self, stop: &'static AtomicBool) {
        self.options.stop = Some(stop);
    }
}

#[cfg(test)]
mod tests;
