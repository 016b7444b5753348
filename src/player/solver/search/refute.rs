//! Refuting moves of the mover: several stones on a cell by one search or one certificate (see
//! [`search`](super)).

use super::*;

/// A refutation of stones on a cell: of those of the mover's hand from one rank down to another.
#[derive(Clone, Copy)]
pub(super) struct Refutation {
    pub(super) lane: u8,
    /// The ranks of the largest and of the smallest stone, 1 for the largest of the hand.
    pub(super) ranks: [u8; 2],
    /// The certificate of the position after the stone.
    pub(super) proof: Certificate,
}

impl Refutation {
    pub(super) const NONE: Refutation = Refutation { lane: 0, ranks: [0; 2], proof: Certificate::NONE };
}

/// Return the largest stone that may be refuted together with stone `v`: one not much larger; or not much larger
/// than all the stones that will be needed to fill the other side's stale cells, where the size of a stone
/// does not matter.
#[inline(always)]
pub(super) fn reach_together(node: &Node, v: u8) -> u8 {
    let hand = node.state.hands[MOVER];
    let stale = node.key.stale_count(OTHER);
    let spare = if stale > 0 && stale < hand.len() { hand.nth(stale).value() + TOGETHER_SPARE } else { 0 };
    spare.max(v + TOGETHER)
}

/// Return the largest of the stones listed next on a cell, up to `most` and not refuted, to be refuted together
/// with stone `v`; `v` if there is none.
#[inline(always)]
pub(super) fn next_on_cell(later: &[Listed], lane: u8, v: u8, most: u8, refuted: u16) -> u8 {
    let near = later.iter().take_while(|mv| mv.lane == lane && mv.stone > v && mv.stone <= most);
    near.filter(|mv| refuted >> mv.stone & 1 == 0).last().map_or(v, |mv| mv.stone)
}

/// Try to refute all stones on a cell from `smaller` to `larger` with one search, of the position in which
/// the mover has played the larger and spent the smaller; leaves the certificate in `result` (see
/// [`search`](self)). False when that fails, or takes too long for the work that the `hardest` move so far
/// was: then nothing is known.
#[inline(always)]
pub(super) fn refute_together<L: Path>(
    search: &mut Search,
    node: &Node,
    lane: u8,
    [smaller, larger]: [u8; 2],
    hardest: u64,
    result: &mut Certificate,
) -> bool {
    let stone = |value| Stone::new(value).expect("a listed stone");
    let mut child = node.state.after(&search.frame, u32::from(lane), stone(larger));
    child.hands[OTHER] = node.state.hands[MOVER].without(stone(smaller));
    let budget = (TOGETHER_WORK * hardest).max(TOGETHER_LEAST_WORK);
    // The child's mover is the side that has not moved here.
    within::<L>(search, budget, &child, node.ply + 1, result) == Some(MOVER)
}

/// Return the largest stone of X, played next to the cells `near`, after which W's `scores` still satisfy `proof`, a
/// certificate of the position after such a stone which they satisfy before it: 0 for none, 15 at most.
#[inline(always)]
pub(super) fn largest_stood(near: u32, proof: &Certificate, scores: impl Fn(u32) -> i32) -> u32 {
    let mut largest = 15;
    for near in lanes(near) {
        let least = proof.least.0[near as usize];
        if least != ANY {
            largest = largest.min(scores(near) - i32::from(least));
        }
    }
    largest as u32
}

/// Return the stones up to `largest` as bits, with bit 0, which no stone has.
#[inline(always)]
pub(super) const fn up_to_stone(largest: u32) -> u16 {
    ((2u32 << largest) - 1) as u16
}

/// Note the refutation of a stone on a cell by `proof`, with the other stones on it that the same certificate refutes:
/// larger ones as far as its scores reach, smaller ones as far as it allows the hand that keeps the larger.
#[inline(always)]
pub(super) fn refute(
    search: &mut Search,
    node: &Node,
    proof: &Certificate,
    lane: u32,
    stone: u8,
    moves: &mut Moves,
) {
    let near = frame_near(&search.frame, lane) & node.state.empty;
    let largest = largest_stood(near, proof, |near| node.state.score(OTHER, near));
    refute_up_to(search, node, proof, lane, [stone, largest as u8], moves);
}

