//! The solver's tunables: what trades work at a node against the number of nodes. None of them can change
//! an answer. They were chosen by counts of nodes and by time on the positions of strong games
//! (`cargo bench --bench solver_sweep`).

use super::focus;
use super::ordering::Weights;

/// The need up to which the refined count is made; above, it rarely adds a cell.
pub const REFINE_UP_TO: i32 = 2;

/// The need up to which every child is tested for focus of its mover (see [`focus`]). At 3, a twentieth more time: what
/// is searched is tested when it is entered, and few children are.
pub const FOCUS_UP_TO: i32 = 2;

/// The need up to which every child is tested for focus of the side that has just moved. At 3, one test of a
/// hundred finds a win.
pub const OWN_FOCUS_UP_TO: i32 = 2;

/// The need up to which a node is tested for focus of either side when it is entered, whatever the other side lacks.
pub const NODE_FOCUS_UP_TO: i32 = 3;

/// Return the need up to which a node of so many empty cells is tested for focus of its mover when it is entered. The
/// more there are, the more work a win spares, and the longer a test may take. With 7 for this and the next three, the
/// values of 17 to 19 cells take a sixth more time, those of 20 a quarter, for a tenth and a fifth fewer nodes.
pub const fn entry_focus_up_to(empty: u32) -> i32 {
    match empty {
        ..15 => 4,
        15..17 => 5,
        _ => focus::MOST as i32,
    }
}

/// The same for the side that has just moved: few nodes are won so.
pub const OWN_ENTRY_FOCUS_UP_TO: i32 = 4;

/// The same for the children of hints, in the order of the hints. One in five of the first is won so at a need of 5; at
/// 6 and 7 a test takes two to five times as long and finds half and a quarter as many.
pub const HINT_FOCUS_UP_TO: [i32; HINTS] = [5, 5, 4, 4];

/// The same for children looked at before the first is searched. Of ten thousand looks at a need of 6 or 7, thirty
/// find a win.
pub const GLANCE_FOCUS_UP_TO: i32 = 5;

/// The moves tested for focus on more cells before the first is searched, the best rated ones. All are
/// looked up in the table.
pub const FOCUSED: usize = 10;

/// The most sets tried for focus on four cells or more, counting those of three and more on the way that may still
/// grow to so many. Twice as many take longer; with half as many (and half at a glance), more positions of 20 cells are
/// left undecided after 5 million nodes.
pub const FOCUS_SETS: u32 = 400;

/// What a plan for a whole set counts for more among them, if it fails: where one does, the next mostly does too.
/// Half or twice as much makes no difference.
pub const FOCUS_PLAN: u32 = 12;

/// The most sets tried for children looked at before the first is searched: few of them are won so.
pub const FOCUS_GLANCE_SETS: u32 = 100;

/// The moves that won last at a ply, tried before the others are looked at. Half the nodes of 19 empty
/// cells, and a seventh of the time.
pub const HINTS: usize = 4;

/// Failed moves after which the others are regrouped by cell, for sibling pruning.
pub const REGROUP_AFTER: usize = 6;

/// How much larger a stone may be to be refuted together with another on the same cell. At 2, a sixth more
/// nodes at 20 empty cells: what such a try proves asks for more, and serves fewer positions.
pub const TOGETHER: u8 = 1;

/// The same above the smallest stone that the other side's stale cells will not take.
pub const TOGETHER_SPARE: u8 = 4;

/// The work such a try may take, in that of the hardest move refuted at the node so far.
pub const TOGETHER_WORK: u64 = 2;

/// The work it may take in any case, in nodes.
pub const TOGETHER_LEAST_WORK: u64 = 300;

/// The refutations kept for a set of empty cells. With twice as many (and twice as many sets), 2 % fewer nodes.
pub const KEPT: usize = 32;

/// The most bytes for refutations kept, and the part of the table's bytes that they take: one in so many.
pub const KEPT_BYTES: usize = 16 << 20;
pub const KEPT_PART: usize = 8;


/// By how many counts the hands alone may miss a certificate in the table for its winning move to be searched at
/// once, before any other move is looked at. A tenth of the nodes; from 2 on the number matters little.
pub const NEAR: u32 = 4;

/// By how much hands and scores together may miss one for its winning move to be searched at once within
/// [`NEAR_WORK`]: two tries of three win. A sixth of the nodes of 18 and 19 empty cells, a fifth at 20; less of the time, as
/// what it spares is cheap looks. At 4, 16 or 40 about the same.
pub const NEAR_IN_ALL: u32 = 8;

/// The nodes that such a try may take: about twice as many as it takes to look at all moves. Between 200 and 1,000 the
/// same; without a bound, most of the gain is lost.
pub const NEAR_WORK: u64 = 200;

/// The empty cells from which it is made. Below, as many nodes and a little more time.
pub const NEAR_FROM: u32 = 8;

/// The weights of the order of moves (see [`ordering`](super::ordering)).
pub const WEIGHTS: Weights = Weights {
    need: 2200,
    undecided: -220,
    own_stale: 312,
    other_stale: 134,
    balance: 1126,
    slope: 1321,
    square: -155,
    single: -357,
    edge: -279,
    own_edge: -1289,
    other_edge: 693,
    stone: 19,
    influence: 190,
    product: 5,
};

/// What a move that wins after others failed gains at its ply, in the units of the weights; fitted with them. Learning
/// at all takes a third off the nodes of 19 empty cells in the mean, nine tenths in some of the hardest.
pub const LESSON_MOVE: i16 = 1500;

/// What its cell gains.
pub const LESSON_CELL: i16 = 390;

/// What each move loses that failed before.
pub const LESSON_PASSED_MOVE: i16 = 330;

/// What the cell of each loses.
pub const LESSON_PASSED_CELL: i16 = 55;

/// What is learned fades by one part in 2 to the power of this with every lesson.
pub const LESSON_FADING: u32 = 3;

/// Steps of one point from the first target of an exact value, while the answers are alike, before they grow. With one, up
/// to 7 % more nodes at 15 to 19 empty cells.
pub const SINGLE_STEPS: u32 = 2;

/// Nodes for one question on the way to an exact value, before it is put off until easier ones are answered: a part
/// of what is allowed, within these bounds. A question that is put off and asked again costs more than one that is
/// answered at once, at 20 empty cells a tenth in the mean; but if it is not answered at all, the others give bounds.
pub const FIRST_BUDGET: std::ops::RangeInclusive<u64> = 200_000..=2_000_000;

/// The part of what is allowed that the first budget is: one in so many.
pub const FIRST_BUDGET_PART: u64 = 10;

/// Nodes that a second of the time allowed stands for, roughly.
pub const NODES_PER_SECOND: f64 = 2.5e6;

/// Growth of the budget for one question when all others are answered.
pub const BUDGET_GROWTH: u64 = 8;
