//! Games judged on all cores.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::game::{ReviewSettings, review};
use super::judged::Review;
use crate::games::files::RecordedGame;
use crate::system::cores;

/// Judge numbered games; call `on_move` after each move. Once the settings' flag is raised return what is judged so far,
/// or with `whole` only finished games.
pub fn review_all(
    settings: ReviewSettings,
    games: &[(usize, RecordedGame)],
    whole: bool,
    on_move: &(dyn Fn() + Sync),
) -> Vec<(usize, Review)> {
    let cores = cores().clamp(1, games.len().max(1));
    let is_stopped = || settings.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
    let (next, reviews) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        let next = || games.get(next.fetch_add(1, Ordering::Relaxed)).filter(|_| !is_stopped());
        while let Some((number, game)) = next() {
            let review = review(game, settings, &mut |_| on_move());
            if !(whole && is_stopped()) {
                reviews.lock().expect("no panic").push((*number, review));
            }
        }
    };
    thread::scope(|scope| {
        // If no thread can start, this one judges all games.
        let more: Vec<_> =
            (1..cores).map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
        work();
        more.into_iter().for_each(|worker| worker.join().expect("no panic"));
    });
    let mut reviews = reviews.into_inner().expect("no panic");
    reviews.sort_by_key(|(number, _)| *number);
    reviews
}
