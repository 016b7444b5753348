//! Slower, obviously right versions of the rules and of perfect play, and positions to compare on.
#![allow(dead_code)] // each test file uses its own part

use std::collections::HashMap;

use blackhole::player::board::{Cell, Move, Player};
use blackhole::player::position::Position;
use blackhole::player::record::Record;
use blackhole::workshop::games;
use blackhole::workshop::notation::Notation;

pub(crate) use blackhole::player::testing::{
    image, images, mirrored, random_game, random_move, random_opening, random_position, rng,
};

/// The blocked cells of an opening, as the referee sends them.
pub const FIVE: &str = "E2\nA1\nC4\nG2\nD2\n";

/// Four empty cells in a row and small hands: solved at once.
pub const EMPTY_4: &str = "B1 B2 B3 B4 B5 B6 B7 C1 C2 C3 C4 C5 C6 D1 D2 D3 D4 D5 E1 E2 E3 E4 F1 F2 F3 G1 G2 H1 \
                           A5 A6 A7 A8 red:3,5 blue:2";

/// The whole game by which the community's notation is explained.
pub const EXAMPLE: &str = "t0v04060f0nf8ojebuadotqc9l1bsicarje92px8grh7lh31isw6dnp5yqz3mk04um52kg";

pub fn record(text: &str) -> Record {
    Record::parse(text).expect("a record")
}

/// The rules read straight from their description: coordinates, no bitboards, nothing incremental.
#[derive(Clone, Debug)]
pub struct Naive {
    /// Column, row and what lies there: `None` empty, `Some(0)` blocked, red positive, blue
    /// negative.
    pub cells: Vec<(i32, i32, Option<i32>)>,
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
        Naive { cells, hands: [(1..=15).collect(), (1..=15).collect()], to_move: 0 }
    }

    pub fn neighbours(&self, u: i32, v: i32) -> Vec<usize> {
        let steps = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)];
        let beside = |&(x, y, _): &(i32, i32, _)| steps.iter().any(|&(a, b)| (u + a, v + b) == (x, y));
        (0..self.cells.len()).filter(|&i| beside(&self.cells[i])).collect()
    }

    pub fn score(&self, index: usize) -> i32 {
        let (u, v, _) = self.cells[index];
        self.neighbours(u, v).iter().map(|&n| self.cells[n].2.unwrap_or(0)).sum()
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

/// Perfect play without any skipping: the final score under best play of both, by trying every
/// legal move.
#[derive(Default)]
pub struct BruteForce {
    memo: HashMap<(u64, u16, u16, Vec<i8>), i8>,
}

impl BruteForce {
    pub fn value(&mut self, position: &Position) -> i8 {
        if let Some(score) = position.final_score() {
            return score;
        }
        if position.empty().len() >= 6 {
            return alpha_beta(position);
        }
        let scores = position.empty().into_iter().map(|cell| position.score(cell)).collect();
        let [red, blue] = Player::BOTH.map(|player| position.hand(player).bits());
        let key = (position.empty().bits(), red, blue, scores);
        if let Some(&value) = self.memo.get(&key) {
            return value;
        }
        let value = self.minimax(position);
        self.memo.insert(key, value);
        value
    }

    /// The value by trying every move of a game that goes on.
    pub fn minimax(&mut self, position: &Position) -> i8 {
        let values = self.move_values(position).into_iter().map(|(_, value)| value);
        match position.to_move() {
            Player::Red => values.max(),
            Player::Blue => values.min(),
        }
        .expect("a move")
    }

    /// The value of the position after each legal move.
    pub fn move_values(&mut self, position: &Position) -> Vec<(Move, i8)> {
        position.legal_moves().map(|mv| (mv, self.value(&after(position, mv)))).collect()
    }
}

/// The position after a legal move.
pub fn after(position: &Position, mv: Move) -> Position {
    let mut next = *position;
    next.try_play(mv).expect("a legal move");
    next
}

/// The value by alpha-beta over every legal move, without a table or any other rule: for positions
/// that are too large for minimax.
pub fn alpha_beta(position: &Position) -> i8 {
    let cells: Vec<Cell> = position.empty().into_iter().collect();
    let near = |cell: &Cell| (0..cells.len()).filter(|&i| cell.neighbours().contains(cells[i])).collect();
    let near: Vec<Vec<usize>> = cells.iter().map(near).collect();
    let scores: Vec<i32> = cells.iter().map(|&cell| i32::from(position.score(cell))).collect();
    let sign = i32::from(position.to_move().sign());
    let hand = |player: Player| position.hand(player).iter().map(|stone| i32::from(stone.value())).collect();
    let mover = position.to_move();
    let mut hands: [Vec<i32>; 2] = [hand(mover), hand(mover.opponent())];
    let mut scores: Vec<i32> = scores.into_iter().map(|score| sign * score).collect();
    let mut empty: Vec<bool> = vec![true; cells.len()];
    (sign * negamax(&near, &mut scores, &mut empty, &mut hands, -1000, 1000)) as i8
}

/// Scores are those of the player to move, whose hand is the first.
fn negamax(
    near: &[Vec<usize>],
    scores: &mut [i32],
    empty: &mut [bool],
    hands: &mut [Vec<i32>; 2],
    mut low: i32,
    high: i32,
) -> i32 {
    if hands[0].is_empty() {
        let hole = empty.iter().position(|&empty| empty).expect("one empty cell");
        return scores[hole];
    }
    let mut best = i32::MIN;
    for rank in (0..hands[0].len()).rev() {
        let stone = hands[0].remove(rank);
        for cell in 0..empty.len() {
            if !empty[cell] {
                continue;
            }
            empty[cell] = false;
            near[cell].iter().for_each(|&other| scores[other] += stone);
            scores.iter_mut().for_each(|score| *score = -*score);
            hands.swap(0, 1);
            let value = -negamax(near, scores, empty, hands, -high, -low);
            hands.swap(0, 1);
            scores.iter_mut().for_each(|score| *score = -*score);
            near[cell].iter().for_each(|&other| scores[other] -= stone);
            empty[cell] = true;
            best = best.max(value);
            low = low.max(value);
            if low >= high {
                hands[0].insert(rank, stone);
                return best;
            }
        }
        hands[0].insert(rank, stone);
    }
    best
}

/// Positions of games between strong programs, one from every `step`th game, with so many empty
/// cells.
pub fn strong_positions(empty: u32, step: usize) -> Vec<Position> {
    let games = games::read(include_bytes!("../data/strong.jsonl")).expect("games");
    games.iter().step_by(step).filter_map(|game| games::position_at(&game.record, empty)).collect()
}
