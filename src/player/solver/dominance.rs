//! Which moves of a state are worth looking at, by the rules of
//! [`alpha::dominance`](crate::alpha::dominance), where they are proven, and what a proof
//! that the mover loses must keep in mind about those left out.
//!
//! M is the mover, W the other side. Labels (which cells are dead for whom) that are M's need no
//! thought in a certificate of W's win: with lower scores of W, or a better hand of M, they stay.
//! Labels dead for W that an argument uses join the certificate with the score that makes them
//! dead.
//!
//! *Cell dominance*, q left out for p: W's dead neighbours of one cell and not of the other; p, if
//! it is dead for W; and if both are undecided, at least the score for p that is required for q.
//! This holds for any hand of M for which those cells are dead for W. Ties go to the lower index.
//!
//! *Stone dominance*, b left out on c: W's dead neighbours of c, and the cells counted as dead for
//! W after b, for every hand it allows.

use super::certificate::{Certificate, ANY};
use super::key::rely_on_dead;
use super::state::{indices, signed, Frame, State, Sums, MOVER, OTHER};

/// The cells to play on, and what leaving out the others relies on.
#[derive(Clone, Copy, Debug)]
pub struct Cells {
    pub played: u32,
    /// Cells whose being dead for W is relied on.
    pub relied: u32,
    /// For each cell p, the cells q left out because p is played instead, both undecided.
    equal: [u32; 32],
    /// Those with such cells.
    equals: u32,
}

impl Cells {
    #[inline(always)]
    pub fn choose(frame: &Frame, state: &State, dead: [u32; 2]) -> Cells {
        let undecided = state.empty & !dead[MOVER] & !dead[OTHER];
        let mut cells = Cells { played: state.empty, relied: 0, equal: [0; 32], equals: 0 };
        for q in indices(state.empty) {
            let near_q = frame.near[q as usize] & state.empty;
            for p in indices(cells.played & !(1 << q)) {
                let near_p = frame.near[p as usize] & state.empty;
                let differ = (near_p ^ near_q) & !(1 << p | 1 << q);
                if differ & undecided != 0 {
                    continue;
                }
                let class =
                    |index: u32| (dead[MOVER] >> index & 1) as i32 - (dead[OTHER] >> index & 1) as i32;
                let (class_p, class_q) = (class(p), class(q));
                let keep_q = if class_p != class_q {
                    class_q > class_p
                } else if class_q != 0 {
                    p < q
                } else {
                    let (score_p, score_q) = (state.score(MOVER, p), state.score(MOVER, q));
                    differ == 0 && (score_q, q) > (score_p, p)
                };
                if keep_q {
                    cells.played &= !(1 << q);
                    cells.relied |= dead[OTHER] & (differ | 1 << p);
                    if class_p == 0 && class_q == 0 {
                        cells.equal[p as usize] |= 1 << q;
                        cells.equals |= 1 << p;
                    }
                    break;
                }
            }
        }
        cells
    }

    /// Complete the certificate of a win of W, the side not to move, by what the cells and stones
    /// left out rely on; `relied` are cells dead for W.
    pub fn complete(&self, certificate: &mut Certificate, state: &State, sums: &Sums, relied: u32) {
        rely_on_dead(certificate, state, sums, OTHER, self.relied | relied);
        let mut changed = self.equals != 0;
        while changed {
            changed = false;
            for p in indices(self.equals) {
                let most = indices(self.equal[p as usize]).map(|q| certificate.least.0[q as usize]).max();
                let most = most.unwrap_or(ANY);
                if most > certificate.least.0[p as usize] {
                    certificate.least.0[p as usize] = most;
                    changed = true;
                }
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct LeftOut {
    pub stone: u8,
    /// The undecided neighbours counted as dead for W after the stone.
    pub lost: u32,
}

impl LeftOut {
    /// Add to the certificate what leaving out the stone relies on; `child` are the sums after it.
    pub fn complete(&self, certificate: &mut Certificate, state: &State, child: &Sums) {
        for index in indices(self.lost) {
            let free = state.free.0[index as usize] as u32 - 1;
            // In the child W is the mover, and the stone lies next to the cell.
            certificate.require(index, signed(child.fall[MOVER], free) + i32::from(self.stone));
            certificate.rely_on_smallest(state.hands[OTHER], free as i32 - child.count[OTHER]);
        }
    }
}
