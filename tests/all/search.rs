//! The tree search and the engine on real positions: proofs against brute force, statistics against their
//! definition, trees that survive a move, the same game for the same seed.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::common::{BruteForce, random_position, rng, strong_positions};
use blackhole::player::agent::{Agent, Reason};
use blackhole::player::alpha::Target;
use blackhole::player::board::{Move, Player};
use blackhole::player::engine::{Engine, Options};
use blackhole::player::limits::Limits;
use blackhole::player::params::{Params, Setting};
use blackhole::player::position::Position;
use blackhole::player::record::Record;
use blackhole::player::search::tree::Proof;
use blackhole::player::search::{Prover, Replies, ReplyModel, Search};
use blackhole::player::solver::Solver;

const MEMORY: usize = 32 << 20;

/// Parameters with some rows changed.
fn params(rows: &[(&str, f32)]) -> Params {
    let mut params = Params::default();
    for &(name, value) in rows {
        params.set(Setting::parse(name, &value.to_string()).unwrap());
    }
    params
}

/// The ways to search that differ in code: the paper's, GRAVE, plain UCT, ordered moves.
fn variants() -> Vec<Params> {
    vec![
        params(&[("ordered", 0.0), ("amaf_source", 1.0), ("policy", 1.0), ("leaf_playout", 0.0)]),
        params(&[("ordered", 0.0), ("amaf_source", 2.0), ("policy", 2.0), ("amaf_ref", 20.0)]),
        params(&[("ordered", 0.0), ("amaf_source", 3.0), ("policy", 0.0)]),
        params(&[("ordered", 0.0), ("amaf_source", 0.0)]),
        params(&[("ordered", 1.0), ("amaf_source", 2.0), ("open_base", 1.0), ("open_rate", 0.1)]),
        params(&[("ordered", 1.0), ("amaf_source", 0.0), ("policy", 3.0), ("expand_visits", 5.0)]),
        params(&[("ordered", 1.0), ("prior_visits", 3.0)]),
        params(&[("share", 2.0)]),
    ]
}

fn opening() -> Position {
    *Record::parse("C2 C6 B5 C1 A8").unwrap().position()
}

#[test]
fn proofs_agree_with_brute_force() {
    let mut rng = rng(3);
    let variants = variants();
    for round in 0..60 {
        let position = random_position(&mut rng, 5 + round % 3);
        let value = i32::from(BruteForce::default().value(&position));
        for (n, params) in variants.iter().enumerate() {
            for alpha in [value - 3, value, value + 1, value + 4] {
                let target = Target::new(alpha);
                let mut search = Search::new(&position, params, 5, MEMORY);
                search.run(target, 2_000_000, &Limits::NONE);
                let winner = target.winner(value as i8);
                assert_eq!(search.proof(target), Proof::of(winner), "variant {n}, {position:?} for {target}");
            }
        }
    }
}

/// Asks the solver, and notes what it was asked: empty cells, nodes, and whether there was an answer.
#[derive(Clone, Default)]
struct Noting(Arc<Mutex<Vec<(u32, u64, bool)>>>);

impl Prover for Noting {
    fn prove(&mut self, position: &Position, target: Target, limits: &Limits) -> Option<Player> {
        let red = Solver::new(1 << 20).reaches(position, target, limits);
        self.0.lock().unwrap().push((position.empty().len(), limits.nodes, red.is_some()));
        red.map(|red| if red { Player::Red } else { Player::Blue })
    }
}

#[test]
fn proven_nodes_agree_with_brute_force() {
    let mut rng = rng(5);
    for round in 0..60 {
        let position = random_position(&mut rng, 5 + round % 3);
        let value = i32::from(BruteForce::default().value(&position));
        for params in variants() {
            for alpha in value - 2..=value + 3 {
                let target = Target::new(alpha);
                let mut search = Search::new(&position, &params, 5, MEMORY);
                search.prove_nodes(Box::new(Noting::default()));
                search.run(target, 2_000_000, &Limits::NONE);
                assert_eq!(
                    search.proof(target),
                    Proof::of(target.winner(value as i8)),
                    "{position:?} for {target}"
                );
            }
        }
    }
}

