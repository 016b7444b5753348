//! A node's moves: the choice of the edge that an iteration follows, and of the moves that get an edge
//! next (§3.0.2, selection and expansion).

use super::selection::{Best, Formula, LANES};
use super::tree::NodeId;
use super::{Replies, Search};
use crate::alpha::{Reasonable, Status, Target};
use crate::board::{CellSet, Move, PackedMove, Player, Stone, MAX_LEGAL_MOVES};
use crate::evaluation::{undominated_log_odds, DECIDED};
use crate::network::Network;
use crate::position::Position;
use crate::simd::Simd;

/// Moves open in a fresh node; the square root of its visits is added.
const OPEN_BASE: f32 = 8.0;

/// The place of an iteration on its way down.
pub(super) struct Visit {
    pub node: NodeId,
    pub position: Position,
    pub status: Status,
    /// Plies below the root.
    pub depth: usize,
    /// The AMAF table that selection uses here.
    pub table: u32,
    /// The AMAF table inherited by a child without its own.
    pub inherited: u32,
}

impl Search {
    /// Choose an edge of the visited node; `None` without memory for it. Only open moves can be chosen (all
    /// in the paper's program); more are opened as the visits grow, or once all open ones are proven lost.
    #[inline(always)]
    pub(super) fn select<S: Simd>(&mut self, visit: &Visit, target: Target) -> Option<usize> {
        let mover = visit.position.to_move();
        let node = visit.node;
        let full = self.tree.is_full();
        let model = self.model.as_ref().filter(|_| mover != self.root.to_move());
        if let Some(mv) = model.and_then(|model| model.reply(&visit.position, &mut self.random, false)) {
            let known = self.tree.edge_of(node, mv.packed());
            return known.or_else(|| (!full).then(|| self.tree.add_edge(node, mv.packed())));
        }
        if visit.depth == 0 && self.is_restricted() {
            return Some(self.select_restricted(node, mover));
        }
        let visits = self.tree.node(node).visits;
        let formula = Formula::new(&self.params, mover, visits);
        if self.params.paper {
            return self.select_of_all(visit, &formula, full);
        }
        let mut open = (OPEN_BASE + (visits as f32).sqrt()) as usize;
        loop {
            let have = self.tree.edges(node).len();
            if have < open && !self.tree.node(node).complete && !full {
                self.open_moves::<S>(visit, target, open.max(2 * have));
            }
            match self.best_edge(visit, &formula, open, full) {
                Some((edge, _)) => return Some(edge),
                None if full => return None,
                None if self.tree.is_lost(node) => {
                    // Modelled replies gave every move its edge before all were opened.
                    self.tree.node_mut(node).proven_winner = Some(mover.opponent());
                    return None;
                }
                None => open = 2 * open.max(1),
            }
        }
    }

    /// Choose among all reasonable moves, with or without an edge.
    #[inline(always)]
    fn select_of_all(&mut self, visit: &Visit, formula: &Formula, full: bool) -> Option<usize> {
        let node = visit.node;
        let known = self.best_edge(visit, formula, usize::MAX, full);
        if !full && !self.tree.node(node).complete {
            let (fresh, count) = self.best_without_edge(visit, formula);
            if let Some((mv, _)) = fresh.filter(|fresh| known.map_or(true, |known| known.1 < fresh.1)) {
                self.tree.node_mut(node).complete = count == 1;
                return Some(self.tree.add_edge(node, mv.packed()));
            }
            self.tree.node_mut(node).complete = count == 0;
        }
        // If all of them are proven lost, any will do.
        known.map(|(edge, _)| edge).or(if full { None } else { Some(0) })
    }

    /// Find the best of the first `end` edges of a node, with its score; `None` if all are lost. In a full
    /// arena, without room for another child, only edges with visits count.
    #[inline(always)]
    fn best_edge(&self, visit: &Visit, formula: &Formula, end: usize, full: bool) -> Option<(usize, f32)> {
        let mover = visit.position.to_move();
        // In a tree for believed replies the opponent chooses by its belief.
        let believes = self.replies == Replies::Believed && mover != self.root.to_move();
        let edges = self.tree.edges(visit.node);
        let amaf = self.tree.table(visit.table);
        let end = end.min(edges.len());
        let mut best = Best::NOTHING;
        let mut first = 0;
        while first < end {
            let count = LANES.min(end - first);
            let (mut visits, mut values, mut entries) = ([1.0; LANES], [0.0; LANES], [0; LANES]);
            for n in 0..count {
                let edge = &edges[first + n];
                visits[n] = edge.visits;
                values[n] = if believes { self.tree.believed(edge) } else { edge.red_value };
                if !amaf.is_empty() {
                    entries[n] = amaf[self.tree.layout.slot(mover, Move::unpacked(edge.mv))];
                }
            }
            let mut scores = [f32::NEG_INFINITY; LANES];
            for lane in 0..LANES {
                let score = formula.edge_score(visits[lane], values[lane], entries[lane]);
                let choosable = lane < count && (visits[lane] > 0.0 || !full);
                scores[lane] = if choosable { score } else { f32::NEG_INFINITY };
            }
            best.see(scores, first as u32);
            first += LANES;
        }
        best.best().map(|(edge, score)| (edge as usize, score))
    }

