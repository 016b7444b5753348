//! Algorithm 1 (§4.1): find the most ambitious target that seems within reach, and search its tree.

use std::time::Instant;

use super::solved::HARD;
use super::team::{Member, Team};
use super::{Budget, Engine, TargetLine, Thoughts};
use crate::player::agent::{Choice, Reason};
use crate::player::alpha::Target;
use crate::player::board::{Move, Player};
use crate::player::engine::clock::Plan;
use crate::player::evaluation;
use crate::player::limits::Limits;
use crate::player::params::Params;
use crate::player::position::Position;
use crate::player::search::tree::Proof;
use crate::player::search::{Candidate, Replies};
use crate::player::simd::Portable;

/// Above this many empty cells the thresholds of the early game hold.
const EARLY: u32 = 26;
/// How much less likely the target may be after a move that exploits a weak opponent.
const EXPLOIT_RISK: f32 = 0.2;
/// Visits from which a move may be one of those that exploit.
const EXPLOIT_VISITS: u32 = 20;
/// Visits from which a move's chance to reach the next harder target is believed.
const AHEAD_VISITS: u32 = 20;
/// Iterations between two looks at the clock and at the leader.
const CHUNK: u64 = 64;
/// So many moves are tried for a harder goal than the sure one.
const TRIES: usize = 4;

/// The trees of one move, and how their estimates are read.
struct Quest {
    team: Team,
    params: Params,
    mover: Player,
    /// γ_m at this stage of the game.
    choose: f32,
    /// Whether the goal is reconsidered.
    late: bool,
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
    /// Return the searches of the last move, moved on to `position`, or new ones.
    fn team_at(&mut self, position: &Position) -> Team {
        let super::Options { ref params, seed, threads, memory, .. } = self.options;
        let mut team = match self.team.take() {
            Some(team) => team,
            None => Team::new(position, params, threads, seed, memory - memory / 8),
        };
        team.advance(position, self.aim);
        team
    }

    /// Algorithm 1: two phases, the search for a target and the search of its tree.
    ///
    /// With several threads each goes through phase one by itself; the goal is chosen by what all of them
    /// found. In phase two they search its trees in rounds, and compare notes after each: a proof that one
    /// has found moves them all on.
    pub(super) fn search_move(&mut self, position: &Position, budget: Budget, plan: &Plan) -> Thoughts {
        let start = Instant::now();
        let params = self.options.params.clone();
        let (all, phase_one) = split(budget, params.first_phase, start);
        let (_, limits) = split(budget, 1.0 - params.ahead, start);
        let (raise, lower, choose) = if position.empty().len() > EARLY {
            (params.raise_early, params.lower_early, params.choose_early)
        } else {
            (params.raise_late, params.lower_late, params.choose_late)
        };
        let late = position.empty().len() <= params.reconsider_from;
        let mut quest =
            Quest { team: self.team_at(position), params, mover: position.to_move(), choose, late };
        // The more the opponent gives away, the more blunders are expected of it, if nothing better is.
        let model = self.opponent.model(&quest.params);
        let blunders = if model.is_none() { self.opponent.optimism(&quest.params) } else { 0.0 };
        quest.team.expect_blunders(blunders);
        quest.team.foretell(model);

        let (from, block) = (self.aim, u64::from(quest.params.block));
        let aims = quest.team.each(|member| find_target(member, from, [raise, lower], block, &phase_one));
        let goal = quest.most_ambitious().unwrap_or(aims[0]);
        let (mut goal, mut sure) = quest.pursue(goal, &limits, start);
        if sure.is_none()
            && let Some(further) = quest.look_ahead(goal, &all)
        {
            (goal, sure) = (further.0, Some(further));
        }

        let mut candidates = quest.team.candidates(goal, quest.mover);
        let mut pick = self.pick(position, &quest, (goal, &candidates), sure, plan);
        let mut reason = Reason::Searched;
        if sure.is_none()
            && self.opponent.may_move_at_random(&quest.params)
            && let Some(best) = self.exploit(position, &quest, (&candidates, &pick), plan)
        {
            (pick, reason) = (best, Reason::Exploiting);
        }
        self.aim = pick.goal;
        let choice = Choice {
            mv: pick.mv,
            reason,
            target: Some(pick.goal),
            value: pick.value,
            nodes: quest.team.iterations(),
            elapsed: start.elapsed(),
        };
        // The chosen move leads the list, and the line of play begins with it.
        let place = candidates.iter().position(|candidate| candidate.mv == pick.mv);
        let tree = if place.is_some() { goal } else { pick.goal };
        candidates[..place.map_or(0, |place| place + 1)].rotate_right(usize::from(place.is_some()));
        let variation = quest.team.variation(tree, pick.mv);
        let thoughts = Thoughts { choice, targets: quest.lines(), variation, candidates, solution: None };
        self.team = Some(quest.team);
        thoughts
    }

