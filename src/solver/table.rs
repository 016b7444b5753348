//! The transposition table: certificates by empty cells, found by dominance.

use crate::lanes::{Lanes, Row};

use super::certificate::{ANY, Certificate, Counts, counts};
use super::state::{Frame, MOVER, OTHER, State, Sums, lanes, signed, sum};
use super::tuning::WAYS;

/// Words of 8 bytes in an entry: a cache line.
///
/// ```text
/// word 0..4  least score of every lane, from the winner's side
/// word 4     required counts of the winner's hand
/// word 5     allowed counts of the loser's hand
/// word 6     empty cells that are not stale (32 bits), epoch (24 bits), work (7 bits), winner (1 bit: 0 the mover)
/// word 7     numbers of stale cells, the mover's and the other side's (8 bits each)
/// ```
const WORDS: usize = 8;

/// Alignment of an entry in words, for the first entry.
const LINE: usize = 64;

/// What a state is found by.
///
/// A cell is *stale* (§2.3.3) when it is dead for a side and has no undecided neighbour. In α-Blackhole
/// stale cells of one side are the same to both, so the key has only their numbers, and a certificate says
/// nothing about them. *Proof* that a certificate made for a state Q (at its weakest) with stale cells S
/// holds for a state P with stale cells S' under the same key, when W's scores of the open cells N satisfy
/// it. What α-Blackhole makes of a position depends on labels, undecided cells and hands only
/// (see [`moves`](super::moves)). For an open cell n, P's label is no worse for W than Q's:
///
/// - No score of n is required: make it dead for X in Q.
/// - n is next to S': it is decided in P, and the probe refuses P if it is dead for X.
/// - n is next to S and not to S': decided in Q; if dead for W, the score required when the entry was
///   stored makes n dead for W with any number of neighbours up to those it had, so in P.
/// - n is next to neither: the same open neighbours, a score no worse.
///
/// Undecided cells of either have no stale neighbours, so stones on stale cells change no label.
#[derive(Clone, Copy)]
pub struct Key {
    /// Empty cells that are not stale.
    open: u32,
    /// Numbers of stale cells: the mover's in bits 0..8, the other side's in bits 8..16.
    stale: u64,
    /// Dead cells of each side.
    dead: [u32; 2],
    /// Stale cells.
    pub stale_cells: u32,
    /// Cells next to stale cells.
    beside: u32,
}

impl Key {
    /// Make the key of a state with these dead cells.
    #[inline(always)]
    pub fn of(frame: &Frame, state: &State, dead: [u32; 2]) -> Key {
        let mut influential = 0;
        for lane in lanes(state.empty & !dead[MOVER] & !dead[OTHER]) {
            influential |= frame.near[(lane & 31) as usize];
        }
        let stale_cells = (dead[MOVER] | dead[OTHER]) & !influential;
        let count = |side: usize| u64::from((dead[side] & stale_cells).count_ones());
        let mut beside = 0;
        for lane in lanes(stale_cells) {
            beside |= frame.near[(lane & 31) as usize];
        }
        let open = state.empty & !stale_cells;
        let stale = count(MOVER) | count(OTHER) << 8;
        Key { open, stale, dead, stale_cells, beside: beside & open }
    }

    /// Count the stale cells of a side.
    #[inline(always)]
    pub fn stale_count(&self, side: usize) -> u32 {
        (self.stale_cells & self.dead[side]).count_ones()
    }

    /// Add to a certificate found under this key what the key relies on: the labels dead for the winner
    /// of the stale cells and of the cells next to them.
    #[inline(always)]
    pub fn complete(&self, certificate: &mut Certificate, state: &State, sums: &Sums, side: usize) {
        certificate.loser = counts(state.hands[1 - side]);
        for lane in lanes((self.stale_cells | self.beside) & self.dead[side]) {
            let free = state.free.0[lane as usize] as u32;
            certificate.require(lane, signed(sums.fall[side], free));
            certificate.rely_on_smallest(state.hands[side], free as i32 - sums.count[1 - side]);
        }
    }

    /// Turn a certificate of the state into one to store under this key; `None` when a cell next to a
    /// stale one is dead for the winner only thanks to stones the winner must play itself.
    #[inline(always)]
    pub fn strip(
        &self,
        certificate: &Certificate,
        state: &State,
        sums: &Sums,
        side: usize,
    ) -> Option<Certificate> {
        let mut stored = *certificate;
        for lane in lanes(self.beside & self.dead[side]) {
            let free = state.free.0[lane as usize] as u32;
            let most = free.min(sums.count[1 - side] as u32);
            let enough = sum(sums.top[1 - side], most);
            if state.score(side, lane) < enough {
                return None;
            }
            stored.require(lane, enough);
        }
        for lane in lanes(self.stale_cells) {
            stored.least.0[lane as usize] = ANY;
        }
        Some(stored)
    }
}

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

    /// Return the first word of the bucket of a key.
    #[inline(always)]
    fn bucket(&self, key: &Key) -> usize {
        let hash = (u64::from(key.open) | key.stale << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
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
    pub fn probe<L: Lanes>(
        &self,
        state: &State,
        key: &Key,
        counts: [Counts; 2],
    ) -> Option<(usize, Certificate)> {
        let bucket = self.bucket(key);
        let word = u64::from(key.open) | self.epoch << 32;
        for entry in self.words[bucket..bucket + WAYS * WORDS].chunks_exact(WORDS) {
            if entry[6] & KEY == word && entry[7] == key.stale {
                let side = (entry[6] >> 63) as usize;
                let certificate = Table::certificate(entry);
                if certificate.holds::<L>(&state.scores, side, counts[side], counts[1 - side])
                    && certificate.required::<L>() & key.dead[1 - side] == 0
                {
                    return Some((side, certificate));
                }
            }
        }
        None
    }

    /// Keep a certificate of a state that took `work` nodes to prove. It replaces one it covers, or else
    /// the entry of the least work, old epochs first.
    #[inline(always)]
    pub fn store(&mut self, key: &Key, winner: usize, certificate: &Certificate, work: u64) {
        debug_assert!(winner == MOVER || winner == OTHER);
        let bucket = self.bucket(key);
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
        entry[7] = key.stale;
        entry[6] = u64::from(key.open) | self.epoch << 32 | work << 56 | (winner as u64) << 63;
    }
}

/// The bits of word 6 that say what an entry is about.
const KEY: u64 = (1 << 56) - 1;
