//! What the opponent's replies tell of it: how much they give away, whether they are any moves at all, and whether
//! they can be foretold.
//!
//! A player who moves at random is told from others by the likelihood of its replies. Players of two kinds are
//! held against it: those who choose what looks good for the target by the static formula, as all programs that
//! search do more or less, and those who follow the expected score. By likelihood, too, it is told how sharply a
//! player follows that.

use std::time::Instant;

use super::solved::HARD;
use super::{Engine, TRAP_NODES_PER_ITERATION, reached};
use crate::player::alpha::Target;
use crate::player::board::{Move, Player};
use crate::player::engine::clock::Plan;
use crate::player::evaluation;
use crate::player::limits::Limits;
use crate::player::opponent::expectation;
use crate::player::opponent::{moves_against_follower, moves_against_random};
use crate::player::params::Params;
use crate::player::position::{Position, Score};
use crate::player::rng::Random;
use crate::player::search::{ReplyModel, moves_between};
use crate::player::simd::Portable;

/// How much more likely a random player than others is to give away fewer than one, one, two or more points by
/// a reply, by the rise of what is aimed at: a natural logarithm. Measured on games against `random` and against
/// a winner of the tournament.
const BY_RISE: [f32; 4] = [-0.8, 0.5, 2.3, 3.0];
/// How much more likely a reply is for each unit of log-odds by which it looks better, as a natural logarithm.
/// With 1.2, of 1,345 replies of a strong program at 12 to 18 empty cells an error was rated more likely than a
/// sound one in 94.5 % of all pairs; counting every legal reply alike in 93.2 %.
const PLAUSIBILITY: f32 = 1.2;
/// Replies that look so bad, or so good, look all the same.
const PLAIN: f32 = 12.0;
/// The share of replies that no likelihood explains.
const UNEXPLAINED: f32 = 0.1;
/// How much more likely a reply is for each point of expected score, for those who follow it: a natural logarithm.
const GREED: f32 = 2.0;
/// Expected scores so near the best one, as a factor of likelihood, are as good.
const AS_GOOD: f32 = 0.999;
/// How much likelier a reply may be for each point of expected score, as a natural logarithm: from those who hardly
/// follow it, as all who play well, to those who nearly always do.
const SHARPNESS: [f32; 6] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
/// The least of them that tells a follower from others.
const FOLLOWER: usize = 2;
/// Natural log-odds for a follower, over all replies, from which its replies are foretold. In games between strong
/// programs one or two players in a hundred seem to be one at a time.
const TOLD: f32 = 3.0;
/// How much less each reply counts with every later one, as a factor, for how sharply an opponent follows now.
const FADING: f32 = 0.8;
/// Playouts at most against an opponent whose replies are foretold.
const FORETOLD_PLAYOUTS: u64 = 200_000;
/// The best so many moves against foretold replies are tried for one that stakes no win.
const TRIES: usize = 8;
/// Playouts for each move that is tried against a weak opponent.
const EXPLOIT_SAMPLES: u32 = 150;
/// Log-odds beyond those of an opponent who may move at random that leave no doubt.
const DOUBT: f32 = 2.0;
/// No evidence against random moves counts for more than this, so that there is a way back.
const CERTAIN: f32 = 6.0;

/// What is known of the opponent.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Opponent {
    /// Points by which the aim rose over the opponent's replies, in sum.
    given: i32,
    /// The replies with the rise over them: all but the last one while its answer is thought about.
    replies: u32,
    /// The position of our last move.
    before: Option<Position>,
    /// Whether that move exploited random replies, and may have given away points itself.
    exploited: bool,
    /// The replies seen, and those of them with the best expected score.
    seen: u32,
    followed: u32,
    /// Logarithms of the likelihood of all replies, by [`SHARPNESS`], and of that in which older replies fade.
    sharp: [f32; SHARPNESS.len()],
    sharp_now: [f32; SHARPNESS.len()],
    /// Log-odds that it moves at random, against players for the target and players for the expected score.
    odds: [f32; 2],
}

impl Opponent {
    /// Note the position of our move.
    pub fn note_turn(&mut self, position: &Position, exploiting: bool) {
        (self.before, self.exploited) = (Some(*position), exploiting);
    }

