//! What the solver's tables have in common: buckets of entries, found by a hash, replaced by work, and shared
//! by the threads of a solver without locks.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use super::state::lanes;

/// A table of entries of `WORDS` words of 8 bytes, `WAYS` (at most 32) in a bucket.
///
/// A bucket is its marks and then its entries. A mark says what may be in the entry of its place, so that a
/// look at a bucket touches hardly more than the lines of the marks: 31 bits of the hash, the winner (1 bit),
/// the epoch (24 bits), the work (8 bits).
///
/// The last word of an entry is a check of the others. Threads read and write words at any time; an entry that
/// two have written at once, or one that is read while it is written, does not pass it and counts as none. A mark
/// may belong to another entry than the one in its place: it says where to look, and the entry what is true.
///
/// The memory is zeroed by the system when first touched: a mark of zeros has epoch 0, which is never current.
/// A clone is the same memory.
#[derive(Clone)]
pub struct Buckets<const WAYS: usize, const WORDS: usize> {
    words: Arc<Vec<AtomicU64>>,
    first: usize,
    buckets: usize,
    epoch: u64,
}

/// Alignment of a bucket in bytes, if its size is a multiple.
const LINE: usize = 64;

/// What follows the last entry of a table that is written: no place.
const END: u64 = u64::MAX;

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
        let words = zeros(buckets * Self::BUCKET + LINE / 8);
        let first = words.as_ptr().align_offset(LINE).min(LINE / 8);
        Buckets { words: Arc::new(words), first, buckets, epoch: 1 }
    }

    /// Tell whether two see the same entries: the same memory, and forgotten as often.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.words, &other.words) && self.epoch == other.epoch
    }

    /// Forget everything, without touching the memory. For others that share it, nothing is forgotten.
    pub fn clear(&mut self) {
        self.epoch += 1;
        if self.epoch > EPOCHS {
            self.words.iter().for_each(|word| word.store(0, Relaxed));
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
        let marks = self.words[bucket..].first_chunk::<WAYS>().expect("a bucket");
        let mut places = 0;
        for (i, other) in marks.iter().enumerate() {
            places |= u32::from((other.load(Relaxed) ^ mark) & about == 0) << i;
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

    /// List the entries that may be those of a hash; all, or those that may be won by a side. What is relied upon of
    /// them must be [`whole`](Self::whole).
    #[inline(always)]
    pub fn entries(&self, hash: u64, winner: Option<usize>) -> impl Iterator<Item = [u64; WORDS]> {
        let bucket = self.bucket(hash);
        let entries = &self.words[bucket + WAYS..bucket + Self::BUCKET];
        lanes(self.marked(bucket, hash, winner)).filter_map(move |place| {
            let words = entries[place as usize * WORDS..].first_chunk::<WORDS>()?;
            Some(std::array::from_fn(|i| words[i].load(Relaxed)))
        })
    }

    /// Make every mark say the other winner, as one may whose entry is just being replaced; or the right one again.
    #[cfg(test)]
    pub fn mistake(&self) {
        for bucket in self.words[self.first..].chunks_exact(Self::BUCKET) {
            bucket[..WAYS].iter().for_each(|mark| _ = mark.fetch_xor(WINNER, Relaxed));
        }
    }

    /// Make every entry one that is not whole, or whole again.
    #[cfg(test)]
    pub fn tear(&self) {
        for bucket in self.words[self.first..].chunks_exact(Self::BUCKET) {
            for entry in bucket[WAYS..].chunks_exact(WORDS) {
                entry[WORDS - 1].fetch_xor(1 << 60, Relaxed);
            }
        }
    }

    /// Tell whether an entry is one that was stored under a hash.
    #[inline(always)]
    pub fn whole(hash: u64, entry: &[u64; WORDS]) -> bool {
        entry[WORDS - 1] == check(hash, &entry[..WORDS - 1])
    }

    /// Keep an entry, but for its last word, for a win under a hash that took `work` nodes to prove: in place of
    /// those under the hash that it makes `useless`, or else of that of the least work, old epochs first.
    #[inline(always)]
    pub fn store(
        &self,
        hash: u64,
        winner: usize,
        work: u64,
        mut entry: [u64; WORDS],
        useless: impl Fn(&[u64; WORDS]) -> bool,
    ) {
        entry[WORDS - 1] = check(hash, &entry[..WORDS - 1]);
        let bucket = &self.words[self.bucket(hash)..][..Self::BUCKET];
        let mut work = u64::from((work + 1).ilog2());
        let mut chosen = 0;
        let mut least = u64::MAX;
        for (place, mark) in bucket[..WAYS].iter().enumerate() {
            let mark = mark.load(Relaxed);
            let value = if mark >> 32 & EPOCHS != self.epoch { 0 } else { 1 + (mark >> 56) };
            if value < least {
                (chosen, least) = (place, value);
            }
        }
        for place in lanes(self.marked(self.bucket(hash), hash, Some(winner))) {
            let old = bucket[WAYS + place as usize * WORDS..].first_chunk::<WORDS>().expect("an entry");
            if useless(&std::array::from_fn(|i| old[i].load(Relaxed))) {
                chosen = place as usize;
                // What it proves took as long as what it replaces.
                work = work.max(bucket[chosen].load(Relaxed) >> 56);
                bucket[chosen].store(0, Relaxed);
            }
        }
        for (word, value) in bucket[WAYS + chosen * WORDS..].iter().zip(entry) {
            word.store(value, Relaxed);
        }
        bucket[chosen].store(self.mark(hash, winner) | work << 56, Relaxed);
    }
}

/// Writing and reading: a table as words, for every entry that counts its place, its mark without the epoch, and
/// its words; after the last, [`END`].
impl<const WAYS: usize, const WORDS: usize> Buckets<WAYS, WORDS> {
    /// Write the entries, and first what a table must be like to take them.
    pub fn save(&self, to: &mut impl Write) -> io::Result<()> {
        for number in self.layout() {
            put(to, number)?;
        }
        for (bucket, words) in (0..).zip(self.words[self.first..].chunks_exact(Self::BUCKET)) {
            let (marks, entries) = words.split_at(WAYS);
            for (place, (mark, entry)) in (0..).zip(marks.iter().zip(entries.chunks_exact(WORDS))) {
                let mark = mark.load(Relaxed);
                if mark >> 32 & EPOCHS == self.epoch {
                    put(to, bucket * WAYS as u64 + place)?;
                    put(to, mark & !(EPOCHS << 32))?;
                    for word in entry {
                        put(to, word.load(Relaxed))?;
                    }
                }
            }
        }
        put(to, END)
    }

    /// Take in the entries that a table of the same layout has written. An entry that is not as it was written
    /// counts as none, like any other that is not [`whole`](Self::whole).
    ///
    /// # Errors
    /// Those of reading; `InvalidData` for another layout or a place that there is not. Some entries may have
    /// been taken in then.
    pub fn load(&self, from: &mut impl Read) -> io::Result<()> {
        for (expected, what) in
            self.layout().into_iter().zip(["entries a bucket", "words an entry", "buckets"])
        {
            let found = get(from)?;
            if found != expected {
                return Err(wrong(format!("a table of {found} {what}, expected {expected}")));
            }
        }
        let places = self.buckets as u64 * WAYS as u64;
        loop {
            let place = get(from)?;
            if place == END {
                return Ok(());
            }
            if place >= places {
                return Err(wrong(format!("an entry at place {place}, expected one below {places}")));
            }
            let (bucket, place) = (place as usize / WAYS, place as usize % WAYS);
            let words = &self.words[self.first + bucket * Self::BUCKET..][..Self::BUCKET];
            words[place].store(get(from)? & !(EPOCHS << 32) | self.epoch << 32, Relaxed);
            for word in &words[WAYS + place * WORDS..][..WORDS] {
                word.store(get(from)?, Relaxed);
            }
        }
    }

    /// Describe the table: what must agree for entries of another to be found in their places.
    fn layout(&self) -> [u64; 3] {
        [WAYS as u64, WORDS as u64, self.buckets as u64]
    }
}

/// Return zeroed words straight from the system: nothing is written here.
fn zeros(count: usize) -> Vec<AtomicU64> {
    let mut words = std::mem::ManuallyDrop::new(vec![0u64; count]);
    let (start, capacity) = (words.as_mut_ptr().cast(), words.capacity());
    // SAFETY: the words of a vector that is not used again; atomic words have the same size and valid values,
    // and, as asserted, the same alignment. Measured: 64 MB take 70 ms if every word is written, 20 us so. (A vector
    // of atomic zeros collected from an iterator is now and then as fast, if the compiler sees what it is.)
    unsafe {
        const { assert!(align_of::<AtomicU64>() == align_of::<u64>()) };
        Vec::from_raw_parts(start, count, capacity)
    }
}

/// Mix a hash and words into one that tells of any change of them.
#[inline(always)]
pub fn check(hash: u64, words: &[u64]) -> u64 {
    words.iter().fold(hash, |sum, word| (sum ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29))
}

/// Write a word.
pub fn put(to: &mut impl Write, word: u64) -> io::Result<()> {
    to.write_all(&word.to_le_bytes())
}

/// Read a word.
pub fn get(from: &mut impl Read) -> io::Result<u64> {
    let mut word = [0; 8];
    from.read_exact(&mut word)?;
    Ok(u64::from_le_bytes(word))
}

/// Return an error that says what was found and expected.
pub fn wrong(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_with_any_word_changed_is_not_whole() {
        type Small = Buckets<4, 5>;
        let hash = 0x1234_5678_9ABC_DEF0;
        let buckets = Small::new(0);
        buckets.store(hash, 1, 10, [7, 8, 9, 10, 0], |_| false);
        let entry = buckets.entries(hash, Some(1)).next().expect("stored");
        assert_eq!(entry[..4], [7, 8, 9, 10]);
        assert!(Small::whole(hash, &entry));
        assert!(!Small::whole(hash ^ 1 << 40, &entry), "another hash");
        for word in 0..5 {
            for bit in 0..64 {
                let mut torn = entry;
                torn[word] ^= 1 << bit;
                assert!(!Small::whole(hash, &torn), "word {word}, bit {bit}");
            }
        }
        // Half of one entry and half of another.
        buckets.store(hash, 1, 10, [7, 9, 8, 10, 0], |_| false);
        let other = buckets.entries(hash, Some(1)).nth(1).expect("stored");
        for first in 1..5 {
            let torn = std::array::from_fn(|i| if i < first { entry[i] } else { other[i] });
            assert_eq!(Small::whole(hash, &torn), torn == entry || torn == other);
        }
    }

    #[test]
    fn a_clone_is_the_same_memory_until_either_forgets() {
        let first = Buckets::<4, 5>::new(1 << 12);
        let mut second = first.clone();
        first.store(1, 0, 1, [1; 5], |_| false);
        assert!(second.is(&first) && second.knows(1, 0));
        second.clear();
        assert!(!second.is(&first) && !second.knows(1, 0) && first.knows(1, 0));
    }
}
