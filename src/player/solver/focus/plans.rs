//! Wins by focus on three cells and more: the sets to try, W's plan for each, and the recursion of the text of
//! [`focus`](super).

use crate::player::simd::{Simd, dispatch};
use crate::player::solver::state::lanes;
use crate::player::solver::tuning::FOCUS_PLAN;

use super::{Candidate, Cells, Game, MOST, Proof};

/// The places of kept cells, in arrays.
const PLACES: usize = 8;

/// The most cells of O: W has a stone for each.
const OTHERS: usize = 15;

/// Kept cells and the plan around them, `n` <= [`MOST`].
struct Plan {
    /// Which of the kept cells are next to each, as bits of their places.
    adjacent: [u8; PLACES],
    /// The cells of O next to kept cells, in the order in which W fills them: their kept neighbours as bits,
    /// and the stone planned.
    order: [(u8, u8); OTHERS],
    count: usize,
    /// Those next to two kept cells or more, as bits of their numbers in order.
    shared: u32,
}

impl Plan {
    #[inline(always)]
    fn new(adjacent: [u8; PLACES]) -> Plan {
        Plan { adjacent, order: [(0, 0); OTHERS], count: 0, shared: 0 }
    }

    #[inline(always)]
    fn add(&mut self, near: u8, stone: u8) {
        self.shared |= u32::from(near & near.wrapping_sub(1) != 0) << self.count;
        self.order[self.count] = (near, stone);
        self.count += 1;
    }
}

/// Where a branch stands.
#[derive(Clone, Copy)]
struct Branch {
    /// By how much every kept cell suits W with the planned stones.
    margin: [i16; PLACES],
    /// How many of X's stones lie or may come to lie next to it: neighbours in D, those X took, and kept
    /// ones, which X may take.
    taken: [u8; PLACES],
}

impl Branch {
    /// Let X take a cell next to a kept one for which W had planned `stone`.
    #[inline(always)]
    fn lose(&mut self, game: &Game, place: usize, stone: i16) {
        let taken = u32::from(self.taken[place]);
        self.margin[place] -= stone + (game.enemy(taken + 1) - game.enemy(taken)) as i16;
        self.taken[place] += 1;
    }

    /// Let W fill a cell next to a kept one with `stone` that X might have taken.
    #[inline(always)]
    fn gain(&mut self, game: &Game, place: usize, stone: i16) {
        let taken = u32::from(self.taken[place]);
        self.margin[place] += stone + (game.enemy(taken) - game.enemy(taken - 1)) as i16;
        self.taken[place] -= 1;
    }
}

/// What the branches of a proof need.
#[derive(Clone, Copy)]
struct Used {
    /// The least margin of every kept cell.
    slack: [i16; PLACES],
    /// How many of W's largest stones are planned.
    stones: u32,
}

