//! Deciding a node: the looks that need no search, then the search of its moves in their order (see
//! [`search`](super)).

use super::kept::{keep_refutations, refute_again};
use super::looks::{count_all, glance, judge_all, try_hints};
use super::outcome::{lose, win};
use super::refute::{next_on_cell, reach_together, refute, refute_together};
use super::*;

/// A state being searched, with what every step of its search needs.
pub(super) struct Node<'a> {
    pub(super) state: &'a State,
    pub(super) key: Key,
    pub(super) sums: Sums,
    pub(super) counts: [Counts; 2],
    /// Cells dead for neither side.
    pub(super) undecided: u32,
    pub(super) ply: usize,
    /// The count of nodes when it was entered.
    pub(super) entered_with: u64,
}

/// The moves of a node after the looks that need no search. Bit `v` of a lane's word stands for stone `v`.
pub(super) struct Moves {
    pub(super) cells: Cells,
    /// Whether cells were left out by the symmetry of the root.
    pub(super) symmetric: bool,
    /// Moves that may be worth a search: all at first.
    pub(super) worth: [u16; 32],
    /// Moves lost at sight.
    pub(super) lost: [u16; 32],
    /// Moves refuted.
    pub(super) refuted: [u16; 32],
    /// What their refutations require, but for X's hand.
    pub(super) joined: Certificate,
    /// The number of stones left out by stone dominance, listed in the ply.
    pub(super) left_out: usize,
    /// Cells dead for the other side that leaving them out relies on.
    pub(super) relied: u32,
    /// The number of moves to search, listed in the ply.
    pub(super) open: usize,
    /// The number of refutations, listed in the ply.
    pub(super) refutations: usize,
}

impl Moves {
    /// Every stone of a hand on every cell to play on, before any is looked at.
    #[inline(always)]
    pub(super) fn of(cells: Cells, hand: Hand) -> Moves {
        let mut moves = Moves {
            cells,
            symmetric: false,
            worth: [0; 32],
            lost: [0; 32],
            refuted: [0; 32],
            joined: Certificate::NONE,
            left_out: 0,
            relied: 0,
            open: 0,
            refutations: 0,
        };
        for lane in lanes(cells.played) {
            moves.worth[lane as usize] = hand.bits();
        }
        moves
    }
}

/// Return the need up to which a side is tested for focus at a node that few are like, at `most`: the deeper the
/// less the other side lacks.
#[inline(always)]
pub(super) fn deep_focus(counted: &Verdict, side: usize, most: i32) -> i32 {
    counted.need[1 - side].clamp(NODE_FOCUS_UP_TO, most)
}

/// Search a state with at most so many nodes: `None` when they are used up, or at a limit.
#[inline(always)]
pub(super) fn within<L: Path>(
    search: &mut Search,
    nodes: u64,
    state: &State,
    ply: usize,
    result: &mut Certificate,
) -> Option<usize> {
    let limit = search.limits.nodes;
    search.limits.nodes = limit.min(search.nodes.saturating_add(nodes));
    let winner = L::search(search, state, Looked::Nowhere, ply, result);
    search.limits.nodes = limit;
    winner
}

