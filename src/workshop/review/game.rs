//! A game judged move by move, from its end backwards.
//!
//! A move secures its player at least the value of the position after it: what is proven there is a
//! bound for the position before, from which the solver goes on with its table kept.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::exact::{both, counted_bounds, move_values};
use crate::player::board::{Cell, Move, Player};
use crate::player::engine::{Engine, Options, Thoughts};
use crate::player::evaluation;
use crate::player::limits::Limits;
use crate::player::opponent::Opponent;
use crate::player::params::Params;
use crate::player::position::{Position, Score};
use crate::player::solver::{Bounds, Solver};
use crate::workshop::games::{Hands, RecordedGame};
use crate::workshop::notation::Notation;

/// After so many positions in a row that were not proven, the earlier ones are not tried.
pub const TRIES: u32 = 3;
/// Up to so many empty cells the value after every legal move is given.
const ALL_MOVES: u32 = 12;

/// How games are reviewed.
#[derive(Clone, Copy, Debug)]
pub struct ReviewSettings {
    /// How long the solver may work at one position.
    pub limit: Duration,
    /// Iterations of the search where the solver has no value; 0 for no estimate.
    pub iterations: u64,
    /// Whether the values after other moves than the played one are given.
    pub options: bool,
    /// The first move that is judged, counted from 1.
    pub from: usize,
    /// Ends the review early.
    pub stop: Option<&'static AtomicBool>,
}

/// Something of Red's and something of Blue's.
#[derive(Clone, Copy, Default, PartialEq, Debug, Serialize)]
pub struct Sides<T> {
    pub red: T,
    pub blue: T,
}

/// What a player lost in a game.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize)]
pub struct Tally {
    /// Moves judged exactly.
    pub judged: u32,
    /// Points they gave away.
    pub lost: u32,
    /// What the player would be taken for as an opponent, by all its moves, and with which chance.
    pub taken_for: Option<String>,
}

/// A move and what is known of the position before it. The fields are the keys of the JSON object.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct JudgedMove {
    /// Its number, from 1.
    pub ply: usize,
    pub player: String,
    pub r#move: String,
    /// The empty cells before the move.
    pub empty: u32,
    /// The final score, red minus blue, under best play before the move, if it is proven.
    pub value: Option<Score>,
    pub exact: bool,
    /// What is proven of the value, from and to.
    pub bounds: [Score; 2],
    /// The final score that the search expects; `None` where it was not asked.
    pub estimate: Option<f64>,
    /// The points that the player gave away, where the values before and after are exact.
    pub lost: Option<Score>,
    /// The best move, by the solver or else by the search; the played one if it is as good.
    pub best: Option<String>,
    /// `?!` from 1 point lost, `?` from 2, `??` from 4.
    pub mark: &'static str,
    /// All optimal moves among the reasonable ones, where the value is exact.
    pub optimal: Vec<String>,
    /// The exact values after the moves for which they are known.
    pub options: BTreeMap<String, Score>,
}

/// A game with its moves judged. The fields are the keys of the JSON object.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Review {
    pub title: String,
    pub red: String,
    pub blue: String,
    pub blocked: Vec<String>,
    pub hands: Hands,
    pub first: String,
    pub moves: Vec<JudgedMove>,
    pub final_score: Option<Score>,
    /// The points of Red and Blue, where a forfeit decided them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<[u8; 2]>,
    /// The move from which on the exact value's sign did not change any more.
    pub decided: Option<usize>,
    pub summary: Sides<Tally>,
    pub record: String,
    pub base36: Option<String>,
}

/// Reviews games, with a solver and an engine whose memory is kept from one to the next.
pub struct Reviewer {
    settings: ReviewSettings,
    solver: Solver,
    engine: Engine,
}

/// What is known of a position of the game.
struct Known {
    bounds: Bounds,
    best: Option<Move>,
    optimal: Vec<Move>,
}

impl Reviewer {
    /// Make a reviewer. Memory is reserved, not touched.
    pub fn new(settings: ReviewSettings) -> Reviewer {
        // The solver has been asked when the search is; the replies are the best.
        let params = Params { solve_from: 0, model_from: 2.0, ..Params::default() };
        let options = Options { params, nodes: Some(settings.iterations), ..Options::default() };
        Reviewer { settings, solver: Solver::default(), engine: Engine::new(options) }
    }

