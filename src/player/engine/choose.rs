//! The one place that picks a move, from what is known of each, and says by which criterion.

use crate::agent::Criterion;
use crate::alpha::Target;
use crate::board::{Move, Player};
use crate::params::Params;

/// A move that may be played, and what is known of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Prospect {
    /// The move.
    pub mv: Move,
    /// The hardest target that it is proven to reach against any reply, if one is known.
    pub secures: Option<Target>,
    /// The chance to reach the goal after it, 0..=1; 0 when proven lost.
    pub chance: Option<f32>,
    /// The chance to reach the target next to the goal after it, where enough was seen of that.
    pub ahead: Option<f32>,
    /// The final score for the player to move that this opponent is expected to leave it, on average.
    pub expected: Option<f32>,
    /// Iterations of the goal's tree through it.
    pub visits: u32,
    /// AMAF value for the player to move, 0..=1 (§3.0.4), if there is one.
    pub amaf: Option<f32>,
    /// The player who is proven to win the goal's game after it.
    pub proof: Option<Player>,
}

impl Prospect {
    /// Make a move of which nothing is known.
    pub fn of(mv: Move) -> Prospect {
        let (secures, chance, ahead, expected, amaf, proof) = (None, None, None, None, None, None);
        Prospect { mv, secures, chance, ahead, expected, visits: 0, amaf, proof }
    }
}

/// The moves to choose from, and what they are played for.
#[derive(Clone, Debug)]
pub struct Choices {
    /// The player to move.
    pub mover: Player,
    /// The moves; of equals the first is chosen.
    pub prospects: Vec<Prospect>,
    /// The target that is searched for, with the chance to reach it, 0..=1.
    pub goal: (Target, f32),
}

/// Scores so near each other are the same.
const SAME: f32 = 1e-3;
/// One visit of a move that is about as good for the goal stands against no more than so many of the
/// most visited one.
const LEAD: f32 = 200.0;

impl Choices {
    /// Note that a move is proven to reach a target; it is added if it is not in the list.
    pub fn secure(&mut self, mv: Move, target: Target) {
        let place = self.prospects.iter().position(|it| it.mv == mv).unwrap_or(self.prospects.len());
        if place == self.prospects.len() {
            self.prospects.push(Prospect::of(mv));
        }
        let known = self.prospects[place].secures;
        if known.map_or(true, |known| self.ambition(known) < self.ambition(target)) {
            self.prospects[place].secures = Some(target);
        }
    }

    /// Choose a move: its place in the list and the criterion; `None` of no moves.
    ///
    /// What this opponent is expected to leave counts first, where it is known. Then what is proven:
    /// at least the goal, or next to it where the goal is unlikely. Then the goal's tree.
    pub fn choose(&self, params: &Params) -> Option<(usize, Criterion)> {
        if let Some(place) = self.most_expected() {
            return Some((place, Criterion::Opponent));
        }
        let (goal, chance) = self.goal;
        let mut next_is_sure = false;
        let most_secured = self.most_secured();
        if let Some((place, secured)) = most_secured {
            next_is_sure = self.ambition(secured.harder(self.mover, 1)) >= self.ambition(goal);
            let enough = self.ambition(secured) >= self.ambition(goal);
            if enough || next_is_sure && chance < params.choose {
                return Some((place, Criterion::Secured));
            }
        }
        let Some(lead) = self.prospects.iter().position(|it| it.visits > 0 && !self.is_lost(it)) else {
            // No tree knows better.
            let secured = most_secured.map(|(place, _)| (place, Criterion::Secured));
            return secured.or_else(|| (!self.prospects.is_empty()).then_some((0, Criterion::Static)));
        };
        match self.most_promising(lead, params) {
            // Where the easier target is sure, a harder one is risk enough.
            Some(best) if best != lead && !next_is_sure => Some((best, Criterion::Ahead)),
            _ => Some((lead, Criterion::MostVisited)),
        }
    }

    /// Return how ambitious a target is for the player to move.
    fn ambition(&self, target: Target) -> i32 {
        i32::from(self.mover.sign()) * i32::from(target.alpha())
    }

    /// Tell whether a move is proven to lose the goal's game.
    fn is_lost(&self, prospect: &Prospect) -> bool {
        prospect.proof == Some(self.mover.opponent())
    }

    fn most_expected(&self) -> Option<usize> {
        let known = self.prospects.iter().enumerate().filter_map(|(n, it)| Some((n, it.expected?)));
        let better = |best: (usize, f32), it: (usize, f32)| if it.1 > best.1 + SAME { it } else { best };
        known.reduce(better).map(|(place, _)| place)
    }

    fn most_secured(&self) -> Option<(usize, Target)> {
        let known = self.prospects.iter().enumerate().filter_map(|(n, it)| Some((n, it.secures?)));
        // Of equals the first.
        known.rev().max_by_key(|&(_, target)| self.ambition(target))
    }

