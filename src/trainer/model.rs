//! Training of the player's network (see [`network`](blackhole_player::network)) on labelled games, in
//! 32-bit floating point; the final weights are rounded to the player's whole numbers.

use blackhole_player::alpha::Status;
use blackhole_player::network::{
    CELL_INPUTS, COUNT, Inputs, ONE, POOL_SHIFT, POSITION_INPUTS, WEIGHT_ONE, WIDTH,
};
use blackhole_player::rng::{Random, unit};
use blackhole_player::simd::Portable;
use candle_core::{D, Device, Result, Tensor, Var};
use candle_nn::{AdamW, Optimizer, ParamsAdamW};

use crate::data::{Example, TargetQuestion};
use crate::drawn;

/// The first step size of Adam, which falls to 0 along a cosine.
const RATE: f64 = 3e-3;
/// Questions of a step.
const BATCH: usize = 256;
/// Questions about an example in an epoch.
const ASKED: usize = 6;

/// The rows and columns of each layer's weights, and the typical number of active inputs, which scales the
/// first weights; 0 for first weights of 0.
const LAYERS: [[usize; 3]; 12] = [
    // Both rounds: the weights of a cell and of its neighbours.
    [WIDTH, WIDTH, 2 * WIDTH],
    [WIDTH, WIDTH, 6 * WIDTH],
    [1, WIDTH, 0],
    [WIDTH, WIDTH, 2 * WIDTH],
    [WIDTH, WIDTH, 6 * WIDTH],
    [1, WIDTH, 0],
    // The inputs by cell and by position.
    [CELL_INPUTS, WIDTH, 12],
    [POSITION_INPUTS, WIDTH, 60],
    // The sum over the cells, the position once more, and the output.
    [WIDTH, WIDTH, 8 * WIDTH],
    [POSITION_INPUTS, WIDTH, 60],
    [WIDTH, 1, WIDTH],
    [1, 1, 0],
];

struct Model(Vec<Var>);

impl Model {
    fn new(random: &mut Random) -> Result<Model> {
        // A sum of uniform draws is nearly normal.
        let mut normal = || (0..12).map(|_| unit(random.bits())).sum::<f32>() - 6.0;
        let mut layer = |[rows, columns, inputs]: [usize; 3]| {
            let values = match inputs {
                0 => vec![0.0; rows * columns],
                _ => (0..rows * columns).map(|_| (2.0 / inputs as f32).sqrt() * normal()).collect(),
            };
            Var::from_vec(values, (rows, columns), &Device::Cpu)
        };
        Ok(Model(LAYERS.into_iter().map(&mut layer).collect::<Result<_>>()?))
    }

    /// Return the log-odds for a batch.
    fn log_odds(&self, batch: &Batch) -> Result<Tensor> {
        let Batch { cells, position, near, count, .. } = batch;
        let [rounds @ .., by_cell, by_position, pooled, position_hidden, output, output_bias] = &self.0[..]
        else {
            unreachable!("as many as there are layers")
        };
        let questions = position.dim(0)?;
        let flat = |tensor: &Tensor| tensor.reshape((questions * count, WIDTH));
        let shaped = |tensor: Tensor| tensor.reshape((questions, *count, WIDTH));
        let of_position = position.matmul(by_position)?.unsqueeze(1)?;
        let mut units = shaped(cells.matmul(by_cell)?)?.broadcast_add(&of_position)?.relu()?;
        for round in rounds.chunks(3) {
            let around = flat(&near.matmul(&units)?)?.matmul(&round[1])?;
            let sums = (flat(&units)?.matmul(&round[0])? + around)?.broadcast_add(&round[2])?;
            units = shaped(sums.relu()?)?;
        }
        let sums = (units.sum(1)? / f64::from(1 << POOL_SHIFT))?;
        let hidden = (sums.matmul(pooled)? + position.matmul(position_hidden)?)?.relu()?;
        hidden.matmul(output)?.broadcast_add(output_bias)?.squeeze(D::Minus1)
    }

    /// Return the weights in the player's order: the inputs first.
    fn rounded(&self) -> Result<Box<[i16; COUNT]>> {
        let rounded = |x: f32| (x * WEIGHT_ONE as f32).round() as i16;
        let mut weights = Vec::with_capacity(COUNT);
        for var in self.0[6..8].iter().chain(&self.0[..6]).chain(&self.0[8..]) {
            weights.extend(var.flatten_all()?.to_vec1()?.into_iter().map(rounded));
        }
        Ok(weights.into_boxed_slice().try_into().expect("as many as the player takes"))
    }
}

struct Batch {
    /// Inputs of all cells, question by question.
    cells: Tensor,
    position: Tensor,
    /// 1 for neighbouring cells, else 0.
    near: Tensor,
    count: usize,
    /// 1 where the player to move reaches its goal.
    reached: Tensor,
}

