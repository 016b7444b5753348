//! Recorded games in every form known to the program, several in one text:
//!
//! - records in both notations of [`notation`](super::notation), each from the beginning of a line;
//! - dialogues with the referee: `Start` and `Quit` are skipped;
//! - the logs of a match: `# red NAME, blue NAME, round N` begins a game;
//! - JSON objects, one a line: the blocked cells under `blocked` and the moves under `moves`, with any other
//!   keys, as in the journal of a match; a torn last line is skipped.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::notation::{self, Word};
use crate::games::record::Record;
use crate::player::board::{Cell, Player};
use crate::player::input::{InputError, quote};
use crate::player::position::{Score, points};
use crate::system::lines::{from_json, without_place, without_zeros};

#[derive(Clone, PartialEq, Debug)]
pub struct RecordedGame {
    /// The game's place in its match; empty if unknown. Untrusted text, like the names.
    pub title: String,
    /// The names of Red and Blue; empty if unknown.
    pub names: [String; 2],
    pub record: Record,
    /// The points of Red and Blue, if the text names them, as after a forfeit.
    pub points: Option<[u8; 2]>,
    /// The fault in a match: player, class and details, "red: crash: …". Untrusted text.
    pub fault: Option<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct PerPlayer<T> {
    pub red: T,
    pub blue: T,
}

impl<T> PerPlayer<T> {
    pub fn of(mut of: impl FnMut(Player) -> T) -> PerPlayer<T> {
        PerPlayer { red: of(Player::Red), blue: of(Player::Blue) }
    }
}

pub fn hands(record: &Record) -> PerPlayer<Vec<u8>> {
    PerPlayer::of(|player| record.start().hand(player).iter().map(|stone| stone.value()).collect())
}

#[derive(Default, Serialize, Deserialize)]
pub struct GameLine {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    title: String,
    #[serde(default)]
    red: String,
    #[serde(default)]
    blue: String,
    #[serde(skip_serializing)]
    round: Option<u64>,
    blocked: Vec<String>,
    /// `None` for standard hands.
    #[serde(skip_serializing_if = "Option::is_none")]
    hands: Option<PerPlayer<Vec<u8>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<String>,
    moves: Vec<String>,
    #[serde(skip_deserializing)]
    score: Option<Score>,
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<[u8; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
    #[serde(default, skip_serializing)]
    faults: Vec<Value>,
}

impl RecordedGame {
    /// Return the points of a forfeit, which differ from the final score's; else `None`.
    pub fn forfeit(&self) -> Option<[u8; 2]> {
        let due = self.record.final_score().map(|score| points(score)[0]);
        self.points.filter(|&[red, _]| due != Some(red))
    }

    pub fn line(&self) -> GameLine {
        let RecordedGame { title, names: [red, blue], record, points, fault } = self.clone();
        let own = record.has_own_hands();
        GameLine {
            title,
            red,
            blue,
            blocked: record.blocked().iter().map(Cell::to_string).collect(),
            hands: own.then(|| hands(&record)),
            first: own.then(|| record.start().to_move().to_string()),
            moves: record.moves().iter().map(|mv| mv.to_string()).collect(),
            score: record.final_score(),
            points,
            fault,
            ..GameLine::default()
        }
    }

    fn from_line(line: GameLine, number: usize) -> Result<RecordedGame, InputError> {
        let mut setup = Vec::new();
        if let Some(PerPlayer { red, blue }) = &line.hands {
            let list = |hand: &[u8]| hand.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
            setup.extend([format!("red:{}", list(red)), format!("blue:{}", list(blue))]);
        }
        setup.extend(line.first.map(|first| format!("to-move:{first}")));
        let texts = line.blocked.iter().chain(&setup).chain(&line.moves);
        let record = notation::read(texts.map(|text| Word { line: number, text }))?;
        let title = match line.round {
            Some(round) if line.title.is_empty() => format!("round {}", round.saturating_add(1)),
            _ => line.title,
        };
        let fault_text = |fault: &Value| {
            let [by, class, detail] = ["by", "class", "detail"].map(|key| fault[key].as_str().unwrap_or("?"));
            format!("{by}: {class}: {detail}")
        };
        let fault = line.fault.or(line.faults.first().map(fault_text));
        Ok(RecordedGame { title, names: [line.red, line.blue], record, points: line.points, fault })
    }
}

/// Read all games of a text, at least one; an error names the line, the found and the expected.
pub fn read(bytes: &[u8]) -> Result<Vec<RecordedGame>, InputError> {
    let text = utf8(without_zeros(bytes))?;
    let mut reader = Reader::default();
    for (n, line) in text.lines().enumerate() {
        // Each of several concatenated files may begin with a byte order mark.
        let line = line.trim_start_matches('\u{feff}');
        let begun = line.trim_start();
        if begun.starts_with('{') {
            reader.finish_game()?;
            match from_json(begun.as_bytes()) {
                Ok(line) => reader.games.push(RecordedGame::from_line(line, n + 1)?),
                Err(error) if error.is_eof() && !text.ends_with('\n') && text.ends_with(line) => {}
                // The match at the beginning of a journal.
                Err(_) if begun.starts_with("{\"match\":") => {}
                Err(error) => return Err(invalid(n + 1, begun, &error)),
            }
        } else {
            reader.take(n + 1, line)?;
        }
    }
    reader.finish_game()?;
    if reader.games.is_empty() {
        notation::read(std::iter::empty())?;
    }
    Ok(reader.games)
}

/// Tell whether the last line of a text is the torn beginning of a JSON object; [`read`] skips it.
pub fn is_torn(bytes: &[u8]) -> bool {
    let last =
        without_zeros(bytes).rsplit(|&byte| byte == b'\n').next().unwrap_or_default().trim_ascii_start();
    last.starts_with(b"{") && serde_json::from_slice::<Value>(last).is_err_and(|error| error.is_eof())
}

fn utf8(bytes: &[u8]) -> Result<&str, InputError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let (good, bad) = bytes.split_at(error.valid_up_to());
        let line = good.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let found = format!("bytes that are not UTF-8: {}", quote(bad));
        InputError { line, found, expected: "a game record".to_owned() }
    })
}

