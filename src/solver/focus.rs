//! Focus: wins with n cells missing (n >= 1) that need no search, because W can keep n free cells as well.
//!
//! Notation of [`verdict`](super::verdict): W keeps off D; n = x + 1 - |D| cells are missing; there are w + n
//! cells outside D. W chooses n of them to keep, F; the others, O, are exactly as many as W has stones. W
//! plans a stone for every cell of O and plays as planned, with two exceptions. So long as X plays in D,
//! |D| and x fall together and nothing changes.
//!
//! - When X takes a cell g of F, F without g and n - 1 are as before, with one more stone of X next to g's
//!   neighbours.
//! - When X takes a cell o of O, W's stone planned for it is over: W puts it at once on some s of F. Then F
//!   without s and n - 1 are as before, with o X's and s W's. If o is next to at most one cell of F, W takes
//!   s = that cell (or any): what remains of F is no worse than if X had taken s.
//!
//! When F is empty, |D| > x and W has won. When F is one cell f and X plays on in D only, f is the hole: D
//! is X's, O is W's as planned, so f must suit W with X's best stones on its neighbours in D and on those X
//! took. So, with `ok(F)` for "W wins from here",
//!
//! - `ok({f})`: f's score with all planned stones, less X's largest stones, one for every neighbour of f
//!   in D or taken by X, is at least 0;
//! - `ok(F)`: `ok(F - g)` after X took g, for every g of F; and for every o of O next to two cells of F or
//!   more, there is an s with `ok(F - s)` after X took o and W filled s.
//!
//! It does not matter who is to move: all of it answers X's moves. For n = 2 W plans better: it fills the
//! common neighbours of both kept cells first, largest stones first, so that when X takes one of them W has
//! played on no other cell and can plan anew for the cell it goes on keeping.
//!
//! The certificate: D as in the verdict, every cell of F with its score less the least margin by which it
//! passed in the branches used, and the largest stones of W's hand, as many as were planned next to F.

use crate::lanes::{Lanes, dispatch};

use super::state::{Frame, State, Sums, lanes, sum};
use super::tuning::{FOCUS_CANDIDATES, FOCUS_PLANS};

/// The most cells to keep that are tried.
pub const MOST: usize = 7;

/// A proof that W wins by focus.
#[derive(Clone, Copy, Debug)]
pub struct Proof {
    lanes: [u8; MOST],
    least: [i8; MOST],
    count: u8,
    /// How many of W's largest stones the plan counts on.
    pub stones: u32,
}

impl Proof {
    fn new(cells: &[(u32, i32)], stones: u32) -> Proof {
        let mut proof = Proof { lanes: [0; MOST], least: [0; MOST], count: cells.len() as u8, stones };
        for (i, &(lane, least)) in cells.iter().enumerate() {
            proof.lanes[i] = lane as u8;
            proof.least[i] = least as i8;
        }
        proof
    }

    /// List the kept cells with the least score the proof needs of each.
    pub fn cells(&self) -> impl Iterator<Item = (u32, i32)> + '_ {
        (0..usize::from(self.count)).map(|i| (u32::from(self.lanes[i]), i32::from(self.least[i])))
    }
}

/// A cell outside D that suits W if X fills only its neighbours in D.
#[derive(Clone, Copy)]
struct Candidate {
    lane: u32,
    score: i32,
    /// Neighbours outside D.
    open: u32,
    /// The number of neighbours in D.
    inside: u32,
    /// By how much it suits W with W's largest stones to itself.
    margin: i32,
}

/// Tell whether `side` wins by focus with the set `kept` and `need` >= 1.
#[inline(always)]
pub fn wins(frame: &Frame, state: &State, sums: &Sums, side: usize, kept: u32, need: i32) -> bool {
    prove(frame, state, sums, side, kept, need).is_some()
}