/// Decide who wins a state: returns the winning side and leaves its certificate in `result`, or `None` at a limit.
///
/// At the root ply table and static judgement of the state itself are passed over if they would name the
/// mover as winner, and the winning move is noted.
#[inline(always)]
pub(super) fn decide<L: Path>(
    search: &mut Search,
    state: &State,
    looked: Looked,
    ply: usize,
    result: &mut Certificate,
) -> Option<usize> {
    if search.stopped() {
        return None;
    }
    let sums = Sums::of(state.hands);
    let key = Key::of(&search.frame, state, dead::<L>(state, &sums));
    if ply != search.root
        && let Some(rest) = key.cancel::<L>(&search.frame, state)
    {
        // At the same ply: what it has taught serves better than what that of so many cells has.
        let winner = L::search(search, &rest, looked, ply, result)?;
        key.restore(result, state, &sums, winner);
        return Some(winner);
    }
    let hand_counts = [counts(state.hands[MOVER]), counts(state.hands[OTHER])];
    for side in [MOVER, OTHER] {
        if (ply != search.root || side == OTHER)
            && let Some(certificate) = search.table.probe::<L>(state, &key, hand_counts, side)
        {
            *result = certificate;
            key.restore(result, state, &sums, side);
            return Some(side);
        }
    }
    let verdict = count::<L>(&search.frame, state, &sums);
    let mut winner = verdict.winner;
    let mut proof = None;
    // A loop and not a closure, which would not be compiled for the path.
    for side in [MOVER, OTHER] {
        let judged = if side == MOVER { FOCUS_UP_TO } else { OWN_FOCUS_UP_TO };
        let least = if looked == Looked::Nowhere { 1 } else { judged + 1 };
        let most = match side {
            MOVER => deep_focus(&verdict, side, entry_focus_up_to(state.empty.count_ones())),
            _ if looked == Looked::Deeper => 0,
            _ => deep_focus(&verdict, side, OWN_ENTRY_FOCUS_UP_TO),
        };
        if winner.is_none() {
            proof = focuses::<L>(&search.frame, state, &sums, &verdict, side, least..=most);
            winner = proof.is_some().then_some(side);
        }
    }
    if let Some(side) = winner
        && (ply != search.root || side == OTHER)
    {
        *result = certify(&search.frame, state, &sums, side, proof.as_ref());
        return Some(side);
    }

    let undecided = state.empty & !verdict.dead[MOVER] & !verdict.dead[OTHER];
    let entered_with = search.nodes;
    let node = Node { state, key, sums, counts: hand_counts, undecided, ply, entered_with };
    if try_hints::<L>(search, &node, result) {
        return Some(MOVER);
    }
    // A move that won with nearly the same hands and scores is searched before others are looked at.
    let mut missed = None;
    let near = search.table.near_miss::<L>(state, &node.key, node.counts);
    if let Some(NearMiss { lane, stone, by_hands }) = near
        && (by_hands || state.empty.count_ones() >= NEAR_FROM)
    {
        let child = state.after(&search.frame, lane, stone);
        let budget = if by_hands { u64::MAX } else { NEAR_WORK };
        let winner = within::<L>(search, budget, &child, ply + 1, result);
        if winner == Some(OTHER) {
            win::<L>(search, &node, result, lane, stone.value());
            return Some(MOVER);
        }
        if winner.is_none() && (by_hands || search.stopped()) {
            return None;
        }
        missed = winner.map(|_| (lane, stone.value(), *result));
    }
    let mut cells = Cells::choose(&search.frame, state, verdict.dead);
    let mut symmetric = false;
    if ply == search.root {
        // Of cells that a symmetry of the position exchanges, one is enough. The certificate that results
        // does not hold for positions without the symmetry.
        for lane in lanes(cells.played) {
            if search.twins[lane as usize] & cells.played != 0 {
                cells.played &= !(1 << lane);
                symmetric = true;
            }
        }
    }
    let mut moves = Moves::of(cells, state.hands[MOVER]);
    moves.symmetric = symmetric;
    refute_again::<L>(search, &node, &mut moves);
    let refuted_again = moves.refutations;
    if count_all::<L>(search, &node, &verdict, &mut moves, result)
        || judge_all::<L>(search, &node, &mut moves, result)
    {
        return Some(MOVER);
    }
    let Ply { open, lessons, .. } = &mut search.plies[ply];
    for mv in &mut open[..moves.open] {
        mv.rating += lessons.of(mv.lane, mv.stone);
    }
    sort(&mut open[..moves.open]);
    if glance::<L>(search, &node, moves.open, result) {
        return Some(MOVER);
    }

    // Search what is open, the most promising first.
    let mut failed = 0;
    let mut hardest = 0;
    if let Some((lane, v, proof)) = missed.filter(|&(lane, v, _)| moves.worth[lane as usize] >> v & 1 != 0) {
        refute(search, &node, &proof, lane, v, &mut moves);
    }
    for i in 0..moves.open {
        let Listed { lane, stone: v, looked, .. } = search.plies[ply].open[i];
        if moves.refuted[lane as usize] >> v & 1 != 0 {
            continue;
        }
        let stone = Stone::new(v).expect("a listed stone");
        let before = search.nodes;
        let together = failed >= REGROUP_AFTER && {
            let later = &search.plies[ply].open[i + 1..moves.open];
            let largest =
                next_on_cell(later, lane, v, reach_together(&node, v), moves.refuted[lane as usize]);
            largest != v && refute_together::<L>(search, &node, lane, [v, largest], hardest, result)
        };
        let child = state.after(&search.frame, u32::from(lane), stone);
        if !together && L::search(search, &child, looked, ply + 1, result)? == OTHER {
            if failed > 0 {
                let Ply { open, lessons, .. } = &mut search.plies[ply];
                let passed = open[..i].iter().map(|mv| (mv.lane, mv.stone));
                lessons.learn((lane, v), passed);
            }
            win::<L>(search, &node, result, u32::from(lane), v);
            return Some(MOVER);
        }
        refute(search, &node, result, u32::from(lane), v, &mut moves);
        hardest = hardest.max(search.nodes - before);
        failed += 1;
        if failed == REGROUP_AFTER {
            regroup(&mut search.plies[ply].open[i + 1..moves.open]);
        }
    }
    lose::<L>(search, &node, &mut moves, result);
    keep_refutations(search, &node, &moves, refuted_again);
    Some(OTHER)
}

#[inline(always)]
pub(super) fn frame_near(frame: &Frame, lane: u32) -> u32 {
    frame.near[(lane & 31) as usize]
}

/// Order moves by rating, the best first; ties by lane and stone, so that the order is one and the same
/// everywhere.
fn sort(moves: &mut [Listed]) {
    // One number to compare.
    let place = |mv: &Listed| -i64::from(mv.rating) << 16 | i64::from(mv.lane) << 8 | i64::from(mv.stone);
    moves.sort_unstable_by_key(place);
}

/// Group moves in order by cell, in the order of each cell's first; within a cell, the smallest stone first.
fn regroup(moves: &mut [Listed]) {
    let mut first = [0i32; 32];
    for (i, mv) in moves.iter().enumerate().rev() {
        first[mv.lane as usize] = i as i32;
    }
    moves.sort_unstable_by_key(|mv| (first[mv.lane as usize], mv.stone));
}
