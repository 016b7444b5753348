//! A game judged move by move, from its end backwards.
//!
//! A move secures its player at least the value of the position after it: what is proven there is a
//! bound for the position before, from which the solver goes on with its table kept.

use std::collections::BTreeMap;
use std::mem::replace;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::exact::{both, counted_bounds, move_values};
use crate::player::agent::Criterion;
use crate::player::board::{Cell, Move, Player};
use crate::player::engine::{Engine, Options, Thoughts};
use crate::player::evaluation;
use crate::player::limits::Limits;
use crate::player::opponent::Opponent;
use crate::player::params::Params;
use crate::player::position::{MAX_SCORE, Position, Score};
use crate::player::simd::Portable;
use crate::player::solver::{Bounds, Solution, Solver};
use crate::workshop::games::{RecordedGame, Sides, hands};
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
#[derive(Clone, Default, PartialEq, Debug, Serialize)]
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
    /// What decided for it, as `think` says it: "proven" by the solver, or how the search chose.
    pub criterion: Option<String>,
    /// `?!` from 1 point lost, `?` from 2, `??` from 4.
    pub mark: &'static str,
    /// All optimal moves among the reasonable ones, where the value is exact.
    pub optimal: Vec<String>,
    /// The exact values after the moves for which they are known.
    pub options: BTreeMap<String, Score>,
}

/// A game with its moves judged. The fields are the keys of the JSON object.
#[derive(Clone, Default, PartialEq, Debug, Serialize)]
pub struct Review {
    pub title: String,
    pub red: String,
    pub blue: String,
    pub blocked: Vec<String>,
    pub hands: Sides<Vec<u8>>,
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
    /// So many positions in a row were not proven.
    misses: u32,
}

impl Reviewer {
    /// Make a reviewer. Memory is reserved, not touched.
    pub fn new(settings: ReviewSettings) -> Reviewer {
        // The solver has been asked when the search is; the replies are the best.
        let params = Params { solve_from: 0, model_from: 2.0, ..Params::default() };
        let options = Options { params, nodes: Some(settings.iterations), ..Options::default() };
        Reviewer { settings, solver: Solver::default(), engine: Engine::new(options), misses: 0 }
    }

    /// Judge the moves of a game, the last first; `done` is called after each that was to be judged.
    pub fn review(&mut self, game: &RecordedGame, done: &mut dyn FnMut()) -> Review {
        let RecordedGame { title, names: [red, blue], record, points } = game.clone();
        let mut position = *record.start();
        let played = record.moves().iter().map(|&mv| {
            let after = position.after::<Portable>(mv);
            (replace(&mut position, after), mv)
        });
        let played: Vec<(Position, Move)> = played.collect();
        self.misses = 0;
        let mut after = self.know(record.position(), None);
        let last = after.bounds.exact();
        let mut moves = Vec::new();
        for (before, (position, mv)) in played.iter().enumerate().rev() {
            let ply = before + 1;
            let judged = ply >= self.settings.from;
            let known = if judged {
                self.know(position, Some((*mv, after.bounds)))
            } else {
                Solution { bounds: Bounds::UNKNOWN, best: None, optimal: Vec::new(), complete: false }
            };
            moves.push(self.judge(ply, position, *mv, &known, after.bounds.exact()));
            after = known;
            if judged {
                done();
            }
        }
        moves.reverse();
        let tally = |player: Player| {
            let own = moves.iter().filter(|judged| judged.player == player.to_string());
            let losses: Vec<Score> = own.filter_map(|judged| judged.lost).collect();
            let params = Params::default();
            let opponent = Opponent::of_game(record.start(), record.moves(), player);
            Tally {
                judged: losses.len() as u32,
                lost: losses.iter().map(|&lost| lost as u32).sum(),
                taken_for: opponent.taken_for(&params).map(|(kind, chance)| format!("{kind} ({chance:.2})")),
            }
        };
        Review {
            title,
            red,
            blue,
            blocked: record.blocked().iter().map(Cell::to_string).collect(),
            hands: hands(&record),
            first: record.start().to_move().to_string(),
            final_score: record.final_score(),
            points: points.filter(|_| record.final_score().is_none()),
            decided: decided(&moves, last),
            summary: Sides::of(tally),
            record: record.to_string(),
            base36: record.to_base36(),
            moves,
        }
    }

    /// Prove what can be proven of a position within the limit, from what is known after the move
    /// that was played in it.
    fn know(&mut self, position: &Position, played: Option<(Move, Bounds)>) -> Solution {
        let mover = position.to_move();
        let (mut bounds, mut best) = (counted_bounds(position), None);
        if let Some((mv, after)) = played {
            let secured = match mover {
                Player::Red => Bounds { lower: after.lower, ..Bounds::UNKNOWN },
                Player::Blue => Bounds { upper: after.upper, ..Bounds::UNKNOWN },
            };
            bounds = both(bounds, secured);
            best = Some(mv).filter(|_| bounds.secured(mover) == after.secured(mover));
        }
        if self.misses >= TRIES && bounds.exact().is_none() {
            return Solution { bounds, best, optimal: Vec::new(), complete: false };
        }
        let after = played.and_then(|(_, after)| after.exact());
        let guess = after.unwrap_or_else(|| evaluation::likely_score(position));
        let limits = self.limits();
        let mut known = self.solver.solve_from(position, (bounds, best), guess, &limits, &mut |_| {});
        known.best = known.best.or(best);
        if !known.complete {
            known.optimal.clear();
        }
        self.misses = if known.bounds.exact().is_some() { 0 } else { self.misses + 1 };
        known
    }

