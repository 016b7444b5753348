//! Text from outside: lines of bounded length, and the one error of all text readers.

use std::fmt;
use std::io::{self, BufRead, Read};
use std::thread::sleep;
use std::time::Duration;

/// The longest line that is accepted, in bytes without its end. A referee's line has at most 5.
pub const MAX_LINE_BYTES: usize = 250;

const MAX_QUOTED_BYTES: usize = 24;

/// A fault in a text: its line, the found and the expected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputError {
    /// The line, counted from 1.
    pub line: usize,
    /// A shortened, escaped quotation, or words such as "the end".
    pub found: String,
    pub expected: String,
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: found {}, expected {}", self.line, self.found, self.expected)
    }
}

/// Quote at most 24 bytes for an error message, all but printable ASCII escaped.
pub fn quote(bytes: &[u8]) -> String {
    let cut = &bytes[..bytes.len().min(MAX_QUOTED_BYTES)];
    let dots = if cut.len() < bytes.len() { "..." } else { "" };
    format!("\"{}{dots}\"", cut.escape_ascii())
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputLine {
    /// Its number, counted from 1; empty lines count.
    pub number: usize,
    /// Its bytes without blanks at either end; of an overlong line only the beginning.
    pub bytes: Vec<u8>,
    /// Whether the line has more than [`MAX_LINE_BYTES`] bytes.
    pub overlong: bool,
}

impl InputLine {
    pub fn found(&self) -> String {
        if self.overlong {
            format!("a line of more than {MAX_LINE_BYTES} bytes: {}", quote(&self.bytes))
        } else {
            quote(&self.bytes)
        }
    }

    /// Return the line as text, if it is UTF-8 and was read whole.
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok().filter(|_| !self.overlong)
    }
}

/// Reads lines without ever storing more than [`MAX_LINE_BYTES`] bytes of one. An overlong line is the last.
pub struct LineReader<R> {
    input: R,
    number: usize,
}

impl<R: BufRead> LineReader<R> {
    pub fn new(input: R) -> LineReader<R> {
        LineReader { input, number: 0 }
    }

    /// Read the next line; `None` at the end of input. A last line without a line feed is a line.
    pub fn next_line(&mut self) -> io::Result<Option<InputLine>> {
        let mut bytes = Vec::new();
        loop {
            // One byte more than a line may have.
            let limit = (MAX_LINE_BYTES + 1 - bytes.len()) as u64;
            match Read::take(&mut self.input, limit).read_until(b'\n', &mut bytes) {
                // Some programs hand over a pipe whose reads return at once.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => sleep(Duration::from_millis(1)),
                Err(error) => return Err(error),
                Ok(_) if bytes.is_empty() => return Ok(None),
                Ok(_) => break,
            }
        }
        self.number += 1;
        let overlong = bytes.len() > MAX_LINE_BYTES && !bytes.ends_with(b"\n");
        if self.number == 1 && bytes.starts_with(b"\xef\xbb\xbf") {
            // Some systems write a byte order mark.
            bytes.drain(..3);
        }
        let is_text = |byte: &u8| !byte.is_ascii_whitespace();
        let first = bytes.iter().position(is_text).unwrap_or(bytes.len());
        let bytes = bytes[first..bytes.iter().rposition(is_text).map_or(first, |last| last + 1)].to_vec();
        Ok(Some(InputLine { number: self.number, bytes, overlong }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_and_counted() {
        let [whole, long] = [MAX_LINE_BYTES, 10 * MAX_LINE_BYTES].map(|length| "x".repeat(length));
        let text = format!("\u{feff}one\r\n\n last \n{whole}\n{long}");
        let mut lines = LineReader::new(text.as_bytes());
        let expected =
            [(3, false), (0, false), (4, false), (MAX_LINE_BYTES, false), (MAX_LINE_BYTES + 1, true)];
        for (number, (length, overlong)) in (1..).zip(expected) {
            let line = lines.next_line().expect("no failure").expect("a line");
            assert_eq!((line.number, line.bytes.len(), line.overlong), (number, length, overlong));
            assert_eq!(line.text().is_none(), overlong);
        }
    }

    #[test]
    fn a_byte_order_mark_is_part_of_the_length() {
        for (length, overlong) in [(MAX_LINE_BYTES - 3, false), (MAX_LINE_BYTES - 2, true), (300, true)] {
            let text = format!("\u{feff}{}\n", "x".repeat(length));
            let line = LineReader::new(text.as_bytes()).next_line().expect("no failure").expect("a line");
            assert_eq!((line.overlong, line.text().map(str::len)), (overlong, (!overlong).then_some(length)));
        }
    }

    /// A reader that gives a byte at every other request.
    struct Hesitant(&'static [u8], bool);

    impl Read for Hesitant {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            self.0.read(&mut buffer[..1])
        }
    }

    #[test]
    fn input_that_does_not_wait_is_waited_for() {
        let mut lines = LineReader::new(io::BufReader::new(Hesitant(b"one\n\ntwo", false)));
        let mut next = || lines.next_line().expect("no failure");
        let seen: Vec<Vec<u8>> = std::iter::from_fn(&mut next).map(|line| line.bytes).collect();
        assert_eq!(seen, [b"one".to_vec(), Vec::new(), b"two".to_vec()]);
    }
}
