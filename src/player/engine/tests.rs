//! The steps of a move, against brute force and against opponents whose replies are known.

use super::exact::{Exact, MAX_STAKED_POINTS};
use super::*;
use crate::alpha::Target;
use crate::board::Move;
use crate::expectation::{greedy_move, Expectation};
use crate::limits::Limits;
use crate::opponent::Kind;
use crate::position::Score;
use crate::rng::Random;
use crate::testing::{random_game, random_play, rng};

fn engine(params: Params, nodes: u64) -> Engine {
    Engine::new(Options { params, nodes: Some(nodes), ..Options::default() })
}

/// Ask about a position as the engine does, of an opponent.
fn with_request<T>(
    options: &Options,
    opponent: &Opponent,
    position: &Position,
    solver: &mut Solver,
    ask: impl FnOnce(&mut MoveRequest) -> T,
) -> T {
    ask(&mut MoveRequest {
        position: *position,
        options,
        plan: clock::plan_nodes(&options.params, position.empty().len(), options.nodes.unwrap_or(100)),
        opponent,
        model: opponent.model(&options.params),
        aim: Target::new(0),
        solver,
        search: &mut None,
        solution: None,
        iterations: 0,
    })
}

/// Play four games of the engine as Red against a kind; return the sum of the final scores, and the number
/// of moves that exploited it.
fn play(response_playouts: u32, kind: Kind) -> (i32, u32) {
    let (mut rng, mut random, mut sum, mut exploited) = (rng(3), Random::new(3), 0, 0);
    for _ in 0..4 {
        let mut engine = engine(Params { response_playouts, ..Params::default() }, 150);
        let mut position = random_game(&mut rng)[0];
        while position.final_score().is_none() {
            let choice = engine.think(&position, Duration::from_secs(1)).choice;
            exploited += u32::from(choice.reason == Reason::Exploiting);
            position.play::<Portable>(choice.mv);
            let reply = match kind {
                Kind::Follows(_) => greedy_move(&position),
                _ => kind.draw(&position, &mut random),
            };
            position.play::<Portable>(reply);
        }
        sum += i32::from(position.final_score().expect("over"));
    }
    (sum, exploited)
}

#[test]
fn opponents_at_random_or_who_repeat_themselves_are_exploited() {
    let (with, without) = (play(20_000, Kind::Follows(128.0)), play(0, Kind::Follows(128.0)));
    assert!(with.1 > 8 && with.1 > without.1 && with.0 > without.0, "{with:?}, {without:?}");
    let random = play(2_000, Kind::Random);
    assert!(random.1 > 20 && random.0 > 50, "{random:?}");
}

#[test]
fn a_response_and_telling_moves_apart_share_their_limits() {
    let (mut rng, mut told_apart) = (rng(11), 0);
    let options = Options { nodes: Some(20), ..Options::default() };
    let opponent = Opponent::of(Kind::Follows(128.0));
    for _ in 0..60 {
        let position = random_play(&mut rng, 9);
        with_request(&options, &opponent, &position, &mut Solver::default(), |request| {
            request.plan.solve = Limits::NONE;
            request.solve();
            let before = request.nodes();
            let list = list_moves(request);
            let (spent, most) = (request.nodes() - before, request.plan.tell_apart_from_now().nodes);
            assert!(spent < most + 150, "{spent} of {most} in {position:?}");
            told_apart += u32::from(list.is_exact && request.iterations > 0);
        });
    }
    assert!(told_apart > 5, "{told_apart}");
}

#[test]
fn no_sure_win_is_staked_on_known_replies() {
    let (mut rng, mut solver) = (rng(17), Solver::default());
    let mut better = 0;
    let params = Params { response_playouts: 5_000, ..Params::default() };
    let options = Options { params, ..Options::default() };
    let opponent = Opponent::of(Kind::Follows(128.0));
    for game in 0..300 {
        let position = random_play(&mut rng, 7 + game % 3);
        let mover = position.to_move();
        let value = solver.value(&position, 0, &Limits::NONE).exact().expect("no limit");
        let secured = i32::from(mover.sign() * value);
        let before = solver.nodes();
        // The score taken for exact may be less than the true one.
        let taken = if game % 2 == 0 { secured } else { secured.min(0) };
        let (value, target) = (taken as Score, Target::reached(mover, mover.sign() * taken as Score));
        let exact = Exact { value, target, optimal: Vec::new() };
        let found = with_request(&options, &opponent, &position, &mut solver, |request| {
            request.plan.respond = Limits::nodes(5_000);
            respond::respond(request, Some(&exact))
        });
        assert!(solver.nodes() - before <= 5_100, "no more than the limits");
        let Some(first) = found.as_ref().map(|list| list.figures[0]) else { continue };
        let mut keeps = |mv: Move| {
            let after = position.after::<Portable>(mv);
            let value = solver.value(&after, 0, &Limits::NONE).exact().expect("no limit");
            mover.sign() * value > 0
        };
        assert!(secured <= 0 || keeps(first.mv), "{first:?} {position:?}");
        assert!(first.expected.expect("a score") > taken as f32);
        better += 1;
    }
    assert!(better > 50, "{better} moves");
}

