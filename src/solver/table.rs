//! The transposition table: certificates by empty cells, found by dominance.

use crate::board::Stone;
use crate::lanes::{Lanes, Row};

use super::certificate::{ANY, Certificate, Counts, counts, excess};
use super::state::{Frame, MOVER, OTHER, State, Sums, flip, lanes, signed, sum};
use super::tuning::{NEAR, WAYS};

/// Words of 8 bytes in an entry: a cache line.
///
/// ```text
/// word 0..4  least score of every lane, from the winner's side
/// word 4     required counts of the winner's hand
/// word 5     allowed counts of the loser's hand
/// word 6     empty cells that are not stale (32 bits), numbers of stale cells, the mover's and the other
///            side's (8 bits each), lane and number of the winning stone (5 and 4 bits, 0 if the other side
///            wins), winner (the top bit: 0 the mover)
/// ```
///
/// A bucket is its [`WAYS`] marks and then its entries. A mark says what may be in the entry of its place, so
/// that a look at a bucket touches hardly more than two lines: 31 bits of the hash, the winner (1 bit), the
/// epoch (24 bits), the work (8 bits).
const WORDS: usize = 8;

/// Words of a bucket.
const BUCKET: usize = WAYS * (1 + WORDS);

/// Alignment of a bucket in bytes.
const LINE: usize = 64;

const _: () = assert!((BUCKET * 8).is_multiple_of(LINE) && (WAYS * 8).is_multiple_of(LINE));

/// The bits of a mark that say what an entry is about, the winner apart.
const ABOUT: u64 = ((1 << 56) - 1) & !WINNER;

/// The bit of a mark that tells the winner.
const WINNER: u64 = 1 << 31;