    /// Choose the move for the goal of the search, or for the sure target.
    ///
    /// A harder goal must be likely to be reached before it costs the sure one. Otherwise it is tried for only
    /// by moves that keep the sure one.
    fn pick(
        &mut self,
        position: &Position,
        quest: &Quest,
        (goal, candidates): (Target, &[Candidate]),
        sure: Sure,
        plan: &Plan,
    ) -> Pick {
        let mover = quest.mover;
        let value = quest.estimate(goal).unwrap_or(0.5);
        // Lost moves come last.
        let open = candidates.iter().filter(|candidate| !lost(candidate, mover)).map(|good| good.mv);
        match (sure, open.clone().next()) {
            (Some(_), Some(mv)) if value >= quest.choose => Pick { mv, goal, value },
            (Some((target, mv)), _) => {
                let limits = self.trap_limits(plan);
                let question = Limits { nodes: limits.nodes.min(HARD), ..limits };
                let mut keeps = |other: Move| {
                    let red = self.solver.reaches(&position.after::<Portable>(other), target, &question);
                    red == Some(mover == Player::Red)
                };
                let kept = open.take(TRIES).find(|&other| other == mv || keeps(other));
                Pick { mv: kept.unwrap_or(mv), goal: target, value: 1.0 }
            }
            (None, Some(lead)) => Pick { mv: quest.most_promising(goal, candidates, lead), goal, value },
            (None, None) => {
                let mv = evaluation::quick_move::<Portable>(position, goal).expect("a reasonable move");
                Pick { mv, goal, value }
            }
        }
    }

    /// Find the move that brings most against random replies, of those after which the goal is not much less likely.
    fn exploit(
        &self,
        position: &Position,
        quest: &Quest,
        (candidates, pick): (&[Candidate], &Pick),
        plan: &Plan,
    ) -> Option<Pick> {
        let sound = candidates.iter().filter(|candidate| quest.is_sound(candidate, pick));
        let limits = self.trap_limits(plan);
        let (mv, _) = *self.against_random(position, sound.map(|sound| sound.mv), &limits).first()?;
        let best = candidates.iter().find(|candidate| candidate.mv == mv)?;
        Some(Pick { mv, goal: pick.goal, value: best.value })
    }
}

impl Quest {
    /// Return the estimated chance of the player to move to reach a target.
    fn estimate(&self, target: Target) -> Option<f32> {
        self.team.red_value(target).map(|red| chance(self.mover, red))
    }

    /// Return α_m: the most ambitious target whose chance is at least γ_m, of those with enough visits.
    fn most_ambitious(&self) -> Option<Target> {
        let trusted = |target: &Target| {
            self.team.visits(*target) >= self.params.trusted || self.team.proof(*target) != Proof::Unknown
        };
        let hopeful = |target: &Target| self.estimate(*target).is_some_and(|value| value >= self.choose);
        let sign = i32::from(self.mover.sign());
        all_targets().filter(trusted).filter(hopeful).max_by_key(|target| i32::from(target.alpha()) * sign)
    }

