//! Deciding one question: can Red reach α? That is, who wins α-Blackhole from a position: a
//! depth-first search in which MOVER wins by a move after which the other side cannot win, and OTHER
//! by an answer to every move.
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

use super::certificate::Certificate;
use super::children::{count_children, judge_children, look_up_children, try_hints};
use super::dominance::PlayedCells;
use super::judgement::{certify, count, deep_focus, focuses, CHILD_FOCUS};
use super::outcome::{lose, refute, refute_again, win};
use super::state::{State, MOVER, OTHER};
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

/// Return the need up to which a node of so many empty cells is tested for focus of its mover.
const fn mover_focus(empty: u32) -> i32 {
    match empty {
        0..=14 => 4,
        15 | 16 => 5,
        _ => 7,
    }
}

/// The nodes that a near miss by scores may take: without a bound, most of the gain is lost.
const NEAR_WORK: u64 = 200;

/// Who wins a state, and the certificate of it.
type Answer = (usize, Certificate);

/// The question who wins a state: see [`decide`].
struct Query<'a> {
    search: &'a mut ProofSearch,
    state: &'a State,
    /// Whether it is known to be decided neither by counting nor by focus on up to [`CHILD_FOCUS`]
    /// cells.
    judged: bool,
    ply: usize,
}

impl Task for Query<'_> {
    type Output = Option<Answer>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Option<Answer> {
        decide::<S>(self)
    }
}

/// Decide who wins a state; `None` at a limit.
///
/// At the root ply, table and static judgement of the state itself are passed over if they would
/// name the mover as winner: its winning move is wanted.
#[inline(always)]
fn decide<S: Simd>(query: Query) -> Option<Answer> {
    let Query { search, state, judged, ply } = query;
    if search.stopped() {
        return None;
    }
    let node = ProofNode::of::<S>(search, state, ply);
    if let Some(rest) = if ply == search.root { None } else { node.key.cancel::<S>(&search.frame, state) } {
        // At the same ply: what it has taught serves better than what that of so many cells has.
        let (winner, mut proof) = S::run(Query { search, state: &rest, judged, ply })?;
        node.key.restore(&mut proof, state, &node.sums, winner);
        return Some((winner, proof));
    }
    if let Some(known) = look_up::<S>(search, &node) {
        return Some(known);
    }
    if let Some(seen) = judge::<S>(search, &node, judged) {
        return Some(seen);
    }
    if let Some(proof) = try_hints::<S>(search, &node) {
        return Some((MOVER, proof));
    }
    let missed = match try_near_miss::<S>(search, &node) {
        Tried::Won(proof) => return Some((MOVER, proof)),
        Tried::Stopped => return None,
        Tried::Refuted(index, stone, proof) => Some((index, stone, proof)),
        Tried::Nothing => None,
    };

    // All moves, without search: refuted before, won or lost at sight, left out?
    let cells = PlayedCells::choose(&search.frame, state, node.key.dead);
    let mut moves = Moves::of(cells, state.hands[MOVER]);
    refute_again::<S>(search, &node, &mut moves);
    if let Some(proof) = count_children::<S>(search, &node, &mut moves) {
        return Some((MOVER, proof));
    }
    if let Some(proof) = judge_children::<S>(search, &node, &mut moves) {
        return Some((MOVER, proof));
    }
    if let Some((index, v, proof)) = missed.filter(|&(index, v, _)| moves.worth[index as usize] >> v & 1 != 0)
    {
        refute(search, &node, &proof, index, v, &mut moves);
    }
    sort(&mut search.plies[ply], moves.open);
    if let Some(proof) = look_up_children::<S>(search, &node, moves.open) {
        return Some((MOVER, proof));
    }
    search_moves::<S>(search, &node, &mut moves)
}

/// Look a node up in the table.
#[inline(always)]
fn look_up<S: Simd>(search: &ProofSearch, node: &ProofNode) -> Option<Answer> {
    for side in search.first_side(node)..=OTHER {
        if let Some(mut proof) = search.table.probe::<S>(node.state, &node.key, node.counts, side) {
            node.key.restore(&mut proof, node.state, &node.sums, side);
            return Some((side, proof));
        }
    }
    None
}

/// Judge a node at sight, by counting and by focus.
#[inline(always)]
fn judge<S: Simd>(search: &ProofSearch, node: &ProofNode, judged: bool) -> Option<Answer> {
    let ProofNode { state, sums, .. } = node;
    let counted = count::<S>(&search.frame, state, sums);
    let (mut winner, mut focused) = (counted.winner, None);
    for (side, most) in [(MOVER, mover_focus(state.empty.count_ones())), (OTHER, OTHER_FOCUS)] {
        if winner.is_none() {
            let needs = if judged { CHILD_FOCUS + 1 } else { 1 }..=deep_focus(&counted, side, most);
            focused = focuses::<S>(&search.frame, state, sums, &counted, side, needs);
            winner = focused.is_some().then_some(side);
        }
    }
    let side = winner.filter(|&side| side >= search.first_side(node))?;
    Some((side, certify(&search.frame, state, sums, side, focused.as_ref())))
}

