//! Algorithm 1 (§4.1): find the most ambitious target that seems within reach, and search its tree;
//! then look ahead to the next harder one, which an opponent who errs may let us reach.

use std::time::Instant;

use super::choose::{Choices, Prospect};
use crate::alpha::Target;
use crate::board::{Move, Player};
use crate::limits::Limits;
use crate::params::Params;
use crate::search::{Assumed, Candidate, Search};

/// γ_i: at this chance the first phase makes the target harder.
const RAISE: f32 = 0.6;
/// γ_d: at this chance the first phase makes the target easier.
const LOWER: f32 = 0.4;
/// Visits below which a target's chance is not trusted when the target is chosen.
const TRUSTED: u32 = 50;
/// Empty cells from which on the goal is reconsidered in the second phase; the paper keeps it.
const RECONSIDER_FROM: u32 = 23;
/// A goal that is reconsidered is made harder above this chance, unless the harder one is known to
/// fail.
const ADVANCE: f32 = 0.9;
/// Visits from which a move's chance to reach the next harder target is believed.
const AHEAD_VISITS: u32 = 20;
/// Iterations between two looks at proofs.
const CHUNK: u64 = 64;
/// Iterations between two looks at the goal and at the leading move.
const LOOK: u64 = 8 * CHUNK;

/// What is known of one target after thinking about a move.
#[derive(Clone, Copy, Debug)]
pub struct TargetLine {
    /// The target α.
    pub target: Target,
    /// Estimated chance of the player to move to reach it (Red) or keep the score below it (Blue),
    /// 0..=1.
    pub chance: f32,
    /// Iterations of its tree.
    pub visits: u32,
    /// The player who is proven to win for it.
    pub proof: Option<Player>,
}

/// A target that the player to move is proven to reach, with a move that does.
type Sure = Option<(Target, Move)>;

/// What the search of a move has found.
pub(super) struct Searched {
    /// The moves of the goal's tree, the most visited first, then one that is proven elsewhere.
    pub choices: Choices,
    /// The easier target that is proven, if one is.
    pub sure: Sure,
    /// The targets searched, ascending.
    pub targets: Vec<TargetLine>,
}

/// Search a move in the trees of its targets, beginning with the target `aim`.
pub(super) fn search_targets(search: &mut Search, params: &Params, aim: Target, limits: &Limits) -> Searched {
    let position = *search.root();
    let late = !params.paper && position.empty().len() <= RECONSIDER_FROM;
    let (start, begin) = (Instant::now(), search.iterations());
    let mut trees = TargetSearch { search, params, mover: position.to_move(), late, start, begin };
    let found = trees.find_target(aim, &limits.part(params.first_phase, start));
    let goal = trees.most_ambitious().unwrap_or(found);
    let (mut goal, mut sure) = trees.pursue(goal, &limits.part(1.0 - params.ahead, start));
    if sure.is_none() {
        if let Some(further) = trees.look_ahead(goal, limits) {
            (goal, sure) = (further.0, Some(further));
        }
    }
    Searched { choices: trees.choices(goal, sure), sure, targets: trees.lines() }
}

/// The trees of one move, and how their estimates are read.
struct TargetSearch<'a> {
    search: &'a mut Search,
    params: &'a Params,
    mover: Player,
    /// Whether the goal is reconsidered.
    late: bool,
    /// When this search began, and the iterations done before.
    start: Instant,
    begin: u64,
}

