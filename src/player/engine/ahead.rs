//! The look ahead: of moves that are about as good for the goal, the one that most likely brings the
//! next harder target against an opponent who errs.

use super::targets::{lost, TargetSearch};
use crate::alpha::Target;
use crate::board::Move;
use crate::limits::Budget;
use crate::search::{Candidate, Replies};

/// Visits from which a move's chance to reach the next harder target is believed.
const AHEAD_VISITS: u32 = 20;

impl TargetSearch<'_> {
    /// Search a tree of the next harder target, if there are moves to tell apart: an opponent who
    /// errs may let us reach that one. Return it, if it is proven that we do anyway, with the move.
    pub(super) fn look_ahead(&mut self, goal: Target, budget: &Budget) -> Option<(Target, Move)> {
        let next = goal.harder(self.mover, 1);
        let candidates = self.search.candidates(goal);
        let lead = candidates.first().map_or(0.0, |lead| lead.value);
        let weight = self.params.ahead_weight.max(f32::MIN_POSITIVE);
        let among = self.about_as_good(&candidates);
        let among: Vec<_> = among.map(|good| (good.mv, (good.value - lead) / weight)).collect();
        if self.params.ahead == 0.0 || among.len() < 2 || next == goal || self.proven(next).is_some() {
            return None;
        }
        self.search.restrict_root(among);
        self.search.run_for(next, Replies::Believed, &budget.left(self.search.iterations()));
        if self.search.proof_for(next, Replies::Believed) != Some(self.mover) {
            return None;
        }
        let won = self.search.candidates_for(next, Replies::Believed);
        won.first().map(|won| (next, won.mv))
    }

    /// List the moves that are about as good for the goal as the first one.
    fn about_as_good<'a>(
        &'a self,
        candidates: &'a [Candidate],
    ) -> impl DoubleEndedIterator<Item = &'a Candidate> {
        let lead = candidates.first();
        candidates.iter().filter(move |candidate| {
            let as_good = |lead: &Candidate| {
                self.params.ahead_lead * candidate.visits as f32 >= lead.visits as f32
                    && candidate.value >= lead.value - self.params.ahead_risk
            };
            lead.map_or(false, as_good) && !lost(candidate, self.mover)
        })
    }

    /// Return the move with the best chances, added up with their weights, to reach the goal and
    /// the next harder target, among those that are about as good as `lead`, the first one, for the
    /// goal alone.
    pub(super) fn most_promising(&self, goal: Target, candidates: &[Candidate], lead: Move) -> Move {
        if self.params.ahead == 0.0 {
            return lead;
        }
        let further = self.search.candidates_for(goal.harder(self.mover, 1), Replies::Believed);
        let chances = |candidate: &Candidate| {
            let known = further.iter().find(|other| other.mv == candidate.mv && other.visits >= AHEAD_VISITS);
            candidate.value + self.params.ahead_weight * known.map_or(0.0, |other| other.value)
        };
        // Of equals the first.
        let equal = self.about_as_good(candidates).rev();
        equal.max_by(|a, b| chances(a).total_cmp(&chances(b))).map_or(lead, |best| best.mv)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Engine, Options};
    use super::*;
    use crate::board::{Cell, Player};
    use crate::limits::Limits;
    use crate::params::Params;
    use crate::position::Position;
    use crate::search::Search;
    use crate::simd::Portable;
    use crate::testing::random_play;

    #[test]
    fn the_next_harder_target_is_looked_at_before_choosing() {
        let blocked = ["E2", "A1", "C4", "G2", "D2"].map(|name| Cell::parse(name).expect("a cell"));
        let position = &Position::codecup(blocked.into_iter().collect()).expect("five cells");
        let nodes = 4_000;
        let think = |ahead| {
            let params = Params { ahead, ..Params::default() };
            let options = Options { params, nodes: Some(nodes), ..Options::default() };
            Engine::new(options).think(position, std::time::Duration::from_secs(1))
        };
        let thoughts = think(0.4);
        assert_eq!(thoughts.choice.nodes, nodes);
        let of_targets: u64 = thoughts.targets.iter().map(|line| u64::from(line.visits)).sum();
        assert!(of_targets <= nodes * 6 / 10 + 1, "the rest went into another tree: {of_targets}");
        let chosen = thoughts.candidates[0];
        assert_eq!(chosen.mv, thoughts.choice.mv);
        let lead = thoughts.candidates.iter().max_by_key(|other| other.visits).expect("moves");
        let defaults = Params::default();
        let sound = defaults.ahead_lead * chosen.visits as f32 >= lead.visits as f32
            && chosen.value >= lead.value - defaults.ahead_risk;
        assert!(sound, "{chosen:?}");
        let plain = think(0.0);
        assert!(plain.candidates.iter().all(|other| other.visits <= plain.candidates[0].visits));
    }

    #[test]
    fn a_harder_target_proven_while_looking_ahead_is_taken() {
        let mut random = crate::testing::rng(3);
        let mut solver = crate::solver::Solver::default();
        let params = Params::default();
        let (mut taken, mut left) = (0, 0);
        for seed in 0..60 {
            let position = random_play(&mut random, 9);
            let mover = position.to_move();
            let value = solver.value(&position, 0, &Limits::NONE).exact();
            let hardest = super::super::reached(mover, value.expect("no limit"));
            for (next, reachable) in [(hardest, true), (hardest.harder(mover, 1), false)] {
                let goal = next.harder(mover, -1);
                let mut search = Search::new(&position, &params, seed, 16 << 20);
                search.run(goal, &Limits::nodes(12));
                let mut trees = TargetSearch { search: &mut search, params: &params, mover, late: true };
                let candidates = trees.search.candidates(goal);
                let among: Vec<Move> = trees.about_as_good(&candidates).map(|good| good.mv).collect();
                let mut wins = |mv| {
                    let after = position.after::<Portable>(mv);
                    solver.reaches(&after, next, &Limits::NONE) == Some(mover == Player::Red)
                };
                // The tree is restricted to these moves.
                let reachable = reachable && among.iter().any(|&mv| wins(mv));
                let skipped = among.len() < 2 || trees.proven(next).is_some();
                let found = trees.look_ahead(goal, &Limits::nodes(200_000).begin(12));
                if skipped {
                    assert_eq!(found, None);
                    left += 1;
                    continue;
                }
                assert_eq!(found.map(|(target, _)| target), if reachable { Some(next) } else { None });
                if let Some((_, mv)) = found {
                    assert!(wins(mv), "{mv} in {position:?}");
                    taken += 1;
                }
            }
        }
        assert!(taken > 10 && left > 0, "{taken} taken, {left} left");
    }
}
