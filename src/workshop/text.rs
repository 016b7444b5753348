//! Text for people: what of it can be seen, and how it is laid out.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns that a line of words may take: a terminal has 80, and the line may be indented.
const LINE: usize = 78;

/// Tell whether a character shows nothing, or turns a line around: a text with it is not what it looks
/// like. These are the characters that Unicode lets a reader ignore, and some blanks, but not what
/// joins letters or pictures.
pub fn is_unseen(c: char) -> bool {
    let ignorable = matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    );
    c.is_control() || ignorable
}

/// Tell whether a name shows all it has: a mark follows a letter, and what joins follows something that
/// is not ASCII.
pub fn is_visible(name: &str) -> bool {
    let mut before = ' ';
    name.chars().all(|c| {
        let before = std::mem::replace(&mut before, c);
        let joins = matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}');
        let is_mark = c.width() == Some(0) && !joins;
        !is_unseen(c) && !(joins && (before.is_ascii() || before == c)) && !(is_mark && before == ' ')
    })
}

/// Write a number with its noun, in the plural unless it is 1.
pub fn plural(count: impl Into<u64>, noun: &str) -> String {
    let count = count.into();
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Break words into lines that a terminal shows whole, but for longer words; all but the first are
/// indented.
pub fn wrapped(text: &str) -> String {
    let (mut lines, mut width) = (String::new(), 0);
    for word in text.split(' ') {
        if width > 0 && width + 1 + word.width() > LINE {
            (lines, width) = (lines + "\n ", 1);
        }
        let blank = if width > 0 { " " } else { "" };
        lines = lines + blank + word;
        width += blank.len() + word.width();
    }
    lines
}

/// Lay out cells in columns two blanks apart: the columns marked `<` in `aligned` to the left,
/// others to the right.
pub fn table(aligned: &str, rows: &[Vec<String>]) -> String {
    let widest = |column: usize| rows.iter().map(|row| row[column].width()).max().unwrap_or(0);
    let columns: Vec<(char, usize)> = aligned.chars().zip((0..).map(widest)).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&columns).map(|(cell, (side, width))| {
            let room = " ".repeat(width - cell.width());
            if *side == '<' { format!("{cell}{room}") } else { format!("{room}{cell}") }
        });
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text += "\n";
    }
    text
}
