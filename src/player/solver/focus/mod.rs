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
//! For n >= 3, any plan will do that leaves every cell of F suiting W while X may take all the others. Each stone
//! in turn, the largest first, goes to the cell of O whose kept neighbours lack most, for the cells of O they have
//! left. For n = 3 a quicker plan comes first: the largest stones for the cells of O with the most kept neighbours.
//!
//! *Planning anew.* Let W fill the cells of O next to kept ones in a fixed order o1, o2, ... When X takes oj, W has
//! filled only cells before oj then, with the stones planned for them. So W may fill some s of F with any other
//! stone, and plan the rest of the others anew for F without s: on the cells after oj, one of which is gone and s
//! come in its place. That is a plan for F without s again, in which the cells before oj have the stones they had,
//! whether filled by then or not: X may take those that are not, like any other. This is tried where going on as
//! planned fails, for the first cell of O that X takes; after that W goes on as planned.
//!
//! The certificate: D as in the verdict, every cell of F with its score less the least margin by which it
//! passed in the branches used, and the largest stones of W's hand, as many as the plans used put next to F.

mod plans;

use crate::player::simd::{Simd, dispatch};

use super::state::{Frame, State, Sums, lanes, sum};

use plans::several;

/// The most cells to keep that are tried.
pub const MOST: usize = 7;

/// A proof that W wins by focus.
#[derive(Clone, Copy, Debug)]
pub struct Proof {
    lanes: [u8; MOST],
    least: [i8; MOST],
    count: u8,
    /// How many of W's largest stones the plans count on.
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
#[derive(Clone, Copy, Debug)]
struct Candidate {
    lane: u32,
    score: i32,
    /// Neighbours outside D.
    open: u32,
    /// The number of neighbours in D.
    inside: u32,
}

/// Prove a win of `side` by focus with the set `kept` and `need` >= 1, if there is one of this form among the
/// first `tries` sets of four and more cells.
#[inline(always)]
pub fn prove<S: Simd>(
    frame: &Frame,
    state: &State,
    sums: &Sums,
    side: usize,
    kept: u32,
    need: i32,
    tries: u32,
) -> Option<Proof> {
    let (own, enemy) = (&sums.top[side], &sums.top[1 - side]);
    let game = Game { frame, state, side, kept, own, enemy };
    let cells = Cells::<S>::of(&game);
    match need {
        1 => {
            let cell = game.candidate(lanes(cells.suit).next()?);
            Some(Proof::new(&[(cell.lane, cell.score - game.margin(&cell))], cell.open.count_ones()))
        }
        2.. if need as usize <= MOST && cells.suit.count_ones() >= need as u32 => {
            sets(&game, need as u32, tries)
        }
        _ => None,
    }
}

/// What the kept cells are tested against.
struct Game<'a> {
    frame: &'a Frame,
    state: &'a State,
    /// W.
    side: usize,
    /// D.
    kept: u32,
    /// Sums of W's largest stones.
    own: &'a [u8; 16],
    /// Sums of X's largest stones.
    enemy: &'a [u8; 16],
}

impl Game<'_> {
    #[inline(always)]
    fn own(&self, stones: u32) -> i32 {
        sum(self.own, stones)
    }

    #[inline(always)]
    fn enemy(&self, stones: u32) -> i32 {
        sum(self.enemy, stones)
    }

    #[inline(always)]
    fn candidate(&self, lane: u32) -> Candidate {
        let near = self.frame.near[(lane & 31) as usize] & self.state.empty;
        let score = self.state.score(self.side, lane);
        Candidate { lane, score, open: near & !self.kept, inside: (near & self.kept).count_ones() }
    }

    /// Return by how much a cell suits W with W's largest stones to itself.
    #[inline(always)]
    fn margin(&self, cell: &Candidate) -> i32 {
        cell.score + self.own(cell.open.count_ones()) - self.enemy(cell.inside)
    }
}

/// All cells at once, lane by lane.
struct Cells<S: Simd> {
    score: S::Vector,
    /// Numbers of neighbours outside D.
    open: S::Vector,
    /// Numbers of neighbours in D.
    inside: S::Vector,
    /// The candidates.
    suit: u32,
}

impl<S: Simd> Cells<S> {
    #[inline(always)]
    fn of(game: &Game) -> Cells<S> {
        let inside = game.frame.count_near::<S>(game.kept);
        let open = S::subtract(S::load(&game.state.free), inside);
        let score = game.state.scores_of::<S>(game.side);
        let enough = S::subtract(S::entries(inside, game.enemy), S::entries(open, game.own));
        let suit = !S::less(score, enough) & game.state.empty & !game.kept;
        Cells { score, open, inside, suit }
    }

