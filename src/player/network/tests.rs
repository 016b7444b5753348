//! The network against a slow, plain version, and what it must not depend on.

use rand::seq::IndexedRandom;
use rand::RngExt;

use super::*;
use crate::board::{Cell, Player};
use crate::simd::Portable;
use crate::testing::{self, mirrored, random_game, random_position};

/// Draw weights large enough that units reach their bounds.
fn random_weights(rng: &mut impl rand::Rng) -> [i16; COUNT] {
    std::array::from_fn(|_| rng.random_range(-400..=400))
}

/// The inputs by their definitions: the position's, and those of each cell.
fn plain_inputs(position: &Position, target: Target) -> (Vec<f64>, Vec<(Cell, Vec<f64>)>) {
    let status = Status::of::<Portable>(position, target);
    let mover = position.to_move();
    let sides = [mover, mover.opponent()];
    let [ours, theirs] = sides.map(|player| {
        let mut stones: Vec<f64> =
            position.hand(player).iter().map(|stone| f64::from(stone.value())).collect();
        stones.reverse();
        stones
    });
    let bit = |set: bool| f64::from(u8::from(set));
    let [need, other_need] = sides.map(|player| f64::from(status.need(position, player)));
    let [dead, other_dead] = sides.map(|player| f64::from(status.dead(player).len()));
    let undecided = f64::from(status.undecided().len());
    let mut whole = vec![1.0, need / 4.0, other_need / 4.0, (other_need - need) / 3.0];
    whole.extend([ours.len() as f64 / 10.0, theirs.len() as f64 / 10.0]);
    whole.extend([ours.iter().sum::<f64>() / 60.0, theirs.iter().sum::<f64>() / 60.0]);
    whole.extend([undecided / 10.0, dead / 5.0, other_dead / 5.0, 0.0]);
    for hand in [&ours, &theirs] {
        whole.extend((1..16).map(|stone| bit(hand.contains(&f64::from(stone)))));
    }
    let cells = position.empty().into_iter().map(|cell| {
        let free = position.free_neighbours(cell) as usize;
        let y = f64::from(mover.sign()) * (f64::from(position.score(cell)) - f64::from(target.alpha()) + 0.5);
        let most = |stones: &[f64]| stones.iter().take(free).sum::<f64>();
        let (own, other) = (most(&ours), most(&theirs));
        let open = (cell.neighbours() & status.undecided()).len() as usize;
        let [own_dead, other_dead] = sides.map(|player| status.dead(player).contains(cell));
        let undecided = status.undecided().contains(cell);
        let control = (2.0 * (2.0 * y + own - other) / (own + other + 1.0)).clamp(-1.5, 1.5);
        let tens = |y: f64| (y * 6.0 / 64.0).clamp(-180.0 / 64.0, 180.0 / 64.0);
        let mut inputs = vec![bit(undecided), bit(own_dead), bit(other_dead), control * bit(undecided)];
        inputs.extend([tens(y), tens(y - other), tens(y + own)]);
        inputs.extend((0..7).map(|n| bit(n == open)));
        inputs.extend((0..7).map(|n| bit(n == free)));
        inputs.push((y / 16.0).clamp(-60.0 / 64.0, 60.0 / 64.0) * bit(free == 1));
        inputs.extend([bit(own_dead && open == 0), bit(other_dead && open == 0)]);
        (cell, inputs)
    });
    (whole, cells.collect())
}

/// The network by its definition, from the integers of [`Inputs`].
fn plain_output(weights: &[i16; COUNT], position: &Position, target: Target) -> f64 {
    let status = Status::of::<Portable>(position, target);
    let inputs = Inputs::of(position, &status, target);
    let mut next = weights.iter().map(|&weight| i64::from(weight));
    let mut matrix = |rows: usize, columns: usize| -> Vec<Vec<i64>> {
        (0..rows).map(|_| next.by_ref().take(columns).collect()).collect()
    };
    let flow = |matrix: &[Vec<i64>], inputs: &[i64]| -> Vec<i64> {
        let column = |n: usize| matrix.iter().zip(inputs).map(|(row, input)| row[n] * input).sum();
        (0..matrix[0].len()).map(column).collect()
    };
    let add = |a: &[i64], b: &[i64]| -> Vec<i64> { a.iter().zip(b).map(|(a, b)| a + b).collect() };
    let squash =
        |sums: &[i64]| -> Vec<i64> { sums.iter().map(|sum| sum.div_euclid(256).clamp(0, 4095)).collect() };
    let whole: Vec<i64> = inputs.position.iter().map(|&input| i64::from(input)).collect();
    let cells: Vec<Cell> = position.empty().into_iter().collect();
    let [cell, of_position] = [matrix(CELL_INPUTS, WIDTH), matrix(POSITION_INPUTS, WIDTH)];
    let mut units: Vec<Vec<i64>> = cells
        .iter()
        .map(|&at| {
            let own: Vec<i64> = inputs.cell(at).iter().map(|&input| i64::from(input)).collect();
            squash(&add(&flow(&cell, &own), &flow(&of_position, &whole)))
        })
        .collect();
    for _ in 0..2 {
        let [own, near, bias] = [matrix(WIDTH, WIDTH), matrix(WIDTH, WIDTH), matrix(1, WIDTH)];
        let around = |at: Cell| {
            let near = cells.iter().zip(&units).filter(|(other, _)| at.neighbours().contains(**other));
            near.fold(vec![0; WIDTH], |sum, (_, units)| add(&sum, units))
        };
        units = cells
            .iter()
            .zip(&units)
            .map(|(&at, before)| {
                let sums = add(&flow(&own, before), &flow(&near, &around(at)));
                squash(&add(&sums, &flow(&bias, &[64])))
            })
            .collect();
    }
    let pooled = units.iter().fold(vec![0; WIDTH], |sum, units| add(&sum, units));
    let pooled: Vec<i64> = pooled.iter().map(|sum| sum / 4).collect();
    let [from_pooled, from_position] = [matrix(WIDTH, WIDTH), matrix(POSITION_INPUTS, WIDTH)];
    let hidden = squash(&add(&flow(&from_pooled, &pooled), &flow(&from_position, &whole)));
    let [output, bias] = [matrix(WIDTH, 1), matrix(1, 1)];
    (flow(&output, &hidden)[0] + 64 * bias[0][0]) as f64 / (64.0 * 256.0)
}

