//! The bitboard position against the rules as written, over random games.

use std::collections::BTreeMap;

use crate::prelude::*;

/// The rules read straight from their description: cells by their names, no bitboards, nothing incremental.
struct Naive {
    /// The stones by column and row: `None` on an empty cell, 0 on a blocked one, red positive, blue negative.
    stones: BTreeMap<[i32; 2], Option<i32>>,
    /// The stones left, Red's and Blue's.
    hands: [Vec<i32>; 2],
    /// 0 for Red, 1 for Blue.
    to_move: usize,
}

/// The column and the row that a cell's name tells.
fn place(cell: Cell) -> [i32; 2] {
    [0, 1].map(|n| i32::from(cell.to_string().as_bytes()[n]))
}

impl Naive {
    fn start(blocked: &[Cell]) -> Naive {
        let stones = Cell::all().map(|cell| (place(cell), blocked.contains(&cell).then_some(0))).collect();
        Naive { stones, hands: [(1..=15).collect(), (1..=15).collect()], to_move: 0 }
    }

    /// The stones next to a cell, 0 for a blocked one, `None` for an empty one.
    fn near(&self, cell: Cell) -> impl Iterator<Item = Option<i32>> + '_ {
        let [u, v] = place(cell);
        let steps = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)];
        steps.into_iter().filter_map(move |(a, b)| self.stones.get(&[u + a, v + b]).copied())
    }

    fn score(&self, cell: Cell) -> i32 {
        self.near(cell).flatten().sum()
    }

    fn play(&mut self, mv: Move) {
        let stone = i32::from(mv.stone.value());
        let hand = &mut self.hands[self.to_move];
        hand.remove(hand.iter().position(|&held| held == stone).expect("a stone of the hand"));
        let before = self.stones.insert(place(mv.cell), Some(if self.to_move == 0 { stone } else { -stone }));
        assert_eq!(before, Some(None), "an empty cell");
        self.to_move = 1 - self.to_move;
    }
}

#[test]
fn random_games_follow_the_naive_rules() {
    let mut rng = rng(1);
    for _ in 0..300 {
        let blocked = random_opening(&mut rng);
        let mut naive = Naive::start(&blocked);
        let mut position = Position::standard(&blocked).expect("five cells");
        while position.final_score().is_none() {
            let empty = naive.stones.values().filter(|stone| stone.is_none()).count();
            assert_eq!(position.legal_moves().count(), empty * naive.hands[naive.to_move].len());
            let mv = random_move(&mut rng, &position);
            position.try_play(mv).expect("listed as legal");
            naive.play(mv);
            for cell in Cell::all() {
                assert_eq!(i32::from(position.score(cell)), naive.score(cell), "{cell}");
                assert_eq!(position.empty().contains(cell), naive.stones[&place(cell)].is_none());
                let free = naive.near(cell).filter(Option::is_none).count();
                assert_eq!(position.free_neighbours(cell) as usize, free);
            }
        }
        let hole = Cell::all().find(|&cell| naive.stones[&place(cell)].is_none());
        assert_eq!(position.final_score().map(i32::from), hole.map(|hole| naive.score(hole)));
    }
}

#[test]
fn unfit_and_illegal_moves_are_refused_in_words_and_change_nothing() {
    let start = Position::standard(&Cell::all().take(5).collect::<Vec<_>>()).expect("five cells");
    let mut cells: Vec<Cell> = Cell::all().collect();
    cells.swap_remove(0);
    let over = Position::standard(&cells).expect("35 cells");
    let played = ["B1=3", "B2=4"].map(|text| Move::parse(text).expect("a move"));
    let begun = played.into_iter().fold(start, |position, mv| after(&position, mv));
    for (position, text, expected) in [
        (start, "B2", "a move CELL=STONE such as B2=15"),
        (start, "B2=fifteen", "a whole number after the '='"),
        (start, "B2=-1", "a whole number after the '='"),
        (start, "B9=1", "a cell of the board such as B2 before the '='"),
        (start, "=3", "a cell of the board such as B2 before the '='"),
        (start, "B2=0", "a stone from 1 to 15"),
        (start, "B2=16", "a stone from 1 to 15"),
        (start, "B2=9999999999999999999999999", "a stone from 1 to 15"),
        (start, "A1=3", "an empty cell (A1 is occupied)"),
        (begun, "B2=5", "an empty cell (B2 is occupied)"),
        (begun, "C1=3", "a stone red has left (3 is used)"),
        (over, "A1=1", "no further move (the game is over)"),
    ] {
        let mut after = position;
        let refused = Move::parse(text).map_err(|it| it.to_string()).and_then(|mv| after.try_play(mv));
        assert_eq!(refused, Err(expected.to_owned()), "{text}");
        assert_eq!(after, position, "{text}");
    }
    assert_eq!(begun.check(Move::parse("C1=4").expect("a move")), Ok(()), "Red has its own 4");
}

#[test]
fn the_blocked_cells_give_the_hands_or_are_told_to_be_too_few_or_even() {
    let cells: Vec<Cell> = Cell::all().collect();
    for count in 0..=36 {
        let position = Position::standard(&cells[..count]);
        assert_eq!(position.is_ok(), count % 2 == 1 && count >= 5, "{count}");
        let Ok(position) = position else { continue };
        let hand: Hand = (1..=(35 - count) as u32 / 2).map(Stone::from_bit).collect();
        assert_eq!(Player::BOTH.map(|player| position.hand(player)), [hand; 2]);
        assert_eq!(position.to_move(), Player::Red);
    }
    for (count, expected) in [
        (0, "5 blocked cells, not 0: 5 are missing"),
        (4, "5 blocked cells, not 4: one is missing"),
        (6, "5 blocked cells (7, 9, ... 35 in a smaller game), not 6"),
    ] {
        assert_eq!(Position::standard(&cells[..count]), Err(expected.to_owned()));
    }
}
