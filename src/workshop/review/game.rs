//! A game judged move by move, from its end backwards.
//!
//! A move secures its player at least the value of the position after it. So the proof there bounds the
//! position before, and the solver goes on from this bound with its table kept.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::exact::{counted_bounds, intersection, move_values, principal_variation};
use crate::player::agent::Reason;
use crate::player::board::{Cell, Move, Player};
use crate::player::engine::{Engine, Options, Thoughts};
use crate::player::limits::Limits;
use crate::player::params::Params;
use crate::player::position::{MAX_SCORE, Position, Score};
use crate::player::simd::Portable;
use crate::player::solver::{Bounds, DEFAULT_TABLE_BYTES, Solution, Solver};
use crate::workshop::answer::Answer;
use crate::workshop::games::{PerPlayer, RecordedGame, hands};
use crate::workshop::likely::{likely_opponent, likely_score};

/// The unproven positions in a row after which the solver gives up on the earlier ones.
const MAX_MISSES: u32 = 3;
/// Up to this many empty cells the score after every legal move is given.
const ALL_MOVES_CELLS: u32 = 12;

/// The marks of moves that lose 1 point, 2 or 3, and more.
const MARKS: [&str; 3] = ["?!", "?", "??"];

/// The settings of a review.
#[derive(Clone, Copy, Debug)]
pub struct ReviewSettings {
    /// The solver's time for one position.
    pub limit: Duration,
    /// Iterations of the search for a position without a proven score; 0 for no estimate.
    pub iterations: u64,
    /// Whether to find more than the losses: lines of play, the scores after other moves than the played
    /// one, and the kinds of the players.
    pub details: bool,
    /// The first move to judge, counted from 1.
    pub from: usize,
    /// Bytes of the solver's table.
    pub memory: usize,
    /// Ends the review early.
    pub stop: Option<&'static AtomicBool>,
}

/// Iterations of the search that estimates what the solver leaves open: some tenths of a second.
pub const ESTIMATE_ITERATIONS: u64 = 20_000;

/// A quick review of a whole game.
impl Default for ReviewSettings {
    fn default() -> ReviewSettings {
        let (limit, iterations) = (Duration::from_millis(200), ESTIMATE_ITERATIONS / 10);
        ReviewSettings { limit, iterations, details: true, from: 1, memory: DEFAULT_TABLE_BYTES, stop: None }
    }
}

/// A player's losses in a game, and its kind.
#[derive(Clone, Default, PartialEq, Debug, Serialize)]
pub struct PlayerSummary {
    /// Moves judged exactly.
    pub judged: u32,
    /// Points given away by these moves.
    pub lost: u32,
    /// The numbers of moves marked `?!`, `?` and `??`.
    pub marks: [usize; 3],
    /// The player's likeliest kind, by the moves from the first judged one on.
    pub taken_for: Option<TakenFor>,
}

/// A kind of player, and the chance (0 to 1) that a player is of this kind.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TakenFor {
    /// The behaviour of the kind: "moves at random".
    pub kind: String,
    pub chance: f64,
}

/// The knowledge of a position's final score, red minus blue, under best play of both.
#[derive(Clone, Copy, Default, PartialEq, Debug, Serialize)]
pub struct KnownScore {
    /// The score, if it is proven.
    pub score: Option<Score>,
    /// The least and the most proven of the score.
    pub bounds: [Score; 2],
    /// The score expected by the search; `None` without a search.
    pub estimate: Option<f64>,
}

/// A judged move, with the knowledge before and after it. The fields are the keys of the JSON object.
#[derive(Clone, Default, PartialEq, Debug, Serialize)]
pub struct JudgedMove {
    /// The move's number, from 1.
    pub ply: usize,
    pub player: String,
    pub r#move: String,
    /// `?!` from 1 point lost, `?` from 2, `??` from 4.
    pub mark: &'static str,
    /// The points given away, if the scores before and after are proven.
    pub lost: Option<Score>,
    /// The score after the move.
    #[serde(flatten)]
    pub after: KnownScore,
    /// The best move, by the solver, else by the search; the played move if it is as good.
    pub best: Option<String>,
    /// The reason for the best move, in the words of `think`.
    pub reason: Option<String>,
    /// The proven scores after moves.
    pub options: BTreeMap<String, Score>,
    /// The answer about the position before the move.
    pub before: Answer,
}

