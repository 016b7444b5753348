//! Static evaluation: what a position looks like without search.

#![allow(clippy::needless_range_loop)] // lane loops read better, and vectorise, with an index

use crate::alpha::dominance::{self, Stones};
use crate::alpha::{Reasonable, Status, Target, Thresholds};
use crate::board::{Hand, Move, Player};
use crate::position::{Position, Score, MAX_SCORE};
use crate::simd::{Portable, Simd};

// Weights of [`Evaluation::advantage`], fitted to exactly solved positions of 15 to 21 empty cells.
const TEMPO: f32 = 0.37;
const NEED: f32 = 1.85;
const CONTROL: f32 = 0.70;
const SETTLED: f32 = -0.71;
const OWN_PAIRS: f32 = -0.74;
const OTHER_PAIRS: f32 = 0.70;

/// How fast control grows with the lead on a cell.
const STEEPNESS: f32 = 2.0;

/// One cell under full control, the unit of the integer sums.
const FULL: f32 = 8192.0;

/// The log-odds of a decided game.
pub const DECIDED: f32 = 1e6;

/// The static formula, prepared for one target and one pair of hands.
#[derive(Clone, Copy, Debug)]
pub struct Evaluation {
    alpha: i8,
    thresholds: Thresholds,
    /// For k empty neighbours (byte k): 1 + P_R - P_B, with P a sum of the k largest stones.
    offset: u64,
    /// Likewise, the lead in half points that is full control: (P_R + P_B + 1) / steepness.
    bound: u64,
    /// Likewise, what half a point of lead is worth in units of [`FULL`]: low bytes, high bytes.
    share: [u64; 2],
}

impl Evaluation {
    /// Prepare the formula for a target and the hands of a position.
    #[inline(always)]
    pub fn of(position: &Position, target: Target) -> Evaluation {
        Evaluation::new(target, [position.hand(Player::Red), position.hand(Player::Blue)])
    }

    /// Prepare the formula for a target and both hands.
    #[inline(always)]
    pub fn new(target: Target, [red, blue]: [Hand; 2]) -> Evaluation {
        let (red_best, blue_best) = (red.largest_sums().to_le_bytes(), blue.largest_sums().to_le_bytes());
        let (mut offset, mut bound, mut low, mut high) = ([0; 8], [0; 8], [0; 8], [0; 8]);
        for k in 0..8 {
            let (r, b) = (f32::from(red_best[k]), f32::from(blue_best[k]));
            offset[k] = (1 + red_best[k] as i8 - blue_best[k] as i8) as u8;
            let full = (r + b + 1.0) / STEEPNESS;
            bound[k] = full.ceil() as u8;
            [low[k], high[k]] = ((FULL / full).min(32767.0) as i16).to_le_bytes();
        }
        Evaluation {
            alpha: target.alpha(),
            thresholds: Thresholds::new(target, red, blue),
            offset: u64::from_le_bytes(offset),
            bound: u64::from_le_bytes(bound),
            share: [u64::from_le_bytes(low), u64::from_le_bytes(high)],
        }
    }

    /// Compute the status of a position with these hands.
    #[inline(always)]
    pub fn status<S: Simd>(&self, position: &Position) -> Status {
        Status::with::<S>(position, self.thresholds)
    }

    /// Return the log-odds that the player to move wins α-Blackhole, by a static formula.
    ///
    /// For a cell let y = s - α + ½, from the mover's side, and P the sum of a side's largest
    /// stones, as many as the cell has empty neighbours. The terms are:
    /// - how many dead cells each side still needs;
    /// - how firmly each undecided cell is held, clip(2 (2y + P_M - P_O) / (P_M + P_O + 1), ±1);
    /// - how undecided cells with one empty neighbour stand, clip(y, ±8) / 8;
    /// - the pairs of a dead and an undecided neighbour: a stone on that dead cell is not wasted.
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
        let (low, high) = (S::look_up(free, self.share[0]), S::look_up(free, self.share[1]));
        // One simple loop a step: compilers vectorise those. 2y - 1 and 2y + P_R - P_B saturate,
        // since beyond ±85 control is full anyway.
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
        let mut settled = 0;
        for i in 0..64 {
            settled += i32::from(single[i]);
        }
        let sign = f32::from(mover.sign());
        let near = status.undecided().neighbour_shifts();
        let pairs = |player| {
            let mut pairs = 0;
            for shifted in near {
                pairs += (shifted & status.dead(player)).len();
            }
            pairs as f32
        };
        TEMPO
            + NEED * (status.need(position, other) - status.need(position, mover)) as f32
            + CONTROL / FULL * sign * control as f32
            + SETTLED / 16.0 * sign * settled as f32
            + OWN_PAIRS * pairs(mover)
            + OTHER_PAIRS * pairs(other)
    }

    /// Return the log-odds that `player`, who has just moved, wins α-Blackhole; ±[`DECIDED`] once
    /// it is decided.
    #[inline(always)]
    fn merit<S: Simd>(&self, position: &Position, status: &Status, player: Player) -> f32 {
        match status.winner(position) {
            Some(winner) if winner == player => DECIDED,
            Some(_) => -DECIDED,
            None => -self.advantage::<S>(position, status),
        }
    }
}

/// List the reasonable moves, each with its merit: the log-odds that its player wins α-Blackhole,
/// ±[`DECIDED`] where the move decides it.
pub fn merits<S: Simd>(position: &Position, target: Target) -> impl Iterator<Item = (Move, f32)> {
    let position = *position;
    let mover = position.to_move();
    let status = Status::of::<S>(&position, target);
    Reasonable::of(&position, &status).moves(position.hand(mover)).map(move |mv| {
        let next = position.after::<S>(mv);
        let evaluation = Evaluation::of(&next, target);
        (mv, evaluation.merit::<S>(&next, &evaluation.status::<S>(&next), mover))
    })
}