impl TargetSearch<'_> {
    /// Return what is left of the limits of a part of the search.
    fn left(&self, limits: &Limits) -> Limits {
        limits.after(self.search.iterations() - self.begin)
    }

    /// Return the estimated chance of the player to move to reach a target.
    fn chance(&self, target: Target) -> Option<f32> {
        self.search.red_value(target).map(|red| if self.mover == Player::Red { red } else { 1.0 - red })
    }

    /// Tell whether the player to move is proven to reach a target, or not to.
    fn proven(&self, target: Target) -> Option<bool> {
        self.search.proof(target, Assumed::Best).map(|winner| winner == self.mover)
    }

    /// Phase one: make the target harder where its chance is at least γ_i, easier where it is at
    /// most γ_d, and return the last one.
    fn find_target(&mut self, mut aim: Target, limits: &Limits) -> Target {
        while !self.left(limits).reached(0) {
            let done = self.search.run(aim, Assumed::Best, &self.left(limits).at_most(1));
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

    /// Return α_m: the most ambitious target whose chance is at least γ_m, of those with enough
    /// visits.
    fn most_ambitious(&self) -> Option<Target> {
        let trusted =
            |target: &Target| self.search.visits(*target) >= TRUSTED || self.proven(*target).is_some();
        let hopeful =
            |target: &Target| self.chance(*target).map_or(false, |chance| chance >= self.params.choose);
        let sign = i32::from(self.mover.sign());
        all_targets().filter(trusted).filter(hopeful).max_by_key(|target| i32::from(target.alpha()) * sign)
    }

    /// Phase two: search the goal's tree; a proof moves the goal on, and late in the game so does
    /// an estimate that strays. Return the last goal, and the hardest one that is proven.
    fn pursue(&mut self, mut goal: Target, limits: &Limits) -> (Target, Sure) {
        let mut sure = None;
        let begin = self.search.iterations();
        let mut next_look = begin;
        loop {
            if let Some(won) = self.proven(goal) {
                let first = self.search.candidates(goal, Assumed::Best).first().map(|best| (goal, best.mv));
                sure = if won { first.or(sure) } else { sure };
                let next = goal.harder(self.mover, if won { 1 } else { -1 });
                if next == goal || (if won { self.proven(next).is_some() } else { sure.is_some() }) {
                    break;
                }
                goal = next;
            }
            let left = self.left(limits);
            if left.reached(0) {
                break;
            }
            if self.search.iterations() >= next_look && sure.is_none() {
                next_look = self.search.iterations() + LOOK;
                if self.late {
                    goal = self.reconsidered(goal);
                }
                if is_decided(
                    &self.search.candidates(goal, Assumed::Best),
                    self.iterations_left(&left, begin),
                ) {
                    break;
                }
            }
            self.search.run(goal, Assumed::Best, &left.at_most(CHUNK));
        }
        // A goal taken up too late for its moves to be known.
        let before = goal.harder(self.mover, 1);
        let unknown = self.proven(goal).is_none() && self.search.visits(goal) < TRUSTED;
        if self.late && sure.is_none() && unknown && self.search.visits(before) >= TRUSTED {
            goal = before;
        }
        (goal, sure)
    }

    /// Return the goal to go on with.
    fn reconsidered(&self, goal: Target) -> Target {
        let harder = goal.harder(self.mover, 1);
        let [chance, hope] = [goal, harder].map(|target| self.chance(target).unwrap_or(0.5));
        let next = goal.harder(self.mover, stray(self.params.choose, chance, hope));
        if self.proven(next).is_none() {
            next
        } else {
            goal
        }
    }

    /// Estimate how many iterations can still be done in the second phase, which began at `begin` of
    /// them. That the first phase's time counts leaves more for the look ahead.
    fn iterations_left(&self, left: &Limits, begin: u64) -> u64 {
        let Some(deadline) = left.deadline else { return left.nodes };
        let now = Instant::now();
        let elapsed = now.saturating_duration_since(self.start).as_secs_f64().max(1e-6);
        let time = deadline.saturating_duration_since(now).as_secs_f64();
        // The rate varies: allow for half as much again.
        let rate = 1.5 * (self.search.iterations() - begin) as f64 / elapsed;
        left.nodes.min((rate * time).ceil() as u64 + CHUNK)
    }

    /// Search a tree of the next harder target, if there are moves to tell apart. Return it, if it is
    /// proven that we reach it anyway, with the move.
    fn look_ahead(&mut self, goal: Target, limits: &Limits) -> Sure {
        let next = goal.harder(self.mover, 1);
        if self.params.ahead == 0.0 || next == goal || self.proven(next).is_some() {
            return None;
        }
        let known = self.choices(goal, None);
        let lead = known.prospects.first()?.chance.unwrap_or(0.0);
        let weight = self.params.ahead_weight.max(f32::MIN_POSITIVE);
        let among = known.about_as_good(0, self.params).map(|n| &known.prospects[n]);
        let among: Vec<(Move, f32)> =
            among.map(|it| (it.mv, (it.chance.unwrap_or(0.0) - lead) / weight)).collect();
        if among.len() < 2 {
            return None;
        }
        self.search.restrict_root(next, &among);
        self.search.run(next, Assumed::Believed, &self.left(limits));
        if self.search.proof(next, Assumed::Believed) != Some(self.mover) {
            return None;
        }
        let won = self.search.candidates(next, Assumed::Believed);
        won.first().map(|won| (next, won.mv))
    }

    /// List the moves of the goal's tree with what the trees know of each, and the sure one.
    fn choices(&self, goal: Target, sure: Sure) -> Choices {
        let further = self.search.candidates(goal.harder(self.mover, 1), Assumed::Believed);
        let ahead = |mv: Move| further.iter().find(|it| it.mv == mv && it.visits >= AHEAD_VISITS);
        let prospect = |it: &Candidate| Prospect {
            secures: (it.proof == Some(self.mover)).then_some(goal),
            chance: Some(it.value),
            ahead: ahead(it.mv).map(|it| it.value),
            visits: it.visits,
            amaf: it.amaf,
            proof: it.proof,
            ..Prospect::of(it.mv)
        };
        let prospects = self.search.candidates(goal, Assumed::Best).iter().map(prospect).collect();
        let chance = self.chance(goal).unwrap_or(0.5);
        let mut choices = Choices { mover: self.mover, prospects, goal: (goal, chance) };
        if let Some((target, mv)) = sure {
            choices.secure(mv, target);
        }
        choices
    }

    /// List what is known of the targets searched, ascending.
    fn lines(&self) -> Vec<TargetLine> {
        let line = |target| {
            let visits = self.search.visits(target);
            Some(TargetLine {
                target,
                chance: self.chance(target)?,
                visits,
                proof: self.search.proof(target, Assumed::Best),
            })
        };
        all_targets().filter_map(line).collect()
    }
}

/// List all targets, ascending.
fn all_targets() -> impl Iterator<Item = Target> {
    (0..Target::COUNT as i32).map(|n| Target::new(n - i32::from(Target::MAX.alpha())))
}

/// Tell how much harder a goal should become (-1, 0 or 1) that has a chance, when the next harder one
/// has the chance `hope`; `choose` is γ_m.
fn stray(choose: f32, chance: f32, hope: f32) -> i32 {
    if chance < choose {
        -1
    } else if chance > ADVANCE && hope >= choose {
        1
    } else {
        0
    }
}

/// Tell whether the most visited move stays the most visited whatever `left` more iterations do.
fn is_decided(candidates: &[Candidate], left: u64) -> bool {
    match candidates {
        [first, second, ..] => u64::from(first.visits) > u64::from(second.visits) + left,
        _ => false,
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
    fn a_goal_strays_to_where_its_chance_is_even() {
        assert_eq!([(0.4, 0.1), (0.7, 0.6), (0.95, 0.6)].map(|(c, h)| stray(0.5, c, h)), [-1, 0, 1]);
        // Never to and fro: the harder one would be given up at once.
        for (chance, hope) in (0..=20).flat_map(|c| (0..=20).map(move |h| (c as f32 / 20.0, h as f32 / 20.0)))
        {
            assert!(stray(0.5, chance, hope) < 1 || stray(0.5, hope, 0.0) != -1, "{chance} {hope}");
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
                search.run(goal, Assumed::Best, &Limits::nodes(12));
                let search = &mut search;
                let mut trees = TargetSearch {
                    search,
                    params: &params,
                    mover,
                    late: true,
                    start: Instant::now(),
                    begin: 12,
                };
                let known = trees.choices(goal, None);
                let among: Vec<Move> =
                    known.about_as_good(0, &params).map(|n| known.prospects[n].mv).collect();
                let mut wins = |mv| {
                    let after: Position = position.after::<Portable>(mv);
                    solver.reaches(&after, next, &Limits::NONE) == Some(mover == Player::Red)
                };
                // The tree is restricted to these moves.
                let reachable = reachable && among.iter().any(|&mv| wins(mv));
                let skipped = among.len() < 2 || trees.proven(next).is_some();
                let found = trees.look_ahead(goal, &Limits::nodes(200_000));
                if skipped {
                    assert_eq!(found, None);
                    left += 1;
                    continue;
                }
                assert_eq!(found.map(|(target, _)| target), reachable.then_some(next));
                if let Some((_, mv)) = found {
                    assert!(wins(mv), "{mv} in {position:?}");
                    taken += 1;
                }
            }
        }
        assert!(taken > 10 && left > 0, "{taken} taken, {left} left");
    }
}
