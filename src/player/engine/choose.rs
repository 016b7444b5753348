//! The one place that picks a move, by the figures of each, and says why.

use crate::agent::Reason;
use crate::alpha::Target;
use crate::board::{Move, Player};
use crate::params::Params;

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MoveFigures {
    pub mv: Move,
    /// The hardest target that the move is proven to reach against any reply; `None` if none is known.
    pub secures: Option<Target>,
    /// The chance to reach the goal after the move, 0..=1; 0 when proven lost.
    pub chance: Option<f32>,
    /// The chance to reach the next harder target than the goal; `None` if it was tried there too seldom.
    pub ahead: Option<f32>,
    /// The final score expected against this opponent, for the player to move: the mean over its replies, or
    /// the value of a response.
    pub expected: Option<f32>,
    /// Iterations of the goal's tree through the move.
    pub visits: u32,
    /// The player who is proven to win the goal's game after it.
    pub proven_winner: Option<Player>,
    /// Whether the move is [about as good](MoveList::mark_rivals) for the goal as the most visited one.
    pub is_rival: bool,
}

impl MoveFigures {
    pub fn of(mv: Move) -> MoveFigures {
        MoveFigures {
            mv,
            secures: None,
            chance: None,
            ahead: None,
            expected: None,
            visits: 0,
            proven_winner: None,
            is_rival: false,
        }
    }
}

/// The figures of one target after thinking about a move.
#[derive(Clone, Copy, Debug)]
pub struct TargetEstimate {
    pub target: Target,
    /// Estimated chance of the player to move to reach the target by the most visited move, 0..=1.
    pub chance: f32,
    pub visits: u32,
}

/// The moves to choose from, and their purpose.
#[derive(Clone, Debug)]
pub struct MoveList {
    pub mover: Player,
    /// The moves; the first of equals is chosen.
    pub figures: Vec<MoveFigures>,
    pub goal: Target,
    /// The chance to reach the goal, 0..=1; `None` if it was not measured.
    pub chance: Option<f32>,
    /// Whether best play of both reaches the goal and no harder target.
    pub is_exact: bool,
    /// The targets searched, ascending.
    pub targets: Vec<TargetEstimate>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MoveChoice {
    /// The move's place in [`MoveList::figures`].
    pub place: usize,
    pub reason: Reason,
    /// The target that the move aims at, or secures if a proof decided.
    pub target: Option<Target>,
    /// The chance to reach the target, 0..=1.
    pub chance: f32,
    /// The target that the next move aims at first; `None` if none was measured or proven.
    pub aim: Option<Target>,
}

/// Weight of the chance to reach the next harder target; the chance to reach the goal has weight 1.
pub(super) const AHEAD_WEIGHT: f32 = 2.0;
/// Scores nearer to each other than this are equal.
const SAME_SCORE: f32 = 1e-3;
/// A rival has at least one visit in 200 of the first move's.
const RIVAL_VISITS: f32 = 200.0;

impl MoveList {
    pub fn of(mover: Player, goal: Target, figures: Vec<MoveFigures>) -> MoveList {
        MoveList { mover, figures, goal, chance: None, is_exact: false, targets: Vec::new() }
    }

    /// Note that a move, listed already or not, is proven to reach a target.
    pub fn secure(&mut self, mv: Move, target: Target) {
        let place = self.figures.iter().position(|it| it.mv == mv).unwrap_or(self.figures.len());
        if place == self.figures.len() {
            self.figures.push(MoveFigures::of(mv));
        }
        let known = self.figures[place].secures;
        if known.map_or(true, |known| known.secured(self.mover) < target.secured(self.mover)) {
            self.figures[place].secures = Some(target);
        }
    }

    /// Mark the moves that are about as good for the goal as the first one.
    pub fn mark_rivals(&mut self, params: &Params) {
        let Some(&lead) = self.figures.first() else { return };
        let (lost, risk) = (Some(self.mover.opponent()), params.ahead_risk);
        for it in &mut self.figures {
            let is_near = it.chance.zip(lead.chance).map_or(false, |(own, best)| own >= best - risk);
            it.is_rival =
                is_near && RIVAL_VISITS * it.visits as f32 >= lead.visits as f32 && it.proven_winner != lost;
        }
    }

