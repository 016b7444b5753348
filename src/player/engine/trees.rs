//! Algorithm 1 (§4.1): find the most ambitious target that seems within reach, and search its tree;
//! then look ahead to the next harder one: an error of the opponent may let us reach it.

use std::time::{Duration, Instant};

use super::choose::{MoveFigures, MoveList, TargetEstimate, AHEAD_WEIGHT};
use super::request::MoveRequest;
use crate::alpha::Target;
use crate::board::{Move, Player};
use crate::limits::Limits;
use crate::params::Params;
use crate::search::{Candidate, Replies, Search};
use crate::simd::Portable;

/// γ_i: at this chance the first phase makes the target harder.
const RAISE: f32 = 0.6;
/// γ_d: at this chance the first phase makes the target easier.
const LOWER: f32 = 0.4;
/// Share of a move's limits for the first phase, which looks for the target.
const FIRST_PHASE: f32 = 0.35;
/// Visits below which a target's chance is not trusted when the target is chosen.
const TRUSTED_VISITS: u32 = 50;
/// Empty cells up to which the goal is reconsidered in the second phase; the paper keeps it.
const RECONSIDER_CELLS: u32 = 23;
/// Above this chance a goal gets harder, if the harder one has a chance of γ_m.
const ADVANCE: f32 = 0.9;
/// Visits from which a move's chance to reach the next harder target is trusted.
const AHEAD_VISITS: u32 = 20;
/// Iterations between two looks at proofs.
const CHUNK_ITERATIONS: u64 = 64;
/// Iterations between two looks at the goal and at the leading move.
const LOOK_ITERATIONS: u64 = 8 * CHUNK_ITERATIONS;
/// A lead of more visits than this over the next move ends the second phase.
const CLEAR_LEAD: u32 = 64;
/// A search shorter than this is not worth starting.
const MIN_SEARCH_TIME: Duration = Duration::from_micros(500);
/// Most moves of the goal's tree for which the solver is asked whether they reach the secured target, too.
const MAX_TRIED_MOVES: usize = 4;

/// A target that the player to move is proven to reach, and a move that reaches it.
type Secured = (Target, Move);

/// List the moves of the goal's tree, the most visited first (Algorithm 1), with their proofs; `None`
/// without the time for a search.
pub(super) fn search(request: &mut MoveRequest) -> Option<MoveList> {
    let (options, limits) = (request.options, request.plan.search);
    if limits.leaves_less_than(MIN_SEARCH_TIME) {
        return None;
    }
    let (position, params) = (request.position, &options.params);
    let bytes = options.memory - options.table_bytes() - options.response_bytes();
    let new = || Search::new(&position, params, options.seed, bytes);
    let search = request.search.get_or_insert_with(new);
    search.restart(&position);
    search.model_replies(request.model);
    let reconsiders_goal = !params.paper && position.empty().len() <= RECONSIDER_CELLS;
    let (start, begin) = (Instant::now(), search.iterations());
    let mut trees = TargetSearch { search, params, mover: position.to_move(), reconsiders_goal, begin };
    let found = trees.find_target(request.aim, &limits.part(FIRST_PHASE, start));
    let goal = trees.most_ambitious().unwrap_or(found);
    let (goal, secured) = trees.pursue(goal, &limits.part(1.0 - params.ahead, start));
    let mut list = trees.list_moves(goal);
    match secured {
        None => trees.look_ahead(&mut list, &limits),
        Some((target, mv)) => list.secure(mv, target),
    }
    request.iterations += search.iterations() - begin;
    if let Some(secured) = secured {
        // Without a look ahead time is left.
        secure_by_a_likely_move(request, &mut list, secured);
    }
    let proven = request.solution.as_ref().and_then(|solution| Some((solution.best?, solution.bounds)));
    if let Some((best, bounds)) = proven {
        list.secure(best, Target::reached(list.mover, bounds.secured(list.mover)));
    }
    (!list.figures.is_empty()).then_some(list)
}

