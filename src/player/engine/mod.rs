//! Move selection (§4.1), in four steps: observe the opponent's reply, plan the time, solve the
//! position or search for the most ambitious target within reach, choose.

pub mod choose;
pub mod clock;
mod respond;
mod solved;
mod targets;

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::agent::{Agent, Choice, Criterion, Reason};
use crate::alpha::Target;
use crate::board::{Move, Player};
use crate::evaluation;
use crate::limits::Limits;
use crate::opponent::{Opponent, ReplyModel};
use crate::params::Params;
use crate::position::{Position, Score};
use crate::rng::Random;
use crate::search::{Line, Search};
use crate::simd::Portable;
use crate::solver::{Bounds, Solution, Solver};
use choose::{Choices, Prospect};
use clock::Plan;
use solved::Refinement;
pub use targets::TargetLine;

/// How an engine is set up.
#[derive(Clone, Debug)]
pub struct Options {
    /// The tunables.
    pub params: Params,
    /// Seed of all randomness.
    pub seed: u64,
    /// Think this many iterations a move instead of by the clock. The same seed and number then
    /// give the same game on every machine.
    pub nodes: Option<u64>,
    /// Bytes that trees and table may take together.
    pub memory: usize,
    /// Move at once when this is raised.
    pub stop: Option<&'static AtomicBool>,
}

/// Default limit of the memory of trees and table. Pages are touched as they are used.
pub const DEFAULT_MEMORY: usize = 192 << 20;