fn invalid(line: usize, text: &str, error: &serde_json::Error) -> InputError {
    let expected = format!("a game as a JSON object ({})", without_place(error));
    InputError { line, found: quote(text.as_bytes()), expected }
}

#[derive(Clone, Copy, PartialEq, Default)]
enum Phase {
    #[default]
    Setup,
    Moves,
    /// After `Quit` or a base-36 string.
    Over,
}

#[derive(Default)]
struct Reader<'a> {
    games: Vec<RecordedGame>,
    items: Vec<Word<'a>>,
    phase: Phase,
    title: String,
    names: [String; 2],
    points: Option<[u8; 2]>,
    fault: Option<String>,
}

impl<'a> Reader<'a> {
    fn take(&mut self, number: usize, line: &'a str) -> Result<(), InputError> {
        if let Some((names, title)) = log_header(line) {
            self.finish_game()?;
            (self.names, self.title) = (names, title);
        }
        // A bot's own words may follow as comments: only the first points are the runner's, and the line
        // right after them.
        if self.points.is_none() {
            self.points = log_points(line);
        } else if self.fault.is_none() {
            self.fault = Some(line.strip_prefix("# fault of ").unwrap_or_default().to_owned());
        }
        for (n, item) in Word::all(number, line).enumerate() {
            let is = |word: &str| item.text.eq_ignore_ascii_case(word);
            let is_move = item.text.contains('=');
            if n == 0 && self.phase != Phase::Setup && !(is_move || is("start") || is("quit")) {
                self.finish_game()?;
            }
            match self.phase {
                _ if is("quit") => self.phase = Phase::Over,
                Phase::Setup if is("start") => self.phase = Phase::Moves,
                Phase::Over => {
                    return Err(item.error("the end of this game, or another one on a line of its own"));
                }
                Phase::Moves if is("start") => return Err(item.error("a move or Quit")),
                _ => {
                    let whole = self.items.is_empty() && item.is_base36();
                    self.items.push(item);
                    self.phase = match self.phase {
                        _ if whole => Phase::Over,
                        Phase::Setup if !is_move => Phase::Setup,
                        _ => Phase::Moves,
                    };
                }
            }
        }
        Ok(())
    }

    fn finish_game(&mut self) -> Result<(), InputError> {
        let Reader { games, items, title, names, points, fault, .. } = std::mem::take(self);
        self.games = games;
        if !items.is_empty() {
            let record = notation::read(items.into_iter())?;
            let fault = fault.filter(|fault| !fault.is_empty());
            self.games.push(RecordedGame { title, names, record, points, fault });
        }
        Ok(())
    }
}

/// Write the first line of a log: a comma within a name is doubled.
pub fn log_head(names: [&str; 2], round: u64) -> String {
    let [red, blue] = names.map(|name| name.replace(',', ",,"));
    format!("# red {red}, blue {blue}, round {round}\n")
}

fn log_header(line: &str) -> Option<([String; 2], String)> {
    let line = line.replace(",,", "\0");
    let (red, rest) = line.strip_prefix("# red ")?.split_once(", blue ")?;
    let (blue, round) = rest.rsplit_once(", round ")?;
    let round: u64 = round.trim_end().parse().ok()?;
    Some(([red, blue].map(|name| name.replace('\0', ",")), format!("round {round}")))
}

