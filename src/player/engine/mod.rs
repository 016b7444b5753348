//! Move selection (§4.1): solve the position outright, or search for the most ambitious target
//! within reach.

mod ahead;
pub mod clock;
mod respond;
mod solved;
mod targets;

use std::time::{Duration, Instant};

use crate::agent::{Agent, Choice, Reason};
use crate::alpha::Target;
use crate::board::{Move, Player};
use crate::evaluation;
use crate::opponent::Opponent;
use crate::params::Params;
use crate::position::{Position, Score};
use crate::search::{Candidate, Line, Search};
use crate::simd::Portable;
use crate::solver::{Bounds, Solution, Solver};
use clock::{Plan, Share};

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
}

/// Default limit of the memory of trees and table. Pages are touched as they are used.
pub const DEFAULT_MEMORY: usize = 192 << 20;

impl Default for Options {
    fn default() -> Options {
        Options { params: Params::default(), seed: 1, nodes: None, memory: DEFAULT_MEMORY }
    }
}

/// What is known of one target after thinking about a move.
#[derive(Clone, Copy, Debug)]
pub struct TargetLine {
    /// The target α.
    pub target: Target,
    /// Estimated chance of the player to move to reach it (Red) or keep the score below it (Blue),
    /// 0..=1.
    pub value: f32,
    /// Iterations of its tree.
    pub visits: u32,
    /// The player who is proven to win for it.
    pub proof: Option<Player>,
}

/// A chosen move with everything that led to it.
#[derive(Clone, Debug)]
pub struct Thoughts {
    /// The move and its summary.
    pub choice: Choice,
    /// The targets searched, ascending.
    pub targets: Vec<TargetLine>,
    /// The moves of the goal's tree: the chosen one if it is there, then the best first. Empty when
    /// solved or forced.
    pub candidates: Vec<Candidate>,
    /// The expected line of play of the chosen target's tree.
    pub variation: Line,
    /// What the solver proved, if it was asked.
    pub solution: Option<Solution>,
    /// What the next move aims at first: the chosen target, or more where a move stakes some of it.
    aim: Target,
}

impl Thoughts {
    /// Make the thoughts about a move that needed no tree and is played for a target.
    fn plain(mv: Move, reason: Reason, target: Target, value: f32) -> Thoughts {
        let choice = Choice { reason, target: Some(target), value, ..Choice::unsearched(mv) };
        Thoughts::without_tree(choice, target)
    }

