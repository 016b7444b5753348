//! What the solver's tables have in common: buckets of entries, found by a hash, replaced by work.

use super::state::lanes;

/// A table of entries of `WORDS` words of 8 bytes, `WAYS` (at most 32) in a bucket.
///
/// A bucket is its marks and then its entries. A mark says what may be in the entry of its place, so that a
/// look at a bucket touches hardly more than the lines of the marks: 31 bits of the hash, the winner (1 bit),
/// the epoch (24 bits), the work (8 bits).
///
/// The memory is zeroed by the system when first touched: a mark of zeros has epoch 0, which is never current.
pub struct Buckets<const WAYS: usize, const WORDS: usize> {
    words: Vec<u64>,
    first: usize,
    buckets: usize,
    epoch: u64,
}

/// Alignment of a bucket in bytes, if its size is a multiple.
const LINE: usize = 64;

/// The last epoch.
const EPOCHS: u64 = (1 << 24) - 1;

/// The bit of a mark that tells the winner.
const WINNER: u64 = 1 << 31;

/// The bits of a mark that say what an entry is about, the winner apart.
const ABOUT: u64 = ((1 << 56) - 1) & !WINNER;

impl<const WAYS: usize, const WORDS: usize> Buckets<WAYS, WORDS> {
    /// Words of a bucket.
    const BUCKET: usize = WAYS * (1 + WORDS);

    /// Make a table of at most `bytes`, and at least one bucket.
    pub fn new(bytes: usize) -> Self {
        const { assert!(WAYS <= 32, "places are listed as 32 bits") };
        let buckets = (bytes / (8 * Self::BUCKET)).max(1);
        // Zeroed memory straight from the system: nothing is written here.
        let words = vec![0u64; buckets * Self::BUCKET + LINE / 8];
        let first = words.as_ptr().align_offset(LINE).min(LINE / 8);
        Buckets { words, first, buckets, epoch: 1 }
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
        self.first + place * Self::BUCKET
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
        #[cfg(not(target_arch = "x86_64"))]
        let _ = hash;
    }

    /// Tell whether there may be a win of a side under a hash; never false when there is.
    #[inline(always)]
    pub fn knows(&self, hash: u64, winner: usize) -> bool {
        self.marked(self.bucket(hash), hash, Some(winner)) != 0
    }

    /// List the entries that may be those of a hash; all, or those won by a side.
    #[inline(always)]
    pub fn entries(&self, hash: u64, winner: Option<usize>) -> impl Iterator<Item = &[u64; WORDS]> {
        let bucket = self.bucket(hash);
        let entries = &self.words[bucket + WAYS..bucket + Self::BUCKET];
        lanes(self.marked(bucket, hash, winner))
            .filter_map(move |place| entries[place as usize * WORDS..].first_chunk())
    }

    /// Return the entry to write for a win under a hash that took `work` nodes to prove: that of the least
    /// work, old epochs first.
    #[inline(always)]
    pub fn replace(&mut self, hash: u64, winner: usize, work: u64) -> &mut [u64; WORDS] {
        let bucket = self.bucket(hash);
        let work = u64::from((work + 1).ilog2());
        let mut chosen = 0;
        let mut least = u64::MAX;
        for (place, mark) in self.words[bucket..bucket + WAYS].iter().enumerate() {
            let value = if mark >> 32 & EPOCHS != self.epoch { 0 } else { 1 + (mark >> 56) };
            if value < least {
                (chosen, least) = (place, value);
            }
        }
        self.words[bucket + chosen] = self.mark(hash, winner) | work << 56;
        let start = bucket + WAYS + chosen * WORDS;
        (&mut self.words[start..start + WORDS]).try_into().expect("a slice of that length")
    }
}

/// Return 32 signed bytes as words.
#[inline(always)]
pub fn words_of(bytes: &[i8; 32]) -> [u64; 4] {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        let bytes: [i8; 8] = bytes.try_into().expect("chunks of eight");
        *word = u64::from_le_bytes(bytes.map(|byte| byte as u8));
    }
    words
}

/// Return the 32 signed bytes of the first four words.
#[inline(always)]
pub fn bytes_of(words: &[u64]) -> [i8; 32] {
    let mut bytes = [0; 32];
    for (bytes, word) in bytes.chunks_exact_mut(8).zip(words) {
        for (byte, value) in bytes.iter_mut().zip(word.to_le_bytes()) {
            *byte = value as i8;
        }
    }
    bytes
}
