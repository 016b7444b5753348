//! Games of the engine against itself at several strengths, with exact values of some positions.
//!
//! Each game depends only on a seed and its number. In a third of the games some moves are drawn, from all or from
//! plausible ones; in another third a weak player makes the first moves of one side. The solver values positions of
//! the game, and some one to three plausible moves aside: a search asks about them, and games never show them. Some
//! positions before the first solved one have its value.

use std::ops::{Range, RangeInclusive};
use std::time::Duration;

use blackhole::games::opening::{mix, random_opening};
use blackhole::games::record::Record;
use blackhole::judge::likely::{likely_score, likely_target};
use blackhole_player::agent::Agent;
use blackhole_player::board::Move;
use blackhole_player::engine::{Engine, Options};
use blackhole_player::limits::Limits;
use blackhole_player::opponent::{KINDS, Kind};
use blackhole_player::params::Params;
use blackhole_player::position::{Position, Score};
use blackhole_player::rng::Random;
use blackhole_player::search::{Replies, Search};
use blackhole_player::solver::Solver;

use crate::data::{EXACT_CELLS, LabelledGame};
use crate::{drawn, one_of};

/// The empty cells at the end of a game with positions aside, and without.
const LAST_CELLS: u32 = 15;
const LAST_CELLS_BRIEF: u32 = 17;
/// One game in this many has positions aside. The others take half the time or less: their one solved
/// position gives the value of the positions before.
const ONE_FULL_IN: u32 = 5;
/// The players' iterations a move, drawn.
const STRENGTHS: [u64; 4] = [200, 400, 800, 1600];

#[derive(Clone, Copy, PartialEq)]
enum Strays {
    None,
    Legal,
    /// The best moves of a short search, equally likely.
    Plausible,
    /// The moves of a weak player on one side, from the first move on.
    Weak,
}

/// The stray moves of a game, drawn.
const STRAYS_OF: [Strays; 6] =
    [Strays::None, Strays::None, Strays::Legal, Strays::Plausible, Strays::Weak, Strays::Weak];
/// The moves before the first drawn one, and the number of drawn moves in a row.
const BEFORE_STRAYS: RangeInclusive<u32> = 0..=7;
const DRAWN: RangeInclusive<u32> = 1..=4;
/// The last move of a weak player, whose moves lead to hands and boards unseen after good moves; and one of
/// its moves in this many is any legal move.
const WEAK_UNTIL: RangeInclusive<u32> = 2..=17;
const ONE_ANY_IN: u32 = 10;
/// The empty cells of the game's solved positions: one number of each list, drawn. A position too hard to
/// solve is replaced by the next one.
const SOLVED_CELLS: [&[u32]; 3] = [&[15, 16], &[17, 18], &[19, 19, 19, 20, 20, 20, 21]];
/// The empty cells of the solved positions in a game without positions aside.
const SOLVED_CELLS_BRIEF: [&[u32]; 1] = [&[17, 18]];
/// The number of positions aside, their empty cells, and the moves to them.
const POSITIONS_ASIDE: u32 = 4;
const CELLS_ASIDE: RangeInclusive<u32> = 15..=19;
const MOVES_ASIDE: RangeInclusive<u32> = 1..=3;
/// The most examples of a game before its first solved position.
const MAX_EARLY_EXAMPLES: usize = 6;
/// The number of plausible moves, and the iterations of the search that finds them.
const PLAUSIBLE: (usize, u64) = (30, 150);
/// Solver nodes for one position at most: about a second.
const SOLVER_NODES: u64 = 1_800_000;
/// Bytes of an engine's trees and table.
const MEMORY: usize = 24 << 20;

/// The engine and the solver that play and value one game.
pub struct Labeller {
    seed: u64,
    game: u64,
    solver: Solver,
    search: Search,
}

impl Labeller {
    pub fn new(seed: u64, game: u64) -> Labeller {
        let start = Position::standard(&random_opening(seed, game)).expect("five different cells");
        let search = Search::new(&start, &Params::default(), mix(&[seed, game, 4]), MEMORY);
        Labeller { seed, game, solver: Solver::new(64 << 20), search }
    }

    pub fn label(mut self) -> LabelledGame {
        let (game, random) = (self.game, &mut Random::new(mix(&[self.seed, self.game, 1])));
        let strays = *one_of(random, &STRAYS_OF);
        // Positions of weak players are solved at once.
        let full = strays == Strays::Weak || drawn(random, 1..=ONE_FULL_IN) == 1;
        let (last, solved) =
            if full { (LAST_CELLS, &SOLVED_CELLS[..]) } else { (LAST_CELLS_BRIEF, &SOLVED_CELLS_BRIEF[..]) };
        let (record, stray) = self.played(strays, last, random);
        let first = record.start().empty().len();
        let mut values: Vec<(usize, Score)> = Vec::new();
        // A later value is the best guess of an earlier one.
        let mut guess = likely_score(record.position());
        for cells in solved {
            let mut plies = (first - *one_of(random, cells)) as usize..=(first - cells[0]) as usize;
            let solved = |plies| Some((plies, self.value(record.until(plies).position(), guess)?));
            if let Some((plies, value)) = plies.find_map(solved) {
                values.push((plies, value));
                guess = value;
            }
        }
        values.sort_unstable();
        let mut examples: Vec<(Record, Score)> =
            values.iter().map(|&(plies, value)| (record.until(plies), value)).collect();
        for _ in 0..if full { POSITIONS_ASIDE } else { 0 } {
            let moves = drawn(random, MOVES_ASIDE);
            let plies = (first - drawn(random, CELLS_ASIDE) - moves) as usize;
            let mut strayed = record.until(plies);
            for _ in 0..moves {
                strayed.push(self.plausible(strayed.position(), random)).expect("a candidate is legal");
            }
            let value = self.value(strayed.position(), likely_score(strayed.position()));
            examples.extend(value.map(|value| (strayed, value)));
        }
        if let Some(&(solved, value)) = values.first() {
            let early = early(stray..solved.min((first - EXACT_CELLS) as usize), random);
            examples.extend(early.into_iter().map(|plies| (record.until(plies), value)));
        }
        let examples = examples.into_iter().map(|(record, value)| (record.to_string(), value)).collect();
        LabelledGame { game, seed: self.seed, examples }
    }

