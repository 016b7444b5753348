//! Refutations kept from one node to later ones with the same empty cells (see [`search`](super)).

use crate::player::solver::state::flip;
use crate::player::solver::table::{row_of, words_of, zeroed};
use crate::player::solver::tuning::{KEPT, KEPT_BYTES, KEPT_PART};

use super::refute::{largest_stood, refute_up_to, up_to_stone};
use super::*;

/// Words of 8 bytes of a refutation: the least scores (4), what is required of W's hand and allowed of X's, the lane.
const WORDS: usize = 7;

/// Words before the refutations of a slot: what they are about, and how many have been put there.
const HEAD: usize = 2;

/// Words of a slot.
const SLOT: usize = HEAD + KEPT * WORDS;

/// The latest refutations for each of many sets of empty cells; a set takes the slot of another with the same hash.
pub(super) struct Kept {
    words: Vec<u64>,
}

/// Return the part of a table's bytes that is for refutations.
pub(super) const fn part_of(bytes: usize) -> usize {
    let part = bytes / KEPT_PART;
    if part < KEPT_BYTES { part } else { KEPT_BYTES }
}

impl Kept {
    /// Make room in at most `bytes`, or for one set of cells.
    pub(super) fn new(bytes: usize) -> Kept {
        Kept { words: zeroed((bytes / 8).max(SLOT)) }
    }

    /// Forget everything.
    pub(super) fn clear(&mut self) {
        let bytes = 8 * self.words.len();
        self.words = Vec::new();
        *self = Kept::new(bytes);
    }

    /// Return the slot of a state, and what is at its head if it is about such states: the empty cells, the numbers
    /// of stones, the epoch.
    #[inline(always)]
    fn place(&self, state: &State) -> (usize, u64) {
        let hash = u64::from(state.empty).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let slot = ((u128::from(hash) * (self.words.len() / SLOT) as u128) >> 64) as usize;
        let [own, other] = [state.hands[MOVER].len(), state.hands[OTHER].len()];
        (slot * SLOT, u64::from(state.empty) | u64::from(own) << 32 | u64::from(other) << 40)
    }

    /// Keep a refutation by the certificate of the position after a stone in `lane`.
    #[inline(always)]
    fn put(&mut self, state: &State, lane: u32, proof: &Certificate) {
        let (slot, head) = self.place(state);
        let slot = &mut self.words[slot..][..SLOT];
        if slot[0] != head {
            [slot[0], slot[1]] = [head, 0];
        }
        let at = HEAD + slot[1] as usize % KEPT * WORDS;
        slot[1] += 1;
        let [a, b, c, d] = words_of(&proof.least);
        slot[at..at + WORDS].copy_from_slice(&[a, b, c, d, proof.winner, proof.loser, u64::from(lane)]);
    }

    /// Return how many refutations have been put into a slot, if it is about such states as one.
    #[inline(always)]
    fn count(&self, state: &State) -> (usize, u64) {
        let (slot, head) = self.place(state);
        (slot, if self.words[slot] == head { self.words[slot + 1] } else { 0 })
    }

    /// Return the refutation that was put into a slot as number `number`, one of the last [`KEPT`].
    #[inline(always)]
    fn get(&self, slot: usize, number: u64) -> (u32, Certificate) {
        let words = &self.words[slot..][HEAD + number as usize % KEPT * WORDS..][..WORDS];
        (words[6] as u32 & 31, Certificate { least: row_of(words), winner: words[4], loser: words[5] })
    }
}

/// Keep the refutations of a node from number `first` on.
#[inline(always)]
pub(super) fn keep_refutations(search: &mut Search, node: &Node, moves: &Moves, first: usize) {
    let Search { plies, kept, .. } = search;
    for refutation in &plies[node.ply].refutations[first..moves.refutations] {
        kept.put(node.state, u32::from(refutation.lane), &refutation.proof);
    }
}

