//! Games judged on all cores.

use std::sync::atomic::Ordering;

use super::game::{ReviewSettings, review};
use super::judged::Review;
use crate::games::files::RecordedGame;
use crate::system::map_on_all_cores;

/// Judge numbered games; call `on_move` after each move. Once the settings' flag is raised return what is judged so far,
/// or with `whole` only finished games.
pub fn review_all(
    settings: ReviewSettings,
    games: &[(usize, RecordedGame)],
    whole: bool,
    on_move: &(dyn Fn() + Sync),
) -> Vec<(usize, Review)> {
    let is_stopped = || settings.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
    let judge = |(number, game): &(usize, RecordedGame)| {
        let judged = (!is_stopped()).then(|| (*number, review(game, settings, &mut |_| on_move())));
        judged.filter(|_| !(whole && is_stopped()))
    };
    map_on_all_cores(games, judge, || ()).into_iter().flatten().collect()
}