/// What has come of trying a move.
enum Tried {
    Nothing,
    Stopped,
    Won(Certificate),
    /// Cell and stone, and why they fail.
    Refuted(u32, u8, Certificate),
}

/// Try the move that won in a position nearly the same, if the table has one.
#[inline(always)]
fn try_near_miss<S: Simd>(search: &mut ProofSearch, node: &ProofNode) -> Tried {
    let Some(near) = search.table.near_miss::<S>(node.state, &node.key, node.counts) else {
        return Tried::Nothing;
    };
    let child = node.state.after(&search.frame, near.index, near.stone);
    let budget = if near.by_hands { u64::MAX } else { NEAR_WORK };
    match within::<S>(search, budget, &child, node.ply + 1) {
        Some((MOVER, proof)) => Tried::Refuted(near.index, near.stone.value(), proof),
        Some((_, proof)) => Tried::Won(win(search, node, proof, near.index, near.stone.value())),
        None if near.by_hands || search.stopped() => Tried::Stopped,
        None => Tried::Nothing,
    }
}

/// Search the moves listed, the most promising first, until one wins or all are refuted.
#[inline(always)]
fn search_moves<S: Simd>(search: &mut ProofSearch, node: &ProofNode, moves: &mut Moves) -> Option<Answer> {
    let &ProofNode { state, ply, .. } = node;
    let (mut failed, mut hardest) = (0, 0);
    for i in 0..moves.open {
        let Listed { index, stone, .. } = search.plies[ply].open[i];
        if moves.refuted[index as usize] >> stone & 1 != 0 {
            continue;
        }
        let before = search.nodes;
        let together = if failed < REGROUP_AFTER {
            None
        } else {
            let listed = &search.plies[ply].open[i..moves.open];
            let largest = reach_together(node, listed, moves.refuted[usize::from(index)]);
            refute_together::<S>(search, node, (index, stone, largest), hardest)
        };
        let proof = if let Some(proof) = together {
            proof
        } else {
            let child = after(search, node, index, stone);
            let (winner, proof) = S::run(Query { search, state: &child, judged: true, ply: ply + 1 })?;
            if winner == OTHER {
                if failed > 0 {
                    let Ply { open, lessons, .. } = &mut search.plies[ply];
                    lessons.learn((index, stone), open[..i].iter().map(|mv| (mv.index, mv.stone)));
                }
                return Some((MOVER, win(search, node, proof, u32::from(index), stone)));
            }
            proof
        };
        search.refutations.put(state, u32::from(index), &proof);
        refute(search, node, &proof, u32::from(index), stone, moves);
        hardest = hardest.max(search.nodes - before);
        failed += 1;
        if failed == REGROUP_AFTER {
            regroup(&mut search.plies[ply].open[i + 1..moves.open]);
        }
    }
    Some((OTHER, lose::<S>(search, node, moves)))
}

/// Try to refute a stone on a cell together with a larger one, with work in proportion to that of the
/// hardest move so far.
#[inline(always)]
fn refute_together<S: Simd>(
    search: &mut ProofSearch,
    node: &ProofNode,
    (index, stone, largest): (u8, u8, u8),
    hardest: u64,
) -> Option<Certificate> {
    if largest == stone {
        return None;
    }
    let child = after(search, node, index, largest);
    let hands = [child.hands[MOVER], after(search, node, index, stone).hands[OTHER]];
    let budget = (TOGETHER_WORK * hardest).max(TOGETHER_LEAST_WORK);
    let (winner, proof) = within::<S>(search, budget, &State { hands, ..child }, node.ply + 1)?;
    (winner == MOVER).then_some(proof)
}

/// Return the state after a listed move.
#[inline(always)]
fn after(search: &ProofSearch, node: &ProofNode, index: u8, stone: u8) -> State {
    node.state.after(&search.frame, u32::from(index), Stone::new(stone).expect("a listed stone"))
}

/// Search a state with at most so many nodes: `None` when they are used up, or at a limit.
#[inline(always)]
fn within<S: Simd>(search: &mut ProofSearch, nodes: u64, state: &State, ply: usize) -> Option<Answer> {
    let limit = search.limits.nodes;
    search.limits.nodes = limit.min(search.nodes.saturating_add(nodes));
    let answer = S::run(Query { search, state, judged: false, ply });
    search.limits.nodes = limit;
    answer
}

/// Return the largest stone to be refuted together with the first move listed: of those next on its
/// cell, one not much larger than it, or than what the other side's stale cells will take.
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

/// Order the moves listed by rating and what the ply has taught, the best first; ties by cell and
/// stone, so that the order is the same everywhere.
fn sort(ply: &mut Ply, open: usize) {
    let Ply { open: listed, lessons, .. } = ply;
    let listed = &mut listed[..open];
    listed.iter_mut().for_each(|mv| mv.rating += lessons.of(mv.index, mv.stone));
    // One number to compare.
    let place = |mv: &Listed| -i64::from(mv.rating) << 16 | i64::from(mv.index) << 8 | i64::from(mv.stone);
    listed.sort_unstable_by_key(place);
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
        let (winner, proof) = simd::run(Query { search: self, state: &state, judged: false, ply })?;
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
            Some(Move { cell: self.frame.cell[usize::from(index)], stone: Stone::new(stone)? })
        }))
    }
}