/// The same for a certificate whose scores are known to stand stones up to `largest`.
#[inline(always)]
pub(super) fn refute_up_to(
    search: &mut Search,
    node: &Node,
    proof: &Certificate,
    lane: u32,
    [stone, largest]: [u8; 2],
    moves: &mut Moves,
) {
    let &Node { state, ply, .. } = node;
    debug_assert!(largest >= stone);
    let judged = moves.worth[lane as usize] | moves.lost[lane as usize];
    let refuted = &mut moves.refuted[lane as usize];
    let others = judged & !(*refuted & ((1 << stone) - 1));
    let (covered, ranks) = answered(state.hands[MOVER], others, stone, largest.into(), proof.loser);
    *refuted |= covered;
    let most = 15 - covered.leading_zeros();
    moves.joined.join_after(proof, &search.frame, lane, most as u8);
    search.plies[ply].refutations[moves.refutations] = Refutation { lane: lane as u8, ranks, proof: *proof };
    moves.refutations += 1;
}

/// Return the stones of `hand` among `others` that a certificate answers that was found for `stone`, as bits, and the
/// ranks of the largest and of the smallest of them: its scores stand stones up to `largest`, and `loser` is what it
/// allows the rest of the hand to be.
#[inline(always)]
fn answered(hand: Hand, others: u16, stone: u8, largest: u32, loser: Counts) -> (u16, [u8; 2]) {
    let smaller = (1 << stone) - 1;
    let mut covered = others & up_to_stone(largest) & !smaller | 1 << stone;
    let most = 15 - covered.leading_zeros();
    // Each smaller stone leaves a better hand.
    let mut below = others & smaller;
    let mut least = u32::from(stone);
    while let Some(next) = below.checked_ilog2() {
        let rest = hand.without(Stone::new(next as u8).expect("a stone of the hand"));
        if !covers(loser, counts(rest)) {
            break;
        }
        below &= !(1 << next);
        covered |= 1 << next;
        least = next;
    }
    let rank = |value: u32| (hand.bits() >> value).count_ones() as u8;
    (covered, [rank(most), rank(least)])
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::player::solver::certificate::larger;
    use crate::player::solver::tests::rng;

    /// Every hand that the bounds made of a refutation allow is answered by its certificate, whichever stone of the ranks
    /// named is played; and these are the ranks of the stones taken for refuted.
    #[test]
    fn stones_taken_for_refuted_are_answered_in_every_hand_allowed() {
        let mut rng = rng(51);
        let hands: Vec<Hand> =
            (0..1u16 << 15).map(|bits| Hand::from_bits(bits << 1)).filter(|hand| hand.len() <= 5).collect();
        let (mut smaller_ones, mut larger_ones, mut allowed) = (0, 0, 0);
        for _ in 0..400 {
            let hand = hands[rng.random_range(0..hands.len())];
            if hand.len() < 3 {
                continue;
            }
            let stone = hand.nth(rng.random_range(0..hand.len()));
            // What is left of the hand is allowed, and often more.
            let other = hands[rng.random_range(0..hands.len())];
            let loser = larger(counts(hand.without(stone)), counts(other));
            let largest = rng.random_range(u32::from(stone.value())..16);
            let others = hand.bits() & rng.random::<u16>();
            let (covered, [first, last]) = answered(hand, others, stone.value(), largest, loser);
            for one in hand.iter().filter(|one| covered >> one.value() & 1 != 0) {
                let rank = (hand.bits() >> one.value()).count_ones() as u8;
                assert!((first..=last).contains(&rank), "{hand:?}, {one:?}");
                smaller_ones += usize::from(one < stone);
                larger_ones += usize::from(one > stone);
            }
            let bounds = smaller(with_rank(loser, last.into()), at_most_above(largest, u32::from(first) - 1));
            assert!(covers(bounds, counts(hand)), "{hand:?}");
            for other in hands.iter().filter(|other| other.len() == hand.len()) {
                if !covers(bounds, counts(*other)) {
                    continue;
                }
                allowed += 1;
                for rank in u32::from(first)..=last.into() {
                    let one = other.nth(other.len() - rank);
                    assert!(u32::from(one.value()) <= largest, "{hand:?}, {other:?}");
                    assert!(covers(loser, counts(other.without(one))), "{hand:?}, {other:?}, {one:?}");
                }
            }
        }
        assert!(
            smaller_ones > 50 && larger_ones > 50 && allowed > 10_000,
            "{smaller_ones} {larger_ones} {allowed}"
        );
    }
}
