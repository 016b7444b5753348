//! The engine on real positions: perfect play at the end, no time, thoughts that fit the move.

use crate::prelude::*;
use crate::search::opening;
use blackhole_player::engine::clock::QUICK_TO_SOLVE;

fn engine(nodes: Option<u64>) -> Engine {
    Engine::new(Options { nodes, seed: 1, memory: 32 << 20, ..Options::default() })
}

#[test]
fn small_positions_are_played_perfectly() {
    let mut rng = rng(8);
    for round in 0..60 {
        let position = random_position(&mut rng, 4 + round % 5);
        let values = brute_values(&position);
        let sign = position.to_move().sign();
        let best = values.iter().map(|&(_, value)| value * sign).max().unwrap();
        for nodes in [Some(1_000), None] {
            let choice = engine(nodes).choose(&position, Duration::from_secs(600));
            let &(_, value) = values.iter().find(|(mv, _)| *mv == choice.mv).expect("a legal move");
            assert_eq!(value * sign, best, "{:?} in {position:?}", choice.mv);
        }
    }
}

#[test]
fn an_engine_after_forgetting_is_like_new() {
    let game = replay("E2 A1 C4 G2 D2 B1=15 H1=15");
    let think = |engine: &mut Engine, position: &Position| {
        let thoughts = engine.think(position, Duration::ZERO);
        (thoughts.choice.mv, thoughts.choice.nodes, thoughts.figures.len())
    };
    let mut used = engine(Some(400));
    think(&mut used, &game[0]);
    used.forget();
    assert_eq!(think(&mut used, &game[2]), think(&mut engine(Some(400)), &game[2]));
}

/// The opponent's chances change by its replies and by measured aims, so not by a response of which
/// only the old aim is known.
#[test]
fn a_response_without_an_exact_value_leaves_the_weights_as_they_were() {
    let (mut engine, params, mut responses) = (engine(Some(150)), Params::default(), 0);
    let (mut learned, mut aim, mut position) = (Opponent::default(), Target::new(0), opening());
    while position.empty().len() > QUICK_TO_SOLVE {
        let replied = learned.learn(&position, aim).is_some();
        let choice = engine.choose(&position, Duration::ZERO);
        let is_response = choice.reason == Reason::Exploiting;
        let next = choice.target.unwrap_or(aim);
        let rise = i32::from(position.to_move().sign()) * i32::from(next.alpha() - aim.alpha());
        learned.note_turn(&position, (replied && !is_response).then_some(rise), is_response);
        assert_eq!(choice.opponent, learned.likeliest(&params), "{position:?}");
        (aim, responses) = (next, responses + u32::from(is_response));
        position.try_play(choice.mv).unwrap();
        position.try_play(greedy_move(&position)).unwrap();
    }
    assert!(responses > 2, "{responses}");
}

/// Also if the solver has proven a bound secured by another move than the trees'.
#[test]
fn the_line_and_the_candidates_begin_with_the_move() {
    let (mut proven, mut searched) = (0, 0);
    for (position, nodes) in strong_positions(20, 3).into_iter().zip([100, 400].into_iter().cycle()) {
        let thoughts = engine(Some(nodes)).think(&position, Duration::ZERO);
        let mv = thoughts.choice.mv;
        assert_eq!((thoughts.variations[0][0], thoughts.figures[0].mv), (mv, mv), "{position:?}");
        proven += usize::from(thoughts.solution.is_some_and(|solution| solution.best == Some(mv)));
        let targets = thoughts.targets;
        assert!(targets.is_sorted_by_key(|line| line.target), "{position:?}");
        let line = targets.iter().find(|line| Some(line.target) == thoughts.choice.target);
        searched += line.map_or(0, |line| line.visits.min(100));
        assert!(line.is_none_or(|line| (0.0..=1.0).contains(&line.chance)), "{position:?}");
    }
    assert!(proven > 3 && searched > 300, "{proven} {searched}");
}
