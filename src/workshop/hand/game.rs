//! The course of a game by hand: set-up, sides, moves in turn, taking back, another game.

use std::time::Duration;

use super::words;
use crate::player::board::{Cell, Move, Player, Stone};
use crate::player::position::Position;
use crate::player::record::Record;
use crate::player::rng::{Random, scaled};
use crate::workshop::drawing::{self, Ink};
use crate::workshop::notation::Notation;

/// A game of a person against a partner, from the set-up on.
pub struct HandGame {
    stage: Stage,
    partner: String,
    /// The partner's time for a whole game.
    time: Duration,
    random: Random,
    ink: Ink,
}

/// How far a game is.
enum Stage {
    /// Blocked cells are being named.
    Setup(Vec<Cell>),
    /// The board is known, the sides are not.
    Sides(Record),
    /// The game is on, or over.
    Begun(Begun),
}

struct Begun {
    record: Record,
    person: Player,
    /// What each move of the record took of the partner's time; zero for the person's.
    spent: Vec<Duration>,
}

/// What a line asks for, beside a change of the game.
#[derive(Clone, PartialEq, Debug)]
pub enum Response {
    /// Show this; nothing if empty.
    Show(String),
    /// Ask the engine for a move in this position, for the person.
    Hint(Position),
    /// Write a text to the new file of this name.
    Save(String, String),
    /// Leave.
    Quit,
}

impl HandGame {
    /// Begin with the set-up; `partner` is the name shown, `time` what it has for a whole game.
    pub fn new(partner: &str, time: Duration, random: Random, ink: Ink) -> HandGame {
        HandGame { stage: Stage::Setup(Vec::new()), partner: partner.to_owned(), time, random, ink }
    }

    /// Take in a line that a person typed, or say what was expected and change nothing.
    ///
    /// # Errors
    /// Says what was expected.
    pub fn accept(&mut self, line: &str) -> Result<Response, String> {
        let line = line.trim();
        // As the record is printed at the end.
        let line = line.strip_prefix("record:").or(line.strip_prefix("or:")).unwrap_or(line).trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let record = self.record().ok_or(NOT_BEGUN);
        Ok(Response::Show(match (&*word.to_ascii_lowercase(), rest.trim()) {
            ("help" | "?", _) => words::HELP.to_owned(),
            ("board", "") => self.view(),
            ("hands", "") => self.hands().ok_or(NOT_BEGUN)?,
            ("cells", "") => drawing::worth(record?, self.ink),
            ("undo", "") => {
                self.undo()?;
                self.view()
            }
            ("new", "") => {
                let left = self.unfinished();
                self.stage = Stage::Setup(Vec::new());
                left + &self.view()
            }
            ("hint", "") => match &self.stage {
                Stage::Begun(begun) if begun.is_over() => return Err(OVER.to_owned()),
                Stage::Begun(begun) => return Ok(Response::Hint(*begun.record.position())),
                _ => return Err(NOT_BEGUN.to_owned()),
            },
            ("save", "") => return Err("a file after save".to_owned()),
            ("save", file) => {
                let players = self.names().map(|name| name[2..].replace(',', ":")).join(", ");
                return Ok(Response::Save(file.to_owned(), format!("# {players}\n{}\n", record?)));
            }
            ("quit" | "exit", "") => return Ok(Response::Quit),
            _ => {
                let nothing = line.is_empty() && matches!(self.stage, Stage::Begun(_));
                self.enter(line)?;
                // On the partner's turn the board comes with its answer.
                let quiet = nothing || self.asked().is_some();
                if quiet { String::new() } else { self.view() }
            }
        }))
    }

