//! Focus: wins with n cells missing (n >= 1) that need no search, because W can hold n free cells
//! as well.
//!
//! W avoids D (see [`judgement`](super::judgement)), n = x + 1 - |D|, and there are w + n cells
//! outside D. W chooses n of them to hold, F; the others, O, are as many as W has stones. W plans a
//! stone for every cell of O and plays as planned, with two exceptions. While X plays in D, |D| and x
//! fall together and nothing changes.
//!
//! - When X takes a cell g of F, F without g and n - 1 are as before, with one more stone of X next
//!   to g's neighbours.
//! - When X takes a cell o of O, W's stone planned for it is spare: W puts it now on some s of
//!   F. Then F without s and n - 1 are as before, with o X's and s W's. If o is next to at most one
//!   cell of F, W takes s = that cell (or any): what remains of F is no worse than if X had taken
//!   s.
//!
//! When F is empty, |D| > x and W has won. When F is one cell f and X plays on in D only, f is the
//! hole: D is X's, O is W's as planned, so f must suit W with X's best stones on its neighbours in
//! D and on those X took. So, with `ok(F)` for "W wins from here",
//!
//! - `ok({f})`: f's score with all planned stones, less X's largest stones, one for every neighbour
//!   of f in D or taken by X, is at least 0;
//! - `ok(F)`: `ok(F - g)` after X took g, for every g of F; and for every o of O next to two cells
//!   of F or more, there is an s with `ok(F - s)` after X took o and W filled s.
//!
//! It does not matter who is to move: all of it answers X's moves. Any plan will do; here the largest
//! stone goes to the cell of O whose held neighbours lack most for the cells of O they have left.
//!
//! The certificate: D, the cells of F with their scores less the least margins in the branches used,
//! and W's largest stones, as many as the plan puts next to F.

use crate::alpha::state::{flip, indices, View};
use crate::simd::{Simd, Task};

use super::plans::{plan, FocusProof, HoldCell, HoldContext, MAX_HELD_CELLS};

/// The most sets of three cells or more to try.
const MAX_SETS: u32 = 400;

/// The sets that a failed plan counts for: after one the next mostly fails too.
const FAILED_PLAN: u32 = 12;

/// Prove a win of W by focus with `need` >= 1 cells missing, if one is found of this form.
#[inline(always)]
pub fn prove<S: Simd>(context: &HoldContext, need: i32) -> Option<FocusProof> {
    let suit = AllCells::<S>::of(context).suit;
    if need == 1 {
        let cell = context.hold_cell(indices(suit).next()?);
        let held = (cell.index, cell.score - context.margin(&cell));
        return Some(FocusProof::new(std::iter::once(held), cell.open.count_ones()));
    }
    let n = need as usize;
    if n > MAX_HELD_CELLS || (suit.count_ones() as usize) < n {
        None
    } else {
        S::run(Sets { context, n })
    }
}

/// The data of all cells at once.
struct AllCells<S: Simd> {
    score: S::Vector,
    /// Numbers of neighbours outside D and in D.
    open: S::Vector,
    inside: S::Vector,
    /// Cells outside D that suit W with W's largest stones, if X fills only their neighbours in D.
    suit: u32,
}

impl<S: Simd> AllCells<S> {
    #[inline(always)]
    fn of(context: &HoldContext) -> AllCells<S> {
        let View { frame, state, .. } = context.view;
        let inside = frame.count_near::<S>(context.avoided);
        let open = S::subtract(S::load(&state.free), inside);
        let score = S::flipped(&state.scores, flip(context.side));
        let enough = S::subtract(S::lookup(inside, context.enemy), S::lookup(open, context.own));
        let suit = !S::less(score, enough) & state.empty & !context.avoided;
        AllCells { score, open, inside, suit }
    }

    /// Return the cells that may be held along with `cell`: each of the two suits W with W's largest
    /// stones to itself after X took the other, both do with the largest stones where they count most,
    /// and one does when X took a common neighbour. Holding more cells only leaves fewer neighbours for
    /// W's stones.
    ///
    /// Sums that do not fit a byte are far from 0, and so are their substitutes: a base below -128
    /// cannot be made up for by the stones next to one cell.
    #[inline(always)]
    fn partners(&self, context: &HoldContext, cell: &HoldCell) -> u32 {
        let (zero, one, count) = (S::splat(0), S::splat(1), cell.open.count_ones());
        // -1 next to the cell.
        let beside = S::load(context.view.frame.near_row(cell.index));
        let (all_a, all_b) = (S::add(S::splat(count as i8), beside), S::add(self.open, beside));
        let taken_a = S::lookup(S::subtract(S::splat(cell.inside as i8), beside), context.enemy);
        let taken_b = S::lookup(S::subtract(self.inside, beside), context.enemy);
        let base_a = S::subtract(S::splat(cell.score as i8), taken_a);
        let base_b = S::subtract(self.score, taken_b);
        let common = context.view.frame.count_near::<S>(cell.open);
        let either = S::lookup(S::subtract(S::add(all_a, all_b), common), context.own);
        let together = S::add(S::add(base_a, either), S::add(base_b, S::lookup(common, context.own)));
        let alone_a = S::add(base_a, S::lookup(all_a, context.own));
        let alone_b = S::add(base_b, S::lookup(all_b, context.own));
        let mut fit = !(S::less(alone_a, zero) | S::less(alone_b, zero) | S::less(together, zero));
        if count == 0 || cell.score + context.own(count - 1) < context.enemy(cell.inside + 1) {
            let own = S::lookup(S::subtract(self.open, one), context.own);
            let left =
                S::subtract(S::add(self.score, own), S::lookup(S::add(self.inside, one), context.enemy));
            fit &= !S::less(left, zero)
                | S::less(common, one)
                | context.view.frame.near[(cell.index & 31) as usize];
        }
        self.suit & fit & !(1 << cell.index)
    }

