//! Deciding one question: can Red reach α? That is, who wins α-Blackhole from a position: a
//! depth-first search that ends in one of three ways (see [`decide`]).
//!
//! - `Some(MOVER)`: there is a move after which the other side cannot win.
//! - `Some(OTHER)`: the other side has an answer to every move.
//! - `None`: stopped at a limit. Nothing is known.
//!
//! Every proof leaves a [`Certificate`], the weakest position for which it still holds: what the
//! table keeps, what refutes several moves at once, and what the tests check.
//!
//! *Refuting stones together.* Let a < b be stones of X. If W, the other side, wins after X has
//! played b on a cell and spent a, with certificate C, then every stone of X from a to b on the cell
//! is refuted by C: W's scores are no worse after a smaller stone than b, and X's hand is no better
//! after spending a larger one than a.

use crate::alpha::Target;
use crate::board::{Move, Player, Stone};
use crate::limits::Limits;
use crate::position::Position;
use crate::simd::{self, Simd, Task};

use super::certificate::{counts, Certificate};
use super::dominance::Cells;
use super::key::Key;
use super::outcome::{lose, refute, refute_again, win};
use super::state::{State, Sums, MOVER, OTHER};
use super::static_tests::{count_children, judge_children, look_up_children, try_hints};
use super::verdict::{certify, count, dead, deep_focus, focuses, CHILD_FOCUS};
use super::workspace::{Listed, Moves, Ply, ProofNode, ProofSearch};

/// The need up to which a node is tested for focus of the side that has just moved: few nodes are
/// won so.
const OTHER_FOCUS: i32 = 4;

/// Failed moves after which the others are grouped by cell, and refuted several at once.
const REGROUP_AFTER: usize = 6;

/// How much larger a stone may be to be refuted together with another, and than the smallest that
/// the other side's stale cells will not take.
const TOGETHER: u8 = 1;
const TOGETHER_SPARE: u8 = 4;

/// The work such a try may take, in that of the hardest move refuted here, or in nodes.
const TOGETHER_WORK: u64 = 2;
const TOGETHER_LEAST_WORK: u64 = 300;

/// Return the need up to which a node of so many empty cells is tested for focus of its mover. The
/// more there are, the more work a win spares.
const fn mover_focus(empty: u32) -> i32 {
    match empty {
        0..=14 => 4,
        15 | 16 => 5,
        _ => 7,
    }
}

/// The nodes that a near miss by scores may take: without a bound, most of the gain is lost.
const NEAR_WORK: u64 = 200;

/// The search of a state: see [`decide`].
struct Visit<'a> {
    search: &'a mut ProofSearch,
    state: &'a State,
    /// Whether it is known to be decided neither by counting nor by focus on up to [`CHILD_FOCUS`]
    /// cells.
    judged: bool,
    ply: usize,
    proof: &'a mut Certificate,
}

impl Task for Visit<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Option<usize> {
        decide::<S>(self)
    }
}