#[test]
fn proofs_with_believed_replies_hold_for_the_best() {
    let (mut proven, mut asked) = (0, 0);
    let mut rng = rng(6);
    for round in 0..60 {
        let position = random_position(&mut rng, 5 + round % 4);
        let value = i32::from(BruteForce::default().value(&position));
        for (alpha, params) in (value - 2..=value + 3).zip(variants().into_iter().cycle().skip(round)) {
            let target = Target::new(alpha);
            let mut search = Search::new(&position, &params, 5, MEMORY);
            search.run_for(target, Replies::Believed, 100_000, &Limits::NONE);
            let proof = search.proof_for(target, Replies::Believed);
            let expected = Proof::of(target.winner(value as i8));
            assert!(proof == Proof::Unknown || proof == expected, "{position:?} for {target}");
            assert_eq!((search.proof(target), search.visits(target)), (Proof::Unknown, 0), "another tree");
            proven += u32::from(proof == expected);
            asked += 1;
        }
    }
    assert!(10 * proven > 9 * asked, "{proven} of {asked}");
}

/// Against foretold replies more is within reach, but what is proven holds against the best ones.
#[test]
fn proofs_with_foretold_replies_hold_for_the_best() {
    let (mut won, mut lost, mut open) = (0, 0, 0);
    let mut rng = rng(16);
    for round in 0..60 {
        let position = random_position(&mut rng, 5 + round % 4);
        let value = i32::from(BruteForce::default().value(&position));
        for (alpha, params) in (value - 2..=value + 3).zip(variants().into_iter().cycle().skip(round)) {
            let target = Target::new(alpha);
            let mut search = Search::new(&position, &params, 5, MEMORY);
            search.prove_nodes(Box::new(Exact));
            search.foretell(Some(ReplyModel { share: 0.8, sharpness: 4.0 }));
            search.run(target, 5_000, &Limits::NONE);
            let expected = target.winner(value as i8);
            match search.proof(target).winner() {
                Some(winner) => {
                    assert_eq!(winner, expected, "{position:?} for {target}");
                    *if winner == position.to_move() { &mut won } else { &mut lost } += 1;
                }
                None => open += 1,
            }
        }
    }
    assert!(won > 100 && lost > 10 && open > 10, "{won} won, {lost} lost, {open} open");
}

/// Proves by brute force.
struct Exact;

impl Prover for Exact {
    fn prove(&mut self, position: &Position, target: Target, _limits: &Limits) -> Option<Player> {
        Some(target.winner(BruteForce::default().value(position)))
    }
}

#[test]
fn a_model_that_is_given_up_leaves_no_trace() {
    let position = opening();
    let target = Target::new(0);
    let model = ReplyModel { share: 1.0, sharpness: 8.0 };
    let run = |models: &[Option<ReplyModel>]| {
        let mut search = Search::new(&position, &Params::default(), 5, MEMORY);
        for &model in models {
            search.foretell(model);
            assert_eq!(search.visits(target), 0);
        }
        search.run(target, 2_000, &Limits::NONE);
        search.red_value(target).expect("a value")
    };
    let (plain, foretold) = (run(&[None]), run(&[Some(model)]));
    assert_eq!(run(&[Some(model), None]), plain);
    let sign = f32::from(position.to_move().sign());
    assert!(sign * (foretold - plain) > 0.05, "{foretold} after {plain}");
}