/// Try sets of `n` candidates (n = 4 to `MOST`), with the cells first that suit W best.
#[inline(always)]
pub(super) fn several<S: Simd>(game: &Game, cells: &Cells<S>, n: u32, tries: u32) -> Option<Proof> {
    // A cell with too few partners is in no set of n; nor are those that were its partners, without it.
    let (partners, usable) = cells.all_partners(game, n - 1);
    let count = usable.count_ones() as usize;
    let n = n as usize;
    if count < n {
        return None;
    }
    let mut known = [NO_CELL; 32];
    let mut order = [0u32; 32];
    for (place, lane) in order.iter_mut().zip(lanes(usable)) {
        let cell = game.candidate(lane);
        known[lane as usize & 31] = cell;
        // One number to compare: the margin of a candidate is not negative.
        *place = (game.margin(&cell) as u32) << 5 | lane;
    }
    let order = &mut order[..count];
    order.sort_unstable();
    let crowded = cells.crowded(game);
    let mut tried = 0u32;
    // For each depth, the candidates still to try there, partners of all before; how many in order are left to look
    // at; and the set before one of them joins.
    let mut rest = [0u32; MOST];
    let mut left = [0; MOST];
    let mut sets = [0u32; MOST];
    rest[0] = usable;
    left[0] = count;
    let mut depth = 0;
    loop {
        let missing = n - 1 - depth;
        if (rest[depth].count_ones() as usize) <= missing {
            if depth == 0 {
                return None;
            }
            depth -= 1;
            continue;
        }
        left[depth] -= 1;
        let lane = order[left[depth]] & 31;
        if rest[depth] >> lane & 1 == 0 {
            continue;
        }
        rest[depth] &= !(1 << lane);
        let further = rest[depth] & partners[lane as usize];
        if (further.count_ones() as usize) < missing {
            continue;
        }
        let set = sets[depth] | 1 << lane;
        if depth >= 2 {
            tried += 1;
            if tried > tries {
                return None;
            }
            if is_hopeless(&known, &crowded, set) {
                continue;
            }
        }
        if missing == 0 {
            let mut picked = [NO_CELL; MOST];
            for (picked, lane) in picked.iter_mut().zip(lanes(set)) {
                *picked = known[lane as usize & 31];
            }
            if let Some(proof) = plan(game, &picked[..n], set) {
                return Some(proof);
            }
            tried += FOCUS_PLAN;
        } else {
            depth += 1;
            rest[depth] = further;
            left[depth] = left[depth - 1];
            sets[depth] = set;
        }
    }
}

/// Tell whether no plan can do for a set of cells, nor for a larger one; see [`Cells::crowded`].
///
/// Each cell must suit W when it has W's largest stones to itself and X takes the others. If it then does no more
/// once X has taken one of O next to it as well, it is *tight*; and if X takes a cell of O next to two tight ones
/// that are not neighbours, and before that all others of the set, W can fill only one of the two.
#[inline(always)]
fn is_hopeless(known: &[Candidate; 32], crowded: &[u32; 8], set: u32) -> bool {
    let mut tight = 0u32;
    for lane in lanes(set) {
        let beside = (known[lane as usize & 31].open & set).count_ones() as usize;
        if crowded[beside & 7] >> lane & 1 != 0 {
            return true;
        }
        tight |= crowded[(beside + 1) & 7] & 1 << lane;
    }
    // Cells of O next to tight ones so far.
    let mut near = 0;
    for lane in lanes(tight) {
        let all = known[lane as usize & 31].open;
        let open = all & !set;
        if open & near != 0 {
            for other in lanes(tight & !all & ((1 << lane) - 1)) {
                if known[other as usize & 31].open & open != 0 {
                    return true;
                }
            }
        }
        near |= open;
    }
    false
}

/// No candidate.
const NO_CELL: Candidate = Candidate { lane: 0, score: 0, open: 0, inside: 0 };

/// Prove that W wins by keeping a set of three cells or more, if a plan is found that does it.
#[inline(always)]
pub(super) fn plan(game: &Game, picked: &[Candidate], set: u32) -> Option<Proof> {
    plan_after::<true>(game, picked, set)
}

