//! Files of records, one JSON object a line. A program may be cut off at any moment while appending.
//!
//! Only two things are ever cut from a file: the torn beginning of a record of its own format, and the
//! zero bytes left by a power loss.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use same_file::Handle;
use serde::Serialize;
use serde_json::error::Category;

use super::{is_device, open_alone};
use crate::player::input::quote;

/// The most bytes of an input: far more than the journal of a long match.
const MAX_BYTES: u64 = 1 << 30;

pub type JsonResult<T> = serde_json::Result<T>;

pub use serde_json::from_slice as from_json;

pub trait JsonLine: Sized {
    /// The record's name in error messages: "a game of a match".
    const WHAT: &'static str;
    /// The first keys of all records we write; they distinguish a torn line from another file.
    const FIRST: &'static [&'static str];

    fn read(line: &[u8]) -> JsonResult<Self>;

    /// Check the conditions beyond the types; an error says the expected.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

#[derive(Debug)]
pub struct Lines<T> {
    pub records: Vec<T>,
    /// The number of bytes at the end in the torn beginning of a record, or in zeros.
    pub torn: usize,
}

/// Read a line. An error comes with whether the line may be a torn record: its whole parts fit, and it begins
/// with our first key, or is the beginning of that key and `follows` whole records.
fn read_line<T: JsonLine>(line: &[u8], follows: bool) -> Result<T, (String, bool)> {
    let record = T::read(line).map_err(|error| {
        let begins = T::FIRST.iter().any(|key| {
            let start = format!("{{\"{key}\"").into_bytes();
            line.starts_with(&start) || follows && start.starts_with(line)
        });
        let why = match error.classify() {
            Category::Data => format!("expected {} ({})", T::WHAT, without_place(&error)),
            _ => format!("found {}, expected {}", quote(line), T::WHAT),
        };
        (why, error.is_eof() && begins)
    })?;
    record.check().map_err(|expected| (format!("expected {expected}"), false))?;
    Ok(record)
}

pub fn without_place(error: &serde_json::Error) -> String {
    error.to_string().split(" at line ").next().unwrap_or_default().to_owned()
}

/// Return bytes without the zeros at the end, left by a power loss.
pub fn without_zeros(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1)]
}

/// Read a record from every line but empty ones; only the last may be torn. An error names the first invalid line.
pub fn parse<T: JsonLine>(text: &[u8]) -> Result<Lines<T>, String> {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    let whole = without_zeros(text);
    let mut lines = Lines { records: Vec::new(), torn: text.len() - whole.len() };
    let mut last = 1;
    for (number, line) in (1..).zip(whole.split_inclusive(|&byte| byte == b'\n')) {
        last = number;
        let ended = line.strip_suffix(b"\n");
        let line = ended.unwrap_or(line);
        if line.trim_ascii().is_empty() {
            continue;
        }
        match read_line(line, !lines.records.is_empty()) {
            Ok(record) => lines.records.push(record),
            Err((_, true)) if ended.is_none() => {
                lines.torn += line.len();
                return Ok(lines);
            }
            Err((why, _)) => return Err(format!("line {number}: {why}")),
        }
    }
    if lines.torn > 0 && lines.records.is_empty() {
        return Err(format!("line {last}: expected {}, found zeros alone", T::WHAT));
    }
    Ok(lines)
}

/// The part of a file read so far: its length and its last line, which distinguishes another file of its name.
#[derive(Debug, Default)]
pub struct ReadSoFar {
    length: u64,
    last: Vec<u8>,
    /// Whether the torn beginning of a record follows, which may go on.
    pub is_torn: bool,
}

