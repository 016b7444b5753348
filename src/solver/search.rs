//! Deciding one question: who wins α-Blackhole from a position.
//!
//! A depth-first search for the winner with a certificate (see [`certificate`](super::certificate)) as its
//! result. At a node every child of every move worth looking at is judged without search; a win ends the
//! node at once, and the others are searched in the order of a static formula.
//!
//! *Sibling pruning.* When W has refuted a stone of X on a cell with a certificate, a larger stone on the
//! same cell is refuted if its scores satisfy the same certificate: the other requirements are met, as X's
//! hand is then smaller.

use crate::board::{Hand, Move, Player, Stone};
use crate::lanes::{Lanes, Portable};
use crate::limits::Limits;
use crate::position::Position;
use crate::target::Target;

use super::certificate::{ANY, Certificate, counts};
use super::focus;
use super::moves::{Cells, LeftOut, dead_after};
use super::ordering::{Scales, rate};
use super::state::{Frame, MOVER, OTHER, State, Sums, lanes};
use super::table::{Key, Table};
use super::verdict::{FOCUS_UP_TO, certify, dead, judge};

/// The most moves a position has: 31 cells, 15 stones.
const MAX_MOVES: usize = 31 * 15;

/// The most moves of a line.
const MAX_PLIES: usize = 31;

/// The need up to which a node is tested for focus when it is entered.
const ENTRY_FOCUS_UP_TO: i32 = focus::MOST as i32;

/// The moves tested for focus on more cells before the first is searched, the best rated ones. All are
/// looked up in the table.
const FOCUSED: usize = 10;

/// Failed moves after which the others are regrouped by cell, for sibling pruning.
const REGROUP_AFTER: usize = 3;

/// Nodes between two looks at the clock.
const CLOCK_EVERY: u32 = 8;

/// A move on the list of a node.
#[derive(Clone, Copy)]
struct Listed {
    rating: i32,
    lane: u8,
    stone: u8,
}

/// The lists of one ply: kept here, as a node must not allocate.
struct Ply {
    /// Moves to search.
    open: [Listed; MAX_MOVES],
    /// Stones left out by stone dominance.
    left_out: [LeftOut; MAX_MOVES],
    /// The cells that each stone on each lane makes dead, for the mover and for the other side.
    dead: [[[u32; 2]; 32]; 16],
}

/// The table, the numbering of cells, the lists of every ply, and the counters.
pub struct Search {
    frame: Frame,
    table: Table,
    plies: Vec<Ply>,
    nodes: u64,
    limits: Limits,
    until_clock: u32,
    best: Option<(u8, u8)>,
    reserve: bool,
    /// For each lane, the lower lanes that a symmetry of the root position maps it to.
    twins: [u32; 32],
}

/// An instruction-set path that can call the search compiled for it.
pub trait Path: Lanes {
    /// Search a state; see [`visit`].
    fn search(search: &mut Search, state: &State, ply: usize, result: &mut Certificate) -> Option<usize>;
}

impl Path for Portable {
    fn search(search: &mut Search, state: &State, ply: usize, result: &mut Certificate) -> Option<usize> {
        visit::<Portable>(search, state, ply, result)
    }
}

#[cfg(target_arch = "x86_64")]
impl Path for crate::lanes::Avx2 {
    #[inline(always)]
    fn search(search: &mut Search, state: &State, ply: usize, result: &mut Certificate) -> Option<usize> {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn fast(search: &mut Search, state: &State, ply: usize, result: &mut Certificate) -> Option<usize> {
            visit::<crate::lanes::Avx2>(search, state, ply, result)
        }
        // SAFETY: this path is only entered through `dispatch!`, after its instructions were detected.
        // Measured: see the bench, `BLACKHOLE_PORTABLE=1` against the default.
        unsafe { fast(search, state, ply, result) }
    }
}

crate::dispatch! {
    /// Search the root state.
    fn start(search: &mut Search, state: &State, result: &mut Certificate) -> Option<usize> = start_body
}

