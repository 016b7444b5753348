//! Looks at the moves of a node that need no search: each may end the node with a win, or leave moves out.

use super::outcome::win;
use super::*;

/// Try the moves that won last at this ply, before any other is looked at.
#[inline(always)]
pub(super) fn try_hints<L: Path>(search: &mut Search, node: &Node, result: &mut Certificate) -> bool {
    for (slot, up_to) in HINT_FOCUS_UP_TO.into_iter().enumerate() {
        let (lane, v) = search.plies[node.ply].hints[slot];
        let stone = Stone::new(v).filter(|&stone| node.state.hands[MOVER].contains(stone));
        let Some(stone) = stone.filter(|_| node.state.empty >> lane & 1 != 0) else { continue };
        let child = node.state.after(&search.frame, u32::from(lane), stone);
        let after = Sums::of(child.hands);
        search.nodes += 1;
        let counted = count::<L>(&search.frame, &child, &after);
        if counted.winner == Some(MOVER) {
            continue;
        }
        let key = Key::of(&search.frame, &child, counted.dead);
        search.table.fetch(key.hash);
        let most = deep_focus(&counted, OTHER, up_to);
        let focused = focuses::<L>(&search.frame, &child, &after, &counted, OTHER, 1..=most);
        if counted.winner == Some(OTHER) || focused.is_some() {
            *result = certify(&search.frame, &child, &after, OTHER, focused.as_ref());
        } else if !proven::<L>(search, &child, &after, &key, result) {
            continue;
        }
        return win::<L>(search, node, result, u32::from(lane), v);
    }
    false
}

/// First look: dead cells after every move, wins by counting, stone dominance. Tells whether the mover wins.
#[inline(always)]
pub(super) fn count_all<L: Path>(
    search: &mut Search,
    node: &Node,
    verdict: &Verdict,
    moves: &mut Moves,
    result: &mut Certificate,
) -> bool {
    let &Node { state, ply, .. } = node;
    let hand = state.hands[MOVER];
    let mut smaller = 0usize;
    for stone in hand.iter() {
        let v = stone.value();
        let after = Sums::of([state.hands[OTHER], hand.without(stone)]);
        search.plies[ply].sums[v as usize & 15] = after;
        let wins_with = after.count[MOVER] as u32;
        let loses_with = after.count[OTHER] as u32;
        for lane in lanes(moves.cells.played) {
            if moves.refuted[lane as usize] >> v & 1 != 0 {
                moves.worth[lane as usize] &= !(1 << v);
                continue;
            }
            let child = state.after(&search.frame, lane, stone);
            let dead = dead_after::<L>(&child, &after);
            search.nodes += 1;
            if dead[MOVER].count_ones() > wins_with {
                *result = certify(&search.frame, &child, &after, OTHER, None);
                return win::<L>(search, node, result, lane, v);
            }
            let slot = &mut search.plies[ply].dead;
            slot[v as usize][lane as usize] = dead;
            let out = frame_near(&search.frame, lane) & node.undecided;
            // One that is refuted already has not been judged.
            if smaller > 0 && moves.refuted[lane as usize] >> smaller & 1 == 0 {
                let open = out & !slot[smaller][lane as usize][MOVER];
                if open & !dead[OTHER] == 0 {
                    search.plies[ply].left_out[moves.left_out] = LeftOut { stone: v, lost: open };
                    moves.left_out += 1;
                    moves.relied |= frame_near(&search.frame, lane) & verdict.dead[OTHER];
                    moves.worth[lane as usize] &= !(1 << v);
                    continue;
                }
            }
            if dead[OTHER].count_ones() > loses_with {
                moves.lost[lane as usize] |= 1 << v;
                moves.worth[lane as usize] &= !(1 << v);
            }
        }
        smaller = v as usize;
    }
    false
}

