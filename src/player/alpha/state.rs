//! A position as the static formula and the solver keep it: cells numbered, scores relative to the target, no colours.

use super::Target;
use crate::board::{Cell, CellSet, Hand, Player, Stone};
use crate::position::{Position, MAX_SCORE};
use crate::simd::{Lanes, Simd};

/// Sides as they are numbered here: the side to move and the one that has just moved.
pub const MOVER: usize = 0;
pub const OTHER: usize = 1;

/// A numbering of cells, kept as long as positions fit into it; the solver's table is keyed by it.
#[derive(Clone)]
pub struct Frame {
    cells: CellSet,
    number: [u8; 64],
    pub cell: [Cell; 32],
    pub near: [u32; 32],
    near_rows: [Lanes; 32],
}

impl Default for Frame {
    fn default() -> Frame {
        let cell = Cell::at(0, 0).expect("A1 is a cell");
        Frame {
            cells: CellSet::EMPTY,
            number: [0; 64],
            cell: [cell; 32],
            near: [0; 32],
            near_rows: [Lanes::splat(0); 32],
        }
    }
}

impl Frame {
    /// Number the empty cells of a position, and translate it.
    pub fn around(position: &Position, target: Target) -> (Frame, State) {
        let mut frame = Frame::default();
        frame.admit(position.empty());
        let state = frame.state(position, target);
        (frame, state)
    }

    /// Return the number of a cell that has been admitted.
    pub fn number(&self, cell: Cell) -> u32 {
        self.number[cell.index()].into()
    }

    /// Tell whether the cells of `empty` have been admitted.
    pub fn has(&self, empty: CellSet) -> bool {
        (empty - self.cells).is_empty()
    }

    /// Make room for the cells of `empty`; tell whether the cells known before kept their numbers.
    pub fn admit(&mut self, empty: CellSet) -> bool {
        let keeps = (self.cells | empty).len() <= 32;
        if !keeps {
            *self = Frame::default();
        }
        let new = empty - self.cells;
        for cell in new {
            let index = self.cells.len() as usize;
            self.cells = self.cells | CellSet::of(cell);
            self.number[cell.index()] = index as u8;
            self.cell[index] = cell;
            for other in cell.neighbours() & self.cells {
                let near = self.number[other.index()] as usize;
                self.near[index] |= 1 << near;
                self.near[near] |= 1 << index;
                self.near_rows[index].0[near] = -1;
                self.near_rows[near].0[index] = -1;
            }
        }
        keeps
    }

    pub fn near_row(&self, index: u32) -> &Lanes {
        &self.near_rows[(index & 31) as usize]
    }

    #[inline(always)]
    pub fn beside(&self, set: u32) -> u32 {
        let mut beside = 0;
        for index in indices(set) {
            beside |= self.near[(index & 31) as usize];
        }
        beside
    }

    #[inline(always)]
    pub fn count_near<S: Simd>(&self, set: u32) -> S::Vector {
        let mut counts = S::splat(0);
        for index in indices(set) {
            counts = S::subtract(counts, S::load(self.near_row(index)));
        }
        counts
    }

    /// Translate a position whose empty cells have been admitted. Scores relative to α are clamped to
    /// -76..=75: a cell beyond that belongs to its owner for good, before and after clamping.
    pub fn state(&self, position: &Position, target: Target) -> State {
        let mover = position.to_move();
        let mut state = State {
            scores: Lanes::splat(0),
            free: Lanes::splat(0),
            empty: 0,
            hands: [position.hand(mover), position.hand(mover.opponent())],
        };
        let most = i32::from(MAX_SCORE);
        for cell in position.empty() {
            let index = self.number[cell.index()] as usize;
            let relative = i32::from(position.score(cell)) - i32::from(target.alpha());
            let relative = relative.clamp(-most - 1, most) as i8;
            state.scores.0[index] = if mover == Player::Red { relative } else { !relative };
            state.free.0[index] = position.free_neighbours(cell) as i8;
            state.empty |= 1 << index;
        }
        state
    }
}

/// A position of α-Blackhole from the mover's side. A cell's score here is its score minus α for Red, and its
/// complement (-1 - that) for Blue: a cell suits a side as it stands when its score from there is at least 0.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub struct State {
    pub scores: Lanes,
    pub free: Lanes,
    pub empty: u32,
    /// The stones left: the mover's and the other side's.
    pub hands: [Hand; 2],
}

/// Return the mask that turns a score from the mover's side into one from `side`, by exclusive or.
pub const fn flip(side: usize) -> i8 {
    -(side as i8)
}

