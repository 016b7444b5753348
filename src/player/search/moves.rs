//! A node's moves: which of its edges an iteration follows, and which moves get an edge next
//! (§3.0.2, selection and expansion).

use super::amaf::Amaf;
use super::selection::{Best, Formula, LANES};
use super::tree::{NodeId, NONE};
use super::{Assumed, Search};
use crate::alpha::{Reasonable, Status, Target};
use crate::board::{CellSet, Move, PackedMove, Player, Stone, MOST_MOVES};
use crate::evaluation::{undominated_merits, DECIDED};
use crate::network::Network;
use crate::position::Position;
use crate::simd::Simd;

/// Where an iteration is.
pub(super) struct Visit {
    pub node: NodeId,
    pub position: Position,
    pub status: Status,
    /// Plies below the root.
    pub depth: usize,
    /// The AMAF table that selection uses here, or [`NONE`].
    pub table: u32,
    /// The one that a child uses which has none.
    pub inherited: u32,
}

impl Search {
    /// Choose an edge of the node that is visited; `None` when that would take memory there is not.
    ///
    /// With ordered moves only the opened ones can be chosen. More are opened as the visits grow,
    /// or when all open ones are proven lost. Without, every reasonable move can.
    #[inline(always)]
    pub(super) fn select<S: Simd>(&mut self, visit: &Visit, target: Target) -> Option<usize> {
        let mover = visit.position.to_move();
        let node = visit.node;
        if visit.depth == 0 && !self.restricted.is_empty() {
            return Some(self.select_restricted(node, mover));
        }
        let visits = self.tree.node(node).visits;
        let formula = Formula::new(&self.params, mover, visits);
        // A full arena has no room for another child: only those there are can be chosen.
        let full = self.tree.is_full();
        if self.params.paper {
            return self.select_of_all(visit, &formula, full);
        }
        let mut open = (self.params.open_base + self.params.open_rate * (visits as f32).sqrt()) as usize;
        loop {
            let have = self.tree.edges(node).moves.len();
            if have < open && !self.tree.node(node).complete && !full {
                self.open_moves::<S>(visit, target, open.max(2 * have));
            }
            match self.best_edge(visit, &formula, open, full) {
                Some((edge, _)) => return Some(edge),
                None if full => return None,
                None if self.tree.is_lost(node) => {
                    // Modelled replies gave every move its edge before all were opened.
                    self.tree.node_mut(node).proof = Some(mover.opponent());
                    return None;
                }
                // Every open move is proven lost, but not every move is open.
                None => open = 2 * open.max(1),
            }
        }
    }

    /// Choose among all reasonable moves, with an edge or not.
    #[inline(always)]
    fn select_of_all(&mut self, visit: &Visit, formula: &Formula, full: bool) -> Option<usize> {
        let node = visit.node;
        let best = self.best_edge(visit, formula, usize::MAX, full);
        let edge = best.map(|(edge, _)| edge);
        if self.tree.node(node).complete || full {
            // All of them may be proven lost: then any will do.
            return edge.or(if full { None } else { Some(0) });
        }
        let (fresh, count) = self.best_without_edge(visit, formula);
        match (best, fresh) {
            (Some((edge, score)), Some((_, of_fresh))) if score >= of_fresh => Some(edge),
            (_, Some((mv, _))) => {
                self.tree.node_mut(node).complete = count == 1;
                Some(self.tree.add_edge(node, mv.packed(), NONE))
            }
            (_, None) => {
                self.tree.node_mut(node).complete = true;
                edge.or(Some(0))
            }
        }
    }

    /// Return the AMAF statistics of a table, none for no table.
    #[inline(always)]
    fn amaf(&self, table: u32) -> &[Amaf] {
        if table == NONE {
            &[]
        } else {
            self.tree.table(table)
        }
    }