    /// Return the candidates that may be kept with one of them: each of the two must suit W with W's largest
    /// stones to itself after X took the other, both together with the largest stones where they count most,
    /// and one of them when X took a common neighbour. Keeping more cells only leaves fewer neighbours for
    /// W's stones.
    ///
    /// Sums that do not fit a lane are far from 0, and so is what replaces them: a base below -128 cannot be made
    /// up for by the stones next to one cell.
    #[inline(always)]
    fn partners(&self, game: &Game, lane: u32) -> u32 {
        let cell = game.candidate(lane);
        let count = cell.open.count_ones();
        let zero = S::splat(0);
        // -1 next to the cell.
        let beside = S::load(game.frame.near_row(lane));
        let (all_a, all_b) = (S::add(S::splat(count as i8), beside), S::add(self.open, beside));
        let taken_a = S::entries(S::subtract(S::splat(cell.inside as i8), beside), game.enemy);
        let taken_b = S::entries(S::subtract(self.inside, beside), game.enemy);
        let base_a = S::subtract(S::splat(cell.score as i8), taken_a);
        let base_b = S::subtract(self.score, taken_b);
        let common = game.frame.count_near::<S>(cell.open);
        let alone_a = S::add(base_a, S::entries(all_a, game.own));
        let alone_b = S::add(base_b, S::entries(all_b, game.own));
        let either = S::subtract(S::add(all_a, all_b), common);
        let both = S::add(
            S::add(base_a, S::entries(either, game.own)),
            S::add(base_b, S::entries(common, game.own)),
        );
        let fail = S::less(alone_a, zero) | S::less(alone_b, zero) | S::less(both, zero);
        // When X takes a common neighbour of two that are none to each other, W goes on with one of them.
        let goes_on = if count > 0 && cell.score + game.own(count - 1) >= game.enemy(cell.inside + 1) {
            !0
        } else {
            let one = S::splat(1);
            let own = S::entries(S::subtract(self.open, one), game.own);
            let left = S::subtract(S::add(self.score, own), S::entries(S::add(self.inside, one), game.enemy));
            !S::less(left, zero) | S::less(common, one) | game.frame.near[(lane & 31) as usize]
        };
        self.suit & !fail & goes_on & !(1 << lane)
    }

    /// Return, for each number of neighbours outside D, the cells that do not suit W once X has taken so many and W
    /// has its largest stones for the others.
    #[inline(always)]
    fn crowded(&self, game: &Game) -> [u32; 8] {
        let one = S::splat(1);
        let mut crowded = [0; 8];
        let (mut open, mut inside) = (self.open, self.inside);
        // No cell has more than six neighbours.
        for cells in &mut crowded[1..7] {
            (open, inside) = (S::subtract(open, one), S::add(inside, one));
            let score = S::add(self.score, S::entries(open, game.own));
            *cells = S::less(score, S::entries(inside, game.enemy));
        }
        crowded
    }

    /// Return the partners of every candidate, and the candidates that have `least` of them or more, among such.
    #[inline(always)]
    fn all_partners(&self, game: &Game, least: u32) -> ([u32; 32], u32) {
        let mut partners = [0; 32];
        for lane in lanes(self.suit) {
            partners[(lane & 31) as usize] = self.partners(game, lane);
        }
        let mut usable = self.suit;
        loop {
            let few = |&lane: &u32| (partners[(lane & 31) as usize] & usable).count_ones() < least;
            let useless = lanes(usable).filter(few).fold(0, |set, lane| set | 1 << lane);
            usable &= !useless;
            if useless == 0 {
                return (partners, usable);
            }
        }
    }
}

dispatch! {
    /// Try sets of `n` candidates (n = 2 to `MOST`). Too large to be part of its callers, so it is compiled for
    /// both paths by itself.
    fn sets<'a>(game: &'a Game<'a>, n: u32, tries: u32) -> Option<Proof> = sets_body
}

#[inline(always)]
fn sets_body<S: Simd>(game: &Game, n: u32, tries: u32) -> Option<Proof> {
    let cells = Cells::<S>::of(game);
    match n {
        2 => pairs(game, &cells),
        3 => triples(game, &cells),
        _ => several(game, &cells, n, tries),
    }
}