impl State {
    pub fn score(&self, side: usize, index: u32) -> i32 {
        i32::from(self.scores.0[(index & 31) as usize] ^ flip(side))
    }

    #[inline(always)]
    #[must_use]
    pub fn after(&self, frame: &Frame, index: u32, stone: Stone) -> State {
        let near = frame.near_row(index);
        let value = stone.value() as i8;
        let mut next = State {
            scores: Lanes::splat(0),
            free: Lanes::splat(0),
            empty: self.empty & !(1 << index),
            hands: [self.hands[OTHER], self.hands[MOVER].without(stone)],
        };
        for i in 0..32 {
            next.scores.0[i] = !self.scores.0[i].saturating_add(near.0[i] & value);
            next.free.0[i] = self.free.0[i].wrapping_add(near.0[i]);
        }
        next
    }
}

#[inline(always)]
pub fn indices(set: u32) -> impl Iterator<Item = u32> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let index = rest.trailing_zeros();
        rest &= rest.wrapping_sub(1);
        (index < 32).then_some(index)
    })
}

/// Sums over the hands of a state, shared by all children of a node that spend the same stone.
#[derive(Clone, Copy)]
pub struct HandSums {
    pub count: [i32; 2],
    /// Sums of the `k` largest stones of each side, for every `k`.
    pub top: [[u8; 16]; 2],
    /// Sums of the `k` smallest stones of each side, `k` = 0..=7; 0 from 8 on.
    pub least: [[u8; 16]; 2],
    /// The most a side's cell can lose when its `k` empty neighbours are filled (signed bytes).
    pub fall: [u64; 2],
}

impl HandSums {
    #[inline(always)]
    pub fn of(hands: [Hand; 2]) -> HandSums {
        let least = |side: usize| u128::from(hands[side].smallest_sums()).to_le_bytes();
        HandSums {
            count: [hands[0].len() as i32, hands[1].len() as i32],
            top: [hands[0].all_largest_sums().to_le_bytes(), hands[1].all_largest_sums().to_le_bytes()],
            least: [least(0), least(1)],
            fall: [hands[OTHER].best_fill(hands[MOVER]), hands[MOVER].best_fill(hands[OTHER])],
        }
    }
}

#[derive(Clone, Copy)]
pub struct View<'a> {
    pub frame: &'a Frame,
    pub state: &'a State,
    pub sums: &'a HandSums,
}

impl View<'_> {
    pub fn near(&self, index: u32) -> u32 {
        self.frame.near[(index & 31) as usize] & self.state.empty
    }

    pub fn free(&self, index: u32) -> i32 {
        i32::from(self.state.free.0[(index & 31) as usize])
    }

    /// Count the stones of the side that is not `side`.
    pub fn enemies(&self, side: usize) -> i32 {
        self.sums.count[1 - side]
    }

    /// Return the empty cells outside the dead ones of both sides.
    #[inline(always)]
    pub fn undecided(&self, dead: [u32; 2]) -> u32 {
        self.state.empty & !dead[MOVER] & !dead[OTHER]
    }

    /// Return the number of dead cells, besides `dead`, that each side needs to win by counting (§2.3.2).
    #[inline(always)]
    pub fn need(&self, dead: [u32; 2]) -> [i32; 2] {
        let need = |side: usize| self.enemies(side) + 1 - dead[side].count_ones() as i32;
        [need(MOVER), need(OTHER)]
    }

    /// Return the least score that makes a cell dead for `side`.
    pub fn safe_score(&self, side: usize, index: u32) -> i32 {
        signed(self.sums.fall[side], self.free(index) as u32)
    }

    /// Return the cells that suit each side after any moves.
    #[inline(always)]
    pub fn dead<S: Simd>(&self) -> [u32; 2] {
        let View { state, sums, .. } = self;
        // Spelled out: a closure given to `map` is not inlined, and not compiled for the path.
        [
            S::row_reaches(&state.scores, flip(MOVER), &state.free, sums.fall[MOVER]) & state.empty,
            S::row_reaches(&state.scores, flip(OTHER), &state.free, sums.fall[OTHER]) & state.empty,
        ]
    }
}

pub const fn sum(row: &[u8; 16], k: u32) -> i32 {
    debug_assert!(k < 16);
    row[(k & 15) as usize] as i32
}

pub const fn signed(row: u64, k: u32) -> i32 {
    (row >> (8 * k)) as i8 as i32
}
