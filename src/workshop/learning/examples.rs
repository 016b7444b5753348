//! Positions with their values, from labelled games, and what a judge of positions is asked about them.

use super::data::LabelledGame;
use crate::player::alpha::{Status, Target};
use crate::player::position::{Position, Score};
use crate::player::record::Record;
use crate::player::rng::{Random, scaled};
use crate::player::simd::Portable;
use crate::workshop::notation::Notation;

/// A position with the final score that best play leads to, or nearly so.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// The position.
    pub position: Position,
    /// The final score, red minus blue: exact, or for a position before the first solved one of a
    /// game the exact value of that one.
    pub value: Score,
    /// The number of the game.
    pub game: usize,
}

/// "Does the player to move reach its goal of α-Blackhole under best play?", with the answer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Question {
    /// The position.
    pub position: Position,
    /// The target α.
    pub target: Target,
    /// The answer.
    pub reached: bool,
}

/// Empty cells above which a value is only that of a later position.
const EXACT: u32 = 21;
/// Positions of a game before the first solved one, at most.
const EARLY: usize = 6;

impl Example {
    /// Ask about the ten targets around the value that the win test (§2.3.2) leaves open: five are
    /// reached, five are not, so who knows nothing is right half of the time.
    pub fn questions(self) -> impl Iterator<Item = Question> {
        let Example { position, value, .. } = self;
        let targets = (-4..=5).map(move |distance| Target::new(i32::from(value) + distance));
        let open =
            move |target: &Target| Status::of::<Portable>(&position, *target).winner(&position).is_none();
        targets.filter(open).map(move |target| {
            let reached = target.winner(value) == position.to_move();
            Question { position, target, reached }
        })
    }
}

/// List the examples of a game: all its solved positions, and some before.
pub fn examples(line: &LabelledGame) -> Vec<Example> {
    let game = line.game as usize;
    let record = Record::parse(&line.record).expect("a record that was checked");
    let at = |plies: usize| *record.until(plies).position();
    let mut examples: Vec<Example> =
        line.values.iter().map(|&(plies, value)| Example { position: at(plies), value, game }).collect();
    for (plies, moves, value) in &line.aside {
        let aside =
            Record::parse(&format!("{} {moves}", record.until(*plies))).expect("moves that were checked");
        examples.push(Example { position: *aside.position(), value: *value, game });
    }
    if let Some(&(solved, value)) = line.values.iter().min() {
        let mut early: Vec<usize> =
            (line.stray..solved).filter(|&plies| at(plies).empty().len() > EXACT).collect();
        let mut random = Random::new(line.game);
        while early.len() > EARLY {
            early.remove(scaled((random.bits() >> 32) as u32, early.len() as u32) as usize);
        }
        examples.extend(early.into_iter().map(|plies| Example { position: at(plies), value, game }));
    }
    examples
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::board::Player;

    #[test]
    fn solved_positions_are_examples_and_some_before_the_first_of_them() {
        let record = "A1 B1 C1 D1 E1 H1=15 A2=15 G1=14 B2=14 F1=13 A3=13 E2=12 C2=12 F2=11 A4=11";
        let line = LabelledGame {
            game: 3,
            seed: 1,
            record: record.to_owned(),
            stray: 1,
            values: vec![(10, -4)],
            aside: vec![(9, "B3=1".to_owned(), 2)],
        };
        let found = |line: &LabelledGame| -> Vec<(u32, Score)> {
            examples(line).iter().map(|example| (example.position.empty().len(), example.value)).collect()
        };
        // 31 cells at first: ten moves on there are 21. Of nine positions before, not the first.
        assert_eq!(found(&line)[..2], [(21, -4), (21, 2)]);
        let early = &found(&line)[2..];
        assert!(early.len() == EARLY && early.is_sorted_by(|a, b| a.0 > b.0), "{early:?}");
        assert!(early.iter().all(|&(cells, value)| (22..=30).contains(&cells) && value == -4), "{early:?}");
        assert_eq!(found(&line), found(&line));
        assert_ne!(found(&LabelledGame { game: 4, ..line.clone() })[2..], *early, "others by lot");
        // A value at 17 cells is that of what came before 21 as well.
        let longer = format!("{record} D2=10 B3=10 G2=9 C3=9");
        let late =
            found(&LabelledGame { record: longer, values: vec![(14, 5)], aside: vec![], ..line.clone() });
        assert!(late.len() == 1 + EARLY && late[0] == (17, 5), "{late:?}");
        assert!(late[1..].iter().all(|&(cells, value)| (22..=30).contains(&cells) && value == 5), "{late:?}");
        // All moves before are drawn, or nothing is known of the game's own course.
        assert_eq!(found(&LabelledGame { stray: 10, ..line.clone() }).len(), 2);
        assert_eq!(found(&LabelledGame { values: Vec::new(), ..line }), [(21, 2)]);
    }

    #[test]
    fn questions_are_about_the_mover_and_what_the_win_test_leaves_open() {
        let over = "t0v04060f0nf8ojebuadotqc9l1bsicarje92px8grh7lh31isw6dnp5yqz3mk04um52kg";
        for (record, value, mover, count) in [
            // Whatever the value is: with nothing on the board nothing is decided.
            ("E2 A1 C4 G2 D2", 3, Player::Red, 10),
            ("E2 A1 C4 G2 D2 B1=7", 3, Player::Blue, 10),
            (over, 9, Player::Red, 0),
        ] {
            let position = *Record::parse(record).expect("a record").position();
            let asked: Vec<Question> = Example { position, value, game: 0 }.questions().collect();
            let targets: Vec<i8> = asked.iter().map(|question| question.target.alpha()).collect();
            assert_eq!(targets, (-1..=8).take(count).collect::<Vec<_>>());
            assert!(
                asked.iter().all(|it| it.reached == ((it.target.alpha() <= 3) == (mover == Player::Red)))
            );
            assert_eq!(asked.iter().filter(|it| it.reached).count(), count / 2);
        }
    }
}
