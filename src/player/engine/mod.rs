//! Move selection (§4.1): plan the time, learn from the opponent's reply, solve the position, list the moves
//! to choose from, and choose one.

pub mod choose;
pub mod clock;
mod exact;
mod request;
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
use choose::{MoveChoice, MoveFigures, MoveList, TargetEstimate};
use request::MoveRequest;

#[derive(Clone, Debug)]
pub struct Options {
    pub params: Params,
    pub seed: u64,
    /// Think this many iterations a move, not by the clock: the same seed gives the same game on every machine.
    pub nodes: Option<u64>,
    /// Bytes of the trees, the table and the search for a response together, at most.
    pub memory: usize,
    /// Move at once when this flag is raised.
    pub stop: Option<&'static AtomicBool>,
}

/// Default of [`Options::memory`]. Pages are touched as they are used.
pub const DEFAULT_MEMORY: usize = 192 << 20;

impl Default for Options {
    fn default() -> Options {
        Options { params: Params::default(), seed: 1, nodes: None, memory: DEFAULT_MEMORY, stop: None }
    }
}

impl Options {
    /// Return the bytes of the solver's table: within a move's time an eighth solves as many positions of up
    /// to 21 cells as all of it.
    fn table_bytes(&self) -> usize {
        self.memory / 8
    }

    fn response_bytes(&self) -> usize {
        RESPONSE_BYTES.min(self.memory / 8)
    }
}

/// A chosen move with all the reasons for it.
#[derive(Clone, Debug)]
pub struct Thoughts {
    pub choice: Choice,
    /// The targets searched, ascending.
    pub targets: Vec<TargetEstimate>,
    /// The moves to choose from: the chosen one, then the others, the preferred first.
    pub figures: Vec<MoveFigures>,
    /// The expected lines of play after the first [`VARIATIONS`] of these moves, by the tree of the
    /// goal, or of the target that it secures.
    pub variations: Vec<Line>,
    /// The solver's proofs, if it was asked.
    pub solution: Option<Solution>,
}

/// Moves with an expected line of play.
const VARIATIONS: usize = 5;

/// Trees and solver, which keep their memory from move to move, and the model of the opponent.
pub struct Engine {
    options: Options,
    search: Option<Search>,
    solver: Solver,
    /// α_init for the next move: the last target aimed at.
    aim: Target,
    /// The empty cells at the last move, to recognise a new game; `None` before the first.
    last_empty: Option<u32>,
    opponent: Opponent,
}

/// Shortest time for a move that begins with learning from the reply, which takes a few milliseconds.
const MIN_TIME_TO_LEARN: Duration = Duration::from_millis(20);

impl Engine {
    /// Make an engine. Memory is reserved, not touched.
    pub fn new(options: Options) -> Engine {
        let solver = Solver::new(options.table_bytes());
        let opponent = Opponent::default();
        Engine { options, search: None, solver, aim: Target::new(0), last_empty: None, opponent }
    }

    pub fn meet(&mut self, opponent: Opponent) {
        (self.opponent, self.last_empty) = (opponent, None);
    }

    /// Choose a move and say why; at least two cells are empty, and `remaining` is the time left for the game.
    pub fn think(&mut self, position: &Position, remaining: Duration) -> Thoughts {
        let start = Instant::now();
        assert!(position.empty().len() > 1, "a position with a move");
        let Options { params, nodes, stop, .. } = &self.options;
        let mut plan = match *nodes {
            None => clock::plan(params, position.empty().len(), start, remaining),
            Some(nodes) => clock::plan_nodes(params, position.empty().len(), nodes),
        };
        plan.stop_when_raised(*stop);
        self.begin_if_new(position);
        let learns = !plan.search.leaves_less_than(MIN_TIME_TO_LEARN);
        let replied = learns && self.opponent.learn(position, self.aim).is_some();
        let mut request = MoveRequest {
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
        let before = request.nodes();
        let list = list_moves(&mut request);
        let nodes = request.nodes() - before;
        let solution = request.solution;
        let chosen = list.choose(&self.options.params).expect("a move to play");
        self.note(position, replied, &chosen);
        let choice = Choice {
            mv: list.figures[chosen.place].mv,
            reason: chosen.reason,
            target: chosen.target,
            chance: chosen.chance,
            opponent: self.opponent.likeliest(&self.options.params),
            nodes,
            elapsed: start.elapsed(),
        };
        let MoveList { mut figures, targets, goal, .. } = list;
        figures[..chosen.place + 1].rotate_right(1);
        let searched = self.search.as_ref().filter(|_| !targets.is_empty());
        let variations = figures.iter().take(VARIATIONS).map(|it| variation(searched, goal, it)).collect();
        Thoughts { choice, targets, figures, variations, solution }
    }

    /// Forget the last game's aim and opponent if a position belongs to another game.
    fn begin_if_new(&mut self, position: &Position) {
        let last = self.last_empty.replace(position.empty().len());
        if last.is_some_and(|last| position.empty().len() >= last) {
            (self.aim, self.opponent) = (Target::new(0), Opponent::default());
        }
    }

    /// Note our move, and how far the reply raised our aim, if that was measured.
    fn note(&mut self, position: &Position, replied: bool, chosen: &MoveChoice) {
        let aim = chosen.aim.unwrap_or(self.aim);
        let rise = i32::from(aim.alpha()) - i32::from(self.aim.alpha());
        let measured =
            (replied && chosen.aim.is_some()).then_some(i32::from(position.to_move().sign()) * rise);
        self.opponent.note_turn(position, measured, chosen.reason == Reason::Exploiting);
        self.aim = aim;
    }
}

/// Return the expected line of play after a move, by the tree of the goal or of the target that it secures.
fn variation(search: Option<&Search>, goal: Target, first: &MoveFigures) -> Line {
    let tree = if first.visits > 0 { Some(goal) } else { first.secures };
    let line = search.zip(tree).map(|(search, tree)| search.variation_after(tree, first.mv));
    line.unwrap_or_else(|| Line::from_iter([first.mv]))
}

/// Solve the position, then list the moves of the first source that has some: a response to an opponent who
/// moves at random or repeats itself, the optimal moves, the goal's tree, a quick move.
fn list_moves(request: &mut MoveRequest) -> MoveList {
    let exact = request.solve();
    if exact.is_some() {
        request.plan.respond = request.plan.tell_apart_from_now();
    }
    let before = request.nodes();
    let response = respond::respond(request, exact.as_ref());
    request.plan.respond = request.plan.respond.after(request.nodes() - before);
    response
        .or_else(|| exact.map(|exact| exact::optimal(request, &exact)))
        .or_else(|| trees::search(request))
        .unwrap_or_else(|| hurried(request))
}

/// List one move without a search: the solver's best, or a quick move.
fn hurried(request: &MoveRequest) -> MoveList {
    let best = request.solution.as_ref().and_then(|solution| solution.best);
    let mv = best.or_else(|| evaluation::quick_move::<Portable>(&request.position, request.aim));
    MoveList::of(request.mover(), request.aim, mv.map(MoveFigures::of).into_iter().collect())
}

impl Agent for Engine {
    fn choose(&mut self, position: &Position, remaining: Duration) -> Choice {
        self.think(position, remaining).choice
    }

    /// Make trees and solver again, rather than clear them: a panic may have left any part half changed.
    fn forget(&mut self) {
        // The trees go before the new table takes their memory.
        self.search = None;
        *self = Engine::new(self.options.clone());
    }

    fn stop_when_raised(&mut self, stop: &'static AtomicBool) {
        self.options.stop = Some(stop);
    }
}

#[cfg(test)]
mod tests;