/// If the goal is unlikely, secure the proven target by the first of the goal's best moves that reaches it.
fn secure_by_a_likely_move(request: &mut MoveRequest, list: &mut MoveList, (target, proven): Secured) {
    let choose = request.options.params.choose;
    if target == list.goal || list.chance.map_or(false, |chance| chance >= choose) {
        return;
    }
    let lost = Some(list.mover.opponent());
    let open =
        list.figures.iter().filter(|it| it.proven_winner != lost).map(|it| it.mv).take(MAX_TRIED_MOVES);
    let position = request.position;
    let limits = Limits { deadline: request.plan.search.deadline, ..request.plan.respond };
    let mut budget = request.budget(limits);
    let mut reaches =
        |&mv: &Move| mv == proven || budget.reaches(&position.after::<Portable>(mv), target) == Some(true);
    let found = open.collect::<Vec<_>>().into_iter().find(|mv| reaches(mv));
    if let Some(mv) = found {
        list.secure(mv, target);
    }
}

/// The state of phase two.
struct Pursuit {
    goal: Target,
    /// The goal before this one.
    earlier: Target,
    /// The hardest goal that is proven to be reached.
    secured: Option<Secured>,
}

impl Pursuit {
    fn turn_to(&mut self, goal: Target) {
        if goal != self.goal {
            (self.earlier, self.goal) = (self.goal, goal);
        }
    }
}

/// The trees of one move, and the choice of a target by them.
struct TargetSearch<'a> {
    search: &'a mut Search,
    params: &'a Params,
    mover: Player,
    /// Whether the goal is reconsidered.
    reconsiders_goal: bool,
    /// The iterations done before.
    begin: u64,
}

