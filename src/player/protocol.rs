//! The referee's lines, for both ends of the pipe.

use std::fmt;

use crate::board::{Cell, Move, ParseMoveError};

/// One line of the dialogue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Message {
    /// `Start`: the reader plays Red and is to move.
    Start,
    /// `Quit`: the game ends here.
    Quit,
    Blocked(Cell),
    Move(Move),
}

impl Message {
    /// Read a line. Blanks around it (a carriage return is one) and the case of letters do not matter.
    pub fn parse(line: &str) -> Result<Message, ParseMoveError> {
        let text = line.trim();
        if text.eq_ignore_ascii_case("start") {
            Ok(Message::Start)
        } else if text.eq_ignore_ascii_case("quit") {
            Ok(Message::Quit)
        } else if text.contains('=') {
            Move::parse(text).map(Message::Move)
        } else {
            Cell::parse(text).map(Message::Blocked).ok_or(ParseMoveError::NoEquals)
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Message::Start => f.write_str("Start"),
            Message::Quit => f.write_str("Quit"),
            Message::Blocked(cell) => cell.fmt(f),
            Message::Move(mv) => mv.fmt(f),
        }
    }
}
