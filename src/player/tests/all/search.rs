//! The tree search on real positions: proofs against brute force, statistics against their definition.

use crate::prelude::*;
use blackhole_player::search::selection::{logistic, sqrt_ln, Formula, EQUIVALENCE, FIRST_PLAY};
use blackhole_player::search::tree::Tree;

const MEMORY: usize = 32 << 20;

/// The ways to search that differ in code.
fn variants() -> [Params; 4] {
    [
        Params { paper: true, policy: 1, priming: false, ..Params::default() },
        Params { paper: true, ..Params::default() },
        Params { policy: 1, network_prior: 0, ..Params::default() },
        Params::default(),
    ]
}

pub fn opening() -> Position {
    replay("C2 C6 B5 C1 A8")[0]
}

fn follower(sharpness: f32, share: f32) -> Option<ReplyModel> {
    Some(ReplyModel::of(Kind::Follows(sharpness), share))
}

/// The proofs of every tree hold for the best replies, also if the tree assumes others. With the best and
/// with believed replies it proves all, with modelled ones less.
#[test]
fn proofs_agree_with_brute_force() {
    let mut rng = rng(3);
    let (mut believed, mut won, mut lost, mut open) = (0, 0, 0, 0);
    for round in 0..32 {
        let position = random_position(&mut rng, 5 + round % 4);
        let value = i32::from(brute_value(&position));
        let alphas = [value - 3, value, value + 1, value + 4];
        for (params, alpha) in variants().iter().flat_map(|it| alphas.map(|alpha| (it, alpha))) {
            let target = Target::new(alpha);
            let winner = Some(target.winner(value as i8));
            let mut search = Search::new(&position, params, 5, MEMORY);
            let mut prove = |replies, nodes| {
                search.run(target, replies, &Limits::nodes(nodes));
                search.proven_winner(target, replies)
            };
            let told = format!("{position:?} for {target} with {params:?}");
            let proven_winner = prove(Replies::Believed, 100_000);
            assert!(proven_winner.is_none() || proven_winner == winner, "{told}");
            believed += u32::from(proven_winner.is_some());
            assert_eq!(prove(Replies::Strong, 2_000_000), winner, "{told}");
            assert_eq!(search.run(target, Replies::Strong, &Limits::nodes(1)), 0, "nothing is left: {told}");
            search.model_replies(follower(4.0, 0.8));
            search.run(target, Replies::Strong, &Limits::nodes(5_000));
            let proven_winner = search.proven_winner(target, Replies::Strong);
            assert!(proven_winner.is_none() || proven_winner == winner, "{told}");
            *match proven_winner {
                None => &mut open,
                Some(winner) if winner == position.to_move() => &mut won,
                Some(_) => &mut lost,
            } += 1;
        }
    }
    assert!(believed > 460 && won > 128 && lost > 16 && open > 16, "{believed} {won} {lost} {open}");
}

#[test]
fn a_dropped_model_leaves_no_trace() {
    let target = Target::new(0);
    for position in strong_positions(25, 8) {
        let run = |models: Vec<Option<ReplyModel>>| {
            let mut search = Search::new(&position, &Params::default(), 5, MEMORY);
            for model in models {
                search.model_replies(model);
                assert_eq!(search.visits(target), 0);
            }
            search.run(target, Replies::Strong, &Limits::nodes(1_000));
            search.red_value(target).expect("a value")
        };
        assert_eq!(run(vec![follower(8.0, 1.0), None]), run(vec![None]));
    }
}

