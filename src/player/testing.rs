//! Random and recorded games, their positions, and plain perfect play, for the tests of all packages.

use std::cmp::Reverse;

use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::board::{Cell, CellSet, Hand, Move, Player, Stone};
use crate::position::{Position, Score};

pub fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

pub fn random_opening(rng: &mut impl Rng) -> [Cell; 5] {
    let mut cells: Vec<Cell> = Cell::all().collect();
    cells.shuffle(rng);
    std::array::from_fn(|i| cells[i])
}

/// Draw a legal move; the game must not be over.
pub fn random_move(rng: &mut impl Rng, position: &Position) -> Move {
    let moves: Vec<Move> = position.legal_moves().collect();
    moves[rng.random_range(0..moves.len())]
}

/// Play a CodeCup game at random. Return its positions, from 31 empty cells to 1: `game[31 - empty]`.
pub fn random_game(rng: &mut impl Rng) -> Vec<Position> {
    let start = Position::standard(&random_opening(rng)).expect("five cells");
    let mut game = vec![start];
    while game[game.len() - 1].final_score().is_none() {
        let mut next = game[game.len() - 1];
        next.try_play(random_move(rng, &next)).expect("a legal move");
        game.push(next);
    }
    game
}

/// Return a position of `empty` (1..=31) empty cells from a random CodeCup game.
pub fn random_play(rng: &mut impl Rng, empty: usize) -> Position {
    random_game(rng)[31 - empty]
}

/// Return a position that need not occur in a game: `empty` (1..=31) empty cells of any shape (one clump, or
/// scattered), random hands, either player to move, and scores that make targets near 0 contested.
pub fn random_position(rng: &mut impl Rng, empty: usize) -> Position {
    let mut cells: Vec<Cell> = Cell::all().collect();
    cells.shuffle(rng);
    let mut chosen = CellSet::of(cells[0]);
    while chosen.len() < empty as u32 {
        // Mostly grow the clump: scattered cells are stale and make dull positions.
        let near: Vec<Cell> = (chosen.neighbours() - chosen).into_iter().collect();
        let next = if rng.random_bool(0.85) && !near.is_empty() {
            near[rng.random_range(0..near.len())]
        } else {
            cells[rng.random_range(0..cells.len())]
        };
        chosen = chosen | CellSet::of(next);
    }
    let mover = if rng.random_bool(0.5) { Player::Red } else { Player::Blue };
    let stones = empty - 1;
    let mut counts = [stones / 2; 2];
    counts[mover.index()] += stones % 2;
    // Draw from a full hand or from small stones only, so that rich and poor hands occur.
    let top = rng.random_range(counts[0].max(counts[1]).max(3)..=15) as u8;
    let hands = counts.map(|count| {
        let mut values: Vec<u8> = (1..=top).collect();
        values.shuffle(rng);
        values[..count].iter().map(|&value| Stone::new(value).expect("1..=15")).collect::<Hand>()
    });
    let spread = rng.random_range(1..=20i8);
    let mut scores = [0i8; 64];
    scores.iter_mut().for_each(|score| *score = rng.random_range(-spread..=spread));
    Position::setup(chosen, hands, mover).expect("counts fit").with_scores(|cell| scores[cell.index()])
}

pub fn after(position: &Position, mv: Move) -> Position {
    let mut next = *position;
    next.try_play(mv).expect("a legal move");
    next
}

/// Return the positions of a CodeCup game, from 31 empty cells on: the words of a text that name cells are
/// its blocked cells, those that name moves its moves; other words are ignored.
pub fn replay(text: &str) -> Vec<Position> {
    let words = || text.split(|c: char| !c.is_ascii_alphanumeric() && c != '=');
    let blocked: Vec<Cell> = words().filter_map(Cell::parse).collect();
    let mut game = vec![Position::standard(&blocked).expect("five cells")];
    for mv in words().filter_map(|word| Move::parse(word).ok()) {
        game.push(after(&game[game.len() - 1], mv));
    }
    game
}

/// Return the position with `empty` empty cells of every `step`th game between strong programs.
pub fn strong_positions(empty: usize, step: usize) -> Vec<Position> {
    let games = include_str!("../../tests/data/strong.jsonl").lines().step_by(step);
    games.map(|game| replay(game)[31 - empty]).collect()
}

/// Return the final score under best play, by alpha-beta over every legal move, without any other rule.
pub fn brute_value(position: &Position) -> Score {
    position.to_move().sign() * negamax(position, -100, 100)
}

pub fn brute_values(position: &Position) -> Vec<(Move, Score)> {
    position.legal_moves().map(|mv| (mv, brute_value(&after(position, mv)))).collect()
}

/// Find the value for the player to move, if it is between `low` and `high`.
fn negamax(position: &Position, low: i8, high: i8) -> i8 {
    if let Some(score) = position.final_score() {
        return position.to_move().sign() * score;
    }
    let mut moves: Vec<Move> = position.legal_moves().collect();
    moves.sort_by_key(|mv| Reverse(mv.stone));
    let mut best = i8::MIN;
    for mv in moves {
        best = best.max(-negamax(&after(position, mv), -high, -low.max(best)));
        if best >= high {
            break;
        }
    }
    best
}
