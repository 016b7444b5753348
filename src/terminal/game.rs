//! The course of a game by hand: set-up, sides, moves in turn, taking back, another game.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use super::words;
use crate::games::drawing::{self, Ink};
use crate::games::files::{self, RecordedGame};
use crate::games::opening::random_opening;
use crate::games::record::Record;
use crate::player::board::{Cell, Move, Player, Stone};
use crate::player::position::Position;
use crate::text::capital;

const NOT_BEGUN: &str = "the blocked cells and a side first: the game has not begun";
const OVER: &str = "undo, review, save FILE, new or quit: the game is over";
const NOT_OVER: &str = "The game is not over: its review comes after the end.\n";
const NOTHING_TO_UNDO: &str = "There is no cell or move of yours to take back.\n";
const SIDES: &str = "red, blue, start or your first move such as B2 15";

/// The person's name in a file.
const YOU: &str = "you";

pub fn saved_opponent(game: &RecordedGame) -> Option<String> {
    let [red, blue] = &game.names;
    let others = [(red, blue), (blue, red)].into_iter().find(|(person, _)| *person == YOU);
    others.map(|(_, opponent)| opponent.clone())
}

/// A game of a person against an opponent, from the set-up on.
pub struct TerminalGame {
    opponent: String,
    time: Duration,
    ink: Ink,
    /// The game, once all blocked cells are known.
    record: Option<Record>,
    /// The person's side, once it is chosen.
    person: Option<Player>,
    /// The opponent's time for each move of the record; zero for the person's moves.
    spent: Vec<Duration>,
}

/// The effect of a typed line: the work of the terminal.
#[derive(Clone, PartialEq, Debug)]
pub enum LineEffect {
    Show(String),
    Hint(Box<Record>),
    /// Write the second text to the file that the first one names.
    Save(String, String),
    Review(Box<RecordedGame>),
    Quit,
}

impl TerminalGame {
    /// Begin with the set-up; `opponent` is the name shown, `time` the opponent's time for a whole game.
    pub fn new(opponent: &str, time: Duration, ink: Ink) -> TerminalGame {
        let (spent, opponent) = (Vec::new(), opponent.to_owned());
        TerminalGame { opponent, time, ink, record: None, person: None, spent }
    }

    /// Return the opponent's name without its options.
    pub fn opponent(&self) -> &str {
        self.opponent.split(',').next().unwrap_or_default()
    }

    /// Go on with a recorded game; its names may tell the person's side.
    pub fn continue_game(&mut self, game: RecordedGame) {
        self.person = Player::BOTH.into_iter().find(|player| game.names[player.index()] == YOU);
        self.spent = vec![Duration::ZERO; game.record.moves().len()];
        self.record = Some(game.record);
    }

