//! The board and the hands of a game as text for a person.
//!
//! Cells, stones and blocked cells differ without colour and without the case of letters:
//!
//! ```text
//! A1      an empty cell            (A1)    the hole, once the game is over
//! +7      Red's stone 7            -7      Blue's stone 7, as in the score
//! [+7]    the last move            ##      a blocked cell
//! ```

use crate::games::record::Record;
use crate::player::board::{Cell, MAX_STONE, Player, Stone};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ink {
    Plain,
    Colour,
}

const CELL_WIDTH: usize = 6;

impl Ink {
    /// Write `text` in a style, the numbers of a "select graphic rendition" sequence.
    fn style(self, style: &str, text: &str) -> String {
        match self {
            Ink::Colour if !style.is_empty() => format!("\x1b[{style}m{text}\x1b[0m"),
            _ => text.to_owned(),
        }
    }

    pub fn of(self, player: Player, text: &str) -> String {
        self.style(if player == Player::Red { "1;37;41" } else { "1;37;44" }, text)
    }
}

/// Draw the board and both hands of a record as plain text: ten lines of at most 60 columns.
pub fn board(record: &Record) -> String {
    triangle(record, Ink::Plain) + &hands(record, ["+ Red", "- Blue"], Ink::Plain)
}

/// Draw the board: eight lines of at most 48 columns.
pub fn triangle(record: &Record, ink: Ink) -> String {
    let over = record.final_score().is_some();
    // The hole in reverse, blocked cells dim.
    let unplayed = |cell: Cell| match over {
        true => (format!("({cell})"), None, "7"),
        false => (cell.to_string(), None, ""),
    };
    let mut cells: Vec<(String, Option<Player>, &str)> = Cell::all().map(unplayed).collect();
    record.blocked().iter().for_each(|cell| cells[cell.ordinal()] = ("##".to_owned(), None, "2"));
    for (ply, (player, mv)) in record.placements().enumerate() {
        let last = ply + 1 == record.moves().len();
        let stone = stone(player, mv.stone);
        let text = if last { format!("[{stone}]") } else { format!(" {stone} ") };
        cells[mv.cell.ordinal()] = (text, Some(player), "");
    }
    let mut drawing = String::new();
    for row in 0..8u8 {
        drawing.push_str(&" ".repeat(CELL_WIDTH / 2 * usize::from(7 - row)));
        let mut gap = 0;
        for cell in (0..=row).filter_map(|v| Cell::at(row - v, v)) {
            let (text, player, style) = &cells[cell.ordinal()];
            let before = (CELL_WIDTH - text.len()) / 2;
            let text_drawn = player.map_or_else(|| ink.style(style, text), |player| ink.of(player, text));
            drawing += &format!("{:1$}{text_drawn}", "", gap + before);
            gap = CELL_WIDTH - text.len() - before;
        }
        drawing.truncate(drawing.trim_end().len());
        drawing.push('\n');
    }
    drawing
}

/// Write a stone with its sign in the score: `+7` for Red's, `-7` for Blue's.
pub fn stone(player: Player, stone: Stone) -> String {
    format!("{:+}", player.sign() * stone.value() as i8)
}

/// Draw the hands, a line for each name (Red's first); a dot stands for a played stone.
pub fn hands(record: &Record, names: [&str; 2], ink: Ink) -> String {
    let width = names.map(|name| name.chars().count()).into_iter().max().unwrap_or(0);
    let line = |player: Player| {
        let (whole, left) = (record.start().hand(player), record.position().hand(player));
        let shown = (1..=MAX_STONE).filter_map(Stone::new).filter(|&stone| Some(stone) <= whole.largest());
        let text = |stone: Stone| match left.contains(stone) {
            true => format!(" {stone}"),
            false => format!(" {:>1$}", ".", stone.to_string().len()),
        };
        let stones: String = shown.map(text).collect();
        let name = names[player.index()];
        let pad = width - name.chars().count();
        format!("{}{:pad$}{stones}\n", ink.of(player, name), "")
    };
    Player::BOTH.map(line).concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "E4 F2 A5 A7 C1 D3=15 B1=9 A1=3";

    #[test]
    fn every_placement_is_drawn() {
        let record = Record::parse(GAME).expect("a game");
        let expected = "
                      [+3]
                    -9    A2
                 ##    B2    A3
              D1    C2    B3    A4
           E1    D2    C3    B4    ##
        F1    E2   +15    C4    B5    A6
     G1    ##    E3    D4    C5    B6    ##
  H1    G2    F3    ##    D5    C6    B7    A8
+ Red  1 2 . 4 5 6 7 8 9 10 11 12 13 14  .
- Blue 1 2 3 4 5 6 7 8 . 10 11 12 13 14 15
";
        assert_eq!(format!("\n{}", board(&record)), expected);
    }

    #[test]
    fn colour_changes_no_text() {
        let whole = "t0v04060f0nf8ojebuadotqc9l1bsicarje92px8grh7lh31isw6dnp5yqz3mk04um52kg";
        let own_hands = "A1 B1 C1 D1 E1 F1 G1 H1 A2 B2 C2 D2 E2 F2 G2 A3 B3 C3 D3 E3 F3 A4 B4 C4 D4 E4 A5 B5 C5 D5 \
                         A6 B6 red:3,15 blue:9 C6=3";
        for (game, hole) in [(GAME, ""), (whole, "(A8)"), (own_hands, "")] {
            let record = Record::parse(game).expect("a game");
            let [plain, coloured] = [Ink::Plain, Ink::Colour]
                .map(|ink| triangle(&record, ink) + &hands(&record, ["Red", "Blue"], ink));
            // The text after an escape sequence, which ends with an m.
            let part = |part: &str| part[part.find('m').map_or(0, |end| end + 1)..].to_owned();
            let text: String = format!("\x1b[m{coloured}").split("\x1b[").map(part).collect();
            assert!(text.lines().map(str::trim_end).eq(plain.lines()), "{text}");
            assert!(plain.len() < coloured.len() && plain.contains(hole), "{plain}");
            assert!(plain.lines().all(|line| line.len() <= 60) && plain.lines().count() == 10);
        }
    }
}
