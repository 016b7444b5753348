//! Algorithm 1 (§4.1): find the most ambitious target that seems within reach, and search its tree.

use std::time::Instant;

use super::clock::Plan;
use super::{Engine, Options, TargetLine, Thoughts, HARD};
use crate::agent::{Choice, Reason};
use crate::alpha::Target;
use crate::board::{Move, Player};
use crate::evaluation;
use crate::limits::{Budget, Limits};
use crate::params::Params;
use crate::position::Position;
use crate::search::{Candidate, Search};
use crate::simd::Portable;

/// Iterations between two looks at proofs.
const CHUNK: u64 = 64;
/// Iterations between two looks at the goal and at the leading move.
const LOOK: u64 = 8 * CHUNK;
/// So many moves are tried for a harder goal than the sure one.
const TRIES: usize = 4;

/// The trees of one move, and how their estimates are read.
pub(super) struct TargetSearch<'a> {
    pub search: &'a mut Search,
    pub params: &'a Params,
    pub mover: Player,
    /// Whether the goal is reconsidered.
    pub late: bool,
}

/// A target for the player to move with a move that reaches it for sure.
type Sure = Option<(Target, Move)>;

/// A move and what it is played for.
struct Pick {
    mv: Move,
    goal: Target,
    /// The chance to reach the goal, 0..=1.
    value: f32,
}

impl Engine {
    /// Return the trees of the last move, emptied, with `position` as their root, or new ones.
    fn search_at(&mut self, position: &Position) -> Search {
        let Options { ref params, seed, memory, .. } = self.options;
        let mut search =
            self.search.take().unwrap_or_else(|| Search::new(position, params, seed, memory - memory / 8));
        search.restart(position);
        search
    }

    /// Algorithm 1: two phases, the search for a target and the search of its tree.
    pub(super) fn search_move(&mut self, position: &Position, plan: &Plan) -> Thoughts {
        let start = Instant::now();
        let params = self.options.params.clone();
        let mut search = self.search_at(position);
        search.model_replies(self.opponent.model(&params));
        let before = search.iterations();
        let all = plan.search.from_now();
        let part = |share| part_of(&all, share, start).begin(before);
        let late = position.empty().len() <= params.reconsider_from;
        let mut trees =
            TargetSearch { search: &mut search, params: &params, mover: position.to_move(), late };

        let found = trees.find_target(self.aim, &part(params.first_phase));
        let goal = trees.most_ambitious().unwrap_or(found);
        let (mut goal, mut sure) = trees.pursue(goal, &part(1.0 - params.ahead), start);
        if sure.is_none() {
            if let Some(further) = trees.look_ahead(goal, &all.begin(before)) {
                (goal, sure) = (further.0, Some(further));
            }
        }

        let mut candidates = trees.search.candidates(goal);
        let pick = self.pick(position, &trees, (goal, &candidates), sure, plan);
        let choice = Choice {
            reason: Reason::Searched,
            target: Some(pick.goal),
            value: pick.value,
            nodes: trees.search.iterations() - before,
            ..Choice::unsearched(pick.mv)
        };
        // The chosen move leads the list, and the line of play begins with it.
        let place = candidates.iter().position(|candidate| candidate.mv == pick.mv);
        let tree = if place.is_some() { goal } else { pick.goal };
        candidates[..place.map_or(0, |place| place + 1)].rotate_right(usize::from(place.is_some()));
        let variation = trees.search.variation_after(tree, pick.mv);
        let targets = trees.lines();
        self.search = Some(search);
        let solution = None;
        Thoughts { choice, targets, variation, candidates, solution, aim: pick.goal }
    }