/// Second look, at what is left: refined count, focus, rating; large stones first. Lists the moves to
/// search in the ply. Tells whether the mover wins.
#[inline(always)]
pub(super) fn judge_all<L: Path>(
    search: &mut Search,
    node: &Node,
    moves: &mut Moves,
    result: &mut Certificate,
) -> bool {
    let &Node { state, ply, undecided, .. } = node;
    let hand = state.hands[MOVER];
    let mut rest = hand;
    while let Some(stone) = rest.largest() {
        rest = rest.without(stone);
        let v = stone.value();
        let after = search.plies[ply].sums[v as usize & 15];
        let scales = Scales::of(&after);
        for lane in lanes(moves.cells.played) {
            if moves.worth[lane as usize] >> v & 1 == 0 {
                continue;
            }
            let child = state.after(&search.frame, lane, stone);
            let judged = count::<L>(&search.frame, &child, &after);
            let mut winner = judged.winner;
            let mut focused = None;
            for side in [MOVER, OTHER] {
                let needs = 1..=if side == MOVER { FOCUS_UP_TO } else { OWN_FOCUS_UP_TO };
                if winner.is_none() {
                    focused = focuses::<L>(&search.frame, &child, &after, &judged, side, needs);
                    winner = focused.is_some().then_some(side);
                }
            }
            match winner {
                Some(OTHER) => {
                    *result = certify(&search.frame, &child, &after, OTHER, focused.as_ref());
                    return win::<L>(search, node, result, lane, v);
                }
                Some(_) => moves.lost[lane as usize] |= 1 << v,
                None => {
                    let influence = (frame_near(&search.frame, lane) & undecided).count_ones() as i32;
                    let key = Key::of(&search.frame, &child, judged.dead);
                    let hash = key.hash;
                    let (stale, value) = (key.stale_cells, i32::from(v));
                    let rating = rate::<L>(&search.frame, &child, &judged, &scales, stale, value, influence);
                    search.table.fetch(hash);
                    let theirs = after.count[OTHER] + 1 - judged.dead[MOVER].count_ones() as i32;
                    let own = after.count[MOVER] + 1 - judged.dead[OTHER].count_ones() as i32;
                    let deeper = own > OWN_FOCUS_UP_TO && own <= GLANCE_FOCUS_UP_TO.min(theirs + 1);
                    search.plies[ply].open[moves.open] =
                        Listed { rating, lane: lane as u8, stone: v, deeper, looked: Looked::Judged, hash };
                    moves.open += 1;
                }
            }
        }
    }
    false
}

/// Look at every open child once more before searching any: in the table, and for a focus of the mover on
/// more cells than was tried at first. Tells whether the mover wins.
#[inline(always)]
pub(super) fn glance<L: Path>(
    search: &mut Search,
    node: &Node,
    open: usize,
    result: &mut Certificate,
) -> bool {
    for i in 0..open {
        let Listed { lane, stone: v, deeper, hash, .. } = search.plies[node.ply].open[i];
        let deeper = deeper && i < FOCUSED;
        if deeper {
            search.plies[node.ply].open[i].looked = Looked::Deeper;
        }
        let known = search.table.knows(hash, OTHER);
        if !deeper && !known {
            continue;
        }
        let stone = Stone::new(v).expect("a listed stone");
        let child = node.state.after(&search.frame, u32::from(lane), stone);
        let after = search.plies[node.ply].sums[v as usize & 15];
        let dead = dead::<L>(&child, &after);
        let proven = known && {
            let key = Key::of(&search.frame, &child, dead);
            proven::<L>(search, &child, &after, &key, result)
        };
        if !proven {
            if !deeper {
                continue;
            }
            let need = after.count[MOVER] + 1 - dead[OTHER].count_ones() as i32;
            let (frame, tries) = (&search.frame, FOCUS_GLANCE_SETS);
            let focused = focus::prove::<L>(frame, &child, &after, OTHER, dead[OTHER], need, tries);
            if focused.is_none() {
                continue;
            }
            *result = certify(frame, &child, &after, OTHER, focused.as_ref());
        }
        return win::<L>(search, node, result, u32::from(lane), v);
    }
    false
}

/// Tell whether the table knows a child as won by the side that has just moved, with the certificate.
#[inline(always)]
pub(super) fn proven<L: Path>(
    search: &Search,
    child: &State,
    after: &Sums,
    key: &Key,
    result: &mut Certificate,
) -> bool {
    let child_counts = [counts(child.hands[MOVER]), counts(child.hands[OTHER])];
    let found = search.table.probe::<L>(child, key, child_counts, OTHER);
    let Some(certificate) = found else { return false };
    *result = certificate;
    key.restore(result, child, after, OTHER);
    true
}
