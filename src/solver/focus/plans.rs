//! Wins by focus on four cells and more: the sets to try, and the recursion of the text of
//! [`focus`](super) for each.

use crate::lanes::Lanes;
use crate::solver::state::lanes;

use super::{Candidate, Cells, Game, MOST, Proof};

/// The places of kept cells, in arrays.
const PLACES: usize = 8;

/// Kept cells and the plan around them, `n` <= [`MOST`].
struct Plan {
    /// Which of the kept cells are next to each, as bits of their places.
    adjacent: [u8; PLACES],
    /// Cells of O next to two kept cells or more: their kept neighbours as bits, and the stone planned.
    shared: [(u8, u8); 32],
    shared_count: usize,
}

/// Where a branch stands.
#[derive(Clone, Copy)]
struct Branch {
    /// The score of every kept cell with the planned stones.
    score: [i16; PLACES],
    /// How many of X's stones lie or may come to lie next to it: neighbours in D, those X took, and kept
    /// ones, which X may take.
    taken: [u8; PLACES],
}

/// Try sets of `n` candidates (n = 4 to `MOST`), the highest lanes first.
#[inline(always)]
pub(super) fn several<L: Lanes>(game: &Game, cells: &Cells<L>, n: u32, tries: u32) -> Option<Proof> {
    // A cell with too few partners is in no set of n; nor are those that were its partners, without it.
    let (partners, usable) = cells.all_partners(game, n - 1);
    if usable.count_ones() < n {
        return None;
    }
    let n = n as usize;
    let mut picked = [Candidate { lane: 0, score: 0, open: 0, inside: 0 }; MOST];
    let mut sets = [0u32; MOST + 1];
    let mut tried = 0u32;
    // For each depth, the candidates still to try there: lower than the one before, partners of all.
    let mut rest = [0u32; MOST];
    rest[0] = usable;
    let mut depth = 0;
    loop {
        let Some(lane) = rest[depth].checked_ilog2() else {
            if depth == 0 {
                return None;
            }
            depth -= 1;
            continue;
        };
        rest[depth] &= !(1 << lane);
        picked[depth] = game.candidate(lane);
        let set = sets[depth] | 1 << lane;
        if depth >= 2 {
            tried += 1;
            if tried > tries {
                return None;
            }
            if !alone(game, &picked[..=depth], set) {
                continue;
            }
        }
        if depth + 1 == n {
            if let Some(proof) = plan(game, &picked[..n], set) {
                return Some(proof);
            }
        } else {
            rest[depth + 1] = rest[depth] & partners[lane as usize & 31];
            sets[depth + 1] = set;
            depth += 1;
        }
    }
}

/// Tell whether each cell of a set suits W when it has W's largest stones to itself and X takes the others:
/// if not, it does not in a larger set either.
#[inline(always)]
fn alone(game: &Game, picked: &[Candidate], set: u32) -> bool {
    picked.iter().all(|cell| {
        let beside = (cell.open & set).count_ones();
        let open = cell.open.count_ones() - beside;
        cell.score + game.own(open) >= game.enemy(cell.inside + beside)
    })
}

