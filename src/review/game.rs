//! A game judged move by move, from its end backwards.
//!
//! A move secures its player at least the value of the position after it. So the proof there bounds the position before,
//! the solver goes on with its table kept, and the number after the played move is backed up.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::judged::{JudgedMove, PlayerSummary, Review};
use super::story;
use crate::games::files::{PerPlayer, RecordedGame, hands};
use crate::judge::answer::Analysis;
use crate::judge::verdict::{Effort, Judge, Verdict};
use crate::judge::worth::Worth;
use crate::player::board::{Move, Player};
use crate::player::simd::Portable;

#[derive(Clone, Copy, Debug)]
pub struct ReviewSettings {
    /// The judge's work for one position.
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

/// Write down a game without judging it.
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
    let judged_move = |judged: &[Judged], ply: usize| {
        let [(before, time), (after, _)] = [&judged[ply], &judged[ply + 1]];
        let judged = JudgedMove::of(ply + 1, placed[ply], [before.worth, after.worth]);
        // The played move is named if it is as good as any.
        let own = Some(placed[ply].1).filter(|_| judged.given_away() == Some(0.0));
        let best = own.or(before.best().map(|best| best.mv)).map(|mv| mv.to_string());
        JudgedMove { best, before: Analysis::of(&positions[ply], before, *time), ..judged }
    };
    // A table of its own: what other games left in it would change the verdicts.
    let mut judge = (settings.from <= positions.len()).then(|| Judge::new(settings.stop));
    let mut judged: Vec<Judged> = vec![(Verdict::unknown(), Duration::ZERO); positions.len()];
    for (ply, position) in positions.iter().enumerate().skip(settings.from - 1).rev() {
        let (Some(judge), started) = (judge.as_mut(), Instant::now()) else { break };
        let after = placed.get(ply).map(|&(_, mv)| (mv, judged[ply + 1].0.worth));
        judged[ply] = (judge.judge(position, settings.effort, after), started.elapsed());
        if ply < placed.len() {
            report(&judged_move(&judged, ply));
        }
    }
    let moves: Vec<JudgedMove> = (0..placed.len()).map(|ply| judged_move(&judged, ply)).collect();
    whole(Review {
        title,
        red,
        blue,
        hands: hands(&record),
        first: record.start().to_move().to_string(),
        start: judged[0].0.worth,
        moves,
        final_score: record.final_score(),
        fault: fault.filter(|_| points.is_some()),
        points,
        record: record.to_string(),
        ..Review::default()
    })
}

/// Judge a game by what is known before its first move and after each, and by the best moves; `None` if that is of a game
/// of another length.
pub fn rejudged(game: &RecordedGame, known: &[Worth], best: &[Option<String>]) -> Option<Review> {
    let placed: Vec<(Player, Move)> = game.record.placements().collect();
    let (&start, is_whole) = (known.first()?, [known.len(), best.len() + 1] == [placed.len() + 1; 2]);
    let judged = |(ply, worths): (usize, &[Worth])| JudgedMove {
        best: best[ply].clone(),
        ..JudgedMove::of(ply + 1, placed[ply], [worths[0], worths[1]])
    };
    is_whole.then(|| {
        let moves = known.windows(2).enumerate().map(judged).collect();
        whole(Review { start, moves, ..unjudged(game) })
    })
}

/// Sum up the judged moves of a game, and tell its story.
fn whole(review: Review) -> Review {
    let own = |player: Player| review.moves.iter().filter(move |it| it.player == player.to_string());
    let summary = PerPlayer::of(|player| PlayerSummary::of(own(player)));
    story::with_story(Review { summary, ..review })
}

type Judged = (Verdict, Duration);