impl Batch {
    fn of(questions: &[TargetQuestion]) -> Result<Batch> {
        let count = questions[0].position.empty().len() as usize;
        let (mut cells, mut of_position, mut near, mut reached) = (vec![], vec![], vec![], vec![]);
        let part = |&input: &i16| f32::from(input) / f32::from(ONE);
        let truth = |is_true| f32::from(u8::from(is_true));
        for TargetQuestion { position, target, reached: is_reached } in questions {
            let inputs = Inputs::of(position, &Status::of::<Portable>(position, *target), *target);
            of_position.extend(inputs.position.iter().map(part));
            reached.push(truth(*is_reached));
            for cell in position.empty() {
                cells.extend(inputs.cell(cell).iter().map(part));
                near.extend(
                    position.empty().into_iter().map(|other| truth(cell.neighbours().contains(other))),
                );
            }
        }
        let size = questions.len();
        Ok(Batch {
            cells: Tensor::from_vec(cells, (size * count, CELL_INPUTS), &Device::Cpu)?,
            position: Tensor::from_vec(of_position, (size, POSITION_INPUTS), &Device::Cpu)?,
            near: Tensor::from_vec(near, (size, count, count), &Device::Cpu)?,
            count,
            reached: Tensor::from_vec(reached, size, &Device::Cpu)?,
        })
    }
}

/// Return the mean log-loss of log-odds x: ln(1 + e^x), minus x if the goal is reached.
fn log_loss(log_odds: &Tensor, reached: &Tensor) -> Result<Tensor> {
    let small = (log_odds.abs()?.neg()?.exp()? + 1.0)?.log()?;
    (small + log_odds.relu()? - (log_odds * reached)?)?.mean_all()
}

/// Train a network from weights that are random by a seed, as is the order of the examples; tell the mean
/// log-loss after each epoch.
pub fn train(
    examples: &[Example],
    epochs: usize,
    seed: u64,
    mut tell: impl FnMut(f64),
) -> Result<Box<[i16; COUNT]>> {
    let mut random = Random::new(seed);
    let model = Model::new(&mut random)?;
    let params = ParamsAdamW { lr: RATE, weight_decay: 0.0, ..ParamsAdamW::default() };
    let mut optimizer = AdamW::new(model.0.clone(), params)?;
    for epoch in 0..epochs {
        let batches = batches(examples, &mut random);
        let (mut sum, mut seen) = (0.0, 0.0);
        for (n, questions) in batches.iter().enumerate() {
            let done = (epoch as f64 + n as f64 / batches.len() as f64) / epochs as f64;
            optimizer.set_learning_rate(RATE * (1.0 + (done * std::f64::consts::PI).cos()) / 2.0);
            let batch = Batch::of(questions)?;
            let loss = log_loss(&model.log_odds(&batch)?, &batch.reached)?;
            optimizer.backward_step(&loss)?;
            sum += f64::from(loss.to_scalar::<f32>()?) * questions.len() as f64;
            seen += questions.len() as f64;
        }
        tell(sum / seen);
    }
    model.rounded()
}

/// Draw the questions of an epoch and deal them into batches, each of one number of empty cells.
fn batches(examples: &[Example], random: &mut Random) -> Vec<Vec<TargetQuestion>> {
    let mut by_cells: Vec<Vec<TargetQuestion>> = vec![Vec::new(); 37];
    for example in examples {
        let mut all: Vec<TargetQuestion> = example.questions().collect();
        shuffle(&mut all, random);
        by_cells[example.position.empty().len() as usize].extend(all.into_iter().take(ASKED));
    }
    let mut batches = Vec::new();
    for mut questions in by_cells {
        shuffle(&mut questions, random);
        batches.extend(questions.chunks(BATCH).map(<[TargetQuestion]>::to_vec));
    }
    shuffle(&mut batches, random);
    batches
}

fn shuffle<T>(list: &mut [T], random: &mut Random) {
    for n in (1..list.len()).rev() {
        list.swap(n, drawn(random, 0..=n as u32) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use blackhole_player::limits::Limits;
    use blackhole_player::network::Network;
    use blackhole_player::solver::Solver;
    use blackhole_player::testing;

    fn solved(count: usize) -> Vec<Example> {
        let (mut rng, mut solver) = (testing::rng(61), Solver::default());
        let mut example = || {
            let position = testing::random_play(&mut rng, 9);
            let value = solver.value(&position, 0, &Limits::NONE).exact().expect("no limit");
            Example { position, value }
        };
        (0..count).map(|_| example()).collect()
    }

    #[test]
    fn whole_numbers_say_what_floating_point_does() {
        let model = Model::new(&mut Random::new(1)).expect("tensors");
        let network = Network::new(&model.rounded().expect("tensors"));
        for example in solved(20) {
            let asked: Vec<TargetQuestion> = example.questions().collect();
            let batch = Batch::of(&asked).expect("tensors");
            let expected: Vec<f32> = model.log_odds(&batch).and_then(|it| it.to_vec1()).expect("tensors");
            for (question, expected) in asked.iter().zip(expected) {
                let found = question.log_odds(&network);
                assert!((found - expected).abs() < 0.3 + 0.1 * expected.abs(), "{found}, {expected}");
            }
        }
    }

    #[test]
    fn training_lowers_the_log_loss_and_is_the_same_each_time() {
        let (examples, mut losses) = (solved(30), Vec::new());
        let mut trained = || train(&examples, 30, 1, |loss| losses.push(loss)).expect("tensors");
        assert!(trained() == trained());
        assert!(losses.len() == 60 && losses[29] < 0.7 * losses[0], "{losses:?}");
    }
}
