//! `greedy`: the best next position by the expected score, no search.

use std::time::Duration;

use super::random::unsearched;
use crate::player::agent::{Agent, Choice};
use crate::player::board::Move;
use crate::player::evaluation::expected_score;
use crate::player::position::Position;
use crate::player::rng::Random;
use crate::player::simd::Portable;

/// Takes the move whose next position has the best heuristic value, as the first agents of Brown and
/// Doig's Cachex report (§3). Their heuristics belong to Cachex; here the value is the expected final
/// score if all remaining stones fell at random. Ties are broken at random.
pub(super) struct Greedy {
    rng: Random,
}

impl Greedy {
    pub fn new(rng: Random) -> Greedy {
        Greedy { rng }
    }
}

/// Return the move to the best next position by [`expected_score`]; equal ones in random order.
pub(super) fn greedy_move(position: &Position, rng: &mut Random) -> Option<Move> {
    let sign = f32::from(position.to_move().sign());
    let mut best: Option<(f32, u64, Move)> = None;
    for mv in position.legal_moves() {
        let value = sign * expected_score(&position.after::<Portable>(mv));
        let lot = rng.bits();
        if best.is_none_or(|(other, lots, _)| value > other || value == other && lot > lots) {
            best = Some((value, lot, mv));
        }
    }
    best.map(|(_, _, mv)| mv)
}

impl Agent for Greedy {
    fn choose(&mut self, position: &Position, _remaining: Duration) -> Choice {
        let best = greedy_move(position, &mut self.rng);
        unsearched(best.expect("a position with a move to play"))
    }
}