impl TargetSearch<'_> {
    /// Return the rest of the limits of a part of the search.
    fn left(&self, limits: &Limits) -> Limits {
        limits.after(self.search.iterations() - self.begin)
    }

    /// Return the estimated chance of the player to move to reach a target.
    fn chance(&self, target: Target) -> Option<f32> {
        self.search.red_value(target).map(|red| if self.mover == Player::Red { red } else { 1.0 - red })
    }

    /// Tell whether the player to move is proven to reach a target, or not to.
    fn proven(&self, target: Target) -> Option<bool> {
        self.search.proven_winner(target, Replies::Strong).map(|winner| winner == self.mover)
    }

    /// Tell whether enough is known of a target's tree to choose the target by it.
    fn is_trusted(&self, target: Target) -> bool {
        self.search.visits(target) >= TRUSTED_VISITS || self.proven(target).is_some()
    }

    /// Tell whether only the memory kept for the look ahead is left.
    fn is_full(&self) -> bool {
        self.params.ahead > 0.0 && self.search.is_full()
    }

    /// Phase one: make the target harder at a chance of γ_i and above, easier at γ_d and below; return the last one.
    fn find_target(&mut self, mut aim: Target, limits: &Limits) -> Target {
        while !self.left(limits).reached(0) && !self.is_full() {
            let done = self.search.run(aim, Replies::Strong, &self.left(limits).at_most(1));
            let next = match self.chance(aim).unwrap_or(0.5) {
                chance if chance >= RAISE => aim.harder(self.mover, 1),
                chance if chance <= LOWER => aim.harder(self.mover, -1),
                _ => aim,
            };
            // Two proven neighbours: the exact value is known, nothing can change.
            if done == 0 && (next == aim || self.proven(next).is_some()) {
                break;
            }
            aim = next;
        }
        aim
    }

    /// Return α_m: the most ambitious target with enough visits and a chance of at least γ_m.
    fn most_ambitious(&self) -> Option<Target> {
        let hopeful =
            |target: &Target| self.chance(*target).map_or(false, |chance| chance >= self.params.choose);
        Target::all()
            .filter(|&target| self.is_trusted(target))
            .filter(hopeful)
            .max_by_key(|target| target.secured(self.mover))
    }

    /// Phase two: search the goal's tree until a move leads clearly; a proof moves the goal on, and so does
    /// an estimate that drifts late in the game. Return the last goal, and the hardest one that is proven.
    fn pursue(&mut self, goal: Target, limits: &Limits) -> (Target, Option<Secured>) {
        let mut pursuit = Pursuit { goal, earlier: goal.harder(self.mover, 1), secured: None };
        let mut next_look = self.search.iterations();
        while self.follow_proof(&mut pursuit) {
            let left = self.left(limits);
            if left.reached(0) || self.is_full() {
                break;
            }
            if self.search.iterations() >= next_look && pursuit.secured.is_none() {
                next_look = self.search.iterations() + LOOK_ITERATIONS;
                if self.reconsiders_goal {
                    pursuit.turn_to(self.reconsidered(pursuit.goal));
                }
                if self.has_clear_lead(pursuit.goal) {
                    break;
                }
            }
            self.search.run(pursuit.goal, Replies::Strong, &left.at_most(CHUNK_ITERATIONS));
        }
        let Pursuit { goal, earlier, secured } = pursuit;
        // The goal came too late for its moves to be known.
        let is_late = self.reconsiders_goal && secured.is_none() && !self.is_trusted(goal);
        let goes_back = is_late && self.search.visits(earlier) >= TRUSTED_VISITS;
        (if goes_back { earlier } else { goal }, secured)
    }

    /// If the goal is proven, turn to a harder one if it is reached, to an easier one if not and nothing is
    /// secured yet; tell whether there is a goal to search.
    fn follow_proof(&self, pursuit: &mut Pursuit) -> bool {
        let Some(is_reached) = self.proven(pursuit.goal) else { return true };
        if is_reached {
            let best = self.search.candidates(pursuit.goal, Replies::Strong).first().map(|best| best.mv);
            pursuit.secured = best.map(|mv| (pursuit.goal, mv)).or(pursuit.secured);
        }
        let next = pursuit.goal.harder(self.mover, if is_reached { 1 } else { -1 });
        let is_known = if is_reached { self.proven(next).is_some() } else { pursuit.secured.is_some() };
        let goes_on = next != pursuit.goal && !is_known;
        if goes_on {
            pursuit.turn_to(next);
        }
        goes_on
    }

    fn has_clear_lead(&self, goal: Target) -> bool {
        let candidates = self.search.candidates(goal, Replies::Strong);
        matches!(candidates[..], [first, second, ..] if first.visits > second.visits + CLEAR_LEAD)
    }

    /// Return the goal to go on with.
    fn reconsidered(&self, goal: Target) -> Target {
        let harder = goal.harder(self.mover, 1);
        let [chance, hope] = [goal, harder].map(|target| self.chance(target).unwrap_or(0.5));
        let next = goal.harder(self.mover, goal_step(self.params.choose, chance, hope));
        if self.proven(next).is_none() {
            next
        } else {
            goal
        }
    }

    /// Search a tree of the next harder target, if there are moves to tell apart, and note each move's
    /// chance there, or the move that is proven to reach that target.
    fn look_ahead(&mut self, list: &mut MoveList, limits: &Limits) {
        let next = list.goal.harder(self.mover, 1);
        if self.params.ahead == 0.0 || next == list.goal || self.proven(next).is_some() {
            return;
        }
        let lead = list.figures.first().and_then(|it| it.chance).unwrap_or(0.0);
        let rivals = list.figures.iter().filter(|it| it.is_rival);
        let rivals: Vec<(Move, f32)> =
            rivals.map(|it| (it.mv, (it.chance.unwrap_or(0.0) - lead) / AHEAD_WEIGHT)).collect();
        if rivals.len() < 2 {
            return;
        }
        if !self.search.restrict_root(next, &rivals) {
            // Without memory for another tree the goal's tree goes on.
            self.search.run(list.goal, Replies::Strong, &self.left(limits));
            return;
        }
        self.search.run(next, Replies::Believed, &self.left(limits));
        let seen = self.search.candidates(next, Replies::Believed);
        for it in &mut list.figures {
            let known = seen.iter().find(|seen| seen.mv == it.mv && seen.visits >= AHEAD_VISITS);
            it.ahead = known.map(|seen| seen.value);
        }
        if self.search.proven_winner(next, Replies::Believed) == Some(self.mover) {
            if let Some(won) = seen.first() {
                list.secure(won.mv, next);
            }
        }
    }

    fn list_moves(&self, goal: Target) -> MoveList {
        let figures_of = |it: &Candidate| MoveFigures {
            secures: (it.proven_winner == Some(self.mover)).then_some(goal),
            chance: Some(it.value),
            visits: it.visits,
            proven_winner: it.proven_winner,
            ..MoveFigures::of(it.mv)
        };
        let figures = self.search.candidates(goal, Replies::Strong).iter().map(figures_of).collect();
        let (chance, targets) = (self.chance(goal), self.estimates());
        let mut list = MoveList { chance, targets, ..MoveList::of(self.mover, goal, figures) };
        list.mark_rivals(self.params);
        list
    }

    /// List the estimates of the targets searched, ascending.
    fn estimates(&self) -> Vec<TargetEstimate> {
        let estimate = |target| {
            let (visits, chance) = (self.search.visits(target), self.chance(target)?);
            let best = self.search.candidates(target, Replies::Strong).first().map(|best| best.value);
            let chance = best.filter(|_| self.proven(target).is_none()).unwrap_or(chance);
            Some(TargetEstimate { target, chance, visits })
        };
        Target::all().filter_map(estimate).collect()
    }
}

