//! What the solver's tables have in common: buckets of entries, found by a hash, replaced by work, and shared
//! by the threads of a solver without locks.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use super::certificate::Counts;

/// An entry of a table: what it says about hands, and `WORDS` words more.
///
/// The last word is a check of the others. Threads read and write at any time; an entry that two have written at
/// once, or one that is read while it is written, does not pass it and counts as none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry<const WORDS: usize> {
    /// Required counts of the winner's hand, allowed counts of the loser's.
    pub hands: [Counts; 2],
    pub words: [u64; WORDS],
}

/// A table of entries, `WAYS` (a multiple of 4, at most 64) in a bucket.
///
/// A bucket is, for every place, a tag (16 bits: 15 of the hash, the winner), a rank (16 bits: the epoch, the
/// work), the hands (2 words) and the other words of the entry, each kind together: a look at a bucket touches the
/// tags, the hands where a tag agrees, and the rest where the hands suit, which few do. A tag may belong to another
/// entry than the one in its place, or be lost when threads write at once: it says where to look, and the entry
/// what is true.
///
/// The memory is zeroed by the system when first touched: epoch 0 is never current.
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
const EPOCHS: u64 = 255;

/// The bit of a tag that tells the winner.
const WINNER: u64 = 1 << 15;

/// A one in each 16 bits.
const EACH: u64 = 0x0001_0001_0001_0001;

/// Bits of a word that hold the tag or rank of one place.
const SHORT: u64 = 0xFFFF;

impl<const WAYS: usize, const WORDS: usize> Buckets<WAYS, WORDS> {
    /// Where the ranks, the hands and the other words of a bucket begin, after the tags, and its size in words.
    const RANKS: usize = WAYS / 4;
    const HANDS: usize = 2 * Self::RANKS;
    const REST: usize = Self::HANDS + 2 * WAYS;
    const BUCKET: usize = Self::REST + WAYS * WORDS;

