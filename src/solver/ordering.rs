//! The order of moves: a static formula on the child of each, fitted to the exact values of positions of
//! strong games (a linear estimate of the log-odds that the side that has just moved wins).

use super::state::{Frame, MOVER, OTHER, State, Sums, lanes, sum};
use super::tuning::WEIGHTS;
use super::verdict::Verdict;

/// The weights, in 1/1024 of a unit of log-odds; "own" is the side that has just moved.
pub struct Weights {
    /// Need of the opponent less own need, by the refined count.
    pub need: i32,
    /// Own dead cells less the opponent's.
    pub dead: i32,
    /// Balance of an undecided cell, within ±1.
    pub balance: i32,
    /// How steeply the balance rises, in 1/1024.
    pub slope: i32,
    /// Undecided cells with one empty neighbour.
    pub single: i32,
    /// Pairs of an own dead and an undecided neighbour.
    pub own_edge: i32,
    /// Pairs of an opponent's dead and an undecided neighbour.
    pub other_edge: i32,
    /// The stone's number.
    pub stone: i32,
    /// Undecided neighbours of the cell played on.
    pub influence: i32,
    /// Product of both.
    pub product: i32,
    /// The cell played on was own dead (minus: the opponent's).
    pub filled: i32,
}

/// For each number k of empty neighbours: what both hands' largest stones add to a cell's doubled score
/// from the side that has just moved, and the factor that brings the sum to its balance.
#[derive(Clone, Copy)]
pub struct Scales {
    offset: [i32; 8],
    factor: [i32; 8],
}

impl Scales {
    /// Prepare the scales for the hands of the children.
    #[inline(always)]
    pub fn of(sums: &Sums) -> Scales {
        let mut scales = Scales { offset: [0; 8], factor: [0; 8] };
        for k in 0..8 {
            let (other, own) = (sum(sums.top[MOVER], k), sum(sums.top[OTHER], k));
            scales.offset[k as usize] = own - other + 1;
            scales.factor[k as usize] = (WEIGHTS.slope << 6) / (own + other + 1);
        }
        scales
    }
}

/// Rate a child of a move: higher is better for the side that has just moved.
#[inline(always)]
pub fn rate(
    frame: &Frame,
    child: &State,
    verdict: &Verdict,
    scales: &Scales,
    stone: i32,
    influence: i32,
    filled: i32,
) -> i32 {
    let [theirs, own] = verdict.dead;
    let undecided = child.empty & !theirs & !own;
    let (mut balance, mut single, mut own_edges, mut other_edges) = (0, 0, 0, 0);
    for lane in lanes(undecided) {
        let free = child.free.0[(lane & 31) as usize];
        let k = (free & 7) as usize;
        let doubled = 2 * child.score(OTHER, lane) + scales.offset[k];
        balance += (doubled * scales.factor[k]).clamp(-65536, 65536);
        single += i32::from(free == 1);
        let near = frame.near[(lane & 31) as usize];
        own_edges += (near & own).count_ones() as i32;
        other_edges += (near & theirs).count_ones() as i32;
    }
    let w = &WEIGHTS;
    w.need * (verdict.need[MOVER] - verdict.need[OTHER])
        + w.dead * (own.count_ones() as i32 - theirs.count_ones() as i32)
        + ((w.balance * (balance >> 6)) >> 10)
        + w.single * single
        + w.own_edge * own_edges
        + w.other_edge * other_edges
        + w.stone * stone
        + w.influence * influence
        + w.product * stone * influence
        + w.filled * filled
}