/// Replies that look best to others leave more than the best ones do: most of all where the best ones leave
/// nothing.
#[test]
fn an_opponent_with_beliefs_of_its_own_leaves_more() {
    let (mut best, mut believed, mut positions) = (0.0, 0.0, 0);
    for position in strong_positions(17, 3) {
        let mover = position.to_move();
        let value = Solver::default().value(&position, 0, &Limits::nodes(300_000)).exact();
        let Some(value) = value else { continue };
        // One more than the mover can force.
        let target = Target::new(i32::from(value) + i32::from(mover == Player::Red));
        let mut search = Search::new(&position, &Params::default(), 5, MEMORY);
        let mut chance = |replies| {
            search.run_for(target, replies, 4_000, &Limits::NONE);
            let candidates = search.candidates_for(target, replies);
            candidates.iter().map(|c| c.value * c.visits as f32).sum::<f32>()
                / candidates.iter().map(|c| c.visits as f32).sum::<f32>()
        };
        best += chance(Replies::Best);
        believed += chance(Replies::Believed);
        positions += 1;
    }
    assert!(positions >= 5 && believed > 1.2 * best, "{believed} after {best} in {positions}");
}

/// A tree that tells some root moves apart tries no others, prefers those with a bonus, takes a proof for one of
/// them, and proves nothing when all of them lose.
#[test]
fn only_the_moves_to_tell_apart_are_tried() {
    let mut rng = rng(8);
    let (mut won, mut hopeless, mut open) = (0, 0, 0);
    for round in 0..60 {
        let position = random_position(&mut rng, 5 + round % 3);
        let value = i32::from(BruteForce::default().value(&position));
        let target = Target::new(value + i32::from(position.to_move() == Player::Red));
        // One that the player to move reaches, and the next harder one.
        for target in [target.harder(position.to_move(), -1), target] {
            let few: Vec<Move> = position.legal_moves().step_by(3).collect();
            let mut search = Search::new(&position, &Params::default(), 5, MEMORY);
            search.tell_apart(few.iter().map(|&mv| (mv, 0.0)).collect());
            let ran = search.run_for(target, Replies::Believed, 100_000, &Limits::NONE);
            let tried = search.candidates_for(target, Replies::Believed);
            assert!(tried.iter().all(|tried| few.contains(&tried.mv)), "{tried:?}");
            let wins = |&mv: &Move| {
                let value = BruteForce::default().value(&after(&position, &[mv]));
                target.winner(value) == position.to_move()
            };
            let proof = search.proof_for(target, Replies::Believed);
            if few.iter().any(wins) {
                assert_eq!(proof, Proof::of(position.to_move()), "{position:?} for {target}");
                won += 1;
            } else if proof == Proof::Unknown {
                hopeless += u32::from(ran < 100_000);
                open += 1;
            } else {
                // Decided at the root already.
                assert_eq!(proof, Proof::of(target.winner(value as i8)), "{position:?} for {target}");
            }
        }
    }
    assert!(won > 10 && 10 * hopeless > 9 * open && open > 10, "{won} {hopeless} of {open}");
}

#[test]
fn a_bonus_draws_visits() {
    let position = opening();
    let target = Target::new(0);
    let moves: Vec<Move> = position.legal_moves().step_by(60).collect();
    for &favoured in &moves {
        let bonus = |mv: Move| if mv == favoured { 1.0 } else { 0.0 };
        let mut search = Search::new(&position, &Params::default(), 5, MEMORY);
        search.tell_apart(moves.iter().map(|&mv| (mv, bonus(mv))).collect());
        search.run_for(target, Replies::Believed, 600, &Limits::NONE);
        let tried = search.candidates_for(target, Replies::Believed);
        assert_eq!(tried.len(), moves.len(), "each is tried");
        assert!(tried.iter().all(|other| other.mv == favoured || 4 * other.visits < 600), "{tried:?}");
    }
}