    /// Choose the move for the goal of the search, or for the sure target.
    ///
    /// A harder goal must be likely to be reached before it costs the sure one. Otherwise it is
    /// tried for only by moves that keep the sure one.
    fn pick(
        &mut self,
        position: &Position,
        trees: &TargetSearch,
        (goal, candidates): (Target, &[Candidate]),
        sure: Sure,
        plan: &Plan,
    ) -> Pick {
        let mover = trees.mover;
        let value = trees.estimate(goal).unwrap_or(0.5);
        // Lost moves come last.
        let mut open = candidates.iter().filter(|candidate| !lost(candidate, mover)).map(|good| good.mv);
        match (sure, open.clone().next()) {
            (Some(_), Some(mv)) if value >= trees.params.choose => Pick { mv, goal, value },
            (Some((target, mv)), _) => {
                let question = plan.refine.from_now().at_most(HARD);
                let mut keeps = |other: Move| {
                    let red = self.solver.reaches(&position.after::<Portable>(other), target, &question);
                    red == Some(mover == Player::Red)
                };
                let kept = open.by_ref().take(TRIES).find(|&other| other == mv || keeps(other));
                Pick { mv: kept.unwrap_or(mv), goal: target, value: 1.0 }
            }
            (None, Some(lead)) => Pick { mv: trees.most_promising(goal, candidates, lead), goal, value },
            (None, None) => {
                let mv = evaluation::quick_move::<Portable>(position, goal).expect("a reasonable move");
                Pick { mv, goal, value }
            }
        }
    }
}