    /// Phase two: search the goal's tree; a proof moves the goal on, and late in the game so does an estimate
    /// that strays. Returns the last goal, and the hardest one that is proven.
    fn pursue(&mut self, mut goal: Target, limits: &Limits, start: Instant) -> (Target, Sure) {
        let mut sure = None;
        let mut chunk_end = self.team.iterations();
        loop {
            match self.team.proof(goal).winner() {
                Some(winner) if winner == self.mover => {
                    if let Some(won) = self.team.candidates(goal, self.mover).first() {
                        sure = Some((goal, won.mv));
                    }
                    let next = goal.harder(self.mover, 1);
                    if next == goal || self.team.proof(next) != Proof::Unknown {
                        break;
                    }
                    goal = next;
                }
                Some(_) => {
                    let next = goal.harder(self.mover, -1);
                    if next == goal || sure.is_some() {
                        break;
                    }
                    goal = next;
                }
                None => {}
            }
            if self.team.has_reached(limits) {
                break;
            }
            if self.team.iterations() >= chunk_end {
                chunk_end = self.team.iterations() + CHUNK * 8;
                if self.late && sure.is_none() {
                    goal = self.reconsidered(goal);
                }
                let left = self.team.sum(|member| iterations_left(limits, member.iterations(), start));
                if sure.is_none() && decided(&self.team.candidates(goal, self.mover), left) {
                    break;
                }
            }
            self.team.run(goal, self.team.round(CHUNK), limits);
        }
        // A goal taken up too late for its moves to be known.
        let before = goal.harder(self.mover, 1);
        let unknown = self.team.proof(goal) == Proof::Unknown && self.team.visits(goal) < self.params.trusted;
        if self.late && sure.is_none() && unknown && self.team.visits(before) >= self.params.trusted {
            goal = before;
        }
        (goal, sure)
    }

    /// Return the goal to go on with.
    fn reconsidered(&self, goal: Target) -> Target {
        let harder = goal.harder(self.mover, 1);
        let [value, hope] = [goal, harder].map(|target| self.estimate(target).unwrap_or(0.5));
        let next = goal.harder(self.mover, stray(&self.params, value, hope));
        if self.team.proof(next) == Proof::Unknown { next } else { goal }
    }

    /// Search a tree of the next harder target, if there are moves to tell apart: an opponent who errs may let
    /// us reach that one. Returns it, if it is proven that we do anyway, with the move.
    fn look_ahead(&mut self, goal: Target, limits: &Limits) -> Option<(Target, Move)> {
        let (next, replies) = (goal.harder(self.mover, 1), self.replies_ahead());
        let candidates = self.team.candidates(goal, self.mover);
        let lead = candidates.first().map_or(0.0, |lead| lead.value);
        let weight = self.params.ahead_weight.max(f32::MIN_POSITIVE);
        let among = self.about_as_good(&candidates);
        let among: Vec<_> = among.map(|good| (good.mv, (good.value - lead) / weight)).collect();
        let several = among.len() > 1;
        if self.params.ahead == 0.0 || !several || next == goal || self.team.proof(next) != Proof::Unknown {
            return None;
        }
        self.team.tell_apart(&among);
        self.team.run_for(next, replies, u64::MAX, limits);
        if self.team.proof_for(next, replies).winner() != Some(self.mover) {
            return None;
        }
        let won = self.team.candidates_for(next, replies, self.mover);
        won.first().map(|won| (next, won.mv))
    }

    /// Return whose replies the look at the next harder target expects.
    fn replies_ahead(&self) -> Replies {
        if self.params.ahead_believed == 0 { Replies::Best } else { Replies::Believed }
    }

    /// Tell whether the goal is not much less likely after a move than after the pick.
    fn is_sound(&self, candidate: &Candidate, pick: &Pick) -> bool {
        candidate.visits >= EXPLOIT_VISITS
            && candidate.value >= pick.value - EXPLOIT_RISK
            && !lost(candidate, self.mover)
    }

