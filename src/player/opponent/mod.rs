//! One model of the opponent: which of a few [kinds](Kind) it is, told by the likelihood of its
//! replies, and with which chances it replies what.
//!
//! The tournament counts points, not wins: against an opponent who does not see what it gives away,
//! perfect play for a target leaves most of the points on the board.

pub mod expectation;
mod kind;
mod responses;

use crate::alpha::Target;
use crate::board::{Hand, Move, Player};
use crate::evaluation;
use crate::params::Params;
use crate::position::Position;
use crate::rng::{share, Random};
use crate::search::Replies;
use crate::simd::{self, Portable, Simd, Task};
pub use kind::{ByKind, Kind, KINDS};
pub use responses::{best_responses, Responses};

/// What is known of the opponent.
#[derive(Clone, Copy, Default, Debug)]
pub struct Opponent {
    /// The position of our last move.
    before: Option<Position>,
    /// Whether that move staked something, and may have given away points itself.
    staked: bool,
    /// Replies seen.
    seen: u32,
    /// Logarithms of the likelihood of the replies for each kind, against random ones; older
    /// replies count less.
    evidence: ByKind,
}

impl Opponent {
    /// Make an opponent who is of a kind without any doubt.
    #[cfg(test)]
    pub(crate) fn of(kind: Kind) -> Opponent {
        let evidence = KINDS.map(|other| if other == kind { 100.0 } else { 0.0 });
        Opponent { seen: 1, evidence, ..Opponent::default() }
    }

    /// Judge a player by all its moves of a game, as far as they are legal. What it plays for is
    /// taken to be the score that is likely by the static formula.
    pub fn of_game(start: &Position, moves: &[Move], player: Player) -> Opponent {
        let (mut opponent, mut position) = (Opponent::default(), *start);
        for &mv in moves {
            if position.to_move() == player && position.empty().len() > 2 {
                opponent.see_reply(&position, mv, likely_target(&position));
            }
            if position.try_play(mv).is_err() {
                break;
            }
        }
        opponent
    }

    /// Note our move in a position: by how many points our aim has risen over the last reply, if
    /// there was one, and whether the move stakes something.
    pub fn note_turn(&mut self, position: &Position, rise: Option<i32>, staked: bool) {
        if let Some(rise) = rise {
            self.see_rise(rise);
        }
        (self.before, self.staked) = (Some(*position), staked);
    }

    /// Take in the reply that led to a position; `aim` is what our move aimed at. Tell whether there
    /// was one.
    pub fn see(&mut self, position: &Position, aim: Target) -> bool {
        let moves = self.before.and_then(|before| Some((before, moves_between(&before, position)?)));
        let Some((before, [ours, reply])) = moves else { return false };
        self.see_reply(&before.after::<Portable>(ours), reply, aim);
        true
    }

    /// Take in that our aim rose by `rise` points over the last reply: a search saw what the reply
    /// gave away, which a player who looks ahead seldom does.
    fn see_rise(&mut self, rise: i32) {
        let less = BY_RISE[rise.clamp(0, 3) as usize];
        let less = if self.staked { less.max(0.0) } else { less };
        for (evidence, kind) in self.evidence.iter_mut().zip(KINDS) {
            *evidence -= if kind.is_foretold() { 0.0 } else { less };
        }
    }

    /// Take in a reply; `target` is what the opponent may play for. Return how much likelier each
    /// kind makes it than a player who plays any move, as factors.
    pub fn see_reply(&mut self, position: &Position, reply: Move, target: Target) -> ByKind {
        self.seen += 1;
        let likelihoods = KINDS.map(|kind| likelihood(&kind.chances(position, target), position, reply));
        for (evidence, likelihood) in self.evidence.iter_mut().zip(likelihoods) {
            *evidence = FADING * *evidence + likelihood.ln();
        }
        likelihoods
    }

    /// Return how likely the opponent is of each kind: sums to 1.
    pub fn weights(&self, params: &Params) -> ByKind {
        let most = self.evidence.iter().copied().fold(f32::MIN, f32::max);
        let mut weights = [0.0; KINDS.len()];
        for ((weight, kind), evidence) in weights.iter_mut().zip(KINDS).zip(self.evidence) {
            *weight = kind.prior(params) * (evidence - most).exp();
        }
        normalise(&mut weights);
        weights
    }

    /// Return the likeliest kind and how likely it is, 0..=1, once there is a reply.
    pub fn taken_for(&self, params: &Params) -> Option<(Kind, f32)> {
        let weights = KINDS.into_iter().zip(self.weights(params));
        weights.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|_| self.seen > 0)
    }

    /// Return how the replies can be foretold, unless hardly any can be.
    pub fn model(&self, params: &Params) -> Option<ReplyModel> {
        let mut weights = self.weights(params);
        weights.iter_mut().zip(KINDS).filter(|(_, kind)| !kind.is_foretold()).for_each(|(w, _)| *w = 0.0);
        let share = weights.iter().sum::<f32>().min(1.0);
        normalise(&mut weights);
        (share >= params.model_from).then_some(ReplyModel {
            share,
            drawn: share.min(params.model_share),
            weights,
        })
    }

    /// List the replies of the player to move with their chances, the likeliest first; `target` is
    /// what it may play for.
    pub fn replies(&self, position: &Position, target: Target, params: &Params) -> Vec<(Move, f32)> {
        // In an order to find them by.
        let place = |mv: Move| (mv.stone, mv.cell);
        let mut replies: Vec<(Move, f32)> = position.legal_moves().map(|mv| (mv, 0.0)).collect();
        replies.sort_by_key(|&(mv, _)| place(mv));
        for (kind, weight) in KINDS.into_iter().zip(self.weights(params)) {
            if weight < SLIGHT {
                continue;
            }
            for (mv, chance) in kind.chances(position, target) {
                if let Ok(place) = replies.binary_search_by_key(&place(mv), |&(mv, _)| place(mv)) {
                    replies[place].1 += weight * chance;
                }
            }
        }
        replies.sort_by(|a, b| b.1.total_cmp(&a.1));
        replies
    }
}