#[inline(always)]
fn start_body<L: Path>(search: &mut Search, state: &State, result: &mut Certificate) -> Option<usize> {
    L::search(search, state, 0, result)
}

impl Search {
    pub fn new(table_bytes: usize) -> Search {
        let blank = Listed { rating: 0, lane: 0, stone: 0 };
        let none = LeftOut { stone: 0, lost: 0 };
        let ply = || Ply { open: [blank; MAX_MOVES], left_out: [none; MAX_MOVES], dead: [[[0; 2]; 32]; 16] };
        Search {
            frame: Frame::new(),
            table: Table::new(table_bytes),
            plies: (0..MAX_PLIES).map(|_| ply()).collect(),
            nodes: 0,
            limits: Limits::NONE,
            until_clock: 0,
            best: None,
            reserve: false,
            twins: [0; 32],
        }
    }

    pub fn clear(&mut self) {
        self.table.clear();
        self.frame = Frame::new();
    }

    /// Turn the unproven rule on or off (see [`Solver::reserve_small_stones`](super::Solver)).
    pub fn reserve_small_stones(&mut self, on: bool) {
        self.reserve = on;
    }

    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Decide who wins; `None` at a limit.
    pub fn winner(&mut self, position: &Position, target: Target, limits: &Limits) -> Option<Player> {
        let state = self.enter(position, target, limits);
        let mover = position.to_move();
        let mut result = Certificate::against(Hand::EMPTY);
        // Ply 1: only at ply 0 a move is wanted besides the winner.
        let winner = search_from(self, &state, 1, &mut result)?;
        Some(if winner == MOVER { mover } else { mover.opponent() })
    }

    /// Find a winning move of the player to move: `None` at a limit, `Some(None)` when there is none.
    pub fn winning_move(
        &mut self,
        position: &Position,
        target: Target,
        limits: &Limits,
    ) -> Option<Option<Move>> {
        if position.empty().len() == 1 {
            return Some(None);
        }
        let state = self.enter(position, target, limits);
        self.twins = self.frame.twins(position);
        let mut result = Certificate::against(Hand::EMPTY);
        let winner = start(self, &state, &mut result)?;
        let best = self.best.filter(|_| winner == MOVER);
        Some(
            best.and_then(|(lane, stone)| {
                Some(Move::new(self.frame.cell(u32::from(lane)), Stone::new(stone)?))
            }),
        )
    }

    #[cfg(test)]
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Decide who wins, and return the certificate with the state it is about.
    #[cfg(test)]
    pub fn certified(&mut self, position: &Position, target: Target) -> (State, usize, Certificate) {
        let state = self.enter(position, target, &Limits::NONE);
        let mut result = Certificate::against(Hand::EMPTY);
        let winner = search_from(self, &state, 1, &mut result).expect("no limit");
        (state, winner, result)
    }

    /// Decide who wins on a given path.
    #[cfg(test)]
    pub fn winner_by(
        &mut self,
        position: &Position,
        target: Target,
        path: fn(&mut Search, &State, usize, &mut Certificate) -> Option<usize>,
    ) -> Option<Player> {
        let state = self.enter(position, target, &Limits::NONE);
        let mut result = Certificate::against(Hand::EMPTY);
        let mover = position.to_move();
        let winner = path(self, &state, 1, &mut result)?;
        Some(if winner == MOVER { mover } else { mover.opponent() })
    }

    fn enter(&mut self, position: &Position, target: Target, limits: &Limits) -> State {
        if !self.frame.admit(position.empty()) {
            self.table.clear();
        }
        self.limits = *limits;
        self.until_clock = 0;
        self.best = None;
        self.frame.state(position, target)
    }

    #[inline(always)]
    fn stopped(&mut self) -> bool {
        if self.until_clock == 0 {
            self.until_clock = CLOCK_EVERY;
            return self.limits.reached(self.nodes);
        }
        self.until_clock -= 1;
        self.nodes >= self.limits.nodes
    }
}