/// It takes a proof for one of them, and proves nothing when all of them lose.
#[test]
fn only_the_moves_to_tell_apart_are_tried() {
    let mut rng = rng(8);
    let (mut won, mut hopeless, mut open) = (0, 0, 0);
    for round in 0..60 {
        let position = random_position(&mut rng, 5 + round % 3);
        let value = i32::from(brute_value(&position));
        let target = Target::new(value + i32::from(position.to_move() == Player::Red));
        // One that the player to move reaches, and the next harder one.
        for target in [target.harder(position.to_move(), -1), target] {
            let few: Vec<Move> = position.legal_moves().step_by(3).collect();
            let mut search = Search::new(&position, &Params::default(), 5, MEMORY);
            search.restrict_root(target, &few.iter().map(|&mv| (mv, 0.0)).collect::<Vec<_>>());
            let ran = search.run(target, Replies::Believed, &Limits::nodes(100_000));
            let tried = search.candidates(target, Replies::Believed);
            assert!(tried.iter().all(|tried| few.contains(&tried.mv)), "{tried:?}");
            let wins = |&mv: &Move| {
                let value = brute_value(&after(&position, mv));
                target.winner(value) == position.to_move()
            };
            let proven_winner = search.proven_winner(target, Replies::Believed);
            if few.iter().any(wins) {
                assert_eq!(proven_winner, Some(position.to_move()), "{position:?} for {target}");
                won += 1;
            } else if proven_winner.is_none() {
                hopeless += u32::from(ran < 100_000);
                open += 1;
            } else {
                // Decided at the root already.
                assert_eq!(proven_winner, Some(target.winner(value as i8)), "{position:?} for {target}");
            }
        }
    }
    assert!(won > 10 && 10 * hopeless > 9 * open && open > 10, "{won} {hopeless} of {open}");
}

/// When memory runs out the search goes on in the nodes there are: the root's moves are still chosen
/// and counted. A search that begins again knows nothing.
#[test]
fn visits_add_up_with_memory_and_without() {
    let target = Target::new(1);
    let sizes = [(MEMORY, 3_000), (1 << 18, 15_000)];
    for (params, (memory, count)) in variants().iter().flat_map(|it| sizes.map(|size| (it, size))) {
        let mut search = Search::new(&opening(), params, 2, memory);
        for replies in [Replies::Strong, Replies::Believed] {
            search.run(target, replies, &Limits::nodes(100));
            search.restart(&after(&opening(), search.candidates(target, replies)[0].mv));
            assert!(search.candidates(target, replies).is_empty() && search.visits(target) == 0);
        }
        search.restart(&opening());
        assert_eq!(search.run(target, Replies::Strong, &Limits::nodes(count)), count);
        assert_eq!(u64::from(search.visits(target)), count);
        let below: u32 = search.candidates(target, Replies::Strong).iter().map(|it| it.visits).sum();
        if memory == MEMORY {
            assert_eq!(below, 3_000 - params.expand_visits(), "all but the playouts of the root itself");
        } else {
            assert!(below > 13_750, "{below} of 15,000 iterations went through the root's moves");
        }
    }
}

#[test]
fn selection_follows_the_papers_formulas() {
    let params = Params { exploration: 0.3, ..Params::default() };
    let (n, w, an, aw) = (20.0f32, 7.0f32, 300.0f32, 180.0f32);
    let beta = an / (n + an + EQUIVALENCE * n * an);
    let expected = (1.0 - beta) * w / n + beta * aw / an + 0.3 * (500f32.ln() / n).sqrt();
    let amaf = 300 | 180 << 16;
    let formula = Formula::new(&params, Player::Red, 500);
    assert!((formula.edge_score(n, w, amaf) - expected).abs() < 0.01);
    let [red, blue] = Player::BOTH.map(|player| Formula::new(&params, player, 1));
    assert!((blue.edge_score(n, w, amaf) + red.edge_score(n, w, amaf) - 1.0).abs() < 1e-6);
    assert!((red.move_score(amaf) - 0.6).abs() < 1e-6);
    assert_eq!(red.move_score(0), FIRST_PLAY);
    assert!(red.edge_score(0.0, 0.0, 0) > formula.edge_score(1.0, 1.0, 0), "opened moves are tried once");
    // Without visits `red_value` is the prior, as Red's log-odds.
    assert_eq!([&red, &blue].map(|it| it.edge_score(0.0, 2.0, 0)), [2.0, -2.0].map(logistic));
    assert!(formula.edge_score(0.0, 2.0, 0) - logistic(2.0) > 0.3, "and so unlikely ones are tried late");
    for n in [1u32, 2, 3, 10, 100, 1_000, 123_456] {
        assert!((sqrt_ln(n) - (n as f32).ln().sqrt()).abs() < 0.05, "{n}");
    }
    for x in (-500..=500).map(|n| n as f32 / 10.0) {
        assert!((logistic(x) - 1.0 / (1.0 + (-x).exp())).abs() < 0.02, "{x}");
    }
}