/// Prove a win of `side` by focus, if there is one of this form.
#[inline(always)]
pub fn prove(frame: &Frame, state: &State, sums: &Sums, side: usize, kept: u32, need: i32) -> Option<Proof> {
    let outside = state.empty & !kept;
    let (own, enemy) = (sums.top[side], sums.top[1 - side]);
    let blank = Candidate { lane: 0, score: 0, open: 0, inside: 0, margin: 0 };
    let mut candidates = [blank; FOCUS_CANDIDATES];
    let mut count = 0;
    for lane in lanes(outside) {
        let near = frame.near[lane as usize];
        let open = near & outside;
        let inside = (near & kept).count_ones();
        let score = state.score(side, lane);
        let rest = score + sum(own, open.count_ones()) - sum(enemy, inside);
        if rest >= 0 && count < FOCUS_CANDIDATES {
            if need == 1 {
                return Some(Proof::new(&[(lane, score - rest)], open.count_ones()));
            }
            candidates[count] = Candidate { lane, score, open, inside, margin: rest };
            count += 1;
        }
    }
    let candidates = &mut candidates[..count];
    let game = Game { frame, own: &sums.prefix[side], enemy };
    match need {
        2 => pairs(&game, candidates),
        3 if count >= 3 => triples(&game, candidates),
        4.. if need as usize <= MOST.min(count) => {
            // The best last: that is where the sets to try begin.
            candidates.sort_unstable_by_key(|cell| (cell.margin, cell.lane));
            several(&game, candidates, need as usize)
        }
        _ => None,
    }
}

/// What the kept cells are tested against.
struct Game<'a> {
    frame: &'a Frame,
    /// Sums of W's largest stones.
    own: &'a [i16; 16],
    /// Sums of X's largest stones, as bytes.
    enemy: u64,
}

impl Game<'_> {
    #[inline(always)]
    fn own(&self, stones: u32) -> i32 {
        i32::from(self.own[(stones & 15) as usize])
    }

    #[inline(always)]
    fn enemy(&self, stones: u32) -> i32 {
        sum(self.enemy, stones)
    }
}

/// Try every two cells (n = 2).
#[inline(always)]
fn pairs(game: &Game, candidates: &[Candidate]) -> Option<Proof> {
    for (i, a) in candidates.iter().enumerate() {
        for b in &candidates[..i] {
            if let Some(proof) = pair(game, a, b) {
                return Some(proof);
            }
        }
    }
    None
}

#[inline(always)]
fn pair(game: &Game, a: &Candidate, b: &Candidate) -> Option<Proof> {
    let kept = 1u32 << a.lane | 1 << b.lane;
    let adjacent = game.frame.near[a.lane as usize] >> b.lane & 1;
    let (open_a, open_b) = (a.open & !kept, b.open & !kept);
    let common = (open_a & open_b).count_ones();
    let (all_a, all_b) = (open_a.count_ones(), open_b.count_ones());
    let base_a = a.score - game.enemy(a.inside + adjacent);
    let base_b = b.score - game.enemy(b.inside + adjacent);
    let both = all_a + all_b - common;
    // The largest stones go to the common neighbours, the next to the cell that needs them more.
    let first_a = base_a + game.own(all_a) <= base_b + game.own(all_b);
    let shared = game.own(common);
    let (sum_a, sum_b) = if first_a {
        (game.own(all_a), shared + game.own(both) - game.own(all_a))
    } else {
        (shared + game.own(both) - game.own(all_b), game.own(all_b))
    };
    let mut slack = [base_a + sum_a, base_b + sum_b];
    if slack[0] < 0 || slack[1] < 0 {
        return None;
    }
    if adjacent == 0 && common > 0 {
        // X takes a common neighbour: W goes on with the cell that stands it better.
        let left_a = a.score + game.own(all_a - 1) - game.enemy(a.inside + 1);
        let left_b = b.score + game.own(all_b - 1) - game.enemy(b.inside + 1);
        if left_a.max(left_b) < 0 {
            return None;
        }
        let i = usize::from(left_b > left_a);
        slack[i] = slack[i].min(left_a.max(left_b));
    }
    Some(Proof::new(&[(a.lane, a.score - slack[0]), (b.lane, b.score - slack[1])], both))
}

