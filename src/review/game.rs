//! A game judged move by move, from its end backwards.
//!
//! A move secures its player at least the value of the position after it. So the proof there bounds the
//! position before, and the solver goes on from this bound with its table kept.

use std::collections::BTreeMap;
use std::slice;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::judged::{JudgedMove, KnownScore, PlayerSummary, Review, estimated_mark, mark};
use super::story;
use crate::games::files::{PerPlayer, RecordedGame, hands};
use crate::judge::answer::Answer;
use crate::judge::estimate::{Estimate, estimate, tenth};
use crate::judge::exact::{counted_bounds, intersection, move_values, principal_variation};
use crate::judge::likely::likely_score;
use crate::player::board::{Move, Player};
use crate::player::limits::Limits;
use crate::player::position::{Position, Score};
use crate::player::simd::Portable;
use crate::player::solver::{Bounds, DEFAULT_TABLE_BYTES, Solution, Solver};

/// The unproven positions in a row after which the solver gives up on the earlier ones.
const MAX_MISSES: u32 = 3;
/// Up to this many empty cells the score after every legal move is given.
const ALL_MOVES_CELLS: u32 = 12;

#[derive(Clone, Copy, Debug)]
pub struct ReviewSettings {
    /// The solver's time for one position.
    pub limit: Duration,
    /// Whether to estimate what is not proven.
    pub estimates: bool,
    /// Whether to find more than the losses: lines of play, and the scores after other moves than the played one.
    pub details: bool,
    /// The first move to judge, counted from 1.
    pub from: usize,
    /// Bytes of the solver's table.
    pub memory: usize,
    pub stop: Option<&'static AtomicBool>,
}

impl ReviewSettings {
    pub const UNJUDGED: ReviewSettings = ReviewSettings {
        limit: Duration::ZERO,
        estimates: false,
        details: false,
        from: usize::MAX,
        memory: 1 << 16,
        stop: None,
    };
}

/// A quick review of a whole game.
impl Default for ReviewSettings {
    fn default() -> ReviewSettings {
        let (limit, memory) = (Duration::from_millis(200), DEFAULT_TABLE_BYTES);
        ReviewSettings { limit, estimates: true, details: true, from: 1, memory, stop: None }
    }
}

#[derive(Clone, Default)]
struct JudgedPosition {
    answer: Answer,
    estimate: Option<Estimate>,
    best: Option<Move>,
    options: BTreeMap<String, Score>,
}

/// Reviews games, with one solver and its memory for all.
pub struct Reviewer {
    settings: ReviewSettings,
    solver: Solver,
    /// The number of unproven positions in a row.
    misses: u32,
}

impl Reviewer {
    pub fn new(settings: ReviewSettings) -> Reviewer {
        Reviewer { settings, solver: Solver::new(settings.memory), misses: 0 }
    }

