//! The parts of the solver against exhaustive play, on the search's own states.
//!
//! Certificates are checked at their weakest state: the lowest scores and hands for which they claim a win.

mod table;

use std::time::{Duration, Instant};

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::certificate::{
    ANY, Certificate, Counts, at_most_above, capped, counts, covers, excess, larger, of_largest, smaller,
    up_to, with_rank,
};
use super::search::{Path, Search};
use super::state::{Frame, MOVER, OTHER, State, Sums, lanes};
use super::table::{Key, Table, WAYS};
use super::tuning::{NEAR, NEAR_IN_ALL, REFINE_UP_TO};
use super::verdict::{Verdict, certify, count, dead, focuses, joining};
use super::{Bracket, Solver, first_budget};
use crate::player::alpha::Target;
use crate::player::board::{Cell, CellSet, Hand, Move, Player, Stone};
use crate::player::limits::Limits;
use crate::player::position::Position;
use crate::player::simd::{Portable, Row};

pub(super) fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// A random clump of cells with random scores and hands, mostly contested at target 0.
pub(super) fn random_position(rng: &mut Xoshiro256PlusPlus, empty: usize) -> Position {
    let mut cells: Vec<Cell> = Cell::all().collect();
    cells.shuffle(rng);
    let mut chosen = CellSet::of(cells[0]);
    while chosen.len() < empty as u32 {
        let near: Vec<Cell> = (chosen.neighbours() - chosen).into_iter().collect();
        let stray = rng.random_bool(0.1) || near.is_empty();
        let from = if stray { &cells } else { &near };
        chosen |= CellSet::of(from[rng.random_range(0..from.len())]);
    }
    let mover = if rng.random_bool(0.5) { Player::Red } else { Player::Blue };
    let mut sizes = [(empty - 1) / 2; 2];
    sizes[mover.index()] = empty / 2;
    let top = rng.random_range(sizes[mover.index()].max(2)..=15) as u8;
    let hands = sizes.map(|size| {
        let mut values: Vec<u8> = (1..=top).collect();
        values.shuffle(rng);
        values[..size].iter().filter_map(|&value| Stone::new(value)).collect::<Hand>()
    });
    let spread = rng.random_range(2..=24i8);
    let mut scores = [0i8; 64];
    scores.iter_mut().for_each(|score| *score = rng.random_range(-spread..=spread));
    let position = Position::setup(chosen, hands, mover).expect("counts fit");
    position.with_scores(|cell| scores[cell.index()])
}

/// Exhaustive play with hands as lists, in which a stone may occur twice; scores from the mover's side.
pub(super) fn mover_wins(near: &[u32; 32], scores: &[i32; 32], empty: u32, hands: [&[u8]; 2]) -> bool {
    if empty.count_ones() == 1 {
        return scores[empty.trailing_zeros() as usize] >= 0;
    }
    let [own, other] = hands;
    for (i, &stone) in own.iter().enumerate() {
        let mut rest = own.to_vec();
        rest.remove(i);
        for lane in lanes(empty) {
            let mut next = scores.map(|score| -1 - score);
            for beside in lanes(near[lane as usize] & empty) {
                next[beside as usize] -= i32::from(stone);
            }
            if !mover_wins(near, &next, empty & !(1 << lane), [other, &rest]) {
                return true;
            }
        }
    }
    false
}

/// Return the weakest hand of `size` stones with at least these counts; a stone of 1 is always there.
fn weakest(counts: Counts, size: u32) -> Vec<u8> {
    let count = |k: u32| (counts >> (4 * k) & 15) as u32;
    (1..=size).map(|rank| (1..=15).rev().find(|&k| count(k) >= rank).unwrap_or(1) as u8).collect()
}

/// Return the strongest hand of `size` stones with at most these counts.
fn strongest(counts: Counts, size: u32) -> Vec<u8> {
    let count = |k: u32| (counts >> (4 * k) & 15) as u32;
    (1..=size).map(|rank| (1..=15).rev().find(|&k| count(k) >= rank).expect("enough of 1") as u8).collect()
}

/// Check that a certificate covers its state, and is true at its weakest.
fn check(frame: &Frame, state: &State, side: usize, certificate: &Certificate, what: &str) {
    let [mover, other] = [counts(state.hands[MOVER]), counts(state.hands[OTHER])];
    let (own, enemy) = if side == MOVER { (mover, other) } else { (other, mover) };
    assert!(certificate.holds::<Portable>(&state.scores, side, own, enemy), "{what}: does not cover");
    let mut scores = [0; 32];
    for lane in lanes(state.empty) {
        let least = certificate.least.0[lane as usize];
        // Beyond -76 nothing changes.
        let least = if least == ANY { -76 } else { i32::from(least) };
        scores[lane as usize] = if side == MOVER { least } else { -1 - least };
    }
    let winner = weakest(certificate.winner, state.hands[side].len());
    let loser = strongest(certificate.loser, state.hands[1 - side].len());
    let hands: [&[u8]; 2] = if side == MOVER { [&winner, &loser] } else { [&loser, &winner] };
    let won = mover_wins(&frame.near, &scores, state.empty, hands) == (side == MOVER);
    assert!(won, "{what}: false at its weakest state: {certificate:?} of side {side}");
}