/// Read the new whole records of a file that others write, or the whole of a file that was begun again.
pub fn read_on<T: JsonLine>(path: &Path, so_far: &mut ReadSoFar) -> io::Result<Vec<T>> {
    // Opening a pipe may wait.
    if !path.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "expected a regular file"));
    }
    let mut text = Vec::new();
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(so_far.length - so_far.last.len() as u64))?;
    file.read_to_end(&mut text)?;
    if !text.starts_with(&so_far.last) {
        *so_far = ReadSoFar::default();
        return read_on(path, so_far);
    }
    let lines = parse(&text).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    let known = usize::from(!so_far.last.trim_ascii().is_empty());
    text.truncate(text.len() - lines.torn);
    so_far.length += (text.len() - so_far.last.len()) as u64;
    so_far.last = text.split_inclusive(|&byte| byte == b'\n').next_back().unwrap_or_default().to_vec();
    so_far.is_torn = lines.torn > 0;
    Ok(lines.records.into_iter().skip(known).collect())
}

/// Check that an output is a new or regular file other than stdout's: opening or reading a device may never end.
pub fn regular_or_new(path: &Path) -> io::Result<()> {
    let refused = |expected| Err(io::Error::new(io::ErrorKind::InvalidInput, expected));
    match path.metadata() {
        _ if is_standard(path) => refused("expected a file, found the sign for standard output"),
        Ok(known) if !known.is_file() => refused("expected a regular file"),
        Ok(_) if is_stdout(path) => refused("expected another file than standard output"),
        _ => Ok(()),
    }
}

/// Tell whether a path is the sign for standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// Name an input in a message.
pub fn input_name(path: &Path) -> String {
    if is_standard(path) { "standard input".to_owned() } else { path.display().to_string() }
}

pub fn torn_remark(path: &Path) -> String {
    format!("{}: the torn last line is left out", input_name(path))
}

pub fn is_stdout(path: &Path) -> bool {
    let is_it = || Ok::<_, io::Error>(Handle::stdout()? == Handle::from_path(path)?);
    path.is_file() && is_it().unwrap_or(false)
}

/// Tell whether a file is new, empty, or an older output: it begins with `first` and has `mark` near its beginning.
pub fn is_new_or_ours(path: &Path, [first, mark]: [&str; 2]) -> io::Result<bool> {
    let mut beginning = Vec::new();
    match File::open(path) {
        Ok(file) => file.take(200).read_to_end(&mut beginning)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error),
    };
    let text = String::from_utf8_lossy(&beginning);
    Ok(text.is_empty() || text.starts_with(first) && text.contains(mark))
}

pub fn with_path(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Write a text into a new file; fail if it exists. A failure leaves no file.
pub fn create_whole(path: &Path, text: &str) -> io::Result<()> {
    let written = File::create_new(path).and_then(|mut file| {
        file.write_all(text.as_bytes()).or_else(|error| fs::remove_file(path).and(Err(error)))
    });
    written.map_err(|error| with_path(path, error))
}

/// Read a file, a pipe or, for `-`, standard input; refuse a device and more than [`MAX_BYTES`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let refused = |why| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    let mut bytes = Vec::new();
    let mut collect = |input: &mut dyn Read| input.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    if is_standard(path) {
        collect(&mut io::stdin().lock())?;
    } else if is_device(&path.metadata()?) {
        return refused("expected a file, found a device");
    } else {
        collect(&mut File::open(path)?)?;
    }
    if bytes.len() as u64 > MAX_BYTES { refused("expected at most a gigabyte") } else { Ok(bytes) }
}

/// A file of records open for appending, to one run at a time.
pub struct LineFile {
    path: PathBuf,
    file: Handle,
    /// The reason why the file could not be locked against other runs, if any.
    shared: Option<io::Error>,
    /// The file's length after our last write, bytes.
    length: u64,
}

impl LineFile {
    /// Open or create a file and read its records; cut off a torn end. A file that is no regular one, is open
    /// in another run, or has other content is an error and stays unchanged.
    pub fn open<T: JsonLine>(path: &Path) -> io::Result<(LineFile, Lines<T>)> {
        regular_or_new(path)?;
        // The lock is held until the file is closed.
        let (mut file, shared) = open_alone(path).map_err(|error| match error.kind() {
            io::ErrorKind::ResourceBusy => io::Error::new(error.kind(), "another run is writing to it"),
            _ => error,
        })?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let lines = parse(&text).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        if lines.torn > 0 {
            text.truncate(text.len() - lines.torn);
            file.set_len(text.len() as u64)?;
        }
        let file = Handle::from_file(file)?;
        let mut file = LineFile { path: path.to_owned(), file, shared, length: text.len() as u64 };
        if !text.is_empty() && !text.ends_with(b"\n") {
            file.write(b"\n")?;
        }
        Ok((file, lines))
    }