/// Decide who wins a state, and leave the certificate in `proof`; `None` at a limit.
///
/// At the root ply, table and static judgement of the state itself are passed over if they would
/// name the mover as winner: its winning move is wanted.
#[inline(always)]
fn decide<S: Simd>(visit: Visit) -> Option<usize> {
    let Visit { search, state, judged, ply, proof } = visit;
    if search.stopped() {
        return None;
    }
    let at_root = ply == search.root;
    let sums = Sums::of(state.hands);
    let key = Key::of(&search.frame, state, dead::<S>(state, &sums));
    if let Some(rest) = if at_root { None } else { key.cancel::<S>(&search.frame, state) } {
        // At the same ply: what it has taught serves better than what that of so many cells has.
        let winner = S::run(Visit { search, state: &rest, judged, ply, proof })?;
        key.restore(proof, state, &sums, winner);
        return Some(winner);
    }

    // Known, or decided at sight?
    let own_counts = [counts(state.hands[MOVER]), counts(state.hands[OTHER])];
    let first = if at_root { OTHER } else { MOVER };
    for side in first..=OTHER {
        if let Some(found) = search.table.probe::<S>(state, &key, own_counts, side) {
            *proof = found;
            key.restore(proof, state, &sums, side);
            return Some(side);
        }
    }
    let verdict = count::<S>(&search.frame, state, &sums);
    let (mut winner, mut focused) = (verdict.winner, None);
    for (side, most) in [(MOVER, mover_focus(state.empty.count_ones())), (OTHER, OTHER_FOCUS)] {
        if winner.is_none() {
            let needs = if judged { CHILD_FOCUS + 1 } else { 1 }..=deep_focus(&verdict, side, most);
            focused = focuses::<S>(&search.frame, state, &sums, &verdict, side, needs);
            winner = focused.is_some().then_some(side);
        }
    }
    if let Some(side) = winner.filter(|&side| side >= first) {
        *proof = certify(&search.frame, state, &sums, side, focused.as_ref());
        return Some(side);
    }

    // A move that won here lately, or in a position nearly the same?
    let undecided = state.empty & !verdict.dead[MOVER] & !verdict.dead[OTHER];
    let entered_with = search.nodes;
    let node = ProofNode { state, key, sums, counts: own_counts, undecided, ply, entered_with };
    if try_hints::<S>(search, &node, proof) {
        return Some(MOVER);
    }
    let mut missed = None;
    if let Some(near) = search.table.near_miss::<S>(state, &node.key, node.counts) {
        let child = state.after(&search.frame, near.index, near.stone);
        let budget = if near.by_hands { u64::MAX } else { NEAR_WORK };
        let winner = within::<S>(search, budget, &child, ply + 1, proof);
        match winner {
            Some(MOVER) => missed = Some((near.index, near.stone.value(), *proof)),
            Some(_) => {
                win(search, &node, proof, near.index, near.stone.value());
                return Some(MOVER);
            }
            None if near.by_hands || search.stopped() => return None,
            None => {}
        }
    }

    // All moves, without search: refuted before, won or lost at sight, left out?
    let cells = Cells::choose(&search.frame, state, verdict.dead);
    let mut moves = Moves::of(cells, state.hands[MOVER]);
    refute_again::<S>(search, &node, &mut moves);
    if count_children::<S>(search, &node, &verdict, &mut moves, proof)
        || judge_children::<S>(search, &node, &mut moves, proof)
    {
        return Some(MOVER);
    }
    if let Some((index, v, proof)) = missed.filter(|&(index, v, _)| moves.worth[index as usize] >> v & 1 != 0)
    {
        refute(search, &node, &proof, index, v, &mut moves);
    }

    // Search what is left, the most promising first.
    let Ply { open, lessons, .. } = &mut search.plies[ply];
    open[..moves.open].iter_mut().for_each(|mv| mv.rating += lessons.of(mv.index, mv.stone));
    sort(&mut open[..moves.open]);
    if look_up_children::<S>(search, &node, moves.open, proof) {
        return Some(MOVER);
    }
    let (mut failed, mut hardest) = (0, 0);
    for i in 0..moves.open {
        let Listed { index, stone, .. } = search.plies[ply].open[i];
        if moves.refuted[index as usize] >> stone & 1 != 0 {
            continue;
        }
        let before = search.nodes;
        let after = |search: &ProofSearch, stone| {
            state.after(&search.frame, u32::from(index), Stone::new(stone).expect("a listed stone"))
        };
        let largest = if failed < REGROUP_AFTER {
            stone
        } else {
            reach_together(&node, &search.plies[ply].open[i..moves.open], moves.refuted[usize::from(index)])
        };
        let together = largest != stone && {
            let child = after(search, largest);
            let hands = [child.hands[MOVER], after(search, stone).hands[OTHER]];
            let budget = (TOGETHER_WORK * hardest).max(TOGETHER_LEAST_WORK);
            within::<S>(search, budget, &State { hands, ..child }, ply + 1, proof) == Some(MOVER)
        };
        let child = after(search, stone);
        if !together && S::run(Visit { search, state: &child, judged: true, ply: ply + 1, proof })? == OTHER {
            if failed > 0 {
                let Ply { open, lessons, .. } = &mut search.plies[ply];
                lessons.learn((index, stone), open[..i].iter().map(|mv| (mv.index, mv.stone)));
            }
            win(search, &node, proof, u32::from(index), stone);
            return Some(MOVER);
        }
        search.refutations.put(state, u32::from(index), proof);
        refute(search, &node, proof, u32::from(index), stone, &mut moves);
        hardest = hardest.max(search.nodes - before);
        failed += 1;
        if failed == REGROUP_AFTER {
            regroup(&mut search.plies[ply].open[i + 1..moves.open]);
        }
    }
    lose::<S>(search, &node, &mut moves, proof);
    Some(OTHER)
}

