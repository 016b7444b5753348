//! The cells worth playing on, by the rules of [`alpha::dominance`](crate::alpha::dominance), which are
//! proven there, and the requirements that leaving out the others adds to a proof of the mover's loss.
//!
//! X is the mover, W the other side. A certificate of W's win says nothing of the cells that are dead
//! for X: with lower scores of W, or a better hand of X, they stay dead. Cells dead for W that an
//! argument uses join the certificate with the score that makes them dead.
//!
//! *Cell dominance*, q left out for p: W's dead neighbours of one cell and not of the other; p, if
//! it is dead for W; and if both are undecided, at least the score for p that is required for q.
//! This holds for any hand of X for which those cells are dead for W. Ties go to the lower index.

use crate::alpha::dominance::undominated;
use crate::alpha::state::{indices, View, MOVER, OTHER};

use super::certificate::Certificate;

/// The cells to play on, and the reasons for leaving out the others.
#[derive(Clone, Copy, Debug)]
pub struct PlayedCells {
    pub played: u32,
    /// Cells that must stay dead for W.
    relied: u32,
    /// For each cell p, the cells q left out as p is played instead, both undecided.
    replaced: [u32; 32],
    /// The cells p that are played instead of such cells q.
    replacing: u32,
}

impl PlayedCells {
    #[inline(always)]
    pub fn choose(view: View, dead: [u32; 2]) -> PlayedCells {
        let mut cells = PlayedCells { played: 0, relied: 0, replaced: [0; 32], replacing: 0 };
        let near = |index: u32| u64::from(view.near(index));
        let score = |index: u32| view.state.score(MOVER, index);
        let (own, other) = (u64::from(dead[MOVER]), u64::from(dead[OTHER]));
        let played = undominated(view.state.empty.into(), [own, other], near, score, |q, p, differ| {
            cells.relied |= dead[OTHER] & (differ as u32 | 1 << p);
            if (dead[MOVER] | dead[OTHER]) & (1 << p | 1 << q) == 0 {
                cells.replaced[(p & 31) as usize] |= 1 << q;
                cells.replacing |= 1 << p;
            }
        });
        cells.played = played as u32;
        cells
    }

    /// Add the reasons for leaving cells out to the certificate of a win of W, the side not to move.
    pub fn complete(&self, certificate: &mut Certificate, view: View) {
        certificate.rely_on_dead(view, OTHER, self.relied);
        let mut changed = self.replacing != 0;
        while changed {
            changed = false;
            for p in indices(self.replacing) {
                for q in indices(self.replaced[p as usize]) {
                    let most = certificate.required.0[q as usize];
                    if most > certificate.required.0[p as usize] {
                        certificate.required.0[p as usize] = most;
                        changed = true;
                    }
                }
            }
        }
    }
}