    /// List the faults of the file just opened for the user: a torn line, a missing lock.
    pub fn remarks<T>(&self, lines: &Lines<T>) -> Vec<String> {
        let torn = (lines.torn > 0).then(|| "the torn last line is cut off".to_owned());
        let shared = |why| format!("the file cannot be locked ({why}): let no other run write to it");
        let remarks = torn.into_iter().chain(self.shared.as_ref().map(shared));
        remarks.map(|remark| format!("{}: {remark}", self.path.display())).collect()
    }

    pub fn check(&self) -> io::Result<()> {
        let changed =
            |how| Err(with_path(&self.path, io::Error::other(format!("{how} while it was in use"))));
        if !self.path.is_file() || Handle::from_path(&self.path)? != self.file {
            return changed("it was removed or renamed");
        }
        if self.file.as_file().metadata()?.len() != self.length {
            return changed("something else changed it");
        }
        Ok(())
    }

    /// [Check](LineFile::check) the file, then append a record, whole or not at all; an error names the path.
    pub fn append(&mut self, record: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        self.check()?;
        self.write(&line).map_err(|error| with_path(&self.path, error))
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let file = self.file.as_file_mut();
        file.seek(SeekFrom::End(0))?;
        let count = file.write(bytes)?;
        if count < bytes.len() {
            file.set_len(self.length)?;
            return Err(io::Error::new(io::ErrorKind::StorageFull, "no space left for a whole line"));
        }
        self.length += count as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    #[serde(deny_unknown_fields)]
    struct Part {
        name: String,
        size: Option<i8>,
        parts: Vec<u64>,
    }

    impl JsonLine for Part {
        const WHAT: &'static str = "a part";
        const FIRST: &'static [&'static str] = &["name"];

        fn read(line: &[u8]) -> JsonResult<Part> {
            from_json(line)
        }
    }

    const LINE: &str = r#"{"name":"é\n\u0001","size":-3,"parts":[1,20]}"#;

    #[test]
    fn every_proper_prefix_of_a_record_is_torn_and_nothing_else() {
        let whole = format!("{LINE}\n\n{LINE}\r\n");
        let read = |text: &[u8]| parse::<Part>(text).map(|lines| (lines.records.len(), lines.torn));
        for cut in 0..LINE.len() {
            let torn = &LINE.as_bytes()[..cut];
            for zeros in [0, 1, 5000] {
                let text = [whole.as_bytes(), torn, &vec![0; zeros]].concat();
                assert_eq!(read(&text), Ok((2, cut + zeros)), "{cut}");
            }
            // Alone in a file, it must show its first key.
            if cut > 0 {
                assert_eq!(read(torn).ok(), (cut > "{\"name".len()).then_some((0, cut)), "{cut}");
            }
        }
        assert_eq!(read(format!("{whole}{LINE}").as_bytes()), Ok((3, 0)));
        assert!(read(LINE.replace("-3", "-3.0").as_bytes()).is_err());
        let others = r#"E4|[|{"name":"x"}|{"game":"x|{"name":7|{"name":"é","age":3|{"size":3,"a|{"size":3,"name":"é|{ "name":"é"#;
        for other in others.split('|').chain([&*LINE.replace("-3", "300")]) {
            assert!(read(other.as_bytes()).is_err_and(|error| error.starts_with("line 1: ")), "{other}");
            let after = read(format!("{whole}{other}").as_bytes());
            assert!(after.is_err_and(|error| error.starts_with("line 4: ")), "{other}");
        }
        assert_eq!(read(&[0; 9]), Err("line 1: expected a part, found zeros alone".to_owned()));
        let middle = read(format!("{LINE}\n{}\n{LINE}\n", &LINE[..20]).as_bytes());
        assert!(middle.is_err_and(|error| error.starts_with("line 2: found ")));
    }
}