    /// Carry out a typed line; an error says the expected and changes nothing.
    pub fn accept(&mut self, line: &str) -> Result<LineEffect, String> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let record = self.record.as_ref().ok_or(NOT_BEGUN);
        Ok(LineEffect::Show(match (&*word.to_ascii_lowercase(), rest.trim()) {
            ("help" | "?", _) => words::HELP.to_owned(),
            ("board", "") => self.view(),
            ("undo", "") => {
                let undone = match self.person {
                    Some(person) => self.take_back(person),
                    // Before the choice of a side, the blocked cells.
                    None => self.record.take().is_some(),
                };
                if undone { self.view() } else { NOTHING_TO_UNDO.to_owned() }
            }
            ("new", "") => {
                let left = self.unfinished();
                (self.record, self.person) = (None, None);
                left + &self.view()
            }
            ("hint", "") if self.is_over() => return Err(OVER.to_owned()),
            ("hint", "") if record.is_ok() && self.person.is_none() => return Err(SIDES.to_owned()),
            ("hint", "") => return Ok(LineEffect::Hint(Box::new(record?.clone()))),
            ("save", "" | "-") => return Err("a file after save".to_owned()),
            ("save", file) => return Ok(LineEffect::Save(file.to_owned(), self.saved(record?))),
            ("review", "") if !self.is_over() => NOT_OVER.to_owned(),
            ("review", "") => {
                let (names, record) = (self.names(self.opponent()), record?.clone());
                let game = RecordedGame { title: String::new(), names, record, points: None, fault: None };
                return Ok(LineEffect::Review(Box::new(game)));
            }
            ("quit" | "exit", "") => return Ok(LineEffect::Quit),
            _ => {
                let nothing = line.is_empty() && self.person.is_some();
                self.enter(line)?;
                // On the opponent's turn the board comes with its answer.
                let quiet = nothing || self.asked().is_some();
                if quiet { String::new() } else { self.view() }
            }
        }))
    }

    /// Carry out a line that is no command.
    fn enter(&mut self, line: &str) -> Result<(), String> {
        let Some(record) = &self.record else { return self.set_up(line) };
        match self.person {
            Some(_) if line.is_empty() => Ok(()),
            Some(_) if self.is_over() => Err(OVER.to_owned()),
            Some(_) => self.push(parse_move(line)?, Duration::ZERO),
            None => {
                let mover = record.position().to_move();
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

    /// Begin the game with the blocked cells of a line, or go on with a whole game.
    fn set_up(&mut self, line: &str) -> Result<(), String> {
        let blocked = match &*line.to_ascii_lowercase() {
            "" | "random" => random_opening(RandomState::new().hash_one(0), 0).to_vec(),
            "small" => Cell::all().filter(|cell| cell.place().iter().sum::<i32>() >= 6).collect(),
            _ => {
                let games = files::read(line.as_bytes()).map_err(|error| error.expected)?;
                let [game] = <[RecordedGame; 1]>::try_from(games).map_err(|_| "one game")?;
                self.continue_game(game);
                return Ok(());
            }
        };
        self.record = Some(Record::standard(&blocked)?);
        self.spent.clear();
        Ok(())
    }

    fn push(&mut self, mv: Move, spent: Duration) -> Result<(), String> {
        let record = self.record.as_mut().ok_or(NOT_BEGUN)?;
        record.push(mv)?;
        self.spent.push(spent);
        Ok(())
    }

    /// Go back to before the person's last move, if any; take back the opponent's answer and its time, too.
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

    /// Return the position on the opponent's turn, with the opponent's time for the rest of the game.
    pub fn asked(&self) -> Option<(Position, Duration)> {
        let (position, person) = (*self.record.as_ref()?.position(), self.person?);
        let asked = !self.is_over() && position.to_move() != person;
        asked.then(|| (position, self.time.saturating_sub(self.spent.iter().sum())))
    }

    /// Play the opponent's legal move, which took `spent`; return the text to show.
    pub fn answer(&mut self, mv: Move, spent: Duration) -> Result<String, String> {
        self.push(mv, spent)?;
        Ok(format!("\n{} plays {mv}\n{}", self.opponent(), self.view()))
    }

    /// Stop waiting for the opponent: take back the person's last choice; return the text to show.
    pub fn interrupt(&mut self) -> String {
        self.person = self.person.filter(|&person| self.take_back(person));
        format!("stopped: your last choice is taken back\n{}", self.view())
    }

    pub fn prompt(&self) -> String {
        match (&self.record, self.person) {
            (None, _) => "blocked cells> ".to_owned(),
            (_, None) => "red or blue> ".to_owned(),
            _ if self.is_over() => "game over (review, undo, new, quit)> ".to_owned(),
            (_, Some(person)) => format!("your move, {}> ", capital(person)),
        }
    }

    /// Show the state of the game: at most 14 lines, of 79 columns but for the record.
    pub fn view(&self) -> String {
        let Some(record) = &self.record else { return words::SETUP.to_owned() };
        let hands = || {
            let [red, blue] = self.names(self.opponent());
            drawing::hands(record, [&format!("+ Red, {red}"), &format!("- Blue, {blue}")], self.ink)
        };
        let more = match self.person {
            None => {
                let mover = capital(record.position().to_move());
                format!("Do you play red or blue? {mover} moves first; Enter alone takes {mover}.\n")
            }
            Some(person) => words::result(record, person).unwrap_or_else(hands),
        };
        drawing::triangle(record, self.ink) + &more
    }

    fn names(&self, opponent: &str) -> [String; 2] {
        let name = |person, player| if person == player { YOU } else { opponent };
        Player::BOTH.map(|player| self.person.map_or("", |person| name(person, player)).to_owned())
    }

    fn saved(&self, record: &Record) -> String {
        let [red, blue] = self.names(&self.opponent);
        let head = files::log_head([&red, &blue], 1);
        format!("{}{record}\n", if red.is_empty() { "" } else { &head })
    }

    /// Explain how to go on with an unfinished game; empty without one.
    pub fn unfinished(&self) -> String {
        let begun = |record: &&Record| self.person.is_some() || !record.moves().is_empty();
        let Some(record) = self.record.as_ref().filter(begun).filter(|_| !self.is_over()) else {
            return String::new();
        };
        let text = record.to_base36().unwrap_or_else(|| record.to_string());
        format!("To go on with this game, paste in the set-up\n{text}\n")
    }
}

/// Read a move such as `b2 15`, `B2=15`, `b2-15` or `b215`; an error says the expected.
fn parse_move(text: &str) -> Result<Move, &'static str> {
    let cell = text.get(..2).and_then(Cell::parse);
    let cell = cell.ok_or("a move such as B2 15, or a command (help lists them)")?;
    let digits = text[2..].trim_start_matches([' ', '\t', '=', '-', '+', ':', ',']);
    let stone = digits.parse().ok().and_then(Stone::new).ok_or("a stone from 1 to 15 after the cell")?;
    Ok(Move { cell, stone })
}