    /// Return the limits of the solver's work at a position that begins now.
    fn limits(&self) -> Limits {
        Limits { stop: self.settings.stop, ..Limits::until(Instant::now() + self.settings.limit) }
    }

    /// Put together what is to say of a move, with the exact value after it.
    fn judge(
        &mut self,
        ply: usize,
        position: &Position,
        mv: Move,
        known: &Solution,
        after: Option<Score>,
    ) -> JudgedMove {
        let settings = self.settings;
        let mover = position.to_move();
        let value = known.bounds.exact();
        let lost = value.zip(after).map(|(before, after)| mover.sign() * (before - after));
        let stopped = Limits { stop: settings.stop, ..Limits::NONE }.reached(0);
        let asked = ply >= settings.from && value.is_none() && settings.iterations > 0 && !stopped;
        let thoughts = asked.then(|| self.engine.think(position, Duration::ZERO));
        let best = match (&thoughts, value) {
            (_, Some(_)) if lost == Some(0) => Some(mv),
            (Some(thoughts), _) => Some(thoughts.choice.mv),
            (None, value) => value.and(known.best),
        };
        let searched = thoughts.as_ref().map_or(Criterion::Secured, |thoughts| thoughts.choice.criterion);
        let mut values: Vec<(Move, Score)> = Vec::new();
        if let Some(value) = value.filter(|_| settings.options) {
            if position.empty().len() <= ALL_MOVES {
                let limits = self.limits();
                let all = move_values(&mut self.solver, position, known, &limits);
                values.extend(all.iter().filter_map(|(mv, bounds)| Some((*mv, bounds.exact()?))));
            }
            values.extend(known.optimal.iter().map(|&mv| (mv, value)));
        }
        values.extend(after.map(|after| (mv, after)));
        JudgedMove {
            ply,
            player: mover.to_string(),
            r#move: mv.to_string(),
            empty: position.empty().len(),
            value,
            exact: value.is_some(),
            bounds: [known.bounds.lower, known.bounds.upper],
            estimate: thoughts.map(|thoughts| expected_score(&thoughts, position, known.bounds)),
            lost,
            criterion: best.map(|_| searched.to_string()),
            best: best.map(|mv| mv.to_string()),
            mark: match lost.unwrap_or(0) {
                ..1 => "",
                1 => "?!",
                2..4 => "?",
                4.. => "??",
            },
            optimal: known.optimal.iter().map(Move::to_string).collect(),
            options: values.iter().map(|(mv, value)| (mv.to_string(), *value)).collect(),
        }
    }
}

/// Return the final score that a search expects, red minus blue, within proven bounds.
fn expected_score(thoughts: &Thoughts, position: &Position, bounds: Bounds) -> f64 {
    let red = position.to_move() == Player::Red;
    let chance = |value: f32| f64::from(if red { value } else { 1.0 - value });
    let known = thoughts.targets.iter().map(|line| (line.target.alpha().into(), chance(line.chance)));
    let expected = mean_score(&known.collect::<Vec<_>>());
    let expected = expected.unwrap_or_else(|| evaluation::likely_score(position).into());
    // Not -0.
    (10.0 * expected.clamp(bounds.lower.into(), bounds.upper.into())).round() / 10.0 + 0.0
}

/// Return the mean score of which some chances to be at least α are known, by ascending α: the sum
/// of all of them. Below the least α it is taken to be 1, above the largest 0, and between two to
/// fall along a straight line.
fn mean_score(known: &[(i32, f64)]) -> Option<f64> {
    let &(least, first) = known.first()?;
    let most = i32::from(MAX_SCORE);
    let chance = |alpha: i32| match known.iter().position(|&(known, _)| known >= alpha) {
        _ if alpha < least => 1.0,
        Some(0) => first,
        Some(place) => {
            let [(low, more), (high, less)] = [known[place - 1], known[place]];
            more + (less - more) * f64::from(alpha - low) / f64::from(high - low)
        }
        None => 0.0,
    };
    Some((-most..=most).map(chance).sum::<f64>() - f64::from(most) - 1.0)
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
    #[test]
    fn the_mean_score_is_the_sum_of_all_chances() {
        let three = [(-3, 1.0), (0, 0.4), (2, 0.2)];
        for (known, mean) in [(&[(0, 0.5)][..], -0.5), (&[(-75, 1.0), (75, 0.0)], -0.5), (&three, -0.7)] {
            let found = super::mean_score(known).expect("chances");
            assert!((found - mean).abs() < 1e-9, "{known:?}: {found}");
        }
        assert_eq!(super::mean_score(&[]), None);
    }
}
