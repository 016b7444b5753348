//! Positions with exact values, from games of the engine against itself at several strengths.
//!
//! Each game is decided by a seed and its number alone, whatever was made before. It begins with
//! random blocked cells; in a third of the games some moves are drawn, of all or of the plausible
//! ones, and in another third a weak player makes those of one side for a while; it is played until
//! few cells are left. The solver then values positions of the game, and others that a plausible
//! move or two lead to: a search asks about moves that games never show.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::player::agent::Agent;
use crate::player::board::Move;
use crate::player::engine::{Engine, Options};
use crate::player::evaluation::likely_score;
use crate::player::limits::Limits;
use crate::player::opponent::{KINDS, Kind, likely_target};
use crate::player::params::Params;
use crate::player::position::{MAX_SCORE, Position, Score};
use crate::player::record::Record;
use crate::player::rng::{Random, scaled};
use crate::player::search::Search;
use crate::player::solver::Solver;
use crate::workshop::arena::schedule::{mix, random_opening};
use crate::workshop::lines::JsonLine;
use crate::workshop::notation::Notation;

/// The game of a line of the file, and what is known of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelledGame {
    /// Its number, from 0.
    pub game: u64,
    /// The seed of all games of the file.
    pub seed: u64,
    /// Blocked cells and moves.
    pub record: String,
    /// So many moves are there up to the last that was drawn, not chosen: what follows says nothing
    /// of the positions before it.
    pub stray: usize,
    /// The exact final score, red minus blue, after so many of the moves.
    pub values: Vec<(usize, Score)>,
    /// The same after so many of the moves and some others.
    pub aside: Vec<(usize, String, Score)>,
}

impl JsonLine for LabelledGame {
    const WHAT: &'static str = "a game with labels, as `label` writes it";
    const FIRST: &'static str = "game";

    fn check(&self) -> Result<(), String> {
        let wrong = |what: &str| Err(format!("{}: {what}", LabelledGame::WHAT));
        let Ok(record) = Record::parse(&self.record) else { return wrong("a record") };
        let strays = |(plies, moves, _): &(usize, String, Score)| {
            let before = record.until((*plies).min(record.moves().len()));
            Record::parse(&format!("{before} {moves}")).is_ok()
        };
        if !self.aside.iter().all(strays) {
            return wrong("legal moves aside");
        }
        let aside = self.aside.iter().map(|&(plies, _, value)| (plies, value));
        let fits =
            |(plies, value)| plies <= record.moves().len() && (-MAX_SCORE..=MAX_SCORE).contains(&value);
        let values = self.values.iter().copied();
        if values.chain(aside).all(fits) { Ok(()) } else { wrong("values of positions of the game") }
    }
}

/// Empty cells at which a game ends.
const LAST: u32 = 15;
/// Of so many games one has positions aside. The others, which take half its time or less, end
/// sooner, at one position that is solved: it is the value of what came before, of which a game has
/// few.
const FULL: u32 = 5;
/// Empty cells at which those end.
const LAST_BRIEF: u32 = 17;
/// Iterations a move of the players, each by lot.
const STRENGTHS: [u64; 4] = [200, 400, 800, 1600];

/// Who makes some of the moves of a game.
#[derive(Clone, Copy, PartialEq)]
enum Strays {
    /// Nobody but the players.
    None,
    /// Anybody: they are any legal moves.
    Legal,
    /// A short search, of whose best moves each is as likely.
    Plausible,
    /// A weak player, on one side, from the first move on.
    Weak,
}

/// What the strays of a game are, by lot.
const STRAYS_OF: [Strays; 6] =
    [Strays::None, Strays::None, Strays::Legal, Strays::Plausible, Strays::Weak, Strays::Weak];
