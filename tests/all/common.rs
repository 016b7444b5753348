//! Slower, obviously right versions of the rules and of perfect play, and positions to compare on.
#![allow(dead_code)] // each test file uses its own part

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use blackhole::player::board::{Cell, Move, Player};
use blackhole::player::position::{Position, Score};
use blackhole::workshop::games;
use blackhole::workshop::record::Record;
use rand::Rng;
use rand::seq::SliceRandom;

pub(crate) use blackhole::player::testing::{
    after, brute_value, random_game, random_move, random_opening, random_position, rng,
};

/// Return the value of the position after each legal move.
pub fn brute_values(position: &Position) -> Vec<(Move, Score)> {
    position.legal_moves().map(|mv| (mv, brute_value(&after(position, mv)))).collect()
}

/// The processor time that this thread has used: unlike the clock it stands still while others run.
/// The clock, on a system without the processor time of a thread.
pub fn thread_time() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    #[cfg(unix)]
    {
        use rustix::time::{ClockId, clock_gettime};
        Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_else(|_| START.elapsed())
    }
    #[cfg(not(unix))]
    START.elapsed()
}

/// The blocked cells of an opening, as the referee sends them.
pub const FIVE: &str = "E2\nA1\nC4\nG2\nD2\n";

/// Four empty cells in a row and small hands: solved at once.
pub const EMPTY_4: &str = "B1 B2 B3 B4 B5 B6 B7 C1 C2 C3 C4 C5 C6 D1 D2 D3 D4 D5 E1 E2 E3 E4 F1 F2 F3 G1 G2 H1 \
                           A5 A6 A7 A8 red:3,5 blue:2";

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

/// The rules read straight from their description: coordinates, no bitboards, nothing incremental.
#[derive(Clone, Debug)]
pub struct Naive {
    /// Column, row and what lies there: `None` empty, `Some(0)` blocked, red positive, blue
    /// negative.
    pub cells: Vec<(i32, i32, Option<i32>)>,
    /// The cells next to each.
    pub near: Vec<Vec<usize>>,
    /// The stones left, Red's and Blue's.
    pub hands: [Vec<i32>; 2],
    /// 0 for Red, 1 for Blue.
    pub to_move: usize,
}

impl Naive {
    pub fn start(blocked: &[String]) -> Naive {
        let mut cells = Vec::new();
        for u in 0..8 {
            for v in 0..8 - u {
                let name = format!("{}{}", (b'A' + u as u8) as char, v + 1);
                cells.push((u, v, blocked.contains(&name).then_some(0)));
            }
        }
        let steps = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)];
        let beside = |&(u, v, _): &(i32, i32, _)| {
            let next = |&(x, y, _): &(i32, i32, _)| steps.iter().any(|&(a, b)| (u + a, v + b) == (x, y));
            (0..cells.len()).filter(|&i| next(&cells[i])).collect()
        };
        let near = cells.iter().map(beside).collect();
        Naive { cells, near, hands: [(1..=15).collect(), (1..=15).collect()], to_move: 0 }
    }

    pub fn score(&self, index: usize) -> i32 {
        self.near[index].iter().map(|&n| self.cells[n].2.unwrap_or(0)).sum()
    }

    pub fn empty(&self) -> Vec<usize> {
        (0..self.cells.len()).filter(|&i| self.cells[i].2.is_none()).collect()
    }

    pub fn play(&mut self, index: usize, stone: i32) {
        assert!(self.cells[index].2.is_none());
        let hand = &mut self.hands[self.to_move];
        hand.remove(hand.iter().position(|&held| held == stone).expect("a stone of the hand"));
        self.cells[index].2 = Some(if self.to_move == 0 { stone } else { -stone });
        self.to_move = 1 - self.to_move;
    }
}

/// Positions of games between strong programs, one from every `step`th game, with so many empty
/// cells.
pub fn strong_positions(empty: u32, step: usize) -> Vec<Position> {
    let games = games::read(include_bytes!("../data/strong.jsonl")).expect("games");
    games.iter().step_by(step).filter_map(|game| games::position_at(&game.record, empty)).collect()
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
