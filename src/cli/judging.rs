//! Games judged on all cores, with a bar.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::Failure;
use super::output::{animate, progress_bar};
use super::signals::stop_flag;
use super::source::NumberedGame;
use crate::review::game::{ReviewSettings, Reviewer};
use crate::review::judged::Review;

/// The judged games with their numbers, and a sentence about an interruption.
pub(super) type JudgedGames = (Vec<(usize, Review)>, Option<String>);

/// Judge the games until Ctrl-C, with a bar, on all cores; or only whole games.
pub(super) fn judged(
    settings: ReviewSettings,
    whole: bool,
    games: &[NumberedGame],
) -> Result<JudgedGames, Failure> {
    let stop = stop_flag()?;
    let cores = thread::available_parallelism().map_or(1, NonZero::get).min(games.len());
    let memory = settings.memory / cores.clamp(1, 4);
    let settings = ReviewSettings { memory, stop: Some(stop), ..settings };
    let stopped = || stop.load(Ordering::Relaxed);
    let count = |moves: usize| (moves + 1).saturating_sub(settings.from) as u64;
    let moves = games.iter().map(|(_, game)| count(game.record.moves().len())).sum();
    let bar = progress_bar(moves, "{bar:40} {pos}/{len} moves, {elapsed}");
    animate(&bar, Duration::from_millis(500));
    let done = || bar.inc(u64::from(!stopped()));
    let (next, reviews) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        let mut reviewer = Reviewer::new(settings);
        while let Some((number, game)) =
            games.get(next.fetch_add(1, Ordering::Relaxed)).filter(|_| !stopped())
        {
            let review = reviewer.review(game, &mut |_| done());
            // A summary has whole games only.
            if !(whole && stopped()) {
                reviews.lock().expect("no panic").push((*number, review));
            }
        }
    };
    thread::scope(|scope| {
        // Without more threads this one does all.
        let more: Vec<_> =
            (1..cores).map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
        work();
        more.into_iter().for_each(|worker| worker.join().expect("no panic"));
    });
    let mut reviews = reviews.into_inner().expect("no panic");
    reviews.sort_by_key(|(number, _)| *number);
    let of_whole = || reviews.iter().map(|(_, review)| count(review.moves.len())).sum();
    let judged = if whole { of_whole() } else { bar.position() };
    bar.finish_and_clear();
    let how_far = format!("interrupted: {judged} of {moves} moves are judged, each game from its end");
    Ok((reviews, stopped().then_some(how_far)))
}