/// Return, for each candidate, those that may be kept with it, as bits of their places: each of the two must
/// suit W with W's largest stones to itself after X took the other, both together with the largest stones
/// where they count most, and one of them when X took a common neighbour. Keeping more cells only leaves
/// fewer neighbours for W's stones.
#[inline(always)]
fn partners(game: &Game, candidates: &[Candidate]) -> [u32; FOCUS_CANDIDATES] {
    let mut partners = [0; FOCUS_CANDIDATES];
    for (i, a) in candidates.iter().enumerate() {
        for (j, b) in candidates[..i].iter().enumerate() {
            let adjacent = game.frame.near[a.lane as usize] >> b.lane & 1;
            let (open_a, open_b) = (a.open & !(1 << b.lane), b.open & !(1 << a.lane));
            let (all_a, all_b) = (open_a.count_ones(), open_b.count_ones());
            let base_a = a.score - game.enemy(a.inside + adjacent);
            let base_b = b.score - game.enemy(b.inside + adjacent);
            let common = (open_a & open_b).count_ones();
            let both = game.own(common) + game.own(all_a + all_b - common);
            let alone = (base_a + game.own(all_a)).min(base_b + game.own(all_b));
            // When X takes a common neighbour, W goes on with one of them.
            let goes_on = common == 0 || adjacent == 1 || {
                let left_a = a.score + game.own(all_a - 1) - game.enemy(a.inside + 1);
                let left_b = b.score + game.own(all_b - 1) - game.enemy(b.inside + 1);
                left_a.max(left_b) >= 0
            };
            if alone >= 0 && goes_on && base_a + base_b + both >= 0 {
                partners[i] |= 1 << j;
                partners[j] |= 1 << i;
            }
        }
    }
    partners
}

/// Try every three cells (n = 3).
#[inline(always)]
fn triples(game: &Game, candidates: &[Candidate]) -> Option<Proof> {
    let partners = partners(game, candidates);
    for i in 2..candidates.len() {
        for j in lanes(partners[i] & ((1 << i) - 1)) {
            for k in lanes(partners[i] & partners[j as usize] & ((1 << j) - 1)) {
                let cells = [&candidates[i], &candidates[j as usize], &candidates[k as usize]];
                if let Some(proof) = triple(game, cells) {
                    return Some(proof);
                }
            }
        }
    }
    None
}

/// Cells of O next to two of three kept cells, or to all: at most 9, as no cell has more than six
/// neighbours and each of these counts at least twice among 18.
const SHARED_BY_THREE: usize = 9;

