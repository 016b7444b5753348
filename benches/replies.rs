//! How well the kinds of opponents foretell recorded replies:
//! `cargo bench --bench replies -- [--set NAME=VALUE …] GAMES…`, games in any form that `review`
//! reads.
//!
//! For each player of each file: the replies, the mean natural logarithm of how much likelier a kind
//! makes one than a player who plays any move (nats), the same for the whole model, which has seen
//! the replies before it in the same game but not this one, the likeliest kind at the end of most
//! games, and the share of replies at which the model may stake points, in percent.

use std::collections::BTreeMap;
use std::process::ExitCode;

use blackhole::player::board::Player;
use blackhole::player::opponent::{ByKind, KINDS, Opponent, likely_target};
use blackhole::player::params::{Params, Setting};
use blackhole::workshop::games;

/// What is added up for a player.
#[derive(Default)]
struct Row {
    replies: f64,
    by_kind: ByKind,
    model: f64,
    staked: f64,
    naive: f64,
    taken_for: BTreeMap<String, u32>,
}

fn main() -> ExitCode {
    let mut params = Params::default();
    let mut rows: BTreeMap<(String, String), Row> = BTreeMap::new();
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        if argument == "--set" {
            let text = arguments.next().unwrap_or_default();
            let (name, value) = text.split_once('=').unwrap_or((&text, ""));
            match Setting::parse(name, value) {
                Ok(setting) => params.set(setting),
                Err(error) => return fail(&error.to_string()),
            }
            continue;
        }
        let bytes = match std::fs::read(&argument) {
            Ok(bytes) => bytes,
            Err(error) => return fail(&format!("{argument}: {error}")),
        };
        match games::read(&bytes) {
            Ok(games) => games.iter().for_each(|game| add_game(&mut rows, &argument, game, &params)),
            Err(error) => return fail(&format!("{argument}: {error}")),
        }
    }
    println!("nats a reply by kind: {}", KINDS.map(|kind| kind.to_string()).join("; "));
    for ((file, player), row) in rows {
        let mean = |sum: f64| sum / row.replies;
        let by_kind = row.by_kind.map(|sum| format!("{:6.2}", mean(f64::from(sum)))).join("");
        let taken_for = row.taken_for.iter().max_by_key(|(_, times)| **times).map_or("", |(kind, _)| kind);
        println!(
            "{file} {player}: {} replies {by_kind}  model {:.2}  stakes {:.1} %  naive {:.1} %  {taken_for}",
            row.replies,
            mean(row.model),
            100.0 * mean(row.staked),
            100.0 * mean(row.naive)
        );
    }
    ExitCode::SUCCESS
}

fn fail(text: &str) -> ExitCode {
    eprintln!("replies: {text}");
    ExitCode::from(2)
}

/// Add the replies of both players of a game.
fn add_game(
    rows: &mut BTreeMap<(String, String), Row>,
    file: &str,
    game: &games::RecordedGame,
    params: &Params,
) {
    let mut position = *game.record.start();
    let mut opponents = [Opponent::default(); 2];
    let row_of = |player: Player| (file.to_owned(), game.names[player.index()].clone());
    for &mv in game.record.moves() {
        let mover = position.to_move();
        // The last move is no choice.
        if position.empty().len() > 2 {
            let opponent = &mut opponents[mover.index()];
            let row = rows.entry(row_of(mover)).or_default();
            let before = opponent.weights(params);
            let likelihoods = opponent.see_reply(&position, mv, likely_target(&position));
            row.replies += 1.0;
            row.by_kind.iter_mut().zip(likelihoods).for_each(|(sum, likelihood)| *sum += likelihood.ln());
            let mixed: f32 = before.iter().zip(likelihoods).map(|(weight, it)| weight * it).sum();
            row.model += f64::from(mixed.ln());
            let model = opponent.model(params);
            row.staked += f64::from(u8::from(model.is_some_and(|model| model.may_stake(params))));
            row.naive += f64::from(u8::from(model.is_some_and(|model| model.is_naive(params))));
        }
        if position.try_play(mv).is_err() {
            return;
        }
    }
    for player in [Player::Red, Player::Blue] {
        if let Some((kind, _)) = opponents[player.index()].taken_for(params) {
            *rows.entry(row_of(player)).or_default().taken_for.entry(kind.to_string()).or_default() += 1;
        }
    }
}