/// Do as [`plan`]; without a look at every two of the cells beforehand if `LOOK` is false.
#[inline(always)]
fn plan_after<const LOOK: bool>(game: &Game, picked: &[Candidate], set: u32) -> Option<Proof> {
    let n = picked.len();
    let mut plan = Plan::new([0; PLACES]);
    let mut branch = Branch { margin: [0; PLACES], taken: [0; PLACES] };
    let mut slots = [0; PLACES];
    // The cells of O next to so many kept cells or more.
    let mut levels = [0u32; PLACES];
    let mut lacking = 0;
    for (i, cell) in picked.iter().enumerate() {
        let taken = cell.inside + (cell.open & set).count_ones();
        let margin = cell.score - game.enemy(taken);
        branch.taken[i] = taken as u8;
        branch.margin[i] = margin as i16;
        lacking -= margin;
        let open = cell.open & !set;
        slots[i] = open.count_ones();
        for level in (1..=i).rev() {
            levels[level] |= levels[level - 1] & open;
        }
        levels[0] |= open;
    }
    // The most that stones can add to all margins together.
    for level in &levels[..n] {
        lacking -= game.own(level.count_ones());
    }
    if lacking > 0 {
        return None;
    }
    if LOOK && two_lack(game, picked, set, &branch) {
        return None;
    }
    let mut near = [0u8; 32];
    for (i, cell) in picked.iter().enumerate() {
        for lane in lanes(cell.open & !set) {
            near[lane as usize & 31] |= 1 << i;
        }
    }
    let mut cells = [0u8; OTHERS];
    let mut count = 0;
    for lane in lanes(levels[0]) {
        cells[count] = near[lane as usize & 31];
        count += 1;
    }
    let mut used = Used { slack: [i16::MAX; PLACES], stones: 0 };
    let all = (1u8 << n) - 1;
    if !assign(game, &mut plan, &mut branch, &mut cells[..count], &mut slots, all, &mut used) {
        return None;
    }
    for (i, cell) in picked.iter().enumerate() {
        for (j, other) in picked.iter().enumerate() {
            plan.adjacent[i] |= u8::from(cell.open >> other.lane & 1 != 0) << j;
        }
    }
    if !ok(game, &plan, &branch, all, plan.shared, true, &mut used) {
        return None;
    }
    let mut kept = [(0, 0); MOST];
    for (i, cell) in picked.iter().enumerate() {
        debug_assert!(used.slack[i] >= 0 && used.slack[i] < i16::MAX);
        kept[i] = (cell.lane, cell.score - i32::from(used.slack[i]));
    }
    Some(Proof::new(&kept[..n], used.stones))
}

/// Tell whether there are two cells that together lack more than stones can add to both.
#[inline(always)]
fn two_lack(game: &Game, picked: &[Candidate], set: u32, branch: &Branch) -> bool {
    for i in 1..picked.len() {
        for j in 0..i {
            let (open, other) = (picked[i].open & !set, picked[j].open & !set);
            let most = game.own((open & other).count_ones()) + game.own((open | other).count_ones());
            if i32::from(branch.margin[i]) + i32::from(branch.margin[j]) + most < 0 {
                return true;
            }
        }
    }
    false
}

/// Add cells of O to a plan, given by their kept neighbours: W's next stones in order of size, each on the cell
/// where most is lacking a stone. `slots` are the numbers of these cells next to each kept one. False if one of the
/// cells `kept` then does not suit W; else their margins are noted.
#[inline(always)]
fn assign(
    game: &Game,
    plan: &mut Plan,
    branch: &mut Branch,
    cells: &mut [u8],
    slots: &mut [u32; PLACES],
    kept: u8,
    used: &mut Used,
) -> bool {
    let mut stones = plan.count as u32;
    let mut left = cells.len();
    loop {
        // What each kept cell lacks, as a share of the cells that can give it.
        let mut urgency = [0u32; PLACES];
        for i in places(kept) {
            let lacking = -i32::from(branch.margin[i]);
            if lacking > game.own(stones + slots[i]) - game.own(stones) {
                return false;
            }
            urgency[i] = lacking.max(0) as u32 * SHARE[slots[i] as usize & 7] + 1;
        }
        if left == 0 {
            break;
        }
        let (mut most, mut greatest) = (0, 0);
        for (i, &near) in cells[..left].iter().enumerate() {
            let mut urgent = 0;
            for place in places(near) {
                urgent += urgency[place];
            }
            if urgent >= greatest {
                (most, greatest) = (i, urgent);
            }
        }
        let stone = game.own(stones + 1) - game.own(stones);
        let near = cells[most];
        for i in places(near) {
            branch.margin[i] += stone as i16;
            slots[i] -= 1;
        }
        plan.add(near, stone as u8);
        stones += 1;
        left -= 1;
        cells[most] = cells[left];
    }
    used.stones = used.stones.max(stones);
    for i in places(kept) {
        used.slack[i] = used.slack[i].min(branch.margin[i]);
    }
    true
}