#[test]
fn trees_for_believed_replies_end_with_the_move() {
    let position = opening();
    let target = Target::new(0);
    let mut search = Search::new(&position, &Params::default(), 5, MEMORY);
    search.run_for(target, Replies::Believed, 3_000, &Limits::NONE);
    let ours = search.candidates_for(target, Replies::Believed)[0].mv;
    assert!(search.candidates(target).is_empty());
    let next = after(&position, &[ours]);
    let reply = next.legal_moves().next().expect("a reply");
    search.advance(&after(&next, &[reply]), target);
    assert!(search.candidates_for(target, Replies::Believed).is_empty());
}

#[test]
fn nodes_are_proven_when_their_visits_pay_for_it() {
    let position =
        *Record::parse("C2 C6 B5 C1 A8 D3=15 E2=15 D2=14 E3=14 C3=13 B4=13 D4=12 B2=12 E4=11 A3=11 F2=10")
            .unwrap()
            .position();
    let empty = position.empty().len();
    assert_eq!(empty, 20);
    let params = params(&[("prove_effort", 2000.0), ("share", 0.0)]);
    let noted = Noting::default();
    let mut search = Search::new(&position, &params, 5, MEMORY);
    search.prove_nodes(Box::new(noted.clone()));
    (-8..=8).for_each(|alpha| _ = search.run(Target::new(alpha), 2_000, &Limits::NONE));
    let asked = noted.0.lock().unwrap();
    assert!(asked.len() > 100 && asked.iter().any(|&(.., proven)| proven), "{}", asked.len());
    for &(cells, nodes, _) in asked.iter() {
        assert!(cells < empty, "the root is not asked about");
        let visits = nodes / 2000;
        assert!(nodes.is_multiple_of(2000) && (visits == 1 || (visits - 1).is_power_of_two()), "{nodes}");
        assert!(nodes >= 16 << (2 * cells.saturating_sub(15)), "{cells} cells, {nodes} nodes");
    }
    // Without an effort nobody is asked.
    let never = Noting::default();
    let mut search = Search::new(&position, &Params { prove_effort: 0.0, ..params }, 5, MEMORY);
    search.prove_nodes(Box::new(never.clone()));
    search.run(Target::new(0), 4_000, &Limits::NONE);
    assert!(never.0.lock().unwrap().is_empty());
}

#[test]
fn a_proven_root_is_not_searched_again() {
    let position = random_position(&mut rng(11), 7);
    let mut search = Search::new(&position, &Params::default(), 1, MEMORY);
    let target = Target::new(0);
    search.run(target, 1_000_000, &Limits::NONE);
    assert_ne!(search.proof(target), Proof::Unknown);
    assert_eq!(search.run(target, 1_000, &Limits::NONE), 0);
}

#[test]
fn amaf_within_one_ply_is_what_was_played() {
    // With horizon 1 an action counts for a node only where it was chosen in the node itself (§3.0.4).
    let rows = [("horizon", 1.0), ("amaf_source", 1.0), ("ordered", 0.0), ("leaf_playout", 0.0)];
    let mut search = Search::new(&opening(), &params(&rows), 9, MEMORY);
    let target = Target::new(0);
    search.run(target, 5_000, &Limits::NONE);
    let candidates = search.candidates(target);
    assert!(candidates.len() > 50);
    for candidate in candidates {
        let amaf = candidate.amaf.expect("a visited move has AMAF statistics");
        assert!((amaf - candidate.value).abs() < 1e-4, "{candidate:?}");
    }
}

#[test]
fn visits_add_up() {
    for params in variants() {
        let mut search = Search::new(&opening(), &params, 2, MEMORY);
        let target = Target::new(1);
        assert_eq!(search.run(target, 3_000, &Limits::NONE), 3_000);
        assert_eq!(search.visits(target), 3_000);
        let below: u32 = search.candidates(target).iter().map(|candidate| candidate.visits).sum();
        assert_eq!(below, 3_000 - params.expand_visits, "all but the playouts of the root itself");
    }
}

