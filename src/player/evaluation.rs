//! Static judgement: what a position looks like without search.

#![allow(clippy::needless_range_loop)] // lane loops read better, and vectorise, with an index

use crate::player::alpha::dominance::{self, Stones};
use crate::player::alpha::{Reasonable, Status, Target, Thresholds};
use crate::player::board::{Hand, Move, Player};
use crate::player::position::{MAX_SCORE, Position, Score};
use crate::player::simd::{Portable, Simd};

/// Weights of [`Judge::advantage`], fitted to exactly solved game positions of 15 to 21 empty cells.
struct Weights {
    tempo: f32,
    need: f32,
    control: f32,
    steepness: f32,
    settled: f32,
    own_pairs: f32,
    other_pairs: f32,
}

const WEIGHTS: Weights = Weights {
    tempo: 0.37,
    need: 1.85,
    control: 0.70,
    steepness: 2.0,
    settled: -0.71,
    own_pairs: -0.74,
    other_pairs: 0.70,
};

/// Unit of the shares of control: one cell firmly held.
const FIRM: f32 = 8192.0;

/// The static formula for positions with the same two hands and target.
#[derive(Clone, Copy, Debug)]
pub struct Judge {
    alpha: i8,
    thresholds: Thresholds,
    /// By the number k of empty neighbours (byte k): 1 + P_R - P_B, with P the sums of the k largest stones.
    offset: u64,
    /// Likewise, where control is complete: half of P_R + P_B + 1 over the steepness, rounded up.
    bound: u64,
    /// Likewise, low and high bytes of the share of control one point is worth, in units of [`FIRM`].
    share: [u64; 2],
}

impl Judge {
    /// Prepare the formula for a target and both hands.
    #[inline(always)]
    pub fn new(target: Target, red: Hand, blue: Hand) -> Judge {
        let (red_best, blue_best) = (red.largest_sums().to_le_bytes(), blue.largest_sums().to_le_bytes());
        let (mut offset, mut bound, mut low, mut high) = ([0; 8], [0; 8], [0; 8], [0; 8]);
        for k in 0..8 {
            let (r, b) = (f32::from(red_best[k]), f32::from(blue_best[k]));
            offset[k] = (1 + red_best[k] as i8 - blue_best[k] as i8) as u8;
            let full = (r + b + 1.0) / WEIGHTS.steepness;
            bound[k] = full.ceil() as u8;
            [low[k], high[k]] = ((FIRM / full).min(32767.0) as i16).to_le_bytes();
        }
        let [offset, bound, low, high] = [offset, bound, low, high].map(u64::from_le_bytes);
        Judge {
            alpha: target.alpha(),
            thresholds: Thresholds::new(target, red, blue),
            offset,
            bound,
            share: [low, high],
        }
    }

    /// Return the status of a position with the judge's hands.
    #[inline(always)]
    pub fn status<S: Simd>(&self, position: &Position) -> Status {
        Status::with::<S>(position, self.thresholds)
    }