/// Return a position at the target 0 as the solver sees it, and what counting says of it.
fn counted(position: &Position) -> (Frame, State, Sums, Verdict) {
    let mut frame = Frame::new();
    frame.admit(position.empty());
    let state = frame.state(position, Target::new(0));
    let sums = Sums::of(state.hands);
    let verdict = count::<Portable>(&frame, &state, &sums);
    (frame, state, sums, verdict)
}

#[test]
fn static_wins_and_their_certificates_are_true() {
    let mut rng = rng(21);
    let mut found = [0; 8];
    for round in 0..12_000 {
        let position = random_position(&mut rng, 4 + round % 3);
        let (frame, state, sums, verdict) = counted(&position);
        let focused =
            |&side: &usize| focuses::<Portable>(&frame, &state, &sums, &verdict, side, 1..=7).is_some();
        if let Some(side) = verdict.winner.or_else(|| [MOVER, OTHER].into_iter().find(focused)) {
            let certificate = certify(&frame, &state, &sums, side, None);
            check(&frame, &state, side, &certificate, &format!("{position:?}"));
            found[verdict.need[side].clamp(0, 7) as usize] += 1;
        }
    }
    // By counting, and by focus on one, two and three cells.
    assert!(found[0] > 1_000 && found[1] > 500 && found[2] > 200 && found[3] > 20, "{found:?}");
}

/// What X's taking a cell next to several kept ones asks of W's plan matters on fuller boards only.
#[test]
fn focus_on_three_cells_and_more_is_true() {
    let mut rng = rng(41);
    let mut found = [0; 8];
    for round in 0..60_000 {
        let position = random_position(&mut rng, 6 + round % 3);
        let (frame, state, sums, verdict) = counted(&position);
        for side in [MOVER, OTHER] {
            let wanted = verdict.winner.is_none() && (round % 3 < 2 || verdict.need[side] > 3);
            let proof = focuses::<Portable>(&frame, &state, &sums, &verdict, side, 3..=7).filter(|_| wanted);
            if let Some(proof) = proof {
                let certificate = certify(&frame, &state, &sums, side, Some(&proof));
                let again = certify(&frame, &state, &sums, side, None);
                assert!(
                    certificate.includes::<Portable>(&again) && again.includes::<Portable>(&certificate),
                    "{position:?}"
                );
                check(&frame, &state, side, &certificate, &format!("{position:?}"));
                found[verdict.need[side] as usize] += 1;
            }
        }
    }
    assert!(found[3] > 1_000 && found[4] > 50, "{found:?}");
}

/// The refined count goes on until no cell joins: where it leaves a need, a look at each cell finds none.
#[test]
fn the_refined_count_leaves_no_cell_out() {
    let mut rng = rng(27);
    let mut left = 0;
    for round in 0..20_000 {
        let position = random_position(&mut rng, 4 + round % 12);
        let (frame, state, sums, verdict) = counted(&position);
        for side in [MOVER, OTHER] {
            let (kept, need) = (verdict.kept[side], verdict.need[side]);
            if verdict.winner.is_some() || need > REFINE_UP_TO {
                continue;
            }
            for lane in lanes(state.empty & !kept) {
                let (enough, ..) = joining(&frame, &state, &sums, side, lane, kept, need);
                assert!(state.score(side, lane) < enough, "lane {lane} of side {side} in {position:?}");
            }
            left += 1;
        }
    }
    assert!(left > 1_000, "{left}");
}

#[test]
fn certificates_of_searches_are_true() {
    let mut rng = rng(22);
    let mut search = Search::new(1 << 20);
    for round in 0..400_000 {
        // Seven cells now and then: exhaustive play takes its time.
        let empty = if round % 40 == 0 { 7 } else { 4 + round % 3 };
        let position = random_position(&mut rng, empty);
        let what = format!("{position:?}");
        let (state, side, certificate) = search.certified(&position, Target::new(0));
        check(search.frame(), &state, side, &certificate, &what);
    }
}