    /// Take in the reply that led to a position; `aim` is what our move aimed at. Tells whether there was one.
    pub fn see_reply(&mut self, position: &Position, aim: Target) -> bool {
        let Some(before) = self.before else { return false };
        let Some([ours, reply]) = moves_between(&before, position) else { return false };
        let left = before.after::<Portable>(ours);
        let legal = left.legal_moves().count();
        self.weigh(0, surprise(&plausible_replies(&left, aim), reply, legal));
        let greedy = greedy_replies(&left);
        self.seen += 1;
        self.followed += u32::from(greedy.iter().any(|&(mv, weight)| mv == reply && weight >= AS_GOOD));
        self.weigh(1, surprise(&greedy, reply, legal));
        for (n, sharpness) in SHARPNESS.into_iter().enumerate() {
            let evidence = -surprise(&expectation::chances(&left, sharpness), reply, legal);
            self.sharp[n] += evidence;
            self.sharp_now[n] = FADING * self.sharp_now[n] + evidence;
        }
        true
    }

    /// Take in a reply over which the aim rose by `rise` points.
    pub fn see_rise(&mut self, rise: i32) {
        self.given += rise;
        self.replies += 1;
        let evidence = BY_RISE[rise.clamp(0, 3) as usize];
        self.weigh(0, if self.exploited { evidence.max(0.0) } else { evidence });
    }

    fn weigh(&mut self, kind: usize, evidence: f32) {
        self.odds[kind] = (self.odds[kind] + evidence).max(-CERTAIN);
    }

    /// Tell whether it may well move at random: to be exploited as far as that costs little.
    pub fn may_move_at_random(&self, params: &Params) -> bool {
        self.random() >= params.random_from
    }

    /// Tell whether it does beyond doubt.
    pub fn moves_at_random(&self, params: &Params) -> bool {
        self.random() >= params.random_from + DOUBT
    }

    /// Tell whether all its replies follow the expected score, and there are enough to rely on that.
    pub fn follows(&self, params: &Params) -> bool {
        let enough = params.follower_from > 0 && self.seen >= params.follower_from;
        enough && self.followed == self.seen
    }

    /// Return how its replies are foretold, if it follows the expected score at all, beyond doubt, and there are
    /// enough of them to tell.
    pub fn model(&self, params: &Params) -> Option<ReplyModel> {
        if params.foretell_from == 0 || self.seen < params.foretell_from {
            return None;
        }
        let told = self.sharp[FOLLOWER..].iter().copied().fold(f32::MIN, f32::max) - self.sharp[0];
        let now = (1..SHARPNESS.len()).max_by(|&a, &b| self.sharp_now[a].total_cmp(&self.sharp_now[b]))?;
        (told >= TOLD).then_some(ReplyModel { share: params.foretell_share, sharpness: SHARPNESS[now] })
    }

    /// Return the log-odds that it moves at random rather than as the likelier of the others; even ones after the
    /// first reply, as any program may play a single odd move.
    fn random(&self) -> f32 {
        if self.replies == 0 { 0.0 } else { self.odds.into_iter().fold(f32::MAX, f32::min) }
    }

    /// Return the share of random replies to expect of it, 0..=1.
    ///
    /// It grows with the points given away a reply, where two more replies without a gift are counted, as the
    /// first estimates waver.
    pub fn optimism(&self, params: &Params) -> f32 {
        let gift = self.given as f32 / (self.replies + 2) as f32;
        (params.optimism * (gift - params.optimism_from)).clamp(0.0, params.optimism_limit)
    }
}

impl Engine {
    /// Find the move that does best against an opponent who moves at random, among those that keep a won
    /// game won: against a weak opponent more comes back than the exact value that is staked. `None` when
    /// the game is not won or the limits are reached first.
    pub(super) fn exploiting_move(
        &mut self,
        position: &Position,
        value: Score,
        limits: &Limits,
    ) -> Option<(Move, f32)> {
        let mover = position.to_move();
        let sign = i32::from(mover.sign());
        if sign * i32::from(value) < 1 {
            return None;
        }
        let target = reached(mover, sign as Score);
        let stop = self.solver.nodes().saturating_add(limits.nodes);
        for (mv, score) in self.against_random(position, position.legal_moves(), limits) {
            let left = Limits { nodes: stop.saturating_sub(self.solver.nodes()), ..*limits };
            let red = self.solver.reaches(&position.after::<Portable>(mv), target, &left)?;
            if red == (mover == Player::Red) {
                return Some((mv, score));
            }
        }
        None
    }

