//! The judge: one best move and one score for a position, however it is asked.

use blackhole::judge::exact::counted_bounds;
use blackhole::judge::verdict::{LISTED, Verdict};
use blackhole::judge::worth::Worth;
use blackhole::review::game::review_all;

use crate::common::*;

/// A little of every kind of work.
const EFFORT: Effort = Effort { nodes: 5_000, iterations: 500 };

fn judge(position: &Position, effort: Effort) -> Verdict {
    Judge::new(None).judge(position, effort, None)
}

/// Strong, weak and random games at 40 plies of all kinds.
fn records() -> Vec<Record> {
    let file = |name| fs::read(format!("tests/data/{name}.jsonl")).expect("a file");
    let games = ["strong", "journal"].map(|name| files::read(&file(name)[..]).expect("games"));
    let at = |n: usize| {
        let games = &games[n % 2];
        games[n % games.len()].record.until(n * 7 % 31)
    };
    (0..40).map(at).collect()
}

#[test]
fn a_position_has_one_verdict_twice_mirrored_and_in_a_review() {
    for record in records() {
        let position = record.position();
        let verdict = judge(position, EFFORT);
        let mirrored = judge(&position.with_colours_exchanged(), EFFORT);
        let moves = |verdict: &Verdict, is_mirrored: bool| {
            let worth = |it: &Worth| if is_mirrored { it.exchanged() } else { *it };
            let moves = verdict.moves.iter().map(|it| (it.mv, worth(&it.worth), it.line.clone()));
            (worth(&verdict.worth), moves.collect::<Vec<_>>())
        };
        assert_eq!(moves(&mirrored, true), moves(&verdict, false), "{record}");
        // The second time it is asked by a review of the game up to there.
        let settings = ReviewSettings { effort: EFFORT, from: record.moves().len() + 1, stop: None };
        let game = files::read(record.to_string().as_bytes()).expect("a game").remove(0);
        let reviewed = review(&game, settings, &mut |_| {});
        let after = reviewed.moves.last().map_or(reviewed.start, |judged| judged.after);
        assert_eq!(after, verdict.worth, "{record}");
    }
}

/// Games, and positions of a game, on several cores: as one judge finds it all, one after the other.
#[test]
fn one_core_and_many_review_alike() {
    let games = files::read(include_bytes!("../data/journal.jsonl")).expect("games");
    let games: Vec<_> = (1..).zip(games).take(3).collect();
    // The solver is asked about 20 cells and fewer.
    let settings = ReviewSettings { effort: Effort { nodes: 10_000, ..EFFORT }, from: 1, stop: None };
    for ((_, review), (_, game)) in review_all(settings, &games, false, &|| {}).iter().zip(&games) {
        let (mut judge, mut after) = (Judge::new(None), None);
        for ply in (0..=review.moves.len()).rev() {
            let record = game.record.until(ply);
            let (position, mover) = (record.position(), record.position().to_move());
            let played = after.map(|after| (game.record.moves()[ply], after));
            let mut verdict = judge.judge(position, settings.effort, played);
            if let Some((mv, worth)) = played {
                verdict.learn(mover, mv, worth);
            }
            let known = if ply > 0 { review.moves[ply - 1].after } else { review.start };
            assert_eq!(verdict.worth, known, "{record}");
            after = Some(known);
        }
    }
}

#[test]
fn verdicts_agree_with_exact_scores() {
    let (mut rng, mut off) = (rng(79), 0.0);
    for n in 0..30 {
        let sizes = [random_play(&mut rng, 7 + n % 5), random_position(&mut rng, 6 + n % 6)];
        let position = sizes[n % 2];
        let check = |Worth { score, bounds: [lower, upper], .. }: &Worth, position: &Position| {
            let value = Solver::new(1 << 20).value(position, 0, &Limits::NONE).exact().expect("no limit");
            assert!(*lower <= value && value <= *upper, "{position:?}");
            assert!(score.is_none_or(|score| score == value), "{position:?}");
            value
        };
        let mover = position.to_move();
        for effort in [EFFORT, Effort { nodes: 0, ..EFFORT }, Effort { nodes: 40, ..EFFORT }] {
            let verdict = judge(&position, effort);
            let value = check(&verdict.worth, &position);
            let estimated = verdict.worth.value().expect("a score");
            off += if effort.nodes == 0 { (estimated - f64::from(value)).abs() } else { 0.0 };
            let all = position.legal_moves().count();
            assert!(verdict.moves.len() >= LISTED.min(all), "{position:?}");
            let sign = f64::from(mover.sign());
            assert!(verdict.moves.is_sorted_by_key(|it| -sign * it.worth.value().expect("a score")));
            for it in &verdict.moves {
                check(&it.worth, &position.after::<Portable>(it.mv));
                assert_eq!(it.line[0], it.mv);
            }
        }
    }
    assert!(off < 3.0, "{off} points in 30 estimates");
}

#[test]
fn without_effort_only_what_is_counted_is_told() {
    let record = &records()[9];
    let verdict = judge(record.position(), Effort { nodes: 0, iterations: 0 });
    assert_eq!(verdict.worth.bounds(), counted_bounds(record.position()));
    assert!(verdict.worth.value().is_none() && verdict.moves.is_empty());
}