    /// Make a table of at most `bytes`, and at least one bucket.
    pub fn new(bytes: usize) -> Self {
        const { assert!(WAYS.is_multiple_of(4) && WAYS <= 64, "places are listed as 64 bits") };
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

    /// Return what tags and checks differ by from epoch to epoch: entries of another are not found, nor whole.
    #[inline(always)]
    fn salt(&self) -> u64 {
        self.epoch.wrapping_mul(0xD6E8_FEB8_6659_FD93)
    }

    /// Return the words of the bucket of a key.
    #[inline(always)]
    fn bucket(&self, hash: u64) -> &[AtomicU64] {
        let place = ((u128::from(hash) * self.buckets as u128) >> 64) as usize;
        &self.words[self.first + place * Self::BUCKET..][..Self::BUCKET]
    }

    /// Return the tag of a key and a winner.
    #[inline(always)]
    fn tag(&self, hash: u64, winner: usize) -> u64 {
        (hash ^ self.salt()) & (WINNER - 1) | (winner as u64 * WINNER)
    }

    /// Return the places of a bucket that have a tag, as bits, and maybe others; see [`Candidates`].
    #[inline(always)]
    fn tagged(bucket: &[AtomicU64], tag: u64) -> u64 {
        let wanted = tag * EACH;
        let mut places = 0;
        for (i, tags) in bucket[..Self::RANKS].iter().enumerate() {
            let differ = tags.load(Relaxed) ^ wanted;
            // The top bit of each 16 that are 0 (and of such as are 1, above these).
            let equal = differ.wrapping_sub(EACH) & !differ & (EACH << 15);
            places |= equal >> (15 - i);
        }
        places
    }

    /// Return the 16 bits of a place among tags or ranks.
    #[inline(always)]
    fn short(words: &[AtomicU64], slot: usize) -> u64 {
        words[slot / 4].load(Relaxed) >> (slot % 4 * 16) & SHORT
    }

    /// Write the 16 bits of a place among tags or ranks. What another thread writes to the same word
    /// meanwhile may be lost.
    #[inline(always)]
    fn set_short(words: &[AtomicU64], slot: usize, value: u64) {
        let (word, shift) = (&words[slot / 4], slot % 4 * 16);
        word.store(word.load(Relaxed) & !(SHORT << shift) | value << shift, Relaxed);
    }

    /// Return the hands of a place.
    #[inline(always)]
    fn hands(bucket: &[AtomicU64], slot: usize) -> [Counts; 2] {
        let [first, second] = bucket[Self::HANDS + 2 * slot..].first_chunk::<2>().expect("two words");
        [first.load(Relaxed), second.load(Relaxed)]
    }

    /// Return the entry of a place, whose hands have been read.
    #[inline(always)]
    fn entry_with(bucket: &[AtomicU64], slot: usize, hands: [Counts; 2]) -> Entry<WORDS> {
        let words = bucket[Self::REST + WORDS * slot..].first_chunk::<WORDS>().expect("an entry");
        let mut entry = Entry { hands, words: [0; WORDS] };
        // A loop: `map` of an array is not inlined.
        for (value, word) in entry.words.iter_mut().zip(words) {
            *value = word.load(Relaxed);
        }
        entry
    }

    /// Return the entry of a place.
    #[inline(always)]
    fn entry(bucket: &[AtomicU64], slot: usize) -> Entry<WORDS> {
        Self::entry_with(bucket, slot, Self::hands(bucket, slot))
    }

    /// Write the entry of a place, all but its tag and rank.
    #[inline(always)]
    fn write(bucket: &[AtomicU64], slot: usize, entry: &Entry<WORDS>) {
        for (word, value) in bucket[Self::HANDS + 2 * slot..].iter().zip(entry.hands) {
            word.store(value, Relaxed);
        }
        for (word, value) in bucket[Self::REST + WORDS * slot..].iter().zip(entry.words) {
            word.store(value, Relaxed);
        }
    }

    /// Start to bring what a look at the bucket of a key needs from memory.
    #[inline(always)]
    pub fn fetch(&self, hash: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            for line in self.bucket(hash)[..Self::RANKS].chunks(LINE / 8) {
                // SAFETY: a hint, on an address inside the table. Measured: the wait for tags takes a
                // twentieth of the solver's time without it.
                unsafe { _mm_prefetch(line.as_ptr().cast(), _MM_HINT_T0) };
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = hash;
    }

    /// Tell whether there may be a win of a side under a hash; hardly ever false when there is.
    #[inline(always)]
    pub fn knows(&self, hash: u64, winner: usize) -> bool {
        Self::tagged(self.bucket(hash), self.tag(hash, winner)) != 0
    }

    /// List the entries that may be those of a hash, won by a side. What is relied upon of them must be
    /// [`whole`](Self::whole).
    #[inline(always)]
    pub fn candidates(&self, hash: u64, winner: usize) -> Candidates<'_, WAYS, WORDS> {
        let bucket = self.bucket(hash);
        Candidates { bucket, places: Self::tagged(bucket, self.tag(hash, winner)) }
    }

    /// Look through the [candidates](Self::candidates) whose hands suit until `look` returns something. Where
    /// instructions matter a loop is better: closures are not compiled for the path of their function.
    #[inline(always)]
    pub fn find<T>(
        &self,
        hash: u64,
        winner: usize,
        suits: impl Fn([Counts; 2]) -> bool,
        mut look: impl FnMut(&Entry<WORDS>) -> Option<T>,
    ) -> Option<T> {
        for candidate in self.candidates(hash, winner) {
            if suits(candidate.hands) {
                let found = look(&candidate.entry());
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    /// Make every tag say the other winner, as one may whose entry is just being replaced; or the right one again.
    #[cfg(test)]
    pub fn mistake(&self) {
        for bucket in self.words[self.first..].chunks_exact(Self::BUCKET) {
            bucket[..Self::RANKS].iter().for_each(|tags| _ = tags.fetch_xor(WINNER * EACH, Relaxed));
        }
    }

    /// Make every entry one that is not whole, or whole again.
    #[cfg(test)]
    pub fn tear(&self) {
        for bucket in self.words[self.first..].chunks_exact(Self::BUCKET) {
            for words in bucket[Self::REST..].chunks_exact(WORDS) {
                words[WORDS - 1].fetch_xor(1 << 60, Relaxed);
            }
        }
    }

    /// Tell whether an entry is one that was stored under a hash, and not forgotten.
    #[inline(always)]
    pub fn whole(&self, hash: u64, entry: &Entry<WORDS>) -> bool {
        entry.words[WORDS - 1] ^ self.salt() == entry.check(hash)
    }

    /// Keep an entry, but for its last word, for a win under a hash that took `work` nodes to prove: in place of
    /// the `useless` ones, as bits, of the hash and winner, or else of that of the least work, old epochs first.
    #[inline(always)]
    pub fn store(&self, hash: u64, winner: usize, work: u64, mut entry: Entry<WORDS>, useless: u64) {
        entry.words[WORDS - 1] = entry.check(hash) ^ self.salt();
        let bucket = self.bucket(hash);
        let (tags, ranks) = (&bucket[..Self::RANKS], &bucket[Self::RANKS..Self::HANDS]);
        let tag = self.tag(hash, winner);
        let mut work = u64::from((work + 1).ilog2());
        let mut chosen = 0;
        let mut least = u64::MAX;
        for (i, word) in ranks.iter().enumerate() {
            let word = word.load(Relaxed);
            for j in 0..4 {
                let rank = word >> (16 * j) & SHORT;
                let value = if rank >> 8 == self.epoch { 1 + (rank & 255) } else { 0 };
                if value < least {
                    (chosen, least) = (4 * i + j, value);
                }
            }
        }
        let mut useless = useless;
        while useless != 0 {
            chosen = useless.trailing_zeros() as usize;
            useless &= useless - 1;
            // What it proves took as long as what it replaces.
            work = work.max(Self::short(ranks, chosen) & 255);
            Self::set_short(tags, chosen, 0);
            Self::set_short(ranks, chosen, 0);
        }
        Self::write(bucket, chosen, &entry);
        Self::set_short(tags, chosen, tag);
        Self::set_short(ranks, chosen, self.epoch << 8 | work);
    }
}

/// The entries that may be those of a hash, won by a side.
pub struct Candidates<'a, const WAYS: usize, const WORDS: usize> {
    bucket: &'a [AtomicU64],
    /// Their places, as [`tagged`](Buckets::tagged) has them.
    places: u64,
}

/// An entry, of which only the hands have been read. They are read once: read again, they could be those of another
/// entry, written meanwhile, and whole.
pub struct Candidate<'a, const WAYS: usize, const WORDS: usize> {
    bucket: &'a [AtomicU64],
    pub slot: usize,
    pub hands: [Counts; 2],
}

impl<'a, const WAYS: usize, const WORDS: usize> Iterator for Candidates<'a, WAYS, WORDS> {
    type Item = Candidate<'a, WAYS, WORDS>;

    #[inline(always)]
    fn next(&mut self) -> Option<Candidate<'a, WAYS, WORDS>> {
        if self.places == 0 {
            return None;
        }
        // Those of a word are 16 apart.
        let bit = self.places.trailing_zeros() as usize;
        self.places &= self.places - 1;
        let slot = (bit & 15) * 4 + (bit >> 4);
        Some(Candidate { bucket: self.bucket, slot, hands: Buckets::<WAYS, WORDS>::hands(self.bucket, slot) })
    }
}

impl<const WAYS: usize, const WORDS: usize> Candidate<'_, WAYS, WORDS> {
    /// Read the rest of the entry.
    #[inline(always)]
    pub fn entry(&self) -> Entry<WORDS> {
        Buckets::<WAYS, WORDS>::entry_with(self.bucket, self.slot, self.hands)
    }
}

