//! Text for people and from them: visible characters, numbers, line breaks, tables, progress.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::iter;
use std::ops::RangeInclusive;
use std::str::FromStr;

use indicatif::{ProgressBar, ProgressStyle};
use unicode_width::UnicodeWidthStr;

use crate::player::board::Player;

/// Tell whether a character is invisible or turns a line around, so that its text looks like another:
/// control characters, Unicode's ignorable characters and some blanks, except joiners of letters or pictures.
pub fn is_unseen(c: char) -> bool {
    let ignorable = matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    );
    c.is_control() || ignorable
}

pub fn capital(player: Player) -> &'static str {
    if player == Player::Red { "Red" } else { "Blue" }
}

/// Write a number with its noun, in the plural unless it is 1.
pub fn plural(count: impl Into<u64>, noun: &str) -> String {
    let count = count.into();
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Write points, estimated ones to a tenth at most: "1 point", "1.4 points".
pub fn about_points(count: f64) -> String {
    let tenths = (10.0 * count).round();
    format!("{} point{}", tenths / 10.0, if tenths == 10.0 { "" } else { "s" })
}

/// Read a number in a range; an error says the expected kind and range.
pub fn number<T: FromStr + PartialOrd + Display>(text: &str, range: &RangeInclusive<T>) -> Result<T, String> {
    text.parse().ok().filter(|value| range.contains(value)).ok_or_else(|| {
        // A type without one half is a type of whole numbers.
        let kind = if "0.5".parse::<T>().is_ok() { "a number" } else { "a whole number" };
        format!("expected {kind} from {} to {}", range.start(), range.end())
    })
}

/// Return the columns of the terminal; 80 if they are unknown.
pub fn columns() -> usize {
    terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0))
}

/// Break a text between words into lines that fit a terminal, perhaps indented; indent all but the first.
pub fn wrapped(text: &str) -> String {
    hanging("", text, 2, 78)
}

/// Break a text between words into lines of at most so many columns; the first has a head, the others are indented.
pub fn hanging(head: &str, text: &str, indent: usize, columns: usize) -> String {
    let (mut lines, mut width, blanks) = (head.to_owned(), head.width(), " ".repeat(indent));
    for (n, word) in text.split(' ').enumerate() {
        let between = match n {
            0 => "",
            _ if width + 1 + word.width() <= columns => " ",
            _ => {
                lines.push('\n');
                width = 0;
                &blanks
            }
        };
        lines = lines + between + word;
        width += between.len() + word.width();
    }
    lines
}

/// Lay out cells in columns two blanks apart: columns marked `<` in `aligned` to the left, others to
/// the right.
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

/// Lay out a table in this many columns: in the column `names` the middle of long ones is left out if they stay different.
pub fn fitting(columns: usize, aligned: &str, rows: &[Vec<String>], names: usize) -> String {
    let cut = |most: usize| {
        let mut rows = rows.to_vec();
        for name in rows.iter_mut().map(|row| &mut row[names]).filter(|name| name.chars().count() > most) {
            let end = name.chars().count() - (most - 1) / 2;
            *name = name.chars().take(most / 2).chain(['…']).chain(name.chars().skip(end)).collect();
        }
        let different: BTreeSet<&String> = rows.iter().map(|row| &row[names]).collect();
        let text = table(aligned, &rows);
        (different.len() == rows.len() && text.lines().all(|line| line.width() <= columns)).then_some(text)
    };
    iter::once(usize::MAX).chain((8..100).rev()).find_map(cut).unwrap_or_else(|| table(aligned, rows))
}

/// Lay out rows under their titles, below an empty line, without empty columns; a dash is a missing entry.
pub fn titled_table<const N: usize>(
    aligned: &str,
    titles: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
) -> String {
    let rows: Vec<[String; N]> = rows.collect();
    let used: Vec<usize> = (0..N).filter(|&n| rows.iter().any(|row| !row[n].is_empty())).collect();
    let shown = |cell: String| if cell.is_empty() { "-".to_owned() } else { cell };
    let lines = [titles.map(str::to_owned)].into_iter().chain(rows.into_iter().map(|row| row.map(shown)));
    let lines: Vec<Vec<String>> = lines.map(|row| used.iter().map(|&n| row[n].clone()).collect()).collect();
    let aligned: String = aligned.char_indices().filter(|(n, _)| used.contains(n)).map(|(_, c)| c).collect();
    if used.is_empty() { String::new() } else { format!("\n{}", table(&aligned, &lines)) }
}

/// Make a bar on standard error; it is shown only on a terminal.
pub fn progress_bar(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template).expect("a fixed template");
    ProgressBar::new(length).with_style(style)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        let long = "x".repeat(90);
        let text = format!("{long} {}", ["word"; 16].join(" "));
        let lines = [&*long, &format!("  {}", ["word"; 15].join(" ")), "  word"];
        assert_eq!(wrapped(&text), lines.join("\n"));
    }
}
