//! A game judged move by move, from its end backwards.
//!
//! A move secures its player at least the value of the position after it. So the proof there bounds the position before,
//! the solver goes on with its table kept, and the score after the played move is backed up. The first positions, which
//! no proof reaches, are judged at the same time on other cores; the number of cores changes nothing else.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::judged::{JudgedMove, Review};
use super::story::with_story;
use crate::games::files::{RecordedGame, hands};
use crate::judge::answer::Analysis;
use crate::judge::exact::counted_bounds;
use crate::judge::verdict::{Effort, Judge, Verdict};
use crate::judge::worth::Worth;
use crate::player::board::{Move, Player};
use crate::player::position::Position;
use crate::player::simd::Portable;
use crate::player::solver::Bounds;
use crate::system::map_on_all_cores;

#[derive(Clone, Copy, Debug)]
pub struct ReviewSettings {
    pub effort: Effort,
    /// The first move to judge, counted from 1.
    pub from: usize,
    pub stop: Option<&'static AtomicBool>,
}

impl Default for ReviewSettings {
    fn default() -> ReviewSettings {
        ReviewSettings { effort: Effort::DEFAULT, from: 1, stop: None }
    }
}

/// Return the review of a game without judging it.
pub fn unjudged(game: &RecordedGame) -> Review {
    review(game, ReviewSettings { from: usize::MAX, ..ReviewSettings::default() }, &mut |_| {})
}

/// Judge the moves of a game, the last first; `report` gets each when judged.
pub fn review(game: &RecordedGame, settings: ReviewSettings, report: &mut dyn FnMut(&JudgedMove)) -> Review {
    let (points, RecordedGame { title, names: [red, blue], record, fault, .. }) =
        (game.forfeit(), game.clone());
    let placed: Vec<(Player, Move)> = record.placements().collect();
    let mut positions = vec![*record.start()];
    for (ply, &(_, mv)) in placed.iter().enumerate() {
        positions.push(positions[ply].after::<Portable>(mv));
    }
    let judged_move = |verdicts: &[TimedVerdict], ply: usize| {
        let [(before, time), (after, _)] = [&verdicts[ply], &verdicts[ply + 1]];
        let judged = JudgedMove::of(ply + 1, placed[ply], [before.worth, after.worth]);
        // The played move is named if no other is better.
        let own = Some(placed[ply].1).filter(|_| judged.given_away() == Some(0.0));
        let best = own.or(before.best().map(|best| best.mv)).map(|mv| mv.to_string());
        JudgedMove { best, before: Analysis::of(&positions[ply], before, *time), ..judged }
    };
    let verdicts = judge_positions(&positions, &placed, settings, &mut |verdicts, ply| {
        if ply < placed.len() {
            report(&judged_move(verdicts, ply));
        }
    });
    let moves: Vec<JudgedMove> = (0..placed.len()).map(|ply| judged_move(&verdicts, ply)).collect();
    with_story(Review {
        title,
        red,
        blue,
        hands: hands(&record),
        first: record.start().to_move().to_string(),
        start: verdicts[0].0.worth,
        moves,
        final_score: record.final_score(),
        fault: fault.filter(|_| points.is_some()),
        points,
        record: record.to_string(),
        ..Review::default()
    })
}

/// Judge numbered games; call `on_move` after each move. Once the settings' flag is raised return the
/// games judged so far, or with `whole` only finished ones.
pub fn review_all(
    settings: ReviewSettings,
    games: &[(usize, RecordedGame)],
    whole: bool,
    on_move: &(dyn Fn() + Sync),
) -> Vec<(usize, Review)> {
    let is_stopped = || settings.stop.is_some_and(|stop| stop.load(Relaxed));
    let judge = |(number, game): &(usize, RecordedGame)| {
        let judged = (!is_stopped()).then(|| (*number, review(game, settings, &mut |_| on_move())));
        judged.filter(|_| !(whole && is_stopped()))
    };
    map_on_all_cores(games, judge, || ()).into_iter().flatten().collect()
}

/// Judge the positions of a game, the last first; `report` gets all verdicts so far and the newest one's place.
fn judge_positions(
    positions: &[Position],
    placed: &[(Player, Move)],
    ReviewSettings { effort, from, stop }: ReviewSettings,
    report: &mut dyn FnMut(&[TimedVerdict], usize),
) -> Vec<TimedVerdict> {
    let judge_at = |judge: &mut Judge, ply: usize, after: Worth| {
        let (started, played) = (Instant::now(), placed.get(ply).map(|&(_, mv)| (mv, after)));
        (judge.judge(&positions[ply], effort, played), started.elapsed())
    };
    let mut verdicts = vec![(Verdict::proven(Bounds::UNKNOWN), Duration::ZERO); positions.len()];
    let mut learn = |verdicts: &mut [TimedVerdict], ply: usize, (mut verdict, time): TimedVerdict| {
        if stop.is_some_and(|stop| stop.load(Relaxed)) {
            return;
        }
        if let Some(&(player, mv)) = placed.get(ply) {
            verdict.learn(player, mv, verdicts[ply + 1].0.worth);
        }
        verdicts[ply] = (verdict, time);
        report(verdicts, ply);
    };
    let early = positions[..placed.len()].iter().take_while(|it| effort.is_above_proofs(it)).count();
    let late = early.max(from - 1)..positions.len();
    let early: Vec<usize> = (from - 1..early).collect();
    // A new table: entries of other games would change the verdicts.
    let (mut judge, mut after) = (Judge::new(stop), Worth::proven(Bounds::UNKNOWN));
    let judge_late = || {
        for ply in late.rev() {
            let found = judge_at(&mut judge, ply, after);
            learn(&mut verdicts, ply, found);
            after = verdicts[ply].0.worth;
        }
    };
    let counted = |ply: usize| Worth::proven(counted_bounds(&positions[ply]));
    let judge_early = |&ply: &usize| judge_at(&mut Judge::new(stop), ply, counted(ply + 1));
    let found = map_on_all_cores(&early, judge_early, judge_late);
    for (&ply, found) in early.iter().zip(found).rev() {
        learn(&mut verdicts, ply, found);
    }
    verdicts
}

/// Judge a game by its worths before the first move and after each, and the best moves; `None` if their numbers differ.
pub fn rejudged(game: &RecordedGame, known: &[Worth], best: &[Option<String>]) -> Option<Review> {
    let placed: Vec<(Player, Move)> = game.record.placements().collect();
    let (&start, is_whole) = (known.first()?, [known.len(), best.len() + 1] == [placed.len() + 1; 2]);
    let judged = |(ply, worths): (usize, &[Worth])| JudgedMove {
        best: best[ply].clone(),
        ..JudgedMove::of(ply + 1, placed[ply], [worths[0], worths[1]])
    };
    is_whole.then(|| {
        let moves = known.windows(2).enumerate().map(judged).collect();
        with_story(Review { start, moves, ..unjudged(game) })
    })
}

type TimedVerdict = (Verdict, Duration);
