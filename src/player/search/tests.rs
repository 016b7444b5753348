//! The inside of a tree.

use super::amaf::{amaf_counts, count_amaf};
use super::iteration::HORIZON;
use super::*;
use crate::opponent::Kind;
use crate::testing;

/// An action counts for a node at most a horizon above it (§3.0.4): half of these actions for each side, with
/// wins of both players, with and without a model of the replies.
#[test]
fn the_roots_amaf_statistics_are_of_the_plies_within_the_horizon() {
    let position = testing::random_game(&mut testing::rng(9))[0];
    let params = Params { paper: true, priming: false, ..Params::default() };
    let (target, count) = (Target::new(0), 2_000);
    for model in [None, Some(ReplyModel::of(Kind::Random, 1.0))] {
        let mut search = Search::new(&position, &params, 9, 32 << 20);
        search.model_replies(model);
        search.run(target, Replies::Strong, &Limits::nodes(count));
        let root = search.root_node(target, Replies::Strong).expect("a root");
        let (table, layout) = (search.tree.table(root.table), &search.tree.layout);
        let counted = Player::BOTH.map(|mover| {
            let hand = position.hand(mover).iter();
            let rows = hand.map(|stone| &table[layout.row(mover, stone)..][..layout.stride]);
            rows.flatten().map(|&entry| amaf_counts(entry)).fold([0.0; 2], |[a, b], (n, w)| [a + n, b + w])
        });
        // The first visits of a node, before its moves are searched, have no table.
        let with_table = count - u64::from(params.expand_visits()) + 1;
        let missing = counted.map(|[visits, _]| with_table * HORIZON as u64 / 2 - visits as u64);
        assert!(missing[0] == missing[1] && missing[0] <= HORIZON as u64 / 2, "{missing:?}");
        assert!(counted.iter().all(|&[visits, wins]| 0.0 < wins && wins < visits), "{counted:?}");
    }
}

#[test]
fn amaf_counts_are_halved_before_they_overflow() {
    let mut entry = 0;
    for n in 1..=200_000u32 {
        count_amaf(&mut entry, n % 4 == 0);
        let (visits, wins) = amaf_counts(entry);
        assert!(visits == n as f32 || n > 0xFFFF && visits >= 32_768.0, "{visits} of {n}");
        assert!((4.0 * wins - visits).abs() <= 4.0, "{wins} of {visits}");
    }
}
