//! The model of the opponent, and the best response to predictable replies.

use std::collections::HashMap;

use crate::prelude::*;
use crate::search::expected;
use blackhole_player::evaluation::quick_move;
use blackhole_player::expectation::Expectation;
use blackhole_player::opponent::KINDS;
use blackhole_player::rng::Random;
use blackhole_player::search::{best_responses, RESPONSE_BYTES};

/// The expected score straight from its definition.
fn slow_score(position: &Position) -> f32 {
    let cells = position.empty();
    let sum = |player| position.hand(player).iter().map(|stone| f32::from(stone.value())).sum::<f32>();
    let mean_stone = (sum(Player::Red) - sum(Player::Blue)) / (cells.len() as f32 - 1.0).max(1.0);
    let filled = |hole: Cell| (hole.neighbours() & cells).len() as f32;
    let score = |hole| f32::from(position.score(hole)) + filled(hole) * mean_stone;
    cells.into_iter().map(score).sum::<f32>() / cells.len() as f32
}

#[test]
fn the_expectation_agrees_with_its_definition_before_and_after_each_move() {
    for position in random_game(&mut rng(3)) {
        assert!((Expectation::of(&position).score() - slow_score(&position)).abs() < 1e-3, "{position:?}");
        let expectation = Expectation::of(&position);
        let sign = f32::from(position.to_move().sign());
        let mut most = f32::NEG_INFINITY;
        for mv in position.legal_moves() {
            let expected = sign * slow_score(&after(&position, mv));
            assert!((expectation.after(&position, mv) - expected).abs() < 1e-3, "{mv} {position:?}");
            most = most.max(expected);
        }
        if position.final_score().is_none() {
            let greedy = sign * slow_score(&after(&position, greedy_move(&position)));
            assert!(greedy > most - 1e-3, "{greedy} is not {most} in {position:?}");
        }
    }
}

/// Each kind draws its moves by the chances it states, or the likeliest one always; a rough one
/// follows the same stones.
#[test]
fn moves_are_drawn_by_their_chances() {
    let (mut rng, mut random) = (rng(4), Random::new(4));
    for (n, kind) in KINDS.into_iter().enumerate().filter(|(_, kind)| kind.is_predictable()) {
        let position = random_play(&mut rng, 31 - n);
        let chances = kind.chances(&position, Target::new(0));
        assert!((chances.iter().map(|&(_, chance)| chance).sum::<f32>() - 1.0).abs() < 1e-3);
        let draws = 6_000;
        let mut drawn = HashMap::new();
        for _ in 0..draws {
            *drawn.entry(kind.draw(&position, &mut random)).or_insert(0u32) += 1;
            if let Some(mv) = kind.draw_roughly(&position, &mut random) {
                assert!(chances.iter().any(|&(other, _)| other == mv), "{mv} of {kind}");
            }
        }
        if kind.repeats() {
            let most = chances.iter().map(|&(_, chance)| chance).fold(0.0, f32::max);
            let likeliest = |mv| chances.iter().any(|&(other, chance)| other == mv && chance > most - 1e-3);
            assert!(drawn.into_keys().all(likeliest), "{kind}");
            continue;
        }
        for &(mv, chance) in &chances {
            let often = drawn.remove(&mv).unwrap_or(0) as f32 / draws as f32;
            let error = (chance * (1.0 - chance) / draws as f32).sqrt();
            assert!((often - chance).abs() <= 5.0 * error + 1e-3, "{mv} of {kind}: {often}, {chance}");
        }
        assert!(drawn.is_empty(), "{drawn:?} of {kind}");
    }
}

/// Show a new opponent ten replies to greedy moves.
fn after_replies(seed: u64, mut reply: impl FnMut(&Position) -> Move) -> Opponent {
    let (mut opponent, mut position) = (Opponent::default(), random_game(&mut rng(seed))[0]);
    for _ in 0..10 {
        opponent.note_turn(&position, None, false);
        position = after(&position, greedy_move(&position));
        position = after(&position, reply(&position));
        opponent.learn(&position, Target::new(0));
    }
    opponent
}

#[test]
fn kinds_are_told_from_each_other_by_their_replies() {
    let params = Params::default();
    let mut random = Random::new(5);
    for (kind, least) in [
        (Kind::Random, 5),
        (Kind::Follows(8.0), 5),
        (Kind::Follows(128.0), 7),
        (Kind::Largest(1.0), 7),
        (Kind::Best, 7),
    ] {
        let mut right = 0;
        for seed in 0..8 {
            let opponent = after_replies(seed, |position| match kind {
                Kind::Best => quick_move::<Portable>(position, Target::new(0)).expect("a move"),
                _ => kind.draw(position, &mut random),
            });
            let model = opponent.model(&params);
            let predictable = model.map_or(0.0, |model| model.predictable);
            let (likeliest, _) = opponent.likeliest(&params).expect("replies");
            right += u32::from(match (kind, likeliest) {
                (Kind::Random, Kind::Random) => predictable > 0.8,
                (Kind::Follows(sharpness), Kind::Follows(other)) => {
                    (sharpness / other).log2().abs() <= 2.0 && predictable > 0.8
                }
                (Kind::Largest(_), Kind::Largest(_)) => predictable > 0.95,
                (Kind::Best, Kind::Best | Kind::Follows(2.0)) => predictable < 0.5,
                _ => false,
            });
        }
        assert!(right >= least, "{kind}: {right} of 8");
    }
}