/// Search a state with at most so many nodes: `None` when they are used up, or at a limit.
#[inline(always)]
fn within<S: Simd>(
    search: &mut ProofSearch,
    nodes: u64,
    state: &State,
    ply: usize,
    proof: &mut Certificate,
) -> Option<usize> {
    let limit = search.limits.nodes;
    search.limits.nodes = limit.min(search.nodes.saturating_add(nodes));
    let winner = S::run(Visit { search, state, judged: false, ply, proof });
    search.limits.nodes = limit;
    winner
}

/// Return the largest stone to be refuted together with the first of the moves listed: of those
/// next on its cell that are not refuted, one not much larger, or not much larger than all that
/// will be needed for the other side's stale cells, where the size of a stone does not matter.
fn reach_together(node: &ProofNode, listed: &[Listed], refuted: u16) -> u8 {
    let (first, hand) = (listed[0], node.state.hands[MOVER]);
    let stale = (node.key.stale >> 8) as u32;
    let spare = if stale > 0 && stale < hand.len() { hand.nth(stale).value() + TOGETHER_SPARE } else { 0 };
    let most = spare.max(first.stone + TOGETHER);
    let next =
        listed.iter().take_while(|mv| mv.index == first.index && mv.stone >= first.stone && mv.stone <= most);
    next.filter(|mv| refuted >> mv.stone & 1 == 0).last().map_or(first.stone, |mv| mv.stone)
}

/// Group moves in order by cell, in the order of each cell's first; within a cell, the smallest
/// stone first.
fn regroup(moves: &mut [Listed]) {
    let mut first = [0; 32];
    for (i, mv) in moves.iter().enumerate().rev() {
        first[usize::from(mv.index)] = i;
    }
    moves.sort_unstable_by_key(|mv| (first[usize::from(mv.index)], mv.stone));
}

/// Order moves by rating, the best first; ties by cell and stone, so that the order is one and the
/// same everywhere.
fn sort(moves: &mut [Listed]) {
    // One number to compare.
    let place = |mv: &Listed| -i64::from(mv.rating) << 16 | i64::from(mv.index) << 8 | i64::from(mv.stone);
    moves.sort_unstable_by_key(place);
}

impl ProofSearch {
    /// Answer a question from outside: the state that it is about, who wins that, and the
    /// certificate; `None` at a limit. Where a move is wanted, one that wins is left in `best`.
    pub fn ask(
        &mut self,
        position: &Position,
        target: Target,
        limits: &Limits,
        wants_move: bool,
    ) -> Option<(State, usize, Certificate)> {
        let (state, ply) = self.enter(position, target, limits);
        if wants_move {
            self.root = ply;
        }
        let mut proof = Certificate::NONE;
        let visit = Visit { search: self, state: &state, judged: false, ply, proof: &mut proof };
        let winner = simd::run(visit)?;
        Some((state, winner, proof))
    }

    /// Decide who wins; `None` at a limit.
    pub fn winner(&mut self, position: &Position, target: Target, limits: &Limits) -> Option<Player> {
        let (_, winner, _) = self.ask(position, target, limits, false)?;
        let mover = position.to_move();
        Some(if winner == MOVER { mover } else { mover.opponent() })
    }

    /// Find a winning move of the player to move: `None` at a limit, `Some(None)` when there is
    /// none.
    pub fn winning_move(
        &mut self,
        position: &Position,
        target: Target,
        limits: &Limits,
    ) -> Option<Option<Move>> {
        if position.empty().len() == 1 {
            return Some(None);
        }
        let (_, winner, _) = self.ask(position, target, limits, true)?;
        let best = self.best.filter(|_| winner == MOVER);
        Some(best.and_then(|(index, stone)| {
            Some(Move::new(self.frame.cell[usize::from(index)], Stone::new(stone)?))
        }))
    }

    /// Decide who wins on the portable path.
    #[cfg(test)]
    pub fn winner_on_portable(&mut self, position: &Position, target: Target) -> Option<usize> {
        let (state, ply) = self.enter(position, target, &Limits::NONE);
        let mut proof = Certificate::NONE;
        simd::Portable::run(Visit { search: self, state: &state, judged: false, ply, proof: &mut proof })
    }
}