    /// Judge the moves of a game, the last first, and tell each when judged.
    pub fn review(&mut self, game: &RecordedGame, tell: &mut dyn FnMut(&JudgedMove)) -> Review {
        let (points, RecordedGame { title, names: [red, blue], record, fault, .. }) =
            (game.forfeit(), game.clone());
        let mut positions = vec![*record.start()];
        for (n, &mv) in record.moves().iter().enumerate() {
            positions.push(positions[n].after::<Portable>(mv));
        }
        self.misses = 0;
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
                    tell(&judged_move((ply + 1, placed[ply]), (&found, after)));
                }
                found
            };
        }
        let placed = (1..).zip(placed).zip(judged.iter().zip(&judged[1..]));
        let moves: Vec<JudgedMove> = placed.map(|(placed, around)| judged_move(placed, around)).collect();
        let decided = decided(&judged);
        let review = Review {
            title,
            red,
            blue,
            worst: story::worst(&moves, decided),
            story: Vec::new(),
            hands: hands(&record),
            first: record.start().to_move().to_string(),
            start: judged[0].known(),
            final_score: record.final_score(),
            fault: fault.filter(|_| points.is_some()),
            points,
            decided,
            summary: PerPlayer::of(|player| player_summary(player, &moves)),
            record: record.to_string(),
            moves,
        };
        Review { story: story::story(&review), ..review }
    }

    fn judge_position(
        &mut self,
        position: &Position,
        played: Option<(Move, &JudgedPosition)>,
    ) -> JudgedPosition {
        let (settings, started, nodes) = (self.settings, Instant::now(), self.solver.nodes());
        let known = self.prove(position, played.map(|(mv, after)| (mv, after.proven())));
        let score = known.bounds.exact();
        let stopped = Limits { stop: settings.stop, ..Limits::NONE }.reached(0);
        let asked = score.is_none() && settings.estimates && !stopped;
        let estimated = asked.then(|| estimate(position, known.bounds));
        let kept = played.filter(|(_, after)| score.is_some() && after.answer.score == score);
        let best = match (&estimated, kept) {
            (Some(estimated), _) => estimated.best,
            (_, Some((mv, _))) => Some(mv),
            _ => score.and(known.best),
        };
        let (mut line_of_play, mut options) = (Vec::new(), BTreeMap::new());
        if settings.details {
            let limits = self.limits();
            line_of_play = match (&estimated, best) {
                (Some(estimated), _) => estimated.line.to_vec(),
                (_, Some(best)) => {
                    let after = position.after::<Portable>(best);
                    [vec![best], principal_variation(&mut self.solver, &after, score, &limits)].concat()
                }
                _ => Vec::new(),
            };
            options = self.options(position, &known);
        }
        options.extend(played.and_then(|(mv, after)| Some((mv.to_string(), after.answer.score?))));
        let searched = estimated.as_ref().map_or(0, |it| it.iterations);
        let nodes = self.solver.nodes() - nodes + searched;
        let answer = Answer::of(position, known.bounds, nodes, started.elapsed());
        JudgedPosition {
            answer: answer.with_moves(&known.optimal, &line_of_play),
            estimate: estimated,
            best,
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
            let (solver, solved) = (slice::from_mut(&mut self.solver), |_: &mut _| known.clone());
            let (_, all) = move_values(solver, position, score, solved, &limits, &mut |_| {});
            options
                .extend(all.into_iter().filter_map(|(mv, bounds)| Some((mv.to_string(), bounds.exact()?))));
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

impl JudgedPosition {
    fn proven(&self) -> Bounds {
        let [lower, upper] = self.answer.bounds;
        Bounds { lower, upper }
    }

    fn known(&self) -> KnownScore {
        let (estimate, error) = self.estimate.as_ref().map(|it| (it.score, it.error)).unzip();
        KnownScore { score: self.answer.score, bounds: self.answer.bounds, estimate, error }
    }
}

fn judged_move(
    (ply, (player, mv)): (usize, (Player, Move)),
    (before, after): (&JudgedPosition, &JudgedPosition),
) -> JudgedMove {
    let [before_it, after_it] = [before.known(), after.known()];
    // Up to 150: from one end of the scores to the other.
    let given = |(before, after)| i32::from(player.sign()) * (i32::from(before) - i32::from(after));
    let lost = before_it.score.zip(after_it.score).map(|scores: (Score, Score)| given(scores).max(0) as u8);
    let likely = before_it.likely().zip(after_it.likely()).filter(|_| lost.is_none());
    let estimated_lost =
        likely.map(|(before, after)| tenth((f64::from(player.sign()) * (before - after)).max(0.0)));
    let doubt = [before, after].iter().filter_map(|it| it.estimate.as_ref()).map(|it| it.doubt).sum::<f64>();
    JudgedMove {
        ply,
        player: player.to_string(),
        r#move: mv.to_string(),
        mark: lost.map(mark).or(estimated_lost.map(|lost| estimated_mark(lost, doubt))).unwrap_or(""),
        lost,
        estimated_lost,
        after: after_it,
        best: before.best.map(|mv| mv.to_string()),
        options: before.options.clone(),
        before: before.answer.clone(),
    }
}

fn player_summary(player: Player, judged: &[JudgedMove]) -> PlayerSummary {
    let own = judged.iter().filter(|judged| judged.player == player.to_string());
    let losses: Vec<u32> = own.filter_map(|judged| judged.lost).map(u32::from).collect();
    PlayerSummary { judged: losses.len() as u32, lost: losses.iter().sum() }
}

/// Count the moves after which the proven sign of the score stayed the same.
fn decided(judged: &[JudgedPosition]) -> Option<usize> {
    let sign = |judged: &JudgedPosition| judged.known().proven_sign();
    let last = judged.last().and_then(sign)?;
    Some(judged.iter().rposition(|judged| sign(judged) != Some(last)).map_or(0, |ply| ply + 1))
}
