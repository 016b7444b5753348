//! Static evaluation, without search: one formula orders moves for search and solver, each with its own weights.

use crate::alpha::dominance::undominated;
use crate::alpha::state::{flip, indices, sum, Frame, HandSums, View, MOVER, OTHER};
use crate::alpha::{Reasonable, Status, Target};
use crate::board::Move;
use crate::position::Position;
use crate::simd::Simd;

/// The weights of the terms of [`rating`] for the side that has just moved, in thousandths.
pub struct Weights {
    /// The rise of a cell's balance with its lead, in 1/1024.
    steepness: i32,
    /// The weight of each dead cell that the other side needs more than this one.
    need: i32,
    /// The weights of the balance of each undecided cell, within ±1; of its square, with the sign; and of the
    /// balance of cells with one empty neighbour.
    balance: i32,
    square: i32,
    single: i32,
    /// The weights of each undecided cell, and of each pair of neighbours among them.
    undecided: i32,
    edge: i32,
    /// The weights of each pair of an undecided cell and a neighbour dead for this side, and for the other.
    own_pair: i32,
    other_pair: i32,
}

/// The log-odds of winning, fitted to exactly solved positions of 15 to 21 empty cells.
const ODDS: Weights = Weights {
    steepness: 2048,
    need: 1850,
    balance: 700,
    square: 0,
    single: -700,
    undecided: 0,
    edge: 0,
    own_pair: -700,
    other_pair: 740,
};

/// The speed of a proof: fitted to lower the mean logarithm of the nodes to the exact value at 15 and 16 cells.
pub const WORK: Weights = Weights {
    steepness: 1321,
    need: 2200,
    balance: 1126,
    square: -155,
    single: -357,
    undecided: -220,
    edge: -279,
    own_pair: -1289,
    other_pair: 693,
};

/// The log-odds of being the side to move, in thousandths.
const TEMPO: i32 = 370;

/// The log-odds of a decided game.
pub const DECIDED: f32 = 1e6;

/// A cell's balance by its score and the number k of its empty neighbours: clip(steepness
/// (2y + P - Q) / (P + Q + 1), ±1), with y the score less α plus ½, P and Q the sums of the k largest
/// stones of the side that has just moved and of the other.
#[derive(Clone, Copy)]
pub struct Scales {
    /// P - Q + 1, to be added to the doubled score: signed bytes.
    offset: [u8; 16],
    /// The balance of half a point in 1/65536: low and high bytes.
    factor: [[u8; 16]; 2],
}

impl Scales {
    #[inline(always)]
    pub fn of(sums: &HandSums, weights: &Weights) -> Scales {
        let mut scales = Scales { offset: [0; 16], factor: [[0; 16]; 2] };
        // A cell without empty neighbours is decided.
        for k in 1..8 {
            let (other, own) = (sum(&sums.top[MOVER], k as u32), sum(&sums.top[OTHER], k as u32));
            scales.offset[k] = (own - other + 1) as u8;
            let factor = ((weights.steepness << 6) / (own + other + 1)).min(0xFFFF) as u16;
            [scales.factor[0][k], scales.factor[1][k]] = factor.to_le_bytes();
        }
        scales
    }
}

/// Count the pairs of a cell of one set and a neighbour in another.
#[inline(always)]
fn pairs(frame: &Frame, cells: u32, others: u32) -> i32 {
    let mut pairs = 0;
    for index in indices(cells) {
        pairs += (frame.near[(index & 31) as usize] & others).count_ones() as i32;
    }
    pairs
}

/// Rate a state with these dead cells and needs: higher is better for the side that has just moved.
#[inline(always)]
pub fn rating<S: Simd>(
    view: View,
    dead: [u32; 2],
    need: [i32; 2],
    scales: &Scales,
    weights: &Weights,
) -> i32 {
    let (View { frame, state, .. }, undecided) = (view, view.undecided(dead));
    let free = S::load(&state.free);
    let offset = S::store(S::lookup(free, &scales.offset)).0;
    // Not a closure, which would not be compiled for the path.
    let factor_low = S::store(S::lookup(free, &scales.factor[0])).0;
    let factor_high = S::store(S::lookup(free, &scales.factor[1])).0;
    // Balances are within ±1024.
    let (mut balance, mut square, mut single, mut ends) = (0, 0, 0, 0);
    for i in 0..32 {
        let mask = -((undecided >> i & 1) as i32);
        let doubled = 2 * i32::from(state.scores.0[i] ^ flip(OTHER)) + i32::from(offset[i]);
        let factor = i32::from(factor_high[i] as u8) << 8 | i32::from(factor_low[i] as u8);
        let of_cell = (doubled * factor).clamp(-65536, 65536) >> 6 & mask;
        balance += of_cell;
        square += of_cell * of_cell.abs();
        single += of_cell & -i32::from(state.free.0[i] == 1);
        ends += i32::from(state.free.0[i]) & mask;
    }
    let [other_pairs, own_pairs] =
        [pairs(frame, dead[MOVER], undecided), pairs(frame, dead[OTHER], undecided)];
    let firmness = weights.balance * balance + weights.square * (square >> 10) + weights.single * single;
    weights.need * (need[MOVER] - need[OTHER])
        + (firmness >> 10)
        + weights.undecided * undecided.count_ones() as i32
        + weights.edge * ((ends - own_pairs - other_pairs) / 2)
        + weights.own_pair * own_pairs
        + weights.other_pair * other_pairs
}

