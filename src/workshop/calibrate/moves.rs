//! What the moves of a tree search lose against perfect play: strength measured without games.

use std::io;
use std::time::{Duration, Instant};

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
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Losses {
    /// Points lost a move against perfect play, 0..; 0 is perfect.
    pub points: Mean,
    /// The share of moves that lose any, 0..=1.
    pub errors: Mean,
    /// Moves whose value the solver did not find in its nodes; they are left out.
    pub unsolved: usize,
    /// Seconds the engine thought about a move, on average.
    pub seconds: f64,
}

/// Let an engine choose a move in each position, thinking `iterations` each time, and count what the moves lose.
///
/// The solver is not asked at the root, which it would often answer by itself: judged is the search. Each
/// position is searched as if the game began there, with a seed of its own. The value after a move is found in
/// `solve_nodes` nodes of the solver at most. `None` when no move could be judged.
///
/// # Errors
/// When a new label cannot be written.
pub fn losses(
    positions: &[Valued],
    params: &Params,
    iterations: u64,
    seed: u64,
    labels: &mut Labels,
    solve_nodes: u64,
) -> io::Result<Option<Losses>> {
    let params = Params { solve_from: 0, ..params.clone() };
    let (mut lost, mut unsolved, mut thinking) = (Vec::new(), 0, Duration::ZERO);
    for (number, Valued { record, value, game }) in positions.iter().enumerate() {
        let options = Options {
            params: params.clone(),
            seed: seed.wrapping_add(number as u64),
            nodes: Some(iterations),
            ..Options::default()
        };
        let start = Instant::now();
        // A position with two empty cells has one move that counts; the clock plays no part.
        let mv = Engine::new(options).think(record.position(), Duration::from_secs(1)).choice.mv;
        thinking += start.elapsed();
        let mut after = record.clone();
        after.push(mv).map_err(|error| io::Error::other(error.to_string()))?;
        match labels.value(&after, solve_nodes)? {
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
    Ok(points.zip(errors).map(|(points, errors)| Losses { points, errors, unsolved, seconds }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::limits::Limits;
    use crate::player::solver::Solver;

    /// Positions of ten empty cells from random games, with their values.
    fn positions() -> Vec<Valued> {
        let mut random = crate::player::rng::Random::new(5);
        let play = |game| {
            let mut record = Record::parse("E2 A1 C4 G2 D2").expect("a record");
            while record.position().empty().len() > 10 {
                let moves: Vec<_> = record.position().legal_moves().collect();
                let n = crate::player::rng::scaled(random.bits() as u32, moves.len() as u32);
                record.push(moves[n as usize]).expect("legal");
            }
            let value =
                Solver::default().value(record.position(), 0, &Limits::NONE).exact().expect("no limit");
            Valued { record, value, game }
        };
        (0..30).map(play).collect()
    }

    #[test]
    fn a_longer_search_loses_less_and_nothing_is_gained() {
        let positions = positions();
        let lost = |iterations, params: &Params| {
            let found = losses(&positions, params, iterations, 1, &mut Labels::default(), u64::MAX);
            found.expect("no file").expect("moves")
        };
        let params = Params::default();
        let (short, long) = (lost(1, &params), lost(3_000, &params));
        assert!(short.points.mean > long.points.mean + 0.2, "{short:?} {long:?}");
        assert!(long.points.mean >= 0.0 && long.errors.mean < short.errors.mean, "{short:?} {long:?}");
        assert_eq!((short.unsolved, long.unsolved), (0, 0));
    }

    #[test]
    fn without_positions_there_is_no_answer() {
        let found = losses(&[], &Params::default(), 1, 1, &mut Labels::default(), 1);
        assert_eq!(found.expect("no file"), None);
    }
}