    /// Judge the moves of a game, the last first; `done` is told after each that was to be judged how
    /// many are.
    pub fn review(&mut self, game: &RecordedGame, done: &mut dyn FnMut(usize)) -> Review {
        let RecordedGame { title, names: [red, blue], record, points } = game.clone();
        let mut positions = vec![*record.start()];
        positions.extend(record.moves().iter().scan(*record.start(), |position, &mv| {
            position.try_play(mv).ok()?;
            Some(*position)
        }));
        let played: Vec<(Player, Move)> = record.placements().collect();
        let mut misses = 0;
        let mut after = self.know(&positions[played.len()], None, &mut misses);
        let last = after.bounds.exact();
        let mut moves = Vec::new();
        for (place, &(player, mv)) in played.iter().enumerate().rev() {
            let position = &positions[place];
            let judged = place + 1 >= self.settings.from;
            let known = if judged {
                self.know(position, Some((mv, after.bounds)), &mut misses)
            } else {
                Known { bounds: Bounds::UNKNOWN, best: None, optimal: Vec::new() }
            };
            let mut judged_move = self.judge(position, mv, &known, &after, judged);
            (judged_move.ply, judged_move.player) = (place + 1, player.to_string());
            moves.push(judged_move);
            after = known;
            if judged {
                done(played.len() - place);
            }
        }
        moves.reverse();
        let tally = |player: Player| {
            let losses = moves.iter().filter(|judged| judged.player == player.to_string());
            let losses: Vec<Score> = losses.filter_map(|judged| judged.lost).collect();
            let lost = losses.iter().map(|&lost| lost as u32).sum();
            let params = Params::default();
            let opponent = Opponent::of_game(record.start(), record.moves(), player);
            let taken_for = opponent.taken_for(&params).map(|(kind, chance)| format!("{kind} ({chance:.2})"));
            Tally { judged: losses.len() as u32, lost, taken_for }
        };
        Review {
            title,
            red,
            blue,
            blocked: record.blocked().iter().map(Cell::to_string).collect(),
            hands: Hands::of(&record),
            first: record.start().to_move().to_string(),
            final_score: record.final_score(),
            points: points.filter(|_| record.final_score().is_none()),
            decided: decided(&moves, last),
            summary: Sides { red: tally(Player::Red), blue: tally(Player::Blue) },
            record: record.to_string(),
            base36: record.to_base36(),
            moves,
        }
    }

    /// Prove what can be proven of a position within the limit, from what is known after the move
    /// that was played in it.
    fn know(&mut self, position: &Position, played: Option<(Move, Bounds)>, misses: &mut u32) -> Known {
        let mover = position.to_move();
        let mut bounds = counted_bounds(position);
        let mut best = None;
        if let Some((mv, after)) = played {
            let secured = match mover {
                Player::Red => Bounds { lower: after.lower, ..Bounds::UNKNOWN },
                Player::Blue => Bounds { upper: after.upper, ..Bounds::UNKNOWN },
            };
            bounds = both(bounds, secured);
            best = Some(mv).filter(|_| bounds.secured(mover) == after.secured(mover));
        }
        let mut known = Known { bounds, best, optimal: Vec::new() };
        if *misses >= TRIES && bounds.exact().is_none() {
            return known;
        }
        let ReviewSettings { limit, stop, .. } = self.settings;
        let limits = Limits { stop, ..Limits::until(Instant::now() + limit) };
        let after = played.and_then(|(_, after)| after.exact());
        let guess = after.unwrap_or_else(|| evaluation::likely_score(position));
        let solution = self.solver.solve_from(position, (bounds, best), guess, &limits, &mut |_| {});
        known.bounds = solution.bounds;
        known.best = solution.best.or(best);
        if solution.complete {
            known.optimal = solution.optimal;
        }
        *misses = if known.bounds.exact().is_some() { 0 } else { *misses + 1 };
        known
    }

    /// Put together what is to say of a move; `asked` is whether an estimate is wanted.
    fn judge(
        &mut self,
        position: &Position,
        mv: Move,
        known: &Known,
        after: &Known,
        asked: bool,
    ) -> JudgedMove {
        let mover = position.to_move();
        let (value, value_after) = (known.bounds.exact(), after.bounds.exact());
        let lost = value.zip(value_after).map(|(before, after)| mover.sign() * (before - after));
        let stopped = Limits { stop: self.settings.stop, ..Limits::NONE }.reached(0);
        let asked = asked && value.is_none() && self.settings.iterations > 0 && !stopped;
        let thoughts = asked.then(|| self.engine.think(position, Duration::ZERO));
        let best = match (&thoughts, value) {
            (_, Some(_)) if lost == Some(0) => Some(mv),
            (Some(thoughts), _) => Some(thoughts.choice.mv),
            (None, value) => value.and(known.best),
        };
        JudgedMove {
            ply: 0,
            player: String::new(),
            r#move: mv.to_string(),
            empty: position.empty().len(),
            value,
            exact: value.is_some(),
            bounds: [known.bounds.lower, known.bounds.upper],
            estimate: thoughts.map(|thoughts| expected_score(&thoughts, position, known.bounds)),
            lost,
            best: best.map(|mv| mv.to_string()),
            mark: mark(lost),
            optimal: known.optimal.iter().map(Move::to_string).collect(),
            options: self.options(position, mv, known, value_after),
        }
    }

