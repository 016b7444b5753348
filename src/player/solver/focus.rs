//! Focus: wins with n cells missing (n >= 1) that need no search, because W can keep n free cells
//! as well.
//!
//! Notation of [`verdict`](super::verdict): W keeps off D; n = x + 1 - |D| cells are missing; there
//! are w + n cells outside D. W chooses n of them to keep, F; the others, O, are exactly as many as
//! W has stones. W plans a stone for every cell of O and plays as planned, with two exceptions. So
//! long as X plays in D, |D| and x fall together and nothing changes.
//!
//! - When X takes a cell g of F, F without g and n - 1 are as before, with one more stone of X next
//!   to g's neighbours.
//! - When X takes a cell o of O, W's stone planned for it is over: W puts it at once on some s of
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
//! It does not matter who is to move: all of it answers X's moves. Any plan will do that leaves
//! every cell of F suiting W while X may take all the others. Each stone in turn, the largest
//! first, goes to the cell of O whose kept neighbours lack most, for the cells of O they have left.
//!
//! The certificate: D as in the verdict, every cell of F with its score less the least margin by
//! which it passed in the branches used, and the largest stones of W's hand, as many as the plans
//! used put next to F.

use std::cmp::Reverse;

use crate::player::simd::{Simd, dispatch};

use super::plans::{Candidate, Game, MOST, Proof, plan};
use super::state::{Frame, State, Sums, indices};

/// The most sets of three cells and more that are tried. Twice as many take longer; with half as
/// many, more positions of 20 cells are left undecided.
const TRIES: u32 = 400;

/// What a plan that fails counts for among them: where one does, the next mostly does too.
const FAILED_PLAN: u32 = 12;

/// Prove a win of `side` by focus with the set `kept` and `need` >= 1, if one is found of this
/// form.
#[inline(always)]
pub fn prove<S: Simd>(
    frame: &Frame,
    state: &State,
    sums: &Sums,
    side: usize,
    kept: u32,
    need: i32,
) -> Option<Proof> {
    let (own, enemy) = (&sums.top[side], &sums.top[1 - side]);
    let game = Game { frame, state, side, kept, own, enemy };
    // A cell of F must suit W with W's largest stones to itself.
    let inside = frame.count_near::<S>(kept);
    let open = S::subtract(S::load(&state.free), inside);
    let enough = S::subtract(S::entries(inside, enemy), S::entries(open, own));
    let suit = !S::less(state.scores_of::<S>(side), enough) & state.empty & !kept;
    if need == 1 {
        let cell = game.candidate(indices(suit).next()?);
        return Some(Proof::new(&[(cell.index, cell.score - game.margin(&cell))], cell.open.count_ones()));
    }
    let n = need as usize;
    if n > MOST || (suit.count_ones() as usize) < n {
        return None;
    }
    sets(&game, suit, n)
}

dispatch! {
    /// Try sets of `n` cells of `suit`, those first that suit W best. Too large to be part of its
    /// callers, so it is compiled for every path by itself.
    fn sets<'a>(game: &'a Game<'a>, suit: u32, n: usize) -> Option<Proof> = sets_body
}

#[allow(clippy::extra_unused_type_parameters)] // `S` tells the compiler which instructions to use
#[inline(always)]
fn sets_body<S: Simd>(game: &Game, suit: u32, n: usize) -> Option<Proof> {
    let mut cells = [Candidate::NONE; 32];
    let count = suit.count_ones() as usize;
    for (cell, index) in cells.iter_mut().zip(indices(suit)) {
        *cell = game.candidate(index);
    }
    cells[..count].sort_unstable_by_key(|cell| Reverse((game.margin(cell), cell.index)));
    // For each cell, those after it in order that may be kept with it.
    let mut partners = [0u32; 32];
    for i in 0..count {
        for j in i + 1..count {
            let pair = [cells[i & 31], cells[j & 31]];
            if may_suit(game, &pair, 1 << pair[0].index | 1 << pair[1].index) {
                partners[i & 31] |= 1 << j;
            }
        }
    }
    let mut tries = TRIES;
    let mut picked = [Candidate::NONE; MOST];
    // For each depth, the cells still to try there, partners of all before.
    let mut rest = [u32::MAX >> (32 - count); MOST];
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
        let next = rest[depth].trailing_zeros() as usize & 31;
        rest[depth] &= rest[depth] - 1;
        let further = rest[depth] & partners[next];
        if (further.count_ones() as usize) < missing {
            continue;
        }
        picked[depth] = cells[next];
        let set = picked[..=depth].iter().fold(0, |set, cell| set | 1 << cell.index);
        if depth >= 2 {
            if tries == 0 {
                return None;
            }
            tries -= 1;
            if !may_suit(game, &picked[..=depth], set) {
                continue;
            }
        }
        if missing > 0 {
            depth += 1;
            rest[depth] = further;
            continue;
        }
        let proof = plan(game, &picked[..n], set);
        if proof.is_some() {
            return proof;
        }
        tries = tries.saturating_sub(FAILED_PLAN);
    }
}

/// Tell whether a set of cells, and a larger one, may be kept: each suits W with W's largest stones
/// to itself when X takes the others, and so do all together with the largest stones where they
/// count most.
#[inline(always)]
fn may_suit(game: &Game, picked: &[Candidate], set: u32) -> bool {
    // The cells of O next to so many kept cells or more.
    let mut levels = [0u32; MOST];
    let mut all = 0;
    for (i, cell) in picked.iter().enumerate() {
        let (open, taken) = (cell.open & !set, cell.inside + (cell.open & set).count_ones());
        let least = cell.score - game.enemy(taken);
        if least + game.own(open.count_ones()) < 0 {
            return false;
        }
        all += least;
        for level in (1..=i).rev() {
            levels[level] |= levels[level - 1] & open;
        }
        levels[0] |= open;
    }
    levels[..picked.len()].iter().fold(all, |sum, level| sum + game.own(level.count_ones())) >= 0
}