/// The bits of word 6 that an entry is found by.
const FOUND_BY: u64 = (1 << 48) - 1;

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
    /// A mixture of both.
    pub hash: u64,
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
        let hash = (u64::from(open) | stale << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let hash = (hash ^ hash >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        Key { open, stale, hash, dead, stale_cells, beside: beside & open }
    }

    /// Return the key as an entry has it.
    #[inline(always)]
    fn word(&self) -> u64 {
        u64::from(self.open) | self.stale << 32
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
            let enough = sum(&sums.top[1 - side], most);
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

/// The table. Its memory is zeroed by the system when first touched: a mark of zeros has epoch 0, which is
/// never current.
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
        let buckets = (bytes / (8 * BUCKET)).max(1);
        // Zeroed memory straight from the system: nothing is written here.
        let words = vec![0u64; buckets * BUCKET + LINE / 8];
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
    fn bucket(&self, hash: u64) -> usize {
        let place = ((u128::from(hash) * self.buckets as u128) >> 64) as usize;
        self.first + place * BUCKET
    }

    /// Return the mark of a key and a winner, without the work.
    #[inline(always)]
    fn mark(&self, hash: u64, winner: usize) -> u64 {
        hash & (WINNER - 1) | (winner as u64 * WINNER) | self.epoch << 32
    }

    /// Return the places of a bucket whose marks are those of a key, as bits; all, or those won by a side.
    #[inline(always)]
    fn marked(&self, bucket: usize, hash: u64, winner: Option<usize>) -> u32 {
        let mark = self.mark(hash, winner.unwrap_or(0));
        let about = if winner.is_some() { ABOUT | WINNER } else { ABOUT };
        let marks: &[u64; WAYS] =
            self.words[bucket..bucket + WAYS].try_into().expect("a slice of that length");
        let mut places = 0;
        for (i, other) in marks.iter().enumerate() {
            places |= u32::from((other ^ mark) & about == 0) << i;
        }
        places
    }

    /// Start to bring what a look at the bucket of a key needs from memory.
    #[inline(always)]
    pub fn fetch(&self, hash: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let marks = &self.words[self.bucket(hash)..][..WAYS];
            for line in marks.chunks(LINE / 8) {
                // SAFETY: a hint, on an address inside the table. Measured: the wait for marks takes a
                // twentieth of the solver's time without it.
                unsafe { _mm_prefetch(line.as_ptr().cast(), _MM_HINT_T0) };
            }
        }
    }

    /// Tell whether there may be a win of a side under a key; never false when there is.
    #[inline(always)]
    pub fn knows(&self, hash: u64, winner: usize) -> bool {
        self.marked(self.bucket(hash), hash, Some(winner)) != 0
    }

    /// List the entries of a key; all, or those won by a side.
    #[inline(always)]
    fn entries(&self, key: &Key, winner: Option<usize>) -> impl Iterator<Item = &[u64; WORDS]> {
        let bucket = self.bucket(key.hash);
        let entries = &self.words[bucket + WAYS..bucket + BUCKET];
        let word = key.word();
        lanes(self.marked(bucket, key.hash, winner)).filter_map(move |place| {
            let entry: &[u64; WORDS] = entries[place as usize * WORDS..].first_chunk()?;
            (entry[6] & FOUND_BY == word).then_some(entry)
        })
    }

    #[inline(always)]
    fn certificate(entry: &[u64; WORDS]) -> Certificate {
        let mut least = Row::splat(0);
        for (bytes, word) in least.0.chunks_exact_mut(8).zip(entry) {
            for (byte, value) in bytes.iter_mut().zip(word.to_le_bytes()) {
                *byte = value as i8;
            }
        }
        Certificate { least, winner: entry[4], loser: entry[5] }
    }

    /// Find a certificate that covers a state, with the winner; any, or one won by a side. `counts` are those of
    /// the state's hands.
    #[inline(always)]
    pub fn probe<L: Lanes>(
        &self,
        state: &State,
        key: &Key,
        counts: [Counts; 2],
        winner: Option<usize>,
    ) -> Option<(usize, Certificate)> {
        for entry in self.entries(key, winner) {
            let side = (entry[6] >> 63) as usize;
            let certificate = Table::certificate(entry);
            if certificate.holds::<L>(&state.scores, side, counts[side], counts[1 - side])
                && certificate.required::<L>() & key.dead[1 - side] == 0
            {
                return Some((side, certificate));
            }
        }
        None
    }

    /// Find the winning move, lane and stone, of a certificate for the mover that misses a state by the hands
    /// only, and that most narrowly, by at most [`NEAR`]. The move is a legal one.
    #[inline(always)]
    pub fn near_miss<L: Lanes>(
        &self,
        state: &State,
        key: &Key,
        [own, enemy]: [Counts; 2],
    ) -> Option<(u32, Stone)> {
        let mut nearest = None;
        let mut least = NEAR + 1;
        for entry in self.entries(key, Some(MOVER)) {
            let certificate = Table::certificate(entry);
            let miss = excess(certificate.winner, own) + excess(enemy, certificate.loser);
            if miss < least && L::row_covers(&state.scores, flip(MOVER), &certificate.least) {
                let lane = (entry[6] >> 48 & 31) as u32;
                // The cell may be a stale one, filled here; the stone, another of the same rank.
                let stone = Stone::new((entry[6] >> 53 & 15) as u8)
                    .filter(|&stone| state.hands[MOVER].contains(stone) && state.empty >> lane & 1 != 0);
                if let Some(stone) = stone {
                    (least, nearest) = (miss, Some((lane, stone)));
                }
            }
        }
        nearest
    }

    /// Keep a certificate of a state that took `work` nodes to prove, in place of the entry of the least
    /// work, old epochs first. `mv` is the mover's winning move, lane and stone.
    #[inline(always)]
    pub fn store(&mut self, key: &Key, winner: usize, mv: (u8, u8), certificate: &Certificate, work: u64) {
        debug_assert!(winner == MOVER || winner == OTHER);
        let bucket = self.bucket(key.hash);
        let work = u64::from((work + 1).ilog2());
        let mut chosen = 0;
        let mut least = u64::MAX;
        for (place, mark) in self.words[bucket..bucket + WAYS].iter().enumerate() {
            let value = if mark >> 32 & EPOCHS != self.epoch { 0 } else { 1 + (mark >> 56) };
            if value < least {
                (chosen, least) = (place, value);
            }
        }
        self.words[bucket + chosen] = self.mark(key.hash, winner) | work << 56;
        let start = bucket + WAYS + chosen * WORDS;
        let entry = &mut self.words[start..start + WORDS];
        for (word, bytes) in entry.iter_mut().zip(certificate.least.0.chunks_exact(8)) {
            let bytes: [i8; 8] = bytes.try_into().expect("chunks of eight");
            *word = u64::from_le_bytes(bytes.map(|byte| byte as u8));
        }
        entry[4] = certificate.winner;
        entry[5] = certificate.loser;
        entry[6] = key.word() | u64::from(mv.0) << 48 | u64::from(mv.1) << 53 | (winner as u64) << 63;
    }
}
