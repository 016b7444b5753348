//! The transposition table: certificates by empty cells, found by dominance.

use std::io::{self, Read, Write};

use crate::player::board::Stone;
use crate::player::simd::{Row, Simd};

use super::buckets::{Buckets, Entry, bytes_of, words_of};
use super::certificate::{ANY, Certificate, Counts, capped, excess, hands_suit, of_largest};
use super::state::{Frame, MOVER, OTHER, State, Sums, flip, lanes, signed, sum};
use super::tuning::{NEAR, NEAR_IN_ALL, WAYS};

/// Words of 8 bytes in an entry besides the hands.
///
/// ```text
/// word 0..4  least score of every lane, from the winner's side
/// word 4     empty cells that are not stale (32 bits), numbers of stale cells, the mover's and the other
///            side's (8 bits each), lane and number of the winning stone (5 and 4 bits, 0 if the other side
///            wins), winner (the top bit: 0 the mover)
/// word 5     check
/// ```
const WORDS: usize = 6;

/// The bits of word 4 that an entry is found by, the winner among them.
const FOUND_BY: u64 = ((1 << 48) - 1) | (1 << 63);

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
///
/// *Pairs cancel.* Let P have a stale cell of each side, and let Q be P without these two cells and without the
/// smallest stone of each side, with the labels of P. The same side wins both. *Proof* that W wins P if it wins Q
/// (X may be either side): W plays as in Q, keeping its smallest stone, each of X's stones standing for
/// that of the same rank in Q, its smallest for the smallest there, until X plays on one of the two cells. Then W
/// plays its smallest stone on the other, and goes on as in Q, where X has kept its largest stones: it has no better
/// ones in P. If X never does, Q ends with a hole that suits W; in P that cell and the two are empty, and each
/// side has a stone: two of the three cells suit W, X can fill one of them, and W fills the third.
///
/// So the key counts what is left when as many pairs as can be are cancelled, a state is searched
/// [without them](Key::cancel), and a certificate for that [is made](Key::restore) one for the state.
#[derive(Clone, Copy)]
pub struct Key {
    /// Empty cells that are not stale.
    open: u32,
    /// Numbers of stale cells but for the pairs: the mover's in bits 0..8, the other side's in bits 8..16.
    stale: u64,
    /// A mixture of both.
    pub hash: u64,
    /// How many pairs of stale cells, one of each side, cancel.
    pub pairs: u32,
    /// Dead cells of each side.
    pub dead: [u32; 2],
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
        let count = |side: usize| (dead[side] & stale_cells).count_ones();
        let hands = state.hands[MOVER].len().min(state.hands[OTHER].len());
        let pairs = count(MOVER).min(count(OTHER)).min(hands);
        let mut beside = 0;
        for lane in lanes(stale_cells) {
            beside |= frame.near[(lane & 31) as usize];
        }
        let open = state.empty & !stale_cells;
        let [own, other] = [count(MOVER) - pairs, count(OTHER) - pairs];
        let stale = u64::from(own) | u64::from(other) << 8;
        let hash = (u64::from(open) | stale << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let hash = (hash ^ hash >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        Key { open, stale, hash, pairs, dead, stale_cells, beside: beside & open }
    }

    /// Return what an entry for a win of a side is found by: the bits [`FOUND_BY`].
    #[inline(always)]
    fn found_by(&self, winner: usize) -> u64 {
        u64::from(self.open) | self.stale << 32 | (winner as u64) << 63
    }

    /// Count the stale cells of a side.
    #[inline(always)]
    pub fn stale_count(&self, side: usize) -> u32 {
        (self.stale_cells & self.dead[side]).count_ones()
    }

    /// Return the state without the pairs; `None` if there are none, or if a label would be lost: some cells are dead
    /// only thanks to stones that their owner must play next to them, and these are fewer then.
    #[inline(always)]
    pub fn cancel<S: Simd>(&self, frame: &Frame, state: &State) -> Option<State> {
        if self.pairs == 0 {
            return None;
        }
        let mut gone = 0;
        let mut rest = *state;
        for side in [MOVER, OTHER] {
            for lane in lanes(self.stale_cells & self.dead[side]).take(self.pairs as usize) {
                gone |= 1 << lane;
            }
            rest.hands[side] = state.hands[side].without_smallest(self.pairs);
        }
        rest.empty &= !gone;
        rest.free = S::store(S::subtract(S::load(&state.free), frame.count_near::<S>(gone)));
        let dead = super::verdict::dead::<S>(&rest, &Sums::of(rest.hands));
        let lost = self.dead[MOVER] & !dead[MOVER] | self.dead[OTHER] & !dead[OTHER];
        (lost & !gone == 0).then_some(rest)
    }

    /// Turn a certificate found under this key, or for the state without the pairs, into one for the state.
    ///
    /// Without the pairs only the largest stones are left. What is required of W's is then required of the hand, as
    /// that has no fewer of any size; a bound on X's that allows all of them is one that allows the smallest as well. The
    /// labels dead for W join it that cancelling, like the key, relies on; those dead for X can only be better for W.
    #[inline(always)]
    pub fn restore(&self, certificate: &mut Certificate, state: &State, sums: &Sums, side: usize) {
        if self.pairs > 0 {
            let left = sums.count[1 - side] as u32 - self.pairs;
            certificate.loser = of_largest(certificate.loser, left, self.pairs);
        }
        self.complete(certificate, state, sums, side);
    }

    /// Add to a certificate what the key relies on: the labels dead for the winner of the stale cells and of
    /// the cells next to them.
    #[inline(always)]
    pub fn complete(&self, certificate: &mut Certificate, state: &State, sums: &Sums, side: usize) {
        rely_on_dead(certificate, state, sums, side, (self.stale_cells | self.beside) & self.dead[side]);
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
            stored.rely_on_enemy(state.hands[1 - side], most);
        }
        for lane in lanes(self.stale_cells) {
            stored.least.0[lane as usize] = ANY;
        }
        Some(stored)
    }
}