/// Ask many questions, about games and about positions that no game need reach.
fn questions(mut ask: impl FnMut(&mut rand_xoshiro::Xoshiro256PlusPlus, &Position, &Status, Target)) {
    let (mut rng, mut asked) = (testing::rng(23), 0);
    let mut positions: Vec<Position> = (0..40).flat_map(|_| random_game(&mut rng)).collect();
    positions.extend((0..600).map(|n| random_position(&mut rng, 2 + n % 30)));
    for position in positions {
        let target = Target::new(rng.random_range(-12..=12));
        let status = Status::of::<Portable>(&position, target);
        if status.winner(&position).is_none() {
            ask(&mut rng, &position, &status, target);
            asked += 1;
        }
    }
    assert!(asked > 700, "{asked}");
}

#[test]
fn inputs_are_what_they_are_called() {
    questions(|_, position, status, target| {
        let inputs = Inputs::of(position, status, target);
        let (whole, cells) = plain_inputs(position, target);
        let same = |found: &[i16], plain: &[f64]| {
            assert_eq!(found.len(), plain.len());
            for (n, (&found, plain)) in found.iter().zip(plain).enumerate() {
                // Rounded towards 0 or down.
                assert!((f64::from(found) - 64.0 * plain).abs() <= 1.5, "{n}: {found}, {plain} {position:?}");
            }
        };
        same(&inputs.position, &whole);
        cells.iter().for_each(|(cell, plain)| same(&inputs.cell(*cell), plain));
    });
}

#[test]
fn the_network_is_what_its_definition_says() {
    for weights in [random_weights(&mut testing::rng(24)), decoded(weights::TEXT)] {
        let network = Network::new(&weights);
        questions(|_, position, status, target| {
            let found = network.advantage::<Portable>(position, status, target);
            assert_eq!(found, plain_output(&weights, position, target) as f32, "{position:?} for {target}");
        });
    }
}

#[test]
fn neither_the_side_of_the_board_nor_the_colour_matters() {
    let network = Network::new(&random_weights(&mut testing::rng(25)));
    questions(|rng, position, status, target| {
        let found = network.advantage::<Portable>(position, status, target);
        let image = mirrored(position, *[1, 2, 3, 4, 5].choose(rng).expect("five"));
        let status = Status::of::<Portable>(&image, target);
        assert_eq!(network.advantage::<Portable>(&image, &status, target), found);
        // Blue keeps the score below 1 - α where Red reaches α.
        let hands = [Player::Blue, Player::Red].map(|player| position.hand(player));
        let exchanged = Position::setup(position.empty(), hands, position.to_move().opponent());
        let exchanged = exchanged.expect("the same counts").with_scores(|cell| -position.score(cell));
        let target = Target::new(1 - i32::from(target.alpha()));
        let status = Status::of::<Portable>(&exchanged, target);
        assert_eq!(network.advantage::<Portable>(&exchanged, &status, target), found);
    });
}

#[test]
fn weights_are_read_as_they_are_written() {
    let mut weights = random_weights(&mut testing::rng(26));
    (weights[0], weights[1], weights[COUNT - 1]) = (MOST_WEIGHT, -MOST_WEIGHT, MOST_WEIGHT);
    let text = encoded(&weights);
    assert!(!text.contains(['\\', '"', '/']) && text.is_ascii());
    assert_eq!(decoded(&text), weights);
    assert!(weights::TEXT.len() == 2 * COUNT && weights::TEXT.len() < 60_000);
}

/// No sum of the player's network can leave 32 bits, whatever its inputs.
#[test]
fn sums_do_not_overflow() {
    let weights = decoded(weights::TEXT);
    let mut rest = &weights[..];
    let mut most = |rows: usize, largest: i64| {
        let (taken, left) = rest.split_at(rows * WIDTH);
        rest = left;
        let column =
            |n: usize| taken.iter().skip(n).step_by(WIDTH).map(|&w| i64::from(w).abs() * largest).sum();
        (0..WIDTH).map(column).collect::<Vec<i64>>()
    };
    // Inputs are at most six, a need of 31 cells in fours.
    let first = [most(CELL_INPUTS, 192), most(POSITION_INPUTS, 500)];
    let rounds = [0, 1].map(|_| [most(WIDTH, 4095), most(WIDTH, 6 * 4095), most(1, 64)]);
    let last = [most(WIDTH, 31 * 4095 / 4), most(POSITION_INPUTS, 500)];
    let sums = [first.to_vec(), rounds[0].to_vec(), rounds[1].to_vec(), last.to_vec()];
    for layer in sums {
        for n in 0..WIDTH {
            let sum: i64 = layer.iter().map(|part| part[n]).sum();
            assert!(sum < i64::from(i32::MAX), "{sum}");
        }
    }
}