    /// Choose a move; `None` if there is none. The expected score counts first, if it is known; then
    /// a proof of at least the goal, or of the next easier target if the goal is unlikely; then the goal's tree.
    pub fn choose(&self, params: &Params) -> Option<MoveChoice> {
        let measured = self.chance.map(|_| self.goal);
        if let Some(place) = self.most_expected() {
            let target = self.figures[place].secures;
            let keeps = self.is_exact && target == Some(self.goal);
            let reason = if keeps { Reason::Solved } else { Reason::Exploiting };
            return Some(MoveChoice { place, reason, target, chance: 1.0, aim: measured });
        }
        let proven = |(place, target)| {
            let reason = if self.is_exact { Reason::Solved } else { Reason::Proven };
            MoveChoice { place, reason, target: Some(target), chance: 1.0, aim: Some(target) }
        };
        let (secured, easier) = (self.most_secured(), self.goal.secured(self.mover) - 1);
        // If the next easier target is secured, the goal is risk enough.
        let near = secured.filter(|(_, target)| target.secured(self.mover) >= easier);
        let unlikely = self.chance.map_or(true, |chance| chance < params.choose);
        if let Some(near) = near.filter(|(_, target)| unlikely || target.secured(self.mover) > easier) {
            return Some(proven(near));
        }
        let chance = self.chance.unwrap_or(0.5);
        let Some(lead) = self.figures.iter().position(|it| it.visits > 0 && !self.is_lost(it)) else {
            // Without a tree any proof counts.
            let hurried =
                MoveChoice { place: 0, reason: Reason::Hurried, target: None, chance, aim: measured };
            return secured.map(proven).or(Some(hurried).filter(|_| !self.figures.is_empty()));
        };
        let ahead = self.most_promising(params).filter(|&best| best != lead && near.is_none());
        let (place, reason) = ahead.map_or((lead, Reason::MostVisits), |best| (best, Reason::Ahead));
        Some(MoveChoice { place, reason, target: Some(self.goal), chance, aim: measured })
    }

    fn is_lost(&self, it: &MoveFigures) -> bool {
        it.proven_winner == Some(self.mover.opponent())
    }

    fn most_expected(&self) -> Option<usize> {
        let known = self.figures.iter().enumerate().filter_map(|(n, it)| Some((n, it.expected?)));
        let better =
            |best: (usize, f32), it: (usize, f32)| if it.1 > best.1 + SAME_SCORE { it } else { best };
        known.reduce(better).map(|(place, _)| place)
    }

    fn most_secured(&self) -> Option<(usize, Target)> {
        let known = self.figures.iter().enumerate().filter_map(|(n, it)| Some((n, it.secures?)));
        // The first of equals.
        known.rev().max_by_key(|&(_, target)| target.secured(self.mover))
    }