#[test]
fn memory_runs_out_gracefully() {
    for params in variants() {
        let mut search = Search::new(&opening(), &params, 2, 1 << 20);
        let target = Target::new(0);
        search.run(target, 60_000, &Limits::NONE);
        assert_eq!(search.visits(target), 60_000);
        assert!(search.stored() < 60_000, "the limit was reached");
        // The search goes on in the nodes there are: the root's moves are still chosen and counted.
        let below: u32 = search.candidates(target).iter().map(|candidate| candidate.visits).sum();
        assert!(below > 55_000, "{below} of 60,000 iterations went through the root's moves");
    }
}

#[test]
fn the_tree_survives_two_moves() {
    for params in variants() {
        let start = opening();
        let mut search = Search::new(&start, &params, 4, MEMORY);
        let target = Target::new(0);
        search.run(target, 30_000, &Limits::NONE);
        let line = search.principal_variation(target);
        let after_one = after(&start, &line[..1]);
        let after_two = after(&start, &line[..2]);
        let visits_before = search.candidates(target)[0].visits;
        search.advance(&after_two, target);
        let kept = search.visits(target);
        assert!(kept > 0 && kept < visits_before, "{kept} of {visits_before}");
        assert_eq!(search.principal_variation(target)[..], line[2..], "the same line goes on");
        let before = search.candidates(target);
        search.run(target, 2_000, &Limits::NONE);
        assert_eq!(search.visits(target), kept + 2_000);
        assert!(search.candidates(target).len() >= before.len());
        // One move, or another game: nothing is kept.
        let mut search = Search::new(&start, &params, 4, MEMORY);
        search.run(target, 1_000, &Limits::NONE);
        search.advance(&after_one, target);
        assert_eq!(search.visits(target), 0);
    }
}

#[test]
fn trees_of_the_nearest_targets_survive() {
    for kept in [0, 1, 3, 151] {
        let mut search = Search::new(&opening(), &params(&[("targets_kept", kept as f32)]), 4, MEMORY);
        let targets = || (-2..=2).map(Target::new);
        targets().for_each(|target| _ = search.run(target, 3_000, &Limits::NONE));
        let line = search.principal_variation(Target::new(1));
        search.advance(&after(&opening(), &line[..2]), Target::new(1));
        let surviving: Vec<i8> =
            targets().filter(|&target| search.visits(target) > 0).map(|target| target.alpha()).collect();
        let nearest = |alpha: i8| [0, 1, 3, 5, 7][usize::from(alpha.abs_diff(1))] < kept;
        assert!(surviving.iter().all(|&alpha| nearest(alpha)), "{kept}: {surviving:?}");
        assert_eq!(surviving.contains(&1), kept > 0);
    }
}

fn after(position: &Position, moves: &[Move]) -> Position {
    let mut position = *position;
    moves.iter().for_each(|&mv| position.try_play(mv).unwrap());
    position
}

fn engine(nodes: Option<u64>, seed: u64) -> Engine {
    Engine::new(Options { nodes, seed, memory: MEMORY, ..Options::default() })
}

#[test]
fn the_same_seed_plays_the_same_game() {
    let game = |seed| {
        let mut engine = engine(Some(300), seed);
        let mut position = opening();
        let mut moves = Vec::new();
        while position.final_score().is_none() {
            let mv = engine.choose(&position, Duration::ZERO).mv;
            position.try_play(mv).unwrap();
            moves.push(mv);
        }
        moves
    };
    assert_eq!(game(1), game(1));
    assert_ne!(game(1), game(2), "the seed matters");
}

#[test]
fn two_threads_with_a_count_play_the_same_game_again() {
    let game = |threads| {
        // No look at the next target: it is left out where there is nothing to tell apart.
        let params = Params { ahead: 0.0, ..Params::default() };
        let options = Options { params, nodes: Some(300), memory: MEMORY, threads, ..Options::default() };
        let mut engine = Engine::new(options);
        let (mut position, mut moves) = (opening(), Vec::new());
        while position.final_score().is_none() {
            let choice = engine.choose(&position, Duration::ZERO);
            if choice.reason == Reason::Searched && position.empty().len() > 21 {
                assert_eq!(choice.nodes, 300 * threads as u64, "each thread thinks so many iterations");
            }
            position.try_play(choice.mv).unwrap();
            moves.push(choice.mv);
        }
        moves
    };
    let two = game(2);
    assert_eq!(game(2), two);
    assert_ne!(game(1), two, "the second thread's trees count");
}

