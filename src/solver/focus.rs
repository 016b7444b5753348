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

use super::state::{Frame, State, Sums, lanes, sum};

/// The most cells to keep that are tried.
pub const MOST: usize = 5;

/// The most candidates looked at.
const CANDIDATES: usize = 12;

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
    let blank = Candidate { lane: 0, score: 0, open: 0, inside: 0 };
    let mut candidates = [blank; CANDIDATES];
    let mut count = 0;
    for lane in lanes(outside) {
        let near = frame.near[lane as usize];
        let open = near & outside;
        let inside = (near & kept).count_ones();
        let score = state.score(side, lane);
        let rest = score + sum(own, open.count_ones()) - sum(enemy, inside);
        if rest >= 0 && count < CANDIDATES {
            if need == 1 {
                return Some(Proof::new(&[(lane, score - rest)], open.count_ones()));
            }
            candidates[count] = Candidate { lane, score, open, inside };
            count += 1;
        }
    }
    let candidates = &candidates[..count];
    let game = Game { frame, own: &sums.prefix[side], enemy };
    match need {
        2 => pairs(&game, candidates),
        3..=5 if count >= need as usize => several(&game, candidates, need as usize),
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

/// Try every set of `n` candidates.
fn several(game: &Game, candidates: &[Candidate], n: usize) -> Option<Proof> {
    let mut picked = [0usize; MOST];
    let mut set = 0u32;
    let mut depth = 0;
    // Combinations in lexicographic order, without recursion.
    loop {
        if depth == n {
            if let Some(proof) = plan(game, candidates, &picked[..n], set) {
                return Some(proof);
            }
        } else if picked[depth] + (n - depth) <= candidates.len() {
            set |= 1 << candidates[picked[depth]].lane;
            if depth + 1 < n {
                picked[depth + 1] = picked[depth] + 1;
            }
            depth += 1;
            continue;
        }
        if depth == 0 {
            return None;
        }
        depth -= 1;
        set &= !(1 << candidates[picked[depth]].lane);
        picked[depth] += 1;
    }
}

fn plan(game: &Game, candidates: &[Candidate], picked: &[usize], set: u32) -> Option<Proof> {
    let n = picked.len();
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
        let margin = |i: usize| {
            let beside = plan.adjacent[i].count_ones();
            i32::from(branch.score[i]) - game.enemy((u32::from(branch.taken[i]) + beside).min(7))
        };
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
    }
    let mut slack = [i16::MAX; MOST];
    if !ok(game, &plan, &branch, &mut slack) {
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
fn ok(game: &Game, plan: &Plan, branch: &Branch, slack: &mut [i16; MOST]) -> bool {
    let alive = branch.alive;
    if alive.is_power_of_two() {
        let i = alive.trailing_zeros() as usize;
        let margin = branch.score[i] - game.enemy(u32::from(branch.taken[i]).min(7)) as i16;
        slack[i] = slack[i].min(margin);
        return margin >= 0;
    }
    for g in 0..MOST {
        if alive >> g & 1 != 0 {
            let mut next = *branch;
            next.alive &= !(1 << g);
            for (h, taken) in next.taken.iter_mut().enumerate() {
                *taken += plan.adjacent[g] >> h & 1;
            }
            if !ok(game, plan, &next, slack) {
                return false;
            }
        }
    }
    for o in lanes(branch.left) {
        let (near, stone) = plan.shared[o as usize];
        if (near & alive).count_ones() < 2 {
            continue;
        }
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
            if ok(game, plan, &next, &mut trial) {
                *slack = trial;
                answered = true;
                break;
            }
        }
        if !answered {
            return false;
        }
    }
    true
}