    /// Return, for each number k of neighbours outside D, the cells that do not suit W once X has taken
    /// k of them and W its largest stones for the others.
    #[inline(always)]
    fn crowded(&self, context: &HoldContext) -> [u32; 8] {
        let one = S::splat(1);
        let mut crowded = [0; 8];
        let (mut open, mut inside) = (self.open, self.inside);
        // No cell has more than six neighbours.
        for cells in &mut crowded[1..7] {
            (open, inside) = (S::subtract(open, one), S::add(inside, one));
            let score = S::add(self.score, S::lookup(open, context.own));
            *cells = S::less(score, S::lookup(inside, context.enemy));
        }
        crowded
    }
}

/// Sets of `n` cells to try, those first that suit W best.
struct Sets<'a> {
    context: &'a HoldContext<'a>,
    n: usize,
}

impl Task for Sets<'_> {
    type Output = Option<FocusProof>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Option<FocusProof> {
        let Sets { context, n } = self;
        let all = AllCells::<S>::of(context);
        let mut partners = [0; 32];
        for index in indices(all.suit) {
            partners[index as usize & 31] = all.partners(context, &context.hold_cell(index));
        }
        let count = all.suit.count_ones() as usize;
        // One number to sort by: the margins are not negative.
        let mut order = [0; 32];
        for (place, index) in order.iter_mut().zip(indices(all.suit)) {
            *place = (context.margin(&context.hold_cell(index)) as u32) << 5 | index;
        }
        order[..count].sort_unstable();
        let crowded = all.crowded(context);
        let mut sets_left = MAX_SETS;
        let mut picked = [HoldCell::NONE; MAX_HELD_CELLS];
        // For each depth, the set before, the cells still to try there, partners of all before, and the
        // number of cells left in order.
        let (mut sets, mut rest, mut left) =
            ([0u32; MAX_HELD_CELLS], [all.suit; MAX_HELD_CELLS], [count; MAX_HELD_CELLS]);
        let mut depth = 0;
        loop {
            let missing = n - 1 - depth;
            if rest[depth].count_ones() as usize <= missing {
                if depth == 0 {
                    return None;
                }
                depth -= 1;
                continue;
            }
            left[depth] -= 1;
            let next = order[left[depth] & 31] & 31;
            if rest[depth] >> next & 1 == 0 {
                continue;
            }
            rest[depth] &= !(1 << next);
            let further = rest[depth] & partners[next as usize];
            if (further.count_ones() as usize) < missing {
                continue;
            }
            picked[depth] = context.hold_cell(next);
            let set = sets[depth] | 1 << next;
            if depth >= 2 {
                if sets_left == 0 {
                    return None;
                }
                sets_left -= 1;
                if is_hopeless(&crowded, &picked[..=depth], set) {
                    continue;
                }
            }
            if missing > 0 {
                depth += 1;
                (sets[depth], rest[depth], left[depth]) = (set, further, left[depth - 1]);
                continue;
            }
            let proof = plan::<S>(context, &picked[..n], set);
            if proof.is_some() {
                return proof;
            }
            sets_left = sets_left.saturating_sub(FAILED_PLAN);
        }
    }
}

/// Tell whether every plan fails for a set of cells and for larger ones; see [`AllCells::crowded`].
///
/// Each cell must suit W when it has W's largest stones to itself and X takes the others. A cell that
/// does not once X has taken one of O next to it as well is *tight*. If X takes all others of the set,
/// then a cell of O next to two tight ones that are not neighbours, W can fill only one of the two.
#[inline(always)]
fn is_hopeless(crowded: &[u32; 8], picked: &[HoldCell], set: u32) -> bool {
    let (mut tight, mut near_tight) = (0, 0);
    for (i, cell) in picked.iter().enumerate() {
        let beside = (cell.open & set).count_ones() as usize;
        if crowded[beside & 7] >> cell.index & 1 != 0 {
            return true;
        }
        if crowded[(beside + 1) & 7] >> cell.index & 1 != 0 {
            let open = cell.open & !set;
            if open & near_tight != 0 {
                for other in &picked[..i] {
                    if (tight & !cell.open) >> other.index & 1 != 0 && other.open & open != 0 {
                        return true;
                    }
                }
            }
            tight |= 1 << cell.index;
            near_tight |= open;
        }
    }
    false
}