/// Return the step to the next goal (harder is 1) by its `chance`, the next harder one's (`hope`) and γ_m (`least`).
fn goal_step(least: f32, chance: f32, hope: f32) -> i32 {
    if chance < least {
        -1
    } else if chance > ADVANCE && hope >= least {
        1
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::simd::Portable;
    use crate::solver::Solver;
    use crate::testing::{random_play, rng};

    #[test]
    fn a_goal_moves_until_its_chance_is_even() {
        assert_eq!([(0.4, 0.1), (0.7, 0.6), (0.95, 0.6)].map(|(c, h)| goal_step(0.5, c, h)), [-1, 0, 1]);
        // Never to and fro: the harder one would be given up at once.
        for (chance, hope) in (0..=20).flat_map(|c| (0..=20).map(move |h| (c as f32 / 20.0, h as f32 / 20.0)))
        {
            assert!(goal_step(0.5, chance, hope) < 1 || goal_step(0.5, hope, 0.0) != -1, "{chance} {hope}");
        }
    }

    #[test]
    fn a_harder_target_proven_while_looking_ahead_is_taken() {
        let (mut random, mut solver, params) = (rng(3), Solver::default(), Params::default());
        let (mut taken, mut left) = (0, 0);
        for seed in 0..60 {
            let position = random_play(&mut random, 9);
            let mover = position.to_move();
            let value = solver.value(&position, 0, &Limits::NONE).exact().expect("no limit");
            let hardest = Target::reached(mover, value);
            for (next, reachable) in [(hardest, true), (hardest.harder(mover, 1), false)] {
                let goal = next.harder(mover, -1);
                let mut search = Search::new(&position, &params, seed, 16 << 20);
                search.run(goal, Replies::Strong, &Limits::nodes(12));
                let search = &mut search;
                let mut trees =
                    TargetSearch { search, params: &params, mover, reconsiders_goal: true, begin: 12 };
                let mut list = trees.list_moves(goal);
                let rivals = list.figures.iter().filter(|it| it.is_rival);
                let among: Vec<Move> = rivals.map(|it| it.mv).collect();
                let mut wins = |mv| {
                    let after: Position = position.after::<Portable>(mv);
                    solver.reaches(&after, next, &Limits::NONE) == Some(mover == Player::Red)
                };
                // The tree is restricted to these moves.
                let reachable = reachable && among.iter().any(|&mv| wins(mv));
                let skipped = among.len() < 2 || trees.proven(next).is_some();
                trees.look_ahead(&mut list, &Limits::nodes(200_000));
                let found = list.figures.iter().find(|it| it.secures == Some(next)).map(|it| it.mv);
                if skipped {
                    assert_eq!(found, None);
                    left += 1;
                    continue;
                }
                assert_eq!(found.is_some(), reachable);
                if let Some(mv) = found {
                    assert!(wins(mv), "{mv} in {position:?}");
                    taken += 1;
                }
            }
        }
        assert!(taken > 10 && left > 0, "{taken} taken, {left} left");
    }
}