/// Try every two cells (n = 2).
#[inline(always)]
fn pairs<S: Simd>(game: &Game, cells: &Cells<S>) -> Option<Proof> {
    for a in lanes(cells.suit) {
        let lower = (1 << a) - 1;
        if cells.suit & lower == 0 {
            continue;
        }
        for b in lanes(cells.partners(game, a) & lower) {
            if let Some(proof) = pair(game, &game.candidate(a), &game.candidate(b)) {
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

/// Try every three cells (n = 3).
#[inline(always)]
fn triples<S: Simd>(game: &Game, cells: &Cells<S>) -> Option<Proof> {
    let mut partners = [0; 32];
    // Each but the first has candidates before it.
    for i in lanes(cells.suit & (cells.suit - 1)) {
        let with_i = cells.partners(game, i) & ((1 << i) - 1);
        partners[i as usize] = with_i;
        for j in lanes(with_i) {
            for k in lanes(with_i & partners[j as usize]) {
                if let Some(proof) = triple(game, [i, j, k].map(|lane| game.candidate(lane))) {
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
fn triple(game: &Game, cells: [Candidate; 3]) -> Option<Proof> {
    let [a, b, c] = &cells;
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
            return plans::plan(game, &cells, set);
        }
    }

    let taken = cells.each_ref().map(|cell| cell.inside as i32);
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
            return plans::plan(game, &cells, set);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::alpha::Target;
    use crate::player::simd::Portable;
    use crate::player::solver::tests::{random_position, rng};

    dispatch! { fn best_partners<'a>(game: &'a Game<'a>, lane: u32) -> (u32, u32) = partners_body }

    /// Return the candidates, and the partners of one of them.
    #[inline(always)]
    fn partners_body<S: Simd>(game: &Game, lane: u32) -> (u32, u32) {
        let cells = Cells::<S>::of(game);
        (cells.suit, cells.partners(game, lane))
    }

    /// Tell whether two candidates may be kept together, cell by cell.
    fn may_keep(game: &Game, a: &Candidate, b: &Candidate) -> bool {
        let adjacent = a.open >> b.lane & 1;
        let (open_a, open_b) = (a.open & !(1 << b.lane), b.open & !(1 << a.lane));
        let (all_a, all_b) = (open_a.count_ones(), open_b.count_ones());
        let common = (open_a & open_b).count_ones();
        let base_a = a.score - game.enemy(a.inside + adjacent);
        let base_b = b.score - game.enemy(b.inside + adjacent);
        let left = |cell: &Candidate, all: u32| cell.score + game.own(all - 1) - game.enemy(cell.inside + 1);
        let goes_on = common == 0 || adjacent == 1 || left(a, all_a).max(left(b, all_b)) >= 0;
        let both = base_a + base_b + game.own(common) + game.own(all_a + all_b - common);
        goes_on && both >= 0 && (base_a + game.own(all_a)).min(base_b + game.own(all_b)) >= 0
    }

    /// No cell is left out that a look at each would find, on either path: such a fault would cost wins at
    /// sight, and no answer would be wrong.
    #[test]
    fn candidates_and_partners_are_those_found_cell_by_cell() {
        let mut rng = rng(26);
        let mut found = [0; 3];
        for round in 0..3_000 {
            let position = random_position(&mut rng, 6 + round % 12);
            let mut frame = Frame::new();
            frame.admit(position.empty());
            let state = frame.state(&position, Target::new([-60, -9, 0, 9, 60][round % 5]));
            let sums = Sums::of(state.hands);
            for side in [0, 1] {
                let (own, enemy) = (&sums.top[side], &sums.top[1 - side]);
                let kept = state.empty & (round as u32).wrapping_mul(0x9E37_79B9);
                let game = Game { frame: &frame, state: &state, side, kept, own, enemy };
                let outside = lanes(state.empty & !kept).map(|lane| game.candidate(lane));
                let fit: Vec<Candidate> = outside.filter(|cell| game.margin(cell) >= 0).collect();
                let suit = fit.iter().fold(0, |set, cell| set | 1 << cell.lane);
                for a in &fit {
                    let others = fit.iter().filter(|b| b.lane != a.lane && may_keep(&game, a, b));
                    let expected = (suit, others.fold(0, |set, b| set | 1 << b.lane));
                    assert_eq!(partners_body::<Portable>(&game, a.lane), expected, "{position:?}");
                    assert_eq!(best_partners(&game, a.lane), expected, "{position:?}");
                    found[usize::from(expected.1 != 0) + usize::from(expected.1 == suit & !(1 << a.lane))] +=
                        1;
                }
            }
        }
        // None, some, all.
        assert!(found.iter().all(|&count| count > 500), "{found:?}");
    }
}