    /// Make the thoughts about a move that needed no tree; the next one aims at `aim` first.
    fn without_tree(choice: Choice, aim: Target) -> Thoughts {
        Thoughts {
            choice,
            targets: Vec::new(),
            candidates: Vec::new(),
            variation: Line::new(),
            solution: None,
            aim,
        }
    }
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
/// With less time for its search a move is made without judging the opponent's reply.
const LEAST_TO_JUDGE: Duration = Duration::from_millis(20);

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
        let empty = position.empty().len();
        assert!(empty > 1, "a position with a move");
        if empty >= self.last_empty {
            self.aim = Target::new(0);
            self.opponent = Opponent::default();
        }
        self.last_empty = empty;
        let plan = match self.options.nodes {
            None => clock::plan(&self.options.params, empty, remaining),
            Some(nodes) => clock::plan_nodes(&self.options.params, empty, nodes),
        };
        // Judging a reply takes a few milliseconds.
        let hurried = plan.search.is_less_than(LEAST_TO_JUDGE);
        let replied = !hurried && self.opponent.see(position, self.aim, &self.options.params);
        let nodes_before = self.solver.nodes();
        let mut thoughts = self.decide(position, &plan, start);
        if replied {
            let rise = i32::from(thoughts.aim.alpha()) - i32::from(self.aim.alpha());
            self.opponent.see_rise(i32::from(position.to_move().sign()) * rise, &self.options.params);
        }
        self.aim = thoughts.aim;
        self.opponent.note_turn(position, thoughts.choice.reason == Reason::Exploiting);
        thoughts.choice.opponent = self.opponent.taken_for(&self.options.params);
        thoughts.choice.elapsed = start.elapsed();
        thoughts.choice.nodes += self.solver.nodes() - nodes_before;
        thoughts
    }

    /// Try what is surest first: the last move, what is best against an opponent who looks no
    /// further than its own move, the solver, the trees.
    fn decide(&mut self, position: &Position, plan: &Plan, start: Instant) -> Thoughts {
        if let Some((mv, score)) = last_move(position) {
            return Thoughts::plain(mv, Reason::Forced, reached(position.to_move(), score), 1.0);
        }
        let early = position.empty().len() > clock::QUICK_TO_SOLVE;
        if early {
            let sure = secured(position.to_move(), self.aim);
            let share = plan.refine.at_most(plan.solve_and_search());
            if let Some(choice) = self.best_response(position, sure, share) {
                return Thoughts::without_tree(choice, self.aim);
            }
        }
        // Against foretold replies more is within reach than the exact value.
        let solution = if early && self.may_stake() { None } else { self.solve(position, plan, start) };
        if let Some((solution, value)) = solution.as_ref().and_then(|it| Some((it, it.bounds.exact()?))) {
            return self.play_solved(position, solution.clone(), value, plan);
        }
        let mut thoughts = self.decide_unsolved(position, plan, solution.as_ref());
        thoughts.solution = solution;
        thoughts
    }

    /// Ask the solver, if the plan allows that.
    fn solve(&mut self, position: &Position, plan: &Plan, start: Instant) -> Option<Solution> {
        if plan.solve == Share::NOTHING {
            return None;
        }
        let guess = secured(position.to_move(), self.aim) * i32::from(position.to_move().sign());
        Some(self.solver.solve(position, guess as Score, &plan.solve.since(start).from_now()))
    }

    fn decide_unsolved(&mut self, position: &Position, plan: &Plan, solution: Option<&Solution>) -> Thoughts {
        if plan.search.is_less_than(LEAST_SEARCH) {
            let best = solution.and_then(|solution| solution.best);
            let mv = best.or_else(|| evaluation::quick_move::<Portable>(position, self.aim));
            return Thoughts::plain(mv.expect("a reasonable move"), Reason::Hurried, self.aim, 0.5);
        }
        let mut thoughts = self.search_move(position, plan);
        // A proven bound at least as good as the target found by search is the surer move.
        let mover = position.to_move();
        let proven = solution.and_then(|it| Some((it.best?, secured_target(mover, &it.bounds)?)));
        if let Some((best, target)) = proven {
            let searched = thoughts.choice.target.map(|searched| secured(mover, searched));
            if searched.map_or(true, |searched| searched <= secured(mover, target)) {
                thoughts.choice.mv = best;
                thoughts.choice.target = Some(target);
                thoughts.choice.value = 1.0;
                thoughts.aim = target;
                // The move that is played leads the list, and the line begins with it.
                thoughts.candidates.sort_by_key(|candidate| candidate.mv != best);
                if let (true, Some(search)) = (thoughts.variation.first() != Some(&best), &self.search) {
                    thoughts.variation = search.variation_after(target, best);
                }
            }
        }
        thoughts
    }
}

impl Agent for Engine {
    fn choose(&mut self, position: &Position, remaining: Duration) -> Choice {
        self.think(position, remaining).choice
    }

    /// Make trees and solver again, rather than clear them: a panic may have left any of their
    /// parts half changed.
    fn forget(&mut self) {
        *self = Engine::new(self.options.clone());
    }
}

/// Solver nodes for one question when telling moves apart.
const HARD: u64 = 300_000;

/// Return the better of the two moves of a last stone, with the final score: an isolated pair of
/// cells, of which one move is reasonable for every target (§2.3.1).
fn last_move(position: &Position) -> Option<(Move, Score)> {
    if position.empty().len() != 2 {
        return None;
    }
    let sign = position.to_move().sign();
    let scored = |mv| Some((mv, position.after::<Portable>(mv).final_score()?));
    position.legal_moves().filter_map(scored).max_by_key(|&(_, score)| score * sign)
}

/// Return the hardest target that a final score reaches for `player`: Blue keeps a score of `score`
/// below the target `score` + 1.
fn reached(player: Player, score: Score) -> Target {
    Target::new(i32::from(score) + i32::from(player == Player::Blue))
}

/// Return the final score for `player` that reaching a target secures: the larger, the more
/// ambitious.
fn secured(player: Player, target: Target) -> i32 {
    i32::from(player.sign()) * i32::from(target.alpha()) + i32::from(player == Player::Blue)
}

/// Return the hardest target that the proven bounds secure for `mover`, if they prove any.
fn secured_target(mover: Player, bounds: &Bounds) -> Option<Target> {
    let score = bounds.secured(mover);
    (score != Bounds::UNKNOWN.secured(mover)).then(|| reached(mover, score))
}