/// A share of one in so many, in 1/840; at most six neighbours.
const SHARE: [u32; 8] = [0, 840, 420, 280, 210, 168, 140, 120];

/// List the places of a set of them.
#[inline(always)]
fn places(set: u8) -> impl Iterator<Item = usize> {
    lanes(u32::from(set)).map(|place| place as usize & (PLACES - 1))
}

dispatch! {
    /// The recursion of the module's text, for the kept cells `alive` and the shared cells `left`, with every
    /// kept cell's margin found to be at least 0 already; adds what the branches used need, if it holds. `anew`
    /// tells whether W may plan anew.
    ///
    /// By taking kept cells X changes no other's margin: what it may take is counted as taken. So X's taking
    /// kept cells matters only before X takes a shared cell o, by leaving W fewer cells s to fill: for every set
    /// A of kept cells with two neighbours of o or more there must be an s in A with `ok(A - s)`. An s that
    /// answers for A answers for each smaller set it belongs to, as `ok(A - s)` covers X's taking the others. So
    /// what is left to answer is A - s, until o has one neighbour.
    fn ok<'a>(game: &'a Game<'a>, plan: &'a Plan, branch: &'a Branch, alive: u8, left: u32, anew: bool,
        used: &'a mut Used) -> bool = ok_body
}

#[allow(clippy::extra_unused_type_parameters)] // `L` tells the compiler which instructions to use
#[inline(always)]
fn ok_body<S: Simd>(
    game: &Game,
    plan: &Plan,
    branch: &Branch,
    alive: u8,
    left: u32,
    anew: bool,
    used: &mut Used,
) -> bool {
    for o in lanes(left) {
        let near = plan.order[o as usize & 15].0;
        let mut among = alive;
        while SMALL_COUNT[usize::from(near & among)] >= 2 {
            let mut filled = answer(game, plan, branch, among, left, o, used);
            if filled.is_none() && anew {
                filled = answer_anew(game, plan, branch, among, o, used);
            }
            let Some(filled) = filled else { return false };
            among &= !(1 << filled);
        }
    }
    true
}

/// Return the place of a kept cell of `among` that W may fill when X takes the shared cell `o`, going on as
/// planned, if there is one; adds what that needs.
#[inline(always)]
fn answer(
    game: &Game,
    plan: &Plan,
    branch: &Branch,
    among: u8,
    left: u32,
    o: u32,
    used: &mut Used,
) -> Option<usize> {
    let (near, stone) = plan.order[o as usize & 15];
    let stone = i16::from(stone);
    'places: for filled in places(among & near).chain(places(among & !near)) {
        let rest = among & !(1 << filled);
        // Next to both cells, nothing changes: the stone comes all the same, and X's by one move earlier.
        let worse = near & !plan.adjacent[filled] & rest;
        let mut trial = *used;
        let mut next = *branch;
        for i in places(worse) {
            next.lose(game, i, stone);
            if next.margin[i] < 0 {
                continue 'places;
            }
            trial.slack[i] = trial.slack[i].min(next.margin[i]);
        }
        if rest & (rest - 1) != 0 {
            for i in places(plan.adjacent[filled] & !near & rest) {
                next.gain(game, i, stone);
            }
            if !ok(game, plan, &next, rest, left & !(1 << o), false, &mut trial) {
                continue;
            }
        }
        *used = trial;
        return Some(filled);
    }
    None
}

