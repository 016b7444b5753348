//! Deciding one question: can Red reach α? A depth-first search for the winner of α-Blackhole: MOVER wins by
//! one move after which the other side cannot win, OTHER by an answer to every move.
//!
//! Every proof leaves a [`Certificate`], the weakest position for which it still holds: the table keeps it,
//! it refutes several moves at once, and the tests check it.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::alpha::state::{Frame, State, MOVER, OTHER};
use crate::alpha::Target;
use crate::limits::Limits;
use crate::position::Position;
use crate::simd::{self, Simd, Task};

use super::certificate::Certificate;
use super::children::{count_children, look_up_children, rate_children, try_killers};
use super::conclusions::{lose, refute, refute_again, win};
use super::dominance::PlayedCells;
use super::judgement::{certify, Judgement, CHILD_FOCUS};
use super::shared::SharedQuestion;
use super::table::words_of;
use super::workspace::{MoveMasks, OpenMove, Ply, ProofNode, Solver};

/// The need up to which a node is tested for focus of the side that has just moved, which wins few nodes.
const OTHER_FOCUS: i32 = 4;

/// Return the need up to which a node with this many empty cells is tested for focus of its mover.
const fn mover_focus(empty: u32) -> i32 {
    match empty {
        0..=14 => 4,
        15 | 16 => 5,
        _ => 7,
    }
}

/// Most nodes of a try after a near miss by scores: without a bound, most of the gain is lost.
const MAX_NEAR_MISS_NODES: u64 = 200;

/// Workers at the same question divide the moves of positions of this many empty cells or more.
const SHARED_CELLS: u32 = 10;

type Decided = (usize, Certificate);

/// The question of a state's winner, for [`search_state`].
struct StateQuery<'a> {
    solver: &'a mut Solver,
    frame: &'a Frame,
    state: &'a State,
    /// Whether counting, and focus on up to [`CHILD_FOCUS`] cells, were found to leave the state open.
    tested: bool,
    ply: usize,
}

impl Task for StateQuery<'_> {
    type Output = Option<Decided>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Option<Decided> {
        search_state::<S>(self)
    }
}

/// Decide a state; `None` at a limit. At the root ply the table and the static judgement must not answer that
/// the mover wins: its winning move is wanted.
#[inline(always)]
fn search_state<S: Simd>(query: StateQuery) -> Option<Decided> {
    let StateQuery { solver, frame, state, tested, ply } = query;
    if solver.poll_limits() {
        return None;
    }
    let node = ProofNode::of::<S>(solver, frame, state, ply);
    if let Some(rest) = if ply == solver.root { None } else { node.key.cancel::<S>(node.view()) } {
        // At the same ply: its history fits better.
        let (winner, mut proof) = S::run(StateQuery { solver, frame, state: &rest, tested, ply })?;
        node.key.restore(&mut proof, node.view(), winner);
        return Some((winner, proof));
    }
    if let Some(known) = look_up::<S>(solver, &node) {
        return Some(known);
    }
    if let Some(seen) = judge_static::<S>(&node, tested) {
        return Some(seen);
    }
    if let Some(proof) = try_killers::<S>(solver, &node) {
        return Some((MOVER, proof));
    }
    if let Some(proof) = try_near_miss::<S>(solver, &node)? {
        return Some((MOVER, proof));
    }

    // Test all moves without search: some are refuted, won or lost.
    let mut moves = MoveMasks::of(PlayedCells::choose(node.view(), node.key.dead), state.hands[MOVER]);
    solver.plies[ply].open.clear();
    solver.plies[ply].refutations.clear();
    refute_again::<S>(solver, &node, &mut moves);
    if let Some(proof) = count_children::<S>(solver, &node, &mut moves) {
        return Some((MOVER, proof));
    }
    if let Some(proof) = rate_children::<S>(solver, &node, &mut moves) {
        return Some((MOVER, proof));
    }
    sort(&mut solver.plies[ply]);
    if let Some(proof) = look_up_children::<S>(solver, &node) {
        return Some((MOVER, proof));
    }
    search_moves::<S>(solver, &node, &mut moves)
}

