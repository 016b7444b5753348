//! W's plan for a set of held cells, and the recursion that [`focus`](super::focus) describes.

use crate::alpha::state::{indices, sum, View};
use crate::simd::{Simd, Task};

/// Most cells held at once.
pub const MAX_HELD_CELLS: usize = 7;

/// A proof that W wins by focus.
#[derive(Clone, Copy, Debug)]
pub struct FocusProof {
    cells: [(u32, i32); MAX_HELD_CELLS],
    count: usize,
    /// The number of W's largest stones that the plans count on.
    pub stones: u32,
}

impl FocusProof {
    pub fn new(cells: impl Iterator<Item = (u32, i32)>, stones: u32) -> FocusProof {
        let mut proof = FocusProof { cells: [(0, 0); MAX_HELD_CELLS], count: 0, stones };
        for cell in cells {
            proof.cells[proof.count] = cell;
            proof.count += 1;
        }
        proof
    }

    /// List the held cells with the least score the proof needs of each.
    pub fn cells(&self) -> &[(u32, i32)] {
        &self.cells[..self.count]
    }
}

/// A cell outside D that suits W if X fills only its neighbours in D.
#[derive(Clone, Copy, Debug)]
pub struct HoldCell {
    pub index: u32,
    pub score: i32,
    /// Neighbours outside D.
    pub open: u32,
    /// The number of neighbours in D.
    pub inside: u32,
}

impl HoldCell {
    pub const NONE: HoldCell = HoldCell { index: 0, score: 0, open: 0, inside: 0 };
}

/// The state and the sums of stones that the held cells are tested against.
pub struct HoldContext<'a> {
    pub view: View<'a>,
    pub side: usize,
    pub avoided: u32,
    /// Sums of W's largest stones.
    pub own: &'a [u8; 16],
    /// Sums of X's largest stones.
    pub enemy: &'a [u8; 16],
}

impl<'a> HoldContext<'a> {
    pub fn new(view: View<'a>, side: usize, avoided: u32) -> HoldContext<'a> {
        HoldContext { view, side, avoided, own: &view.sums.top[side], enemy: &view.sums.top[1 - side] }
    }

    pub fn own(&self, stones: u32) -> i32 {
        sum(self.own, stones)
    }

    pub fn enemy(&self, stones: u32) -> i32 {
        sum(self.enemy, stones)
    }

    pub fn hold_cell(&self, index: u32) -> HoldCell {
        let near = self.view.near(index);
        let score = self.view.state.score(self.side, index);
        HoldCell { index, score, open: near & !self.avoided, inside: (near & self.avoided).count_ones() }
    }

    /// Return the margin by which a cell suits W with W's largest stones to itself.
    pub fn margin(&self, cell: &HoldCell) -> i32 {
        cell.score + self.own(cell.open.count_ones()) - self.enemy(cell.inside)
    }
}

const PLACES: usize = 8;

/// The most cells of O: W has a stone for each.
const OTHERS: usize = 15;

/// The plan for the cells next to the held ones.
struct FillingPlan {
    /// The held cells next to each, as bits of their places.
    adjacent: [u8; PLACES],
    /// The cells of O next to held cells, in the order in which W fills them: their held neighbours
    /// as bits, and the stone planned.
    order: [(u8, u8); OTHERS],
    count: usize,
    /// The cells of `order` next to two held cells or more, as bits of their numbers there.
    shared: u32,
}

#[derive(Clone, Copy)]
struct Branch {
    /// The margin by which every held cell suits W with the planned stones.
    margin: [i16; PLACES],
    /// The number of X's stones that lie or may come to lie next to it: neighbours in D, those X took, and
    /// held ones, which X may take.
    taken: [u8; PLACES],
}

impl Branch {
    /// Let X take a cell next to a held one for which W had planned `stone`.
    #[inline(always)]
    fn lose(&mut self, context: &HoldContext, place: usize, stone: i16) {
        let taken = u32::from(self.taken[place]);
        self.margin[place] -= stone + (context.enemy(taken + 1) - context.enemy(taken)) as i16;
        self.taken[place] += 1;
    }

