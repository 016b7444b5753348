//! Games with exact values of some positions, their examples for training, and the questions about an example.

use blackhole::games::record::Record;
use blackhole::system::lines::{JsonLine, JsonResult, from_json};
use blackhole_player::alpha::{Status, Target};
use blackhole_player::network::Network;
use blackhole_player::position::{MAX_SCORE, Position, Score};
use blackhole_player::rng::Random;
use blackhole_player::simd::Portable;
use serde::{Deserialize, Serialize};

use crate::drawn;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelledGame {
    pub game: u64,
    pub seed: u64,
    pub record: String,
    /// The number of moves up to the last drawn rather than chosen one: the value of the game says nothing
    /// about positions before it.
    pub stray: usize,
    /// Numbers of moves, each with the exact final score after them, red minus blue.
    pub values: Vec<(usize, Score)>,
    /// The same after a number of the moves and some others.
    pub aside: Vec<(usize, String, Score)>,
}

impl JsonLine for LabelledGame {
    const WHAT: &'static str = "a game with labels, as `label` writes it";
    const FIRST: &'static [&'static str] = &["game"];

    fn read(line: &[u8]) -> JsonResult<LabelledGame> {
        from_json(line)
    }

    fn check(&self) -> Result<(), String> {
        let wrong = || format!("{}: legal moves, and values of positions of the game", LabelledGame::WHAT);
        self.examples().map(drop).ok_or_else(wrong)
    }
}

/// A position with its final score under best play, red minus blue: exact, or before a game's first solved
/// position that position's exact value.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    pub position: Position,
    pub value: Score,
}

/// The question whether the player to move reaches a target under best play, with the answer.
#[derive(Clone, Copy, Debug)]
pub struct TargetQuestion {
    pub position: Position,
    pub target: Target,
    pub reached: bool,
}

/// The most empty cells with an exact value; above, the value is a later position's.
pub const EXACT_CELLS: u32 = 21;
/// The most examples of a game before its first solved position.
const MAX_EARLY_EXAMPLES: usize = 6;

impl LabelledGame {
    /// List a game's examples, all its solved positions and some before; `None` if a move or value is unfit.
    pub fn examples(&self) -> Option<Vec<Example>> {
        let record = Record::parse(&self.record).ok()?;
        let until = |plies: usize| (plies <= record.moves().len()).then(|| record.until(plies));
        let example = |record: Record, value: Score| {
            let is_score = (-MAX_SCORE..=MAX_SCORE).contains(&value);
            is_score.then(|| Example { position: *record.position(), value })
        };
        let solved = self.values.iter().map(|&(plies, value)| example(until(plies)?, value));
        let aside = self.aside.iter().map(|(plies, moves, value)| {
            example(Record::parse(&format!("{} {moves}", until(*plies)?)).ok()?, *value)
        });
        let mut examples: Vec<Example> = solved.chain(aside).collect::<Option<_>>()?;
        if let Some(&(solved, value)) = self.values.iter().min() {
            let early = (self.stray..solved).filter_map(|plies| example(until(plies)?, value));
            let mut early: Vec<_> = early.filter(|it| it.position.empty().len() > EXACT_CELLS).collect();
            let mut random = Random::new(self.game);
            while early.len() > MAX_EARLY_EXAMPLES {
                early.remove(drawn(&mut random, 0..=early.len() as u32 - 1) as usize);
            }
            examples.extend(early);
        }
        Some(examples)
    }
}

impl Example {
    /// Ask about the ten targets around the value, without those decided by the win test (§2.3.2). Of the ten
    /// five are reached, so a judge without knowledge is right half of the time.
    pub fn questions(self) -> impl Iterator<Item = TargetQuestion> {
        let Example { position, value, .. } = self;
        let targets = (-4..=5).map(move |distance| Target::new(i32::from(value) + distance));
        let open =
            move |&target: &Target| Status::of::<Portable>(&position, target).winner(&position).is_none();
        targets.filter(open).map(move |target| {
            let reached = target.winner(value) == position.to_move();
            TargetQuestion { position, target, reached }
        })
    }
}

impl TargetQuestion {
    /// Return the log-odds by a network that the player to move reaches the target.
    pub fn log_odds(&self, network: &Network) -> f32 {
        let status = Status::of::<Portable>(&self.position, self.target);
        network.mover_log_odds::<Portable>(&self.position, &status, self.target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let examples = line.examples().expect("legal");
            examples.iter().map(|it| (it.position.empty().len(), it.value)).collect()
        };
        let record = format!("{record} D2=10 B3=10 G2=9 C3=9");
        let longer = LabelledGame { record, values: vec![(14, 5)], aside: vec![], ..line.clone() };
        for (line, solved, early) in [
            // 31 cells at first: ten moves on there are 21. Of nine positions before, not the first.
            (line.clone(), vec![(21, -4), (21, 2)], MAX_EARLY_EXAMPLES),
            // A value at 17 cells is that of what came before 21 as well.
            (longer, vec![(17, 5)], MAX_EARLY_EXAMPLES),
            // All moves before are drawn, or nothing is known of the game's own course.
            (LabelledGame { stray: 10, ..line.clone() }, vec![(21, -4), (21, 2)], 0),
            (LabelledGame { values: vec![], ..line.clone() }, vec![(21, 2)], 0),
        ] {
            let (found, again) = (found(&line), found(&line));
            let (first, others) = found.split_at(solved.len());
            assert!(first == solved && others.len() == early && found == again, "{found:?}");
            assert!(others.is_sorted_by(|a, b| a.0 > b.0), "{found:?}");
            assert!(others.iter().all(|it| (22..=30).contains(&it.0) && it.1 == solved[0].1), "{found:?}");
        }
        assert_ne!(found(&LabelledGame { game: 4, ..line.clone() }), found(&line), "others by lot");
    }

    #[test]
    fn questions_are_about_the_mover_and_what_the_win_test_leaves_open() {
        let over = "t0v04060f0nf8ojebuadotqc9l1bsicarje92px8grh7lh31isw6dnp5yqz3mk04um52kg";
        for (record, value, is_red, count) in [
            // Whatever the value is: with nothing on the board nothing is decided.
            ("E2 A1 C4 G2 D2", 3, true, 10),
            ("E2 A1 C4 G2 D2 B1=7", 3, false, 10),
            (over, 9, true, 0),
        ] {
            let position = *Record::parse(record).expect("a record").position();
            let asked = Example { position, value }.questions();
            let asked: Vec<(i8, bool)> = asked.map(|it| (it.target.alpha(), it.reached)).collect();
            let expected = (-1..=8).take(count).map(|alpha| (alpha, (alpha <= 3) == is_red));
            assert_eq!(asked, expected.collect::<Vec<_>>());
        }
    }
}