/// Add to a certificate of a win of `side` what makes these cells dead for it.
#[inline(always)]
pub fn rely_on_dead(certificate: &mut Certificate, state: &State, sums: &Sums, side: usize, dead: u32) {
    let mut count = 0;
    for lane in lanes(dead) {
        let free = state.free.0[lane as usize] as u32;
        count = count.max(free.min(sums.count[1 - side] as u32));
        certificate.require(lane, signed(sums.fall[side], free));
        certificate.rely_on_smallest(state.hands[side], free as i32 - sums.count[1 - side]);
    }
    certificate.rely_on_enemy(state.hands[1 - side], count);
}

/// The winning move of a certificate that misses a state narrowly.
#[derive(Clone, Copy)]
pub struct NearMiss {
    pub lane: u32,
    pub stone: Stone,
    /// Whether only the hands miss it.
    pub by_hands: bool,
}

/// The table. A clone is the same table.
#[derive(Clone)]
pub struct Table {
    buckets: Entries,
}

type Entries = Buckets<WAYS, WORDS>;

impl Table {
    /// Make a table of at most `bytes`, and at least one bucket.
    pub fn new(bytes: usize) -> Table {
        Table { buckets: Buckets::new(bytes) }
    }

    /// Tell whether two are the same table, with the same entries.
    pub fn is(&self, other: &Table) -> bool {
        self.buckets.is(&other.buckets)
    }

    /// See [`Buckets::mistake`].
    #[cfg(test)]
    pub fn mistake(&self) {
        self.buckets.mistake();
    }

    /// See [`Buckets::tear`].
    #[cfg(test)]
    pub fn tear(&self) {
        self.buckets.tear();
    }

    /// See [`Buckets::save`].
    pub fn save(&self, to: &mut impl Write) -> io::Result<()> {
        self.buckets.save(to)
    }

    /// See [`Buckets::load`].
    pub fn load(&self, from: &mut impl Read) -> io::Result<()> {
        self.buckets.load(from)
    }

    /// Forget everything, without touching the memory.
    pub fn clear(&mut self) {
        self.buckets.clear();
    }

    /// Start to bring what a look for a key needs from memory.
    #[inline(always)]
    pub fn fetch(&self, hash: u64) {
        self.buckets.fetch(hash);
    }

    /// See [`Buckets::knows`].
    #[inline(always)]
    pub fn knows(&self, hash: u64, winner: usize) -> bool {
        self.buckets.knows(hash, winner)
    }