/// A game with its moves judged. The fields are the keys of the JSON object.
#[derive(Clone, Default, PartialEq, Debug, Serialize)]
pub struct Review {
    pub title: String,
    pub red: String,
    pub blue: String,
    pub blocked: Vec<String>,
    pub hands: PerPlayer<Vec<u8>>,
    pub first: String,
    /// The score before the first move.
    pub start: KnownScore,
    pub moves: Vec<JudgedMove>,
    pub final_score: Option<Score>,
    /// The points of Red and Blue after a forfeit, and its fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<[u8; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// The number of moves after which the sign of the proven score stayed the same.
    pub decided: Option<usize>,
    pub summary: PerPlayer<PlayerSummary>,
    pub record: String,
    pub base36: Option<String>,
}

/// A judged position, with its best move.
#[derive(Clone, Default)]
struct JudgedPosition {
    answer: Answer,
    estimate: Option<f64>,
    best: Option<Move>,
    reason: Option<Reason>,
    options: BTreeMap<String, Score>,
}

/// Reviews games, with one solver and its memory for all.
pub struct Reviewer {
    settings: ReviewSettings,
    solver: Solver,
    /// Made anew for each game, so that no estimate depends on the games before.
    engine: Option<Engine>,
    /// The number of unproven positions in a row.
    misses: u32,
}

impl Reviewer {
    /// Make a reviewer. Its memory is reserved, and used only with the work.
    pub fn new(settings: ReviewSettings) -> Reviewer {
        Reviewer { settings, solver: Solver::new(settings.memory), engine: None, misses: 0 }
    }

    /// Judge the moves of a game, the last first, and tell each when judged.
    pub fn review(&mut self, game: &RecordedGame, tell: &mut dyn FnMut(&JudgedMove)) -> Review {
        let (points, RecordedGame { title, names: [red, blue], record, fault, .. }) =
            (game.forfeit(), game.clone());
        let mut positions = vec![*record.start()];
        for (n, &mv) in record.moves().iter().enumerate() {
            positions.push(positions[n].after::<Portable>(mv));
        }
        (self.engine, self.misses) = (None, 0);
        let placed: Vec<(Player, Move)> = record.placements().collect();
        let mut judged = vec![JudgedPosition::default(); positions.len()];
        for (ply, position) in positions.iter().enumerate().rev() {
            let played = record.moves().get(ply).map(|&mv| (mv, &judged[ply + 1]));
            judged[ply] = if ply + 1 < self.settings.from {
                let answer = Answer::of(position, Bounds::UNKNOWN, 0, Duration::ZERO);
                JudgedPosition { answer, ..JudgedPosition::default() }
            } else {
                let found = self.judge_position(position, played);
                if let Some((_, after)) = played {
                    tell(&JudgedMove::of((ply + 1, placed[ply]), (&found, after)));
                }
                found
            };
        }
        let placed = (1..).zip(placed).zip(judged.iter().zip(&judged[1..]));
        let moves: Vec<JudgedMove> = placed.map(|(placed, around)| JudgedMove::of(placed, around)).collect();
        Review {
            title,
            red,
            blue,
            blocked: record.blocked().iter().map(Cell::to_string).collect(),
            hands: hands(&record),
            first: record.start().to_move().to_string(),
            start: KnownScore::of(&judged[0]),
            final_score: record.final_score(),
            fault: fault.filter(|_| points.is_some()),
            points,
            decided: decided(&judged),
            summary: PerPlayer::of(|player| self.player_summary(player, &moves, &positions, record.moves())),
            record: record.to_string(),
            base36: record.to_base36(),
            moves,
        }
    }

