//! How well the kinds of opponents foretell recorded replies, in games of any form that `review` reads:
//! `cargo bench --bench replies -- GAMES…`.
//!
//! For each player of each file: the number of replies; for each kind, and for the whole model by the earlier replies,
//! the mean logarithm of a reply's likelihood over that under random play (nats); and the shares of replies at which
//! points may be staked, and a response would be searched for.

use std::collections::BTreeMap;

use blackhole::games::files::{self, RecordedGame};
use blackhole::judge::likely::likely_target;
use blackhole::player::opponent::{ByKind, KINDS, Opponent};
use blackhole::player::params::Params;

/// The sums for a player.
#[derive(Default)]
struct PlayerFigures {
    replies: f64,
    by_kind: ByKind,
    model: f64,
    staked: f64,
    answered: f64,
}

fn main() {
    let params = Params::default();
    println!("nats a reply by kind: {}", KINDS.map(|kind| kind.to_string()).join("; "));
    for file in std::env::args().skip(1).filter(|argument| argument != "--bench") {
        let mut players = BTreeMap::new();
        for game in files::read(&std::fs::read(&file).expect("a file")).expect("games") {
            add_game(&mut players, &game, &params);
        }
        for (player, PlayerFigures { replies, by_kind, model, staked, answered }) in players {
            let by_kind = by_kind.map(|sum| format!("{:6.2}", f64::from(sum) / replies)).join("");
            let [model, staked, answered] =
                [model, 100.0 * staked, 100.0 * answered].map(|sum| sum / replies);
            print!("{file} {player}: {replies} replies {by_kind}  ");
            println!("model {model:.2}  stakes {staked:.1} %  answered {answered:.1} %");
        }
    }
}

/// Add the replies of both players of a game.
fn add_game(players: &mut BTreeMap<String, PlayerFigures>, game: &RecordedGame, params: &Params) {
    let mut position = *game.record.start();
    let mut opponents = [Opponent::default(); 2];
    for &mv in game.record.moves() {
        let side = position.to_move().index();
        // The last move is no choice.
        if position.empty().len() > 2 {
            let opponent = &mut opponents[side];
            let figures = players.entry(game.names[side].clone()).or_default();
            let before = opponent.weights(params);
            let likelihoods = opponent.learn_reply(&position, mv, likely_target(&position));
            figures.replies += 1.0;
            figures.by_kind.iter_mut().zip(likelihoods).for_each(|(sum, likelihood)| *sum += likelihood.ln());
            let mixed: f32 = before.iter().zip(likelihoods).map(|(weight, it)| weight * it).sum();
            figures.model += f64::from(mixed.ln());
            let model = opponent.model(params);
            figures.staked += f64::from(u8::from(model.is_some_and(|model| model.may_stake())));
            figures.answered += f64::from(u8::from(model.is_some_and(|model| model.has_response())));
        }
        position.try_play(mv).expect("a legal move");
    }
}