/// Do as [`answer`] with a new plan for what comes after `o` in the order: from there on the stones are as if
/// none had been planned, with that for `o` among them, and the cell to fill is among the others.
#[inline(always)]
fn answer_anew(
    game: &Game,
    plan: &Plan,
    branch: &Branch,
    among: u8,
    o: u32,
    used: &mut Used,
) -> Option<usize> {
    let (before, after) = plan.order[..plan.count].split_at(o as usize);
    let (&(near_o, _), after) = after.split_first()?;
    // Without the stones from that for `o` on.
    let mut base = *branch;
    for &(near, stone) in &plan.order[before.len()..plan.count] {
        for i in places(near) {
            base.margin[i] -= i16::from(stone);
        }
    }
    for filled in places(among & near_o).chain(places(among & !near_o)) {
        let rest = among & !(1 << filled);
        let mut next = base;
        let beside = plan.adjacent[filled];
        places(near_o & !beside & rest).for_each(|i| next.lose(game, i, 0));
        places(beside & !near_o & rest).for_each(|i| next.gain(game, i, 0));
        let mut new = Plan::new(plan.adjacent);
        for &(near, stone) in before {
            new.add(near & rest, stone);
        }
        let mut cells = [0u8; OTHERS];
        let mut slots = [0; PLACES];
        let mut count = 0;
        for near in after.iter().map(|cell| cell.0).chain([plan.adjacent[filled]]) {
            let near = near & rest;
            if near != 0 {
                cells[count] = near;
                count += 1;
                places(near).for_each(|i| slots[i] += 1);
            }
        }
        let mut trial = *used;
        if assign(game, &mut new, &mut next, &mut cells[..count], &mut slots, rest, &mut trial)
            && (rest & (rest - 1) == 0 || ok(game, &new, &next, rest, new.shared, false, &mut trial))
        {
            *used = trial;
            return Some(filled);
        }
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

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand::seq::SliceRandom;

    use super::*;
    use crate::player::alpha::Target;
    use crate::player::simd::Portable;
    use crate::player::solver::state::{Frame, Sums};
    use crate::player::solver::tests::{random_position, rng};

    /// A set left out that has a plan would cost wins at sight, and no answer would be wrong.
    #[test]
    fn no_set_that_is_left_out_has_a_plan() {
        let mut rng = rng(43);
        let (mut hopeless, mut lacking, mut planned) = (0, 0, 0);
        for round in 0..40_000 {
            let position = random_position(&mut rng, 9 + round % 7);
            let mut frame = Frame::new();
            frame.admit(position.empty());
            let state = frame.state(&position, Target::new([-9, -4, 0, 4, 9][round % 5]));
            let sums = Sums::of(state.hands);
            let side = round & 1;
            let (own, enemy) = (&sums.top[side], &sums.top[1 - side]);
            let kept = state.empty & rng.random::<u32>() & rng.random::<u32>();
            let game = Game { frame: &frame, state: &state, side, kept, own, enemy };
            let cells = Cells::<Portable>::of(&game);
            let mut candidates: Vec<u32> = lanes(cells.suit).collect();
            candidates.shuffle(&mut rng);
            candidates.truncate(3 + round % 3);
            if candidates.len() < 3 {
                continue;
            }
            let set = candidates.iter().fold(0, |set, lane| set | 1 << lane);
            let picked: Vec<Candidate> = lanes(set).map(|lane| game.candidate(lane)).collect();
            let mut known = [NO_CELL; 32];
            picked.iter().for_each(|cell| known[cell.lane as usize] = *cell);
            let leaves_out = is_hopeless(&known, &cells.crowded(&game), set);
            let proof = plan_after::<false>(&game, &picked, set).is_some();
            let looked = plan_after::<true>(&game, &picked, set).is_some();
            assert!(!(proof && leaves_out), "{position:?}, {picked:?}");
            assert_eq!(proof, looked, "{position:?}, {picked:?}");
            hopeless += u32::from(leaves_out);
            let mut branch = Branch { margin: [0; PLACES], taken: [0; PLACES] };
            for (margin, cell) in branch.margin.iter_mut().zip(&picked) {
                let taken = cell.inside + (cell.open & set).count_ones();
                *margin = (cell.score - game.enemy(taken)) as i16;
            }
            lacking += u32::from(two_lack(&game, &picked, set, &branch));
            planned += u32::from(proof);
        }
        assert!(hopeless > 1_000 && lacking > 100 && planned > 1_000, "{hopeless}, {lacking}, {planned}");
    }
}