    /// Select one of the root's restricted moves by its value and its bonus, lost ones last, the first of
    /// equals.
    #[inline(always)]
    fn select_restricted(&self, root: NodeId, mover: Player) -> usize {
        let edges = self.tree.edges(root);
        let formula = Formula::new(&self.params, mover, self.tree.node(root).visits);
        let mut best: Option<(usize, f32)> = None;
        for &(edge, bonus) in &self.restricted {
            let score = formula.edge_score(edges[edge].visits, edges[edge].red_value, 0) + bonus;
            if best.map_or(true, |(_, most)| score.total_cmp(&most).is_gt()) {
                best = Some((edge, score));
            }
        }
        best.map_or(0, |(edge, _)| edge)
    }

    /// Open the `wanted` best undominated moves of a node by the static formula that have no edge yet, in
    /// the network's order if there is a prior.
    #[inline(always)]
    fn open_moves<S: Simd>(&mut self, visit: &Visit, target: Target, wanted: usize) {
        let mut rated = [(0.0f32, 0 as PackedMove); MAX_LEGAL_MOVES];
        let mut count = 0;
        undominated_log_odds::<S>(&visit.position, target, |mv, rating| {
            rated[count] = (rating, mv.packed());
            count += 1;
        });
        // The best first, ties in the same order on every machine.
        let before = |a: &(f32, PackedMove), b: &(f32, PackedMove)| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1));
        let wanted = wanted.min(count);
        if wanted < count {
            rated[..count].select_nth_unstable_by(wanted, before);
        }
        let prior = self.params.network_prior > 0 && self.replies == Replies::Strong;
        let mut fresh = 0;
        for n in 0..wanted {
            let (mut rating, mv) = rated[n];
            if self.tree.edge_of(visit.node, mv).is_some() {
                continue;
            }
            if prior && rating.abs() < DECIDED {
                let next = visit.position.after::<S>(Move::unpacked(mv));
                rating = -Network::own().mover_log_odds::<S>(&next, &Status::of::<S>(&next, target), target);
            }
            rated[fresh] = (rating, mv);
            fresh += 1;
        }
        rated[..fresh].sort_unstable_by(before);
        for &(rating, mv) in &rated[..fresh] {
            let edge = self.tree.add_edge(visit.node, mv);
            if prior && rating.abs() < DECIDED {
                let sign = f32::from(visit.position.to_move().sign());
                self.tree.edge_mut(visit.node, edge).set_prior(rating * sign);
            }
        }
        self.tree.node_mut(visit.node).complete = wanted == count;
    }

    /// Find the best reasonable move without an edge, with its score, and count these moves: row by row of
    /// the AMAF statistics, the largest stone's first, eight cells at a time.
    #[inline(always)]
    fn best_without_edge(&self, visit: &Visit, formula: &Formula) -> (Option<(Move, f32)>, u32) {
        let reasonable = Reasonable::of(&visit.position, &visit.status);
        let mover = visit.position.to_move();
        let (mut hand, layout) = (visit.position.hand(mover), &self.tree.layout);
        let amaf = self.tree.table(visit.table);
        let Some(least) = hand.smallest() else { return (None, 0) };
        let columns_of =
            |cells: CellSet| cells.into_iter().fold(0u64, |set, cell| set | 1 << layout.column(cell));
        let mut open = [columns_of(reasonable.any_stone); 16];
        open[usize::from(least.value())] |= columns_of(reasonable.least_only);
        for edge in self.tree.edges(visit.node) {
            let mv = Move::unpacked(edge.mv);
            open[usize::from(mv.stone.value())] &= !(1 << layout.column(mv.cell));
        }
        let (mut best, mut count) = (Best::NOTHING, 0);
        while let Some(stone) = hand.largest() {
            hand = hand.without(stone);
            let set = open[usize::from(stone.value())];
            count += set.count_ones();
            let (row, place) = (layout.row(mover, stone), u32::from(15 - stone.value()) << 6);
            for first in (0..layout.stride).step_by(LANES).filter(|_| set != 0) {
                let entries = if amaf.is_empty() { &[0; LANES] } else { &amaf[row + first..][..LANES] };
                let mut scores = [0.0; LANES];
                for lane in 0..LANES {
                    let score = formula.move_score(entries[lane]);
                    scores[lane] = if set >> (first + lane) & 1 != 0 { score } else { f32::NEG_INFINITY };
                }
                best.see(scores, place | first as u32);
            }
        }
        let of_place = |(place, score): (u32, f32)| {
            let stone = Stone::from_bit(15 - (place >> 6));
            let mut cells = (reasonable.any_stone | reasonable.least_only).into_iter();
            let cell = cells.find(|&cell| layout.column(cell) == (place & 63) as usize)?;
            Some((Move { cell, stone }, score))
        };
        (best.best().and_then(of_place), count)
    }
}