#[inline(always)]
fn look_up<S: Simd>(solver: &Solver, node: &ProofNode) -> Option<Decided> {
    for side in node.first_side..=OTHER {
        if let Some(mut proof) = solver.shared.table.probe::<S>(node.state, &node.key, node.counts, side) {
            node.key.restore(&mut proof, node.view(), side);
            return Some((side, proof));
        }
    }
    None
}

/// Judge a node without its moves, by counting and by focus.
#[inline(always)]
fn judge_static<S: Simd>(node: &ProofNode, tested: bool) -> Option<Decided> {
    let view = node.view();
    let mut judgement = Judgement::count::<S>(view);
    for (side, most) in [(MOVER, mover_focus(node.state.empty.count_ones())), (OTHER, OTHER_FOCUS)] {
        let needs = if tested { CHILD_FOCUS + 1 } else { 1 }..=judgement.deep_focus(side, most);
        judgement.focus::<S>(view, side, needs);
    }
    let side = judgement.winner.filter(|&side| side >= node.first_side)?;
    Some((side, certify(view, side, judgement.proof.as_ref())))
}

/// Try the move that won in a position nearly the same, if the table has one; `None` at a limit.
#[inline(always)]
fn try_near_miss<S: Simd>(solver: &mut Solver, node: &ProofNode) -> Option<Option<Certificate>> {
    let Some((mv, by_hands)) = solver.shared.table.near_miss::<S>(node.state, &node.key, node.counts) else {
        return Some(None);
    };
    let child = node.after(mv.0, mv.1);
    let limit = solver.limits.nodes;
    if !by_hands {
        solver.limits.nodes = limit.min(solver.nodes.saturating_add(MAX_NEAR_MISS_NODES));
    }
    let query = StateQuery { solver, frame: node.frame, state: &child, tested: false, ply: node.ply + 1 };
    let answer = S::run(query);
    solver.limits.nodes = limit;
    match answer {
        Some((OTHER, proof)) => Some(Some(win(solver, node, mv, proof))),
        None if by_hands || solver.poll_limits() => None,
        _ => Some(None),
    }
}

/// Search the moves listed, the most promising first, until one wins or all are refuted.
#[inline(always)]
fn search_moves<S: Simd>(solver: &mut Solver, node: &ProofNode, moves: &mut MoveMasks) -> Option<Decided> {
    let &ProofNode { frame, state, ply, .. } = node;
    let mut failed = false;
    let shares = solver.question.is_some() && state.empty.count_ones() >= SHARED_CELLS;
    let (listed, mut next) = (solver.plies[ply].open.len(), 0);
    while let Some(&open) = solver.plies[ply].open.get(next) {
        let (OpenMove { index, stone, .. }, i) = (open, next);
        next += 1;
        if moves.refuted[index as usize] >> stone & 1 != 0 {
            continue;
        }
        let mv = (u32::from(index), stone);
        let child = node.after(mv.0, stone);
        let mark = if shares { mark_of(&child) } else { 0 };
        if shares && i > 0 {
            if let Some(known) = look_up::<S>(solver, node) {
                return Some(known);
            }
            // Another worker searches it: the other moves first.
            if i < listed && solver.shared.is_marked(mark) {
                solver.plies[ply].open.push(open);
                continue;
            }
        }
        if shares {
            solver.shared.mark(mark);
        }
        let (winner, proof) =
            S::run(StateQuery { solver, frame, state: &child, tested: true, ply: ply + 1 })?;
        if winner == OTHER {
            if failed {
                let Ply { open, history, .. } = &mut solver.plies[ply];
                history.learn((index, stone), open[..i].iter().map(|mv| (mv.index, mv.stone)));
            }
            return Some((MOVER, win(solver, node, mv, proof)));
        }
        solver.refutations.put(state, mv.0, &proof);
        refute(&mut solver.plies[ply], node, moves, mv, &proof);
        failed = true;
    }
    Some((OTHER, lose::<S>(solver, node, moves)))
}