impl TargetSearch<'_> {
    /// Return the estimated chance of the player to move to reach a target.
    fn estimate(&self, target: Target) -> Option<f32> {
        self.search.red_value(target).map(|red| if self.mover == Player::Red { red } else { 1.0 - red })
    }

    /// Tell who has been proven to win for a target, as seen by the player to move.
    pub(super) fn proven(&self, target: Target) -> Option<bool> {
        self.search.proof(target).map(|winner| winner == self.mover)
    }

    /// Run some iterations of a target's tree, as far as the budget allows; return how many.
    fn run(&mut self, target: Target, iterations: u64, budget: &Budget) -> u64 {
        let limits = budget.left(self.search.iterations()).at_most(iterations);
        self.search.run(target, &limits)
    }

    /// Phase one: make the target harder where its chance is at least γ_i, easier where it is at
    /// most γ_d, and return the last one.
    fn find_target(&mut self, mut aim: Target, budget: &Budget) -> Target {
        while !budget.is_spent(self.search.iterations()) {
            let done = self.run(aim, 1, budget);
            let next = match self.estimate(aim).unwrap_or(0.5) {
                value if value >= self.params.raise => aim.harder(self.mover, 1),
                value if value <= self.params.lower => aim.harder(self.mover, -1),
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

    /// Return α_m: the most ambitious target whose chance is at least γ_m, of those with enough
    /// visits.
    fn most_ambitious(&self) -> Option<Target> {
        let trusted = |target: &Target| {
            self.search.visits(*target) >= self.params.trusted || self.proven(*target).is_some()
        };
        let hopeful =
            |target: &Target| self.estimate(*target).map_or(false, |value| value >= self.params.choose);
        let sign = i32::from(self.mover.sign());
        all_targets().filter(trusted).filter(hopeful).max_by_key(|target| i32::from(target.alpha()) * sign)
    }

    /// Phase two: search the goal's tree; a proof moves the goal on, and late in the game so does
    /// an estimate that strays. Return the last goal, and the hardest one that is proven.
    fn pursue(&mut self, mut goal: Target, budget: &Budget, start: Instant) -> (Target, Sure) {
        let mut sure = None;
        let begin = self.search.iterations();
        let mut next_look = begin;
        loop {
            if let Some(won) = self.proven(goal) {
                let first = self.search.candidates(goal).first().map(|best| (goal, best.mv));
                sure = if won { first.or(sure) } else { sure };
                let next = goal.harder(self.mover, if won { 1 } else { -1 });
                if next == goal || (if won { self.proven(next).is_some() } else { sure.is_some() }) {
                    break;
                }
                goal = next;
            }
            if budget.is_spent(self.search.iterations()) {
                break;
            }
            if self.search.iterations() >= next_look && sure.is_none() {
                next_look = self.search.iterations() + LOOK;
                if self.late {
                    goal = self.reconsidered(goal);
                }
                if decided(&self.search.candidates(goal), self.iterations_left(budget, begin, start)) {
                    break;
                }
            }
            self.run(goal, CHUNK, budget);
        }
        // A goal taken up too late for its moves to be known.
        let before = goal.harder(self.mover, 1);
        let unknown = self.proven(goal).is_none() && self.search.visits(goal) < self.params.trusted;
        if self.late && sure.is_none() && unknown && self.search.visits(before) >= self.params.trusted {
            goal = before;
        }
        (goal, sure)
    }

    /// Return the goal to go on with.
    fn reconsidered(&self, goal: Target) -> Target {
        let harder = goal.harder(self.mover, 1);
        let [value, hope] = [goal, harder].map(|target| self.estimate(target).unwrap_or(0.5));
        let next = goal.harder(self.mover, stray(self.params, value, hope));
        if self.proven(next).is_none() {
            next
        } else {
            goal
        }
    }

    /// Estimate from above how many iterations can still be done, where the search had done `begin`
    /// at `start`.
    fn iterations_left(&self, budget: &Budget, begin: u64, start: Instant) -> u64 {
        let left = budget.left(self.search.iterations());
        let Some(deadline) = left.deadline else { return left.nodes };
        let now = Instant::now();
        let elapsed = now.saturating_duration_since(start).as_secs_f64().max(1e-6);
        let time = deadline.saturating_duration_since(now).as_secs_f64();
        // The rate varies: allow for half as much again.
        let rate = 1.5 * (self.search.iterations() - begin) as f64 / elapsed;
        left.nodes.min((rate * time).ceil() as u64 + CHUNK)
    }

    /// List what is known of the targets searched, ascending.
    fn lines(&self) -> Vec<TargetLine> {
        let line = |target| {
            let visits = self.search.visits(target);
            Some(TargetLine {
                target,
                value: self.estimate(target)?,
                visits,
                proof: self.search.proof(target),
            })
        };
        all_targets().filter_map(line).collect()
    }
}

/// List all targets, ascending.
fn all_targets() -> impl Iterator<Item = Target> {
    (0..Target::COUNT as i32).map(|n| Target::new(n - i32::from(Target::MAX.alpha())))
}

/// Tell how much harder a goal should become (-1, 0 or 1) whose estimate is `value` when that of
/// the next harder one is `hope`.
fn stray(params: &Params, value: f32, hope: f32) -> i32 {
    if value < params.choose {
        -1
    } else if value > params.advance && hope >= params.choose {
        1
    } else {
        0
    }
}

/// Return the limits of the first part of a search that begins at `start`; `share` is that part,
/// 0..=1.
pub(super) fn part_of(all: &Limits, share: f32, start: Instant) -> Limits {
    let part = |deadline: Instant| start + deadline.saturating_duration_since(start).mul_f32(share);
    let nodes = if all.nodes == u64::MAX { all.nodes } else { (all.nodes as f64 * f64::from(share)) as u64 };
    Limits { deadline: all.deadline.map(part), nodes, ..*all }
}

/// Tell whether the most visited move stays the most visited whatever the remaining iterations do.
fn decided(candidates: &[Candidate], left: u64) -> bool {
    match candidates {
        [first, second, ..] => u64::from(first.visits) > u64::from(second.visits) + left,
        _ => false,
    }
}

/// Tell whether a move is proven to lose.
pub(super) fn lost(candidate: &Candidate, mover: Player) -> bool {
    candidate.proof == Some(mover.opponent())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_strays_to_where_its_chance_is_even() {
        let params = Params { choose: 0.5, advance: 0.9, ..Params::default() };
        assert_eq!(stray(&params, 0.4, 0.1), -1);
        assert_eq!(stray(&params, 0.7, 0.6), 0);
        assert_eq!(stray(&params, 0.95, 0.6), 1);
        // Never to and fro: the harder one would be given up at once.
        assert_eq!(stray(&params, 0.95, 0.4), 0);
        for (value, hope) in (0..=20).flat_map(|v| (0..=20).map(move |h| (v as f32 / 20.0, h as f32 / 20.0)))
        {
            if stray(&params, value, hope) == 1 {
                assert_ne!(stray(&params, hope, 0.0), -1, "{value} {hope}");
            }
        }
    }
}
