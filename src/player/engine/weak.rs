//! Moves against weak opponents: those who move at random, and those who follow the expected score.

use super::clock::{Plan, Share};
use super::{Engine, HARD, reached};
use crate::player::board::{Move, Player};
use crate::player::limits::Limits;
use crate::player::opponent::{moves_against_follower, moves_against_random};
use crate::player::position::{Position, Score};
use crate::player::simd::Portable;

/// Playouts for each move that is tried against an opponent who moves at random.
const SAMPLES: u32 = 150;
/// Playouts at most against an opponent whose replies are known.
const FOLLOWER_PLAYOUTS: u64 = 200_000;
/// The best so many moves against known replies are tried for one that stakes no win.
const TRIES: usize = 8;

impl Engine {
    /// List those of some moves that do best against an opponent who moves at random.
    pub(super) fn against_random(
        &self,
        position: &Position,
        moves: impl Iterator<Item = Move>,
        limits: &Limits,
    ) -> Vec<(Move, f32)> {
        moves_against_random(position, moves, SAMPLES, &mut self.random_at(position), limits)
    }

    /// Find the move that does best against an opponent who moves at random, whatever it stakes;
    /// `None` without time for it.
    pub(super) fn move_against_random(&self, position: &Position, plan: &Plan) -> Option<Move> {
        let limits = plan.refine.at_most(plan.search).from_now();
        self.against_random(position, position.legal_moves(), &limits).first().map(|&(mv, _)| mv)
    }

    /// Find the move that does best against an opponent who moves at random, among those that keep
    /// a won game won: more comes back than the exact value that is staked. `None` when the game is
    /// not won or the limits are reached first.
    pub(super) fn exploiting_move(
        &mut self,
        position: &Position,
        value: Score,
        limits: &Limits,
    ) -> Option<(Move, f32)> {
        let mover = position.to_move();
        if mover.sign() * value < 1 {
            return None;
        }
        let win = reached(mover, mover.sign());
        let budget = limits.begin(self.solver.nodes());
        for (mv, score) in self.against_random(position, position.legal_moves(), limits) {
            let left = budget.left(self.solver.nodes());
            let red = self.solver.reaches(&position.after::<Portable>(mv), win, &left)?;
            if red == (mover == Player::Red) {
                return Some((mv, score));
            }
        }
        None
    }

    /// Find the move that does best against known replies, if the opponent's are and if it brings
    /// more than `sure`, which best play of both is taken to bring: final scores for the player to
    /// move. A win that is sure is not staked, as far as [`HARD`] nodes of the solver can tell: of
    /// replies with the same expected score any may come.
    pub(super) fn move_against_follower(
        &mut self,
        position: &Position,
        sure: i32,
        share: Share,
    ) -> Option<Move> {
        if !self.opponent.follows(&self.options.params) {
            return None;
        }
        let mut random = self.random_at(position);
        let limits = share.from_now();
        let found = moves_against_follower(position, FOLLOWER_PLAYOUTS, &mut random, &limits);
        let mover = position.to_move();
        let win = reached(mover, mover.sign());
        let budget = Limits::nodes(HARD).begin(self.solver.nodes());
        let mut keeps_win = |mv| {
            let left = budget.left(self.solver.nodes());
            let red = self.solver.reaches(&position.after::<Portable>(mv), win, &left);
            red != Some(mover == Player::Blue)
        };
        let better = found.into_iter().take(TRIES).filter(|&(_, score)| score > sure as f32);
        better.map(|(mv, _)| mv).find(|&mv| sure <= 0 || keeps_win(mv))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::Options;
    use super::*;
    use crate::player::agent::Reason;
    use crate::player::opponent::{Opponent, expectation};
    use crate::player::params::Params;
    use crate::player::testing::{random_game, random_move, random_play, rng};

    /// Play a game of the engine as Red against the replies given; return its final score, and how
    /// many moves exploited.
    fn play(params: Params, start: &Position, mut reply: impl FnMut(&Position) -> Move) -> (Score, u32) {
        let mut engine = Engine::new(Options { params, nodes: Some(150), ..Options::default() });
        let (mut position, mut exploited) = (*start, 0);
        loop {
            let choice = engine.think(&position, Duration::from_secs(1)).choice;
            exploited += u32::from(choice.reason == Reason::Exploiting);
            position.play::<Portable>(choice.mv);
            position.play::<Portable>(reply(&position));
            if let Some(score) = position.final_score() {
                return (score, exploited);
            }
        }
    }

    fn best_expected(position: &Position) -> Move {
        expectation::chances(position, 1.0)[0].0
    }

    #[test]
    fn known_replies_are_exploited() {
        let mut rng = rng(3);
        let (mut exploited, mut points) = (0, [0; 2]);
        for _ in 0..4 {
            let start = random_game(&mut rng)[0];
            for follower_from in [0, 4] {
                let params = Params { follower_from, model_from: 0, ..Params::default() };
                let (score, moves) = play(params, &start, best_expected);
                assert!(follower_from > 0 || moves == 0);
                exploited += moves;
                points[usize::from(follower_from > 0)] += i32::from(score);
            }
        }
        assert!(exploited > 8 && points[1] > points[0], "{exploited} moves, {points:?} points");
    }

    #[test]
    fn who_moves_at_random_is_exploited() {
        let mut rng = rng(4);
        let mut exploited = 0;
        for _ in 0..4 {
            let start = random_game(&mut rng)[0];
            exploited += play(Params::default(), &start, |position| random_move(&mut rng, position)).1;
        }
        assert!(exploited > 20, "{exploited} of 60");
    }

    #[test]
    fn no_sure_win_is_staked_on_known_replies() {
        let mut rng = rng(17);
        let (mut better, mut passed_over) = (0, 0);
        for game in 0..300 {
            let position = random_play(&mut rng, 7 + game % 3);
            let mover = position.to_move();
            let mut engine = Engine::new(Options::default());
            engine.opponent = Opponent::follower(4);
            let value = engine.solver.value(&position, 0, &Limits::NONE).exact().expect("no limit");
            let secured = i32::from(mover.sign() * value);
            let found = engine.move_against_follower(&position, secured, Share::Nodes(5_000));
            let Some(mv) = found else { continue };
            let mut keeps = |mv| {
                let after = position.after::<Portable>(mv);
                let value = engine.solver.value(&after, 0, &Limits::NONE).exact().expect("no limit");
                mover.sign() * value > 0
            };
            assert!(secured <= 0 || keeps(mv), "{mv} {position:?}");
            better += 1;
            let mut random = crate::player::rng::Random::new(1 ^ u64::from(position.empty().len()));
            let first = moves_against_follower(&position, 5_000, &mut random, &Limits::NONE)[0].0;
            passed_over += u32::from(secured > 0 && !keeps(first));
        }
        assert!(better > 50 && passed_over > 2, "{better} moves, {passed_over} others passed over");
    }
}
