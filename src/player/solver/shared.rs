//! The common data of the workers on one position.
//!
//! `ask_with_help` lists its question, and workers in `help` search it, too: the first answer ends it for
//! all. A state is marked once a worker searches it: others leave its move for last.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, OnceLock};

use crate::alpha::state::Frame;
use crate::alpha::Target;
use crate::position::Position;

use super::table::Table;

/// Places of the marks on states.
const MARKS: usize = 1024;

/// The workers' common data: proofs, and the numbering of cells.
pub struct Shared {
    pub frame: Frame,
    pub table: Table,
    /// The size of the table that was asked for.
    pub bytes: usize,
    /// The questions being searched, for workers without work.
    pub questions: Mutex<Vec<Arc<SharedQuestion>>>,
    pub asked: Condvar,
    /// Hashes of the states last searched below shared questions.
    marks: Vec<AtomicU64>,
}

impl Shared {
    pub fn new(bytes: usize) -> Arc<Shared> {
        let marks = (0..MARKS).map(|_| AtomicU64::new(0)).collect();
        let (questions, asked) = (Mutex::default(), Condvar::new());
        Arc::new(Shared { frame: Frame::default(), table: Table::new(bytes), bytes, questions, asked, marks })
    }

    pub fn is_marked(&self, hash: u64) -> bool {
        self.marks[hash as usize % MARKS].load(Relaxed) == hash
    }

    pub fn mark(&self, hash: u64) {
        self.marks[hash as usize % MARKS].store(hash, Relaxed);
    }
}

/// The winner, and the winning move if wanted.
pub type QuestionAnswer = (usize, Option<(u8, u8)>);

/// A question that several workers search: the first answer ends it, or `None` if the worker that asked gives up.
pub struct SharedQuestion {
    pub position: Position,
    pub target: Target,
    pub wants_move: bool,
    pub helpers: AtomicUsize,
    pub answer: OnceLock<Option<QuestionAnswer>>,
}