/// Draw a hand of as many stones, each as large as the bounds allow or at least as the one of the same rank in `hand`.
fn stronger(rng: &mut Xoshiro256PlusPlus, bounds: Counts, hand: Hand) -> Hand {
    let most = strongest(bounds, hand.len());
    let mut above = 16;
    let mut drawn = Hand::EMPTY;
    for (most, own) in most.into_iter().zip((0..hand.len()).rev().map(|n| hand.nth(n).value())) {
        let largest = most.min(above - 1);
        above = if rng.random_bool(0.7) { largest } else { rng.random_range(own.min(largest)..=largest) };
        drawn = drawn.with(Stone::new(above).expect("as large as the stone of the same rank"));
    }
    drawn
}

/// Certificates of larger positions, whose proofs answer more moves, hold for stronger hands of the loser and the
/// lowest scores they require: another solver, that knows nothing yet, finds the same winner.
#[test]
fn certificates_hold_for_the_strongest_hands_they_allow() {
    let mut rng = rng(33);
    let mut search = Search::new(1 << 20);
    let mut other = Search::new(0);
    let mut stronger_hands = 0;
    for round in 0..40_000 {
        let position = random_position(&mut rng, 7 + round % 4);
        let (state, side, certificate) = search.certified(&position, Target::new(0));
        let mut scores = [0; 64];
        for lane in lanes(state.empty) {
            let least = certificate.least.0[lane as usize].max(-76);
            let of_mover = if side == MOVER { least } else { -1 - least };
            let red = position.to_move() == Player::Red;
            scores[search.frame().cell(lane).index()] = if red { of_mover } else { -1 - of_mover };
        }
        let mover = position.to_move();
        let winner = if side == MOVER { mover } else { mover.opponent() };
        let hand = position.hand(winner.opponent());
        let drawn = stronger(&mut rng, certificate.loser, hand);
        stronger_hands += u32::from(drawn != hand);
        let mut hands = [position.hand(Player::Red), position.hand(Player::Blue)];
        hands[winner.opponent().index()] = drawn;
        let weak = Position::setup(position.empty(), hands, mover).expect("the same numbers of stones");
        let weak = weak.with_scores(|cell| scores[cell.index()]);
        other.clear();
        let found = other.winner(&weak, Target::new(0), &Limits::NONE);
        assert_eq!(found, Some(winner), "{position:?}: {certificate:?}, not with {drawn:?} against it");
    }
    assert!(stronger_hands > 10_000, "{stronger_hands}");
}

/// The board of 21 cells has the six symmetries of its triangle: five of its cells are enough for a first move.
#[test]
fn twins_are_cells_that_a_symmetry_exchanges() {
    let mut frame = Frame::new();
    frame.admit(Position::small().empty());
    let start = frame.state(&Position::small(), Target::new(0));
    let twins = frame.twins(&start);
    assert_eq!(lanes(start.empty).filter(|&lane| twins[lane as usize] == 0).count(), 5);
}

#[test]
fn both_paths_count_the_same_nodes() {
    let mut rng = rng(23);
    let [mut fast, mut portable] = [Search::new(1 << 20), Search::new(1 << 20)];
    for round in 0..60 {
        let position = random_position(&mut rng, 8 + round % 6);
        for alpha in -1..=1 {
            let target = Target::new(alpha);
            let winner = fast.winner(&position, target, &Limits::NONE);
            let again = portable.winner_by(&position, target, <Portable as Path>::search);
            assert_eq!(winner, again);
            assert_eq!(fast.nodes(), portable.nodes());
        }
    }
}

#[test]
fn counts_compare_as_sorted_hands_do() {
    let mut rng = rng(24);
    let draw = |rng: &mut Xoshiro256PlusPlus, size: usize| {
        let mut values: Vec<u8> = (1..=15).collect();
        values.shuffle(rng);
        values.truncate(size);
        values.sort_unstable();
        values
    };
    let hand = |values: &[u8]| values.iter().filter_map(|&value| Stone::new(value)).collect::<Hand>();
    for _ in 0..20_000 {
        let size = rng.random_range(1..=15);
        let (a, b) = (draw(&mut rng, size), draw(&mut rng, size));
        let (a_counts, b_counts) = (counts(hand(&a)), counts(hand(&b)));
        assert_eq!(covers(a_counts, b_counts), a.iter().zip(&b).all(|(x, y)| x >= y));
        let both = larger(a_counts, b_counts);
        assert!(covers(both, a_counts) && covers(both, b_counts));
        let above = |k: u8| {
            a.iter().filter(|&&v| v >= k).count().saturating_sub(b.iter().filter(|&&v| v >= k).count())
        };
        assert_eq!(excess(a_counts, b_counts) as usize, (1..=15).map(above).sum::<usize>());
        assert!((1..=15).all(|k| {
            let count = |counts: Counts| counts >> (4 * k) & 15;
            count(smaller(a_counts, b_counts)) == count(a_counts).min(count(b_counts))
        }));
        let (value, most) = (rng.random_range(1..=15), rng.random_range(0..15));
        let above = a.iter().filter(|&&v| u32::from(v) > value).count();
        assert_eq!(covers(at_most_above(value, most), a_counts), above <= most as usize);
        // Without the stone of a rank, or of a lower one, the hand is within bounds.
        let rank = rng.random_range(1..=size);
        let bound = with_rank(b_counts, rank as u32);
        let within = |rank: usize| {
            let left: Vec<u8> = (0..size).filter(|&i| i != size - rank).map(|i| a[i]).collect();
            covers(b_counts, counts(hand(&left)))
        };
        assert_eq!(covers(bound, a_counts), (1..=rank).all(within), "{a:?} and {b:?}, rank {rank}");
        let most = rng.random_range(0..=size);
        let top = &a[size - most..];
        // Bounds that allow as many stones, on the largest of a hand, are bounds on the hand.
        let tops = counts(hand(&b[size - most..]));
        let bound = of_largest(tops, most as u32, (size - most) as u32);
        assert_eq!(
            covers(bound, a_counts),
            covers(tops, capped(a_counts, most as u32)),
            "{a:?}, {b:?}, {most}"
        );
        assert_eq!(capped(a_counts, most as u32), top.iter().map(|&v| up_to(u32::from(v))).sum::<u64>());
    }
}

