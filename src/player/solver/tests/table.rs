//! The table: what it keeps, what it finds, and what it finds of states with pairs of stale cells.

use super::*;

/// Return a state without its pairs of stale cells, and its key.
fn without_pairs(frame: &Frame, state: State) -> (State, Key) {
    let key = |state: &State| Key::of(frame, state, dead::<Portable>(state, &Sums::of(state.hands)));
    match key(&state).cancel::<Portable>(frame, &state) {
        // With fewer stones left, more cells may be stale.
        Some(rest) => without_pairs(frame, rest),
        None => (state, key(&state)),
    }
}

/// A pair of stale cells, one of each side, changes no winner, and what is found without it is found for the state
/// with it.
#[test]
fn pairs_of_stale_cells_cancel() {
    let mut rng = rng(35);
    let mut search = Search::new(0);
    let (mut cancelled, mut several, mut restored_ones) = (0, 0, 0);
    for round in 0..60_000 {
        let position = random_position(&mut rng, 5 + round % 3);
        let (frame, state, sums, verdict) = counted(&position);
        let key = Key::of(&frame, &state, verdict.dead);
        let (rest, rest_key) = without_pairs(&frame, state);
        if rest.empty == state.empty || verdict.winner.is_some() {
            continue;
        }
        let wins = |state: &State| {
            let scores = std::array::from_fn(|lane| state.score(MOVER, lane as u32));
            let hands = state.hands.map(|hand| hand.iter().map(Stone::value).collect::<Vec<u8>>());
            mover_wins(&frame.near, &scores, state.empty, [&hands[MOVER], &hands[OTHER]])
        };
        assert_eq!(wins(&state), wins(&rest), "{position:?}");
        let mut table = Table::new(1 << 12);
        let (found, side, certificate) = search.certified(&position, Target::new(0));
        assert_eq!(side == MOVER, wins(&state), "{position:?}");
        check(search.frame(), &found, side, &certificate, &format!("{position:?}"));
        let own = [counts(state.hands[MOVER]), counts(state.hands[OTHER])];
        // A certificate for the rest covers the state, once it is restored.
        let [winner, loser] = [side, 1 - side].map(|of| counts(rest.hands[of]));
        let mut proof = Certificate { least: Row::splat(ANY), winner, loser };
        for lane in lanes(rest.empty & !rest_key.dead[1 - side]) {
            proof.require(lane, rest.score(side, lane));
        }
        let rest_sums = Sums::of(rest.hands);
        let stored = rest_key.strip(&proof, &rest, &rest_sums, side);
        if let Some(stored) = stored.filter(|_| rest_key.hash == key.hash) {
            table.store::<Portable>(&rest_key, side, (0, 0), &stored, 1);
            let mut restored = table.probe::<Portable>(&state, &key, own, side).expect("the same key");
            assert!(table.probe::<Portable>(&state, &key, own, 1 - side).is_none(), "{position:?}");
            key.restore(&mut restored, &state, &sums, side);
            check(&frame, &state, side, &restored, &format!("{position:?}"));
            restored_ones += 1;
        }
        cancelled += 1;
        several += u32::from(key.pairs > 1);
    }
    assert!(
        cancelled > 1_000 && several > 20 && restored_ones > 500,
        "{cancelled}, {several}, {restored_ones}"
    );
}

/// A certificate takes the place of those it includes, and of no others.
#[test]
fn the_table_keeps_no_certificate_that_another_includes() {
    let mut rng = rng(34);
    let position = random_position(&mut rng, 6);
    let mut frame = Frame::new();
    frame.admit(position.empty());
    let (state, key) = without_pairs(&frame, frame.state(&position, Target::new(0)));
    let mut table = Table::new(0);
    let open = (state.empty & !key.stale_cells & !key.dead[OTHER]).trailing_zeros();
    let own = [counts(state.hands[MOVER]), counts(state.hands[OTHER])];
    let of = |score: i32, winner: Counts| {
        let mut certificate = Certificate { winner, ..Certificate::NONE };
        certificate.require(open, score);
        certificate
    };
    let score = state.score(MOVER, open);
    // The only one that covers the state; the others ask for a better score, each for less than the one before.
    table.store::<Portable>(&key, MOVER, (0, 0), &of(score, own[MOVER]), 1);
    for more in (1..=3 * WAYS as i32).rev().map(|more| more.min(100 - score)) {
        table.store::<Portable>(&key, MOVER, (0, 0), &of(score + more, 0), 1);
        assert!(table.probe::<Portable>(&state, &key, own, MOVER).is_some(), "{more} more");
    }
}