    #[inline(always)]
    fn certificate(entry: &Entry<WORDS>) -> Certificate {
        let [winner, loser] = entry.hands;
        Certificate { least: Row(bytes_of(&entry.words)), winner, loser }
    }

    /// Find a certificate of a win of a side that covers a state without its pairs, for [`Key::restore`]; `hands` are
    /// the counts of the state's hands.
    #[inline(always)]
    pub fn probe<S: Simd>(
        &self,
        state: &State,
        key: &Key,
        hands: [Counts; 2],
        side: usize,
    ) -> Option<Certificate> {
        let found_by = key.found_by(side);
        // Spelled out: `map` of an array is not inlined.
        let own = capped(hands[side], state.hands[side].len() - key.pairs);
        let enemy = capped(hands[1 - side], state.hands[1 - side].len() - key.pairs);
        for candidate in self.buckets.candidates(key.hash, side) {
            if !hands_suit(candidate.hands, own, enemy) {
                continue;
            }
            let entry = candidate.entry();
            let certificate = Table::certificate(&entry);
            if entry.words[4] & FOUND_BY == found_by
                && S::row_covers(&state.scores, flip(side), &certificate.least)
                && certificate.required::<S>() & key.dead[1 - side] == 0
                && self.buckets.whole(key.hash, &entry)
            {
                return Some(certificate);
            }
        }
        None
    }

    /// Find the winning move of the certificate for the mover that misses a state most narrowly: by the hands only, by
    /// at most [`NEAR`], or else by at most [`NEAR_IN_ALL`]. The move is a legal one.
    #[inline(always)]
    pub fn near_miss<S: Simd>(
        &self,
        state: &State,
        key: &Key,
        [own, enemy]: [Counts; 2],
    ) -> Option<NearMiss> {
        let mut nearest = None;
        let mut least = u32::MAX;
        let found_by = key.found_by(MOVER);
        for candidate in self.buckets.candidates(key.hash, MOVER) {
            let [winner, loser] = candidate.hands;
            let hands = excess(winner, own) + excess(enemy, loser);
            if hands >= least.min(NEAR_IN_ALL + 1) {
                continue;
            }
            let entry = candidate.entry();
            let scores = S::row_lacks(&state.scores, flip(MOVER), &Table::certificate(&entry).least);
            let by_hands = scores == 0 && hands <= NEAR;
            let miss = if by_hands { hands } else { NEAR + hands + scores };
            if entry.words[4] & FOUND_BY != found_by || miss >= least || miss > NEAR + NEAR_IN_ALL {
                continue;
            }
            let lane = (entry.words[4] >> 48 & 31) as u32;
            // The cell may be a stale one, filled here; the stone, another of the same rank.
            if let Some(stone) = Stone::new((entry.words[4] >> 53 & 15) as u8)
                && state.hands[MOVER].contains(stone)
                && state.empty >> lane & 1 != 0
            {
                (least, nearest) = (miss, Some(NearMiss { lane, stone, by_hands }));
            }
        }
        nearest
    }

    /// Keep a certificate of a state that took `work` nodes to prove, in place of those it includes, or else of
    /// the entry of the least work, old epochs first. `mv` is the mover's winning move, lane and stone.
    #[inline(always)]
    pub fn store<S: Simd>(
        &self,
        key: &Key,
        winner: usize,
        mv: (u8, u8),
        certificate: &Certificate,
        work: u64,
    ) {
        debug_assert!(winner == MOVER || winner == OTHER);
        let [a, b, c, d] = words_of(&certificate.least.0);
        let found_by = key.found_by(winner);
        let word = found_by | u64::from(mv.0) << 48 | u64::from(mv.1) << 53;
        let entry = Entry { hands: [certificate.winner, certificate.loser], words: [a, b, c, d, word, 0] };
        // Of the same key and winner, and proving nothing more.
        let mut useless = 0;
        for candidate in self.buckets.candidates(key.hash, winner) {
            let old = candidate.entry();
            if old.words[4] & FOUND_BY == found_by && certificate.includes::<S>(&Table::certificate(&old)) {
                useless |= 1 << candidate.slot;
            }
        }
        self.buckets.store(key.hash, winner, work, entry, useless);
    }
}