#[inline(always)]
fn triple(game: &Game, cells: [&Candidate; 3]) -> Option<Proof> {
    let [a, b, c] = cells;
    let set = 1u32 << a.lane | 1 << b.lane | 1 << c.lane;
    let open = [a.open & !set, b.open & !set, c.open & !set];
    let adjacent = |i: usize, j: usize| (cells[i].open >> cells[j].lane & 1) as i32;
    let beside =
        [adjacent(0, 1) + adjacent(0, 2), adjacent(1, 0) + adjacent(1, 2), adjacent(2, 0) + adjacent(2, 1)];
    let thrice = open[0] & open[1] & open[2];
    let twice = open[0] & open[1] | open[0] & open[2] | open[1] & open[2];
    // The largest stones go where they count most often.
    let mut score = [a.score, b.score, c.score];
    let mut shared = [(0u8, 0i32); SHARED_BY_THREE];
    let mut used = 0;
    let mut share = |mut from: u32, used: &mut u32, score: &mut [i32; 3]| {
        while from != 0 {
            let lane = from.trailing_zeros();
            from &= from - 1;
            let stone = game.own(*used + 1) - game.own(*used);
            let mut near = 0;
            for i in 0..3 {
                let here = (open[i] >> lane & 1) as u8;
                near |= here << i;
                score[i] += i32::from(here) * stone;
            }
            shared[*used as usize] = (near, stone);
            *used += 1;
        }
    };
    share(thrice, &mut used, &mut score);
    share(twice & !thrice, &mut used, &mut score);
    let shared = &shared[..used as usize];
    // The next go to the cells with one kept neighbour, the neediest first.
    let mut worst = [0; 3];
    for i in 0..3 {
        worst[i] = score[i] - game.enemy(cells[i].inside + beside[i] as u32);
    }
    let mut order = [0usize, 1, 2];
    for (x, y) in [(0, 1), (1, 2), (0, 1)] {
        if worst[order[y]] < worst[order[x]] {
            order.swap(x, y);
        }
    }
    for i in order {
        let alone = (open[i] & !twice).count_ones();
        let gain = game.own(used + alone) - game.own(used);
        score[i] += gain;
        used += alone;
        if worst[i] + gain < 0 {
            return None;
        }
    }

    let taken = cells.map(|cell| cell.inside as i32);
    let mut slack = [i32::MAX; 3];
    // X takes one of the kept cells.
    for (g, h, k) in [(0, 1, 2), (1, 0, 2), (2, 0, 1)] {
        let two = Two {
            places: [h, k],
            score: [score[h], score[k]],
            taken: [taken[h] + adjacent(g, h), taken[k] + adjacent(g, k)],
            adjacent: adjacent(h, k),
        };
        if !two.ok(game, shared, usize::MAX, &mut slack) {
            return None;
        }
    }
    // X takes a shared cell: W fills one of the kept cells and goes on with the others.
    for (o, &(near, stone)) in shared.iter().enumerate() {
        let answered = [(0, 1, 2), (1, 0, 2), (2, 0, 1)].into_iter().any(|(s, h, k)| {
            let beside = |i: usize| i32::from(near >> i & 1);
            let two = Two {
                places: [h, k],
                score: [
                    score[h] + stone * (adjacent(s, h) - beside(h)),
                    score[k] + stone * (adjacent(s, k) - beside(k)),
                ],
                taken: [taken[h] + beside(h), taken[k] + beside(k)],
                adjacent: adjacent(h, k),
            };
            let mut trial = slack;
            let holds = two.ok(game, shared, o, &mut trial);
            if holds {
                slack = trial;
            }
            holds
        });
        if !answered {
            return None;
        }
    }
    let mut kept = [(0, 0); 3];
    for i in 0..3 {
        kept[i] = (cells[i].lane, cells[i].score - slack[i]);
    }
    Some(Proof::new(&kept, used))
}

/// Two cells that are left of three.
struct Two {
    /// Their places among the three.
    places: [usize; 2],
    /// Scores with W's planned stones.
    score: [i32; 2],
    /// How many of X's stones lie or will lie next to each.
    taken: [i32; 2],
    /// 1 if they are neighbours.
    adjacent: i32,
}

impl Two {
    /// `ok` for two cells, without the shared cell `gone`.
    #[inline(always)]
    fn ok(&self, game: &Game, shared: &[(u8, i32)], gone: usize, slack: &mut [i32; 3]) -> bool {
        for i in 0..2 {
            let margin = self.score[i] - game.enemy((self.taken[i] + self.adjacent) as u32);
            if margin < 0 {
                return false;
            }
            slack[self.places[i]] = slack[self.places[i]].min(margin);
        }
        if self.adjacent == 1 {
            // X on a shared cell, W on either kept cell, with the stone meant for it: the other gets the
            // stone all the same, and as many of X's as if X had taken its neighbour.
            return true;
        }
        let both = 1u8 << self.places[0] | 1 << self.places[1];
        // The largest stone is the worst to lose, and the first.
        let Some((_, &(_, stone))) =
            shared.iter().enumerate().find(|&(o, &(near, _))| o != gone && near & both == both)
        else {
            return true;
        };
        let left = [0, 1].map(|i| self.score[i] - stone - game.enemy(self.taken[i] as u32 + 1));
        let i = usize::from(left[1] > left[0]);
        slack[self.places[i]] = slack[self.places[i]].min(left[i]);
        left[i] >= 0
    }
}

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

dispatch! {
    /// Try sets of `n` candidates (n = 4 to `MOST`). Too rare and too large to be part of its callers, so it is
    /// compiled for both paths by itself.
    fn several(game: &Game, candidates: &[Candidate], n: usize) -> Option<Proof> = several_body
}

