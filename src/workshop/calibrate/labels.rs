//! Exact values of recorded positions, kept on disk: one JSON object a line.
//!
//! `record` is the position as a record, `value` its value or null, and for null `nodes` says how many solver
//! nodes did not find it.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde_json::{Value, json};

use crate::player::evaluation;
use crate::player::limits::Limits;
use crate::player::position::{MAX_SCORE, Score};
use crate::player::record::Record;
use crate::player::solver::Solver;

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Label {
    Value(Score),
    /// So many nodes are not enough.
    Unsolved(u64),
}

/// Exact values, found by the solver or remembered from an earlier run.
#[derive(Default)]
pub struct Labels {
    known: HashMap<String, Label>,
    file: Option<File>,
    solver: Solver,
}

impl Labels {
    /// Make labels that remember those of a file, which is created if there is none, and append new ones to
    /// it. The torn end of an interrupted write is cut off.
    ///
    /// # Errors
    /// When the file cannot be opened or read, or holds something else (kind `InvalidData`).
    pub fn open(path: &Path) -> io::Result<Labels> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let mut text = Vec::new();
        file.seek(SeekFrom::Start(0))?;
        file.read_to_end(&mut text)?;
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let known =
            parse(&text[..whole]).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        if whole < text.len() {
            file.set_len(whole as u64)?;
        }
        Ok(Labels { known, file: Some(file), solver: Solver::default() })
    }

    /// Return the value of the position at the end of a record; `None` when `nodes` solver nodes do not find
    /// it. Every position is solved by itself, so that the answer does not depend on those before.
    ///
    /// # Errors
    /// When a new label cannot be written to the file.
    pub fn value(&mut self, record: &Record, nodes: u64) -> io::Result<Option<Score>> {
        let name = record.to_string();
        match self.known.get(&name) {
            Some(Label::Value(value)) => return Ok(Some(*value)),
            Some(Label::Unsolved(tried)) if *tried >= nodes => return Ok(None),
            _ => {}
        }
        self.solver.clear();
        let guess = evaluation::likely_score(record.position());
        let found = self.solver.value(record.position(), guess, &Limits::nodes(nodes)).exact();
        if let Some(file) = &mut self.file {
            let line = match found {
                Some(value) => json!({ "record": name, "value": value }),
                None => json!({ "record": name, "value": null, "nodes": nodes }),
            };
            file.write_all(format!("{line}\n").as_bytes())?;
        }
        self.known.insert(name, found.map_or(Label::Unsolved(nodes), Label::Value));
        Ok(found)
    }
}

/// Read the lines of a file of labels; of several for one position the last counts.
fn parse(text: &[u8]) -> Result<HashMap<String, Label>, String> {
    let mut known = HashMap::new();
    for (number, line) in text.split(|&byte| byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let (name, label) = parse_line(line).ok_or_else(|| {
            format!(
                "line {}: expected a label such as {{\"record\":\"E2 A1 C4 G2 D2 B1=3\",\"value\":-2}}",
                number + 1
            )
        })?;
        known.insert(name, label);
    }
    Ok(known)
}

fn parse_line(line: &[u8]) -> Option<(String, Label)> {
    let object: Value = serde_json::from_slice(line).ok()?;
    let record = Record::parse(object["record"].as_str()?).ok()?;
    let label = match &object["value"] {
        Value::Null => Label::Unsolved(object["nodes"].as_u64()?),
        value => {
            let score = Score::try_from(value.as_i64()?).ok()?;
            (score.unsigned_abs() <= MAX_SCORE.unsigned_abs()).then_some(Label::Value(score))?
        }
    };
    Some((record.to_string(), label))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_no_labels_are_named() {
        let good = r#"{"record":"E2 A1 C4 G2 D2 B1=3","value":-2}"#;
        let unsolved = r#"{"record":"E2 A1 C4 G2 D2","value":null,"nodes":7}"#;
        let known = parse(format!("{good}\n{unsolved}\n").as_bytes()).expect("labels");
        assert_eq!(known["E2 A1 C4 G2 D2 B1=3"], Label::Value(-2));
        assert_eq!(known["E2 A1 C4 G2 D2"], Label::Unsolved(7));
        for bad in [
            "no",
            "{}",
            &good.replace("-2", "76"),
            &good.replace("-2", "null"),
            &good.replace("-2", "1.5"),
            &good.replace("B1=3", "A1=3"),
        ] {
            let error = parse(format!("{good}\n{bad}\n").as_bytes()).expect_err(bad);
            assert!(error.starts_with("line 2: expected a label"), "{error}");
        }
    }
}