crate::dispatch! {
    /// Search a state at a ply.
    fn search_from(search: &mut Search, state: &State, ply: usize, result: &mut Certificate) -> Option<usize> = search_from_body
}

#[inline(always)]
fn search_from_body<L: Path>(
    search: &mut Search,
    state: &State,
    ply: usize,
    result: &mut Certificate,
) -> Option<usize> {
    L::search(search, state, ply, result)
}

/// Search a state: returns the winning side and leaves its certificate in `result`, or `None` at a limit.
/// At ply 0 table and static judgement of the state itself are passed over if they would name the mover as
/// winner, and the winning move is noted.
#[inline(always)]
fn visit<L: Path>(search: &mut Search, state: &State, ply: usize, result: &mut Certificate) -> Option<usize> {
    if search.stopped() {
        return None;
    }
    let entered_with = search.nodes;
    let hand_counts = [counts(state.hands[MOVER]), counts(state.hands[OTHER])];
    let sums = Sums::of(state.hands);
    let key = Key::of(&search.frame, state, dead::<L>(state, &sums));
    if let Some((side, certificate)) = search.table.probe::<L>(state, &key, hand_counts)
        && (ply > 0 || side == OTHER)
    {
        *result = certificate;
        key.complete(result, state, &sums, side);
        return Some(side);
    }
    let verdict = judge::<L>(&search.frame, state, &sums, ENTRY_FOCUS_UP_TO);
    if let Some(side) = verdict.winner
        && (ply > 0 || side == OTHER)
    {
        *result = certify::<L>(&search.frame, state, &sums, side);
        return Some(side);
    }

    let mut cells = Cells::choose(&search.frame, state, verdict.dead);
    let mut symmetric = false;
    if ply == 0 {
        // Of cells that a symmetry of the position exchanges, one is enough. The certificate that results
        // does not hold for positions without the symmetry.
        for lane in lanes(cells.played) {
            if search.twins[lane as usize] & cells.played != 0 {
                cells.played &= !(1 << lane);
                symmetric = true;
            }
        }
    }
    let mut relied = 0;
    let undecided = state.empty & !verdict.dead[MOVER] & !verdict.dead[OTHER];
    let hand = state.hands[MOVER];

    // First look: dead cells after every move, wins by counting, stone dominance.
    let mut worth = [0u16; 32];
    let mut lost = [0u16; 32];
    let mut left_out = 0;
    let mut smaller = 0usize;
    let mut rank = 0;
    // Stones kept for stale cells by the unproven rule, if it is on.
    let reserved = if search.reserve { key.stale_count(OTHER) } else { 0 };
    for stone in hand.iter() {
        let v = stone.value();
        let after = Sums::of([state.hands[OTHER], hand.without(stone)]);
        let wins_with = after.count[MOVER] as u32;
        let loses_with = after.count[OTHER] as u32;
        for lane in lanes(cells.played) {
            if rank < reserved && key.stale_cells >> lane & 1 == 0 {
                continue;
            }
            let child = state.after(&search.frame, lane, stone);
            let dead = dead_after::<L>(&child, &after);
            search.nodes += 1;
            if dead[MOVER].count_ones() > wins_with {
                *result = certify::<L>(&search.frame, &child, &after, OTHER);
                return Some(win(search, state, &key, &sums, ply, result, lane, v, entered_with));
            }
            let slot = &mut search.plies[ply].dead;
            slot[v as usize][lane as usize] = dead;
            let out = frame_near(&search.frame, lane) & undecided;
            if smaller > 0 {
                let open = out & !slot[smaller][lane as usize][MOVER];
                if open & !dead[OTHER] == 0 {
                    search.plies[ply].left_out[left_out] = LeftOut { stone: v, lost: open };
                    left_out += 1;
                    relied |= frame_near(&search.frame, lane) & verdict.dead[OTHER];
                    continue;
                }
            }
            if dead[OTHER].count_ones() > loses_with {
                lost[lane as usize] |= 1 << v;
            } else {
                worth[lane as usize] |= 1 << v;
            }
        }
        // A reserved stone has been judged on stale cells only: it is no measure for the next.
        if rank >= reserved {
            smaller = v as usize;
        }
        rank += 1;
    }

    // Second look, at what is left: refined count, focus, rating; large stones first.
    let mut open = 0;
    let mut rest = hand;
    while let Some(stone) = rest.largest() {
        rest = rest.without(stone);
        let v = stone.value();
        let after = Sums::of([state.hands[OTHER], hand.without(stone)]);
        let scales = Scales::of(&after);
        for lane in lanes(cells.played) {
            if worth[lane as usize] >> v & 1 == 0 {
                continue;
            }
            let child = state.after(&search.frame, lane, stone);
            let judged = judge::<L>(&search.frame, &child, &after, FOCUS_UP_TO);
            match judged.winner {
                Some(OTHER) => {
                    *result = certify::<L>(&search.frame, &child, &after, OTHER);
                    return Some(win(search, state, &key, &sums, ply, result, lane, v, entered_with));
                }
                Some(_) => lost[lane as usize] |= 1 << v,
                None => {
                    let influence = (frame_near(&search.frame, lane) & undecided).count_ones() as i32;
                    let filled =
                        (verdict.dead[MOVER] >> lane & 1) as i32 - (verdict.dead[OTHER] >> lane & 1) as i32;
                    let value = i32::from(v);
                    let rating = rate(&search.frame, &child, &judged, &scales, value, influence, filled);
                    search.plies[ply].open[open] = Listed { rating, lane: lane as u8, stone: v };
                    open += 1;
                }
            }
        }
    }

    // Search what is open, the most promising first.
    let mut refuted = [0u16; 32];
    let mut joined = Certificate::against(hand);
    sort(&mut search.plies[ply].open[..open]);
    let mut failed = 0;
    if let Some(winner) = glance::<L>(search, state, &key, &sums, ply, open, result) {
        return Some(winner);
    }
    for i in 0..open {
        let Listed { lane, stone: v, .. } = search.plies[ply].open[i];
        if refuted[lane as usize] >> v & 1 != 0 {
            continue;
        }
        let stone = Stone::new(v).expect("a listed stone");
        let child = state.after(&search.frame, u32::from(lane), stone);
        if L::search(search, &child, ply + 1, result)? == OTHER {
            return Some(win(search, state, &key, &sums, ply, result, u32::from(lane), v, entered_with));
        }
        refute(&search.frame, state, result, &mut joined, &mut refuted, u32::from(lane), v, worth, lost);
        failed += 1;
        if failed == REGROUP_AFTER {
            regroup(&mut search.plies[ply].open[i + 1..open]);
        }
    }

    // All are refuted: complete the certificate with the moves lost at sight and those left out.
    for stone in hand.iter() {
        let v = stone.value();
        let after = Sums::of([state.hands[OTHER], hand.without(stone)]);
        for lane in lanes(cells.played) {
            if lost[lane as usize] & !refuted[lane as usize] & 1 << v != 0 {
                let child = state.after(&search.frame, lane, stone);
                *result = certify::<L>(&search.frame, &child, &after, MOVER);
                refute(&search.frame, state, result, &mut joined, &mut refuted, lane, v, worth, lost);
            }
        }
        for i in 0..left_out {
            let out = search.plies[ply].left_out[i];
            if out.stone == v {
                out.complete(&mut joined, state, &after);
            }
        }
    }
    cells.complete(&mut joined, state, &sums, relied);
    *result = joined;
    debug_assert!(result.holds::<L>(&state.scores, OTHER, hand_counts[OTHER], hand_counts[MOVER]));
    if reserved > 0 {
        key.complete(result, state, &sums, OTHER);
    }
    if !symmetric && let Some(stored) = key.strip(result, state, &sums, OTHER) {
        search.table.store(&key, OTHER, &stored, search.nodes - entered_with);
    }
    Some(OTHER)
}