fn log_points(line: &str) -> Option<[u8; 2]> {
    let (red, blue) = line.strip_prefix("# points ")?.split_once(" to ")?;
    Some([red.parse().ok()?, blue.trim_end().parse().ok()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "E2 A1 C4 G2 D2 B2=15 G1=1 B6=14";
    const JSON: &str = r#"{"red":"r","blocked":["E2","A1","C4","G2","D2"],"moves":["B2=15","G1=1","B6=14"]}"#;

    fn records(text: &str) -> Vec<String> {
        read(text.as_bytes()).expect(text).iter().map(|game| game.record.to_string()).collect()
    }

    #[test]
    fn a_game_is_the_same_in_every_form_and_told_from_the_next() {
        let base36 = Record::parse(GAME).expect("a record").to_base36().expect("standard hands");
        let stones = "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]";
        let hands = format!(" {{\"hands\":{{\"red\":{stones},\"blue\":{stones}}},\"x\":[{{}}],\"red\"");
        let other = GAME.replace("B6=14", "B6=13");
        for text in [
            GAME.replace(' ', "\n"),
            GAME.replace(' ', "\r\n").replace("B2", "start\r\n\r\nB2") + "\r\nQUIT\r\n",
            format!("# mine\n{base36} # and a comment"),
            base36.to_uppercase(),
            JSON.to_owned(),
            JSON.replace("{\"red\"", &hands),
            format!("\u{feff}{JSON}"),
            "# red a, blue b, round 7\n# a: ./a (5 s)\nE2 A1 C4 G2 D2\nB2=15 # 0.1 s\nG1=1 # 0.2 s\n\
             B6=14 # 1 s\n# points 150 to 0\n# fault of blue: x\n\n# stderr of a\n# points 3 to 4\n"
                .to_owned(),
        ] {
            assert_eq!(records(&text), [GAME], "{text}");
            let game = &read(text.as_bytes()).expect("a game")[0];
            let line = serde_json::to_string(&game.line()).expect("JSON");
            assert_eq!(read(line.as_bytes()).as_deref(), Ok(std::slice::from_ref(game)), "{line}");
            for next in [
                other.clone(),
                other.replace("D2 ", "D2 Start ").replace(' ', "\n") + "\nQuit\n",
                format!("\n{}\n{{\"blocked\":[\"A", JSON.replace("=14", "=13")),
                format!("{}\n\0\0\0", JSON.replace("=14", "=13")),
                format!("# red b, blue a, round 1\n{other}\n"),
            ] {
                let both = format!("{text}\n{next}");
                assert_eq!(records(&both), [GAME, &other], "{both}");
            }
        }
    }

    #[test]
    fn names_titles_points_and_hands_are_kept() {
        for names in [["x, blue y", "z"], ["a,", ",b, round 3"], [",,", "c,, blue d,"]] {
            let game = &read((log_head(names, 7) + GAME).as_bytes()).expect("a game")[0];
            assert_eq!((game.names.each_ref().map(|name| &**name), &*game.title), (names, "round 7"));
        }
        let log = format!(
            "# red a, blue b, round 7\n{GAME} # 1 s\n# points 150 to 0\n# fault of blue: time: x\n# fault of red: y\n"
        );
        // A journal counts rounds from 0, people count from 1.
        let faults = r#""faults":[{"by":"blue","class":"time","detail":"x"}]"#;
        let journal = JSON
            .replace("\"red\"", &format!("{faults},\"round\":6,\"points\":[150,0],\"blue\":\"b\",\"red\""));
        for text in [log, journal.replace("\"r\"", "\"a\"")] {
            let game = &read(text.as_bytes()).expect("a game")[0];
            assert_eq!((&*game.title, game.points), ("round 7", Some([150, 0])));
            assert_eq!(game.names, ["a", "b"]);
            assert_eq!(game.fault.as_deref(), Some("blue: time: x"));
        }
        let own = "B1 B2 B3 B4 B5 B6 B7 C1 C2 C3 C4 C5 C6 D1 D2 D3 D4 D5 E1 E2 E3 E4 F1 F2 F3 G1 G2 H1 A5 A6 A7 A8 \
                   red:3,5 blue:2 to-move:red A1=3";
        let line = serde_json::to_string(&read(own.as_bytes()).expect("a game")[0].line()).expect("JSON");
        assert_eq!(records(&line), [own]);
    }

    #[test]
    fn unfit_games_are_refused_with_their_place() {
        let over = "the end of this game, or another one";
        for (text, found, expected) in [
            ("# nothing\n{\"blocked\"", "line 1: found the end", "5 blocked cells"),
            ("E2 A1 C4 G2 D2\nStart\nStart", "line 3: found \"Start\"", "a move or Quit"),
            ("E2 A1 C4 G2 D2 Quit\nB1=1", "line 2: found \"B1=1\"", over),
            ("E2 A1 C4 G2 D2 B1=1\nB3\nC1=1", "line 3: found \"C1=1\"", "5 blocked cells, not 1"),
            ("e4f2a5a7c1", "line 1: found \"e4f2a5a7c1\"", "5 blocked cells with blanks between"),
            ("t0v04060f0 x", "line 1: found \"x\"", over),
            ("{}\n", "line 1: found \"{}\"", "a game as a JSON object (missing field `blocked`)"),
            ("{\n", "line 1: found \"{\"", "a game as a JSON object (EOF"),
            (&format!("\n{}", JSON.replace("G1=1", "B2=1")), "line 2: found \"B2=1\"", "an empty cell"),
        ] {
            let error = read(text.as_bytes()).expect_err(text).to_string();
            assert!(error.starts_with(&format!("{found}, expected {expected}")), "{text}: {error}");
        }
        let error = read(b"E2\n\xff").expect_err("no text").to_string();
        assert!(error.starts_with("line 2: found bytes that are not UTF-8: \"\\xff\""), "{error}");
    }
}