/// Try every set of `n` candidates (n = 4 to `MOST`).
#[allow(clippy::extra_unused_type_parameters)] // the path only tells what to compile it for
#[inline(always)]
fn several_body<L: Lanes>(game: &Game, candidates: &[Candidate], n: usize) -> Option<Proof> {
    let partners = partners(game, candidates);
    // A cell with too few partners is in no set of n; nor are those that were its partners, without it.
    let mut usable: u32 = (1 << candidates.len()) - 1;
    loop {
        let few = |&i: &u32| (partners[i as usize] & usable).count_ones() + 1 < n as u32;
        let useless = lanes(usable).filter(few).fold(0, |set, i| set | 1 << i);
        usable &= !useless;
        if useless == 0 {
            break;
        }
    }
    if usable.count_ones() < n as u32 {
        return None;
    }
    let mut picked = [0usize; MOST];
    let mut tried = 0u32;
    // For each depth, the candidates still to try there: lower than the one before, partners of all.
    let mut rest = [0u32; MOST];
    rest[0] = usable;
    let mut depth = 0;
    loop {
        let Some(place) = rest[depth].checked_ilog2() else {
            if depth == 0 {
                return None;
            }
            depth -= 1;
            continue;
        };
        rest[depth] &= !(1 << place);
        picked[depth] = place as usize;
        if depth + 1 == n {
            if let Some(proof) = plan(game, candidates, &picked[..n]) {
                return Some(proof);
            }
            tried += 1;
            if tried >= FOCUS_PLANS {
                return None;
            }
        } else {
            rest[depth + 1] = rest[depth] & partners[place as usize];
            depth += 1;
        }
    }
}

#[inline(always)]
fn plan(game: &Game, candidates: &[Candidate], picked: &[usize]) -> Option<Proof> {
    let n = picked.len();
    let set = picked.iter().fold(0u32, |set, &place| set | 1 << candidates[place].lane);
    // Each kept cell must suit W at least when it has W's largest stones to itself and X takes the others.
    for &place in picked {
        let cell = &candidates[place];
        let open = (cell.open & !set).count_ones();
        let beside = (cell.open & set).count_ones();
        if cell.score + game.own(open) < game.enemy((cell.inside + beside).min(7)) {
            return None;
        }
    }
    let mut plan = Plan { adjacent: [0; PLACES], shared: [(0, 0); 32], shared_count: 0 };
    let mut branch = Branch { score: [0; PLACES], taken: [0; PLACES] };
    let (mut once, mut twice, mut thrice) = (0u32, 0u32, 0u32);
    for (i, &place) in picked.iter().enumerate() {
        let cell = &candidates[place];
        branch.score[i] = cell.score as i16;
        branch.taken[i] = (cell.inside + (cell.open & set).count_ones()) as u8;
        let open = cell.open & !set;
        thrice |= twice & open;
        twice |= once & open;
        once |= open;
        for (j, &other) in picked.iter().enumerate() {
            plan.adjacent[i] |= u8::from(cell.open >> candidates[other].lane & 1 != 0) << j;
        }
    }
    // The largest stones go where they count most often.
    let mut used = 0;
    for lane in lanes(thrice).chain(lanes(twice & !thrice)) {
        let stone = game.own(used + 1) - game.own(used);
        used += 1;
        let mut near = 0u8;
        for (i, &place) in picked.iter().enumerate() {
            if candidates[place].open >> lane & 1 != 0 {
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
        let alone = (candidates[picked[neediest]].open & !set & !twice).count_ones();
        branch.score[neediest] += (game.own(used + alone) - game.own(used)) as i16;
        used += alone;
        // X may take all the others.
        slack[neediest] = margin(&branch, neediest);
        if slack[neediest] < 0 {
            return None;
        }
    }
    if !ok(game, &plan, &branch, all, (1 << plan.shared_count) - 1, &mut slack) {
        return None;
    }
    let mut cells = [(0, 0); MOST];
    for (i, &place) in picked.iter().enumerate() {
        let cell = &candidates[place];
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
