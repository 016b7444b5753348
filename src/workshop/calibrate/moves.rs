//! What the moves of a tree search lose against perfect play: strength measured without games.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::calibration::Mean;
use super::labels::Labels;
use crate::player::engine::{Engine, Options};
use crate::player::params::Params;
use crate::player::position::Score;
use crate::player::record::Record;

/// A position with its value.
#[derive(Clone, Debug)]
pub struct Valued {
    /// The position and how it came about.
    pub record: Record,
    /// Its value.
    pub value: Score,
    /// The game it is from, to keep positions of one game together.
    pub game: usize,
}

/// What an engine's moves lose.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Losses {
    /// Points lost a move against perfect play, 0..; 0 is perfect. `None` when no move could be
    /// judged.
    pub points: Option<Mean>,
    /// The share of moves that lose any, 0..=1.
    pub errors: Option<Mean>,
    /// Moves whose value the solver did not find in its nodes; they are left out.
    pub unsolved: usize,
    /// Seconds the engine thought about a move, on average.
    pub seconds: f64,
}

/// Let an engine choose a move in each position, thinking `iterations` each time, and count what
/// the moves lose.
///
/// The solver is not asked at the root, which it would often answer by itself, and no reply of a
/// weak opponent is foretold: judged is the search. Each position is searched as if the game began
/// there, with a seed of its own. The value after a move is found in `solve_nodes` nodes of the
/// solver at most.
pub fn losses(
    positions: &[Valued],
    params: &Params,
    iterations: u64,
    seed: u64,
    labels: &mut Labels,
    solve_nodes: u64,
) -> Losses {
    let params = Params { solve_from: 0, model_from: 2.0, ..params.clone() };
    let (mut lost, mut unsolved, mut thinking) = (Vec::new(), 0, Duration::ZERO);
    for (number, Valued { record, value, game }) in positions.iter().enumerate() {
        let (params, seed) = (params.clone(), seed.wrapping_add(number as u64));
        let options = Options { params, seed, nodes: Some(iterations), ..Options::default() };
        let start = Instant::now();
        // A position with two empty cells has one move that counts; the clock plays no part.
        let mv = Engine::new(options).think(record.position(), Duration::from_secs(1)).choice.mv;
        thinking += start.elapsed();
        let mut after = record.clone();
        after.push(mv).expect("the engine's moves are legal");
        match labels.value(&after, solve_nodes) {
            Some(after) => {
                let sign = f64::from(record.position().to_move().sign());
                lost.push((*game, sign * (f64::from(*value) - f64::from(after))));
            }
            None => unsolved += 1,
        }
    }
    let wrong = lost.iter().map(|&(game, points)| (game, f64::from(u8::from(points > 0.0))));
    let (points, errors) = (Mean::over_groups(lost.iter().copied()), Mean::over_groups(wrong));
    let seconds = thinking.as_secs_f64() / positions.len().max(1) as f64;
    Losses { points, errors, unsolved, seconds }
}