    /// Let W fill a cell next to a held one with `stone` that X might have taken.
    #[inline(always)]
    fn gain(&mut self, context: &HoldContext, place: usize, stone: i16) {
        let taken = u32::from(self.taken[place]);
        self.margin[place] += stone + (context.enemy(taken) - context.enemy(taken - 1)) as i16;
        self.taken[place] -= 1;
    }
}

/// Prove that W wins by holding a set of cells, if the plan found for them does.
#[inline(always)]
pub fn plan<S: Simd>(context: &HoldContext, picked: &[HoldCell], set: u32) -> Option<FocusProof> {
    let mut plan = FillingPlan { adjacent: [0; PLACES], order: [(0, 0); OTHERS], count: 0, shared: 0 };
    let mut branch = Branch { margin: [0; PLACES], taken: [0; PLACES] };
    // The cells of O next to each held one, and the held neighbours of each, as bits.
    let (mut slots, mut near) = ([0; PLACES], [0u8; 32]);
    let mut others = 0;
    for (i, cell) in picked.iter().enumerate() {
        let (open, taken) = (cell.open & !set, cell.inside + (cell.open & set).count_ones());
        branch.taken[i] = taken as u8;
        branch.margin[i] = (cell.score - context.enemy(taken)) as i16;
        slots[i] = open.count_ones();
        others |= open;
        for index in indices(open) {
            near[index as usize & 31] |= 1 << i;
        }
        for (j, other) in picked.iter().enumerate() {
            plan.adjacent[i] |= u8::from(cell.open >> other.index & 1 != 0) << j;
        }
    }
    loop {
        // Each held cell's lack, in shares for the cells that can supply it.
        let mut urgency = [0u32; PLACES];
        for i in 0..picked.len() {
            let lacking = -i32::from(branch.margin[i]);
            let planned = plan.count as u32;
            if lacking > context.own(planned + slots[i]) - context.own(planned) {
                return None;
            }
            urgency[i] = lacking.max(0) as u32 * SHARE[slots[i] as usize & 7] + 1;
        }
        // The next stone goes to the cell with most lacking next to it.
        let urgent = |index: u32| places(near[index as usize & 31]).map(|place| urgency[place]).sum::<u32>();
        let Some(most) = indices(others).max_by_key(|&index| urgent(index)) else { break };
        others &= !(1 << most);
        let stone = context.own(plan.count as u32 + 1) - context.own(plan.count as u32);
        let beside = near[most as usize & 31];
        for i in places(beside) {
            branch.margin[i] += stone as i16;
            slots[i] -= 1;
        }
        plan.shared |= u32::from(beside & beside.wrapping_sub(1) != 0) << plan.count;
        plan.order[plan.count] = (beside, stone as u8);
        plan.count += 1;
    }
    let mut slack = branch.margin;
    let alive = (1u8 << picked.len()) - 1;
    let (left, slack_left) = (plan.shared, &mut slack);
    if !S::run(CheckPlan { context, plan: &plan, branch: &branch, alive, left, slack: slack_left }) {
        return None;
    }
    let least = |(cell, slack): (&HoldCell, i16)| (cell.index, cell.score - i32::from(slack));
    Some(FocusProof::new(picked.iter().zip(slack).map(least), plan.count as u32))
}

/// One cell's share, in 1/840, by the number of cells, 0..=7.
const SHARE: [u32; 8] = [0, 840, 420, 280, 210, 168, 140, 120];

#[inline(always)]
fn places(set: u8) -> impl Iterator<Item = usize> {
    indices(u32::from(set)).map(|place| place as usize & (PLACES - 1))
}

/// The recursion of the module's text, for the held cells `alive` and the shared cells `left`, with
/// every held cell's margin found to be at least 0 already: tells whether the plan holds, and lowers
/// `slack`, the least margins, to the needs of the branches used.
///
/// By taking held cells X changes no other's margin: cells that X may take count as taken. So X's
/// taking held cells matters only before X takes a shared cell o, by leaving W fewer cells s to
/// fill: for every set A of held cells with two neighbours of o or more there must be an s in A
/// with `ok(A - s)`. An s that answers for A answers for each smaller set it belongs to, as
/// `ok(A - s)` covers X's taking the others. So A - s is left to answer, until o has one neighbour.
struct CheckPlan<'a> {
    context: &'a HoldContext<'a>,
    plan: &'a FillingPlan,
    branch: &'a Branch,
    alive: u8,
    left: u32,
    slack: &'a mut [i16; PLACES],
}

impl Task for CheckPlan<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(mut self) -> bool {
        for o in indices(self.left) {
            let near = self.plan.order[o as usize & 15].0;
            let mut among = self.alive;
            while (near & among) & (near & among).wrapping_sub(1) != 0 {
                let Some(filled) = self.answer::<S>(among, o) else { return false };
                among &= !(1 << filled);
            }
        }
        true
    }
}

impl CheckPlan<'_> {
    /// Return the place of a held cell of `among` that W may fill when X takes the shared cell `o`,
    /// going on as planned, if there is one; lowers the slack to that plan's needs.
    #[inline(always)]
    fn answer<S: Simd>(&mut self, among: u8, o: u32) -> Option<usize> {
        let CheckPlan { context, plan, branch, left, .. } = *self;
        let (near, stone) = plan.order[o as usize & 15];
        let stone = i16::from(stone);
        'places: for filled in places(among & near).chain(places(among & !near)) {
            let rest = among & !(1 << filled);
            // Next to `o` and `filled` nothing changes: the stone comes all the same, X's a move earlier.
            let worse = near & !plan.adjacent[filled] & rest;
            let mut slack = *self.slack;
            let mut next = *branch;
            for i in places(worse) {
                next.lose(context, i, stone);
                if next.margin[i] < 0 {
                    continue 'places;
                }
                slack[i] = slack[i].min(next.margin[i]);
            }
            if rest & (rest - 1) != 0 {
                for i in places(plan.adjacent[filled] & !near & rest) {
                    next.gain(context, i, stone);
                }
                let (left, slack) = (left & !(1 << o), &mut slack);
                if !S::run(CheckPlan { context, plan, branch: &next, alive: rest, left, slack }) {
                    continue;
                }
            }
            *self.slack = slack;
            return Some(filled);
        }
        None
    }
}