    /// List the values after the moves for which they are known, or quickly found.
    fn options(
        &mut self,
        position: &Position,
        played: Move,
        known: &Known,
        after: Option<Score>,
    ) -> BTreeMap<String, Score> {
        let mut options = BTreeMap::new();
        let Some(value) = known.bounds.exact().filter(|_| self.settings.options) else {
            options.extend(after.map(|after| (played.to_string(), after)));
            return options;
        };
        if position.empty().len() <= ALL_MOVES {
            let ReviewSettings { limit, stop, .. } = self.settings;
            let limits = Limits { stop, ..Limits::until(Instant::now() + limit) };
            let moves = move_values(&mut self.solver, position, (known.bounds, &known.optimal), &limits);
            options.extend(moves.iter().filter_map(|(mv, bounds)| Some((mv.to_string(), bounds.exact()?))));
        }
        options.extend(known.optimal.iter().map(|mv| (mv.to_string(), value)));
        options.extend(after.map(|after| (played.to_string(), after)));
        options
    }
}

/// Return the final score that a search expects, red minus blue, within proven bounds.
fn expected_score(thoughts: &Thoughts, position: &Position, bounds: Bounds) -> f64 {
    let red = position.to_move() == Player::Red;
    let chance = |value: f32| f64::from(if red { value } else { 1.0 - value });
    let known = thoughts.targets.iter().map(|line| (f64::from(line.target.alpha()), chance(line.chance)));
    let expected = sum_of_chances(&known.collect::<Vec<_>>());
    let expected = expected.unwrap_or_else(|| evaluation::likely_score(position).into());
    // Not -0.
    (10.0 * expected.clamp(bounds.lower.into(), bounds.upper.into())).round() / 10.0 + 0.0
}

/// Return the mean score of which some chances to be at least α are known, by ascending α: the sum
/// of all of them. Below the least α it is taken to be 1, above the largest 0, and between two to
/// fall along a straight line.
fn sum_of_chances(known: &[(f64, f64)]) -> Option<f64> {
    let between = |pair: &[(f64, f64)]| {
        let [(low, more), (high, less)] = [pair[0], pair[1]];
        let gap = high - low;
        gap * more + (less - more) * (gap + 1.0) / 2.0
    };
    let &(least, chance) = known.first()?;
    Some(least - 1.0 + chance + known.windows(2).map(between).sum::<f64>())
}

/// Return the mark of a move that gave away so many points.
fn mark(lost: Option<Score>) -> &'static str {
    match lost.unwrap_or(0) {
        ..1 => "",
        1 => "?!",
        2..4 => "?",
        4.. => "??",
    }
}

/// Find the move from which on the exact value's sign did not change any more; `last` is the value
/// after the last move.
fn decided(moves: &[JudgedMove], last: Option<Score>) -> Option<usize> {
    let sign = last?.signum();
    let settled = moves.iter().rev().take_while(|judged| judged.value.map(Score::signum) == Some(sign));
    settled.last().map(|judged| judged.ply)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expected_score_is_the_mean_over_all_scores() {
        for known in
            [&[(0.0f64, 0.5f64)][..], &[(-3.0, 0.9), (1.0, 0.5), (2.0, 0.1)], &[(-75.0, 1.0), (75.0, 0.0)]]
        {
            let chance = |alpha: f64| match known.iter().position(|&(known, _)| known >= alpha) {
                Some(0) => known[0].1.max(f64::from(u8::from(alpha < known[0].0))),
                Some(place) => {
                    let [(low, more), (high, less)] = [known[place - 1], known[place]];
                    more + (less - more) * (alpha - low) / (high - low)
                }
                None => 0.0,
            };
            let score =
                |score: i32| f64::from(score) * (chance(score.into()) - chance(f64::from(score) + 1.0));
            let mean: f64 = (-76..=75).map(score).sum();
            let found = sum_of_chances(known).expect("chances");
            assert!((found - mean).abs() < 1e-9, "{known:?}: {found}, {mean}");
        }
        assert_eq!(sum_of_chances(&[]), None);
    }
}