    /// Find the move that does best against an opponent who moves at random, whatever it stakes; `None` without
    /// time for it.
    pub(super) fn move_against_random(&self, position: &Position, plan: &Plan) -> Option<Move> {
        let limits = self.solver_limits(Instant::now() + plan.search, TRAP_NODES_PER_ITERATION);
        self.against_random(position, position.legal_moves(), &limits).first().map(|&(mv, _)| mv)
    }

    /// Find the move that does best against foretold replies, if the opponent's are and if it brings more than
    /// `sure`, which best play of both is taken to bring: final scores for the player to move. A win that is sure is
    /// not staked, as far as [`HARD`] nodes of the solver can tell: of replies with the same expected score any may
    /// come.
    pub(super) fn move_against_follower(
        &mut self,
        position: &Position,
        sure: i32,
        limits: &Limits,
    ) -> Option<Move> {
        if !self.opponent.follows(&self.options.params) {
            return None;
        }
        let mut random = self.random_at(position);
        let found = moves_against_follower(position, FORETOLD_PLAYOUTS, &mut random, limits);
        let mover = position.to_move();
        let win = reached(mover, mover.sign());
        let stop = self.solver.nodes().saturating_add(HARD);
        let mut keeps_win = |mv| {
            let left = Limits::nodes(stop.saturating_sub(self.solver.nodes()));
            let red = self.solver.reaches(&position.after::<Portable>(mv), win, &left);
            red != Some(mover == Player::Blue)
        };
        let better = found.into_iter().take(TRIES).filter(|&(_, score)| score > sure as f32);
        better.map(|(mv, _)| mv).find(|&mv| sure <= 0 || keeps_win(mv))
    }

    /// Return a generator for a position, the same for the same seed.
    fn random_at(&self, position: &Position) -> Random {
        Random::new(self.options.seed ^ u64::from(position.empty().len()))
    }

    /// List those of some moves that do best against an opponent who moves at random.
    pub(super) fn against_random(
        &self,
        position: &Position,
        moves: impl Iterator<Item = Move>,
        limits: &Limits,
    ) -> Vec<(Move, f32)> {
        moves_against_random(position, moves, EXPLOIT_SAMPLES, &mut self.random_at(position), limits)
    }
}

/// List the reasonable replies of the player to move, with how likely each is, in proportion: by how good it
/// looks for `target` by the static formula.
pub(super) fn plausible_replies(position: &Position, target: Target) -> Vec<(Move, f32)> {
    let mut replies: Vec<(Move, f32)> = evaluation::merits::<Portable>(position, target)
        .map(|(mv, merit)| (mv, merit.clamp(-PLAIN, PLAIN)))
        .collect();
    let best = replies.iter().map(|&(_, merit)| merit).fold(-PLAIN, f32::max);
    replies.iter_mut().for_each(|(_, merit)| *merit = (PLAUSIBILITY * (*merit - best)).exp());
    replies
}

/// List the legal replies, with how likely each is, in proportion, for a player who follows the expected score.
fn greedy_replies(position: &Position) -> Vec<(Move, f32)> {
    let sign = f32::from(position.to_move().sign());
    let expected = |mv| (mv, sign * expectation::expected_score(&position.after::<Portable>(mv)));
    let mut replies: Vec<(Move, f32)> = position.legal_moves().map(expected).collect();
    let best = replies.iter().map(|&(_, score)| score).fold(f32::MIN, f32::max);
    replies.iter_mut().for_each(|(_, score)| *score = (GREED * (*score - best)).exp());
    replies
}