/// Pass each move that no other one [dominates](dominance) to `tell` with its merit (see
/// [`merits`]), the smallest stone first.
#[inline(always)]
pub fn undominated_merits<S: Simd>(
    position: &Position,
    status: &Status,
    target: Target,
    mut tell: impl FnMut(Move, f32),
) {
    let mover = position.to_move();
    let cells = dominance::cells(position, status, position.empty());
    let mut stones = Stones::of(position, status);
    for stone in position.hand(mover).iter() {
        // All moves of one stone leave the same hands: one evaluation serves them.
        let mut hands = [position.hand(Player::Red), position.hand(Player::Blue)];
        hands[mover.index()] = hands[mover.index()].without(stone);
        let evaluation = Evaluation::new(target, hands);
        for cell in cells {
            let mv = Move { cell, stone };
            let next = position.after::<S>(mv);
            let after = evaluation.status::<S>(&next);
            if stones.worth(cell, &after) {
                tell(mv, evaluation.merit::<S>(&next, &after, mover));
            }
        }
    }
}

/// The log-odds from which [`likely_score`] counts a target as reached: between equals the formula is
/// too hopeful for the player to move, and with 0 the solver takes up to 7 % more nodes from there.
const LIKELY_FROM: f32 = 0.75;

/// Guess the final score under best play: the hardest target that the player to move is likely to
/// reach, by the static formula.
pub fn likely_score(position: &Position) -> Score {
    let red_reaches = |alpha: i32| {
        let evaluation = Evaluation::of(position, Target::new(alpha));
        let status = evaluation.status::<Portable>(position);
        match status.winner(position) {
            Some(winner) => winner == Player::Red,
            None => {
                let mover = f32::from(position.to_move().sign());
                mover * (evaluation.advantage::<Portable>(position, &status) - LIKELY_FROM) >= 0.0
            }
        }
    };
    let (mut reached, mut missed) = (-i32::from(MAX_SCORE), i32::from(MAX_SCORE) + 1);
    while missed - reached > 1 {
        let alpha = (reached + missed).div_euclid(2);
        *if red_reaches(alpha) { &mut reached } else { &mut missed } = alpha;
    }
    reached as Score
}

/// Return the reasonable move of the greatest merit for `target`, the first of equals, in some ten
/// microseconds. `None` when the game is over.
pub fn quick_move<S: Simd>(position: &Position, target: Target) -> Option<Move> {
    let best = merits::<S>(position, target).reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map(|(mv, _)| mv)
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::limits::Limits;
    use crate::solver::Solver;
    use crate::testing;

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

    #[test]
    fn integers_follow_the_formula() {
        let (mut rng, mut compared) = (testing::rng(18), 0);
        let games: Vec<_> = (0..200).map(|_| testing::random_game(&mut rng)).collect();
        for position in games.concat() {
            let target = Target::new(rng.random_range(-10..=10));
            let status = Status::of::<Portable>(&position, target);
            if status.winner(&position).is_none() {
                let evaluation = Evaluation::of(&position, target);
                let fast = evaluation.advantage::<Portable>(&position, &status);
                let slow = naive(&position, &status, target);
                assert!((fast - slow).abs() < 0.15, "{fast} is not {slow} in {position:?} for {target}");
                compared += 1;
            }
        }
        assert!(compared > 2_000);
    }

    /// With colours exchanged the guess is the same for the other side, but where the formula rises with
    /// the target; a point above it is not won for sure, but for the mover often an even estimate.
    #[test]
    fn the_likely_score_is_made_against_the_player_to_move() {
        let mut rng = testing::rng(22);
        let (mut less, mut same, mut unlike) = (0, 0, 0);
        for game in 0..200 {
            let position = testing::random_play(&mut rng, 11 + game % 6);
            let mover = position.to_move();
            let hands = [Player::Blue, Player::Red].map(|player| position.hand(player));
            let exchanged = Position::setup(position.empty(), hands, mover.opponent()).unwrap();
            let exchanged = exchanged.with_scores(|cell| -position.score(cell));
            let guess = likely_score(&position);
            unlike += usize::from(likely_score(&exchanged) != -guess);
            let target = Target::new(i32::from(guess) + if mover == Player::Red { 1 } else { 0 });
            let evaluation = Evaluation::of(&position, target);
            let status = evaluation.status::<Portable>(&position);
            match status.winner(&position) {
                Some(winner) => same += usize::from(winner != mover),
                None if evaluation.advantage::<Portable>(&position, &status) >= 0.0 => less += 1,
                None => same += 1,
            }
        }
        assert!(less > 40 && same > 40 && unlike < 20, "{less} {same} {unlike}");
    }

    #[test]
    fn the_likely_score_is_near_the_exact_one() {
        let mut rng = testing::rng(21);
        let (mut off, mut off_from_nothing) = (0, 0);
        for game in 0..60 {
            let position = testing::random_play(&mut rng, 7 + game % 4);
            let exact = Solver::default().value(&position, 0, &Limits::NONE).exact();
            let exact = i32::from(exact.expect("no limit"));
            off += (i32::from(likely_score(&position)) - exact).abs();
            off_from_nothing += exact.abs();
        }
        assert!(off < 60 * 2 && 3 * off < off_from_nothing, "{off}, {off_from_nothing}");
    }
}