#[inline(always)]
fn plan(game: &Game, picked: &[Candidate], set: u32) -> Option<Proof> {
    let n = picked.len();
    let mut plan = Plan { adjacent: [0; PLACES], shared: [(0, 0); 32], shared_count: 0 };
    let mut branch = Branch { score: [0; PLACES], taken: [0; PLACES] };
    let (mut once, mut twice, mut thrice) = (0u32, 0u32, 0u32);
    for (i, cell) in picked.iter().enumerate() {
        branch.score[i] = cell.score as i16;
        branch.taken[i] = (cell.inside + (cell.open & set).count_ones()) as u8;
        let open = cell.open & !set;
        thrice |= twice & open;
        twice |= once & open;
        once |= open;
    }
    // The largest stones go where they count most often.
    let mut used = 0;
    for lane in lanes(thrice).chain(lanes(twice & !thrice)) {
        let stone = game.own(used + 1) - game.own(used);
        used += 1;
        let mut near = 0u8;
        for (i, cell) in picked.iter().enumerate() {
            if cell.open >> lane & 1 != 0 {
                near |= 1 << i;
                branch.score[i] += stone as i16;
            }
        }
        plan.shared[plan.shared_count] = (near, stone as u8);
        plan.shared_count += 1;
    }
    // The next go to the cells with one kept neighbour, the neediest first.
    let margin = |branch: &Branch, i: usize| branch.score[i] - game.enemy(u32::from(branch.taken[i])) as i16;
    let all = (1u8 << n) - 1;
    let mut slack = [i16::MAX; PLACES];
    let mut waiting = all;
    while waiting != 0 {
        let neediest = places(waiting).min_by_key(|&i| margin(&branch, i)).expect("one is waiting");
        waiting &= !(1 << neediest);
        let alone = (picked[neediest].open & !set & !twice).count_ones();
        branch.score[neediest] += (game.own(used + alone) - game.own(used)) as i16;
        used += alone;
        // X may take all the others.
        slack[neediest] = margin(&branch, neediest);
        if slack[neediest] < 0 {
            return None;
        }
    }
    for (i, cell) in picked.iter().enumerate() {
        for (j, other) in picked.iter().enumerate() {
            plan.adjacent[i] |= u8::from(cell.open >> other.lane & 1 != 0) << j;
        }
    }
    if !ok(game, &plan, &branch, all, (1 << plan.shared_count) - 1, &mut slack) {
        return None;
    }
    let mut cells = [(0, 0); MOST];
    for (i, cell) in picked.iter().enumerate() {
        debug_assert!(slack[i] >= 0 && slack[i] < i16::MAX);
        cells[i] = (cell.lane, cell.score - i32::from(slack[i]));
    }
    Some(Proof::new(&cells[..n], used))
}

/// List the places of a set of them.
#[inline(always)]
fn places(set: u8) -> impl Iterator<Item = usize> {
    lanes(u32::from(set)).map(|place| place as usize)
}

/// The recursion of the module's text, for the kept cells `alive` and the shared cells `left`, with every
/// kept cell's margin found to be at least 0 already; lowers `slack` to the margins of the branches used, if
/// it holds.
///
/// By taking kept cells X changes no other's margin: what it may take is counted as taken. So X's taking
/// kept cells matters only before X takes a shared cell o, by leaving W fewer cells s to fill: for every set
/// A of kept cells with two neighbours of o or more there must be an s in A with `ok(A - s)`. An s that
/// answers for A answers for each smaller set it belongs to, as `ok(A - s)` covers X's taking the others. So
/// what is left to answer is A - s, until o has one neighbour.
fn ok(game: &Game, plan: &Plan, branch: &Branch, alive: u8, left: u32, slack: &mut [i16; PLACES]) -> bool {
    for o in lanes(left) {
        let near = plan.shared[(o & 31) as usize].0;
        let mut among = alive;
        while SMALL_COUNT[usize::from(near & among)] >= 2 {
            let Some(filled) = answer(game, plan, branch, among, left, o, slack) else { return false };
            among &= !(1 << filled);
        }
    }
    true
}

/// Return the place of a kept cell of `among` that W may fill when X takes the shared cell `o`, if there is
/// one; lowers `slack` as [`ok`] does.
#[inline(always)]
fn answer(
    game: &Game,
    plan: &Plan,
    branch: &Branch,
    among: u8,
    left: u32,
    o: u32,
    slack: &mut [i16; PLACES],
) -> Option<usize> {
    let (near, stone) = plan.shared[(o & 31) as usize];
    let stone = i16::from(stone);
    'places: for filled in places(among & near).chain(places(among & !near)) {
        let rest = among & !(1 << filled);
        // Next to both cells, nothing changes: the stone comes all the same, and X's by one move earlier.
        let worse = near & !plan.adjacent[filled] & rest;
        let mut trial = *slack;
        let mut next = *branch;
        for i in places(worse) {
            next.score[i] -= stone;
            next.taken[i] += 1;
            let margin = next.score[i] - game.enemy(u32::from(next.taken[i])) as i16;
            if margin < 0 {
                continue 'places;
            }
            trial[i] = trial[i].min(margin);
        }
        if rest & (rest - 1) != 0 {
            for i in places(plan.adjacent[filled] & !near & rest) {
                next.score[i] += stone;
                next.taken[i] -= 1;
            }
            if !ok(game, plan, &next, rest, left & !(1 << o), &mut trial) {
                continue;
            }
        }
        *slack = trial;
        return Some(filled);
    }
    None
}

/// Numbers of bits.
const SMALL_COUNT: [u8; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < table.len() {
        table[i] = (i as u32).count_ones() as u8;
        i += 1;
    }
    table
};
