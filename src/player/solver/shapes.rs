//! A second table: certificates by shape, whatever the cells. It serves boards that a symmetry maps onto
//! themselves, such as the classic one; on others few positions have the same shape and not the same
//! cells, and looking for them costs what it saves.
//!
//! *Mapping.* What α-Blackhole makes of a position depends only on the labels of the cells (dead for one side
//! or the other, or undecided), the scores and neighbours of the undecided cells, and the hands (see
//! [`moves`](super::moves)). Let Q be a position that W wins, at the weakest its certificate allows: undecided
//! cells with the scores required, as if dead for X where none is. Let the cells of P be mapped one to one onto
//! those of Q, so that labels agree, and neighbours of undecided cells; stale cells, which are nobody's
//! neighbours of that kind, need only be as many of each side. If every undecided cell's score and both
//! hands are no worse for W in P than the certificate requires in Q, W wins P: it plays as in Q, each cell
//! and each rank of a stone standing for the other. An undecided cell of P receives what its counterpart
//! does; a cell dead for W in P suits W, whatever its counterpart would have needed to.
//!
//! A certificate for P is then: those scores, and what makes the cells dead for W dead. With better scores and
//! hands than that, labels are no worse for W.
//!
//! A *shape* puts the open cells (those not stale) in an order that depends on labels and neighbours first,
//! on scores only where those cannot tell cells apart, and on numbers of cells last. Positions are compared in
//! that order, place by place: mappings are missed that way, but the one it gives is checked cell by cell.

use std::io::{self, Read, Write};

use super::buckets::{Buckets, Entry, bytes_of, words_of};
use super::certificate::{ANY, Certificate, Counts, hands_suit};
use super::state::{Frame, MOVER, OTHER, State, Sums, lanes};
use super::table::{Key, rely_on_dead};
use super::tuning::{SHAPE_ROUNDS, SHAPE_WAYS};

/// Words of 8 bytes in an entry besides the hands.
///
/// ```text
/// word 0..4  least score of every place, from the winner's side
/// word 4..8  the lane of every place
/// word 8     open cells and undecided cells (32 bits each)
/// word 9     open cells dead for the mover (32 bits), numbers of stale cells (8 bits each), winner (the top bit)
/// word 10    check
/// ```
const WORDS: usize = 11;

/// The open cells of a state in the order of its shape.
pub struct Shape {
    hash: u64,
    /// The lane of every place.
    order: [i8; 32],
    open: u32,
    undecided: u32,
    /// Open cells dead for the mover.
    dead: u32,
    /// Numbers of stale cells, 8 bits for each side.
    stale: u32,
}

#[inline(always)]
fn mix(value: u64) -> u64 {
    let value = (value ^ value >> 31).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    value ^ value >> 29
}

impl Shape {
    /// Find the shape of a state.
    pub fn of(frame: &Frame, state: &State, key: &Key) -> Shape {
        let mut shape = Shape {
            hash: 0,
            order: [0; 32],
            open: state.empty & !key.stale_cells,
            undecided: state.empty & !key.dead[MOVER] & !key.dead[OTHER],
            dead: key.dead[MOVER] & !key.stale_cells,
            stale: key.stale_count(MOVER) | key.stale_count(OTHER) << 8,
        };
        // What tells cells apart: their labels, the labels of their neighbours, of the neighbours of these...
        let mut colours = [0u64; 32];
        for lane in lanes(shape.open) {
            let label = (shape.undecided >> lane & 1) * 2 + (shape.dead >> lane & 1);
            colours[lane as usize] = mix(u64::from(label) + 1);
        }
        for _ in 0..SHAPE_ROUNDS {
            let before = colours;
            for lane in lanes(shape.open) {
                let beside = lanes(shape.near(frame, lane)).map(|near| before[near as usize]);
                let own = before[lane as usize].wrapping_mul(3);
                colours[lane as usize] = mix(own.wrapping_add(mix(beside.fold(0, u64::wrapping_add))));
            }
        }
        shape.hash = mix(u64::from(shape.stale));
        // Connected parts by colour and score, the cells of each by colour and score.
        let mut places = [(0u64, 0u64); 32];
        let mut count = 0;
        let mut rest = shape.open;
        while rest != 0 {
            let part = shape.part(frame, rest.trailing_zeros());
            rest &= !part;
            let colour = lanes(part).fold(0u64, |sum, lane| sum.wrapping_add(colours[lane as usize]));
            let score: i32 = lanes(part).map(|lane| state.score(MOVER, lane)).sum();
            shape.hash = shape.hash.wrapping_add(mix(colour));
            let first = u64::from(part.trailing_zeros());
            let of_part = colour & !0xFF_FFFF | ((score + 4096) as u64 & 0xFFFF) << 8 | first;
            for lane in lanes(part) {
                let score = (state.score(MOVER, lane) + 128) as u64;
                let of_cell = colours[lane as usize] & !0xFFFF | score << 8 | u64::from(lane);
                places[count] = (of_part, of_cell);
                count += 1;
            }
        }
        places[..count].sort_unstable();
        for (lane, (_, of_cell)) in shape.order.iter_mut().zip(&places[..count]) {
            *lane = (of_cell & 31) as i8;
        }
        shape
    }

