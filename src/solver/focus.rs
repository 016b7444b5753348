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
pub const MOST: usize = 6;

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
        4..=6 if count >= need as usize => {
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
/// suit W with W's largest stones to itself after X took the other, and both together with the largest
/// stones where they count most. Keeping more cells only leaves fewer neighbours for W's stones.
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
            if alone >= 0 && base_a + base_b + both >= 0 {
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

/// Kept cells and the plan around them, `n` <= [`MOST`].
struct Plan {
    /// Which of the kept cells are next to each, as bits of their places.
    adjacent: [u8; MOST],
    /// Cells of O next to two kept cells or more: their kept neighbours as bits, and the stone planned.
    shared: [(u8, u8); 32],
    shared_count: usize,
}

/// Where a branch stands: for every kept cell its score with the planned stones, and X's neighbours.
#[derive(Clone, Copy)]
struct Branch {
    score: [i16; MOST],
    taken: [u8; MOST],
    alive: u8,
    /// Shared cells X has not taken.
    left: u32,
}

dispatch! {
    /// Try sets of `n` candidates (n = 4, 5, 6). Too rare and too large to be part of its callers, so it is
    /// compiled for both paths by itself.
    fn several(game: &Game, candidates: &[Candidate], n: usize) -> Option<Proof> = several_body
}

/// Try every set of `n` candidates (n = 4, 5, 6).
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
    let mut plan = Plan { adjacent: [0; MOST], shared: [(0, 0); 32], shared_count: 0 };
    let mut branch = Branch { score: [0; MOST], taken: [0; MOST], alive: (1 << n) - 1, left: 0 };
    let (mut once, mut twice, mut thrice) = (0u32, 0u32, 0u32);
    for (i, &place) in picked.iter().enumerate() {
        let cell = &candidates[place];
        branch.score[i] = cell.score as i16;
        branch.taken[i] = cell.inside as u8;
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
        branch.left |= 1 << plan.shared_count;
        plan.shared_count += 1;
    }
    // The next go to the cells with one kept neighbour, the neediest first.
    let mut waiting = branch.alive;
    while waiting != 0 {
        let margin_of = |branch: &Branch, plan: &Plan, i: usize| {
            let beside = plan.adjacent[i].count_ones();
            i32::from(branch.score[i]) - game.enemy(u32::from(branch.taken[i]) + beside)
        };
        let margin = |i: usize| margin_of(&branch, &plan, i);
        let mut neediest = MOST;
        for i in 0..n {
            if waiting >> i & 1 != 0 && (neediest == MOST || margin(i) < margin(neediest)) {
                neediest = i;
            }
        }
        waiting &= !(1 << neediest);
        let alone = (candidates[picked[neediest]].open & !set & !twice).count_ones();
        branch.score[neediest] += (game.own(used + alone) - game.own(used)) as i16;
        used += alone;
        // X may take all the others.
        if margin_of(&branch, &plan, neediest) < 0 {
            return None;
        }
    }
    let mut slack = [i16::MAX; MOST];
    if !ok(game, &plan, &branch, 0, &mut slack) {
        return None;
    }
    let mut cells = [(0, 0); MOST];
    for (i, &place) in picked.iter().enumerate() {
        let cell = &candidates[place];
        // Every kept cell is the last one in some branch, as X may take all others.
        debug_assert!(slack[i] >= 0 && slack[i] < i16::MAX);
        cells[i] = (cell.lane, cell.score - i32::from(slack[i]));
    }
    Some(Proof::new(&cells[..n], used))
}

/// The recursion of the module's text; lowers `slack` to the margins of the branches used, if it holds.
///
/// What X does by taking kept cells alone is told by one margin a cell, as if X had taken all the others.
/// So only branches in which X takes a shared cell at some point need recursion; and as the order in which
/// X takes kept cells does not matter, only those from place `from` on are taken before that.
fn ok(game: &Game, plan: &Plan, branch: &Branch, from: usize, slack: &mut [i16; MOST]) -> bool {
    let alive = branch.alive;
    for i in 0..MOST {
        if alive >> i & 1 != 0 {
            let beside = u32::from(SMALL_COUNT[(plan.adjacent[i] & alive) as usize]);
            let margin = branch.score[i] - game.enemy(u32::from(branch.taken[i]) + beside) as i16;
            if margin < 0 {
                return false;
            }
            slack[i] = slack[i].min(margin);
        }
    }
    if alive & (alive - 1) == 0 {
        return true;
    }
    let among = |alive: u8| {
        lanes(branch.left).filter(move |&o| SMALL_COUNT[(plan.shared[o as usize].0 & alive) as usize] >= 2)
    };
    for o in among(alive) {
        let (near, stone) = plan.shared[o as usize];
        let mut answered = false;
        for s in 0..MOST {
            if alive >> s & 1 == 0 {
                continue;
            }
            let mut next = *branch;
            next.left &= !(1 << o);
            next.alive &= !(1 << s);
            for h in 0..MOST {
                let beside = i16::from(near >> h & 1);
                let filled = i16::from(plan.adjacent[s] >> h & 1);
                next.taken[h] += beside as u8;
                next.score[h] += i16::from(stone) * (filled - beside);
            }
            let mut trial = *slack;
            if ok(game, plan, &next, 0, &mut trial) {
                *slack = trial;
                answered = true;
                break;
            }
        }
        if !answered {
            return false;
        }
    }
    for g in from..MOST {
        let rest = alive & !(1 << g);
        if rest == alive || among(rest).next().is_none() {
            continue;
        }
        let mut next = *branch;
        next.alive = rest;
        for (h, taken) in next.taken.iter_mut().enumerate() {
            *taken += plan.adjacent[g] >> h & 1;
        }
        if !ok(game, plan, &next, g + 1, slack) {
            return false;
        }
    }
    true
}

/// Numbers of bits.
const SMALL_COUNT: [u8; 1 << MOST] = {
    let mut table = [0; 1 << MOST];
    let mut i = 0;
    while i < table.len() {
        table[i] = (i as u32).count_ones() as u8;
        i += 1;
    }
    table
};