/// Refute what the refutations kept for a node's empty cells refute of the moves that may be worth a search, the
/// latest first.
#[inline(always)]
pub(super) fn refute_again<L: Path>(search: &mut Search, node: &Node, moves: &mut Moves) {
    let state = node.state;
    let hand = state.hands[MOVER];
    let (slot, count) = search.kept.count(state);
    for number in (count.saturating_sub(KEPT as u64)..count).rev() {
        let (lane, proof) = search.kept.get(slot, number);
        let open = moves.worth[lane as usize] & !moves.refuted[lane as usize];
        if open == 0
            || !covers(node.counts[OTHER], proof.winner)
            || !L::row_covers(&state.scores, flip(OTHER), &proof.least)
        {
            continue;
        }
        let near = frame_near(&search.frame, lane) & state.empty;
        let largest = largest_stood(near, &proof, |near| state.score(OTHER, near));
        // The largest of them leaves the worst hand.
        let fit = open & up_to_stone(largest);
        let Some(stone) = fit.checked_ilog2().and_then(|value| Stone::new(value as u8)) else { continue };
        if covers(proof.loser, counts(hand.without(stone))) {
            refute_up_to(search, node, &proof, lane, [stone.value(), largest as u8], moves);
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand::seq::SliceRandom;

    use super::*;
    use crate::player::solver::tests::{mover_wins, random_position, rng};

    /// Of other scores and hands on the same cells, what is refuted again is lost: by exhaustive play.
    #[test]
    fn moves_refuted_again_are_lost() {
        let mut rng = rng(61);
        // So small a table that nodes are searched again.
        let mut search = Search { kept: Kept::new(1 << 20), ..Search::new(0) };
        let (mut again, mut lost) = (0, 0);
        for round in 0..300 {
            let first = random_position(&mut rng, 5 + round % 2);
            let spread = rng.random_range(2..=12i8);
            let sizes = [Player::Red, Player::Blue].map(|player| first.hand(player).len() as usize);
            for _ in 0..40 {
                let mut stones: Vec<Stone> = (1..=10).filter_map(Stone::new).collect();
                let hands = sizes.map(|size| {
                    stones.shuffle(&mut rng);
                    stones[..size].iter().copied().collect::<Hand>()
                });
                let scores: [i8; 64] = std::array::from_fn(|_| rng.random_range(-spread..=spread));
                let position =
                    Position::setup(first.empty(), hands, first.to_move()).expect("the same numbers");
                let position = position.with_scores(|cell| scores[cell.index()]);
                let state = search.enter(&position, Target::new(0), &Limits::NONE);
                let sums = Sums::of(state.hands);
                let labels = dead::<Portable>(&state, &sums);
                let node = Node {
                    state: &state,
                    key: Key::of(&search.frame, &state, labels),
                    sums,
                    counts: state.hands.map(counts),
                    undecided: state.empty & !labels[MOVER] & !labels[OTHER],
                    ply: ply_of(&position),
                    entered_with: 0,
                };
                let mut moves = Moves::of(Cells::choose(&search.frame, &state, labels), state.hands[MOVER]);
                refute_again::<Portable>(&mut search, &node, &mut moves);
                for lane in lanes(state.empty) {
                    for stone in state.hands[MOVER].iter() {
                        let child = state.after(&search.frame, lane, stone);
                        let values =
                            child.hands.map(|hand| hand.iter().map(Stone::value).collect::<Vec<_>>());
                        let scores = child.scores.0.map(i32::from);
                        let wins =
                            mover_wins(&search.frame.near, &scores, child.empty, [&values[0], &values[1]]);
                        let refuted = moves.refuted[lane as usize] >> stone.value() & 1 != 0;
                        assert!(wins || !refuted, "{position:?}: {stone:?} in lane {lane}");
                        again += usize::from(refuted);
                        lost += usize::from(wins);
                    }
                }
                search.winner(&position, Target::new(0), &Limits::NONE);
            }
        }
        // Not all by far: many positions are decided before a move is looked at, and leave nothing.
        assert!(again > 2_000 && lost > 2 * again, "{again} of {lost}");
    }

    /// Nothing is found for other numbers of stones, nor when all is forgotten, be it ever so often.
    #[test]
    fn refutations_are_kept_for_their_cells_and_stones() {
        let mut kept = Kept::new(0);
        let state = |empty, sizes: [u8; 2]| State {
            scores: Row::splat(0),
            free: Row::splat(0),
            empty,
            hands: sizes.map(|size| (1..=size).filter_map(Stone::new).collect()),
        };
        let one = state(0b1_1111, [2, 2]);
        for lane in 0..KEPT as u32 + 3 {
            let proof = Certificate { winner: u64::from(lane), ..Certificate::NONE };
            kept.put(&one, lane % 5, &proof);
        }
        let (slot, count) = kept.count(&one);
        assert_eq!(count, KEPT as u64 + 3);
        for number in 3..count {
            let (lane, proof) = kept.get(slot, number);
            assert_eq!((u64::from(lane), proof.winner), (number % 5, number));
            assert_eq!(proof.least, Certificate::NONE.least);
        }
        for other in [state(0b1_1111, [3, 1]), state(0b1_1111, [1, 2]), state(0b11_1110, [2, 2])] {
            assert_eq!(kept.count(&other).1, 0, "{:b}", other.empty);
        }
        kept.clear();
        assert_eq!(kept.count(&one).1, 0);
    }
}
