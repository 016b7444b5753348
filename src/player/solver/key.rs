//! The key of a state in the table: its empty cells except those that make no difference.

use crate::alpha::state::{indices, sum, HandSums, State, View, MOVER, OTHER};
use crate::simd::Simd;

use super::certificate::{of_largest, Certificate, ANY};

/// The key of a state in the table.
///
/// A cell is *stale* (§2.3.3) when it is dead for a side and has no undecided neighbour. Stale cells
/// of one side are all the same, so the key has only their numbers, and a certificate says nothing
/// about them. *Proof* that a certificate made for a state Q (at its weakest) with stale cells S holds
/// for a state P with stale cells S' under the same key, when W's scores of the open cells satisfy it.
/// Who wins depends on labels, undecided cells and hands only (see
/// [`alpha::dominance`](crate::alpha::dominance)). For an open cell n, P's label is no worse for W
/// than Q's:
///
/// - No score of n is required: make it dead for X in Q.
/// - n is next to S': it is decided in P, and the probe refuses P if it is dead for X.
/// - n is next to S and not to S': decided in Q; if dead for W, the score required when the entry
///   was stored makes n dead for W with any number of neighbours up to those it had, so in P.
/// - n is next to neither: the same open neighbours, a score no worse.
///
/// Undecided cells of either have no stale neighbours, so stones on stale cells change no label.
///
/// *Pairs cancel.* Let P have a stale cell of each side, and let Q be P without these two cells and
/// without the smallest stone of each side, with the labels of P. The same side wins both. *Proof*
/// that W wins P if it wins Q (X may be either side): W plays as in Q, keeping its smallest stone,
/// each of X's stones standing for that of the same rank in Q, its smallest for the smallest there,
/// until X plays on one of the two cells. Then W plays its smallest stone on the other, and goes on
/// as in Q, where X has kept its largest stones: it has no better ones in P. If X never does, Q
/// ends with a hole that suits W; in P that cell and the two are empty, and each side has a stone:
/// two of the three cells suit W, X can fill one of them, and W fills the third.
///
/// So the key counts the stale cells left when as many pairs as can be are cancelled; a state is
/// searched [without them](Key::cancel), and its certificate [restored](Key::restore).
#[derive(Clone, Copy)]
pub struct Key {
    /// Empty cells that are not stale.
    pub open: u32,
    /// Numbers of stale cells outside the pairs: the mover's (8 bits), the other side's (8 bits above).
    pub stale: u64,
    /// A mixture of both.
    pub hash: u64,
    /// The number of pairs of stale cells, one of each side, that cancel.
    pub pairs: u32,
    pub dead: [u32; 2],
    pub stale_cells: u32,
    /// Cells next to stale cells.
    beside: u32,
}

impl Key {
    /// Make the key of a state with these dead cells.
    #[inline(always)]
    pub fn of(view: View, dead: [u32; 2]) -> Key {
        let View { frame, state, .. } = view;
        let influential = frame.beside(view.undecided(dead));
        let stale_cells = (dead[MOVER] | dead[OTHER]) & !influential;
        let count = |side: usize| (dead[side] & stale_cells).count_ones();
        let hands = state.hands[MOVER].len().min(state.hands[OTHER].len());
        let pairs = count(MOVER).min(count(OTHER)).min(hands);
        let open = state.empty & !stale_cells;
        let [own, other] = [count(MOVER) - pairs, count(OTHER) - pairs];
        let stale = u64::from(own) | u64::from(other) << 8;
        let hash = (u64::from(open) | stale << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let hash = (hash ^ hash >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        Key { open, stale, hash, pairs, dead, stale_cells, beside: frame.beside(stale_cells) & open }
    }

    /// Return the state without the pairs; `None` if there are none, or if a label would be lost:
    /// some cells are dead only thanks to stones that their owner must play next to them, and without
    /// the pairs it has fewer.
    #[inline(always)]
    pub fn cancel<S: Simd>(&self, View { frame, state, .. }: View) -> Option<State> {
        if self.pairs == 0 {
            return None;
        }
        let mut gone = 0;
        let mut rest = *state;
        for side in [MOVER, OTHER] {
            for index in indices(self.stale_cells & self.dead[side]).take(self.pairs as usize) {
                gone |= 1 << index;
            }
            rest.hands[side] = state.hands[side].without_smallest(self.pairs);
        }
        rest.empty &= !gone;
        rest.free = S::store(S::subtract(S::load(&state.free), frame.count_near::<S>(gone)));
        let after = View { frame, state: &rest, sums: &HandSums::of(rest.hands) }.dead::<S>();
        let lost = self.dead[MOVER] & !after[MOVER] | self.dead[OTHER] & !after[OTHER];
        (lost & !gone == 0).then_some(rest)
    }

    /// Turn a certificate found under this key, or for the state without the pairs, into one for
    /// the state.
    ///
    /// Without the pairs only the largest stones are left. What is required of W's is then required
    /// of the hand, as that has no fewer of any size; a bound on X's that allows all of them is one
    /// that allows the smallest as well. The cells dead for W on which the key and cancelling rely
    /// join the certificate; those dead for X can only be better for W.
    #[inline(always)]
    pub fn restore(&self, certificate: &mut Certificate, view: View, side: usize) {
        if self.pairs > 0 {
            let left = view.enemies(side) as u32 - self.pairs;
            certificate.loser = of_largest(certificate.loser, left, self.pairs);
        }
        // The key relies on the winner's stale cells, and its dead cells next to stale ones.
        certificate.rely_on_dead(view, side, (self.stale_cells | self.beside) & self.dead[side]);
    }

    /// Turn a certificate of the state into one to store under this key; `None` when a cell next to
    /// a stale one is dead for the winner only thanks to stones the winner must play itself.
    #[inline(always)]
    pub fn strip(&self, certificate: &Certificate, view: View, side: usize) -> Option<Certificate> {
        let mut stored = *certificate;
        for index in indices(self.beside & self.dead[side]) {
            let most = view.free(index).min(view.enemies(side)) as u32;
            let enough = sum(&view.sums.top[1 - side], most);
            if view.state.score(side, index) < enough {
                return None;
            }
            stored.require(index, enough);
            stored.rely_on_enemy(view.state.hands[1 - side], most);
        }
        for index in indices(self.stale_cells) {
            stored.required.0[index as usize] = ANY;
        }
        Some(stored)
    }
}