    /// Return the log-odds that the player to move reaches the goal of α-Blackhole, by a static formula.
    ///
    /// With y = s - α + ½ from the mover's side and P the sum of a side's largest stones, as many as the
    /// cell has empty neighbours, the terms are: the difference of the dead cells both sides still need;
    /// how firmly each undecided cell is held, clip(2 (2y + P_M - P_O) / (P_M + P_O + 1), ±1); how the
    /// undecided cells with one empty neighbour stand, clip(y, ±8) / 8; and the pairs of a dead and an
    /// undecided neighbour, since a stone that fills a dead cell next to undecided ones is not lost.
    #[inline(always)]
    pub fn advantage<S: Simd>(&self, position: &Position, status: &Status) -> f32 {
        let mover = position.to_move();
        let other = mover.opponent();
        let free = position.free();
        let undecided = S::spread(status.undecided().bits());
        let offset = S::look_up(free, self.offset);
        let bound = S::look_up(free, self.bound);
        // All ones where exactly one neighbour is empty.
        let one = S::look_up(free, 0xFF00);
        let [low, high] = self.share.map(|table| S::look_up(free, table));
        // One simple loop for each step: compilers vectorise those. 2y - 1 and 2y + P_R - P_B saturate:
        // beyond ±85 a cell is firmly held anyway.
        let (mut held, mut single) = ([0i8; 64], [0i8; 64]);
        for i in 0..64 {
            let lead = position.scores().0[i].saturating_sub(self.alpha);
            let twice = lead.saturating_add(lead);
            let (most, least) = (bound.0[i], bound.0[i].wrapping_neg());
            held[i] = twice.saturating_add(offset.0[i]).min(most).max(least) & undecided.0[i];
            single[i] = twice.saturating_add(1).clamp(-16, 16) & undecided.0[i] & one.0[i];
        }
        let mut control = 0i32;
        for i in 0..64 {
            let share = i16::from(high.0[i]) << 8 | i16::from(low.0[i] as u8);
            control += i32::from(i16::from(held[i])) * i32::from(share);
        }
        let settled: i32 = single.iter().map(|&lead| i32::from(lead)).sum();
        let sign = f32::from(mover.sign());
        let pairs = |player| {
            let dead = status.dead(player);
            status.undecided().neighbour_shifts().iter().map(|&shifted| (shifted & dead).len()).sum::<u32>()
                as f32
        };
        WEIGHTS.tempo
            + WEIGHTS.need * (status.need(position, other) - status.need(position, mover)) as f32
            + WEIGHTS.control / FIRM * sign * control as f32
            + WEIGHTS.settled / 16.0 * sign * settled as f32
            + WEIGHTS.own_pairs * pairs(mover)
            + WEIGHTS.other_pairs * pairs(other)
    }
}

/// Return the log-odds that `player`, who has just moved to a position of the given status, reaches the goal
/// of α-Blackhole: certain ones when the win test decides.
#[inline(always)]
fn child_merit<S: Simd>(judge: &Judge, seen: &(Position, Status), player: Player) -> f32 {
    let (position, status) = seen;
    match status.winner(position) {
        Some(winner) if winner == player => DECIDED,
        Some(_) => -DECIDED,
        None => -judge.advantage::<S>(position, status),
    }
}

/// Log-odds of a decided game.
pub const DECIDED: f32 = 1e6;

/// List the reasonable moves with their merit for the player to move: the log-odds that it reaches the goal,
/// certain ones ([`DECIDED`]) when the win test decides.
pub fn merits<S: Simd>(position: &Position, target: Target) -> impl Iterator<Item = (Move, f32)> {
    let position = *position;
    let mover = position.to_move();
    let status = Status::of::<S>(&position, target);
    Reasonable::of(&position, &status).moves(position.hand(mover)).map(move |mv| {
        let next = position.after::<S>(mv);
        let judge = Judge::new(target, next.hand(Player::Red), next.hand(Player::Blue));
        (mv, child_merit::<S>(&judge, &(next, judge.status::<S>(&next)), mover))
    })
}

/// Tell `tell` every move that no other one [dominates](crate::player::alpha::dominance), with its merit for the player to
/// move (see [`merits`]): the smallest stone first.
#[inline(always)]
pub fn undominated_merits<S: Simd>(
    position: &Position,
    status: &Status,
    target: Target,
    mut tell: impl FnMut(Move, f32),
) {
    let mover = position.to_move();
    let cells = dominance::cells(position, status);
    let mut stones = Stones::of(position, status);
    for stone in position.hand(mover).iter() {
        // All moves of one stone leave the same hands: one set of thresholds.
        let mut hands = Player::BOTH.map(|player| position.hand(player));
        hands[mover.index()] = hands[mover.index()].without(stone);
        let judge = Judge::new(target, hands[0], hands[1]);
        for cell in cells {
            let mv = Move { cell, stone };
            let next = position.after::<S>(mv);
            let after = judge.status::<S>(&next);
            if stones.worth(cell, &after) {
                tell(mv, child_merit::<S>(&judge, &(next, after), mover));
            }
        }
    }
}