#[test]
fn two_threads_keep_the_clock_as_one_does() {
    for threads in [1, 2] {
        let options = Options { memory: MEMORY, threads, ..Options::default() };
        let mut engines = [Engine::new(options.clone()), Engine::new(options)];
        let mut left = [Duration::from_millis(700); 2];
        let mut position = opening();
        while position.final_score().is_none() {
            let side = position.to_move().index();
            let begin = Instant::now();
            let choice = engines[side].choose(&position, left[side]);
            left[side] = left[side].checked_sub(begin.elapsed()).expect("within the time");
            position.try_play(choice.mv).expect("a legal move");
        }
    }
}

#[test]
fn two_threads_decide_small_positions() {
    let mut rng = rng(21);
    for round in 0..40 {
        // Without the solver: the proofs of the threads' trees are what decides.
        let position = random_position(&mut rng, 4 + round % 4);
        let values = BruteForce::default().move_values(&position);
        let sign = position.to_move().sign();
        let best = values.iter().map(|&(_, value)| value * sign).max().unwrap();
        let params = params(&[("solve_from", 0.0)]);
        let options =
            Options { params, nodes: Some(20_000), memory: MEMORY, threads: 2, ..Options::default() };
        let choice = Engine::new(options).choose(&position, Duration::ZERO);
        let &(_, value) = values.iter().find(|(mv, _)| *mv == choice.mv).expect("a legal move");
        assert_eq!(value * sign, best, "{:?} in {position:?}", choice.mv);
    }
}

#[test]
fn small_positions_are_played_perfectly() {
    let mut rng = rng(8);
    for round in 0..120 {
        let position = random_position(&mut rng, 4 + round % 5);
        let values = BruteForce::default().move_values(&position);
        let sign = position.to_move().sign();
        let best = values.iter().map(|&(_, value)| value * sign).max().unwrap();
        for nodes in [Some(1_000), None] {
            let choice = engine(nodes, 1).choose(&position, Duration::from_millis(500));
            let &(_, value) = values.iter().find(|(mv, _)| *mv == choice.mv).expect("a legal move");
            assert_eq!(value * sign, best, "{:?} in {position:?}", choice.mv);
        }
    }
}

#[test]
fn without_time_a_sound_move_comes_at_once() {
    let mut position = opening();
    let mut engine = engine(None, 1);
    while position.final_score().is_none() {
        let start = Instant::now();
        let choice = engine.choose(&position, Duration::ZERO);
        assert!(start.elapsed() < Duration::from_millis(200), "{:?}", start.elapsed());
        assert_ne!(choice.reason, Reason::Searched);
        position.try_play(choice.mv).unwrap();
    }
}

#[test]
fn thoughts_explain_the_choice() {
    let mut engine = engine(Some(5_000), 1);
    let thoughts = engine.think(&opening(), Duration::ZERO);
    let target = thoughts.choice.target.unwrap();
    let line = thoughts.targets.iter().find(|line| line.target == target).expect("the target was searched");
    assert!(line.visits > 100 && (0.0..=1.0).contains(&line.value));
    assert_eq!(thoughts.candidates[0].mv, thoughts.choice.mv);
    assert_eq!(thoughts.variation[0], thoughts.choice.mv);
    assert!(thoughts.targets.windows(2).all(|pair| pair[0].target < pair[1].target));
}

