//! Refutations kept from one node to later ones with the same empty cells.
//!
//! The certificate of a refutation is about the position after a stone on a cell: about its empty
//! cells, numbers of stones and side to move. So at any later node with the same empty cells and
//! numbers of stones it refutes without a search the stones on that cell that leave its scores and hands
//! satisfied.

use crate::alpha::state::State;

use super::certificate::Certificate;
use super::table::{lanes_of, read, words_of, write, Buckets};

const REFUTATION_WAYS: usize = 32;

/// Words of a refutation: the least scores (4), the bounds on W's hand and on X's, the cell.
const REFUTATION_WORDS: usize = 7;

/// Words of a bucket before its refutations: their subject, and the number put there so far.
const HEAD: usize = 2;
const REFUTATION_BUCKET: usize = HEAD + REFUTATION_WAYS * REFUTATION_WORDS;

/// The latest refutations for each of many sets of empty cells; a set takes the bucket of another
/// with the same hash.
pub type RefutationCache = Buckets<REFUTATION_BUCKET>;

/// Return the hash of a state, and the first word of a bucket that is about such states: the empty cells, which tell
/// the numbers of stones.
fn subject(state: &State) -> (u64, u64) {
    let cells = u64::from(state.empty);
    (cells.wrapping_mul(0x9E37_79B9_7F4A_7C15), cells)
}

impl RefutationCache {
    /// Keep a refutation by the certificate of the position after a stone on a cell.
    #[inline(always)]
    pub fn put(&self, state: &State, index: u32, proof: &Certificate) {
        let (hash, head) = subject(state);
        let bucket = self.bucket(hash);
        let [about, count] = read(bucket);
        let count = if about == head { count } else { 0 };
        let at = HEAD + count as usize % REFUTATION_WAYS * REFUTATION_WORDS;
        let [a, b, c, d] = words_of(&proof.required);
        write(&bucket[at..], &[a, b, c, d, proof.winner, proof.loser, u64::from(index)]);
        write(bucket, &[head, count + 1]);
    }

    /// List the refutations kept for such states, the latest first: the cell, and the certificate.
    #[inline(always)]
    pub fn latest(&self, state: &State) -> impl Iterator<Item = (u32, Certificate)> + '_ {
        let (hash, head) = subject(state);
        let bucket = self.bucket(hash);
        let [about, count] = read(bucket);
        let count = if about == head { count as usize } else { 0 };
        (count.saturating_sub(REFUTATION_WAYS)..count).rev().map(move |number| {
            let at = HEAD + number % REFUTATION_WAYS * REFUTATION_WORDS;
            let words: [u64; REFUTATION_WORDS] = read(&bucket[at..]);
            let certificate = Certificate { required: lanes_of(&words), winner: words[4], loser: words[5] };
            (words[6] as u32 & 31, certificate)
        })
    }
}