/// Return the log-odds that the side that has just moved wins α-Blackhole, by the static formula;
/// ±[`DECIDED`] once the game is decided.
#[inline(always)]
fn last_mover_log_odds<S: Simd>(view: View, scales: &Scales) -> f32 {
    let dead = view.dead::<S>();
    let need = view.need(dead);
    if need[OTHER] <= 0 {
        DECIDED
    } else if need[MOVER] <= 0 {
        -DECIDED
    } else {
        (rating::<S>(view, dead, need, scales, &ODDS) - TEMPO) as f32 / 1000.0
    }
}

/// Return the log-odds that the player to move wins α-Blackhole, by the static formula.
#[inline(always)]
pub fn mover_log_odds<S: Simd>(position: &Position, target: Target) -> f32 {
    let (frame, state) = Frame::around(position, target);
    let sums = HandSums::of(state.hands);
    -last_mover_log_odds::<S>(View { frame: &frame, state: &state, sums: &sums }, &Scales::of(&sums, &ODDS))
}

/// List the reasonable moves, each with its player's log-odds of winning, ±[`DECIDED`] if it decides the game.
pub fn reasonable_log_odds<S: Simd>(
    position: &Position,
    target: Target,
) -> impl Iterator<Item = (Move, f32)> {
    let (frame, state) = Frame::around(position, target);
    let reasonable = Reasonable::of(position, &Status::of::<S>(position, target));
    reasonable.moves(state.hands[MOVER]).map(move |mv| {
        let child = state.after(&frame, frame.number(mv.cell), mv.stone);
        let sums = HandSums::of(child.hands);
        let view = View { frame: &frame, state: &child, sums: &sums };
        (mv, last_mover_log_odds::<S>(view, &Scales::of(&sums, &ODDS)))
    })
}

/// Pass each move that no other one [dominates](crate::alpha::dominance) to `on_move` with its log-odds
/// (see [`reasonable_log_odds`]), the smallest stone first.
#[inline(always)]
pub fn undominated_log_odds<S: Simd>(
    position: &Position,
    target: Target,
    mut on_move: impl FnMut(Move, f32),
) {
    let (frame, state) = Frame::around(position, target);
    let view = View { frame: &frame, state: &state, sums: &HandSums::of(state.hands) };
    let dead = view.dead::<S>();
    let undecided = view.undecided(dead);
    let near = |index: u32| u64::from(view.near(index));
    let score = |index: u32| state.score(MOVER, index);
    let dead = dead.map(u64::from);
    let cells = undominated(state.empty.into(), dead, near, score, |_, _, _| {}) as u32;
    // By cell, the undecided neighbours after the next smaller stone on the cell.
    let mut left_open = [0; 32];
    for stone in state.hands[MOVER].iter() {
        let first = state.hands[MOVER].smallest() == Some(stone);
        // All moves of one stone leave the same hands.
        let sums = HandSums::of([state.hands[OTHER], state.hands[MOVER].without(stone)]);
        let scales = Scales::of(&sums, &ODDS);
        for index in indices(cells) {
            let child = state.after(&frame, index, stone);
            let view = View { frame: &frame, state: &child, sums: &sums };
            let [lost, won] = view.dead::<S>();
            let open = view.near(index) & undecided & !lost;
            let before = std::mem::replace(&mut left_open[(index & 31) as usize], !won);
            if first || open & before != 0 {
                on_move(
                    Move { cell: frame.cell[(index & 31) as usize], stone },
                    last_mover_log_odds::<S>(view, &scales),
                );
            }
        }
    }
}

/// Return the reasonable move of the greatest log-odds, the first of equals; `None` if the game is over.
pub fn quick_move<S: Simd>(position: &Position, target: Target) -> Option<Move> {
    let best = reasonable_log_odds::<S>(position, target)
        .reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map(|(mv, _)| mv)
}