impl Default for Options {
    fn default() -> Options {
        Options { params: Params::default(), seed: 1, nodes: None, memory: DEFAULT_MEMORY, stop: None }
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

/// What is known of the moves before one is chosen.
struct Findings {
    choices: Choices,
    reason: Reason,
    targets: Vec<TargetLine>,
    solution: Option<Solution>,
    /// Iterations, and playouts of a search without a tree.
    nodes: u64,
    /// What the next move aims at first, if it is not what this one is chosen for.
    aim: Option<Target>,
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

/// A search shorter than this is not worth starting.
const LEAST_SEARCH: Duration = Duration::from_micros(500);
/// With less time for a move it is made without judging the opponent's reply, which takes a few
/// milliseconds.
const LEAST_TO_JUDGE: Duration = Duration::from_millis(20);
/// So many moves are tried for a harder goal than the sure one.
const TRIES: usize = 4;

impl Engine {
    /// Make an engine. Memory is reserved, not touched.
    pub fn new(options: Options) -> Engine {
        // An eighth of the memory is as good a table as all of it up to 21 empty cells.
        let solver = Solver::new(options.memory / 8);
        let opponent = Opponent::default();
        Engine { options, search: None, solver, aim: Target::new(0), last_empty: 0, opponent }
    }

    /// Take the opponent of the next position that is thought about for the one who moved in a game
    /// so far.
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
        let plan = self.plan(position, start, remaining);
        let replied = self.observe(position, &plan);
        let before = self.solver.nodes();
        let found = self.solve_or_search(position, &plan);
        let aim = found.aim;
        let mut thoughts = self.settle(found);
        let aim = aim.or(thoughts.choice.target).unwrap_or(self.aim);
        let rise =
            i32::from(position.to_move().sign()) * (i32::from(aim.alpha()) - i32::from(self.aim.alpha()));
        let exploits = thoughts.choice.reason == Reason::Exploiting;
        self.opponent.note_turn(position, replied.then_some(rise), exploits);
        self.aim = aim;
        thoughts.choice.opponent = self.opponent.taken_for(&self.options.params);
        thoughts.choice.nodes += self.solver.nodes() - before;
        thoughts.choice.elapsed = start.elapsed();
        thoughts
    }

    fn plan(&self, position: &Position, start: Instant, remaining: Duration) -> Plan {
        let Options { params, nodes, stop, .. } = &self.options;
        let mut plan = match *nodes {
            None => clock::plan(params, position.empty().len(), start, remaining),
            Some(nodes) => clock::plan_nodes(params, position.empty().len(), start, nodes),
        };
        for limits in [&mut plan.solve, &mut plan.search, &mut plan.refine] {
            limits.stop = *stop;
        }
        plan
    }

    /// Learn from the reply that led to a position, or begin a new game; tell whether there was one.
    fn observe(&mut self, position: &Position, plan: &Plan) -> bool {
        let empty = position.empty().len();
        if empty >= self.last_empty {
            self.aim = Target::new(0);
            self.opponent = Opponent::default();
        }
        self.last_empty = empty;
        !plan.search.leaves_less_than(LEAST_TO_JUDGE) && self.opponent.see(position, self.aim)
    }

    /// Find out about the moves what is surest first: the last move, what is best against an opponent
    /// who looks no further than its own move, the solver, the trees.
    fn solve_or_search(&mut self, position: &Position, plan: &Plan) -> Findings {
        let mover = position.to_move();
        let last = last_moves(position);
        if !last.is_empty() {
            return self.found(position, last, Reason::Forced);
        }
        let model = self.opponent.model(&self.options.params);
        let early = position.empty().len() > clock::QUICK_TO_SOLVE;
        if early {
            let sure = self.aim.secured(mover);
            let limits = Limits { deadline: plan.refine.deadline.min(plan.search.deadline), ..plan.refine };
            if let Some(response) = self.respond(position, &model, sure, &limits) {
                return response;
            }
        }
        // Against foretold replies more is within reach than the exact value.
        let stakes = model.map_or(false, |model| model.may_stake());
        let guess = self.aim.secured(mover) * i32::from(mover.sign());
        let asked = !(early && stakes || plan.solve.reached(0));
        let solution = asked.then(|| self.solver.solve(position, guess as Score, &plan.solve));
        self.judge(position, model, solution, plan)
    }

    /// Find out about the moves from what the solver has proven, or else by the trees.
    fn judge(
        &mut self,
        position: &Position,
        model: Option<ReplyModel>,
        solution: Option<Solution>,
        plan: &Plan,
    ) -> Findings {
        // The limits may end between the value and a move that keeps it.
        let solved = solution.as_ref().filter(|solution| !solution.optimal.is_empty());
        let mut found = match solved.and_then(|it| it.bounds.exact().zip(Some(&it.optimal))) {
            Some((score, optimal)) => self.solved(position, score, optimal, model, plan),
            None if plan.search.leaves_less_than(LEAST_SEARCH) => {
                let best = solution.as_ref().and_then(|solution| solution.best);
                let mv = best.or_else(|| evaluation::quick_move::<Portable>(position, self.aim));
                self.found(position, mv.map(Prospect::of).into_iter().collect(), Reason::Hurried)
            }
            None => self.searched(position, model, solution.as_ref(), plan),
        };
        found.solution = solution;
        found
    }

    /// Choose among the moves found.
    fn settle(&self, found: Findings) -> Thoughts {
        let Findings { mut choices, mut reason, targets, solution, nodes, aim } = found;
        let (place, criterion) = choices.choose(&self.options.params).expect("a move to play");
        let chosen = choices.prospects[place];
        let (goal, chance) = choices.goal;
        let (target, chance) = match criterion {
            Criterion::Opponent | Criterion::Secured => (chosen.secures, 1.0),
            // Nothing has told a chance.
            _ if reason == Reason::Hurried => (None, chance),
            _ => (Some(goal), chance),
        };
        // A solved move may stake some of the value.
        if reason == Reason::Solved && target != aim {
            reason = Reason::Exploiting;
        }
        choices.prospects[..place + 1].rotate_right(1);
        let tree = if chosen.visits > 0 { Some(goal) } else { target };
        let search = self.search.as_ref().filter(|_| reason == Reason::Searched);
        let variation = search.zip(tree).map(|(search, tree)| search.variation_after(tree, chosen.mv));
        let variation = variation.unwrap_or_else(|| Line::from_iter([chosen.mv]));
        let choice = Choice { reason, criterion, target, chance, nodes, ..Choice::unsearched(chosen.mv) };
        Thoughts { choice, targets, prospects: choices.prospects, variation, solution }
    }

    /// Make findings of moves that no search was needed for.
    fn found(&self, position: &Position, prospects: Vec<Prospect>, reason: Reason) -> Findings {
        let choices = Choices { mover: position.to_move(), prospects, goal: (self.aim, 0.5) };
        Findings { choices, reason, targets: Vec::new(), solution: None, nodes: 0, aim: None }
    }

    /// List the moves that bring more than `sure` against an opponent who looks no further than its
    /// own move, if this one is such.
    fn respond(
        &mut self,
        position: &Position,
        model: &Option<ReplyModel>,
        sure: i32,
        limits: &Limits,
    ) -> Option<Findings> {
        let Options { params, seed, .. } = &self.options;
        let model = model.as_ref().filter(|model| model.is_naive())?;
        let mut random = Random::new(seed ^ u64::from(position.empty().len()));
        let (prospects, nodes) =
            respond::respond(position, model, params, &mut random, &mut self.solver, sure, limits);
        prospects.first()?;
        let found = self.found(position, prospects, Reason::Exploiting);
        Some(Findings { nodes, aim: Some(self.aim), ..found })
    }

    /// List the moves of a position of a final score, with the optimal moves.
    fn solved(
        &mut self,
        position: &Position,
        score: Score,
        optimal: &[Move],
        model: Option<ReplyModel>,
        plan: &Plan,
    ) -> Findings {
        let mover = position.to_move();
        let (target, value) = (Target::reached(mover, score), mover.sign() * score);
        if let Some(response) = self.respond(position, &model, value.into(), &plan.refine_from_now()) {
            return Findings { aim: Some(target), ..response };
        }
        let mut refinement = Refinement {
            solver: &mut self.solver,
            opponent: &self.opponent,
            params: &self.options.params,
            stakes: model.map_or(false, |model| model.may_stake()),
            limits: plan.refine_from_now(),
        };
        let prospects = refinement.prospects(position, value, optimal);
        let choices = Choices { mover, prospects, goal: (target, 1.0) };
        Findings { choices, aim: Some(target), ..self.found(position, Vec::new(), Reason::Solved) }
    }

    /// List the moves of the goal's tree (Algorithm 1), with what is proven of them.
    fn searched(
        &mut self,
        position: &Position,
        model: Option<ReplyModel>,
        solution: Option<&Solution>,
        plan: &Plan,
    ) -> Findings {
        let Options { params, seed, memory, .. } = &self.options;
        let new = || Search::new(position, params, *seed, memory - memory / 8);
        let search = self.search.get_or_insert_with(new);
        search.restart(position);
        search.model_replies(model);
        let before = search.iterations();
        let mut found = targets::search_targets(search, params, self.aim, &plan.search);
        let nodes = search.iterations() - before;
        let mover = position.to_move();
        let (goal, chance) = found.choices.goal;
        let unlikely = |&(target, _): &(Target, Move)| target != goal && chance < params.choose;
        if let Some((target, sure)) = found.sure.filter(unlikely) {
            // A harder goal that is unlikely is tried for only by moves that keep the sure one.
            let open = found.choices.prospects.iter().filter(|it| it.proof != Some(mover.opponent()));
            let open: Vec<Move> = open.map(|it| it.mv).take(TRIES).collect();
            let limits = plan.refine.at_most(clock::HARD);
            let keeps = |&mv: &Move| {
                let next = position.after::<Portable>(mv);
                mv == sure || self.solver.reaches(&next, target, &limits) == Some(mover == Player::Red)
            };
            if let Some(kept) = open.into_iter().find(keeps) {
                found.choices.secure(kept, target);
            }
        }
        if found.choices.prospects.is_empty() {
            let quick = evaluation::quick_move::<Portable>(position, goal);
            found.choices.prospects.extend(quick.map(Prospect::of));
        }
        let bound = solution.and_then(|it| Some((it.best?, secured_target(mover, &it.bounds)?)));
        if let Some((best, target)) = bound {
            found.choices.secure(best, target);
        }
        let targets::Searched { choices, targets, .. } = found;
        Findings { choices, targets, nodes, ..self.found(position, Vec::new(), Reason::Searched) }
    }
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

/// List the two moves of a last stone, with what each secures: an isolated pair of cells. Empty
/// before.
fn last_moves(position: &Position) -> Vec<Prospect> {
    if position.empty().len() != 2 {
        return Vec::new();
    }
    let secures = |mv| {
        let score = position.after::<Portable>(mv).final_score()?;
        Some(Prospect { secures: Some(Target::reached(position.to_move(), score)), ..Prospect::of(mv) })
    };
    let mut moves: Vec<Prospect> = position.legal_moves().filter_map(secures).collect();
    moves.reverse();
    moves
}

/// Return the hardest target that the proven bounds secure for `mover`, if they prove any.
fn secured_target(mover: Player, bounds: &Bounds) -> Option<Target> {
    let score = bounds.secured(mover);
    (score != Bounds::UNKNOWN.secured(mover)).then(|| Target::reached(mover, score))
}

#[cfg(test)]
mod tests;
