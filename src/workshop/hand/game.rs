//! The course of a game by hand: set-up, sides, moves in turn, taking back, another game.

use std::time::Duration;

use super::words;
use crate::player::board::{Cell, Move, Player, Stone};
use crate::player::position::Position;
use crate::player::record::Record;
use crate::player::rng::{Random, scaled};
use crate::workshop::drawing::{self, Ink};
use crate::workshop::notation::Notation;

const NOT_BEGUN: &str = "the blocked cells and a side first, the game has not begun";
const OVER: &str = "undo, save FILE, new or quit: the game is over";
const SIDES: &str = "red, blue, start or your first move such as B2 15";

/// A game of a person against a partner, from the set-up on.
pub struct HandGame {
    partner: String,
    /// The partner's time for a whole game.
    time: Duration,
    random: Random,
    ink: Ink,
    /// The blocked cells that are named so far.
    cells: Vec<Cell>,
    /// The game, once all blocked cells are known.
    record: Option<Record>,
    /// The person's side, once it is chosen.
    person: Option<Player>,
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
        let (cells, spent, partner) = (Vec::new(), Vec::new(), partner.to_owned());
        HandGame { partner, time, random, ink, cells, record: None, person: None, spent }
    }

    /// Take in a line that a person typed, or say what was expected and change nothing.
    pub fn accept(&mut self, line: &str) -> Result<Response, String> {
        let line = line.trim();
        // As the record is printed at the end.
        let line = line.strip_prefix("record:").or(line.strip_prefix("or:")).unwrap_or(line).trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let record = self.record.as_ref().ok_or(NOT_BEGUN);
        Ok(Response::Show(match (&*word.to_ascii_lowercase(), rest.trim()) {
            ("help" | "?", _) => words::HELP.to_owned(),
            ("board", "") => self.view(),
            ("hands", "") if self.person.is_none() => return Err(NOT_BEGUN.to_owned()),
            ("hands", "") => self.hands(record?),
            ("cells", "") => drawing::worth(record?, self.ink),
            ("undo", "") => {
                if !self.undo() {
                    return Err("a cell or a move of yours to take back (there is none)".to_owned());
                }
                self.view()
            }
            ("new", "") => {
                let left = self.unfinished();
                (self.cells, self.record, self.person) = (Vec::new(), None, None);
                left + &self.view()
            }
            ("hint", "") if self.is_over() => return Err(OVER.to_owned()),
            ("hint", "") if self.person.is_none() => return Err(NOT_BEGUN.to_owned()),
            ("hint", "") => return Ok(Response::Hint(*record?.position())),
            ("save", "") => return Err("a file after save".to_owned()),
            ("save", file) => {
                let players = self.names().map(|name| name[2..].replace(',', ":")).join(", ");
                return Ok(Response::Save(file.to_owned(), format!("# {players}\n{}\n", record?)));
            }
            ("quit" | "exit", "") => return Ok(Response::Quit),
            _ => {
                let nothing = line.is_empty() && self.person.is_some();
                self.enter(line)?;
                // On the partner's turn the board comes with its answer.
                let quiet = nothing || self.asked().is_some();
                if quiet { String::new() } else { self.view() }
            }
        }))
    }

    /// Take in a line that is no command.
    fn enter(&mut self, line: &str) -> Result<(), String> {
        let Some(record) = &self.record else {
            self.record = self.set_up(line)?;
            return Ok(());
        };
        match self.person {
            Some(_) if line.is_empty() => Ok(()),
            Some(_) if self.is_over() => Err(OVER.to_owned()),
            Some(_) => self.push(parse_move(line)?, Duration::ZERO),
            None => {
                let mover = record.position().to_move();
                self.spent = vec![Duration::ZERO; record.moves().len()];
                let person = match &*line.to_ascii_lowercase() {
                    "red" => Player::Red,
                    "blue" => Player::Blue,
                    "" => mover,
                    "start" => mover.opponent(),
                    _ => {
                        self.push(parse_move(line).map_err(|_| SIDES)?, Duration::ZERO)?;
                        mover
                    }
                };
                self.person = Some(person);
                Ok(())
            }
        }
    }

    /// Add what a line says to the blocked cells; return the record once it is complete.
    fn set_up(&mut self, line: &str) -> Result<Option<Record>, String> {
        let blocked = match &*line.to_ascii_lowercase() {
            "" if !self.cells.is_empty() => return Ok(None),
            "" | "random" => self.draw(),
            "small" => Cell::all().filter(|&cell| !Position::small().empty().contains(cell)).collect(),
            _ => {
                let mut named = self.cells.clone();
                let words = line.split(|c: char| c.is_whitespace() || c == ',');
                for word in words.filter(|word| !word.is_empty()) {
                    match Cell::parse(word) {
                        Some(cell) if named.contains(&cell) => {
                            return Err(format!("a cell that is not blocked yet ({cell} is)"));
                        }
                        Some(cell) => named.push(cell),
                        // A record, to go on with: a move, hands or a base-36 string.
                        None if self.cells.is_empty() && (word.contains(['=', ':']) || word.len() >= 10) => {
                            return Record::parse(line).map(Some).map_err(|error| error.expected);
                        }
                        None => return Err(words::CELLS.to_owned()),
                    }
                }
                if named.len() < 5 {
                    self.cells = named;
                    return Ok(None);
                }
                named
            }
        };
        Record::standard(&blocked).map(Some)
    }

    /// Return the blocked cells, filled up to five at random.
    fn draw(&mut self) -> Vec<Cell> {
        let mut others: Vec<Cell> = Cell::all().filter(|cell| !self.cells.contains(cell)).collect();
        let mut any = || others.swap_remove(scaled(self.random.bits() as u32, others.len() as u32) as usize);
        self.cells.iter().copied().chain((self.cells.len()..5).map(|_| any())).collect()
    }

    fn push(&mut self, mv: Move, spent: Duration) -> Result<(), String> {
        let record = self.record.as_mut().ok_or(NOT_BEGUN)?;
        record.push(mv)?;
        self.spent.push(spent);
        Ok(())
    }

    /// Take back a move with the answer to it, the board before a side is chosen, or a blocked cell.
    fn undo(&mut self) -> bool {
        match self.person {
            Some(person) => self.take_back(person),
            None if self.record.take().is_some() => {
                self.cells.clear();
                true
            }
            None => self.cells.pop().is_some(),
        }
    }

    /// Go back to before the person's last move, if there is one: the partner's answer goes with
    /// it, and with that the time it took.
    fn take_back(&mut self, person: Player) -> bool {
        let Some(record) = &mut self.record else { return false };
        let played: Vec<Player> = record.placements().map(|(player, _)| player).collect();
        let Some(ply) = played.iter().rposition(|&player| player == person) else { return false };
        *record = record.until(ply);
        self.spent.truncate(ply);
        true
    }

    fn is_over(&self) -> bool {
        self.person.and(self.record.as_ref()).and_then(Record::final_score).is_some()
    }

    /// Return the position in which the partner is to move, with its time for the rest of the game.
    pub fn asked(&self) -> Option<(Position, Duration)> {
        let (position, person) = (*self.record.as_ref()?.position(), self.person?);
        let asked = !self.is_over() && position.to_move() != person;
        asked.then(|| (position, self.time.saturating_sub(self.spent.iter().sum())))
    }

    /// Play the partner's move, which took `spent` and must be legal; return what to show.
    pub fn answer(&mut self, mv: Move, spent: Duration) -> Result<String, String> {
        self.push(mv, spent)?;
        Ok(format!("\n{} plays {mv}\n{}", self.partner, self.view()))
    }

    /// Give up waiting for the partner: take back to the person's last decision; return what to
    /// show.
    pub fn interrupt(&mut self) -> String {
        self.person = self.person.filter(|&person| self.take_back(person));
        format!("stopped: your last choice is taken back\n{}", self.view())
    }

    /// Return what to ask with: short, without a line feed.
    pub fn prompt(&self) -> String {
        match (&self.record, self.person) {
            (None, _) => format!("blocked cells ({} of 5)> ", self.cells.len()),
            (_, None) => "red or blue> ".to_owned(),
            _ if self.is_over() => "game over> ".to_owned(),
            (_, Some(person)) => format!("your move, {}> ", words::capital(person)),
        }
    }

    /// Show how far the game is: at most 16 lines of 79 columns.
    pub fn view(&self) -> String {
        let Some(record) = &self.record else {
            if self.cells.is_empty() {
                return words::SETUP.to_owned();
            }
            let named: Vec<String> = self.cells.iter().map(Cell::to_string).collect();
            return format!("Blocked so far: {}. random draws the rest.\n", named.join(" "));
        };
        let more = match self.person {
            None => words::sides(record.position().to_move()),
            Some(person) => words::result(record, person).unwrap_or_else(|| self.hands(record)),
        };
        drawing::triangle(record, self.ink) + &more
    }

    /// Draw the hands with who holds them.
    fn hands(&self, record: &Record) -> String {
        let names = self.names();
        drawing::hands(record, [&names[0], &names[1]], self.ink)
    }

    /// Say who plays Red and Blue.
    fn names(&self) -> [String; 2] {
        Player::BOTH.map(|player| {
            let sign = if player == Player::Red { '+' } else { '-' };
            let name = words::capital(player);
            match self.person {
                Some(person) if person == player => format!("{sign} {name}, you"),
                Some(_) => format!("{sign} {name}, {}", self.partner),
                None => format!("{sign} {name}"),
            }
        })
    }

    /// Say how to go on with a game that is not over; nothing without one.
    pub fn unfinished(&self) -> String {
        let begun = self.record.as_ref().filter(|_| self.person.is_some() && !self.is_over());
        begun.map(words::unfinished).unwrap_or_default()
    }
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