/// What the static formula must give the player to move at a target, in its log-odds, for [`likely_score`] to count it as
/// reached. The formula was fitted to games of stronger and weaker sides; where both play well, and most where the value is
/// hard to find, it expects too much for the player to move. With 0, exact values of 15 to 20 empty cells take up to 7 %
/// more nodes; with 1.5, as many at some sizes.
const LIKELY_FROM: f32 = 0.75;

/// Estimate the final score under best play of both: the hardest target that the player to move is likely to reach, by
/// the static formula.
pub fn likely_score(position: &Position) -> Score {
    let red = |alpha: i32| {
        let judge = Judge::new(Target::new(alpha), position.hand(Player::Red), position.hand(Player::Blue));
        let status = judge.status::<Portable>(position);
        match status.winner(position) {
            Some(winner) => winner == Player::Red,
            None => {
                let mover = f32::from(position.to_move().sign());
                mover * (judge.advantage::<Portable>(position, &status) - LIKELY_FROM) >= 0.0
            }
        }
    };
    let (mut reached, mut missed) = (-i32::from(MAX_SCORE), i32::from(MAX_SCORE) + 1);
    while missed - reached > 1 {
        let alpha = (reached + missed).div_euclid(2);
        *if red(alpha) { &mut reached } else { &mut missed } = alpha;
    }
    reached as Score
}

