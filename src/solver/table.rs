//! The transposition table: certificates by empty cells, found by dominance.

use crate::lanes::{Lanes, Row};

use super::certificate::{Certificate, Counts};
use super::state::{MOVER, OTHER, State};

/// Entries of one bucket. All entries of a set of empty cells lie in one bucket.
const WAYS: usize = 4;

/// Words of 8 bytes in an entry: a cache line.
///
/// ```text
/// word 0..4  least score of every lane, from the winner's side
/// word 4     required counts of the winner's hand
/// word 5     allowed counts of the loser's hand
/// word 6     empty cells (32 bits), epoch (24 bits), work (7 bits), winner (1 bit: 0 the mover)
/// word 7     unused
/// ```
const WORDS: usize = 8;

/// Alignment of an entry in words, for the first entry.
const LINE: usize = 64;

/// The table. Its memory is zeroed by the system when first touched: an entry of zeros has epoch 0, which
/// is never current.
pub struct Table {
    words: Vec<u64>,
    first: usize,
    buckets: usize,
    epoch: u64,
}

/// The last epoch.
const EPOCHS: u64 = (1 << 24) - 1;

impl Table {
    /// Make a table of at most `bytes`, and at least one bucket.
    pub fn new(bytes: usize) -> Table {
        let buckets = (bytes / (8 * WORDS * WAYS)).max(1);
        // Zeroed memory straight from the system: nothing is written here.
        let words = vec![0u64; buckets * WAYS * WORDS + LINE / 8];
        let first = words.as_ptr().align_offset(LINE).min(LINE / 8);
        Table { words, first, buckets, epoch: 1 }
    }

    /// Forget everything, without touching the memory.
    pub fn clear(&mut self) {
        self.epoch += 1;
        if self.epoch > EPOCHS {
            self.words.fill(0);
            self.epoch = 1;
        }
    }

    /// Return the first word of the bucket of a set of empty cells.
    #[inline(always)]
    fn bucket(&self, empty: u32) -> usize {
        let hash = (u64::from(empty)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let hash = (hash ^ hash >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let place = ((u128::from(hash) * self.buckets as u128) >> 64) as usize;
        self.first + place * WAYS * WORDS
    }

    #[inline(always)]
    fn certificate(entry: &[u64]) -> Certificate {
        let mut least = Row::splat(0);
        for (bytes, word) in least.0.chunks_exact_mut(8).zip(entry) {
            for (byte, value) in bytes.iter_mut().zip(word.to_le_bytes()) {
                *byte = value as i8;
            }
        }
        Certificate { least, winner: entry[4], loser: entry[5] }
    }

    /// Find a certificate that covers a state, with the winner. `counts` are those of the state's hands.
    #[inline(always)]
    pub fn probe<L: Lanes>(&self, state: &State, counts: [Counts; 2]) -> Option<(usize, Certificate)> {
        let bucket = self.bucket(state.empty);
        let key = u64::from(state.empty) | self.epoch << 32;
        for entry in self.words[bucket..bucket + WAYS * WORDS].chunks_exact(WORDS) {
            if entry[6] & KEY == key {
                let side = (entry[6] >> 63) as usize;
                let certificate = Table::certificate(entry);
                if certificate.holds::<L>(&state.scores, side, counts[side], counts[1 - side]) {
                    return Some((side, certificate));
                }
            }
        }
        None
    }

    /// Keep a certificate of a state that took `work` nodes to prove. It replaces one it covers, or else
    /// the entry of the least work, old epochs first.
    #[inline(always)]
    pub fn store(&mut self, state: &State, winner: usize, certificate: &Certificate, work: u64) {
        debug_assert!(winner == MOVER || winner == OTHER);
        let bucket = self.bucket(state.empty);
        let work = u64::from((work + 1).ilog2());
        let mut chosen = bucket;
        let mut least = u64::MAX;
        for place in (bucket..bucket + WAYS * WORDS).step_by(WORDS) {
            let meta = self.words[place + 6];
            let value = if meta >> 32 & EPOCHS != self.epoch { 0 } else { 1 + (meta >> 56 & 127) };
            if value < least {
                (chosen, least) = (place, value);
            }
        }
        let entry = &mut self.words[chosen..chosen + WORDS];
        for (word, bytes) in entry.iter_mut().zip(certificate.least.0.chunks_exact(8)) {
            let bytes: [i8; 8] = bytes.try_into().expect("chunks of eight");
            *word = u64::from_le_bytes(bytes.map(|byte| byte as u8));
        }
        entry[4] = certificate.winner;
        entry[5] = certificate.loser;
        entry[6] = u64::from(state.empty) | self.epoch << 32 | work << 56 | (winner as u64) << 63;
    }
}

/// The bits of word 6 that say what an entry is about.
const KEY: u64 = (1 << 56) - 1;