    /// Find the best of the first `end` edges of a node, with its score; `None` if all are lost.
    /// Those never tried count only while there is room for their child.
    #[inline(always)]
    fn best_edge(&self, visit: &Visit, formula: &Formula, end: usize, full: bool) -> Option<(usize, f32)> {
        let mover = visit.position.to_move();
        // The opponent of such a tree chooses by what it believes.
        let believes = self.assumed == Assumed::Believed && mover != self.root.to_move();
        let edges = self.tree.edges(visit.node);
        let amaf = self.amaf(visit.table);
        let end = end.min(edges.moves.len());
        let mut best = Best::NOTHING;
        let mut first = 0;
        while first < end {
            let count = LANES.min(end - first);
            let (mut visits, mut worths, mut entries) = ([1.0; LANES], [0.0; LANES], [0; LANES]);
            for n in 0..count {
                visits[n] = edges.visits[first + n];
                worths[n] = edges.worths[first + n];
                if believes {
                    worths[n] = self.tree.believed(visit.node, first + n);
                }
                if !amaf.is_empty() {
                    entries[n] = amaf[self.tree.slots().slot(mover, Move::unpacked(edges.moves[first + n]))];
                }
            }
            let mut scores = [f32::NEG_INFINITY; LANES];
            for lane in 0..LANES {
                let score = formula.edge(visits[lane], worths[lane], entries[lane]);
                let choosable = lane < count && (visits[lane] > 0.0 || !full);
                scores[lane] = if choosable { score } else { f32::NEG_INFINITY };
            }
            best.see(scores, first as u32);
            first += LANES;
        }
        best.best().map(|(edge, score)| (edge as usize, score))
    }

    /// Select one of the moves that the root is restricted to, by its value and what is added to
    /// it; those that are lost last.
    #[inline(always)]
    fn select_restricted(&self, root: NodeId, mover: Player) -> usize {
        let edges = self.tree.edges(root);
        let formula = Formula::new(&self.params, mover, self.tree.node(root).visits);
        let score =
            |&(edge, bonus): &(usize, f32)| formula.edge(edges.visits[edge], edges.worths[edge], 0) + bonus;
        // Of equals the first.
        let best = self.restricted.iter().rev().max_by(|a, b| score(a).total_cmp(&score(b)));
        best.map_or(0, |&(edge, _)| edge)
    }