/// Choose the reasonable move after which the opponent looks worst for `target`: a sound move in some ten
/// microseconds. `None` when the game is over.
pub fn quick_move<S: Simd>(position: &Position, target: Target) -> Option<Move> {
    let mut best: Option<(Move, f32)> = None;
    for (mv, merit) in merits::<S>(position, target) {
        if best.is_none_or(|(_, most)| merit > most) {
            best = Some((mv, merit));
        }
    }
    best.map(|(mv, _)| mv)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::board::Cell;
    use crate::player::simd::Portable;

    /// The formula in floating point, cell by cell.
    fn naive(position: &Position, status: &Status, target: Target) -> f32 {
        let mover = position.to_move();
        let sums = |player: Player, n: u32| {
            let mut stones: Vec<u8> = position.hand(player).iter().map(|stone| stone.value()).collect();
            stones.reverse();
            stones.iter().take(n as usize).map(|&value| f32::from(value)).sum::<f32>()
        };
        let (mut control, mut settled) = (0.0, 0.0);
        for cell in status.undecided() {
            let y =
                f32::from(mover.sign()) * (f32::from(position.score(cell)) - f32::from(target.alpha()) + 0.5);
            let free = position.free_neighbours(cell);
            let (own, other) = (sums(mover, free), sums(mover.opponent(), free));
            control += (2.0 * (2.0 * y + own - other) / (own + other + 1.0)).clamp(-1.0, 1.0);
            if free == 1 {
                settled += y.clamp(-8.0, 8.0) / 8.0;
            }
        }
        let pairs = |player: Player| {
            let cells = status.dead(player).into_iter();
            cells.map(|cell| (cell.neighbours() & status.undecided()).len()).sum::<u32>() as f32
        };
        let need = status.need(position, mover.opponent()) - status.need(position, mover);
        0.37 + 1.85 * need as f32 + 0.70 * control - 0.71 * settled - 0.74 * pairs(mover)
            + 0.70 * pairs(mover.opponent())
    }

    /// Show every position of seeded random games with some target.
    fn random_games(count: u64, mut show: impl FnMut(&Position, Target)) {
        for game in 0..count {
            let mut state = game.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
            let mut draw = |below: usize| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as usize % below
            };
            let first = draw(31);
            let blocked = (first..first + 5).map(|n| Cell::from_ordinal(n).unwrap()).collect();
            let mut position = Position::codecup(blocked).unwrap();
            while position.final_score().is_none() {
                show(&position, Target::new(draw(21) as i32 - 10));
                let moves: Vec<Move> = position.legal_moves().collect();
                position.try_play(moves[draw(moves.len())]).unwrap();
            }
        }
    }

    #[test]
    fn integers_follow_the_formula() {
        let mut compared = 0;
        random_games(200, |position, target| {
            let status = Status::of::<Portable>(position, target);
            if status.winner(position).is_none() {
                let judge = Judge::new(target, position.hand(Player::Red), position.hand(Player::Blue));
                let fast = judge.advantage::<Portable>(position, &status);
                let slow = naive(position, &status, target);
                assert!((fast - slow).abs() < 0.15, "{fast} is not {slow} in {position:?} for {target}");
                compared += 1;
            }
        });
        assert!(compared > 2_000);
    }

    /// Play at random until so many cells are empty, with blocked cells by the number of the game.
    fn random_game(random: &mut crate::player::rng::Random, game: usize, empty: u32) -> Position {
        let blocked = (0..5).map(|n| Cell::from_ordinal(7 * n + game % 7).unwrap()).collect();
        let mut position = Position::codecup(blocked).unwrap();
        while position.empty().len() > empty {
            let moves: Vec<Move> = position.legal_moves().collect();
            let n = crate::player::rng::scaled(random.bits() as u32, moves.len() as u32);
            position.play::<Portable>(moves[n as usize]);
        }
        position
    }

    /// With colours exchanged, scores and hands, the guess is the same for the other side: it is made against the player to
    /// move, whoever that is, and more so than an even estimate.
    #[test]
    fn the_likely_score_is_made_against_the_player_to_move() {
        let mut random = crate::player::rng::Random::new(22);
        let (mut less, mut same, mut unlike) = (0, 0, 0);
        for game in 0..200 {
            let position = random_game(&mut random, game, 11 + game as u32 % 6);
            let mover = position.to_move();
            let hands = [Player::Blue, Player::Red].map(|player| position.hand(player));
            let exchanged = Position::setup(position.empty(), hands, mover.opponent()).unwrap();
            let exchanged = exchanged.with_scores(|cell| -position.score(cell));
            let guess = likely_score(&position);
            // Not where the formula rises with the target: there it matters from where the search for it comes.
            unlike += usize::from(likely_score(&exchanged) != -guess);
            // What an even estimate gives the mover a point above the guess: at least that it is not won for sure.
            let target = Target::new(i32::from(guess) + if mover == Player::Red { 1 } else { 0 });
            let judge = Judge::new(target, position.hand(Player::Red), position.hand(Player::Blue));
            let status = judge.status::<Portable>(&position);
            match status.winner(&position) {
                Some(winner) => same += usize::from(winner != mover),
                None if judge.advantage::<Portable>(&position, &status) >= 0.0 => less += 1,
                None => same += 1,
            }
        }
        assert!(less > 40 && same > 40 && unlike < 20, "{less} {same} {unlike}");
    }

    #[test]
    fn the_likely_score_is_near_the_exact_one() {
        let mut random = crate::player::rng::Random::new(21);
        let (mut off, mut off_from_nothing) = (0, 0);
        for game in 0..60 {
            let position = random_game(&mut random, game, 7 + game as u32 % 4);
            let exact = crate::player::solver::Solver::default().value(
                &position,
                0,
                &crate::player::limits::Limits::NONE,
            );
            let exact = i32::from(exact.exact().expect("no limit"));
            off += (i32::from(likely_score(&position)) - exact).abs();
            off_from_nothing += exact.abs();
        }
        assert!(off < 60 * 2 && 3 * off < off_from_nothing, "{off}, {off_from_nothing}");
    }
}
