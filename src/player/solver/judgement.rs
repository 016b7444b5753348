//! Judging a state without search: dead cells, the refined count, the wins by it, and the certificates of
//! such wins.
//!
//! W is the side judged, X the other, w and x their stones, D a set of cells W avoids: never fills.
//!
//! *Counting* (§2.3.2). Let every cell of D be certain to suit W if it is the hole. If |D| > x, W wins
//! by avoiding D: X cannot fill it. `need` n = x + 1 - |D| is the number of missing cells.
//!
//! *Refined count.* Let n >= 1. There are w + n cells outside D, so W need never play in D. If X
//! spends n or more stones outside D, a cell of D remains, and W wins. So a line in which the hole
//! lies outside D has all of D filled by X and exactly n - 1 of X's stones outside. A cell i
//! outside D with a neighbours in D and b others therefore receives, if it becomes the hole, at
//! most m = min(x, a + min(b, n - 1)) stones of X, and the rest of its neighbours receive W's: at
//! least W's smallest. If i suits W even so, it is as good as a member of D, and joins it: W avoids
//! the larger set, and the argument for the members that joined before still holds, as W avoids the D
//! they were judged by. Repeat with n - 1.

use std::ops::RangeInclusive;

use crate::alpha::state::{flip, indices, sum, View, MOVER, OTHER};
use crate::dispatch;
use crate::simd::Simd;

use super::certificate::Certificate;
use super::focus::prove;
use super::plans::{FocusProof, HoldContext};

/// The need up to which the refined count is made; above, the count rarely adds a cell.
const REFINE_UP_TO: i32 = 2;

/// The need up to which every child is tested for focus of either side.
pub const CHILD_FOCUS: i32 = 2;

#[derive(Clone, Copy, Debug)]
pub struct Judgement {
    /// Cells that suit each side after any moves (the paper's dead cells).
    pub dead: [u32; 2],
    /// The cells that each side avoids: the dead ones and those added by the refined count.
    avoided: [u32; 2],
    /// The need of each side by the refined count; 0 or less for a winner by count.
    pub need: [i32; 2],
    pub winner: Option<usize>,
    /// The proof, if `winner` wins by focus.
    pub proof: Option<FocusProof>,
}

impl Judgement {
    /// Judge a state for both sides by counting.
    #[inline(always)]
    pub fn count<S: Simd>(view: View) -> Judgement {
        let dead = view.dead::<S>();
        let mut judgement =
            Judgement { dead, avoided: dead, need: view.need(dead), winner: None, proof: None };
        for side in [MOVER, OTHER] {
            let (avoided, need) = (&mut judgement.avoided[side], &mut judgement.need[side]);
            if (1..=REFINE_UP_TO).contains(need) {
                extend_avoided::<S>(view, side, avoided, need, |_, _, _| {});
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
            self.proof = prove::<S>(&HoldContext::new(view, side, self.avoided[side]), self.need[side]);
            self.winner = self.proof.is_some().then_some(side);
        }
    }

    /// Return the need, 3 to `most`, up to which a side is tested for focus at rare nodes: the more the other
    /// side lacks, the deeper.
    #[inline(always)]
    pub fn deep_focus(&self, side: usize, most: i32) -> i32 {
        self.need[1 - side].clamp(3, most)
    }
}

/// Add cells to `avoided` by the refined count until W has won or no more cells suit W. Passes each cell to
/// `joins` with the set and the need from before its round.
#[inline(always)]
fn extend_avoided<S: Simd>(
    view: View,
    side: usize,
    avoided: &mut u32,
    need: &mut i32,
    mut joins: impl FnMut(u32, u32, i32),
) {
    let View { frame, state, sums } = view;
    let enemies = S::splat(view.enemies(side) as i8);
    let (score, free) = (S::flipped(&state.scores, flip(side)), S::load(&state.free));
    let mut inside = frame.count_near::<S>(*avoided);
    loop {
        let outside = S::min(S::subtract(free, inside), S::splat(*need as i8 - 1));
        let worst = S::min(enemies, S::add(inside, outside));
        let gain = S::lookup(S::subtract(free, worst), &sums.least[side]);
        let enough = S::subtract(S::lookup(worst, &sums.top[1 - side]), gain);
        let suits = !S::less(score, enough) & state.empty & !*avoided;
        if suits == 0 {
            return;
        }
        let (avoided_before, need_before) = (*avoided, *need);
        for index in indices(suits) {
            *avoided |= 1 << index;
            *need -= 1;
            joins(index, avoided_before, need_before);
            if *need == 0 {
                return;
            }
            inside = S::subtract(inside, S::load(frame.near_row(index)));
        }
    }
}

dispatch! {
    /// Make the certificate of a win of `side` that a [`Judgement`] has found; `found` is the proof by
    /// focus, if it is kept.
    pub fn certify<'a>(view: View<'a>, side: usize, found: Option<&'a FocusProof>) -> Certificate = certify_body
}

#[inline(always)]
fn certify_body<S: Simd>(view: View, side: usize, found: Option<&FocusProof>) -> Certificate {
    let View { state, sums, .. } = view;
    let mut certificate = Certificate::NONE;
    let enemies = view.enemies(side);
    let mut avoided = view.dead::<S>()[side];
    let mut need = enemies + 1 - avoided.count_ones() as i32;
    // If there are more dead cells than needed, leave out the most narrowly dead.
    let slack = |index: u32| state.score(side, index) - view.safe_score(side, index);
    while need < 0 {
        let narrowest = indices(avoided).min_by_key(|&index| slack(index)).expect("more than needed");
        avoided &= !(1 << narrowest);
        need += 1;
    }
    certificate.rely_on_dead(view, side, avoided);
    // The number of X's largest stones that must not be larger.
    let mut enemy = 0;
    if need > 0 && need <= REFINE_UP_TO {
        let mut smallest = 0;
        extend_avoided::<S>(view, side, &mut avoided, &mut need, |index, avoided, need| {
            let near = view.near(index);
            let outside = ((near & !avoided).count_ones() as i32).min(need - 1);
            let worst = enemies.min((near & avoided).count_ones() as i32 + outside);
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
            None => prove::<S>(&HoldContext::new(view, side, avoided), need).expect("judged a win"),
        };
        for &(index, least) in proof.cells() {
            certificate.require(index, least);
            // X's stones next to it: on neighbours in D, and n - 1 others.
            let inside = (view.near(index) & avoided).count_ones() as i32;
            enemy = enemy.max(enemies.min(view.free(index)).min(inside + need - 1));
        }
        certificate.rely_on_largest(state.hands[side], proof.stones);
    }
    certificate.rely_on_enemy(state.hands[1 - side], enemy as u32);
    certificate
}