    /// List the places of the moves that are about as good for the goal as the one at `lead`.
    pub(super) fn about_as_good<'a>(
        &'a self,
        lead: usize,
        params: &'a Params,
    ) -> impl DoubleEndedIterator<Item = usize> + 'a {
        let lead = self.prospects.get(lead).copied();
        (0..self.prospects.len()).filter(move |&n| {
            let it = &self.prospects[n];
            let as_good = |lead: Prospect| {
                LEAD * it.visits as f32 >= lead.visits as f32
                    && it.chance.zip(lead.chance).map_or(false, |(own, best)| own >= best - params.ahead_risk)
            };
            lead.map_or(false, as_good) && !self.is_lost(it)
        })
    }

    /// Return the move with the best chances, added up with their weights, to reach the goal and the
    /// next harder target, among those about as good for the goal.
    fn most_promising(&self, lead: usize, params: &Params) -> Option<usize> {
        let sum = |n: usize| {
            let it = &self.prospects[n];
            it.chance.unwrap_or(0.0) + params.ahead_weight * it.ahead.unwrap_or(0.0)
        };
        // Of equals the first.
        let equal = self.about_as_good(lead, params).rev();
        equal.filter(|_| params.ahead > 0.0).max_by(|&a, &b| sum(a).total_cmp(&sum(b)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is known of a move: the target it secures, its chance, that of the target next to the
    /// goal, what is expected of this opponent, and its visits.
    type Known = (Option<i32>, Option<f32>, Option<f32>, Option<f32>, u32);

    /// Choose among moves for a goal with a chance, as either player, who sees targets from its side.
    fn chosen(goal: i32, chance: f32, moves: &[Known]) -> (usize, Criterion) {
        let params = Params { choose: 0.45, ahead_risk: 0.1, ahead_weight: 2.0, ..Params::default() };
        let choices = |mover: Player| {
            let target = |own: i32| Target::new(own * i32::from(mover.sign()));
            let prospect = |&(secures, chance, ahead, expected, visits): &Known| Prospect {
                secures: secures.map(target),
                chance,
                ahead,
                expected,
                visits,
                proof: (chance == Some(0.0)).then_some(mover.opponent()),
                ..Prospect::of(Move::parse("A1=1").expect("a move"))
            };
            Choices { mover, prospects: moves.iter().map(prospect).collect(), goal: (target(goal), chance) }
        };
        let [red, blue] = Player::BOTH.map(|mover| choices(mover).choose(&params).expect("a move"));
        assert_eq!(red, blue);
        red
    }

    #[test]
    fn each_criterion_decides_where_those_before_it_know_nothing() {
        let seen = |chance: f32, visits: u32| (None, Some(chance), None, None, visits);
        let ahead = |chance: f32, ahead: f32, visits: u32| (None, Some(chance), Some(ahead), None, visits);
        let sure = |target: i32| (Some(target), None, None, None, 0);
        let expected = |score: f32, target: i32| (Some(target), None, None, Some(score), 0);
        type Case<'a> = (i32, f32, &'a [Known], (usize, Criterion));
        let cases: [Case; 14] = [
            (0, 1.0, &[expected(2.0, 2), expected(3.5, 1), sure(2)], (1, Criterion::Opponent)),
            (0, 1.0, &[expected(2.0, 2), expected(2.0005, 2)], (0, Criterion::Opponent)),
            (2, 1.0, &[sure(1), sure(2), sure(2)], (1, Criterion::Secured)),
            // A proof of at least the goal, or of the target next to one that is unlikely.
            (2, 0.9, &[seen(0.9, 50), sure(2)], (1, Criterion::Secured)),
            (2, 0.4, &[seen(0.4, 50), sure(1)], (1, Criterion::Secured)),
            (2, 0.5, &[seen(0.5, 50), seen(0.6, 9), sure(1)], (0, Criterion::MostVisited)),
            (2, 0.4, &[seen(0.4, 50), sure(-3)], (0, Criterion::MostVisited)),
            // Without a tree whatever is proven.
            (2, 0.5, &[sure(-3), sure(-1)], (1, Criterion::Secured)),
            (0, 0.5, &[(None, None, None, None, 0)], (0, Criterion::Static)),
            // About as good for the goal: within the risk, and not too few visits.
            (0, 0.6, &[ahead(0.60, 0.1, 900), ahead(0.55, 0.3, 30)], (1, Criterion::Ahead)),
            (0, 0.6, &[ahead(0.60, 0.1, 900), ahead(0.45, 0.9, 30)], (0, Criterion::MostVisited)),
            (0, 0.6, &[ahead(0.60, 0.1, 9000), ahead(0.55, 0.9, 30)], (0, Criterion::MostVisited)),
            (0, 0.6, &[seen(0.6, 90), seen(0.65, 80)], (1, Criterion::Ahead)),
            (0, 0.6, &[seen(0.0, 90), seen(0.2, 3)], (1, Criterion::MostVisited)),
        ];
        for (n, (goal, chance, moves, expected)) in cases.into_iter().enumerate() {
            assert_eq!(chosen(goal, chance, moves), expected, "case {n}");
        }
    }

    #[test]
    fn the_most_ambitious_proof_of_a_move_is_kept() {
        let mv = Move::parse("B2=3").expect("a move");
        let mut choices = Choices { mover: Player::Blue, prospects: Vec::new(), goal: (Target::new(0), 0.5) };
        for (alpha, kept) in [(2, 2), (-1, -1), (1, -1)] {
            choices.secure(mv, Target::new(alpha));
            let [only] = choices.prospects[..] else { panic!("one move") };
            assert_eq!(only, Prospect { secures: Some(Target::new(kept)), ..Prospect::of(mv) });
        }
    }
}
