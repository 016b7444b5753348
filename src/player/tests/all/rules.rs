//! The bitboard position against the rules as written, over random games.

use blackhole_player::board::{Cell, Hand, Move, Player, Stone};
use blackhole_player::position::Position;
use blackhole_player::testing::{after, random_move, random_opening, rng};

/// The rules read straight from their description: coordinates, no bitboards, nothing incremental.
struct Naive {
    /// Column, row and stone: `None` empty, `Some(0)` blocked, red positive, blue negative.
    cells: Vec<(i32, i32, Option<i32>)>,
    /// The cells next to each.
    near: Vec<Vec<usize>>,
    /// The stones left, Red's and Blue's.
    hands: [Vec<i32>; 2],
    /// 0 for Red, 1 for Blue.
    to_move: usize,
}

impl Naive {
    fn start(blocked: &[String]) -> Naive {
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

    fn score(&self, index: usize) -> i32 {
        self.near[index].iter().map(|&n| self.cells[n].2.unwrap_or(0)).sum()
    }

    fn empty(&self) -> Vec<usize> {
        (0..self.cells.len()).filter(|&i| self.cells[i].2.is_none()).collect()
    }

    fn play(&mut self, index: usize, stone: i32) {
        assert!(self.cells[index].2.is_none());
        let hand = &mut self.hands[self.to_move];
        hand.remove(hand.iter().position(|&held| held == stone).expect("a stone of the hand"));
        self.cells[index].2 = Some(if self.to_move == 0 { stone } else { -stone });
        self.to_move = 1 - self.to_move;
    }
}

#[test]
fn random_games_follow_the_naive_rules() {
    let mut rng = rng(1);
    for _ in 0..300 {
        let blocked = random_opening(&mut rng);
        let mut naive = Naive::start(&blocked.map(|cell| cell.to_string()));
        let mut position = Position::standard(&blocked).expect("five cells");
        while position.final_score().is_none() {
            let legal = position.legal_moves().count();
            assert_eq!(legal, naive.empty().len() * naive.hands[naive.to_move].len());
            let mv = random_move(&mut rng, &position);
            position.try_play(mv).expect("listed as legal");
            naive.play(mv.cell.ordinal(), i32::from(mv.stone.value()));
            for cell in Cell::all() {
                let i = cell.ordinal();
                assert_eq!(i32::from(position.score(cell)), naive.score(i), "{cell}");
                assert_eq!(position.empty().contains(cell), naive.cells[i].2.is_none());
                let free = naive.near[i].iter().filter(|&&n| naive.cells[n].2.is_none()).count();
                assert_eq!(position.free_neighbours(cell) as usize, free);
            }
        }
        let hole = naive.empty()[0];
        assert_eq!(position.final_score().map(i32::from), Some(naive.score(hole)));
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
        (start, "B9=1", "a cell A1..H1 before the '='"),
        (start, "=3", "a cell A1..H1 before the '='"),
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