/// Before the first move that is drawn, in games that have some, are at most so many others.
const BEFORE_STRAYS: u32 = 7;
/// Moves that are drawn then, one after the other, at most.
const MOST_STRAYS: u32 = 4;
/// A weak player moves up to a number of moves from the first to the second, which is more than a
/// game has: its moves leave hands and boards that good moves never do.
const WEAK_UNTIL: (u32, u32) = (2, 17);
/// Of so many of its moves one is any.
const ODD: u32 = 10;
/// The numbers of empty cells of the positions of the game that are solved: one of each list, by
/// lot; where that is too hard, the next position of the game.
const SOLVED: [&[u32]; 3] = [&[15, 16], &[17, 18], &[19, 19, 19, 20, 20, 20, 21]];
/// The same for a game without positions aside.
const SOLVED_BRIEF: [&[u32]; 1] = [&[17, 18]];
/// Positions aside of a game that has them.
const ASIDE: u32 = 4;
/// Their empty cells.
const CELLS_ASIDE: (u32, u32) = (15, 19);
/// The most moves that lead aside.
const LONGEST: u32 = 3;
/// A plausible move is one of so many candidates of a search of so many iterations.
const PLAUSIBLE: (usize, u64) = (30, 150);
/// Solver nodes for one position at most: about a second.
const NODES: u64 = 1_800_000;
/// Bytes of an engine's trees and table.
const MEMORY: usize = 24 << 20;

/// Makes games, in memory that is kept from one to the next.
pub struct Labeller {
    seed: u64,
    solver: Solver,
    search: Search,
}

impl Labeller {
    /// Make a labeller for the games of a seed.
    pub fn new(seed: u64) -> Labeller {
        let nowhere = Position::small();
        let search = Search::new(&nowhere, &Params::default(), seed, MEMORY);
        Labeller { seed, solver: Solver::new(64 << 20), search }
    }

    /// Make a game and solve some of its positions.
    pub fn game(&mut self, game: u64) -> LabelledGame {
        let mut random = Random::new(mix(&[self.seed, game, 1]));
        let mut lot = |least: u32, most: u32| least + scaled((random.bits() >> 32) as u32, most - least + 1);
        self.search = Search::new(self.search.root(), &Params::default(), mix(&[self.seed, game, 4]), MEMORY);
        let strays = STRAYS_OF[lot(0, STRAYS_OF.len() as u32 - 1) as usize];
        // Positions of weak players are solved in no time.
        let full = strays == Strays::Weak || lot(1, FULL) == 1;
        let last = if full { LAST } else { LAST_BRIEF };
        let (record, stray) = self.played(game, strays, last, &mut lot);
        self.solver.clear();
        let positions: Vec<Position> =
            (0..=record.moves().len()).map(|plies| *record.until(plies).position()).collect();
        let first = positions[0].empty().len();
        let mut values = Vec::new();
        // What is known of the end tells where to look for the value of what came before.
        let mut guess = likely_score(&positions[positions.len() - 1]);
        for cells in if full { &SOLVED[..] } else { &SOLVED_BRIEF } {
            let drawn = cells[lot(0, cells.len() as u32 - 1) as usize];
            let plies = (first - drawn) as usize..=(first - cells[0]) as usize;
            let mut solved = plies.map(|plies| (plies, self.value(&positions[plies], guess)));
            if let Some((plies, Some(value))) = solved.find(|(_, value)| value.is_some()) {
                values.push((plies, value));
                guess = value;
            }
        }
        let mut aside = Vec::new();
        for _ in 0..if full { ASIDE } else { 0 } {
            let moves = lot(1, LONGEST);
            let plies = (first - lot(CELLS_ASIDE.0, CELLS_ASIDE.1) - moves) as usize;
            let mut position = positions[plies];
            let mut strays = Vec::new();
            for _ in 0..moves {
                let mv = self.plausible(&position, &mut lot);
                position.try_play(mv).expect("a candidate is legal");
                strays.push(mv.to_string());
            }
            aside.extend(
                self.value(&position, likely_score(&position)).map(|value| (plies, strays.join(" "), value)),
            );
        }
        values.sort_unstable();
        LabelledGame { game, seed: self.seed, record: record.to_string(), stray, values, aside }
    }

    fn value(&mut self, position: &Position, guess: Score) -> Option<Score> {
        self.solver.value(position, guess, &Limits::nodes(NODES)).exact()
    }

    /// Draw one of the moves that a short search finds best.
    fn plausible(&mut self, position: &Position, lot: &mut impl FnMut(u32, u32) -> u32) -> Move {
        let (among, iterations) = PLAUSIBLE;
        self.search.restart(position);
        let target = likely_target(position);
        self.search.run(target, &Limits::nodes(iterations));
        let candidates = self.search.candidates(target);
        let mv = match candidates.len().min(among) {
            0 => position.legal_moves().next(),
            count => Some(candidates[lot(0, count as u32 - 1) as usize].mv),
        };
        mv.expect("a move in a game that goes on")
    }

