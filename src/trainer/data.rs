//! The examples of games for training, and the questions about an example.

use blackhole::games::record::Record;
use blackhole::system::lines::{JsonLine, JsonResult, from_json};
use blackhole_player::alpha::{Status, Target};
use blackhole_player::network::Network;
use blackhole_player::position::{MAX_SCORE, Position, Score};
use blackhole_player::simd::Portable;
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelledGame {
    pub game: u64,
    pub seed: u64,
    /// Records up to a position, each with the [value](Example::value) there.
    pub examples: Vec<(String, Score)>,
}

impl JsonLine for LabelledGame {
    const WHAT: &'static str = "a game with examples, as `label` writes it";
    const FIRST: &'static [&'static str] = &["game"];

    fn read(line: &[u8]) -> JsonResult<LabelledGame> {
        from_json(line)
    }

    fn check(&self) -> Result<(), String> {
        let wrong = || format!("{}: legal moves and final scores", LabelledGame::WHAT);
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

impl LabelledGame {
    /// Return a game's examples; `None` if a record or a value is invalid.
    pub fn examples(&self) -> Option<Vec<Example>> {
        let example = |&(ref record, value): &(String, Score)| {
            let position = *Record::parse(record).ok()?.position();
            (-MAX_SCORE..=MAX_SCORE).contains(&value).then_some(Example { position, value })
        };
        self.examples.iter().map(example).collect()
    }
}

impl Example {
    /// Ask about the ten targets around the value, without those decided by the win test (§2.3.2). Five
    /// of the ten are reached, so a blind guess is right half of the time.
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