    /// Return the rival with the best weighted sum of the chances to reach the goal and the next harder target.
    fn most_promising(&self, params: &Params) -> Option<usize> {
        let sum = |n: usize| {
            let it = &self.figures[n];
            it.chance.unwrap_or(0.0) + AHEAD_WEIGHT * it.ahead.unwrap_or(0.0)
        };
        let rivals = (0..self.figures.len()).filter(|&n| self.figures[n].is_rival);
        // The first of equals.
        rivals.rev().filter(|_| params.ahead > 0.0).max_by(|&a, &b| sum(a).total_cmp(&sum(b)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures of a move: the target it secures, its chances to reach the goal and the target next to
    /// that, the expected score, and its visits.
    type Known = (Option<i32>, Option<f32>, Option<f32>, Option<f32>, u32);

    /// Choose among moves for a goal with a chance, as either player; a higher target is harder for both.
    fn chosen(goal: i32, chance: f32, moves: &[Known]) -> (usize, Reason) {
        let params = Params { choose: 0.45, ahead_risk: 0.1, ..Params::default() };
        let list = |mover: Player| {
            let target = |own: i32| Target::new(own * i32::from(mover.sign()));
            let figures_of = |&(secures, chance, ahead, expected, visits): &Known| MoveFigures {
                secures: secures.map(target),
                chance,
                ahead,
                expected,
                visits,
                proven_winner: (chance == Some(0.0)).then_some(mover.opponent()),
                ..MoveFigures::of(Move::parse("A1=1").expect("a move"))
            };
            let figures = moves.iter().map(figures_of).collect();
            let mut list = MoveList { chance: Some(chance), ..MoveList::of(mover, target(goal), figures) };
            list.mark_rivals(&params);
            list
        };
        let [red, blue] = Player::BOTH.map(|mover| {
            let choice = list(mover).choose(&params).expect("a move");
            (choice.place, choice.reason)
        });
        assert_eq!(red, blue);
        red
    }

    #[test]
    fn each_reason_decides_if_those_before_it_do_not() {
        let seen = |chance: f32, visits: u32| (None, Some(chance), None, None, visits);
        let ahead = |chance: f32, ahead: f32, visits: u32| (None, Some(chance), Some(ahead), None, visits);
        let secures = |target: i32| (Some(target), None, None, None, 0);
        let expected = |score: f32, target: i32| (Some(target), None, None, Some(score), 0);
        type Case<'a> = (i32, f32, &'a [Known], (usize, Reason));
        let cases: [Case; 14] = [
            (0, 1.0, &[expected(2.0, 2), expected(3.5, 1), secures(2)], (1, Reason::Exploiting)),
            (0, 1.0, &[expected(2.0, 2), expected(2.0005, 2)], (0, Reason::Exploiting)),
            (2, 1.0, &[secures(1), secures(2), secures(2)], (1, Reason::Proven)),
            // A proof of at least the goal, or of the target next to one that is unlikely.
            (2, 0.9, &[seen(0.9, 50), secures(2)], (1, Reason::Proven)),
            (2, 0.4, &[seen(0.4, 50), secures(1)], (1, Reason::Proven)),
            (2, 0.5, &[seen(0.5, 50), seen(0.6, 9), secures(1)], (0, Reason::MostVisits)),
            (2, 0.4, &[seen(0.4, 50), secures(-3)], (0, Reason::MostVisits)),
            // Without a tree any proof counts.
            (2, 0.5, &[secures(-3), secures(-1)], (1, Reason::Proven)),
            (0, 0.5, &[(None, None, None, None, 0)], (0, Reason::Hurried)),
            // About as good for the goal: within the risk, and not too few visits.
            (0, 0.6, &[ahead(0.60, 0.1, 900), ahead(0.55, 0.3, 30)], (1, Reason::Ahead)),
            (0, 0.6, &[ahead(0.60, 0.1, 900), ahead(0.45, 0.9, 30)], (0, Reason::MostVisits)),
            (0, 0.6, &[ahead(0.60, 0.1, 9000), ahead(0.55, 0.9, 30)], (0, Reason::MostVisits)),
            (0, 0.6, &[seen(0.6, 90), seen(0.65, 80)], (1, Reason::Ahead)),
            (0, 0.6, &[seen(0.0, 90), seen(0.2, 3)], (1, Reason::MostVisits)),
        ];
        for (n, (goal, chance, moves, expected)) in cases.into_iter().enumerate() {
            assert_eq!(chosen(goal, chance, moves), expected, "case {n}");
        }
    }

    #[test]
    fn the_most_ambitious_proof_of_a_move_is_kept() {
        let mv = Move::parse("B2=3").expect("a move");
        let mut list = MoveList::of(Player::Blue, Target::new(0), Vec::new());
        for (alpha, kept) in [(2, 2), (-1, -1), (1, -1)] {
            list.secure(mv, Target::new(alpha));
            let [only] = list.figures[..] else { panic!("one move") };
            assert_eq!(only, MoveFigures { secures: Some(Target::new(kept)), ..MoveFigures::of(mv) });
        }
    }
}
