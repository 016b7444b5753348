//! What a person types.

use crate::player::board::{Cell, Move, Stone};

/// A command beside moves and set-up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// Explain the marks and list the commands.
    Help,
    /// Take back one's last move and the answer to it.
    Undo,
    /// Ask the engine for a move.
    Hint,
    /// Draw the board and the hands.
    Board,
    /// Show the hands.
    Hands,
    /// Show what each empty cell counts so far, if it becomes the hole.
    Cells,
    /// Write the record to a new file; the name may be missing.
    Save(String),
    /// Begin another game.
    New,
    /// Leave.
    Quit,
}

impl Command {
    /// Read a command, in either case; `None` when the line is none.
    pub fn parse(line: &str) -> Option<Command> {
        let (word, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        Some(match (&*word.to_ascii_lowercase(), rest.trim()) {
            ("help" | "?", _) => Command::Help,
            ("undo", "") => Command::Undo,
            ("hint", "") => Command::Hint,
            ("board", "") => Command::Board,
            ("hands", "") => Command::Hands,
            ("cells", "") => Command::Cells,
            ("save", file) => Command::Save(file.to_owned()),
            ("new", "") => Command::New,
            ("quit" | "exit", "") => Command::Quit,
            _ => return None,
        })
    }
}

/// Read a move such as `b2 15`, `B2=15`, `b2-15` or `b215`.
///
/// # Errors
/// Says what was expected.
pub fn parse_move(line: &str) -> Result<Move, &'static str> {
    let text = line.trim();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_read_forgivingly() {
        for text in
            ["b2 15", "B2=15", "b2-15", " B2  15 ", "b2\t15", "b215", "B2 = 15", "b2:15", "b2 -15", "b2=015"]
        {
            assert_eq!(parse_move(text).map(|mv| mv.to_string()).as_deref(), Ok("B2=15"), "{text}");
        }
        for (text, expected) in [
            ("", "a move such as"),
            ("b", "a move such as"),
            ("i1 5", "a move such as"),
            ("a9=5", "a move such as"),
            ("15", "a move such as"),
            ("ä1 5", "a move such as"),
            ("€", "a move such as"),
            ("hello", "a move such as"),
            ("b2", "a stone after"),
            ("b2 =", "a stone after"),
            ("b2 16", "a stone from 1 to 15"),
            ("b2 0", "a stone from 1 to 15"),
            ("b2 99999999999999999999", "a stone from 1 to 15"),
            ("b2 five", "a cell and a stone"),
            ("b2 1 5", "a cell and a stone"),
            ("b2é", "a cell and a stone"),
        ] {
            let error = parse_move(text).expect_err(text);
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }

    #[test]
    fn commands_are_words_of_their_own() {
        let save = |file: &str| Some(Command::Save(file.to_owned()));
        for (line, expected) in [
            (" UNDO ", Some(Command::Undo)),
            ("help undo", Some(Command::Help)),
            ("?", Some(Command::Help)),
            ("hint", Some(Command::Hint)),
            ("exit", Some(Command::Quit)),
            ("save", save("")),
            ("Save  My game.txt", save("My game.txt")),
            ("undo 3", None),
            ("b2 15", None),
            ("", None),
        ] {
            assert_eq!(Command::parse(line), expected, "{line}");
        }
    }
}