#[inline(always)]
fn frame_near(frame: &Frame, lane: u32) -> u32 {
    frame.near[(lane & 31) as usize]
}

/// Look at every open child once more before searching any: in the table, and for a focus of the mover on
/// more cells than was tried at first.
#[inline(always)]
fn glance<L: Path>(
    search: &mut Search,
    state: &State,
    key: &Key,
    sums: &Sums,
    ply: usize,
    open: usize,
    result: &mut Certificate,
) -> Option<usize> {
    let work = search.nodes;
    for i in 0..open {
        let Listed { lane, stone: v, .. } = search.plies[ply].open[i];
        let stone = Stone::new(v).expect("a listed stone");
        let child = state.after(&search.frame, u32::from(lane), stone);
        let after = Sums::of(child.hands);
        let dead = dead::<L>(&child, &after);
        let child_counts = [counts(child.hands[MOVER]), counts(child.hands[OTHER])];
        let child_key = Key::of(&search.frame, &child, dead);
        let need = after.count[MOVER] + 1 - dead[OTHER].count_ones() as i32;
        if let Some((OTHER, certificate)) = search.table.probe::<L>(&child, &child_key, child_counts) {
            *result = certificate;
            child_key.complete(result, &child, &after, OTHER);
        } else if need > FOCUS_UP_TO
            && need <= ENTRY_FOCUS_UP_TO
            && i < FOCUSED
            && focus::wins(&search.frame, &child, &after, OTHER, dead[OTHER], need)
        {
            *result = certify::<L>(&search.frame, &child, &after, OTHER);
        } else {
            continue;
        }
        return Some(win(search, state, key, sums, ply, result, u32::from(lane), v, work));
    }
    None
}

