//! What a search shares: its tables with those of other threads, and what it knows with later ones, by a file.
//!
//! A file is words of 8 bytes, little-endian: [`FORMAT`], 1 if the unproven rule was on, the number of cells
//! numbered and the index of each, a check of all these, as every entry is read by them, and the two tables (see
//! [`Buckets::save`](crate::player::solver::buckets::Buckets::save)). Refutations to try again are not written, nor is what helps to
//! order moves.

use std::io::{self, Read, Write};

use crate::player::board::Cell;
use crate::player::solver::buckets::{check, get, put, wrong};

use super::*;

/// The first word of a file; another for another meaning of what follows.
const FORMAT: u64 = u64::from_le_bytes(*b"BHsolve2");

impl Search {
    /// Make another search that shares the tables of this one.
    pub fn partner(&self) -> Search {
        let mut partner = Search { kept: Kept::like(&self.kept), ..Search::new(0, 0) };
        partner.follow(self);
        partner
    }

    /// Take over what has changed in a search that this one shares the tables of.
    pub fn follow(&mut self, first: &Search) {
        if !self.table.is(&first.table) {
            self.forget_plies();
        }
        self.frame = first.frame.clone();
        self.table = first.table.clone();
        self.shapes = first.shapes.clone();
        self.shapes_wanted = first.shapes_wanted;
        self.shapes_always_from = first.shapes_always_from;
        self.reserve = first.reserve;
    }

    /// Work as a member of a crew from now on, or alone.
    pub fn work_with(&mut self, member: Option<Member>) {
        self.member = member;
    }

    /// Write the numbering of cells and the tables.
    pub fn save(&self, to: &mut impl Write) -> io::Result<()> {
        for word in self.head() {
            put(to, word)?;
        }
        put(to, check(0, &self.head()))?;
        self.table.save(to)?;
        self.shapes.save(to)
    }

    /// Return what a file begins with.
    fn head(&self) -> Vec<u64> {
        let cells = self.frame.cells();
        let indices = cells.iter().map(|cell| cell.index() as u64);
        [FORMAT, u64::from(self.reserve), cells.len() as u64].into_iter().chain(indices).collect()
    }

    /// Know what was written, and nothing else; nothing at all after an error (see
    /// [`Solver::load`](crate::player::solver::Solver::load)).
    pub fn load(&mut self, from: &mut impl Read) -> io::Result<()> {
        self.clear();
        let loaded = self.take_in(from);
        if loaded.is_err() {
            self.clear();
        }
        loaded
    }

    fn take_in(&mut self, from: &mut impl Read) -> io::Result<()> {
        let mut expect = |what: &str, expected: u64| {
            let found = get(from)?;
            if found == expected {
                Ok(())
            } else {
                Err(wrong(format!("{what} {found:#x}, expected {expected:#x}")))
            }
        };
        expect("not written by a solver: it begins with", FORMAT)?;
        expect("written with another setting of the unproven rule:", u64::from(self.reserve))?;
        for _ in 0..get(from)? {
            let index = get(from)?;
            let cell = Cell::all().find(|cell| cell.index() as u64 == index);
            if !cell.is_some_and(|cell| self.frame.number(cell)) {
                return Err(wrong(format!("cell {index}, expected the index of a cell not numbered before")));
            }
        }
        if get(from)? != check(0, &self.head()) {
            return Err(wrong("its cells are not as they were written".to_string()));
        }
        self.table.load(from)?;
        self.shapes.load(from)
    }
}