/// Return a number for a state that others may search at the same time.
fn mark_of(state: &State) -> u64 {
    let hands = state.hands.map(|hand| u64::from(hand.bits()));
    let start = u64::from(state.empty) << 32 | hands[MOVER] << 16 | hands[OTHER];
    words_of(&state.scores)
        .into_iter()
        .fold(start, |mark, word| (mark ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29))
}

/// Order the moves listed by rating and the ply's history, the best first; ties by cell and stone, for the
/// same order on every machine.
fn sort(Ply { open, history, .. }: &mut Ply) {
    open.iter_mut().for_each(|mv| mv.rating += history.of(mv.index, mv.stone));
    // One number to compare.
    let place = |mv: &OpenMove| -i64::from(mv.rating) << 16 | i64::from(mv.index) << 8 | i64::from(mv.stone);
    open.sort_unstable_by_key(place);
}

impl Solver {
    /// Decide a question from outside: return its state, the winner and the certificate; `None` at a limit.
    /// If a move is wanted, a winning one is left in `best`.
    pub(super) fn ask(
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
        let shared = Arc::clone(&self.shared);
        let query = StateQuery { solver: self, frame: &shared.frame, state: &state, tested: false, ply };
        let (winner, proof) = simd::run(query)?;
        Some((state, winner, proof))
    }

    /// [Ask](Solver::ask) with the help of workers that have no other work: return the winner, `None`
    /// at a limit. If a move is wanted, a winning one is left in `best`.
    pub(super) fn ask_with_help(
        &mut self,
        position: &Position,
        target: Target,
        limits: &Limits,
        wants_move: bool,
    ) -> Option<usize> {
        self.admit(position.empty());
        if Arc::get_mut(&mut self.shared).is_some() {
            return self.ask(position, target, limits, wants_move).map(|(_, winner, _)| winner);
        }
        let (shared, position) = (Arc::clone(&self.shared), *position);
        let (helpers, answer) = (AtomicUsize::new(0), OnceLock::new());
        let question = Arc::new(SharedQuestion { position, target, wants_move, helpers, answer });
        shared.questions.lock().expect("no panic").push(Arc::clone(&question));
        shared.asked.notify_all();
        self.question = Some(Arc::clone(&question));
        let found = self.ask(&position, target, limits, wants_move);
        self.question = None;
        let answer = question.answer.get_or_init(|| found.map(|(_, winner, _)| (winner, self.best)));
        shared.questions.lock().expect("no panic").retain(|other| !Arc::ptr_eq(other, &question));
        let (winner, best) = (*answer)?;
        self.best = best;
        Some(winner)
    }

    /// Search the questions of others until a limit, or until `is_done`.
    pub fn help(&mut self, limits: &Limits, is_done: impl Fn() -> bool) {
        let shared = Arc::clone(&self.shared);
        while !is_done() && !limits.reached(0) {
            let questions = shared.questions.lock().expect("no panic");
            let helpers = |it: &&Arc<SharedQuestion>| it.helpers.load(Relaxed);
            let Some(question) = questions.iter().min_by_key(helpers).cloned() else {
                drop(shared.asked.wait_timeout(questions, Duration::from_millis(1)));
                continue;
            };
            question.helpers.fetch_add(1, Relaxed);
            drop(questions);
            self.question = Some(Arc::clone(&question));
            let found = self.ask(&question.position, question.target, limits, question.wants_move);
            self.question = None;
            if let Some((_, winner, _)) = found {
                let _ = question.answer.set(Some((winner, self.best)));
            }
            question.helpers.fetch_sub(1, Relaxed);
        }
    }
}