/// Questions that no budget answers are left alone, in the end, by proven bounds on both sides; and once all
/// are answered, the value is found.
#[test]
fn hard_questions_are_put_off_until_all_others_are_answered() {
    for (value, width, place) in
        (-75..=75).flat_map(|v| (0..5).flat_map(move |w| (0..=w).map(move |p| (v, w, p))))
    {
        // The hard ones lie around those that decide, value and value + 1, as far as there are such.
        let hard = (value - place).max(-74)..=(value - place + width).min(75);
        for guess in [-75, -20, 0, value - 1, value, value + 2, 60, 75] {
            let mut bracket = Bracket::starting_at(guess, 1000);
            let first_budget = bracket.budget;
            let mut asked = 0;
            while let Some(alpha) = bracket.next() {
                assert!(bracket.lower < alpha && alpha <= bracket.upper, "{alpha} was answered before");
                asked += 1;
                assert!(asked < 60, "value {value}, hard {hard:?}, guess {guess}");
                if bracket.budget > first_budget {
                    assert!(bracket.lower >= *hard.start() - 1, "{} below {hard:?}", bracket.lower);
                    assert!(bracket.upper <= *hard.end(), "{} above {hard:?}", bracket.upper);
                } else if hard.contains(&alpha) {
                    bracket.put_off(alpha);
                    continue;
                }
                bracket.answer(alpha, value >= alpha);
            }
            assert_eq!((bracket.lower, bracket.upper), (value, value));
        }
    }
}

/// Both questions that decide a value are asked first if the guess is right, and if it is a point too good for the player to
/// move, as guesses tend to be; a point more takes one question more, as does one too bad.
#[test]
fn a_guess_near_the_value_needs_few_questions() {
    let any = random_position(&mut rng(71), 5);
    let hands = [Player::Red, Player::Blue].map(|player| any.hand(player));
    let mut solver = Solver::new(0);
    for mover in [Player::Red, Player::Blue] {
        let position = Position::setup(any.empty(), hands, mover).expect("as many stones each");
        for value in -70..=70 {
            for (too_good, questions) in [(0, 2), (1, 2), (2, 3), (-1, 3)] {
                let guess = value + mover.sign() * too_good;
                let mut asked = 0;
                let bounds = solver.bracket(&position, guess, &Limits::NONE, |_, target, _| {
                    asked += 1;
                    Some(value >= target.alpha())
                });
                assert_eq!(bounds.exact(), Some(value));
                assert_eq!(asked, questions, "{mover:?}, value {value}, guess {guess}");
            }
        }
    }
}

/// A tenth of what is allowed, whichever limit is the tighter one, within bounds.
#[test]
fn the_first_budget_is_a_part_of_what_is_allowed() {
    let within = |seconds: u64, nodes| {
        let deadline = Some(Instant::now() + Duration::from_secs(seconds));
        first_budget(&Limits { deadline, nodes })
    };
    assert_eq!(first_budget(&Limits::NONE), 2_000_000);
    assert_eq!(first_budget(&Limits::nodes(5_000_000)), 500_000);
    assert_eq!(first_budget(&Limits::nodes(1000)), 200_000);
    assert_eq!(within(60, u64::MAX), 2_000_000);
    assert_eq!(within(60, 3_000_000), 300_000);
    assert_eq!(within(0, u64::MAX), 200_000);
    // The clock goes on.
    assert!((300_000..=1_000_000).contains(&within(4, u64::MAX)));
}