    /// Sum up a player's losses, and find its kind.
    fn player_summary(
        &self,
        player: Player,
        judged: &[JudgedMove],
        positions: &[Position],
        moves: &[Move],
    ) -> PlayerSummary {
        let own = || judged.iter().filter(|judged| judged.player == player.to_string());
        let losses: Vec<Score> = own().filter_map(|judged| judged.lost).collect();
        let style = || {
            let from = self.settings.from - 1;
            let opponent = likely_opponent(positions.get(from)?, &moves[from..], player);
            let (kind, chance) = opponent.taken_for(&Params::default())?;
            Some(TakenFor { kind: kind.to_string(), chance: (100.0 * f64::from(chance)).round() / 100.0 })
        };
        PlayerSummary {
            judged: losses.len() as u32,
            lost: losses.iter().map(|&lost| lost as u32).sum(),
            marks: MARKS.map(|mark| own().filter(|judged| judged.mark == mark).count()),
            taken_for: self.settings.details.then(style).flatten(),
        }
    }

    /// Judge a position, from the judgement after its played move.
    fn judge_position(
        &mut self,
        position: &Position,
        played: Option<(Move, &JudgedPosition)>,
    ) -> JudgedPosition {
        let (settings, started, nodes) = (self.settings, Instant::now(), self.solver.nodes());
        let known = self.prove(position, played.map(|(mv, after)| (mv, after.proven())));
        let score = known.bounds.exact();
        let stopped = Limits { stop: settings.stop, ..Limits::NONE }.reached(0);
        let asked = score.is_none() && settings.iterations > 0 && !stopped;
        let think = || self.engine.get_or_insert_with(|| engine(&settings)).think(position, Duration::ZERO);
        let thoughts = asked.then(think);
        let kept = played.filter(|(_, after)| score.is_some() && after.answer.score == score);
        let best = match (&thoughts, kept) {
            (Some(thoughts), _) => Some(thoughts.choice.mv),
            (_, Some((mv, _))) => Some(mv),
            _ => score.and(known.best),
        };
        let (mut line_of_play, mut options) = (Vec::new(), BTreeMap::new());
        if settings.details {
            let limits = self.limits();
            line_of_play = match (&thoughts, best) {
                (Some(thoughts), _) => thoughts.variation.to_vec(),
                (_, Some(best)) => {
                    let after = position.after::<Portable>(best);
                    [vec![best], principal_variation(&mut self.solver, &after, score, &limits)].concat()
                }
                _ => Vec::new(),
            };
            options = self.options(position, &known);
        }
        options.extend(played.and_then(|(mv, after)| Some((mv.to_string(), after.answer.score?))));
        let (searched, reason) =
            thoughts.as_ref().map_or((0, Reason::Solved), |it| (it.choice.nodes, it.choice.reason));
        let nodes = self.solver.nodes() - nodes + searched;
        let answer = Answer::of(position, known.bounds, nodes, started.elapsed());
        JudgedPosition {
            answer: answer.with_moves(&known.optimal, &line_of_play),
            estimate: thoughts.map(|thoughts| expected_score(&thoughts, position, known.bounds)),
            best,
            reason: best.map(|_| reason),
            options,
        }
    }

    /// List the scores after moves, as far as they are proven within the limit.
    fn options(&mut self, position: &Position, known: &Solution) -> BTreeMap<String, Score> {
        let Some(score) = known.bounds.exact() else { return BTreeMap::new() };
        let mut options: BTreeMap<String, Score> =
            known.optimal.iter().map(|mv| (mv.to_string(), score)).collect();
        if position.empty().len() <= ALL_MOVES_CELLS {
            let limits = self.limits();
            let all = move_values(&mut self.solver, position, known, &limits).into_iter();
            options.extend(all.filter_map(|(mv, bounds)| Some((mv.to_string(), bounds.exact()?))));
        }
        options
    }

