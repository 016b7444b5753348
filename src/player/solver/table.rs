//! The transposition table: certificates by empty cells, found by dominance. Several workers may share it.

use std::mem::{align_of, ManuallyDrop};
use std::sync::atomic::{
    fence, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use crate::alpha::state::{flip, State, MOVER};
use crate::board::Stone;
use crate::host;
use crate::simd::{Lanes, Simd};

use super::certificate::{capped, excess, hands_suit, Certificate, Counts};
use super::key::Key;

/// Buckets of `N` words each, zeroed; touched only as they are used.
pub struct Buckets<const N: usize>(Vec<AtomicU64>);

const _: () = assert!(align_of::<AtomicU64>() == align_of::<u64>());

impl<const N: usize> Buckets<N> {
    /// Make as many buckets as fit into `bytes`, at least one, or half, a quarter, … if memory is short.
    pub fn new(bytes: usize) -> Buckets<N> {
        let mut words = (bytes / 8).max(N);
        while words >= 2 * N && host::with_room::<u64>(words).is_none() {
            words /= 2;
        }
        let mut zeroed = ManuallyDrop::new(vec![0u64; words]);
        let (start, length, capacity) = (zeroed.as_mut_ptr(), zeroed.len(), zeroed.capacity());
        // SAFETY: the parts are those of a vector that is not dropped; `AtomicU64` has the size and the bits of `u64`,
        // here its alignment, too. Built word by word the table touches all of its memory: 131 MB in place of 2.5.
        Buckets(unsafe { Vec::from_raw_parts(start.cast::<AtomicU64>(), length, capacity) })
    }

    /// Zero all of them. The memory goes back to the system.
    pub fn clear(&mut self) {
        let bytes = 8 * self.0.len();
        self.0 = Vec::new();
        *self = Buckets::new(bytes);
    }

    fn start(&self, hash: u64) -> usize {
        N * ((u128::from(hash) * (self.0.len() / N) as u128) >> 64) as usize
    }

    /// Return all words.
    pub fn words(&self) -> &[AtomicU64] {
        &self.0
    }

    #[inline(always)]
    pub fn bucket(&self, hash: u64) -> &[AtomicU64] {
        &self.0[self.start(hash)..][..N]
    }
}

/// The most counts by which a near miss may miss a certificate, by the hands alone and by hands and
/// scores together: two of three such moves win.
const MAX_MISS_BY_HANDS: u32 = 4;
const MAX_MISS_IN_ALL: u32 = 8;

/// Entries of one bucket, a multiple of 4. All entries of a set of empty cells lie in one bucket.
const TABLE_WAYS: usize = 32;

/// Words of 8 bytes in an entry besides the hands.
///
/// ```text
/// word 0..4  least score of every cell, from the winner's side
/// word 4     empty cells that are not stale (32 bits), numbers of stale cells, the mover's and the other
///            side's (8 bits each), index and number of the winning stone (5 and 4 bits, 0 if the other side
///            wins), winner (the top bit: 0 the mover)
/// ```
const ENTRY_WORDS: usize = 5;

/// The bits of word 4 that hold the key and the winner.
const KEY_BITS: u64 = ((1 << 48) - 1) | (1 << 63);

/// Where the costs, the hands and the other words of a bucket begin, and its size in words.
const COSTS: usize = TABLE_WAYS / 4;
const HANDS: usize = 2 * COSTS;
const REST: usize = HANDS + 2 * TABLE_WAYS;
const TABLE_BUCKET: usize = REST + ENTRY_WORDS * TABLE_WAYS;

const WINNER: u64 = 1 << 15;

const ONES: u64 = 0x0001_0001_0001_0001;
const SHORT: u64 = 0xFFFF;

/// The bits of the costs in their words; the others are the version, which is odd while an entry is written.
const COST: u64 = 0x00FF_00FF_00FF_00FF;
const WRITING: u64 = 1 << 8;

/// A table of certificates.
///
/// A bucket holds, each kind together so that a look touches little memory, the tags of all places (16 bits:
/// 15 of the hash, the winner), the costs (8 bits of each 16: 1 more than the logarithm of the work, 0 for an
/// empty place), the hands (2 words) and the other words.
///
/// Workers do not lock. The other bits of a word of costs are the version of its four entries: whoever writes
/// one makes it odd first, if no one else has, and a proof counts only if the version was even before it was
/// read and is the same after. Tags, moves and costs may be read while they change: they only guide the search.
pub type Table = Buckets<TABLE_BUCKET>;

impl Table {
    fn tag(hash: u64, winner: usize) -> u64 {
        hash & (WINNER - 1) | (winner as u64 * WINNER)
    }

    /// Tell whether there may be a win of a side under a hash.
    #[inline(always)]
    pub fn knows(&self, hash: u64, winner: usize) -> bool {
        likely_slots(self.bucket(hash), hash, winner).next().is_some()
    }

    /// Find a certificate of a win of a side that covers a state (of such hands) without its pairs,
    /// for [`Key::restore`].
    #[inline(always)]
    pub fn probe<S: Simd>(
        &self,
        state: &State,
        key: &Key,
        hands: [Counts; 2],
        side: usize,
    ) -> Option<Certificate> {
        // Spelled out: `map` of an array is not inlined.
        let own = capped(hands[side], state.hands[side].len() - key.pairs);
        let enemy = capped(hands[1 - side], state.hands[1 - side].len() - key.pairs);
        self.find(key, side, [own, enemy], |certificate| {
            S::row_covers(&state.scores, flip(side), &certificate.required)
                && certificate.required_cells::<S>() & key.dead[1 - side] == 0
        })
    }

    /// Find a certificate of a win of `side` that its hand and the enemy's allow, and that suits, as a whole:
    /// no other worker changed it in the meantime.
    #[inline(always)]
    pub fn find(
        &self,
        key: &Key,
        side: usize,
        [own, enemy]: [Counts; 2],
        suits: impl Fn(&Certificate) -> bool,
    ) -> Option<Certificate> {
        let (bucket, wanted) = (self.bucket(key.hash), key_bits(key, side));
        for slot in likely_slots(bucket, key.hash, side) {
            let version = bucket[COSTS + slot / 4].load(Acquire);
            let [winner, loser] = hands_of(bucket, slot);
            if !hands_suit([winner, loser], own, enemy) {
                continue;
            }
            let words = rest_of(bucket, slot);
            let certificate = Certificate { required: lanes_of(&words), winner, loser };
            if words[4] & KEY_BITS == wanted && suits(&certificate) {
                fence(Acquire);
                if version & WRITING == 0 && bucket[COSTS + slot / 4].load(Relaxed) == version {
                    return Some(certificate);
                }
            }
        }
        None
    }

    /// Find the winning move, if it is legal, of the certificate for the mover that misses a state most
    /// narrowly: by the hands only, by at most [`MAX_MISS_BY_HANDS`], or else by at most [`MAX_MISS_IN_ALL`];
    /// and whether only the hands miss it.
    #[inline(always)]
    pub fn near_miss<S: Simd>(
        &self,
        state: &State,
        key: &Key,
        [own, enemy]: [Counts; 2],
    ) -> Option<((u32, u8), bool)> {
        let mut nearest = None;
        let mut least = u32::MAX;
        let wanted = key_bits(key, MOVER);
        let bucket = self.bucket(key.hash);
        for slot in likely_slots(bucket, key.hash, MOVER) {
            let [winner, loser] = hands_of(bucket, slot);
            let hands = excess(winner, own) + excess(enemy, loser);
            if hands >= least.min(MAX_MISS_IN_ALL + 1) {
                continue;
            }
            let words = rest_of(bucket, slot);
            let word = words[4];
            let scores = S::flipped(&state.scores, flip(MOVER));
            let scores = S::lack(scores, S::load(&lanes_of(&words)));
            let by_hands = scores == 0 && hands <= MAX_MISS_BY_HANDS;
            let miss = if by_hands { hands } else { MAX_MISS_BY_HANDS + hands + scores };
            if word & KEY_BITS != wanted || miss >= least || miss > MAX_MISS_BY_HANDS + MAX_MISS_IN_ALL {
                continue;
            }
            let index = (word >> 48 & 31) as u32;
            // The cell may be a stale one, filled here; the stone, another of the same rank.
            let legal = |&stone: &Stone| state.hands[MOVER].contains(stone) && state.empty >> index & 1 != 0;
            if let Some(stone) = Stone::new((word >> 53 & 15) as u8).filter(legal) {
                (least, nearest) = (miss, Some(((index, stone.value()), by_hands)));
            }
        }
        nearest
    }

    /// Keep a certificate that took `work` nodes, and the mover's winning move, in place of the entry of
    /// least work, unless another worker writes to the same word.
    pub fn store(&self, key: &Key, winner: usize, mv: (u8, u8), certificate: &Certificate, work: u64) {
        let bucket = self.bucket(key.hash);
        let costs = read::<COSTS>(&bucket[COSTS..]);
        let (mut chosen, mut least) = (0, u64::MAX);
        for slot in 0..TABLE_WAYS {
            let cost = costs[slot / 4] >> (slot % 4 * 16) & 0xFF;
            if cost < least {
                (chosen, least) = (slot, cost);
            }
        }
        let (version, found) = (&bucket[COSTS + chosen / 4], costs[chosen / 4]);
        let writing = next_version(found);
        if writing & WRITING == 0 || version.compare_exchange(found, writing, Acquire, Relaxed).is_err() {
            return;
        }
        fence(Release);
        write(&bucket[HANDS + 2 * chosen..], &[certificate.winner, certificate.loser]);
        let [a, b, c, d] = words_of(&certificate.required);
        let word = key_bits(key, winner) | u64::from(mv.0) << 48 | u64::from(mv.1) << 53;
        write(&bucket[REST + ENTRY_WORDS * chosen..], &[a, b, c, d, word]);
        let tags = &bucket[chosen / 4];
        tags.store(with_short(tags.load(Relaxed), chosen, SHORT, Table::tag(key.hash, winner)), Relaxed);
        let cost = 1 + u64::from((work + 1).ilog2());
        version.store(with_short(next_version(writing), chosen, 0xFF, cost), Release);
    }
}

/// Return a word of costs with the next version.
fn next_version(costs: u64) -> u64 {
    // A carry passes the bits of the costs.
    (costs | COST).wrapping_add(WRITING) & !COST | costs & COST
}

/// Return a word with `value` in place of the bits `mask` of a slot's quarter.
fn with_short(word: u64, slot: usize, mask: u64, value: u64) -> u64 {
    let shift = slot % 4 * 16;
    word & !(mask << shift) | value << shift
}

#[inline(always)]
pub fn write<const N: usize>(kept: &[AtomicU64], words: &[u64; N]) {
    kept.iter().zip(words).for_each(|(kept, &word)| kept.store(word, Relaxed));
}

#[inline(always)]
pub fn read<const N: usize>(words: &[AtomicU64]) -> [u64; N] {
    let mut copy = [0; N];
    copy.iter_mut().zip(words).for_each(|(copy, word)| *copy = word.load(Relaxed));
    copy
}

#[inline(always)]
fn hands_of(bucket: &[AtomicU64], slot: usize) -> [Counts; 2] {
    read(&bucket[HANDS + 2 * slot..])
}

#[inline(always)]
fn rest_of(bucket: &[AtomicU64], slot: usize) -> [u64; ENTRY_WORDS] {
    read(&bucket[REST + ENTRY_WORDS * slot..])
}

/// List the slots of a bucket that may have a hash and be won by a side.
#[inline(always)]
fn likely_slots(bucket: &[AtomicU64], hash: u64, winner: usize) -> impl Iterator<Item = usize> {
    let wanted = Table::tag(hash, winner) * ONES;
    let mut places = 0u64;
    for (i, tags) in read::<COSTS>(bucket).into_iter().enumerate() {
        let differ = tags ^ wanted;
        // The top bit of each 16 bits that are 0, and perhaps of 1 above a 0.
        places |= (differ.wrapping_sub(ONES) & !differ & (ONES << 15)) >> (15 - i);
    }
    std::iter::from_fn(move || {
        if places == 0 {
            return None;
        }
        // The slots of a word are 16 bits apart.
        let bit = places.trailing_zeros() as usize;
        places &= places - 1;
        Some((bit & 15) * 4 + (bit >> 4))
    })
}

fn key_bits(key: &Key, winner: usize) -> u64 {
    u64::from(key.open) | key.stale << 32 | (winner as u64) << 63
}

#[inline(always)]
pub fn words_of(lanes: &Lanes) -> [u64; 4] {
    let mut words = [0; 4];
    for i in 0..32 {
        words[i / 8] |= u64::from(lanes.0[i] as u8) << (8 * (i % 8));
    }
    words
}

#[inline(always)]
pub fn lanes_of(words: &[u64]) -> Lanes {
    let mut lanes = Lanes::splat(0);
    for i in 0..32 {
        lanes.0[i] = (words[i / 8] >> (8 * (i % 8))) as i8;
    }
    lanes
}
