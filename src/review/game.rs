//! A game judged move by move, from its end backwards.
//!
//! A move secures its player at least the value of the position after it. So the proof there bounds the position before,
//! the solver goes on with its table kept, and the number after the played move is backed up.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::judged::{JudgedMove, PlayerSummary, Review, mark};
use super::story;
use crate::games::files::{PerPlayer, RecordedGame, hands};
use crate::judge::answer::Analysis;
use crate::judge::verdict::{Effort, Judge, Verdict};
use crate::judge::worth::{Worth, given_away};
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

/// Judge the moves of a game, the last first, and tell each when judged.
pub fn review(game: &RecordedGame, settings: ReviewSettings, tell: &mut dyn FnMut(&JudgedMove)) -> Review {
    let (points, RecordedGame { title, names: [red, blue], record, fault, .. }) =
        (game.forfeit(), game.clone());
    let mut positions = vec![*record.start()];
    for (n, &mv) in record.moves().iter().enumerate() {
        positions.push(positions[n].after::<Portable>(mv));
    }
    // A table of its own: what other games left in it would change the verdicts.
    let mut judge = (settings.from <= positions.len()).then(|| Judge::new(settings.stop));
    let placed: Vec<(Player, Move)> = record.placements().collect();
    let mut judged = vec![JudgedPosition::default(); positions.len()];
    for (ply, position) in positions.iter().enumerate().rev() {
        let started = Instant::now();
        let judge = judge.as_mut().filter(|_| ply + 1 >= settings.from);
        let after = placed.get(ply).map(|&(_, mv)| (mv, judged[ply + 1].worth));
        let verdict =
            judge.map_or_else(Verdict::unknown, |judge| judge.judge(position, settings.effort, after));
        let analysis = Analysis::of(position, &verdict, started.elapsed());
        judged[ply] = JudgedPosition { worth: verdict.worth, analysis };
        if ply + 1 >= settings.from && ply < placed.len() {
            tell(&judged_move((ply + 1, placed[ply]), (&judged[ply], &judged[ply + 1])));
        }
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
        start: judged[0].worth,
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

#[derive(Clone, Default)]
struct JudgedPosition {
    worth: Worth,
    analysis: Analysis,
}

fn judged_move(
    (ply, (player, mv)): (usize, (Player, Move)),
    (before, after): (&JudgedPosition, &JudgedPosition),
) -> JudgedMove {
    let lost = before.worth.number().zip(after.worth.number());
    let lost = lost.map(|(before, after)| given_away(player, before, after).max(0.0));
    let is_proven = before.worth.score.and(after.worth.score).is_some();
    let best = before.analysis.moves.iter().find(|it| it.r#move == mv.to_string());
    // The played move is named if it is as good as any.
    let best = best.filter(|_| lost == Some(0.0)).or(before.analysis.moves.first());
    JudgedMove {
        ply,
        player: player.to_string(),
        r#move: mv.to_string(),
        mark: lost
            .map_or("", |lost| mark(lost, (!is_proven).then(|| before.worth.doubt() + after.worth.doubt()))),
        lost: lost.filter(|_| is_proven).map(|lost| lost as u8),
        estimated_lost: lost.filter(|_| !is_proven),
        after: after.worth,
        best: best.map(|best| best.r#move.clone()),
        before: before.analysis.clone(),
    }
}

fn player_summary(player: Player, judged: &[JudgedMove]) -> PlayerSummary {
    let own = judged.iter().filter(|judged| judged.player == player.to_string());
    let losses: Vec<u32> = own.filter_map(|judged| judged.lost).map(u32::from).collect();
    PlayerSummary { judged: losses.len() as u32, lost: losses.iter().sum() }
}

/// Count the moves after which the proven sign of the score stayed the same.
fn decided(judged: &[JudgedPosition]) -> Option<usize> {
    let sign = |judged: &JudgedPosition| judged.worth.proven_sign();
    let last = judged.last().and_then(sign)?;
    Some(judged.iter().rposition(|judged| sign(judged) != Some(last)).map_or(0, |ply| ply + 1))
}