    /// Take back a decision or a blocked cell.
    fn undo(&mut self) -> Result<(), &'static str> {
        let undone = match &mut self.stage {
            Stage::Begun(begun) => begun.take_back(),
            Stage::Setup(cells) => cells.pop().is_some(),
            Stage::Sides(_) => {
                self.stage = Stage::Setup(Vec::new());
                true
            }
        };
        if undone { Ok(()) } else { Err("a cell or a move of yours to take back (there is none)") }
    }

    /// Take in a line that is no command.
    fn enter(&mut self, line: &str) -> Result<(), String> {
        let word = line.to_ascii_lowercase();
        match &mut self.stage {
            Stage::Setup(cells) => {
                if let Some(record) = set_up(cells, line, &mut self.random)? {
                    self.stage = Stage::Sides(record);
                }
            }
            Stage::Sides(record) => {
                let mover = record.position().to_move();
                let (person, mv) = match word.as_str() {
                    "red" => (Player::Red, None),
                    "blue" => (Player::Blue, None),
                    "" => (mover, None),
                    "start" => (mover.opponent(), None),
                    _ => (mover, Some(parse_move(line).map_err(|_| SIDES)?)),
                };
                let spent = vec![Duration::ZERO; record.moves().len()];
                let mut begun = Begun { record: record.clone(), person, spent };
                mv.map_or(Ok(()), |mv| begun.push(mv, Duration::ZERO))?;
                self.stage = Stage::Begun(begun);
            }
            Stage::Begun(_) if line.is_empty() => {}
            Stage::Begun(begun) if begun.is_over() => return Err(OVER.to_owned()),
            Stage::Begun(begun) => begun.push(parse_move(line)?, Duration::ZERO)?,
        }
        Ok(())
    }

    /// Return the position in which the partner is to move, with its time for the rest of the game.
    pub fn asked(&self) -> Option<(Position, Duration)> {
        let Stage::Begun(begun) = &self.stage else { return None };
        let position = *begun.record.position();
        let asked = !begun.is_over() && position.to_move() != begun.person;
        asked.then(|| (position, self.time.saturating_sub(begun.spent.iter().sum())))
    }

    /// Play the partner's move, which took `spent`; return what to show.
    ///
    /// # Errors
    /// When the move is not legal.
    pub fn answer(&mut self, mv: Move, spent: Duration) -> Result<String, String> {
        if let Stage::Begun(begun) = &mut self.stage {
            begun.push(mv, spent)?;
        }
        Ok(format!("\n{} plays {mv}\n{}", self.partner, self.view()))
    }

    /// Give up waiting for the partner: take back to the person's last decision; return what to
    /// show.
    pub fn interrupt(&mut self) -> String {
        if let Stage::Begun(begun) = &mut self.stage
            && !begun.take_back()
        {
            self.stage = Stage::Sides(begun.record.clone());
        }
        format!("stopped: your last choice is taken back\n{}", self.view())
    }

    /// Return what to ask with: short, without a line feed.
    pub fn prompt(&self) -> String {
        match &self.stage {
            Stage::Setup(cells) => format!("blocked cells ({} of 5)> ", cells.len()),
            Stage::Sides(_) => "red or blue> ".to_owned(),
            Stage::Begun(begun) if begun.is_over() => "game over> ".to_owned(),
            Stage::Begun(begun) => format!("your move, {}> ", words::capital(begun.person)),
        }
    }

    /// Show how far the game is: at most 16 lines of 79 columns.
    pub fn view(&self) -> String {
        match &self.stage {
            Stage::Setup(cells) if cells.is_empty() => words::SETUP.to_owned(),
            Stage::Setup(cells) => {
                let named: Vec<String> = cells.iter().map(Cell::to_string).collect();
                format!("Blocked so far: {}. random draws the rest.\n", named.join(" "))
            }
            Stage::Sides(record) => {
                drawing::triangle(record, self.ink) + &words::sides(record.position().to_move())
            }
            Stage::Begun(Begun { record, person, .. }) => {
                let end = match words::result(record, *person) {
                    Some(result) => format!("{result}\n{}", words::notations(record)),
                    None => self.hands().unwrap_or_default(),
                };
                drawing::triangle(record, self.ink) + &end
            }
        }
    }

    /// Draw the hands with who holds them, once that is known.
    fn hands(&self) -> Option<String> {
        let names = self.names();
        let Stage::Begun(begun) = &self.stage else { return None };
        Some(drawing::hands(&begun.record, [&names[0], &names[1]], self.ink))
    }

    /// Say who plays Red and Blue.
    fn names(&self) -> [String; 2] {
        Player::BOTH.map(|player| {
            let sign = if player == Player::Red { '+' } else { '-' };
            let name = words::capital(player);
            match &self.stage {
                Stage::Begun(begun) if begun.person == player => format!("{sign} {name}, you"),
                Stage::Begun(_) => format!("{sign} {name}, {}", self.partner),
                _ => format!("{sign} {name}"),
            }
        })
    }

    /// Say how to go on with a game that is not over; nothing without one.
    pub fn unfinished(&self) -> String {
        match &self.stage {
            Stage::Begun(begun) if !begun.is_over() => words::unfinished(&begun.record),
            _ => String::new(),
        }
    }

    /// Return the record so far, once the blocked cells are known.
    fn record(&self) -> Option<&Record> {
        match &self.stage {
            Stage::Setup(_) => None,
            Stage::Sides(record) | Stage::Begun(Begun { record, .. }) => Some(record),
        }
    }
}