impl<const WORDS: usize> Entry<WORDS> {
    /// Return the check of an entry under a hash.
    #[inline(always)]
    fn check(&self, hash: u64) -> u64 {
        check(check(hash, &self.hands), &self.words[..WORDS - 1])
    }
}

/// Writing and reading: a table as words, for every entry that counts its place, its tag (16 bits) and work, its
/// hands and the other words, as in epoch 0; after the last, [`END`].
impl<const WAYS: usize, const WORDS: usize> Buckets<WAYS, WORDS> {
    /// Write the entries, and first what a table must be like to take them.
    pub fn save(&self, to: &mut impl Write) -> io::Result<()> {
        for number in self.layout() {
            put(to, number)?;
        }
        let salt = self.salt();
        for (number, bucket) in (0..).zip(self.words[self.first..].chunks_exact(Self::BUCKET)) {
            for slot in 0..WAYS {
                let rank = Self::short(&bucket[Self::RANKS..], slot);
                if rank >> 8 == self.epoch {
                    put(to, number * WAYS as u64 + slot as u64)?;
                    let tag = Self::short(bucket, slot) ^ salt & (WINNER - 1);
                    put(to, tag | (rank & 255) << 16)?;
                    let Entry { hands, mut words } = Self::entry(bucket, slot);
                    words[WORDS - 1] ^= salt;
                    for word in hands.iter().chain(&words) {
                        put(to, *word)?;
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
        let salt = self.salt();
        loop {
            let place = get(from)?;
            if place == END {
                return Ok(());
            }
            if place >= places {
                return Err(wrong(format!("an entry at place {place}, expected one below {places}")));
            }
            let (number, slot) = (place as usize / WAYS, place as usize % WAYS);
            let bucket = &self.words[self.first + number * Self::BUCKET..][..Self::BUCKET];
            let mark = get(from)?;
            Self::set_short(bucket, slot, mark & SHORT ^ salt & (WINNER - 1));
            Self::set_short(&bucket[Self::RANKS..], slot, self.epoch << 8 | mark >> 16 & 255);
            let mut entry = Entry { hands: [0; 2], words: [0; WORDS] };
            for word in entry.hands.iter_mut().chain(&mut entry.words) {
                *word = get(from)?;
            }
            entry.words[WORDS - 1] ^= salt;
            Self::write(bucket, slot, &entry);
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
        let put = |hands, words| buckets.store(hash, 1, 10, Entry { hands, words }, 0);
        put([5, 6], [7, 8, 9, 10, 0]);
        let entry = buckets.find(hash, 1, |_| true, |entry| Some(*entry)).expect("stored");
        assert_eq!((entry.hands, &entry.words[..4]), ([5, 6], &[7, 8, 9, 10][..]));
        assert!(buckets.whole(hash, &entry));
        assert!(!buckets.whole(hash ^ 1 << 40, &entry), "another hash");
        let all = |entry: &Entry<5>| -> [u64; 7] {
            std::array::from_fn(|i| if i < 2 { entry.hands[i] } else { entry.words[i - 2] })
        };
        let of =
            |all: [u64; 7]| Entry { hands: [all[0], all[1]], words: std::array::from_fn(|i| all[i + 2]) };
        for word in 0..7 {
            for bit in 0..64 {
                let mut torn = all(&entry);
                torn[word] ^= 1 << bit;
                assert!(!buckets.whole(hash, &of(torn)), "word {word}, bit {bit}");
            }
        }
        // Part of one entry and part of another.
        put([6, 5], [7, 9, 8, 10, 0]);
        let other = |other: &Entry<5>| Some(*other).filter(|other| *other != entry);
        let other = buckets.find(hash, 1, |_| true, other).expect("stored");
        for first in 1..7 {
            let torn: [u64; 7] =
                std::array::from_fn(|i| if i < first { all(&entry)[i] } else { all(&other)[i] });
            assert!(!buckets.whole(hash, &of(torn)), "the first {first} words");
        }
    }

    #[test]
    fn every_place_of_a_bucket_is_found_by_its_tag() {
        type Full = Buckets<64, 2>;
        let buckets = Full::new(0);
        let stored = |number: u64| Entry { hands: [number, 1], words: [number, 0] };
        for number in 0..64 {
            // Different tags, each with either winner.
            buckets.store(number / 2, (number % 2) as usize, 1, stored(number), 0);
        }
        for number in 0..64 {
            let (hash, winner) = (number / 2, (number % 2) as usize);
            let whole = |entry: &Entry<2>| buckets.whole(hash, entry).then_some(entry.words[0]);
            assert_eq!(buckets.find(hash, winner, |_| true, whole), Some(number));
            assert_eq!(buckets.find(hash, winner, |[first, _]| first != number, whole), None);
        }
        // One more takes the place of one of the least work.
        buckets.store(99, 0, 1 << 20, stored(99), 0);
        assert!(buckets.knows(99, 0) && !buckets.knows(99, 1));
        let left = (0..64).filter(|&number| buckets.knows(number / 2, (number % 2) as usize)).count();
        assert_eq!(left, 63);
    }

    #[test]
    fn a_clone_is_the_same_memory_until_either_forgets() {
        let first = Buckets::<4, 5>::new(1 << 12);
        let mut second = first.clone();
        let entry = Entry { hands: [1; 2], words: [1; 5] };
        first.store(1, 0, 1, entry, 0);
        assert!(second.is(&first) && second.knows(1, 0));
        let stored = first.find(1, 0, |_| true, |entry| Some(*entry)).expect("stored");
        assert!(second.whole(1, &stored));
        second.clear();
        assert!(!second.is(&first) && !second.knows(1, 0) && first.knows(1, 0));
        assert!(!second.whole(1, &stored) && first.whole(1, &stored));
        // Nothing is left of an epoch when its number is used again.
        for _ in 1..EPOCHS {
            second.clear();
        }
        let whole = |entry: &Entry<5>| second.whole(1, entry).then_some(());
        assert!(!second.knows(1, 0) && second.find(1, 0, |_| true, whole).is_none());
    }

    /// As another thread may do between two looks at a place.
    #[test]
    fn an_entry_replaced_while_it_is_looked_at_does_not_pass_for_the_one_before() {
        let buckets = Buckets::<4, 2>::new(0);
        let store = |hands| buckets.store(1, 0, 9, Entry { hands, words: [7, 0] }, 1);
        store([5, 6]);
        let suits = |hands| {
            store([8, 9]);
            hands == [5, 6]
        };
        let whole = |entry: &Entry<2>| buckets.whole(1, entry).then_some(entry.hands);
        assert_eq!(buckets.find(1, 0, suits, whole), None);
        assert_eq!(buckets.find(1, 0, |_| true, whole), Some([8, 9]));
    }
}