/// A reply that no kind explains does not rule one out.
#[test]
fn one_odd_reply_does_not_change_the_kind() {
    let params = Params::default();
    let mut random = Random::new(6);
    for odd in [3, 6] {
        let mut count = 0;
        let opponent = after_replies(3, |position| {
            count += 1;
            let kind = if count == odd { Kind::Random } else { Kind::Follows(128.0) };
            kind.draw(position, &mut random)
        });
        let model = opponent.model(&params).expect("a model");
        assert!(model.predictable > 0.95, "{model:?}");
    }
}

#[test]
fn without_a_reply_nothing_is_learned() {
    let params = Params::default();
    let mut opponent = Opponent::default();
    let [one, other] = [1, 2].map(|seed| random_game(&mut rng(seed))[0]);
    opponent.learn(&one, Target::new(0));
    opponent.note_turn(&one, None, false);
    opponent.learn(&other, Target::new(0));
    assert_eq!(opponent.likeliest(&params), None);
    assert_eq!(opponent.weights(&params), Opponent::default().weights(&params));
}

#[test]
fn a_stranger_is_of_each_kind_as_likely_as_the_rows_say() {
    type Means = fn(Kind) -> bool;
    let rows: [(&str, Means); 3] = [
        ("prior_follower", |kind| matches!(kind, Kind::Follows(_)) && kind.is_predictable()),
        ("prior_largest", |kind| matches!(kind, Kind::Largest(_))),
        ("prior_random", |kind| kind == Kind::Random),
    ];
    for ((row, means), prior) in rows.into_iter().flat_map(|row| [(row, 0.0), (row, 0.1), (row, 0.3)]) {
        let mut params = Params::default();
        params.set(row, &prior.to_string()).expect("a row and a chance");
        let weights = KINDS.into_iter().zip(Opponent::default().weights(&params));
        let (these, others): (Vec<_>, Vec<_>) = weights.partition(|&(kind, _)| means(kind));
        let sum = |kinds: &[(Kind, f32)]| kinds.iter().map(|(_, weight)| weight).sum::<f32>();
        assert!((sum(&these) - prior).abs() < 1e-4 && these.iter().all(|it| it.1 == these[0].1), "{row}");
        assert!((sum(&others) - (1.0 - prior)).abs() < 1e-4, "{row}");
    }
}

#[test]
fn points_given_away_tell_a_random_player() {
    let random = |opponent: &Opponent, params: &Params| {
        let weights = KINDS.into_iter().zip(opponent.weights(params));
        weights.filter(|&(kind, _)| kind == Kind::Random).map(|(_, weight)| weight).sum::<f32>()
    };
    let after = |rise: i32, staked: bool| {
        let mut opponent = Opponent::default();
        let position = random_game(&mut rng(1))[0];
        opponent.note_turn(&position, None, staked);
        opponent.note_turn(&position, Some(rise), false);
        random(&opponent, &Params::default())
    };
    let stranger = random(&Opponent::default(), &Params::default());
    let by_rise = [-9, 0, 1, 2, 3, 9].map(|rise| after(rise, false));
    assert!(by_rise[0] == by_rise[1] && by_rise[1] < stranger && by_rise[4] == by_rise[5], "{by_rise:?}");
    assert!(stranger < by_rise[2] && by_rise.is_sorted(), "{by_rise:?} after {stranger}");
    // The points may be those that our own move staked.
    assert_eq!([0, 2].map(|rise| after(rise, true)), [stranger, by_rise[3]]);
}

#[test]
fn the_best_line_against_known_replies_is_found() {
    let (mut rng, mut random, params) = (rng(7), Random::new(7), Params::default());
    for (kind, off) in [(Kind::Follows(128.0), 0.5), (Kind::Random, 2.5), (Kind::Largest(4.0), 2.5)] {
        let (mut lost, mut worst) = (0.0, 0.0f32);
        for game in 0..12 {
            let position = random_play(&mut rng, if kind == Kind::Random { 4 } else { 5 + game % 2 });
            let us = position.to_move();
            let model = ReplyModel::of(kind, 1.0);
            let (bytes, limits) = (RESPONSE_BYTES, Limits::nodes(20_000));
            let found = best_responses(&position, &model, &params, &mut random, bytes, &limits).moves;
            assert_eq!(found.len(), position.legal_moves().count(), "every move is tried");
            let most = |position: &Position| {
                expected(position, (Target::new(0), us), (kind, 1.0), &|it| it.final_score().map(f32::from))
            };
            let less = f32::from(us.sign()) * (most(&position) - most(&after(&position, found[0].0)));
            (lost, worst) = (lost + less, worst.max(less));
        }
        assert!(lost < 0.5 * 12.0 && worst < off + 1.0, "{kind}: {lost} lost in 12, {worst} at most");
    }
}
