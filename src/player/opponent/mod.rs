//! What the opponent's replies tell of it: whether they are any moves at all, and whether they
//! follow the expected score; and what beats such opponents.
//!
//! A player who moves at random is told from others by the likelihood of its replies. Players of
//! two kinds are held against it: those who choose what looks good for the target by the static
//! formula, as all programs that search do more or less, and those who follow the expected score.
//! By likelihood, too, it is told how sharply a player follows that.

pub mod expectation;
mod follower;
mod random;

use crate::player::alpha::Target;
use crate::player::board::{Hand, Move, Player};
use crate::player::evaluation;
use crate::player::params::Params;
use crate::player::position::Position;
use crate::player::search::ReplyModel;
use crate::player::simd::Portable;
pub use follower::moves_against_follower;
pub use random::moves_against_random;

/// How much more likely a random player than others is to give away fewer than one, one, two or
/// more points by a reply, by the rise of what is aimed at: a natural logarithm. Measured on games
/// against `random` and against a winner of the tournament.
const BY_RISE: [f32; 4] = [-0.8, 0.5, 2.3, 3.0];
/// How much more likely a reply is for each unit of log-odds by which it looks better, as a natural
/// logarithm.
const PLAUSIBILITY: f32 = 1.2;
/// Replies that look so bad, or so good, look all the same, in log-odds.
const PLAIN: f32 = 12.0;
/// The share of replies that no likelihood explains.
const UNEXPLAINED: f32 = 0.1;
/// Replies so near the likeliest one, as a factor, are as good.
const AS_GOOD: f32 = 0.999;
/// How much likelier a reply may be for each point of expected score, as a natural logarithm: from
/// those who hardly follow it, as all who play well, to those who nearly always do.
const SHARPNESS: [f32; 6] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
/// The one that random players are held against.
const GREEDY: usize = 1;
/// The least that tells a follower from others.
const FOLLOWER: usize = 2;
/// Natural log-odds for a follower, over all replies, from which its replies are modelled. In games
/// between strong programs one or two players in a hundred seem to be one at a time.
const TOLD: f32 = 3.0;
/// How much less each reply counts with every later one, as a factor, for how sharply it follows
/// now.
const FADING: f32 = 0.8;
/// Log-odds beyond those of an opponent who may move at random that leave no doubt.
const DOUBT: f32 = 2.0;
/// No evidence against random moves counts for more than this, so that there is a way back.
const CERTAIN: f32 = 6.0;

/// What is known of the opponent.
#[derive(Clone, Copy, Default, Debug)]
pub struct Opponent {
    /// The position of our last move.
    before: Option<Position>,
    /// Whether that move exploited random replies, and may have given away points itself.
    exploited: bool,
    /// The replies seen, and those of them with the best expected score.
    seen: u32,
    followed: u32,
    /// The replies with the rise of the aim over them: all but the last one while we answer it.
    rises: u32,
    /// Logarithms of the likelihood of all replies, by [`SHARPNESS`], against random ones; and of
    /// that in which older replies fade.
    sharp: [f32; SHARPNESS.len()],
    sharp_now: [f32; SHARPNESS.len()],
    /// Log-odds that it moves at random, against players for the target and for the expected score.
    odds: [f32; 2],
}

impl Opponent {
    /// Make an opponent all of whose `replies` replies had the best expected score.
    #[cfg(test)]
    pub(crate) fn follower(replies: u32) -> Opponent {
        Opponent { seen: replies, followed: replies, ..Opponent::default() }
    }

    /// Note the position of our move.
    pub fn note_turn(&mut self, position: &Position, exploiting: bool) {
        self.before = Some(*position);
        self.exploited = exploiting;
    }