    /// Return the neighbours of an open cell that matter: all of an undecided one, else the undecided ones.
    #[inline(always)]
    fn near(&self, frame: &Frame, lane: u32) -> u32 {
        let matter = if self.undecided >> lane & 1 != 0 { self.open } else { self.undecided };
        frame.near[(lane & 31) as usize] & matter
    }

    /// Return the connected part of the open cells that a cell is in.
    fn part(&self, frame: &Frame, lane: u32) -> u32 {
        let mut part = 1u32 << lane;
        let mut fresh = part;
        while fresh != 0 {
            let grown = self.near(frame, fresh.trailing_zeros()) & !part;
            part |= grown;
            fresh = fresh & (fresh - 1) | grown;
        }
        part
    }

    /// List the lanes in order.
    fn lanes(&self) -> impl Iterator<Item = u32> {
        self.order.iter().take(self.open.count_ones() as usize).map(|&lane| lane as u32)
    }

    /// Describe the cell of every place: its label, and the places of the neighbours that matter.
    fn places(&self, frame: &Frame) -> [(u32, u32); 32] {
        let mut place_of = [0u32; 32];
        for (place, lane) in (0..).zip(self.lanes()) {
            place_of[(lane & 31) as usize] = place;
        }
        let mut places = [(0, 0); 32];
        for (place, lane) in places.iter_mut().zip(self.lanes()) {
            let label = (self.undecided >> lane & 1) * 2 + (self.dead >> lane & 1);
            let near = lanes(self.near(frame, lane)).map(|near| 1 << place_of[near as usize]);
            *place = (label, near.fold(0, |set, place: u32| set | place));
        }
        places
    }

    /// Tell whether the orders map one shape onto the other.
    fn is(&self, frame: &Frame, other: &Shape) -> bool {
        self.stale == other.stale
            && self.open.count_ones() == other.open.count_ones()
            && self.places(frame) == other.places(frame)
    }
}

/// The table by shape. A clone is the same table.
#[derive(Clone)]
pub struct Shapes {
    buckets: Entries,
}

type Entries = Buckets<SHAPE_WAYS, WORDS>;

impl Shapes {
    /// Make a table of at most `bytes`, and at least one bucket.
    pub fn new(bytes: usize) -> Shapes {
        Shapes { buckets: Buckets::new(bytes) }
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

    /// Find a certificate that covers a state, with the winner; `hands` are the counts of the state's hands.
    pub fn probe(
        &self,
        frame: &Frame,
        state: &State,
        key: &Key,
        sums: &Sums,
        hands: [Counts; 2],
        shape: &Shape,
    ) -> Option<(usize, Certificate)> {
        for side in [MOVER, OTHER] {
            let allow = |required| hands_suit(required, hands[side], hands[1 - side]);
            let found = self.buckets.find(shape.hash, side, allow, |entry| {
                let least = bytes_of(&entry.words);
                let suits = |(lane, &least): (u32, &i8)| state.score(side, lane) >= i32::from(least);
                if entry.words[9] >> 63 != side as u64
                    || !shape.lanes().zip(&least).all(suits)
                    || !shape.is(frame, &from_entry(&entry.words))
                    || !self.buckets.whole(shape.hash, entry)
                {
                    return None;
                }
                let [winner, loser] = entry.hands;
                let mut certificate = Certificate { winner, loser, ..Certificate::NONE };
                for (lane, &least) in shape.lanes().zip(&least) {
                    certificate.least.0[(lane & 31) as usize] = least;
                }
                rely_on_dead(&mut certificate, state, sums, side, key.dead[side]);
                Some((side, certificate))
            });
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Keep a certificate of a state of this shape that took `work` nodes to prove.
    pub fn store(&self, shape: &Shape, winner: usize, certificate: &Certificate, work: u64) {
        let mut least = [ANY; 32];
        for (place, lane) in least.iter_mut().zip(shape.lanes()) {
            if shape.undecided >> lane & 1 != 0 {
                *place = certificate.least.0[(lane & 31) as usize];
            }
        }
        let mut words = [0; WORDS];
        words[..4].copy_from_slice(&words_of(&least));
        words[4..8].copy_from_slice(&words_of(&shape.order));
        words[8] = u64::from(shape.open) | u64::from(shape.undecided) << 32;
        words[9] = u64::from(shape.dead) | u64::from(shape.stale) << 32 | (winner as u64) << 63;
        let entry = Entry { hands: [certificate.winner, certificate.loser], words };
        self.buckets.store(shape.hash, winner, work, entry, 0);
    }
}

/// Return the shape that an entry was made for.
fn from_entry(words: &[u64; WORDS]) -> Shape {
    Shape {
        hash: 0,
        order: bytes_of(&words[4..8]),
        open: words[8] as u32,
        undecided: (words[8] >> 32) as u32,
        dead: words[9] as u32,
        stale: (words[9] >> 32) as u32 & 0xFFFF,
    }
}
