//! The network against a slow, plain version, and its independence of order and instruction path.

use rand::RngExt;

use super::*;
use crate::simd::Portable;
use crate::testing::{self, random_game, random_position};

/// Draw weights large enough that units reach their bounds.
fn random_weights(rng: &mut impl rand::Rng) -> [i16; COUNT] {
    std::array::from_fn(|_| rng.random_range(-400..=400))
}

/// Add up the units of some cells.
fn total<'a>(units: impl Iterator<Item = &'a Vec<i64>>) -> Vec<i64> {
    units.fold(vec![0; WIDTH], |sum, units| sum.iter().zip(units).map(|(a, b)| a + b).collect())
}

/// The network by its definition, from the integers of [`Inputs`].
fn plain_output(weights: &[i16; COUNT], position: &Position, target: Target) -> f64 {
    let inputs = Inputs::of(position, &Status::of::<Portable>(position, target), target);
    let mut next = weights.iter().map(|&weight| i64::from(weight));
    let mut matrix = |rows: usize, columns: usize| -> Vec<Vec<i64>> {
        (0..rows).map(|_| next.by_ref().take(columns).collect()).collect()
    };
    let flow = |(matrix, inputs): &(&[Vec<i64>], &[i64]), unit: usize| -> i64 {
        matrix.iter().zip(*inputs).map(|(row, input)| row[unit] * input).sum()
    };
    let layer = |parts: &[(&[Vec<i64>], &[i64])]| -> Vec<i64> {
        let sums = (0..WIDTH).map(|unit| parts.iter().map(|part| flow(part, unit)).sum::<i64>());
        sums.map(|sum| sum.div_euclid(256).clamp(0, 4095)).collect()
    };
    let whole = inputs.position.map(i64::from);
    let cells: Vec<Cell> = position.empty().into_iter().collect();
    let [cell, of_position] = [matrix(CELL_INPUTS, WIDTH), matrix(POSITION_INPUTS, WIDTH)];
    let first = |&at: &Cell| layer(&[(&cell, &inputs.cell(at).map(i64::from)), (&of_position, &whole)]);
    let mut units: Vec<Vec<i64>> = cells.iter().map(first).collect();
    for _ in 0..2 {
        let [own, near, bias] = [matrix(WIDTH, WIDTH), matrix(WIDTH, WIDTH), matrix(1, WIDTH)];
        let after = |(at, before): (&Cell, &Vec<i64>)| {
            let around = cells.iter().zip(&units).filter(|(&other, _)| at.neighbours().contains(other));
            let around = total(around.map(|(_, units)| units));
            layer(&[(&own, before), (&near, &around), (&bias, &[64])])
        };
        units = cells.iter().zip(&units).map(after).collect();
    }
    let pooled: Vec<i64> = total(units.iter()).iter().map(|sum| sum / 4).collect();
    let [from_pooled, from_position] = [matrix(WIDTH, WIDTH), matrix(POSITION_INPUTS, WIDTH)];
    let hidden = layer(&[(&from_pooled, &pooled), (&from_position, &whole)]);
    let [output, bias] = [matrix(WIDTH, 1), matrix(1, 1)];
    (flow(&(&output, &hidden), 0) + 64 * bias[0][0]) as f64 / (64.0 * 256.0)
}

/// Ask many questions, about games and about positions that no game need reach.
fn questions(mut ask: impl FnMut(&Position, &Status, Target)) {
    let (mut rng, mut asked) = (testing::rng(23), 0);
    let mut positions: Vec<Position> = (0..40).flat_map(|_| random_game(&mut rng)).collect();
    positions.extend((0..600).map(|n| random_position(&mut rng, 2 + n % 30)));
    for position in positions {
        let target = Target::new(rng.random_range(-12..=12));
        let status = Status::of::<Portable>(&position, target);
        if status.winner(&position).is_none() {
            ask(&position, &status, target);
            asked += 1;
        }
    }
    assert!(asked > 700, "{asked}");
}

#[test]
fn the_network_agrees_with_its_definition() {
    for weights in [random_weights(&mut testing::rng(24)), parsed(WEIGHTS).unwrap()] {
        let network = Network::new(&weights);
        questions(|position, status, target| {
            let found = network.mover_log_odds::<Portable>(position, status, target);
            assert_eq!(found, plain_output(&weights, position, target) as f32, "{position:?} for {target}");
        });
    }
}

#[test]
fn a_file_has_as_many_weights_as_the_network() {
    for (text, fits) in [
        (WEIGHTS.to_owned(), true),
        (format!("{WEIGHTS} 1"), false),
        (WEIGHTS.replacen(' ', "", 1), false),
        (WEIGHTS.replacen('1', "x", 1), false),
        (WEIGHTS.replacen('1', "99999", 1), false),
    ] {
        assert_eq!(parsed(&text).is_some(), fits, "{}", &text[..200]);
    }
}

/// No sum of the player's network can leave 32 bits, whatever its inputs.
#[test]
fn the_largest_weights_do_not_overflow() {
    // Inputs are at most six, a need of 31 cells in fours.
    let (cell, position) = ((CELL_INPUTS, 192), (POSITION_INPUTS, 500));
    let round: &[(usize, i64)] = &[(WIDTH, 4095), (WIDTH, 6 * 4095), (1, 64)];
    let weights = parsed(WEIGHTS).unwrap();
    let mut rows = weights.chunks_exact(WIDTH);
    for layer in [&[cell, position], round, round, &[(WIDTH, 31 * 4095 / 4), position]] {
        let mut most = [0; WIDTH];
        for &(count, largest) in layer {
            for (n, &weight) in rows.by_ref().take(count).flatten().enumerate() {
                most[n % WIDTH] += i64::from(weight).abs() * largest;
            }
        }
        assert!(most.iter().all(|&sum| sum < i64::from(i32::MAX)), "{most:?}");
    }
}