    /// Play a game to so many empty cells, and say how many moves there are up to the last that was
    /// drawn; `lot` draws a number from one to another.
    fn played(
        &mut self,
        game: u64,
        strays: Strays,
        last: u32,
        lot: &mut impl FnMut(u32, u32) -> u32,
    ) -> (Record, usize) {
        let mut record = Record::standard(&random_opening(self.seed, game)).expect("five different cells");
        let (first, count) = (lot(0, BEFORE_STRAYS), lot(1, MOST_STRAYS));
        let weak: Vec<Kind> = KINDS.into_iter().filter(|kind| kind.is_foretold()).collect();
        let (weak, weak_side) = (weak[lot(0, weak.len() as u32 - 1) as usize], lot(0, 1) as usize);
        let drawn = match strays {
            Strays::None => 0..0,
            Strays::Legal | Strays::Plausible => first..first + count,
            Strays::Weak => 0..lot(WEAK_UNTIL.0, WEAK_UNTIL.1),
        };
        let mut players = [0, 1].map(|side| {
            let nodes = STRENGTHS[lot(0, STRENGTHS.len() as u32 - 1) as usize];
            let seed = mix(&[self.seed, game, 2 + side]);
            // What tells optimal moves apart takes longer than all else. Nobody is taken for a
            // player of the moves that were drawn.
            let params = Params {
                refine: false,
                prior_follower: 0.0,
                prior_largest: 0.0,
                prior_random: 0.0,
                ..Params::default()
            };
            Engine::new(Options { params, seed, nodes: Some(nodes), memory: MEMORY })
        });
        let mut random = Random::new(mix(&[self.seed, game, 5]));
        let mut stray = 0;
        while record.position().empty().len() > last {
            let position = *record.position();
            let (side, plies) = (position.to_move().index(), record.moves().len());
            let is_drawn = drawn.contains(&(plies as u32)) && (strays != Strays::Weak || side == weak_side);
            stray = if is_drawn { plies + 1 } else { stray };
            let mv = match strays {
                Strays::Legal if is_drawn => Kind::Random.draw(&position, &mut random),
                Strays::Plausible if is_drawn => self.plausible(&position, lot),
                Strays::Weak if is_drawn && lot(1, ODD) == 1 => Kind::Random.draw(&position, &mut random),
                Strays::Weak if is_drawn => weak.draw(&position, &mut random),
                _ => players[side].choose(&position, Duration::ZERO).mv,
            };
            record.push(mv).expect("a legal move");
        }
        (record, stray)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::board::Player;
    use crate::player::opponent::Opponent;

    #[test]
    fn the_last_move_that_is_drawn_ends_what_is_not_played_well() {
        let mut labeller = Labeller::new(3);
        let (mut weak, mut others) = (Vec::new(), Vec::new());
        for game in 0..24 {
            let strays = STRAYS_OF[game as usize % STRAYS_OF.len()];
            let mut random = Random::new(game);
            let mut lot =
                |least: u32, most: u32| least + scaled((random.bits() >> 32) as u32, most - least + 1);
            // Four good moves may look like a weak player's; seven do not.
            let empty = if strays == Strays::None { 17 } else { 23 };
            let (record, stray) = labeller.played(game, strays, empty, &mut lot);
            assert_eq!((record.position().empty().len(), record.moves().len()), (empty, 31 - empty as usize));
            let drawn = if strays == Strays::None { 0..=0 } else { 1..=8 };
            assert!(drawn.contains(&stray), "{stray}");
            // How well each side's moves are foretold of a weak player.
            let start = *record.until(0).position();
            let foretold = [Player::Red, Player::Blue].map(|player| {
                let params = Params::default();
                let opponent = Opponent::of_game(&start, record.moves(), player);
                opponent.model(&params).map_or(0.0, |model| model.share)
            });
            match strays {
                Strays::None => others.extend(foretold),
                Strays::Weak if stray >= 7 => {
                    weak.push(foretold[1 - stray % 2]);
                    others.push(foretold[stray % 2]);
                }
                _ => {}
            }
        }
        // No good moves tell a weak player, and of those who are some make too few moves to be told.
        assert!(others.len() > 12 && others.iter().all(|&share| share == 0.0), "{others:?}");
        let told = weak.iter().filter(|&&share| share > 0.2).count();
        assert!(weak.len() > 3 && 2 * told > weak.len(), "{weak:?}");
    }
}
