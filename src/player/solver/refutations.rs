//! Refutations kept from one node to later ones with the same empty cells.
//!
//! What the certificate of a refutation is true of, the position after a stone on a cell, is told
//! by the empty cells, the numbers of stones and the side to move. So at any later node with the
//! same empty cells and numbers of stones it refutes the stones on that cell after which its scores
//! and hands are satisfied, before any is judged.

use super::certificate::Certificate;
use super::state::{State, MOVER, OTHER};
use super::table::{lanes_of, words_of, zeroed};

/// The refutations kept for a set of empty cells.
const WAYS: usize = 32;

/// Words of a refutation: the least scores (4), the bounds on W's hand and on X's, the cell.
const WORDS: usize = 7;

/// Words of a slot: before the refutations, what they are about and how many have been put there.
const HEAD: usize = 2;
const SLOT: usize = HEAD + WAYS * WORDS;

/// The latest refutations for each of many sets of empty cells; a set takes the slot of another
/// with the same hash.
pub struct RefutationCache {
    words: Vec<u64>,
}

impl RefutationCache {
    /// Make room in at most `bytes`, or for one set of cells.
    pub fn new(bytes: usize) -> RefutationCache {
        RefutationCache { words: zeroed((bytes / 8).max(SLOT)) }
    }

    pub fn clear(&mut self) {
        let bytes = 8 * self.words.len();
        self.words = Vec::new();
        *self = RefutationCache::new(bytes);
    }

    /// Return where the slot of a state begins, and its first word if it is about such states.
    #[inline(always)]
    fn place(&self, state: &State) -> (usize, u64) {
        let hash = u64::from(state.empty).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let slot = ((u128::from(hash) * (self.words.len() / SLOT) as u128) >> 64) as usize;
        let [own, other] = [state.hands[MOVER].len(), state.hands[OTHER].len()];
        (slot * SLOT, u64::from(state.empty) | u64::from(own) << 32 | u64::from(other) << 40)
    }

    /// Keep a refutation by the certificate of the position after a stone on a cell.
    #[inline(always)]
    pub fn put(&mut self, state: &State, index: u32, proof: &Certificate) {
        let (slot, head) = self.place(state);
        let slot = &mut self.words[slot..][..SLOT];
        if slot[0] != head {
            [slot[0], slot[1]] = [head, 0];
        }
        let at = HEAD + slot[1] as usize % WAYS * WORDS;
        slot[1] += 1;
        let [a, b, c, d] = words_of(&proof.least);
        slot[at..at + WORDS].copy_from_slice(&[a, b, c, d, proof.winner, proof.loser, u64::from(index)]);
    }

    /// Return the slot of a state, and how many refutations have been put into it for such states.
    #[inline(always)]
    pub fn count(&self, state: &State) -> (usize, u64) {
        let (slot, head) = self.place(state);
        (slot, if self.words[slot] == head { self.words[slot + 1] } else { 0 })
    }

    /// Return the number of the first refutation that is still there of `count`.
    pub const fn first(count: u64) -> u64 {
        count.saturating_sub(WAYS as u64)
    }

    /// Return the refutation that was put into a slot as number `number`.
    #[inline(always)]
    pub fn get(&self, slot: usize, number: u64) -> (u32, Certificate) {
        let words = &self.words[slot..][HEAD + number as usize % WAYS * WORDS..][..WORDS];
        let least = words[..4].try_into().expect("four words");
        (words[6] as u32 & 31, Certificate { least: lanes_of(least), winner: words[4], loser: words[5] })
    }
}