    /// Prove a position's value as far as the limit allows, from the bounds after its played move.
    fn prove(&mut self, position: &Position, played: Option<(Move, Bounds)>) -> Solution {
        let mover = position.to_move();
        let (mut bounds, mut best) = (counted_bounds(position), None);
        if let Some((mv, after)) = played {
            let secured = match mover {
                Player::Red => Bounds { lower: after.lower, ..Bounds::UNKNOWN },
                Player::Blue => Bounds { upper: after.upper, ..Bounds::UNKNOWN },
            };
            bounds = intersection(bounds, secured);
            best = Some(mv).filter(|_| bounds.secured(mover) == after.secured(mover));
        }
        if self.misses >= MAX_MISSES && bounds.exact().is_none() {
            return Solution { bounds, best, optimal: Vec::new(), complete: false };
        }
        let after = played.and_then(|(_, after)| after.exact());
        let guess = after.unwrap_or_else(|| likely_score(position));
        let limits = self.limits();
        let mut known = self.solver.solve_from(position, (bounds, best), guess, &limits, &mut |_| {});
        known.best = known.best.or(best);
        if !known.complete {
            known.optimal.clear();
        }
        self.misses = if known.bounds.exact().is_some() { 0 } else { self.misses + 1 };
        known
    }

    /// Return the limits of the solver's work on a position, beginning now.
    fn limits(&self) -> Limits {
        Limits { stop: self.settings.stop, ..Limits::until(Instant::now() + self.settings.limit) }
    }
}

/// Make the engine that estimates.
fn engine(settings: &ReviewSettings) -> Engine {
    // The solver was asked before the search; replies are taken to be the best.
    let params = Params { solve_from: 0, model_from: 2.0, ..Params::default() };
    Engine::new(Options { params, nodes: Some(settings.iterations), ..Options::default() })
}

impl JudgedPosition {
    fn proven(&self) -> Bounds {
        let [lower, upper] = self.answer.bounds;
        Bounds { lower, upper }
    }
}

impl KnownScore {
    fn of(judged: &JudgedPosition) -> KnownScore {
        KnownScore { score: judged.answer.score, bounds: judged.answer.bounds, estimate: judged.estimate }
    }
}

impl JudgedMove {
    fn of(
        (ply, (player, mv)): (usize, (Player, Move)),
        (before, after): (&JudgedPosition, &JudgedPosition),
    ) -> JudgedMove {
        let scores = before.answer.score.zip(after.answer.score);
        let lost = scores.map(|(before, after)| player.sign() * (before - after));
        let [slight, clear, heavy] = MARKS;
        JudgedMove {
            ply,
            player: player.to_string(),
            r#move: mv.to_string(),
            mark: match lost.unwrap_or(0) {
                ..1 => "",
                1 => slight,
                2..4 => clear,
                4.. => heavy,
            },
            lost,
            after: KnownScore::of(after),
            best: before.best.map(|mv| mv.to_string()),
            reason: before.reason.map(|reason| reason.to_string()),
            options: before.options.clone(),
            before: before.answer.clone(),
        }
    }
}

/// Return the final score expected by a search, red minus blue, within proven bounds.
fn expected_score(thoughts: &Thoughts, position: &Position, bounds: Bounds) -> f64 {
    let red = position.to_move() == Player::Red;
    let chance = |value: f32| f64::from(if red { value } else { 1.0 - value });
    let known = thoughts.targets.iter().map(|line| (line.target.alpha().into(), chance(line.chance)));
    let expected = mean_score(&known.collect::<Vec<_>>());
    let expected = expected.unwrap_or_else(|| likely_score(position).into());
    // Not -0.
    (10.0 * expected.clamp(bounds.lower.into(), bounds.upper.into())).round() / 10.0 + 0.0
}

/// Return the mean of a score from some of its chances to be at least α, by ascending α: the sum of the
/// chances for all α. Below the least known α the chance is 1, above the largest 0, and between two it
/// falls along a straight line.
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

/// Count the moves after which the sign of the proven score stayed the same.
fn decided(judged: &[JudgedPosition]) -> Option<usize> {
    let sign = |judged: &JudgedPosition| judged.answer.score.map(Score::signum);
    let last = judged.last().and_then(sign)?;
    Some(judged.iter().rposition(|judged| sign(judged) != Some(last)).map_or(0, |ply| ply + 1))
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