    /// Open moves of a node: judge every move that no other one dominates by the static formula and
    /// add edges for those of the `wanted` best ones that have none. With a prior they come in the
    /// order in which the network, too, sees them.
    #[inline(always)]
    fn open_moves<S: Simd>(&mut self, visit: &Visit, target: Target, wanted: usize) {
        let mut merits = [(0.0f32, 0 as PackedMove); MOST_MOVES];
        let mut count = 0;
        undominated_merits::<S>(&visit.position, &visit.status, target, |mv, merit| {
            merits[count] = (merit, mv.packed());
            count += 1;
        });
        let merits = &mut merits[..count];
        // The best first; of equals the one judged first, so that the order is the same everywhere.
        let before = |a: &(f32, PackedMove), b: &(f32, PackedMove)| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1));
        let wanted = wanted.min(count);
        if wanted < count {
            merits.select_nth_unstable_by(wanted, before);
        }
        let mut fresh = 0;
        for n in 0..wanted {
            if !self.tree.edges(visit.node).moves.contains(&merits[n].1) {
                merits.swap(fresh, n);
                fresh += 1;
            }
        }
        let fresh = &mut merits[..fresh];
        let mover = visit.position.to_move();
        let prior = self.params.network_prior > 0 && self.assumed == Assumed::Best;
        for (merit, mv) in fresh.iter_mut().filter(|(merit, _)| prior && merit.abs() < DECIDED) {
            let next = visit.position.after::<S>(Move::unpacked(*mv));
            let status = Status::of::<S>(&next, target);
            *merit = -Network::own().advantage::<S>(&next, &status, target);
        }
        fresh.sort_unstable_by(before);
        for &(merit, mv) in fresh.iter() {
            let edge = self.tree.add_edge(visit.node, mv, NONE);
            if prior && merit.abs() < DECIDED {
                self.tree.judge_edge(visit.node, edge, merit * f32::from(mover.sign()));
            }
        }
        self.tree.node_mut(visit.node).complete = wanted == count;
    }

    /// Find the best reasonable move that has no edge yet, with its score, and count those there
    /// are: row by row of the AMAF statistics, the largest stone's first, eight cells at a time.
    #[inline(always)]
    fn best_without_edge(&self, visit: &Visit, formula: &Formula) -> (Option<(Move, f32)>, u32) {
        let reasonable = Reasonable::of(&visit.position, &visit.status);
        let mover = visit.position.to_move();
        let (hand, slots, amaf) = (visit.position.hand(mover), self.tree.slots(), self.amaf(visit.table));
        let Some(least) = hand.smallest() else { return (None, 0) };
        let columns_of =
            |cells: CellSet| cells.into_iter().fold(0u64, |set, cell| set | 1 << slots.column(cell));
        let any_stone = columns_of(reasonable.any_stone);
        let mut open = [any_stone; 16];
        open[usize::from(least.value())] |= columns_of(reasonable.least_only);
        for &packed in self.tree.edges(visit.node).moves {
            let mv = Move::unpacked(packed);
            open[usize::from(mv.stone.value())] &= !(1 << slots.column(mv.cell));
        }
        let stride = slots.stride;
        let (mut best, mut count) = (Best::NOTHING, 0);
        let mut stones = hand.bits();
        while stones != 0 {
            let value = 15 - stones.leading_zeros();
            stones &= !(1 << value);
            let set = open[value as usize];
            count += set.count_ones();
            if set == 0 {
                continue;
            }
            if amaf.is_empty() {
                let mut scores = [f32::NEG_INFINITY; LANES];
                scores[0] = formula.no_edge(0);
                best.see(scores, (15 - value) << 6 | set.trailing_zeros());
                continue;
            }
            let row = slots.row(mover, Stone::from_bit(value));
            for (block, entries) in amaf[row..row + stride].chunks_exact(LANES).enumerate() {
                let here = (set >> (block * LANES)) as u32;
                let mut scores = [0.0; LANES];
                for lane in 0..LANES {
                    let score = formula.no_edge(entries[lane]);
                    scores[lane] = if here >> lane & 1 != 0 { score } else { f32::NEG_INFINITY };
                }
                best.see(scores, (15 - value) << 6 | (block * LANES) as u32);
            }
        }
        let of_place = |(place, score): (u32, f32)| {
            let stone = Stone::from_bit(15 - (place >> 6));
            let column = (place & 63) as usize;
            let cells = reasonable.any_stone | reasonable.least_only;
            let cell = cells.into_iter().find(|&cell| slots.column(cell) == column)?;
            Some((Move { cell, stone }, score))
        };
        (best.best().and_then(of_place), count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::params::Params;
    use crate::search::selection::logistic;
    use crate::simd::Portable;
    use crate::testing;

    /// Return the chance of the player who has just moved to a position, by the network.
    fn judged(next: &Position, target: Target) -> f32 {
        let status = Status::of::<Portable>(next, target);
        logistic(-Network::own().advantage::<Portable>(next, &status, target))
    }

    /// Where no visits and no statistics of moves say otherwise, the move that is tried first is the
    /// best by the network of those few that are best by the static formula; its judgement is that
    /// of the node it leads to.
    #[test]
    fn of_the_best_by_the_formula_the_best_by_the_network_is_tried_first() {
        let mut rng = testing::rng(83);
        let (mut tried, mut unlike) = (0, 0);
        for game in 0..60 {
            let position = testing::random_play(&mut rng, 14 + game % 15);
            let target = Target::new(i32::from(game as u8 % 7) - 3);
            let status = Status::of::<Portable>(&position, target);
            let mut merits: Vec<(f32, Move)> = Vec::new();
            undominated_merits::<Portable>(&position, &status, target, |mv, merit| merits.push((merit, mv)));
            merits.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.packed().cmp(&a.1.packed())));
            merits.truncate(8);
            if status.winner(&position).is_some() || merits.iter().any(|(merit, _)| merit.abs() >= DECIDED) {
                continue;
            }
            let by_network = |&(_, mv): &(f32, Move)| judged(&position.after::<Portable>(mv), target);
            let best = merits.iter().map(by_network).fold(f32::MIN, f32::max);
            let params = Params {
                open_base: 7.0,
                expand_visits: 1,
                amaf_source: 0,
                leaf_playout: 0.0,
                ..Params::default()
            };
            let mut search = Search::new(&position, &params, 3, 1 << 20);
            search.run(target, &Limits::nodes(2));
            let candidates = search.candidates(target);
            let found = by_network(&(0.0, candidates[0].mv));
            assert!(candidates.len() == 1 && found == best, "{position:?} for {target}: {candidates:?}");
            assert!((candidates[0].value - best).abs() < 1e-6, "{candidates:?}, {best}");
            tried += 1;
            unlike += usize::from(by_network(&merits[0]) < best);
        }
        assert!(tried > 30 && unlike > 10, "{unlike} of {tried}");
    }
}