    /// List the moves that are about as good for the goal as the first one.
    fn about_as_good<'a>(
        &'a self,
        candidates: &'a [Candidate],
    ) -> impl DoubleEndedIterator<Item = &'a Candidate> {
        let (mover, params) = (self.mover, &self.params);
        let lead = candidates.first();
        candidates.iter().filter(move |candidate| {
            lead.is_some_and(|lead| {
                params.ahead_lead * candidate.visits as f32 >= lead.visits as f32
                    && candidate.value >= lead.value - params.ahead_risk
            }) && !lost(candidate, mover)
        })
    }

    /// Return the move with the best chances, added up with their weights, to reach the goal and the next harder
    /// target, among those that are about as good as `lead`, the first one, for the goal alone.
    fn most_promising(&self, goal: Target, candidates: &[Candidate], lead: Move) -> Move {
        if self.params.ahead == 0.0 {
            return lead;
        }
        let further = self.team.candidates_for(goal.harder(self.mover, 1), self.replies_ahead(), self.mover);
        let chances = |candidate: &Candidate| {
            let known = further.iter().find(|other| other.mv == candidate.mv && other.visits >= AHEAD_VISITS);
            candidate.value + self.params.ahead_weight * known.map_or(0.0, |other| other.value)
        };
        // Of equals the first.
        let equal = self.about_as_good(candidates).rev();
        equal.max_by(|a, b| chances(a).total_cmp(&chances(b))).map_or(lead, |best| best.mv)
    }

    /// List what is known of the targets searched, ascending.
    fn lines(&self) -> Vec<TargetLine> {
        let line = |target| {
            let value = self.estimate(target)?;
            Some(TargetLine {
                target,
                value,
                visits: self.team.visits(target),
                proof: self.team.proof(target),
            })
        };
        all_targets().filter_map(line).collect()
    }
}

/// List all targets, ascending.
fn all_targets() -> impl Iterator<Item = Target> {
    (0..Target::COUNT as i32).map(|n| Target::new(n - i32::from(Target::MAX.alpha())))
}

/// Return the chance of `mover` where Red's is `red`, 0..=1.
fn chance(mover: Player, red: f32) -> f32 {
    if mover == Player::Red { red } else { 1.0 - red }
}

/// Tell how much harder a goal should become (-1, 0 or 1) whose estimate is `value` when that of the next harder
/// one is `hope`.
fn stray(params: &Params, value: f32, hope: f32) -> i32 {
    if value < params.retreat {
        -1
    } else if value > params.advance && hope >= params.retreat {
        1
    } else {
        0
    }
}

/// Phase one of Algorithm 1 in one search: make the target harder where its chance is at least the first
/// threshold (γ_i), easier where it is at most the second (γ_d), and return the last one.
fn find_target(
    member: &mut Member,
    mut aim: Target,
    [raise, lower]: [f32; 2],
    block: u64,
    limits: &Limits,
) -> Target {
    let limits = member.limits(limits);
    let search = &mut member.search;
    let mover = search.root().to_move();
    while !limits.reached(search.iterations()) {
        let done = search.run(aim, block, &limits);
        let value = search.red_value(aim).map_or(0.5, |red| chance(mover, red));
        let next = if value >= raise {
            aim.harder(mover, 1)
        } else if value <= lower {
            aim.harder(mover, -1)
        } else {
            aim
        };
        // Two proven neighbours: the exact value is known, nothing can change.
        if done == 0 && (next == aim || search.proof(next) != Proof::Unknown) {
            break;
        }
        aim = next;
    }
    aim
}

/// Split a budget into the limits of the whole search and of its first phase, for each thread.
fn split(budget: Budget, share: f32, now: Instant) -> (Limits, Limits) {
    match budget {
        Budget::Until(end) => {
            let part = end.saturating_duration_since(now).mul_f32(share);
            (Limits::until(end), Limits::until(now + part))
        }
        Budget::Iterations(count) => {
            let part = (count as f64 * f64::from(share)) as u64;
            (Limits::nodes(count), Limits::nodes(part))
        }
    }
}

/// Estimate from above how many iterations a search that has done `done` since `start` can still do.
fn iterations_left(limits: &Limits, done: u64, start: Instant) -> u64 {
    let by_count = limits.nodes.saturating_sub(done);
    let Some(deadline) = limits.deadline else { return by_count };
    let now = Instant::now();
    let elapsed = now.saturating_duration_since(start).as_secs_f64().max(1e-6);
    let left = deadline.saturating_duration_since(now).as_secs_f64();
    // The rate varies: allow for half as much again.
    let by_clock = 1.5 * done as f64 / elapsed * left;
    by_count.min(by_clock.ceil() as u64 + CHUNK)
}

