//! Learned evaluation of α-Blackhole: a small network over the empty cells and their neighbours.
//!
//! A first layer fills [`WIDTH`] units of every empty cell from the cell's and the position's
//! [`inputs`]; in two rounds they take in the units of the empty neighbours; their sums over all cells and
//! the position's inputs go through one hidden layer to one output, the log-odds
//! that the player to move reaches its goal. All is integer arithmetic, with the same results on
//! every instruction path: units count in 1/[`ONE`], weights in 1/[`WEIGHT_ONE`].

#![allow(clippy::needless_range_loop)] // loops over units read better, and vectorise, with an index

mod inputs;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use crate::alpha::{Status, Target};
use crate::board::Cell;
use crate::position::Position;
use crate::simd::{Simd, Sums, WeightPair, SUMS};
pub use inputs::{Inputs, CELL_INPUTS, ONE, POSITION_INPUTS};

/// Units of a cell and of the hidden layer.
pub const WIDTH: usize = SUMS;
/// A weight of this value stands for 1.
pub const WEIGHT_ONE: i32 = 256;
/// The largest value of a unit; the sum of six neighbours' units is still below 2¹⁵.
const MAX_UNIT: i32 = 4095;
/// The sum over all cells is divided by 2 to this power.
pub const POOL_SHIFT: u32 = 2;

/// Values of all units of a layer.
type Units = [i16; WIDTH];

struct Round {
    own: [WeightPair; WIDTH / 2],
    neighbours: [WeightPair; WIDTH / 2],
    bias: Sums,
}

/// A network with its weights.
pub struct Network {
    cell: [WeightPair; CELL_INPUTS / 2],
    position: [WeightPair; POSITION_INPUTS / 2],
    rounds: [Round; 2],
    pooled: [WeightPair; WIDTH / 2],
    position_hidden: [WeightPair; POSITION_INPUTS / 2],
    output: [i32; WIDTH],
    output_bias: i32,
}

pub const COUNT: usize = (CELL_INPUTS + POSITION_INPUTS) * WIDTH
    + 2 * (2 * WIDTH + 1) * WIDTH
    + (WIDTH + POSITION_INPUTS) * WIDTH
    + WIDTH
    + 1;

impl Network {
    #[inline(always)]
    pub fn own() -> &'static Network {
        static OWN: OnceLock<Network> = OnceLock::new();
        OWN.get_or_init(|| Network::new(&parsed(WEIGHTS).expect("a number for each weight")))
    }

    /// Make a network from its weights in 1/[`WEIGHT_ONE`], for each input one for each unit: the
    /// first layer's, of cells and of the position; each round's, of the cell, of its neighbours, and
    /// the constants; the hidden layer's, of the cells' sums and of the position; the output's.
    pub fn new(weights: &[i16; COUNT]) -> Network {
        let mut rest = &weights[..];
        let mut take = |count: usize| {
            let (taken, left) = rest.split_at(count);
            rest = left;
            taken
        };
        fn pairs<const N: usize>(list: &[i16]) -> [WeightPair; N] {
            // Not `from_fn`: compilers leave it a call.
            let mut pairs = [WeightPair([0; 2 * WIDTH]); N];
            for (n, weight) in list.iter().enumerate() {
                let (input, unit) = (n / WIDTH, n % WIDTH);
                pairs[input / 2].0[2 * unit + input % 2] = *weight;
            }
            pairs
        }
        let cell = pairs(take(CELL_INPUTS * WIDTH));
        let position = pairs(take(POSITION_INPUTS * WIDTH));
        let mut round = || {
            let (own, neighbours) = (pairs(take(WIDTH * WIDTH)), pairs(take(WIDTH * WIDTH)));
            let bias = take(WIDTH);
            Round {
                own,
                neighbours,
                bias: Sums(std::array::from_fn(|n| i32::from(bias[n]) * i32::from(ONE))),
            }
        };
        let rounds = [round(), round()];
        let (pooled, position_hidden) = (pairs(take(WIDTH * WIDTH)), pairs(take(POSITION_INPUTS * WIDTH)));
        let output = take(WIDTH);
        let output = std::array::from_fn(|n| i32::from(output[n]));
        let output_bias = i32::from(take(1)[0]) * i32::from(ONE);
        Network { cell, position, rounds, pooled, position_hidden, output, output_bias }
    }

    /// Return the log-odds that the player to move reaches its goal; `status` is the target's, undecided.
    #[inline(always)]
    pub fn mover_log_odds<S: Simd>(&self, position: &Position, status: &Status, target: Target) -> f32 {
        let inputs = Inputs::of(position, status, target);
        let mut of_position = Sums([0; WIDTH]);
        S::multiply(&mut of_position, &self.position, &inputs.position);
        let mut cells = [[0; WIDTH]; 64];
        for cell in position.empty() {
            let mut sums = of_position;
            S::multiply(&mut sums, &self.cell, &inputs.cell(cell));
            cells[cell.index()] = squashed(&sums);
        }
        let mut pooled = [0i32; WIDTH];
        let first = cells;
        for cell in position.empty() {
            cells[cell.index()] = self.rounds[0].units::<S>(position, &first, cell);
        }
        for cell in position.empty() {
            let units = self.rounds[1].units::<S>(position, &cells, cell);
            for n in 0..WIDTH {
                pooled[n] += i32::from(units[n]);
            }
        }
        let mut pooled_units = [0; WIDTH];
        for n in 0..WIDTH {
            pooled_units[n] = (pooled[n] >> POOL_SHIFT) as i16;
        }
        let mut hidden = Sums([0; WIDTH]);
        S::multiply(&mut hidden, &self.pooled, &pooled_units);
        S::multiply(&mut hidden, &self.position_hidden, &inputs.position);
        let hidden = squashed(&hidden);
        let mut output = self.output_bias;
        for n in 0..WIDTH {
            output += self.output[n] * i32::from(hidden[n]);
        }
        output as f32 / (f32::from(ONE) * WEIGHT_ONE as f32)
    }
}

impl Round {
    /// Return the units of a cell after the round.
    #[inline(always)]
    fn units<S: Simd>(&self, position: &Position, before: &[Units; 64], cell: Cell) -> Units {
        let mut around = [0; WIDTH];
        for neighbour in cell.neighbours() & position.empty() {
            for n in 0..WIDTH {
                around[n] += before[neighbour.index()][n];
            }
        }
        let mut sums = self.bias;
        S::multiply(&mut sums, &self.own, &before[cell.index()]);
        S::multiply(&mut sums, &self.neighbours, &around);
        squashed(&sums)
    }
}

/// Return the values of units from their weighted sums.
#[inline(always)]
fn squashed(sums: &Sums) -> Units {
    let mut units = [0; WIDTH];
    for n in 0..WIDTH {
        units[n] = (sums.0[n] >> WEIGHT_ONE.trailing_zeros()).clamp(0, MAX_UNIT) as i16;
    }
    units
}

/// The weights that `blackhole-trainer train` writes; benches/README.md names the games.
const WEIGHTS: &str = include_str!("weights.txt");

/// Read [`COUNT`] whole numbers in the order of [`Network::new`]; `None` if the text is another.
pub fn parsed(text: &str) -> Option<[i16; COUNT]> {
    let (mut weights, mut numbers) = ([0; COUNT], text.split_ascii_whitespace());
    for weight in &mut weights {
        *weight = numbers.next()?.parse().ok()?;
    }
    numbers.next().is_none().then_some(weights)
}
