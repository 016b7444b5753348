//! Games with exact values of some positions, the examples they are for training, and what is asked
//! about an example.

use serde::{Deserialize, Serialize};

use super::drawn;
use crate::player::alpha::{Status, Target};
use crate::player::position::{MAX_SCORE, Position, Score};
use crate::player::record::Record;
use crate::player::rng::Random;
use crate::player::simd::Portable;
use crate::workshop::lines::JsonLine;
use crate::workshop::notation::Notation;

/// A game and the values of some of its positions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelledGame {
    /// Its number, from 0.
    pub game: u64,
    /// The seed of all games of the file.
    pub seed: u64,
    pub record: String,
    /// So many moves are there up to the last that was drawn, not chosen: what follows says nothing
    /// of the positions before it.
    pub stray: usize,
    /// The exact final score, red minus blue, after so many of the moves.
    pub values: Vec<(usize, Score)>,
    /// The same after so many of the moves and some others.
    pub aside: Vec<(usize, String, Score)>,
}

impl JsonLine for LabelledGame {
    const WHAT: &'static str = "a game with labels, as `label` writes it";
    const FIRST: &'static str = "game";

    fn check(&self) -> Result<(), String> {
        let wrong = || format!("{}: legal moves, and values of positions of the game", LabelledGame::WHAT);
        self.examples().map(drop).ok_or_else(wrong)
    }
}

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

impl LabelledGame {
    /// List the examples of a game: all its solved positions, and some before; `None` when a move is
    /// not legal or a value is not one of the game.
    pub fn examples(&self) -> Option<Vec<Example>> {
        let record = Record::parse(&self.record).ok()?;
        let at = |plies: usize| *record.until(plies).position();
        let example = |position, value| Example { position, value, game: self.game as usize };
        let known = self.values.iter().map(|&(plies, value)| (plies, value));
        let fits =
            |(plies, value)| plies <= record.moves().len() && (-MAX_SCORE..=MAX_SCORE).contains(&value);
        if !known.clone().chain(self.aside.iter().map(|&(plies, _, value)| (plies, value))).all(fits) {
            return None;
        }
        let mut examples: Vec<Example> = known.map(|(plies, value)| example(at(plies), value)).collect();
        for (plies, moves, value) in &self.aside {
            let aside = Record::parse(&format!("{} {moves}", record.until(*plies))).ok()?;
            examples.push(example(*aside.position(), *value));
        }
        if let Some(&(solved, value)) = self.values.iter().min() {
            let mut early: Vec<usize> =
                (self.stray..solved).filter(|&plies| at(plies).empty().len() > EXACT).collect();
            let mut random = Random::new(self.game);
            while early.len() > EARLY {
                early.remove(drawn(&mut random, 0..=early.len() as u32 - 1) as usize);
            }
            examples.extend(early.into_iter().map(|plies| example(at(plies), value)));
        }
        Some(examples)
    }
}

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
            line.examples()
                .expect("legal")
                .iter()
                .map(|example| (example.position.empty().len(), example.value))
                .collect()
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