/// Tell whether the most visited move stays the most visited whatever the remaining iterations do.
fn decided(candidates: &[Candidate], left: u64) -> bool {
    match candidates {
        [first, second, ..] => u64::from(first.visits) > u64::from(second.visits) + left,
        _ => false,
    }
}

fn lost(candidate: &Candidate, mover: Player) -> bool {
    candidate.proof.winner() == Some(mover.opponent())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_strays_to_where_its_chance_is_even() {
        let params = Params { retreat: 0.5, advance: 0.9, ..Params::default() };
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

    #[test]
    fn the_next_harder_target_is_looked_at_before_choosing() {
        let record = crate::player::record::Record::parse("E2 A1 C4 G2 D2").expect("a record");
        let (position, nodes) = (record.position(), 4_000);
        let think = |ahead, ahead_believed| {
            let params = Params { ahead, ahead_believed, ..Params::default() };
            let options = crate::player::engine::Options { params, nodes: Some(nodes), ..Default::default() };
            Engine::new(options).think(position, std::time::Duration::from_secs(1))
        };
        for ahead_believed in [0, 1] {
            let thoughts = think(0.4, ahead_believed);
            let goal = thoughts.choice.target.expect("a goal");
            let next = goal.harder(position.to_move(), 1);
            let visits = thoughts.targets.iter().find(|line| line.target == next).map(|line| line.visits);
            // A tree for believed replies is another one.
            assert_eq!(visits.is_some_and(|visits| visits >= 1_500), ahead_believed == 0, "{visits:?}");
            assert_eq!(thoughts.choice.nodes, nodes);
            let chosen = thoughts.candidates[0];
            assert_eq!(chosen.mv, thoughts.choice.mv);
            let lead = thoughts.candidates.iter().max_by_key(|other| other.visits).expect("moves");
            let defaults = Params::default();
            let sound = defaults.ahead_lead * chosen.visits as f32 >= lead.visits as f32
                && chosen.value >= lead.value - defaults.ahead_risk;
            assert!(sound, "{chosen:?}");
        }
        let plain = think(0.0, 1);
        assert!(plain.candidates.iter().all(|other| other.visits <= plain.candidates[0].visits));
    }

    #[test]
    fn a_harder_target_proven_while_looking_ahead_is_taken() {
        let mut random = crate::player::rng::Random::new(3);
        let (mut taken, mut left) = (0, 0);
        for seed in 0..60 {
            let mut record = crate::player::record::Record::parse("E2 A1 C4 G2 D2").expect("a record");
            while record.position().empty().len() > 9 {
                let moves: Vec<Move> = record.position().legal_moves().collect();
                let n = crate::player::rng::scaled(random.bits() as u32, moves.len() as u32);
                record.push(moves[n as usize]).expect("legal");
            }
            let (position, mover) = (*record.position(), record.position().to_move());
            let value = crate::player::solver::Solver::default().value(&position, 0, &Limits::NONE).exact();
            let hardest = super::super::reached(mover, value.expect("no limit"));
            for (next, reachable, ahead_believed) in [
                (hardest, true, 0),
                (hardest, true, 1),
                (hardest.harder(mover, 1), false, 0),
                (hardest.harder(mover, 1), false, 1),
            ] {
                let goal = next.harder(mover, -1);
                let params = Params { ahead_believed, ..Params::default() };
                let team = Team::new(&position, &params, 1, seed, 16 << 20);
                let mut quest = Quest { team, params, mover, choose: 0.5, late: true };
                quest.team.run(goal, 12, &Limits::NONE);
                let candidates = quest.team.candidates(goal, mover);
                let among: Vec<Move> = quest.about_as_good(&candidates).map(|good| good.mv).collect();
                let several = among.len() > 1;
                let wins = |mv| {
                    let after = position.after::<Portable>(mv);
                    let red = crate::player::solver::Solver::default().reaches(&after, next, &Limits::NONE);
                    red == Some(mover == Player::Red)
                };
                // Believed replies are asked of these moves alone.
                let reachable = reachable && (ahead_believed == 0 || among.iter().any(|&mv| wins(mv)));
                let known = quest.team.proof(next) != Proof::Unknown;
                let found = quest.look_ahead(goal, &Limits::nodes(200_000));
                if !several || known {
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