/// The chosen move of a solved position has the best mean over all replies of all moves
/// by brute force; no win and not too much of the value is staked, and nothing on a stranger.
#[test]
fn of_likely_replies_the_best_is_made() {
    let (mut rng, mut solver) = (rng(8), Solver::default());
    let (mut staked, mut better, mut wins_kept, mut told_apart) = (0, 0, 0, 0);
    let (options, params) = (Options::default(), Params::default());
    for game in 0..400 {
        let position = random_play(&mut rng, 6 + game % 3);
        let known = game % 2 == 0;
        let opponent = if known { Opponent::of(Kind::Follows(8.0)) } else { Opponent::default() };
        let us = position.to_move();
        let sign = us.sign();
        let mut exact =
            |position: &Position| sign * solver.value(position, 0, &Limits::NONE).exact().expect("no limit");
        let value = exact(&position);
        let mut means: Vec<(Move, Score, f32)> = Vec::new();
        for mv in position.legal_moves() {
            let next = position.after::<Portable>(mv);
            let secured = exact(&next);
            let replies = opponent.replies(&next, Target::reached(us, sign * (secured + 1)), &params);
            let gains = replies
                .into_iter()
                .map(|(reply, chance)| chance * f32::from(exact(&next.after::<Portable>(reply)) - secured));
            means.push((mv, secured, f32::from(secured) + gains.sum::<f32>()));
        }
        let optimal: Vec<Move> =
            means.iter().filter(|&&(_, secured, _)| secured == value).map(|&(mv, ..)| mv).collect();
        let target = Target::reached(us, sign * value);
        let exact = Exact { value, target, optimal: optimal.clone() };
        let list = with_request(&options, &opponent, &position, &mut Solver::default(), |request| {
            request.plan.respond = Limits::NONE;
            exact::optimal(request, &exact)
        });
        let verdict = list.choose(&params).expect("a move");
        let chosen = list.figures[verdict.place];
        let &(mv, secured, mean) = means.iter().find(|it| it.0 == chosen.mv).expect("legal");
        assert_eq!(chosen.secures, Some(Target::reached(us, sign * secured)));
        assert_eq!(verdict.reason == Reason::Exploiting, secured < value, "{verdict:?}");
        if chosen.expected.is_none() {
            assert!(!known && optimal.len() < 2, "{position:?}");
            continue;
        }
        let allowed = |secured: Score| {
            secured == value || known && secured + MAX_STAKED_POINTS >= value && (value <= 0 || secured > 0)
        };
        let most = means.iter().filter(|it| allowed(it.1)).map(|it| it.2).fold(f32::MIN, f32::max);
        let found = chosen.expected.expect("a mean");
        assert!(allowed(secured), "{mv} in {position:?}");
        assert!((found - mean).abs() < 0.15 && mean > most - 0.15, "{found}, {most}: {position:?}");
        staked += u32::from(secured < value);
        wins_kept += u32::from(known && value > 0 && means.iter().any(|it| it.1 <= 0 && it.2 > most));
        better += u32::from(known && found > f32::from(value) + 0.5);
        let least = means.iter().filter(|it| it.1 == value).map(|it| it.2).fold(f32::MAX, f32::min);
        told_apart += u32::from(!known && mean > least + 0.3);
    }
    assert!(staked > 1 && better > 10 && told_apart > 10, "{staked}, {better}, {told_apart}");
    assert!(wins_kept > 0, "{wins_kept}");
}

#[test]
fn without_time_the_optimal_move_of_the_best_expected_score_leads() {
    let (mut rng, mut solver, options) = (rng(12), Solver::default(), Options::default());
    for game in 0..100 {
        let position = random_play(&mut rng, 6 + game % 3);
        let sign = f32::from(position.to_move().sign());
        let list = with_request(&options, &Opponent::default(), &position, &mut solver, |request| {
            request.plan.solve = Limits::NONE;
            let exact = request.solve().expect("no limit");
            request.plan.respond = Limits::nodes(0);
            exact::optimal(request, &exact)
        });
        let score = |mv| sign * Expectation::of(&position.after::<Portable>(mv)).score();
        let lead = list.figures[0].mv;
        assert!(list.figures.iter().all(|it| it.expected.is_none() && score(it.mv) <= score(lead)));
    }
}

/// The goal's trees leave room for the look ahead, which goes on when that is full, too.
#[test]
fn nothing_of_a_moves_limits_is_lost_when_memory_is_full() {
    let position = random_game(&mut rng(5))[0];
    for (memory, nodes) in [(1 << 20, 20_000), (4 << 20, 80_000)] {
        let options = Options { memory, nodes: Some(nodes), ..Options::default() };
        let thoughts = Engine::new(options).think(&position, Duration::ZERO);
        let ahead = thoughts.figures.iter().filter(|it| it.ahead.is_some()).count();
        assert!(thoughts.choice.nodes == nodes && ahead > 1, "{} of {nodes}, {ahead}", thoughts.choice.nodes);
    }
}

#[test]
fn a_value_without_a_known_move_is_searched_on() {
    let position = random_play(&mut rng(2), 9);
    let options = Options { nodes: Some(300), ..Options::default() };
    let bounds = Solver::default().value(&position, 0, &Limits::NONE);
    let solution = Solution { bounds, best: None, optimal: Vec::new(), complete: false };
    let opponent = Opponent::default();
    let list = with_request(&options, &opponent, &position, &mut Solver::default(), |request| {
        request.plan.solve = Limits::nodes(0);
        request.solution = Some(solution);
        list_moves(request)
    });
    assert!(!list.is_exact && list.figures[0].visits > 0, "{list:?}");
}
