//! What only the inside of a tree shows, and what the network makes of its nodes.

use super::amaf::amaf_counts;
use super::iteration::HORIZON;
use super::selection::logistic;
use super::*;
use crate::alpha::Status;
use crate::evaluation::{undominated_merits, DECIDED};
use crate::network::Network;
use crate::opponent::Kind;
use crate::simd::Portable;
use crate::testing;

/// An action counts for a node at most a horizon above it (§3.0.4): half of those for each side, with
/// wins of both players, whoever chose the replies.
#[test]
fn the_roots_amaf_statistics_are_of_the_plies_within_the_horizon() {
    let position = testing::random_game(&mut testing::rng(9))[0];
    let params = Params { paper: true, amaf_source: 1, ..Params::default() };
    let (target, count) = (Target::new(0), 2_000);
    for model in [None, Some(ReplyModel::of(Kind::Random, 1.0))] {
        let mut search = Search::new(&position, &params, 9, 32 << 20);
        search.model_replies(model);
        search.run(target, Assumed::Strong, &Limits::nodes(count));
        let root = search.root_node(target, Assumed::Strong).expect("a root");
        let (table, layout) = (search.tree.table(root.table), &search.tree.layout);
        let counted = Player::BOTH.map(|mover| {
            let hand = position.hand(mover).iter();
            let rows = hand.map(|stone| &table[layout.row(mover, stone)..][..layout.stride]);
            rows.flatten().map(|&entry| amaf_counts(entry)).fold([0.0; 2], |[a, b], (n, w)| [a + n, b + w])
        });
        // The first visits of a node, before its moves are searched, have no table.
        let with_table = count - u64::from(params.expand_visits) + 1;
        let missing = counted.map(|[visits, _]| with_table * HORIZON as u64 / 2 - visits as u64);
        assert!(missing[0] == missing[1] && missing[0] <= HORIZON as u64 / 2, "{missing:?}");
        assert!(counted.iter().all(|&[visits, wins]| 0.0 < wins && wins < visits), "{counted:?}");
    }
}

/// The first iteration values the root by the network, by a playout, or by both. The second tries,
/// of the few moves that are best by the static formula, the best by the network.
#[test]
fn the_network_values_leaves_and_orders_moves() {
    let mut rng = testing::rng(71);
    let (mut outcomes, mut tried, mut unlike) = ([0; 2], 0, 0);
    for game in 0..75 {
        let position = testing::random_play(&mut rng, 12 + game % 17);
        let target = Target::new(game as i32 % 7 - 3);
        let status = Status::of::<Portable>(&position, target);
        if status.winner(&position).is_some() {
            continue;
        }
        let red_odds = |position: &Position| {
            let status = Status::of::<Portable>(position, target);
            let advantage = Network::own().advantage::<Portable>(position, &status, target);
            advantage * f32::from(position.to_move().sign())
        };
        let run = |params: &Params, nodes| {
            let mut search = Search::new(&position, params, 5, 1 << 20);
            search.run(target, Assumed::Strong, &Limits::nodes(nodes));
            search
        };
        let value = |leaf_network, leaf_playout| {
            let params = Params { leaf_network, leaf_playout, ..Params::default() };
            run(&params, 1).red_value(target).expect("an iteration")
        };
        let outcome = value(0.0, 0.0);
        assert!(outcome == 0.0 || outcome == 1.0);
        outcomes[outcome as usize] += 1;
        for (network, playout) in [(1.0, 0.0), (1.0, 1.5), (0.5, 1.0)] {
            let expected = logistic(network * red_odds(&position) + playout * (2.0 * outcome - 1.0));
            assert!((value(network, playout) - expected).abs() < 1e-6, "{position:?} for {target}");
        }

        let mut merits: Vec<(f32, Move)> = Vec::new();
        undominated_merits::<Portable>(&position, target, |mv, merit| merits.push((merit, mv)));
        merits.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.packed().cmp(&a.1.packed())));
        merits.truncate(8);
        if merits.iter().any(|(merit, _)| merit.abs() >= DECIDED) {
            continue;
        }
        let sign = f32::from(position.to_move().sign());
        let judged = |mv| logistic(sign * red_odds(&position.after::<Portable>(mv)));
        let best = merits.iter().map(|&(_, mv)| judged(mv)).fold(f32::MIN, f32::max);
        let few = Params { open_base: 7.0, expand_visits: 1, ..Params::default() };
        let params = Params { amaf_source: 0, leaf_playout: 0.0, ..few };
        let candidates = run(&params, 2).candidates(target, Assumed::Strong);
        assert!(candidates.len() == 1 && judged(candidates[0].mv) == best, "{position:?}: {candidates:?}");
        assert!((candidates[0].value - best).abs() < 1e-6, "{candidates:?}, {best}");
        tried += 1;
        unlike += usize::from(judged(merits[0].1) < best);
    }
    assert!(outcomes.iter().all(|&count| count >= 5) && outcomes[0] + outcomes[1] > 40, "{outcomes:?}");
    assert!(tried > 30 && unlike > 10, "{unlike} of {tried}");
}