/// An edge has the counts of its child, also beyond the exact numbers of an `f32`, until it is lost.
#[test]
fn edges_follow_their_child_until_they_are_lost() {
    let mut tree = Tree::new(&opening(), 1 << 20);
    let (parent, child) = (tree.add_node(), tree.add_node());
    let edge = tree.add_edge(parent, 0);
    tree.set_child(parent, edge, child);
    let outcomes = [0.81f32, 0.13, 0.0, 0.37, 1.0];
    let mean = outcomes.iter().map(|&red| f64::from(red)).sum::<f64>() / outcomes.len() as f64;
    let mut visits = 0u32;
    for end in [1_000, 1_000_000, 20_000_000] {
        while visits < end {
            outcomes.iter().for_each(|&red| tree.node_mut(child).count(red));
            visits += outcomes.len() as u32;
        }
        tree.update_edge(parent, edge);
        let (node, edge) = (tree.node(child), tree.edges(parent)[edge]);
        assert_eq!((node.visits, edge.visits, edge.red_value), (visits, visits as f32, node.red_wins()));
        let found = f64::from(node.red_wins()) / f64::from(visits);
        assert!((found - mean).abs() < 1e-3, "{found} of {mean} after {visits}");
    }
    tree.node_mut(parent).complete = true;
    assert!(!tree.is_lost(parent));
    tree.edge_mut(parent, edge).lose(Player::Red);
    tree.node_mut(child).count(0.0);
    tree.update_edge(parent, edge);
    let lost = tree.edges(parent)[edge];
    assert!(lost.visits == (visits + 1) as f32 && lost.red_value < -1e20 && tree.is_lost(parent));
    tree.node_mut(parent).complete = false;
    assert!(!tree.is_lost(parent), "it may have other moves");
}

/// Return the value for Red, at the end by `leaf`, when the opponent of `us` follows a kind in this
/// share of its turns, and all other moves are the best.
pub fn expected(
    position: &Position,
    (target, us): (Target, Player),
    (kind, share): (Kind, f32),
    leaf: &dyn Fn(&Position) -> Option<f32>,
) -> f32 {
    if let Some(value) = leaf(position) {
        return value;
    }
    let (mover, mut modelled) = (position.to_move(), 0.0);
    let values = kind.chances(position, target).into_iter().map(|(mv, chance)| {
        let value = expected(&after(position, mv), (target, us), (kind, share), leaf);
        modelled += chance * value;
        value
    });
    let best =
        if mover == Player::Red { values.fold(f32::MIN, f32::max) } else { values.fold(f32::MAX, f32::min) };
    if mover == us {
        best
    } else {
        share * modelled + (1.0 - share) * best
    }
}

#[test]
fn trees_estimate_the_chance_against_the_model() {
    let mut rng = rng(3);
    let (mut apart, mut off) = (0, 0.0);
    for round in 0..30 {
        let position = random_play(&mut rng, 5);
        let us = position.to_move();
        let kind = [Kind::Random, Kind::Follows(8.0), Kind::Largest(4.0)][round % 3];
        for target in (-12..=12).map(Target::new) {
            let exact = expected(&position, (target, us), (kind, 0.7), &|it| {
                let winner = Status::of::<Portable>(it, target).winner(it)?;
                Some(f32::from(winner == Player::Red))
            });
            if exact == 0.0 || exact == 1.0 {
                continue;
            }
            let mut search = Search::new(&position, &Params::default(), 5, MEMORY);
            search.model_replies(Some(ReplyModel::of(kind, 0.7)));
            search.run(target, Replies::Strong, &Limits::nodes(20_000));
            let found = search.candidates(target, Replies::Strong)[0].value;
            let error = (if us == Player::Red { found } else { 1.0 - found } - exact).abs();
            assert!(error < 0.1, "{found} is not {exact}: {position:?} for {target}");
            (off, apart) = (off + error, apart + 1);
        }
    }
    assert!(apart > 20 && off < 0.03 * apart as f32, "{off} in {apart}");
}