/// Note a win of the mover by a move, with the child's certificate in `result`.
#[allow(clippy::too_many_arguments)] // a step of `visit`, with its locals
#[inline(always)]
fn win(
    search: &mut Search,
    state: &State,
    key: &Key,
    sums: &Sums,
    ply: usize,
    result: &mut Certificate,
    lane: u32,
    stone: u8,
    entered_with: u64,
) -> usize {
    result.before_winner(&search.frame, lane, stone);
    if ply == 0 {
        search.best = Some((lane as u8, stone));
    }
    if let Some(stored) = key.strip(result, state, sums, MOVER) {
        search.table.store(key, MOVER, &stored, search.nodes - entered_with);
    }
    MOVER
}

/// Note the refutation of a stone on a cell by `proof`, with the larger stones on it that the same
/// certificate refutes.
#[allow(clippy::too_many_arguments)] // a step of `visit`, with its locals
#[inline(always)]
fn refute(
    frame: &Frame,
    state: &State,
    proof: &Certificate,
    joined: &mut Certificate,
    refuted: &mut [u16; 32],
    lane: u32,
    stone: u8,
    worth: [u16; 32],
    lost: [u16; 32],
) {
    let mut largest = 15;
    for near in lanes(frame_near(frame, lane) & state.empty) {
        let least = proof.least.0[near as usize];
        if least != ANY {
            largest = largest.min(state.score(OTHER, near) - i32::from(least));
        }
    }
    debug_assert!(largest >= i32::from(stone));
    let up_to = ((1u32 << (largest + 1)) - (1 << stone)) as u16;
    let covered = (worth[lane as usize] | lost[lane as usize]) & up_to;
    refuted[lane as usize] |= covered;
    let most = 15 - covered.leading_zeros();
    joined.join_after(proof, frame, lane, most as u8);
}

/// Order moves by rating, the best first; ties by lane and stone, so that the order is one and the same
/// everywhere.
fn sort(moves: &mut [Listed]) {
    moves.sort_unstable_by_key(|mv| (-mv.rating, mv.lane, mv.stone));
}

/// Group moves in order by cell, in the order of each cell's first; within a cell, the smallest stone first.
fn regroup(moves: &mut [Listed]) {
    let mut first = [0i32; 32];
    for (i, mv) in moves.iter().enumerate().rev() {
        first[mv.lane as usize] = i as i32;
    }
    moves.sort_unstable_by_key(|mv| (first[mv.lane as usize], mv.stone));
}