/// What is kept is found, by its winner only; what the hands miss narrowly is a near miss, if its move is
/// legal; nothing is found after clearing.
#[test]
fn the_table_finds_what_it_keeps() {
    let mut rng = rng(25);
    let mut search = Search::new(1 << 20);
    let mut near_misses = 0;
    for round in 0..2_000 {
        // Without the tags of earlier rounds, by one of which something might seem to be known.
        let mut table = Table::new(1 << 16);
        let position = random_position(&mut rng, 4 + round % 3);
        let (state, side, certificate) = search.certified(&position, Target::new(0));
        let sums = Sums::of(state.hands);
        let key = Key::of(search.frame(), &state, dead::<Portable>(&state, &sums));
        // The table holds certificates for states without pairs.
        let stored = if key.pairs > 0 { None } else { key.strip(&certificate, &state, &sums, side) };
        let Some(mut stored) = stored else { continue };
        let own = [counts(state.hands[MOVER]), counts(state.hands[OTHER])];
        let stone = state.hands[MOVER].smallest().expect("a stone to play");
        let lane = state.empty.trailing_zeros();
        table.store::<Portable>(&key, side, (lane as u8, stone.value()), &stored, 1);
        let found = |table: &Table, winner| table.probe::<Portable>(&state, &key, own, winner).is_some();
        assert!(table.knows(key.hash, side) && !table.knows(key.hash, 1 - side), "{position:?}");
        assert!(found(&table, side) && !found(&table, 1 - side), "{position:?}");
        table.clear();
        assert!(!table.knows(key.hash, side));
        assert!(!found(&table, MOVER) && !found(&table, OTHER), "forgotten");
        if side == MOVER {
            let score = state.score(MOVER, lane);
            // More stones than the mover has, a better score than the cell's.
            for (stones, more, legal) in [
                (1, 0, true),
                (NEAR, 0, true),
                (NEAR + 1, 0, true),
                (NEAR_IN_ALL, 0, true),
                (NEAR_IN_ALL + 1, 0, true),
                (0, 1, true),
                (0, NEAR_IN_ALL, true),
                (0, NEAR_IN_ALL + 1, true),
                (NEAR, NEAR_IN_ALL - NEAR, true),
                (NEAR, NEAR_IN_ALL - NEAR + 1, true),
                (1, 0, false),
                (0, 1, false),
            ] {
                table.clear();
                stored.winner = own[MOVER] + (u64::from(stones) << 4);
                let mut certificate = stored;
                if more > 0 {
                    certificate.least.0[lane as usize] = (score + more as i32) as i8;
                }
                let value = if legal { stone.value() } else { stone.value() % 15 + 1 };
                let legal = Stone::new(value).is_some_and(|stone| state.hands[MOVER].contains(stone));
                table.store::<Portable>(&key, side, (lane as u8, value), &certificate, 1);
                assert!(!found(&table, side));
                let near = table.near_miss::<Portable>(&state, &key, own);
                let by_hands = more == 0 && stones <= NEAR;
                let expected = (stones + more <= NEAR_IN_ALL && legal).then_some((lane, value, by_hands));
                let near = near.map(|near| (near.lane, near.stone.value(), near.by_hands));
                assert_eq!(near, expected, "{position:?}, {stones} stones, {more} more");
                near_misses += u32::from(near.is_some());
                // One that only the hands miss comes first, narrow or not.
                stored.winner = own[MOVER] + (u64::from(NEAR) << 4);
                table.store::<Portable>(&key, side, (lane as u8, stone.value()), &stored, 1);
                let near = table.near_miss::<Portable>(&state, &key, own).expect("by the hands only");
                assert!(near.by_hands, "{position:?}");
            }
            table.clear();
        }
    }
    assert!(near_misses > 500, "{near_misses}");
}
