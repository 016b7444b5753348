//! Moves against an opponent who looks no further than its own move.

use std::time::Instant;

use super::clock::Share;
use super::targets::part_of;
use super::{reached, Engine, HARD};
use crate::agent::{Choice, Reason};
use crate::board::Player;
use crate::opponent::{best_responses, Responses};
use crate::position::Position;
use crate::rng::Random;
use crate::simd::Portable;

/// The best so many moves are tried for one that stakes no win.
const TRIES: usize = 8;
/// The part of the time that looks for them.
const SEARCHED: f32 = 0.75;

impl Engine {
    /// Tell whether something may be staked on foretold replies.
    pub(super) fn may_stake(&self) -> bool {
        let params = &self.options.params;
        self.opponent.model(params).is_some_and(|model| model.may_stake(params))
    }

    /// Find the move that brings most against an opponent who looks no further than its own move, if
    /// this one is such, and if that is more than `sure`, which best play of both is taken to
    /// bring: final scores for the player to move. A win is not staked, as far as [`HARD`] nodes of
    /// the solver can tell in what the search leaves of the share.
    pub(super) fn best_response(&mut self, position: &Position, sure: i32, share: Share) -> Option<Choice> {
        let params = &self.options.params;
        let model = self.opponent.model(params).filter(|model| model.is_naive(params))?;
        let mut random = Random::new(self.options.seed ^ u64::from(position.empty().len()));
        let (start, all) = (Instant::now(), share.from_now());
        let Responses { mut moves, playouts } =
            best_responses(position, &model, params, &mut random, &part_of(&all, SEARCHED, start));
        moves.truncate(TRIES);
        moves.retain(|&(_, score)| score > sure as f32);
        moves.first()?;
        let mover = position.to_move();
        let win = reached(mover, mover.sign());
        let budget = all.at_most(HARD).begin(self.solver.nodes());
        let mut winner = |position: &Position| {
            let red = self.solver.reaches(position, win, &budget.left(self.solver.nodes()))?;
            Some(if red { Player::Red } else { Player::Blue })
        };
        let won = position.empty().len() <= params.solve_from && winner(position) == Some(mover);
        let lost = Some(mover.opponent());
        let mut stakes = |mv| won && winner(&position.after::<Portable>(mv)) == lost;
        let (mv, _) = moves.into_iter().find(|&(mv, _)| !stakes(mv))?;
        Some(Choice { reason: Reason::Exploiting, nodes: playouts, ..Choice::unsearched(mv) })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::Options;
    use super::*;
    use crate::board::Move;
    use crate::limits::Limits;
    use crate::opponent::expectation::greedy_move;
    use crate::opponent::{Kind, Opponent};
    use crate::params::Params;
    use crate::testing::{random_game, random_play, rng};

    /// Play four games of the engine as Red against a kind; return the sum of the final scores, and
    /// how many moves exploited.
    fn play(response_playouts: u32, kind: Kind) -> (i32, u32) {
        let (mut rng, mut random, mut sum, mut exploited) = (rng(3), Random::new(3), 0, 0);
        for _ in 0..4 {
            let params = Params { response_playouts, ..Params::default() };
            let mut engine = Engine::new(Options { params, nodes: Some(150), ..Options::default() });
            let mut position = random_game(&mut rng)[0];
            while position.final_score().is_none() {
                let choice = engine.think(&position, Duration::from_secs(1)).choice;
                exploited += u32::from(choice.reason == Reason::Exploiting);
                position.play::<Portable>(choice.mv);
                let reply = match kind {
                    Kind::Follows(_) => greedy_move(&position),
                    _ => kind.draw(&position, &mut random),
                };
                position.play::<Portable>(reply);
            }
            sum += i32::from(position.final_score().expect("over"));
        }
        (sum, exploited)
    }

    #[test]
    fn who_looks_no_further_is_exploited() {
        let (with, without) = (play(20_000, Kind::Follows(128.0)), play(0, Kind::Follows(128.0)));
        assert!(with.1 > 8 && with.1 > without.1 && with.0 > without.0, "{with:?}, {without:?}");
        let random = play(2_000, Kind::Random);
        assert!(random.1 > 20 && random.0 > 60, "{random:?}");
    }

    #[test]
    fn no_sure_win_is_staked_on_known_replies() {
        let mut rng = rng(17);
        let (mut better, mut passed_over) = (0, 0);
        let params = Params { response_playouts: 5_000, ..Params::default() };
        for game in 0..300 {
            let position = random_play(&mut rng, 7 + game % 3);
            let mover = position.to_move();
            let mut engine = Engine::new(Options { params: params.clone(), ..Options::default() });
            engine.opponent = Opponent::of(Kind::Follows(128.0));
            let value = engine.solver.value(&position, 0, &Limits::NONE).exact().expect("no limit");
            let secured = i32::from(mover.sign() * value);
            let before = engine.solver.nodes();
            // What is taken to be sure may be less than what is.
            let sure = if game % 2 == 0 { secured } else { secured.min(0) };
            let found = engine.best_response(&position, sure, Share::Nodes(5_000));
            assert!(engine.solver.nodes() - before <= 5_100, "no more than the share");
            let Some(Choice { mv, .. }) = found else { continue };
            let mut keeps = |mv: Move| {
                let after = position.after::<Portable>(mv);
                let value = engine.solver.value(&after, 0, &Limits::NONE).exact().expect("no limit");
                mover.sign() * value > 0
            };
            assert!(secured <= 0 || keeps(mv), "{mv} {position:?}");
            better += 1;
            let model = engine.opponent.model(&params).expect("a model");
            let mut random = Random::new(1 ^ u64::from(position.empty().len()));
            let first = best_responses(&position, &model, &params, &mut random, &Limits::NONE).moves[0].0;
            passed_over += u32::from(secured > 0 && !keeps(first));
        }
        assert!(better > 50 && passed_over > 2, "{better} moves, {passed_over} others passed over");
    }
}
