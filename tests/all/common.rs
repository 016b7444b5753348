//! Games and texts that several tests use, and the names that most of them need.
#![allow(dead_code, unused_imports)] // each test file uses its own part

use rand::Rng;
use rand::seq::SliceRandom;

pub use std::fs;
pub use std::path::Path;
pub use std::process::Command;
pub use std::sync::atomic::{AtomicBool, Ordering};
pub use std::time::{Duration, Instant};

pub use blackhole::games::files::{self, RecordedGame};
pub use blackhole::games::record::Record;
pub use blackhole::judge::verdict::{Effort, Judge};
pub use blackhole::player::board::{Cell, Move, Player};
pub use blackhole::player::engine::Options;
pub use blackhole::player::limits::Limits;
pub use blackhole::player::params::Params;
pub use blackhole::player::position::{Position, Score};
pub use blackhole::player::simd::Portable;
pub use blackhole::player::solver::{Bounds, Solver};
pub use blackhole::player::testing::*;
pub use blackhole::review::game::{ReviewSettings, review};
pub use blackhole::review::judged::{JudgedMove, Review, mark};
pub use blackhole::terminal::session::STOP;
pub use rand::RngExt;
pub use serde_json::{Value, json};
pub use unicode_width::UnicodeWidthStr;

pub use crate::scratch::*;

/// The blocked cells of an opening, as the referee sends them.
pub const FIVE: &str = "E2\nA1\nC4\nG2\nD2\n";

/// Four empty cells in a row and small hands: solved at once.
pub const EMPTY_4: &str = "B1 B2 B3 B4 B5 B6 B7 C1 C2 C3 C4 C5 C6 D1 D2 D3 D4 D5 E1 E2 E3 E4 F1 F2 F3 G1 G2 H1 \
                           A5 A6 A7 A8 red:3,5 blue:2";

/// A recorded game after 10 moves: 21 empty cells.
pub const EMPTY_21: &str = "E2 B7 D5 H1 A8 C3=15 D2=15 B5=14 F1=14 E4=13 B2=13 A6=12 D4=12 G1=11 C5=11";

/// The whole game in the community's explanation of its notation.
pub const EXAMPLE: &str = "t0v04060f0nf8ojebuadotqc9l1bsicarje92px8grh7lh31isw6dnp5yqz3mk04um52kg";

pub const README: &str = include_str!("../../README.md");

/// The first block of code of the README that begins so.
pub fn readme_block(beginning: &str) -> &'static str {
    let mut blocks = README.split("```").skip(1).step_by(2);
    blocks.find(|block| block.starts_with(beginning)).expect("a block")
}

pub fn record(text: &str) -> Record {
    Record::parse(text).expect("a record")
}

/// A game without names.
pub fn unnamed(record: Record) -> RecordedGame {
    RecordedGame { title: String::new(), names: Default::default(), record, points: None, fault: None }
}

/// A game that begins at a position, its blocked cells in any order.
pub fn begun_at(rng: &mut impl Rng, position: &Position) -> Record {
    let mut blocked: Vec<Cell> = Cell::all().filter(|&cell| !position.empty().contains(cell)).collect();
    blocked.shuffle(rng);
    let hands = Player::BOTH.map(|player| position.hand(player));
    Record::with_hands(&blocked, hands, position.to_move()).expect("counts fit")
}

/// A game with this many random moves added, or played to its end.
pub fn play_on(rng: &mut impl Rng, mut record: Record, plies: usize) -> Record {
    for _ in 0..plies.min(record.position().empty().len() as usize - 1) {
        record.push(random_move(rng, record.position())).expect("legal");
    }
    record
}