#[test]
fn shared_outcomes_are_visits_of_the_neighbours() {
    let all = || (-4..=4).map(Target::new);
    for share in [0, 1, 2] {
        let mut search = Search::new(&opening(), &params(&[("share", share as f32)]), 3, MEMORY);
        // From the outside in, so far apart that nothing is shared yet; no tree for 2.
        for alpha in [-4, 4, -1, 0, 1] {
            search.run(Target::new(alpha), 1, &Limits::NONE);
        }
        let before: Vec<u32> = all().map(|target| search.visits(target)).collect();
        search.run(Target::new(0), 5_000, &Limits::NONE);
        for (target, before) in all().zip(before) {
            let near = target.alpha().abs() <= share && before > 0;
            let expected = if near || target.alpha() == 0 { 5_000 } else { 0 };
            assert_eq!(search.visits(target), before + expected, "{target}, {share} targets on either side");
        }
        // What the tree itself has counted does not depend on whom it tells.
        let below: u32 = search.candidates(Target::new(0)).iter().map(|candidate| candidate.visits).sum();
        assert!(below <= search.visits(Target::new(0)) && below >= 4_990);
    }
    let alone = |share| {
        let mut search = Search::new(&opening(), &params(&[("share", share)]), 3, MEMORY);
        search.run(Target::new(0), 3_000, &Limits::NONE);
        let visits = search.candidates(Target::new(0)).into_iter().map(|one| (one.mv, one.visits));
        visits.collect::<Vec<_>>()
    };
    assert_eq!(alone(0.0), alone(3.0), "without neighbours nothing changes");
}

#[test]
fn shared_outcomes_are_those_of_the_neighbours_targets() {
    for params in [params(&[("share", 6.0)]), params(&[("share", 6.0), ("leaf_playout", 0.0)])] {
        let targets = || (-6..=6).step_by(3).map(Target::new);
        let own = targets().map(|target| {
            let mut search = Search::new(&opening(), &params, 3, MEMORY);
            search.run(target, 5_000, &Limits::NONE);
            search.red_value(target).unwrap()
        });
        let mut search = Search::new(&opening(), &params, 3, MEMORY);
        targets().for_each(|target| assert_eq!(search.run(target, 1, &Limits::NONE), 1));
        search.run(Target::new(0), 5_000, &Limits::NONE);
        let shared: Vec<f32> = targets().map(|target| search.red_value(target).unwrap()).collect();
        assert!(shared.windows(2).all(|pair| pair[0] > pair[1]), "harder targets are won less: {shared:?}");
        for (own, shared) in own.zip(shared) {
            assert!((own - shared).abs() < 0.15, "{shared} by shared outcomes, {own} by its own");
        }
    }
}

#[test]
fn shared_outcomes_leave_proofs_right() {
    let mut rng = rng(17);
    for round in 0..60 {
        let position = random_position(&mut rng, 5 + round % 3);
        let value = i32::from(BruteForce::default().value(&position));
        let mut search = Search::new(&position, &params(&[("share", 3.0)]), 5, MEMORY);
        let targets = || (value - 2..=value + 3).map(Target::new);
        // In turns, so that every tree is told of the others' outcomes before it is done.
        for _ in 0..2_000 {
            targets().for_each(|target| {
                search.run(target, 50, &Limits::NONE);
            });
        }
        for target in targets() {
            let winner = target.winner(value as i8);
            assert_eq!(search.proof(target), Proof::of(winner), "{position:?} for {target}");
        }
    }
}

#[test]
fn the_trees_value_falls_as_the_target_gets_harder() {
    let mut search = Search::new(&opening(), &Params::default(), 1, MEMORY);
    let values: Vec<f32> = [-12, 0, 12]
        .map(|alpha| {
            search.run(Target::new(alpha), 2_000, &Limits::NONE);
            search.red_value(Target::new(alpha)).unwrap()
        })
        .to_vec();
    assert!(
        values[0] > 0.8 && values[2] < 0.2 && values[0] > values[1] && values[1] > values[2],
        "{values:?}"
    );
    assert_eq!(search.root().to_move(), Player::Red);
}
