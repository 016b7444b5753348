//! The bitboard position against the rules as written, over random games.

use crate::common::{Naive, random_move, random_opening, rng};
use blackhole::player::board::{Cell, Move, Stone};
use blackhole::player::position::Position;

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
fn illegal_moves_are_refused_and_change_nothing() {
    let blocked: Vec<Cell> = Cell::all().take(5).collect();
    let mut position = Position::standard(&blocked).expect("five cells");
    let play = |position: &mut Position, text: &str| position.try_play(Move::parse(text).expect("a move"));
    assert!(play(&mut position, "A1=3").is_err(), "blocked");
    play(&mut position, "B1=3").expect("legal");
    let before = position;
    assert!(play(&mut position, "B1=4").is_err(), "occupied");
    play(&mut position, "B2=3").expect("Blue has its own 3");
    assert!(play(&mut position, "C1=3").is_err(), "Red's 3 is used");
    position = before;
    assert_eq!(position.hand(position.to_move()).largest(), Stone::new(15));
}