const NOT_BEGUN: &str = "the blocked cells and a side first, the game has not begun";
const OVER: &str = "undo, save FILE, new or quit: the game is over";
const SIDES: &str = "red, blue, start or your first move such as B2 15";

impl Begun {
    fn is_over(&self) -> bool {
        self.record.final_score().is_some()
    }

    fn push(&mut self, mv: Move, spent: Duration) -> Result<(), String> {
        self.record.push(mv).map_err(|error| error.to_string())?;
        self.spent.push(spent);
        Ok(())
    }

    /// Go back to before the person's last move, if there is one: the partner's answer goes with
    /// it, and with that the time it took.
    fn take_back(&mut self) -> bool {
        let played: Vec<Player> = self.record.placements().map(|(player, _)| player).collect();
        let Some(ply) = played.iter().rposition(|&player| player == self.person) else { return false };
        self.record = self.record.until(ply);
        self.spent.truncate(ply);
        true
    }
}

/// Add what a line says to the cells so far; return the record once it is complete.
fn set_up(cells: &mut Vec<Cell>, line: &str, random: &mut Random) -> Result<Option<Record>, String> {
    let blocked = match &*line.to_ascii_lowercase() {
        "" if !cells.is_empty() => return Ok(None),
        "" | "random" => draw(cells, random),
        "small" => Cell::all().filter(|&cell| !Position::small().empty().contains(cell)).collect(),
        _ => {
            let mut named = cells.clone();
            for word in line.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()) {
                match Cell::parse(word) {
                    Some(cell) if named.contains(&cell) => {
                        return Err(format!("a cell that is not blocked yet ({cell} is)"));
                    }
                    Some(cell) => named.push(cell),
                    // A record, to go on with: a move, hands or a base-36 string.
                    None if cells.is_empty() && (word.contains(['=', ':']) || word.len() >= 10) => {
                        return Record::parse(line).map(Some).map_err(|error| error.expected);
                    }
                    None => return Err(words::CELLS.to_owned()),
                }
            }
            if named.len() < 5 {
                *cells = named;
                return Ok(None);
            }
            named
        }
    };
    Record::standard(&blocked).map(Some).map_err(|error| error.to_string())
}

/// Return the cells so far, filled up to five at random.
fn draw(cells: &[Cell], random: &mut Random) -> Vec<Cell> {
    let mut others: Vec<Cell> = Cell::all().filter(|cell| !cells.contains(cell)).collect();
    let mut any = || others.swap_remove(scaled(random.bits() as u32, others.len() as u32) as usize);
    cells.iter().copied().chain((cells.len()..5).map(|_| any())).collect()
}

/// Read a move such as `b2 15`, `B2=15`, `b2-15` or `b215`; an error says what was expected.
fn parse_move(text: &str) -> Result<Move, &'static str> {
    let cell = text.get(..2).and_then(Cell::parse);
    let cell = cell.ok_or("a move such as B2 15, or a command (help lists them)")?;
    let digits = text[2..].trim_start_matches([' ', '\t', '=', '-', '+', ':', ',']);
    if digits.is_empty() {
        return Err("a stone after the cell, such as B2 15");
    }
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("a cell and a stone, such as B2 15");
    }
    let stone = digits.parse().ok().and_then(Stone::new).ok_or("a stone from 1 to 15")?;
    Ok(Move { cell, stone })
}