    fn value(&mut self, position: &Position, guess: Score) -> Option<Score> {
        self.solver.value(position, guess, &Limits::nodes(SOLVER_NODES)).exact()
    }

    /// Draw one of the best moves of a short search.
    fn plausible(&mut self, position: &Position, random: &mut Random) -> Move {
        let (among, iterations) = PLAUSIBLE;
        self.search.restart(position);
        let target = likely_target(position);
        self.search.run(target, Replies::Strong, &Limits::nodes(iterations));
        let candidates = self.search.candidates(target, Replies::Strong);
        match &candidates[..candidates.len().min(among)] {
            [] => position.legal_moves().next().expect("a move in a game that goes on"),
            best => one_of(random, best).mv,
        }
    }

    /// Play a game to `last` empty cells, and count the moves up to the last drawn one.
    fn played(&mut self, strays: Strays, last: u32, random: &mut Random) -> (Record, usize) {
        let (game, blocked) = (self.game, random_opening(self.seed, self.game));
        let mut record = Record::standard(&blocked).expect("five different cells");
        let (first, count) = (drawn(random, BEFORE_STRAYS), drawn(random, DRAWN));
        let weak: Vec<Kind> = KINDS.into_iter().filter(|kind| kind.is_predictable()).collect();
        let (weak, weak_side) = (*one_of(random, &weak), drawn(random, 0..=1) as usize);
        let strayed = match strays {
            Strays::None => 0..0,
            Strays::Legal | Strays::Plausible => first..first + count,
            Strays::Weak => 0..drawn(random, WEAK_UNTIL),
        };
        let mut players = [0, 1].map(|side| {
            let nodes = *one_of(random, &STRENGTHS);
            let seed = mix(&[self.seed, game, 2 + side]);
            // Telling optimal moves apart would take most of the time. The drawn moves must not mislead
            // the model of the opponent.
            let none =
                Params { prior_follower: 0.0, prior_largest: 0.0, prior_random: 0.0, ..Params::default() };
            let params = Params { tell_apart: false, ..none };
            Engine::new(Options { params, seed, nodes: Some(nodes), memory: MEMORY, ..Options::default() })
        });
        let weak_random = &mut Random::new(mix(&[self.seed, game, 5]));
        let mut stray = 0;
        while record.position().empty().len() > last {
            let position = *record.position();
            let (side, plies) = (position.to_move().index(), record.moves().len());
            let is_drawn = strayed.contains(&(plies as u32)) && (strays != Strays::Weak || side == weak_side);
            stray = if is_drawn { plies + 1 } else { stray };
            let mv = match strays {
                _ if !is_drawn => players[side].choose(&position, Duration::ZERO).mv,
                Strays::Plausible => self.plausible(&position, random),
                Strays::Weak if drawn(random, 1..=ONE_ANY_IN) > 1 => weak.draw(&position, weak_random),
                _ => Kind::Random.draw(&position, weak_random),
            };
            record.push(mv).expect("a legal move");
        }
        (record, stray)
    }
}

/// Draw some of the numbers of moves between the last stray move, as later values say nothing of the
/// positions before it, and the first solved position.
fn early(unsolved: Range<usize>, random: &mut Random) -> Vec<usize> {
    let mut early: Vec<usize> = unsolved.collect();
    while early.len() > MAX_EARLY_EXAMPLES {
        early.remove(drawn(random, 0..=early.len() as u32 - 1) as usize);
    }
    early
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_goes_to_its_number_of_cells_and_counts_the_moves_up_to_the_last_drawn() {
        for (game, strays) in (0..).zip(STRAYS_OF) {
            let (record, stray) = Labeller::new(3, game).played(strays, 22, &mut Random::new(game));
            assert_eq!((record.position().empty().len(), record.moves().len()), (22, 9));
            assert!(if strays == Strays::None { stray == 0 } else { (1..=9).contains(&stray) }, "{stray}");
        }
    }

    #[test]
    fn a_game_has_six_drawn_early_examples_at_most() {
        let drawn = |unsolved, seed| early(unsolved, &mut Random::new(seed));
        assert_eq!((drawn(3..7, 1), drawn(7..7, 1)), (vec![3, 4, 5, 6], vec![]));
        let six = drawn(1..10, 1);
        assert!(six.len() == 6 && six.is_sorted() && six.iter().all(|it| (1..10).contains(it)));
        assert_ne!(six, drawn(1..10, 2));
    }
}