/// How much less each reply counts with every later one, as a factor.
const FADING: f32 = 0.9;
/// Share of the replies of any opponent that are odd: as likely as any others.
const ODD: f32 = 0.1;
/// How much less likely a player who looks ahead is than one who moves at random to give away fewer
/// than one, one, two or more points by a reply: a natural logarithm. Measured on games of `random`
/// and of a winner of the tournament.
const BY_RISE: [f32; 4] = [-0.8, 0.5, 2.3, 3.0];

/// Return the hardest target that the player to move is likely to reach by the static formula.
pub fn likely_target(position: &Position) -> Target {
    let blue = position.to_move() == Player::Blue;
    Target::new(i32::from(evaluation::likely_score(position)) + i32::from(blue))
}

/// A kind that is less likely does not count.
const SLIGHT: f32 = 0.01;

/// How those replies are drawn that can be foretold.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ReplyModel {
    /// The share of the replies that can be, 0..=1.
    pub share: f32,
    /// The share that the trees draw, at most that.
    pub drawn: f32,
    /// How likely each kind is for these: sums to 1.
    pub weights: ByKind,
}

impl ReplyModel {
    /// Make a model of an opponent who is of a kind with so much certainty, 0..=1, and else plays
    /// what is best.
    pub fn of(kind: Kind, share: f32) -> ReplyModel {
        ReplyModel { share, drawn: share, weights: KINDS.map(|other| f32::from(u8::from(other == kind))) }
    }

    /// Tell whether the replies are foretold so well that something may be staked on them: the one
    /// rule for all who ask.
    pub fn may_stake(&self, params: &Params) -> bool {
        self.share >= params.stake_from
    }

    /// Tell whether that is so and the opponent is taken to look no further than its own move.
    pub fn is_naive(&self, params: &Params) -> bool {
        let naive = KINDS.into_iter().zip(self.weights).filter(|(kind, _)| kind.is_naive());
        self.may_stake(params) && naive.map(|(_, weight)| weight).sum::<f32>() >= params.naive_from
    }

    /// Draw whether the trees draw a reply.
    #[inline(always)]
    fn is_drawn(&self, random: &mut Random) -> bool {
        random.bits() >> 32 < (f64::from(self.drawn) * 4_294_967_296.0) as u64
    }

    /// Draw a kind.
    #[inline(always)]
    pub fn draw(&self, random: &mut Random) -> Kind {
        let mut lot = share(random.bits());
        let drawn = self.weights.iter().position(|weight| {
            lot -= weight;
            lot < 0.0
        });
        // Rounding may leave a little of the lot.
        KINDS[drawn.unwrap_or(KINDS.len() - 1)]
    }
}

impl Replies for ReplyModel {
    fn reply(&self, position: &Position, random: &mut Random) -> Option<Move> {
        simd::run(Draw { model: self, position, random, roughly: false })
    }

    fn sketch(&self, position: &Position, random: &mut Random) -> Option<Move> {
        simd::run(Draw { model: self, position, random, roughly: true })
    }
}

/// Draws a reply where the trees draw one.
struct Draw<'a> {
    model: &'a ReplyModel,
    position: &'a Position,
    random: &'a mut Random,
    roughly: bool,
}

impl Task for Draw<'_> {
    type Output = Option<Move>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Option<Move> {
        let Draw { model, position, random, roughly } = self;
        let kind = model.is_drawn(random).then(|| model.draw(random))?;
        if roughly {
            kind.sketch(position, random)
        } else {
            Some(kind.draw(position, random))
        }
    }
}

/// Make some weights sum to 1, if any is above 0.
fn normalise(weights: &mut ByKind) {
    let sum: f32 = weights.iter().sum();
    weights.iter_mut().filter(|_| sum > 0.0).for_each(|weight| *weight /= sum);
}

/// Return how much more likely a reply is for a player who moves with these chances than for one who
/// plays any move: a factor. Whoever it is, some replies are odd.
fn likelihood(chances: &[(Move, f32)], position: &Position, reply: Move) -> f32 {
    let own = chances.iter().find(|&&(mv, _)| mv == reply).map_or(0.0, |&(_, chance)| chance);
    let hand = position.hand(position.to_move());
    (1.0 - ODD) * own * (hand.len() * position.empty().len()) as f32 + ODD
}
/// Return the two moves that lead from one position to another, in order, if two do.
fn moves_between(from: &Position, to: &Position) -> Option<[Move; 2]> {
    let cells = from.empty() - to.empty();
    if cells.len() != 2 || !(to.empty() - from.empty()).is_empty() || from.to_move() != to.to_move() {
        return None;
    }
    let played = |player: Player| {
        let spent = Hand::from_bits(from.hand(player).bits() & !to.hand(player).bits());
        if spent.len() == 1 {
            spent.smallest()
        } else {
            None
        }
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