/// Return how much less likely a reply is for a player who chooses by `weights`, given in proportion, than
/// for one who takes any of the `legal` moves, as a natural logarithm.
fn surprise(weights: &[(Move, f32)], reply: Move, legal: usize) -> f32 {
    let all: f32 = weights.iter().map(|&(_, weight)| weight).sum();
    let own = weights.iter().find(|&&(mv, _)| mv == reply).map_or(0.0, |&(_, weight)| weight / all);
    let random = 1.0 / legal as f32;
    (random / ((1.0 - UNEXPLAINED) * own + UNEXPLAINED * random)).ln()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::player::agent::Reason;
    use crate::player::board::Cell;
    use crate::player::engine::Options;
    use crate::player::rng::scaled;

    fn opening(n: usize) -> Position {
        Position::codecup((0..5).map(|i| Cell::from_ordinal(7 * i + n % 7).unwrap()).collect()).unwrap()
    }

    /// Show an opponent ten replies to sound moves, each followed by a rise of the aim.
    fn after_replies(game: usize, rise: i32, mut reply: impl FnMut(&Position) -> Move) -> Opponent {
        let (mut opponent, mut position) = (Opponent::default(), opening(game));
        for _ in 0..10 {
            let aim = Target::new(0);
            opponent.note_turn(&position, false);
            position.play::<Portable>(evaluation::quick_move::<Portable>(&position, aim).expect("a move"));
            position.play::<Portable>(reply(&position));
            assert!(opponent.see_reply(&position, aim));
            opponent.see_rise(rise);
        }
        opponent
    }

    fn any_move(position: &Position, random: &mut Random) -> Move {
        let moves: Vec<Move> = position.legal_moves().collect();
        moves[scaled(random.bits() as u32, moves.len() as u32) as usize]
    }

    #[test]
    fn random_replies_are_told_from_sound_and_from_greedy_ones() {
        let params = Params::default();
        let mut random = Random::new(5);
        let mut told = 0;
        for game in 0..20 {
            let at_random = after_replies(game, 1, |position| any_move(position, &mut random));
            told += u32::from(at_random.moves_at_random(&params));
            let sound = after_replies(game, 1, |position| {
                evaluation::quick_move::<Portable>(position, Target::new(0)).expect("a move")
            });
            assert!(!sound.may_move_at_random(&params), "{sound:?}");
            // One who gives as much away, but follows the expected score.
            let greedy = after_replies(game, 2, best_expected);
            let alone = Params { follower_from: 0, ..Params::default() };
            assert!(!greedy.may_move_at_random(&alone) && greedy.odds[0] > params.random_from, "{greedy:?}");
            assert!(!at_random.follows(&params) && !sound.follows(&params) && greedy.follows(&params));
        }
        assert!(told > 15, "{told} of 20");
    }

    fn best_expected(position: &Position) -> Move {
        greedy_replies(position).into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("a move").0
    }

    #[test]
    fn it_is_told_how_sharply_the_expected_score_is_followed() {
        let params = Params::default();
        let mut random = Random::new(9);
        let mut followers = 0;
        for game in 0..12 {
            for sharpness in [4.0, 8.0, 32.0] {
                let opponent = after_replies(game, 0, |position| {
                    expectation::likely_reply(position, sharpness, &mut random)
                });
                let Some(model) = opponent.model(&params) else { continue };
                followers += 1;
                let off = (model.sharpness / sharpness).log2().abs();
                assert!(off <= 2.0, "{} for {sharpness}", model.sharpness);
                assert_eq!(model.share, params.foretell_share);
                assert_eq!(opponent.model(&Params::paper(true)), None);
                assert_eq!(opponent.model(&Params { foretell_from: 11, ..Params::default() }), None);
            }
            let at_random = after_replies(game, 0, |position| any_move(position, &mut random));
            let sound = after_replies(game, 0, |position| {
                evaluation::quick_move::<Portable>(position, Target::new(0)).expect("a move")
            });
            assert!(at_random.model(&params).is_none() && sound.model(&params).is_none());
        }
        assert!(followers > 30, "{followers} of 36");
    }

    #[test]
    fn one_reply_that_strays_cannot_be_foretold() {
        for stray in 0..10 {
            let mut count = 0;
            let opponent = after_replies(3, 0, |position| {
                count += 1;
                if count != stray + 1 {
                    return best_expected(position);
                }
                greedy_replies(position).into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).expect("a move").0
            });
            assert!(!opponent.follows(&Params::default()), "{stray}");
        }
    }

    #[test]
    fn no_sure_win_is_staked_on_foretold_replies() {
        let mut random = Random::new(17);
        let (mut better, mut passed_over) = (0, 0);
        for game in 0..300 {
            let mut position = opening(game);
            while position.empty().len() > 7 + game as u32 % 3 {
                position.play::<Portable>(any_move(&position, &mut random));
            }
            let mover = position.to_move();
            let mut engine = Engine::new(Options::default());
            engine.opponent = Opponent { seen: 4, followed: 4, ..Opponent::default() };
            let value = engine.solver.value(&position, 0, &Limits::NONE).exact().expect("no limit");
            let secured = i32::from(mover.sign() * value);
            let limits = Limits::nodes(5_000);
            let Some(mv) = engine.move_against_follower(&position, secured, &limits) else { continue };
            let kept = |engine: &mut Engine, mv| {
                let after = position.after::<Portable>(mv);
                let value = engine.solver.value(&after, 0, &Limits::NONE).exact().expect("no limit");
                mover.sign() * value > 0
            };
            assert!(secured <= 0 || kept(&mut engine, mv), "{mv} {position:?}");
            better += 1;
            let mut random = engine.random_at(&position);
            let first = moves_against_follower(&position, 5_000, &mut random, &limits)[0].0;
            passed_over += u32::from(secured > 0 && !kept(&mut engine, first));
        }
        assert!(better > 50 && passed_over > 5, "{better} moves, {passed_over} others passed over");
    }

    #[test]
    fn foretold_replies_are_exploited() {
        let (mut exploited, mut points) = (0, [0; 2]);
        for game in 0..4 {
            for follower_from in [0, 4] {
                let params = Params { follower_from, foretell_from: 0, ..Params::default() };
                let mut engine =
                    Engine::new(Options { params, nodes: Some(150), seed: 5, ..Options::default() });
                let mut position = opening(game);
                while position.empty().len() > 2 {
                    let choice = engine.think(&position, Duration::from_secs(1)).choice;
                    if choice.reason == Reason::Exploiting {
                        exploited += 1;
                        assert!(follower_from > 0 && position.empty().len() <= 31 - 8);
                    }
                    position.play::<Portable>(choice.mv);
                    position.play::<Portable>(best_expected(&position));
                }
                points[usize::from(follower_from > 0)] += i32::from(position.final_score().expect("the end"));
            }
        }
        assert!(exploited > 8 && points[1] > points[0], "{exploited} moves, {points:?} points");
    }

    #[test]
    fn a_single_odd_reply_proves_nothing() {
        let params = Params::default();
        let mut opponent = Opponent { odds: [9.0; 2], ..Opponent::default() };
        assert!(!opponent.may_move_at_random(&params) && !opponent.moves_at_random(&params));
        opponent.see_rise(0);
        assert!(opponent.moves_at_random(&params), "two replies do");
    }

    #[test]
    fn gifts_count_for_random_moves_and_sound_replies_make_up_for_them() {
        let params = Params::default();
        let mut opponent = Opponent { odds: [0.0, 9.0], ..Opponent::default() };
        opponent.see_rise(3);
        assert!(opponent.may_move_at_random(&params));
        (0..9).for_each(|_| opponent.see_rise(0));
        assert!(!opponent.may_move_at_random(&params));
        // However long it was sound, there is a way back.
        (0..90).for_each(|_| opponent.see_rise(0));
        (0..6).for_each(|_| opponent.see_rise(2));
        assert!(opponent.moves_at_random(&params));
        // What an exploiting move stakes does not speak for the opponent.
        let before = opponent.odds;
        opponent.exploited = true;
        opponent.see_rise(-1);
        assert_eq!(opponent.odds, before);
        opponent.see_rise(1);
        assert!(opponent.odds[0] > before[0]);
    }

    #[test]
    fn blunders_are_expected_of_those_who_give_points_away() {
        let params = Params::default();
        let after = |rises: &[i32]| {
            let mut opponent = Opponent::default();
            rises.iter().for_each(|&rise| opponent.see_rise(rise));
            opponent.optimism(&params)
        };
        assert_eq!(after(&[0; 5]), 0.0);
        assert!(after(&[1, 0, 1, 0, 1]) > 0.0 && after(&[2; 5]) > after(&[1, 0, 1, 0, 1]));
        assert!(after(&[9; 9]) <= params.optimism_limit);
    }

    #[test]
    fn without_a_reply_nothing_is_learned() {
        let mut opponent = Opponent::default();
        let position = opening(1);
        assert!(!opponent.see_reply(&position, Target::new(0)), "the first move");
        opponent.note_turn(&position, false);
        assert!(!opponent.see_reply(&opening(2), Target::new(0)), "another game");
        assert_eq!(opponent.odds, [0.0; 2]);
    }

    #[test]
    fn who_moves_at_random_is_exploited() {
        let (mut exploited, mut turns) = (0, 0);
        for game in 0..4 {
            let mut engine = Engine::new(Options { nodes: Some(300), ..Options::default() });
            let mut random = Random::new(game);
            let mut position = opening(game as usize);
            while position.empty().len() > 2 {
                let choice = engine.think(&position, Duration::from_secs(1)).choice;
                exploited += u32::from(choice.reason == Reason::Exploiting);
                turns += 1;
                position.play::<Portable>(choice.mv);
                position.play::<Portable>(any_move(&position, &mut random));
            }
        }
        assert!(3 * exploited > turns, "{exploited} of {turns}");
    }
}
