//! Judging a state without search: dead cells, the refined count of what is missing to a counted
//! win, and the wins by it; and the certificates of such wins.
//!
//! W is the side judged, X the other, w and x their stones, D a set of cells W keeps off.
//!
//! *Counting* (§2.3.2). Let every cell of D be sure to suit W if it is the hole. If |D| > x, W wins
//! by keeping off D: X cannot fill it. `need` n = x + 1 - |D| is what is missing.
//!
//! *Refined count.* Let n >= 1. There are w + n cells outside D, so W need never play in D. If X
//! spends n or more stones outside D, a cell of D remains, and W wins. So a line in which the hole
//! lies outside D has all of D filled by X and exactly n - 1 of X's stones outside. A cell i
//! outside D with a neighbours in D and b others therefore receives, if it becomes the hole, at
//! most m = min(x, a + min(b, n - 1)) stones of X, and the rest of its neighbours receive W's: at
//! least W's smallest. If i suits W even so, it is as good as a member of D, and joins it: W keeps
//! off the larger set, and the argument for the members that joined before still holds, as W keeps
//! off the D they were judged by. Repeat with n - 1.

use std::ops::RangeInclusive;

use crate::alpha::state::{flip, indices, sum, View, MOVER, OTHER};
use crate::dispatch;
use crate::simd::Simd;

use super::certificate::Certificate;
use super::focus::prove;
use super::plans::{PlanGame, Proof};

/// The need up to which the refined count is made; above, it rarely adds a cell.
const REFINE_UP_TO: i32 = 2;

/// The need up to which every child is tested for focus of either side.
pub const CHILD_FOCUS: i32 = 2;

/// What is known of a state without search.
#[derive(Clone, Copy, Debug)]
pub struct Judgement {
    /// Cells sure to suit each side, whatever happens (the paper's dead cells).
    pub dead: [u32; 2],
    /// The same with those added by the refined count.
    kept: [u32; 2],
    /// The need of each side by the refined count; 0 or less for a winner by count.
    pub need: [i32; 2],
    /// The side that wins for sure.
    pub winner: Option<usize>,
    /// How, if by focus.
    pub focus: Option<Proof>,
}

impl Judgement {
    /// Judge a state for both sides by counting.
    #[inline(always)]
    pub fn count<S: Simd>(view: View) -> Judgement {
        let dead = view.dead::<S>();
        let mut judgement = Judgement { dead, kept: dead, need: view.need(dead), winner: None, focus: None };
        for side in [MOVER, OTHER] {
            let (kept, need) = (&mut judgement.kept[side], &mut judgement.need[side]);
            if (1..=REFINE_UP_TO).contains(need) {
                refine::<S>(view, side, kept, need, |_, _, _| {});
            }
            if *need <= 0 {
                judgement.winner = Some(side);
                break;
            }
        }
        judgement
    }

    /// Look for a win of a side by focus, if none has won yet and its need is in `needs`.
    #[inline(always)]
    pub fn focus<S: Simd>(&mut self, view: View, side: usize, needs: RangeInclusive<i32>) {
        if self.winner.is_none() && needs.contains(&self.need[side]) {
            self.focus = prove::<S>(&PlanGame::new(view, side, self.kept[side]), self.need[side]);
            self.winner = self.focus.is_some().then_some(side);
        }
    }

    /// Return the need up to which a side is tested for focus at a node that few are like, at most
    /// `most`: the deeper the less the other side lacks.
    #[inline(always)]
    pub fn deep_focus(&self, side: usize, most: i32) -> i32 {
        self.need[1 - side].clamp(3, most)
    }
}

/// Let cells join `kept` by the refined count until none does or W has won; tells of each with the
/// set and the need it was judged by, which are those before all that join together.
#[inline(always)]
fn refine<S: Simd>(
    view: View,
    side: usize,
    kept: &mut u32,
    need: &mut i32,
    mut joins: impl FnMut(u32, u32, i32),
) {
    let View { frame, state, sums } = view;
    let enemies = S::splat(view.enemies(side) as i8);
    let (score, free) = (S::flipped(&state.scores, flip(side)), S::load(&state.free));
    let mut inside = frame.count_near::<S>(*kept);
    loop {
        let outside = S::least(S::subtract(free, inside), S::splat(*need as i8 - 1));
        let worst = S::least(enemies, S::add(inside, outside));
        let gain = S::entries(S::subtract(free, worst), &sums.least[side]);
        let enough = S::subtract(S::entries(worst, &sums.top[1 - side]), gain);
        let suits = !S::less(score, enough) & state.empty & !*kept;
        if suits == 0 {
            return;
        }
        let (kept_before, need_before) = (*kept, *need);
        for index in indices(suits) {
            *kept |= 1 << index;
            *need -= 1;
            joins(index, kept_before, need_before);
            if *need == 0 {
                return;
            }
            inside = S::subtract(inside, S::load(frame.near_row(index)));
        }
    }
}

dispatch! {
    /// Make the certificate of a win of `side` that a [`Judgement`] has found; `found` is the proof by
    /// focus, if it is at hand.
    pub fn certify<'a>(view: View<'a>, side: usize, found: Option<&'a Proof>) -> Certificate = certify_body
}

#[inline(always)]
fn certify_body<S: Simd>(view: View, side: usize, found: Option<&Proof>) -> Certificate {
    let View { state, sums, .. } = view;
    let mut certificate = Certificate::NONE;
    let enemies = view.enemies(side);
    let mut kept = view.dead::<S>()[side];
    let mut need = enemies + 1 - kept.count_ones() as i32;
    // Of more dead cells than are needed, leave out those that are so most narrowly.
    let slack = |index: u32| state.score(side, index) - view.safe_score(side, index);
    while need < 0 {
        let narrowest = indices(kept).min_by_key(|&index| slack(index)).expect("more than needed");
        kept &= !(1 << narrowest);
        need += 1;
    }
    certificate.rely_on_dead(view, side, kept);
    // How many of X's largest stones are counted on to be no larger.
    let mut enemy = 0;
    if need > 0 && need <= REFINE_UP_TO {
        let mut smallest = 0;
        refine::<S>(view, side, &mut kept, &mut need, |index, kept, need| {
            let near = view.near(index);
            let outside = ((near & !kept).count_ones() as i32).min(need - 1);
            let worst = enemies.min((near & kept).count_ones() as i32 + outside);
            let rest = near.count_ones() as i32 - worst;
            let gain = sum(&sums.least[side], rest as u32);
            certificate.require(index, sum(&sums.top[1 - side], worst as u32) - gain);
            smallest = smallest.max(rest);
            enemy = enemy.max(worst);
        });
        certificate.rely_on_smallest(state.hands[side], smallest);
    }
    if need > 0 {
        // Not a closure, which would not be compiled for the path.
        let proof = match found {
            Some(proof) => *proof,
            None => prove::<S>(&PlanGame::new(view, side, kept), need).expect("judged a win"),
        };
        for &(index, least) in proof.cells() {
            certificate.require(index, least);
            // X's stones next to it: on neighbours in D, and n - 1 others.
            let inside = (view.near(index) & kept).count_ones() as i32;
            enemy = enemy.max(enemies.min(view.free(index)).min(inside + need - 1));
        }
        certificate.rely_on_largest(state.hands[side], proof.stones);
    }
    certificate.rely_on_enemy(state.hands[1 - side], enemy as u32);
    certificate
}
