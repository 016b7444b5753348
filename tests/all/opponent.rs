//! What beats weak opponents: those who follow the expected score, and those who move at random.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::testing::{random_game, random_play, rng};
use blackhole::player::board::{Cell, Hand, Move, Player, Stone};
use blackhole::player::limits::Limits;
use blackhole::player::opponent::expectation::{
    Expectation, chances, expected_score, greedy_move, likely_reply,
};
use blackhole::player::opponent::{moves_against_follower, moves_against_random};
use blackhole::player::position::Position;
use blackhole::player::rng::Random;
use blackhole::player::simd::Portable;

/// Return the position after a move.
fn after(position: &Position, mv: Move) -> Position {
    position.after::<Portable>(mv)
}

#[test]
fn random_fill_is_expected() {
    // One red stone 4 and one blue stone 1 for three cells in a row: the hole is an end cell, next
    // to either stone, or the middle one, next to both.
    let cells = ["A1", "A2", "A3"].map(|name| Cell::parse(name).unwrap());
    let hands = [4, 1].map(|value| Hand::EMPTY.with(Stone::new(value).unwrap()));
    let position = Position::setup(cells.into_iter().collect(), hands, Player::Red).unwrap();
    assert!((expected_score(&position) - (1.5 + 3.0 + 1.5) / 3.0).abs() < 1e-6);
}

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
        assert!((expected_score(&position) - slow_score(&position)).abs() < 1e-3, "{position:?}");
        let expectation = Expectation::of(&position);
        let sign = f32::from(position.to_move().sign());
        for mv in position.legal_moves() {
            let expected = sign * slow_score(&after(&position, mv));
            assert!((expectation.after(&position, mv) - expected).abs() < 1e-3, "{mv} {position:?}");
        }
    }
}

#[test]
fn replies_are_drawn_by_their_chances() {
    let (mut rng, mut random) = (rng(4), Random::new(4));
    for (n, sharpness) in [0.0, 1.0, 4.0, 32.0].into_iter().enumerate() {
        let position = random_play(&mut rng, 31 - n);
        let chances = chances(&position, sharpness);
        assert_eq!(chances.len(), position.legal_moves().count());
        assert!(chances.windows(2).all(|pair| pair[0].1 >= pair[1].1));
        assert!((chances.iter().map(|&(_, chance)| chance).sum::<f32>() - 1.0).abs() < 1e-3);
        let draws = 20_000;
        let mut drawn = HashMap::new();
        for _ in 0..draws {
            *drawn.entry(likely_reply(&position, sharpness, &mut random)).or_insert(0u32) += 1;
        }
        for &(mv, chance) in &chances {
            let often = drawn.get(&mv).copied().unwrap_or(0) as f32 / draws as f32;
            let error = (chance * (1.0 - chance) / draws as f32).sqrt();
            assert!((often - chance).abs() <= 5.0 * error + 1e-3, "{mv}: {often}, {chance}");
        }
        let expectation = Expectation::of(&position);
        let best = expectation.after(&position, chances[0].0);
        let none_better = position.legal_moves().all(|mv| expectation.after(&position, mv) <= best);
        assert!(none_better || sharpness == 0.0);
    }
}

/// Return the mean final score for Red between greedy play and any move at all.
fn mean_score(position: &Position, greedy: Player) -> f32 {
    if let Some(score) = position.final_score() {
        return f32::from(score);
    }
    if position.to_move() == greedy {
        return mean_score(&after(position, greedy_move(position)), greedy);
    }
    let moves: Vec<Move> = position.legal_moves().collect();
    moves.iter().map(|&mv| mean_score(&after(position, mv), greedy)).sum::<f32>() / moves.len() as f32
}

#[test]
fn the_moves_listed_first_do_best_against_any_reply() {
    let (mut rng, mut random) = (rng(11), Random::new(11));
    for _ in 0..20 {
        let position = random_play(&mut rng, 6);
        let mover = position.to_move();
        let sign = f32::from(mover.sign());
        let all = position.legal_moves().count();
        let mut list = |limits: &Limits| {
            moves_against_random(&position, position.legal_moves(), 400, &mut random, limits)
        };
        let listed = list(&Limits::NONE);
        assert_eq!(listed.len(), all.min(32));
        let value = |mv: Move| sign * mean_score(&after(&position, mv), mover);
        let best = listed.iter().map(|&(mv, _)| value(mv)).fold(f32::MIN, f32::max);
        let (first, score) = listed[0];
        assert!((score - value(first)).abs() < 2.0, "{first} {score} {}", value(first));
        assert!(value(first) > best - 1.0, "{first} {} of {best} in {position:?}", value(first));
        // A limit in the second round leaves what the first has found; one before leaves nothing.
        assert_eq!(list(&Limits::nodes(400 * listed.len() as u64)).len(), listed.len());
        assert!(list(&Limits::nodes(0)).is_empty());
    }
}

/// Play a move, and the reply with the best expected score, if the game goes on.
fn after_both(position: &Position, mv: Move) -> Position {
    let next = after(position, mv);
    if next.final_score().is_some() { next } else { after(&next, greedy_move(&next)) }
}

/// Return the best final score for `us`, to move, when all replies follow the expected score.
fn most(position: &Position, us: Player) -> f32 {
    if let Some(score) = position.final_score() {
        return f32::from(us.sign() * score);
    }
    position.legal_moves().map(|mv| most(&after_both(position, mv), us)).fold(f32::MIN, f32::max)
}

#[test]
fn the_best_line_against_known_replies_is_found() {
    let (mut rng, mut random) = (rng(7), Random::new(7));
    let mut best = 0;
    for game in 0..40 {
        let position = random_play(&mut rng, 4 + game % 4);
        let us = position.to_move();
        let found = moves_against_follower(&position, 20_000, &mut random, &Limits::NONE);
        assert_eq!(found.len(), position.legal_moves().count(), "every move is tried");
        best += u32::from(found[0].1 == most(&position, us));
        for &(mv, score) in &found {
            assert!(score <= most(&after_both(&position, mv), us), "{mv} {position:?}");
        }
    }
    assert!(best >= 38, "the best line in {best} of 40");
}

#[test]
fn limits_end_the_search_against_known_replies() {
    let position = random_play(&mut rng(9), 20);
    let mut random = Random::new(9);
    let mut found = |limits| moves_against_follower(&position, 100_000_000, &mut random, &limits).len();
    assert_eq!(found(Limits::nodes(0)), 0);
    assert!((1..=16).contains(&found(Limits::nodes(16))));
    assert!(found(Limits::until(Instant::now() + Duration::from_millis(20))) > 10);
}