    /// Take in the reply that led to a position; `aim` is what our move aimed at. Tell whether
    /// there was one.
    pub fn see_reply(&mut self, position: &Position, aim: Target) -> bool {
        let moves = self.before.and_then(|before| Some((before, moves_between(&before, position)?)));
        let Some((before, [ours, reply])) = moves else { return false };
        let left = before.after::<Portable>(ours);
        let legal = left.legal_moves().count();
        self.seen += 1;
        self.weigh(0, -likelihood(&plausible_replies(&left, aim), reply, legal));
        for (n, &sharpness) in SHARPNESS.iter().enumerate() {
            let chances = expectation::chances(&left, sharpness);
            let evidence = likelihood(&chances, reply, legal);
            self.sharp[n] += evidence;
            self.sharp_now[n] = FADING * self.sharp_now[n] + evidence;
            if n == GREEDY {
                self.weigh(1, -evidence);
                let best = chances.first().map_or(0.0, |&(_, chance)| AS_GOOD * chance);
                let follows = chances.iter().any(|&(mv, chance)| mv == reply && chance >= best);
                self.followed += u32::from(follows);
            }
        }
        true
    }

    /// Take in that the aim rose by `rise` points over the last reply.
    pub fn see_rise(&mut self, rise: i32) {
        self.rises += 1;
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

    /// Tell whether all its replies follow the expected score, and there are enough to rely on
    /// that.
    pub fn follows(&self, params: &Params) -> bool {
        let enough = params.follower_from > 0 && self.seen >= params.follower_from;
        enough && self.followed == self.seen
    }

    /// Return how its replies are drawn, if it follows the expected score at all, beyond doubt, and
    /// there are enough of them to tell.
    pub fn model(&self, params: &Params) -> Option<ReplyModel> {
        if params.model_from == 0 || self.seen < params.model_from {
            return None;
        }
        let told = self.sharp[FOLLOWER..].iter().copied().fold(f32::MIN, f32::max) - self.sharp[0];
        let now = (1..SHARPNESS.len()).max_by(|&a, &b| self.sharp_now[a].total_cmp(&self.sharp_now[b]))?;
        (told >= TOLD).then_some(ReplyModel { share: params.model_share, sharpness: SHARPNESS[now] })
    }

    /// Return the log-odds that it moves at random rather than as the likelier of the others; even
    /// ones after the first reply, as any program may play a single odd move.
    fn random(&self) -> f32 {
        if self.rises == 0 { 0.0 } else { self.odds[0].min(self.odds[1]) }
    }
}

/// List the reasonable replies of the player to move, with how likely each is, in proportion: by
/// how good it looks for `target` by the static formula.
pub fn plausible_replies(position: &Position, target: Target) -> Vec<(Move, f32)> {
    let mut replies: Vec<(Move, f32)> = evaluation::merits::<Portable>(position, target)
        .map(|(mv, merit)| (mv, merit.clamp(-PLAIN, PLAIN)))
        .collect();
    let best = replies.iter().map(|&(_, merit)| merit).fold(-PLAIN, f32::max);
    replies.iter_mut().for_each(|(_, merit)| *merit = (PLAUSIBILITY * (*merit - best)).exp());
    replies
}

/// Return how much more likely a reply is for a player who chooses by `weights`, given in
/// proportion, than for one who takes any of the `legal` moves, as a natural logarithm.
fn likelihood(weights: &[(Move, f32)], reply: Move, legal: usize) -> f32 {
    let all: f32 = weights.iter().map(|&(_, weight)| weight).sum();
    let own = weights.iter().find(|&&(mv, _)| mv == reply).map_or(0.0, |&(_, weight)| weight / all);
    let random = 1.0 / legal as f32;
    (((1.0 - UNEXPLAINED) * own + UNEXPLAINED * random) / random).ln()
}

/// Return the two moves that lead from one position to another, in order, if two do.
fn moves_between(from: &Position, to: &Position) -> Option<[Move; 2]> {
    let cells = from.empty() - to.empty();
    if cells.len() != 2 || !(to.empty() - from.empty()).is_empty() || from.to_move() != to.to_move() {
        return None;
    }
    let played = |player: Player| {
        let spent = Hand::from_bits(from.hand(player).bits() & !to.hand(player).bits());
        if spent.len() == 1 { spent.smallest() } else { None }
    };
    let mover = from.to_move();
    let stones = [played(mover)?, played(mover.opponent())?];
    let (a, b) = (cells.nth(0), cells.nth(1));
    [(a, b), (b, a)].into_iter().find_map(|(first, second)| {
        let moves = [Move::new(first, stones[0]), Move::new(second, stones[1])];
        let mut position = *from;
        let legal = moves.iter().all(|&mv| position.try_play(mv).is_ok());
        (legal && position == *to).then_some(moves)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::testing::{random_move, random_opening, rng};

    fn opening(seed: u64) -> Position {
        Position::codecup(random_opening(&mut rng(seed)).iter().copied().collect()).expect("five cells")
    }

    fn sound(position: &Position) -> Move {
        evaluation::quick_move::<Portable>(position, Target::new(0)).expect("a move")
    }

    fn best_expected(position: &Position) -> Move {
        expectation::chances(position, 1.0)[0].0
    }

    /// Show an opponent ten replies to sound moves, each followed by a rise of the aim.
    fn after_replies(game: u64, rise: i32, mut reply: impl FnMut(&Position) -> Move) -> Opponent {
        let (mut opponent, mut position) = (Opponent::default(), opening(game));
        for _ in 0..10 {
            opponent.note_turn(&position, false);
            position.play::<Portable>(sound(&position));
            position.play::<Portable>(reply(&position));
            assert!(opponent.see_reply(&position, Target::new(0)));
            opponent.see_rise(rise);
        }
        opponent
    }

    #[test]
    fn random_replies_are_told_from_sound_and_from_greedy_ones() {
        let params = Params::default();
        let mut rng = rng(5);
        let mut told = 0;
        for game in 0..20 {
            let at_random = after_replies(game, 1, |position| random_move(&mut rng, position));
            told += u32::from(at_random.moves_at_random(&params));
            let sound = after_replies(game, 1, sound);
            assert!(!sound.may_move_at_random(&params), "{sound:?}");
            // One who gives as much away, but follows the expected score.
            let greedy = after_replies(game, 2, best_expected);
            assert!(!greedy.may_move_at_random(&params) && greedy.odds[0] > params.random_from, "{greedy:?}");
            assert!(!at_random.follows(&params) && !sound.follows(&params) && greedy.follows(&params));
        }
        assert!(told > 15, "{told} of 20");
    }

    #[test]
    fn it_is_told_how_sharply_the_expected_score_is_followed() {
        let params = Params::default();
        let mut rng = rng(9);
        let mut random = crate::player::rng::Random::new(9);
        let mut followers = 0;
        for game in 0..12 {
            for sharpness in [4.0, 8.0, 32.0] {
                let reply = |position: &Position| expectation::likely_reply(position, sharpness, &mut random);
                let opponent = after_replies(game, 0, reply);
                let Some(model) = opponent.model(&params) else { continue };
                followers += 1;
                let off = (model.sharpness / sharpness).log2().abs();
                assert!(off <= 2.0, "{} for {sharpness}", model.sharpness);
                assert_eq!(model.share, params.model_share);
                assert_eq!(opponent.model(&Params::paper(true)), None);
                assert_eq!(opponent.model(&Params { model_from: 11, ..Params::default() }), None);
            }
            let at_random = after_replies(game, 0, |position| random_move(&mut rng, position));
            let sound = after_replies(game, 0, sound);
            assert!(at_random.model(&params).is_none() && sound.model(&params).is_none());
        }
        assert!(followers > 30, "{followers} of 36");
    }

    #[test]
    fn one_reply_that_strays_ends_following() {
        for stray in 0..10 {
            let mut count = 0;
            let opponent = after_replies(3, 0, |position| {
                count += 1;
                if count == stray + 1 {
                    expectation::chances(position, 1.0).pop().expect("a move").0
                } else {
                    best_expected(position)
                }
            });
            assert!(!opponent.follows(&Params::default()), "{stray}");
        }
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
    fn without_a_reply_nothing_is_learned() {
        let mut opponent = Opponent::default();
        let position = opening(1);
        assert!(!opponent.see_reply(&position, Target::new(0)), "the first move");
        opponent.note_turn(&position, false);
        assert!(!opponent.see_reply(&opening(2), Target::new(0)), "another game");
        assert_eq!(opponent.odds, [0.0; 2]);
    }
}
